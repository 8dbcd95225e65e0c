"""The Python API: light to import, documented, and run in the notebook that ships."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest

import atomexam
from atomexam.api import FUNCTIONS
from atomexam.frames import frame_of, records_of
from atomexam.records.cluster import Cluster
from atomexam.records.item import Item
from atomexam.records.question import Option, Question
from eval.api import Scores

CLUSTER = Cluster(cluster_id="c", kept=None, medoid="q", members=["q", "r"], similarity=[1.0, 0.9], rows=2)
QUESTION = Question(
    id="q", exam="PCE", subject="s", question_type="mcqa", stem="题", options=[Option(letter="A", text="甲")], answer="A", provenance=[]
)


def test_importing_it_loads_nothing_else(root: Path) -> None:
    code = "import sys, atomexam; print(*dir(atomexam)); print('pandas' in sys.modules or 'msgspec' in sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [" ".join(sorted(FUNCTIONS)), "False"]


def test_unknown_function_lists_the_known_ones() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'reed'; known: audit, .*, read"):
        atomexam.reed  # noqa: B018


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_takes_raises_and_an_example(root: Path, name: str) -> None:
    tree = ast.parse((root / f"{FUNCTIONS[name].replace('.', '/')}.py").read_text(encoding="utf-8"))
    said = next(ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    assert "Raises:" in said and f"atomexam.{name}(" in said.partition("Example:")[2]
    assert f"`{name}`" in (root / "docs/python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("record", [CLUSTER, QUESTION])
def test_frame_round_trips_records(record: msgspec.Struct) -> None:
    frame = frame_of([record, record], type(record))
    assert records_of(frame.assign(note="of the user"), type(record), "rows") == [record, record]
    assert records_of(frame_of([], type(record)), type(record), "rows") == []
    arrays = frame.map(lambda cell: np.array(cell) if isinstance(cell, list) else cell)
    assert records_of(arrays, type(record), "rows") == records_of([record, msgspec.to_builtins(record)], type(record), "rows")


@pytest.mark.parametrize(
    ("table", "shape", "error"),
    [
        ("a.csv", Question, "questions: expected a DataFrame, or a list of records or dicts; found str"),
        ([1], Question, "questions, row 0: expected a record or dict, found int"),
        ([QUESTION, {"id": "q"}], Question, "questions, row 1: Object missing required field `exam`"),
        ([{"stem": "题"}], Item, "questions, row 0: none of its fields is known: stem; known: url, provenance, exam, subject, exam_raw"),
        (pd.DataFrame([{"kind": "page"}]), Item, "questions, row 0: unknown kind 'page'; known: entity, question"),
    ],
)
def test_reports_wrong_row(table: object, shape: object, error: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        records_of(table, shape, "questions")  # type: ignore[arg-type]
    assert error in str(raised.value)


@pytest.mark.slow
def test_the_notebook_runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "docs/python.ipynb").read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells), "clear the outputs: they may hold paths of a machine"
    monkeypatch.chdir(root)
    names: dict = {}
    for cell in cells:
        if "pipeline" not in cell["metadata"].get("tags", ()) or (root / "data/release").is_dir():
            exec("".join(cell["source"]), names)
    assert names["one"].figures["accuracy"] == 1.0 and names["result"]["of_b"] == 0.5
    assert list(names["unique"].rejected["reason"]) == ["identical"] and set(names["splits"].questions["split"]) == {"test", "reserved"}
    assert {name for name in FUNCTIONS if f"atomexam.{name}(" not in text} == {"claims"}


def test_runs_on_other_splits_are_told_apart(tmp_path: Path) -> None:
    """Ranked among the others, a run on reserved would be compared on other items."""
    for name, more in (("own", {}), ("own-reserved", {"split": "reserved"})):
        (tmp_path / f"{name}.json").write_text(json.dumps({"accuracy": 0.5, "by_exam": {}} | more), encoding="utf-8")
    assert atomexam.runs(tmp_path).to_dict("index") == {"own": {"split": "test", "accuracy": 0.5}}
    assert list(atomexam.runs(tmp_path, "reserved").index) == ["own-reserved"]
    assert set(atomexam.runs(tmp_path, None)["split"]) == {"test", "reserved"}
    with pytest.raises(FileNotFoundError, match="no metrics of runs on dev; `dvc repro score`"):
        atomexam.runs(tmp_path, "dev")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: atomexam.read("no-such-file"), "no-such-file"),
        (lambda: atomexam.read(), "read: no path given; expected files, folders or patterns"),
        (lambda: atomexam.clean([], min_stem=2), "clean: .*min_stem_chars"),
        (lambda: atomexam.split([msgspec.structs.replace(QUESTION, answer=None)], quota={"mcqa": 1}), "1 have no answer, such as q"),
        (lambda: atomexam.split([], quota={"essay": 1}), "split: .*mcqa"),
        (lambda: atomexam.load_split("val"), "unknown split 'val'; known: dev, reserved, test, train"),
        (lambda: atomexam.load_release(config="tm"), "unknown config 'tm'; known: .*did you mean tcm"),
        (lambda: atomexam.prompts([QUESTION], "choices"), "unknown task 'choices'; known: .*did you mean choice"),
        (lambda: atomexam.score([{"item_id": "x", "reply": "A"}], [QUESTION], "choice"), "'x' is not an item of the task choice"),
        (lambda: atomexam.parse_replies([{"task": "mcqa"}]), "replies, row 0: missing response"),
        (lambda: atomexam.parse_replies([{"task": "qa", "response": "", "answer": "A"}]), "rename that column"),
        (lambda: atomexam.compare([], [], metric="f1"), "unknown metric 'f1'"),
        (lambda: atomexam.trace("x", "nowhere"), "nowhere/splits: no such folder"),
        (lambda: atomexam.runs("nowhere"), "nowhere: no metrics of runs"),
    ],
)
def test_reports_wrong_input(call, error: str) -> None:
    with pytest.raises((ValueError, OSError), match=error):
        call()


@pytest.mark.slow
def test_facts_become_claims() -> None:
    seen = {"label": "症状", "position": "1"}
    entry = {"kind": "entity", "name_raw": "感冒", "values": [seen | {"value": "鼻塞"}, seen | {"value": "咽痛"}]}
    facts = atomexam.clean([entry | {"entity_type": "disease"}], corroboration="none").facts
    pairs = atomexam.claims(facts).pairs
    assert set(pairs["tail"]) == set(facts["tail"]) == {"鼻塞", "咽痛"}


@pytest.mark.slow
def test_a_frame_and_its_records_are_audited_alike(tmp_path: Path) -> None:
    rows = frame_of([QUESTION, msgspec.structs.replace(QUESTION, id="r")], Question).assign(split=["train", "test"])
    assert atomexam.audit(rows)["figures"] == atomexam.audit(rows.to_dict("records"))["figures"]
    assert atomexam.audit(rows)["figures"]["cross_split_share"] == 1.0
    for split in ("训练集", str(tmp_path / "victim")):
        with pytest.raises(ValueError, match="unknown split"):
            atomexam.audit(rows.assign(split=split))
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_prompts_use_exam_and_subject_given_to_read(tmp_path: Path) -> None:
    (tmp_path / "paper.txt").write_text("1、下列属于火灾的是（ ）。\nA、甲\nB、乙\nC、丙\nD、丁\n答案：B\n", encoding="utf-8")
    items = atomexam.read(tmp_path / "paper.txt", exam="一级注册消防工程师", subject="消防安全技术实务")
    prompts = atomexam.prompts(atomexam.clean(items).questions, "choice")
    assert "消防安全技术实务" in str(prompts.iloc[0].to_dict()) and "未知" not in str(prompts.iloc[0].to_dict())


@pytest.mark.slow
def test_prompts_are_in_the_order_of_ids_by_which_replies_are_matched() -> None:
    options = [Option(letter="A", text="甲"), Option(letter="B", text="乙")]
    two = [msgspec.structs.replace(QUESTION, id=key, options=options, answer=right) for key, right in (("b", "A"), ("a", "B"))]
    asked = atomexam.prompts(two, "choice")
    assert list(asked.item_id) == ["a", "b"]
    assert atomexam.score(asked.assign(reply="答案：" + asked.answer)[::-1], two, "choice").figures["accuracy"] == 1.0


@pytest.mark.slow
def test_questions_without_a_group_stand_alone() -> None:
    table = pd.DataFrame({"item_id": [f"q{n}" for n in range(9)], "repeat": 0, "outcome": "answered", "answer": "A"})
    right, wrong = (table.assign(correct=[each] * 8 + [True]) for each in (True, False))
    alone = pd.Series([None] * 9, index=table.item_id)
    assert atomexam.compare(right, wrong, groups=alone) == atomexam.compare(right, wrong)
    assert atomexam.compare(Scores(right, {}), Scores(wrong, {})) == atomexam.compare(right, wrong)
    with pytest.raises(ValueError, match="missing required field `reply`"):
        atomexam.score([{"item_id": "q"}], [QUESTION], "choice")
