"""Requests while the split is read: windows, order and memory change no reply, and no request is made twice."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tqdm import tqdm

from atomexam.records.claim import ClaimPair
from atomexam.records.model import Description
from atomexam.records.prediction import Prediction
from atomexam.records.question import Question
from atomexam.records.run import Run, Server
from atomexam.runtime.jsonl import read_jsonl, to_line, write_json, write_jsonl
from eval.models import cached_model, reply_store
from eval.models.cached_model import CachedModel, key_of
from eval.models.contract import ModelQuery, Reply, Settings
from eval.models.openai import OpenAI
from eval.models.reply_store import Store, StoredReply, open_store
from eval.predict.__main__ import main
from eval.tasks import TASKS, RequestBuilder, build_requests, contract
from eval.tasks.contract import read_requests
from eval.tasks.prompt import Message, plain_text
from eval.tasks.request import Request
from eval.tasks.shots import read_pools

ROOT = Path(__file__).parents[2]
PLAIN = Settings(max_new_tokens=8, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)
WORDINGS = [(name, prompt) for name, task in sorted(TASKS.items()) for prompt in task.prompts]


class Noting:
    """A model that replies with its prompt's length and notes what it is asked in each call."""

    shares_prefixes = False

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


class Sharing(Noting):
    """A model that gains by prompts which begin alike."""

    shares_prefixes = True


def replies_of(backend: Noting, lists: list[list[Request]], kept: Path, repeats: int = 1) -> dict[tuple[str, int], tuple[str, Reply]]:
    with open_store(kept) as store, tqdm(disable=True) as bar:
        found = list(CachedModel(backend, PLAIN, store).stream(lists, repeats, bar))
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


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask some three requests at a time."""
    monkeypatch.setattr(cached_model, "_WINDOW_CHARS", 3000)
    monkeypatch.setattr(contract, "_CHUNK", 2)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize(("task", "prompt"), WORDINGS)
def test_a_split_read_by_parts_asks_what_it_asks_as_a_whole(
    task: str, prompt: str, size: int, toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "_CHUNK", size)
    lists = list(read_requests(TASKS[task], toy_data / "splits" / "test", prompt))
    whole = RequestBuilder(toy_data / "splits").zero_shot(task, prompt)
    found = [request for requests in lists for request in requests]
    assert sorted(found, key=lambda one: one.item_id) == whole
    for requests in lists:
        assert {one.follows for one in requests} <= {one.item_id for one in requests} | {None}
    if size == 1000:
        assert len(lists) <= 2


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize(("task", "prompt"), WORDINGS)
def test_items_are_what_requests_are_but_for_their_conversations(
    task: str, prompt: str, size: int, toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut within a case, too: of how a reply is read and counted nothing hangs on the other questions."""
    monkeypatch.setattr(contract, "_CHUNK", size)
    builder = RequestBuilder(toy_data / "splits")
    alone = {"messages": [], "follows": None}
    whole = [structs.replace(request, **alone) for request in builder.zero_shot(task, prompt)]
    assert [structs.replace(request, **alone) for request in builder.read_items(task, prompt)] == whole


def test_items_that_are_not_sorted_are_refused(toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "_CHUNK", 2)
    lines = (toy_data / "splits" / "test" / "claims.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "splits" / "test" / "claims.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join([*lines[2:], *lines[:2]]))
    with pytest.raises(ValueError, match="the split is not sorted: rebuild it with `dvc repro -f split`"):
        list(RequestBuilder(tmp_path / "splits").read_items("claim", "claim"))


@pytest.mark.parametrize("backend", [Noting, Sharing])
@pytest.mark.parametrize("task", ["claim", "choice", "tcm"])
def test_no_reply_depends_on_the_window(task: str, backend: type[Noting], toy_data: Path, tmp_path: Path, small_windows: None) -> None:
    run = Run(model="m", task=task, shots=2)
    lists = list(RequestBuilder(toy_data / "splits").read_run(run))
    by_parts, at_once = backend(), Noting()
    found = replies_of(by_parts, lists, tmp_path / "a" / "kept.jsonl", repeats=2)
    assert len(by_parts.calls) > 3
    assert found == replies_of(at_once, [build_requests(run, toy_data / "splits")], tmp_path / "b" / "kept.jsonl", repeats=2)
    again = backend()
    assert replies_of(again, lists, tmp_path / "a" / "kept.jsonl", repeats=2) == found
    assert not again.calls


def test_a_model_that_shares_prefixes_is_asked_in_the_order_of_prompts(toy_data: Path, tmp_path: Path, small_windows: None) -> None:
    """So that what a subject's prompts begin with is read once, however many windows the run has."""
    lists = list(RequestBuilder(toy_data / "splits").read_run(Run(model="m", task="choice", shots=2)))
    backend = Sharing()
    replies_of(backend, lists, tmp_path / "kept.jsonl")
    prompts = [query.prompt for call in backend.calls for query in call]
    assert (len(backend.calls) > 3, prompts) == (True, sorted(prompts))


def test_prompts_are_sorted_beside_their_replies(toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may take gigabytes, and the system's own folder is often in memory."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    requests = build_requests(Run(model="m", task="choice"), toy_data / "splits")
    assert len(replies_of(Sharing(), [requests], tmp_path / "store" / "kept.jsonl")) == len(requests)
    assert {path.name for path in (tmp_path / "store").iterdir()} == {"kept.jsonl", ".kept.jsonl.lock"}


def test_the_same_request_in_two_windows_is_asked_once(toy_data: Path, tmp_path: Path, small_windows: None) -> None:
    requests = build_requests(Run(model="m", task="claim"), toy_data / "splits")
    backend = Noting()
    with open_store(tmp_path / "kept.jsonl") as store, tqdm(disable=True) as bar:
        found = list(CachedModel(backend, PLAIN, store).stream([requests, requests], 1, bar))
    assert len(found) == 2 * len(requests)
    assert sum(map(len, backend.calls)) == len(requests)


@pytest.mark.parametrize("backend", [Noting, Sharing])
def test_a_window_ends_within_what_is_read_at_a_time(
    backend: type[Noting], toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else 512 records in 100 repeats, or of the length of books, are all held at once; a conversation stays whole."""
    monkeypatch.setattr(cached_model, "_WINDOW_CHARS", 100_000)
    lists = list(RequestBuilder(toy_data / "splits").read_run(Run(model="m", task="tcm")))
    assert len(lists) == 2
    model = backend()
    replies_of(model, lists, tmp_path / "kept.jsonl", repeats=100)
    assert max(map(len, model.calls)) <= 200
    longest = max(sum(len(query.prompt) for query in call) for call in model.calls)
    assert longest <= 100_000


@pytest.mark.parametrize("under_way", [0, 1, 2])
def test_a_server_that_has_many_calls_under_way_has_enough_to_do_in_each_window(
    under_way: int, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of a window it waits for the slowest replies alone: with 256 calls and 800 questions, for most of the time."""
    monkeypatch.setattr(cached_model, "_WINDOW_CHARS", 1)
    model = Noting()
    model.under_way = under_way
    lists = list(RequestBuilder(toy_data / "splits").read_run(Run(model="m", task="choice")))
    replies_of(model, lists, tmp_path / "kept.jsonl", repeats=16)
    assert {len(call) for call in model.calls} == {64 * under_way or 16}


def test_servers_say_how_many_calls_they_have_under_way() -> None:
    server = Server(url="http://127.0.0.1:1/v1", concurrency=33)
    assert OpenAI(Description(model="m", backend="openai", name="m", server=server)).under_way == 33


@pytest.mark.parametrize("value", [float("-inf"), float("inf"), float("nan")])
def test_a_likelihood_that_json_has_no_number_for_is_a_failure(value: float, toy_data: Path, tmp_path: Path) -> None:
    """It would stand as null in the store, which nobody could read again: a vocabulary that is masked has such scores."""

    class Masked(Noting):
        def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
            for place, query in enumerate(queries):
                weights = {"正确": -0.5, "错误": value if query.request is requests[1] else -0.7}
                yield place, Reply(text="正确", finish_reason="stop", tokens=1, likelihoods=weights)

    requests = build_requests(Run(model="m", task="claim"), toy_data / "splits")
    for kept in (0, len(requests) - 1):
        with open_store(tmp_path / "kept.jsonl") as store, tqdm(disable=True) as bar:
            model = CachedModel(Masked(), PLAIN, store, "likelihood")
            replies = model.replies([ModelQuery(request=one, repeat=0, prompt=one.item_id) for one in requests], bar)
        assert (replies[1].finish_reason, replies[1].error) == ("error", "a likelihood is no finite number")
        assert (model.counts.kept, model.counts.failed) == (kept, 1)


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize("form", ["a1", "a3", None])
@pytest.mark.parametrize("backend", [Noting, Sharing])
def test_an_item_that_stands_twice_is_named(
    backend: type[Noting], form: str | None, size: int, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one window or two, alone or in a conversation, where it would follow itself: the two share a reply's place."""
    monkeypatch.setattr(contract, "_CHUNK", size)
    test = tmp_path / "splits" / "test"
    questions = list(read_jsonl(toy_data / "splits" / "test" / "questions.jsonl", Question))
    odd = next(row for row in questions if row.form == form)
    write_jsonl(test / "questions.jsonl", [*questions, odd], key=lambda row: row.id)
    run = Run(model="m", task="tcm" if form else "choice")
    told = f"{odd.id} is twice in the split; rebuild it with `dvc repro -f split`"
    with pytest.raises(ValueError, match=told):
        replies_of(backend(), list(RequestBuilder(tmp_path / "splits").read_run(run)), tmp_path / "kept.jsonl")
    with pytest.raises(ValueError, match=told):
        build_requests(run, tmp_path / "splits")
    [pair] = list(read_jsonl(toy_data / "splits" / "test" / "claims.jsonl", ClaimPair))[:1]
    write_jsonl(test / "claims.jsonl", [pair, pair], key=lambda row: row.id)
    with pytest.raises(ValueError, match="is twice in the split"):
        list(RequestBuilder(tmp_path / "splits").read_run(Run(model="m", task="claim")))
    with pytest.raises(ValueError, match="is twice in the split"):
        list(RequestBuilder(tmp_path / "splits").read_items("claim", "claim"))


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


def test_keys_of_one_hash_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_store, "hash", lambda key: 7, raising=False)
    replies = {
        f"k{number}": Reply(text="答" * number, finish_reason="stop", tokens=1) for number in range(300)
    }  # also lines beyond one read
    with open_store(tmp_path / "kept.jsonl") as store:
        for key, reply in replies.items():
            store.add(key, reply)
        assert store.find([*replies, "k300"]) == replies
        store.add("k300", replies["k1"])
        assert store.find(["k300"]) == {"k300": replies["k1"]}


def test_a_store_that_was_changed_under_way_is_told(tmp_path: Path) -> None:
    with open_store(tmp_path / "kept.jsonl") as store:
        store.add("k", Reply(text="答", finish_reason="stop", tokens=1))
        assert store.find(["k"])
        (tmp_path / "kept.jsonl").write_bytes(b"x" * (tmp_path / "kept.jsonl").stat().st_size)
        with pytest.raises(ValueError, match=r"kept.jsonl: .*the file has changed; run the same command again"):
            store.find(["k"])


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


def test_a_store_may_have_more_files_than_a_process_opens_by_default(tmp_path: Path) -> None:
    """64 processes leave a file each for every run; 1,024 is the usual limit, which a process may raise itself."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    for number in range(150):
        (tmp_path / f"{number:03}.jsonl").write_bytes(kept_line(f"k{number}", "答"))
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, before[1]))
        with open_store(tmp_path / "own.jsonl") as store:
            assert len(store.find(f"k{number}" for number in range(150))) == 150
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_line_that_is_too_deep_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(kept_line("k", "答") + b'{"reply":{"x":' + b"[" * 100_000 + b"\n")
    with open_store(tmp_path / "own.jsonl") as store, pytest.raises(ValueError, match=r"a.jsonl:2: .*delete the line"):
        store.find(["k"])


def test_a_bar_knows_how_much_is_to_come(
    toy_data: Path, scripted: ModuleType, parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr("eval.predict.__main__.tqdm", lambda **words: tqdm(**words | {"disable": False, "mininterval": 0}))
    write_json(tmp_path / "runs.json", {"run": Run(model="perfect", task="tcm", repeats=3)})
    paths = {"runs": tmp_path / "runs.json", "splits": toy_data / "splits", "models": parts, "out": tmp_path / "predictions" / "perfect"}
    main(["perfect", *(f"--{name}={path}" for name, path in paths.items())])
    assert "run: 100%" in capsys.readouterr().err.replace("\r", "\n")


MEASURED = """
import runpy, sys
module = sys.argv.pop(1)
runpy.run_module(module, run_name="__main__", alter_sys=True)
print(*[line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")])
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_items(toy_data: Path, tmp_path: Path) -> None:
    """Without examples, of which claims hold all in memory. Of 60,000 more, asked, found among the kept, scored and sorted, few bytes each:
    places of replies, what figures are sums of."""
    [pair] = list(read_jsonl(toy_data / "splits" / "test" / "claims.jsonl", ClaimPair))[:1]
    held = []
    for number, size in enumerate((25_000, 85_000)):
        folder = tmp_path / str(number)
        for name in ("train", "dev", "test"):
            pairs = (structs.replace(pair, id=f"{name}-{place:06}", head=f"{name}病{place}") for place in range(size // 2))
            write_jsonl(folder / "splits" / name / "claims.jsonl", pairs, key=lambda row: row.id)
        write_json(folder / "models" / "rule" / "model.json", Description(model="rule", backend="baseline", strategy="always_correct"))
        write_json(folder / "plan" / "rule" / "runs.json", {"run": Run(model="rule", task="claim")})
        query = {"runs": "plan/rule/runs.json", "splits": "splits", "models": "models", "out": "predictions/rule"}
        scoring = query | {"runs": "plan", "predictions": "predictions", "out": "scores", "metrics": "metrics", "headlines": "scores.json"}
        sorting = {"predictions": "predictions", "scores": "scores", "splits": "splits", "models": "plan", "out": "errors"}
        sorting |= {"labels": "labels.jsonl", "metrics": "errors.json"}
        (folder / "labels.jsonl").touch()
        words = {"capture_output": True, "text": True, "check": True, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
        stages = (("eval.predict", "rule", query), ("eval.predict", "rule", query), ("eval.score", scoring), ("eval.errors", sorting))
        told = [
            subprocess.run(
                [sys.executable, "-c", MEASURED, *stage, *(f"--{name}={path}" for name, path in paths.items())], cwd=folder, **words
            )
            for *stage, paths in stages
        ]
        assert f"{size} kept, 0 asked" in told[1].stderr
        held.append([int(one.stdout) for one in told])
        assert sum(1 for _ in read_jsonl(folder / "predictions" / "rule" / "run.jsonl", Prediction)) == size
    for before, after, most in zip(*held, (100, 100, 200, 100), strict=True):
        assert (after - before) * 1024 < most * 60_000
