"""Use CSS selectors to extract the raw fields of questions from pages that have one container per question."""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from msgspec import Struct
from parsel import Selector
from scrapy.http import TextResponse

from crawlers.html.nesting import outermost
from crawlers.read.vocabulary.options import options_in
from crawlers.text.fields import images_in, text_of

_ANSWER = re.compile(r"^\s*(?:[【\[]\s*)?(?:(?:参考|正确|标准|本题)?答案|答)\s*(?:[】\]]\s*[:：]?|[:：]|(?:是|为)\s*[:：]?)\s*")
_ANALYSIS = re.compile(r"^\s*(?:[【\[]\s*)?(?:(?:答案|试题|参考|名师)?(?:解析|详解|分析))\s*(?:[】\]]\s*[:：]?|[:：])\s*")
_ATTRIBUTE = re.compile(r"::attr\(|::text")


class Blocks(Struct, frozen=True, kw_only=True):
    """Selectors: that of the container is relative to the page, the others to the container; "" if the site does not show the field.

    A selector may end with `::attr(NAME)` for the value of an attribute, or with `::text` for text outside inner elements.
    """

    container: str
    stem: str
    options: str = ""
    answer: str = ""
    analysis: str = ""
    subject: str = ""
    kind: str = ""


def questions_on(page: TextResponse, where: Blocks) -> Iterator[dict[str, Any]]:
    """Yield the raw fields of each question; of nested containers, only the outermost counts."""
    for block in outermost(page.css(where.container)):
        options = [option for options_part in _parts(block, where.options) for option in _options(options_part)]
        answer = _ANSWER.sub("", _words(block, where.answer), count=1)
        yield {
            "subject_raw": _words(block, where.subject) or None,
            "type_raw": _words(block, where.kind) or None,
            "stem_raw": _stem(block, where) or None,
            "options_raw": options or None,
            "answer_raw": answer.strip() or None,
            "explanation_raw": _ANALYSIS.sub("", _words(block, where.analysis), count=1).strip() or None,
            "images": sum(
                images_in(part) for css in (where.stem, where.options) for part in _parts(block, css) if isinstance(part, Selector)
            ),
        }


def _parts(block: Selector, css: str) -> list[Selector | str]:
    if not css:
        return []
    selected = block.css(css)
    return list(selected.getall()) if _ATTRIBUTE.search(css) else [*outermost(selected)]


def _words(block: Selector, css: str) -> str:
    """Return the text of a selector's first match."""
    parts = _parts(block, css)
    return "" if not parts else text_of(parts[0]) if isinstance(parts[0], Selector) else parts[0].strip()


def _stem(block: Selector, where: Blocks) -> str:
    """Return the stem without the question type, which many sites place in it as a separate element."""
    part = next(iter(_parts(block, where.stem)), "")
    if isinstance(part, str):
        return part.strip()
    labels = {label.root for label in _parts(block, where.kind) if isinstance(label, Selector)}
    if labels.isdisjoint(part.root.iterdescendants()):
        return text_of(part)
    unlabelled = deepcopy(part.root)  # other selectors still find the label
    for own, copied in [*zip(part.root.iterdescendants(), unlabelled.iterdescendants(), strict=True)]:
        if own in labels:
            copied.clear(keep_tail=True)
    return text_of(Selector(root=unlabelled, type=part.type))


def _options(part: Selector | str) -> list[str]:
    """Return the options in a part: usually one; several if it has several lettered lines, or several letters on a line."""
    lines = (text_of(part) if isinstance(part, Selector) else part).split("\n")
    several = [option for line in lines for option in (options_in(line) or [line]) if option.strip()]
    lettered = [option for option in several if options_in(option)]
    return several if len(lettered) == len(several) > 1 else [" ".join(several)] if several else []
