"""params.yaml for own files alone; tests/end_to_end/test_pipeline.py runs the pipeline on it."""

from pathlib import Path

import pytest

from atomexam.text.yaml_values import yaml_values
from crawlers.init import OwnFiles, counted, own_params, quotas

PARAMS = (Path(__file__).parents[2] / "params.yaml").read_text(encoding="utf-8")
OWN = OwnFiles("books", {"path": "imports/books", "exam": 'A "B"'}, {"mcqa": 5000, "mrqa": 52, "qa": 4, "tf": 9})


@pytest.mark.parametrize(
    ("types", "quota"),
    [
        ({"mcqa": 5000, "mrqa": 52, "qa": 4, "tf": 9}, {"mcqa": 600, "mrqa": 10, "tf": 1}),
        ({"qa": 1000, "blank": 5}, {"qa": 25, "blank": 1}),
        ({"mcqa": 4}, {}),
    ],
)
def test_a_fifth_of_each_type_goes_to_test(types: dict[str, int], quota: dict[str, int]) -> None:
    assert quotas(types) == quota


def test_only_what_belongs_to_the_replicas_is_replaced() -> None:
    before, after = yaml_values(PARAMS, ""), yaml_values(own_params(PARAMS, OWN), "")
    assert isinstance(before, dict) and isinstance(after, dict)
    assert after["imports"] == {"books": {"path": "imports/books", "exam": 'A "B"'}} and after["sources"] == {}
    assert after["split"] == before["split"] | {"quota": {"mcqa": 600, "mrqa": 10, "tf": 1}}
    assert {run["model"] for run in after["runs"].values()} == {*after["models"]} == {"random", "longest"}
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"sources", "imports", "split", "models", "runs", "finetune", "tune", "sweeps", "judges"}
    assert [*after] == [*before]


def test_without_choices_nothing_is_asked() -> None:
    after = yaml_values(own_params(PARAMS, OWN._replace(types={"qa": 90})), "")
    assert isinstance(after, dict) and after["runs"] == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PARAMS.replace("imports: {}", "imports: {old: {path: imports/old}}"), "has own files already"),
        (PARAMS.replace("judges:", " judges:").replace("errors:", "errors:"), "params.yaml"),
    ],
)
def test_another_form_of_params_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        own_params(text, OWN)


def test_a_folder_that_cannot_be_a_key_is_refused() -> None:
    with pytest.raises(ValueError, match="imports/我的题库: its name becomes a key"):
        counted("imports/我的题库", None, None)
