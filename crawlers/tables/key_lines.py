"""Records of lines `key: value` in any script, `TIMU=…`, `daan：B`, the same keys record after record. Lines in, rows out."""

import re
from collections import Counter
from collections.abc import Sequence

from crawlers.tables.tree import Rows

_LINE = re.compile(
    r"\s{0,12}[【\[<#*\"']{0,3}\s?(?P<key>[A-Za-z][A-Za-z_.-]{0,24})\s?(?P<number>\d{0,5})\s?(?:[】\]]\s{0,6}[:：=＝]?|[>*\"']{0,3}\s{0,6}(?:=>|->|[:：=＝\t]))\s{0,6}(?P<value>.*)"
)
_ALONE = re.compile(r"(?![A-J]{1,10}$)[A-Za-z][A-Za-z_]{0,24}")
"""A key without a value, if it recurs."""
_WORD = re.compile(r"\w")
_FEWEST, _FEWEST_KEYS, _MOST_KEYS, _SHARE = 3, 2, 20, 0.8
_LEAST_KEYED = 0.2
"""Share of the lines that must have keys; the others go on with a value."""


def rows_of_keys(lines: Sequence[str]) -> Rows | None:
    """Return the records of lines with keys: the first key begins each; None if the lines are no such records."""
    alone = Counter(text for line in lines if _ALONE.fullmatch(text := line.strip()))
    lines = [f"{line.strip()}:" if alone[line.strip()] >= _FEWEST else line for line in lines]
    found = [(at, match) for at, line in enumerate(lines, 1) if (match := _LINE.fullmatch(line.rstrip()))]
    filled = sum(_WORD.search(line) is not None for line in lines)
    if len(found) < _FEWEST * _FEWEST_KEYS or len(found) < _LEAST_KEYED * filled:
        return None
    counters = _counters([match for _, match in found])
    keyed = {at: (match["key"] if match["key"] in counters else match["key"] + match["number"], match["value"]) for at, match in found}
    first = keyed[found[0][0]][0]
    rows: list[tuple[str, dict[str, str]]] = []
    key = ""
    for at, line in enumerate(lines, 1):
        if at not in keyed:
            if rows and _WORD.search(line):
                rows[-1][1][key] = f"{rows[-1][1][key]}\n{line.strip()}".strip()
            continue
        key, value = keyed[at]
        if key == first:
            rows.append((f"line:{at}", {}))
        if key in rows[-1][1]:
            return None
        rows[-1][1][key] = value.strip()
    keys = Counter(key for _, row in rows for key in row)
    often = [key for key, count in keys.items() if count >= _SHARE * len(rows)]
    return Rows((), list(rows)) if len(rows) >= _FEWEST and len(often) >= _FEWEST_KEYS and len(keys) <= _MOST_KEYS else None


def _counters(found: Sequence[re.Match[str]]) -> set[str]:
    """Return the keys whose numbers count the records, `timu1`, `timu2`: none recurs."""
    numbers: dict[str, list[str]] = {}
    for match in found:
        numbers.setdefault(match["key"], []).append(match["number"])
    return {key for key, own in numbers.items() if len(own) >= _FEWEST and all(own) and len(set(own)) == len(own)}
