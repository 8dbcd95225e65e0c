"""What lies beside the tables of a release: its few-shot lists, and what was found to leak. Nothing of reserved is in either."""

from collections.abc import Collection, Iterable
from pathlib import Path

from msgspec.structs import replace

from records.jsonl import read_jsonl
from records.shot import Shot
from splits.columns import RELEASED
from splits.leak import Leak

LEAKS, SHOTS, PASSED = "leaks.jsonl", "shots.jsonl", "passed.json"


def released_leaks(folder: Path) -> list[Leak]:
    """Return the leaks between what is released, and of what is released in references, in the words of the release.

    Raises:
        ValueError: the splits did not pass the checks.
    """
    if not (folder / PASSED).exists():
        raise ValueError(f"{folder / PASSED}: no such file, so the splits did not pass the checks of leaks; run `dvc repro leaks`")
    found = []
    for leak in read_jsonl(folder / LEAKS, Leak):
        if "reserved" not in (leak.split, leak.other_split):
            other = RELEASED.get(leak.other_split, leak.other_split)
            found.append(replace(leak, split=RELEASED.get(leak.split, leak.split), other_split=other))
    return found


def untaught(leaks: Iterable[Leak]) -> frozenset[str]:
    """Return what is in train and is not to be made a lesson of: it tells what test asks, from the other end.

    What tells the same of reserved is taught: left out, it would name what reserved holds, and it is in the tables of train as well.

    Args:
        leaks: those that are released.
    """
    return frozenset(leak.other_id for leak in leaks if leak.check == "inverse")


def released_shots(splits: Path, released: Collection[str]) -> list[Shot]:
    """Return the few-shot lists in the words of the release.

    Raises:
        ValueError: an example is not released.
    """
    path = splits / SHOTS
    shots = [replace(shot, split=RELEASED[shot.split]) for shot in read_jsonl(path, Shot)]
    if lost := [shot.question_id for shot in shots if shot.question_id not in released]:
        raise ValueError(f"{path}: {lost[0]} is an example and not in the release; run `dvc repro split`")
    return shots
