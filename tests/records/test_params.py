"""params.yaml and the command line that stages share."""

import copy
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import pytest
from msgspec import Meta, Struct

from atomexam.records import params
from atomexam.records.blocks import Model, Split
from atomexam.records.checks import convert
from atomexam.records.params import Errors, Source
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.text.yaml_values import yaml_values

PARAMS = params.read_params()


SWEEP = {"model": "tiny", "kinds": ["claims"], "amounts": [0, 1], "seeds": [1], "runs": ["tiny-claims"]}


def changed(path: str, value: object) -> dict:
    """Return the repository's params with one value changed; a dotted path."""
    values = copy.deepcopy(PARAMS)
    *outer, last = path.split(".")
    place = values
    for key in outer:
        place = place[key]
    place[last] = value
    return values


def test_the_file_in_the_repository_is_sound() -> None:
    params.check(PARAMS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"sources:\n  a: [\n", "params.yaml: not YAML .*line 3"),
        (b"a: 1\na: 2\n", "params.yaml: not YAML .*line 2"),
        (b"a: \xff\n", "not YAML"),
        (b"a: " + b"[" * 3000 + b"]" * 3000, r"params.yaml: not YAML \(nested too deeply\); correct"),
        (b"a: " + b"9" * 6000, r"not YAML \(Exceeds the limit \(4300 digits\)[^;]*\); correct"),
        (b"a: 2026-13-41", r"not YAML \(month must be in 1..12\); correct"),
        (b"- a", "expected keys and values, found list; correct"),
        (b"sources: [1]", "params.yaml: sources: found list; expected keys and values"),
        (b"clean: x", "params.yaml: clean: found str; expected keys and values"),
        (b"imports: {a: 3}", r"params.yaml: imports\.a: found int; expected keys and values"),
    ],
)
def test_reports_line_of_invalid_yaml(tmp_path: Path, text: bytes, told: str) -> None:
    (tmp_path / "params.yaml").write_bytes(text)
    with pytest.raises(ValueError, match=told):
        params.read_params(tmp_path / "params.yaml")


def test_the_file_fits_on_one_screen() -> None:
    assert len((params.Path(params.PARAMS_FILE)).read_text().splitlines()) <= 55


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("split.quota.mcq", 3, "unknown: mcq; known: mcqa, mrqa"),
        ("split.sed", 3, "unknown: sed; known: seed"),
        ("runs.random-claims.model", "randm", "unknown model 'randm'; known: .*random.*did you mean random"),
        ("runs.random-claims.task", "claims", r"claims.*runs.*known: fourfold, claim, choice, essay, tcm"),
        ("models.tiny.backend", "hugingface", r"hugingface.*models.*known: baseline, huggingface, imported, openai, vllm"),
        ("sites", "online", r"online.*known: embedded, live"),
        ("engine", "dask", r"dask.*known: local, ray"),
        ("split.dev_share", 2, "dev_share"),
        ("sources.ask120.snapshot", "yesterday", "snapshot|sources"),
        ("sources.ask120.snapshot", "2026-13-99", "snapshot '2026-13-99' is not a calendar date"),
        ("imports.books", {"format": "paper"}, r"imports.books.*path|path.*imports"),
        ("imports.books", {"path": "imports/*.txt"}, "is a pattern, but DVC tracks only a file or a folder"),
        *(
            ("imports.books", {"path": path}, f"imports.books.path: found {path}; expected a path in the repository and outside")
            for path in ("/etc/passwd", "../exams", "data/splits/reserved", "./data/items", ".git/config")
        ),
        *(("release.name", name, r"release.*name|name.*release") for name in ("a: b", "<b>", "../x", "-x", "2024", "a\nb", "a|b", "a ")),
        ("claims.per_type", 10**400, "Expected `int` <= 1000000000000"),
        ("evidence.passages_per_claim", 10**13, "Expected `int` <= 1000000000000"),
        ("imports.ask120", {"path": "imports/ask120"}, "ask120 is a line of `sources` and of `imports`; both name data/items/ask120.jsonl"),
        ("clean.foo", 1, "unknown: foo; known: min_stem_chars"),
        ("sweeps.s", SWEEP | {"model": "random"}, "sweeps.s: random cannot be tuned; expected an untuned model"),
        ("sweeps.s", SWEEP | {"runs": ["tiny-claim"]}, "sweeps.s.runs: unknown run on test 'tiny-claim'; .*did you mean tiny-claims"),
        ("sweeps.s", SWEEP | {"tune": {"rang": 2}}, "sweeps.s.tune: .*rang.*known: method, preset"),
        ("tune.own", {"rank": 2}, "tune: unknown model 'own'; known: "),
        (
            "tune.random",
            {"rank": 2},
            r"tune.random: models.random: expected the backend huggingface and, as `name`, what is tuned.*baseline",
        ),
        ("tune.tiny", {"rank": 2}, r"tune.tiny: .*found backend huggingface, name None"),
        ("tune.qwen7b", {"rang": 2}, r"rang.*known: method, preset, data"),
        ("tune.qwen7b", {"method": "loar"}, r"loar.*known: full, lora"),
        ("finetune.tiney", {"layers": 1}, "finetune: unknown model 'tiney'; known: .*did you mean tiny"),
        ("finetune.random", {"layers": 1}, "finetune.random trains a new model .*; models.random: found backend baseline"),
        ("finetune.qwen7b", {}, "models.qwen7b: found backend huggingface, name Qwen"),
        ("models.bare", {"backend": "huggingface"}, "models.bare: no `name`, and no line under `finetune` that trains it"),
    ],
)
def test_reports_wrong_value_with_location_and_known_values(path: str, value: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        params.check(changed(path, value))


def test_a_list_that_looks_like_a_number_is_a_name() -> None:
    assert Source(lists=[408, "a"]).lists == ["408", "a"]


def arguments(*argv: str) -> object:
    return read_arguments(list(argv), "doc", "split", Split, {"questions": "data/unique/questions.jsonl", "out": "data/splits"})


def test_flags_default_to_the_block_and_paths_to_the_pipeline() -> None:
    got = arguments()
    assert got.params == params.check(PARAMS).split
    assert str(got.questions) == "data/unique/questions.jsonl"


def test_a_wrong_word_in_a_block_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"fil.*balance.*known: fill, strict"):
        arguments("--balance", "fil")


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("runs.tiny-tcm.repeat", 2, r"unknown: repeat; known: .*did you mean repeats\?"),
        ("judges.echo-essay.model", "nobody", r"judges.echo-essay: unknown model 'nobody'"),
        ("claims.template", "papr", r"unknown template set 'papr'; known: .*did you mean paper\?"),
    ],
)
def test_the_first_stage_that_dvc_runs_checks_the_whole_file(
    path: str, value: object, told: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a plain `dvc repro` does not work for minutes before it finds a misspelt run; a stage by hand needs its own block alone."""
    for name in ("crawlers", "curation"):
        (tmp_path / name).symlink_to(root / name)
    (tmp_path / "params.yaml").write_text(json.dumps(changed(path, value)))  # JSON is YAML
    monkeypatch.chdir(tmp_path)
    assert arguments().params == params.check(PARAMS).split
    monkeypatch.setenv("DVC_STAGE", "split")
    with pytest.raises(ValueError, match=told):
        arguments()


def test_flags_override_params() -> None:
    got = arguments("--quota.mcqa", "7", "--balance", "strict", "--out", "elsewhere")
    assert (got.params.quota.mcqa, got.params.balance, str(got.out)) == (7, "strict", "elsewhere")


@pytest.mark.parametrize(
    "argv", [("--judge.model", "echo", "--judge.max_new_tokens", "9"), ("--judge.model=echo", "--judge.max_new_tokens=9")]
)
def test_flags_of_a_block_that_may_be_missing_are_written_either_way(argv: tuple[str, ...]) -> None:
    judge = read_arguments(list(argv), "doc", "errors", Errors, {}).params.judge
    assert (judge.model, judge.max_new_tokens) == ("echo", 9)


@pytest.mark.parametrize("argv", [("--quota.mcq", "7"), ("--quota.mcq=7",), ("--sed", "1"), ("stray",), ("stray=1",)])
def test_an_unknown_flag_names_the_known_ones(argv: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"unknown parameter.*--quota\.mcqa.*--seed"):
        arguments(*argv)


def test_an_unknown_key_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown key of `models` 'tinny'; known: .*tiny.*did you mean tiny"):
        read_arguments(["tinny"], "doc", "models", Model, {"out": "data/models/{key}"}, keyed=True)


@pytest.mark.parametrize("key", ["../x", "A b", "-x/", ""])
def test_a_key_never_leaves_its_folder(key: str) -> None:
    with pytest.raises((ValueError, SystemExit)):
        read_arguments([key, "--backend", "baseline"], "doc", "models", Model, {"out": "data/models/{key}"}, keyed=True)


def test_a_key_with_its_flags_needs_no_params_file(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    got = read_arguments(
        ["new", "--backend", "openai", "--server.tries", "2"], "doc", "models", Model, {"out": "data/models/{key}"}, keyed=True
    )
    assert (got.params.server.tries, str(got.out)) == (2, "data/models/new")


class Colours(Struct):
    """A block with words of a list, of a dict, and none."""

    listed: list[Literal["red", "green"]] | None = None
    named: dict[str, Annotated[Literal["red", "green"], Meta(description="a colour")]] = {}


@pytest.mark.parametrize("value", [{"listed": ["red", "bleu"]}, {"named": {"sky": "bleu"}}])
def test_reports_wrong_value_in_a_list_or_dict(value: dict) -> None:
    with pytest.raises(ValueError, match=r"here: .*bleu.*known: red, green"):
        convert(value, Colours, "here")


def test_reports_error_in_a_keyed_block_with_its_key(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"parameters of models\.new: .*`\$.backend`; known: baseline, "):
        read_arguments(["new", "--backend", "huggingfacce"], "doc", "models", Model, {}, keyed=True)


def test_an_interrupted_stage_ends_with_one_line(capsys: pytest.CaptureFixture) -> None:
    def stage() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        run_stage(stage)
    assert ended.value.code == 130, "as shells tell of SIGINT"
    assert capsys.readouterr().err.startswith("interrupted; ")


def test_what_a_page_or_server_says_cannot_control_the_terminal() -> None:
    def stage() -> None:
        raise ValueError("two pages:\n  a\x1b[2J\u202eb\x07\n  \x9b31mc")

    with pytest.raises(SystemExit) as ended:
        run_stage(stage)
    assert ended.value.code == "error: two pages:\n  a [2J b\n  31mc"


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (
            "runs.tiny-tcm.task",
            "tmc",
            r"'tmc' - at `\$.runs.tiny-tcm.task`; known: fourfold, claim, choice, essay, tcm, tf, blank; did you mean tcm\?",
        ),
        ("runs.tiny-tcm.repeat", 2, r"`\$.runs.tiny-tcm`; unknown: repeat; known: .*; did you mean repeats\?"),
        ("models.echo.strategy", "ecko", r"'ecko' - at `\$.models.echo.strategy`; known: .*; did you mean echo\?"),
        ("models.qwen7b.server", {"prot": 1}, r"`\$.models.qwen7b.server`; unknown: prot"),
        ("sources.mxqe.snapshot", datetime.date(2026, 11, 20), r"`\$.sources.mxqe.snapshot`; write it in quotes, as \"2026-11-20\""),
        ("sources.mxqe.lists", [1, []], r"`\$.sources.mxqe.lists"),
        ("judges.echo-essay.modle", "x", r"`\$.judges.echo-essay`; unknown: modle; .*did you mean model\?"),
        ("split.quota.mcq", 1, r"`\$.split.quota`; unknown: mcq; .*did you mean mcqa\?"),
    ],
)
def test_reports_line_and_likely_word(path: str, value: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        params.check(changed(path, value))


@pytest.mark.parametrize("block", ["judges", "sweeps"])
def test_a_run_on_reserved_is_neither_judged_nor_swept(block: str) -> None:
    """The judge would fail after all replies were paid for, and a sweep's curves would be in the report."""
    values = changed("sweeps", {"x": SWEEP | {"runs": ["echo-essay"]}} if block == "sweeps" else {})
    values["runs"]["echo-essay"]["split"] = "reserved"
    values["judges"] = {} if block == "sweeps" else PARAMS["judges"]
    with pytest.raises(ValueError, match=rf"params.yaml: {block}.*: unknown run .*on test 'echo-essay'; known: .*tiny-essay"):
        params.check(values)


def test_reports_missing_names_before_the_first_stage(root: Path) -> None:
    params.check_named(params.check(PARAMS), root)
    for path, value, told in (
        ("sources.mxqee", {}, r"sources: unknown source 'mxqee'; .*did you mean mxqe\?; `python -m crawlers.new mxqee URL"),
        ("claims.template", "papr", r"claims.template: unknown template set 'papr'; .*did you mean paper\?"),
    ):
        with pytest.raises(ValueError, match=told):
            params.check_named(params.check(changed(path, value)), root)


def test_missing_own_files_fail_only_their_stage(root: Path) -> None:
    """A colleague without the files has their items, splits and replies."""
    params.check_named(params.check(changed("imports.mine", {"path": "imports/nowhere"})), root)
    params.check_named(params.check(changed("models.random", {"backend": "huggingface", "name": "imports/models/nowhere"})), root)


@pytest.mark.slow
def test_reports_folder_that_is_not_a_project(root: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(root)}
    for module, told in (("atomexam.records.params", "no params.yaml in this folder"), ("splits.split", "no params.yaml in this folder")):
        done = subprocess.run([sys.executable, "-m", module], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 1 and told in done.stderr and "Traceback" not in done.stderr


def test_broken_yaml_message_has_line_and_column() -> None:
    with pytest.raises(ValueError, match=r"^p\.yaml: not YAML \(line 2, column 6: expected ',' or '}', but got '<stream end>'; while"):
        yaml_values("a: {b: 1,\n c: 2", "p.yaml")
