"""pzp, the second source: a line judged, ids, accounts."""
