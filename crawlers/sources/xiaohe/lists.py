"""Lists in the states of xiaohe's pages: addresses of entries, where a list continues, and what is not understood.

No page of the real site was available: key names are assumed, so a list that may continue in an unknown way is reported.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from crawlers.html.page_state import dicts

ROWS = ("list", "items", "records")
_NAMES = ("name", "title")
_MORE = re.compile(r"(?:has|is)_?(?:more|next)(?:_?page)?", re.I)
_CURSOR_KEYS = ("cursor", "next_cursor", "nextCursor", "offset")
_TOTAL = re.compile(r"total(?:_?(?:count|num|number|size))?", re.I)
_PAGING = re.compile(r"next|cursor|offset|token|more|(?:^|_)page|Page", re.I)
_LISTED_KEYS = 8


class Listing(NamedTuple):
    """A list, or one page of it."""

    hrefs: tuple[str, ...] = ()
    rows: int = 0
    """Number of its entries, including those without an address."""
    cursor: str | None = None
    """Parameter of the call for more; None at the end of the list."""
    faults: tuple[str, ...] = ()
    """Why it may have more than can be read."""


def listings(state: Any, kind: str, before: int = 0) -> Iterator[Listing]:
    """Yield the lists of a state; `before` is the number of entries on the pages before."""
    for listing in dicts(state):
        key = next((key for key in ROWS if isinstance(listing.get(key), list)), None)
        if key is not None:
            yield _listing(listing, listing[key], kind, before)


def _listing(listing: dict[str, Any], rows: list[Any], kind: str, before: int) -> Listing:
    entries = [row for row in rows if isinstance(row, dict)]
    addressed = [row for row in entries if row.get("url") or row.get("id")]
    named = [row for row in entries if row not in addressed and any(row.get(name) for name in _NAMES)]
    faults = []
    if named:
        faults.append(f"{len(named)} of {len(rows)} entries of a list have neither url nor id, but the keys {_keys(named[0])}")
    cursor = None
    if addressed or not rows:
        cursor, fault = _way_on(listing, before + len(rows))
        faults += [fault] if fault else []
    hrefs = tuple(str(row.get("url") or f"/medical/{kind}/{row['id']}") for row in addressed)
    return Listing(hrefs, len(rows), cursor if addressed else None, tuple(faults))


def _way_on(listing: dict[str, Any], count: int) -> tuple[str | None, str | None]:
    """Return the cursor of the call for more, and why the list may have more than can be read."""
    more_flags = [value for key, value in listing.items() if _MORE.fullmatch(key)]
    total = next((int(value) for key, value in listing.items() if _TOTAL.fullmatch(key) and re.fullmatch(r"\d{1,9}", str(value))), None)
    cursor = next((str(listing[key]) for key in _CURSOR_KEYS if listing.get(key) is not None), None)
    has_more = any(more_flags) if more_flags else total is not None and total > count
    if has_more and cursor is None:
        return (
            None,
            f"a list has more than the {count} entries shown, and no {', '.join(_CURSOR_KEYS)} to send; its keys are {_keys(listing)}",
        )
    if has_more:
        return cursor, None
    if total is not None and total > count:
        return None, f"a list of {total} entries ends after {count}; its keys are {_keys(listing)}"
    unknown = [key for key, value in listing.items() if _PAGING.search(key) and value and not _MORE.fullmatch(key)]
    if unknown and count and not more_flags and total is None:
        return None, f"whether a list continues after {count} entries is unknown: {_keys(listing)}"
    return None, None


def _keys(listing: dict[str, Any]) -> str:
    more = ", …" if len(listing) > _LISTED_KEYS else ""
    return ", ".join(str(key)[:30] for key in list(listing)[:_LISTED_KEYS]) + more
