"""Private groups: epochs, forks, exclusions, membership, repairs."""
