"""Papers read by layout patterns: hand-written layouts work, what does not fit is rejected or unread, and proposals read as much."""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from textwrap import dedent
from time import thread_time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.records.params import Import
from atomexam.text.yaml_values import yaml_values
from crawlers.read.__main__ import main
from crawlers.read.containers.files.reading import Text
from crawlers.read.files import account_of
from crawlers.read.layouts.layout_files import FileLayout, PaperLayout
from crawlers.read.layouts.line_patterns import compiled
from crawlers.read.papers import questions_by_layout, questions_in
from crawlers.read.proposed import _key, proposed_layout
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.vocabulary.labels import flat
from crawlers.read_imports import read_files, store_files
from tests.crawlers.read.bodies import SEEN
from tests.crawlers.read.layouts.odd_papers import ODD_PAPERS, Written
from tests.layouts.gold import paper
from tests.layouts.text import layout as layout_form
from tests.layouts.text import lines_of


def _read(text: str, layout: PaperLayout) -> FileReading:
    reading = questions_by_layout("a.txt", Text(dedent(text).split("\n")), layout, SEEN)
    account_of("a.txt", b"", "paper", reading)  # raises if a character is counted twice or not at all
    return reading


def _questions(reading: FileReading) -> list[QuestionItem]:
    return [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt]


def _rows(reading: FileReading) -> list[Written]:
    """Return stem, options and answer of each question that was read."""
    return [
        Written(item.stem_raw or "", [option[3:] for option in item.options_raw or []], item.answer_raw or "")
        for item in _questions(reading)
    ]


@pytest.mark.parametrize("name", ODD_PAPERS)
def test_a_paper_in_an_odd_layout_is_read_by_its_patterns(name: str) -> None:
    text, layout, written = ODD_PAPERS[name]
    reading = _read(text, layout)
    assert _rows(reading) == written, reading.faults


_PAPER = "一、单选题\n" + "".join(
    f"{n}. 第{n}次应当先看哪一项（ ）\nA. 甲{n}\nB. 乙{n}\nC. 丙{n}\n答案：B\n解析：因为\n" for n in range(1, 9)
)


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return path


def _items(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_example_of_the_docs_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    section = (Path(__file__).parents[4] / "docs/papers.md").read_text(encoding="utf-8").split("## When a paper is misread")[1]
    paper = _written(tmp_path / "卷一.txt", section.split("```text\n")[1].split("```")[0])
    _written(tmp_path / "卷一.layout.yaml", section.split("```yaml\n")[1].split("```")[0])
    assert main([str(paper)]) == 0
    assert [(item["stem_raw"], item["options_raw"], item["answer_raw"]) for item in _items(capsys)] == [
        ("感觉是（）", ["A. 甲", "B. 乙"], "B"),
        ("知觉是", ["A. 丙", "B. 丁"], "A"),
    ]


def test_a_proposal_of_a_paper_is_read_corrected_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper = _written(tmp_path / "a.txt", _PAPER)
    layout = tmp_path / "a.layout.yaml"
    assert main([str(paper)]) == 0
    usual = _items(capsys)
    assert main([str(paper), "--propose"]) == 0
    proposed = layout.read_text(encoding="utf-8")
    assert "by this layout: 8 questions, 0 without an answer, 0 rejected, 0 characters unread" in proposed and proposed.count(" => ") == 10
    assert "confirmed: no" not in proposed
    capsys.readouterr()
    assert main([str(paper)]) == 0
    own = _items(capsys)
    keys = ("options_raw", "answer_raw", "explanation_raw", "section_raw", "number_raw")
    assert [[item[key] for key in keys] for item in own] == [[item[key] for key in keys] for item in usual]
    layout.write_text(proposed.replace("{explanation}", "{}"), encoding="utf-8")
    assert main([str(paper)]) == 0
    assert [item["explanation_raw"] for item in _items(capsys)] == [None] * 8
    assert main([str(paper), "--propose"]) == 1
    assert "already exists" in capsys.readouterr().err


def test_a_proposal_that_leaves_something_waits_for_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper = _written(tmp_path / "a.txt", f"{_PAPER}\n\n这里另有一行文字与题目无关\n")
    assert main([str(paper), "--propose"]) == 0
    proposed = (tmp_path / "a.layout.yaml").read_text(encoding="utf-8")
    assert "confirmed: no" in proposed and "# unread: 这里另有一行文字与题目无关" in proposed
    capsys.readouterr()
    assert main([str(paper)]) == 1
    assert "has `confirmed: no`" in capsys.readouterr().err


def test_an_unreadable_paper_gets_a_skeleton_with_its_first_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper = _written(tmp_path / "a.txt", "\n".join(f"第{n}行\x07没有题目" for n in range(30)))
    assert main([str(paper)]) == 1
    assert "a.txt --propose writes a layout" in capsys.readouterr().err
    assert main([str(paper), "--propose"]) == 0
    proposed = (tmp_path / "a.layout.yaml").read_text(encoding="utf-8")
    assert "# 第9行没有题目" in proposed and "第10行" not in proposed and "{number}. {stem}" in proposed and "confirmed: no" in proposed


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("question: '{number}、{stme}'", "unknown name in braces 'stme'; known: .*stem.*did you mean stem"),
        ("question: '{number}、{stem}{option}'", "expected a character or a space between two names"),
        ("question: '{number、{stem}'", "an unmatched brace"),
        ("question: '{number}、{option}'", r"question: expected \{stem\}"),
        ("question: ''", r"question: expected \{stem\}"),
        ("question: '{number}、{stem}'\n    heading: '{heading}'", "heading: pattern '{heading}' matches any line"),
        ("question: '{number}、{stem}'\n    leave_out: ['{}']", "leave_out: pattern '{}' matches any line"),
        ("question: '{number}、{stem}'\n    heading: '第{numeral}章'", r"expected \{heading\} in it"),
        ("question: '{number}、{number}、{stem}'", r"\{number\} twice"),
        ("question: '{stem} " + "{} " * 30 + "'", "31 names; expected at most 24"),
        ("question: '" + "长" * 401 + "{stem}'", "expected a line of 1 to 400 characters"),
        ("question: '{stem}'\n    answer: '{answer}'", "unknown field `answer`"),
    ],
)
def test_an_invalid_pattern_reports_what_was_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str, message: str
) -> None:
    paper = _written(tmp_path / "a.txt", _PAPER)
    _written(tmp_path / "a.layout.yaml", f"a:\n  paper:\n    {layout}\n")
    assert main([str(paper)]) == 1
    error = capsys.readouterr().err
    assert "a.layout.yaml" in error
    assert re.search(message, error), error


_SIMPLE = PaperLayout(
    question="{number}、{stem}\n{letter}. {option}\n答：{answer}\n解：{explanation}", answers=["答案", "{number}-{answer}"]
)


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        ("1、感觉是\nA. 甲\nC. 丙\n答：A", ["options_unreadable"]),
        ("1、感觉是\nA. 甲\n答：A", ["options_unreadable"]),
        ("1、感觉是\nA. 甲\nA. 乙\n答：A", ["options_unreadable"]),
        ("1、感觉是\nA. 甲\nB. 乙\nC：丙\n答：A", ["options_unreadable"]),  # the third option fits no pattern
        ("1、感觉是\nA. 甲\nB. 乙\n答：A\n答：B", ["two_answers"]),
        ("1、感觉是\nA. 甲\nB. 乙\n答：A\n\n答案\n1-B", ["two_answers"]),
        ("1、感觉是\nA. 甲\nB. 乙\n【答案】A", ["options_unreadable"]),  # the answer is in the option
        ("1、感觉是\nA. 甲\nB. 乙\n答案\n1-A\n1-B", ["two_answers"]),
        (
            "1、感觉是\nA. 甲\nB. 乙\n2、知觉是\nA. 甲\nB. 乙\n答案\n1-A\n3-B",
            [None, "answer_list_mismatch"],
        ),  # 2 has none, and 3 is not a question
        ("1、感觉是\nA. 甲\nB. 乙\n2: 知觉是\n3、记忆是\nA. 甲\nB. 乙", ["options_unreadable", None]),  # 2 fits no pattern
        ("1、感觉是\nA. 甲\nB. 乙\n\n2: 知觉是", ["number_out_of_order"]),
        ("1、感觉是\nA. 甲\nB. 乙 C. 丙\n答：A", ["options_unreadable"]),
        ("1、感觉是\nA. 甲\n另一行\nB. 乙\n答：A", ["options_unreadable"]),  # no line is long enough to be wrapped
        ("1、感觉是\nA. 甲\nB. 乙\n答：A 解：因为", ["options_unreadable"]),
        ("1、感觉是\nA. 甲\nB. 乙\n答案\n1-D", ["options_unreadable"]),
        ("1、感觉是\nA. 甲\nB. 乙\n答：A\n2、知觉是\nA. 甲\nB. 乙\n答：B", [None, None]),
    ],
)
def test_rejects_contradictory_questions(text: str, doubts: Sequence[str | None]) -> None:
    reading = _read(text, _SIMPLE)
    assert [item.doubt for item in reading.items if isinstance(item, QuestionItem)] == doubts
    assert len(reading.faults) == sum(map(bool, doubts))


def test_a_damaged_line_never_becomes_another_question() -> None:
    lines, written = [], []
    for number in range(1, 7):
        options, answer = [f"选项{number}{sign}" for sign in "红绿蓝紫"], "ABCD"[number % 4]
        lines += [f"{number}、第{number}题的题干", *(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))]
        lines += [f"答：{answer}", f"解：理由{number}"]
        written.append(Written(f"第{number}题的题干", options, answer))
    for at, line in enumerate(lines[1:], 1):
        for damaged in (
            [*lines[:at], line, *lines[at:]],
            [*lines[:at], "", *lines[at:]],
            [*lines[:at], line.translate(str.maketrans("、.：", "；：=")), *lines[at + 1 :]],
            [*lines[: at - 1], f"{lines[at - 1]} {line}", *lines[at + 1 :]],
            [*lines[: at - 1], line, lines[at - 1], *lines[at + 1 :]],
        ):
            read = _rows(_read("\n".join(damaged), _SIMPLE))
            assert all(one in written for one in read if one.answer), (at, damaged[max(0, at - 2) : at + 3])
            assert len(read) >= len(written) - 3


_BY_PLACE = PaperLayout(question="{stem}\n{option}\n答：{answer}")


@pytest.mark.parametrize(
    ("block", "doubts"),
    [
        ("记忆是\n红\n蓝\n答：A\n", [None, None, "options_unreadable", None]),  # one option is missing
        ("记忆是\n红\n多余的一行\n绿\n蓝\n答：A\n", [None, None, "options_unreadable", None]),
        ("记忆是\n\n红\n绿\n蓝\n答：A\n", [None, None, "options_unreadable", None]),  # an empty line within
        ("记忆是\n红\n绿\n蓝\n答：D\n", [None, None, "options_unreadable", None]),  # there is no D
        ("记忆有阶段\n正确\n错误\n答：A\n", [None, None, None, None]),
    ],
)
def test_questions_found_by_position_have_equal_length(block: str, doubts: Sequence[str | None]) -> None:
    usual = "{}是\n红\n绿\n蓝\n答：B\n"
    reading = _read("\n".join([usual.format("感觉"), usual.format("知觉"), block, usual.format("思维")]), _BY_PLACE)
    assert [item.doubt for item in reading.items if isinstance(item, QuestionItem)] == doubts


def test_unmatched_lines_are_unread_and_dropped_lines_are_furniture() -> None:
    layout = PaperLayout(question=_SIMPLE.question, leave_out=["※{}"])
    text = Text(["※ 广告", "前言一行。", "1、感觉是", "知觉的基础", "A. 甲", "B. 乙", "第 3 页", "答：A", "", "后记一行"])
    reading = questions_by_layout("a.txt", text, layout, SEEN)
    account = account_of("a.txt", b"", "paper", reading)
    assert [row.stem for row in _rows(reading)] == ["感觉是\n知觉的基础"]
    assert [one.text for one in account.unread] == ["前言一行。", "后记一行"] and account.difference == 0
    assert "※ 广告" not in reading.unread and "前言一行。" in reading.unread
    assert account.characters == sum(len("".join(line.split())) for line in text.lines)


def test_a_case_ends_with_its_questions_and_shared_options_are_options() -> None:
    layout = PaperLayout(question="{number}、{stem}\n答：{answer}", case="（{first}～{last}题共用）", heading="{numeral}、{heading}")
    text = "（1～2题共用）\n患者，男，45岁。\n1、首选检查\n答：甲\n2、首选治疗\n答：乙\n3、感觉是\n答：丙\n"
    text += "（4～5题共用）\nA. 红\nB. 绿\n4、叶是\n答：B\n5、火是\n答：A"
    items = [item for item in _read(text, layout).items if isinstance(item, QuestionItem)]
    assert [item.case_raw for item in items] == ["患者，男，45岁。"] * 2 + [None] * 3
    assert [item.shared_options_raw for item in items] == [None] * 3 + [["A. 红", "B. 绿"]] * 2
    assert [item.group_raw for item in items] == ["g1", "g1", None, "g2", "g2"]


@pytest.mark.parametrize("format_name", [None, "paper"])
def test_an_import_reads_its_papers_by_the_layouts_beside_them(tmp_path: Path, format_name: str | None) -> None:
    text, layout, written = ODD_PAPERS["own_marks"]
    _written(tmp_path / "own/a.txt", text)
    _written(tmp_path / "own/b.txt", _PAPER)
    _written(tmp_path / "own/a.layout.yaml", json.dumps({"a": {"paper": msgspec.to_builtins(layout)}}, ensure_ascii=False))
    (tmp_path / "pages").mkdir()
    source = Import(path=str(tmp_path / "own"), snapshot="2026-01-01", format=format_name)
    store_files("mine", source, tmp_path / "pages")
    items = list(read_files("mine", source, tmp_path / "pages", 0.1))
    assert [item.provenance.position for item in items if item.url == "file:a.txt"] == ["q1", "q2"]
    assert len(items) == len(written) + 8


_WORDS = st.text("感知觉记忆思维甲乙丙丁戊", min_size=1, max_size=12)
_MARKS = ("题{} >> ", "〔{}〕", "No.{} ", "{}＝")
_LETTERED = ("{}=> ", "〈{}〉", "{} - ")
_ANSWERED = ("标答：{}", "正解→{}", "〖{}〗")


@given(
    st.lists(st.tuples(_WORDS, st.lists(_WORDS, min_size=2, max_size=6, unique=True), st.integers(0, 5), _WORDS), min_size=1, max_size=12),
    st.sampled_from(_MARKS),
    st.sampled_from(_LETTERED),
    st.sampled_from(_ANSWERED),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_a_paper_is_read_back_by_the_template_that_wrote_it(
    questions: list, mark: str, letter: str, answered: str, is_listed: bool
) -> None:
    lines, key, written = [], ["== 钥匙 =="], []
    for number, (stem, options, right, reason) in enumerate(questions, 1):
        answer = "ABCDEF"[right % len(options)]
        lines += [mark.format(number) + stem, *(letter.format("ABCDEF"[at]) + option for at, option in enumerate(options))]
        lines += [] if is_listed else [answered.format(answer)]
        lines.append(f"※{reason}")
        key.append(f"{number}∥{answer}")
        written.append(Written(stem, options, answer))
    patterns = [mark.format("{number}") + "{stem}", letter.format("{letter}") + "{option}", answered.format("{answer}"), "※{explanation}"]
    layout = PaperLayout(question="\n".join(patterns), answers=["== 钥匙 ==", "{number}∥{answer}"] if is_listed else [])
    reading = _read("\n".join([*lines, *(key if is_listed else [])]), layout)
    assert _rows(reading) == written, reading.faults
    explanations = [item.explanation_raw for item in reading.items if isinstance(item, QuestionItem)]
    assert explanations == [reason for *_, reason in questions]


@pytest.mark.parametrize("seed", range(40))
def test_a_proposal_reads_at_least_what_is_read_without_it(seed: int) -> None:
    """A proposal that needs no confirmation reads every question as before."""
    rng = Random(seed)
    name, lines = "a.txt", lines_of(paper(rng), layout_form(rng), rng)
    text = Text(lines)
    try:
        usual = questions_in(name, text, SEEN)
    except ValueError:
        return
    try:
        proposal = proposed_layout(name, "\n".join(lines).encode())
    except ValueError as error:
        assert "none is needed" in str(error)
        return
    proposed = next(iter(msgspec.convert(yaml_values(proposal, "a", ""), dict[str, FileLayout]).values()))
    if proposed.paper is None:
        return
    own = questions_by_layout(name, text, proposed.paper, SEEN)
    account_of(name, b"", "paper", own)
    lost = Counter(map(_key, _questions(usual))) - Counter(map(_key, _questions(own)))
    assert not proposed.is_confirmed or not lost


@pytest.mark.parametrize(
    "pattern",
    [
        "{number}、{stem}（{answer}）",
        "{stem} {answer}",
        "{}a{}a{}a{}a{}a{}b",
        "{stem}，{}，{}，{}，{}，{explanation}",
        "{letter}. {option} {letter}. {option}",
    ],
)
@pytest.mark.parametrize(
    "line", ["1、" + "（" * 40_000, "a" * 40_000, "，" * 40_000, " " * 20_000 + "A" * 20_000, "A. " * 13_000, "A B " * 10_000]
)
def test_matches_hostile_lines_quickly(pattern: str, line: str) -> None:
    one, start = compiled(pattern, "test"), thread_time()
    one.fields(flat(line))
    assert thread_time() - start < 2


@pytest.mark.parametrize("name", ["a.gs", "a.Rmd", "a.js", "a.json", "a.unknown"])
def test_a_layout_of_lines_reads_any_file_that_has_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    source = "".join(f'add("第{n}次应当先看哪一项", [\n  choice("甲", false),\n  choice("乙", true)\n]);\n' for n in range(1, 5))
    _written(tmp_path / name, source)
    layout = {"paper": {"question": 'add("{stem}", [\nchoice("{option}", false),\nchoice("{right_option}", true)', "leave_out": "]);"}}
    _written(tmp_path / "a.layout.yaml", json.dumps({"a": layout}, ensure_ascii=False))
    assert main([str(tmp_path / name)]) == 0
    assert [(item["options_raw"], item["answer_raw"]) for item in _items(capsys)] == [(["A. 甲", "B. 乙"], "B")] * 4


def test_proposes_a_layout_for_the_file_in_a_container(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("inner/卷.txt", _PAPER)
    assert main([str(tmp_path / "a.zip"), "--propose"]) == 0
    assert main([str(tmp_path / "a.zip")]) == 0
    assert len(_items(capsys)) == 8


def test_rejects_a_question_that_swallows_others() -> None:
    layout = PaperLayout(question="{number}、{stem}\n答：{answer}\n解：{explanation}")
    usual = [f"{n}、第{n}次应当先看哪一项\n答：甲{n}\n解：因为" for n in range(1, 5)]
    others = "".join(f"{sign}◇另一种题目的题干在此处第{sign}题应当怎样回答才对\n◆回答的要点在此处\n" for sign in "甲乙丙丁戊己")
    reading = _read("\n".join([*usual[:2], others.strip(), *usual[2:]]), layout)
    doubts = [item.doubt for item in reading.items if isinstance(item, QuestionItem)]
    assert doubts == [None, "stem_unreadable", None, None]
    lettered = _read("\n".join([*usual[:2], "A. 红", "B. 绿", *usual[2:]]), layout)
    assert [item.doubt for item in lettered.items if isinstance(item, QuestionItem)] == [None, "options_unreadable", None, None]


@pytest.mark.parametrize(
    ("options", "template", "answer"),
    [
        ("甲﹚{0}　乙﹚{1}　丙﹚{2}", "{options}", "乙"),
        ("a~{0} b~{1} c~{2}", "{options}", "b"),
        ("①→{0} ②→{1}\n③→{2}", "{options}", "②"),
        ("|a-{0}|b-{1}|c-{2}", "{options}", "b"),
        ("甲\n= {0}\n乙\n= {1}\n丙\n= {2}", "{letter}\n= {option}", "乙"),
    ],
)
def test_strips_letters_with_unusual_signs(options: str, template: str, answer: str) -> None:
    texts = [[f"{word}{n}" for word in ("感觉", "知觉", "记忆")] for n in range(1, 7)]
    text = "".join(f"〖{n}〗第{n}项应当先看哪一个\n{options.format(*each)}\n＊{answer}\n" for n, each in enumerate(texts, 1))
    reading = _read(text, PaperLayout(question=f"〖{{number}}〗{{stem}}\n{template}\n＊{{answer}}"))
    assert [(row.options, row.answer.upper()) for row in _rows(reading)] == [(each, "B") for each in texts], reading.faults
    account = account_of("a.txt", text.encode(), "paper", reading)
    assert account.unread_characters == 0, account.unread


def test_a_proposal_never_has_the_name_of_a_format() -> None:
    proposal = proposed_layout("paper.txt", _PAPER.encode())
    assert '"paper (file)":' in proposal and '"paper":' not in proposal


@pytest.mark.parametrize("between", [["2楼 某某 发表于 22:00"], ["", "2楼 某某 发表于 22:00"], ["回复", "", "2楼 某某 发表于 22:00"]])
def test_a_line_below_dropped_lines_continues_only_a_full_line(between: list[str]) -> None:
    layout = PaperLayout(question="{number}、{stem}\n{options}\n答：{answer}", leave_out=["{}楼 {}发表于 {}", "回复"])
    lines = ["1、感觉是", "A. 甲 B. 乙", *between, "顶一下", "答：A"] * 2
    reading = questions_by_layout("a.txt", Text(lines), layout, SEEN)
    assert [row.options for row in _rows(reading)] == [["甲", "乙"]] * 2 and "顶一下" in reading.unread
