"""Classic Scuttlebutt: read a line, ids, validity, feeds."""
