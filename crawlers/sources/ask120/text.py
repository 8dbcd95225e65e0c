"""Texts of ask120's pages: labels and values, and prose with labels at the beginning of lines."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from parsel import Selector, SelectorList

from atomexam.records.item import LabelledValue
from crawlers.html.nesting import outermost
from crawlers.text.fields import text_of

MAX_LABEL_CHARS = 20
_LABEL = re.compile(rf"\s*([^：:\n]{{1,{MAX_LABEL_CHARS}}}[：:])(.*)", re.DOTALL)
_COLON = re.compile("[：:]")
_NUMBERED = re.compile(r"\d+[.．、]")


def first_text(selected: Selector | SelectorList[Any]) -> str:
    """Return the text of the first selected element without surrounding white space; "" if there is none."""
    first = selected[:1] if isinstance(selected, SelectorList) else [selected]
    return "".join(text_of(one) for one in first).strip()


def texts(selected: Iterable[Selector]) -> list[str]:
    """Return the text of each element that has any; of nested elements, only the outermost counts."""
    return [text for one in outermost(selected) if (text := text_of(one).strip())]


def divided(line: str) -> tuple[str, str]:
    """Return the label with its colon, and what follows; a line without a colon has no label."""
    selected = _LABEL.match(line)
    return (selected[1], selected[2].strip()) if selected else ("", line.strip())


def one(label: str, value: str, position: str) -> list[LabelledValue]:
    """Return a labelled value, or nothing if the value is empty."""
    return [LabelledValue(label=label.strip(), value=value.strip(), position=position)] if value.strip() else []


def lines_with_label(body: Sequence[Selector], caption: str) -> list[tuple[str, str]]:
    """Return the lines that begin with a label: bold text, or the page's caption. A numbered list may continue below."""
    bold = outermost(lead for part in body for lead in part.css("strong, b"))
    leads = {text_of(lead).strip().rstrip("：:").strip() for lead in bold} | {caption}
    pairs: list[tuple[str, str]] = []
    in_list = False
    for line in (line.strip() for part in body for line in text_of(part).split("\n")):
        colons = [selected.start() for selected in _COLON.finditer(line[: MAX_LABEL_CHARS + 2])]
        end = next((at for at in reversed(colons) if line[:at].rstrip() in leads and at), None)
        if end is not None:
            pairs.append((line[: end + 1], line[end + 1 :].strip()))
            in_list = not pairs[-1][1] or bool(_NUMBERED.match(pairs[-1][1]))
        elif in_list and _NUMBERED.match(line):
            label, value = pairs[-1]
            pairs[-1] = (label, f"{value}\n{line}".strip())
        else:
            in_list = False
    return pairs
