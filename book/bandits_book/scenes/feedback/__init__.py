"""Clients and their averages: the end of one phase, regret against epsilon, and when central noise is small."""

from bandits_book.scenes.feedback.against import against_epsilon
from bandits_book.scenes.feedback.marks import one_phase, phase_frame
from bandits_book.scenes.feedback.parts import free_yet
from bandits_book.scenes.feedback.phase import fifth_phase
from bandits_book.scenes.feedback.words import MOMENTS

__all__ = ["MOMENTS", "against_epsilon", "fifth_phase", "free_yet", "one_phase", "phase_frame"]
