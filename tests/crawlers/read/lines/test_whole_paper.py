"""Papers whose layout is misread: what most questions show makes each doubtful; what only looks like that is read."""

import pytest

from atomexam.text.verdicts import verdict_of
from crawlers.read.containers.files.reading import Text
from crawlers.read.lines.questions.draft import ParsedPaper
from crawlers.read.papers import paper_in

STEMS = ("属于感觉的是", "关于知觉的说法正确的是", "记忆的第一个环节是", "不属于情绪的是", "学习的动力来自", "最早的实验室在")
OPTIONS = ("甲地", "乙地的人", "丙所说的话", "丁以外的事")
KEYS = "BADCAB"


def asked(number: int, **marks: str) -> list[str]:
    """Return the lines of one question, with other words after its stem or options."""
    lines = [f"{number}. {STEMS[number - 1]}（ ）{marks.get('stem', '')}"]
    return lines + [f"{letter}. {text}{number}" for letter, text in zip("ABCD", OPTIONS, strict=True)]


def paper_of(*parts: list[str]) -> ParsedPaper:
    return paper_in("题库.txt", Text([line for part in parts for line in part]))


def doubts_of(paper: ParsedPaper) -> set[str | None]:
    return {draft.doubt for draft in paper.drafts}


def test_answer_above_its_question_does_not_answer_the_previous_one() -> None:
    above = [[f"答案：{key}", *asked(number)] for number, key in enumerate(KEYS, 1)]
    below = [[*asked(number), f"答案：{key}"] for number, key in enumerate(KEYS, 1)]
    assert doubts_of(paper_of(*above)) == {"answer_list_mismatch"}
    assert [draft.answer for draft in paper_of(*below).questions] == list(KEYS)


_LONG = "这是一个很长的选项，它几乎写满了一整行，因此下面的一行可能是它的一部分，也可能不是"
_LABELS = ["内科学", "外科学", "儿科学", "护理学", "药理学", "传染病学"]
_POINTS = [f"{at}.{letter}项：{text}，不当选。" for at, (letter, text) in enumerate(zip("BCD", OPTIONS, strict=False), 2)]
_CHECKED = ["灭火器压力正常", "应急灯完好", "疏散通道畅通", "消防栓漏水", "标志清晰", "门禁有效"]
MISREAD: dict[str, tuple[list[list[str]], str]] = {
    "options above their stems": (
        [[*asked(n)[1:], asked(n)[0].replace("（ ）", f"（{key}）")] for n, key in enumerate(KEYS, 1)], ""
    ),
    **{f"a row that recurs, {label}": ([[*asked(n), label, f"答案：{key}"] for n, key in enumerate(KEYS, 1)], label)
       for label in ("12人选择 30%", "内科学", "3楼回复")},
    "rows below last options, most of which are too short for that": (
        [[*asked(n)[:-1], f"D. {_LONG if n == 3 else OPTIONS[-1]}{n}", _LABELS[n - 1], f"答案：{key}"] for n, key in enumerate(KEYS, 1)], ""
    ),
    "ticks and crosses behind stems": (
        [[asked(n)[0].replace("（ ）", f"（{key}）{'×√'[n % 2]}"), *asked(n)[1:]] for n, key in enumerate(KEYS, 1)], ""
    ),
    "a check list": ([["巡查记录", *(f"{point} {'√×'[number % 2]}" for number, point in enumerate(_CHECKED))]], ""),
    "a tag behind last options": (
        [[*asked(n)[:-1], f"{asked(n)[-1]}（{2010 + n}年真题）", f"答案：{key}"] for n, key in enumerate(KEYS, 1)], ""
    ),
    "a stem with lettered rows": (
        [[f"{n}\t{asked(n)[0][3:]}\tB", *(f"{letter}\t第{n}种{letter}" for letter in "ABCD")] for n in range(1, 7)], "\nA\t"
    ),
    "letters in brackets of one stem": (
        [["试题"], *([f"{n}. 第{n}种{'（AC）' if n == 5 else ''}做法是", *asked(1)[1:]] for n in range(1, 13))], "answer"
    ),
    "points of explanations": (
        [
            [asked(n)[0][3:].replace("（ ）", "（  ）"), *asked(n)[1:], f"答案：{key}", "解析：", "本题考查概念。",
             *_POINTS, f"故本题选{key}。", ""]
            for n, key in enumerate(KEYS, 1)
        ],
        "不当选",
    ),
    "a score at the end of each line": (
        [[asked(n)[0].replace("（ ）", "\t2分"), *asked(n)[1:], f"答案：{key}"] for n, key in enumerate(KEYS, 1)], "2分"
    ),
}  # fmt: skip
"""Papers in which no question may be read, or none with certain words or an answer."""


@pytest.mark.parametrize("name", MISREAD)
def test_doubts_papers_misread_as_a_whole(name: str) -> None:
    parts, words = MISREAD[name]
    questions = paper_of(*parts).questions
    read = [draft for draft in questions if words in " ".join([draft.stem, *draft.options]) or (words == "answer" and draft.answer)]
    assert not read


@pytest.mark.parametrize(
    ("said", "is_read"), [("这题选D，记住", False), ("故本题选D。", False), ("不能因为字面就误选C。", True), ("选{key}。", True)]
)
def test_explanation_must_agree_with_the_answer(said: str, is_read: bool) -> None:
    parts = [[*asked(number), f"答案：{key}", f"解析：见书。{said.format(key=key)}"] for number, key in enumerate("BACCAB", 1)]
    paper = paper_of(*parts)
    assert (len(paper.questions) == len(KEYS)) == is_read and (is_read or doubts_of(paper) == {"two_answers"})


def test_numbers_in_statements_are_not_question_numbers() -> None:
    """Statements in a table without numbers: `4.5米` begins one of them and is not a question number."""
    rows = [
        f"{'4.5米以上的' if number == 3 else ''}{stem.replace('是', '事')}的做法合规。\t{'√×'[number % 2]}"
        for number, stem in enumerate(STEMS, 1)
    ]
    read = [(draft.stem, verdict_of(draft.answer or "")) for draft in paper_of(["判断题", *rows]).questions]
    assert set(read) <= {(row[:-2], verdict_of(row[-1])) for row in rows}


def test_recurring_first_or_last_option_is_not_an_option() -> None:
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


def test_unsigned_letters_are_option_letters_if_most_options_have_them() -> None:
    words = ("非手术治疗", "手术治疗", "药物治疗", "药敏试验")
    parts = [
        [f"{number}. {STEMS[number - 1]}（{key}）", " ".join(f"{letter}{text}" for letter, text in zip("ABCD", words, strict=True))]
        for number, key in enumerate(KEYS, 1)
    ]
    assert [draft.options for draft in paper_of(*parts).questions] == [
        [f"{letter}.{text}" for letter, text in zip("ABCD", words, strict=True)]
    ] * len(KEYS)


def test_doubts_row_below_a_complete_stem() -> None:
    wide = "这一道题的题干写得很长，一直写到这一行的末尾，因此这个文件里的行不是按宽度折行的，下列说法中正确的是"
    parts = [
        [f"{number}. {wide if number % 2 else STEMS[0]}", *(["想一想再作答"] if number == 2 else []), *asked(number)[1:], f"答案：{key}"]
        for number, key in enumerate(KEYS, 1)
    ]
    assert [draft.doubt for draft in paper_of(*parts).drafts] == [None, "stem_unreadable", None, None, None, None]
