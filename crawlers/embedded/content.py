"""What the embedded sites say: `content/*.yaml` as typed values, with `planted.yaml` merged in."""

from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct, field
from ruamel.yaml import YAML

FOLDER = Path(__file__).parent / "content"


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every encyclopedia entry has."""

    slug: str
    """Pinyin of the name, for addresses."""
    name: str
    alias: list[str] = []
    sites: list[str] = []
    """Sources that carry the entry."""
    number: int | None = None
    """Number of the entry where addresses count instead of spelling."""
    summary: str | None = None
    planted: str | None = None
    """Name of the planted defect, duplicate or contradiction; None for sound content."""


class Disease(Entry):
    departments: list[str] = []
    """`内科-心血管内科`."""
    infectious: bool | None = None
    symptoms: list[str] = []
    causes: list[str] = []
    examinations: list[str] = []
    treatments: list[str] = []
    medicines: list[str] = []
    complications: list[str] = []
    prevention: list[str] = []
    foods_good: list[str] = []
    foods_avoid: list[str] = []
    population: str | None = None
    texts: dict[str, str] = {}
    """Prose by subject: cause, symptom, treatment, prevention, diet."""


class Range(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reference range for some people."""

    who: str
    value: str


class Examination(Entry):
    class_name: str | None = field(default=None, name="class")
    range: str | list[Range] | None = None
    used_for: list[str] = []
    high: list[str] = []
    """What a value above the range points to."""
    low: list[str] = []
    notes: str | None = None

    @property
    def ranges(self) -> list[Range]:
        """Reference ranges by who they hold for; one for everybody has `who` empty."""
        if isinstance(self.range, str):
            return [Range(who="", value=self.range)]
        return self.range or []


class Medicine(Entry):
    kind: Literal["western", "chinese"]
    effects: list[str] = []
    adverse: list[str] = []
    contraindications: list[str] = []
    usage: str | None = None
    diseases: list[str] = []
    maker: str | None = None
    approval: str | None = None
    composition: list[str] | str | None = None


class Food(Entry, forbid_unknown_fields=False):
    class_name: str | None = field(default=None, name="class")
    effects: list[str] = []
    good_for: list[str] = []
    avoid_for: list[str] = []


class Q(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question as it was written; a site decides how it looks."""

    type: Literal["mcqa", "mrqa", "qa", "tf", "blank"]
    stem: str
    options: list[str] = []
    """Without letters; empty for qa and where the section shares its options."""
    answer: str | None = None
    """Sorted letters, or words for qa."""
    explanation: str | None = None
    form: Literal["a1", "a2", "a3", "b1"] | None = None
    case_type: Literal["method", "diagnosis", "treatment"] | None = None
    images: int = 0
    raw: dict[str, Any] = {}
    """How a site shows the question where that is not what it says: stem, options, answer, in the site's own writing."""
    planted: str | None = None
    """Name of the planted defect, duplicate or contradiction; None for sound content."""


class PaperSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Questions under one heading, with the case or the options they share."""

    heading: str | None = None
    case: str | None = None
    shared_options: list[str] = []
    questions: list[Q]


class Paper(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One examination paper on one site."""

    id: int
    exam: str = ""
    """PCE, TQE, GEE, SSE or TCM."""
    site: str = ""
    title: str = ""
    subject: str = ""
    sections: list[PaperSection]


class Content(Struct, frozen=True, kw_only=True):
    """Everything the embedded sites can show."""

    diseases: list[Disease] = []
    examinations: list[Examination] = []
    medicines: list[Medicine] = []
    foods: list[Food] = []
    papers: list[Paper] = []
    """Ordered by id."""

    def on(self, site: str) -> "Content":
        """Return what one site carries."""
        return Content(
            diseases=[entry for entry in self.diseases if site in entry.sites],
            examinations=[entry for entry in self.examinations if site in entry.sites],
            medicines=[entry for entry in self.medicines if site in entry.sites],
            foods=[entry for entry in self.foods if site in entry.sites],
            papers=[paper for paper in self.papers if paper.site == site],
        )


class _Planted(Struct, frozen=True, kw_only=True):
    """`planted.yaml`: more of the same kinds. A paper with a known id adds its sections to that paper."""

    diseases: list[Disease] = []
    examinations: list[Examination] = []
    medicines: list[Medicine] = []
    foods: list[Food] = []
    papers: list[Paper] = []


class _ExamFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    exam: str
    papers: list[Paper]


T = TypeVar("T")


@cache
def load_content(folder: Path = FOLDER) -> Content:
    """Return the content of a folder; a file that is not there gives nothing.

    Raises:
        ValueError: a file does not fit; names file, place and field.
    """
    planted = _read(folder / "planted.yaml", _Planted) or _Planted()
    papers = [
        msgspec.structs.replace(paper, exam=paper.exam or file.exam)
        for path in sorted((folder / "exams").glob("*.yaml"))
        if (file := _read(path, _ExamFile)) is not None
        for paper in file.papers
    ]
    return Content(
        diseases=(_read(folder / "diseases.yaml", list[Disease]) or []) + planted.diseases,
        examinations=(_read(folder / "examinations.yaml", list[Examination]) or []) + planted.examinations,
        medicines=(_read(folder / "medicines.yaml", list[Medicine]) or []) + planted.medicines,
        foods=(_read(folder / "foods.yaml", list[Food]) or []) + planted.foods,
        papers=_with_planted(papers, planted.papers),
    )


def _with_planted(papers: list[Paper], planted: list[Paper]) -> list[Paper]:
    """Return papers by id, with the planted sections behind their own."""
    by_id = {paper.id: paper for paper in papers}
    if len(by_id) != len(papers):
        numbers = sorted({paper.id for paper in papers if sum(other.id == paper.id for other in papers) > 1})
        raise ValueError(f"content/exams: paper ids {numbers} are used twice; give each paper its own")
    for paper in planted:
        known = by_id.get(paper.id)
        by_id[paper.id] = paper if known is None else msgspec.structs.replace(known, sections=known.sections + paper.sections)
    return [by_id[number] for number in sorted(by_id)]


def _read(path: Path, shape: type[T]) -> T | None:
    if not path.exists():
        return None
    with open(path, encoding="utf-8") as file:
        value = YAML(typ="safe", pure=True).load(file)
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise ValueError(f"{path.parent.name}/{path.name}: {error}") from None
