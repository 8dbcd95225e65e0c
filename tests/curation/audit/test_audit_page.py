"""The page and the Markdown of an audit: hostile texts are escaped, and a real browser draws the charts."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from atomexam.runtime.jsonl import to_line
from curation.audit.__main__ import NEAR_DUPLICATES, main
from curation.audit.findings import findings_of, withheld
from curation.audit.report import RepairLine, as_csv, displayable, lines_of, mend_first
from tests.curation.audit.question_builder import row
from tests.opened import accessibility_faults

HOSTILE = "</td><script>alert(1)</script>[x](javascript:1)|`*_&amp;\u202e颠倒的文字 www.a.cn @某 a@b.cn"
LINK = "见HTTPS://evil.example/ 第1题"


@pytest.fixture
def hostile_page(tmp_path: Path) -> Path:
    keyed = [("A", "train"), ("B", "test"), (HOSTILE, "train")]
    options = (HOSTILE, LINK, "乙" * 2_000, "\x00丙")
    rows = [row(f"{HOSTILE}第{n}问" * 9, options, key, file=f"{split}.jsonl").item for n, (key, split) in enumerate(keyed)]
    *paths, reference = [tmp_path / "train<b>.jsonl", tmp_path / "test.jsonl", tmp_path / "older<b>.jsonl"]
    for path in (*paths, reference):
        path.write_bytes(b"".join(map(to_line, rows)))
    assert main([*map(str, paths), "--reference", str(reference), "--out", str(tmp_path / "out"), "--max", "clusters=0"]) == 1
    return tmp_path / "out"


def test_escapes_hostile_texts(hostile_page: Path) -> None:
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


def test_page_loads_nothing_and_needs_no_script(hostile_page: Path, browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((hostile_page / "index.html").as_uri())
    assert page.locator("details").count() > 3 and page.locator("h2.bad").inner_text() == "Exceeded limits"
    assert [url for url in asked if not url.startswith("file:")] == [] and len(asked) == 1
    context.close()


def test_shows_a_text_in_one_short_line() -> None:
    assert displayable("一\n二\u200b三" + "四" * 300, 8) == "一 二[U+200B]三四四四…"


@pytest.fixture
def charts(tmp_path: Path) -> Path:
    """A set in which A is correct in 30 of 40 questions, and train has three quarters of them."""
    for split, start, end in (("train", 0, 30), ("test", 30, 40)):
        rows = [row(f"第{n}个问题问的是哪一个方面（ ）", ("甲", "乙"), "AAAB"[n % 4]).item for n in range(start, end)]
        (tmp_path / f"{split}.jsonl").write_bytes(b"".join(map(to_line, rows)))
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    return tmp_path / "out" / "index.html"


def _width_of(page, selector: str) -> float:
    return page.locator(selector).first.evaluate("one => one.getBoundingClientRect().width")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bar_lengths_match_shares(charts: Path, browser, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1000, "height": 800})
    page = context.new_page()
    page.goto(charts.as_uri())
    a, b = (_width_of(page, f"tr:has(> td:text-is('{letter}')) svg[aria-label*='by chance'] rect") for letter in "AB")
    assert a == pytest.approx(3 * b, rel=0.01) and b > 10
    mcqa = "tr:has(bdi:text-is('mcqa')) svg rect"
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert _width_of(page, f"{mcqa}.s1") == pytest.approx(3 * _width_of(page, f"{mcqa}.s0"), rel=0.01)
    filled, behind = (page.locator(f"{mcqa}.{name}").evaluate("one => getComputedStyle(one).fill") for name in ("s0", "s1"))
    assert filled != behind and "The answer letters are not equally frequent" in page.inner_text("body")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("made", ["hostile_page", "charts"])
def test_axe_finds_no_violation(request: pytest.FixtureRequest, browser, made: str, scheme: str) -> None:
    folder = request.getfixturevalue(made)
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto((folder if folder.suffix else folder / "index.html").as_uri())
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert accessibility_faults(page) == []
    context.close()


COUSIN = "记忆研究的先驱是下面的哪一位心理学家（ ）"
ROWS = [
    row(COUSIN, at=1),
    row(COUSIN, at=2),
    row(COUSIN, at=3, split="test", file="test.jsonl"),
    row("意志品质不包括哪一项（ ）", at=4, answer="B"),
    row("意志品质不包括哪一项（ ）", at=5, answer="C"),
    row("缺了答案的题目是哪一个（ ）", at=6, answer=None, reasons=("answer_missing",), rules=("number", "blank")),
]


@pytest.fixture(scope="module")
def lines() -> list[RepairLine]:
    found = findings_of(ROWS, None, NEAR_DUPLICATES)
    return lines_of(ROWS, found, withheld(found["files"]))


def test_most_serious_comes_first_and_each_line_has_a_position(lines: list[RepairLine]) -> None:
    assert [(line.problem, line.row.position, line.detail) for line in lines] == [
        ("conflicting_key", "line:4", "right here: 创伤后应激障碍; elsewhere: 适应障碍 (train.jsonl line:5)"),
        ("conflicting_key", "line:5", "right here: 适应障碍; elsewhere: 创伤后应激障碍 (train.jsonl line:4)"),
        ("twin_in_train", "line:3", "as train.jsonl line:1, train.jsonl line:2"),
        ("answer_missing", "line:6", ""),
        ("duplicate", "line:2", "as train.jsonl line:1"),
        ("duplicate", "line:5", "as train.jsonl line:4"),
        ("number", "line:6", ""),
    ]  # unifying a spelling (`blank`) is not a repair


def test_counts_and_shares_match_the_lines(lines: list[RepairLine]) -> None:
    told = mend_first(lines, len(ROWS))
    assert [(one["problem"], one["kind"], one["lines"], one["share"]) for one in told][:3] == [
        ("conflicting_key", "conflicting_key", 2, 0.33333333), ("twin_in_train", "twin_in_train", 1, 0.16666667),
        ("answer_missing", "rejected", 1, 0.16666667),
    ]  # fmt: skip
    assert sum(one["lines"] for one in told) == len(lines) and all(one["why"] and one["what_to_do"] for one in told)


@pytest.mark.parametrize("stem", ["=1+1", " @SUM(A1)", "＋1", "-2+3", "\t=1"])
def test_no_csv_cell_is_a_formula(stem: str) -> None:
    told = list(csv.reader(io.StringIO(as_csv([RepairLine(row(stem + "\u202e"), "rejected", "stem_broken", "=x", "")]))))
    assert told[1][4] == "'=x" and told[1][7].startswith("'") and told[1][7].endswith("[U+202E]")


def test_page_shows_the_set_all_clusters_and_cases(tmp_path: Path) -> None:
    asked = [f"案例之后的第{number}个问题，咨询师首先应当怎样回应求助者的阻抗（ ）" for number in range(40)]
    rows = [row(f"{stem}{'一二三四五六七八九十'[place % 10] * 9}", at=place, shared_stem=None).item for place, stem in enumerate(asked)]
    case = row("最可能的诊断是（ ）。", at=99).item
    rows += [type(case)(url=case.url, provenance=case.provenance, case_raw="案例一：求助者，女性，24岁，收银员，一见到排队的人群就脸红。",
                        stem_raw="对该求助者的初步诊断是（ ）。", options_raw=["A.甲", "B.乙", "C.丙"], answer_raw="A")]  # fmt: skip
    for split in ("train", "test"):
        (tmp_path / f"{split}.jsonl").write_bytes(b"".join(map(to_line, rows)))
    out = tmp_path / "out"
    assert (
        main([str(tmp_path / "train.jsonl"), str(tmp_path / "test.jsonl"), "--out", str(out), "--name", "题集<b>", "--set-version", "v2"])
        == 0
    )
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Audit of <bdi>题集&lt;b&gt;</bdi>" in page and "Version <bdi>v2</bdi>" in page
    found = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    assert len(found["clusters"]) > 30 and page.count('<details><summary lang="zh">') >= len(found["clusters"])
    assert "more are in audit.json" not in page and 'Case: <bdi lang="zh">求助者，女性，24岁' in page
    listed = list(csv.DictReader(io.StringIO((out / "lines.csv").read_text(encoding="utf-8-sig"))))
    assert len(listed) == sum(one["lines"] for one in found["mend_first"])
    twins = {(one["file"], one["position"]) for one in listed if one["problem"] == "twin_in_train"}
    assert len(twins) == len(rows) and {file for file, _ in twins} == {"test.jsonl"}


def test_set_without_defects_has_nothing_to_mend() -> None:
    found = findings_of([ROWS[0]], None, NEAR_DUPLICATES)
    assert mend_first(lines_of([ROWS[0]], found, withheld(found["files"])), 1) == []
