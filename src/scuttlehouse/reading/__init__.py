"""The published tables, read without Java."""
