"""baikemy: diseases, symptoms and medicines of www.baikemy.com (百科名医), the former home of xiaohe's encyclopedia.

No page of the real site was available. Public scrapers of 2018 and 2020 agree on the addresses and classes of two layouts; both are
supported.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from parsel import Selector
from scrapy import Request
from scrapy.http import Response

from atomexam.records.item import EntityItem, LabelledValue, Section
from crawlers.html.label_pairs import siblings_below
from crawlers.html.links import links_to
from crawlers.html.nesting import outermost
from crawlers.html.pages import MOST_PAGES, is_page
from crawlers.html.source_spider import SourceSpider
from crawlers.text.fields import labelled, text_of

_HOST = "www.baikemy.com"
_LIST_ADDRESS = f"https://{_HOST}/disease/list/0/0"
_KINDS = {"A": "disease", "B": "symptom"}
"""`diseaseContentType` of a list -> what its entries are."""
_LIST = re.compile(r"/disease/list/\d+/\d+$")
_ENTRY = re.compile(r"/(disease|medicine)/(?:detail|view)/(\d+)(?:/\d+)?$")
_TITLES = ".jb-head-left-text, .detail_name"
_SECTIONS = ".lemma-main-content"
_HEADINGS = ".content .directory_flag"
_TRAIL = ".jb-mb a"
_OF_DISEASES = {"病因", "临床表现"}
"""A scraper of 2019 recognises diseases by these headings."""
_INTRODUCTION = "概述"
_GENERIC_NAME = re.compile(r"通用名(?:称)?\s*[:：]?\s*(.+)")


class BaikemySpider(SourceSpider):
    """One list of each kind -> lists by department, over several pages -> entries."""

    name = "baikemy"
    allowed_domains = (_HOST,)
    start_urls = [f"{_LIST_ADDRESS}?diseaseContentType={kind}" for kind in _KINDS]  # noqa: RUF012 (Scrapy requires a plain list)
    scopes = ("lists",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.lists is not None:
            if wrong := [kind for kind in self.lists if kind not in _KINDS]:
                form = f"expected kinds of lists: {', '.join(f'{kind} ({what})' for kind, what in _KINDS.items())}"
                raise ValueError(f"params.yaml: sources.baikemy: lists: {wrong!r} found; {form}")
            self.start_urls = [f"{_LIST_ADDRESS}?diseaseContentType={kind}" for kind in self.lists]

    def parse(self, response: Response, is_first: bool = True) -> Iterator[Request | EntityItem]:
        """Read a list: its entries, its departments, and its further pages, which the first page links."""
        if not is_page(response, self):
            return
        links = list(links_to(response.url, response.css("a::attr(href)").getall()))
        kind = _KINDS.get(parse_qs(urlsplit(response.url).query).get("diseaseContentType", [""])[0])
        own = [link for link in links if link.host == _HOST]
        entries = list(dict.fromkeys(entry for link in own if (entry := _ENTRY.search(link.path))))
        if not entries:
            self.misfit(response, "a list without entries: no link to /disease/detail/N, /disease/view/N or /medicine/detail/N")
        for group, number in dict.fromkeys((entry[1], entry[2]) for entry in entries):
            what = "medicine" if group == "medicine" else kind
            # Until 2018 the first page of a disease was a summary of the page after it.
            address = f"https://{_HOST}/{group}/detail/{number}" + ("/1" if group == "disease" else "")
            yield Request(address, self.parse_entry, cb_kwargs={"entity_type": what})
        if is_first:
            yield from (Request(url, self.parse) for url in sorted({link.url for link in own if _is_department(link.path, link.query)}))
            pages = max((_pages(link.query) for link in own if _LIST.search(link.path)), default=1)
            base_url = response.url.partition("?")[0]
            query = f"&diseaseContentType={kind_letter}" if (kind_letter := _letter(response.url)) else ""
            for number in range(2, min(pages, MOST_PAGES) + 1):
                yield Request(f"{base_url}?pageIndex={number}&pageCount={pages}{query}", self.parse, cb_kwargs={"is_first": False})

    def parse_entry(self, response: Response, entity_type: str | None) -> Iterator[Request | EntityItem]:
        """Read an entry; its kind is that of the list, or is inferred from its headings."""
        if not is_page(response, self):
            return
        name = text_of(response.css(_TITLES)[:1]) or None
        parts = _sections(response.selector)
        sections = [part for part in parts if part.text]
        bare = [
            part.title for part in parts if not part.text and response.css(_SECTIONS)
        ]  # in the older layout a heading may be above others
        if name and sections and bare:
            self.misfit(response, f"no text below {', '.join(map(repr, bare[:3]))} (.para)")
        if not name or not sections:
            self.misfit(response, f"no entry: `{_TITLES}` with `{_SECTIONS}` or `{_HEADINGS}`")
            return
        if entity_type is None and not _OF_DISEASES & {section.title for section in sections}:
            self.note("entries whose kind neither the list nor the headings show")
            return
        generic = _GENERIC_NAME.search(text_of(response.css(".name_info")[:1]))
        yield self.entity(
            response,
            entity_type or "disease",
            name_raw=name,
            alias_raw=generic[1].strip() if generic else None,
            values=_department(response.selector),
            sections=sections,
        )


def _is_department(path: str, query: str) -> bool:
    return bool(_LIST.search(path)) and not path.endswith("/0/0") and not query


def _pages(query: str) -> int:
    """Return the number of pages of a list, from its pager."""
    stated = parse_qs(query).get("pageCount", [""])[0]
    return int(stated) if re.fullmatch(r"[0-9]{1,4}", stated) else 1


def _letter(url: str) -> str:
    return parse_qs(urlsplit(url).query).get("diseaseContentType", [""])[0]


def _department(page: Selector) -> list[LabelledValue]:
    """Return the third part of the breadcrumb 首页 > 疾病 > 神经内科, which is the department."""
    trail = [text_of(link) for link in page.css(_TRAIL)]
    return labelled([("科室", trail[2])], "trail") if len(trail) > 2 else []


def _sections(page: Selector) -> list[Section]:
    """Return the sections of either layout; a part without a heading is the introduction."""
    pairs = [section for part in outermost(page.css(_SECTIONS)) for section in _parted(part)]
    pairs = pairs or [(text_of(heading), _below(heading)) for heading in page.css(_HEADINGS)]
    return [Section(title=title, text=text.strip(), position=f"section:{number}") for number, (title, text) in enumerate(pairs, 1)]


def _parted(part: Selector) -> Iterator[tuple[str, str]]:
    """Yield the headings of a part with the paragraphs below each."""
    title, texts = "", list[str]()
    for piece in outermost(part.css(".headline-content, .para")):
        if "headline-content" in piece.root.get("class", "").split():
            if title or texts:
                yield title or _INTRODUCTION, "\n".join(texts)
            title, texts = text_of(piece), []
        else:
            texts.append(text_of(piece))
    if title or texts:
        yield title or _INTRODUCTION, "\n".join(texts)


def _below(heading: Selector) -> str:
    """Return the text below a heading in its box, up to the next heading."""
    texts = []
    for below in siblings_below(heading):
        if "directory_flag" in below.root.get("class", "").split():
            break
        texts.append(text_of(below))
    return "\n".join(filter(None, texts))
