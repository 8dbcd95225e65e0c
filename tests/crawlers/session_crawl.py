"""examcoo as a site with sessions: `python session_crawl.py crawl|extract FOLDER session=… [kill_at=…] [asked=…]`.

The tokens and the cookie of the replica hold for one `session`; those of another are refused, as the real site would. The process kills
itself before it answers request number `kill_at`. `asked` is a file that lists what was asked for.
"""

import hashlib
import os
import re
import signal
import sys
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import msgspec

from atomexam.records.params import ExtractFlags
from atomexam.runtime.jsonl import folder_lock
from atomexam.runtime.stage import run_stage
from crawlers.crawl import crawl_embedded
from crawlers.embedded.content import Content, load_content
from crawlers.embedded.serving.server import serving
from crawlers.embedded.site import Respond, SiteReply, SiteRequest
from crawlers.embedded.sites import examcoo
from crawlers.extract import replay
from crawlers.sources.examcoo.spider import ExamcooSpider

MODE, FOLDER = sys.argv[1], Path(sys.argv[2])
FLAGS = dict(flag.split("=", 1) for flag in sys.argv[3:])
PAPERS = {2520001, 2520006, 2560001}  # cases, a page that holds its questions itself, medical
_TOKEN = re.compile(rb"[0-9a-f]{32}")
_NUMBERS = count(1)


def build(content: Content) -> Respond:
    inner = examcoo.build(content)
    known = {_own(examcoo.token_of(paper.id)): examcoo.token_of(paper.id).encode() for paper in content.papers}
    cookie = examcoo.build(content)(SiteRequest(method="GET", host="www.examcoo.com", target=f"/editor/do/view/id/{min(PAPERS)}")).headers
    plain, own = cookie["Set-Cookie"].partition(";")[0], f"PHPSESSID={FLAGS.get('session')}"

    def respond(ask: SiteRequest) -> SiteReply | None:
        if "asked" in FLAGS:
            with open(FLAGS["asked"], "a", encoding="utf-8") as asked:
                asked.write(f"{ask.target} {ask.body.decode()}\n")
        if next(_NUMBERS) == int(FLAGS.get("kill_at", 0)):
            os.kill(os.getpid(), signal.SIGKILL)
        sent = ask.headers.get("cookie", "")
        headers = {**ask.headers, "cookie": sent.replace(own, plain) if own in sent else ""}
        target, body = (_TOKEN.sub(lambda found: known.get(found[0], b"0" * 32), text) for text in (ask.target.encode(), ask.body))
        reply = inner(msgspec.structs.replace(ask, target=target.decode(), body=body, headers=headers))
        if reply is None:
            return None
        shown = {name: value.replace(plain, own) for name, value in reply.headers.items()}
        is_view = ask.target.startswith("/editor/do/view/")
        return msgspec.structs.replace(
            reply, headers=shown, body=_TOKEN.sub(lambda found: _own(found[0].decode()), reply.body) if is_view else reply.body
        )

    return respond


def _own(token: str) -> bytes:
    """Return the token that this session has in a token's place."""
    return hashlib.md5(f"{FLAGS.get('session')} {token}".encode(), usedforsecurity=False).hexdigest().encode()


def _content() -> Content:
    return Content(papers=[paper for paper in load_content().on("examcoo").papers if paper.id in PAPERS])


def main() -> None:
    source = ExtractFlags(snapshot="2026-11-20")
    if MODE == "extract":
        replay(ExamcooSpider, source, FOLDER, 0.0, FOLDER.parent / "items.jsonl")
        return
    with folder_lock(FOLDER):
        sites = {"examcoo": SimpleNamespace(__name__="examcoo", HOSTS=examcoo.HOSTS, build=build)}
        crawl_embedded(ExamcooSpider, source, FOLDER, partial(serving, sites=sites, content=_content))


run_stage(main)
