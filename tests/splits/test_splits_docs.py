"""docs/splits.md says what the code says: every reason, every check, and the figures of the published pool."""

import re
from pathlib import Path

from atomexam.records.leak import CHECKS
from splits.ledger.assignments import REASONS

DOCUMENT = (Path(__file__).parent.parent.parent / "docs/splits.md").read_text(encoding="utf-8")


def rows(after: str) -> list[str]:
    """Return the first cells of the table that follows some words."""
    table = re.search(r"(?:^\|.*\n)+", DOCUMENT[DOCUMENT.index(after) :], re.MULTILINE)
    assert table
    return [line.split("|")[1] for line in table[0].splitlines()[2:]]


def test_every_reason_is_told() -> None:
    assert [name for cell in rows("gives the reason") for name in re.findall(r"`(\w+)`", cell)] == list(REASONS)


def test_every_check_is_told() -> None:
    assert [name for cell in rows("checks the written splits") for name in re.findall(r"`(\w+)`", cell)] == list(CHECKS)
