"""What chapter 13 shows: outputs counted in two worlds, the museum, and what last digits betray."""
