"""The audit of a small set with planted defects, from its files to its page."""

import json
import re
from pathlib import Path

import pytest
from msgspec import to_builtins

from atomexam.records.item import QuestionItem
from atomexam.runtime.jsonl import to_line
from curation.audit.__main__ import CLEAN, NEAR_DUPLICATES, main, run
from curation.audit.duplicates import duplicates_in
from curation.audit.findings import FIGURES, defects, exceeded, read_limits, repairs_of
from curation.audit.report import markdown
from curation.audit.sets import AuditedSet, FileQuestion, ReadFile, SplitOf, audited_questions
from tests.curation.audit.question_builder import OPTIONS, row

PTSD = "求助者自述车祸之后不断闪回当时的场面，不敢再乘车，夜里警觉、极易惊醒，症状已经持续2周，明显影响工作，最可能的诊断是（ ）。"
CASE = (
    "案例一：一般资料：求助者，女性，24岁，超市收银员。案例介绍：三个月前因一次结账差错受到顾客当众责骂，此后一见到排队的人群就脸红、手抖。"
)


def raw(stem: str = PTSD, options: tuple[str, ...] = OPTIONS, answer: str | None = "A", kind: str = "single") -> dict:
    named = dict(zip("ABCDE", options, strict=False))
    rest = {} if answer is None else {"answer": answer}
    return {"subject_name": "变态心理学", "question_type": kind, "kind": "knowledge", "question": stem, "options": named, **rest}


TRAIN = [
    raw(),
    raw("记忆研究的先驱是（ ）", ("艾宾浩斯", "巴特利特", "冯特", "铁钦纳"), "A"),
    raw("记忆研究的先驱是（ ）。", ("艾宾浩斯", "巴特利特", "冯特", "铁钦纳"), "B"),
    raw(f"{CASE}对该求助者的初步诊断是（ ）。", ("社交恐惧症", "强迫症", "焦虑症", "抑郁症"), "A"),
    raw("下列属于意志品质的有（ ）", ("自觉性", "果断性", "坚韧性", "自制性"), "B", "multi"),
    raw("马斯洛认为最高层次的需要是（ ）单选", ("生理", "安全", "尊重", "自我实现"), "D"),
    raw("心理活动的物质器官是什么（ ）", ("大脑", "心脏"), ""),
]
TEST = [
    raw(PTSD, OPTIONS[::-1], None),
    raw(PTSD.replace("不断闪回", "反复闪回"), answer=None),
    raw(f"{CASE}建立关系时咨询师应当首先做到（ ）。", ("尊重", "真诚", "共情", "积极关注"), None),
    raw("气质类型中的黏液质对应的神经活动类型是（ ）", ("活泼型", "安静型", "兴奋型", "抑制型"), None),
]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A set with two splits in CPsyExam's format."""
    folder = tmp_path / "set"
    folder.mkdir()
    for name, rows in (("train", TRAIN), ("test", TEST)):
        (folder / f"{name}.jsonl").write_bytes(b"".join(map(to_line, rows)))
    return folder


def audited(out: Path) -> dict:
    return json.loads((out / "audit.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_finds_planted_defects(published: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert main([str(published), "--format", "cpsyexam", "--out", str(tmp_path / "out")]) == 0
    found = audited(tmp_path / "out")
    assert {"clusters", "cross_split_clusters", "conflicting_keys", "contaminated", "defects"} <= found.keys()
    [of_test] = [row for row in found["twins_across_splits"] if (row["of"], row["in"]) == ("test", "train")]
    counts = {"questions": 4, "identical": 1, "near": 1, "share": 0.5, "shared_case_only": 1}
    answers = {"same_answer": 0, "answer_unknown": 2, "other_answer": 0, "answer_share": 0.5}  # the key of test is withheld
    assert of_test == {"of": "test", "in": "train"} | counts | answers
    assert found["figures"]["test_in_train_share"] == found["figures"]["cross_split_share"] == 0.5
    assert sorted(len(one["rows"]) for one in found["clusters"]) == [2, 3]
    assert [one["splits"] for one in found["cross_split_clusters"]] == [["test", "train"]]
    [conflict] = found["conflicting_keys"]
    assert [key["right"] for key in conflict["keys"]] == ["巴特利特", "艾宾浩斯"]
    assert conflict["keys"][0]["places"] == ["train.jsonl line:3"]
    counts = {name: (defect["kind"], defect["count"]) for name, defect in found["defects"].items()}
    assert counts["type_and_answer_disagree"] == ("rejected", 1)
    assert counts["answer_missing"] == ("rejected", 1)  # only in train: the key of test is withheld
    assert counts["type_tag"] == ("repaired", 1)
    assert found["defects"]["type_tag"]["examples"][0]["stem"].endswith("单选")
    assert [(one["file"], one["withheld"]) for one in found["files"]] == [("test.jsonl", True), ("train.jsonl", False)]
    assert found["contaminated"] == [] and found["figures"]["contaminated"] is None
    [of_train] = [one for one in found["read"] if one["file"] == "train.jsonl"]
    assert (of_train["format"], of_train["guessed"], of_train["found"], of_train["columns"]["stem"]) == ("cpsyexam", False, 7, "question")
    told = capsys.readouterr().out
    assert "test_in_train_share             50.00 %" in told
    assert "formats    cpsyexam\nsplits     test 4, train 7\n" in told and told.endswith(f"report     {tmp_path / 'out' / 'index.html'}\n")


@pytest.mark.slow
def test_limits_set_the_exit_status(published: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    command = [str(published), "--format", "cpsyexam", "--out", str(tmp_path / "out"), "--max"]
    assert main([*command, "cross_split_share=0.5", "--max", "conflicting_keys=1"]) == 0
    assert main([*command, "cross_split_share=0.01", "--max", "conflicting_keys=1"]) == 1
    assert audited(tmp_path / "out")["exceeded"] == [{"figure": "cross_split_share", "found": 0.5, "most": 0.01}]
    assert "exceeds 0.01" in capsys.readouterr().out
    assert "| `cross_split_share` | 50.00 % | 0.01 |" in (tmp_path / "out" / "audit.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_finds_contamination_by_a_reference(published: Path, tmp_path: Path) -> None:
    reference = tmp_path / "ceval.csv"
    reference.write_text(f"id,question,A,B,C,D,answer\n0,{PTSD},{','.join(OPTIONS)},B\n", encoding="utf-8")
    command = [str(published), "--format", "cpsyexam", "--out", str(tmp_path / "out"), "--reference", str(reference)]
    assert main([*command, "--reference-format", "ceval", "--max", "contaminated=2"]) == 1
    found = audited(tmp_path / "out")["contaminated"]
    assert [(one["file"], one["position"], one["kind"], one["conflict"]) for one in found] == [
        ("test.jsonl", "line:1", "identical", False),
        ("test.jsonl", "line:2", "near", False),
        ("train.jsonl", "line:1", "identical", True),
    ]
    assert {one["reference"]["file"] for one in found} == {"ceval.csv"}


@pytest.mark.slow
def test_same_set_gives_same_bytes(published: Path, tmp_path: Path) -> None:
    for out in ("one", "other"):
        main([str(published), "--format", "cpsyexam", "--out", str(tmp_path / out)])
    for name in ("audit.json", "audit.md", "index.html"):
        text = (tmp_path / "one" / name).read_bytes()
        assert text == (tmp_path / "other" / name).read_bytes()
        assert str(tmp_path).encode() not in text


def test_reads_questions_and_items_of_the_pipeline(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    for split, answer in (("train", "A"), ("test", "B")):
        path = tmp_path / split / "questions.jsonl"
        path.parent.mkdir()
        path.write_bytes(to_line(row(PTSD, answer=answer).question))
        (path.parent / "claims.jsonl").write_text("{}\n", encoding="utf-8")
    (tmp_path / "dev.jsonl").write_bytes(to_line(row("另一个问题是什么（ ）").item))
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    found = audited(tmp_path / "out")
    assert [(one["file"], one["split"]) for one in found["files"]] == [
        ("dev.jsonl", "dev"),
        ("test/questions.jsonl", "test"),
        ("train/questions.jsonl", "train"),
    ]
    assert len(found["conflicting_keys"]) == 1 and found["classes"]["exam"]["PCE"] == {"test": 1, "train": 1}
    assert "2 files other than items and questions are not read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--max", "leaks=1"], "unknown figure 'leaks'; known: clusters, "),
        (["--max", "clusters=many"], "expected NAME=NUMBER"),
        (["--max", "clusters=-1"], "expected NAME=NUMBER"),
        (["--max", "clusters=nan"], "expected NAME=NUMBER"),
        (["--max", "contaminated=1"], "no --reference was given"),
        (["--max", "cross_split_share=1"], "name them with --split-of"),
        (["--split-of", "a=b", "--split-of", "="], "expected PATTERN=SPLIT"),
        (["--reference", "{set}"], "items.jsonl: it is the audited set, or a part of it"),
        (["--reference", "{set}/.."], "it is the audited set, or a part of it"),
        (["--reference", "x", "--reference-format", "a", "--reference-format", "b"], "one for each"),
    ],
)
def test_reports_wrong_input(flags: list[str], told: str, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_bytes(to_line(row().item))
    with pytest.raises(ValueError, match=re.escape(told)):
        main([str(items), "--out", str(tmp_path / "out"), *(flag.replace("{set}", str(items)) for flag in flags)])
    assert not (tmp_path / "out").exists()


def test_errors_show_no_terminal_controls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "a\x1b[2J").touch()
    monkeypatch.setattr("sys.argv", ["audit", "a.csv", "--out", str(tmp_path / "a\x1b[2J")])
    with pytest.raises(SystemExit, match="2"):
        run()
    told = capsys.readouterr().err
    assert "a [2J: expected a folder" in told and "\x1b" not in told


@pytest.mark.parametrize(("format_name", "repaired"), [("paper", set()), ("docx", set()), ("table", {"number"})])
def test_accepts_numbers_in_papers_and_verdicts_of_statements(format_name: str, repaired: set[str]) -> None:
    """The audit once told a user to remove the numbers of all 52 questions of a paper; in records they are a defect."""
    about = {"url": "file:a", "provenance": row().item.provenance}
    choice = QuestionItem(**about, type_raw="单选题", stem_raw="3. 导游证几年有效？", options_raw=["A. 一年", "B. 三年"], answer_raw="B")
    statement = QuestionItem(**about, type_raw="判断题", stem_raw="长城的东起点是嘉峪关。", answer_raw="错")
    entries = [FileQuestion(item, "a", f"line:{at}") for at, item in enumerate((choice, statement))]
    rows = audited_questions(AuditedSet(entries, {"a": ReadFile(file="a", format=format_name, found=2)}), SplitOf(), CLEAN)
    assert [one.question.question_type for one in rows] == ["mcqa", "tf"]
    assert {rule for one in rows for rule in repairs_of(one)} == repaired


@pytest.mark.slow
def test_reports_what_cannot_be_read(tmp_path: Path) -> None:
    for name, told in (("no.jsonl", "no file matches"), ("claims.jsonl", "no fields of a question")):
        (tmp_path / "claims.jsonl").write_text('{"claim": "x"}\n', encoding="utf-8")
        with pytest.raises(ValueError, match=told):
            main([str(tmp_path / name), "--out", str(tmp_path / "out")])
    with pytest.raises(ValueError, match="expected a folder, found a file"):
        main([str(tmp_path), "--out", str(tmp_path / "claims.jsonl")])


@pytest.mark.slow
def test_counts_equal_those_of_the_pipeline(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = [str(published), "--format", "cpsyexam", "--out", "out"]
    main(command)
    assert audited(tmp_path / "out")["settings"] == to_builtins(CLEAN) | to_builtins(NEAR_DUPLICATES)
    (tmp_path / "params.yaml").write_text("near_duplicates: {ngram_chars: 3, threshold: 0.99, case_threshold: 0.8}\n")
    main(command)
    found = audited(tmp_path / "out")
    assert found["settings"]["threshold"] == 0.99 and found["figures"]["near_share"] == 0.0
    (tmp_path / "params.yaml").write_text("near_duplicates: {threshold: 2}\n")
    with pytest.raises(ValueError, match=r"params\.yaml: near_duplicates"):
        main(command)


@pytest.mark.slow
def test_help_and_docs_list_every_figure(root: Path, published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """docs/audit.md refers its reader to the help; the figures that the page names exist."""
    main([str(published), "--format", "cpsyexam", "--out", str(tmp_path / "out")])
    assert set(FIGURES) == audited(tmp_path / "out")["figures"].keys() - {"questions"}
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["--help"])
    documented = re.findall(r"^  (\w+) {2,}\S", capsys.readouterr().out.partition("figures for --max:")[2], re.MULTILINE)
    assert documented == list(FIGURES)
    named = re.findall(
        r"`(\w+_(?:share|deviation|excess|keys|clusters))`|--max (\w+)=\d", (root / "docs/audit.md").read_text(encoding="utf-8")
    )
    assert len(named) > 5 and {name or limit for name, limit in named} <= set(FIGURES)


@pytest.mark.slow
def test_a_field_gives_the_splits_within_one_file(tmp_path: Path) -> None:
    """As with three files, the key of test is withheld, which is not a defect."""
    rows = [line | {"fold": "Train"} for line in TRAIN] + [line | {"fold": "test"} for line in TEST]
    path = tmp_path / "all.jsonl"
    path.write_bytes(b"".join(map(to_line, rows)))
    assert main([str(path), "--format", "cpsyexam", "--out", str(tmp_path / "out"), "--split-of", "fold"]) == 0
    found = audited(tmp_path / "out")
    assert [(one["split"], one["questions"], one["withheld"]) for one in found["files"]] == [("test", 4, True), ("train", 7, False)]
    assert found["figures"]["test_in_train_share"] == 0.5 and found["defects"]["answer_missing"]["count"] == 1


def test_only_a_larger_figure_exceeds_a_limit() -> None:
    limits = read_limits(["clusters=2", "defects_share=0.1"])
    assert exceeded({"clusters": 2, "defects_share": 0.1}, limits) == []
    assert [row["figure"] for row in exceeded({"clusters": 3, "defects_share": 0.2}, limits)] == ["clusters", "defects_share"]


def test_pairs_outside_a_common_cluster_conflict() -> None:
    """The second is a twin of the first and of the third, which are not twins: it joins the first, but its conflict must be reported."""
    first = "某校心理教师在团体辅导中发现，低年级学生在参加集体游戏活动时普遍表现得比高年级学生更加积极主动，这最能说明的是（ ）。"
    second = first.replace("辅导中发现", "辅导里发现")
    third = second.replace("参加集体", "参加了集体的").replace("心理教师", "心理的教师")
    texts = [(first, "A", "略"), (second, "A", None), (third, "B", None)]
    found = duplicates_in([row(stem, answer=key, at=at, explanation=why) for at, (stem, key, why) in enumerate(texts, 1)], NEAR_DUPLICATES)
    assert [[place["position"] for place in one["rows"]] for one in found.clusters] == [["line:1", "line:2"]]
    assert [[place["position"] for place in one["rows"]] for one in found.conflicts] == [["line:2", "line:3"]]


def test_unifying_spelling_is_not_a_repair() -> None:
    one = row(rules=("signs", "type_tag"), reasons=("answer_missing",), answer=None)
    assert repairs_of(one) == ("type_tag",)
    assert [(name, defect["kind"]) for name, defect in defects([one], frozenset()).items()] == [
        ("answer_missing", "rejected"),
        ("type_tag", "repaired"),
        ("signs", "unified"),
    ]
    assert "answer_missing" not in defects([one], frozenset({("train.jsonl", "train")}))


@pytest.mark.slow
def test_markdown_of_a_set_without_findings(published: Path, tmp_path: Path) -> None:
    assert main([str(published / "test.jsonl"), "--format", "cpsyexam", "--out", str(tmp_path / "out")]) == 0
    found = audited(tmp_path / "out")
    assert found["twins_across_splits"] == [] and found["figures"]["cross_split_share"] is None
    assert "No reference was given." in markdown(found)


def test_reports_what_train_reveals_of_test_by_answers() -> None:
    """Twins with the same answer, a different one, or none; equal ones with reordered options, and near ones."""
    stems = [f"{PTSD[:-4]}{end}（ ）。" for end in ("诊断是", "评估结果属于哪一种", "首先考虑")]
    near = PTSD.replace("不断闪回", "反复闪回")
    train = [row(stem, answer="A", at=at) for at, stem in enumerate(stems, 1)]
    test = [row(stems[0], OPTIONS[::-1], "D"), row(stems[1], answer="B"), row(stems[2], answer=None), row("另一个问题说的是什么（ ）")]
    found = duplicates_in([*train, *(one._replace(file="test.jsonl", split="test") for one in test)], NEAR_DUPLICATES).leaks.across
    [of_test] = [one for one in found if one["of"] == "test"]
    kinds = ("identical", "near", "same_answer", "other_answer", "answer_unknown")
    assert [of_test[kind] for kind in kinds] == [3, 0, 1, 1, 1] and of_test["answer_share"] == 0.5
    test = [row(near, OPTIONS[::-1], "D", split="test"), row(near, OPTIONS[::-1], "C", split="dev")]
    found = {(one["of"], one["in"]): one for one in duplicates_in([row(PTSD), *test], NEAR_DUPLICATES).leaks.across}
    assert (found["test", "train"]["near"], found["test", "train"]["same_answer"]) == (1, 1)
    assert (found["dev", "test"]["other_answer"], found["dev", "test"]["answer_share"]) == (1, 0.0)


STEM = "求助者自述车祸之后不断闪回当时的场面，不敢再乘车，夜里警觉、极易惊醒，症状已经持续2周，明显影响工作，最可能的诊断是（ ）。"
SHORTER = STEM.replace("，明显影响工作", "")


def test_near_rows_of_a_cluster_conflict_once() -> None:
    found = duplicates_in([row(STEM), row(SHORTER, answer="B", at=2)], NEAR_DUPLICATES)
    assert [(one["kind"], len(one["rows"])) for one in found.conflicts] == [("near", 2)]


def test_twin_without_a_key_may_have_the_same_answer() -> None:
    train = [row(STEM, answer="B"), row(STEM, answer=None, at=2)]
    found = duplicates_in([*train, row(SHORTER, file="test.jsonl", split="test")], NEAR_DUPLICATES).leaks.across
    [met] = [one for one in found if one["of"] == "test"]
    assert (met["same_answer"], met["answer_unknown"], met["other_answer"]) == (0, 1, 0)
