"""Questions of hxter by layout: blocks of the page -> raw fields."""

import re
from typing import Any

from parsel import Selector, SelectorList

from crawlers.html.nesting import outermost
from crawlers.sources.hxter.answers import plain_analysis, plain_answer
from crawlers.sources.hxter.selectors import Layout, every, text_at
from crawlers.text.fields import images_in, text_of

TORN = "question_torn"
"""The doubt about a question with another one in it."""
_TORN_CHARS = 500
_NUMBER = re.compile(r"^\s*\d{1,3}\s*[.．、]\s*")


def fields_of_all(blocks: SelectorList, layout: Layout) -> list[dict[str, Any]]:
    """Return the raw fields of each question of a page; one that contains another comes from broken markup and is rejected."""
    roots = {block.root for block in blocks}
    torn = {outer for block in blocks for outer in block.root.iterancestors() if outer in roots}
    return [_torn_fields(block, layout) if block.root in torn else _fields(block, layout) for block in blocks]


def _torn_fields(block: Selector, layout: Layout) -> dict[str, Any]:
    words = every(block, layout.stem)[:1].xpath("string()").get() or ""
    return {"stem_raw": words.strip()[:_TORN_CHARS] or None, "doubt": TORN}


def _fields(block: Selector, layout: Layout) -> dict[str, Any]:
    options = outermost(every(block, layout.options))
    number = text_at(block, layout.number)
    stem = text_at(block, layout.stem, drop_hidden=True)
    if stem and number and stem.startswith(number):  # the number is inside the stem
        stem = stem[len(number) :].strip() or None
    return {
        "section_raw": text_at(block, layout.heading),
        "type_raw": text_at(block, layout.mark),
        "number_raw": number or (number_match.group() if stem and (number_match := _NUMBER.match(stem)) else None),
        "stem_raw": stem,
        "options_raw": [text_of(option, drop_hidden=True) for option in options] or None,
        "answer_raw": plain_answer(text_at(block, layout.answer)),
        "explanation_raw": plain_analysis(text_at(block, layout.analysis)),
        "images": sum(images_in(part) for part in [*outermost(every(block, layout.stem)), *options]),
    }
