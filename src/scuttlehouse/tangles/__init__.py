"""Tangles: which messages belong to one, and in which order they read."""
