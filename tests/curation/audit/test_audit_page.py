"""The page and the Markdown of an audit: hostile texts stay texts, and a real browser draws the charts."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from atomexam.runtime.jsonl import to_line
from curation.audit.__main__ import main
from curation.audit.report import displayable
from tests.curation.audit.question_builder import row
from tests.opened import accessibility_faults

HOSTILE = "</td><script>alert(1)</script>[x](javascript:1)|`*_&amp;\u202e颠倒的文字 www.a.cn @某 a@b.cn"
LINK = "见HTTPS://evil.example/ 第1题"


@pytest.fixture
def hostile_page(tmp_path: Path) -> Path:
    keyed = [("A", "train"), ("B", "test"), (HOSTILE, "train")]
    options = (HOSTILE, LINK, "乙" * 2_000, "\x00丙")
    rows = [row(f"{HOSTILE}第{n}问" * 9, options, key, file=f"{split}.jsonl").item for n, (key, split) in enumerate(keyed)]
    paths = [tmp_path / "train<b>.jsonl", tmp_path / "test.jsonl"]
    for path in paths:
        path.write_bytes(b"".join(map(to_line, rows)))
    assert main([*map(str, paths), "--reference", str(paths[0]), "--out", str(tmp_path / "out"), "--max", "clusters=0"]) == 1
    return tmp_path / "out"


def test_hostile_texts_stay_texts(hostile_page: Path) -> None:
    text = (hostile_page / "index.html").read_text(encoding="utf-8")
    page = BeautifulSoup(text, "lxml")
    assert not page.find_all(["script", "iframe", "img", "link", "form", "b0"])
    assert not [
        tag
        for tag in page.find_all(True)
        if {"src", "srcset", "action"} & set(tag.attrs)
        or not tag.get("href", "#").startswith("#")
        or any(key.startswith("on") for key in tag.attrs)
    ]
    assert "<script>alert(1)</script>" in page.get_text() and "[U+202E]" in page.get_text()
    written = text + (hostile_page / "audit.md").read_text(encoding="utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", written)
    assert "http" not in text.replace('http-equiv="Content-Security-Policy"', "")
    assert not re.search(r"(?i)https?:|www\.|@\w", (hostile_page / "audit.md").read_text(encoding="utf-8"))
    assert "evil.example" in (hostile_page / "audit.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)[<\[]", (hostile_page / "audit.md").read_text(encoding="utf-8"))


def test_the_page_asks_for_nothing_and_needs_no_script(hostile_page: Path, browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((hostile_page / "index.html").as_uri())
    assert page.locator("details").count() > 3 and page.locator("h2.bad").inner_text() == "Exceeded limits"
    assert [url for url in asked if not url.startswith("file:")] == [] and len(asked) == 1
    context.close()


def test_a_text_is_shown_in_one_short_line() -> None:
    assert displayable("一\n二\u200b三" + "四" * 300, 8) == "一 二[U+200B]三四四四…"


@pytest.fixture
def charts(tmp_path: Path) -> Path:
    """A set in which A is right in 30 of 40 questions, and train has three quarters of them."""
    for split, start, end in (("train", 0, 30), ("test", 30, 40)):
        rows = [row(f"第{n}个问题问的是哪一个方面（ ）", ("甲", "乙"), "AAAB"[n % 4]).item for n in range(start, end)]
        (tmp_path / f"{split}.jsonl").write_bytes(b"".join(map(to_line, rows)))
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    return tmp_path / "out" / "index.html"


def _width_of(page, selector: str) -> float:
    return page.locator(selector).first.evaluate("one => one.getBoundingClientRect().width")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_are_as_long_as_their_shares(charts: Path, browser, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1000, "height": 800})
    page = context.new_page()
    page.goto(charts.as_uri())
    a, b = (_width_of(page, f"tr:has(> td:text-is('{letter}')) svg[aria-label*='by chance'] rect") for letter in "AB")
    assert a == pytest.approx(3 * b, rel=0.01) and b > 10
    mcqa = "tr:has(bdi:text-is('mcqa')) svg rect"
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert _width_of(page, f"{mcqa}.s1") == pytest.approx(3 * _width_of(page, f"{mcqa}.s0"), rel=0.01)
    filled, behind = (page.locator(f"{mcqa}.{name}").evaluate("one => getComputedStyle(one).fill") for name in ("s0", "s1"))
    assert filled != behind and "The letters are not right equally often" in page.inner_text("body")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("made", ["hostile_page", "charts"])
def test_axe_finds_no_fault(request: pytest.FixtureRequest, browser, made: str, scheme: str) -> None:
    folder = request.getfixturevalue(made)
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto((folder if folder.suffix else folder / "index.html").as_uri())
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert accessibility_faults(page) == []
    context.close()
