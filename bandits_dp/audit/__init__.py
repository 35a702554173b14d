"""Audits: what an adversary sees, and what that proves about a mechanism."""
