"""Reply pairs that are not right: the queue for annotators, and the tables of errors and answer reliability.

SdAK, Tables 5 and 4. The queue is written as rows and as a spreadsheet to fill in, the tables as metrics and as a page.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from atomexam.records.annotation import ERRORS, REASONS, Label, Pattern, ReplyPair, majority_label, pair_id
from atomexam.runtime.sheets import cell_text, write_sheet
from eval.errors.patterns import ErrorProposal, Pair, pattern_of
from eval.statistics.bootstrap import DIGITS, Figures

COLUMNS = ("id", "asks", "label", "comment", "factual", "factual_reply", "non_factual", "non_factual_reply", "proposed", "because")


def sample(pairs: Iterable[Pair], many: int, seed: int) -> list[Pair]:
    """Return a random sample: the pairs with the lowest hashes of seed and claim, lowest first.

    As a result, every run samples the same claims, new data changes few of them, and the first rows of a queue are also a random sample.
    """
    return sorted(pairs, key=lambda pair: hashlib.sha256(f"{seed}/{pair.claim.id}".encode()).hexdigest())[:many]


def build_queue(
    run: str,
    wrong: Sequence[Pair],
    right: Sequence[Pair],
    proposals: Mapping[str, ErrorProposal],
    labels: Mapping[str, Mapping[str, Label]],
) -> list[ReplyPair]:
    """Return a run's queue: first the sampled pairs that are not right, then right pairs with reasons.

    Args:
        proposals: maps each claim whose pair is not right to its proposal.
        labels: maps a reply pair to its labels by annotator.
    """
    rows = [_row(run, pair, "error", proposals.get(pair.claim.id), labels) for pair in wrong]
    return rows + [_row(run, pair, "reason", proposals.get(pair.claim.id), labels) for pair in right]


def _row(
    run: str, pair: Pair, asks: Literal["error", "reason"], proposal: ErrorProposal | None, labels: Mapping[str, Mapping[str, Label]]
) -> ReplyPair:
    claim, replies = pair.claim, pair.replies
    identity = pair_id(claim.factual, replies["factual"], claim.non_factual, replies["non_factual"])
    allowed = ERRORS if asks == "error" else REASONS  # a parser change may have turned a right pair into a wrong one since
    return ReplyPair(
        id=identity,
        run=run,
        claim_id=claim.id,
        atomic_type=claim.atomic_type,
        asks=asks,
        factual=claim.factual,
        factual_reply=replies["factual"],
        non_factual=claim.non_factual,
        non_factual_reply=replies["non_factual"],
        pattern=pattern_of(pair),
        proposed=proposal.error if proposal else None,
        because=proposal.because if proposal else "",
        labels={name: one.label for name, one in labels.get(identity, {}).items() if one.label in allowed},
    )


def write_queue_sheet(path: Path, rows: Iterable[ReplyPair]) -> None:
    """Write the spreadsheet for annotators, without the labels of others; a label applies to the complete reply in the JSONL row."""
    cells = [[cell_text(str(getattr(row, name, "") or "")) for name in COLUMNS] for row in rows]
    write_sheet(path, COLUMNS, cells, {"label": [*ERRORS, *REASONS]})


_BY_RULE: tuple[Pattern, ...] = ("not_follow", "sycophancy", "contrary", "reversed")
_PAGE_HEAD = ("NotFollow", "Sycophancy", "Safety", "Misinterpretation", "contrary", "reversed")


TO_LABEL = (
    "Copy the sheets in data/errors, which the next `errors` overwrites, name the copies after their annotators and fill them in; "
    "run `python -m eval.review COPIES`, then `dvc repro` (docs/evaluation.md)."
)
"""Instruction shown in place of a table that has no labels yet."""


def run_figures(pairs: Sequence[Pair], proposals: Iterable[ErrorProposal], reasoned: int, queue: Sequence[ReplyPair]) -> Figures:
    """Return the figures of one run: the patterns of all pairs, and the errors in the sampled pairs according to rules and annotators.

    Args:
        proposals: proposals by rules, for each pair that is not right.
        reasoned: number of right pairs with reasons in both replies.
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
    """Return the share of labelled right pairs with sound reasons, with its Wilson interval; pairs without a majority do not count."""
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
    """Return the allowed labels of each pair by annotator, for computing inter-annotator agreement."""
    return [{name: one.label for name, one in by_annotator.items() if one.label in allowed} for by_annotator in labels.values()]


def markdown(runs: Mapping[str, Figures]) -> str:
    """Return the page, with a row per run and method that gives shares in percent of the row's pairs."""
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
