"""Stage `split`: unique questions and claims -> train, dev, test and reserved. No cluster, group or claim head is in two splits.

`splits/assignments.jsonl` is in git and records the split of every question and claim head: nothing moves when data is added, and a record
that was once in test or reserved is never trained on. Records that had to leave test or reserved are in the folder `retired`.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from atomexam.records.blocks import Quota
from atomexam.records.blocks import SplitFlags as Params
from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.params import PARAMS_FILE
from atomexam.records.question import UNKNOWN_EXAM, Question, Shot
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import largest_counts, number_of, print_summary
from splits.ledger.assignments import AssignmentLedger, head_id, read_assignments, write_assignments
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import ASSIGNED_SPLITS, TRAINING_SPLITS, QuestionSummary, is_tcm
from splits.split.allocate import decide
from splits.split.claim_split import compose_fourfold, decide_heads, split_rows, tied_heads
from splits.split.composition import compose
from splits.split.leak_free_draw import decide_heads_without_leaks, decide_without_leaks
from splits.split.next_ledger import edited_of, updated_ledger
from splits.split.published import PublishedSplit, published_splits
from splits.split.questions import Questions, read_questions
from splits.split.shots import shots_of

PATHS = {
    "questions": "data/unique/questions.jsonl",
    "clusters": "data/unique/clusters.jsonl",
    "claims": "data/claims/claims.jsonl",
    "assignments": "splits/assignments.jsonl",
    "out": "data/splits",
    "metrics": "metrics/split.json",
}


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "split", Params, PATHS)
    params: Params = arguments.params
    with folder_lock(arguments.out) as out:
        claims = list(read_jsonl(arguments.claims, ClaimPair))
        fourfold = list(read_optional(arguments.claims.with_name("fourfold.jsonl"), Fourfold))
        ledger = read_assignments(arguments.assignments)
        if not ledger.assigned:
            notice = "it is empty, so this run begins a new benchmark; if that is not intended, `git checkout` it"
            print(f"{arguments.assignments}: {notice}", file=sys.stderr)
        questions = read_questions(arguments.questions, arguments.clusters)
        _tell_unknown(questions.summaries)
        published = _published(questions.records, arguments.all_params.get("imports") or {})
        allocations, heads = allocations_of(questions, claims, fourfold, params, ledger, published)
        ordered = [allocations[summary.id] for summary in questions.summaries]
        _tell_without_quota(questions.summaries, ordered, params.quota)
        shots = shots_of(questions.summaries, ordered, params.seed, ledger.shots)
        write_jsonl(out / "shots.jsonl", shots, key=_shot_order)
        updated = updated_ledger(
            ledger, questions, allocations, {head_id(head): allocation for head, allocation in heads.items()}, params, shots
        )
        fourfold_by_split, apart = split_rows(fourfold, heads)
        composition = compose(questions.summaries, ordered, claims, heads, updated, params) | {
            "fourfold": compose_fourfold(fourfold_by_split, apart)
        }
        written = write_questions(out, questions.records, allocations) + write_claims(out, claims, heads)
        if written != len(questions.summaries) + len(claims):
            raise ValueError(f"{out}: wrote {written} of {len(questions.summaries)} questions and {len(claims)} claims; they must be equal")
        for split in ASSIGNED_SPLITS:
            left_out = apart if split == "retired" else []
            write_jsonl(out / split / "fourfold.jsonl", [*fourfold_by_split.get(split, []), *left_out], key=lambda row: row.id)
        write_json(arguments.metrics, composition)
        # Write the ledger last: a run killed before this records no assignment, and the next run decides the same.
        write_assignments(arguments.assignments, updated)
    print_summary("split", "; ".join(_by_split(composition[kind], kind[:-1]) for kind in ("questions", "claims")))


def allocations_of(
    questions: Questions,
    claims: Sequence[ClaimPair],
    fourfold: Sequence[Fourfold],
    params: Params,
    ledger: AssignmentLedger,
    published: Mapping[str, PublishedSplit],
) -> tuple[dict[str, Allocation], dict[str, Allocation]]:
    """Return the allocation of each question, by id, and of each head, by name, such that no evaluated record is trained on.

    Args:
        published: question -> the split in which its source published it, if that split is kept.
    """
    ties, edited = tied_heads(fourfold, claims), edited_of(questions, ledger)
    allocations = decide_without_leaks(
        questions.summaries, questions.some, params, ledger, lambda summaries: decide(summaries, params, ledger, edited, published)
    )
    check(questions.summaries, allocations, ledger)
    heads = decide_heads_without_leaks(
        [*claims, *fourfold],
        allocations,
        questions.some,
        params.contained,
        lambda excluded: decide_heads([*claims, *fourfold], params, ledger, excluded, ties),
    )
    return allocations, heads


def _tell_unknown(summaries: Sequence[QuestionSummary]) -> None:
    unknown = sum(summary.stratum.exam == UNKNOWN_EXAM for summary in summaries)
    if 0 < unknown < len(summaries):
        remedy = "set their exam with `exam: NAME` in a line of imports, or with a line in curation/vocab/subjects.yaml"
        print(f"{unknown} questions have the exam {UNKNOWN_EXAM} and share one quota; {remedy}", file=sys.stderr)


def _tell_without_quota(summaries: Sequence[QuestionSummary], allocations: Iterable[Allocation], quota: Quota) -> None:
    taught = (one.stratum for one, given in zip(summaries, allocations, strict=True) if given.split in ("train", "dev"))
    kinds = Counter(stratum.question_type for stratum in taught if not is_tcm(stratum))
    if without := {kind: many for kind, many in sorted(kinds.items()) if not getattr(quota, kind)}:
        remedy = f"set one per type with `split.quota` in {PARAMS_FILE}"
        print(f"not in test because these types have no quota: {largest_counts(without)}; {remedy}", file=sys.stderr)


def _published(questions: Iterable[Question], imports: Mapping[str, Mapping[str, Any]]) -> dict[str, PublishedSplit]:
    """Return question id -> published split for the questions whose split is kept; print the others."""
    found = published_splits(questions, imports)
    for name, splits in found.items():
        if len(said := sorted(set(splits.values()))) > 1 and not imports[name].get("keep_splits"):
            told = f"its files are published as {' and '.join(said)}, but its questions are drawn again"
            print(f"imports.{name}: {told}; `keep_splits: true` in its line of params.yaml keeps the published splits", file=sys.stderr)
    return {key: split for name, splits in found.items() if imports[name].get("keep_splits") for key, split in splits.items()}


def _by_split(numbers: Mapping[str, int], kind: str) -> str:
    shares = ", ".join(f"{split} {number:,}" for split, number in numbers.items())
    return f"{number_of(sum(numbers.values()), kind)} -> {shares}"


def check(summaries: Sequence[QuestionSummary], allocations: Mapping[str, Allocation], ledger: AssignmentLedger) -> None:
    """Check the allocations independently of how they were made.

    Raises:
        ValueError: a question has no split, a cluster or group is in two, or a held-back record is trained on; all are bugs in this
            program.
    """
    homes: dict[tuple[str, str], str] = {}
    for summary in summaries:
        if (allocation := allocations.get(summary.id)) is None or (split := allocation.split) not in ASSIGNED_SPLITS:
            raise ValueError(f"question {summary.id} has no split")
        if split in TRAINING_SPLITS and (before := ledger.assigned.get(summary.id)) is not None and before.split not in TRAINING_SPLITS:
            raise ValueError(
                f"question {summary.id} was {before.split} since {before.since} and would be {split}; it must never be trained on"
            )
        if split == "retired" or not (summary.cluster_id or summary.group_id):
            continue
        for kind, tie in (("cluster", summary.cluster_id), ("group", summary.group_id)):
            if tie and (home := homes.setdefault((kind, tie), split)) != split:
                raise ValueError(f"{kind} {tie} is in {home} and in {split} (question {summary.id}); it must be in only one split")


def write_questions(out: Path, questions: Iterable[Question], allocations: Mapping[str, Allocation]) -> int:
    """Write the questions of each split, sorted by id; return how many."""
    by_split: dict[str, list[Question]] = {split: [] for split in ASSIGNED_SPLITS}
    for question in questions:
        by_split[allocations[question.id].split].append(question)
    return sum(write_jsonl(out / split / "questions.jsonl", rows, key=lambda row: row.id) for split, rows in by_split.items())


def write_claims(out: Path, claims: Iterable[ClaimPair], heads: Mapping[str, Allocation]) -> int:
    """Write the claims of each split, sorted by id; return how many."""
    by_split: dict[str, list[ClaimPair]] = {split: [] for split in ASSIGNED_SPLITS}
    for claim in claims:
        by_split[heads[claim.head].split].append(claim)
    return sum(write_jsonl(out / split / "claims.jsonl", members, key=lambda claim: claim.id) for split, members in by_split.items())


def _shot_order(shot: Shot) -> tuple[str, str, str, str, int]:
    return shot.exam, shot.subject, shot.question_type, shot.form or "", shot.place


if __name__ == "__main__":
    run_stage(main, acyclic=True)
