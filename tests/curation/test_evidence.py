"""Passages that speak of claims."""

import csv
import io
from pathlib import Path

import msgspec
import pytest

from curation.claims import make_claims
from curation.evidence import draw, main, rank_passages, safe_cell, sheet
from records.evidence import Evidence, Passage, passage_id
from records.fact import Fact, fact_id
from records.jsonl import read_jsonl, write_jsonl
from records.params import Claims
from records.provenance import Provenance


def fact(relation: str, head: str, tail: str, *sources: str) -> Fact:
    seen = [Provenance(source=s, url=f"https://{s}/1", snapshot="2026-11-20", page_id="page-1", position="p") for s in sources]
    return Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=True, provenance=seen)


def passage(source: str, text: str) -> Passage:
    url = f"https://{source}/{len(text)}"
    return Passage(id=passage_id(url, text), text=text, source=source, url=url, section=None)


CLAIMS, _ = make_claims(
    [fact("disease_symptom", "胰尾癌", "腹痛", "ask120"), fact("disease_cause", "病毒性肠炎", "诺瓦克病毒", "ask120", "xiaohe")],
    Claims(per_type=9, template="paper", seed=1),
)
PASSAGES = [
    passage("ask120", "胰尾癌的病人常说腹痛，夜里更重。"),
    passage("xiaohe", "胰尾癌早期多无感觉，腹痛出现时往往已晚。"),
    passage("xiaohe", "腹痛的原因很多，要看部位。"),
    passage("xiaohe", "病毒性肠炎多由诺瓦克病毒引起。"),
    passage("ask120", "＝1+1 苹果富含果胶。"),
]


def found(most: int = 10) -> dict[str, list[Evidence]]:
    rows: dict[str, list[Evidence]] = {}
    for row in rank_passages(CLAIMS, PASSAGES, most):
        rows.setdefault(row.claim_id, []).append(row)
    return rows


def by_tail(tail: str) -> str:
    return next(claim.id for claim in CLAIMS if claim.tail == tail)


def test_the_passage_that_speaks_of_the_claim_comes_first() -> None:
    texts = {p.id: p.text for p in PASSAGES}
    rows = found()[by_tail("腹痛")]
    assert texts[rows[0].passage] == "胰尾癌早期多无感觉，腹痛出现时往往已晚。"
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)


def test_a_claim_of_one_source_gets_passages_of_others_alone() -> None:
    assert {row.source for row in found()[by_tail("腹痛")]} == {"xiaohe"}
    assert {row.source for row in found()[by_tail("诺瓦克病毒")]} == {"xiaohe"}


def test_a_passage_without_a_shared_word_is_no_evidence() -> None:
    assert all(row.passage != PASSAGES[4].id for rows in found().values() for row in rows)


def test_the_order_of_passages_does_not_matter() -> None:
    assert list(rank_passages(CLAIMS, PASSAGES, 10)) == list(rank_passages(CLAIMS, PASSAGES[::-1], 10))


def test_no_more_than_asked() -> None:
    assert all(len(rows) == 1 for rows in found(1).values())


def test_nothing_to_search_gives_nothing() -> None:
    assert list(rank_passages(CLAIMS, [], 10)) == []
    assert list(rank_passages([], PASSAGES, 10)) == []


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", "\tx"])
def test_a_cell_is_never_a_formula(text: str) -> None:
    assert safe_cell(text) == "'" + text


def test_the_sheet_has_a_row_a_passage_and_one_for_a_claim_without() -> None:
    rows = list(csv.DictReader(io.StringIO(sheet(CLAIMS, {}, {}))))
    assert [row["claim"] for row in rows] == [claim.factual for claim in CLAIMS]


def test_a_draw_is_stable_and_balanced() -> None:
    facts = [fact("disease_symptom", f"病{i}", "热", "a") for i in range(9)] + [
        fact("disease_cause", f"病{i}", "寒", "a") for i in range(3)
    ]
    claims, _ = make_claims(facts, Claims(per_type=99, template="paper", seed=1))
    drawn = draw(claims, 4, seed=1)
    assert [claim.atomic_type for claim in drawn] == ["disease_cause"] * 3 + ["disease_symptom"] * 4
    assert draw(claims[::-1], 4, seed=1) == drawn


def test_the_stage_writes_the_same_bytes_twice(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "c.jsonl", CLAIMS, key=lambda c: c.id)
    write_jsonl(tmp_path / "p.jsonl", PASSAGES, key=lambda p: p.id)
    argv = [f"--{name}={tmp_path / path}" for name, path in [("claims", "c.jsonl"), ("passages", "p.jsonl"), ("out", "e.jsonl")]]
    argv += [f"--annotation={tmp_path}/annotation", f"--metrics={tmp_path}/m.json"]
    main(argv)
    first = (tmp_path / "e.jsonl").read_bytes(), (tmp_path / "annotation/claims.csv").read_bytes()
    main(argv)
    assert first == ((tmp_path / "e.jsonl").read_bytes(), (tmp_path / "annotation/claims.csv").read_bytes())
    assert len(list(read_jsonl(tmp_path / "e.jsonl", Evidence))) == msgspec.json.decode((tmp_path / "m.json").read_bytes())["evidence"]
