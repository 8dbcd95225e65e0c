"""Blackboard's text format: each type, other encodings, and texts that only look like it."""

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.column_roles.values import bare
from crawlers.coverage.files import account_of
from crawlers.importers.formats import guess_format, read_guessed
from tests.crawlers.importers.test_shapes import GOLD, read, triples_of

SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")


def _line(stem: str, options: list[str], right: set[int], kind: str = "MC", marks: tuple[str, str] = ("correct", "incorrect")) -> str:
    return "\t".join([kind, stem, *(cell for at, text in enumerate(options) for cell in (text, marks[at not in right]))])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030", "utf-8-sig"])
@pytest.mark.parametrize("marks", [("correct", "incorrect"), ("Correct", "Incorrect")])
def test_options_say_whether_they_are_right(encoding: str, marks: tuple[str, str]) -> None:
    body = "\r\n".join(_line(stem, options, {right}, marks=marks) for stem, options, right in GOLD).encode(encoding)
    assert guess_format("a.txt", body) == "blackboard"
    reading = read("a.txt", body)
    assert [(stem, [bare(option) for option in options], key) for stem, options, key in triples_of(reading)] == [
        (stem, options, "ABCD"[right]) for stem, options, right in GOLD
    ]
    assert account_of("a.txt", body, "blackboard", reading).unread_share == 0


_MC = _line("心的位置是（ ）", ["左", "右", "中"], {0})


@pytest.mark.parametrize(
    ("line", "stem", "answer"),
    [
        (_line("下列正确的有（ ）", ["甲", "乙", "丙"], {0, 2}, "MA"), "下列正确的有（ ）", "AC"),
        ("TF\t心在右侧。\tfalse", "心在右侧。", "错误"),
        ("TF\t心有四腔。\ttrue\t", "心有四腔。", "正确"),
        ("ESS\t简述体循环。\t左心室出发，回到右心房", "简述体循环。", "左心室出发，回到右心房"),
        ("ESS\t简述肺循环。", "简述肺循环。", None),
        ("FIB\t心有___腔\t四\t4", "心有___腔", "四；4"),
        ("NUM\t心率的上限是？\t100\t5", "心率的上限是？", "100±5"),
        ("FIB_PLUS\t[a]在左，[b]在右\ta\t心\t\tb\t肝", "[a]在左，[b]在右", "心；肝"),
        ("MC\tP<0.05 时<b>应</b>（ ）\t拒绝\tcorrect\t接受\tincorrect", "P<0.05 时应（ ）", "A"),
    ],
)
def test_each_type_has_its_fields(line: str, stem: str, answer: str | None) -> None:
    [_, item] = read("a.txt", f"{_MC}\n{line}".encode()).items
    assert isinstance(item, QuestionItem)
    assert (item.stem_raw, item.answer_raw, item.doubt) == (stem, answer, None)


@pytest.mark.parametrize(
    "line",
    [
        "MAT\t连线\t心\t左\t肝\t右", "ORD\t排序\t一\t二", "MC\t题\t甲\tcorrect\t乙\tcorrect", "MC\t题\t甲\tincorrect\t乙\tincorrect",
        "MC\t题\t甲\tcorrect\t乙", "MC\t题\t甲\tyes\t乙\tno", "TF\t题\tmaybe",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_rejected(line: str) -> None:
    [_, item] = read("a.txt", f"{_MC}\n{line}".encode()).items
    assert isinstance(item, QuestionItem)
    assert item.doubt in ("record_unreadable", "answer_unreadable")


@pytest.mark.parametrize(
    "text", ["MC\t甲\t1\nMC\t乙\t2\nMC\t丙\t3", "TF\ta\tb\nTF\tc\td", "MC 甲\nMA 乙", "ESS\t周一\t开会\nOP\t周二\t休息"]
)
def test_a_table_of_other_things_is_none(text: str) -> None:
    body = text.encode()
    try:
        _, reading = read_guessed("a.txt", body, kind := guess_format("a.txt", body), SEEN)
    except ValueError:
        return
    assert kind != "blackboard"
    assert not [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt]
