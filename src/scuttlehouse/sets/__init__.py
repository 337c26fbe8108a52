"""Replicated sets of pzp: what is in them, and what can be pruned."""
