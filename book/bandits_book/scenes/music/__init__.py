"""What chapter 14 shows: stored ratios on the real files, and scores before and after noise."""
