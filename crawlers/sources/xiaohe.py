"""xiaohe: diseases, examinations, medicines and foods of the encyclopedia of xiaohe.cn.

No page of the real site was at hand: keys and addresses of lists are assumed. So an entry is read by the form of what its state
holds (titles with text, labels with values), and where there is no state, from what is seen.
"""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from scrapy import Request
from scrapy.http import Response
from scrapy.selector import Selector
from w3lib.url import url_query_cleaner

from crawlers.fields import labelled, sound_json, text_of
from crawlers.source import SourceSpider
from records.item import EntityItem, LabelledValue, Section

_ENTITY_TYPES = {
    "disease": "disease", "symptom": "symptom", "examination": "examination", "check": "examination", "drug": "medicine",
    "medicine": "medicine", "food": "food",
}  # fmt: skip
_ENTRY = re.compile(rf"/medical/({'|'.join(_ENTITY_TYPES)})/\d+$|^https?://search\.xiaohe\.cn/(drug)/document\?drug_id=\d+$")
_LIST = re.compile(rf"/medical/({'|'.join(_ENTITY_TYPES)})$")
_STATE_NAMES = ("_ROUTER_DATA", "_SSR_DATA", "__INITIAL_STATE__")
_STATE_IDS = ("__MODERN_ROUTER_DATA__", "__MODERN_SSR_DATA__", "__NEXT_DATA__", "RENDER_DATA")

Found = Iterator[Request | EntityItem]


class XiaoheSpider(SourceSpider):
    """The root leads to a list a kind; a list shows its first entries and loads more by a call; an entry is one page."""

    name = "xiaohe"
    allowed_domains = ["www.xiaohe.cn", "search.xiaohe.cn"]  # noqa: RUF012 (Scrapy asks for a plain list)
    start_urls = ["https://www.xiaohe.cn/medical"]  # noqa: RUF012

    def parse(self, response: Response) -> Found:
        """Read the root or a list: the entries it shows, and the call for more."""
        requests = list(self._links(response, response.css("a::attr(href)").getall()))
        kind = _LIST.search(response.url)
        for listing in _dicts(_state(response)):
            if kind and isinstance(listing.get("list"), list):
                requests += self._listed(response, kind[1], listing)
        if not requests:
            self.misfit(response, "neither entries nor lists; a short page without state is the site's check of the browser")
        yield from requests

    def parse_more(self, response: Response, kind: str) -> Found:
        """Read what a list loads after its first entries."""
        listings = [found for found in _dicts(_parsed(response.text)) if isinstance(found.get("list"), list)]
        if not listings:
            self.misfit(response, "no list in the answer (data.list)")
        for listing in listings:
            yield from self._listed(response, kind, listing)

    def parse_entry(self, response: Response, entity_type: str) -> Found:
        """Read an entry from its state, else from what is seen."""
        read = _from_state(_state(response)) or _from_page(response)
        if read is None:
            self.misfit(response, "no entry in state or page; a short page without state is the site's check of the browser")
            return
        name, alias, values, sections = read
        yield self.entity(response, entity_type, name_raw=name, alias_raw=alias or None, values=values, sections=sections)
        yield from self._links(response, response.css("#root section a::attr(href)").getall())

    def _links(self, response: Response, links: list[str]) -> Iterator[Request]:
        for link in links:
            # What follows the address says only where the reader came from.
            url = url_query_cleaner(response.urljoin(link), ["drug_id"])
            if entry := _ENTRY.search(url):
                yield response.follow(url, self.parse_entry, cb_kwargs={"entity_type": _ENTITY_TYPES[entry[1] or entry[2]]})
            elif _LIST.search(url):
                yield response.follow(url, self.parse)

    def _listed(self, response: Response, kind: str, listing: dict[str, Any]) -> Iterator[Request]:
        entries = [entry for entry in listing["list"] if isinstance(entry, dict)]
        yield from self._links(response, [str(entry.get("url") or f"/medical/{kind}/{entry.get('id')}") for entry in entries])
        if listing.get("has_more") and entries:
            url = f"https://www.xiaohe.cn/medical/api/list?type={kind}&cursor={listing.get('cursor')}"
            yield response.follow(url, self.parse_more, cb_kwargs={"kind": kind})


Read = tuple[str, str, list[LabelledValue], list[Section]]
"""Name, other names, values, sections."""


def _state(response: Response) -> Any:
    """Return the state that the page carries in a script; None where it has none that can be read."""
    for identity in _STATE_IDS:
        for text in response.css(f"script#{identity}::text").getall():
            return _parsed(unquote(text) if identity == "RENDER_DATA" else text)
    for script in response.css("script::text").getall():
        if found := re.search(rf"window\.(?:{'|'.join(_STATE_NAMES)})\s*=\s*", script):
            return _parsed(script[found.end() :])
    return None


def _parsed(text: str) -> Any:
    """Return the JSON at the beginning of a text; more script may follow it."""
    try:
        return json.JSONDecoder().raw_decode(sound_json(text.strip()))[0]
    except (ValueError, RecursionError):  # no JSON, a number of thousands of digits, or nested without end
        return None


def _dicts(state: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a state, outer before inner."""
    left = [state]  # no recursion: a state may be nested deeper than Python calls
    while left:
        found = left.pop()
        if isinstance(found, dict):
            yield found
        left += reversed([*found.values()] if isinstance(found, dict) else found if isinstance(found, list) else [])


def _from_state(state: Any) -> Read | None:
    """Return the first object with a name and modules, a module being a title with text or further modules."""
    for detail in _dicts(state):
        name = detail.get("name") or detail.get("title")
        modules = [row for rows in detail.values() if isinstance(rows, list) for row in rows if _is_module(row)]
        if isinstance(name, str) and modules and not _is_module(detail):
            pairs = [
                (str(row["label"]), _joined(row["value"]))
                for rows in detail.values()
                if isinstance(rows, list)
                for row in rows
                if isinstance(row, dict) and "label" in row and "value" in row
            ]
            parts = [("概述", str(detail.get("summary") or detail.get("intro") or "")), *_parts(modules)]
            return name, _joined(detail.get("alias") or ""), *_values_and_sections(pairs, parts)
    return None


def _is_module(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("title"), str) and bool({"content", "text", "children"} & row.keys())


def _joined(value: Any) -> str:
    return "、".join(str(one) for one in value) if isinstance(value, list) else str(value)


def _parts(modules: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield title and rich text of modules and of those within them."""
    for module in modules:
        if _is_module(module):
            yield module["title"], str(module.get("content") or module.get("text") or "")
            yield from _parts(module.get("children") or [])


def _from_page(response: Response) -> Read | None:
    name = text_of(response.css("#root h1, h1")).strip() if response.css("h1") else ""
    sections = response.css("#root section")
    if not name or not sections:
        return None
    alias = "".join(text_of(one) for one in response.css("p.alias")[:1])
    pairs = [(text_of(label), text_of(label.xpath("following-sibling::dd[1]"))) for label in response.css("dl.card dt")]
    parts = [("概述", "".join(response.css("div.summary").getall()))]
    for section in sections:
        own = section.xpath("*[not(self::h2) and not(self::section)]").getall()
        parts.append((text_of(section.xpath("h2")), "".join(own)))
    return name, alias, *_values_and_sections(pairs, parts)


def _values_and_sections(pairs: list[tuple[str, str]], parts: list[tuple[str, str]]) -> tuple[list[LabelledValue], list[Section]]:
    """Return the card's pairs and the entries of the lists as values, and every part with text as a section."""
    values = labelled(pairs, "card")
    sections = []
    for number, (title, html) in enumerate(parts, 1):
        if text := text_of(html).strip():
            sections.append(Section(title=title.strip(), text=text, position=f"module:{number}"))
            values += labelled(_list_entries(html, title), f"module:{number}")
    return values, sections


def _list_entries(html: str, title: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of lists under the nearest heading above them, else under the module's title."""
    for entry in Selector(text=html, type="html").css("li"):
        above = entry.xpath("(ancestor::*[self::ul or self::ol]/preceding-sibling::*[self::h3 or self::h4 or self::h5])[last()]")
        yield (text_of(above[0]) if above else title), text_of(entry)
