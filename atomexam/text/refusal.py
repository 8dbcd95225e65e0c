"""The error for a file that a reader refuses, as opposed to a bug in the reader."""


class Refusal(ValueError):
    """A refused file; the message names the file, what was found and what was expected."""
