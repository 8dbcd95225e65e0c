"""Laws of claim pairs for any facts: all 17 types, every template set, heads and tails that imitate the sentences."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.claim import ClaimPair
from atomexam.records.fact import RELATIONS, Alias, Fact
from atomexam.records.params import Claims
from atomexam.records.reasons import REASONS
from curation.claims.claim_context import ClaimContext, Synonyms
from curation.claims.claim_pairs import make_claims
from curation.claims.contradictions import clashes
from curation.claims.templates import read_all
from tests.curation.hostile_pieces import LONG, PIECES
from tests.curation.records import fact, seen

SETS = sorted(read_all())


NEGATIONS = [("", "不"), ("正", "异"), ("宜", "忌"), ("有", "无")]


OF_TEMPLATES = sorted(
    {piece for name in SETS for wordings in read_all()[name].values() for one in wordings for text in (one.factual, one.non_factual)
     for piece in re.split(r"\{head\}|\{tail\}", text) if piece}
)  # fmt: skip


WORDS = ["甲", "乙", "甲病", "乙病", "不", "无", "有", "可能", "传染性", "内科", "鸡蛋", "蛋类", "阴性", "阳性", "1~2g/L", "<1g/L"]


TEXTS = st.lists(st.sampled_from([*WORDS, *OF_TEMPLATES]), min_size=1, max_size=4).map("".join)


HOSTILE = st.lists(st.sampled_from([*WORDS, *PIECES]), min_size=1, max_size=4).map("".join) | st.sampled_from(LONG) | st.text(max_size=8)


NAMES = Synonyms([Alias(name="甲", alias="甲病", entity_type="disease", provenance=seen())])


def facts_of(heads: st.SearchStrategy[str], tails: st.SearchStrategy[str], most: int = 12) -> st.SearchStrategy[list[Fact]]:
    one = st.builds(fact, st.sampled_from(RELATIONS), heads, tails, st.booleans())
    return st.lists(one, max_size=most, unique_by=lambda row: row.id)  # as near_duplicates leaves them


ANY_FACTS = facts_of(st.sampled_from(WORDS), st.sampled_from(WORDS)) | facts_of(TEXTS, TEXTS) | facts_of(HOSTILE, HOSTILE)


def differ_by_the_negation_alone(said: str, denied: str) -> bool:
    return any(
        said[:place] + after + said[place + len(before) :] == denied
        for before, after in NEGATIONS
        for place in range(len(said) + 1)
        if said.startswith(before, place)
    )


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(ANY_FACTS, st.sampled_from(SETS), st.integers(1, 20), st.randoms())
def test_laws_hold_for_all_types_and_sets(facts: list[Fact], name: str, cap: int, random) -> None:
    params = Claims(per_type=cap, template=name, seed=1)
    claims, refused = make_claims(facts, params, ClaimContext(synonyms=NAMES))
    by_id = {one.id: one for one in facts}
    assert len(facts) == len(claims) + len(refused) and {row.reason for row in refused} <= set(REASONS)
    assert Counter(one.id for one in facts) == Counter([claim.fact_ids[0] for claim in claims] + [row.fact.id for row in refused])
    said, denied = [claim.factual for claim in claims], [claim.non_factual for claim in claims]
    assert len(set(said)) == len(set(denied)) == len({claim.id for claim in claims}) == len(claims)
    assert not set(said) & set(denied)
    for claim in claims:
        own = by_id[claim.fact_ids[0]]
        affirmed, denial = (claim.factual, claim.non_factual) if own.polarity else (claim.non_factual, claim.factual)
        assert differ_by_the_negation_alone(affirmed, denial), claim
        assert all(part in sentence for part in (own.head, own.tail) for sentence in (claim.factual, claim.non_factual))
        assert (claim.head, claim.tail, claim.atomic_type) == (own.head, own.tail, own.relation)
    assert not list(clashes([by_id[claim.fact_ids[0]] for claim in claims], NAMES))
    assert max(Counter(claim.atomic_type for claim in claims).values(), default=0) <= cap
    again, _ = make_claims(random.sample(facts, len(facts)), params, ClaimContext(synonyms=NAMES))
    assert {claim.id for claim in again} == {claim.id for claim in claims}


def ids_of(claims: list[ClaimPair]) -> frozenset[str]:
    return frozenset(claim.fact_ids[0] for claim in claims)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(ANY_FACTS, ANY_FACTS, st.sampled_from(SETS), st.integers(1, 5), st.integers(0, 3))
def test_more_facts_keep_the_choice(facts: list[Fact], added: list[Fact], name: str, cap: int, seed: int) -> None:
    """Only a fact that a new one contradicts leaves; a third run changes nothing."""
    params = Claims(per_type=cap, template=name, seed=seed)
    first, _ = make_claims(facts, params, ClaimContext(synonyms=NAMES))
    known = {one.id for one in facts}
    every = [*facts, *(one for one in added if one.id not in known)]
    more, refused = make_claims(every, params, ClaimContext(synonyms=NAMES, chosen=ids_of(first)))
    gone = ids_of(first) - ids_of(more)
    assert {row.reason for row in refused if row.fact.id in gone} <= {"contradicted"}
    assert ids_of(make_claims(every, params, ClaimContext(synonyms=NAMES, chosen=ids_of(more)))[0]) == ids_of(more)


@pytest.mark.parametrize("name", SETS)
def test_a_tenth_more_facts_keeps_every_claim(name: str) -> None:
    facts = []
    for number in range(220):
        for relation in RELATIONS[:14] + RELATIONS[15:]:
            end = "科" if relation == "disease_department" else "性"
            facts.append(fact(relation, f"病{number % 40}", f"物{number % 23}{end}", number % 3 > 0))
        facts.append(fact("examination_range", f"检{number}", f"{number}~{number + 2}g/L", True))
    params = Claims(per_type=60, template=name, seed=1)
    first, _ = make_claims(facts[: len(facts) * 10 // 11], params)
    assert set(Counter(claim.atomic_type for claim in first).values()) == {60} and len(first) == 60 * 17
    assert ids_of(first) <= ids_of(make_claims(facts, params, ClaimContext(chosen=ids_of(first)))[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [  # the second states what the first denies, denies what it states, or is the same sentence, each split differently
        (fact("disease_infectivity", "甲", "传染性", True), fact("disease_infectivity", "甲不", "传染性", True)),
        (fact("disease_cause", "甲", "乙的病因包括丙", True), fact("disease_cause", "甲的病因包括乙", "丙", True)),
        (fact("disease_cause", "甲", "乙", False), fact("disease_cause", "甲", "乙 ", False)),
    ],
)
def test_equal_sentences_split_differently_make_one_claim(one: Fact, other: Fact) -> None:
    claims, refused = make_claims([one, other], Claims(per_type=9, template="paper", seed=1))
    assert len(claims) == 1 and [(row.reason, row.detail) for row in refused] == [("duplicate_claim", claims[0].fact_ids[0])]


@pytest.mark.slow
@settings(deadline=None)
@given(ANY_FACTS, st.integers(1, 4))
def test_second_run_changes_nothing(facts, cap) -> None:
    params = Claims(per_type=cap, template="paper", seed=1)
    claims, rejected = make_claims(facts, params)
    again, refused = make_claims(facts, params, ClaimContext(chosen=ids_of(claims)))
    assert {claim.id for claim in again} == {claim.id for claim in claims}
    assert Counter((row.fact.id, row.reason, row.detail) for row in refused) == Counter((r.fact.id, r.reason, r.detail) for r in rejected)
