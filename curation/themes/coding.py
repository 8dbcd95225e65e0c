"""Query files -> samples to code; coded spreadsheets and a codebook -> the atomic types of each intent (SdAK, Table 1)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from atomexam.records.provenance import content_id, draw_order
from atomexam.runtime.agreement import alpha
from atomexam.runtime.sheets import SheetRow, read_sheet, without_apostrophe, write_sheet
from atomexam.text.canonical import canonical

_LAYOUT = "the layout of KUAKE-QIC: records of `query` and `label`, as JSON or JSONL"


class Query(Struct, frozen=True):
    """A text that a person typed into a search box or a form."""

    id: str
    """Hash of intent and canonical text."""
    intent: str
    text: str


class _QueryRecord(Struct):
    query: str
    label: str


def read_queries(path: Path, intents: Mapping[str, str | None]) -> list[Query]:
    """Return the queries in a JSON or JSONL file, each text once per intent; skip intents mapped to null.

    Raises:
        ValueError: the file is missing, has the wrong structure or no records, or a label is not an intent.
    """
    if not path.is_file():
        raise ValueError(f"{path}: no such file; name one in {_LAYOUT}")
    content = path.read_bytes()
    try:
        if content.lstrip()[:1] == b"[":
            records = msgspec.json.decode(content, type=list[_QueryRecord])
        else:
            records = [msgspec.json.decode(line, type=_QueryRecord) for line in content.splitlines() if line.strip()]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: {error}; expected {_LAYOUT}") from None
    if not records:
        raise ValueError(f"{path}: no records; expected {_LAYOUT}")
    if unknown := sorted({record.label for record in records if record.label not in intents}):
        known = ", ".join(intents)
        where = "`intents` in curation/vocab/themes.yaml, or in a copy that --keywords names"
        raise ValueError(f"{path}: unknown intents {', '.join(unknown)}; known: {known}; add them to {where}")
    by_id: dict[str, Query] = {}
    for record in records:
        intent, text = intents[record.label], _plain(record.query)
        if intent and canonical(text):
            query = Query(query_id(intent, text), intent, text)
            by_id.setdefault(query.id, query)
    return list(by_id.values())


def _plain(text: str) -> str:
    """Return a query without line ends and invisible characters, which spreadsheet cells do not preserve."""
    return " ".join("".join(sign for sign in text if sign.isprintable() or sign.isspace()).split())


def query_id(intent: str, text: str) -> str:
    """Return the id of a query."""
    return content_id("query", intent, canonical(text))


def sample_queries(queries: Iterable[Query], per_intent: int, seed: int, order: Sequence[str]) -> list[Query]:
    """Return a sample of up to `per_intent` queries for each intent; a query's rank depends only on its id and the seed."""
    in_draw_order = sorted(queries, key=lambda query: draw_order(seed, query.id))
    return [query for intent in order for query in [one for one in in_draw_order if one.intent == intent][:per_intent]]


class CodeProposal(NamedTuple):
    """A possible code for a query."""

    code: str
    keyword: str
    """The keyword in the query that suggests it."""


def propose(query: Query, codes: Mapping[str, Mapping[str, Sequence[str]]]) -> list[CodeProposal]:
    """Return the codes whose keywords occur in a query, longest keyword first; keywords of the query's own intent take precedence."""
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
    """One coder's codes for one query."""

    query_id: str
    intent: str
    query: str
    coder: str
    codes: list[str]
    """Main code first."""
    comment: str = ""


def write_coding_sheet(path: Path, queries: Iterable[Query], codes: Mapping[str, Mapping[str, Sequence[str]]]) -> int:
    """Write the spreadsheet that a coder fills in; return the number of queries with a proposed code."""
    rows, proposed = [], 0
    for query in queries:
        proposals = propose(query, codes)
        proposed += bool(proposals)
        because = "; ".join(f"{code}: {word}" for code, word in proposals)
        rows.append((query.id, query.intent, query.text, proposals[0].code if proposals else "", because, "", "", ""))
    write_sheet(path, _COLUMNS, rows, {"confirm": [_YES]})
    return proposed


def read_coding_sheet(path: Path, coder: str) -> list[Coded]:
    """Return a coder's codes: those in `code` (several separated by ;, the main one first) or, if `confirm` is yes, the proposed one.

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
        raise ValueError(
            f"{row.where}: missing columns: {', '.join(missing)}; expected the columns that `draw` writes: {', '.join(_COLUMNS)}"
        )
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


UNDECIDED = "undecided"
"""Type of a query on which coders disagree without a majority."""


class Theme(NamedTuple):
    """The meaning of a code."""

    type: str
    dropped: str | None = None
    """Reason why queries of this type yield no atomic type."""


def read_codebook(book: Any, where: str) -> dict[str, Theme]:
    """Return the theme of each code.

    Raises:
        ValueError: an entry is neither a type nor {drop: why}.
    """
    if not isinstance(book, dict) or not book:
        raise ValueError(f"{where}: found {type(book).__name__}; expected lines `code: type` or `code: {{drop: why}}`")
    themes = {}
    for code, line in book.items():
        if isinstance(line, str) and line:
            themes[str(code)] = Theme(line)
        elif isinstance(line, dict) and set(line) == {"drop"} and line["drop"]:
            themes[str(code)] = Theme(str(code), str(line["drop"]))
        else:
            raise ValueError(f"{where}: {code}: found {line!r}; expected a type, or {{drop: why}}")
    return themes


def tabulate(coded: Sequence[Coded], codebook: Mapping[str, Theme], order: Sequence[str], min_share: float) -> dict[str, Any]:
    """Return the types for each intent with count, share and its 95 % interval (Wilson), largest first.

    Types below `min_share` of an intent are counted as one group. A query counts once, under the type of its main code; if there are
    several coders, the majority decides.

    Raises:
        ValueError: a code is not in the codebook.
    """
    unknown = Counter(code for one in coded for code in one.codes if code not in codebook)
    if unknown:
        listed = ", ".join(f"{code} ({n})" for code, n in sorted(unknown.items()))
        raise ValueError(f"codes missing from the codebook: {listed}; add them to it, or correct the sheets and run `codes` again")
    intents: dict[str, Counter[str]] = defaultdict(Counter)
    for votes in _by_query(coded).values():
        counted = Counter(codebook[one.codes[0]].type for one in votes).most_common(2)
        tied = len(counted) > 1 and counted[0][1] == counted[1][1]
        intents[votes[0].intent][UNDECIDED if tied else counted[0][0]] += 1
    dropped = {theme.type: theme.dropped for theme in codebook.values() if theme.dropped}
    return {
        "queries": sum(sum(counts.values()) for counts in intents.values()),
        "coders": len({one.coder for one in coded}),
        "agreement": agreement(coded, codebook),
        "intents": {name: _of_intent(intents[name], dropped, min_share) for name in order if name in intents},
        "types": sorted({name for counts in intents.values() for name in counts if name not in dropped and name != UNDECIDED}),
    }


def agreement(coded: Sequence[Coded], codebook: Mapping[str, Theme]) -> dict[str, Any] | None:
    """Return Krippendorff's alpha (nominal) of the types over queries with at least two coders; None if there are none."""
    names = {name: index for index, name in enumerate(dict.fromkeys(theme.type for theme in codebook.values()))}
    shared = [votes for votes in _by_query(coded).values() if len(votes) > 1]
    if not shared:
        return None
    counts = np.zeros((len(shared), len(names)))
    for row, votes in enumerate(shared):
        for one in votes:
            counts[row, names[codebook[one.codes[0]].type]] += 1
    value = alpha(counts)  # None if all codes are equal
    return {"queries": len(shared), "alpha": None if value is None else round(value, 4)}


def _by_query(coded: Sequence[Coded]) -> dict[str, list[Coded]]:
    by_query: dict[str, list[Coded]] = defaultdict(list)
    for one in sorted(coded, key=lambda one: (one.query_id, one.coder)):
        by_query[one.query_id].append(one)
    return by_query


def _of_intent(counts: Counter[str], dropped: Mapping[str, str | None], min_share: float) -> dict[str, Any]:
    total = sum(counts.values())
    large = [(name, count) for name, count in counts.items() if count / total >= min_share and name != UNDECIDED]
    rows = [
        {"type": name, "count": count, "share": round(count / total, 4), "interval": _interval(count, total)}
        | ({"dropped": dropped[name]} if name in dropped else {})
        for name, count in sorted(large, key=lambda pair: (-pair[1], pair[0]))
    ]
    covered = sum(count for _, count in large)
    return {"queries": total, "types": rows, "others": total - covered, "covered": round(covered / total, 4)}


def _interval(count: int, total: int) -> list[float]:
    from statsmodels.stats.proportion import proportion_confint

    return [round(float(bound), 4) for bound in proportion_confint(count, total, method="wilson")]
