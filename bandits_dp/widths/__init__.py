"""Widths: how far an estimate may be off. A width is told the law of the noise in a release, never a release."""
