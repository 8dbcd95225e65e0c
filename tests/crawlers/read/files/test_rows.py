"""Tables as teachers make them: headers of two rows, tables side by side, options in any cell, rows that apply to others."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from crawlers.read.formats import guess_format, read_file
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.tables.records.stem_cells import parts_of_stem
from crawlers.read.tables.roles.values import split_options
from tests.crawlers.read.bodies import SEEN, book_of, sound

HEADER = ["题干", "A", "B", "C", "D", "答案", "备注"]


def read(*rows: list[Any], title: str = "Sheet1", merged: tuple[str, ...] = ()) -> FileReading:
    return checked(book_of((title, list(rows)), merged=merged))


def checked(body: bytes, name: str = "a.xlsx") -> FileReading:
    reading = read_file(name, body, "table", SEEN)
    assert reading.record_count == len(reading.items) == len({item.provenance.position for item in reading.items})
    return reading


def doubts(reading: FileReading) -> list[tuple[str, str | None]]:
    return [(item.provenance.position, item.doubt) for item in reading.items if isinstance(item, QuestionItem) and item.doubt]


ABCD = ["A.甲", "B.乙", "C.丙", "D.丁"]


@pytest.mark.parametrize("merged", [(), ("C1:F1",), ("A1:A2", "B1:B2", "C1:F1", "G1:G2")])
def test_a_header_of_two_rows(merged: tuple[str, ...]) -> None:
    upper = ["序号", "试题", "选项", None, None, None, "答案"]
    lower = [None, None, "A", "B", "C", "D", None]
    reading = read(upper, lower, [1, "感觉是", "甲", "乙", "丙", "丁", "A"], [2, "知觉是", "戊", "己", None, None, "B"], merged=merged)
    assert [(item.number_raw, item.options_raw, item.answer_raw) for item in sound(reading)] == [
        ("1", ABCD, "A"),
        ("2", ["A.戊", "B.己"], "B"),
    ]
    assert reading.unread == [] and reading.record_count == 2


def test_a_wide_header_of_one_row_names_all_its_columns() -> None:
    reading = read(
        ["试题", "选项", None, None, None, "答案"],
        ["感觉是", "甲", "乙", "丙", "丁", "A"],
        ["知觉是", "A.甲 B.乙 C.丙 D.丁", None, None, None, "B"],
    )
    assert [item.options_raw for item in sound(reading)] == [ABCD, ABCD] and reading.unread == []


def test_a_wide_header_may_be_the_last_one() -> None:
    reading = read(["试题", "答案", "选项", None, None], ["感觉是", "A", "甲", "乙", "丙"], merged=("C1:E1",))
    assert [item.options_raw for item in sound(reading)] == [ABCD[:3]]
    reading = read(["试题", "答案", "选项"], ["感觉是", "A", "A.甲 B.乙"], ["知觉是", "A", "A.甲 B.乙", "要考"])
    assert [item.options_raw for item in sound(reading)] == [ABCD[:2]] and doubts(reading) == [("Sheet1:row:3", "options_unreadable")]


def test_a_repeated_header_is_not_a_question() -> None:
    upper, lower = ["试题", "选项", None, "答案"], [None, "A", "B", None]
    question = ["感觉是", "甲", "乙", "A"]
    assert read(upper, lower, question, upper, lower, question).record_count == 2


def test_a_question_in_one_cell_and_an_answer_without_options() -> None:
    rows = [
        ["感觉是\nA.甲\nB.乙\nC.丙", "A"],
        ["2.知觉是 A.甲 B.乙 C.丙", "B"],
        ["想象是（B）A.甲 B.乙 C.丙", None],
        ["记忆是", "A"],
        ["什么是记忆？", "记忆是过去经验的反映。"],
        ["动机是 A.甲 C.丙 B.乙 B.丁", "A"],
    ]
    reading = read(["题目", "答案"], *rows)
    assert [(item.stem_raw, item.options_raw, item.answer_raw) for item in sound(reading)] == [
        ("感觉是", ABCD[:3], "A"),
        ("2.知觉是", ABCD[:3], "B"),
        ("想象是（ ）", ABCD[:3], "B"),
        ("什么是记忆？", None, "记忆是过去经验的反映。"),
    ]
    assert doubts(reading) == [("Sheet1:row:5", "options_unreadable"), ("Sheet1:row:7", "options_unreadable")]


def test_keeps_fields_next_to_a_question_in_one_cell() -> None:
    (item,) = sound(read(["题目", "答案", "解析"], ["知觉是（B）A.甲 B.乙 C.丙", "B", "见书"]))
    assert (item.options_raw, item.answer_raw, item.explanation_raw) == (ABCD[:3], "B", "见书")


@pytest.mark.parametrize(
    ("in_stem", "beside", "reason"), [("C", "B", "two_answers"), ("AC", "A、C", None), ("ca", "AC", None), ("", "B", None)]
)
def test_an_answer_in_the_stem_cell_must_match_the_answer_column(in_stem: str, beside: str, reason: str | None) -> None:
    reading = read(["题目", "答案"], [f"知觉是（{in_stem}）A.甲 B.乙 C.丙", beside])
    assert doubts(reading) == ([("Sheet1:row:2", reason)] if reason else [])
    assert [item.answer_raw for item in sound(reading)] == ([] if reason else [beside])


@pytest.mark.parametrize("text", ["口服A、B两药，B、C无效", "什么是A型行为与B型行为", "", "1.一\n2.二\nA", "维生素A 和维生素B"])
def test_a_text_without_options_stays_whole(text: str) -> None:
    assert parts_of_stem(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "参与非法传销活动的，给予（）\n以上处分。Ａ警告\nB 严重警告\n记过\n留校察看\nD\n正确答案 C",
        "金额达到1000元以上，给予何种处分？\nＡ警告\n严重警告 B\n记过以上留校察看\nD\n正确答案 C",
        "必须从（）战略高度把握新时代党\n的历史方位。 A经济建设\nB 生态建设\n中华民族伟大复兴\nD 文明建设\n正确答案 C",
        "国家助学金分为（）档。 A 5\n4\nB\nD\n正确答案 c",
    ],
)
def test_rejects_options_with_a_missing_letter(text: str) -> None:
    assert parts_of_stem(text) == {"doubt": "options_unreadable"}


VERDICT_CELLS = [
    ("转专业的学生应补修课程。\n是 B否\n正确答案 A", "转专业的学生应补修课程。", ["是", "否"], "A"),
    ("修完规定内容，准予毕\n业，发给结业证书。Ａ是\n否\n正确答案 B", "修完规定内容，准予毕业，发给结业证书。", ["是", "否"], "B"),
    ("宗教活动\n应当登记。\n对 B错\n正确答案", "宗教活动应当登记。", ["对", "错"], None),
    ("234/473选题拒绝执行公务的，\n应当给予处分。\n是 B否\n正确答案 A", "拒绝执行公务的，应当给予处分。", ["是", "否"], "A"),
    ("Which organ filters\nblood in the human（ ）\n是 B否\n正确答案：A", "Which organ filters blood in the human（ ）", ["是", "否"], "A"),
    ("98/473单选题\n应当登记吗？Ａ是\u3000\n否\n正确答案 B", "应当登记吗？", ["是", "否"], "B"),
]


@pytest.mark.parametrize(("text", "stem", "options", "answer"), VERDICT_CELLS)
def test_two_verdicts_at_the_end_of_a_cell_are_its_options(text: str, stem: str, options: list[str], answer: str | None) -> None:
    assert parts_of_stem(text) == {"stem_raw": stem, "options_raw": options} | ({"answer_raw": answer} if answer else {})


@pytest.mark.parametrize("text", ["下列做法 A 报告 B 是 否 正确答案 B", "应当登记吗？\n是\n否", "A 应当登记\nB 不登记\n是\n否\n正确答案 A"])
def test_unlabelled_verdicts_are_not_options(text: str) -> None:
    assert parts_of_stem(text).get("options_raw") not in (["是", "否"], ["对", "错"])


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        ("应给予（）以上处分。\nA警告\nB记过\nC记大过\nD开除", ["警告", "记过", "记大过", "开除"]),
        ("好发冠心病的人格有（）\nA型人\nB型人\nC型人\nD型人", ["A型人", "B型人", "C型人", "D型人"]),
        ("进度分为（）\nA一档\nB一级\nC一段\nD二档", None),
    ],
)
def test_strips_letters_before_words(cell: str, options: list[str] | None) -> None:
    parts = parts_of_stem(cell)
    assert parts.get("options_raw") == options and (options or parts["doubt"] == "options_unreadable")


@pytest.mark.parametrize(
    ("stem", "run"),
    [
        ("给小鼠注射药物（A）后，B基因的表达（ ）", "\nA．升高\nB．降低\nC．不变\nD．消失"),
        ("下列实验\n①给药甲\n②给药乙\n③停药\n④对照\n有效的是（）", "A．①② B．②③ C．③④ D．①④"),
        ("下表中正确的是（ ）\nA 甲 皮疹\nB 乙 发热\nC 丙 头痛\nD 丁 咳嗽", "\nA．A\nB．B\nC．C\nD．D"),
    ],
)
def test_letters_and_circled_numbers_in_a_stem_start_no_options(stem: str, run: str) -> None:
    parts = parts_of_stem(f"6．{stem}{run}")
    assert re.sub(r"\s", "", parts["stem_raw"]) == re.sub(r"\s", "", f"6．{stem}")
    assert parts["options_raw"] == re.findall(r"[A-D]．\S+", run)


def test_letters_above_the_questions_of_a_cell_are_not_options() -> None:
    cell = "某实验如下：\na．记录尿量。\nb．注射药物。\nc．再次记录。\n回答下列问题：\n（1）尿量减少的原因是____。"
    assert parts_of_stem(cell) == {"stem_raw": cell}


def test_escaped_line_breaks_separate_options() -> None:
    assert split_options("A 0.1g\\nB甘遂入丸散\\nC 0.5g") == ["A 0.1g", "B甘遂入丸散", "C 0.5g"]
    assert split_options("输出\\n表示换行") == ["输出\\n表示换行"]


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        ("A甲 B乙 C丙 D丁", ["A甲", "B乙", "C丙", "D丁"]),
        ("A 甲；B 乙；C 丙", ["A 甲", "B 乙", "C 丙"]),
        ("A型血 B型血 O型血", ["A型血 B型血 O型血"]),
        ("A型 B型", ["A型 B型"]),
        ("A煮沸\n消毒法\nB熏蒸法\nC浸泡法", ["A煮沸\n消毒法", "B熏蒸法", "C浸泡法"]),
        ("A煮沸\nB熏蒸法\nC浸泡法", ["A煮沸", "B熏蒸法", "C浸泡法"]),
        ("A型\nB型\nC型\n以上都不是", ["A型", "B型", "C型", "以上都不是"]),
        ("A型血\nB型血\nO型血", ["A型血", "B型血", "O型血"]),
        ("DNA RNA ATP", ["DNA RNA ATP"]),
    ],
)
def test_letters_without_a_sign(cell: str, options: list[str]) -> None:
    assert split_options(cell) == options


@given(st.lists(st.sampled_from("甲乙丙丁戊己庚辛"), min_size=3, max_size=6), st.sampled_from(["；", "  "]))
def test_splits_options_where_they_were_joined(words: list[str], separator: str) -> None:
    options = [f"{letter}{word}" for letter, word in zip("ABCDEF", words, strict=False)]
    assert split_options(separator.join(options)) == options


def test_headings_and_cases_are_not_questions() -> None:
    reading = read(
        HEADER,
        ["一、单项选择题"],
        ["感觉是", "甲", "乙", "丙", "丁", "A"],
        ["共用题干：患者男，发热。"],
        ["诊断是", "甲", "乙", "丙", "丁", "B"],
        [],
        ["知觉是", "甲", "乙", "丙", "丁", "C"],
        ["二、简答题"],
        ["请论述感觉与知觉的关系"],
    )
    assert [(item.section_raw, item.case_raw, item.stem_raw) for item in sound(reading)] == [
        ("一、单项选择题", None, "感觉是"),
        ("一、单项选择题", "患者男，发热。", "诊断是"),
        ("一、单项选择题", None, "知觉是"),
        ("二、简答题", None, "请论述感觉与知觉的关系"),
    ]
    assert reading.unread == ["一、单项选择题", "二、简答题"]


def test_a_case_applies_to_the_questions_it_names() -> None:
    question = ["是", "甲", "乙", None, None, "A"]
    rows = [["（1～2题共用题干）"], ["某女，30岁。"], question, question, question]
    rows += [["（4-5题共用备选答案）A.甲 B.乙"], ["症状", None, None, None, None, "A"], ["治疗", None, None, None, None, "B"], question]
    items = sound(read(HEADER, *rows))
    assert [item.case_raw for item in items] == ["某女，30岁。", "某女，30岁。", *[None] * 4]
    assert items[0].group_raw == items[1].group_raw is not None
    assert [item.shared_options_raw for item in items] == [None, None, None, ["A.甲", "B.乙"], ["A.甲", "B.乙"], None]


def test_a_patient_alone_in_a_row_is_a_case() -> None:
    question = ["诊断是", "甲", "乙", None, None, "A"]
    rows = [["案例一"], ["患者，女，40岁，反复头痛3年。"], question, ["案例二：患者男，发热。"], question]
    rows += [["患者男，45岁，胸痛。最可能的诊断是"], ["三、选择题"], ["某女，20岁，失眠两个月，情绪低落。"], question]
    items = sound(read(HEADER, *rows))
    assert [(item.section_raw, item.case_raw, item.stem_raw) for item in items] == [
        ("案例一", "患者，女，40岁，反复头痛3年。", "诊断是"),
        (None, "患者男，发热。", "诊断是"),
        (None, "患者男，发热。", "患者男，45岁，胸痛。最可能的诊断是"),
        ("三、选择题", "某女，20岁，失眠两个月，情绪低落。", "诊断是"),
    ]


def test_does_not_letter_options_twice() -> None:
    reading = read(HEADER, ["感觉是", "A.甲", "B.乙", "C.丙", None, "A"], ["知觉是", "A型", "胆汁质", None, None, "A"])
    assert [item.options_raw for item in sound(reading)] == [["A.甲", "B.乙", "C.丙"], ["A.A型", "B.胆汁质"]]


def test_the_sheet_name_gives_the_type() -> None:
    choice, verdict = ["题目", "A", "B", "答案"], ["题目", "答案"]
    sheets = [
        ("单选题", [choice, ["感觉是", "甲", "乙", "A"]]),
        ("判断题", [verdict, ["心理学是科学", "√"]]),
        ("Sheet3", [verdict, ["什么是心理学", "科学"]]),
        ("填空题", [["章节", *verdict], ["第一章", "心理是____的机能", "脑"]]),
    ]
    assert [item.section_raw for item in sound(checked(book_of(*sheets)))] == ["单选题", "判断题", None, "第一章"]


def test_reports_unread_sheets_with_their_rows() -> None:
    rows = [["题目", "A", "B", "答案"], ["感觉是", "甲", "乙", "A"]]
    notes = [["怎样做题"], [], *[[f"第{number}条"] for number in range(30)]]
    reading = checked(book_of(("题库", rows), ("旧题", rows), ("说明", notes), ("空", []), hidden="旧题"))
    assert reading.record_count == 1
    assert reading.skipped == [
        "sheet 旧题: hidden, so its 2 rows are not read; unhide it to have them read: 题目 A B 答案",
        "sheet 说明: no known header, so its 31 rows are not read: 怎样做题",
    ]


def test_an_uncalculated_formula_is_not_an_empty_cell() -> None:
    reading = read(
        ["题目", "A", "B", "答案", "分值"],
        ['=CONCATENATE("感","觉")', "甲", "乙", "A"],
        ["率是", "=1/2", "乙", "A"],
        ["几是", "甲", "乙", "A", "=1+1"],
    )
    assert doubts(reading) == [("Sheet1:row:2", "record_unreadable"), ("Sheet1:row:3", "record_unreadable")]
    assert "column A: a formula whose value was never saved" in reading.faults[1] and len(sound(reading)) == 1


def test_does_not_shift_a_row_with_a_missing_cell() -> None:
    body = "题目,A,B,C,答案,难度\n感觉是,甲,乙,丙,A,易\n知觉是,甲,乙,丙\n想象是,甲,乙,丙,B\n单选题\n记忆是,甲,乙,丙,C,难\n"
    reading = checked(body.encode(), "a.csv")
    assert [(item.stem_raw, item.section_raw) for item in sound(reading)] == [("感觉是", None), ("想象是", None), ("记忆是", "单选题")]
    assert doubts(reading) == [("line:3", "record_unreadable")]
    assert reading.faults == ["line 3: record_unreadable: 4 cells under 6 columns, so it is unknown which one is missing"]


@pytest.mark.parametrize("last", [[None, "合计：2题"], ["合计", "2题"], [None, "共 2 道题"], [None, "总计：2题，共4分"]])
def test_a_total_row_is_not_a_question(last: list[Any]) -> None:
    reading = read(["序号", "题干", "答案"], [1, "感觉是什么", "反映"], [2, "知觉共2题", "反映"], last)
    assert [item.stem_raw for item in sound(reading)] == ["感觉是什么", "知觉共2题"] and not doubts(reading)
    assert reading.unread == [" ".join(filter(None, last))]


_TRUTHS = [(f"第{n}条关于病历书写的要求是正确的。", n % 3 == 0) for n in range(1, 10)]
"""Statements, and whether they are true."""


@pytest.mark.parametrize(
    ("name", "true", "false"),
    [
        ("结果(1对0错)", "1", "0"),
        ("答案（0正确1错误）", "0", "1"),
        ("判断(Y=对;N=错)", "Y", "N"),
        ("结果（对-2，错-1）", "2", "1"),
        ("答案（T真F假）", "T", "F"),
        ("是否正确", "1", "0"),
        ("答案", "1", "0"),
    ],
)
def test_column_names_explain_codes(name: str, true: str, false: str) -> None:
    reading = read(
        ["编号", "内容", name, "章节"], *([n, text, true if is_true else false, "法规"] for n, (text, is_true) in enumerate(_TRUTHS, 1))
    )
    assert [item.answer_raw for item in sound(reading)] == ["正确" if is_true else "错误" for _, is_true in _TRUTHS]


def test_codes_may_stand_for_letters() -> None:
    rows = [[f"第{n}项检查首选的是（ ）", *"甲乙丙丁戊己", n % 6 + 1] for n in range(12)]
    reading = read(["题干", *"ABCDEF", "答案(1=A,2=B,3=C,4=D,5=E,6=F)"], *rows)
    assert [item.answer_raw for item in sound(reading)] == ["ABCDEF"[n % 6] for n in range(12)]


def test_does_not_guess_what_0_and_1_mean() -> None:
    reading = read(["题号", "题目", "答案"], *([n, f"器官{n}", int(is_true)] for n, (_, is_true) in enumerate(_TRUTHS, 1)))
    assert [doubt for _, doubt in doubts(reading)] == ["answer_unreadable"] * len(_TRUTHS)


def test_stacked_tables_have_their_own_headers() -> None:
    reading = read(
        ["一、单选题"],
        ["序号", "题干", "选项A", "选项B", "答案"],
        *([n, f"第{n}项首选的是（ ）", "甲", "乙", "AB"[n % 2]] for n in range(1, 4)),
        ["判断题"],
        ["序号", "题干", "答案"],
        *([n, f"第{n}条要求是正确的。", "√×"[n % 2]] for n in range(1, 4)),
        ["多选题"],
        ["序号", "题干", "选项A", "选项B", "答案"],
        [1, "下列正确的有（ ）", "丙", "丁", "AB"],
    )
    found = [(len(item.options_raw or ()), item.answer_raw) for item in sound(reading)]
    assert found == [(2, "B"), (2, "A"), (2, "B"), (0, "×"), (0, "√"), (0, "×"), (2, "AB")]
    assert [item.section_raw for item in sound(reading)][3:] == ["判断题"] * 3 + ["多选题"]


@pytest.mark.parametrize("words", ["对 错", "正确/错误", "错误、正确"])
def test_two_verdicts_in_a_cell_are_two_options(words: str) -> None:
    assert sorted(split_options(words)) == sorted(re.split(r"[ /、]", words))


@pytest.mark.parametrize(
    ("stem", "name", "true", "false"),
    [("表述", "判断（T/F）", "T", "F"), ("命题内容", "真假", "真", "假"), ("说法", "判定（√/×）", "√", "×"), ("考核叙述", "T/F", "T", "F")],
)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "json"])
def test_statements_with_truth_values_under_further_names(stem: str, name: str, true: str, false: str, suffix: str) -> None:
    header = ["序号", stem, name, "备注"]
    rows = [[str(n), text, true if is_true else false, "见第二章"] for n, (text, is_true) in enumerate(_TRUTHS, 1)]
    separator = {"csv": ",", "tsv": "\t"}.get(suffix)
    if separator:
        text = "\n".join(separator.join(row) for row in [header, *rows])
    else:
        text = json.dumps([dict(zip(header, row, strict=True)) for row in rows], ensure_ascii=False)
    body = text.encode()
    found = sound(read_file(f"a.{suffix}", body, guess_format(f"a.{suffix}", body), SEEN))
    expected = [(text, true if is_true else false) for text, is_true in _TRUTHS]
    verdicts = {"正确": true, "错误": false}
    assert [(item.stem_raw, verdicts.get(item.answer_raw or "", item.answer_raw)) for item in found] == expected
