"""Tangles: which messages are in a tangle, and in what order they read."""
