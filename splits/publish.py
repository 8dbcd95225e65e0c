"""Record the publication of a release: data/release -> its changes in the ledger `splits/released.jsonl`, a file in git.

Run it once per version, when you hand the folder to others; then run `dvc repro release`, and commit the ledger and dvc.lock. From then
on, that version cannot be built with different items, and the card of the next version lists the changes.

With --hub OWNER/NAME and HF_TOKEN set, it first sends the release to a dataset on the Hugging Face Hub, with the version as its revision;
without HF_TOKEN, it only prints what would be sent. A release is recorded only if it could be sent. --dry-run prints what the version
changes and records nothing.
"""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from splits import hub
from splits.release.__main__ import CHECKSUMS, PATHS, read_split, sha256
from splits.release.commitment import RESERVED
from splits.release.croissant import FILE as CROISSANT
from splits.release.history import HISTORY, Change, in_order, order_of, read_ledger, tally

NOT_RELEASED = "share only the release: splits/assignments.jsonl, git and DVC's cache name or contain reserved records"


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--release", type=Path, default=Path(PATHS["out"]), metavar="PATH")
    parser.add_argument("--ledger", type=Path, default=Path(PATHS["ledger"]), metavar="PATH")
    parser.add_argument("--hub", metavar="OWNER/NAME", help="send the release there; a new repository is private")
    parser.add_argument("--splits", type=Path, default=Path(PATHS["splits"]), metavar="PATH", help="to check that nothing reserved is sent")
    parser.add_argument("--dry-run", action="store_true", help="record and send nothing: print what the version changes")
    arguments = parser.parse_args(argv)
    token = os.environ.get("HF_TOKEN", "").strip()
    if token and not re.fullmatch("[!-~]+", token):  # a client's error message would show it
        raise ValueError("HF_TOKEN contains a character that no token has, such as a space or a line break; set it again")
    files = check_files(arguments.release)
    refuse_stopped(arguments.release.parent)
    version = msgspec.json.decode((arguments.release / CROISSANT).read_bytes())["version"]
    if arguments.hub:
        reserved = {record.id for record in read_split(arguments.splits, RESERVED)}
        hub.refuse_reserved(arguments.release, files, reserved)
        print("\n".join(hub.plan(arguments.release, files, arguments.hub, version)))
        if not token and not arguments.dry_run:
            print("nothing was recorded or sent: HF_TOKEN is not set; get a write token at huggingface.co/settings/tokens", file=sys.stderr)
            return
    is_sent = arguments.hub and not arguments.dry_run
    sending = hub.push(arguments.release, files, arguments.hub, version, token) if is_sent else ()
    summary = publish(arguments.release / HISTORY, arguments.ledger, version, sending, record=not arguments.dry_run)
    if arguments.dry_run:
        print(f"{summary}; nothing was recorded or sent", file=sys.stderr)
        return
    print(f"{summary}; run `dvc repro release`, commit {arguments.ledger} and dvc.lock, and tag the commit", file=sys.stderr)
    print(NOT_RELEASED, file=sys.stderr)


def check_files(release: Path) -> list[str]:
    """Return the files listed in a release's checksums; raise ValueError if one does not match."""
    if not (release / CHECKSUMS).exists():
        raise ValueError(f"{release / CHECKSUMS}: no such file, so there is no release; build it: `dvc repro release`")
    files = hub.checksums(release / CHECKSUMS)
    for name, digest in files.items():
        if not (release / name).is_file() or sha256(release / name) != digest:
            raise ValueError(f"{release / name} does not match {CHECKSUMS}; build the release again: `dvc repro --force release`")
    return sorted([CHECKSUMS, *files])


def refuse_stopped(data: Path) -> None:
    """Raise ValueError if a check stopped the last run, which means that the release is from an earlier run."""
    for name in ("validation", "validation_splits", "leaks"):
        if (data / name).is_dir() and not (data / name / "passed.json").exists():
            raise ValueError(f"{data / name}: the last run stopped here, so the release is from an earlier one; run `dvc repro release`")


def publish(history: Path, ledger: Path, version: str, sending: Iterable[str] = (), record: bool = True) -> str:
    """Add a release's history to the ledger if `record` is true; return a summary of what the version changed.

    Args:
        sending: iterator that sends the release as its lines are read and printed; if it fails, nothing is recorded.

    Raises:
        ValueError: the ledger contains lines missing from the history, so the release was built from a different ledger.
    """
    changes = list(read_jsonl(history, Change))
    known = set(read_ledger(ledger))
    if lost := in_order(known - set(changes)):
        raise ValueError(f"{ledger}: {lost[0].id} of version {lost[0].version} is not in {history}; run `dvc repro release`")
    for line in sending:
        print(line)
    if record:
        write_jsonl(ledger, changes, key=lambda change: (order_of(change.version), change.id))
    counts = dict(tally(changes)).get(version, {})
    changed = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
    return f"version {version}: {changed or 'no item changed, so the ledger has no line for it'}"


if __name__ == "__main__":
    run_stage(main)
