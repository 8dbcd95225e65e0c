"""Leaks of claims of test and reserved: train or dev has their heads, their wording, or the same fact from its other end."""

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
def test_finds_a_head_on_both_sides(folder: Path, claim: Callable[..., ClaimPair], sides: tuple[str, str], head: str) -> None:
    one, two = claim("肺结核", "盗汗"), claim(head, "咯血")
    add(folder, sides[0], one)
    add(folder, sides[1], two)
    assert leaks_of(folder) == [("head", one.id, two.id)]


def test_finds_a_claim_on_both_sides_in_either_polarity(folder: Path, claim: Callable[..., ClaimPair]) -> None:
    one = claim("肺结核", "盗汗")
    other = replace(one, head="结核", id=claim_id("另一句", one.factual), factual="另一句", non_factual=one.factual)
    add(folder, "test", one)
    add(folder, "train", other)
    assert leaks_of(folder) == [("claim", one.id, other.id)]


@pytest.mark.parametrize("side", ["factual", "non_factual"])
@pytest.mark.parametrize("where", ["explanation", "stem"])
def test_finds_a_claim_in_a_question(folder: Path, claim, question, side: str, where: str) -> None:
    one = claim("肺结核", "长期午后低热")
    told = replace(question(998), **{where: f"教材：{getattr(one, side)}故选甲。"})
    add(folder, "reserved", one)
    add(folder, "train", told)
    assert leaks_of(folder) == [("claim", one.id, told.id)]


def test_lists_an_inverse_fact_without_stopping(folder: Path, claim: Callable[..., ClaimPair]) -> None:
    one, two = claim("艾滋病", "肺结核", "disease_complication"), claim("肺结核", "艾滋病", "disease_cause")
    add(folder, "test", one)
    add(folder, "train", two)
    assert [(leak.check, leak.id, leak.other_id) for leak in check_leaks(folder)] == [("inverse", one.id, two.id)]
    assert (folder / "leaks/passed.json").exists()


def test_differently_worded_heads_are_distinct(folder: Path, claim: Callable[..., ClaimPair]) -> None:
    add(folder, "test", claim("胃炎", "恶心"))
    add(folder, "train", claim("慢性胃炎", "恶心"))
    assert check_leaks(folder) == []


def test_withdraws_a_leaking_head_with_all_its_claims(split_files, pool, claims) -> None:
    folder = split_files(pool, claims)
    taught = next(read_jsonl(folder / "splits/train/claims.jsonl", ClaimPair))
    add(folder, "test", replace(taught, id=claim_id("一", "二"), factual="一", non_factual="二", head=f"{taught.head} "))
    check_leaks(folder, "--withdraw")
    again = split_files(pool, claims)
    retired = list(read_jsonl(again / "splits/retired/claims.jsonl", ClaimPair))
    assert retired == [one for one in sorted(claims, key=lambda one: one.id) if one.head == taught.head]
    assert check_leaks(again) == []


def test_instruction_files_state_no_fact_of_test(folder: Path, claim, release_of) -> None:
    one, two = claim("艾滋病", "肺结核", "disease_complication"), claim("肺结核", "艾滋病", "disease_cause")
    add(folder, "test", one)
    add(folder, "train", two)
    release = release_of(folder)
    entries = json.loads((release / "sft/claims.json").read_text(encoding="utf-8"))
    train = list(read_jsonl(folder / "splits/train/claims.jsonl", ClaimPair))
    assert len(entries) == 2 * (len(train) - 1) and two.factual not in json.dumps(entries, ensure_ascii=False)
