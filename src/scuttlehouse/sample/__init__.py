"""Sample logs with real signatures, groups, forks, gaps and bad lines. The same seed gives the same logs.

`signing` and `world` make messages and people. In `groups` and `views` people write to a group from what has
reached them. `forks`, `scenes`, `public` and `faults` say what happens. `devices` and `sets` make a log of
the second source, `bulk` makes more for larger sizes, `competing` makes many groups with many epochs, and
`write` writes the files. What they put into `summary` is known from how the sample is made; the project's
algorithms never compute it.
"""
