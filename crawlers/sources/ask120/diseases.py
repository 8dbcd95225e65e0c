"""Diseases, symptoms and surgery of ask120: home pages and their sub-pages in the layouts of 2014, 2016 and since 2019."""

import re
from collections.abc import Iterator
from typing import Any

from parsel import Selector, SelectorList
from scrapy.http import Response

from atomexam.records.item import LabelledValue, Section
from crawlers.html.nesting import outermost
from crawlers.sources.ask120.text import divided, first_text, lines_with_label, one, texts
from crawlers.text.fields import labelled, text_of

CAPTIONS = {
    "disease": {
        "gaishu": "概述", "bingyin": "病因", "zhengzhuang": "症状", "jiancha": "检查", "jianbie": "鉴别", "bingfa": "并发症",
        "yufang": "预防", "zhiliao": "治疗", "yinshi": "饮食", "shiliao": "食疗",
    },
    "symptom": {
        "gaishu": "概述", "bingyin": "病因", "jiancha": "检查", "jianbie": "鉴别", "yufang": "预防", "huanjie": "缓解", "shiliao": "食疗",
        "jibing": "可能疾病",
    },
    "surgery": {
        "shiying": "适应症", "bingfa": "并发症", "jinji": "禁忌症", "buzhou": "手术步骤", "zhunbei": "术前准备", "huli": "术后护理",
        "zhuyi": "注意事项", "baojia": "费用",
    },
}  # fmt: skip
"""Sub-pages of an entry by their part of the URL; some are missing (404)."""
NAMES = (
    "div.disease-cont dl dd b",  # 2019 on
    "div.disease-cont",
    "div.p_lbox1 div.p_lboxti h3",  # 2016
    "div.p_sititile span h1",  # 2016, symptoms
    "span.ti",  # 2014
    "h3.clears a b",  # 2014, symptoms
    "div.w_n h3",  # surgery
)
INTROS = ("div.disease-cont dl dd p", "div.p_lbox1_ab p", "dl.p_sibox1dl p")
BODIES = ("div.art_cont", "div.symptom-box-left-details", "div.w_contl")
POSSIBLE = ("div.jibing-box a", "div.possible-sick span.sp1 a", "ul.p_cbox3ul span.p_cbox3li1 a")
"""Links to the diseases that may cause a symptom: in the complete list, in its beginning on the symptom's home page, and in the list of
2016."""
_POSSIBLE_ROW = "//div[contains(concat(' ', @class, ' '), ' possible-sick ')]//*[span[contains(@class, 'sp1')]//a]"
_SIDES = ("left", "center")
_SHORTLY = "dd.w_d1, dd.w_d2, dd.w_d3"
_DIETS = (("宜：", "div.dl_1", "div.container-1"), ("忌：", "div.dl_2", "div.container-2"))
_DIET_CONTAINERS = "div.wrap_big, div.container-1, div.container-2"
_DIET_TITLES = re.compile(r"(?<!\S)[宜忌](?:吃|食)?(?:食物)?[：:]?(?!\S)")
_HEAD_CELLS = {"食物", "食物名称", "名称", "宜吃食物", "忌吃食物"}


def name_and_alias(response: Response) -> tuple[str, str | None]:
    """Return an entry's name, empty if the page has none, and its other names unchanged."""
    for selector in NAMES:
        head = response.css(selector)[:1]
        own = first_text(head.css("strong, h1 a")) or ("" if selector == "div.disease-cont" else _own_text(head))
        if own:
            return own, first_text(head.css("var")) or None
    return "", None


def _own_text(head: SelectorList[Any]) -> str:
    return first_text(head.xpath("text()[normalize-space()]"))


def intro(response: Response) -> list[Section]:
    """Return the summary of a home page; the site truncates long ones."""
    text = next((text for selector in INTROS if (text := first_text(response.css(selector)))), "")
    return [Section(title="概述", text=text, position="intro")] if text else []


def boxes(response: Response) -> list[LabelledValue]:
    """Return the rows of the summary boxes under their own labels; some entries have no box."""
    values: list[LabelledValue] = []
    for side in _SIDES:
        values += labelled(_rows(response.css(f"div.disease-list-title div.disease-list-{side} ul > li")), side)
    # Labels are more reliable than positions: a box that moved is recognised by its rows with a label and a value.
    return values or labelled(_rows(response.xpath("//li[span[contains(., '：') or contains(., ':')]]")), "box")


def _rows(rows: SelectorList[Any]) -> list[tuple[str, str]]:
    return [(first_text(row.css("span")), first_text(row.css("var"))) for row in outermost(rows)]


def possible_diseases(response: Response) -> list[LabelledValue]:
    """Return the possible causes of a symptom as one list."""
    names = next((names for selector in POSSIBLE if (names := texts(response.css(selector)))), [])
    return one("可能疾病", "、".join(dict.fromkeys(names)), "possible:1")


def possible_rows(response: Response) -> Iterator[tuple[str, str, list[LabelledValue], str]]:
    """Yield the possible diseases on a symptom's home page: name, link, values (department and typical symptoms), position."""
    for number, row in enumerate(outermost(response.xpath(_POSSIBLE_ROW)), 1):  # the row of headings has no link
        name, position = first_text(row.css("span.sp1")), f"possible:{number}"
        symptoms = texts(row.css("span.sp3 > *")) or texts(row.css("span.sp3"))
        values = one("挂什么科", first_text(row.css("span.sp2")), position) + one("典型症状", "、".join(symptoms), position)
        if name and values:
            yield name, row.css("span.sp1 a::attr(href)").get(""), values, position


def short_facts(response: Response) -> list[LabelledValue]:
    """Return the rows next to the name of a surgery."""
    return labelled((divided(first_text(row)) for row in outermost(response.css(_SHORTLY))), "short")


def body(response: Response) -> list[Selector]:
    """Return the elements with the prose of a sub-page; none in an unknown layout."""
    bodies = response.css(", ".join(BODIES))
    # Until 2019 the line above the text named its origin.
    return outermost(bodies or response.css("div.p_cleftartbox > :not(.p_arttopab):not(.p_cbox3ul)") or response.css("div.p_cleftartbox"))


def article(part: list[Selector], caption: str) -> tuple[list[LabelledValue], list[Section]]:
    """Return the labelled lists within prose, and the prose."""
    text = "\n".join(text_of(piece) for piece in part)
    values = labelled(lines_with_label(part, caption), "text")
    return values, [Section(title=caption, text=text, position="text")] if text.strip() else []


def has_diet(response: Response) -> bool:
    """Return whether a page lists what to eat and what to avoid."""
    return bool(response.css(_DIET_CONTAINERS))


def diet(response: Response) -> tuple[list[LabelledValue], list[Section], list[str]]:
    """Return foods to eat and to avoid (a sentence each, tables with the food in the first column, or prose under tabs), and faults."""
    values = list(_sentences(response))
    sections: list[Section] = []
    faults: list[str] = []
    for number, (label, selector, of_symptom) in enumerate(_DIETS, 1):
        side = SelectorList(outermost(response.css(selector)))
        # On a symptom's page they are in spans; a disease's page is read above.
        values += one(label, "".join(texts(response.css(of_symptom).css("span"))), f"container:{number}")
        heads = texts(side.css("em"))
        named = heads[0] if heads and _is_diet_title(heads[0]) else label
        rows = outermost(side.css("table tr"))
        foods = [food for row in rows if (food := first_text(row.css("td"))) and food not in _HEAD_CELLS]
        values += labelled(((named, food) for food in foods), f"dl_{number}")
        if swiper := side.css("div.swiper-container"):
            foods, reasons = _swiped(side, swiper)
            if not (named_above := [head for head in heads if head not in foods][:1]) and len(foods) == len(reasons) + 1:
                named_above, foods = foods[:1], foods[1:]
            values += labelled(((next(iter(named_above), label), food) for food in foods), f"dl_{number}")
            if len(foods) == len(reasons):
                pairs = zip(foods, reasons, strict=True)
                sections += [Section(title=food, text=text, position=f"dl_{number}:{at}") for at, (food, text) in enumerate(pairs) if text]
            else:
                faults.append(f"{len(foods)} foods and {len(reasons)} reasons, which cannot be paired")
        elif not rows:
            tabs = _tabs(side, heads, number)
            if tabs and len(heads) > 1 and heads[0] not in {tab.title for tab in tabs}:  # a title above foods
                values += labelled(((named, food) for food in heads[1:]), f"dl_{number}")
            sections += tabs
    return values, sections, faults


def unread_diet(response: Response) -> str:
    """Return the text of a page on food without its fixed titles."""
    return _DIET_TITLES.sub("", " ".join(texts(response.css(_DIET_CONTAINERS)))).strip()


def _swiped(side: SelectorList[Any], swiper: SelectorList[Any]) -> tuple[list[str], list[str]]:
    """Return the foods in a swipeable list and the reasons for them, which are the parts of one box or a box each."""
    foods = texts(swiper.css("em")) or texts(swiper.xpath(".//*[not(*)]"))
    boxes = outermost(side.css("div.bigbox"))
    reasons = boxes if len(boxes) != 1 else boxes[0].xpath("*")
    return foods, [text_of(reason).strip() for reason in reasons]


def _is_diet_title(words: str) -> bool:
    return any(sign in words for sign in "宜忌")


def _sentences(response: Response) -> Iterator[LabelledValue]:
    for number, (span, (label, _, _)) in enumerate(zip(response.css("div.wrap_big span.sp"), _DIETS, strict=False), 1):
        own = first_text(span.xpath("text()[normalize-space()]"))
        yield from one(own or label, first_text(span.css("var")), f"diet:{number}")


def _tabs(side: SelectorList[Any], heads: list[str], number: int) -> list[Section]:
    """Return the texts under the tabs: a block for each, after the tab heads. If there is one more head than there are blocks, the first
    head is a title."""
    known = side.css("div.bigbox")
    for holder in [*known, *side.xpath(".//div[not(.//em)]")]:
        blocks = holder.xpath("div")
        is_titled = len(heads) == len(blocks) + 1 and (holder in known or _is_diet_title(heads[0]))
        if blocks and (is_titled or len(heads) == len(blocks)):
            pairs = zip(heads[-len(blocks) :], (text_of(block).strip() for block in blocks), strict=True)
            return [Section(title=head, text=text, position=f"dl_{number}:{at}") for at, (head, text) in enumerate(pairs, 1) if text]
    return []
