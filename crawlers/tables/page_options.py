"""Options of a question in a page: which elements they are, their text without letters, and which are marked as correct.

An element in, values out; vote counts beside them are removed from the tree.
"""

import re
from collections.abc import Sequence
from typing import Any

from lxml import etree

from atomexam.text.option_letters import LETTERS, WIDE
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.passes.emphasis import RIGHT_CLASS
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import flat
from crawlers.tables.markup import document_of_page, visible_text

MOST_OPTIONS = 10
NAMES = (
    r"[【\[]?(?:(?:点击|点此)?(?:查看|显示|展开)|公布|show\s|view\s)?(?:(?P<answer>(?:正确|参考|标准)?答案|正确选项|正解|(?:correct\s)?answer|key)"
    r"|(?P<explanation>(?:答案|试题)?解析|详解|analysis|explanation))[】\]]?"
)
"""Names in pages for fields of a question."""
SURELY_STATED = re.compile(
    rf"{NAMES}(?:\s?[:：]|(?<=[】\]])|\s?[是为]\s?[:：]?\s?[A-J]{{1,6}}\W{{0,3}}$|\s?[A-J]{{1,6}}\W{{0,3}}$)", re.IGNORECASE
)
"""Fields of a question that might be mistaken for an option or a stem."""
TAGS = ("li", "label", "dd", "p", "div", "span", "button", "option", "a")
"""Tags of options."""
_RIGHT = re.compile(RIGHT_CLASS)
_RIGHT_ATTRIBUTES = ("data-correct", "data-right", "data-is-correct", "data-iscorrect", "data-answer", "data-ok", "data-key")
"""Attributes that mark an option as correct with 1 or true; what is checked may be a visitor's choice."""
_RIGHT_CALL = re.compile(r"(?<![\w!])(?:true|right|correct|ok|yes)(?!\w)", re.IGNORECASE)
"""Click handler of an option that shows whether it is correct: `check(this, true)`."""
_LETTER = re.compile(r"\s{0,9}[(（\[]?(?P<letter>[A-JＡ-Ｊ])\s?[.．、:：)）\]】\s]{1,3}")
_LETTER_ALONE = re.compile(r"\s{0,9}[(（\[【]?(?P<letter>[A-JＡ-Ｊ])\s?[.．、:：)）\]】]?\s{0,9}")
_COUNT = re.compile(
    r"[(（]?\s?\d{1,7}(?:\.\d{1,2})?\s?(?:人次?|票|次|名|votes?|%)(?:\s?选择)?(?:\s?[(（,，/]?\s?\d{1,3}(?:\.\d{1,2})?\s?%\s?[)）]?)?\s?[)）]?"
)
_MAY_COUNT = re.compile(r">\s{0,20}[(（]?\s?\d{1,7}(?:\.\d{1,2})?\s?(?:人|票|次|名|vote|%)", re.IGNORECASE)
_FEWEST_COUNTS = 4
_LETTER_STYLE = re.compile(r"list-style(?:-type)?\s{0,3}:[^;]{0,40}(?:upper|lower)-(?:alpha|latin)", re.IGNORECASE)
_LIST, _FEWEST_LISTS, _ASKING = re.compile(r"<[ou]l[\s>]", re.IGNORECASE), 3, 0.8
"""Number of lists that a page must have for them to be options, and the share of them that must be below a question."""
_OWN_CLASS = re.compile(r"(?:my|your|user|stu|student|mine)[-_]?(?:answers?|ans|choices?|daan|select(?:ion|ed)?)", re.IGNORECASE)
_CHOICE = re.compile(rf"[A-Ja-j](?:[\s,，、]{{0,3}}[A-Ja-j]){{0,9}}|{SURE_VERDICT}", re.IGNORECASE)
"""A visitor's choice, if only the class of its element shows it."""
_INLINE = ("span", "b", "i", "em", "strong", "small", "label", "u", "font", "a")
_BARE_LETTER = re.compile(rf">\s{{0,9}}[A-J]\s{{0,9}}</(?:{'|'.join(_INLINE)})>")
_ALONE = re.compile("[A-J]")
_ASIDE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:src|source|origin|laiyuan|from|year|level|diff(?:iculty)?|nandu|chapter)(?:$|[\s_-])", re.IGNORECASE
)
_ASIDE = re.compile(
    r"class\s?=\s?[\"']?(?:[\w-]{0,20}[\s_-])?(?:src|source|origin|laiyuan|from|year|level|diff|nandu|chapter)", re.IGNORECASE
)
_LONGEST_ASIDE = 20
"""Classes of source or difficulty notes within a question's text."""
_DOES = re.compile(
    r"提交|[上下]一[题页]|收藏|报错|查看|显示|隐藏|重[做置]|确定|清[空除]|答案|解析|分享|submit|next|prev|show|reset", re.IGNORECASE
)
"""Texts of buttons that are not options."""
_CHOOSE = re.compile(r"\W{0,5}(?:请?选择.{0,9}|select\b.{0,20}|choose\b.{0,20})?\W{0,5}", re.IGNORECASE)
_SIGN = r"[√✓✔☑✅]\ufe0f?|[(（\[【]\s?(?:[√✓✔]\ufe0f?|正确答案?|对|correct|right)\s?[)）\]】]"
_TICKED = re.compile(rf"\s{{0,9}}(?:{_SIGN})\s{{0,9}}(?P<behind>\S.*)|(?P<before>.*\S)\s{{0,9}}(?:{_SIGN})\s{{0,9}}", re.I | re.S)
"""An option whose text states that it is correct."""
_CROSSED = re.compile(r"\s{0,9}[×✗✘✖❌]\ufe0f?\s{0,9}(?P<behind>\S.*)|(?P<before>.*\S)\s{0,9}[×✗✘✖❌]\ufe0f?\s{0,9}", re.S)


def options_in(parent: Any, tags: Sequence[str] = TAGS) -> tuple[Any, list[Any]] | None:
    """Return an element and those of its children that are options: entries of a list or of a form, or texts lettered in sequence."""
    for tag in tags:
        children = [child for child in parent if child.tag == tag]
        if tag == "option" and children and (children[0].get("value") == "" or _CHOOSE.fullmatch(words_of(children[0]))):
            parent.remove(children.pop(0))  # what is shown until one is chosen
        while len(children) > 2 and SURELY_STATED.match(words_of(children[-1])):  # the answer as the last entry of the list
            children.pop()
        if not 2 <= len(children) <= MOST_OPTIONS:
            children = _lettered_run(children)
        if not children:
            continue
        lettered = "".join(map(_letter_of, children)).translate(WIDE) == LETTERS[: len(children)]
        listed = parent.tag in ("ol", "ul") and all(not child.xpath(".//a[@href]|.//ul|.//ol") for child in children)
        if (lettered or listed or _are_fields(parent, children)) and all(words_of(child) for child in children):
            return parent, children
        if (run := _lettered_run(children)) and all(words_of(child) for child in run):
            return parent, run
    return None


def _lettered_run(children: Sequence[Any]) -> list[Any]:
    """Return the adjacent children of an element whose letters are A, B, … in sequence, each once; else none."""
    letters = [_letter_of(child).translate(WIDE) for child in children]
    if letters.count("A") != 1:
        return []
    start = letters.index("A")
    length = next((at for at, letter in enumerate(letters[start:]) if at >= len(LETTERS) or letter != LETTERS[at]), len(letters) - start)
    return list(children[start : start + length]) if 2 <= length <= MOST_OPTIONS and not any(letters[start + length :]) else []


def _letter_of(option: Any) -> str:
    """Return the letter that an option begins with, followed by a sign or in its own element, else that of an attribute."""
    first = next((text for text in option.itertext() if text.strip()), "")
    words = words_of(option)
    alone = _LETTER_ALONE.fullmatch(first)
    mark = alone if alone and len(words) > len(first.strip()) else _LETTER.match(words)
    return mark["letter"] if mark else next((value.upper() for key, value in option.attrib.items() if _names_letter(key, value)), "")


def _names_letter(key: str, value: str) -> bool:
    """Return whether an attribute contains the letter of an option: `data-key="A"`."""
    return len(value) == 1 and value.upper() in LETTERS and (key.startswith("data-") or key == "value")


def _are_fields(parent: Any, children: Sequence[Any]) -> bool:
    """Return whether elements are the choices of a form: each contains one choice field, or they are buttons or menu entries."""
    tag = children[0].tag
    if tag == "option":
        return parent.tag == "select"
    if tag == "button":
        alone = all(child.tag == "button" for child in parent if isinstance(child.tag, str))
        return alone or not (
            parent.xpath(".//li|.//input|.//label") or any(len(words := words_of(child)) < 7 and _DOES.search(words) for child in children)
        )
    fields = [child.xpath("./input[@type='radio' or @type='checkbox']|./*/input[@type='radio' or @type='checkbox']") for child in children]
    return all(len(each) == 1 for each in fields)


def words_of(element: Any) -> str:
    """Return the text of an element."""
    return "".join(text for text in element.itertext(etree.Element)).strip()


def bare_words(element: Any) -> str:
    """Return the text of an option without its letter and without white space."""
    words = words_of(element)
    first = next((text for text in element.itertext() if text.strip()), "")
    if _LETTER_ALONE.fullmatch(first) and len(words) > len(first.strip()):
        return re.sub(r"\s+", "", words[len(first.strip()) :])
    return re.sub(r"\s+", "", _LETTER.sub("", words, count=1))


def option_words(option: Any) -> str:
    """Return the text of an option as a reader sees it on one line, with a sign after its letter."""
    text = visible_text(option)
    first = next((words.strip() for words in option.itertext() if words.strip()), "")
    rest = text[len(first) :]
    if len(first) == 1 and _LETTER_ALONE.fullmatch(first) and text.startswith(first) and rest.strip() and not _LETTER.match(text):
        text = f"{first}. {rest.strip()}"
    lines = text.split("\n")
    return f"{first} {' '.join(lines[1:])}" if len(lines) > 1 and lines[0] == first and _LETTER_ALONE.fullmatch(first) else text


def bare_option(words: str) -> str:
    """Return the words of an option without its letter."""
    return _LETTER.sub("", words, count=1)


def without_counts(options: Sequence[Any]) -> None:
    """Remove vote counts at the end of options, if all have them: `A 心 <i>12人</i> <i>40%</i>`."""
    while options:
        last = [_last_count(option) for option in options]
        if not all(each is not None for each in last):
            return
        for element in last:
            parent = element.getparent()
            parent.remove(element)


def page_without_visitor(html: str) -> str:
    """Return a page without vote counts and visitors' choices, and with letters before options in lists."""
    counts, chosen = len(_MAY_COUNT.findall(html)) >= _FEWEST_COUNTS, _OWN_CLASS.search(html) is not None
    listed = len(_LIST.findall(html)) >= _FEWEST_LISTS
    bare, aside = len(_BARE_LETTER.findall(html)) >= _FEWEST_COUNTS, len(_ASIDE.findall(html)) >= _FEWEST_COUNTS
    if not (counts or chosen or listed or bare or aside):
        return html
    document = document_of_page(html)
    lettered = listed and _with_letters(document)
    if not (lettered or counts or chosen or bare or aside):
        return html
    for element in list(document.iter(etree.Element)):
        if bare and (group := options_in(element, (*TAGS, "tr"))):
            for option in group[1]:
                _sign_letter(option)
        if aside and element.tag in _INLINE and _ASIDE_CLASS.search(element.get("class") or ""):
            _bracket(element)
        if counts and (group := options_in(element, (*TAGS, "tr"))):
            without_counts(group[1])
        if chosen and any(map(_OWN_CLASS.fullmatch, (element.get("class") or "").split())) and _CHOICE.fullmatch(words_of(element)):
            element.drop_tree()
    return etree.tostring(document, encoding="unicode", method="html")


def _sign_letter(option: Any) -> None:
    """Add a sign after an option's letter that is in its own element."""
    first = next((each for each in option.iter(etree.Element) if (each.text or "").strip()), None)
    if first is not None and first is not option and first.tag in _INLINE and _ALONE.fullmatch(first.text.strip()):
        first.text = f"{first.text.strip()}. "


def _bracket(element: Any) -> None:
    """Bracket source or difficulty notes that nothing else separates from the stem."""
    words = words_of(element)
    if 1 < len(words) <= _LONGEST_ASIDE and len(element) == 0 and words[0] not in "(（[【〔" and not _ALONE.fullmatch(words):
        element.text = f"【{words}】"


def _with_letters(document: Any) -> bool:
    """Add letters before the entries of lists that show them, or that are each below a question; return whether there are any."""
    lettered, bare = [], []
    for each in document.iter("ol", "ul"):
        entries = list(each.iterchildren("li"))
        if not 2 <= len(entries) <= MOST_OPTIONS or any(map(_letter_of, entries)):
            continue
        if shows_letters(each):
            lettered.append((each, entries))
        elif not any(inner.tag != "li" or inner.attrib for inner in each.iterdescendants()):  # options with emphasis are searched first
            bare.append((each, entries))
    below_questions = sum(is_worded_as_question(flat(_words_before(each))) for each, _ in bare)
    if below_questions >= _FEWEST_LISTS and below_questions >= _ASKING * len(bare):
        lettered += bare
    for each, entries in lettered:
        each.attrib.pop("type", None)
        each.attrib.pop("style", None)
        for letter, entry in zip(LETTERS, entries, strict=False):
            first = first_of(entry)
            first.text = f"{letter}. {(first.text or '').lstrip()}"
    return bool(lettered)


def shows_letters(each: Any) -> bool:
    """Return whether a browser shows letters before the entries of a list."""
    return each.tag == "ol" and (each.get("type") in ("A", "a") or _LETTER_STYLE.search(each.get("style") or "") is not None)


def _words_before(element: Any) -> str:
    """Return the text of the element before a list, or of the surroundings up to there."""
    before = element.getprevious()
    if before is not None and words_of(before):
        return words_of(before)
    return (element.getparent().text or "").strip() if element.getparent() is not None else ""


def first_of(entry: Any) -> Any:
    """Return the paragraph that opens an entry, if one does: it would begin a new line below a number or letter of the entry."""
    while not (entry.text or "").strip() and len(entry) and entry[0].tag in ("p", "div"):
        entry = entry[0]
    return entry


def _last_count(option: Any) -> Any:
    """Return the last element of an option if it counts votes and is not the option's only text."""
    for element in reversed(list(option.iterdescendants(etree.Element))):
        words = words_of(element)
        if not words:
            continue
        is_last = words_of(option).endswith(words) and not (element.tail or "").strip()
        rest = words_of(option)[: -len(words)]
        if is_last and _COUNT.fullmatch(words) and rest.strip() and not _LETTER_ALONE.fullmatch(rest):
            return element
        if not len(element):
            return None
    return None


def is_marked_right(option: Any) -> bool:
    """Return whether a class or an attribute marks an option as correct."""
    elements = list(option.iter(etree.Element))
    named = any(_RIGHT.fullmatch(name) for each in elements for name in (each.get("class") or "").lower().split())
    return named or any((each.get(name) or "").lower() in ("1", "true") for each in elements for name in _RIGHT_ATTRIBUTES)


def is_called_right(option: Any) -> bool:
    """Return whether an option's click handler shows that it is correct."""
    return any(_RIGHT_CALL.search(each.get("onclick") or "") is not None for each in option.iter(etree.Element))


def ticked_options(texts: Sequence[str]) -> tuple[list[str], list[bool]]:
    """Return options without the ticks and crosses in their text, and which have a tick; none if all or none have."""
    ticks = [_TICKED.fullmatch(text) for text in texts]
    if not 0 < sum(map(bool, ticks)) < len(texts):
        return list(texts), [False] * len(texts)
    signs = [tick or _CROSSED.fullmatch(text) for tick, text in zip(ticks, texts, strict=True)]
    bare = [sign["behind"] or sign["before"] if sign else text for sign, text in zip(signs, texts, strict=True)]
    return bare, list(map(bool, ticks))
