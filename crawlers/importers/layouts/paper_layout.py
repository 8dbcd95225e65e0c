"""The layout of a paper: patterns of its lines, as a person writes them in YAML, and the same compiled."""

from msgspec import Struct

from crawlers.importers.layouts.line_patterns import LinePattern, compiled

_MOST_PATTERNS = 100


class PaperLayout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which lines of a paper are which part of a question: written by `--propose`. docs/papers.md has the names in braces."""

    question: str | list[str]
    """One question as it is in the file, a line of it a line; one for each kind of questions."""
    case: str | list[str] = []
    """What announces a text or options that the questions below share."""
    heading: str | list[str] = []
    answers: str | list[str] = []
    """Entries of the list of answers, and its title, which has no names but {}."""
    leave_out: str | list[str] = []
    """Lines that are part of nothing."""


class PaperPatterns(Struct, frozen=True):
    """The compiled patterns of a layout."""

    questions: list[list[LinePattern]]
    case: list[LinePattern]
    heading: list[LinePattern]
    answers: list[LinePattern]
    leave_out: list[LinePattern]

    @property
    def is_positional(self) -> bool:
        """Return whether a question may begin with any words, so that only its place shows where."""
        return any(template[0].is_open for template in self.questions)


_NEEDED = {"case": ("",), "heading": ("heading",), "answers": ("answer", "explanation"), "leave_out": ("",)}


def patterns_of(layout: PaperLayout, where: str) -> PaperPatterns:
    """Return the patterns of a layout.

    Raises:
        ValueError: a pattern has an unknown name, or fits any line; the message gives `where`, the key and the pattern.
    """
    questions = [_lines(text, f"{where}: question") for text in _texts(layout.question)]
    for lines in questions or [[]]:
        if not any("stem" in line.names for line in lines):
            raise ValueError(f"{where}: question: expected {{stem}} in one of its lines")
    others = {key: [line for text in _texts(getattr(layout, key)) for line in _lines(text, f"{where}: {key}")] for key in _NEEDED}
    for key, lines in others.items():
        for line in lines:
            if line.is_open:
                raise ValueError(f"{where}: {key}: pattern {line.text!r} fits any line; expected a fixed sign or a number in it")
            if key in ("heading", "answers") and any(line.names) and not set(_NEEDED[key]) & set(line.names):
                wanted = " or ".join(f"{{{name}}}" for name in _NEEDED[key])
                raise ValueError(f"{where}: {key}: pattern {line.text!r}: expected {wanted} in it")
    patterns = PaperPatterns(questions, **others)
    count = sum(map(len, [*questions, *others.values()]))
    if count > _MOST_PATTERNS:
        raise ValueError(f"{where}: {count} patterns; expected at most {_MOST_PATTERNS}")
    return patterns


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _lines(text: str, where: str) -> list[LinePattern]:
    return [compiled(line, where) for line in text.splitlines() if line.strip()]
