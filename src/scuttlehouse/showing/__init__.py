"""What is known of one thing, on one screen, from the published tables."""
