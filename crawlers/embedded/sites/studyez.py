"""Replica of studyez: articles that contain a paper as running text, in one or more paragraphs, on one or two pages."""

from collections.abc import Iterator

from jinja2 import Environment

from crawlers.embedded.content import Content, Paper
from crawlers.embedded.rendering import html_reply, moved, templates
from crawlers.embedded.site import Respond, SiteReply
from crawlers.embedded.sites.studyez_paper import paragraphs_of, style_of

HOSTS = ("www.studyez.com",)
HOME = f"http://{HOSTS[0]}/"
CHANNELS = {"PCE": ("psychology", "心理咨询师"), "TCM": ("yishi", "执业医师")}
FORMER_NAMES = {"psychology": ["心理师"]}
"""Former names of a channel, to which the home page links before its current name."""
SPACED = {"yishi": "执 业  医 师"}
"""Channel names on the home page, padded with spaces."""
OTHER_CHANNELS = [("kuaijizheng", "会计证"), ("xueweiyingyu", "学位英语")]
SECTIONS = {"lnst": "历年真题", "mnst": "模拟试题"}
ROWS_A_LIST = 3
OLDER_TEMPLATE = frozenset({2510006})
MISSING, FORBIDDEN = 2519001, 2519002
ROBOTS = "User-agent: *\nDisallow: /Scripts/\nDisallow: /psychology/mnst/guangdong/\n"
_TITLE_CHARS = 12

Row = tuple[str, str, str, str]
"""Address, text truncated to the width of the list, title, and day."""


def build(content: Content) -> Respond:
    """Return the function that answers requests for the site."""
    pages = dict(_pages(templates("studyez"), content.on("studyez").papers))
    return lambda ask: pages.get(ask.target) if ask.method == "GET" else None


def _pages(site: Environment, papers: list[Paper]) -> Iterator[tuple[str, SiteReply]]:
    yield "/robots.txt", SiteReply(headers={"Content-Type": "text/plain"}, body=ROBOTS.encode())
    boxes = []
    for exam, (channel, name) in CHANNELS.items():
        own = [paper for paper in papers if paper.exam == exam]
        for section, section_name in SECTIONS.items():
            rows = [_row(paper) for paper in own if _section(paper) == section] or [_row(paper) for paper in own[:1]]
            if (channel, section) == ("psychology", "mnst"):
                rows[2:2] = [_entry(f"/psychology/mnst/all/202609/{MISSING}.htm", f"{name}理论知识模拟试题（停用）")]
                rows.append(_entry(f"/psychology/mnst/guangdong/202609/{FORBIDDEN}.htm", f"广东{name}理论知识模拟试题"))
            yield from _lists(site, channel, name, section, section_name, rows)
        boxes.append((channel, name, [_row(paper) for paper in own[:2]]))
        for paper in own:
            yield from _articles(site, paper, channel, name)
    names = [
        (channel, label) for channel, name in CHANNELS.values() for label in (*FORMER_NAMES.get(channel, []), SPACED.get(channel, name))
    ]
    channels = [*names, *OTHER_CHANNELS]
    yield "/", html_reply(site.get_template("home.html").render(title="学易网", channels=channels, boxes=boxes, names=SPACED))


def _section(paper: Paper) -> str:
    return "lnst" if paper.id % 3 == 0 else "mnst"


def _address(paper: Paper, page: int = 1) -> str:
    suffix = f"_{page}" if page > 1 else ""
    return f"/{CHANNELS[paper.exam][0]}/{_section(paper)}/all/202610/{paper.id}{suffix}.htm"


def _former_address(paper: Paper) -> str:
    return f"/news/201106/07/{paper.id}.htm"


def _row(paper: Paper) -> Row:
    return _entry(_former_address(paper) if paper.id % 4 == 1 else _address(paper), paper.title)


def _entry(address: str, title: str) -> Row:
    text = f"·{title[:_TITLE_CHARS]}…" if len(title) > _TITLE_CHARS else f"·{title}"
    return HOME.rstrip("/") + address, text, title, "10-18"


def _lists(site: Environment, channel: str, name: str, section: str, section_name: str, rows: list[Row]) -> Iterator[tuple[str, SiteReply]]:
    chunks = [rows[start : start + ROWS_A_LIST] for start in range(0, len(rows), ROWS_A_LIST)]
    first = f"/{channel}/{section}/"
    for page, chunk in enumerate(chunks, 1):
        context = {"title": f"{name}{section_name}", "channel": channel, "name": name, "section": section_name, "rows": chunk, "page": page}
        onward = f"{first}index_{page + 1}.htm" if page < len(chunks) else None
        html = site.get_template("list.html").render(**context, first=first, onward=onward)
        yield first if page == 1 else f"{first}index_{page}.htm", html_reply(html)


def _articles(site: Environment, paper: Paper, channel: str, name: str) -> Iterator[tuple[str, SiteReply]]:
    paragraphs = paragraphs_of(paper)
    middle = len(paragraphs) // 2
    pages = [paragraphs[:middle], paragraphs[middle:]] if style_of(paper).pages > 1 else [paragraphs]
    for page, chunk in enumerate(pages, 1):
        context = {"channel": channel, "name": name, "page": page, "pages": len(pages), "onward": f"{paper.id}_{page + 1}.htm"}
        context["addresses"] = [_address(paper, number + 1) for number in range(len(pages))]
        template = "article_older.html" if paper.id in OLDER_TEMPLATE else "article.html"
        html = site.get_template(template).render(title=paper.title, paragraphs=chunk, **context)
        yield _address(paper, page), html_reply(html)
    yield _former_address(paper), moved(_address(paper))
