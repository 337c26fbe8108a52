"""Scuttlebutt (SSB), the first source: read a line, ids, validity, feeds."""
