"""The logs of the landing folder: listed, read as numbered lines, kept in a ledger."""
