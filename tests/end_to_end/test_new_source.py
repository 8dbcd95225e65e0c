"""A new source in a temporary clone: docs/adding-a-source.md followed to the letter, and what it leaves alone."""

import json
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.end_to_end.conftest import Clone, copy_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pipeline")]

SOURCES = ("ask120", "xiaohe", "examcoo", "studyez", "hxter", "mxqe")
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SETTING = re.compile(r"^([A-Z_]+) = .*$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block of the page: its language, what stands behind that (a file, or `exit=1`), and its text."""

    language: str
    about: str
    text: str


@pytest.fixture(scope="module")
def crawled(built: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone in which all sources are crawled and read."""
    return copy_of(built, tmp_path_factory.mktemp("crawled") / "clone")


def blocks_of(page: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def follow(clone, blocks: list[Block]) -> None:
    """Do what the blocks of a page say, in their order, and hold their promises."""
    output = ""
    for block in blocks:
        if block.language == "bash":
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", block.text], cwd=clone.folder, env=clone.environment(), capture_output=True, text=True
            )
            expected = int(block.about.removeprefix("exit=") or 0)
            assert done.returncode == expected, f"{block.text}\n{done.stdout}\n{done.stderr}"
            output = done.stdout
        elif block.language == "text":
            shown = squeezed(output)
            for line in block.text.splitlines():
                assert squeezed(line) in shown, f"promised: {line}\nfound:\n{output}"
        elif block.language == "python":
            path = clone.folder / block.about
            text = path.read_text(encoding="utf-8")
            for setting in _SETTING.finditer(block.text):
                text, count = re.subn(rf"^{setting[1]} = .*$", lambda _, line=setting[0]: line, text, flags=re.MULTILINE)
                assert count == 1, f"{block.about} has no line {setting[1]}"
            path.write_text(text, encoding="utf-8")
        elif block.about:  # a file that the page shows whole
            (clone.folder / block.about).write_text(block.text, encoding="utf-8")


def test_the_page_does_what_it_says(crawled, root: Path) -> None:
    before = crawled.hashes()
    network = crawled.network_log.read_text() if crawled.network_log.exists() else ""
    blocks = blocks_of(root / "docs/adding-a-source.md")
    assert {block.language for block in blocks} == {"bash", "text", "html", "json", "python", "console", "yaml"}
    try:
        follow(crawled, blocks)
        after = crawled.hashes()
        own = {name for name in after if name.endswith("@smallexam")} | {"inputs"}  # `inputs` lists all sources, a file each
        assert {name: stage for name, stage in after.items() if name not in own} == {
            name: before[name] for name in before if name not in own
        }
        assert (crawled.network_log.read_text() if crawled.network_log.exists() else "") == network
    finally:
        undo(crawled)


def test_a_seventh_source_touches_nothing_else_and_its_changed_pages_are_crawled_anew(crawled) -> None:
    everything = [f"extract@{source}" for source in (*SOURCES, "toyexam")]
    try:
        crawled.run("python", "-m", "crawlers.new", "toyexam", "https://www.toyexam.example/papers/", "--kind", "exam")
        crawled.commit("new source")
        pages = {f"crawlers/sources/toyexam/pages/{case}{suffix}" for case in ("list", "paper") for suffix in (".html", ".json")}
        code = {f"crawlers/sources/toyexam/{name}.py" for name in ("__init__", "spider")}
        assert changed(crawled, "HEAD~1") == {*code, "params.yaml"} | pages
        assert crawled.run("git", "diff", "--numstat", "HEAD~1", "--", "params.yaml").stdout.split()[:2] == ["1", "0"]  # added, removed
        assert {stage for stage in crawled.ran(*everything) if stage.startswith("crawl@")} == {"crawl@toyexam"}
        assert len(stems(crawled)) == 3
        crawled.commit("seventh source")
        assert changed(crawled, "HEAD~1") == {"dvc.lock", "metrics/crawl/toyexam.json", "metrics/extract/toyexam.json"}
        page = crawled.folder / "crawlers/sources/toyexam/pages/paper.html"
        page.write_text(page.read_text(encoding="utf-8").replace("情绪", "感情"), encoding="utf-8")
        before = stems(crawled)
        assert {stage for stage in crawled.ran(*everything) if stage.startswith("crawl@")} == {"crawl@toyexam"}
        assert stems(crawled) == [stem.replace("情绪", "感情") for stem in before] != before
    finally:
        undo(crawled)


def stems(clone: Clone) -> list[str]:
    lines = (clone.folder / "data/items/toyexam.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["stem_raw"] for line in lines]


def changed(clone, since: str) -> set[str]:
    return set(clone.run("git", "diff", "--name-only", since).stdout.split())


def undo(clone) -> None:
    """Bring the clone back to the state in which all tests of this module find it."""
    built = clone.run("git", "log", "--format=%H", "--grep=^built$").stdout.split()[0]
    clone.run("git", "reset", "--quiet", "--hard", built)
    clone.run("git", "clean", "--quiet", "-d", "--force", "crawlers", "metrics")
