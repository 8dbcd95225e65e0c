"""Findings on a set -> an HTML page, Markdown, and a summary for the terminal. Every text of the set is hostile and is escaped.

The page is self-contained: no scripts, no addresses.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from atomexam.pages.templates import templates
from curation.audit.findings import FIGURES

_MAX_CHARS = 160
_ROWS = 30
"""Rows of a table in Markdown; audit.json contains all."""
_PAGE_ROWS = 3_000
"""Rows of a table on the page; browsers still open it at once."""
_MARKS = re.compile(r"([\\`*_\[\]<>|&#~!$])")
_LINKED = re.compile(r"(?i)(?<=https)(?=:)|(?<=http)(?=:)|(?<=ftp)(?=:)|(?<=www)(?=\.)|(?<=@)|(?<=mailto)(?=:)|(?<=xmpp)(?=:)")
_JOINER = "\u2060"
"""Invisible; it breaks addresses and mentions, so that a text pasted into a pull request links to nothing and notifies nobody."""
Report = Mapping[str, Any]


def page(report: Report) -> str:
    """Return the report as HTML."""
    return _rendered("audit.html", report, autoescape=True)


def markdown(report: Report) -> str:
    """Return the report as Markdown."""
    return _rendered("audit.md", report, autoescape=False)


def summary(report: Report) -> str:
    """Return the figures as lines for a terminal, marked if they exceed their limit."""
    over = {row["figure"]: row["most"] for row in report["exceeded"]}
    lines = [f"questions  {report['figures']['questions']}"]
    splits = Counter[str]()
    for one in report["files"]:
        splits[one["split"] or "none"] += one["questions"]
    named = ", ".join(f"{displayable(split)} {count}" for split, count in sorted(splits.items()))
    formats = ", ".join(sorted({one["format"] for one in report["read"]}))
    lines += [f"formats    {formats}", f"splits     {named}"]
    if list(splits) == ["none"]:
        lines.append("           no file name or field names them; set them with --split-of to see leaks between splits")
    for name in FIGURES:
        limit = f"  exceeds {over[name]:g}" if name in over else ""
        lines.append(f"{name:30}{_number(name, report['figures'][name]):>9}{limit}")
    return "".join(f"{line}\n" for line in lines)


def displayable(value: Any, most: int = _MAX_CHARS) -> str:
    """Return a text in one line, truncated, with invisible and bidirectional control characters as code points."""
    text = str(value)
    cut = text if len(text) <= most else f"{text[:most]}…"
    return "".join(_visible(character) for character in cut)


def _marked(value: Any, most: int = _MAX_CHARS) -> str:
    """Return a text escaped for Markdown, without links."""
    return _LINKED.sub(_JOINER, _MARKS.sub(r"\\\1", displayable(value, most)))


def _visible(character: str) -> str:
    if character in "\n\r\t":
        return " "
    return f"[U+{ord(character):04X}]" if unicodedata.category(character)[0] == "C" else character


def _number(name: str, value: float | int | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{100 * value:.2f} %"


def _rendered(template: str, report: Report, autoescape: bool) -> str:
    environment = templates(Path(__file__).parent, {})
    environment.autoescape = autoescape
    environment.filters |= {
        "displayable": displayable if autoescape else _marked,
        "percent": lambda share: "–" if share is None else f"{100 * share:.2f} %",
        "sum_of": lambda counts: sum(counts.values()),
        "chance": lambda p: "–" if p is None else "< 0.0001" if p < 0.0001 else f"{p:.4f}",
    }
    splits = sorted({split for table in report["classes"].values() for counts in table.values() for split in counts})
    over = {row["figure"] for row in report["exceeded"]}
    known = {
        "report": report,
        "names": FIGURES,
        "rows": _ROWS if not autoescape else _PAGE_ROWS,
        "number": _number,
        "verdict": _verdict,
        "splits": splits,
        "over": over,
    }
    return environment.get_template(template).render(known)


def _verdict(verdict: str, biased: str, even: str) -> str:
    """Return the result of a significance test in words."""
    if verdict == "too_few":
        return "Too few questions to tell."
    return f"{biased}: chance alone does that in fewer than 1 of 100 sets." if verdict == "biased" else f"{even}: chance alone may do that."
