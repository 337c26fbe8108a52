"""Classic Scuttlebutt: a line judged, ids, validity, feeds."""
