"""Replicas of the published order in other databases."""
