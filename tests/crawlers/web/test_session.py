"""Requests that hold for one session: what the archive stores them under, and crawls that are killed and go on in another session."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from scrapy import FormRequest, Request
from scrapy.http import HtmlResponse

from crawlers.store.exchanges import OLD_SESSION, SESSION_WORD, is_replayed, lasting, of_session

TOKEN = "0123456789abcdef0123456789abcdef"


def test_the_word_of_a_session_is_left_out_of_address_and_body() -> None:
    page = HtmlResponse("https://x.example/")
    asked = FormRequest(
        f"https://x.example/rpc/tokenpid/{TOKEN}/view", formdata={"tokenpid": TOKEN, "pid": "1"}, meta=of_session(TOKEN, page)
    )
    assert lasting(asked) == ("https://x.example/rpc/tokenpid/-/view", b"tokenpid=-&pid=1")
    assert lasting(Request(f"https://x.example/{TOKEN}")) == (f"https://x.example/{TOKEN}", b"")


@pytest.mark.parametrize("flags", [[], ["archived"]])
def test_a_word_from_a_stored_page_may_be_old(flags: list[str]) -> None:
    page = HtmlResponse("https://x.example/", flags=flags)
    assert is_replayed(page) == bool(flags)
    assert of_session(TOKEN, page) == {SESSION_WORD: TOKEN, OLD_SESSION: bool(flags)}


def run(mode: str, folder: Path, root: Path, **flags: object) -> int:
    command = [sys.executable, str(Path(__file__).parents[1] / "session_crawl.py"), mode, str(folder)]
    command += [f"{name}={value}" for name, value in flags.items()]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, -9), done.stderr
    return done.returncode


def asked_for(path: Path) -> Counter[str]:
    """Return what the site was asked for, without tokens."""
    return Counter(re.sub(r"\b[0-9a-f]{32}\b", "-", line) for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.slow
def test_a_killed_crawl_goes_on_in_another_session(tmp_path: Path, root: Path) -> None:
    assert run("crawl", tmp_path / "whole" / "examcoo", root, session="s0", asked=tmp_path / "whole" / "asked") == 0
    assert run("extract", tmp_path / "whole" / "examcoo", root) == 0
    killed, asked = tmp_path / "killed" / "examcoo", tmp_path / "killed" / "asked"
    # Behind a paper's page, among its explanations, at once again, and between two papers.
    for number, kill_at in enumerate((8, 6, 10), 1):
        assert run("crawl", killed, root, session=f"s{number}", kill_at=kill_at, asked=asked) == -9
    assert run("crawl", killed, root, session="s9", asked=asked) == 0
    assert run("extract", killed, root) == 0
    whole, resumed = ((tmp_path / name / "items.jsonl").read_bytes() for name in ("whole", "killed"))
    assert resumed == whole and whole.count(b"\n") > 40 and b'"explanation_raw":"' in whole
    again = asked_for(asked) - asked_for(tmp_path / "whole" / "asked")
    pages = [line for line in again if "/editor/do/view/" not in line]
    assert len(pages) <= 3  # each kill costs the request that was on its way
    assert sum(again.values()) - len(pages) <= 30  # and the papers in hand are asked for new tokens
