"""What the book needs and an algorithm does not: figures, the museum, data, logs, replicas of published code."""
