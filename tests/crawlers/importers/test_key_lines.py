"""Questions in lines `key: value` with keys of any name: what is below them tells their roles."""

import io
import re
from collections.abc import Callable
from itertools import product

import docx
import pytest

from atomexam.records.provenance import Provenance
from crawlers.column_roles.values import bare
from crawlers.importers.questions_by_content import read_key_lines
from crawlers.tables.key_lines import rows_of_keys
from tests.crawlers.importers.test_shapes import GOLD, read, triples_of

SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_NAMES = [("TIMU", "XX", "DAAN"), ("timu", "xuanxiang", "daan"), ("q", "opt", "da")]
_FORMS: dict[str, Callable[[str, list[str]], list[str]]] = {
    "numbered keys": lambda name, options: [f"{name}{n}\0{text}" for n, text in enumerate(options, 1)],
    "one line": lambda name, options: [f"{name}\0" + "；".join(f"{letter}.{text}" for letter, text in zip("ABCD", options, strict=True))],
    "lines below": lambda name, options: [f"{name}\0", *(f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=True))],
}


def _lines(names: tuple[str, str, str], form: str, sign: str, divider: str, counts: bool) -> str:
    done: list[str] = []
    for n, (stem, options, key) in enumerate(GOLD, 1):
        answer = str(key + 1) if form == "numbered keys" else "ABCD"[key]
        own = [f"{names[0]}{n if counts else ''}\0{stem}", *_FORMS[form](names[1], options), f"{names[2]}\0{answer}"]
        done += [line.replace("\0", sign) for line in own] + [divider] * bool(divider)
    return "\n".join(done)


@pytest.mark.parametrize(("names", "form"), list(product(_NAMES, _FORMS)))
@pytest.mark.parametrize(("sign", "divider", "counts"), [("=", "%%", False), ("：", "————", True), (": ", "", False), ("\t", "", True)])
@pytest.mark.parametrize("suffix", [".txt", ".docx"])
def test_keys_of_any_name_are_read(names: tuple[str, str, str], form: str, sign: str, divider: str, counts: bool, suffix: str) -> None:
    text = _lines(names, form, sign, divider, counts)
    body = text.encode("gb18030")
    if suffix == ".docx":
        document, stream = docx.Document(), io.BytesIO()
        for line in text.split("\n"):
            document.add_paragraph(line)
        document.save(stream)
        body = stream.getvalue()
    read_as = triples_of(read(f"a{suffix}", body))  # as a paper they have their numbers
    found = [(re.sub(r"^\d+\. ", "", stem), [bare(option) for option in options], key) for stem, options, key in read_as]
    assert found == [(stem, options, "ABCD"[key]) for stem, options, key in GOLD]


@pytest.mark.parametrize(
    "text",
    [
        "name: 张\nage: 3\nname: 李\nage: 4",
        "a: 1\nb: 2\nb: 3\na: 1\nb: 2\na: 1\nb: 1",
        "第一章\n" * 40 + "q: 1\na: 2\n" * 3,
        "",
    ],
)
def test_other_lines_are_no_records(text: str) -> None:
    assert rows_of_keys(text.split("\n")) is None


def test_what_people_often_ask_is_no_bank() -> None:
    lines = [line for n in range(1, 9) for line in (f"Q{n}：什么时候报第{n}科？", f"A{n}：每年{n}月。")]
    assert read_key_lines("a.txt", lines, SEEN) is None
