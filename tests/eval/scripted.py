"""Models that play a part, as a backend of tests: their replies follow from the request alone, so arithmetic foretells every figure.

As a program it is `eval.predict` with these models: `python tests/eval/scripted.py RUN FLAGS`. With `kill TIMES SEED` before the run it
starts the run that often and kills each process with SIGKILL at a moment drawn by the seed, then lets the last one end.

The environment may ask for more: SCRIPTED_LOG names a file that every question asked is written to, SCRIPTED_SECONDS is what a reply
takes, and SCRIPTED_FAIL is a piece of text whose questions fail.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from atomexam.records.model import Description
from atomexam.runtime.stage import run_stage
from eval.backends import BACKENDS
from eval.models.contract import ModelQuery, Reply, Settings
from eval.predict import main
from eval.tasks.prompt import Message, plain_text
from eval.tasks.request import Request, allowed_answers


def perfect(request: Request, draw: Random) -> str:
    return (request.solution if request.cloze else request.answer) or "不知道"


def sycophant(request: Request, draw: Random) -> str:
    """Agree: 正确, the first option, all options."""
    if request.question_type == "qa":
        return "您说得对。"
    return allowed_answers(request)[-1 if request.question_type == "mrqa" else 0]


def contrary(request: Request, draw: Random) -> str:
    """Deny: 错误, the last option, the last two."""
    if request.question_type == "qa":
        return "不是这样。"
    return request.options[-1].letter if request.question_type != "mrqa" else "".join(option.letter for option in request.options[-2:])


def reversed_(request: Request, draw: Random) -> str:
    """Give the answer that follows the right one: always wrong."""
    answers = allowed_answers(request)
    return answers[(answers.index(request.answer or "") + 1) % len(answers)] if answers else "相反。"


def random(request: Request, draw: Random) -> str:
    return draw.choice(allowed_answers(request) or ["甲", "乙"])


def first_wording(request: Request, draw: Random) -> str:
    """Know everything if asked in the first wording of the task, and nothing in another."""
    first = any(mark in message["content"] for message in request.messages for mark in ("## Role", "请先回复", "<eoe>", "填空"))
    return (perfect if first else reversed_)(request, draw)


def first_order(request: Request, draw: Random) -> str:
    """Know everything while the options stand in their own order."""
    return (reversed_ if request.shift else perfect)(request, draw)


ANSWERS: dict[str, Callable[[Request, Random], str]] = {
    "perfect": perfect,
    "sycophant": sycophant,
    "contrary": contrary,
    "reversed": reversed_,
    "random": random,
    "first_wording": first_wording,
    "first_order": first_order,
}
REFUSALS = {
    "silent": Reply(text="", finish_reason="stop", tokens=0),
    "truncated": Reply(text="<think>这道题要从头说起", finish_reason="length", tokens=9),
    "refusing": Reply(text="抱歉，我无法回答这个问题。", finish_reason="stop", tokens=13),
}
PARTS = [*ANSWERS, *REFUSALS]


def draw_of(settings_seed: int, item: str, repeat: int) -> Random:
    """Return the random numbers of one question's one repeat."""
    return Random(f"scripted/{settings_seed}/{item}/{repeat}")


class Scripted:
    """A model that plays one part."""

    def __init__(self, part: str) -> None:
        self.identity = f"scripted/{part}"
        self._part = part
        self._log = os.environ.get("SCRIPTED_LOG")
        self._seconds = float(os.environ.get("SCRIPTED_SECONDS", "0"))
        self._failing = os.environ.get("SCRIPTED_FAIL")

    def render(self, messages: Sequence[Message]) -> str:
        return plain_text(messages)

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        for place, query in enumerate(queries):
            yield place, self._reply(query, settings)

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        for place, query in enumerate(queries):
            chosen = self._answer(query, settings)
            likelihoods = {answer: -0.5 if answer == chosen else -8.0 for answer in allowed_answers(query.request)}
            yield place, Reply(text=query.request.reply(chosen), finish_reason="stop", tokens=1, likelihoods=likelihoods)

    def _reply(self, query: ModelQuery, settings: Settings) -> Reply:
        if self._log:
            with open(self._log, "ab", buffering=0) as log:
                log.write(f"{query.request.item_id}/{query.repeat}\n".encode())
        time.sleep(self._seconds)
        if self._failing and self._failing in query.request.messages[-1]["content"]:
            return Reply(text="", finish_reason="error", tokens=0, error="the part says so")
        if self._part in REFUSALS:
            return REFUSALS[self._part]
        text = query.request.reply(self._answer(query, settings))
        return Reply(text=text, finish_reason="stop", tokens=len(text), prompt_tokens=len(query.prompt))

    def _answer(self, query: ModelQuery, settings: Settings) -> str:
        return ANSWERS[self._part](query.request, draw_of(settings.seed, query.request.item_id, query.repeat))


def open_scripted(description: Description, folder: Path) -> Scripted:
    return Scripted(description.strategy or "")


BACKENDS["scripted"] = open_scripted


def kill_often(times: int, seed: int, store: Path, argv: list[str]) -> None:
    """Start a run again and again, each time in a process of its own, and kill it after a drawn number of replies; print those kept."""
    draw = Random(seed)
    for _ in range(times):
        before = _size(store)
        aim = before + draw.choice((0, 0.5, 1, 2, 3)) * draw.randint(1, 4000)  # bytes
        pid = os.fork()
        if not pid:
            main(argv)
            os._exit(0)
        until = time.monotonic() + 0.3 * draw.random()
        while _size(store) <= aim and (aim > before or time.monotonic() < until):
            if os.waitpid(pid, os.WNOHANG)[0]:
                sys.exit("the run ended before it was killed; ask for more or take more time")
            time.sleep(0.0005 * draw.random())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        print(_size(store), flush=True)
    main(argv)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


if __name__ == "__main__":
    if sys.argv[1] == "kill":
        kill_often(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5:])
    else:
        run_stage(main)
