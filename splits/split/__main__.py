"""Stage `split`: unique questions and claims -> train, dev, test and reserved. Clusters, groups and claim heads never cross.

`splits/assignments.jsonl` is in git and records where every question and claim head stands: nothing moves when data is added, and what
was once in test or reserved is never trained on. What had to leave those is in the folder `retired`.
"""

import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from atomexam.records.claim import ClaimPair
from atomexam.records.shot import Shot
from atomexam.records.split_blocks import Drawing as Params
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from atomexam.runtime.workers import cores, worker_pool
from splits.ledger.assignments import Memory, head_id, read_memory, write_memory
from splits.ledger.held_before import TRAINED, Put
from splits.ledger.kept_together import ASSIGNED_SPLITS, AssignedSplit, Row
from splits.split.allocate import decide
from splits.split.claim_split import decide_heads
from splits.split.composition import compose
from splits.split.kin import decide_apart, heads_apart
from splits.split.lines import write_questions
from splits.split.next_ledger import edited_of, remember
from splits.split.reading import read_pieces, read_questions
from splits.split.shots import shots_of

_MANY_BYTES = 50_000_000
"""A smaller input is read and written before other processes have started."""
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
    # The folder is held until no worker writes to it.
    with folder_lock(arguments.out) as out, _swept(out), worker_pool(min(cores(), _MAX_WORKERS) if many else 1) as workers:
        pieces = read_pieces(arguments.questions, workers)  # the workers are at it while the rest is read
        claims = list(read_jsonl(arguments.claims, ClaimPair))
        memory = read_memory(arguments.assignments)
        if not memory.assigned:
            told = "it is empty, so a new benchmark begins; if it should not: `git checkout` it"
            print(f"{arguments.assignments}: {told}", file=sys.stderr)
        questions = read_questions(arguments.questions, pieces, arguments.clusters)
        edited = edited_of(questions, memory)
        placed = decide_apart(questions.rows, questions.whole, params, memory, lambda rows: decide(rows, params, memory, edited))
        heads = heads_apart(claims, placed, questions.whole, params.contained, lambda told: decide_heads(claims, params, memory, told))
        check(questions.rows, placed, memory)
        puts = [placed[row.id] for row in questions.rows]
        writing = workers.submit(write_questions, out, questions.lines, chosen_of(questions.rows, puts))
        shots = shots_of(questions.rows, puts, params.seed, memory.shots)
        write_jsonl(out / "shots.jsonl", shots, key=_shot_order)
        after = remember(memory, questions, placed, {head_id(head): put for head, put in heads.items()}, params, shots)
        composition = compose(questions.rows, puts, claims, heads, after, params)
        written = write_claims(out, claims, heads) + writing.result()
        if written != len(questions.rows) + len(claims):
            raise ValueError(f"{out}: wrote {written} of {len(questions.rows)} questions and {len(claims)} claims; they must be equal")
        write_json(arguments.metrics, composition)
        # Last, so that a run killed before this does not remember what it did not write: the next one decides the same again.
        write_memory(arguments.assignments, after)
    print_summary("split", "; ".join(_by_split(composition[kind], kind[:-1]) for kind in ("questions", "claims")))


def _by_split(numbers: Mapping[str, int], kind: str) -> str:
    shares = ", ".join(f"{split} {number:,}" for split, number in numbers.items())
    return f"{number_of(sum(numbers.values()), kind)} -> {shares}"


def check(rows: Sequence[Row], placed: Mapping[str, Put], memory: Memory) -> None:
    """Check what was allocated, by another way than it was allocated.

    Raises:
        ValueError: a question has no split, a cluster or group stands in two, or what was held back is trained on; defects of this program.
    """
    homes: dict[tuple[str, str], str] = {}
    for row in rows:
        if (put := placed.get(row.id)) is None or (split := put.split) not in ASSIGNED_SPLITS:
            raise ValueError(f"question {row.id} has no split")
        if split in TRAINED and (before := memory.assigned.get(row.id)) is not None and before.split not in TRAINED:
            raise ValueError(f"question {row.id} was {before.split} since {before.since} and would be {split}; it must never be trained on")
        if split == "retired" or not (row.cluster_id or row.group_id):
            continue
        for kind, tie in (("cluster", row.cluster_id), ("group", row.group_id)):
            if tie and (home := homes.setdefault((kind, tie), split)) != split:
                raise ValueError(f"{kind} {tie} stands in {home} and in {split} (question {row.id}); it must stand in one split")


def chosen_of(rows: Sequence[Row], puts: Sequence[Put]) -> dict[AssignedSplit, array]:
    """Return, for each split, where its questions stand in the input, in the order of their ids."""
    chosen: dict[AssignedSplit, array] = {split: array("Q") for split in ASSIGNED_SPLITS}
    ids = [row.id for row in rows]
    for index in sorted(range(len(ids)), key=ids.__getitem__):
        chosen[puts[index].split].append(index)
    return chosen


def write_claims(out: Path, claims: Iterable[ClaimPair], heads: Mapping[str, Put]) -> int:
    """Write the claims of each split, sorted by id; return how many."""
    by_split: dict[str, list[ClaimPair]] = {split: [] for split in ASSIGNED_SPLITS}
    for claim in claims:
        by_split[heads[claim.head].split].append(claim)
    return sum(write_jsonl(out / split / "claims.jsonl", held, key=lambda claim: claim.id) for split, held in by_split.items())


def _shot_order(shot: Shot) -> tuple[str, str, str, str, int]:
    return shot.exam, shot.subject, shot.question_type, shot.form or "", shot.place


@contextmanager
def _swept(out: Path) -> Iterator[None]:
    """Remove in the end what a killed worker, or an earlier run that was killed, left half."""
    try:
        yield
    finally:
        for folder in (out, *(out / split for split in ASSIGNED_SPLITS)):
            for part in folder.glob("*.part"):
                part.unlink()


if __name__ == "__main__":
    run_stage(main, acyclic=True)
