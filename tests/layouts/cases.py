"""Cases by format: drawn questions, the file they are rendered into, and what became of them."""

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Struct, structs

from tests.layouts import docx, html, json, sheets, text
from tests.layouts.gold import Gold, Section, paper
from tests.layouts.law import Outcome, judged, read
from tests.layouts.noise import DEGREES, judged_by_structure, with_noise
from tests.layouts.records import Records, records_case


class Case(Struct, frozen=True):
    """Questions, and one file that holds them."""

    golds: tuple[Gold, ...]
    name: str
    body: bytes
    format_name: str
    features: dict[str, Any]
    """How the file is laid out."""
    text: str
    """The file as a reader sees it."""
    noisy: bool = False
    """Characters are confused, so that the structure alone has to be what was written."""

    def outcomes(self) -> list[Outcome]:
        """Return what became of each question."""
        try:
            found, unread = read(self.name, self.body, self.format_name)
        except ValueError as error:
            return [Outcome("refused", str(error)[:80])] * len(self.golds)
        return (judged_by_structure if self.noisy else judged)(self.golds, found, unread)


def _case(sections: tuple[Section, ...], name: str, body: bytes, format_name: str, shown: str, *forms: Struct) -> Case:
    golds = tuple(gold for section in sections for gold in section.questions)
    features = {key: value for form in forms for key, value in structs.asdict(form).items()}
    features |= {"sections": len(sections), "kinds": {section.kind for section in sections}}
    features["ends_with_answer"] = any(line.rstrip().endswith("答案") and line.strip() != "参考答案" for line in shown.split("\n"))
    return Case(golds, name, body, format_name, features, shown)


def text_case(rng: Random) -> Case:
    """Return a paper as a text file."""
    sections, form = paper(rng), text.layout(rng)
    written = "\n".join(text.lines_of(sections, form, rng))
    return _case(sections, "file.txt", written.encode(), "paper", written, form)


def noise_case(rng: Random) -> Case:
    """Return a paper as a recognition with faults gives it."""
    sections, form, degree = paper(rng), text.layout(rng), rng.choice(DEGREES)
    written = "\n".join(with_noise(text.lines_of(sections, form, rng), degree, rng))
    case = _case(sections, "file.txt", written.encode(), "paper", written, form)
    return structs.replace(case, noisy=True, features=case.features | {"degree": degree})


def docx_case(rng: Random) -> Case:
    """Return a paper as a Word document."""
    sections, form, how = paper(rng), text.layout(rng), docx.build(rng)
    body, shown = docx.document_of(sections, form, how, rng)
    return _case(sections, "file.docx", body, "docx", "\n".join(shown), form, how)


def html_case(rng: Random) -> Case:
    """Return a paper as a saved page."""
    sections, form, how = paper(rng), text.layout(rng), html.page(rng)
    lines = text.lines_of(sections, structs.replace(form, pages="none"), rng)
    return _case(sections, "file.html", html.page_of(lines, how, rng), "paper", "\n".join(lines), form, how)


def csv_case(rng: Random) -> Case:
    """Return questions as rows of a csv file."""
    sections, form = paper(rng), sheets.grid(rng)
    form = structs.replace(form, typed="rows" if form.typed == "sheets" else form.typed)
    body = sheets.csv_of(sections, form)
    return _case(sections, "file.csv" if form.separator == "," else "file.tsv", body, "table", body.decode(form.charset), form)


def xlsx_case(rng: Random) -> Case:
    """Return questions as rows of a workbook."""
    sections, form = paper(rng), sheets.grid(rng)
    shown = "\n".join(" | ".join(row) for _, rows in sheets.tables_of(sections, form) for row in rows)
    return _case(sections, "file.xlsx", sheets.book_of(sections, form), "table", shown, form)


def json_case(rng: Random) -> Case:
    """Return questions as records of JSON."""
    sections, form = paper(rng), json.record(rng)
    body, shown = json.document_of(sections, form)
    return _case(sections, "file.jsonl" if form.lines else "file.json", body, "table", shown, form)


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
