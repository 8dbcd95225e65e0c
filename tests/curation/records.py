"""Records for the tests of curation, with valid defaults."""

from typing import Any

from atomexam.records.fact import Fact, fact_id
from atomexam.records.item import EntityItem, LabelledValue, QuestionItem, Section
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, question_id
from atomexam.text.option_letters import LETTERS
from curation.clean.questions.cleaned_questions import CleanedQuestion, read_questions
from curation.clean.questions.source_context import SourceContext

CLEAN = Clean(min_stem_chars=2, min_chinese_share=0.3)


def seen(position: str = "q1", source: str = "toy", url: str = "https://toy/1", page: str = "page-1") -> Provenance:
    return Provenance(source=source, url=url, snapshot="2026-01-01", page_id=page, position=position)


def item(position: str = "q1", **fields: Any) -> QuestionItem:
    return QuestionItem(url="https://toy/1", provenance=seen(position), **fields)


def cleaned(stem: str | None, options: list[str] | None, answer: str | None, **fields: Any) -> CleanedQuestion:
    """Return the result for a question on its own."""
    one = item(stem_raw=stem, options_raw=options, answer_raw=answer, **fields)
    return read_questions([one], CLEAN, SourceContext())[0]


def entry(
    values: dict[str, str] | list[tuple[str, str]],
    kind: str | None = "disease",
    name: str | None = "高血压",
    sections: dict[str, str] | None = None,
    **fields: Any,
) -> EntityItem:
    """Return an entry with values by label, and sections by title."""
    pairs = values.items() if isinstance(values, dict) else values
    boxes = [LabelledValue(label=label, value=value, position=f"li:{place}") for place, (label, value) in enumerate(pairs, 1)]
    texts = [Section(title=title, text=text, position=f"s{place}") for place, (title, text) in enumerate((sections or {}).items())]
    about = {"url": "https://toy/1", "provenance": seen("page")} | fields
    return EntityItem(entity_type=kind, name_raw=name, values=boxes, sections=texts, **about)


def fact(relation: str, head: str, tail: str, polarity: bool = True, sources: tuple[str, ...] = ("toy",)) -> Fact:
    where = [seen("p", source, f"https://{source}.example/{head}") for source in sources]
    return Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=polarity, provenance=where)


def question(
    stem: str, options: tuple[str, ...] = (), answer: str | None = "A", at: str = "q1", source: str = "toy", **fields: Any
) -> Question:
    return Question(
        id=question_id(fields.get("shared_stem"), stem, list(options)),
        stem=stem,
        options=[Option(letter=letter, text=text) for letter, text in zip(LETTERS, options, strict=False)],
        answer=answer,
        **{"exam": "PCE", "subject": "变态心理学", "question_type": "mcqa", "provenance": [seen(at, source)]} | fields,
    )
