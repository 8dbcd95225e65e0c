"""Import annotators' labels of replies into eval/labels.jsonl, an input of the stage `errors`.

    python -m eval.review first.xlsx second.csv
    python -m eval.review labelled.jsonl --annotator first

FILES are copies of data/errors/RUN.xlsx (optionally saved as .csv) with `label` filled in, or JSONL rows with `id`, `label` and,
optionally, `annotator` and `comment`. The annotator of a spreadsheet is the name of its file, for any run; --annotator NAME overrides it.
Importing the same labels again changes nothing; a new label by the same annotator replaces the earlier label and is reported. See
docs/evaluation.md.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from atomexam.records.annotation import ERRORS, REASONS, Label, ReplyPair
from atomexam.runtime.annotation_files import LABELS, read_labels
from atomexam.runtime.annotations import MAX_COMMENT_CHARS, check_answers, check_name, merge, report
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.sheets import read_sheet
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.text.canonical import canonical

_ALLOWED = {"error": ERRORS, "reason": REASONS}


class Filled(Struct, kw_only=True):
    """One row of a file; other fields of a JSONL row, such as the replies, are ignored."""

    where: str = ""
    """File and row, for messages."""
    id: str
    label: str | None = None
    comment: str | None = None
    annotator: str | None = None
    factual: str | None = None
    """The factual claim, if the row contains it."""


def read_filled(path: Path) -> list[Filled]:
    """Return the labelled rows of a spreadsheet (.xlsx, .csv) or JSONL file; rows without a label are skipped.

    Raises:
        ValueError: the file has another format, a column is missing, or a row has a comment but no label.
    """
    if path.suffix.lower() == ".jsonl":
        rows = [structs.replace(row, where=f"{path}:{number}") for number, row in enumerate(read_jsonl(path, Filled), 1)]
    elif path.suffix.lower() in (".xlsx", ".csv"):
        rows = [_of_sheet(row.where, row.cells) for row in read_sheet(path)]
    else:
        raise ValueError(f"{path}: expected .xlsx, .csv or .jsonl: a filled copy of data/errors/RUN.xlsx, or rows with id and label")
    filled = []
    for row in rows:
        label, comment = (row.label or "").strip(), " ".join((row.comment or "").split())
        if label:
            filled.append(structs.replace(row, label=label, comment=comment, annotator=row.annotator or None))
        elif comment:
            raise ValueError(f"{row.where}: found a comment without a label; choose a label, or clear the comment")
    return filled


def _of_sheet(where: str, cells: Mapping[str, str]) -> Filled:
    if missing := [name for name in ("id", "label", "factual") if name not in cells]:
        raise ValueError(f"{where}: missing columns: {', '.join(missing)}; keep the original columns")
    return Filled(where=where, **{name: cells[name] for name in Filled.__struct_fields__ if name in cells and name != "where"})


def check(filled: Iterable[Filled], known: Mapping[str, ReplyPair], skip_unknown: bool) -> list[Label]:
    """Return the labels; with `skip_unknown`, without those of replies that are in no queue.

    Raises:
        ValueError: rows are invalid; the message lists them and says what to do.
    """
    wanted = (one for one in filled if not skip_unknown or one.id in known)
    return check_answers(LABELS, wanted, lambda one: _label(one, known))


def _label(one: Filled, known: Mapping[str, ReplyPair]) -> Label:
    if one.id not in known:
        raise ValueError(
            f"the queues have no pair of replies {one.id[:40]!r}, so the sheet belongs to other replies; use a new sheet, or "
            "skip such rows with --skip-gone"
        )
    pair = known[one.id]
    if one.factual is not None and canonical(one.factual) != canonical(pair.factual):
        raise ValueError(f"the claim reads {one.factual[:80]!r} but was sampled as {pair.factual!r}; change only label and comment")
    if one.annotator is None:
        raise ValueError("the annotator is unknown; give --annotator NAME, or name the sheet after its annotator")
    check_name(LABELS, one.annotator)
    label = one.label or ""
    if label.casefold() not in (allowed := _ALLOWED[pair.asks]):
        raise ValueError(f"label is {label[:40]!r}; this row asks for the {pair.asks}: expected {', '.join(allowed)}, or nothing")
    comment = (one.comment or "")[:MAX_COMMENT_CHARS]
    return Label(pair_id=one.id, annotator=one.annotator, label=label.casefold(), comment=comment, claim=pair.factual)  # type: ignore[arg-type]


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    queued = [row for path in sorted(arguments.errors.glob("*.jsonl")) for row in read_jsonl(path, ReplyPair)]
    if not queued:
        raise ValueError(f"{arguments.errors}: no queue found; `dvc repro errors` builds it")
    known = {row.id: row for row in queued}
    filled: list[Filled] = []
    for path in arguments.files:
        own_name = None if path.stem in {row.run for row in queued} else path.stem
        filled += [structs.replace(one, annotator=arguments.annotator or one.annotator or own_name) for one in read_filled(path)]
    known_labels = read_labels(arguments.labels) if arguments.labels.exists() else {}
    old = [label for by_annotator in known_labels.values() for label in by_annotator.values()]
    merged = merge(LABELS, old, check(filled, known, arguments.skip_gone))
    if merged.added or merged.changed:
        write_jsonl(arguments.labels, merged.records, key=LABELS.key)
    unknown = sum(one.id not in known for one in filled)
    skipped = f", {unknown} skipped because their replies are not in the queues" if unknown else ""
    print(report(LABELS, arguments.labels, merged, skipped))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILES")
    parser.add_argument("--annotator", help="name of the annotator of all FILES")
    parser.add_argument("--skip-gone", action="store_true", help="skip labels of replies that are in no queue")
    parser.add_argument("--errors", type=Path, default=Path("data/errors"))
    parser.add_argument("--labels", type=Path, default=Path("eval/labels.jsonl"))
    return parser.parse_args(argv)


if __name__ == "__main__":
    run_stage(main)
