"""Fuzz: saved pages, papers and small files, spoiled in every way of mutations.py, through what reads them.

Some 1,000 cases run with the slow tests. `python -m tests.fuzz.mutants 20000` runs so many. A failure tells the names and where the spoiled
files lie. What holds of each is in tests/fuzz/laws.py, what each may take in tests/fuzz/budget.py.
"""

import gc
import logging
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from atomexam.runtime.budgets import stop
from crawlers.read import __main__ as read
from crawlers.read.formats import guess_format, known_formats, read_file
from tests.crawlers.small_files import RECORDS, small_files
from tests.fuzz.budget import Cases
from tests.fuzz.laws import ITEM, SEEN
from tests.fuzz.mutants import MUTANTS, SAVED, mutated_pages, quiet, spoiled_file

CASES = 1000
PLATFORMS = Path(__file__).parents[2] / "crawlers/read/layouts/platforms"
PAGES = sum(map(len, SAVED.values()))

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # bs4 and openpyxl warn of what they read all the same


@pytest.fixture(scope="module", autouse=True)
def quietly() -> Iterator[None]:
    """Keep what spiders and readers log of broken pages out of the report, and end the reader of PDFs at last."""
    quiet()
    yield
    gc.unfreeze()
    logging.disable(logging.NOTSET)
    stop()


@pytest.mark.parametrize("source", SAVED)
def test_spoiled_pages_through_the_spiders(source: str, tmp_path: Path) -> None:
    cases = Cases(tmp_path)
    for mutant in mutated_pages(round(CASES * 0.6 * len(SAVED[source]) / PAGES), sources=(source,)):
        cases.run(*mutant)
    cases.require_none()


@pytest.mark.parametrize("kind", [kind for kind in MUTANTS if kind != "pages"])
def test_spoiled_texts_and_files(kind: str, tmp_path: Path) -> None:
    cases, (mutants, share) = Cases(tmp_path), MUTANTS[kind]
    for mutant in mutants(round(CASES * share)):
        cases.run(*mutant)
    cases.require_none()


def test_every_format_has_a_small_file_that_is_read_whole() -> None:
    platforms = {path.stem for path in PLATFORMS.glob("*.yaml")}  # each has its example beside it
    assert known_formats() == sorted({*RECORDS, *platforms, "paper", "docx", "pdf", "moodle_xml", "entries", "dialogues"})
    for name, body in small_files().items():
        guessed = guess_format(name, body)
        reading = read_file(name, body, guessed, SEEN)
        assert guessed == Path(name).stem or Path(name).stem not in RECORDS
        assert reading.record_count and not reading.faults, name
        if guessed == "paper":
            assert reading.record_count == (7 if name.endswith(".docx") else 6), name  # with one in a table


def test_spoiled_files_through_the_command(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """What is told to have been found is written, as an item or among the rejected, whatever files stand beside."""
    files, folder = small_files(), tmp_path / "books"
    folder.mkdir()
    for place, (file, body) in enumerate(files.items()):
        spoiled, _ = spoiled_file(Random(f"command {file}"), file, body)
        (folder / f"{place:02}_{file}").write_bytes(spoiled if place % 2 else body)
    read.main([str(folder), "--rejected", str(tmp_path / "rejected.jsonl")])
    out, told = capfdbinary.readouterr()
    lines = [*out.splitlines(), *(tmp_path / "rejected.jsonl").read_bytes().splitlines()]
    assert all(ITEM.decode(line) for line in lines)
    assert told
