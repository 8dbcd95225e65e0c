"""Write coding sheets, and read codes from filled ones."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from atomexam.runtime.sheets import SheetRow, read_sheet, without_apostrophe, write_sheet
from curation.themes.queries import Query, query_id


class CodeProposal(NamedTuple):
    """A possible code of a query."""

    code: str
    keyword: str
    """The keyword in the query that suggests it."""


def propose(query: Query, codes: Mapping[str, Mapping[str, Sequence[str]]]) -> list[CodeProposal]:
    """Return the codes whose keywords are in a query, that of the longest keyword first; keywords of its own intent have priority."""
    proposals = []
    for position, (code, keywords) in enumerate(codes.items()):
        spoken = [
            (name != query.intent, -len(word), word)
            for name in ("any", query.intent)
            for word in keywords.get(name, ())
            if word in query.text
        ]
        if spoken:
            own, length, word = min(spoken)
            proposals.append((length, own, position, CodeProposal(code, word)))
    return [proposal for *_, proposal in sorted(proposals)]


_COLUMNS = ("id", "intent", "query", "proposed", "because", "confirm", "code", "comment")
_NEEDED = ("id", "intent", "query", "proposed", "confirm", "code")
_YES = "yes"


class Coded(Struct, frozen=True):
    """One coder's codes of one query."""

    query_id: str
    intent: str
    query: str
    coder: str
    codes: list[str]
    """The main code first."""
    comment: str = ""


def write_coding_sheet(path: Path, queries: Iterable[Query], codes: Mapping[str, Mapping[str, Sequence[str]]]) -> int:
    """Write the sheet that a coder fills in; return the number of queries with a proposed code."""
    rows, proposed = [], 0
    for query in queries:
        proposals = propose(query, codes)
        proposed += bool(proposals)
        because = "; ".join(f"{code}: {word}" for code, word in proposals)
        rows.append((query.id, query.intent, query.text, proposals[0].code if proposals else "", because, "", "", ""))
    write_sheet(path, _COLUMNS, rows, {"confirm": [_YES]})
    return proposed


def read_coding_sheet(path: Path, coder: str) -> list[Coded]:
    """Return a coder's codes: `code` (several separated by ;, the main one first) or, if `confirm` is yes, the proposed one.

    Raises:
        ValueError: a column is missing, or a query was changed, listed twice, or confirmed without a proposal.
    """
    by_query: dict[str, Coded] = {}
    for row in read_sheet(path):
        one = _read_row(row, coder)
        if one is None:
            continue
        if one.query_id in by_query:
            raise ValueError(f"{row.where}: the query {one.query!r} is listed twice; delete one line")
        by_query[one.query_id] = one
    return list(by_query.values())


def _read_row(row: SheetRow, coder: str) -> Coded | None:
    if missing := [name for name in _NEEDED if name not in row.cells]:
        raise ValueError(f"{row.where}: no column {', '.join(missing)}; expected the columns of `draw`, {', '.join(_COLUMNS)}")
    cells = row.cells
    if query_id(cells["intent"], cells["query"]) != cells["id"]:
        raise ValueError(f"{row.where}: intent, query or id was changed: {cells['query']!r}; fill in only `confirm`, `code`, `comment`")
    code, confirm, comment = (without_apostrophe(cells.get(name, "")) for name in ("code", "confirm", "comment"))
    codes = [one for part in code.replace("；", ";").split(";") if (one := part.strip())]
    if confirm.casefold() not in ("", _YES):
        raise ValueError(f"{row.where}: confirm is {confirm!r}; expected {_YES} or nothing; write another code under `code`")
    if not codes and confirm:
        if not cells["proposed"]:
            raise ValueError(f"{row.where}: confirmed, but no code was proposed; write the code under `code`")
        codes = [cells["proposed"]]
    return Coded(cells["id"], cells["intent"], cells["query"], coder, codes, comment) if codes else None
