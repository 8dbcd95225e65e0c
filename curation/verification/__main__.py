"""Stage `evidence`, first command: annotators' verdicts and claims -> a table of supported, neutral and refuted claims, and the agreement.

SdAK, section 3.3 and Table 3. `python -m curation.verdicts` fills curation/verdicts.jsonl: docs/verification.md.
"""

from collections import Counter
from typing import Any

from atomexam.records.claim import ClaimPair
from atomexam.records.verdict import ANSWERS, Verdict
from atomexam.runtime.annotation_files import read_verdicts
from atomexam.runtime.jsonl import folder_lock, read_jsonl, replacing, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary
from curation.verification.tables import agreement, as_csv, disagreements, markdown, outcomes, tabulate


def measure(votes: dict[str, list[Verdict]], claims: set[str]) -> dict[str, Any]:
    """Return the stage's metrics.

    The table counts every judged claim, including those that have left the data: a refuted claim was sampled like any other,
    and a table without it would overstate the quality. The results for the current data are under `in_data`.
    """
    decided = outcomes(votes)
    table = tabulate((verdicts[0].atomic_type, decided[claim]) for claim, verdicts in votes.items())
    now = Counter(outcome for claim, outcome in decided.items() if claim in claims)
    return {
        "verdicts": sum(map(len, votes.values())),
        "annotators": len({one.annotator for verdicts in votes.values() for one in verdicts}),
        "table": table,
        "in_data": {"claims": len(claims), "verified": now.total()} | {answer: now[answer] for answer in ANSWERS},
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
    figures = measure(votes, {claim.id for claim in read_jsonl(args.claims, ClaimPair)})
    with folder_lock(args.out) as out:
        for name, text in {"table.md": markdown(figures), "table.csv": as_csv(figures["table"])}.items():
            with replacing(out / name) as part:
                part.write_text(text, encoding="utf-8", newline="")
        write_jsonl(out / "disagreements.jsonl", disagreements(votes), key=lambda row: (row.atomic_type, row.claim_id))
        write_json(args.metrics, figures)
    print_summary("verification", summary_line(figures))


def summary_line(figures: dict[str, Any]) -> str:
    """Return the result of the stage, or what annotators must do first."""
    if not figures["verdicts"]:
        return "no claim is judged yet: fill copies of the sheet in data/annotation, then `python -m curation.verdicts COPIES`"
    shares = ", ".join(f"{figures['in_data'][answer]:,} {answer}" for answer in ANSWERS)
    return f"{figures['verdicts']:,} verdicts of {figures['annotators']:,} annotators; of the claims now: {shares}"


if __name__ == "__main__":
    run_stage(main)
