"""Types for the replicas' content: encyclopedia entries and examination papers, as in `content/*.yaml`."""

from typing import Any, Literal

from msgspec import Struct, field

from crawlers.embedded.planted_defects import FactDefect, PlantedDefect, QuestionDefect


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of every encyclopedia entry."""

    slug: str
    """Pinyin of the name, for addresses."""
    name: str
    alias: list[str] = []
    sites: list[str] = []
    """Sources that carry the entry."""
    number: int | None = None
    """Number of the entry for addresses with numbers instead of pinyin."""
    summary: str | None = None
    planted: list[FactDefect] = []
    """Deliberately wrong values; empty for correct content."""


class Disease(Entry, frozen=True):
    departments: list[str] = []
    """Such as `内科-心血管内科`."""
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


class Symptom(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Texts of a symptom. A symptom without texts for a site does not exist on that site."""

    slug: str
    """Pinyin of the name, for addresses."""
    name: str
    articles: dict[str, str] = {}
    """Prose on ask120, keyed by the sub-page's part of the URL; other sub-pages do not exist on the site."""
    diet: list[str] = []
    """What to eat and what to avoid, according to ask120."""
    layout: Literal["2014", "2016"] | None = None
    """Old layout of the symptom's pages on ask120; None for the layout since 2019."""
    modules: dict[str, str] = {}
    """Prose of xiaohe by module title."""


class Range(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reference range for one group of people."""

    who: str
    value: str


class Examination(Entry, frozen=True):
    class_name: str | None = field(default=None, name="class")
    range: str | list[Range] | None = None
    used_for: list[str] = []
    high: list[str] = []
    """Conditions that a value above the range indicates."""
    low: list[str] = []
    notes: str | None = None

    @property
    def ranges(self) -> list[Range]:
        """Reference ranges by group of people; `who` is empty for a general range."""
        if isinstance(self.range, str):
            return [Range(who="", value=self.range)]
        return self.range or []


class Medicine(Entry, frozen=True):
    kind: Literal["western", "chinese"]
    effects: list[str] = []
    adverse: list[str] = []
    contraindications: list[str] = []
    usage: str | None = None
    diseases: list[str] = []
    maker: str | None = None
    approval: str | None = None
    composition: list[str] | str | None = None


class Food(Entry, frozen=True, forbid_unknown_fields=False):
    class_name: str | None = field(default=None, name="class")
    effects: list[str] = []
    good_for: list[str] = []
    avoid_for: list[str] = []


class Q(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question as written in the content; each site formats it in its own way."""

    type: Literal["mcqa", "mrqa", "qa", "tf", "blank"]
    stem: str
    options: list[str] = []
    """Options without letters; empty for qa, or if the section has shared options."""
    answer: str | None = None
    """Sorted letters, or text for qa."""
    explanation: str | None = None
    form: Literal["a1", "a2", "a3", "b1"] | None = None
    case_type: Literal["method", "diagnosis", "treatment"] | None = None
    images: int = 0
    raw: dict[str, Any] = {}
    """Stem, options and answer in the site's own form, where they differ from the fields."""
    planted: QuestionDefect | None = None
    """A deliberate or apparent defect; None for correct content."""


class PaperSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Questions under one heading, with their shared case or options."""

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
    """All content of the replicas."""

    diseases: list[Disease] = []
    examinations: list[Examination] = []
    medicines: list[Medicine] = []
    foods: list[Food] = []
    papers: list[Paper] = []
    """Ordered by id."""

    @property
    def planted(self) -> list[PlantedDefect]:
        """Deliberate or apparent defects, in the order of papers and entries."""
        questions = [
            PlantedDefect(kind=q.planted.kind, expect=q.planted.expect, site=paper.site, paper=paper.id, text=q.stem, plant=q.planted)
            for paper in self.papers
            for section in paper.sections
            for q in section.questions
            if q.planted
        ]
        entries: list[Entry] = [*self.diseases, *self.examinations, *self.medicines, *self.foods]
        facts = [
            PlantedDefect(kind=fact.kind, expect=fact.expect, site=site, text=entry.name, fact=fact)
            for entry in entries
            for fact in entry.planted
            for site in entry.sites
        ]
        return questions + facts

    def on(self, site: str) -> "Content":
        """Return the content of one site."""
        return Content(
            diseases=[entry for entry in self.diseases if site in entry.sites],
            examinations=[entry for entry in self.examinations if site in entry.sites],
            medicines=[entry for entry in self.medicines if site in entry.sites],
            foods=[entry for entry in self.foods if site in entry.sites],
            papers=[paper for paper in self.papers if paper.site == site],
        )
