"""pzp, the second source: read a line, ids, accounts."""
