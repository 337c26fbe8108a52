"""What the people who run a warehouse ask it: is all well, and how did the builds go."""
