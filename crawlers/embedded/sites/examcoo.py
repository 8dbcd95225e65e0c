"""Replica of examcoo: view pages are shells, calls with a token return questions and explanations, and two papers have the old form."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import msgspec
from jinja2 import Environment

from crawlers.embedded.content import Content, Paper
from crawlers.embedded.rendering import html_reply, moved, templates
from crawlers.embedded.site import Respond, SiteReply, SiteRequest
from crawlers.embedded.sites.examcoo_paper import Part, answers_of_call, parts_of_page

HOSTS = ("www.examcoo.com",)
CATEGORIES = {"PCE": (3, "职业资格"), "TQE": (3, "职业资格"), "GEE": (1, "学历类"), "SSE": (1, "学历类"), "TCM": (6, "医学类")}
LISTS = {"PCE": "心理咨询师", "TQE": "教师资格心理学", "GEE": "心理学考研", "SSE": "心理学自考"}  # TCM: one list per subject
ROWS = {
    "PCE": ("心理健康", "心理咨询师", "案例问答"), "TQE": ("教师", "教师资格", "心理学"), "GEE": ("研究生", "考研", "心理学"),
    "SSE": ("自学考试", "自考", "心理学"), "TCM": ("中医", "执业医师", None),
}  # fmt: skip
"""For each examination: the part of the category's page, the first cell of the row, and the link text (for TCM, the name of the list)."""
OTHER_LISTS = [(3, 1790, "导游业务", ("旅游", "导游", "业务")), (1, 1791, "初一语文", ("初中教育", "初一", "语文"))]
FIRST_LIST = 1701
PAPERS_A_LIST = 5  # 25 on the real site
RENDERED_PAPERS = frozenset({2520006, 2560004})
MOVED_PAPER = 2540003
MISSING, FORBIDDEN = 2599001, 2599002
DISALLOWED = ("/class/", "/editor/do/exam/", "/editor/do/exercise/", f"/editor/do/view/id/{FORBIDDEN}")
ROBOTS = "User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in DISALLOWED)
_COMMENTS = "/editor/comment/index"
_VIEW = re.compile(rf"https://{HOSTS[0]}/editor/do/view/id/\d+")
_SESSION = hashlib.md5(b"examcoo", usedforsecurity=False).hexdigest()[:26]  # the same for all, so that two clones store the same bytes
_FORBIDDEN = SiteReply(status=403, headers={"Content-Type": "text/html; charset=utf-8"}, body="非法访问".encode())


def build(content: Content) -> Respond:
    """Return the function that answers requests for the site."""
    site = templates("examcoo")
    papers = content.on("examcoo").papers
    parts = {paper.id: parts_of_page(paper, papers) for paper in papers}
    pages = dict(_pages(site, papers, parts))
    explained: dict[str, tuple[int, str | None]] = {
        part.id: (paper.id, part.explanation) for paper in papers for part in parts[paper.id] if part.id and part.explanation
    }

    def respond(ask: SiteRequest) -> SiteReply | None:
        is_call = ask.method == "POST" or ask.target.startswith("/editor/rpc/")
        if is_call and not _is_from_view(ask):
            return _FORBIDDEN
        if ask.method == "POST":
            return _comment(site, explained, ask) if ask.target == _COMMENTS else None
        return pages.get(ask.target) or (_FORBIDDEN if is_call else None)

    return respond


def token_of(paper: int) -> str:
    """Return the token from the paper's page, which a call must contain; on the real site it changes with each session."""
    return hashlib.md5(f"examcoo {paper}".encode(), usedforsecurity=False).hexdigest()


def _is_from_view(ask: SiteRequest) -> bool:
    """Return whether a call comes from a paper's page, judging by its Referer and session."""
    return bool(_VIEW.match(ask.headers.get("referer", ""))) and f"PHPSESSID={_SESSION}" in ask.headers.get("cookie", "")


def _pages(site: Environment, papers: list[Paper], parts: dict[int, list[Part]]) -> Iterator[tuple[str, SiteReply]]:
    lists = _lists(papers)
    categories = _categories(lists)
    yield "/robots.txt", SiteReply(headers={"Content-Type": "text/plain"}, body=ROBOTS.encode())
    yield "/index/ku", html_reply(site.get_template("home.html").render(categories=categories))
    for mid, name, category_parts in categories:
        yield f"/index/detail/mid/{mid}", html_reply(site.get_template("category.html").render(mid=mid, name=name, parts=category_parts))
    for (exam, name), (kid, listed) in lists.items():
        yield from _list_pages(site, kid, name, listed)
        mid, area = CATEGORIES[exam]
        crumbs: list[tuple[str, str]] = [(f"/index/detail/mid/{mid}", area), (f"/paperlist/index/k/{kid}/p/1", name)]
        if exam == "TCM":
            crumbs.insert(1, (f"/index/detail/mid/{mid}#s1", "中医执业医师"))
        for paper in listed:
            yield from _paper_pages(site, paper, parts[paper.id], crumbs)


def _categories(lists: dict[tuple[str, str], tuple[int, list[Paper]]]) -> list[tuple[int, str, list[tuple[str, list[Any]]]]]:
    """Return the number and name of each category with its parts, and the rows of each part: the first cell, and links that name only the
    subject."""
    listed = [(*CATEGORIES[exam], ROWS[exam], kid, name) for (exam, name), (kid, _) in lists.items()]
    names = {mid: category for mid, category, *_ in listed}
    listed += [(mid, names[mid], column, kid, name) for mid, kid, name, column in OTHER_LISTS if mid in names]
    parts_by_category: dict[tuple[int, str], dict[str, dict[str, list[Any]]]] = {}
    for mid, category, (part, row, words), kid, name in listed:
        parts_by_category.setdefault((mid, category), {}).setdefault(part, {}).setdefault(row, []).append((kid, name, words or name))
    return [(*key, [(part, list(rows.items())) for part, rows in parts.items()]) for key, parts in sorted(parts_by_category.items())]


def _lists(papers: list[Paper]) -> dict[tuple[str, str], tuple[int, list[Paper]]]:
    """Return the papers by examination and by the name of their list, with the list's number."""
    lists: dict[tuple[str, str], tuple[int, list[Paper]]] = {}
    for paper in papers:
        lists.setdefault((paper.exam, LISTS.get(paper.exam, paper.subject)), (FIRST_LIST + len(lists), []))[1].append(paper)
    return lists


def _list_pages(site: Environment, kid: int, name: str, papers: list[Paper]) -> Iterator[tuple[str, SiteReply]]:
    rows = [(paper.id, paper.title, sum(len(section.questions) for section in paper.sections)) for paper in papers]
    if kid == FIRST_LIST:
        rows[2:2] = [(MISSING, f"{name}历年试卷（已删除）", 100), (FORBIDDEN, f"{name}内部试卷", 100)]
    chunks = [rows[start : start + PAPERS_A_LIST] for start in range(0, len(rows), PAPERS_A_LIST)]
    for page, chunk in enumerate(chunks, 1):
        context = {"kid": kid, "name": name, "rows": chunk, "pinned": rows[0], "total": len(rows), "page": page, "pages": len(chunks)}
        yield f"/paperlist/index/k/{kid}/p/{page}", html_reply(site.get_template("list.html").render(**context))


def _paper_pages(site: Environment, paper: Paper, parts: list[Part], crumbs: list[tuple[str, str]]) -> Iterator[tuple[str, SiteReply]]:
    token = None if paper.id in RENDERED_PAPERS else token_of(paper.id)
    count = sum(1 for part in parts if part.id and not part.rule)
    view = f"/editor/do/view/id/{paper.id}"
    kid = crumbs[-1][0].split("/")[4]
    address = f"{view}/cid/0/kid/{kid}/ad/0"
    page = html_reply(
        site.get_template("view.html").render(paper=paper, crumbs=crumbs, token=token, parts=_rendered_parts(parts), count=count)
    )
    page = msgspec.structs.replace(page, headers={**page.headers, "Set-Cookie": f"PHPSESSID={_SESSION}; path=/"})
    yield address, page
    yield view, moved(f"https://{HOSTS[0]}{address}") if paper.id == MOVED_PAPER else page
    if token:
        body = json.dumps(answers_of_call(paper, parts), ensure_ascii=False, separators=(",", ":")).replace("/", "\\/")
        yield (
            f"/editor/rpc/getpapercontent/pid/{paper.id}/tokenpid/{token}/fromAction/view",
            SiteReply(headers={"Content-Type": "text/html; charset=UTF-8"}, body=body.encode()),
        )


def _rendered_parts(parts: list[Part]) -> list[dict[str, Any]]:
    return [part.rendered() for part in parts]


def _comment(site: Environment, explained: dict[str, tuple[int, str | None]], ask: SiteRequest) -> SiteReply:
    form = {name: values[0] for name, values in parse_qs(ask.body.decode()).items()}
    paper, explanation = explained.get(form.get("sdtId", ""), (0, None))
    if form.get("tokenpid") != token_of(int(form.get("pid", "0"))):
        return _FORBIDDEN
    explanation = explanation if str(paper) == form["pid"] else None
    return html_reply(site.get_template("comment.html").render(explanation=explanation))
