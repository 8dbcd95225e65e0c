"""The reading of one file by an importer: its items, and what happened to everything else in it."""

from typing import Any

from msgspec import Struct, field, structs

from atomexam.records.item import Item, QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.read.containers.files.reading import Lost, Text
from crawlers.read.vocabulary.doubts import DOUBTS

PAPER_FORMATS = ("paper", "docx", "pdf")
"""Formats whose files are exam papers in lines."""


class Misfit(ValueError):
    """A field that is missing or contains what cannot be read."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


class FileReading(Struct):
    """The content of one file. Grows while the file is read."""

    items: list[Item] = field(default_factory=list)
    """Items, including those with `doubt`: what could not be read."""
    record_count: int = 0
    """Records, or numbered questions of a paper: as many as there are items."""
    unread: list[str] = field(default_factory=list)
    """What belongs to no item: titles, remarks, removed page headers."""
    skipped: list[str] = field(default_factory=list)
    """Parts that were not read, such as sheets without a header: always reported, and counted with `unread`."""
    faults: list[str] = field(default_factory=list)
    """Where and why items with `doubt` could not be read, in words."""

    columns: dict[str, str] = field(default_factory=dict)
    """Field of a question -> the keys of the records, or words of the header, that it is read from."""
    beside: dict[str, str] = field(default_factory=dict)
    """Position of a record -> its value under the first of the `beside_keys` that it has."""
    source: Text | None = None
    """The lines that a paper was read from, for the account of its characters."""
    rows: list[tuple[str, dict[str, Any]]] | None = None
    """Positions and values of the rows whose questions were read by content, for the same account."""
    array: tuple[str, ...] = ()
    """Keys that lead from a document to its records, if no layout names them."""
    shape: Any = None
    """The layout that was inferred for the file, if its format names none."""
    misfits: int = 0
    """How many of them are records or pages that do not fit the format, rather than uncertain questions of a paper."""

    def give_up(self, lost: Lost, provenance: Provenance) -> None:
        """Add what could not be read as an item with `doubt`, so that `clean` counts it as rejected."""
        own = structs.replace(provenance, position=lost.position)
        self.misfits += lost.reason not in DOUBTS
        self.items.append(QuestionItem(url=own.url, provenance=own, stem_raw=lost.raw, doubt=lost.reason))
        self.faults.append(f"{lost.position.replace(':', ' ')}: {lost.reason}: {lost.words}")
