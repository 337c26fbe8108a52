"""The base of all errors that a command ends with, and what Python says of a full disk."""

import errno

# What writing to a file or to the standard output fails with. Such an error names no file.
WRITE_ERRORS = errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO


class HouseError(Exception):
    """The message is a sentence for people: what is wrong, where, and what to do. It holds no secret."""

    # The adapter then shows neither the class nor the lines of the code (dbt-sparkpython).
    is_sentence = True
