"""The base of all errors that a command ends with."""


class HouseError(Exception):
    """The message is a sentence for people: what is wrong, where, and what to do. It holds no secret."""

    # The adapter then shows neither the class nor the lines of the code (dbt-sparkpython).
    is_sentence = True
