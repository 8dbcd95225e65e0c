"""What a browser shows and the text of a page lacks: boxes to tick, icons, words of style sheets, numbers of lists. HTML in and out.

They become the characters that a typist would write, `☑ 甲`, `√`, `3. 知觉是`, which the passes of papers read. What a visitor ticked is
no answer: boxes are written only if the page says that they mark the answers, or if nobody can have ticked them there, and no words,
classes or scores of the page are about answers.
"""

import re
from collections.abc import Sequence
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.passes.emphasis import RIGHT_CLASS
from crawlers.papers.passes.unnumbered import are_statements
from crawlers.tables.markup import document_of_page
from crawlers.tables.page_options import SURELY_STATED, first_of, shows_letters, words_of

TICKED, EMPTY, RIGHT, WRONG = "☑", "☐", "√", "×"
_FEWEST, _SHARE, _LONGEST_NOTE = 3, 0.8, 200
_MAY_SHOW = re.compile(
    r"type\s?=\s?[\"']?(?:checkbox|radio)|todo|to-do|checkbox|aria-checked|en-checked|<ol[\s>]|<ul[\s>]|content\s?:"
    r"|class\s?=[^<>]{0,99}(?:check|tick|cross|times|close|ok|remove)|alt\s?=",
    re.IGNORECASE,
)
_TRUE = ("", "checked", "true", "1", "yes", "on")
_STATED = re.compile(
    r"(?<![您你我])(?:选中|勾选|打勾|打钩|勾上|打[√✓✔☑]|[☑√✓✔]|点选|已选|checked|ticked|selected)[^。;；\n]{0,9}?"
    r"(?:[是为即:：=]|表示|代表|者|are|is)[^。;；\n]{0,6}(?:答案|正确|answer|correct)",
    re.IGNORECASE,
)
"""What says that ticks mark the answers: `选中项为标准答案`."""
_VISITED = re.compile(
    r"[我你您]的?(?:答案|选择|作答|得分|成绩)|学生|考生|姓名|学号|作答|得分|成绩|用时|耗时|答[对错]|正确率|错误率|提交|未答|尝试|完成于|交卷"
    r"|\bscore|\bgrade|\battempt|\byour\b|submi",
    re.IGNORECASE,
)
"""What is on pages where someone answered, or can."""
_RIGHT_CLASS = re.compile(RIGHT_CLASS)
_ICON_TAGS = ("i", "span", "em", "b", "svg", "img")
_ICON_ON = re.compile(r"(?:^|[-_\s])(?:check(?:ed)?|tick|ok|gou|dui|yes|correct|right|done|success)(?:$|[-_\s.])", re.IGNORECASE)
_ICON_OFF = re.compile(r"(?:^|[-_\s])(?:times|cross|remove|cuo|wrong|incorrect|error|close|xmark|fail)(?:$|[-_\s.])", re.IGNORECASE)
_ICON_BOX = re.compile(r"(?:^|[-_\s])(?:square|box|checkbox|todo|to-do|circle-o|unchecked|radio)(?:$|[-_\s.])", re.IGNORECASE)
_ICON_NAME = re.compile(
    r"(?:^|[-_\s])(?:fa|fas|far|icon|iconfont|glyphicon|bi|mdi|el|anticon|todo|en|checkbox|layui)(?:$|[-_\s])", re.IGNORECASE
)
_ALT_ON, _ALT_OFF = (
    ("√", "✓", "✔", "✅", "正确", "对", "right", "correct", "tick", "yes"),
    ("×", "✗", "✘", "❌", "错误", "错", "wrong", "no"),
)
_ALT_TICKED, _ALT_EMPTY = ("☑", "☒", "■", "●", "已选", "选中", "checked", "to do, checked"), ("☐", "□", "○", "未选", "未选中", "unchecked")
_RULE = re.compile(
    r"(?:\.(?P<name>[\w-]{1,40})|(?<![\w.#-])(?P<tag>[a-z][a-z0-9]{0,9}))\s?::?(?P<side>before|after)\s{0,9}\{(?P<said>[^{}]{0,500})\}",
    re.IGNORECASE,
)
_SHEET = re.compile(r"<style[^<>]{0,200}>(?P<rules>[^<]{0,200000}+)", re.IGNORECASE)
_CONTENT = re.compile(r"content\s{0,3}:\s{0,3}(?P<parts>(?:\"[^\"]{0,40}\"|'[^']{0,40}'|counter\([^()]{0,40}\)|\s){1,9})", re.IGNORECASE)
_PART = re.compile(r"\"(?P<one>[^\"]*)\"|'(?P<other>[^']*)'|(?P<counter>counter)", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_TELLS = re.compile(r"[√×✓✔✗✘✕☑☐★✅❌]|正确|错误|答案|[对错]|right|wrong|correct|true|false", re.IGNORECASE)
_NO_NUMBERS = re.compile(r"list-style(?:-type)?\s{0,3}:\s{0,3}(?:none|disc|circle|square)", re.IGNORECASE)
_VERDICT = re.compile(
    r"(?:[√×✓✔✗✘✕❌✅☑☒]\ufe0f?|(?:^|(?<=[\s(（【\[。.;；!！]))(?:正确|错误|对|错|[TF]|true|false))\s?[)）\]】]?\s{0,9}$|^\s{0,9}[√×✓✔✗✘✕❌✅]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\s{0,9}(?:[(（【\[]?\d{1,4}\s?[.．、:：)）\]】]|第\s?\d{1,4}\s?题|[(（]?[A-JＡ-Ｊ]\s?[.．、:：)）])")
_OF_QUESTION = re.compile(
    r"(?<![A-Za-z])A\s?[.．、:：)）].{1,400}(?<![A-Za-z])B\s?[.．、:：)）]|答案\s?[:：]|(?<=[】\]])\s?[A-J]{1,6}\s*$", re.DOTALL
)
_KEY = re.compile(rf"\s{{0,9}}(?:[A-J](?:[\s,，、]{{0,2}}[A-J]){{0,9}}|{SURE_VERDICT})\s{{0,9}}[。.]?\s{{0,9}}")
_CLASSES = {
    **dict.fromkeys(("right", "correct", "true", "is-true", "is-correct", "is-right", "yes", "answer-ok", "ok"), RIGHT),
    **dict.fromkeys(("wrong", "incorrect", "false", "is-false", "is-wrong", "is-incorrect", "no", "answer-error", "error"), WRONG),
}
"""Classes of statements that are true or false."""


def with_shown_signs(html: str) -> str:
    """Return a page with the signs that a browser shows in its text."""
    if not _MAY_SHOW.search(html):
        return html
    document = document_of_page(html)
    visited = _VISITED.search(words_of(document)) is not None
    changed = [
        _with_words_of_styles(document, html),
        not visited and _with_icons(document),
        _with_boxes(document, visited),
        not visited and _with_verdicts(document),
        _with_numbers(document),
    ]
    return etree.tostring(document, encoding="unicode", method="html") if any(changed) else html


def _with_words_of_styles(document: HtmlElement, html: str) -> bool:
    """Write what style sheets put before or behind elements, if it is a verdict, a mark or a number: `.right::after {content: "✔"}`."""
    changed = False
    for sheet in _SHEET.finditer(html):
        for rule in _RULE.finditer(sheet["rules"]):
            content = _CONTENT.search(rule["said"])
            parts = list(_PART.finditer(content["parts"])) if content else []
            words = "".join("{n}" if part["counter"] else _unescaped(part["one"] or part["other"] or "") for part in parts)
            if not (_TELLS.search(words) or "{n}" in words):
                continue
            elements = [each for each in document.iter(etree.Element) if _has_class(each, rule["name"]) or each.tag == rule["tag"]]
            for number, element in enumerate(elements, 1):
                text = words.replace("{n}", str(number))
                if rule["side"].lower() == "before":
                    element.text = f"{text} {(element.text or '').lstrip()}"
                else:
                    _append(element, f" {text}")
            changed |= bool(elements)
    return changed


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda code: chr(int(code[1], 16)) if int(code[1], 16) < 0x110000 else "", text)


def _has_class(element: Any, name: str | None) -> bool:
    return name is not None and name in (element.get("class") or "").split()


def _append(element: Any, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "").rstrip() + text
    else:
        element.text = (element.text or "").rstrip() + text


def _with_icons(document: HtmlElement) -> bool:
    """Write the ticks, crosses and boxes that are images or characters of an icon font."""
    signs = [(element, sign) for element in document.iter(*_ICON_TAGS) if (sign := _icon(element))]
    if len(signs) < _FEWEST:
        return False
    for element, sign in signs:
        if element.tag == "img":
            element.tag = "span"  # what it shows is its sign
        element.text = f"{sign} "
    return True


def _icon(element: Any) -> str:
    """Return the sign that an icon shows; nothing for another element."""
    if len(element) or words_of(element):
        return ""
    alt = (element.get("alt") or element.get("aria-label") or "").strip().lower()
    for words, sign in ((_ALT_ON, RIGHT), (_ALT_OFF, WRONG), (_ALT_TICKED, TICKED), (_ALT_EMPTY, EMPTY)):
        if alt in words:
            return sign
    names = element.get("class") or ""
    if not _ICON_NAME.search(names):
        return ""
    if _ICON_BOX.search(names):
        return TICKED if _ICON_ON.search(names) or names.lower().endswith("-on") else EMPTY
    return RIGHT if _ICON_ON.search(names) else WRONG if _ICON_OFF.search(names) else ""


def _with_boxes(document: HtmlElement, visited: bool) -> bool:
    """Write the boxes and circles to tick, if the ticked ones are the answers."""
    boxes = [(element, state) for element in document.iter(etree.Element) if (state := _state(element)) is not None]
    ticked = sum(state for _, state in boxes)
    if not _FEWEST <= ticked < len(boxes) or not (_states_ticks(document) or (not visited and _are_shown(document, boxes))):
        return False
    for element, state in boxes:
        sign = f"{TICKED if state else EMPTY} "
        top = element
        while (parent := top.getparent()) is not None and parent.tag in ("label", "span", "td", "b") and not (top.tail or "").strip():
            top = parent
            if top.tag == "label":
                break
        if (element.tail or "").strip() or not words_of(top):
            element.tail = f"{sign}{(element.tail or '').lstrip()}"
        else:
            top.text = f"{sign}{(top.text or '').lstrip()}"  # the words are before their box
        if top.tag in ("label", "input"):
            top.addprevious(etree.Element("br"))  # a box begins a line, however the page is laid out
    return True


def _state(element: Any) -> bool | None:
    """Return whether a box or circle is ticked; None for another element."""
    tag, names = element.tag, (element.get("class") or "").lower()
    if tag == "input" and (element.get("type") or "").lower() in ("checkbox", "radio"):
        return (element.get("checked") or "").lower() in _TRUE if "checked" in element.attrib else False
    if tag in ("en-todo", "todo"):
        return (element.get("checked") or "").lower() in _TRUE if "checked" in element.attrib else False
    if element.get("role") in ("checkbox", "radio") and not element.xpath(".//input"):
        return element.get("aria-checked") == "true"
    if tag == "li" and (marked := re.search(r"--en-checked\s?:\s?(true|false)", element.get("style") or "")):
        return marked[1] == "true"
    if (tagged := element.get("data-tag") or "").startswith("to-do"):
        return tagged.endswith("completed")
    if not words_of(element) and tag in ("div", "span", "i") and re.search(r"(?:^|\s)checkbox-(?:on|off)(?:\s|$)", names):
        return "checkbox-on" in names
    return None


def _states_ticks(document: HtmlElement) -> bool:
    return any(_STATED.search(line) for line in _lines(document))


def _lines(document: HtmlElement) -> list[str]:
    """Return the short texts that begin the elements of a page."""
    texts = (" ".join((element.text or "").split()) for element in document.iter(etree.Element))
    return [text for text in texts if 0 < len(text) < _LONGEST_NOTE]


def _are_shown(document: HtmlElement, boxes: Sequence[tuple[Any, bool]]) -> bool:
    """Return whether ticks are shown by whoever wrote a page: nobody can change them, or they are of a list of things to do, and the page
    states no answers in another way.
    """
    fixed = all("disabled" in element.attrib or element.xpath("ancestor::fieldset[@disabled]") for element, _ in boxes)
    to_do = all(not element.get("name") and (element.get("type") or "").lower() != "radio" for element, _ in boxes)
    stated = any(SURELY_STATED.match(line) for line in _lines(document))
    named = any(_RIGHT_CLASS.fullmatch(name) for each in document.iter(etree.Element) for name in (each.get("class") or "").lower().split())
    return (fixed or to_do) and not stated and not named


def _with_verdicts(document: HtmlElement) -> bool:
    """Write the verdicts on statements that only the classes of the entries of one list say; several such lists are options."""
    lists = [list(each.iterchildren("li")) for each in document.iter("ol", "ul")]
    judged = [(entries, verdicts) for entries in lists if len(entries) > 1 and all(verdicts := [_verdict(entry) for entry in entries])]
    if len(judged) != 1:
        return False
    ((entries, verdicts),) = judged
    if min(verdicts.count(RIGHT), verdicts.count(WRONG)) < 2 or any(entry.xpath(".//li") for entry in entries):
        return False
    if any(_VERDICT.search(words_of(entry)) for entry in entries):
        return False
    for entry, verdict in zip(entries, verdicts, strict=True):
        _append(entry, f"（{verdict}）")
    return True


def _verdict(entry: Any) -> str:
    for name in (entry.get("class") or "").lower().split():
        if name in _CLASSES:
            return _CLASSES[name]
    said = next(
        (value.lower() for key, value in entry.attrib.items() if re.fullmatch(r"data-(?:is-?)?(?:answer|correct|right|key)", key)), ""
    )
    return {"true": RIGHT, "1": RIGHT, "t": RIGHT, "false": WRONG, "0": WRONG, "f": WRONG}.get(said, "")


def _with_numbers(document: HtmlElement) -> bool:
    """Write the numbers of lists whose entries are questions, statements or answers, not options or points of a text."""
    changed = False
    single: list[tuple[Any, int]] = []
    nested: list[tuple[list[Any], int]] = []
    for each in list(document.iter("ol", "ul")):
        entries = list(each.iterchildren("li"))
        if shows_letters(each) or (each.tag == "ol" and _NO_NUMBERS.search(each.get("style") or "")):
            continue
        if not entries or any(_NUMBERED.match(words_of(entry)) for entry in entries):
            continue
        start = int(each.get("start", "1")) if each.get("start", "1").isdigit() else 1
        if each.tag == "ol" and len(entries) == 1:
            single.append((entries[0], start))
        elif each.tag == "ol" and len(entries) >= _FEWEST and all(entry.xpath(".//li") for entry in entries):
            nested.append((entries, start))
        elif len(entries) >= _FEWEST and _counts(each, entries, document):
            changed = True
            _number(entries, start)
    for entries, start in nested if changed else ():  # beside others, questions with lists of options need numbers, too
        _number(entries, start)
    if len(single) >= _FEWEST and [start for _, start in single] == list(range(1, len(single) + 1)):
        changed = True
        for entry, start in single:
            _number([entry], start)
    return changed


def _number(entries: Sequence[Any], start: int) -> None:
    number = start
    for entry in entries:
        number = int(entry.get("value")) if (entry.get("value") or "").isdigit() else number
        first = first_of(entry)
        first.text = f"{number}. {(first.text or '').lstrip()}"
        number += 1


def _counts(each: Any, entries: Sequence[Any], document: HtmlElement) -> bool:
    """Return whether the entries of a list are questions, statements with their verdicts, or the answers of a paper."""
    texts = [words_of(entry) for entry in entries]
    judged = [_VERDICT.sub("", text) for text in texts if _VERDICT.search(text)]
    if len(judged) >= _SHARE * len(texts) and len(texts) > _FEWEST and not all(map(_KEY.fullmatch, texts)):
        return are_statements(judged, _lines(document))
    if each.tag == "ul":
        return False
    if any(entry.xpath(".//li") for entry in entries):
        return False
    own = sum(_OF_QUESTION.search(text) is not None for text in texts)
    keys = sum(_KEY.fullmatch(text) is not None for text in texts)
    return max(own, keys) >= _SHARE * len(texts)
