"""Stage `split`: unique questions and claims -> train, dev, test and reserved. Clusters, groups and claim heads never cross.

`splits/assignments.jsonl` is in git and records the split of every question and claim head: nothing moves when data is added, and
a record once in test or reserved is never trained on. Records that had to leave them are in the folder `retired`.
"""

import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from atomexam.records.claim import ClaimPair
from atomexam.records.shot import Shot
from atomexam.records.split_blocks import SplitFlags as Params
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from atomexam.runtime.workers import cores, worker_pool
from splits.ledger.assignments import AssignmentLedger, head_id, read_assignments, write_assignments
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import ASSIGNED_SPLITS, TRAINING_SPLITS, AssignedSplit, QuestionSummary
from splits.split.allocate import decide
from splits.split.claim_split import decide_heads
from splits.split.composition import compose
from splits.split.leak_free_draw import decide_heads_without_leaks, decide_without_leaks
from splits.split.lines import write_questions
from splits.split.next_ledger import edited_of, updated_ledger
from splits.split.question_file import read_pieces, read_questions
from splits.split.shots import shots_of

_MANY_BYTES = 50_000_000
"""A smaller input is read and written faster than other processes start."""
_MAX_WORKERS = 4
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
    many = arguments.questions.exists() and arguments.questions.stat().st_size > _MANY_BYTES
    # The folder is locked until no worker writes to it.
    with folder_lock(arguments.out) as out, _swept(out), worker_pool(min(cores(), _MAX_WORKERS) if many else 1) as workers:
        pieces = read_pieces(arguments.questions, workers)  # workers read it while this process reads the rest
        claims = list(read_jsonl(arguments.claims, ClaimPair))
        ledger = read_assignments(arguments.assignments)
        if not ledger.assigned:
            notice = "it is empty, so a new benchmark begins; if it should not: `git checkout` it"
            print(f"{arguments.assignments}: {notice}", file=sys.stderr)
        questions = read_questions(arguments.questions, pieces, arguments.clusters)
        edited = edited_of(questions, ledger)
        allocations = decide_without_leaks(
            questions.summaries, questions.records, params, ledger, lambda summaries: decide(summaries, params, ledger, edited)
        )
        heads = decide_heads_without_leaks(
            claims, allocations, questions.records, params.contained, lambda excluded: decide_heads(claims, params, ledger, excluded)
        )
        check(questions.summaries, allocations, ledger)
        ordered = [allocations[summary.id] for summary in questions.summaries]
        writing = workers.submit(write_questions, out, questions.lines, indices_by_split(questions.summaries, ordered))
        shots = shots_of(questions.summaries, ordered, params.seed, ledger.shots)
        write_jsonl(out / "shots.jsonl", shots, key=_shot_order)
        updated = updated_ledger(
            ledger, questions, allocations, {head_id(head): allocation for head, allocation in heads.items()}, params, shots
        )
        composition = compose(questions.summaries, ordered, claims, heads, updated, params)
        written = write_claims(out, claims, heads) + writing.result()
        if written != len(questions.summaries) + len(claims):
            raise ValueError(f"{out}: wrote {written} of {len(questions.summaries)} questions and {len(claims)} claims; they must be equal")
        write_json(arguments.metrics, composition)
        # Last: a run killed before this records no assignment that it did not write, and the next run decides the same.
        write_assignments(arguments.assignments, updated)
    print_summary("split", "; ".join(_by_split(composition[kind], kind[:-1]) for kind in ("questions", "claims")))


def _by_split(numbers: Mapping[str, int], kind: str) -> str:
    shares = ", ".join(f"{split} {number:,}" for split, number in numbers.items())
    return f"{number_of(sum(numbers.values()), kind)} -> {shares}"


def check(summaries: Sequence[QuestionSummary], allocations: Mapping[str, Allocation], ledger: AssignmentLedger) -> None:
    """Check the allocations independently of how they were made.

    Raises:
        ValueError: a question has no split, a cluster or group is in two, or a held-back record is trained on; defects of this program.
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
                raise ValueError(f"{kind} {tie} is in {home} and in {split} (question {summary.id}); it must be in one split")


def indices_by_split(summaries: Sequence[QuestionSummary], allocations: Sequence[Allocation]) -> dict[AssignedSplit, array]:
    """Return, for each split, the indices of its questions in the input, in the order of their ids."""
    chosen: dict[AssignedSplit, array] = {split: array("Q") for split in ASSIGNED_SPLITS}
    ids = [summary.id for summary in summaries]
    for index in sorted(range(len(ids)), key=ids.__getitem__):
        chosen[allocations[index].split].append(index)
    return chosen


def write_claims(out: Path, claims: Iterable[ClaimPair], heads: Mapping[str, Allocation]) -> int:
    """Write the claims of each split, sorted by id; return how many."""
    by_split: dict[str, list[ClaimPair]] = {split: [] for split in ASSIGNED_SPLITS}
    for claim in claims:
        by_split[heads[claim.head].split].append(claim)
    return sum(write_jsonl(out / split / "claims.jsonl", members, key=lambda claim: claim.id) for split, members in by_split.items())


def _shot_order(shot: Shot) -> tuple[str, str, str, str, int]:
    return shot.exam, shot.subject, shot.question_type, shot.form or "", shot.place


@contextmanager
def _swept(out: Path) -> Iterator[None]:
    """Remove at the end the partial files of a killed worker or of an earlier run that was killed."""
    try:
        yield
    finally:
        for folder in (out, *(out / split for split in ASSIGNED_SPLITS)):
            for part in folder.glob("*.part"):
                part.unlink()


if __name__ == "__main__":
    run_stage(main, acyclic=True)
