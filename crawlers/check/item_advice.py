"""Advice on items: items that `check` read -> what looks wrong with them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sized

from atomexam.records.item import Item, QuestionItem
from atomexam.text.columns import counted, cut
from atomexam.text.option_letters import names_no_option
from crawlers.check.findings import Findings

_EXAMPLE_COLUMNS = 60
_FEW = 3  # below this number of items or pages, a share means nothing
_MOST = 0.5
_FLAWS = 0.01  # share of the texts: the sites themselves have as many flaws
_MIN_FRAME_CHARS = 8  # a shorter text, such as 无 or 尚不明确, may well occur in many
_WITHIN = re.compile(r"(?s)(?<![A-Za-z0-9])[AＡ]\s*([.．、:：)）])\s*\S.{0,200}?(?<![A-Za-z0-9])[BＢ]\s*\1")  # not 维生素A、B、C
_TWO_OPTIONS = re.compile(r"(?s)\S\s+[B-HＢ-Ｈ]\s*[.．、:：]\s*\S")
_ANSWER_WITHIN = re.compile(r"(?:参考|正确|标准)?答案\s*[:：]|【(?:参考|正确)?答案】|[【\[]解析[】\]]")
_LETTERS = re.compile("[A-J]+")
_BETWEEN = re.compile(r"[\s,，、;；.。]+")
_MOST_LETTERS = 50  # a longer answer is in words
_MOJIBAKE = re.compile("�|锟斤拷|烫烫烫|屯屯屯|ï¿½|â€|Ã[\x80-\xbf]")
_LATIN = re.compile("[\x80-\xff]")
_MARKUP = re.compile(r"</?(?:p|div|span|br|a|b|i|strong|em|img|td|tr|table|font)\b[^<>]{0,300}>|&(?:nbsp|lt|gt|amp|quot|#\d+);", re.I)


def of_items(findings: Findings) -> Iterator[str]:
    """Yield what looks wrong with the items."""
    yield from _options(findings.questions)
    yield from _answers(findings.questions)
    yield from _entries(findings)
    yield from _texts(findings.items)
    yield from _repeats(findings)


def _options(questions: list[QuestionItem]) -> Iterator[str]:
    within = [one for one in questions if not _has_options(one) and _WITHIN.search(one.stem_raw or "")]
    within += [one for one in questions if any(_TWO_OPTIONS.search(option) for option in one.options_raw or [])]
    if within:
        yield _sentence(within, questions, "have option letters inside the stem or inside one option: the options are not split", within[0])
    if len(questions) >= _FEW and not any(map(_has_options, questions)) and not within:
        yield f"None of {len(questions)} questions has options. If the site shows options, their selector finds nothing."
    if nameless := [one for one in questions if not one.stem_raw and not one.images]:
        yield _sentence(nameless, questions, "have no stem: does its selector find nothing there, or does the page have none?", nameless[0])


def _answers(questions: list[QuestionItem]) -> Iterator[str]:
    silent = [one for one in questions if not one.answer_raw]
    if len(questions) >= _FEW and len(silent) == len(questions):
        yield (
            f"None of {len(questions)} questions has an answer. Look where the page keeps them: in a hidden element, an attribute, a list "
            "at the end, another page, or a call that a click makes."
        )
    elif len(questions) >= _FEW and len(silent) > len(questions) * _MOST:
        yield _sentence(silent, questions, "have no answer", silent[0])
    beyond = [one for one in questions if _is_beyond(one)]
    if beyond:
        excerpt = cut(beyond[0].answer_raw or "", 20)
        problem = f"have an answer that names none of their options (here {excerpt}): is an option missing, or is the site wrong?"
        yield _sentence(beyond, questions, problem, beyond[0])
    inside = [one for one in questions if _ANSWER_WITHIN.search("\n".join([one.stem_raw or "", *(one.options_raw or [])]))]
    if inside:
        yield _sentence(inside, questions, "have 答案 or 解析 inside the stem or an option: the answer is not cut off", inside[0])


def _entries(findings: Findings) -> Iterator[str]:
    entries = findings.entities
    if nameless := [entry for entry in entries if not entry.name_raw]:
        have = _verb(nameless, "has", "have")
        yield f"{len(nameless)} of {len(entries)} entries {have} no name ({nameless[0].url}): the name's selector finds nothing there."
    if bare := [entry for entry in entries if not entry.values and not entry.sections]:
        have = _verb(bare, "has", "have")
        what = f"neither values nor sections ({bare[0].url})"
        yield f"{len(bare)} of {len(entries)} entries {have} {what}: those selectors find nothing there."
    elif len(entries) >= _FEW and not any(entry.values for entry in entries):
        yield "No entry has labelled values, only prose. Facts come from labels such as 典型症状：头痛: is there a box of them on the page?"


def _texts(items: list[Item]) -> Iterator[str]:
    texts = [text for item in items for text in _strings(item)]
    if broken := [text for text in texts if _is_mojibake(text)]:
        remedy = "compare with the page in a browser; the page declares its encoding in the header, in a meta tag, or not at all."
        if len(broken) <= len(texts) * _FLAWS:
            remedy = "probably wrong on the page itself, since all others are sound; clean rejects it."
        yield (
            f"{len(broken)} of {len(texts)} texts {_verb(broken, 'is', 'are')} in the wrong encoding "
            f"(`{cut(broken[0], _EXAMPLE_COLUMNS)}`): {remedy}"
        )
    if marked := [text for text in texts if _MARKUP.search(text)]:
        yield (
            f"{len(marked)} of {len(texts)} texts {_verb(marked, 'has', 'have')} tags or entities in them "
            f"(`{cut(marked[0], _EXAMPLE_COLUMNS)}`): use text_of(…) from crawlers/text/fields.py, not .get()."
        )


def _repeats(findings: Findings) -> Iterator[str]:
    """Yield advice on texts that are the same on every page, since they are navigation rather than content."""
    pages: dict[str, Item] = {}  # by the page that an item belongs to: an entry or paper may span several
    for item in findings.items:
        pages.setdefault(item.url, item)
    for name, least in (("stem_raw", 2), ("paper_raw", _FEW), ("name_raw", 2), ("alias_raw", _FEW), ("explanation_raw", _FEW)):
        first = [value for item in pages.values() if (value := getattr(item, name, None))]
        if len(first) >= least and len(pages) == len(first) and len(set(first)) == 1:
            yield (
                f"{name} is the same on all {len(first)} pages (`{cut(first[0], _EXAMPLE_COLUMNS)}`): its selector finds the site's frame, "
                "not the page's content."
            )
    sections = [{section.text for section in entry.sections} for entry in findings.entities if entry.sections]
    same = {text for text in set.intersection(*sections) if len(text) >= _MIN_FRAME_CHARS} if len(sections) >= _FEW else set()
    if same:
        yield (
            f"A section has the same text in all {len(sections)} entries (`{cut(min(same), _EXAMPLE_COLUMNS)}`): navigation was read as "
            "content."
        )
    counts = Counter((item.provenance.position, item.provenance.url) for item in findings.items)
    if twice := [where for where, count in counts.items() if count > 1]:
        several = f"{counted(len(twice), 'position')} {_verb(twice, 'is', 'are')} used for several items"
        yield f"{several}{', the first' if len(twice) > 1 else ''}: {twice[0][0]} of {twice[0][1]}; a position must identify one item."


def _sentence(those: list[QuestionItem], of: list[QuestionItem], what: str, first: QuestionItem) -> str:
    where = f"{first.url} {first.provenance.position}"
    what = what.replace("have", "has", 1) if len(those) == 1 else what
    return f"{len(those)} of {len(of)} questions {what} ({where}: `{cut(first.stem_raw or '', _EXAMPLE_COLUMNS)}`)."


def _verb(those: Sized, one: str, several: str) -> str:
    return one if len(those) == 1 else several


def _has_options(one: QuestionItem) -> bool:
    return bool(one.options_raw or one.shared_options_raw)


def _is_beyond(one: QuestionItem) -> bool:
    options = one.options_raw or one.shared_options_raw
    answer = _BETWEEN.sub("", unicodedata.normalize("NFKC", (one.answer_raw or "")[:_MOST_LETTERS])).upper()
    return bool(options and _LETTERS.fullmatch(answer)) and names_no_option(answer, len(options or ()))


def _strings(item: Item) -> Iterator[str]:
    if isinstance(item, QuestionItem):
        texts = [item.stem_raw, item.paper_raw, item.case_raw, item.answer_raw, item.explanation_raw, *(item.options_raw or [])]
    else:
        texts = [item.name_raw, item.alias_raw, *(value.value for value in item.values), *(section.text for section in item.sections)]
    yield from filter(None, texts)


def _is_mojibake(text: str) -> bool:
    return bool(_MOJIBAKE.search(text)) or len(_LATIN.findall(text)) > max(4, len(text) * _MOST)
