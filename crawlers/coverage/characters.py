"""Account of a file's or page's characters: each is in an item, in known furniture, in a rejected question, or unread.

Blanks, signs of no width and the sign for an image are not characters here. The four sums always add up to `characters`.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from crawlers.papers.signs.answer_marks import IMAGE, flat

_EXCERPT_CHARS = 60


class Unread(Struct, frozen=True):
    """A stretch of the source that no item holds and that is no known furniture."""

    position: str
    reason: str
    characters: int
    text: str
    """Its beginning."""


class CharacterAccount(Struct):
    """Where the characters of one or more sources are."""

    characters: int = 0
    in_items: int = 0
    furniture: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    """By the reason for which the question or record was rejected."""
    unread: list[Unread] = field(default_factory=list)
    questions_unread: int = 0
    """Records, or questions of a paper by their numbers or answers, that stand in unread lines: items count none of them."""

    @property
    def unread_characters(self) -> int:
        """Return how many characters are unread."""
        return sum(one.characters for one in self.unread)

    @property
    def unread_share(self) -> float:
        """Return which share of the characters is unread."""
        return self.unread_characters / self.characters if self.characters else 0.0

    @property
    def difference(self) -> int:
        """Return characters in less characters out: 0, or the account is wrong."""
        return self.characters - self.in_items - self.furniture.total() - self.rejected.total() - self.unread_characters

    def add_unread(self, position: str, reason: str, text: str) -> None:
        """Count a text as unread."""
        if count := counted(text):
            excerpt = " ".join(text.split())
            self.unread.append(Unread(position, reason, count, excerpt[:_EXCERPT_CHARS] + ("…" if len(excerpt) > _EXCERPT_CHARS else "")))

    def reasons(self) -> Counter[str]:
        """Return the unread characters by reason."""
        reasons: Counter[str] = Counter()
        for one in self.unread:
            reasons[one.reason] += one.characters
        return reasons

    def by_reason(self) -> list["Unread"]:
        """Return one entry a reason, with all its characters, instead of the stretches: many files together keep no more."""
        return [Unread("", reason, count, "") for reason, count in sorted(self.reasons().items())]

    def largest(self, count: int) -> list[str]:
        """Return the largest unread stretches in words."""
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
    """Return the account of several sources together."""
    whole = CharacterAccount()
    for one in accounts:
        whole.characters += one.characters
        whole.in_items += one.in_items
        whole.furniture += one.furniture
        whole.rejected += one.rejected
        whole.unread += one.unread
        whole.questions_unread += one.questions_unread
    return whole


def is_counted(sign: str) -> bool:
    """Tell whether a sign is a character for the account."""
    return not (sign.isspace() or sign == IMAGE or unicodedata.category(sign) in ("Cf", "Cc"))


def counted(text: str) -> int:
    """Return how many characters of a text are counted."""
    return len(folded(text))


def folded(text: str) -> str:
    """Return the counted characters of a text, one for one, in the form in which source and items are compared."""
    return text.translate(_FOLDS)


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
