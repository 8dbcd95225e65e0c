"""Question banks exchanged as XML: Moodle XML, QTI 1.2 and 2.x. Bytes in, questions out."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
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
from crawlers.read.containers.files.reading import Lost
from crawlers.read.containers.files.xml import root_of
from crawlers.read.tables.records.reading import FileReading, Misfit
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
    """Yield the questions of a file with the function that reads each; descriptions are not questions."""
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
        raise Misfit("record_unreadable", f"a question of type {kind[:40]!r}; known are {', '.join(_TYPES)}")
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
        raise Misfit("field_unreadable", f"fraction {fraction[:40]!r} of an answer; expected a number such as 100") from None


def _html(part: Any) -> str:
    """Return a text as HTML: what Moodle stores as plain text is escaped."""
    if part is None:
        return ""
    text = words_of(part.find("text"))
    return escape(text, quote=False).replace("\n", "<br>") if part.get("format") == "plain_text" else text


_INPUTS = ("response_lid", "response_str", "response_num", "response_xy", "response_grp")
_INTERACTIONS = {"choiceInteraction", "textEntryInteraction", "extendedTextInteraction"}
_ASIDE = ("rubricBlock", "feedbackInline", "feedbackBlock")


def qti_questions(root: Any, unread: list[str]) -> Iterator[tuple[Any, Callable[[], ExchangedQuestion]]]:
    """Yield the items of a file with the function that reads each."""
    for item in root.iter("item", "assessmentItem"):
        yield item, partial(_qti_1_parts if item.tag == "item" else _qti_2_parts, item)


def _qti_1_parts(item: Any) -> ExchangedQuestion:
    """Return the parts of a QTI 1.2 item."""
    presentation = item.find("presentation")
    inputs = [] if presentation is None else list(presentation.iter(*_INPUTS))
    if len(inputs) != 1 or inputs[0].tag in ("response_xy", "response_grp"):
        raise Misfit("record_unreadable", f"{len(inputs)} places to answer at; one with options or words is read")
    labels = list(inputs[0].iter("response_label")) if inputs[0].tag == "response_lid" else []
    right_values = _right_values(item, several=inputs[0].get("rcardinality") == "Multiple")
    names = [label.get("ident") for label in labels]
    stem = [text for text in presentation.iter("mattext") if not any(above is inputs[0] for above in text.iterancestors())]
    above = [section.get("title", "") for section in item.iterancestors("section", "assessment")]
    return ExchangedQuestion(
        stem="<br>".join(map(_material, stem)) or "<br>".join(_material(text) for text in inputs[0].iterfind("material/mattext")),
        options=["".join(map(_material, label.iter("mattext"))) for label in labels],
        right=_indices(right_values, names),
        words=[escape(value) for value in right_values],
        explanation="<br>".join(map(_material, item.iterfind("itemfeedback[@ident='general_fb']//mattext"))),
        about=" > ".join(title.strip() for title in reversed(above) if title.strip()),
        type=("多选题" if inputs[0].get("rcardinality") == "Multiple" else "单选题") if labels else "",
    )


def _right_values(item: Any, several: bool) -> list[str]:
    """Return the values that give points; for a question with one answer, those that give the most."""
    scored: list[tuple[float, str]] = []
    for condition in item.iterfind("resprocessing/respcondition"):
        points = max((_number(words_of(points)) for points in condition.iterfind("setvar")), default=0.0)
        values = [value for value in condition.iterfind("conditionvar//varequal") if next(value.iterancestors("not"), None) is None]
        scored += [(points, words_of(value).strip()) for value in values if points > 0]
    most = max((points for points, _ in scored), default=0.0)
    return list(dict.fromkeys(value for points, value in scored if value and (several or points == most)))


def _qti_2_parts(item: Any) -> ExchangedQuestion:
    """Return the parts of a QTI 2 item."""
    body = item.find("itemBody")
    interactions = [] if body is None else [part for part in body.iter() if str(part.tag).endswith("Interaction")]
    if len(interactions) != 1 or interactions[0].tag not in _INTERACTIONS:
        kinds = ", ".join(sorted({str(part.tag)[:40] for part in interactions})) or "no interaction"
        raise Misfit(
            "record_unreadable", f"{len(interactions)} places to answer at ({kinds}); one of {', '.join(sorted(_INTERACTIONS))} is read"
        )
    choices = list(interactions[0].iterchildren("simpleChoice"))
    identifier = interactions[0].get("responseIdentifier")
    declared = [one for one in item.iterchildren("responseDeclaration") if one.get("identifier") == identifier]
    right_values = [words_of(value).strip() for one in declared for value in one.iterfind("correctResponse/value")]
    several = any(one.get("cardinality") == "multiple" for one in declared)
    return ExchangedQuestion(
        stem=_stem(body),
        options=[_plain(choice) for choice in choices],
        right=_indices(right_values, [choice.get("identifier") for choice in choices]),
        words=[escape(value) for value in right_values],
        explanation="<br>".join(map(inner_html, item.iterchildren("modalFeedback"))),
        about=item.get("label", ""),
        type=("多选题" if several else "单选题") if choices else "",
    )


def _stem(body: Any) -> str:
    copy = deepcopy(body)
    for part in list(copy.iter(*_INTERACTIONS)):
        for child in [child for child in part if child.tag != "prompt"]:
            part.remove(child)
        part.text = "____" if part.tag == "textEntryInteraction" else ""
        part.tag = "span" if part.tag == "textEntryInteraction" else "div"
    return _plain(copy)


def _plain(element: Any) -> str:
    """Return an element as HTML, without what only graders, or learners who have answered, see."""
    copy = deepcopy(element)
    for aside in list(copy.iter(*_ASIDE)):
        aside.tag, aside.text = "template", None
    return inner_html(copy)


def _indices(values: list[str], names: list[Any]) -> list[int]:
    if names and (strange := [value for value in values if names.count(value) != 1]):
        raise Misfit("options_unreadable", f"the answer {strange[0][:40]!r} names none of the options {', '.join(map(str, names))[:200]}")
    return sorted(names.index(value) for value in values) if names else []


def _material(text: Any) -> str:
    words = words_of(text)
    return inner_html(text) if len(text) else words if "html" in text.get("texttype", "") else escape(words).replace("\n", "<br>")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


_RAW_CHARS = 2000
_READERS: dict[str, Callable[[Any, list[str]], Iterator[tuple[Any, Callable[[], ExchangedQuestion]]]]] = {
    "moodle_xml": moodle_questions,
    "qti": qti_questions,
}
EXCHANGES = dict.fromkeys(_READERS, (".xml",))
"""Formats of XML, and the suffixes they read."""
_CONTENTS = {
    "moodle_xml": ("question/questiontext", "question/category", "question[@type='description']"),
    "qti": (".//item/presentation", ".//item/resprocessing", ".//itemBody", ".//responseDeclaration"),
}
"""What the questions of a format contain, and those of no other bank."""
_ROOTS = {"quiz": "moodle_xml", "questestinterop": "qti", "assessmentItem": "qti"}


def exchange_format(name: str, body: bytes) -> str:
    """Return the format of an XML file: that of its questions, or else the one that its root names.

    Raises:
        ValueError: the file is not XML that is read, or has neither.
    """
    if format_name := format_by_content(name, body):
        return format_name
    root = root_of(name, body)
    if format_name := _ROOTS.get(root.tag, ""):
        return format_name
    raise Refusal(
        f"{name}: line {root.sourceline}: <{root.tag[:40]}> found; expected <quiz> of Moodle XML, or <questestinterop> or "
        "<assessmentItem> of QTI; of another bank, export one of these"
    )


def format_by_content(name: str, body: bytes) -> str:
    """Return the format whose questions an XML file has, whatever its root is named; nothing if it has those of none.

    Raises:
        ValueError: the file is not XML that is read.
    """
    root = root_of(name, body)
    shown = (each for each, contents in _CONTENTS.items() if any(root.find(content) is not None for content in contents))
    return next(shown, "")


def read_exchange(name: str, body: bytes, format_name: str, provenance: Provenance) -> FileReading:
    """Return the questions of a file; one that cannot be read is an item with `doubt`.

    Raises:
        ValueError: the file is not XML, has a document type, or is of another format.
    """
    if (true_format := exchange_format(name, body)) != format_name:
        raise Refusal(f"{name}: the file is {true_format}, but {format_name} was requested; --format {true_format} reads it")
    reading = FileReading()
    for number, (element, parts) in enumerate(_READERS[format_name](root_of(name, body), reading.unread), 1):
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
