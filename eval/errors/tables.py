"""Patterns, proposals and labels -> the table of errors (SdAK, Table 5) and answer reliability (Table 4), as figures and as a page."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from atomexam.records.label import ERRORS, Label, Pattern, ReplyPair, majority_label
from eval.errors.patterns import Pair, Proposal, has_reasons, pattern_of
from eval.statistics.intervals import DIGITS, Figures

_BY_RULE: tuple[Pattern, ...] = ("not_follow", "sycophancy", "contrary", "reversed")
_PAGE_HEAD = ("NotFollow", "Sycophancy", "Safety", "Misinterpretation", "contrary", "reversed")


TO_LABEL = "Fill the sheets in data/errors, run `python -m eval.review FILES`, then `dvc repro` (docs/evaluation.md)."
"""What people do first where a table waits for them."""


def run_figures(pairs: Sequence[Pair], proposals: Mapping[str, Proposal], queue: Sequence[ReplyPair]) -> Figures:
    """Return the figures of one run: what the verdicts make of all pairs, what rules and people make of the drawn ones."""
    patterns = Counter(pattern_of(pair) for pair in pairs)
    wrong = sum(patterns[name] for name in _BY_RULE)
    drawn = [row for row in queue if row.asks == "error"]
    decided = {row.id: majority_label(row.labels.values()) for row in drawn if row.labels}
    clear = [(row, decided[row.id]) for row in drawn if decided.get(row.id)]
    return {
        "pairs": len(pairs),
        "patterns": {name: patterns[name] for name in get_args(Pattern)},
        "truncated": sum("truncated" in pair.outcomes.values() for pair in pairs if pattern_of(pair) == "not_follow"),
        "by_verdicts": {"pairs": wrong} | {name: _share(patterns[name], wrong) for name in _BY_RULE},
        "proposed_for_all": _errors([one.error for one in proposals.values()]),
        "proposed": _errors([row.proposed for row in drawn]),
        "by_people": _errors(decided.values()),
        "proposals_confirmed": {"pairs": len(clear), "same": sum(row.proposed == label for row, label in clear)},
        "answer_reliability": _reliability(pairs, [row for row in queue if row.asks == "reason"]),
    }


def _errors(found: Iterable[str | None]) -> Figures:
    counts = Counter(found)
    shares: Figures = {"pairs": counts.total()} | {name: _share(counts[name], counts.total()) for name in ERRORS}
    return shares | {"undecided": counts[None]}


def _share(count: int, total: int) -> Figures:
    return {"pairs": count, "share": round(count / total, DIGITS) if total else None}


def _reliability(pairs: Sequence[Pair], drawn: Sequence[ReplyPair]) -> Figures:
    """Return the share of labelled right pairs whose reasons are sound, with its interval (Wilson); those that people part over are not."""
    right = [pair for pair in pairs if pattern_of(pair) == "right"]
    decided = Counter(majority_label(row.labels.values()) for row in drawn if row.labels)
    figures = {"right": len(right), "without_reason": sum(not has_reasons(pair) for pair in right), "drawn": len(drawn)}
    figures |= {"labelled": decided.total(), "sound": decided["sound"], "unsound": decided["unsound"], "undecided": decided[None]}
    if not decided:
        return figures | {"share": None, "low": None, "high": None}
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(decided["sound"], decided.total(), method="wilson")
    share = decided["sound"] / decided.total()
    return figures | {"share": round(share, DIGITS), "low": round(float(low), DIGITS), "high": round(float(high), DIGITS)}


def said_of(labels: Mapping[str, Mapping[str, Label]], allowed: Sequence[str]) -> list[dict[str, str]]:
    """Return what people said of each pair among some labels, for their agreement."""
    return [{name: one.label for name, one in given.items() if one.label in allowed} for given in labels.values()]


def markdown(runs: Mapping[str, Figures]) -> str:
    """Return the page: a line a run and way of telling, shares in percent of that line's pairs."""
    lines = [f"| run | told by | pairs | {' | '.join(_PAGE_HEAD)} | undecided |", f"|---|---|{'---:|' * (len(_PAGE_HEAD) + 2)}"]
    for run, figures in runs.items():
        for way in ("by_verdicts", "proposed", "by_people"):
            part = figures[way]
            if way == "by_people" and not part["pairs"]:
                continue
            cells = [_percent(part[name]["share"]) if name in part else "" for name in ERRORS]
            lines.append(f"| {run} | {way.replace('_', ' ')} | {part['pairs']} | {' | '.join(cells)} | {part.get('undecided', '')} |")
    if unlabelled := [run for run, figures in runs.items() if not figures["by_people"]["pairs"]]:
        lines += ["", f"No label of people yet of {', '.join(unlabelled)}. {TO_LABEL}"]
    lines += ["", "| run | right pairs | without reason | labelled | sound (AnsR) | 95 % interval |", "|---|---:|---:|---:|---:|---|"]
    for run, figures in runs.items():
        part = figures["answer_reliability"]
        interval = "–" if part["low"] is None else f"{_percent(part['low'])} to {_percent(part['high'])}"
        lines.append(
            f"| {run} | {part['right']} | {part['without_reason']} | {part['labelled']} | {_percent(part['share'])} | {interval} |"
        )
    return "\n".join(lines) + "\n"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f}"
