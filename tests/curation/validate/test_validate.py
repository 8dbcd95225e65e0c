"""The stage on whole files: sound ones pass; each kind of defect breaks its expectation and is reported with its ids."""

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from atomexam.records.claim import ClaimPair, Fourfold, claim_id
from atomexam.records.cluster import Cluster
from atomexam.records.fact import Fact
from atomexam.records.params import Claims
from atomexam.records.prediction import Prediction
from atomexam.records.provenance import content_id
from atomexam.records.question import Question, group_id
from atomexam.runtime.jsonl import write_jsonl
from curation.claims.claim_pairs import make_claims
from curation.validate.__main__ import TABLES, main
from curation.validate.run import SUITES, check_table, quiet_context, read_suite
from curation.validate.tables import InputPaths
from tests.curation import records
from tests.curation.records import fact, seen

pytestmark = pytest.mark.slow

SEEN = [seen()]
replace = msgspec.structs.replace


class World(NamedTuple):
    """All records, by table."""

    questions: list[Question]
    facts: list[Fact]
    claims: list[ClaimPair]
    clusters: list[Cluster]
    splits: dict[str, list[Question | ClaimPair | Fourfold]]
    predictions: dict[str, list[Prediction]]
    fourfold: Sequence[Fourfold] = ()


def question(
    stem: str, answer: str = "A", kind: str = "mcqa", options: tuple[str, ...] = ("甲", "乙", "丙"), case: str | None = None
) -> Question:
    made = records.question(
        stem, options, answer, question_type=kind, subject="甲", shared_stem=case, group_id=group_id(case) if case else None
    )
    return replace(made, cluster_id=content_id("cluster", made.id))


def stated(head: str, tail: str, polarity: bool = True, relation: str = "disease_symptom") -> Fact:
    return fact(relation, head, tail, polarity)


def prediction(run: str, item: str, repeat: int = 0, **other: Any) -> Prediction:
    told = {
        "prompt_sha256": content_id("p", item).ljust(64, "0")[-64:].replace("p-", "00"),
        "reply": "A",
        "finish_reason": "stop",
        "tokens": 1,
    }
    return Prediction(item_id=item, run=run, repeat=repeat, **told | other)


CASE = "某人，女，三十岁，近两周情绪低落。"
ALONE, SEVERAL, WORDS = question("感觉是（ ）"), question("知觉是（ ）", "AB", "mrqa"), question("简述记忆", "记忆是……", "qa", ())
FIRST, SECOND = question("最可能的诊断是（ ）", case=CASE), question("首选的方法是（ ）", case=CASE)
QUESTIONS = [ALONE, SEVERAL, WORDS, FIRST, SECOND]
FACTS = [
    stated("高血压", "头晕"),
    stated("糖尿病", "多饮"),
    stated("痛风", "啤酒", False, "disease_food"),
    stated("流感", "传染性", True, "disease_infectivity"),
]
CLAIMS, _ = make_claims(FACTS, Claims(per_type=9, template="paper", seed=1))


def fourfold(one: Fact, other: Fact, **changes: Any) -> Fourfold:
    """Return the row of a fact with the tail of another as the false tail."""
    sentences = [f"{one.head}的常见症状{verb}{tail}" for tail in (one.tail, other.tail) for verb in ("包括", "不包括")]
    row = Fourfold(
        id=content_id("fourfold", *sentences), atomic_type="disease_symptom", head=one.head, tail=one.tail, false_head=one.head,
        false_tail=other.tail, true_affirmed=sentences[0], true_denied=sentences[1], false_affirmed=sentences[2],
        false_denied=sentences[3], fact_ids=[one.id], false_fact_ids=[other.id], provenance=SEEN,
    )  # fmt: skip
    return replace(row, **changes)


FOURFOLD = [fourfold(FACTS[0], FACTS[1]), fourfold(FACTS[1], FACTS[0])]
TWIN = question("感觉就是（ ）").id
CLUSTER = Cluster(cluster_id=ALONE.cluster_id, kept=ALONE.id, medoid=ALONE.id, members=[ALONE.id, TWIN], similarity=[1.0, 0.9], rows=3)
LOST = Cluster(cluster_id=content_id("cluster", "q-x"), kept=None, medoid="q-x", members=["q-x"], similarity=[1.0], rows=2)
SPLITS: dict[str, list[Any]] = {
    "train": [ALONE, WORDS, *CLAIMS[1:], *FOURFOLD],
    "dev": [SEVERAL],
    "test": [FIRST, SECOND, CLAIMS[0]],
    "reserved": [],
}
SIDES = [f"{CLAIMS[0].id}/factual", f"{CLAIMS[0].id}/non_factual"]
REPLIES = {
    "pick": [prediction("pick", one.id) for one in (FIRST, SECOND)],
    "say": [prediction("say", side, repeat) for side in SIDES for repeat in range(2)],
}
GOOD = World(QUESTIONS, FACTS, CLAIMS, [CLUSTER, LOST], SPLITS, REPLIES, FOURFOLD)


def write_world(folder: Path, world: World) -> InputPaths:
    files = tuple(folder / "predictions/random" / f"{run}.jsonl" for run in world.predictions)
    places = InputPaths(*(folder / f"{name}.jsonl" for name in InputPaths._fields[:4]), folder / "splits", files)
    for name in ("questions", "facts", "claims", "fourfold"):
        write_jsonl(getattr(places, name), getattr(world, name), key=lambda record: record.id)
    write_jsonl(places.clusters, world.clusters, key=lambda cluster: cluster.cluster_id)
    for split, held in world.splits.items():
        for name, shape in (("questions", Question), ("claims", ClaimPair), ("fourfold", Fourfold)):
            chosen = [record for record in held if isinstance(record, shape)]
            write_jsonl(places.splits / split / f"{name}.jsonl", chosen, key=lambda record: record.id)
    for path, replies in zip(files, world.predictions.values(), strict=True):
        write_jsonl(path, replies, key=lambda reply: reply.item_id)
    return places


def arguments(folder: Path, world: World, *more: str) -> list[str]:
    places = write_world(folder, world)
    flags = [f"--{name}={getattr(places, name)}" for name in InputPaths._fields[:5]]
    return [
        *flags,
        f"--predictions={folder}/predictions",
        "--runs",
        *world.predictions,
        f"--out={folder}/validation",
        f"--metrics={folder}/m.json",
        f"--suites={SUITES}",
        *more,
    ]


@pytest.fixture(scope="module")
def context():
    return quiet_context()


def broken(context, folder: Path, table: str, world: World) -> list[tuple[str, str, list[str]]]:
    """Return (columns, severity, ids) of the failed expectations."""
    checked = check_table(context, table, TABLES[table](write_world(folder, world)), read_suite(SUITES / f"{table}.yaml"))
    return [(" ".join(result.columns), result.severity, result.broken_by) for result in checked.results if not result.success]


@pytest.mark.parametrize("table", TABLES)
def test_sound_tables_pass(context, tmp_path: Path, table: str) -> None:
    assert broken(context, tmp_path, table, GOOD) == []


def test_question_may_have_the_cluster_of_its_kin(context, tmp_path: Path) -> None:
    kin = replace(OTHER, cluster_id=SEVERAL.cluster_id)
    assert broken(context, tmp_path, "questions", GOOD._replace(questions=[*QUESTIONS, kin])) == []


@pytest.mark.parametrize("table", TABLES)
def test_empty_tables_break_only_warnings(context, tmp_path: Path, table: str) -> None:
    empty = World([], [], [], [], {split: [] for split in SPLITS}, {"pick": []})
    assert {severity for _, severity, _ in broken(context, tmp_path, table, empty)} <= {"warning"}


OTHER = question("别的题目")
BAD_QUESTIONS = [
    ("id", ALONE),
    ("id", replace(OTHER, id="7")),
    ("id id_of_content", replace(OTHER, stem="改过的题目")),
    ("exam", replace(OTHER, exam="")),
    ("subject", replace(OTHER, subject="")),
    ("answer", replace(question("别的", "", "qa", ()))),
    ("cluster_id", replace(OTHER, cluster_id=None)),
    ("cluster_of_a_member?", replace(OTHER, cluster_id="cluster-1")),
    ("stem", question("", "一个词的解释", "qa", ())),
    ("choice_stem", question("一")),
    ("shared_stem", question("别的题目", case="某")),
    ("shortest_option", question("别的题目", options=("甲", ""))),
    ("longest_option", question("别的题目", options=("甲", "乙" * 3001))),
    ("choice_letters letters", question("别的题目", "F")),
    ("answer_fits_type?", question("别的题目", "AB")),
    ("answer_fits_type?", question("别的题目", "A", "mrqa")),
    ("answer_fits_type?", question("别的题目", "BA", "mrqa")),
    ("options_distinct?", question("别的题目", "A", options=("甲", "甲"))),
    ("letters_in_order?", replace(OTHER, options=OTHER.options[::-1])),
    ("case_has_group?", replace(question("别的题目", case=CASE), group_id=None)),
    ("text_clean?", question("别的&nbsp;题")),
    ("text_clean?", question("别的\ufffd题")),
    ("text_clean?", question("别的<b>题")),
    ("text_clean?", question("别的题目", "反\ufffd映", "qa", ())),
    ("seen_somewhere?", replace(OTHER, provenance=[])),
]
BAD_FACTS = [
    ("id", FACTS[0]),
    ("id id_of_content", replace(stated("感冒", "发热"), head="肺炎")),
    ("head", stated("长" * 121, "发热")),
    ("tail", stated("感冒", "")),
    ("text_clean?", stated("感冒", "发&nbsp;热")),
    ("seen_somewhere?", replace(stated("感冒", "发热"), provenance=[])),
]


def said_otherwise(claim: ClaimPair, factual: str, non_factual: str) -> ClaimPair:
    return replace(claim, id=claim_id(factual, non_factual), factual=factual, non_factual=non_factual)


BY_TYPE = {claim.atomic_type: claim for claim in CLAIMS}
SYMPTOM, FOOD, CATCHING = (BY_TYPE[name] for name in ("disease_symptom", "disease_food", "disease_infectivity"))
BAD_CLAIMS = [
    ("id", SYMPTOM),
    ("factual", replace(SYMPTOM, id="claim-2")),
    ("non_factual", replace(SYMPTOM, id="claim-2")),
    ("id id_of_content", replace(SYMPTOM, id="claim-2")),
    ("said denied", said_otherwise(SYMPTOM, SYMPTOM.factual, SYMPTOM.non_factual.replace("常见", "可能"))),
    ("said denied", said_otherwise(FOOD, FOOD.non_factual, FOOD.factual)),  # swapped: a forbidden food would be recommended
    ("said denied", said_otherwise(CATCHING, CATCHING.factual, CATCHING.factual)),
    ("factual", said_otherwise(SYMPTOM, SYMPTOM.factual + "长" * 250, SYMPTOM.non_factual)),
    ("non_factual", said_otherwise(SYMPTOM, SYMPTOM.factual, SYMPTOM.non_factual + "长" * 250)),
    ("denied_by_no_other?", said_otherwise(SYMPTOM, SYMPTOM.non_factual, SYMPTOM.factual)),
    ("names_head_and_tail?", replace(SYMPTOM, id="claim-5", head="别的病")),
    ("has_facts?", replace(SYMPTOM, id="claim-6", fact_ids=[])),
    ("has_facts?", replace(SYMPTOM, id="claim-6", fact_ids=["fact-0"])),
    ("has_facts?", replace(SYMPTOM, id="claim-6", fact_ids=[FACTS[1].id if SYMPTOM.head == "高血压" else FACTS[0].id])),
    ("text_clean?", said_otherwise(SYMPTOM, "甲<br>有乙", "甲<br>没有乙")),
    ("seen_somewhere?", replace(SYMPTOM, id="claim-8", provenance=[])),
]
BAD_CLUSTERS = [
    ("id", CLUSTER),
    ("cluster_of_a_member?", replace(CLUSTER, cluster_id="cluster-1")),
    ("members_stand_once?", replace(LOST, members=[TWIN])),
    ("members_stand_once?", replace(LOST, members=["q-y", "q-y"], similarity=[1.0, 1.0])),
    ("kept_is_the_question?", replace(LOST, members=[SEVERAL.id])),
    ("kept_is_the_question?", replace(LOST, members=["q-y"], kept="q-y")),
    ("kept_knows_its_cluster?", replace(LOST, members=[SEVERAL.id], kept=SEVERAL.id)),
    ("medoid_is_a_member?", replace(LOST, members=["q-y"])),
    ("rows_cover_members?", replace(LOST, rows=1)),
    ("similarity_of_each?", replace(LOST, similarity=[])),
    ("similarity_of_each?", replace(LOST, similarity=[1.5])),
    ("similarity_of_each?", replace(LOST, similarity=[0.0])),
]
BAD_ROWS = [
    *(("questions", *bad) for bad in BAD_QUESTIONS),
    *(("facts", *bad) for bad in BAD_FACTS),
    *(("claims", *bad) for bad in BAD_CLAIMS),
    *(("clusters", *bad) for bad in BAD_CLUSTERS),
]


@pytest.mark.parametrize(("table", "columns", "bad"), BAD_ROWS, ids=[f"{table}-{columns}" for table, columns, _ in BAD_ROWS])
def test_reports_each_broken_record_under_its_expectation(context, tmp_path: Path, table: str, columns: str, bad: Any) -> None:
    world = GOOD._replace(**{table: [*getattr(GOOD, table), bad]})
    name = bad.members[0] if table == "clusters" else bad.id
    assert [found for found in broken(context, tmp_path, table, world) if found[0] == columns and found[1] == "error" and name in found[2]]


def moved(records: list, split: str) -> World:
    """Return the world with records moved into a split."""
    homes = {name: [one for one in held if one not in records] for name, held in SPLITS.items()}
    return GOOD._replace(splits=homes | {split: [*homes[split], *records]})


def all_in_one_cluster(records: list) -> list:
    return [replace(one, cluster_id=ALONE.cluster_id) if isinstance(one, Question) else one for one in records]


CLUSTERED = GOOD._replace(
    questions=all_in_one_cluster(QUESTIONS), splits={split: all_in_one_cluster(held) for split, held in SPLITS.items()}
)
SAME_HEAD = replace(CLAIMS[0], id="claim-9")
BAD_SPLITS = [
    ("id", GOOD._replace(splits=SPLITS | {"reserved": [ALONE]}), ALONE.id),
    ("split", moved([ALONE], "reserved")._replace(splits=SPLITS | {"train": SPLITS["train"][1:]}), ALONE.id),
    ("as_it_came?", GOOD._replace(splits=SPLITS | {"dev": [replace(SEVERAL, answer="AC")]}), SEVERAL.id),
    ("as_it_came?", GOOD._replace(splits=SPLITS | {"reserved": [OTHER]}), OTHER.id),
    ("cluster_id split", CLUSTERED, ALONE.id),
    ("group_id split", moved([FIRST], "train"), SECOND.id),
    ("head split", GOOD._replace(claims=[*CLAIMS, SAME_HEAD], splits=SPLITS | {"dev": [SEVERAL, SAME_HEAD]}), SAME_HEAD.id),
]


@pytest.mark.parametrize(("columns", "world", "name"), BAD_SPLITS, ids=[columns for columns, _, _ in BAD_SPLITS])
def test_reports_each_defect_of_the_splits(context, tmp_path: Path, columns: str, world: World, name: str) -> None:
    found = {at: ids for at, severity, ids in broken(context, tmp_path, "splits", world) if severity == "error"}
    assert name in found[columns]


PICK, SAY = REPLIES["pick"], REPLIES["say"]
BAD_REPLIES = [
    ("id", {"pick": [*PICK, PICK[0]]}, f"pick/{FIRST.id}/0"),
    ("run file", {"pick": PICK, "other": [prediction("pick2", FIRST.id)]}, f"pick2/{FIRST.id}/0"),
    ("item_in_test?", {"pick": [*PICK, prediction("pick", ALONE.id)]}, f"pick/{ALONE.id}/0"),
    ("finish_reason", {"say": SAY[:2]}, f"say/{SIDES[1]}"),
    ("asked_as_often_as_others?", {"say": SAY[:3]}, f"say/{SIDES[1]}/0"),
    ("prompt_sha256", {"pick": [replace(PICK[0], prompt_sha256="none")]}, f"pick/{FIRST.id}/0"),
    ("item_asked_alone prompt_sha256", {"say": [*SAY[:3], replace(SAY[3], prompt_sha256="f" * 64)]}, f"say/{SIDES[1]}/0"),
    ("failed_with_cause?", {"pick": [replace(PICK[0], finish_reason="error")]}, f"pick/{FIRST.id}/0"),
    ("failed_with_cause?", {"pick": [replace(PICK[0], error="the server hung up")]}, f"pick/{FIRST.id}/0"),
    ("tokens", {"pick": [replace(PICK[0], tokens=-1)]}, f"pick/{FIRST.id}/0"),
]


@pytest.mark.parametrize(("columns", "replies", "name"), BAD_REPLIES, ids=[columns for columns, _, _ in BAD_REPLIES])
def test_reports_each_defect_of_the_predictions(context, tmp_path: Path, columns: str, replies: dict, name: str) -> None:
    found = broken(context, tmp_path, "predictions", GOOD._replace(predictions=replies))
    assert [ids for at, severity, ids in found if at == columns and severity == "error" and name in ids]


def test_later_questions_of_a_case_may_differ_in_each_repeat(context, tmp_path: Path) -> None:
    """They follow the replies before them, which are generated again."""
    case = [prediction("pick", FIRST.id, repeat) for repeat in range(2)]
    later = [prediction("pick", SECOND.id, repeat, prompt_sha256=str(repeat) * 64, follows=FIRST.id) for repeat in range(2)]
    assert broken(context, tmp_path, "predictions", GOOD._replace(predictions={"pick": [*case, *later]})) == []


@pytest.mark.parametrize(("repeats", "sound"), [(2, True), (4, False)])
def test_each_variant_asks_the_same_in_its_repeats(context, tmp_path: Path, repeats: int, sound: bool) -> None:
    planned = tmp_path / "predictions/random/runs.json"
    planned.parent.mkdir(parents=True)
    planned.write_text(f'{{"pick": {{"repeats": {repeats}, "orders": 2}}}}')
    asked = [prediction("pick", FIRST.id, repeat, prompt_sha256=str(repeat // 2) * 64) for repeat in range(4)]
    assert (broken(context, tmp_path, "predictions", GOOD._replace(predictions={"pick": asked})) == []) == sound


LONG_STEMS = [question("长" * 301 + str(number)) for number in range(3)]
WARNED = [
    ("questions", "", GOOD._replace(questions=[])),
    ("questions", "stem", GOOD._replace(questions=LONG_STEMS)),
    ("questions", "longest_option", GOOD._replace(questions=[question("别的题目", options=("甲", "乙" * 201))])),
    ("facts", "", GOOD._replace(facts=[])),
    ("facts", "head", GOOD._replace(facts=[stated("长" * 61, "发热")])),
    ("claims", "", GOOD._replace(claims=[])),
    ("clusters", "rows", GOOD._replace(clusters=[replace(CLUSTER, rows=51)])),
    ("splits", "split", moved([*SPLITS["test"]], "train")),
    ("predictions", "finish_reason", GOOD._replace(predictions={"pick": [replace(PICK[0], finish_reason="error", error="no answer")]})),
    ("predictions", "finish_reason", GOOD._replace(predictions={"pick": [replace(PICK[0], finish_reason="length")]})),
    ("predictions", "reply", GOOD._replace(predictions={"pick": [replace(PICK[0], reply="")]})),
]


@pytest.mark.parametrize(("table", "columns", "world"), WARNED, ids=[f"{table}-{columns}" for table, columns, _ in WARNED])
def test_unusual_records_are_warnings(context, tmp_path: Path, table: str, columns: str, world: World) -> None:
    found = broken(context, tmp_path, table, world)
    assert [(at, severity) for at, severity, _ in found] == [(columns, "warning")]


BAD_FOURFOLD = [
    ("id", FOURFOLD[0]),
    ("id id_of_content", replace(FOURFOLD[0], id="fourfold-1")),
    ("true_affirmed true_denied", replace(FOURFOLD[0], true_denied="高血压没有头晕")),
    ("false_affirmed false_denied", replace(FOURFOLD[0], false_denied="高血压没有多饮")),
    ("has_facts?", replace(FOURFOLD[0], fact_ids=["fact-1"])),
    ("false_is_no_fact?", replace(FOURFOLD[0], false_tail="头晕")),
    ("times_true times_false", replace(FOURFOLD[0], false_tail="头痛")),
    ("text_clean?", replace(FOURFOLD[0], true_affirmed="高血压的常见症状包括头&nbsp;晕")),
    ("seen_somewhere?", replace(FOURFOLD[0], provenance=[])),
]


def every(table: str, bad: list) -> World:
    """Return the world with all broken records of a table at once."""
    return GOOD._replace(**{table: [*getattr(GOOD, table), *(one for _, one in bad)]})


HARMED = {
    "questions": [every("questions", BAD_QUESTIONS), GOOD._replace(questions=LONG_STEMS)],
    "facts": [every("facts", BAD_FACTS)],
    "claims": [every("claims", BAD_CLAIMS)],
    "fourfold": [every("fourfold", BAD_FOURFOLD)],
    "clusters": [every("clusters", BAD_CLUSTERS)],
    "splits": [world for _, world, _ in BAD_SPLITS],
    "predictions": [GOOD._replace(predictions=replies) for _, replies, _ in BAD_REPLIES],
}
# Defects that the record types exclude from every table; the expectations cover tables made in another way.
STRANGE_WORDS = {
    "questions": ("question_type", "category"),
    "facts": ("relation",),
    "claims": ("atomic_type",),
    "fourfold": ("atomic_type",),
}


@pytest.mark.parametrize("table", TABLES)
def test_each_expectation_can_be_broken(context, tmp_path: Path, table: str) -> None:
    entries = read_suite(SUITES / f"{table}.yaml")
    worlds = HARMED[table] + [world for of, _, world in WARNED if of == table]
    failed = set()
    for world in worlds:
        columns = TABLES[table](write_world(tmp_path, world))
        for name in STRANGE_WORDS.get(table, ()):
            columns[name][:1] = ["strange"][: len(columns["id"])]
        failed |= {number for number, result in enumerate(check_table(context, table, columns, entries).results) if not result.success}
    assert [entry.where for number, entry in enumerate(entries) if number not in failed] == []


def read(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def test_stage_passes_and_counts_sound_tables(tmp_path: Path) -> None:
    main(arguments(tmp_path, GOOD))
    counts = read(tmp_path / "m.json")
    assert {table: (row["rows"], row["failed"], row["warnings"]) for table, row in counts.items()} == {
        "questions": (5, 0, 0), "facts": (4, 0, 0), "claims": (4, 0, 0), "fourfold": (2, 0, 0), "clusters": (2, 0, 0),
    }  # fmt: skip
    assert not (tmp_path / "validation/failing.jsonl").read_bytes()


def test_later_tables_are_checked_by_separate_calls(tmp_path: Path) -> None:
    main(arguments(tmp_path, GOOD, "--what", "splits", "predictions"))
    assert {table: row["rows"] for table, row in read(tmp_path / "m.json").items()} == {"splits": 11, "predictions": 6}


def test_broken_table_stops_the_pipeline_and_lists_all_ids(tmp_path: Path) -> None:
    bad = [question(f"别的题目{number}", "F") for number in range(12)]
    main(arguments(tmp_path, GOOD))
    assert read(tmp_path / "validation/passed.json") == ["questions", "facts", "claims", "fourfold", "clusters"]
    first = sorted(one.id for one in bad)
    with pytest.raises(
        ValueError, match=rf"questions: ExpectAnswerInOptions on choice_letters, letters: {', '.join(first[:10])} and 2 more"
    ):
        main(arguments(tmp_path, GOOD._replace(questions=[*QUESTIONS, *bad])))
    left = [path for path in ("m.json", "validation/passed.json") if (tmp_path / path).exists()]
    assert left == [], "what an older run said must not stand beside a failed one"
    failing = [msgspec.json.decode(line) for line in (tmp_path / "validation/failing.jsonl").read_bytes().splitlines()]
    assert [row["id"] for row in failing if row["expectation"] == "ExpectAnswerInOptions"] == first
    row = next(row for row in read(tmp_path / "validation/report.json") if not row["success"])
    assert (row["expectation"], row["broken_by"], row["first"]) == ("ExpectAnswerInOptions", 12, first[:10])


def test_reports_a_warning_and_continues(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    main(arguments(tmp_path, GOOD._replace(clusters=[replace(CLUSTER, rows=51), LOST])))
    assert read(tmp_path / "m.json")["clusters"] == {"rows": 2, "expectations": 9, "failed": 0, "warnings": 1}
    assert re.search(rf"clusters: ExpectColumnValuesToBeBetween on rows: {ALONE.id}", caplog.text)


def test_same_tables_give_same_bytes(tmp_path: Path) -> None:
    bad = GOOD._replace(clusters=[replace(CLUSTER, rows=51), LOST])
    for name in ("one", "two"):
        main(arguments(tmp_path / name, bad))
    one, two = (sorted(path for path in (tmp_path / name / "validation").rglob("*") if path.is_file()) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    assert [path.name for path in one] == [
        "failing.jsonl",
        "index.html",
        "passed.json",
        "report.json",
    ]


ABSENT: list[tuple[str, Callable[[Path], Any], str]] = [
    ("clusters.jsonl", lambda path: path.unlink(), "clusters.jsonl: no such file; `dvc repro` builds it"),
    ("facts.jsonl", lambda path: path.write_text("{"), "facts.jsonl:1: .*expected Fact"),
]


@pytest.mark.parametrize(("name", "harm", "told"), ABSENT, ids=[name for name, _, _ in ABSENT])
def test_reports_an_unreadable_file(tmp_path: Path, name: str, harm: Callable[[Path], Any], told: str) -> None:
    argv = arguments(tmp_path, GOOD)
    harm(tmp_path / name)
    with pytest.raises((ValueError, FileNotFoundError), match=told):
        main(argv)


def test_reports_a_run_without_predictions(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"later\.jsonl: no such file; `dvc repro` builds it"):
        main([*arguments(tmp_path, GOOD, "--what", "predictions"), "--runs", "pick", "later"])


def test_rejects_a_call_that_checks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # without a params.yaml that lists runs
    for more in (["--what"], ["--what", "predictions", "--runs"]):
        with pytest.raises(ValueError, match="nothing to check"):
            main([*arguments(tmp_path, GOOD), *more])


def test_checks_the_runs_of_params_and_ignores_leftovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    argv = [part for part in arguments(tmp_path, GOOD, "--what", "predictions") if part not in ("--runs", *REPLIES)]
    (tmp_path / "params.yaml").write_text("runs: {pick: {model: random, task: choice}}")
    (tmp_path / "predictions/random/old.jsonl").write_text("of another data set")
    monkeypatch.chdir(tmp_path)
    main(argv)
    assert read(tmp_path / "m.json")["predictions"]["rows"] == len(PICK)


def test_failed_expectation_exits_with_1_without_traceback(tmp_path: Path, root: Path) -> None:
    argv = arguments(tmp_path, GOOD._replace(facts=[*FACTS, FACTS[0]]), "--what", "facts")
    done = subprocess.run([sys.executable, "-m", "curation.validate", *argv], cwd=root, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: expectations failed; ")
    assert f"facts: ExpectColumnValuesToBeUnique on id: {FACTS[0].id} (No two facts share an id.)" in done.stderr


def test_unknown_table_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"--what: unknown table 'clusterz'; known: claims, clusters, .*did you mean clusters"):
        main(arguments(tmp_path, GOOD, "--what", "clusterz"))
