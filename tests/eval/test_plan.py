"""Stage `plan`: what tells one set of weights from another, and what each model is asked, without a network."""

import logging
from pathlib import Path

import msgspec
import pytest
from huggingface_hub import constants
from msgspec import structs

from atomexam.records.blocks import Model, Run, Server
from atomexam.records.model import Description
from eval.models.local.weights import TOKENIZER_FILES, locate
from eval.models.planned import read_runs
from eval.plan import code_hash, describe_model, main
from eval.plan import weights_of as weights_of_described


def weights_of(name: str, model: Model, trained: tuple[str, ...] = ()) -> str:
    return weights_of_described(describe_model(name, model, trained, Path("data/models")))


FIRST, SECOND = "1" * 40, "2" * 40


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which this machine keeps the hub's model `own/small`, at its first commit."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    folder = tmp_path / "hub" / "models--own--small"
    for commit in (FIRST, SECOND):
        (folder / "snapshots" / commit).mkdir(parents=True)
        (folder / "snapshots" / commit / "config.json").write_text("{}")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(FIRST)
    return folder


def local(folder: Path) -> Model:
    return Model(backend="huggingface", name=str(folder))


def test_other_weights_in_a_local_folder_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"one")
    first = weights_of("own", local(tmp_path))
    assert weights_of("other", local(tmp_path)) == first
    (tmp_path / "model.safetensors").write_bytes(b"two")
    assert weights_of("own", local(tmp_path)) != first


def test_another_chat_template_is_other_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    own = tmp_path / "own.jinja"
    own.write_text("{{ messages }}")
    model = structs.replace(local(tmp_path), chat_template=str(own))
    first = weights_of("own", model)
    assert first != weights_of("own", local(tmp_path))
    own.write_text("{{ messages[0] }}")
    assert weights_of("own", model) != first


def test_a_folder_out_of_sight_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("imports/models/own", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "model.safetensors").write_bytes(b"one")
    with caplog.at_level(logging.WARNING):
        inside = weights_of("own", local(Path("imports/models/own")))
        assert caplog.text == ""
        assert weights_of("own", local(Path("elsewhere"))) == inside
    assert "dvc repro -f plan" in caplog.text


def test_a_name_on_the_hub_is_the_commit_kept_here(kept: Path) -> None:
    model = Model(backend="huggingface", name="own/small")
    assert FIRST in weights_of("own", model)
    (kept / "refs" / "main").write_text(SECOND)
    assert SECOND in weights_of("own", model)
    assert SECOND in weights_of("own", Model(backend="vllm", name="own/small", revision=SECOND))


def served(**server: str) -> Model:
    return Model(backend="openai", name="own/small", server=Server(api="tokens", **server))


def test_of_a_tokenizer_on_the_hub_no_weights_are_kept(kept: Path) -> None:
    """The listing of a download says that they exist."""
    files = {name: {"size": 2, "blob_id": "0" * 40} for name in ("config.json", "model.safetensors")}
    (kept / "trees").mkdir()
    (kept / "trees" / f"{FIRST}.json").write_bytes(msgspec.json.encode({"format_version": 1, "files": files}))
    assert FIRST in weights_of("own", served())
    assert FIRST not in weights_of("own", Model(backend="huggingface", name="own/small"))


def test_a_tokenizer_out_of_sight_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    assert weights_of("own", served(tokenizer=str(tmp_path))).startswith("tokenizer files ")
    assert "dvc repro -f plan" in caplog.text


def test_of_a_tokenizer_that_is_not_kept_no_weights_are_fetched(kept: Path) -> None:
    model = describe_model("own", Model(backend="openai", name="own/large"), (), Path())
    with pytest.raises(ValueError, match=r"hf download own/large --include '\*.json' --include '\*.jinja' .*`"):
        locate(model, Path(), TOKENIZER_FILES)


@pytest.mark.parametrize(("line", "message"), [
    ({"backend": "huggingface", "server": {"api": "tokens"}}, "the backend huggingface has no server.api; remove it"),
    ({"backend": "vllm", "server": {"api": "text"}}, "the backend vllm has no server.api"),
    ({"backend": "vllm", "server": {"url": "http://gpu:8000/v1"}}, "the backend vllm has no server.url; .* `backend: openai`"),
    ({"backend": "openai", "server": {"arguments": ["--max-model-len", "8"]}}, "the backend openai has no server.arguments"),
    ({"backend": "openai", "server": {"tokenizer": "own/small"}}, "server.tokenizer is not used with server.api: chat; .* api"),
])  # fmt: skip
def test_what_a_backend_does_not_read_is_an_error(line: dict, message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert({"name": "own/small"} | line, Model)


def test_what_each_backend_reads_of_its_server() -> None:
    vllm = {"api": "vllm", "concurrency": 4, "timeout": 9, "arguments": ["-q"], "input_price": 1}
    openai = {"api": "text", "tokenizer": "a/b", "url": "http://x/v1", "knows": ["seed"]}
    for backend, server in (("vllm", vllm), ("openai", openai)):
        assert msgspec.convert({"backend": backend, "name": "own/small", "server": server}, Model).server != Server()


def test_what_is_not_kept_is_no_error(kept: Path) -> None:
    for name in ("own/large", "no/such/folder"):
        assert "not kept" in weights_of("own", Model(backend="huggingface", name=name))


def test_models_without_weights_elsewhere_say_so() -> None:
    nameless = Model(backend="openai", server=Server(api="tokens"))
    own = Model(backend="baseline", strategy="random"), Model(backend="huggingface"), Model(backend="openai", name="own/small"), nameless
    for model in own:
        assert weights_of("own", model) == "none of its own"


PARAMS = """
models: {one: {backend: baseline, strategy: echo}, two: {backend: huggingface}, idle: {backend: openai, name: own/small}}
finetune: {two: {layers: 1}}
runs: {b: {model: two, task: claim}, a: {model: two, task: choice, shots: 3}, c: {model: one, task: essay}}
"""


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_text(PARAMS)
    (tmp_path / "data/models/two").mkdir(parents=True)
    (tmp_path / "data/models/two/model.safetensors").write_bytes(b"one")
    (tmp_path / "data/plan/former").mkdir(parents=True)
    (tmp_path / "data/plan/former/model.json").touch()
    main([])
    return tmp_path / "data/plan"


def test_a_folder_a_model_and_none_of_former_ones(planned: Path) -> None:
    assert sorted(path.name for path in planned.iterdir()) == ["idle", "one", "two"]
    assert {name: list(read_runs(planned / name / "runs.json")) for name in ("idle", "one", "two")} == {
        "idle": [], "one": ["c"], "two": ["a", "b"],
    }  # fmt: skip


def test_a_model_that_is_trained_here_is_a_local_folder(planned: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = msgspec.json.decode((planned / "two/model.json").read_bytes(), type=Description)
    assert found == Description(model="two", backend="huggingface", name="data/models/two")
    before = {path: path.read_bytes() for path in planned.rglob("*.*")}
    Path("data/models/two/model.safetensors").write_bytes(b"two")
    main([])
    assert {path.relative_to(planned).as_posix() for path, content in before.items() if path.read_bytes() != content} == {"two/weights.txt"}
    assert caplog.text == ""


def test_the_code_of_a_model_is_that_of_its_backend_and_tasks(planned: Path) -> None:
    written = {path.stem: path.read_text().strip() for path in (planned.parent / "code").iterdir()}
    assert written.pop("_errors") == "none" and len({*written.values()}) == 3
    runs = [Run(model="one", task="essay")]
    assert written == {
        "one": code_hash(Model(backend="baseline"), runs),
        "two": code_hash(Model(backend="huggingface"), [Run(model="two", task="claim"), Run(model="two", task="choice")]),
        "idle": code_hash(Model(backend="openai"), []),
    }
    assert code_hash(Model(backend="baseline"), [*runs, *runs]) == written["one"] != code_hash(Model(backend="baseline"), [])


def test_a_run_of_an_unknown_model_is_told(planned: Path) -> None:
    params = Path("params.yaml").read_text(encoding="utf-8")
    Path("params.yaml").write_text(params.replace("model: one", "model: onne", 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"params.yaml: runs\.\w+\.model: unknown model 'onne'.*did you mean one"):
        main([])


def test_variants_of_imported_replies_are_refused(planned: Path) -> None:
    """Letters would be read in an order that nobody was asked in."""
    imported = PARAMS.replace("strategy: echo", "name: x").replace("backend: baseline", "backend: imported")
    Path("params.yaml").write_text(imported.replace("runs: {", "runs: {d: {model: one, task: choice, orders: 2}, "))
    with pytest.raises(ValueError, match=r"runs\.d: the prompts of imported replies are unknown; remove `orders` and `prompts`"):
        main([])


def test_a_new_run_moves_what_its_own_model_is_asked_and_nothing_else(planned: Path) -> None:
    before = {path: path.read_bytes() for path in planned.rglob("*.*")}
    Path("params.yaml").write_text(PARAMS.replace("runs: {", "runs: {new: {model: one, task: claim}, "))
    main([])
    assert {path.relative_to(planned).as_posix() for path, content in before.items() if path.read_bytes() != content} == {"one/runs.json"}


def test_a_folder_that_is_not_there_is_no_name_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "imports/models/other").mkdir(parents=True)
    wanted = Description(model="mine", backend="huggingface", name="imports/models/mine")
    with pytest.raises(ValueError, match=r"model mine: imports/models/mine: no such folder; expected one with .*: other; put it"):
        locate(wanted, tmp_path)
    (tmp_path / "imports/models/mine").mkdir()
    with pytest.raises(ValueError, match=r"imports/models/mine has no config.json"):
        locate(wanted, tmp_path)
    (tmp_path / "imports/models/mine/config.json").write_text("{}")
    assert locate(wanted, tmp_path) == Path("imports/models/mine")
