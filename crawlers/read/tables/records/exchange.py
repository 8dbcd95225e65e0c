"""Question banks exported as Moodle XML: bytes -> questions."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import Any

from lxml import etree
from msgspec import Struct, structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.option_letters import LETTERS, letters_at
from atomexam.text.refusal import Refusal
from atomexam.text.verdicts import FALSE, TRUE, verdict_of
from crawlers.read.containers.files.notations import root_of
from crawlers.read.containers.files.reading import Lost
from crawlers.read.tables.records.reading import FileReading, Misfit
from crawlers.text.fields import images_in, text_of


class ExchangedQuestion(Struct, kw_only=True):
    """The parts of a question, as HTML or text."""

    stem: str
    options: list[str] = []
    right: Sequence[int] = ()
    """Positions of the correct options, counted from 0."""
    words: Sequence[str] = ()
    """Correct answers to a question without options; any one of them is enough."""
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
            raise Misfit("options_unreadable", f"found {len(options)} options; there are letters for at most {len(LETTERS)}")
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


_TYPES = {
    "multichoice": "单选题",
    "multichoiceset": "多选题",
    "truefalse": "判断题",
    "shortanswer": "填空题",
    "numerical": "填空题",
    "essay": "简答题",
}
_TOP = ("$course$", "$system$", "$module$", "top", "")


def moodle_questions(root: Any, unread: list[str]) -> Iterator[tuple[Any, Callable[[], ExchangedQuestion]]]:
    """Yield the questions of a file, each with the function that reads it; descriptions are not questions."""
    about = ""
    for question in root.iterchildren("question"):
        kind = question.get("type", "")
        if kind == "category":
            steps = [step.strip() for step in words_of(question.find("category/text")).split("/")]
            about = " > ".join(step for step in steps if step not in _TOP)
        elif kind == "description":
            unread.append(words_of(question.find("questiontext/text")).strip())
        else:
            yield question, partial(_moodle_parts, question, kind, about)


def _moodle_parts(question: Any, kind: str, about: str) -> ExchangedQuestion:
    if kind not in _TYPES:
        raise Misfit("record_unreadable", f"unknown question type {kind[:40]!r}; known types: {', '.join(_TYPES)}")
    answers = list(question.iterchildren("answer"))
    shares = [_share(answer) for answer in answers]
    several = kind == "multichoiceset" or (kind == "multichoice" and words_of(question.find("single")).strip().lower() in ("false", "0"))
    right = [index for index, share in enumerate(shares) if (share > 0 if several else share >= 100)]
    has_options = kind in ("multichoice", "multichoiceset", "truefalse")
    words = [_html(answers[index]) for index in right] if kind != "essay" else [_html(question.find("graderinfo"))]
    return ExchangedQuestion(
        stem=_html(question.find("questiontext")),
        options=[_html(answer) for answer in answers] if has_options else [],
        right=right,
        words=words,
        explanation=_html(question.find("generalfeedback")),
        about=about,
        type="多选题" if several else _TYPES[kind],
    )


def _share(answer: Any) -> float:
    fraction = answer.get("fraction", "0")
    try:
        return float(fraction)
    except ValueError:
        raise Misfit("field_unreadable", f"an answer has the fraction {fraction[:40]!r}; expected a number such as 100") from None


def _html(part: Any) -> str:
    """Return a text as HTML; Moodle's plain text is escaped."""
    if part is None:
        return ""
    text = words_of(part.find("text"))
    return escape(text, quote=False).replace("\n", "<br>") if part.get("format") == "plain_text" else text


_RAW_CHARS = 2000
EXCHANGES = {"moodle_xml": (".xml",)}
"""XML formats, and the suffixes of their files."""
_CONTENTS = ("question/questiontext", "question/category", "question[@type='description']")


def exchange_format(name: str, body: bytes) -> str:
    """Return the format of an XML file, determined by its questions or else by its root.

    Raises:
        ValueError: the file is not readable XML, or has neither.
    """
    root = root_of(name, body)
    if root.tag == "quiz" or format_by_content(name, body):
        return "moodle_xml"
    found = f"{name}: line {root.sourceline}: found <{root.tag[:40]}>"
    raise Refusal(
        f"{found}; expected <quiz> as in Moodle XML, or one element per question or entry; export other banks as Moodle XML or as a table"
    )


def format_by_content(name: str, body: bytes) -> str:
    """Return the format whose questions an XML file has, whatever its root is named; empty if it has no questions.

    Raises:
        ValueError: the file is not readable XML.
    """
    root = root_of(name, body)
    return "moodle_xml" if any(root.find(content) is not None for content in _CONTENTS) else ""


def read_exchange(name: str, body: bytes, provenance: Provenance) -> FileReading:
    """Return the questions of a file; one that cannot be read is returned as an item with `doubt`.

    Raises:
        ValueError: the file is not XML, has a document type, or is of another format.
    """
    exchange_format(name, body)
    reading = FileReading()
    for number, (element, parts) in enumerate(moodle_questions(root_of(name, body), reading.unread), 1):
        record_provenance = structs.replace(provenance, position=f"record:{number}")
        reading.record_count += 1
        try:
            fields = parts().raw_fields()
            if not fields["stem_raw"] and not fields["options_raw"]:
                raise Misfit("record_empty", "neither a stem nor options")
            reading.items.append(QuestionItem(url=provenance.url, provenance=record_provenance, **fields))
        except Misfit as error:
            words = f"line {element.sourceline}: {error}"
            reading.give_up(
                Lost(record_provenance.position, error.reason, words, words_of(element)[:_RAW_CHARS].strip() or None), provenance
            )
    return reading
