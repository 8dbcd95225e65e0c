"""Fourfold sets by split: heads that exchange tails stay together, and models without knowledge stay at chance."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from msgspec import structs

from atomexam.records.claim import Fourfold
from atomexam.runtime.jsonl import write_jsonl
from splits.leaks.checks import Splits, containment_leaks
from splits.leaks.knowledge_free import MODELS, at_least, lines_of, open_to_wording, without_knowledge
from splits.ledger.prior_assignments import Allocation
from splits.split.claim_split import split_rows, tied_heads
from tests.splits.toys import add, check_leaks


def row(head: str, tail: str, false_tail: str, giver: str) -> Fourfold:
    sentences = [f"{head}{verb}{what}" for what in (tail, false_tail) for verb in ("包括", "不包括")]
    names = ("true_affirmed", "true_denied", "false_affirmed", "false_denied")
    return Fourfold(
        id=f"{head}/{tail}", atomic_type="disease_symptom", head=head, tail=tail, false_head=head, false_tail=false_tail,
        **dict(zip(names, sentences, strict=True)), fact_ids=[f"{head}/{tail}"], false_fact_ids=[giver], provenance=[],
    )  # fmt: skip


def ring(*facts: tuple[str, str]) -> list[Fourfold]:
    """Return rows that exchange tails: each takes the tail of the next."""
    return [row(*one, other[1], "/".join(other)) for one, other in zip(facts, [*facts[1:], facts[0]], strict=True)]


ROWS = [*ring(("甲", "一"), ("乙", "二"), ("丙", "三")), *ring(("丁", "四"), ("戊", "五"))]


def test_heads_that_exchange_tails_are_tied() -> None:
    ties = tied_heads(ROWS)
    assert ties["甲"] == ties["乙"] == ties["丙"] != ties["丁"] == ties["戊"]


def test_ties_an_examination_to_its_heads_for_groups_of_people() -> None:
    heads = ("血尿酸", "血尿酸(成年男性)", "血尿酸（成年女性）", "血沉（儿童）")
    rows = [structs.replace(row(head, "1~2", "4~5", "none"), atomic_type="examination_range") for head in heads]
    ties = tied_heads(rows)
    assert ties[heads[0]] == ties[heads[1]] == ties[heads[2]] != ties[heads[3]]


def test_ring_across_splits_is_in_none() -> None:
    heads = {head: Allocation("test" if head in "甲乙丙" else "train", "drawn") for head in "甲乙丙丁戊"}
    by_split, apart = split_rows(ROWS, heads)
    assert {split: len(rows) for split, rows in by_split.items()} == {"test": 3, "train": 2} and not apart
    by_split, apart = split_rows(ROWS, heads | {"丙": Allocation("dev", "drawn")})
    assert sorted(row.head for row in apart) == ["丙", "乙", "甲"] and list(by_split) == ["train"]


def test_exchanged_tails_keep_models_without_knowledge_at_chance() -> None:
    train, test = (
        [one for turn in turns for one in ring((f"头{turn}甲", f"症{2 * turn}"), (f"头{turn}乙", f"症{2 * turn + 1}"))]
        for turns in (range(20), range(20, 40))
    )
    lines = lines_of(train, test)
    assert {line.model for line in lines} == set(MODELS) and not open_to_wording(lines)
    assert all(line.sentences <= 0.55 and line.facts <= 0.3 for line in lines if line.model != "overlap")
    assert without_knowledge(lines)["by_model"]["negation"] == {"sentences": 0.5, "facts": 0.0}


@pytest.mark.parametrize(
    ("model", "true", "false"),
    [("tail_ngrams", "真症{}", "假状{}"), ("overlap", "头{}", "尾")],
)
def test_finds_a_tail_that_reveals_the_answer(model: str, true: str, false: str) -> None:
    rows = [row(f"头{number}", true.format(number), false.format(number), "x") for number in range(60)]
    assert model in {line.model for line in open_to_wording(lines_of(rows[:30], rows[30:]))}


def test_cue_stops_the_pipeline(split_files, pool, tmp_path: Path) -> None:
    folder = split_files(pool)
    rows = [row(f"头{number}", f"真症{number}", f"假状{number}", "x") for number in range(60)]
    for split, part in (("train", rows[:30]), ("test", rows[30:])):
        write_jsonl(folder / f"splits/{split}/fourfold.jsonl", part, key=lambda one: one.id)
    with pytest.raises(ValueError, match="leaks, all in") as stopped:
        check_leaks(folder)
    assert "  wording " in str(stopped.value)
    assert json.loads((folder / "leaks.json").read_text())["without_knowledge"]["best_by_type"]["disease_symptom"]["facts"] == 1.0


def test_finds_a_sentence_in_a_question_of_train(split_files, pool, question, tmp_path: Path) -> None:
    asked = question(900, answer="A")
    rows = [row(f"某某病{number}", f"剧烈头痛{number}", f"下肢麻木{number}", "x") for number in range(2)]
    teaching = structs.replace(asked, id="q-teaching", stem=f"有人说{rows[0].false_affirmed}，这种说法是（ ）。")
    folder = split_files(pool)
    add(folder, "train", teaching)
    write_jsonl(folder / "splits/test/fourfold.jsonl", rows, key=lambda one: one.id)
    found = containment_leaks(Splits(folder / "splits"), 0.95)
    assert [(leak.check, leak.id, leak.other_id) for leak in found] == [("claim", rows[0].id, "q-teaching")]


def test_releases_rows_with_a_task_and_commits_to_reserved_ones(split_files, release_of, pool, tmp_path: Path) -> None:
    rows = [one for turn in range(30) for one in ring((f"头{turn}甲", f"症{2 * turn}"), (f"头{turn}乙", f"症{2 * turn + 1}"))]
    folder = split_files(pool, fourfold=rows)
    release = release_of(folder)
    splits = json.loads((folder / "split.json").read_text())["fourfold"]
    told = {
        split: [one for path in release.glob(f"fourfold/{split}-*") for one in pq.read_table(path).to_pylist()]
        for split in ("train", "test")
    }
    assert {split: len(found) for split, found in told.items()} == {split: splits[split] for split in told} and splits["test"] > 0
    by_id = {one.id: one for one in rows}
    assert all(one[name] == getattr(by_id[one["id"]], name) for one in told["test"] for name in ("false_denied", "false_fact_ids", "tail"))
    assert json.loads((release / "reserved.json").read_text())["fourfold"] == splits["reserved"] > 0
    task = (release / "harness/atomexam_fourfold.yaml").read_text()
    assert "load_fourfold" in task and "fact_acc" in task
    asked = [json.loads(line) for line in (release / "opencompass/atomexam_fourfold.jsonl").open(encoding="utf-8")]
    assert len(asked) == 4 * splits["test"] and {one["answer"] for one in asked} == {"正确", "错误"}
    assert not (release / "sft/fourfold.json").exists()


@pytest.mark.parametrize(("right", "of", "chance", "expected"), [(3, 4, 0.5, 0.3125), (0, 9, 0.3, 1.0), (5_500, 10_000, 0.55, 0.505)])
def test_probability_of_at_least_so_many_correct(right: int, of: int, chance: float, expected: float) -> None:
    assert at_least(right, of, chance) == pytest.approx(expected, abs=0.01)
