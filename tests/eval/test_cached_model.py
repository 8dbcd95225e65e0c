"""Requests while the split is read: windows, order and memory change no reply, and no request is made twice."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tqdm import tqdm

from atomexam.records.blocks import Run
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, to_line, write_json, write_jsonl
from eval.models import cached_model
from eval.models.cached_model import CachedModel, key_of
from eval.models.contract import ModelQuery, Reply, Settings
from eval.models.reply_store import Store, StoredReply, open_store
from eval.predict import main
from eval.tasks.prompt import Message, plain_text
from eval.tasks.request import Request
from eval.tasks.runs import TASKS, RequestBuilder
from eval.tasks.shots import read_pools

ROOT = Path(__file__).parents[2]
PLAIN = Settings(max_new_tokens=8, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)


class Noting:
    """A model that replies with its prompt's length and notes what it is asked in each call."""

    def __init__(self) -> None:
        self.identity = "noting"
        self.calls: list[list[ModelQuery]] = []

    def render(self, messages: Sequence[Message]) -> str:
        return plain_text(messages)

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        self.calls.append(list(queries))
        for place, query in enumerate(queries):
            yield place, Reply(text=f"{len(query.prompt)}/{query.repeat}", finish_reason="stop", tokens=1)

    loglikelihoods = generate


def replies_of(backend: Noting, requests: list[Request], path: Path, repeats: int = 1) -> dict[tuple[str, int], tuple[str, Reply]]:
    with open_store(path) as store, tqdm(disable=True) as bar:
        found = CachedModel(backend, PLAIN, store).reply_all(requests, repeats, bar)
    assert len({(query.request.item_id, query.repeat) for query, _ in found}) == len(found)
    return {(query.request.item_id, query.repeat): (query.prompt, reply) for query, reply in found}


def test_keys_of_kept_replies_stay() -> None:
    """Whoever changes one of these has everybody's replies requested anew: raise a version instead, where replies change."""
    request = Request(
        item_id="q-1", messages=[], question_type="mcqa", options=[], answer="A", answer_format="答案：{answer}", solution=None, pool="p",
        related_ids=frozenset(), reader="mcqa", unit="q-1", facets={},
    )  # fmt: skip
    query = ModelQuery(request=request, repeat=0, prompt="问")
    settings = [(PLAIN, "generation"), (PLAIN, "likelihood"), (structs.replace(PLAIN, stop="verdict", stop_strings=("\n",)), "generation")]
    keys = [key_of("huggingface/2/weights/float64", query, each, method)[:16] for each, method in settings]
    assert keys == ["863d2aae49413e5d", "9b10cd9de779be76", "7989c543f0842176"]


@pytest.mark.parametrize("task", ["claim", "choice", "tcm"])
def test_prompts_are_sorted_and_their_number_at_a_time_changes_no_reply(
    task: str, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task=task, shots=2))
    whole = replies_of(Noting(), requests, tmp_path / "whole" / "r.jsonl", repeats=2)
    monkeypatch.setattr(cached_model, "_AT_ONCE", 7)
    by_parts = Noting()
    assert replies_of(by_parts, requests[::-1], tmp_path / "parts" / "r.jsonl", repeats=2) == whole
    assert max(map(len, by_parts.calls)) == 7
    prompts = [query.prompt for call in by_parts.calls for query in call]
    assert task == "tcm" or prompts == sorted(prompts)  # of a case, the later questions come after
    again = Noting()
    assert replies_of(again, requests, tmp_path / "parts" / "r.jsonl", repeats=2) == whole and not again.calls


@pytest.mark.parametrize("form", ["a1", "a3", None])
def test_an_item_that_occurs_twice_is_named(form: str | None, toy_data: Path, tmp_path: Path) -> None:
    """Also in a case, where it would follow itself."""
    questions = list(read_jsonl(toy_data / "splits" / "test" / "questions.jsonl", Question))
    odd = next(row for row in questions if row.form == form)
    write_jsonl(tmp_path / "test" / "questions.jsonl", [*questions, odd], key=lambda row: row.id)
    with pytest.raises(ValueError, match=f"{odd.id} is twice in the split; rebuild it with `dvc repro -f split`"):
        RequestBuilder(tmp_path).of_run(Run(model="m", task="tcm" if form else "choice"))


@pytest.mark.parametrize("value", [float("-inf"), float("inf"), float("nan")])
def test_a_likelihood_that_json_has_no_number_for_is_a_failure(value: float, toy_data: Path, tmp_path: Path) -> None:
    """It would stand as null in the store, which nobody could read again: a vocabulary that is masked has such scores."""

    class Masked(Noting):
        def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
            for place, query in enumerate(queries):
                weights = {"正确": -0.5, "错误": value if query.request is requests[1] else -0.7}
                yield place, Reply(text="正确", finish_reason="stop", tokens=1, likelihoods=weights)

    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="claim"))
    for kept in (0, len(requests) - 1):
        with open_store(tmp_path / "kept.jsonl") as store, tqdm(disable=True) as bar:
            model = CachedModel(Masked(), PLAIN, store, "likelihood")
            replies = model.replies([ModelQuery(request=one, repeat=0, prompt=one.item_id) for one in requests], bar)
        assert (replies[1].finish_reason, replies[1].error) == ("error", "a likelihood is no finite number")
        assert (model.counts.stored, model.counts.failed) == (kept, 1)


@pytest.mark.parametrize("task", ["claim", "choice", "tcm", "essay"])
@pytest.mark.parametrize("seed", [1, 2])
def test_examples_are_those_of_a_plain_draw(task: str, seed: int, toy_data: Path) -> None:
    """Claims of train before those of dev; each pair gives one sentence before any gives its other."""
    splits, prompt = toy_data / "splits", TASKS[task].prompts[0]
    found = read_pools(TASKS[task], prompt, splits, seed)
    assert all(isinstance(pool, list) for pool in found.values())
    if task != "claim":
        return
    for pool, examples in found.items():
        drawn = {
            name: [pair.id for pair in read_jsonl(splits / name / "claims.jsonl", ClaimPair) if pair.atomic_type == pool]
            for name in ("train", "dev")
        }
        first = len(drawn["train"])
        assert {one.unit for one in examples[: 2 * first]} == set(drawn["train"])
        assert sorted(one.unit for one in examples[:first]) == sorted(drawn["train"])
        assert abs(sum(one.answer == "正确" for one in examples[:first]) * 2 - first) <= 1


@pytest.mark.slow
@given(
    steps=st.lists(st.tuples(st.sampled_from(["own", "a", "b", "z"]), st.integers(0, 9), st.integers(0, 99)), max_size=40),
    looks=st.sets(st.integers(0, 40)),
)
def test_a_store_finds_what_a_dict_would(steps: list[tuple[str, int, int]], looks: set[int]) -> None:
    """Replies written by this process and others, looked for in between; its own stay, then those of later files and lines."""
    written: dict[str, dict[str, str]] = {name: {} for name in ("a", "b", "z", "own")}
    with TemporaryDirectory() as folder, open_store(Path(folder) / "own.jsonl") as store:
        for number, (name, key, text) in enumerate(steps):
            reply = Reply(text=str(text), finish_reason="stop", tokens=1)
            if name == "own":
                store.add(f"k{key}", reply)
            else:
                with open(Path(folder) / f"{name}.jsonl", "ab", buffering=0) as out:
                    Store(Path(folder) / f"{name}.jsonl", out).add(f"k{key}", reply)
            written[name][f"k{key}"] = str(text)
            if number in looks:
                store.find([f"k{key}"])
        found = store.find(f"k{key}" for key in range(12))
    wanted: dict[str, str] = {}
    for rows in written.values():
        wanted |= rows
    assert {key: reply.text for key, reply in found.items()} == wanted


def kept_line(key: str, text: str) -> bytes:
    return to_line(StoredReply(key=key, reply=Reply(text=text, finish_reason="stop", tokens=1)))


def texts_of(store: Store, *keys: str) -> dict[str, str]:
    return {key: reply.text for key, reply in store.find(keys).items()}


@pytest.mark.parametrize("grown", [False, True])
def test_a_file_that_another_took_the_place_of_is_read_from_its_beginning(grown: bool, tmp_path: Path) -> None:
    """As `rsync` and editors write: the old file is open to the end, what it had stays known."""
    other, made = tmp_path / "other.jsonl", tmp_path / "made"
    other.write_bytes(kept_line("k1", "a" * 50))
    with open_store(tmp_path / "own.jsonl") as store:
        assert texts_of(store, "k1") == {"k1": "a" * 50}
        if grown:
            with open(other, "ab") as out:
                out.write(kept_line("k3", "c"))
        made.write_bytes(kept_line("k9", "z") + kept_line("k2", "b" * 200))
        made.replace(other)
        assert texts_of(store, "k1", "k2", "k9") == {"k1": "a" * 50, "k2": "b" * 200, "k9": "z"}
        other.unlink()
        assert texts_of(store, "k1", "k2", "k9") == {"k1": "a" * 50, "k2": "b" * 200, "k9": "z"}


@pytest.mark.parametrize("loss", ["removed", "copied", "folder"])
def test_replies_go_on_to_be_kept_when_their_file_is_taken_away(loss: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    own, reply = tmp_path / "model" / "own.jsonl", Reply(text="答", finish_reason="stop", tokens=1)
    with open_store(own) as store:
        store.add("k1", reply)
        assert texts_of(store, "k1")
        if loss == "folder":
            shutil.rmtree(own.parent)
        else:
            own.rename(tmp_path / "away")
        if loss == "copied":
            shutil.copy(tmp_path / "away", own)
        assert texts_of(store, "k1")
        for key in ("k2", "k3"):
            store.add(key, reply)
            assert texts_of(store, "k1", "k2", "k3").keys() == {"k1", "k2", key}
    assert f"{own}: the file was removed; further replies are stored in a new one" in capsys.readouterr().err
    kept = [line.key for line in read_jsonl(own, StoredReply)]
    assert kept == (["k1"] if loss == "copied" else []) + ["k2", "k3"]


def test_what_only_ends_like_a_store_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "kept.jsonl").write_bytes(kept_line("k", "答"))
    with open_store(tmp_path / "own.jsonl") as store:
        assert texts_of(store, "k") == {"k": "答"}


def test_a_line_that_is_too_deep_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(kept_line("k", "答") + b'{"reply":{"x":' + b"[" * 100_000 + b"\n")
    with open_store(tmp_path / "own.jsonl") as store, pytest.raises(ValueError, match=r"a.jsonl:2: .*delete the line"):
        store.find(["k"])


def test_a_bar_knows_how_much_is_to_come(
    toy_data: Path, scripted: ModuleType, parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr("eval.models.cached_model.tqdm", lambda **words: tqdm(**words | {"disable": False, "mininterval": 0}))
    write_json(tmp_path / "runs.json", {"run": Run(model="perfect", task="tcm", repeats=3)})
    paths = {"runs": tmp_path / "runs.json", "splits": toy_data / "splits", "models": parts, "out": tmp_path / "predictions" / "perfect"}
    main(["perfect", *(f"--{name}={path}" for name, path in paths.items())])
    assert "run: 100%" in capsys.readouterr().err.replace("\r", "\n")
