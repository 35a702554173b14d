"""The course's machinery: masters are checked, released, rehearsed, and what students hand in is graded."""
