"""Patterns, proposals and labels -> the table of errors (SdAK, Table 5) and answer reliability (Table 4), as metrics and as a page."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from atomexam.records.label import ERRORS, Label, Pattern, ReplyPair, majority_label
from eval.errors.patterns import ErrorProposal, Pair, pattern_of
from eval.statistics.bootstrap import DIGITS, Figures

_BY_RULE: tuple[Pattern, ...] = ("not_follow", "sycophancy", "contrary", "reversed")
_PAGE_HEAD = ("NotFollow", "Sycophancy", "Safety", "Misinterpretation", "contrary", "reversed")


TO_LABEL = (
    "Copy the sheets in data/errors, which the next `errors` overwrites, name the copies after their annotators and fill them in; "
    "run `python -m eval.review COPIES`, then `dvc repro` (docs/evaluation.md)."
)
"""Instruction in place of a table without labels."""


def run_figures(pairs: Sequence[Pair], proposals: Iterable[ErrorProposal], reasoned: int, queue: Sequence[ReplyPair]) -> Figures:
    """Return the figures of one run: patterns of all pairs, and the errors of the sampled ones by rules and by annotators.

    Args:
        proposals: by rules, for each pair that is not right.
        reasoned: right pairs with reasons in both replies.
    """
    patterns = Counter(map(pattern_of, pairs))
    truncated = sum(pattern_of(pair) == "not_follow" and "truncated" in pair.outcomes.values() for pair in pairs)
    wrong = sum(patterns[name] for name in _BY_RULE)
    error_rows = [row for row in queue if row.asks == "error"]
    decided = {row.id: majority_label(row.labels.values()) for row in error_rows if row.labels}
    clear = [(row, decided[row.id]) for row in error_rows if decided.get(row.id)]
    return {
        "pairs": patterns.total(),
        "patterns": {name: patterns[name] for name in get_args(Pattern)},
        "truncated": truncated,
        "by_verdicts": {"pairs": wrong} | {name: _share(patterns[name], wrong) for name in _BY_RULE},
        "proposed_for_all": _errors(Counter(proposal.error for proposal in proposals)),
        "proposed": _errors(Counter(row.proposed for row in error_rows)),
        "by_people": _errors(Counter(decided.values())),
        "proposals_confirmed": {"pairs": len(clear), "same": sum(row.proposed == label for row, label in clear)},
        "answer_reliability": _reliability(patterns["right"], reasoned, [row for row in queue if row.asks == "reason"]),
    }


def _errors(counts: Counter) -> Figures:
    shares: Figures = {"pairs": counts.total()} | {name: _share(counts[name], counts.total()) for name in ERRORS}
    return shares | {"undecided": counts[None]}


def _share(count: int, total: int) -> Figures:
    return {"pairs": count, "share": round(count / total, DIGITS) if total else None}


def _reliability(right: int, reasoned: int, reason_rows: Sequence[ReplyPair]) -> Figures:
    """Return the share of labelled right pairs with sound reasons, and its interval (Wilson); pairs without a majority do not count."""
    decided = Counter(majority_label(row.labels.values()) for row in reason_rows if row.labels)
    figures = {"right": right, "without_reason": right - reasoned, "drawn": len(reason_rows)}
    figures |= {"labelled": decided.total(), "sound": decided["sound"], "unsound": decided["unsound"], "undecided": decided[None]}
    if not decided:
        return figures | {"share": None, "low": None, "high": None}
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(decided["sound"], decided.total(), method="wilson")
    share = decided["sound"] / decided.total()
    return figures | {"share": round(share, DIGITS), "low": round(float(low), DIGITS), "high": round(float(high), DIGITS)}


def ratings_of(labels: Mapping[str, Mapping[str, Label]], allowed: Sequence[str]) -> list[dict[str, str]]:
    """Return the labels of each pair by annotator, only the allowed ones, for inter-annotator agreement."""
    return [{name: one.label for name, one in by_annotator.items() if one.label in allowed} for by_annotator in labels.values()]


def markdown(runs: Mapping[str, Figures]) -> str:
    """Return the page: a line per run and method, shares in percent of that line's pairs."""
    lines = [f"| run | method | pairs | {' | '.join(_PAGE_HEAD)} | undecided |", f"|---|---|{'---:|' * (len(_PAGE_HEAD) + 2)}"]
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
