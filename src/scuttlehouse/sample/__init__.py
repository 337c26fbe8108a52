"""Sample logs: truly signed, with groups, forks, gaps and bad lines, the same for the same seed."""

from .summary import Summary
from .write import add_arguments, generate, run, secrets, write_sample

__all__ = ["Summary", "add_arguments", "generate", "run", "secrets", "write_sample"]
