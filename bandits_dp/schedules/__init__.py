"""Schedules: the number of users that a learner asks next."""
