"""Designs in the plane: weight that moves to the worst-known exercise, and who survives phase after phase."""

from bandits_book.scenes.designs.moving import design_frame, moves, moving_design
from bandits_book.scenes.designs.surviving import who_survives

__all__ = ["design_frame", "moves", "moving_design", "who_survives"]
