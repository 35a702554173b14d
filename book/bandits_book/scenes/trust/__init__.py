"""Chapter 3: one count behind each of three walls, the price of trust, and the least noise that bits allow."""

from bandits_book.scenes.trust.journey import walls
from bandits_book.scenes.trust.least_noise import noise_needed
from bandits_book.scenes.trust.price import prices

__all__ = ["noise_needed", "prices", "walls"]
