"""`crawlers.check`: its advice, its hints on pages without output, and that it works for every source."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from atomexam.records.item import EntityItem, LabelledValue, QuestionItem, Section
from atomexam.records.provenance import Provenance
from atomexam.text.columns import aligned, cut, width
from crawlers.check.__main__ import main, silent_selectors
from crawlers.check.advice import advice
from crawlers.check.check_report import as_json, as_text
from crawlers.check.findings import Findings, fields_of, kinds_of, labels_of
from crawlers.check.page_hints import Hint, PageHints, hints_of
from crawlers.check.saving import clear_stubs, require_free, save
from crawlers.check.watch_middleware import PAGES, FixturePage, PageOutput, Watch
from crawlers.new.stubs import has_stubs, new_source, texts_of
from crawlers.read import files

SITE = "https://www.toy.example"


def question(url: str = f"{SITE}/1", position: str = "q1", **raw: object) -> QuestionItem:
    seen = Provenance(source="toy", url=url, snapshot="2026-01-01", page_id="p", position=position)
    known = {"stem_raw": "题干（ ）。", "options_raw": ["A.甲", "B.乙"], "answer_raw": "A"} | raw
    return QuestionItem(url=url, provenance=seen, **known)


def entry(url: str = f"{SITE}/1", **raw: object) -> EntityItem:
    seen = Provenance(source="toy", url=url, snapshot="2026-01-01", page_id="p", position="page")
    known = {"name_raw": f"病{url}", "values": [LabelledValue(label="典型症状", value="头痛", position="li:1")]} | raw
    return EntityItem(url=url, provenance=seen, entity_type="disease", **known)


def _part(number: int) -> EntityItem:
    item = entry(sections=[Section(title="t", text=f"第{number}部分。", position="s:1")])
    return msgspec.structs.replace(item, provenance=msgspec.structs.replace(item.provenance, url=f"{SITE}/1/{number}"))


def page(number: int, *items: QuestionItem | EntityItem, callback: str = "parse_paper", **more: object) -> PageOutput:
    return PageOutput(url=f"{SITE}/{number}", callback=callback, items=list(items), **more)


def found(*pages: PageOutput, **more: object) -> Findings:
    return Findings(**({"source": "toy", "mode": "live", "hosts": ["www.toy.example"], "pages": list(pages)} | more))


def asking(*urls: str) -> PageOutput:
    return PageOutput(url=f"{SITE}/", callback="parse", requests=[(url, "parse_paper") for url in urls])


EMPTY = {"hints": PageHints(links=[Hint("ul.news a", 20)], texts=[Hint("div.body", 900)])}
SAME = "版权所有 关于我们 联系我们"
CASES = {
    "a list without links": (
        found(page(0, callback="parse", **EMPTY)),
        r"parse yielded nothing on 1 of 1 page .*links in `ul.news a` \(20 links\)",
    ),
    "a paper without questions": (
        found(asking(f"{SITE}/1"), page(1, **EMPTY)),
        r"parse_paper yielded nothing .* text in `div.body` \(900 characters\)",
    ),
    "scripts": (found(page(1, hints=PageHints(is_scripted=True))), "scripts load the rest.*network tab"),
    "nothing to point at": (found(page(1)), "is it the kind of page that the callback expects"),
    "options in the stem": (
        found(page(1, question(stem_raw="题干。A.甲 B.乙 C.丙", options_raw=None))),
        "1 of 1 questions has option letters inside the stem",
    ),
    "options in one": (found(page(1, question(options_raw=["A.甲 B.乙", "C.丙"]))), "options are not split"),
    "no options": (found(page(1, *[question(position=f"q{n}", options_raw=None) for n in range(3)])), "None of 3 questions has options"),
    "no answers": (found(page(1, *[question(position=f"q{n}", answer_raw=None) for n in range(3)])), "None of 3 questions has an answer"),
    "few answers": (
        found(page(1, *[question(position=f"q{n}", answer_raw="A" if n == 1 else None) for n in range(3)])),
        "2 of 3 questions have no answer",
    ),
    "an answer beyond": (found(page(1, question(answer_raw="Ａ，Ｃ"))), "names none of (their|its) options .*is an option missing"),
    "an answer in the stem": (found(page(1, question(stem_raw="题干。答案：B"))), "has 答案 or 解析 inside the stem"),
    "no stem": (found(page(1, question(stem_raw=None))), "has no stem"),
    "tags": (found(page(1, question(stem_raw="题干<br/>又&nbsp;一行"))), "tags or entities .*text_of"),
    "mojibake": (found(page(1, question(stem_raw="锟斤拷锟斤拷"))), "wrong encoding .*: compare with the page"),
    "a little mojibake": (
        found(page(1, *[question(position=f"q{n}", stem_raw=f"题{n}" if n else "题锟斤拷") for n in range(30)])),
        "1 of 120 texts is in the wrong encoding .*: probably wrong on the page itself",
    ),
    "latin": (found(page(1, question(stem_raw="ÖÐÒ½»ù´¡ÀíÂÛ"))), "wrong encoding"),
    "one stem everywhere": (found(page(1, question()), page(2, question(f"{SITE}/2"))), "stem_raw is the same on all 2 pages"),
    "one title everywhere": (
        found(*[page(n, question(f"{SITE}/{n}", stem_raw=f"题{n}", paper_raw=SAME)) for n in range(3)]),
        "paper_raw is the same on all 3 pages",
    ),
    "one section everywhere": (
        found(*[page(n, entry(f"{SITE}/{n}", sections=[Section(title="t", text=SAME, position="s:1")])) for n in range(3)]),
        "same text in all 3 entries .*navigation was read as content",
    ),
    "a bare entry": (found(page(1, entry(values=[]))), "1 of 1 entries has neither values nor sections"),
    "a nameless entry": (found(page(1, entry(name_raw=None))), "1 of 1 entries has no name"),
    "prose alone": (
        found(*[page(n, entry(f"{SITE}/{n}", values=[], sections=[Section(title="t", text=f"{n}", position="s:1")])) for n in range(3)]),
        "No entry has labelled values",
    ),
    "a position twice": (found(page(1, question(), question(stem_raw="另一题"))), "1 position is used for several items: q1 of"),
    "positions twice": (
        found(page(1, *[question(position=f"q{n % 2}", stem_raw=f"题{n}") for n in range(4)])),
        "2 positions are used for several items, the first: q0 of",
    ),
    "nothing at all": (found(), r"No page was received.*start_urls.*allowed_domains \(www.toy.example\)"),
    "a doubt": (found(page(1, question(doubt="two_answers"))), r"1 question rejected \(two_answers\): two different answers"),
    "another host": (
        found(asking("https://img.toy2.example/1", f"{SITE}/1")),
        r"Links to img.toy2.example are not followed.*allowed_domains",
    ),
    "robots": (found(forbidden=3), "robots.txt forbids 3 requests"),
    "no robots": (found(failed={SITE: "robots.txt without answer: timeout"}), "robots.txt cannot be fetched"),
    "no host": (found(failed={SITE: "robots.txt without answer: host not found"}), "host name cannot be resolved"),
    "refused": (found(failed={f"GET {SITE}": "HTTP status 403"}), r"refuses every page \(HTTP status 403\).*do not circumvent the refusal"),
    "an error": (found(failed={f"GET {SITE}": "HTTP status 503"}), r"1 request answered with an error \(HTTP status 503\)"),
    "no such host here": (found(failed={SITE: "HTTP status 501"}, mode="embedded"), "save a page of that host in its pages/"),
    "timeouts": (found(failed={"a": "timeout", "b": "timeout"}), r"2 requests failed: timeout \(the first: a\)"),
    "a label that left": (
        found(
            *[page(n, entry(f"{SITE}/{n}")) for n in range(5)],
            saved_labels={("disease", "典型症状："): 3, ("disease", "病因"): 2, ("disease", "别名"): 1, ("food", "宜"): 9},
        ),
        r"None of 5 entries \(disease\) has 病因, which saved pages have: did the site rename or drop it\?",
    ),
    "gone": (found(page(1, question()), refused={f"{SITE}/2": 404}), "1 link to missing pages"),
    "an exception": (found(page(1, **EMPTY), errors=[f"{SITE}/1: KeyError: 'x'"]), "The spider failed on 1 page"),
    "a wrong thing": (found(page(1, question(), others=2)), "yielded 2 that are neither items nor requests"),
    "not far enough": (found(asking(f"{SITE}/1"), over_limit=4), "try more, such as --pages 20"),
    "not saved": (found(asking(f"{SITE}/1"), mode="embedded"), "save one page of each kind"),
}


@pytest.mark.parametrize(("findings", "told"), CASES.values(), ids=CASES)
def test_advises_on_what_is_wrong(findings: Findings, told: str) -> None:
    text = as_text(findings)
    assert "what to do:" in text
    assert any(re.search(told, line) for line in advice(findings)), advice(findings)
    assert json.loads(as_json(findings))["advice"] == advice(findings)


@pytest.mark.parametrize(
    "findings",
    [
        found(asking(f"{SITE}/1"), page(1, question(), question(position="q2", stem_raw="题乙", answer_raw="B"))),
        found(page(1, question(options_raw=None, shared_options_raw=["A.甲", "B.乙"], answer_raw="B"))),
        found(page(1, question(options_raw=["正确", "错误"], answer_raw="正确"))),
        found(page(1, question(options_raw=None, answer_raw="感觉是对个别属性的反映。", stem_raw="简述感觉。"))),
        found(page(1, question(stem_raw="维生素A、B、C都属于（ ）。", options_raw=None, answer_raw="维生素"))),
        found(page(1, entry()), page(2, entry(f"{SITE}/2"))),
        found(page(1, question(stem_raw=None, images=1), question(position="q2"))),
        # The explanations of one paper are on separate pages.
        found(*[page(n, question(position=f"q{n}", stem_raw=f"题{n}", paper_raw=SAME)) for n in range(4)]),
        # Sub-pages are items of one entry, and each has its own text.
        found(*[page(n, _part(n)) for n in range(3)]),
        found(*[page(n, entry(f"{SITE}/{n}", sections=[Section(title="禁忌", text="无", position="s:1")])) for n in range(3)]),
        found(page(0, callback="parse_detail", is_explained=True), page(1, question())),
    ],
)
def test_gives_no_advice_on_correct_pages(findings: Findings) -> None:
    assert advice(findings) == []
    assert "nothing looks wrong" in as_text(findings)


def test_summarizes_callbacks_and_fields() -> None:
    findings = found(asking(f"{SITE}/1"), page(1, question(answer_raw=None), question(stem_raw="乙")), page(2, entry()), page(3))
    assert [msgspec.structs.astuple(kind) for kind in kinds_of(findings.pages)] == [("parse", 1, 0, 0, 1), ("parse_paper", 3, 1, 3, 0)]
    filled = {field.name: (field.filled, field.example) for field in fields_of(findings.questions)}
    assert filled["answer_raw"] == (0.5, "A") and filled["options_raw"] == (1.0, "A.甲 | B.乙") and filled["case_raw"] == (0.0, "")
    assert labels_of(findings.entities) == [("典型症状", 1)]
    shown = json.loads(as_json(findings))
    assert (shown["pages"], shown["items"], shown["nothing"]) == (4, 3, [f"{SITE}/3"])


def test_escapes_control_characters_of_pages() -> None:
    hostile = "题\x1b[2J\x1b]0;x\x07\u202e干\r\n\x9b31m"
    text = as_text(found(page(1, question(stem_raw=hostile, paper_raw=hostile)), misfits=[hostile], errors=[hostile]))
    assert not [sign for sign in text if sign != "\n" and (ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 or sign == "\u202e")]


@pytest.mark.slow
@given(st.text(max_size=200), st.integers(2, 80))
def test_a_cut_text_fits(text: str, columns: int) -> None:
    assert width(cut(text, columns)) <= columns
    assert len(cut(text, columns).splitlines()) <= 1


def test_aligns_columns() -> None:
    assert aligned([("名", "1"), ("long", "20")], frozenset({1})) == ["名     1", "long  20"]


def html(body: str, url: str = f"{SITE}/") -> HtmlResponse:
    return HtmlResponse(url, body=body.encode(), encoding="utf-8")


def test_hints_name_lists_and_text() -> None:
    rows = "".join(f'<li><span><a href="/p/{n}.html">三级心理咨询师模拟试卷之{n}</a></span></li>' for n in range(9))
    nav = "".join(f'<a href="/{n}">栏目</a>' for n in range(12))
    text = "<p>第一题的题干在这里，说得很长。</p>" * 9
    hints = hints_of(
        html(f'<div id="nav">{nav}</div><div class="main"><ul class="news">{rows}</ul><div class="body big">{text}</div></div>')
    )
    assert hints.links == [Hint("ul.news li a", 9), Hint("div#nav a", 12)]
    assert hints.texts[0].selector == "div.body"
    for hint in hints.links:
        assert len(html(f'<div id="nav">{nav}</div><ul class="news">{rows}</ul>').css(hint.selector)) == hint.count


def test_selectors_that_find_nothing_are_listed() -> None:
    paper = html('<dl data-key="B"><dt>1、题干</dt><dd>A、甲</dd><dd>B、乙</dd></dl>', f"{SITE}/1")
    paper.request = Request(f"{SITE}/1", callback=Watch._keep)
    list_of_papers = html('<ul class="papers"><li><a href="/1">卷</a></li></ul>')
    selectors = {
        "PAPER_LINKS": "ul.papers a",
        "PAPER_TITLE": "h1",
        "QUESTION": "dl",
        "ANSWER": "dl::attr(data-key)",
        "TYPE": "",
        "STEM": "dt[",
    }
    assert silent_selectors(selectors, [list_of_papers, paper, Response(SITE)]) == {"PAPER_TITLE": "h1"}
    assert silent_selectors(selectors, [list_of_papers]) == {}, "no paper was read"
    assert 'selectors that find nothing on these pages:\n  PAPER_TITLE = "h1"' in as_text(found(page(1), silent={"PAPER_TITLE": "h1"}))


def test_a_short_list_with_a_script_names_its_links() -> None:
    hints = hints_of(html('<ul class="news"><li><a href="/p/1.html">试卷一</a></li></ul><script>count()</script>'))
    (told,) = advice(found(page(0, callback="parse", hints=hints)))
    assert "The page has links in `ul.news li a` (1 link)" in told and "hardly any text" not in told
    (told,) = advice(found(asking(f"{SITE}/1"), page(1, **EMPTY)))
    assert "its text in `div.body`" in told and "links in `ul.news a`" in told
    shell = hints_of(html('<div id="app"></div><script src="/app.js"></script>'))
    assert "hardly any text" in advice(found(page(0, callback="parse", hints=shell)))[0]


@pytest.mark.slow
def test_reports_a_spider_with_a_syntax_error_in_one_line(root: Path, tmp_path: Path) -> None:
    for part in ("atomexam", "crawlers"):
        shutil.copytree(root / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "crawlers/sources/broken").mkdir()
    (tmp_path / "crawlers/sources/broken/spider.py").write_text('"""Broken."""\n\nclass Broken(\n    pass\n', encoding="utf-8")
    done = check(tmp_path, "broken")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert re.fullmatch(r"error: crawlers/sources/broken/spider.py, line \d: .+\n", done.stderr), done.stderr


def test_hints_of_odd_pages() -> None:
    scripted = html('<div id="app"></div><script src="/app.js"></script><script>var state = "' + "x" * 500 + '"</script>')
    assert hints_of(scripted).is_scripted
    assert not hints_of(html("<p>" + "题干。" * 100 + "</p><script>1</script>")).is_scripted
    assert hints_of(Response(f"{SITE}/x.gif", body=b"GIF89a")) == PageHints()
    assert hints_of(html("")).links == []
    assert hints_of(html('<a href="javascript:void(0)">x</a><a href="http://[bad">y</a><a>z</a>')).links == []
    deep = html("<div>" * 5000 + "题" + "</div>" * 5000)
    assert isinstance(hints_of(deep), PageHints)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["A.x" * 50000, "A" * 99999 + " " * 99999, "A, " * 50000 + "!", "<p " * 50000, "Ａ.答案【" * 30000])
def test_checks_hostile_texts_quickly(text: str) -> None:
    started = time.process_time()
    advice(found(page(1, question(stem_raw=text, answer_raw=text, options_raw=[text, text]), question(stem_raw=text, options_raw=None))))
    hints_of(html("".join(f"<div class=x><a href='/{n}'>{text[:9]}</a>" for n in range(20000))))
    assert time.process_time() - started < 20


def kept(**more: object) -> FixturePage:
    known = {"url": f"{SITE}/1", "callback": "parse_paper", "cb_kwargs": {}, "content_type": "text/html", "body": b"<p>1"}
    return FixturePage(**(known | more))


def test_a_password_in_a_link_is_not_shown() -> None:
    async def links() -> AsyncIterator[Request]:
        yield Request("https://somebody:word@www.toy.example/2", callback=links)

    async def watched() -> None:
        page = Response(f"{SITE}/1", request=Request(f"{SITE}/1"))
        assert [request.url async for request in watch.process_spider_output(page, links())] == ["https://somebody:word@www.toy.example/2"]

    crawler = get_crawler()
    crawler.stats = StatsCollector(crawler)
    watch = Watch.from_crawler(crawler)
    asyncio.run(watched())
    [[(shown, _)]] = [page.requests for page in crawler.stats.get_value(PAGES)]
    assert shown == "https://-@www.toy.example/2"


def test_a_page_is_saved_as_a_case(tmp_path: Path) -> None:
    assert save(tmp_path, "paper", kept()) == [tmp_path / "paper.html", tmp_path / "paper.json"]
    assert json.loads((tmp_path / "paper.json").read_text()) == {"url": f"{SITE}/1", "callback": "parse_paper", "items": []}
    save(tmp_path, "call", kept(content_type="application/json", body=b"{}", cb_kwargs={"number": 2}))
    assert (tmp_path / "call.body").read_bytes() == b"{}"
    told = json.loads((tmp_path / "call.json").read_text())
    assert told["headers"] == {"Content-Type": "application/json"} and told["cb_kwargs"] == {"number": 2}


def test_never_overwrites_a_saved_page_but_replaces_a_stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in texts_of(new_source("toy", f"{SITE}/", "exam")).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert has_stubs("toy", tmp_path / "crawlers/sources") and not has_stubs("hxter")
    folder = tmp_path / "crawlers/sources/toy/pages"
    save(folder, "paper", kept(content_type="application/json"))
    assert sorted(path.name for path in folder.glob("paper.*")) == ["paper.body", "paper.json"]
    save(folder, "live_list", kept(url=json.loads((folder / "list.json").read_text())["url"]))
    assert sorted(path.name for path in folder.glob("*list.*")) == ["live_list.html", "live_list.json"]
    (folder / "other.html").write_bytes((folder / "live_list.html").read_bytes())
    for path, text in texts_of(new_source("toy", f"{SITE}/", "exam")).items():
        if path.stem == "paper" and not path.exists():
            path.write_text(text, encoding="utf-8")
    clear_stubs(folder)
    assert not has_stubs("toy", tmp_path / "crawlers/sources") and (folder / "other.html").exists()
    with pytest.raises(ValueError, match=r"live_list.html already exists"):
        save(folder, "live_list", kept())
    with pytest.raises(ValueError, match="is not a valid case name"):
        require_free(folder, "../paper")
    with pytest.raises(ValueError, match=r"arguments that JSON cannot represent \(article: Hint\)"):
        save(folder, "second", kept(cb_kwargs={"article": Hint("a", 1)}))


def check(root: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "crawlers.check", *arguments]
    return subprocess.run(command, cwd=cwd or root, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True)


SPOILED = """
import os, signal, sys
import crawlers.check.__main__ as check
from crawlers.web import broken_pages, run_spider

broken_pages.PAGE_SECONDS = 1.0
how, sound = sys.argv[1], run_spider.spider_class


def spoiled(name):
    spider = sound(name)

    def parse_list(self, response, **known):
        if how == "hang":
            while True:
                pass
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGSEGV)

    return type("Spoiled", (spider,), {"name": name, "parse_list": parse_list, "__module__": spider.__module__})


run_spider.spider_class = spoiled
sys.exit(check.main(["hxter", "--embedded", "--pages", "3"]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "words"), [("crash", "broke its reader down (SIGSEGV)"), ("hang", "takes more than 1 seconds of computing")]
)
def test_a_page_that_breaks_the_spider_is_in_the_report(root: Path, tmp_path: Path, how: str, words: str) -> None:
    env = os.environ | {"PYTHONPATH": str(root)}
    command = [sys.executable, "-c", SPOILED, how]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert f"{words}; the check continues without that page" in done.stderr, done.stderr
    assert "breaks its reader" in done.stdout, done.stdout


# Intended faults of the replicas: dead links, a forbidden one, planted defects.
_TRUE_OF_REPLICAS = re.compile(
    r"robots.txt forbids 1 request|\d links? to missing pages|1 of \d+ questions has no stem"
    r"|1 of \d+ questions has an answer that names none|1 of \d+ texts is in the wrong encoding"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "pages"), [("examcoo", ""), *((source, "20") for source in ("ask120", "xiaohe", "examcoo", "studyez", "hxter", "mxqe"))]
)
def test_every_source_gives_items_and_only_correct_advice(root: Path, tmp_path: Path, source: str, pages: str) -> None:
    done = check(root, source, "--embedded", "--json", *(["--pages", pages] if pages else []), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = json.loads(done.stdout)
    assert 0 < shown["pages"] <= int(pages or 5) and shown["items"] > 0
    assert [text for text in shown["advice"] if not _TRUE_OF_REPLICAS.match(text)] == []
    assert list(tmp_path.iterdir()) == []  # nothing is stored


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["hxter", "--pages", "1"], 1, "hxter, embedded: 1 page, 0 items"),
        (["nosuch"], 1, "unknown source 'nosuch'; known: ask120"),
        (["hxter", "--pages", "0"], 2, "expected a number of pages"),
        (["hxter", "--save", "list", "https://www.hxter.com/"], 1, "crawlers/sources/hxter/pages/list.html already exists"),
        (["hxter", "--save", "new_case", "https://www.hxter.com/none"], 1, "was not read; pages read:"),
    ],
)
def test_refuses_wrong_arguments(root: Path, arguments: list[str], status: int, told: str) -> None:
    done = check(root, *arguments)
    assert done.returncode == status
    assert told in done.stdout + done.stderr


def test_reports_a_wall_once_with_a_remedy() -> None:
    failed = {
        "GET https://www.toy.example/1": "a captcha instead of the page",
        "GET https://www.toy.example/2": "a captcha (HTTP status 521)",
    }
    told = [line for line in advice(found(failed=failed)) if "captcha" in line]
    assert len(told) == 1 and told[0].startswith("2 requests received ") and "open the address in a browser" in told[0]
    assert not any("HTTP status 403" in line for line in advice(found(failed=failed)))


_STEMS = [f"第{n}次测量时应当先看哪一项（ ）" for n in range(1, 13)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{stem},甲{n},乙{n},丙{n},丁{n},{'ABCD'[n % 4]}" for n, stem in enumerate(_STEMS)]
    (tmp_path / "own").mkdir()
    (tmp_path / "own/a.csv").write_text("\n".join(["题干,A,B,C,D,答案", *rows]), encoding="utf-8")
    (tmp_path / "own/b.csv").write_text("\n".join(["题干,A,B,C,D", *(row.rpartition(",")[0] for row in rows)]), encoding="utf-8")
    (tmp_path / "own/c.csv").write_text("名称,规格,单价\n纱布,10片,3.5\n棉签,50支,2\n", encoding="utf-8")
    unsure = [{"q": stem, "o": [f"甲{n}", "乙", "丙", "丁"], "k": n % 3 + 1, "answer": n % 3 + 1} for n, stem in enumerate(_STEMS)]
    (tmp_path / "own/d.json").write_text(json.dumps(unsure, ensure_ascii=False), encoding="utf-8")
    return tmp_path / "own"


def test_reports_every_file_of_a_folder_field_by_field(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder)]) == 0
    said = capsys.readouterr().out
    assert "a.csv: table (guessed), 12 records found, 12 read as questions" in said
    assert re.search(r"stem_raw +100%  第1次测量", said)
    assert "12 of 12 questions have no answer (first line:2)" in said
    assert "c.csv: not read" in said and f"python -m crawlers.read {folder}/c.csv --propose writes a layout" in said
    assert "d.json: not read" in said and "d.json: may contain questions, but its columns are uncertain" in said
    assert f"python -m crawlers.read {folder}/d.json --propose writes a layout of what was found" in said
    assert "first check the 3 files with advice or misread questions" in said
    assert main([str(folder / "a.csv")]) == 0
    *_, found, following = capsys.readouterr().out.splitlines()
    assert found == (f"nothing looks wrong in what is read; python -m crawlers.read {folder}/a.csv --sheet shows what cleaning rejects")
    assert following.endswith("then: dvc repro; or, for only your own files: python -m atomexam init PATH")
    assert main([str(folder / "c.csv")]) == 1


def test_reports_a_line_between_the_parts_of_an_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines before the first question and after the last are not within an item."""
    asked = ["{n}. {stem}", "A. 甲乙丙丁", "B. 戊己庚辛", "答案：A"]
    lines = [line.format(n=n, stem=stem) for n, stem in enumerate(_STEMS, 1) for line in asked]
    told = {}
    for at in (0, 4, 8, len(lines)):
        rows = [*lines[:at], "", "考点编号ZX77与来源", "", *lines[at:], "解析：先看最急的一项"]
        (tmp_path / "a.txt").write_text("\n".join(rows), encoding="utf-8")
        assert main([str(tmp_path / "a.txt")]) == 0
        told[at] = "Unread between the parts of an item: 1 line, first line" in capsys.readouterr().out
    assert told == {0: False, 4: False, 8: False, len(lines): True}


def test_reports_a_few_questions_with_fewer_options_than_most(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for few, is_told in ((1, True), (4, False)):
        asked = [[f"{n}. {stem}", "A. 甲", "B. 乙", *["C. 丙"] * (n > few), f"答案：{'AB'[n % 2]}"] for n, stem in enumerate(_STEMS, 1)]
        (tmp_path / "a.txt").write_text("\n".join(line for lines in asked for line in lines), encoding="utf-8")
        main([str(tmp_path / "a.txt")])
        told = capsys.readouterr().out
        assert ("1 question with fewer options than most (first q1): is one missing?" in told) is is_told


@pytest.mark.parametrize(
    "lines",
    [
        "1. 首选检查是|A. 甲乙丙丁|B. 戊己庚辛|2. 首选药物是|A. 甲乙丙|B. 戊己庚||考点编号ZX77与来源||【答案】1-2 AB",
        "A. 甲乙丙丁|B. 戊己庚辛|1. 首选检查是|答案：A|2. 首选药物是|答案：B||考点编号ZX77与来源||A. 甲乙丙|B. 戊己庚|3. 次选|答案：A",
    ],
)
def test_a_line_above_answers_of_several_questions_or_shared_options_is_in_no_item(
    lines: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(lines.replace("|", "\n"), encoding="utf-8")
    main([str(tmp_path / "a.txt")])
    assert "考点编号ZX77" in (told := capsys.readouterr().out) and "between the parts of an item" not in told


def test_reports_a_date_in_place_of_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Excel turns 1-2 and 3,4 into dates; an option may be a date, too."""
    options = ["2024-01-02", "1月2日", "2-Jan"], ["甲", "乙", "丙"]
    answers = ("2024-01-02", "1月2日", "2-Jan", "A")
    rows = [[f"第{n}题何者正确", *given, answer] for n, (given, answer) in enumerate(product(options, answers))]
    text = "\n".join(",".join(row) for row in [["题干", "选项A", "选项B", "选项C", "答案"], *rows])
    (tmp_path / "bank.csv").write_text(text, encoding="utf-8")
    main([str(tmp_path / "bank.csv")])
    assert "The answer 2024-01-02 (line:6, and 2 more) is a date, not an option" in capsys.readouterr().out


def test_reports_the_same_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(row["file"], row["found"], bool(row["error"]), len(row["advice"])) for row in told] == [
        ("a.csv", 12, False, 0),
        ("b.csv", 12, False, 1),
        ("c.csv", 0, True, 2),
        ("d.json", 0, True, 1),
    ]
    assert {field["name"] for field in told[0]["fields"]["question"] if field["filled"]} >= {"stem_raw", "options_raw", "answer_raw"}


def test_files_are_read_within_a_budget(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(files, "_HEAVY_BYTES", 10)
    monkeypatch.setattr(files, "read_guarded", lambda read, name, *_: iter(["table"]))
    assert main([str(folder / "a.csv")]) == 1
    assert "nothing was read from 1 file" in capsys.readouterr().out
