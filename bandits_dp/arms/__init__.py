"""Arms without structure: problems, how many users are asked about each, and how far a released mean may be off."""
