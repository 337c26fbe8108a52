"""The error that all errors of the project are."""


class HouseError(Exception):
    """The message is a sentence for people: what is wrong, where, and what to do. It holds no secret."""
