"""The layout of a paper: patterns of its lines, as a person writes them in YAML, and the same compiled."""

from collections.abc import Sequence

from msgspec import Struct

from crawlers.read.layouts.line_patterns import LinePattern, compiled
from crawlers.read.tables.columns import RecordLayout
from crawlers.read.vocabulary.labels import flat

_MOST_PATTERNS = 100


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
    when: str | list[str] = []
    """Lines that recur in every such file. A file with all of them is read by the layout if that reads nearly all of it."""


class FileLayout(RecordLayout, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of layouts.yaml; exactly one of `questions`, `tables`, `entity` and `paper` is given."""

    paper: PaperLayout | None = None


class PaperPatterns(Struct, frozen=True):
    """The compiled patterns of a layout."""

    questions: list[list[LinePattern]]
    case: list[LinePattern]
    heading: list[LinePattern]
    answers: list[LinePattern]
    leave_out: list[LinePattern]
    when: list[LinePattern]
    type: str | None = None

    @property
    def is_positional(self) -> bool:
        """Return whether a question may begin with any words, so that only its place shows where."""
        return any(template[0].is_open for template in self.questions)


NUMBERS = {"number", "numeral", "last"}
"""Names of which an entry of a list of answers has one: without it, it may be the answer of any question."""
_OTHERS = ("case", "heading", "answers", "leave_out", "when")


def patterns_of(layout: PaperLayout, where: str) -> PaperPatterns:
    """Return the patterns of a layout.

    Raises:
        ValueError: a pattern has an unknown name, or fits any line; the message gives `where`, the key and the pattern.
    """
    questions = [_lines(text, f"{where}: question") for text in _texts(layout.question)]
    for lines in questions or [[]]:
        if not any("stem" in line.names for line in lines):
            raise ValueError(f"{where}: question: expected {{stem}} in one of its lines")
    others = {key: [line for text in _texts(getattr(layout, key)) for line in _lines(text, f"{where}: {key}")] for key in _OTHERS}
    for text in _texts(layout.answers):  # an entry may have several lines
        names = {name for line in _lines(text, "") for name in line.names if name}
        if names and not (names & {"answer", "explanation"} and names & NUMBERS):
            raise ValueError(f"{where}: answers: pattern {text.strip()!r}: expected {{number}}, and {{answer}} or {{explanation}} in it")
    for key, lines in others.items():
        for line in lines:
            if line.is_open:
                raise ValueError(f"{where}: {key}: pattern {line.text!r} fits any line; expected a fixed sign or a number in it")
            if key == "heading" and any(line.names) and "heading" not in line.names:
                raise ValueError(f"{where}: {key}: pattern {line.text!r}: expected {{heading}} in it")
    patterns = PaperPatterns(questions, **others, type=layout.type)
    count = sum(map(len, [*questions, *others.values()]))
    if count > _MOST_PATTERNS:
        raise ValueError(f"{where}: {count} patterns; expected at most {_MOST_PATTERNS}")
    return patterns


def marks_of(layout: PaperLayout) -> list[LinePattern]:
    """Return the patterns of the lines by which a layout is known."""
    return [one for text in _texts(layout.when) for one in _lines(text, "when")]


def are_shown(marks: Sequence[LinePattern], lines: Sequence[str], least: int = 3) -> bool:
    """Return whether each of the lines by which a layout is known recurs in a file."""
    return bool(marks) and all(sum(mark.fields(flat(line.strip())) is not None for line in lines) >= least for mark in marks)


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _lines(text: str, where: str) -> list[LinePattern]:
    return [compiled(line, where) for line in text.splitlines() if line.strip()]
