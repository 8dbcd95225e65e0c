"""The results of verdicts: the paper's table, intervals, agreement, and the stage."""

import csv
import io
import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import curation.claims.__main__ as claims
import curation.evidence.__main__ as evidence
import curation.verdicts as verdicts
import curation.verification as verification
from atomexam.records.annotation import ANSWERS, Verdict, majority
from atomexam.records.claim import Fourfold, Passage, false_claim, passage_id
from atomexam.records.fact import RELATIONS
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.sheets import read_sheet, write_sheet
from curation.verification import agreement, as_csv, disagreements, main, outcomes, tabulate
from tests.curation.annotation.sampled_claims import by_claim, claim, verdict
from tests.curation.records import fact

TABLE_3 = [
    *((43, 6, 1), (42, 5, 3), (48, 0, 2), (45, 5, 0), (46, 4, 0), (48, 1, 1), (46, 1, 3), (50, 0, 0), (44, 3, 3)),
    *((43, 5, 2), (45, 0, 5), (33, 11, 6), (42, 7, 1), (48, 2, 0), (32, 12, 6), (47, 3, 0), (46, 1, 3)),
]
"""SdAK, Table 3: support, neutral, refute of each type, 50 claims each, as printed."""
ORDER_OF_TABLE_3 = [
    *("metric_effect", "disease_infectivity", "disease_department", "disease_method", "disease_cause", "chinese_medicine_effect"),
    *("chinese_medicine_side_effect", "western_medicine_effect", "western_medicine_side_effect", "food_effect", "disease_examination"),
    *("disease_prevention", "disease_complication", "disease_symptom", "examination_range", "disease_food", "disease_medicine"),
]


def test_reproduces_the_table_of_the_paper() -> None:
    judged = [
        (name, answer)
        for name, line in zip(ORDER_OF_TABLE_3, TABLE_3, strict=True)
        for answer, n in zip(ANSWERS, line, strict=True)
        for _ in range(n)
    ]
    table = tabulate(judged)
    total = table["total"]
    assert [total[answer]["claims"] for answer in ANSWERS] == [748, 66, 36] and total["claims"] == 850
    assert [f"{100 * total[answer]['share']:.2f}%" for answer in ANSWERS] == ["88.00%", "7.76%", "4.24%"]
    assert all(line["claims"] == 50 for line in table["by_type"].values())
    lines = list(csv.DictReader(io.StringIO(as_csv(table))))
    assert [(line["atomic_type"], line["support"]) for line in lines] == [
        *((name, str(counts[0])) for name, counts in zip(RELATIONS, by_order(), strict=True)),
        ("total", "748"),
    ]


def by_order() -> list[tuple[int, int, int]]:
    return [TABLE_3[ORDER_OF_TABLE_3.index(name)] for name in RELATIONS]


@given(counts=st.tuples(*[st.integers(0, 60)] * 3).filter(any))
def test_intervals_are_wilson_intervals(counts: tuple[int, int, int]) -> None:
    line = tabulate([("disease_cause", answer) for answer, n in zip(ANSWERS, counts, strict=True) for _ in range(n)])["total"]
    total, z = sum(counts), 1.959963984540054
    for answer, n in zip(ANSWERS, counts, strict=True):
        share = n / total
        middle = (share + z * z / (2 * total)) / (1 + z * z / total)
        spread = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
        assert line[answer]["low"] == pytest.approx(max(0, middle - spread), abs=1e-4)
        assert line[answer]["high"] == pytest.approx(min(1, middle + spread), abs=1e-4)


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ("s", "support"),
        ("ssr", "support"),
        ("sr", "neutral"),
        ("ssrr", "neutral"),
        ("snr", "neutral"),
        ("rrn", "refute"),
        ("rrsn", "refute"),
        ("nnr", "neutral"),
    ],
)
def test_majority_decides_and_a_tie_is_neutral(answers: str, outcome: str) -> None:
    spelled = {"s": "support", "n": "neutral", "r": "refute"}
    assert majority(spelled[letter] for letter in answers) == outcome
    assert majority(spelled[letter] for letter in reversed(answers)) == outcome


def kappa_by_hand(pairs: list[tuple[str, str]]) -> float:
    agreed = sum(one == two for one, two in pairs) / len(pairs)
    ones, twos = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    chance = sum(ones[answer] * twos[answer] for answer in ANSWERS) / len(pairs) ** 2
    return (agreed - chance) / (1 - chance)


def alpha_by_hand(units: list[list[str]]) -> float:
    """Krippendorff's alpha by pairs of values within units and over all."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    seen = sum(2 * sum(one != two for one, two in combinations(unit, 2)) / (len(unit) - 1) for unit in units) / len(values)
    counts = Counter(values)
    expected = sum(counts[one] * counts[two] for one in counts for two in counts if one != two) / (len(values) * (len(values) - 1))
    return 1 - seen / expected


def test_agreement_follows_the_formulas() -> None:
    first = ["support"] * 20 + ["neutral"] * 6 + ["refute"] * 4
    second = ["support"] * 17 + ["neutral"] * 8 + ["refute"] * 5
    votes = by_claim(
        *(verdict(n, "first", answer) for n, answer in enumerate(first)),
        *(verdict(n, "second", answer) for n, answer in enumerate(second)),
        verdict(90, "first", "refute"),
    )
    found = agreement(votes)
    assert found["claims"] == 30 and found["unanimous"] == sum(map(str.__eq__, first, second))
    pair = found["cohen"]["first / second"]
    assert pair == {"claims": 30, "kappa": pytest.approx(kappa_by_hand(list(zip(first, second, strict=True))), abs=1e-4)}
    assert found["krippendorff"]["alpha"] == pytest.approx(alpha_by_hand(list(map(list, zip(first, second, strict=True)))), abs=1e-4)
    assert found["fleiss"]["verdicts_per_claim"] == 2 and abs(found["fleiss"]["kappa"] - found["krippendorff"]["alpha"]) < 0.02


def test_alpha_takes_any_number_of_verdicts_and_fleiss_a_fixed_one() -> None:
    answers = [
        ["support", "support", "refute"],
        ["neutral", "neutral"],
        ["refute", "refute", "refute"],
        ["support"],
        ["support", "neutral"],
    ]
    votes = by_claim(*(verdict(n, f"a{m}", answer) for n, line in enumerate(answers) for m, answer in enumerate(line)))
    found = agreement(votes)
    assert found["krippendorff"] == {"claims": 4, "alpha": pytest.approx(alpha_by_hand(answers), abs=1e-4)}
    assert (found["fleiss"]["claims"], found["fleiss"]["verdicts_per_claim"]) == (2, 3)
    assert {name: one["claims"] for name, one in found["cohen"].items()} == {"a0 / a1": 4, "a0 / a2": 2, "a1 / a2": 2}


def test_fleiss_uses_the_commonest_number_of_verdicts() -> None:
    answers = [["support", "refute"], ["support", "support"], ["refute", "refute"], ["support", "neutral", "refute"]]
    votes = by_claim(*(verdict(n, f"a{m}", answer) for n, line in enumerate(answers) for m, answer in enumerate(line)))
    fleiss = agreement(votes)["fleiss"]
    # by hand: agreed (0 + 1 + 1) / 3; three of six verdicts each, by chance 1/2
    assert (fleiss["claims"], fleiss["verdicts_per_claim"], fleiss["kappa"]) == (3, 2, pytest.approx((2 / 3 - 1 / 2) / (1 / 2), abs=1e-4))


def test_annotator_with_constant_verdicts_agrees_only_by_chance() -> None:
    votes = by_claim(
        *(verdict(n, "a", "support" if n % 2 else "refute") for n in range(6)), *(verdict(n, "b", "support") for n in range(6))
    )
    assert agreement(votes)["cohen"] == {"a / b": {"claims": 6, "kappa": 0.0}}
    votes = by_claim(
        *(verdict(n, "b", "support" if n % 2 else "refute") for n in range(6)), *(verdict(n, "a", "support") for n in range(6))
    )
    assert agreement(votes)["cohen"] == {"a / b": {"claims": 6, "kappa": 0.0}}


def test_reports_undefined_agreement() -> None:
    alone = agreement(by_claim(verdict(1, "a", "support"), verdict(2, "b", "refute")))
    assert (alone["claims"], alone["unanimous_share"], alone["cohen"]) == (0, None, {})
    assert alone["krippendorff"] == {"claims": 0, "alpha": None, "undefined": "no claim has two verdicts"}
    same = agreement(by_claim(*(verdict(n, name, "support") for n in range(5) for name in "ab")))
    assert same["cohen"]["a / b"] == {"claims": 5, "kappa": None, "undefined": "all these verdicts are the same"}
    assert same["fleiss"]["kappa"] is None and same["krippendorff"]["alpha"] is None
    assert "NaN" not in json.dumps([alone, same])


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from("abc"), st.sampled_from(ANSWERS)), max_size=20))
def test_any_verdicts_give_figures_without_nan(given_verdicts: list[tuple[int, str, str]]) -> None:
    votes = by_claim(*{(n, who): verdict(n, who, answer) for n, who, answer in given_verdicts}.values())
    json.dumps(agreement(votes), allow_nan=False)
    assert len(disagreements(votes)) == agreement(votes)["claims"] - agreement(votes)["unanimous"]


def run(folder: Path, *verdicts: Verdict) -> dict:
    write_jsonl(folder / "verdicts.jsonl", verdicts, key=lambda one: (one.claim_id, one.annotator))
    argv = [f"--verdicts={folder}/verdicts.jsonl", f"--claims={folder}/claims.jsonl", f"--out={folder}/out", f"--metrics={folder}/m.json"]
    main(argv)
    return json.loads((folder / "m.json").read_text())


def test_stage_reports_missing_verdicts(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "claims.jsonl", [claim("甲的症状包括热")], key=lambda one: one.id)
    found = run(tmp_path)
    assert found["table"]["total"]["claims"] == 0 and found["in_data"] == {
        **{"claims": 1, "verified": 0},
        **dict.fromkeys(ANSWERS, 0),
    }
    assert verification.summary_line(found).startswith("no claim is judged yet")
    assert verification.summary_line(found | {"in_data": {"claims": 0}}) == "there is no claim to judge"
    told = (tmp_path / "out/table.md").read_text()
    assert told.startswith("No claim is verified yet. Copy the sheet in data/annotation") and told.count("\n") == 1
    assert (tmp_path / "out/disagreements.jsonl").read_text() == ""


def test_refuted_claim_that_left_still_counts(tmp_path: Path) -> None:
    kept = claim("甲的症状包括热", "disease_cause")
    write_jsonl(tmp_path / "claims.jsonl", [kept], key=lambda one: one.id)
    row = Verdict(claim_id=kept.id, annotator="a", verdict="support", claim=kept.factual, atomic_type="disease_cause")
    gone = [verdict(1, "a", "refute"), verdict(1, "b", "refute"), verdict(2, "a", "support"), verdict(2, "b", "neutral", "看不出")]
    found = run(tmp_path, row, *gone)
    assert [found["table"]["total"][answer]["claims"] for answer in ANSWERS] == [1, 1, 1]
    assert found["in_data"] == {"claims": 1, "verified": 1, "support": 1, "neutral": 0, "refute": 0}
    told = json.loads((tmp_path / "out/disagreements.jsonl").read_text())
    assert (told["outcome"], told["verdicts"], told["comments"]) == ("neutral", {"a": "support", "b": "neutral"}, {"b": "看不出"})
    first = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    run(tmp_path, *gone[::-1], row)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == first


@pytest.mark.slow
def test_counts_a_hundred_thousand_verdicts() -> None:
    votes = by_claim(*(verdict(n % 50_000, "ab"[n // 50_000], ANSWERS[(n * 7) % 3]) for n in range(100_000)))
    assert agreement(votes)["krippendorff"]["claims"] == 50_000
    assert tabulate((given[0].atomic_type, outcomes(votes)[name]) for name, given in list(votes.items())[:10])["total"]["claims"] == 10


MEDICINES = (("痛风", "非布司他"), ("痛风", "苯溴马隆"), ("癫痫", "卡马西平"), ("癫痫", "丙戊酸钠"))


def rows_of(folder: Path, out: str = ".") -> list[Fourfold]:
    named = [f"--{name}={folder / name}.jsonl" for name in ("facts", "aliases", "references", "passages", "verdicts", "decisions")]
    to = folder / out
    claims.main([*named, f"--chosen={to}/chosen.jsonl", f"--out={to}/claims", f"--metrics={to}/m.json", "--per_type=9", "--template=paper"])
    return list(read_jsonl(to / "claims/fourfold.jsonl", Fourfold))


def test_drops_a_false_tail_that_a_passage_or_annotators_support(tmp_path: Path) -> None:
    facts = [fact("disease_medicine", *one) for one in MEDICINES]
    write_jsonl(tmp_path / "facts.jsonl", facts, key=lambda fact: fact.id)
    wrong, *others = rows_of(tmp_path)
    text = f"{wrong.false_head}有时也用{wrong.false_tail}治疗"
    passages = [Passage(id=passage_id("u", text), text=text, source="t", url="https://other.com")]
    write_jsonl(tmp_path / "passages.jsonl", passages, key=lambda passage: passage.id)
    assert (wrong.false_head, wrong.false_tail) not in {(row.false_head, row.false_tail) for row in rows_of(tmp_path, "beside")}
    paths = {"claims": "claims/claims.jsonl", "passages": "passages.jsonl", "reserved": "none/claims.jsonl", "search": "search"}
    paths |= {"out": "evidence.jsonl", "annotation": "annotation", "metrics": "e.json"}
    flags = ["--passages_per_claim=3", "--annotate_per_type=9", "--seed=1"]
    evidence.main([*(f"--{name}={tmp_path / path}" for name, path in paths.items()), *flags])
    sheet = [cells for _, cells in read_sheet(tmp_path / "annotation/claims.xlsx")]
    false = {false_claim(row).id for row in (wrong, *others)}
    sides = [cells["claim_id"] in false for cells in sheet]
    assert len(sheet) == 8 and sum(sides) == 4 and sides != sorted(sides) and sides != sorted(sides, reverse=True)
    asked = next(cells for cells in sheet if cells["claim_id"] == false_claim(wrong).id)
    assert asked["claim"] == wrong.false_affirmed and text in asked["evidence_1"]
    write_sheet(tmp_path / "first.xlsx", list(asked), [[*(asked | {"verdict": "support"}).values()]], {})
    verdicts.main([str(tmp_path / "first.xlsx"), f"--claims={tmp_path}/claims/claims.jsonl", f"--verdicts={tmp_path}/verdicts.jsonl"])
    named = {"verdicts": "verdicts.jsonl", "claims": "claims/claims.jsonl", "out": "verification", "metrics": "v.json"}
    verification.main([f"--{name}={tmp_path / path}" for name, path in named.items()])
    measured = json.loads((tmp_path / "v.json").read_text())
    assert (measured["table"]["total"]["claims"], measured["false_tails"]["total"]["support"]["claims"]) == (0, 1)
    assert (measured["in_data"]["support"], measured["false_tails_in_data"]["support"]) == (0, 1) and "False tails" in (
        tmp_path / "verification/table.md"
    ).read_text()
    (tmp_path / "passages.jsonl").unlink()  # so that only the verdict drops it
    left = {(row.false_head, row.false_tail) for row in rows_of(tmp_path)}
    assert len(left) == 2 and (wrong.false_head, wrong.false_tail) not in left
