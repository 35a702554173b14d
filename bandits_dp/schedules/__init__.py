"""Schedules: how many users are asked next."""
