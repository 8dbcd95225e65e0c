"""Papers whose layout is misread as a whole: what most questions show makes each of them doubtful; what only seems so is read."""

import pytest

from crawlers.importers.files.reading import Text
from crawlers.importers.files.text import read_html
from crawlers.importers.papers import paper_in
from crawlers.papers.questions.draft import ParsedPaper

STEMS = ("属于感觉的是", "关于知觉的说法正确的是", "记忆的第一个环节是", "不属于情绪的是", "学习的动力来自", "最早的实验室在")
OPTIONS = ("甲地", "乙地的人", "丙所说的话", "丁以外的事")
KEYS = "BADCAB"


def asked(number: int, **marks: str) -> list[str]:
    """Return the lines of one question, with other words behind its stem or options."""
    lines = [f"{number}. {STEMS[number - 1]}（ ）{marks.get('stem', '')}"]
    return lines + [f"{letter}. {text}{number}" for letter, text in zip("ABCD", OPTIONS, strict=True)]


def paper_of(*parts: list[str]) -> ParsedPaper:
    return paper_in("题库.txt", Text([line for part in parts for line in part]))


def doubts_of(paper: ParsedPaper) -> set[str | None]:
    return {draft.doubt for draft in paper.drafts}


def test_an_answer_above_its_question_is_not_that_of_the_one_above() -> None:
    above = [[f"答案：{key}", *asked(number)] for number, key in enumerate(KEYS, 1)]
    below = [[*asked(number), f"答案：{key}"] for number, key in enumerate(KEYS, 1)]
    assert doubts_of(paper_of(*above)) == {"answer_list_mismatch"}
    assert [draft.answer for draft in paper_of(*below).questions] == list(KEYS)


def test_options_above_their_stems_are_not_those_of_the_question_above() -> None:
    parts = [[*asked(number)[1:], asked(number)[0].replace("（ ）", f"（{key}）")] for number, key in enumerate(KEYS, 1)]
    assert not paper_of(*parts).questions


@pytest.mark.parametrize("label", ["12人选择 30%", "内科学", "3楼回复"])
def test_a_row_that_recurs_below_options_is_no_part_of_them(label: str) -> None:
    parts = [[*asked(number), label, f"答案：{key}"] for number, key in enumerate(KEYS, 1)]
    assert not [draft for draft in paper_of(*parts).questions if label in "".join(draft.options)]


def test_rows_in_an_option_are_doubted_where_most_are() -> None:
    """Of a few long options it is not known whether the row below them goes on with them; most are too short for that."""
    long = "这是一个很长的选项，它几乎写满了一整行，因此下面的一行可能是它的一部分，也可能不是"
    labels = ["内科学", "外科学", "儿科学", "护理学", "药理学", "传染病学"]
    parts = [
        [*asked(number)[:-1], f"D. {long if number == 3 else OPTIONS[-1]}{number}", labels[number - 1], f"答案：{key}"]
        for number, key in enumerate(KEYS, 1)
    ]
    assert not paper_of(*parts).questions


@pytest.mark.parametrize(
    ("said", "is_read"), [("这题选D，记住", False), ("故本题选D。", False), ("不能因为字面就误选C。", True), ("选{key}。", True)]
)
def test_what_a_sentence_says_of_the_answer_agrees_with_it(said: str, is_read: bool) -> None:
    parts = [[*asked(number), f"答案：{key}", f"解析：见书。{said.format(key=key)}"] for number, key in enumerate("BACCAB", 1)]
    paper = paper_of(*parts)
    assert (len(paper.questions) == len(KEYS)) == is_read and (is_read or doubts_of(paper) == {"two_answers"})


def test_ticks_and_crosses_behind_stems_judge_the_answer_that_stands_there() -> None:
    marked = [asked(number, stem="√" if number % 2 else "×") for number in range(1, 7)]
    parts = [[lines[0].replace("（ ）", f"（{key}）"), *lines[1:]] for lines, key in zip(marked, KEYS, strict=True)]
    assert not paper_of(*parts).questions


def test_points_of_explanations_are_no_questions() -> None:
    parts = [
        [
            asked(number)[0][3:].replace("（ ）", "（  ）"),
            *asked(number)[1:],
            f"答案：{key}",
            "解析：",
            "本题考查概念。",
            *[f"{at}.{letter}项：{text}，不当选。" for at, (letter, text) in enumerate(zip("BCD", OPTIONS, strict=False), 2)],
            f"故本题选{key}。",
            "",
        ]
        for number, key in enumerate(KEYS, 1)
    ]
    assert all("不当选" not in draft.stem for draft in paper_of(*parts).questions)


def test_letters_in_brackets_of_one_stem_are_a_word() -> None:
    parts = [[f"{number}. 第{number}种{'（AC）' if number == 5 else ''}做法是", *asked(1)[1:]] for number in range(1, 13)]
    assert not [draft for draft in paper_of(["试题"], *parts).questions if draft.answer]


def test_numbers_within_a_few_statements_are_not_those_of_questions() -> None:
    """Statements in a table without numbers: `4.5米` begins one of them, and is not the number of a question."""
    rows = [
        f"{'4.5米以上的' if number == 3 else ''}{stem.replace('是', '事')}的做法合规。\t{'√×'[number % 2]}"
        for number, stem in enumerate(STEMS, 1)
    ]
    read = [(draft.stem, draft.answer) for draft in paper_of(["判断题", *rows]).questions]
    assert read == [tuple(row.split("\t")) for row in rows]


def test_a_check_list_has_no_statements() -> None:
    points = ["灭火器压力正常", "应急灯完好", "疏散通道畅通", "消防栓漏水", "标志清晰", "门禁有效"]
    assert not paper_of(["巡查记录", *(f"{point} {'√×'[number % 2]}" for number, point in enumerate(points))]).questions


def test_a_first_or_last_option_that_recurs_is_none() -> None:
    words = ("春夏秋冬", "东南西北", "梅兰竹菊", "琴棋书画", "酸甜苦辣", "红黄蓝绿")

    def paper(label: str, first: bool) -> ParsedPaper:
        sets = [[label, *own] if first else [*own, label] for own in words]
        parts = [
            [asked(n)[0], *(f"{x}. {text}" for x, text in zip("ABCDE", own, strict=True)), f"答案：{KEYS[n - 1]}"]
            for n, own in enumerate(sets, 1)
        ]
        return paper_of(*parts)

    assert [len(draft.options) for draft in paper("分值：5分", first=False).questions] == [4] * len(words)
    assert paper("5分", first=True).questions == []
    assert [len(draft.options) for draft in paper("以上都不是", first=False).questions] == [5] * len(words)


def test_letters_without_a_sign_are_letters_where_most_options_have_them() -> None:
    words = ("非手术治疗", "手术治疗", "药物治疗", "药敏试验")
    parts = [
        [f"{number}. {STEMS[number - 1]}（{key}）", " ".join(f"{letter}{text}" for letter, text in zip("ABCD", words, strict=True))]
        for number, key in enumerate(KEYS, 1)
    ]
    assert [draft.options for draft in paper_of(*parts).questions] == [
        [f"{letter}.{text}" for letter, text in zip("ABCD", words, strict=True)]
    ] * len(KEYS)


def test_a_tag_that_recurs_behind_last_options_is_no_part_of_them() -> None:
    parts = [[*asked(number)[:-1], f"{asked(number)[-1]}（{2010 + number}年真题）", f"答案：{key}"] for number, key in enumerate(KEYS, 1)]
    assert not paper_of(*parts).questions


def test_a_score_at_the_end_of_each_line_is_no_part_of_a_stem() -> None:
    parts = [[asked(number)[0].replace("（ ）", "\t2分"), *asked(number)[1:], f"答案：{key}"] for number, key in enumerate(KEYS, 1)]
    assert all("2分" not in draft.stem for draft in paper_of(*parts).questions)


def test_a_row_below_a_stem_that_is_complete_is_no_part_of_it() -> None:
    wide = "这一道题的题干写得很长，一直写到这一行的末尾，因此这个文件里的行不是按宽度折行的，下列说法中正确的是"
    parts = [
        [f"{number}. {wide if number % 2 else STEMS[0]}", *(["想一想再作答"] if number == 2 else []), *asked(number)[1:], f"答案：{key}"]
        for number, key in enumerate(KEYS, 1)
    ]
    assert [draft.doubt for draft in paper_of(*parts).drafts] == [None, "stem_unreadable", None, None, None, None]


def test_what_stands_out_on_a_sheet_of_answers_was_chosen() -> None:
    def page(title: str) -> bytes:
        rows = [
            f"<p>{line}</p>" if line[0] != key else f"<p><b>{line}</b></p>" for number, key in enumerate(KEYS, 1) for line in asked(number)
        ]
        return f"<html><body><h3>{title}</h3>{''.join(rows)}</body></html>".encode()

    sheet, key = (paper_in("a.html", read_html("a.html", page(title))) for title in ("张三的答卷 得分：55", "试题"))
    assert not any(draft.answer for draft in sheet.drafts) and [draft.answer for draft in key.questions] == list(KEYS)
