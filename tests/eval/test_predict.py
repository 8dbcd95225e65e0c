"""Asking: every reply in its place, nothing asked twice, and the same bytes after a kill."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from msgspec import structs

from eval.backends.contract import Asking, Reply, Settings
from eval.predict import KeptReply, ask, build_requests, describe, main
from eval.prompt import Message, plain_text
from eval.tasks import TASKS
from records.jsonl import read_jsonl, write_jsonl
from records.run import Run
from records.prediction import Prediction
from records.question import Question

ROOT = Path(__file__).parents[2]
PLAIN = Settings(max_new_tokens=8, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)


class Counting:
    """A model that replies with the length of its prompt, the last asking first, and counts what it is asked; it may break off."""

    def __init__(self, identity: str = "counting", breaks_after: int | None = None) -> None:
        self.identity = identity
        self.asked: list[str] = []
        self._breaks_after = breaks_after

    def render(self, messages: Sequence[Message]) -> str:
        return plain_text(messages)

    def generate(self, askings: Sequence[Asking], settings: Settings) -> Iterator[tuple[int, Reply]]:
        for place in reversed(range(len(askings))):
            if len(self.asked) == self._breaks_after:
                raise KeyboardInterrupt
            self.asked.append(askings[place].request.item_id)
            yield place, Reply(text=f"{len(askings[place].prompt)}/{askings[place].repeat}", finish_reason="stop", tokens=1)


@pytest.fixture
def askings(toy_data: Path) -> list[Asking]:
    requests = build_requests(Run(model="m", task="choice"), toy_data / "splits")
    return [Asking(request=one, repeat=repeat, prompt=plain_text(one.messages)) for one in requests for repeat in range(2)]


@pytest.fixture
def predict(toy_data: Path, toy_models: Path, tmp_path: Path) -> Callable[..., Path]:
    def run(name: str, *flags: str, splits: Path = toy_data / "splits") -> Path:
        out = tmp_path / "predictions" / f"{name}.jsonl"
        main([name, *flags, "--splits", str(splits), "--models", str(toy_models), "--out", str(out)])
        return out

    return run


def test_replies_come_back_in_the_order_of_askings(askings: list[Asking], tmp_path: Path) -> None:
    replies = ask(Counting(), askings, PLAIN, tmp_path / "kept.jsonl", "r")
    assert [reply.text for reply in replies] == [f"{len(asking.prompt)}/{asking.repeat}" for asking in askings]


@pytest.mark.parametrize("breaks_after", [0, 1, 7, 47])
def test_a_run_that_breaks_off_goes_on_where_it_stopped(breaks_after: int, askings: list[Asking], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    whole = ask(Counting(), askings, PLAIN, tmp_path / "whole.jsonl", "r")
    with pytest.raises(KeyboardInterrupt):
        ask(Counting(breaks_after=breaks_after), askings, PLAIN, kept, "r")
    second = Counting()
    assert ask(second, askings, PLAIN, kept, "r") == whole
    assert len(second.asked) == len(askings) - breaks_after


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_asked_again(cut: int, askings: list[Asking], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    whole = ask(Counting(), askings, PLAIN, kept, "r")
    kept.write_bytes(kept.read_bytes()[:-cut])
    again = Counting()
    assert ask(again, askings, PLAIN, kept, "r") == whole
    assert len(again.asked) == 1
    assert len(list(read_jsonl(kept, KeptReply))) == len(askings)


def test_a_broken_line_that_is_not_the_last_is_named(askings: list[Asking], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    ask(Counting(), askings, PLAIN, kept, "r")
    lines = kept.read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join([lines[0], b"{}\n", *lines[1:]]))
    with pytest.raises(ValueError, match=r"kept.jsonl:2: .*missing required field `key`"):
        ask(Counting(), askings, PLAIN, kept, "r")


def test_only_what_changed_is_asked_again(askings: list[Asking], tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    ask(Counting(), askings, PLAIN, kept, "r")

    def asked(askings: list[Asking], settings: Settings = PLAIN, identity: str = "counting") -> int:
        backend = Counting(identity)
        ask(backend, askings, settings, kept, "r")
        return len(backend.asked)

    assert asked(askings) == 0
    assert asked(askings[3:]) == 0
    assert asked(askings, structs.replace(PLAIN, batch_size=9)) == 0
    assert asked([structs.replace(askings[0], prompt="anders"), *askings[1:]]) == 1
    assert asked([structs.replace(askings[0], repeat=2), *askings[1:]]) == 1
    reworded = structs.replace(askings[0].request, answer_format="选{answer}")  # what a baseline replies with
    assert asked([structs.replace(askings[0], request=reworded), *askings[1:]]) == 1
    assert asked(askings, structs.replace(PLAIN, temperature=0.3)) == len(askings)
    assert asked(askings, structs.replace(PLAIN, seed=2)) == len(askings)
    assert asked(askings, identity="other") == len(askings)


@pytest.mark.parametrize("flags", [
    ("--model", "toy", "--task", "claim", "--repeats", "2", "--temperature", "0.3", "--top_k", "5", "--top_p", "0.85",
     "--repetition_penalty", "1.05", "--max_new_tokens", "4"),
    ("--model", "toy", "--task", "choice", "--shots", "2", "--max_new_tokens", "4"),
    ("--model", "toy", "--task", "tcm", "--max_new_tokens", "4"),
    ("--model", "random", "--task", "choice", "--repeats", "3"),
])  # fmt: skip
def test_each_item_has_one_reply_a_repeat_whatever_the_batch(flags: tuple[str, ...], predict: Callable[..., Path], toy_data: Path) -> None:
    values = dict(zip(flags[::2], flags[1::2], strict=True))
    first = predict("a", *flags)
    rows = list(read_jsonl(first, Prediction))
    run = Run(model="m", task=values["--task"])
    wanted = [(r.item_id, n) for r in build_requests(run, toy_data / "splits") for n in range(int(values.get("--repeats", 1)))]
    assert [(row.item_id, row.repeat) for row in rows] == wanted
    assert {row.run for row in rows} == {"a"}
    again = predict("b", *flags, "--batch_size", "3")
    assert again.read_bytes().replace(b'"run":"b"', b'"run":"a"') == first.read_bytes()


def test_the_sycophant_agrees_with_everything(predict: Callable[..., Path]) -> None:
    rows = list(read_jsonl(predict("s", "--model", "always_correct", "--task", "claim"), Prediction))
    assert {row.reply for row in rows} == {"正确"}


def test_few_shot_prompts_differ_from_zero_shot(predict: Callable[..., Path]) -> None:
    zero = list(read_jsonl(predict("z", "--model", "longest_option", "--task", "choice"), Prediction))
    few = list(read_jsonl(predict("f", "--model", "longest_option", "--task", "choice", "--shots", "2"), Prediction))
    assert [row.item_id for row in zero] == [row.item_id for row in few]
    assert all(a.prompt_sha256 != b.prompt_sha256 for a, b in zip(zero, few, strict=True))


def test_few_shot_examples_never_come_from_test(toy_data: Path) -> None:
    splits = toy_data / "splits"
    for task in TASKS:
        requests = build_requests(Run(model="m", task=task, shots=5), splits)
        asked = {request.messages[-1]["content"] for request in build_requests(Run(model="m", task=task), splits)}
        shown = {m["content"] for request in requests for m in request.messages[:-1] if m["role"] == "user"}
        assert shown
        assert not shown & asked


@pytest.mark.parametrize(("flags", "message"), [
    (("--model", "tiney", "--task", "claim"), r"unknown model 'tiney'; known: absent, always_correct, .*, toy"),
    (("--model", "toy", "--task", "clam"), r"(?i)clam"),
    (("--model", "no_such", "--task", "claim"), r"unknown strategy 'no_such'; known: always_correct, .*random"),
    (("--model", "absent", "--task", "claim"), r"Nobody/no-such-model, revision main, cannot be had.*or set `name`"),
    (("--model", "hosted", "--task", "claim"), r"the backend 'openai' is not in this version yet"),
    (("--model", "random", "--task", "claim", "--temperature", "0.3"), r"a baseline has no temperature"),
    (("--model", "toy", "--task", "claim", "--speed", "3"), r"unknown parameter '--speed'; known: .*--batch_size"),
])  # fmt: skip
def test_wrong_runs_are_named(flags: tuple[str, ...], message: str, predict: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ValueError, match=message):
        predict("r", *flags)


def test_a_broken_description_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn/model.json").write_text('{"model"')
    with pytest.raises(ValueError, match=r"torn/model.json: .*finetune@torn"):
        describe("torn", tmp_path)


def test_an_unknown_run_names_the_known(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with pytest.raises(ValueError, match=r"unknown key of `runs` 'tiny-clams'; known: .*tiny-claims.*did you mean tiny-claims\?"):
        main(["tiny-clams"])


def test_a_changed_item_alone_is_asked_again(predict: Callable[..., Path], toy_data: Path, tmp_path: Path) -> None:
    flags = ("--model", "toy", "--task", "choice", "--max_new_tokens", "4")
    out = predict("a", *flags)
    kept = out.parent / ".replies" / "a" / "replies.jsonl"
    size = len(kept.read_bytes().splitlines())
    for name in ("train", "dev", "test"):
        for kind in ("questions", "claims"):
            path = toy_data / "splits" / name / f"{kind}.jsonl"
            (tmp_path / "splits" / name).mkdir(parents=True, exist_ok=True)
            (tmp_path / "splits" / name / f"{kind}.jsonl").write_bytes(path.read_bytes())
    test = tmp_path / "splits" / "test" / "questions.jsonl"
    rows = list(read_jsonl(test, Question))
    place = next(n for n, row in enumerate(rows) if row.question_type == "mcqa" and row.exam == "PCE")
    rows[place] = structs.replace(rows[place], stem="改了的题。")
    write_jsonl(test, rows, key=lambda row: row.id)
    predict("a", *flags, splits=tmp_path / "splits")
    assert len(kept.read_bytes().splitlines()) == size + 1


def test_a_killed_process_loses_nothing(predict: Callable[..., Path], toy_data: Path, toy_models: Path, tmp_path: Path) -> None:
    flags = ["--model", "toy", "--task", "choice", "--repeats", "8", "--temperature", "1.0", "--batch_size", "1", "--max_new_tokens", "8"]
    whole = predict("whole", *flags).read_bytes()
    out = tmp_path / "killed" / "whole.jsonl"
    kept = out.parent / ".replies" / "whole" / "replies.jsonl"
    paths = ["--splits", str(toy_data / "splits"), "--models", str(toy_models), "--out", str(out)]
    command = [sys.executable, "-m", "eval.predict", "whole", *flags, *paths]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)})
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and not (kept.exists() and kept.stat().st_size > 500):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it ended before it was killed"
    process.stderr.close()
    assert not out.exists()
    before = kept.read_bytes().count(b"\n")
    main(["whole", *flags, *paths])
    assert out.read_bytes() == whole
    lines = kept.read_bytes().splitlines()
    assert 0 < before < len(lines) == len(whole.splitlines())
