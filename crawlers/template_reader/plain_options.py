"""Options that have no letters, because the answer repeats one of them: the rows of questions in, their parts out."""

import re
from collections import Counter
from collections.abc import Sequence

from crawlers.template_reader.answers import NEARLY_ALL, places_named, says_text
from crawlers.template_reader.counters import LABEL, Row
from crawlers.template_reader.lettered import Lettered, Option

_SLASH, _BAR, _STOP, _TAB = re.compile("/"), re.compile(r"\|"), re.compile(";"), re.compile(r"\t++")
_BLANKS, _PAUSE, _COMMA = re.compile(r"\s\s++"), re.compile("、"), re.compile(",")
_BETWEEN = (_SLASH, _BAR, _STOP, _TAB, _BLANKS, _PAUSE, _COMMA)
"""Signs between options side by side; the first that divides all of a paper counts."""


def plain_options(spans: Sequence[Sequence[Row]]) -> list[Lettered]:
    """Return the parts of questions whose options are plain rows, or beside each other on one; none if they are not nearly all so."""
    parts, found = list[Lettered](), 0
    for span in spans:
        said = [
            at
            for at, row in enumerate(span)
            if at > 2 and (words := says_text(row)) and places_named([one.text for one in span[1:at]], words)
        ]
        found += len(said) == 1
        at = said[0] if len(said) == 1 else 1
        parts.append(Lettered(list(span[:1]), [Option(row.text, "") for row in span[1:at]], list(span[at:])))
    return parts if found and found >= NEARLY_ALL * len(spans) else _on_one_row(spans)


def _on_one_row(spans: Sequence[Sequence[Row]]) -> list[Lettered]:
    for between in _BETWEEN:
        places = [_row_of_options(span, between) for span in spans]
        labels = Counter(_label(span[at]) for span, at in zip(spans, places, strict=True) if at)
        if sum(labels.values()) >= NEARLY_ALL * len(spans) and len(labels) == 1:
            label = next(iter(labels))
            return [_divided(span, label, between) for span in spans]
    return []


def _row_of_options(span: Sequence[Row], between: re.Pattern[str]) -> int:
    """Return the row with the options of which a row below names one; 0 if there is none, or several."""
    said = [text for row in span[2:] if (text := says_text(row))]
    found = [at for at, row in enumerate(span) if at and len(said) == 1 and said[0] in _options(row, between)]
    return found[0] if len(found) == 1 else 0


def _divided(span: Sequence[Row], label: str, between: re.Pattern[str]) -> Lettered:
    rows = [at for at, row in enumerate(span) if at and _label(row) == label and len(_options(row, between)) > 1 and not says_text(row)]
    if len(rows) != 1:
        return Lettered(stem=list(span[:1]), tail=list(span[1:]))
    at = rows[0]
    return Lettered(list(span[:at]), [Option(text, "") for text in _options(span[at], between)], list(span[at + 1 :]))


def _label(row: Row) -> str:
    return match["label"] if (match := LABEL.match(row.flat)) else ""


def _options(row: Row, between: re.Pattern[str]) -> list[str]:
    """Return the texts beside each other on a row, without its label."""
    start = match.end() if (match := LABEL.match(row.flat)) else 0
    texts, last = [], start
    for sign in between.finditer((row.text if between is _TAB else row.flat)[start:]):
        texts.append(row.text[last : start + sign.start()].strip())
        last = start + sign.end()
    texts.append(row.text[last:].strip())
    return texts if len(texts) > 1 and all(texts) else []
