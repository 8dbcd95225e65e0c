"""The findings of `check` on a source, and the figures of its report."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from atomexam.records.item import EntityItem, Item, LabelledValue, QuestionItem, Section
from crawlers.check.watch_middleware import PageOutput
from crawlers.read.account.characters import CharacterAccount

_EXAMPLE_CHARS = 200
_OF_THE_READER = {"url", "provenance", "exam", "subject"}  # fields that do not come from the page


class Findings(Struct, kw_only=True):
    """What `check` found on a few pages of a source."""

    source: str
    mode: str
    hosts: list[str] = []
    """`allowed_domains` of the spider."""
    blocks: dict[str, str] | None = None
    """Selectors, by name, of a spider that reads one container per question; None for any other spider."""
    silent: dict[str, str] = {}
    """Selectors, by name, of a spider written by `crawlers.new` that match nothing on the pages they are meant for."""
    pages: list[PageOutput] = []
    """Pages that reached a callback."""
    refused: dict[str, int] = {}
    """Address -> HTTP status, for responses that reached no callback."""
    failed: dict[str, str] = {}
    """Request -> the reason it got no response."""
    misfits: list[str] = []
    errors: list[str] = []
    """Pages on which a callback failed."""
    forbidden: int = 0
    """Number of requests that robots.txt forbids."""
    over_limit: int = 0
    """Number of requests beyond the page limit."""
    account: CharacterAccount | None = None
    """Account of the pages' visible text."""
    saved_labels: dict[tuple[str, str], int] = {}
    """Entry type and label -> number of saved entries that have the label, if the site is live."""

    @property
    def items(self) -> list[Item]:
        """All items."""
        return [item for page in self.pages for item in page.items]

    @property
    def questions(self) -> list[QuestionItem]:
        """The questions without a doubt."""
        return [item for item in self.items if isinstance(item, QuestionItem) and not item.doubt]

    @property
    def entities(self) -> list[EntityItem]:
        """The encyclopedia entries."""
        return [item for item in self.items if isinstance(item, EntityItem)]


class CallbackSummary(Struct, frozen=True, kw_only=True):
    """The pages of one callback."""

    callback: str
    pages: int
    empty: int
    """Pages that yielded neither items nor requests."""
    items: int
    requests: int


class FieldSummary(Struct, frozen=True, kw_only=True):
    """One field of one kind of item."""

    name: str
    filled: float
    """Share of the items that have this field."""
    example: str


def kinds_of(pages: Sequence[PageOutput]) -> list[CallbackSummary]:
    """Return a summary for each callback, in the order of their first pages."""
    return [
        CallbackSummary(
            callback=callback,
            pages=len(own),
            empty=sum(page.is_empty for page in own),
            items=sum(len(page.items) for page in own),
            requests=sum(len(page.requests) for page in own),
        )
        for callback in dict.fromkeys(page.callback for page in pages)
        if (own := [page for page in pages if page.callback == callback])
    ]


def fields_of(items: Sequence[Item]) -> list[FieldSummary]:
    """Return how often each field is filled in items of one type, and its first value."""
    if not items:
        return []
    names = [field.name for field in msgspec.structs.fields(type(items[0])) if field.name not in _OF_THE_READER]
    return [_field(name, [getattr(item, name) for item in items]) for name in names]


def labels_of(entities: Iterable[EntityItem]) -> list[tuple[str, int]]:
    """Return the labels of entries with the number of entries that have each, most frequent first."""
    counts = Counter(label for entity in entities for label in {value.label for value in entity.values})
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _field(name: str, values: list[Any]) -> FieldSummary:
    filled = [value for value in values if value]
    return FieldSummary(name=name, filled=len(filled) / len(values), example=_example(filled[0]) if filled else "")


def _example(value: Any) -> str:
    if isinstance(value, list):
        return " | ".join(map(_example, value[:6]))
    if isinstance(value, LabelledValue):
        return f"{value.label}: {value.value}"[:_EXAMPLE_CHARS]
    if isinstance(value, Section):
        return f"{value.title}: {value.text}"[:_EXAMPLE_CHARS]
    return str(value)[:_EXAMPLE_CHARS]
