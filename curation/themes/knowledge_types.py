"""Codes and a codebook -> the atomic types of each intent's queries, with shares (SdAK, Table 1)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from atomexam.runtime.agreement import alpha
from curation.themes.coding import Coded

UNDECIDED = "undecided"
"""Coders disagree, and no type has a majority."""


class Theme(NamedTuple):
    """The meaning of a code."""

    type: str
    dropped: str | None = None
    """Why queries of this type give no atomic type."""


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
    """Return the types of each intent with count, share and its 95 % interval (Wilson), the largest first.

    Types below `min_share` of an intent are counted together. A query counts once, under the type of its main code; the majority decides
    between several coders.

    Raises:
        ValueError: a code is not in the codebook.
    """
    unknown = Counter(code for one in coded for code in one.codes if code not in codebook)
    if unknown:
        listed = ", ".join(f"{code} ({n})" for code, n in sorted(unknown.items()))
        raise ValueError(f"codes missing in the codebook: {listed}; add them to it, or correct the sheets and run `codes` again")
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
