"""Numbers of questions without a sign of their own: emphasised, or parted from the stem by a blank."""

import pytest

from crawlers.papers.paper import read_paper

STEMS = [
    "一组数据的分布呈双峰",
    "音响的物理学基础是（　　）",
    "1882年出版此书的是( )",
    "患者心情一直不错",
    "最大的器官是",
]
NOTES = ["集中量数。众数可能有多个。", "声波是适宜刺激。", "见《发展心理学》。", "心境是持久的状态。", "皮肤最大。"]
HEADS = [
    "**{}** ",
    "**{}**",
    "**{}**、",
    "### **{}** ",
    "- **{}** ",
    "__{}__ ",
    "*{}* ",
    "`{}` ",
    "<b>{}</b> ",
    "**0{}** ",
    "> **{}** ",
    "{} ",
    "0{}  ",
]
EMPHASISED = [("{}、{}  ", "**{}、{}**  "), ("{}. {}", "{}. **{}**")]


def _lines(head: str, plain: str, right: str | None, end: str = "") -> list[str]:
    lines = ["## 普通心理学 · 易错题", ""]
    for number, (stem, note) in enumerate(zip(STEMS, NOTES, strict=True), 1):
        lines += [f"{head.format(number)}{stem}{end}", ""]
        for at, letter in enumerate("ABCD"):
            lines.append((right if right and at == number % 4 else plain).format(letter, f"第{number}物{at}"))
        lines += ["", *([] if right else [f"答案：{'ABCD'[number % 4]}", ""]), f"> {note}", ""]
    return lines


def _assert_read(lines: list[str]) -> None:
    reading = read_paper(lines)
    assert not reading.rejected
    assert [draft.stem.partition(" ")[2].strip() for draft in reading.questions] == [stem.strip() for stem in STEMS]
    assert [draft.number for draft in reading.questions] == [1, 2, 3, 4, 5]
    assert [draft.answer for draft in reading.questions] == ["ABCD"[number % 4] for number in range(1, 6)]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("plain", "right"), [*EMPHASISED, ("{}. {}", None)], ids=["bold options", "bold words", "answers below"])
def test_a_number_without_a_sign_begins_its_question(head: str, plain: str, right: str | None) -> None:
    _assert_read(_lines(head, plain, right))


@pytest.mark.parametrize(("plain", "right"), EMPHASISED, ids=["bold options", "bold words"])
def test_a_bold_line_may_begin_with_a_bare_number(plain: str, right: str) -> None:
    _assert_read(_lines("**{} ", plain, right, "**"))


def test_emphasised_figures_that_do_not_count_the_questions_stay() -> None:
    lines = [line for n in (1, 2, 3, 4) for line in (f"{n}. 下列正确的是", f"**{n * 7}** 例中", "A. 甲", "B. 乙", "答案：A", "")]
    assert [draft.stem.replace("*", "").split("\n")[1] for draft in read_paper(lines).drafts] == ["7 例中", "14 例中", "21 例中", "28 例中"]


def test_a_sign_within_a_line_is_no_quote() -> None:
    lines = [line for n in range(1, 5) for line in (f"{n}. 若P>0.0{n}，结论是", "A. 甲>乙", "B. 乙", "答案：A", f"> 第{n}段是引文", "")]
    reading = read_paper(lines)
    assert [draft.stem for draft in reading.questions] == [f"{n}. 若P>0.0{n}，结论是" for n in range(1, 5)]
    assert {draft.options[0] for draft in reading.questions} == {"A. 甲>乙"}
