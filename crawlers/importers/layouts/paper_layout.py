"""The layout of a paper: patterns of its lines, as a person writes them in YAML, and the same compiled."""

from msgspec import Struct

from crawlers.importers.layouts.line_patterns import LinePattern, compiled

_MOST_PATTERNS = 100
_NUMBERED = {"number", "numeral"}


class PaperLayout(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which lines of a paper are which part of a question: written by `--propose`. docs/papers.md has the names in braces."""

    question: str | list[str]
    """One question as it is in the file, a line of it a line; one for each kind of questions."""
    case: str | list[str] = []
    """What announces a text or options that the questions below share."""
    heading: str | list[str] = []
    answers: str | list[str] = []
    """Entries of the list of answers, of one line or several, and its title, which has no names but {}."""
    leave_out: str | list[str] = []
    """Lines that are part of nothing."""
    type: str | None = None
    """The type of all questions whose lines and headings name none."""


class PaperPatterns(Struct, frozen=True):
    """The compiled patterns of a layout."""

    questions: list[list[LinePattern]]
    case: list[LinePattern]
    heading: list[LinePattern]
    answers: list[LinePattern]
    leave_out: list[LinePattern]
    entries: list[list[LinePattern]] = []
    """Entries of several lines, of which the first has a number."""
    type: str | None = None

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
    entries = [entry for text in _texts(layout.answers) for entry in _entries(_lines(text, ""))]
    for first, *below in entries:
        if not {"answer", "explanation"} & {name for line in (first, *below) for name in line.names}:
            raise ValueError(f"{where}: answers: entry {first.text!r} and the lines below it: expected {{answer}} or {{explanation}} in it")
        others["answers"] = [line for line in others["answers"] if line not in (first, *below)]
    for key, lines in others.items():
        for line in lines:
            if line.is_open:
                raise ValueError(f"{where}: {key}: pattern {line.text!r} fits any line; expected a fixed sign or a number in it")
            if key in ("heading", "answers") and any(line.names) and not set(_NEEDED[key]) & set(line.names):
                wanted = " or ".join(f"{{{name}}}" for name in _NEEDED[key])
                raise ValueError(f"{where}: {key}: pattern {line.text!r}: expected {wanted} in it")
    patterns = PaperPatterns(questions, **others, entries=entries, type=layout.type)
    count = sum(map(len, [*questions, *others.values(), *entries]))
    if count > _MOST_PATTERNS:
        raise ValueError(f"{where}: {count} patterns; expected at most {_MOST_PATTERNS}")
    return patterns


def _entries(lines: list[LinePattern]) -> list[list[LinePattern]]:
    """Return the entries of several lines: one with a number, and those below it that have none and are no titles."""
    entries: list[list[LinePattern]] = []
    is_open = False
    for line in lines:
        if _NUMBERED & set(line.names):
            entries.append([line])
        elif is_open and any(line.names):
            entries[-1].append(line)
        is_open = bool(_NUMBERED & set(line.names)) or (is_open and any(line.names))
    return [entry for entry in entries if len(entry) > 1]


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _lines(text: str, where: str) -> list[LinePattern]:
    return [compiled(line, where) for line in text.splitlines() if line.strip()]
