"""Sightings that lie on disk are those that are held in memory, and what is made of them is the same."""

import random
from pathlib import Path

import pytest

from atomexam.records.params import NearDuplicates
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, group_id, question_id
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from curation.near_duplicates import stored_sightings
from curation.near_duplicates.clusters import find_twins
from curation.near_duplicates.damage import soundest_first
from curation.near_duplicates.merging import sightings_by_id
from curation.near_duplicates.stored_sightings import StoredSightings, sightings_of_file

PARAMS = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.65)
WORDS = ["感觉", "知觉", "记忆", "思维", "想象", "情绪", "意志", "动机", "注意", "气质", "性格", "能力"]


def toy(number: int, draw: random.Random) -> Question:
    stem = f"在{draw.choice(WORDS)}与{draw.choice(WORDS[:3])}的关系中，主要过程的基本特征和作用首先取决于（ ）。"
    case = f"求助者，女性，{draw.randrange(3) + 20}岁，因{draw.choice(WORDS)}问题与家人争吵，此后情绪低落。" if number % 5 == 0 else None
    texts = [f"{word}的过程" for word in WORDS[number % 3 :][:4]]
    seen = Provenance(source="toy", url="https://toy/1", snapshot="2026-01-01", page_id="page", position=f"q{number}")
    return Question(
        id=question_id(case, stem, texts),
        exam="PCE",
        subject="心理",
        question_type="mcqa",
        group_id=group_id(case) if case else None,
        shared_stem=case,
        stem=stem if draw.random() < 0.8 else stem.replace("的", "", 1),
        options=[Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=True)],
        answer=draw.choice(["A", "B", None]),
        explanation=draw.choice([None, "因为。"]),
        provenance=[seen],
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_lies_on_disk_is_what_is_held(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    rows = [toy(number, draw) for number in range(300)]
    write_jsonl(tmp_path / "questions.jsonl", rows, lambda row: (row.id, row.provenance))
    held = sightings_by_id(read_jsonl(tmp_path / "questions.jsonl", Question), 3)
    monkeypatch.setattr(stored_sightings, "_READ_BYTES", 2_000)
    stored = sightings_of_file(tmp_path / "questions.jsonl", 3, tmp_path, few_bytes=0)
    assert isinstance(stored, StoredSightings) and len(stored) == len(held) > 100
    plain = [one._replace(rows=list(one.rows)) for one in stored]
    assert plain == held == [stored[place]._replace(rows=list(stored[place].rows)) for place in range(len(held))]
    bonds = find_twins(held, PARAMS)
    assert bonds and find_twins(stored, PARAMS) == bonds
    assert list(soundest_first(stored, bonds, 3)) == list(soundest_first(held, bonds, 3))
    assert [path.name for path in tmp_path.iterdir()] == ["questions.jsonl"]


def test_rows_in_any_order_are_held(tmp_path: Path) -> None:
    draw = random.Random(1)
    rows = [toy(number, draw) for number in range(50)]
    path = tmp_path / "questions.jsonl"
    write_jsonl(path, rows, lambda row: row.provenance)
    assert sightings_of_file(path, 3, tmp_path, few_bytes=0) == sightings_by_id(read_jsonl(path, Question), 3)
