"""From a score to the bytes of a page and back, on an archive that the crawlers' own writer made."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from atomexam.records.annotation import Decision, Verdict
from atomexam.records.claim import ClaimPair, Fourfold, claim_id
from atomexam.records.fact import Fact, fact_id
from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Prediction, Score
from atomexam.records.provenance import Provenance, page_id
from atomexam.records.question import Option, Question
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import write_jsonl
from crawlers.store.merging import finish
from crawlers.store.part_writer import PartWriter
from crawlers.store.request_keys import Key
from crawlers.store.warc import Page
from eval.trace.__main__ import main
from eval.trace.related_items import nearest

ENTRY, PAPER, BINARY = "https://a.example/病/1", "https://b.example/paper", "file:book.docx"
BODIES = {
    ENTRY: "<html><meta charset='gb2312'>痛风的症状\x1b[31m包括关节痛</html>".encode("gbk"),
    PAPER: gzip.compress("<html>第1题 感觉是（ ）</html>".encode(), mtime=0),
    BINARY: b"PK\x03\x04\0\0rest",
}
SOURCES = {ENTRY: "encyclopedia", PAPER: "papers", BINARY: "books"}
FACTUAL, DENIED = "痛风的症状包括关节痛", "痛风的症状不包括关节痛"
CLAIM, FACT = claim_id(FACTUAL, DENIED), fact_id("disease_symptom", "痛风", "关节痛")
QUESTION = "q-0123456789abcdef0123"
FOURFOLD = "fourfold-0123456789abcdef0123"


def seen(url: str, position: str) -> Provenance:
    return Provenance(source=SOURCES[url], url=url, snapshot="2026-11-20", page_id=page_id(url, BODIES[url]), position=position)


def score(item: str, answer: str | None, correct: bool | None, repeat: int = 0) -> Score:
    return Score(item_id=item, repeat=repeat, outcome="answered" if answer else "unparsed", answer=answer, correct=correct)


def prediction(item: str, run: str, reply: str) -> Prediction:
    return Prediction(item_id=item, run=run, repeat=0, prompt_sha256="0", reply=reply, finish_reason="stop", tokens=1)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for url, body in BODIES.items():
        pages = folder / "data/pages" / SOURCES[url]
        pages.mkdir(parents=True)
        writer = PartWriter(pages, "2026-11-20", "files" if url == BINARY else "live")
        headers = [("Content-Encoding", "gzip")] if url == PAPER else []
        writer.write(Page(key=Key(url), date="2026-11-21T08:30:00Z", status=200, headers=headers, body=body))
        writer.close()
        finish(pages, "2026-11-20", "files" if url == BINARY else "live")
    fact = Fact(id=FACT, relation="disease_symptom", head="痛风", tail="关节痛", polarity=True, provenance=[seen(ENTRY, "li:1")])
    words = {"head": "痛风", "tail": "关节痛", "factual": FACTUAL, "non_factual": DENIED}
    pair = ClaimPair(id=CLAIM, atomic_type="disease_symptom", template_id="t/0", fact_ids=[FACT], provenance=fact.provenance, **words)
    fourfold = Fourfold(
        id=FOURFOLD, atomic_type="disease_symptom", head="痛风", tail="关节痛", false_head="痛风", false_tail="咯血",
        true_affirmed="痛风多见关节痛", true_denied="痛风不多见关节痛", false_affirmed="痛风多见咯血", false_denied="痛风不多见咯血",
        fact_ids=[FACT], false_fact_ids=["fact-0000"], provenance=fact.provenance,
    )  # fmt: skip
    options = [Option(letter=letter, text=text) for letter, text in (("A", '"反映"'), ("B", "活动"))]
    stems = {QUESTION: "感觉是（ ）", "q-1123456789abcdef0123": "知觉是（ ）"}
    questions = [
        Question(id=key, exam="PCE", subject="甲", question_type="mcqa", group_id="group-0123456789", stem=stem, options=options,
                 answer="A", provenance=[seen(PAPER, "q1"), seen(BINARY, "q7")])
        for key, stem in stems.items()
    ]  # fmt: skip
    rejected = Rejected(id="q-dddddddddddddddddddd", kind="question", reason="answer_missing", record={"url": PAPER, "stem": "思维是"})

    def write(path: str, rows: list) -> None:
        write_jsonl(folder / "data" / path, rows, key=lambda row: str(getattr(row, "id", "")))

    merged = Rejected(id="q-eeeeeeeeeeeeeeeeeeee", kind="question", reason="overruled", detail="q-1123456789abcdef0123", record={})
    write("unique/rejected.jsonl", [merged])
    states = [("0.1.0", "added", "train"), ("0.2.0", "moved", "test")]
    history = [{"version": version, "id": QUESTION, "change": change, "config": "kg", "split": split} for version, change, split in states]
    write_jsonl(folder / "data/release/history.jsonl", history, key=str)
    write_jsonl(folder / "splits/released.jsonl", history[:1], key=str)
    (folder / "curation").mkdir()
    decisions = [Decision(id=merged.id, right=["活动"], note="教材第3页"), Decision(id=rejected.id, withdrawn="drop")]
    write_jsonl(folder / "curation/decisions.jsonl", decisions, key=lambda one: one.id)
    judged = [
        (CLAIM, FACTUAL, "support"),
        ("claim-0000000000000000", "痛风常用冰", "refute"),
        ("claim-0000000000000001", "痛风忌酒", "support"),
    ]
    verdicts = [
        Verdict(claim_id=key, claim=claim, verdict=verdict, annotator=name, atomic_type="disease_symptom", comment="见第三章")
        for key, claim, verdict in judged
        for name in ("first", "second")
    ]
    write_jsonl(folder / "curation/verdicts.jsonl", verdicts, key=lambda one: (one.claim_id, one.annotator))
    write("splits/test/claims.jsonl", [pair])
    write("splits/test/fourfold.jsonl", [fourfold])
    write("splits/test/questions.jsonl", questions)
    write("unique/facts.jsonl", [fact])
    write("clean/rejected.jsonl", [rejected])
    sides = [(f"{CLAIM}/factual", "正确", True), (f"{CLAIM}/non_factual", None, False)]
    write("scores/tiny-fourfold.jsonl", [score(f"{FOURFOLD}/false_denied", "错误", False)])
    write("scores/tiny-claims.jsonl", [score(*side) for side in sides])
    write("predictions/tiny/tiny-claims.jsonl", [prediction(f"{CLAIM}/factual", "tiny-claims", "正确，\x1b[2J因为")])
    asked = {"item_id": QUESTION, "repeat": 0, "draw": 0, "finish_reason": "stop", "tokens": 1, "prompt_tokens": 1, "prompt_sha256": "0"}
    write("judgements/tiny-essay.jsonl", [Judgement(order="standard_first", mark=61.5, reply="分数：61.5", **asked)])
    write("scores/tiny-choice.jsonl", [score(QUESTION, "B", False), score(QUESTION, "A", True, 1)])
    return folder


@pytest.fixture
def trace(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(project)

    def run(*words: str) -> str:
        main(list(words))
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("query", [CLAIM, f"{CLAIM}/non_factual", "痛风的症状不包括"])
def test_from_a_claim_of_a_score_to_the_bytes_of_its_page(trace, query: str) -> None:
    told = trace(query)
    assert "tiny-claims #0 factual: answered 正确 right | 正确，\N{REPLACEMENT CHARACTER}[2J因为" in told
    assert "tiny-claims #0 non_factual: unparsed wrong | reply not stored" in told
    assert f"fact: {FACT}" in told and f"url: {ENTRY}" in told and "position: li:1" in told
    assert "fetched: 2026-11-21T08:30:00Z" in told
    assert "begins: <html><meta charset='gb2312'>痛风的症状\N{REPLACEMENT CHARACTER}[31m包括关节痛</html>" in told
    assert "fault" not in told and "\x1b" not in told


@pytest.mark.parametrize("query", [FOURFOLD, f"{FOURFOLD}/false_denied", "不多见咯血"])
def test_from_a_fourfold_row_to_its_facts_and_scores(trace, query: str) -> None:
    told = trace(query)
    assert "true denied (错误): 痛风不多见关节痛" in told and "false denied (正确): 痛风不多见咯血" in told
    assert "tiny-fourfold #0 false_denied: answered 错误 wrong" in told
    assert f"fact: {FACT}" in told and "fetched: 2026-11-21T08:30:00Z" in told
    assert f"{FOURFOLD} (test) 痛风多见关节痛" in trace(FACT)


def test_from_a_question_to_both_of_its_pages(trace) -> None:
    told = trace(QUESTION)
    assert "tiny-essay #0: mark 61.5 (standard_first) | 分数：61.5" in told
    assert "tiny-choice #0: answered B wrong" in told and "tiny-choice #1: answered A right" in told
    assert "begins: <html>第1题 感觉是（ ）</html>" in told  # unpacked, while the id is that of the bytes as they came
    assert "begins: binary file, first bytes: 50 4b 03 04 00 00 72 65\n" in told and f"url: {BINARY}" in told
    assert "fault" not in told


def test_back_from_a_page_and_from_a_fact_to_the_scores(trace) -> None:
    told = trace(page_id(ENTRY, BODIES[ENTRY]))
    assert f"{FACT} (disease_symptom) 痛风 – 关节痛" in told
    assert f"{CLAIM} (test) {FACTUAL}" in told
    assert "tiny-claims: 1 of 2 replies correct" in told
    assert "tiny-claims #0 factual" in trace(FACT)
    paper = trace(PAPER)  # by its address
    assert f"{QUESTION} (test) 感觉是（ ）" in paper and "tiny-choice: 1 of 2 replies correct" in paper
    archive = json.loads(trace(PAPER, "--json"))["archive"]
    assert archive.startswith("data/pages/papers/2026-11-20.warc.gz, bytes ")


@pytest.mark.parametrize("query", ["group-0123456789", "觉是", '"反映"'])
def test_several_hits_are_listed(trace, query: str) -> None:
    told = trace(query)
    assert told.startswith("2 records match") and QUESTION in told and "知觉是" in told
    assert len(json.loads(trace(query, "--json"))) == 2


def test_what_was_rejected_says_why(trace) -> None:
    assert "reason: answer_missing" in trace("q-dddddddddddddddddddd")
    assert "reason: answer_missing" in trace("思维是")


def test_an_item_says_what_each_release_did_to_it(trace) -> None:
    assert "versions:\n  - 0.1.0 added, train\n  - 0.2.0 moved, test (not published)\n" in trace(QUESTION)
    assert "versions:" not in trace(CLAIM)  # in no release


def test_what_people_decided_is_said_of_the_question_that_was_kept_and_of_the_rejected(trace) -> None:
    assert "decided by people:\n  file: curation/decisions.jsonl" in trace("q-1123456789abcdef0123")
    assert "note: 教材第3页" in trace("q-1123456789abcdef0123") and "decided by people" not in trace(QUESTION)
    assert "withdrawn: drop" in trace("q-dddddddddddddddddddd")
    assert all("verdict: refute" in trace(query) for query in ("claim-0000000000000000", "痛风常用", "见第三章"))


def test_a_page_that_is_gone_or_damaged_is_told(trace, project: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(project / "data", tmp_path / "data")
    (broken / "pages/encyclopedia/2026-11-20.warc.gz").write_bytes(b"torn")
    assert "the record cannot be read" in trace(CLAIM, "--data", str(broken))
    (broken / "pages/encyclopedia/2026-11-20.warc.gz").unlink()
    assert "is missing; `dvc checkout" in trace(CLAIM, "--data", str(broken))
    shutil.rmtree(broken / "pages")
    assert "no index under" in trace(CLAIM, "--data", str(broken))


def test_what_is_not_there_is_told(trace, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no claim, question, fact or page under data"):
        trace("没有")
    with pytest.raises(ValueError, match="no search text given"):
        trace(" ")
    with pytest.raises(FileNotFoundError, match="dvc repro"):
        trace("痛风", "--data", str(tmp_path))


def test_a_wrong_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no params.yaml in this folder; run the command from the repository's root"):
        main(["痛风"])


def near(number: int, tail: str, relation: str = "disease_symptom") -> ClaimPair:
    factual, denied = f"病{number}的症状包括{tail}", f"病{number}的症状不包括{tail}"
    words = {"head": f"病{number}", "tail": tail, "factual": factual, "non_factual": denied}
    return ClaimPair(id=claim_id(factual, denied), atomic_type=relation, template_id="t/0", fact_ids=[], provenance=[], **words)


@pytest.fixture
def with_train(tmp_path: Path) -> Path:
    """Claims of train and of test: of each four in test, two have the tail of one in train, and one of these is of another type."""
    train = [near(number, f"痛{number % 20}") for number in range(40)]
    test = [near(100 + number, f"痛{number}", "disease_cause" if number % 20 == 3 else "disease_symptom") for number in range(40)]
    for name, claims in (("train", train), ("test", test)):
        write_jsonl(tmp_path / "splits" / name / "claims.jsonl", claims, key=lambda row: row.id)
    learned = [{"kind": "claims", "item_id": f"{pair.id}/factual", "times": 1, "tokens": 9} for pair in train[:20]]
    write_jsonl(tmp_path / "models" / "sft" / "learned.jsonl", learned, key=lambda row: row["item_id"])
    return tmp_path


def test_an_item_is_traced_to_what_of_train_is_nearest(trace, with_train: Path) -> None:
    told = trace(near(101, "痛1").factual, "--data", str(with_train))
    by_fact = told.partition("by fact:")[2].partition("by type:")[0]
    assert [line.split()[2] for line in by_fact.splitlines() if "claim-" in line] == sorted(
        ["病1的症状包括痛1", "病21的症状包括痛1"], key=lambda text: claim_id(text, text.replace("包括", "不包括"))
    )
    assert "病1的症状包括痛1 (learned by sft)" in by_fact and "病21的症状包括痛1\n" in by_fact
    assert "40 in train of disease_symptom" in told and "0." in told.partition("by wording:")[2].partition("by fact:")[0]
    assert "nearest in train" not in trace(near(1, "痛1").factual, "--data", str(with_train))  # it is in train itself
    cause = json.loads(trace(near(103, "痛3").id, "--data", str(with_train), "--json"))["nearest in train"]
    assert cause["by fact"] == [] and cause["by type"] == "0 in train of disease_cause"


def test_questions_are_kin_by_subject_and_right_answer(tmp_path: Path) -> None:
    def question(number: int, right: str, subject: str = "甲", answer: str | None = "A") -> Question:
        options = [Option(letter="A", text=right), Option(letter="B", text=f"别的{number}")]
        return Question(id=f"q-{number:020d}", exam="PCE", subject=subject, question_type="mcqa", stem=f"第{number}题问什么",
                        options=options, answer=answer, provenance=[])  # fmt: skip

    train = [question(1, "感觉"), question(2, "知觉", "乙")]
    found = nearest(question(11, "感觉"), train, {})
    assert found["by fact"] == ["q-00000000000000000001 第1题问什么"] and found["by subject"] == "1 in train of PCE 甲"
