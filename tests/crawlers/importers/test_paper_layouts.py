"""Papers by the patterns of a layout: what a person writes is read, what does not fit is rejected or unread, and a proposal reads as much."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import account_of
from crawlers.importers.files.reading import FileReading, Text
from crawlers.importers.layouts.line_patterns import compiled
from crawlers.importers.layouts.paper_layout import PaperLayout, patterns_of
from crawlers.importers.papers import questions_by_layout, questions_in
from crawlers.read import main
from tests.crawlers.importers.odd_papers import ODD_PAPERS, Written

_HERE = Provenance(source="test", url="file:a.txt", snapshot="2026-01-01", page_id="page-1", position="")


def _read(text: str, layout: PaperLayout) -> FileReading:
    reading = questions_by_layout("a.txt", Text(dedent(text).split("\n")), layout, _HERE)
    account_of("a.txt", b"", "paper", reading)  # raises if a character is counted twice or not at all
    return reading


def _rows(reading: FileReading) -> list[Written]:
    """Return stem, options and answer of each question that was read."""
    items = [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt]
    return [Written(item.stem_raw or "", [option[3:] for option in item.options_raw or []], item.answer_raw or "") for item in items]


@pytest.mark.parametrize("name", ODD_PAPERS)
def test_a_paper_in_an_odd_layout_is_read_by_its_patterns(name: str) -> None:
    text, layout, written = ODD_PAPERS[name]
    reading = _read(text, layout)
    assert _rows(reading) == written, reading.faults
