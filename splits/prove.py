"""Open commitments in a release: the reserved split -> a proof per record. With --check, verify proofs against a release.

    python -m splits.prove ID…  > proofs.jsonl          proofs of these records, or of all reserved ones
    python -m splits.prove --check proofs.jsonl         exit status 1 if one does not hold

The split must be the one from the release, so check out the release's version first.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from atomexam.runtime.jsonl import read_jsonl, to_line
from atomexam.runtime.stage import parser_of, run_stage
from splits.release.__main__ import read_split
from splits.release.commitment import FILE, RESERVED, Proof, commitment, prove, salt_of


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--splits", type=Path, default=Path("data/splits"), metavar="PATH")
    parser.add_argument("--release", type=Path, default=Path("data/release"), metavar="PATH")
    parser.add_argument("--check", type=Path, metavar="PROOFS")
    arguments = parser.parse_args(argv)
    if not (arguments.release / FILE).exists():
        raise ValueError(f"{arguments.release / FILE}: no such file; name a release by --release, or build it: `dvc repro release`")
    known = set(msgspec.json.decode((arguments.release / FILE).read_bytes())["commitments"])
    if arguments.check:
        print(check(list(read_jsonl(arguments.check, Proof, "`python -m splits.prove > PROOFS` writes proofs")), known))
    else:
        sys.stdout.buffer.writelines(map(to_line, proofs(arguments.splits / RESERVED, arguments.ids, known)))


def proofs(reserved: Path, ids: Sequence[str], known: set[str]) -> list[Proof]:
    """Return the proofs of the given reserved records, by default of all, sorted by id.

    Raises:
        ValueError: an id is not reserved, or the release commits to another reserved split.
    """
    records = list(read_split(reserved.parent, reserved.name))
    reserved_ids = {record.id for record in records}
    if strangers := sorted(set(ids) - reserved_ids):
        raise ValueError(f"{strangers[0]} is not in {reserved}; `grep -r {strangers[0]} {reserved.parent}` shows where it is")
    salt = salt_of(records)
    opened = [prove(salt, record_id) for record_id in sorted(set(ids) or reserved_ids)]
    if any(commitment(proof) not in known for proof in opened):
        raise ValueError(
            f"{reserved} is not the reserved split of this release; check out the version that the release names, then `dvc repro split`"
        )
    return opened


def check(presented: Sequence[Proof], known: set[str]) -> str:
    """Return a line with the number of opened commitments; a repeated proof counts once.

    Raises:
        ValueError: there is no proof, or one does not hold; the message names it.
    """
    if not presented:
        raise ValueError("the file contains no proof; `python -m splits.prove > PROOFS` writes proofs")
    if failed := [proof.id for proof in presented if commitment(proof) not in known]:
        raise ValueError(
            f"{len(failed)} of {len(presented)} proofs do not hold, such as the one for {failed[0]}: the release did not reserve it"
        )
    return f"{len(set(map(commitment, presented)))} of {len(known)} commitments opened, and all hold"


if __name__ == "__main__":
    run_stage(main)
