"""Filled sheets and the labels known so far -> labels: checked against the queues, one a pair of replies and annotator."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from atomexam.records.label import ERRORS, REASONS, Label, ReplyPair
from atomexam.runtime.annotation_files import LABELS
from atomexam.runtime.annotations import MAX_COMMENT_CHARS, check_name, checked
from atomexam.runtime.jsonl import read_jsonl
from atomexam.runtime.sheets import read_sheet
from atomexam.text.canonical import canonical

_ALLOWED = {"error": ERRORS, "reason": REASONS}


class Filled(NamedTuple):
    """One label as it was read from a file."""

    where: str
    """File and row, for what is said of it."""
    pair_id: str
    claim: str | None
    """The factual claim, where the row has it."""
    annotator: str | None
    label: str
    comment: str


class _Line(Struct, kw_only=True):
    """A row in JSONL; what else it holds, such as the replies, is passed over."""

    id: str
    label: str | None = None
    comment: str | None = None
    annotator: str | None = None
    factual: str | None = None


def read_filled(path: Path) -> list[Filled]:
    """Return the labels of a sheet (.xlsx, .csv) or of rows in JSONL; rows without a label have none.

    Raises:
        ValueError: the file is of another kind, a column is missing, or a row has a comment and no label.
    """
    if path.suffix.lower() == ".jsonl":
        rows = [(f"{path}:{number}", line) for number, line in enumerate(read_jsonl(path, _Line), 1)]
    elif path.suffix.lower() in (".xlsx", ".csv"):
        rows = [(row.where, _line(row.where, row.cells)) for row in read_sheet(path)]
    else:
        raise ValueError(f"{path}: expected .xlsx, .csv or .jsonl: a filled copy of data/errors/RUN.xlsx, or rows with id and label")
    found = []
    for where, line in rows:
        comment = " ".join((line.comment or "").split())
        if label := (line.label or "").strip():
            found.append(Filled(where, line.id, line.factual, line.annotator or None, label, comment))
        elif comment:
            raise ValueError(f"{where}: a comment and no label; choose one, or empty the comment")
    return found


def _line(where: str, cells: Mapping[str, str]) -> _Line:
    if missing := [name for name in ("id", "label", "factual") if name not in cells]:
        raise ValueError(f"{where}: no column {', '.join(missing)}; leave the columns as they were written")
    return _Line(**{name: cells[name] for name in _Line.__struct_fields__ if name in cells})


def check(filled: Iterable[Filled], known: Mapping[str, ReplyPair], skip_gone: bool) -> list[Label]:
    """Return what was filled in as labels; with `skip_gone`, those of replies that are in no queue are left out.

    Raises:
        ValueError: names each row that cannot stand, and what to do.
    """
    wanted = (one for one in filled if not skip_gone or one.pair_id in known)
    return checked(LABELS, wanted, lambda one: _label(one, known))


def _label(one: Filled, known: Mapping[str, ReplyPair]) -> Label:
    if one.pair_id not in known:
        raise ValueError(
            f"no pair of replies {one.pair_id[:40]!r} is in the queues; the sheet belongs to other replies: "
            "label a fresh one, or leave such rows out with --skip-gone"
        )
    pair = known[one.pair_id]
    if one.claim is not None and canonical(one.claim) != canonical(pair.factual):
        raise ValueError(f"the claim reads {one.claim[:80]!r} and was drawn as {pair.factual!r}; fill in label and comment alone")
    if one.annotator is None:
        raise ValueError("the file does not tell who labelled; give --annotator NAME, or name the sheet after its annotator")
    check_name(LABELS, one.annotator)
    label = one.label.casefold()
    if label not in (allowed := _ALLOWED[pair.asks]):
        raise ValueError(f"label is {one.label[:40]!r}; of a row that asks for the {pair.asks}, expected {', '.join(allowed)}, or nothing")
    comment = one.comment[:MAX_COMMENT_CHARS]
    return Label(pair_id=one.pair_id, annotator=one.annotator, label=label, comment=comment, claim=pair.factual)  # type: ignore[arg-type]
