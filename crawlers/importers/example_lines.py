"""Examples for a person who corrects a proposed layout: texts, rows and rejected questions in, short lines of comments out."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from crawlers.papers.questions.draft import ParsedPaper

_Value = TypeVar("_Value")
_MOST_CHARS, _MOST_LINES, _MOST_KINDS = 60, 12, 2


def rejected_lines(lines: Sequence[str], paper: ParsedPaper) -> Iterator[str]:
    """Yield the lines of the first question of each reason for which some are rejected, from which a person writes their template."""
    drafts, shown = paper.drafts, set[str | None]()
    for draft, end in zip(drafts, [*(draft.line for draft in drafts[1:]), len(lines)], strict=True):
        if draft.doubt and draft.doubt not in shown and len(shown) < _MOST_KINDS:
            shown.add(draft.doubt)
            yield f"# rejected without a layout, {draft.doubt}; its lines from line {draft.line + 1} on, for a template of their own:"
            yield from (f"#   {shortened(line)}" for line in lines[draft.line : min(end, draft.line + _MOST_LINES)] if line)


def shortened(text: str, most: int = _MOST_CHARS) -> str:
    """Return a text as a comment shows it: on one line, without what YAML does not allow."""
    line = "".join(sign for sign in " ".join(text.split()) if sign.isprintable())
    return line[:most] + ("…" if len(line) > most else "")


def spread(values: Sequence[_Value], most: int) -> list[_Value]:
    """Return values from the beginning, the middle and the end, at most as many as given."""
    last = len(values) - 1
    return [*values] if last < most else [values[index * last // (most - 1)] for index in range(most)]
