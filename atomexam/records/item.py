"""The raw content of a page, unprocessed: questions and encyclopedia entries."""

from msgspec import Struct

from atomexam.records.provenance import Provenance


class QuestionItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="question", tag_field="kind"):
    """One question as its page shows it. Raw fields keep mark-up and defects; a missing value is None."""

    url: str
    provenance: Provenance
    exam_raw: str | None = None
    """Examination as the site names it, often a breadcrumb or category."""
    subject_raw: str | None = None
    """Subject as the site names it, or None; `clean` may derive it from the paper's title."""
    paper_raw: str | None = None
    """Title of the paper or article."""
    section_raw: str | None = None
    """Nearest section heading above the question, such as `一、单项选择题`."""
    type_raw: str | None = None
    """Question type by the site's own code (`s2`, `单选`), if it has one besides the heading."""
    number_raw: str | None = None
    """Number of the question in its paper."""
    case_raw: str | None = None
    """Case text shared by several questions of the paper (A3, case analysis)."""
    shared_options_raw: list[str] | None = None
    """Options shared by several questions (B1)."""
    group_raw: str | None = None
    """Key of the shared case or shared options within the page; equal for the questions of one group."""
    stem_raw: str | None = None
    options_raw: list[str] | None = None
    """Options in the order of the page, each with or without its letter; None if the question has none."""
    answer_raw: str | None = None
    """Answer as the page gives it: letters, 正确 / 错误, or text."""
    explanation_raw: str | None = None
    images: int = 0
    """Number of images inside stem and options."""
    doubt: str | None = None
    """Why the parser rejects the question, in snake_case: `clean` rejects it for that reason. None if it was parsed."""


class LabelledValue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One label of a summary box with its value: `哪些症状：` and `头晕、头痛`."""

    label: str
    value: str
    position: str
    """Position within the page."""


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One titled section of prose; newlines separate paragraphs."""

    title: str
    text: str
    position: str


class EntityItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="entity", tag_field="kind"):
    """One encyclopedia page (disease, examination, medicine, food, symptom, surgery), unprocessed."""

    url: str
    provenance: Provenance
    entity_type: str | None = None
    """`disease`, `examination`, `medicine`, `food`, `symptom` or `surgery`, by the part of the site that contains the page."""
    name_raw: str | None = None
    alias_raw: str | None = None
    """Other names, as one text."""
    values: list[LabelledValue] = []
    """The summary box."""
    sections: list[Section] = []
    """The prose."""


Item = QuestionItem | EntityItem
