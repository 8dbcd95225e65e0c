"""Tables that the ground floor has are not written again in a room."""

import ast
from pathlib import Path

import pytest

from atomexam.text.numerals import CIRCLED_NUMBERS, HANZI
from atomexam.text.option_letters import LETTERS

ROOT = Path(__file__).parents[2]
ROOMS = ("atomexam/records", "crawlers", "curation", "splits", "eval")
PUBLISHED = {
    "eval/answers/published.py": "CMB's list of letters, A to G, and CPsyExam's columns, A to E",
    "splits/release/columns.py": "the columns of CPsyExam's files, A to E",
}
"""Modules that repeat what somebody else published, and would have to keep it if ours changed."""
_LEAST = 5


def tables(path: Path) -> set[str]:
    """Return the strings of a module that are a table of numerals, rings or letters, whole or from its start."""
    strings = {node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Constant)}
    known = (HANZI, CIRCLED_NUMBERS, LETTERS)
    return {text for text in strings if isinstance(text, str) and len(text) >= _LEAST and any(table.startswith(text) for table in known)}


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_a_table_is_written_once(room: str) -> None:
    found = {path.relative_to(ROOT).as_posix(): tables(path) for path in (ROOT / room).rglob("*.py")}
    again = {name: texts for name, texts in found.items() if texts and name not in PUBLISHED}
    assert not again, "import it from atomexam.text"
    own = {name for name in PUBLISHED if name.startswith(room)}
    assert own <= {name for name, texts in found.items() if texts}, "take these out of PUBLISHED"
