"""Stage `split`: unique questions and claims -> train, dev, test and reserved. Clusters, groups and claim heads never cross.

`splits/places.jsonl` is in git, and remembers where every question and claim head stands: nothing moves when data is added, and what was
once in test or reserved is never trained on. What had to leave those is in the folder `retired`.
"""

import gc
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from records.claim import ClaimPair
from records.jsonl import folder_lock, read_jsonl, replacing, write_json, write_jsonl
from records.shot import Shot
from records.split_blocks import Split as Params
from records.stage import read_arguments, run_stage
from splits.allocate import decide
from splits.composition import compose
from splits.heads import decide_heads, head_id
from splits.memory import Memory, read_memory, write_memory
from splits.reading import BUFFER_BYTES, Questions, read_questions
from splits.remembering import edited_of, remember
from splits.settling import TRAINED, Put
from splits.shots import shots_of
from splits.units import PLACES, Place, Row

PATHS = {
    "questions": "data/unique/questions.jsonl",
    "clusters": "data/unique/clusters.jsonl",
    "claims": "data/claims/claims.jsonl",
    "places": "splits/places.jsonl",
    "out": "data/splits",
    "metrics": "metrics/split.json",
}


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "split", Params, PATHS)
    gc.disable()  # nothing here is part of a cycle, and looking through a million rows again and again costs a third of the time
    params: Params = arguments.params
    questions = read_questions(arguments.questions, arguments.clusters)
    claims = list(read_jsonl(arguments.claims, ClaimPair))
    with folder_lock(arguments.out) as out:
        memory = read_memory(arguments.places)
        placed = decide(questions.rows, params, memory, edited_of(questions, memory))
        heads = decide_heads(claims, params, memory)
        splits = {key: put.split for key, put in placed.items()}
        check(questions.rows, splits, memory)
        written = write_questions(out, questions, placed) + write_claims(out, claims, heads)
        if written != len(questions.rows) + len(claims):
            raise ValueError(f"{out}: wrote {written} of {len(questions.rows)} questions and {len(claims)} claims; they must be equal")
        shots = shots_of(questions.rows, splits, params.seed, memory.shots)
        write_jsonl(out / "shots.jsonl", shots, key=_shot_order)
        _sweep(out)
        after = remember(memory, questions, placed, {head_id(head): put for head, put in heads.items()}, params, shots)
        write_json(arguments.metrics, compose(questions.rows, placed, claims, heads, after, params))
        # Last, so that a run killed before this does not remember what it did not write: the next one decides the same again.
        write_memory(arguments.places, after)


def check(rows: Sequence[Row], splits: Mapping[str, Place], memory: Memory | None = None) -> None:
    """Check what was allocated, by another way than it was allocated.

    Raises:
        ValueError: a question has no split, a cluster or group stands in two, or what was held back is trained on; defects of this program.
    """
    homes: dict[tuple[str, str], str] = {}
    remembered = memory.placed if memory else {}
    for row in rows:
        split = splits.get(row.id)
        if split not in PLACES:
            raise ValueError(f"question {row.id} has no split")
        if split in TRAINED and (before := remembered.get(row.id)) is not None and before.split not in TRAINED:
            raise ValueError(f"question {row.id} was {before.split} since {before.since} and would be {split}; it must never be trained on")
        if split == "retired" or not (row.cluster_id or row.group_id):
            continue
        for kind, tie in (("cluster", row.cluster_id), ("group", row.group_id)):
            if tie and (home := homes.setdefault((kind, tie), split)) != split:
                raise ValueError(f"{kind} {tie} stands in {home} and in {split} (question {row.id}); it must stand in one split")


def write_questions(out: Path, questions: Questions, placed: Mapping[str, Put]) -> int:
    """Write the questions of each split as they came, sorted by id; return how many."""
    chosen: dict[str, list[int]] = {split: [] for split in PLACES}
    ids = [row.id for row in questions.rows]
    for index in sorted(range(len(ids)), key=ids.__getitem__):
        chosen[placed[ids[index]].split].append(index)
    for split, indices in chosen.items():
        with replacing(out / split / "questions.jsonl") as part, open(part, "wb", buffering=BUFFER_BYTES) as file:
            file.writelines(questions.lines.runs(indices))
    return sum(map(len, chosen.values()))


def write_claims(out: Path, claims: Iterable[ClaimPair], heads: Mapping[str, Put]) -> int:
    """Write the claims of each split, sorted by id; return how many."""
    by_split: dict[str, list[ClaimPair]] = {split: [] for split in PLACES}
    for claim in claims:
        by_split[heads[claim.head].split].append(claim)
    return sum(write_jsonl(out / split / "claims.jsonl", held, key=lambda claim: claim.id) for split, held in by_split.items())


def _shot_order(shot: Shot) -> tuple[str, str, str, str, int]:
    return shot.exam, shot.subject, shot.question_type, shot.form or "", shot.place


def _sweep(out: Path) -> None:
    """Remove the half files of a killed run."""
    for folder in (out, *(out / split for split in PLACES)):
        for part in folder.glob("*.part"):
            part.unlink()


if __name__ == "__main__":
    run_stage(main)
