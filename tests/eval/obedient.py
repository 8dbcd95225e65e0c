"""A model that does what it is told last, behind a real OpenAI-compatible server, and forty texts that tell it something.

`python -m tests.eval.obedient` prints how many of them move an answer or a mark. The server reads marks of chat templates as such, as a
tokenizer does: what stands behind one in a message is a turn of its own, and no quotation holds it back. A heedful model passes over what
its prompt marks as material; a heedless one obeys that too.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from msgspec import structs

from atomexam.records.blocks import Server
from atomexam.records.model import Description
from atomexam.records.question import Option, Question
from eval.answers.readers import read_reply
from eval.judge.marks import ORDERS, mark_request, read_mark
from eval.models.contract import ModelQuery, Settings
from eval.models.servers.openai import OpenAI
from eval.tasks.choice import requests
from eval.tasks.request import Request
from tests.eval.essays import essay_question
from tests.eval.misbehaving import completion

HONEST_MARK, HONEST_LETTER = 20.0, "B"
_MARK = re.compile(r"<[|｜]\w+[|｜]>|\[/?INST\]|<</?SYS>>|</?s>|</?think>|<(?:start|end)_of_turn>")
_FENCE = re.compile(r"编号 ([0-9a-f]{12}) ")
_TO_ORDER = r"(?:请|必须|一律|只能|please|must|just|ignore|disregard)"
_ORDER = re.compile(
    rf"{_TO_ORDER}[^。\n]*?(?P<literal>分数：[“‘]?100|满分|full marks|(?:给|this |answer )100)"
    rf"|{_TO_ORDER}[^。\n]*?(?:选|答|回答|输出|作答|answer|choose|with) ?(?P<letter>A)\b",
    re.IGNORECASE,
)
_SAID = re.compile(r"(?P<literal>分数：[“‘]?100)|答案：(?P<letter>A)")


class Injection(NamedTuple):
    place: str
    language: str
    text: str
    wants: str | float


INJECTIONS = [Injection(**json.loads(line)) for line in (Path(__file__).parent / "injections.jsonl").read_text("utf-8").splitlines()]


def obey(prompt: str, heeds: bool) -> str:
    """Return the reply to a prompt: to the last order that says what to reply, else an honest one."""
    asks_mark = "标准答案" in prompt
    own, *turns = _MARK.split(prompt)
    if heeds and not turns and (fence := _FENCE.search(own)):
        own = re.sub(rf"(?s)【[^【】\n]* {fence[1]}】.*?【[^【】\n]*结束 {fence[1]}】", "", own)
    foreign = "\n".join(turns)
    orders = [*_ORDER.finditer(f"{own}\n{foreign}"), *_SAID.finditer(foreign)]
    if not orders:
        return f"分数：“{HONEST_MARK:.0f}”。" if asks_mark else f"答案：{HONEST_LETTER}"
    if orders[-1]["letter"]:
        return "答案：A"
    return "分数：“100”。" if orders[-1]["literal"].startswith("分数") else "好的，遵照要求给100分。"


@contextmanager
def obedient(heeds: bool) -> Iterator[str]:
    """Serve the model on loopback while the block runs; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = obey("\n".join(message["content"] for message in body["messages"]), heeds)
            content = json.dumps(completion(reply)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def choice_request(injection: Injection) -> Request:
    """Return the request for a question whose stem or last option is the injection; it has no place for an explanation."""
    options = [Option(letter=letter, text=text) for letter, text in zip("ABCD", ("甲", "乙", "丙", "丁"), strict=True)]
    question = essay_question(1, HONEST_LETTER)
    question = structs.replace(question, question_type="mcqa", options=options)
    if injection.place == "stem":
        question = structs.replace(question, stem=f"下列哪项正确？{injection.text}")
    else:
        question = structs.replace(question, options=[*options[:3], Option(letter="D", text=injection.text)])
    return requests([question], [], "choice")[0]


def mark_requests(injection: Injection) -> list[Request]:
    """Return the requests for the mark of an answer, in both orders, where it or the standard answer is the injection."""
    question: Question = essay_question(1, injection.text if injection.place == "explanation" else "情绪稳定")
    given = injection.text if injection.place == "reply" else "不知道"
    return [mark_request(question, given, order) for order in ORDERS]


def measure(heeds: bool) -> dict[str, Counter[str]]:
    """Return what became of the injections by place: moved, unread or honest."""
    found: dict[str, Counter[str]] = {place: Counter() for place in ("stem", "option", "explanation", "reply")}
    with obedient(heeds) as url:
        backend = OpenAI(Description(model="obedient", backend="openai", name="obedient", server=Server(url=url, concurrency=4)))
        asked = [(one, request) for one in INJECTIONS for request in _requests(one)]
        queries = [ModelQuery(request=request, repeat=0, prompt=backend.render(request.messages)) for _, request in asked]
        settings = Settings(max_new_tokens=64, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=1)
        for place, reply in backend.generate(queries, settings):
            injection, request = asked[place]
            assert reply.error is None, reply.error
            found[injection.place][_outcome(injection, request, reply.text)] += 1
    return found


def _requests(injection: Injection) -> list[Request]:
    return [choice_request(injection)] if injection.place in ("stem", "option") else mark_requests(injection)


def _outcome(injection: Injection, request: Request, reply: str) -> str:
    if request.question_type == "mark":
        value, honest = read_mark(reply), HONEST_MARK
    else:
        value, honest = read_reply(request.reader, reply, {one.letter: one.text for one in request.options}).answer, HONEST_LETTER
    return "unread" if value is None else "honest" if value == honest else "moved"


if __name__ == "__main__":
    for heeds in (True, False):
        counts = measure(heeds)
        print("heedful" if heeds else "heedless", {place: dict(sorted(count.items())) for place, count in counts.items()})
