"""Texts and tables whose cells any one sign parts, with and without a header, also where another sign stands within the cells."""

import pytest

from crawlers.read.containers.files.csv import delimiter_of
from tests.crawlers.read.files.test_shapes import GOLD, read, triples_of

WANTED = [(stem, options, "ABCD"[right]) for stem, options, right in GOLD]
HEADERS = {"known": ["题干", "选项A", "选项B", "选项C", "选项D", "答案"], "unknown": ["t", "x1", "x2", "x3", "x4", "k"], "none": []}


def _lines(sign: str, header: list[str], joined: str | None = None) -> bytes:
    rows = [header] if header else []
    for stem, options, right in GOLD:
        rows.append([stem, *([joined.join(options)] if joined else options), "ABCD"[right]])
    return "\n".join(sign.join(row) for row in rows).encode()


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("sign", [*"\t$|;#^，~；"])
def test_any_sign_parts_a_text(sign: str, header: str) -> None:
    assert triples_of(read("题库.txt", _lines(sign, HEADERS[header]))) == WANTED


@pytest.mark.parametrize("sign", [*",\t$#^"])
def test_any_sign_parts_a_table(sign: str) -> None:
    assert triples_of(read("题库.csv", _lines(sign, HEADERS["known"]))) == WANTED


def test_prose_with_signs_is_no_table() -> None:
    prose = [
        "采购花费$20，运费$30，余下$5。",
        "甲案$100，乙案$200，选了$150。",
        "预算$9，实际$8，节余$1。",
        "第一批$4，第二批$5。",
        "税$1，应付$8。",
        "合计$7。",
    ]
    assert delimiter_of("\n".join(prose)) == ""
    assert not read("账目.txt", "\n".join(prose).encode()).items


def test_lines_of_other_things_hold_no_questions() -> None:
    assert not read("价格.txt", "\n".join(f"阿莫西林{n}#盒#{n}2元#有货" for n in range(9)).encode()).items


@pytest.mark.parametrize(
    ("cells", "answers"),
    [
        (["题号\t1～5\t6～10\t11-12", "答案\t{0}\t{1}\t{2}"], True),
        (["| 题号 | 1-5 | 6-10 | 11-12 |", "| 答案 | {0} | {1} | {2} |"], True),
        (["题号\t1-5\t6-10\t11-12", "答案\t{0}\t{1}A\t{2}"], False),
    ],
)
def test_a_list_of_answers_has_ranges_over_their_letters(cells: list[str], answers: bool) -> None:
    letters = "".join("ABCD"[right] for _, _, right in GOLD)
    paper = [
        line
        for n, (stem, options, _) in enumerate(GOLD, 1)
        for line in (f"{n}. {stem}", *map(". ".join, zip("ABCD", options, strict=True)))
    ]
    rows = [row.format(letters[:5], letters[5:10], letters[10:]) for row in cells]
    questions = triples_of(read("题库.txt", "\n".join([*paper, "参考答案", *rows]).encode()))
    assert [key for _, _, key in questions] == ([*letters] if answers else [])


def test_a_header_that_another_sign_divides_is_no_title() -> None:
    rows = ['肺|心,"缩,张","张,缩",A', '脾|胃,"升,降","降,升",B']
    assert delimiter_of("题干,A,B,答案\n" + "\n".join(rows) + "\n", is_table=True) == ","


def test_tabs_part_texts_that_all_have_as_many_commas() -> None:
    stems = [f"病例{n}：患者{n + 30}岁，发热{n}天，既往体健，首先考虑（ ）" for n in range(12)]
    rows = [[stem, "肺", "肝", "ABC"[n % 3], f"见第{n}页，另见附录。"] for n, stem in enumerate(stems)]
    assert delimiter_of("\n".join(map("\t".join, rows))) == "\t"
