"""Load the content of the replicas: `content/*.yaml` as typed values, with `planted.yaml` merged in."""

from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML

from crawlers.embedded.add_defects import with_planted
from crawlers.embedded.planted_defects import Duplicate, PlantedDefect
from crawlers.embedded.shapes import Content, Disease, Entry, Examination, Food, Medicine, Paper, PaperSection, Q, Range, Symptom

__all__ = ["FOLDER", "Content", "Disease", "Entry", "Examination", "Food", "Medicine", "Paper", "PaperSection", "PlantedDefect", "Q",
           "Range", "Symptom", "load_content", "symptoms_on"]  # fmt: skip
FOLDER = Path(__file__).parent / "content"
T = TypeVar("T")


class _Planted(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`planted.yaml` has more content of the same kinds. A paper whose id is already known adds its questions to that paper."""

    diseases: list[Disease] = []
    examinations: list[Examination] = []
    medicines: list[Medicine] = []
    foods: list[Food] = []
    papers: list[Paper] = []
    duplicates: list[Duplicate] = []


class _ExamFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    exam: str
    papers: list[Paper]


@cache
def load_content(folder: Path = FOLDER) -> Content:
    """Return the content of a folder; a missing file counts as empty.

    Raises:
        ValueError: a file is invalid; the message has the file, position and field.
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
        papers=with_planted(papers, planted.papers, planted.duplicates),
    )


@cache
def symptoms_on(site: str) -> list[Symptom]:
    """Return the symptoms on a site."""
    return [
        symptom
        for symptom in _read(FOLDER / "symptoms.yaml", list[Symptom]) or []
        if (symptom.articles if site == "ask120" else symptom.modules)
    ]


def _read(path: Path, shape: type[T]) -> T | None:
    if not path.exists():
        return None
    with open(path, encoding="utf-8") as file:
        value = YAML(typ="safe").load(file)
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise ValueError(f"{path.parent.name}/{path.name}: {error}") from None
