"""Replica of tk.mxqe.com and www.mxqe.com, an EmpireCMS whose articles are papers in running text, with hidden noise and a paywall."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup, escape

from atomexam.text.option_letters import LETTERS
from crawlers.embedded.content import Content, Paper, PaperSection, Q
from crawlers.embedded.rendering import html_reply, moved, templates
from crawlers.embedded.site import Respond, SiteReply

HOSTS = ("tk.mxqe.com", "www.mxqe.com", "api.mxqe.com")
BANK, MAIN, API = HOSTS
EXAM = "自学考试"
COLUMNS = {"zkxl": "自考心理类", "zkjy": "自考教育类", "zkyy": "自考应用心理类"}
COLUMN_OF = {"生理心理学": "zkxl", "医学心理学": "zkxl", "教育心理学": "zkjy", "学前教育心理学": "zkjy"}
ON_MAIN = frozenset({2550003, 2550008})
ROWS, TAG_ROWS, QUESTIONS_A_PAGE = 3, 10, 12
WITHOUT_TEXT = {2551001: ("walled.html", "自考心理学押题卷（会员专享）"), 2551002: ("images.html", "自考心理学模拟卷（图片版）")}
REMOVED = {2551006: "自学考试心理学真题（内容已删除）"}
THROUGH_API = {2551047: ("自学考试心理学真题（小程序版）", 0), 2551048: ("自学考试心理学押题（收费）", 1)}
"""Articles of the main host that only the API returns: title, and `is_sf`, which is 1 if the text is paid content but is sent anyway."""
IMAGE = Markup('<img src="/d/file/{}.png" />')
NOISE = Markup('<span style="display:none">{}</span>')
TINY_NOISE = Markup('<font style="font-size:0px">{}</font>')
_ROBOTS = b"User-agent: *\nDisallow: /pay/\nDisallow: /e/member/\n"
T = TypeVar("T")


def build(content: Content) -> Respond:
    """Return the function that answers requests for both hosts."""
    site = templates("mxqe")
    pages = dict(_pages(site, content.on("mxqe").papers))
    return lambda ask: pages.get((ask.host, ask.target)) if ask.method == "GET" else None


def _pages(site: Environment, papers: list[Paper]) -> Iterator[tuple[tuple[str, str], SiteReply]]:
    for host in (BANK, MAIN):
        yield (host, "/robots.txt"), SiteReply(headers={"Content-Type": "text/plain"}, body=_ROBOTS)
    yield (BANK, "/"), _reply(site, "home.html", exam=EXAM)
    rows: dict[str, list[tuple[str, str]]] = {column: [] for column in COLUMNS}
    rows["zkjy"].append(("/zkjy/2551003.html", "自考教育心理学真题（已删除）"))  # a dead link
    for paper in papers:
        rows[_column(paper)].append((_address(paper), _title(paper)))
        yield from _article(site, paper)
        if paper.id in ON_MAIN:  # moved from one host to the other; old links remain
            yield (BANK, _address(paper)), moved(f"https://{MAIN}{_address(paper)}")
    for number, (template, title) in WITHOUT_TEXT.items():
        address = f"/zkyy/{number}.html"
        rows["zkyy"].append((address, title))
        context = {"title": title, "number": number, "path": _path("zkyy"), "tag": None, "pages": [], "page": 1}
        yield (BANK, address), _reply(site, template, **context)
    for column, name in COLUMNS.items():
        for address, reply in _lists(site, name, rows[column], ROWS, [f"/{column}/index{_nth(page)}.html" for page in range(1, 100)]):
            yield (BANK, address), reply
            if address.endswith("/index.html"):
                yield (BANK, f"/{column}/"), reply
    tagged = [(f"https://{_host(paper)}{_address(paper)}", _title(paper)) for paper in papers]
    tagged += [(f"https://{BANK}/zkyy/{number}.html", title) for number, (_, title) in WITHOUT_TEXT.items()]
    for number, title in REMOVED.items():
        tagged.append((f"https://{MAIN}/zkyy/{number}.html", title))
        yield (MAIN, f"/zkyy/{number}.html"), _reply(site, "removed.html", title=title)
        yield _detail(number, title, None, 0)
    for number, (title, is_paid) in THROUGH_API.items():
        tagged.append((f"https://{MAIN}/zkyy/{number}.html", title))
        yield (MAIN, f"/zkyy/{number}.html"), _reply(site, "removed.html", title=title)
        html = site.get_template("detail.html").render(title=title, is_paid=is_paid)
        yield _detail(number, title, base64.b64encode(html.encode()).decode(), is_paid)
    addresses = [f"/e/tags/index.php?page={page}&tagname={quote(EXAM)}&line={TAG_ROWS}&tempid=24" for page in range(100)]
    for address, reply in _lists(site, EXAM, tagged, TAG_ROWS, addresses):
        yield (MAIN, address), reply


def _detail(number: int, title: str, content: str | None, is_paid: int) -> tuple[tuple[str, str], SiteReply]:
    """Return the API's answer; `is_vip` describes the caller, and `is_sf` the article."""
    body = json.dumps({"id": str(number), "title": title, "content": content, "is_vip": 0, "is_sf": is_paid}, ensure_ascii=False).encode()
    return (API, f"/baiduApi.php?action=detail&id={number}"), SiteReply(headers={"Content-Type": "application/json"}, body=body)


def _lists(site: Environment, name: str, rows: list[tuple[str, str]], size: int, addresses: list[str]) -> Iterator[tuple[str, SiteReply]]:
    chunks = _chunks(rows, size)
    pages = list(enumerate(addresses[: len(chunks)], 1))
    for (page, address), chunk in zip(pages, chunks, strict=True):
        yield address, _reply(site, "list.html", name=name, exam=EXAM, rows=chunk, total=len(rows), page=page, pages=pages)


def _chunks(things: Sequence[T], size: int) -> list[Sequence[T]]:
    return [things[start : start + size] for start in range(0, len(things), size)]


def _column(paper: Paper) -> str:
    return COLUMN_OF.get(paper.subject, "zkyy")


def _host(paper: Paper) -> str:
    return MAIN if paper.id in ON_MAIN else BANK


def _address(paper: Paper, page: int = 1) -> str:
    return f"/{_column(paper)}/{paper.id}{_nth(page)}.html"


def _nth(page: int) -> str:
    return f"_{page}" if page > 1 else ""


def _path(column: str) -> list[tuple[str, str]]:
    return [("/zk/", EXAM), (f"/{column}/", COLUMNS[column])]


def _title(paper: Paper) -> str:
    return paper.title if paper.title.endswith("答案") else paper.title + ("及答案", "", "_答案圈")[paper.id % 3]


def _article(site: Environment, paper: Paper) -> Iterator[tuple[tuple[str, str], SiteReply]]:
    path = [("/tkda/", "题库答案"), ("/zk/", EXAM)] if paper.id in ON_MAIN else _path(_column(paper))
    numbered = list(enumerate(((section, q) for section in paper.sections for q in section.questions), 1))
    chunks = _chunks(numbered, QUESTIONS_A_PAGE if paper.id % 2 else len(numbered))
    tag = paper.subject if paper.id % 2 == 0 or paper.title.endswith("答案") else None
    context = {"title": _title(paper), "path": path, "tag": tag, "pages": [_address(paper, page + 1) for page in range(len(chunks))]}
    heading = None
    for page, chunk in enumerate(chunks, 1):
        blocks: list[dict[str, Any]] = []
        for number, (section, q) in chunk:
            if section.case or section.shared_options:
                raise ValueError(f"content: paper {paper.id}: mxqe shows no cases and no shared options")
            above = [escape(section.heading)] if section.heading and section.heading != heading else []
            heading = section.heading
            blocks += _blocks(paper, q, number, above)
        if page == len(chunks) and paper.id % 4 == 3:
            blocks.append({"hidden": False, "lines": _key(numbered)})
        yield (_host(paper), _address(paper, page)), _reply(site, "article.html", blocks=blocks, page=page, **context)


def _blocks(paper: Paper, q: Q, number: int, above: list[Markup]) -> list[dict[str, Any]]:
    """Return the question as paragraphs; its answer is visible, in a hidden block, in brackets, or at the end of the paper."""
    style = paper.id % 4
    stem = escape(f"{number}、") + _noisy(q.stem, number) + Markup("").join(IMAGE.format(n) for n in range(q.images))
    sign = "、" if style % 2 else "."
    options = [escape(letter + sign) + _noisy(text, number + 4) for letter, text in zip(LETTERS, q.options, strict=False)]
    if style == 2 and len(options) == 4 and all(len(text) < 12 for text in q.options):
        options = [Markup("&nbsp;&nbsp;&nbsp;").join(pair) for pair in _chunks(options, 2)]
    lines = [*above, stem, *options]
    if style == 3:
        return [{"hidden": False, "lines": lines}]
    label = {0: "答案：{}", 1: "参考答案：{}", 2: "【答案】{}"}[style]
    answer = Markup(label).format(_pay(paper) if q.answer is None else q.answer)
    answer_lines = [answer, *([escape(("【解析】" if style == 2 else "解析：") + q.explanation)] if q.explanation else [])]
    if style == 1:
        return [{"hidden": False, "lines": lines}, {"hidden": True, "lines": answer_lines}]
    return [{"hidden": False, "lines": lines + answer_lines}]


def _key(numbered: list[tuple[int, tuple[PaperSection, Q]]]) -> list[Markup]:
    lines = ["参考答案"]
    heading = None
    for number, (section, q) in numbered:
        if section.heading != heading:
            lines.append(heading := section.heading or "")
        if q.answer:
            words = f"答：{q.answer}" if q.type == "qa" else q.answer
            lines.append(f"{number}.{words}" + (f" 解析：{q.explanation}" if q.explanation else ""))
    return [escape(line) for line in lines]


def _pay(paper: Paper) -> Markup:
    return Markup('<a class="m-vip" href="https://www.mxqe.com/pay/pay.php?id={}">查看答案</a>').format(paper.id)


def _noisy(text: str, number: int) -> Markup:
    """Return a text with invisible noise that is included when the text is copied."""
    text_variant = text.replace("（ ）", ("（ ）", "（\u00a0\u00a0）", "( )")[number % 3])
    if number % 4 or len(text_variant) < 6:
        return escape(text_variant)
    middle = len(text_variant) // 2
    noise = (NOISE if number % 8 else TINY_NOISE).format("答案圈mxqe.com")
    return escape(text_variant[:middle]) + noise + escape(text_variant[middle:])


def _reply(site: Environment, template: str, **context: Any) -> SiteReply:
    """Return a page in UTF-8 that does not declare its encoding."""
    return html_reply(site.get_template(template).render(columns=COLUMNS.items(), **context), named_in_header=False)
