"""Scenes and figures of users who come back."""
