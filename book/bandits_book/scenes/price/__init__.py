"""What chapter 15 shows: the map of all learners, and the favourites of the arms above a floor."""
