"""Contradicting facts: a reviewer sees the sources of each side and copies a line, and the next run applies the decision."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import curation.claims.__main__ as claims
import curation.near_duplicates.__main__ as near_duplicates
from atomexam.records.annotation import Decision, Review
from atomexam.records.claim import ClaimPair
from atomexam.records.fact import Alias, Fact, Relation, fact_id
from atomexam.records.params import Claims
from atomexam.records.provenance import Provenance
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from curation.claims.claim_context import ClaimContext, Synonyms
from curation.claims.claim_pairs import make_claims, reviews_of
from curation.claims.contradictions import clashes, resolve

PARAMS = Claims(per_type=1000, template="paper", seed=1)


def seen(source: str) -> Provenance:
    return Provenance(source=source, url=f"https://{source}.example/1", snapshot="2026-11-20", page_id="page-1", position="p")


def fact(relation: Relation, head: str, tail: str, polarity: bool = True, *sources: str) -> Fact:
    where = [seen(one) for one in sources or ("one",)]
    return Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=polarity, provenance=where)


ALIAS = Alias(name="军团菌病", alias="军团病", entity_type="disease", provenance=seen("one"))
NAMES = Synonyms([ALIAS])
SAID = fact("disease_infectivity", "军团菌病", "传染性", True, "two", "one")
DENIED = fact("disease_infectivity", "军团病", "传染性", False, "three")
EGG, CLASS = fact("disease_food", "痛风", "鸡蛋"), fact("disease_food", "痛风", "蛋类", False)
DUCK_EGG = fact("disease_food", "痛风", "鸭蛋")
LOW, HIGH = fact("examination_range", "血红蛋白（男）", "120~160g/L"), fact("examination_range", "血红蛋白（男性）", "130~175g/L")


def decided(*lines: tuple[Fact, bool]) -> dict[str, Decision]:
    return {one.id: Decision(id=one.id, polarity=polarity) for one, polarity in lines}


def made(facts: list[Fact], decisions: dict[str, Decision]) -> tuple[set[str], dict[str, tuple[str, str | None]]]:
    """Return the factual claims, and reason and detail of the other facts by tail."""
    found, refused = make_claims(facts, PARAMS, ClaimContext(synonyms=NAMES, decisions=decisions))
    return {claim.factual for claim in found}, {f"{row.fact.head} {row.fact.tail}": (row.reason, row.detail) for row in refused}


def reviews(facts: list[Fact], decisions: dict[str, Decision] | None = None) -> list[Review]:
    known = ClaimContext(synonyms=NAMES, decisions=decisions or {})
    return reviews_of(resolve(facts, NAMES, known.decisions), PARAMS, known)


def test_review_shows_statements_sources_and_how_to_decide() -> None:
    [review] = reviews([DENIED, SAID])
    assert (review.kind, review.asked) == ("fact", " ".join(review.asked.split()))
    assert all(name in review.asked for name in ("军团菌病", "军团病", "disease_infectivity", "传染性"))
    assert [(one.decision.note, one.sources, one.urls, one.rows) for one in review.statements] == [
        ("军团菌病具有传染性", ["one", "two"], ["https://one.example/1", "https://two.example/1"], 2),
        ("军团病不具有传染性", ["three"], ["https://three.example/1"], 1),
    ]
    assert [(one.decision.id, one.decision.polarity) for one in review.statements] == [(SAID.id, True), (DENIED.id, False)]


@pytest.mark.parametrize(
    ("facts", "decisions", "said", "refused"),
    [
        ([SAID, DENIED], {}, set(), {"军团菌病 传染性": ("contradicted", DENIED.id), "军团病 传染性": ("contradicted", SAID.id)}),
        ([SAID, DENIED], decided((SAID, True)), {"军团菌病具有传染性"}, {"军团病 传染性": ("overruled", SAID.id)}),
        ([SAID, DENIED], decided((DENIED, False)), {"军团病不具有传染性"}, {"军团菌病 传染性": ("overruled", DENIED.id)}),
        ([SAID, DENIED], decided((SAID, False)), {"军团病不具有传染性"}, {"军团菌病 传染性": ("overruled", SAID.id)}),
        ([SAID, DENIED], decided((SAID, True), (DENIED, True)), {"军团菌病具有传染性"}, {"军团病 传染性": ("overruled", SAID.id)}),
        ([EGG, DUCK_EGG, CLASS], decided((EGG, True)), {"痛风宜吃鸡蛋", "痛风宜吃鸭蛋"}, {"痛风 蛋类": ("overruled", EGG.id)}),
        (
            [EGG, DUCK_EGG, CLASS],
            decided((CLASS, False)),
            {"痛风忌吃蛋类"},
            {"痛风 鸡蛋": ("overruled", CLASS.id), "痛风 鸭蛋": ("overruled", CLASS.id)},
        ),
        (
            [EGG, DUCK_EGG, CLASS],
            decided((EGG, False)),
            set(),
            {"痛风 鸡蛋": ("overruled", EGG.id), "痛风 鸭蛋": ("contradicted", CLASS.id), "痛风 蛋类": ("contradicted", DUCK_EGG.id)},
        ),
        (
            [EGG, DUCK_EGG, CLASS],
            decided((EGG, True), (DUCK_EGG, True)),
            {"痛风宜吃鸡蛋", "痛风宜吃鸭蛋"},
            {"痛风 蛋类": ("overruled", min(EGG.id, DUCK_EGG.id))},
        ),
        (
            [LOW, HIGH],
            decided((HIGH, True)),
            {"血红蛋白（男性）的正常参考区间通常是130~175g/L"},
            {"血红蛋白（男） 120~160g/L": ("overruled", HIGH.id)},
        ),
        (
            [LOW, HIGH],
            decided((LOW, False), (HIGH, False)),
            set(),
            {"血红蛋白（男） 120~160g/L": ("overruled", LOW.id), "血红蛋白（男性） 130~175g/L": ("overruled", HIGH.id)},
        ),
    ],
)
def test_applies_a_reviewers_decision(facts: list[Fact], decisions: dict, said: set[str], refused: dict) -> None:
    assert made(facts, decisions) == (said, refused) == made(facts[::-1], decisions)
    assert bool(reviews(facts, decisions)) == any(reason == "contradicted" for reason, _ in refused.values())


def test_names_the_first_by_id_of_several_contradicting_facts() -> None:
    facts = [fact("disease_food", "痛风", "黄酒"), *(fact("disease_food", "痛风", name, False) for name in ("酒类", "酒精饮料"))]
    for order in (facts, facts[::-1]):
        assert made(order, {})[1]["痛风 黄酒"] == ("contradicted", min(facts[1].id, facts[2].id))


def test_names_the_first_by_id_of_several_overruling_facts() -> None:
    classes = [fact("disease_food", "痛风", name, False) for name in ("酒类", "酒精饮料")]
    facts = [fact("disease_food", "痛风", "黄酒"), *classes]
    for order in (facts, facts[::-1]):
        assert made(order, decided(*((one, False) for one in classes)))[1]["痛风 黄酒"] == ("overruled", min(one.id for one in classes))


def test_overruled_fact_contradicts_no_other() -> None:
    """忌酒类 is overruled by the decision on 黄酒, and no longer supports or contradicts another food."""
    rice, drink = fact("disease_food", "痛风", "黄酒"), fact("disease_food", "痛风", "酒类", False)
    facts = [rice, drink, fact("disease_food", "痛风", "红酒"), fact("disease_food", "痛风", "酒精饮料", False)]
    assert made(facts, decided((rice, True)))[1]["痛风 酒精饮料"] == ("overruled", rice.id)
    other_head = fact("disease_food", "痛风病", "黄酒", False)
    assert made([rice, drink, other_head], decided((rice, False)))[0] == {"痛风忌吃酒类", "痛风病忌吃黄酒"}


def test_reports_contradicting_decisions() -> None:
    with pytest.raises(ValueError, match=f"{CLASS.id} and {EGG.id}|{EGG.id} and {CLASS.id}.*contradict each other.*delete one"):
        made([EGG, CLASS], decided((EGG, True), (CLASS, False)))
    with pytest.raises(ValueError, match="state the same thing but are decided differently; delete one of the two lines"):
        made([SAID, DENIED], decided((SAID, True), (DENIED, False)))
    with pytest.raises(ValueError, match="contradict each other but are both accepted"):
        made([LOW, HIGH], decided((LOW, True), (HIGH, True)))


def test_decision_without_a_contradiction_changes_nothing() -> None:
    assert made([SAID], decided((SAID, False))) == ({"军团菌病具有传染性"}, {})


def test_fact_is_in_its_review_once() -> None:
    [review] = reviews([fact("disease_food", "痛风", "酒"), fact("disease_food", "痛风", "酒类", False)])
    assert [one.rows for one in review.statements] == [1, 1]


def test_does_not_ask_about_facts_that_cannot_be_claims() -> None:
    assert reviews([fact("disease_food", "痛风", "多吃鸡蛋"), fact("disease_food", "痛风", "多吃鸡蛋", False)]) == []


HEADS, TAILS = st.sampled_from(["军团菌病", "军团病", "痛风"]), st.sampled_from(["鸡蛋", "鸭蛋", "蛋类", "蛋类食物", "黄酒", "酒类", "热"])
FACTS = st.lists(
    st.builds(fact, st.sampled_from(["disease_food", "disease_symptom"]), HEADS, TAILS, st.booleans())
    | st.builds(fact, st.just("examination_range"), HEADS, st.sampled_from(["<1g", "1~2g", "阴性", "阳性"])),
    max_size=10,
    unique_by=lambda one: one.id,
)


@pytest.mark.slow
@given(FACTS, st.dictionaries(st.integers(0, 9), st.booleans(), max_size=3), st.randoms())
def test_no_two_claims_contradict_each_other_whatever_the_decisions(facts: list[Fact], lines: dict[int, bool], random) -> None:
    decisions = decided(*((facts[place], polarity) for place, polarity in lines.items() if place < len(facts)))
    known = ClaimContext(synonyms=NAMES, decisions=decisions)
    try:
        found, refused = make_claims(facts, PARAMS, known)
    except ValueError as error:
        assert "delete one of the two lines" in str(error)
        return
    kept = {key for claim in found for key in claim.fact_ids}
    assert not list(clashes([one for one in facts if one.id in kept], NAMES))
    assert len(facts) == len(found) + len(refused)
    told = {(row.fact.id, row.reason, row.detail) for row in refused if row.reason in ("contradicted", "overruled")}
    again = make_claims(random.sample(facts, len(facts)), PARAMS, known)[1]
    assert told == {(row.fact.id, row.reason, row.detail) for row in again if row.reason in ("contradicted", "overruled")}
    assert all(detail in {one.id for one in facts} for _, _, detail in told)
    asked = {line.decision.id for review in reviews(facts, decisions) for line in review.statements}
    assert asked <= {one for one, reason, _ in told if reason == "contradicted"} | {row.fact.id for row in refused}


def run(folder: Path) -> tuple[list[str], list[str], list[Review]]:
    """Run both stages as the pipeline does; return claims, reasons and the open reviews."""
    paths = {"out": "unique", "metrics": "m.json", "decisions": "decisions.jsonl", "references": "none.jsonl"}
    argv = [*(f"--{name}={folder / path}" for name, path in paths.items()), "--ngram_chars=3", "--threshold=0.8", "--case_threshold=0.8"]
    near_duplicates.main([*argv, f"--questions={folder}/questions.jsonl", f"--facts={folder}/facts.jsonl"])
    paths |= {"facts": "unique/facts.jsonl", "out": "claims", "aliases": "aliases.jsonl", "verdicts": "none", "chosen": "chosen.jsonl"}
    argv = [*(f"--{name}={folder / path}" for name, path in paths.items()), "--per_type=9", "--template=paper", "--seed=1"]
    claims.main(argv)
    found = [claim.factual for claim in read_jsonl(folder / "claims/claims.jsonl", ClaimPair)]
    reasons = [row.reason for row in read_jsonl(folder / "claims/rejected.jsonl", Rejected)]
    return found, reasons, list(read_jsonl(folder / "claims/review.jsonl", Review))


def test_copied_review_line_decides(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "questions.jsonl", [], key=str)
    write_jsonl(tmp_path / "facts.jsonl", [SAID, DENIED], key=lambda one: one.id)
    write_jsonl(
        tmp_path / "aliases.jsonl", [Alias(name="军团菌病", alias="军团病", entity_type="disease", provenance=seen("one"))], key=str
    )
    found, reasons, [review] = run(tmp_path)
    assert (found, reasons) == ([], ["contradicted"] * 2)
    assert b'"for_review": 1' in (tmp_path / "m.json").read_bytes()
    for statement, said in zip(review.statements, ("军团菌病具有传染性", "军团病不具有传染性"), strict=True):
        write_jsonl(tmp_path / "decisions.jsonl", [statement.decision], key=str)
        assert run(tmp_path) == ([said], ["overruled"], [])
    (tmp_path / "decisions.jsonl").unlink()
    assert run(tmp_path) == ([], ["contradicted"] * 2, [review])
