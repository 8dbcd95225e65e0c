"""What a reader raises where it does not take a file, as against a fault of its own."""


class Refusal(ValueError):
    """A file that is not read; the message names the file and says what was found and what was expected."""
