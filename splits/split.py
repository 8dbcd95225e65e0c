"""Stage `split`: unique questions and claims -> train, dev, test and reserved. Clusters, groups and claim heads never cross."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from records.claim import ClaimPair
from records.jsonl import folder_lock, read_jsonl, replacing, to_line, write_json, write_jsonl
from records.params import Split as Params
from records.question import Question
from records.stage import read_arguments, run_stage
from splits.allocate import allocate, allocate_claims
from splits.composition import compose
from splits.units import SPLITS, Row, Split, row_of

PATHS = {
    "questions": "data/unique/questions.jsonl",
    "claims": "data/claims/claims.jsonl",
    "out": "data/splits",
    "metrics": "metrics/split.json",
}


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv, __doc__, "split", Params, PATHS)
    rows, lines = read_questions(arguments.questions)
    claims = list(read_jsonl(arguments.claims, ClaimPair))
    splits, heads = allocate(rows, arguments.params), allocate_claims(claims, arguments.params)
    check(rows, splits)
    with folder_lock(arguments.out) as out:
        written = write_questions(out, rows, lines, splits) + write_claims(out, claims, heads)
        if written != len(rows) + len(claims):
            raise ValueError(f"{out}: wrote {written} of {len(rows)} questions and {len(claims)} claims; they must be equal")
        _sweep(out)
        write_json(arguments.metrics, compose(rows, splits, claims, heads, arguments.params))


def read_questions(path: Path) -> tuple[list[Row], list[bytes]]:
    """Return what the draw needs of each question, and each question as a line."""
    rows, lines = [], []
    for question in tqdm(read_jsonl(path, Question), desc="split", unit=" questions", disable=None):
        rows.append(row_of(question))
        lines.append(to_line(question))
    return rows, lines


def check(rows: Sequence[Row], splits: Mapping[str, Split]) -> None:
    """Check what was allocated, by another way than it was allocated.

    Raises:
        ValueError: a question has no split, or a cluster or group stands in two; both are defects of this program.
    """
    if missing := [row.id for row in rows if splits.get(row.id) not in SPLITS]:
        raise ValueError(f"{len(missing)} questions have no split, among them {missing[0]}")
    homes: dict[tuple[str, str], Split] = {}
    for row in rows:
        for kind, tie in (("cluster", row.cluster_id), ("group", row.group_id)):
            if tie and (home := homes.setdefault((kind, tie), splits[row.id])) != splits[row.id]:
                raise ValueError(f"{kind} {tie} stands in {home} and in {splits[row.id]} (question {row.id}); it must stand in one split")


def write_questions(out: Path, rows: Sequence[Row], lines: Sequence[bytes], splits: Mapping[str, Split]) -> int:
    """Write the questions of each split, sorted by id; return how many."""
    order = sorted(range(len(rows)), key=lambda index: rows[index].id)
    written = 0
    for split in SPLITS:
        chosen = [index for index in order if splits[rows[index].id] == split]
        with replacing(out / split / "questions.jsonl") as part, open(part, "wb") as file:
            file.writelines(lines[index] for index in chosen)
        written += len(chosen)
    return written


def write_claims(out: Path, claims: Iterable[ClaimPair], heads: Mapping[str, Split]) -> int:
    """Write the claims of each split, sorted by id; return how many."""
    claims = list(claims)
    return sum(
        write_jsonl(out / split / "claims.jsonl", (claim for claim in claims if heads[claim.head] == split), key=lambda claim: claim.id)
        for split in SPLITS
    )


def _sweep(out: Path) -> None:
    """Remove the half files of a killed run."""
    for split in SPLITS:
        for part in (out / split).glob("*.part"):
            part.unlink()


if __name__ == "__main__":
    run_stage(main)
