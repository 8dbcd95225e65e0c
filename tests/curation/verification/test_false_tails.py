"""False tails before people: mixed with true ones on the sheet, counted in a table of their own, dropped if they are true."""

import json
from pathlib import Path

import curation.claims.__main__ as claims
import curation.evidence.__main__ as evidence
import curation.verdicts as verdicts
import curation.verification as verification
from atomexam.records.claim import Fourfold, Passage, false_claim, passage_id
from atomexam.records.fact import Fact, fact_id
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.sheets import read_sheet, write_sheet

MEDICINES = (("痛风", "非布司他"), ("痛风", "苯溴马隆"), ("癫痫", "卡马西平"), ("癫痫", "丙戊酸钠"))
SEEN = [Provenance(source="s", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="p")]


def rows_of(folder: Path) -> list[Fourfold]:
    named = [
        f"--{name}={folder / name}.jsonl" for name in ("facts", "aliases", "references", "passages", "verdicts", "decisions", "chosen")
    ]
    claims.main([*named, f"--out={folder}/claims", f"--metrics={folder}/m.json", "--per_type=9", "--template=paper", "--seed=1"])
    return list(read_jsonl(folder / "claims/fourfold.jsonl", Fourfold))


def test_a_false_tail_that_people_support_is_dropped(tmp_path: Path) -> None:
    facts = [
        Fact(id=fact_id("disease_medicine", *one), relation="disease_medicine", head=one[0], tail=one[1], polarity=True, provenance=SEEN)
        for one in MEDICINES
    ]
    write_jsonl(tmp_path / "facts.jsonl", facts, key=lambda fact: fact.id)
    wrong, *others = rows_of(tmp_path)
    text = f"{wrong.false_head}有时也用{wrong.false_tail}治疗"
    passages = [Passage(id=passage_id("u", text), text=text, source="t", url="https://other.com")]
    write_jsonl(tmp_path / "passages.jsonl", passages, key=lambda passage: passage.id)
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
    (tmp_path / "passages.jsonl").unlink()  # so that the verdict alone drops it
    left = {(row.false_head, row.false_tail) for row in rows_of(tmp_path)}
    assert len(left) == 2 and (wrong.false_head, wrong.false_tail) not in left


def test_a_false_tail_that_a_passage_names_with_its_head_is_dropped(tmp_path: Path) -> None:
    facts = [
        Fact(id=fact_id("disease_medicine", *one), relation="disease_medicine", head=one[0], tail=one[1], polarity=True, provenance=SEEN)
        for one in MEDICINES
    ]
    write_jsonl(tmp_path / "facts.jsonl", facts, key=lambda fact: fact.id)
    wrong = rows_of(tmp_path)[0]
    text = f"第一句。{wrong.false_head}有时也用{wrong.false_tail}治疗。"
    write_jsonl(
        tmp_path / "passages.jsonl",
        [Passage(id=passage_id("u", text), text=text, source="t", url="https://other.com")],
        key=lambda passage: passage.id,
    )
    assert (wrong.false_head, wrong.false_tail) not in {(row.false_head, row.false_tail) for row in rows_of(tmp_path)}
