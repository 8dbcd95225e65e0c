"""A model with cached replies: every reply in its place, nothing requested twice, the same bytes after a kill."""

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tqdm import tqdm

from atomexam.records.blocks import Run
from atomexam.runtime.jsonl import read_jsonl, to_line
from eval.models import cached_model
from eval.models.cached_model import NOT_REACHED, CachedModel, Rank, key_of, share_of
from eval.models.contract import ModelQuery, Reply, Settings
from eval.models.reply_store import Store, StoredReply, open_store
from eval.tasks.prompt import Message, plain_text
from eval.tasks.request import Request
from eval.tasks.runs import RequestBuilder
from tests.eval.conftest import toy_request

PLAIN = Settings(max_new_tokens=8, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)


class Counting:
    """A model that replies with the length of its prompt, the last query first, and counts what it is asked; it may break off."""

    def __init__(self, identity: str = "counting", breaks_after: int | None = None, fails: str = "nothing") -> None:
        self.identity = identity
        self.asked: list[str] = []
        self.calls: list[list[ModelQuery]] = []
        self._breaks_after = breaks_after
        self._fails = fails

    def render(self, messages: Sequence[Message]) -> str:
        return plain_text(messages)

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        self.calls.append(list(queries))
        for place in reversed(range(len(queries))):
            if len(self.asked) == self._breaks_after:
                raise KeyboardInterrupt
            self.asked.append(queries[place].request.item_id)
            if self._fails in queries[place].request.messages[-1]["content"]:
                yield place, Reply(text="", finish_reason="error", tokens=0, error="no such thing")
            else:
                yield place, Reply(text=f"{len(queries[place].prompt)}/{queries[place].repeat}", finish_reason="stop", tokens=1)

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        for place, reply in self.generate(queries, settings):
            yield place, Reply(text=reply.text, finish_reason="stop", tokens=1, likelihoods={"A": -1.0})


def ask(backend: Counting, queries: list[ModelQuery], settings: Settings, kept: Path, name: str, method: str = "generation") -> list[Reply]:
    """Ask at once, and print the counts of a run."""
    with open_store(kept) as store, tqdm(disable=True) as bar:
        model = CachedModel(backend, settings, store, method)
        replies = [one.reply for one in model.replies(queries, bar)]
    print(model.counts.line(name), file=sys.stderr)
    return replies


@pytest.fixture
def queries(toy_data: Path) -> list[ModelQuery]:
    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="choice"))
    return [ModelQuery(request=one, repeat=repeat, prompt=plain_text(one.messages)) for one in requests for repeat in range(2)]


@pytest.mark.parametrize("breaks_after", [0, 1, 7, 47])
def test_interrupted_run_resumes(breaks_after: int, queries: list[ModelQuery], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    whole = ask(Counting(), queries, PLAIN, tmp_path / "whole" / "r.jsonl", "r")
    assert [reply.text for reply in whole] == [f"{len(query.prompt)}/{query.repeat}" for query in queries]  # in the order of askings
    with pytest.raises(KeyboardInterrupt):
        ask(Counting(breaks_after=breaks_after), queries, PLAIN, kept, "r")
    second = Counting()
    assert ask(second, queries, PLAIN, kept, "r") == whole
    assert len(second.asked) == len(queries) - breaks_after


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_torn_last_line_is_requested_again(cut: int, queries: list[ModelQuery], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    whole = ask(Counting(), queries, PLAIN, kept, "r")
    kept.write_bytes(kept.read_bytes()[:-cut])
    again = Counting()
    assert ask(again, queries, PLAIN, kept, "r") == whole
    assert len(again.asked) == 1
    assert len(list(read_jsonl(kept, StoredReply))) == len(queries)


@pytest.mark.parametrize(("line", "told"), [
    (b"{}\n", "missing required field `key`"), (b'{"id":"q-1","stem":"a question"}\n', "unknown field `id`"),
    (b"\x00\x00\x00\n", "malformed"),
])  # fmt: skip
def test_foreign_line_is_reported_with_remedy(line: bytes, told: str, queries: list[ModelQuery], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    ask(Counting(), queries, PLAIN, kept, "r")
    lines = kept.read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join([lines[0], line, *lines[2:]]))
    with pytest.raises(ValueError, match=rf"kept.jsonl:2: .*{told}.*delete the line, then only its request is made again"):
        ask(Counting(), queries, PLAIN, kept, "r")
    kept.write_bytes(b"".join([lines[0], *lines[2:]]))
    again = Counting()
    ask(again, queries, PLAIN, kept, "r")
    assert len(again.asked) == 1


def test_ignores_lines_another_process_is_writing(queries: list[ModelQuery], tmp_path: Path) -> None:
    """Only its own file is mended; another's unfinished line is passed over."""
    ask(Counting(), queries, PLAIN, tmp_path / "other.jsonl", "other")
    torn = (tmp_path / "other.jsonl").read_bytes()[:-9]
    (tmp_path / "other.jsonl").write_bytes(torn)
    again = Counting()
    ask(again, queries, PLAIN, tmp_path / "kept.jsonl", "r")
    assert len(again.asked) == 1
    assert (tmp_path / "other.jsonl").read_bytes() == torn


def test_second_run_repeats_no_request(queries: list[ModelQuery], tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    first, second = Counting(), Counting()
    replies = ask(first, queries[:20], PLAIN, tmp_path / "a.jsonl", "a")
    assert ask(second, queries[:24], PLAIN, tmp_path / "b.jsonl", "b")[:20] == replies
    assert len(second.asked) == 4
    told = "a: 20 requests: 0 stored, 20 new, 0 failed", "b: 24 requests: 20 stored, 4 new, 0 failed"
    assert tuple(capsys.readouterr().err.splitlines()) == told


def test_concurrent_run_keeps_its_own_reply(queries: list[ModelQuery], tmp_path: Path) -> None:
    """A server may say two things to one question; what a run once wrote does not change."""
    own = ask(Counting(), queries, PLAIN, tmp_path / "a.jsonl", "a")
    for line in (tmp_path / "a.jsonl").read_text().splitlines():
        with open(tmp_path / "b.jsonl", "a") as other, open(tmp_path / "0.jsonl", "a") as earlier:
            for file in (other, earlier):
                file.write(line.replace('"text":"', '"text":"another ') + "\n")
    assert ask(Counting(), queries, PLAIN, tmp_path / "a.jsonl", "a") == own
    assert all(reply.text.startswith("another ") for reply in ask(Counting(), queries, PLAIN, tmp_path / "b.jsonl", "b"))


def test_failed_reply_is_returned_but_not_stored(queries: list[ModelQuery], tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    kept = tmp_path / "kept.jsonl"
    lost = [query for query in queries if "第3001组" in query.prompt]
    replies = ask(Counting(fails="第3001组"), queries, PLAIN, kept, "r")
    failed = [reply for reply in replies if reply.error]
    assert [(reply.text, reply.finish_reason, reply.error) for reply in failed] == [("", "error", "no such thing")] * len(lost)
    assert len(list(read_jsonl(kept, StoredReply))) == len(queries) - len(lost)
    again = Counting()
    assert not [reply for reply in ask(again, queries, PLAIN, kept, "r") if reply.error]
    assert len(again.asked) == len(lost) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"r: {len(queries)} requests: 0 stored, {len(queries)} new, 2 failed"


class Stumbling(Counting):
    """A backend that forgets the first question, or replies to it again."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._times = times

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        replies = list(super().generate(queries, settings))
        yield from replies[:-1] + replies[-1:] * self._times


def test_error_without_cause_counts_as_failed(queries: list[ModelQuery], tmp_path: Path) -> None:
    class Wordless(Counting):
        def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
            for place in range(len(queries)):
                yield place, Reply(text="half of it", finish_reason="error", tokens=3)

    (reply, *_) = ask(Wordless(), queries, PLAIN, tmp_path / "kept.jsonl", "run")
    assert (reply.text, reply.error) == ("", "no reply")
    assert (tmp_path / "kept.jsonl").read_bytes() == b""


@pytest.mark.parametrize("of", [1, 2, 3, 5])
def test_shares_partition_requests_by_conversation(of: int, toy_data: Path) -> None:
    """Cases of three: the last follows one that follows another."""
    plain = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="choice"))
    follows = [None if place % 3 == 0 else plain[place - 1].item_id for place in range(len(plain))]
    requests = [structs.replace(one, follows=before) for one, before in zip(plain, follows, strict=True)]
    shares = [[request.item_id for request in share_of(requests, Rank(number, of))] for number in range(of)]
    assert sorted(item for share in shares for item in share) == sorted(one.item_id for one in requests)
    for start in range(0, len(requests), 3):
        case = {request.item_id for request in requests[start : start + 3]}
        assert sum(bool(case & set(share)) for share in shares) == 1
    assert max(map(len, shares)) - min(map(len, shares)) <= 3


@pytest.mark.parametrize(("times", "message"), [
    (0, r"counting gave no reply to 1 questions, such as q-.*bug in the backend"),
    (2, r"counting replied twice to the same question; this is a bug in the backend"),
])  # fmt: skip
def test_reports_backend_with_missing_or_double_replies(times: int, message: str, queries: list[ModelQuery], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        ask(Stumbling(times), queries, PLAIN, tmp_path / "kept.jsonl", "r")


@pytest.mark.parametrize("place", [-1, 10_000])
def test_reports_reply_without_request(place: int, queries: list[ModelQuery], tmp_path: Path) -> None:
    class Lost(Counting):
        def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
            yield place, Reply(text="A", finish_reason="stop", tokens=1)

    with pytest.raises(ValueError, match="replied to a request that was not made; this is a bug in the backend"):
        ask(Lost(), queries, PLAIN, tmp_path / "kept.jsonl", "r")
    assert not (tmp_path / "kept.jsonl").read_bytes()


def test_methods_do_not_share_replies(queries: list[ModelQuery], tmp_path: Path) -> None:
    kept, backend = tmp_path / "kept.jsonl", Counting()
    ask(backend, queries, PLAIN, kept, "r")
    weighed = ask(backend, queries, PLAIN, kept, "r", "likelihood")
    assert len(backend.asked) == 2 * len(queries)
    assert ask(backend, queries, PLAIN, kept, "r", "likelihood") == weighed
    assert {json.dumps(reply.likelihoods) for reply in weighed} == {'{"A": -1.0}'}


def in_turn(backend: Counting, requests: list[Request], kept: Path, repeats: int = 1) -> dict[tuple[str, int], tuple[ModelQuery, Reply]]:
    with open_store(kept) as store, tqdm(disable=True) as bar:
        model = CachedModel(backend, PLAIN, store)
        replies = model.reply_all(requests, repeats, bar)
    assert model.counts.requests == len(requests) * repeats == len(replies)
    return {(query.request.item_id, query.repeat): (query, reply) for query, reply, _ in replies}


@pytest.fixture
def case(toy_data: Path) -> list[Request]:
    """The three questions of one case in their order."""
    requests = [one for one in RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="tcm")) if one.facets["form"] == "a3"]
    ordered: list[Request] = []
    while len(ordered) < len(requests):
        ordered += [one for one in requests if one.follows == (ordered[-1].item_id if ordered else None)]
    return ordered


def test_case_questions_include_earlier_replies(case: list[Request], tmp_path: Path) -> None:
    backend = Counting()
    replies = in_turn(backend, case[::-1], tmp_path / "kept.jsonl", repeats=2)
    assert backend.asked == [request.item_id for request in case for _ in range(2)]
    for repeat in range(2):
        first, second, third = (replies[request.item_id, repeat] for request in case)
        said = [message["content"] for message in third[0].request.messages if message["role"] == "assistant"]
        assert said == [first[1].text, second[1].text]
        assert third[0].prompt == plain_text(third[0].request.messages)
        assert third[0].prompt.count("患者") == 1
        assert first[1].text in second[0].prompt
        assert first[1].text.endswith(f"/{repeat}")


def test_question_after_a_failed_one_fails_unasked(case: list[Request], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    backend = Counting(fails="第3006题")  # the second of the case
    replies = [reply for _, reply in in_turn(backend, case, kept).values()]
    assert [reply.error for reply in replies] == [None, "no such thing", NOT_REACHED]
    assert backend.asked == [request.item_id for request in case[:2]]
    again = Counting()
    assert not [reply.error for _, reply in in_turn(again, case, kept).values() if reply.error]
    assert again.asked == [request.item_id for request in case[1:]]


def test_rejects_follow_up_without_its_first(case: list[Request], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"{case[1].item_id} follows {case[0].item_id}, which is not requested"):
        in_turn(Counting(), case[1:], tmp_path / "kept.jsonl")


def test_only_changed_requests_are_repeated(queries: list[ModelQuery], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    ask(Counting(), queries, PLAIN, kept, "r")

    def asked(queries: list[ModelQuery], settings: Settings = PLAIN, identity: str = "counting") -> int:
        backend = Counting(identity)
        ask(backend, queries, settings, kept, "r")
        return len(backend.asked)

    assert asked(queries) == 0
    assert asked(queries[3:]) == 0
    assert asked(queries, structs.replace(PLAIN, batch_size=9)) == 0
    assert asked([structs.replace(queries[0], prompt="anders"), *queries[1:]]) == 1
    assert asked([structs.replace(queries[0], repeat=2), *queries[1:]]) == 1
    reworded = structs.replace(queries[0].request, answer_format="选{answer}")  # what a baseline replies with
    assert asked([structs.replace(queries[0], request=reworded), *queries[1:]]) == 1
    assert asked(queries, structs.replace(PLAIN, temperature=0.3)) == len(queries)
    assert asked(queries, structs.replace(PLAIN, seed=2)) == len(queries)
    assert asked(queries, identity="other") == len(queries)
    fewer = structs.replace(queries[0].request, options=queries[0].request.options[1:])
    assert asked([structs.replace(queries[0], request=fewer), *queries[1:]]) == 1


def test_keys_of_stored_replies_are_stable() -> None:
    """Whoever changes one of these has everybody's replies requested anew: raise a version instead, where replies change."""
    request = toy_request("q-1", messages=[], question_type="mcqa", answer="A", answer_format="答案：{answer}", reader="mcqa")
    query = ModelQuery(request=request, repeat=0, prompt="问")
    settings = [(PLAIN, "generation"), (PLAIN, "likelihood"), (structs.replace(PLAIN, stop="verdict", stop_strings=("\n",)), "generation")]
    keys = [key_of("huggingface/2/weights/float64", query, each, method)[:16] for each, method in settings]
    assert keys == ["863d2aae49413e5d", "9b10cd9de779be76", "c008504ec20e39fe"]


@pytest.mark.parametrize("task", ["claim", "choice", "tcm"])
def test_prompts_are_sorted_and_batching_changes_no_reply(
    task: str, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task=task, shots=2))
    whole = in_turn(Counting(), requests, tmp_path / "whole" / "r.jsonl", repeats=2)
    monkeypatch.setattr(cached_model, "_CHUNK_SIZE", 7)
    by_parts = Counting()
    assert in_turn(by_parts, requests[::-1], tmp_path / "parts" / "r.jsonl", repeats=2) == whole
    assert max(map(len, by_parts.calls)) == 7
    prompts = [query.prompt for call in by_parts.calls for query in call]
    assert task == "tcm" or prompts == sorted(prompts)  # of a case, the later questions come after
    again = Counting()
    assert in_turn(again, requests, tmp_path / "parts" / "r.jsonl", repeats=2) == whole and not again.calls


@pytest.mark.parametrize("value", [float("-inf"), float("inf"), float("nan")])
def test_non_finite_likelihood_is_a_failure(value: float, toy_data: Path, tmp_path: Path) -> None:
    """It would stand as null in the store, which nobody could read again: a vocabulary that is masked has such scores."""

    class Masked(Counting):
        def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
            for place, query in enumerate(queries):
                weights = {"正确": -0.5, "错误": value if query.request is requests[1] else -0.7}
                yield place, Reply(text="正确", finish_reason="stop", tokens=1, likelihoods=weights)

    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="claim"))
    for kept in (0, len(requests) - 1):
        with open_store(tmp_path / "kept.jsonl") as store, tqdm(disable=True) as bar:
            model = CachedModel(Masked(), PLAIN, store, "likelihood")
            asked = [ModelQuery(request=one, repeat=0, prompt=one.item_id) for one in requests]
            replies = [one.reply for one in model.replies(asked, bar)]
        assert (replies[1].finish_reason, replies[1].error) == ("error", "a likelihood is not a finite number")
        assert (model.counts.stored, model.counts.failed) == (kept, 1)


class Brimful(FileIO):
    """A file on a disk with room for half of what is written."""

    def write(self, line: bytes) -> int:
        return super().write(line[: len(line) // 2])


def test_short_write_ends_the_run(tmp_path: Path) -> None:
    """A short write is no error of its own; going on would leave a torn line between whole ones."""
    with (
        Brimful(tmp_path / "kept.jsonl", "ab") as out,
        pytest.raises(OSError, match=r"kept.jsonl: a reply could not be stored: No space left"),
    ):
        Store(tmp_path / "kept.jsonl", out).add("k", Reply(text="答", finish_reason="stop", tokens=1))


@pytest.mark.slow
@given(before=st.lists(st.binary(max_size=9), max_size=4), torn=st.binary(max_size=9))
def test_only_the_torn_tail_is_truncated(before: list[bytes], torn: bytes) -> None:
    whole = b"".join(line.replace(b"\n", b" ") + b"\n" for line in before)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kept.jsonl"
        path.write_bytes(whole + torn.replace(b"\n", b" "))
        with open_store(path):
            assert path.read_bytes() == whole


@pytest.mark.slow
@given(
    steps=st.lists(st.tuples(st.sampled_from(["own", "a", "b", "z"]), st.integers(0, 9), st.integers(0, 99)), max_size=40),
    looks=st.sets(st.integers(0, 40)),
)
def test_store_behaves_like_a_dict(steps: list[tuple[str, int, int]], looks: set[int]) -> None:
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
def test_replaced_file_is_read_from_the_start(grown: bool, tmp_path: Path) -> None:
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
def test_replies_are_stored_after_their_file_is_deleted(loss: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
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


def test_ignores_folders_named_like_a_store(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "kept.jsonl").write_bytes(kept_line("k", "答"))
    with open_store(tmp_path / "own.jsonl") as store:
        assert texts_of(store, "k") == {"k": "答"}


def test_reports_too_deeply_nested_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(kept_line("k", "答") + b'{"reply":{"x":' + b"[" * 100_000 + b"\n")
    with open_store(tmp_path / "own.jsonl") as store, pytest.raises(ValueError, match=r"a.jsonl:2: .*delete the line"):
        store.find(["k"])
