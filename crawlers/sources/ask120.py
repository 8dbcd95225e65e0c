"""ask120: diseases and examinations of tag.120ask.com, medicines of yp.120ask.com."""

import re
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any

from parsel import Selector, SelectorList
from scrapy import Request
from scrapy.http import Response

from crawlers.fields import labelled, text_of
from crawlers.source import SourceSpider
from records.item import EntityItem, LabelledValue, Section

_CAPTIONS = {
    "gaishu": "概述", "bingyin": "病因", "zhengzhuang": "症状", "jiancha": "检查", "jianbie": "鉴别", "bingfa": "并发症", "yufang": "预防",
    "zhiliao": "治疗", "yinshi": "饮食", "shiliao": "食疗",
}  # fmt: skip
_DISEASE_PATH = re.compile(r"^(?:https?:)?(?://tag\.120ask\.com)?/jibing/(?!pinyin/|ks/)[^/]+/?$")
_INDEX_PATH = re.compile(r"^(?:https?:)?(?://tag\.120ask\.com)?/jibing/(?:pinyin|ks)/\w+\.html$")
_MEDICINE_PATH = re.compile(r"^(?:(?:https?:)?//yp\.120ask\.com)?/detail/\d+\.html$")
_NUMBERED = re.compile(r"\d+[.．、]")
_TAG_SEARCH = re.compile(r"tagSearch\(\s*['\"](.+?)['\"]\s*\)")

Found = Iterator[Request | EntityItem]


class Ask120Spider(SourceSpider):
    """Letter and department lists lead to diseases and their sub-pages, the check-up index to examinations, diseases to medicines."""

    name = "ask120"
    allowed_domains = ["tag.120ask.com", "yp.120ask.com"]  # noqa: RUF012 (Scrapy asks for a plain list)
    start_urls = [  # noqa: RUF012
        "https://tag.120ask.com/jibing/ks/nk.html",
        *(f"https://tag.120ask.com/jibing/pinyin/{letter}.html" for letter in ascii_lowercase),
        "https://tag.120ask.com/jiancha/",
    ]

    def parse(self, response: Response) -> Found:
        """Read a list of diseases or the index of examinations."""
        if response.url.rstrip("/").endswith("/jiancha"):
            yield from self.parse_examination_index(response)
            return
        # Until 2019 the departments stood in one tree.
        links = response.css("div.sick_tag, ul.p_leftdivnav").css("a::attr(href)").getall()
        if not links:
            self.misfit(response, "no list of diseases (div.sick_tag)")
        for link in links:
            if _INDEX_PATH.match(link):
                yield response.follow(link, self.parse)
            elif _DISEASE_PATH.match(link):
                yield response.follow(link, self.parse_disease)

    def parse_disease(self, response: Response) -> Found:
        """Read a disease's home: the two summary boxes and the introduction; its sub-pages are items of their own."""
        head = response.css("div.disease-cont dl dd b") or response.css("div.p_lbox1 div.p_lboxti h3")
        name = _text(head.css("strong")) or _text(head.xpath("text()[normalize-space()]"))
        if not name:
            self.misfit(response, "no name of a disease (div.disease-cont dl dd b strong)")
            return
        values = []
        for side in ("left", "center"):
            rows = response.css(f"div.disease-list-title div.disease-list-{side} ul > li")
            values += labelled(((_text(row.css("span")), _text(row.css("var"))) for row in rows), side)
        intro = _text(response.css("div.disease-cont dl dd p") or response.css("div.p_lbox1_ab p"))
        sections = [Section(title="概述", text=intro, position="intro")] if intro else []
        alias = _text(head.css("var")) or None
        yield self.entity(response, "disease", name_raw=name, alias_raw=alias, values=values, sections=sections)
        home = response.url.rstrip("/") + "/"
        for slug in _CAPTIONS:
            yield Request(f"{home}{slug}/", self.parse_article, cb_kwargs={"name": name, "home": home})
        for link in response.css("div.disease-Related-List a::attr(href)").getall():
            if _DISEASE_PATH.match(link):
                yield response.follow(link, self.parse_disease)
        yield from self._medicines(response, response.css("div.img-list a::attr(href)").getall())

    def parse_article(self, response: Response, name: str, home: str) -> Found:
        """Read a sub-page of a disease: its prose, and the lists that stand in it under a label."""
        slug = response.url.rstrip("/").rpartition("/")[2]
        caption = _CAPTIONS.get(slug, slug)
        # Until 2019 the line above the text named its origin.
        body = response.css("div.art_cont, div.symptom-box-left-details") or response.css("div.p_cleftartbox > :not(.p_arttopab)")
        diet = response.css("div.wrap_big")
        if not body and not diet:
            self.misfit(response, f"no text of {caption} (div.art_cont)")
            return
        values = [*labelled(_lines_with_label(body, caption), "text"), *_foods(response)]
        text = "\n".join(text_of(part) for part in body)
        sections = [Section(title=caption, text=text, position="text")] if text.strip() else []
        if values or sections:
            yield self.entity(response, "disease", name_raw=name, values=values, sections=sections, url=home)

    def parse_examination_index(self, response: Response) -> Found:
        """Read the index of examinations or one of its categories."""
        categories = response.css("div.w_conr1 p a::attr(href)").getall()
        links = response.css("div.w_conr li a::attr(href)").getall()
        if not categories and not links:
            self.misfit(response, "no list of examinations (div.w_conr1 p a, div.w_conr li a)")
        yield from response.follow_all(categories, self.parse_examination_index)
        yield from response.follow_all(links, self.parse_examination)

    def parse_examination(self, response: Response) -> Found:
        name = _text(response.css("div.ys-head h1"))
        if not name:
            self.misfit(response, "no name of an examination (div.ys-head h1)")
            return
        values = labelled((_divided(_text(pair)) for pair in response.css("div.ys-brief li span:not([class])")), "brief")
        values += labelled((_divided(_text(line)) for line in response.css("div.ys-normal p")), "normal")
        findings = "\n".join(text_of(found) for found in response.css("#ys-img img::attr(data-data)").getall())
        values += labelled((_divided(line) for line in findings.split("\n")), "findings")
        intro = _text(response.css("div.ys-head div.intro p"))
        sections = [Section(title="概述", text=intro, position="intro")] if intro else []
        for part in response.css("div.ys-clinical"):
            title, text = _divided(text_of(part))
            if text:
                sections.append(Section(title=title.rstrip("：:") or "临床意义", text=text, position=part.attrib.get("name", "")))
        yield self.entity(response, "examination", name_raw=name, values=values, sections=sections)

    def parse_medicine(self, response: Response) -> Found:
        name = _text(response.css("div.details-right-drug > p:not([class*=Explain])"))
        if not name:
            self.misfit(response, "no name of a medicine (div.details-right-drug > p)")
            return
        values = []
        for number, row in enumerate(response.css("div.details-right-drug ul li"), 1):
            label, value = _divided(_text(row))
            # The diseases stand in the scripts of the links alone.
            searches = [found[1] for script in row.css("var::attr(onclick)").getall() if (found := _TAG_SEARCH.search(script))]
            values += _one(label, value or "、".join(searches), f"head:{number}")
        for tab in ("tab-dm-1", "tab-dm-2"):
            rows = response.css(f"div.cont-Drug-details .{tab} .table span.td")
            values += labelled(((_text(row), _text(row.xpath("following-sibling::var[1]"))) for row in rows), tab)
        leaflet = "\n".join(f"{value.label.rstrip('：:')}：{value.value}" for value in values if value.position.startswith("tab-dm-2"))
        sections = [Section(title="说明书", text=leaflet, position="tab-dm-2")] if leaflet else []
        yield self.entity(response, "medicine", name_raw=name, values=values, sections=sections)
        yield from self._medicines(response, response.css("a::attr(href)").getall())

    def _medicines(self, response: Response, links: list[str]) -> Iterator[Request]:
        for link in links:
            if _MEDICINE_PATH.match(link):
                yield response.follow(link, self.parse_medicine)


def _text(found: Selector | SelectorList[Any]) -> str:
    """Return the text of the first that was found, without outer blanks of any kind; nothing where there is none."""
    first = found[:1] if isinstance(found, SelectorList) else [found]
    return "".join(text_of(one) for one in first).strip()


def _divided(line: str) -> tuple[str, str]:
    """Return the label with its colon, and what follows; a line without colon has no label."""
    found = re.match(r"\s*([^：:\n]{1,20}[：:])(.*)", line, re.DOTALL)
    return (found[1], found[2].strip()) if found else ("", line.strip())


def _lines_with_label(body: SelectorList[Any], caption: str) -> list[tuple[str, str]]:
    """Return the lines that open with a label: words in bold, or the page's own caption. A numbered list may go on below."""
    bold = {text_of(lead).strip().rstrip("：:") for lead in body.css("strong, b")}
    leads = "|".join(re.escape(lead) for lead in sorted({caption, *bold} - {""}, key=lambda lead: (-len(lead), lead)))
    pairs: list[tuple[str, str]] = []
    in_list = False
    for line in (line.strip() for part in body for line in text_of(part).split("\n")):
        found = re.match(rf"((?:{leads})\s*[：:])(.*)", line)
        if found:
            pairs.append((found[1], found[2].strip()))
            in_list = not pairs[-1][1] or bool(_NUMBERED.match(pairs[-1][1]))
        elif in_list and _NUMBERED.match(line):
            label, value = pairs[-1]
            pairs[-1] = (label, f"{value}\n{line}".strip())
        else:
            in_list = False
    return pairs


def _foods(response: Response) -> Iterator[LabelledValue]:
    """Return what to eat and to avoid: a sentence each, or a table each with the food in its first column."""
    for number, place in enumerate(response.css("div.wrap_big > div"), 1):
        yield from _one(_text(place.css("span.sp").xpath("text()")), _text(place.css("span.sp var")), f"diet:{number}")
    for side in ("dl_1", "dl_2"):
        place = response.css(f".{side}")
        cells = ((_text(place.css("em")), _text(row.css("td"))) for row in place.css("table tr"))
        yield from labelled(cells, side)


def _one(label: str, value: str, position: str) -> list[LabelledValue]:
    return [LabelledValue(label=label, value=value, position=position)] if value else []
