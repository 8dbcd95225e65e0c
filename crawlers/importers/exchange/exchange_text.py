"""Pieces of questions exchanged as XML: elements in, their text, options and answer as raw fields out."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from lxml import etree
from msgspec import Struct

from atomexam.text.option_letters import LETTERS, letters_at
from atomexam.text.verdicts import FALSE, TRUE, verdict_of
from crawlers.importers.records.record_fields import Misfit
from crawlers.text.fields import images_in, text_of


class ExchangedQuestion(Struct, kw_only=True):
    """The parts of a question, each as HTML or text."""

    stem: str
    options: list[str] = []
    right: Sequence[int] = ()
    """Positions of the correct options, counted from 0."""
    words: Sequence[str] = ()
    """Correct answers of a question without options; each is correct by itself."""
    explanation: str = ""
    about: str = ""
    type: str = ""

    def raw_fields(self) -> dict[str, Any]:
        """Return the fields of an item.

        Raises:
            Misfit: there are more options than letters.
        """
        options = [text_of(option) for option in self.options]
        if len(options) > len(LETTERS):
            raise Misfit("options_unreadable", f"{len(options)} options found; at most {len(LETTERS)} have letters")
        answer, lettered, kind = letters_at(self.right), options, self.type
        verdicts = [*map(verdict_of, options)]
        if len(options) == 2 and set(verdicts) == {TRUE, FALSE}:
            answer, lettered, kind = (verdicts[self.right[0]] if len(self.right) == 1 else ""), [], "判断题"
        answer_text = answer if options else "；".join(text for word in self.words if (text := text_of(word)))
        return {
            "exam_raw": self.about.strip() or None,
            "type_raw": kind or None,
            "stem_raw": text_of(self.stem) or None,
            "options_raw": [f"{letter}.{text}" for letter, text in zip(LETTERS, lettered, strict=False)] or None,
            "answer_raw": answer_text or None,
            "explanation_raw": text_of(self.explanation) or None,
            "images": sum(map(images_in, [self.stem, *self.options])),
        }


def words_of(element: Any) -> str:
    """Return all text of an element."""
    return "" if element is None else "".join(element.itertext(etree.Element))


def inner_html(element: Any) -> str:
    """Return the content of an element as HTML."""
    if element is None:
        return ""
    copy = deepcopy(element)
    copy.tag, copy.tail = "div", None
    copy.attrib.clear()
    return etree.tostring(copy, encoding="unicode", method="html")
