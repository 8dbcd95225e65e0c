"""Account of a file's or page's characters: each is in an item, in known furniture, in a rejected question, or unread.

White space, zero-width characters and the placeholder of an image are not counted. The four sums always add up to `characters`.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct, field, structs

from atomexam.records.params import Extract, ExtractFlags, Import
from crawlers.read.vocabulary.labels import IMAGE, flat

_EXCERPT_CHARS = 60


class Unread(Struct, frozen=True):
    """A part of the source that is neither in an item nor known furniture."""

    position: str
    reason: str
    characters: int
    text: str
    """Its beginning."""


class CharacterAccount(Struct):
    """Counts of the characters of one or more sources by where they went."""

    characters: int = 0
    in_items: int = 0
    furniture: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    """Counts by the reason for which the question or record was rejected."""
    unread: list[Unread] = field(default_factory=list)
    questions_unread: int = 0
    """Number of records in unread lines, or of a paper's questions there, recognized by their numbers or answers."""

    @property
    def unread_characters(self) -> int:
        """Return the number of unread characters."""
        return sum(one.characters for one in self.unread)

    @property
    def unread_share(self) -> float:
        """Return the share of unread characters."""
        return self.unread_characters / self.characters if self.characters else 0.0

    @property
    def difference(self) -> int:
        """Return the number of characters in the source minus those accounted for; any value but 0 is a bug in the account."""
        return self.characters - self.in_items - self.furniture.total() - self.rejected.total() - self.unread_characters

    def add_unread(self, position: str, reason: str, text: str) -> None:
        """Count a text as unread."""
        if count := counted(text):
            excerpt = " ".join(text.split())
            self.unread.append(Unread(position, reason, count, excerpt[:_EXCERPT_CHARS] + ("…" if len(excerpt) > _EXCERPT_CHARS else "")))

    def reasons(self) -> Counter[str]:
        """Return the number of unread characters by reason."""
        reasons: Counter[str] = Counter()
        for one in self.unread:
            reasons[one.reason] += one.characters
        return reasons

    def by_reason(self) -> list["Unread"]:
        """Return one entry per reason with all its characters, which saves memory when there are many files."""
        return [Unread("", reason, count, "") for reason, count in sorted(self.reasons().items())]

    def largest(self, count: int) -> list[str]:
        """Return descriptions of the largest unread parts."""
        first = sorted(self.unread, key=lambda one: -one.characters)[:count]
        return [f"{_spoken(one.position)}: {one.reason}: {one.characters} characters: {one.text}" for one in first]

    def as_counts(self) -> dict[str, object]:
        """Return the sums as plain values."""
        return {
            "characters": self.characters,
            "in_items": self.in_items,
            "furniture": dict(sorted((+self.furniture).items())),
            "rejected": dict(sorted((+self.rejected).items())),
            "unread": dict(sorted(self.reasons().items())),
            "unread_share": round(self.unread_share, 4),
            "questions_unread": self.questions_unread,
        }


def _spoken(position: str) -> str:
    return position if "//" in position else position.replace(":", " ")


def summed(accounts: Iterable[CharacterAccount]) -> CharacterAccount:
    """Return the combined account of several sources."""
    whole = CharacterAccount()
    for one in accounts:
        whole.characters += one.characters
        whole.in_items += one.in_items
        whole.furniture += one.furniture
        whole.rejected += one.rejected
        whole.unread += one.unread
        whole.questions_unread += one.questions_unread
    return whole


def limits_of(line: ExtractFlags | Import, params: Mapping[str, Any]) -> Extract:
    """Return the reading limits for a line of params.yaml: its own, and those of `extract` that it does not set."""
    usual = Extract(**{"max_misfit_share": 0.0, **params.get("extract", {})})
    return structs.replace(usual, **{name: own for name in Extract.__struct_fields__ if (own := getattr(line, name, None)) is not None})


def is_counted(sign: str) -> bool:
    """Return whether a character is counted."""
    return not (sign.isspace() or sign == IMAGE or unicodedata.category(sign) in ("Cf", "Cc"))


def counted(text: str) -> int:
    """Return the number of counted characters in a text."""
    return len(folded(text))


def counted_places(text: str) -> list[int]:
    """Return the indices of the counted characters in a text."""
    return [place for place, sign in enumerate(text) if _FOLDS[ord(sign)]]


def folded(text: str) -> str:
    """Return the counted characters of a text, one for one, in the form in which sources and items are compared."""
    return _short_folded(text) if len(text) <= _SHORT_CHARS else text.translate(_FOLDS)


@lru_cache(maxsize=1 << 14)  # a value is compared several times in a row
def _short_folded(text: str) -> str:
    return text.translate(_FOLDS)


def folded_lines(lines: Sequence[str]) -> list[str]:
    """Return the folded forms of many lines at once; each distinct character is translated only once, which takes a tenth of the time."""
    text = "\n".join(lines)
    changed = {sign: plain for sign in set(text) if (plain := _FOLDS[ord(sign)]) != sign and sign != "\n"}
    if text.count("\n") >= len(lines) or any(_FOLDS[ord(plain)] != plain for plain in changed.values() if plain):
        return [folded(line) for line in lines]  # a line contains line breaks, or a character becomes one that is folded itself
    for sign, plain in changed.items():
        text = text.replace(sign, plain)
    return text.split("\n") if lines else []


class _Folds(dict[int, str]):
    def __missing__(self, code: int) -> str:
        sign = chr(code)
        if not is_counted(sign):
            result = ""
        else:
            plain = flat(sign)
            usual = unicodedata.normalize("NFKC", plain if not plain.isspace() else sign)
            result = (usual if len(usual) == 1 else sign).lower()
            result = result if len(result) == 1 else sign
        self[code] = result
        return result


_FOLDS = _Folds()
_SHORT_CHARS = 200
