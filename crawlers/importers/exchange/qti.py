"""Importer of QTI 1.2 and 2.x: the root of a file in, its items out. It reads items of one question, with options or in words."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from html import escape
from typing import Any

from crawlers.importers.exchange.exchange_text import ExchangedQuestion, inner_html, words_of
from crawlers.importers.records.record_fields import Misfit

_INPUTS = ("response_lid", "response_str", "response_num", "response_xy", "response_grp")
_INTERACTIONS = {"choiceInteraction", "textEntryInteraction", "extendedTextInteraction"}
_ASIDE = ("rubricBlock", "feedbackInline", "feedbackBlock")


def qti_questions(root: Any, unread: list[str]) -> Iterator[tuple[Any, Callable[[], ExchangedQuestion]]]:
    """Yield the items of a file with the function that reads each."""
    for item in root.iter("item", "assessmentItem"):
        yield item, partial(_old_parts if item.tag == "item" else _parts, item)


def _old_parts(item: Any) -> ExchangedQuestion:
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


def _parts(item: Any) -> ExchangedQuestion:
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
