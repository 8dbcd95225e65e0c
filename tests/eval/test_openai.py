"""The openai backend against servers over real HTTP: one that misbehaves in every way we know of."""

import asyncio
import cProfile
import json
import os
import pstats
import re
import signal
import subprocess
import sys
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

import pytest
from msgspec import structs

from atomexam.records.blocks import Run
from atomexam.records.blocks import Server as ServerBlock
from atomexam.records.model import Description
from atomexam.records.prediction import Prediction
from atomexam.runtime.jsonl import read_jsonl, write_json
from eval.backends import open_backend
from eval.models.contract import Backend, ModelQuery, Reply, Settings
from eval.models.planned import describe
from eval.models.servers.calls import remover
from eval.plan import main as plan
from eval.predict import main as predict
from tests.eval import misbehaving
from tests.eval.conftest import toy_request

KEY, Server, serving = misbehaving.KEY, misbehaving.Server, misbehaving.serving

ROOT = Path(__file__).parents[2]
PLAIN = Settings(max_new_tokens=8, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)
SAMPLED = structs.replace(PLAIN, temperature=0.3, top_k=5, top_p=0.85, repetition_penalty=1.05)
Opened = Callable[..., Backend]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


@pytest.fixture
def opened(server: Server, monkeypatch: pytest.MonkeyPatch) -> Opened:
    monkeypatch.setenv("TOY_KEY", KEY)

    def opened(**changes) -> Backend:
        values = {"url": server.url, "key_variable": "TOY_KEY", "timeout": 1.0, "tries": 2, "concurrency": 4} | changes
        return open_backend(Description(model="m", backend="openai", name="toy", server=ServerBlock(**values)), Path())

    return opened


def query(backend: Backend, text: str, number: int = 0, repeat: int = 0) -> ModelQuery:
    request = toy_request(f"i-{number}", text)
    return ModelQuery(request=request, repeat=repeat, prompt=backend.render(request.messages))


def asked(backend: Backend, texts: list[str], settings: Settings = PLAIN) -> list[Reply]:
    found: dict[int, Reply] = {}
    for place, reply in backend.generate([query(backend, text, number) for number, text in enumerate(texts)], settings):
        assert place not in found, "each place once"
        found[place] = reply
    return [found[place] for place in range(len(texts))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "calls"),
    [(way, 2) for way in ("429", "429-date", "500", "503", "408", "409", "half", "json", "shape", "html", "close", "reset")],
)
def test_what_is_worth_it_is_tried_again(way: str, calls: int, opened: Opened, server: Server) -> None:
    text = f"[{way}*1]问"
    (reply,) = asked(opened(), [text])
    assert reply == Reply(text=f"答：{text}", finish_reason="stop", tokens=3, prompt_tokens=7)
    assert server.calls[text] == calls


@pytest.mark.parametrize(
    ("way", "cause"),
    [
        ("endless", "the response has more than 8 MB; no reply is that long"),
        ("packed", "the response is compressed, which was not requested .gzip."),
        pytest.param("headers", "connection: .*", marks=pytest.mark.slow),
        pytest.param("early", "no complete reply within 2 s|connection: .*", marks=pytest.mark.slow),
    ],
)
def test_an_answer_or_head_of_any_length_takes_little_memory(way: str, cause: str, opened: Opened) -> None:
    tracemalloc.start()
    first, failed = asked(opened(timeout=60 if way in ("endless", "packed") else 2, concurrency=1, tries=1), ["甲", f"[{way}]问"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (first.text, failed.finish_reason) == ("答：甲", "error")
    assert re.fullmatch(cause, failed.error), failed.error
    assert peak < 60_000_000


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("[eos_token]问", {}, {"text": "半", "finish_reason": "stop"}),  # as text-generation-inference says it, also of a stop string
        ("[stop_sequence]问", {}, {"text": "半", "finish_reason": "stop"}),
        ("[echo]", {}, {"text": "your key is [key]."}),
        ("[other]", {}, {"model": "[2Jsmaller"}),
        ("[surrogate]", {}, {"text": "半\ufffd\\ud800😀", "replaced": 1}),
        ("甲", {"max_new_tokens": 2}, {"error": "the server ignores the limit of 2 tokens: the reply has 3"}),
    ],
)
def test_what_a_server_says_becomes_this_reply(text: str, changes: dict, expected: dict, opened: Opened) -> None:
    (reply,) = asked(opened(), [text], structs.replace(PLAIN, **changes))
    assert {name: getattr(reply, name) for name in expected} == expected


@pytest.mark.parametrize("charset", ["punycode", "idna", "zlib", "hex", "undefined", "unicode_escape", "no-such"])
def test_a_refusal_in_a_charset_that_is_none_is_a_refusal(charset: str, opened: Opened) -> None:
    """Some of Python's codecs raised what ended the run; punycode took time by the square of the answer's length."""
    start = time.process_time()
    (failed,) = asked(opened(timeout=60, concurrency=1, tries=1), [f"[charset-{charset}]问"])
    assert failed.finish_reason == "error" and failed.error.startswith("HTTP status 400: slow down-a9"), failed.error[:80]
    assert time.process_time() - start < 5


@pytest.mark.slow
@pytest.mark.parametrize(("way", "calls", "cause"), [
    ("429", 2, "HTTP status 429: .*slow down.*, 2 times"),
    ("500", 2, "HTTP status 500: .*refused Bearer .key..*, 2 times"),
    ("hang", 2, "no complete reply within 0.3 s, 2 times"),
    ("drip", 2, "no complete reply within 0.3 s, 2 times"),
    ("half", 2, "connection: .*, 2 times"),
    ("json", 2, "no chat completion in JSON .*truncated.*Bearer .key., 2 times"),
    ("shape", 2, r"no chat completion in JSON \(Expected `array` of length >= 1.*"),
    ("html", 2, "no chat completion in JSON .*malformed.*Sign in to the hotel's network.*"),
    ("close", 2, "connection: .*disconnected.*, 2 times"),
    ("reset", 2, "connection: .*, 2 times"),
    ("400", 1, "HTTP status 400: .*refused Bearer .key..*"),
    ("400-long", 1, "HTTP status 400: .*maximum context length is 512 tokens.*"),
    ("413", 1, "HTTP status 413: .*"),
    ("400-filter", 1, "HTTP status 400: .*content management policy.*"),
    ("403-filter", 1, "HTTP status 403: .*content_policy_violation.*"),
    ("403-flagged", 1, "HTTP status 403: .*requires moderation and your input was flagged.*"),
    ("debt", 2, "no chat completion in JSON .Expected `int` >= 0 .*"),
    ("host-of-tokens", 2, "no chat completion in JSON .*completion_tokens.*"),
    ("filter", 1, "the server's content filter withheld the reply"),
    ("odd", 1, "the reply ended for an unknown reason: finish_reason gremlins"),
    ("null", 1, "the reply ended for an unknown reason: finish_reason None"),
    ("tools", 1, "the server calls tools instead of replying, although no run offers any"),
    ("no-content", 1, "the reply has no text .content: null."),
])  # fmt: skip
def test_what_cannot_be_had_fails_alone_and_with_its_cause(way: str, calls: int, cause: str, opened: Opened, server: Server) -> None:
    first, failed, last = asked(opened(timeout=0.3, concurrency=1), ["甲", f"[{way}]问", "乙"])
    assert (first.text, last.text) == ("答：甲", "答：乙")
    assert (failed.text, failed.finish_reason, failed.tokens) == ("", "error", 0)
    assert re.fullmatch(cause, failed.error), failed.error
    assert server.calls[f"[{way}]问"] == calls
    assert server.keys == {f"Bearer {KEY}"}
    assert KEY not in failed.error


@pytest.mark.parametrize(
    ("way", "message"),
    [
        (
            "401",
            r"model m: 127.0.0.1:\d+ answers no request: HTTP status 401: .*Bearer \[key\].*; is the key in TOY_KEY correct\?; 1 calls",
        ),
        ("403", r"is the key in TOY_KEY correct\?"),
        ("402", "HTTP status 402"),
        ("307", "HTTP status 307"),
        ("404", r"are `name` toy and server.url correct\?"),
        ("quota", "HTTP status 429: .*insufficient_quota"),
    ],
)
def test_what_no_other_request_would_mend_ends_the_run(way: str, message: str, opened: Opened, server: Server) -> None:
    found = []
    with pytest.raises(ValueError, match=message) as told:
        backend = opened(concurrency=1)
        found.extend(backend.generate([query(backend, text) for text in ["甲", f"[{way}]", *"丙丁戊己庚"]], PLAIN))
    assert [place for place, _ in found][:2] == [0, 1]
    assert found[1][1].finish_reason == "error"
    assert sum(server.calls.values()) <= 3
    assert KEY not in str(told.value)
    assert told.value.__cause__ is None


@pytest.mark.parametrize("way", ["500", "400"])
def test_a_server_that_is_down_is_left_alone(way: str, opened: Opened, server: Server) -> None:
    found = []
    with pytest.raises(
        ValueError, match=r"10 requests in a row failed at 127.0.0.1:\d+: HTTP status .*; 3 calls since the start were answered"
    ):
        backend = opened(concurrency=2, tries=1)
        texts = ["甲", "乙", "丙", *(f"[{way}]{number}" for number in range(60))]
        found.extend(backend.generate([query(backend, text) for text in texts], PLAIN))
    assert len(found) >= 13
    assert sum(server.calls.values()) <= 18


def test_requests_that_are_too_long_never_end_a_run(opened: Opened) -> None:
    found = asked(opened(), [f"[400-long]{number}" for number in range(25)] + ["甲"])
    assert found[-1].text == "答：甲"
    assert sum(reply.finish_reason == "error" for reply in found) == 25


def test_a_server_that_cannot_be_reached(opened: Opened) -> None:
    told = (
        r"10 requests in a row failed at 127.0.0.1:\d+: connection: All connection attempts failed; is the server running .*/models` shows"
    )
    with pytest.raises(ValueError, match=told):
        asked(opened(url="http://127.0.0.1:9/v1", tries=1), [str(number) for number in range(20)])


@pytest.mark.slow
def test_calls_keep_to_the_limits(opened: Opened, server: Server) -> None:
    asked(opened(concurrency=3), [str(number) for number in range(30)])
    assert 1 < server.most_under_way <= 3
    server.times.clear()
    asked(opened(calls_per_minute=1200), [str(number) for number in range(9)])
    assert server.times[-1] - server.times[0] >= 8 * 0.05 - 0.04


def test_the_limit_holds_between_windows_and_the_questions_of_a_case(opened: Opened, server: Server) -> None:
    """Each is a call of `generate` of its own."""
    backend = opened(calls_per_minute=300)
    for text in "甲乙丙":
        asked(backend, [text])
    assert server.times[-1] - server.times[0] >= 2 * 0.2 - 0.04


def test_all_callers_wait_when_one_is_told_to(opened: Opened, server: Server) -> None:
    asked(opened(concurrency=1), ["[429*1]甲", "乙"])
    assert server.times[1] - server.times[0] >= 0.19


@pytest.mark.parametrize("way", ["429-now", "429-date"])
def test_a_wait_that_is_over_does_not_use_up_the_tries_at_once(way: str, opened: Opened, server: Server) -> None:
    """Retry-After of 0, or a date that has passed by this machine's clock: tries are as far apart as without one."""
    asked(opened(tries=3), [f"[{way}*2]甲"])
    assert server.times[1] - server.times[0] >= 0.24
    assert server.times[2] - server.times[1] >= 0.49


@pytest.mark.parametrize(("knows", "settings", "missing"), [
    ([], SAMPLED, "top_k"), (["top_k"], SAMPLED, "repetition_penalty"), (["top_k", "repetition_penalty"], SAMPLED, "seed"),
    ([], structs.replace(PLAIN, temperature=0.5), "seed"),
])  # fmt: skip
def test_what_the_server_cannot_honour_is_an_error(knows: list, settings: Settings, missing: str, opened: Opened, server: Server) -> None:
    with pytest.raises(ValueError, match=f"model m: .*chat completions may not support {missing}; add it to server.knows"):
        asked(opened(knows=knows), ["甲"], settings)
    assert not server.calls


def test_what_is_sent(opened: Opened, server: Server) -> None:
    knows = opened(knows=["top_k", "repetition_penalty", "seed"])
    queries = [query(knows, "甲", 0, repeat) for repeat in range(2)]
    dict(knows.generate(queries, SAMPLED))
    dict(opened().generate(queries[:1], PLAIN))
    *sampled, greedy = server.bodies
    assert greedy == {"model": "toy", "messages": [{"role": "user", "content": "甲"}], "max_tokens": 8, "temperature": 0.0}
    seeds = {body.pop("seed") for body in sampled}
    assert len(seeds) == 2
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert sampled[0] == greedy | {"temperature": 0.3, "top_p": 0.85, "top_k": 5, "repetition_penalty": 1.05}


def test_stop_strings_are_sent_and_cut_where_a_server_does_not_heed_them(opened: Opened, server: Server) -> None:
    """The toy server does not; `transformers serve` does, and leaves the string in the reply."""
    whole = asked(opened(), ["甲"])[0]
    [cut] = dict(opened().generate([query(opened(), "甲", 0)], structs.replace(PLAIN, stop_strings=(whole.text[2:4], "无")))).values()
    assert (cut.text, cut.finish_reason) == (whole.text[:2], "stop")
    assert server.bodies[-1]["stop"] == [whole.text[2:4], "无"]


def test_where_a_loop_is_running_already(opened: Opened) -> None:
    async def notebook() -> list[Reply]:
        return asked(opened(), ["问", "[500]问"])

    with ThreadPoolExecutor(1) as other:  # a browser's test leaves a loop in this one
        answered, failed = other.submit(asyncio.run, notebook()).result()
    assert (answered.text, failed.finish_reason) == ("答：问", "error")


def test_likelihoods_are_refused(opened: Opened) -> None:
    with pytest.raises(
        ValueError,
        match=r"server.api: chat returns no likelihoods of answers; set `method: generation` .* or server.api: tokens or vllm",
    ):
        opened().loglikelihoods([], PLAIN)


@pytest.mark.parametrize(("changes", "message"), [
    ({"url": f"https://me:{KEY}@example.org/v1"}, "server.url contains a user name, password or query"),
    ({"url": f"https://example.org/v1?key={KEY}"}, "server.url contains a user name, password or query"),
    ({"url": "example.org"}, "server.url is 'example.org'; expected an address such as"),
    ({"url": "https://example.org/v1", "key_variable": "NO_SUCH"}, "no key for example.org: the environment variable NO_SUCH is not set"),
])  # fmt: skip
def test_what_cannot_be_opened(changes: dict, message: str, opened: Opened) -> None:
    with pytest.raises(ValueError, match=f"model m: {message}") as told:
        opened(**changes)
    assert KEY not in str(told.value)


def test_a_broken_key_is_not_quoted(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_KEY", KEY + "\nX-Evil: 1")
    with pytest.raises(ValueError, match="the environment variable TOY_KEY is not a key") as told:
        opened()
    assert KEY not in str(told.value)


def test_a_proxy_of_the_environment_is_not_for_this_machine(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    (reply,) = asked(opened(tries=1), ["甲"])
    assert reply.text == "答：甲"


def test_a_key_that_travels_in_the_open_is_warned_of(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    for url, warned in (("http://example.org/v1", 1), ("https://example.org/v1", 0), ("http://gpu:8000/v1", 0), ("http://10.1.2.3/v1", 0)):
        caplog.clear()
        opened(url=url)
        assert len(caplog.records) == warned
    assert KEY not in caplog.text


def test_identity_holds_what_replies_depend_on_and_no_key(opened: Opened, server: Server) -> None:
    port = server.server_address[1]
    assert opened().identity == opened(url=f"http://127.0.0.1:{port + 1}/v1/", timeout=9.0, concurrency=1).identity
    others = [opened(url="https://a.org/v1"), opened(url="https://b.org/v1"), opened(url="https://b.org/v2"), opened(knows=["seed"])]
    assert len({backend.identity for backend in [opened(), *others]}) == 5
    assert KEY not in opened().identity


SPELLED_KEY = "sk-toy/01+23456789/abcdef+AZ=_~qrs-end"


@pytest.mark.parametrize("way", misbehaving.SPELLINGS)
def test_a_key_is_taken_out_of_replies_and_messages_however_spelled(way: str, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = opened()
    monkeypatch.setenv("TOY_KEY", SPELLED_KEY)
    backend.connect(opened()._server.url)
    for reply in asked(backend, [f"[{way}]", f"[{way}]?"]):
        assert "[key]" in (reply.text or reply.error)
        rest = re.sub(r"\s", "", reply.text or reply.error)
        pieces = {misbehaving.SPELLINGS[way](SPELLED_KEY[at : at + 9]) for at in range(len(SPELLED_KEY) - 8)}
        assert not any(re.sub(r"\s", "", piece).strip('="\\') in rest for piece in pieces)


def test_what_is_nearly_the_key_is_read_in_time() -> None:
    remove, start = remover(SPELLED_KEY), time.process_time()
    for text in [*(spelled(SPELLED_KEY[:-1]) + "!" for spelled in misbehaving.SPELLINGS.values()), r"\n" * 16_000]:
        assert remove(text) == text
    assert time.process_time() - start < 1


def test_the_pattern_of_a_long_key_is_made_in_time() -> None:
    """Measured in calls of functions, which grow with the key and do not depend on the machine."""
    profile = cProfile.Profile()
    profile.runcall(remover, SPELLED_KEY[:16])
    assert pstats.Stats(profile).total_calls < 24_000 * 16


def test_ordinary_numbers_are_no_key() -> None:
    text = "编码为 49, 50, 51, 52, 53, 54, 55, 56，八进制 61 62 63 64 65 66 67 70"
    assert remover("12345678")(text) == text
    assert remover("1234567890123456")(f"{[*b'1234567890123456']}") == "[[key]]"


def test_what_came_is_kept_when_a_run_is_broken_off(opened: Opened, server: Server, tmp_path: Path) -> None:
    backend = opened(concurrency=2)
    queries = [query(backend, str(number), number) for number in range(40)]
    found = {}
    replies = backend.generate(queries, PLAIN)
    for place, reply in replies:
        found[place] = reply
        if len(found) == 5:
            replies.close()
    assert len(found) == 5
    assert sum(server.calls.values()) < 40


def command(run: str, models: Path, data: Path, out: Path, **settings: int) -> list[str]:
    write_json(models / "toy/runs.json", {run: Run(model="toy", task="choice", **settings)})
    paths = ["--runs", models / "toy/runs.json", "--splits", data / "splits", "--models", models, "--out", out]
    return [sys.executable, "-m", "eval.predict", "toy", *map(str, paths)]


@pytest.fixture
def models(server: Server, tmp_path: Path) -> Path:
    block = {"url": server.url, "key_variable": "TOY_KEY", "timeout": 1.0, "tries": 2, "concurrency": 3}
    (tmp_path / "models/toy").mkdir(parents=True)
    (tmp_path / "models/toy/model.json").write_text(json.dumps({"model": "toy", "backend": "openai", "name": "toy", "server": block}))
    return tmp_path / "models"


def everything_written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


WAYS = [
    ("ok", 0), ("429", 1), ("500", 1), ("half", 1), ("json", 1), ("400-long", 99), ("ok", 0), ("filter", 99), ("html", 99), ("close", 1),
    ("drip", 99), ("400", 99), ("hang", 1), ("reset", 1), ("echo", 1), ("other", 1),
]  # fmt: skip


@pytest.mark.slow
def test_a_run_at_a_server_that_does_everything_wrong(
    server: Server, models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    """Each item is answered or failed with its cause, the counts agree, and the next start asks for what failed alone."""
    monkeypatch.setenv("TOY_KEY", KEY)
    ways = defaultdict[str, tuple[str, int]](cycle(WAYS).__next__)  # in turn, by first sight of a question
    server.way_of = ways.__getitem__
    run = command("r", models, toy_data, tmp_path / "out", repeats=2)[3:]
    predict(run)
    rows = list(read_jsonl(tmp_path / "out" / "r.jsonl", Prediction))
    failed = [row for row in rows if row.finish_reason == "error"]
    assert (len(rows), len(ways), {*ways.values()}) == (48, 24, {*WAYS})
    assert len(failed) == 2 * sum(times == 99 for _, times in ways.values())
    assert all(row.error and not row.reply for row in failed)
    assert all(row.error is None and row.reply for row in rows if row not in failed)
    assert f"r: 48 requests: 0 stored, 48 new, {len(failed)} failed" in capfd.readouterr().err
    server.way_of = lambda question: ("ok", 0)
    server.calls.clear()
    predict(run)
    assert server.calls.total() == len(failed)
    assert f"r: 48 requests: {48 - len(failed)} stored, {len(failed)} new, 0 failed" in capfd.readouterr().err
    whole = list(read_jsonl(tmp_path / "out" / "r.jsonl", Prediction))
    assert [row for row in whole if row.error] == []
    assert KEY.encode() not in everything_written(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_goes_on_and_no_key_is_written(sign: int, server: Server, models: Path, toy_data: Path, tmp_path: Path) -> None:
    environment = os.environ | {"TOY_KEY": KEY, "PYTHONPATH": str(ROOT), "OPENAI_LOG": "debug"}
    out = tmp_path / "out"
    slow = command("r", models, toy_data, out, repeats=20)
    process = subprocess.Popen(slow, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and sum(server.calls.values()) < 100:
        time.sleep(0.005)
    process.send_signal(sign)
    told = process.communicate(timeout=30)[0]
    assert process.returncode != 0
    before = sum(server.calls.values())
    done = subprocess.run(slow, cwd=ROOT, env=environment, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = list(read_jsonl(out / "r.jsonl", Prediction))
    lost = sum(server.calls.values()) - len(rows)
    assert before >= 100
    assert 0 <= lost <= 3, "at most what was under way is asked again"
    assert KEY.encode() not in told + done.stdout + done.stderr + everything_written(tmp_path)


@pytest.mark.slow
def test_a_refused_key_ends_the_stage_with_one_line(server: Server, models: Path, toy_data: Path, tmp_path: Path) -> None:
    server.RequestHandlerClass = type("Refusing", (server.RequestHandlerClass,), {"_behave": lambda self, way, question: self._refuse()})
    server.RequestHandlerClass._refuse = lambda self: self._send(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})
    environment = os.environ | {"TOY_KEY": KEY, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command("r", models, toy_data, tmp_path / "out"), cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "Incorrect API key provided: [key]" in done.stderr
    assert "Traceback" not in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert KEY.encode() not in everything_written(tmp_path)


def test_a_line_of_params_comes_to_the_backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    server = "{url: 'http://127.0.0.1:8000/v1', concurrency: 64, knows: [seed, top_k]}"
    Path("params.yaml").write_text(f"models: {{served: {{backend: openai, name: Qwen/Q, server: {server}}}}}")
    plan(["--out", "m"])
    description, folder = describe("served", Path("m"))
    assert description.server == ServerBlock(url="http://127.0.0.1:8000/v1", concurrency=64, knows=["seed", "top_k"])
    assert open_backend(description, folder).identity == "openai/1/127.0.0.1/v1/Qwen/Q//seed/top_k"
