"""What the law does not cover: forms of files that are drawn and counted, but of which silent faults are known and stay.

Each entry names the form, tells by the features of a case whether it has it, and says why the law leaves it out. A mended reader takes its
entry out. `python -m tests.layouts.survey FORMAT CASES` counts these forms, too.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

Features = Mapping[str, Any]


class Limit(Struct, frozen=True):
    """One form that the law leaves out."""

    name: str
    formats: tuple[str, ...]
    has: Callable[[Features], bool]
    why: str


_LINES = ("text", "noise", "html", "docx")
_RECORDS = ("records",)
_LISTS = ("each_section", "list", "table")
_ROWS = ("csv", "xlsx", "json")
LIMITS = (
    Limit(
        "questions without numbers",
        _LINES,
        lambda form: form["number"] == "",
        "where a question begins is told by its options and answer alone; without those two stems become one",
    ),
    Limit(
        "numbers without a sign",
        _LINES,
        lambda form: form["number"] == "{} ",
        "`2 甲首选（ ）` behind a stem without options of its own may as well go on with it",
    ),
    Limit(
        "letters without separators",
        _LINES,
        lambda form: form["letter"] == "{} ",
        "`D E型行为` and `A A型血` hold two letters, and nothing tells which is the option's",
    ),
    Limit(
        "lines broken at no width",
        _LINES,
        lambda form: form["wrapped"] in ("tails", "ragged"),
        "a line that reads `判断` or `A` ends the sentence above where that line is full; without a width nothing tells",
    ),
    Limit(
        "sections without headings",
        _LINES,
        lambda form: (
            form["headed"] in ("none", "tags")
            and form["sections"] > 1
            and (form["restarts"] or form["place"] in _LISTS or bool({"case", "shared"} & form["kinds"]))
        ),
        "a case, a list of answers or points of an explanation that a further section ends without a heading may go on",
    ),
    Limit(
        "headings broken over lines",
        _LINES,
        lambda form: form["wrapped"] == "width" and form["headed"] == "numeral_scored",
        "what is left of `（每题1分，共20分）` on a further line becomes a case, or goes on with an answer",
    ),
    Limit(
        "joined keys without a type",
        _ROWS,
        lambda form: form.get("keys") == "joined" and form["typed"] in ("none", False),
        "`A,B` of two questions is the key of one multiple-response question where nothing says that it has one answer",
    ),
    Limit(
        "a list within an object, printed",
        _RECORDS,
        lambda form: form["separator"] == "nested",
        "`{'常见': ['咳嗽']}` in a cell is one tail",
    ),
    Limit(
        "和 between items",
        _RECORDS,
        lambda form: form["separator"] == "and",
        "`内科和皮肤科` is one tail where both halves are not made alike",
    ),
    Limit(
        "a link that cuts an item",
        _RECORDS,
        lambda form: "详细" in form["cut"],
        "`康复[详细]` becomes 康复治疗, and in traditional characters the link stays",
    ),
    Limit(
        "numbers of items before digits",
        _RECORDS,
        lambda form: form["separator"] == "numbered",
        "`1、甲 2、0.9%乙` has 甲2",
    ),
)


def limits_of(format_name: str, form: Features) -> list[str]:
    """Return the names of the limits that a case falls under."""
    return [limit.name for limit in LIMITS if format_name in limit.formats and limit.has(form)]
