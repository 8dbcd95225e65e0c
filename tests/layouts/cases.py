"""Cases by format: drawn questions, the file they are rendered into, and what became of them; and the forms that the law leaves out."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from msgspec import Struct, structs

from tests.layouts import docx, rows, text
from tests.layouts.gold import Gold, Section, paper
from tests.layouts.law import Outcome, judged, read


class Case(Struct, frozen=True):
    """Questions, and one file that holds them."""

    golds: tuple[Gold, ...]
    name: str
    format_name: str
    features: dict[str, Any]
    """How the file is laid out."""
    write: Callable[[], tuple[bytes, str]]
    """Returns the file, and the same as a reader sees it."""

    def outcomes(self) -> list[Outcome]:
        """Return what became of each question."""
        try:
            found, unread = read(self.name, self.write()[0], self.format_name)
        except ValueError as error:
            return [Outcome("refused", str(error)[:80])] * len(self.golds)
        return judged(self.golds, found, unread)


def _case(sections: tuple[Section, ...], name: str, format_name: str, write: Callable[[], tuple[bytes, str]], *forms: Struct) -> Case:
    golds = tuple(gold for section in sections for gold in section.questions)
    features = {key: value for form in forms for key, value in structs.asdict(form).items()}
    features |= {"sections": len(sections), "kinds": {section.kind for section in sections}}
    return Case(golds, name, format_name, features, write)


def text_case(rng: Random) -> Case:
    """Return a paper as a text file."""
    sections, form, seed = paper(rng), text.layout(rng), rng.random()

    def write() -> tuple[bytes, str]:
        written = "\n".join(text.lines_of(sections, form, Random(seed)))
        return written.encode(), written

    return _case(sections, "file.txt", "paper", write, form)


def docx_case(rng: Random) -> Case:
    """Return a paper as a Word document."""
    sections, form, how, seed = paper(rng), text.layout(rng), docx.build(rng), rng.random()

    def write() -> tuple[bytes, str]:
        body, shown = docx.document_of(sections, form, how, Random(seed))
        return body, "\n".join(shown)

    return _case(sections, "file.docx", "docx", write, form, how)


def xlsx_case(rng: Random) -> Case:
    """Return questions as rows of a workbook."""
    sections, form = paper(rng), rows.grid(rng)
    return _case(sections, "file.xlsx", "table", lambda: rows.book_of(sections, form), form)


def json_case(rng: Random) -> Case:
    """Return questions as records of JSON."""
    sections, form = paper(rng), rows.record(rng)
    return _case(sections, "file.jsonl" if form.lines else "file.json", "table", lambda: rows.document_of(sections, form), form)


FORMATS: dict[str, Callable[[Random], Case]] = {"text": text_case, "docx": docx_case, "xlsx": xlsx_case, "json": json_case}


class Limit(Struct, frozen=True):
    """A form of papers in lines that is drawn and counted, but that the law leaves out: silent faults of it are known and stay."""

    name: str
    has: Callable[[Mapping[str, Any]], bool]
    """Tells by the features of a case whether it has the form."""
    why: str


_LISTS = ("each_section", "list", "table")
LIMITS = (
    Limit(
        "questions without numbers",
        lambda form: form["number"] == "",
        "where a question begins is told by its options and answer alone; without those two stems become one",
    ),
    Limit(
        "numbers without a sign",
        lambda form: form["number"] == "{} ",
        "`2 甲首选（ ）` behind a stem without options of its own may as well go on with it",
    ),
    Limit(
        "letters without separators",
        lambda form: form["letter"] == "{} ",
        "`D E型行为` and `A A型血` hold two letters, and nothing tells which is the option's",
    ),
    Limit(
        "lines broken at no width",
        lambda form: form["wrapped"] in ("tails", "ragged"),
        "a line that reads `判断` or `A` ends the sentence above where that line is full; without a width nothing tells",
    ),
    Limit(
        "sections without headings",
        lambda form: (
            form["headed"] in ("none", "tags")
            and form["sections"] > 1
            and (form["restarts"] or form["place"] in _LISTS or bool({"case", "shared"} & form["kinds"]))
        ),
        "a case, a list of answers or points of an explanation that a further section ends without a heading may go on",
    ),
    Limit(
        "headings broken over lines",
        lambda form: form["wrapped"] == "width" and form["headed"] == "numeral_scored",
        "what is left of `（每题1分，共20分）` on a further line becomes a case, or goes on with an answer",
    ),
)


def limits_of(case: Case) -> list[str]:
    """Return the names of the limits that a case falls under."""
    return [limit.name for limit in LIMITS if case.format_name in ("paper", "docx") and limit.has(case.features)]
