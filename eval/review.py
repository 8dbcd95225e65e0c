"""Import what people said of replies into eval/labels.jsonl, which the stage `errors` reads.

    python -m eval.review first.xlsx second.csv
    python -m eval.review labelled.jsonl --annotator first

FILES are copies of data/errors/RUN.xlsx (or saved as .csv) with `label` filled in, or rows in JSONL with `id`, `label` and, as they please,
`annotator` and `comment`. The annotator of a sheet is the file's name, of whatever run it is; --annotator NAME goes before it.
The same labels again change nothing; another label of one annotator takes the place of the former, and is told. docs/evaluation.md
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from atomexam.records.label import ReplyPair
from atomexam.runtime.annotation_files import LABELS, read_labels
from atomexam.runtime.annotations import merge, report
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.stage import run_stage
from eval.reviewing.filled import Filled, check, read_filled


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    queued = [row for path in sorted(arguments.errors.glob("*.jsonl")) for row in read_jsonl(path, ReplyPair)]
    if not queued:
        raise ValueError(f"{arguments.errors}: no queue is there; `dvc repro errors` draws it")
    known = {row.id: row for row in queued}
    filled: list[Filled] = []
    for path in arguments.files:
        own_name = None if path.stem in {row.run for row in queued} else path.stem
        filled += [one._replace(annotator=arguments.annotator or one.annotator or own_name) for one in read_filled(path)]
    old = [one for given in read_labels(arguments.labels).values() for one in given.values()] if arguments.labels.exists() else []
    merged = merge(LABELS, old, check(filled, known, arguments.skip_gone))
    if merged.added or merged.changed:
        write_jsonl(arguments.labels, merged.records, key=LABELS.key)
    gone = sum(one.pair_id not in known for one in filled)
    skipped = f", {gone} left out, whose replies are not in the queues" if gone else ""
    print(report(LABELS, arguments.labels, merged, skipped))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m eval.review", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILES")
    parser.add_argument("--annotator", help="name of the annotator of all FILES")
    parser.add_argument("--skip-gone", action="store_true", help="leave out labels of replies that are in no queue")
    parser.add_argument("--errors", type=Path, default=Path("data/errors"))
    parser.add_argument("--labels", type=Path, default=Path("eval/labels.jsonl"))
    return parser.parse_args(argv)


if __name__ == "__main__":
    run_stage(main)
