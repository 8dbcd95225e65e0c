"""Claims of test and reserved: what train or dev says of their heads, in their words, or of the same fact from its other end."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from atomexam.records.claim import ClaimPair, claim_id
from atomexam.runtime.jsonl import read_jsonl
from tests.splits.toys import add, check_leaks, leaks_of


@pytest.fixture
def folder(split_files, pool, claims) -> Path:
    return split_files(pool, claims)


HEADS = ["肺结核", "肺 结核", "肺结核。"]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("sides", [("test", "train"), ("reserved", "dev")])
def test_a_head_on_both_sides_is_found(folder: Path, claim: Callable[..., ClaimPair], sides: tuple[str, str], head: str) -> None:
    one, two = claim("肺结核", "盗汗"), claim(head, "咯血")
    add(folder, sides[0], one)
    add(folder, sides[1], two)
    assert leaks_of(folder) == [("head", one.id, two.id)]


def test_a_claim_on_both_sides_is_found_whichever_side_of_the_pair_it_is(folder: Path, claim: Callable[..., ClaimPair]) -> None:
    one = claim("肺结核", "盗汗")
    other = replace(one, head="结核", id=claim_id("另一句", one.factual), factual="另一句", non_factual=one.factual)
    add(folder, "test", one)
    add(folder, "train", other)
    assert leaks_of(folder) == [("claim", one.id, other.id)]


@pytest.mark.parametrize("side", ["factual", "non_factual"])
@pytest.mark.parametrize("where", ["explanation", "stem"])
def test_a_claim_that_a_question_says_is_found(folder: Path, claim, question, side: str, where: str) -> None:
    one = claim("肺结核", "长期午后低热")
    told = replace(question(998), **{where: f"教材：{getattr(one, side)}故选甲。"})
    add(folder, "reserved", one)
    add(folder, "train", told)
    assert leaks_of(folder) == [("claim", one.id, told.id)]


def test_a_fact_told_from_its_other_end_is_named_and_stops_nothing(folder: Path, claim: Callable[..., ClaimPair]) -> None:
    one, two = claim("艾滋病", "肺结核", "disease_complication"), claim("肺结核", "艾滋病", "disease_cause")
    add(folder, "test", one)
    add(folder, "train", two)
    assert [(leak.check, leak.id, leak.other_id) for leak in check_leaks(folder)] == [("inverse", one.id, two.id)]
    assert (folder / "leaks/passed.json").exists()


def test_heads_that_differ_in_words_are_two(folder: Path, claim: Callable[..., ClaimPair]) -> None:
    add(folder, "test", claim("胃炎", "恶心"))
    add(folder, "train", claim("慢性胃炎", "恶心"))
    assert check_leaks(folder) == []


def test_a_head_that_gives_test_away_is_withdrawn_with_all_its_claims(split_files, pool, claims) -> None:
    folder = split_files(pool, claims)
    taught = next(read_jsonl(folder / "splits/train/claims.jsonl", ClaimPair))
    add(folder, "test", replace(taught, id=claim_id("一", "二"), factual="一", non_factual="二", head=f"{taught.head} "))
    check_leaks(folder, "--withdraw")
    again = split_files(pool, claims)
    retired = list(read_jsonl(again / "splits/retired/claims.jsonl", ClaimPair))
    assert retired == [one for one in sorted(claims, key=lambda one: one.id) if one.head == taught.head]
    assert check_leaks(again) == []


def test_nothing_that_tells_a_fact_of_test_is_taught(folder: Path, claim, release_of) -> None:
    one, two = claim("艾滋病", "肺结核", "disease_complication"), claim("肺结核", "艾滋病", "disease_cause")
    add(folder, "test", one)
    add(folder, "train", two)
    release = release_of(folder)
    entries = json.loads((release / "sft/claims.json").read_text(encoding="utf-8"))
    train = list(read_jsonl(folder / "splits/train/claims.jsonl", ClaimPair))
    assert len(entries) == 2 * (len(train) - 1) and two.factual not in json.dumps(entries, ensure_ascii=False)
