"""Widths: error bounds of estimates, from the distribution of noise and never from a release."""
