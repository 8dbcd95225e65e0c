"""Files for training and for other tools: SFT entries in CPsyExam's format, tables in OpenCompass's."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.claim import ClaimPair
from atomexam.records.leak import Leak
from atomexam.records.question import Question, Shot
from atomexam.runtime.jsonl import read_jsonl, to_line
from eval.tasks.runs import TASKS
from splits.release.__main__ import released_leaks, released_shots
from splits.release.instructions import Prompts, entries_of

ROOT = Path(__file__).parent.parent.parent


def train(tmp_path: Path) -> tuple[list[Question], list[ClaimPair]]:
    folder = tmp_path / "run/splits/train"
    return list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair))


def test_entries_have_the_published_format_and_load(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    monkeypatch.setattr("datasets.config.HF_DATASETS_OFFLINE", True)
    index = json.loads((release / "sft/dataset_info.json").read_text(encoding="utf-8"))
    assert {told["file_name"] for told in index.values()} == {f"{config}.json" for config in ("kg", "ca", "qa", "tcm", "claims")}
    questions, claims = train(tmp_path)
    entries = 0
    for told in index.values():
        loaded = datasets.load_dataset(
            "json", data_files=str(release / "sft" / told["file_name"]), split="train", cache_dir=str(tmp_path / "cache")
        )
        assert (
            loaded.column_names
            == ["system", "instruction", "input", "output"]
            == sorted(told["columns"].values(), key=loaded.column_names.index)
        )
        entries += loaded.num_rows
    assert entries == len(questions) + 2 * len(claims)


def test_uses_only_train(release: Path, tmp_path: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in release.glob("sft/*.json")]
    for split in ("dev", "test", "reserved"):
        for name in ("questions", "claims"):
            for record in map(json.loads, (tmp_path / f"run/splits/{split}/{name}.jsonl").open(encoding="utf-8")):
                asked = record.get("factual") or record["stem"]
                assert not any(json.dumps(asked, ensure_ascii=False)[1:-1] in text for text in texts)


def test_instructions_equal_the_prompts_of_the_evaluation(release: Path, tmp_path: Path) -> None:
    """The packages may not import each other, so this test keeps their prompts equal; later questions of a case are on their own."""
    questions, claims = train(tmp_path)
    asked = {
        ("".join(m["content"] for m in request.messages if m["role"] == "system"), request.messages[-1]["content"]): request.solution
        for task in map(TASKS.get, ("claim", "choice", "tcm")) for request in task.requests(questions, claims, task.prompts[0])
        if request.follows is None
    }  # fmt: skip
    taught = {
        (entry["system"], entry["instruction"]): entry["output"]
        for path in release.glob("sft/*.json") if path.name != "dataset_info.json" for entry in json.loads(path.read_text(encoding="utf-8"))
    }  # fmt: skip
    assert len(asked) > 50 and asked.items() <= taught.items()


def test_each_type_has_its_name(question) -> None:
    prompts = Prompts(ROOT / "eval/tasks/prompts")
    for kind, name in {"mcqa": "单选", "mrqa": "多选", "qa": "问答"}.items():
        (entry,) = entries_of(question(1, kind=kind, answer="感觉" if kind == "qa" else "A"), prompts)
        assert f"考试中的{name}题" in entry["system"] and entry["output"].startswith("答案：")


@pytest.mark.parametrize(("exam", "subject"), [("导游资格考试", "导游资格考试"), ("TCM", "中药学"), ("GEE", "政治")])
@pytest.mark.parametrize("kind", ["mrqa", "qa"])
def test_other_exams_have_no_psychologist(question, kind: str, exam: str, subject: str) -> None:
    (entry,) = entries_of(question(1, kind=kind, answer="AB", exam=exam, subject=subject), Prompts(ROOT / "eval/tasks/prompts"))
    assert "心理" not in entry["system"] and subject in entry["system"]


@pytest.mark.parametrize(("kind", "answer", "reply"), [("tf", "B", "错误"), ("blank", "饱和度|||彩度", "饱和度")])
def test_statements_and_blanks_use_their_prompts(question, kind: str, answer: str, reply: str) -> None:
    one = question(1, kind=kind, answer=answer)
    (request,) = TASKS[kind].requests([one], [], kind)
    (entry,) = entries_of(one, Prompts(ROOT / "eval/tasks/prompts"))
    assert [entry["system"], entry["instruction"]] == [message["content"] for message in request.messages]
    assert entry["output"] == request.solution == reply


def test_case_comes_before_its_question(question) -> None:
    (entry,) = entries_of(question(1, category="ca", shared_stem="案例：某女。"), Prompts(ROOT / "eval/tasks/prompts"))
    assert entry["instruction"].startswith("案例：某女。\nPCE")


def test_opencompass_tables_contain_the_test_split(release: Path, tmp_path: Path) -> None:
    """The fields of a table and its description follow OpenCompass's documentation of custom datasets."""
    found: set[str] = set()
    for path in sorted(release.glob("opencompass/*.jsonl")):
        rows = [json.loads(line) for line in path.open(encoding="utf-8")]
        meta = json.loads(path.with_name(path.name + ".meta.json").read_text(encoding="utf-8"))
        assert (meta["abbr"], meta["data_type"], meta["infer_method"]) == (path.stem, "mcq", "ppl")
        assert {row[meta["output_column"]] for row in rows} <= set(meta["template"]) == set(meta["options"])
        assert all(row[column] for row in rows for column in meta["input_columns"])
        lead = "" if path.stem == "atomexam_claims" else "答案："
        said = {answer: "".join(turn["prompt"] for turn in told["round"]) for answer, told in meta["template"].items()}
        assert said == {answer: f"{{question}}\n{lead}{answer}" for answer in meta["options"]}
        found |= {row["id"].split("/")[0] for row in rows}
    test = tmp_path / "run/splits/test"
    expected = {question.id for question in read_jsonl(test / "questions.jsonl", Question) if question.question_type in ("mcqa", "tf")}
    assert found == expected | {claim.id for claim in read_jsonl(test / "claims.jsonl", ClaimPair)}


@pytest.mark.parametrize(("form", "explanation"), [("a1", "肝主疏泄。"), ("a3", None), ("b1", "肝主疏泄。"), (None, "肝主疏泄。")])
def test_chinese_medicine_has_explanations(question, form: str | None, explanation: str | None) -> None:
    prompts = Prompts(ROOT / "eval/tasks/prompts")
    one = question(1, exam="TCM", form=form, answer="C", explanation=explanation, shared_stem="患者，女，31岁。" if form == "a3" else None)
    (entry,) = entries_of(one, prompts)
    assert entry["output"] == f"【解析】{explanation or '略。'}<eoe>\n【答案】C<eoa>"
    parts = [entry["instruction"].index(text) for text in filter(None, (one.shared_stem, one.stem))]
    options = [entry["instruction"].index(f"{option.letter}．{option.text}") for option in one.options]
    assert options == sorted(options) and parts == sorted(parts)
    assert (options[-1] < parts[-1]) == (form == "b1")  # shared options come before the question


def test_both_sides_of_a_pair_have_their_verdicts(claim, release: Path, tmp_path: Path) -> None:
    pair = claim("病1", "发热")
    taught = entries_of(pair, Prompts(ROOT / "eval/tasks/prompts"))
    assert [(entry["instruction"].split("\n")[-1], entry["output"]) for entry in taught] == [
        (pair.factual, "正确"),
        (pair.non_factual, "错误"),
    ]
    test = list(read_jsonl(tmp_path / "run/splits/test/claims.jsonl", ClaimPair))
    expected = {(side, verdict) for one in test for side, verdict in ((one.factual, "正确"), (one.non_factual, "错误"))}
    rows = [json.loads(line) for line in (release / "opencompass/atomexam_claims.jsonl").open(encoding="utf-8")]
    assert {(row["question"].split("\n")[-1], row["answer"]) for row in rows} == expected and len(rows) == len(expected) > 0


def test_opencompass_row_asks_its_question(release: Path, tmp_path: Path) -> None:
    test = {one.id: one for one in read_jsonl(tmp_path / "run/splits/test/questions.jsonl", Question)}
    rows = [json.loads(line) for path in release.glob("opencompass/*cqa.jsonl") for line in path.open(encoding="utf-8")]
    assert any(test[row["id"]].shared_stem for row in rows)
    for row in rows:
        one = test[row["id"]]
        options = [f"{option.letter}. {option.text}" for option in one.options]
        assert row["question"].split("\n")[2:] == [part for part in (one.shared_stem, one.stem, *options) if part]
        assert one.subject in row["question"].split("\n")[0] and row["answer"] == one.answer and row["canary"]
        assert row["letters"] == "".join(option.letter for option in one.options)


RELEASED_SPLITS = st.sampled_from(["train", "dev", "test", "reserved"])


@pytest.mark.slow
@given(st.lists(st.builds(Leak, check=st.just("inverse"), split=RELEASED_SPLITS, id=st.just("a"), other_split=RELEASED_SPLITS,
                          other_id=st.sampled_from("bcd"))))  # fmt: skip
def test_releases_leaks_with_released_split_names_and_without_reserved(tmp_path_factory, leaks: list[Leak]) -> None:
    folder = tmp_path_factory.mktemp("leaks")
    (folder / "passed.json").touch()
    (folder / "leaks.jsonl").write_bytes(b"".join(map(to_line, leaks)))
    names = {"train": "train", "dev": "validation", "test": "test"}
    told = [(leak.split, leak.other_split) for leak in leaks if leak.split in names and leak.other_split in names]
    assert [(leak.split, leak.other_split) for leak in released_leaks(folder)] == [(names[one], names[other]) for one, other in told]


@pytest.mark.parametrize(("home", "taught"), [("test", False), ("reserved", True)])
def test_omissions_reveal_nothing_reserved(split_files, release_of, pool, claims, claim, home: str, taught: bool) -> None:
    """A claim in train but missing from `sft/` would reveal that reserved has the same fact from its other end."""
    folder = split_files(pool, claims)
    asked, told = claim("艾滋病", "肺结核", "disease_complication"), claim("肺结核", "艾滋病", "disease_cause")
    for split, one in ((home, asked), ("train", told)):
        with open(folder / f"splits/{split}/claims.jsonl", "ab") as file:
            file.write(to_line(one))
    release = release_of(folder)
    named = [leak["other_id"] for leak in map(json.loads, (release / "leaks.jsonl").open(encoding="utf-8"))]
    entries = json.loads((release / "sft/claims.json").read_text(encoding="utf-8"))
    assert any(told.factual in entry["instruction"] for entry in entries) == taught
    assert (told.id in named) != taught
    assert any(asked.id in path.read_text(encoding="utf-8") for path in release.rglob("*.json*")) != taught


def test_unreleased_example_stops_the_release(tmp_path: Path) -> None:
    shot = Shot(exam="PCE", subject="甲", question_type="mcqa", place=1, question_id="q-1", split="dev")
    (tmp_path / "shots.jsonl").write_bytes(to_line(shot))
    assert [(one.question_id, one.split) for one in released_shots(tmp_path, {"q-1"})] == [("q-1", "validation")]
    with pytest.raises(ValueError, match="the few-shot example q-1 is not in the release"):
        released_shots(tmp_path, {"q-2"})


@pytest.mark.parametrize(("kind", "answer"), [("mrqa", "AC"), ("qa", "理气和胃。")])
def test_other_types_of_chinese_medicine_use_the_general_prompts(question, kind: str, answer: str) -> None:
    (entry,) = entries_of(question(1, "TCM", "方剂学", kind, answer), Prompts(ROOT / "eval/tasks/prompts"))
    assert entry["output"] == f"答案：{answer}" and "方剂学" in entry["system"] and "心理" not in entry["system"]
