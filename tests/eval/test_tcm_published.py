"""TCMBench's published demo records, from their files through import and cleaning to figures, in all three forms."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.blocks import Run
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from crawlers.read.__main__ import main as read_items
from curation.clean.__main__ import main as clean
from eval.tasks.request import Request, following
from eval.tasks.runs import TASKS, RequestBuilder


@pytest.fixture
def splits(real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo records as the test split."""
    monkeypatch.chdir(tmp_path)
    Path("params.yaml").write_text("sources: {tcmbench: {}}\nclean: {min_stem_chars: 2, min_chinese_share: 0.3}\n")
    read_items([str(real_data / "tcmbench"), "--format", "tcmbench"])
    Path("items").mkdir()
    Path("items/tcmbench.jsonl").write_text(capsys.readouterr().out, encoding="utf-8")
    clean(["--items", "items", "--out", "clean", "--metrics", "clean.json", "--engine", "local"])
    Path("splits/test").mkdir(parents=True)
    Path("clean/questions.jsonl").rename("splits/test/questions.jsonl")
    Path("splits/test/claims.jsonl").touch()
    return tmp_path / "splits"


def bare(text: str) -> str:
    """Return a text without blanks and with one width of marks: what cleaning may change."""
    return re.sub(r"\s", "", text).replace("．", ".")


@pytest.fixture
def figures(splits: Path, parts: Path, play: Callable, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    return lambda part, prompt: play(Run(model=part, task="tcm", prompt=prompt), tmp_path / "played", splits, parts)


@pytest.mark.slow
@pytest.mark.parametrize("prompt", TASKS["tcm"].prompts)
def test_the_demo_records_are_evaluated_in_all_forms(prompt: str, figures: Callable[..., dict[str, Any]]) -> None:
    found = figures("perfect", prompt)
    assert (found["questions"], found["accuracy"], found["following_rate"]) == (6, 1.0, 1.0)
    assert {form: row["questions"] for form, row in found["by_form"].items()} == {"a1": 1, "a3": 3, "b1": 2}
    assert (found["groups"]["groups"], found["groups"]["questions"], found["groups"]["accuracy"]) == (2, 5, 1.0)
    assert figures("reversed", prompt)["accuracy"] == 0.0
    assert figures("sycophant", prompt)["accuracy"] == round(3 / 6, 4)  # A is right for the one of A1, one of the case, one of B1
    assert figures("sycophant", prompt)["groups"]["accuracy"] == 0.0


def test_what_is_sent_is_what_the_released_code_sends(splits: Path, real_data: Path) -> None:
    """Its prompt as system message; then case or shared options and the question, later questions by themselves."""
    requests = {one.item_id: one for one in RequestBuilder(splits).of_run(Run(model="m", task="tcm"))}
    questions = {row.id: row for row in read_jsonl(splits / "test" / "questions.jsonl", Question)}
    published = {name: json.loads((real_data / "tcmbench" / f"{name}.json").read_text(encoding="utf-8")) for name in ("FKU", "CVR", "KHC")}

    def request_of(form: str, number: int) -> Request:
        [found] = [
            requests[row.id]
            for row in questions.values()
            if row.form == form and row.provenance[0].position in (f"record:1:{number}", "record:1")
        ]
        return found

    [single] = published["FKU"]["example"]
    assert request_of("a1", 1).messages[0]["content"] == published["FKU"]["prefix_prompt"]
    assert bare(request_of("a1", 1).messages[1]["content"]) == bare(single["question"])
    [case] = published["CVR"]["example"]
    first, second = request_of("a3", 1), request_of("a3", 2)
    assert first.messages[0]["content"] == published["CVR"]["prefix_prompt"]
    assert bare(first.messages[1]["content"]) == bare(case["share_content"] + case["question"][0]["sub_question"])
    assert bare(following(second, first, "答").messages[-1]["content"]) == bare(case["question"][1]["sub_question"])
    [shared] = published["KHC"]["example"]
    assert request_of("b1", 1).messages[0]["content"] == published["KHC"]["prefix_prompt"]
    assert bare(request_of("b1", 1).messages[1]["content"]) == bare(shared["share_content"] + shared["question"][0]["sub_question"])
