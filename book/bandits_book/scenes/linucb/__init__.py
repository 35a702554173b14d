"""Scenes and figures of private LinUCB."""
