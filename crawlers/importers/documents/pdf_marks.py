"""Which options of a PDF stand out by the colour or weight of their type: rows of glyphs in, lines with the answers out."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from crawlers.importers.documents.pdf_rows import TextRow
from crawlers.papers.pages.wraps import wraps_of
from crawlers.papers.passes.emphasis import LESS, is_answer_sheet, label_emphasis
from crawlers.papers.signs.answer_marks import flat, is_marked
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of


class _Line(Struct):
    """A row as `wraps_of` looks at it."""

    text: str
    flat: str
    gap: bool = False


def with_shown_answers(lines: list[str], rows: Sequence[TextRow | None]) -> list[str]:
    """Return the lines of a document, with the answer of each question whose right options stand out below its options.

    A line that is broken for its length is looked at as a whole: its last row may be that of an option.

    Args:
        rows: the row of each line; None for those of tables.
    """
    signed = [signed_text(row) if row else line.replace("<", LESS) for line, row in zip(lines, rows, strict=True)]
    if not any("<" in text for text in signed) or any(map(is_answer_sheet, lines)):
        return lines
    whole: list[tuple[int, str]] = []
    flats = list(map(flat, lines))
    wraps = wraps_of([_Line(text, flat_text) for text, flat_text in zip(lines, flats, strict=True)])
    for at, text in enumerate(signed):
        if whole and _goes_on(flats[at]) and (wraps.fills(flats[at - 1], flats[at]) or _is_within_options(flats, at)):
            whole[-1] = (at, whole[-1][1] + text)
        else:
            whole.append((at, text))
    labelled = label_emphasis(whole)
    if len(labelled) == len(whole):
        return lines
    answers: dict[int, list[str]] = {}
    last = -1
    for at, text in labelled:
        if at == last:
            answers.setdefault(at, []).append(text)
        last = at
    return [text for at, line in enumerate(lines) for text in (line, *answers.get(at, ()))]


def _goes_on(line: str) -> bool:
    """Return whether a flat line begins with nothing that begins a line."""
    return number_of(line) is None and not letter_of(line) and not is_marked(line)


def _is_within_options(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is between two options of a question: it belongs to the upper one."""
    above = next((lines[place] for place in range(at - 1, -1, -1) if not _goes_on(lines[place])), "")
    below = next((lines[place] for place in range(at + 1, len(lines)) if not _goes_on(lines[place])), "")
    return bool(letter_of(above)) and letter_of(below) > "A"


def signed_text(row: TextRow) -> str:
    """Return the text of a row with a tag before and after the characters that stand out."""
    marks = [glyph.marks for glyph in row.glyphs for sign in glyph.text if not sign.isspace()]
    if not any(marks) or len(marks) != sum(not sign.isspace() for sign in row.text):
        return row.text.replace("<", LESS)
    own = iter(marks)
    done: list[str] = []
    active: frozenset[str] = frozenset()
    for sign in row.text:
        kinds = active if sign.isspace() else next(own)
        if kinds != active:
            done += ["</>" * len(active), *_opened(kinds)]
            active = kinds
        done.append(LESS if sign == "<" else sign)
    return "".join([*done, "</>" * len(active)])


def _opened(kinds: Iterable[str]) -> list[str]:
    return [f"<{kind}>" for kind in sorted(kinds)]
