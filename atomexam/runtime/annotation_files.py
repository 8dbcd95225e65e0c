"""Files in git that hold what people said, read with the checks that a merge of two branches makes necessary."""

from pathlib import Path

from atomexam.records.label import Label
from atomexam.records.review import Decision
from atomexam.records.verdict import Verdict
from atomexam.runtime.jsonl import read_jsonl


def read_verdicts(path: Path) -> dict[str, list[Verdict]]:
    """Return the verdicts on each claim, one an annotator, whatever the order of the lines.

    Raises:
        ValueError: an annotator has two verdicts on a claim, as a merge of two branches may leave them.
    """
    found: dict[str, dict[str, Verdict]] = {}
    for one in read_jsonl(path, Verdict, "mend the line, or import the answers again: python -m curation.verdicts FILES"):
        other = found.setdefault(one.claim_id, {}).setdefault(one.annotator, one)
        if other.verdict != one.verdict:
            raise ValueError(f"{path}: {one.annotator} says {other.verdict} and {one.verdict} of {one.claim_id}; delete one line")
    return {claim: [found[claim][name] for name in sorted(found[claim])] for claim in sorted(found)}


def read_labels(path: Path) -> dict[str, dict[str, Label]]:
    """Return the labels of each pair by annotator, whatever the order of the lines.

    Raises:
        ValueError: an annotator has two labels on a pair, as a merge of two branches may leave them.
    """
    found: dict[str, dict[str, Label]] = {}
    for one in read_jsonl(path, Label):
        other = found.setdefault(one.pair_id, {}).setdefault(one.annotator, one)
        if other.label != one.label:
            raise ValueError(f"{path}: {one.annotator} says {other.label} and {one.label} of {one.pair_id}; delete one line")
    return {pair: dict(sorted(found[pair].items())) for pair in sorted(found)}


def read_decisions(path: Path) -> dict[str, Decision]:
    """Return decisions by id; none where there is no file.

    Raises:
        ValueError: two lines decide on one id, or a line decides nothing.
    """
    decisions: dict[str, Decision] = {}
    lines = read_jsonl(path, Decision, "mend the line: a copy of a `decision` in a review.jsonl") if path.exists() else ()
    for number, one in enumerate(lines, 1):
        if one.id in decisions:
            raise ValueError(f"{path}:{number}: {one.id} is decided on twice; leave one line")
        if bool(one.right) == (one.polarity is not None):
            raise ValueError(f"{path}:{number}: {one.id}: expected either `right`, the texts of the right options, or `polarity`")
        decisions[one.id] = one
    return decisions
