"""Sample logs: truly signed, with groups, forks, gaps and bad lines, the same for the same seed.

`signing` and `world` make messages and people, `groups` and `views` let people write to a group
from what has reached them, `forks`, `scenes`, `public` and `faults` say what happens, `devices` and
`sets` make a log of the second source, `bulk` does more again and again for larger sizes,
`competing` makes many groups of many epochs, and `write` makes files of it all. What they state in
`summary` is known by construction, never computed by the project's algorithms.
"""

from .summary import Summary
from .write import add_arguments, generate, run, secrets, write_sample

__all__ = ["Summary", "add_arguments", "generate", "run", "secrets", "write_sample"]
