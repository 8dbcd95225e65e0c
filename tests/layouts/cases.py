"""Cases by format: drawn questions, the file they are rendered into, and what became of them."""

from collections.abc import Callable
from functools import cached_property
from random import Random
from typing import Any

from msgspec import Struct, structs

from tests.layouts import docx, html, json, sheets, text
from tests.layouts.gold import Gold, Section, paper, with_sorted_options
from tests.layouts.law import Outcome, judged, read
from tests.layouts.noise import DEGREES, judged_by_structure, with_noise
from tests.layouts.records import Records, records_case


class Case(Struct, frozen=True, dict=True):
    """Questions, and one file that holds them; the file is written once it is looked at."""

    golds: tuple[Gold, ...]
    name: str
    format_name: str
    features: dict[str, Any]
    """How the file is laid out."""
    write: Callable[[], tuple[bytes, str]]
    noisy: bool = False
    """Characters are confused, so that the structure alone has to be what was written."""

    @cached_property
    def _written(self) -> tuple[bytes, str]:
        return self.write()

    @property
    def body(self) -> bytes:
        return self._written[0]

    @property
    def text(self) -> str:
        """Return the file as a reader sees it."""
        return self._written[1]

    def outcomes(self) -> list[Outcome]:
        """Return what became of each question."""
        try:
            found, unread = read(self.name, self.body, self.format_name)
        except ValueError as error:
            return [Outcome("refused", str(error)[:80])] * len(self.golds)
        return (judged_by_structure if self.noisy else judged)(self.golds, found, unread)


def _case(sections: tuple[Section, ...], name: str, format_name: str, write: Callable[[], tuple[bytes, str]], *forms: Struct) -> Case:
    golds = tuple(gold for section in sections for gold in section.questions)
    features = {key: value for form in forms for key, value in structs.asdict(form).items()}
    features |= {"sections": len(sections), "kinds": {section.kind for section in sections}}
    return Case(golds, name, format_name, features, write)


def text_case(rng: Random) -> Case:
    """Return a paper as a text file."""
    sections, form = paper(rng), text.layout(rng)

    def write() -> tuple[bytes, str]:
        written = "\n".join(text.lines_of(sections, form, rng))
        return written.encode(), written

    return _case(sections, "file.txt", "paper", write, form)


def noise_case(rng: Random) -> Case:
    """Return a paper as a recognition with faults gives it."""
    sections, form, degree = paper(rng), text.layout(rng), rng.choice(DEGREES)

    def write() -> tuple[bytes, str]:
        written = "\n".join(with_noise(text.lines_of(sections, form, rng), degree, rng))
        return written.encode(), written

    case = _case(sections, "file.txt", "paper", write, form)
    return structs.replace(case, noisy=True, features=case.features | {"degree": degree})


def docx_case(rng: Random) -> Case:
    """Return a paper as a Word document."""
    sections, form, how = paper(rng), text.layout(rng), docx.build(rng)

    def write() -> tuple[bytes, str]:
        body, shown = docx.document_of(sections, form, how, rng)
        return body, "\n".join(shown)

    return _case(sections, "file.docx", "docx", write, form, how)


def html_case(rng: Random) -> Case:
    """Return a paper as a saved page."""
    sections, form, how = paper(rng), text.layout(rng), html.page(rng)

    def write() -> tuple[bytes, str]:
        lines = text.lines_of(sections, structs.replace(form, pages="none"), rng)
        return html.page_of(lines, how, rng), "\n".join(lines)

    return _case(sections, "file.html", "paper", write, form, how)


def csv_case(rng: Random) -> Case:
    """Return questions as rows of a csv file."""
    sections, drawn = paper(rng), sheets.grid(rng)
    form = structs.replace(drawn, typed="rows" if drawn.typed == "sheets" else drawn.typed)

    def write() -> tuple[bytes, str]:
        body = sheets.csv_of(sections, form)
        return body, body.decode(form.charset)

    return _case(sections, "file.csv" if form.separator == "," else "file.tsv", "table", write, form)


def xlsx_case(rng: Random) -> Case:
    """Return questions as rows of a workbook."""
    sections, form = paper(rng), sheets.grid(rng)

    def write() -> tuple[bytes, str]:
        shown = "\n".join(" | ".join(row) for _, rows in sheets.tables_of(sections, form) for row in rows)
        return sheets.book_of(sections, form), shown

    return _case(sections, "file.xlsx", "table", write, form)


def json_case(rng: Random) -> Case:
    """Return questions as records of JSON."""
    sections, form = paper(rng), json.record(rng)
    sections = with_sorted_options(sections) if form.options == "distractors" else sections
    return _case(sections, "file.jsonl" if form.lines else "file.json", "table", lambda: json.document_of(sections, form), form)


FORMATS: dict[str, Callable[[Random], Case | Records]] = {
    "text": text_case,
    "noise": noise_case,
    "docx": docx_case,
    "html": html_case,
    "csv": csv_case,
    "xlsx": xlsx_case,
    "json": json_case,
    "records": records_case,
}
