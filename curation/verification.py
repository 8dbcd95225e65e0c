"""Stage `evidence`, first command: annotators' verdicts and claims -> a table of supported, neutral and refuted claims, and the agreement.

SdAK, section 3.3 and Table 3. `python -m curation.verdicts` fills curation/verdicts.jsonl: docs/verification.md.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from msgspec import Struct

from atomexam.records.annotation import ANSWERS, Verdict, majority
from atomexam.records.claim import ClaimPair
from atomexam.records.fact import RELATIONS
from atomexam.runtime import agreement as people
from atomexam.runtime.annotation_files import read_verdicts
from atomexam.runtime.jsonl import folder_lock, read_jsonl, replacing, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary
from curation.annotation.samples import read_false_tails

TO_VERIFY = (
    "Copy the sheet in data/annotation, which the next `evidence` overwrites, name the copies after their annotators and fill them in; "
    "run `python -m curation.verdicts COPIES`, then `dvc repro` (docs/verification.md)."
)
"""Instructions shown instead of an empty table."""


def agreement(votes: Mapping[str, Sequence[Verdict]]) -> dict[str, Any]:
    """Return the agreement on claims with at least two verdicts."""
    return people.agreement([{one.annotator: one.verdict for one in verdicts} for verdicts in votes.values()], ANSWERS, "claim", "verdict")


class Disagreement(Struct, frozen=True):
    """A claim with conflicting verdicts, for the annotators to discuss."""

    claim_id: str
    atomic_type: str
    claim: str
    outcome: str
    """The majority verdict; neutral for a tie."""
    verdicts: dict[str, str]
    """Annotator -> verdict."""
    comments: dict[str, str]


def outcomes(votes: Mapping[str, Sequence[Verdict]]) -> dict[str, str]:
    """Return the majority verdict on each claim."""
    return {claim: majority(one.verdict for one in verdicts) for claim, verdicts in votes.items()}


def tabulate(judged: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the figures of each type, in the paper's order, and the total, given pairs of atomic type and outcome."""
    counts: dict[str, Counter[str]] = {relation: Counter() for relation in RELATIONS}
    for atomic_type, outcome in judged:
        counts[atomic_type][outcome] += 1
    return {"total": _line(sum(counts.values(), Counter())), "by_type": {name: _line(by_outcome) for name, by_outcome in counts.items()}}


def _line(counts: Counter[str]) -> dict[str, Any]:
    total = counts.total()
    return {"claims": total} | {answer: _share(counts[answer], total) for answer in ANSWERS}


def _share(count: int, total: int) -> dict[str, Any]:
    from statsmodels.stats.proportion import proportion_confint

    if not total:
        return {"claims": 0, "share": None, "low": None, "high": None}
    low, high = proportion_confint(count, total, method="wilson")
    return {"claims": count, "share": round(count / total, 8), "low": round(float(low), 8), "high": round(float(high), 8)}


def markdown(figures: Mapping[str, Any]) -> str:
    """Return the report: the table, the part of it that is in the current data, and the agreement."""
    table = figures["table"]
    if not figures["verdicts"]:
        return f"No claim is verified yet. {TO_VERIFY}\n"
    lines = ["| atomic type | claims | support | neutral | refute |", "|---|---:|---|---|---|"]
    lines += [_row(name, line) for name, line in table["by_type"].items()]
    lines += [_row("**Total**", table["total"]), _row("**False tails of fourfold rows**", figures["false_tails"]["total"]), ""]
    now, false_now = figures["in_data"], figures["false_tails_in_data"]
    lines.append(
        f"{table['total']['claims']} claims verified by {figures['annotators']} annotators, shares with 95 % intervals (Wilson). "
        f"The data now hold {now['claims']} claims; {now['verified']} of them are verified: "
        + ", ".join(f"{answer} {now[answer]}" for answer in ANSWERS)
        + f". Of {false_now['claims']} false tails {false_now['verified']} are verified, {false_now['refute']} refuted."
    )
    return "\n".join([*lines, "", *_agreement_lines(figures["agreement"])]) + "\n"


def _row(name: str, line: Mapping[str, Any]) -> str:
    cells = []
    for answer in ANSWERS:
        one = line[answer]
        shares = "" if one["share"] is None else f" {_percent(one['share'])} % ({_percent(one['low'])} to {_percent(one['high'])})"
        cells.append(f"{one['claims']}{shares}")
    return f"| {name} | {line['claims']} | {' | '.join(cells)} |"


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _agreement_lines(figures: Mapping[str, Any]) -> list[str]:
    if not figures["claims"]:
        return ["No claim is verified by two annotators, so there is no agreement to report."]
    lines = [f"{figures['claims']} claims have two verdicts or more; in {figures['unanimous']} they are the same.", ""]
    lines += ["| agreement | claims | figure |", "|---|---:|---|"]
    named = {f"Cohen's kappa, {pair}": one for pair, one in figures["cohen"].items()}
    named |= {"Fleiss' kappa": figures["fleiss"], "Krippendorff's alpha": figures["krippendorff"]}
    for name, one in named.items():
        value = one.get("kappa", one.get("alpha"))
        lines.append(f"| {name} | {one['claims']} | {'not defined: ' + one['undefined'] if value is None else value} |")
    return lines


def as_csv(table: Mapping[str, Any]) -> str:
    """Return the table for other programs; its shares are between 0 and 1, and empty where no claim is verified."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = ("claims", "share", "low", "high")
    names = [answer if part == "claims" else f"{answer}_{part}" for answer in ANSWERS for part in parts]
    writer.writerow(["atomic_type", "claims", *names])
    for name, line in [*table["by_type"].items(), ("total", table["total"])]:
        writer.writerow([name, line["claims"], *(line[answer][part] for answer in ANSWERS for part in parts)])
    return out.getvalue()


def disagreements(votes: Mapping[str, Sequence[Verdict]]) -> list[Disagreement]:
    """Return the claims with conflicting verdicts."""
    return [
        Disagreement(
            claim_id=claim,
            atomic_type=verdicts[0].atomic_type,
            claim=verdicts[0].claim,
            outcome=majority(one.verdict for one in verdicts),
            verdicts={one.annotator: one.verdict for one in verdicts},
            comments={one.annotator: one.comment for one in verdicts if one.comment},
        )
        for claim, verdicts in votes.items()
        if len({one.verdict for one in verdicts}) > 1
    ]


def measure(votes: dict[str, list[Verdict]], claims: set[str], false_tails_now: Set[str] = frozenset()) -> dict[str, Any]:
    """Return the stage's metrics.

    The table counts every judged claim, including those no longer in the data: a refuted claim was sampled like any other, and a table
    without it would overstate the quality. The results for the current data are under `in_data`. `false_tails` is the same table for the
    false tails of fourfold rows, which should be refuted; `false_tails_in_data` is limited to the current data.
    """
    decided = outcomes(votes)
    table, false_tails = (
        tabulate((verdicts[0].atomic_type, decided[claim]) for claim, verdicts in votes.items() if verdicts[0].is_false_tail is side)
        for side in (False, True)
    )
    now, false_now = (
        {"claims": len(ids), "verified": counts.total()} | {answer: counts[answer] for answer in ANSWERS}
        for ids in (claims, false_tails_now)
        for counts in (Counter(outcome for claim, outcome in decided.items() if claim in ids),)
    )
    return {
        "verdicts": sum(map(len, votes.values())),
        "annotators": len({one.annotator for verdicts in votes.values() for one in verdicts}),
        "table": table,
        "false_tails": false_tails,
        "in_data": now,
        "false_tails_in_data": false_now,
        "agreement": agreement(votes),
    }


def main(argv: list[str] | None = None) -> None:
    paths = {
        "verdicts": "curation/verdicts.jsonl",
        "claims": "data/claims/claims.jsonl",
        "out": "data/verification",
        "metrics": "metrics/verification.json",
    }
    args = read_arguments(argv, __doc__, None, None, paths)
    votes = read_verdicts(args.verdicts)
    false = {one.id for one in read_false_tails(args.claims)}
    figures = measure(votes, {claim.id for claim in read_jsonl(args.claims, ClaimPair)}, false)
    with folder_lock(args.out) as out:
        for name, text in {"table.md": markdown(figures), "table.csv": as_csv(figures["table"])}.items():
            with replacing(out / name) as part:
                part.write_text(text, encoding="utf-8", newline="")
        write_jsonl(out / "disagreements.jsonl", disagreements(votes), key=lambda row: (row.atomic_type, row.claim_id))
        write_json(args.metrics, figures)
    print_summary("verification", summary_line(figures))


def summary_line(figures: dict[str, Any]) -> str:
    """Return the stage's result on one line, or what annotators must do first."""
    if not figures["verdicts"] and not figures["in_data"]["claims"]:
        return "there is no claim to judge"
    if not figures["verdicts"]:
        return "no claim is judged yet: fill copies of the sheet in data/annotation, then `python -m curation.verdicts COPIES`"
    shares = ", ".join(f"{figures['in_data'][answer]:,} {answer}" for answer in ANSWERS)
    return f"{figures['verdicts']:,} verdicts of {figures['annotators']:,} annotators; of the claims now: {shares}"


if __name__ == "__main__":
    run_stage(main)
