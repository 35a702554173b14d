"""Scenes, figures and bounds of private rewards."""
