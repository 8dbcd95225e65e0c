"""Ways of writing numbers and letters that hide where a question or an option begins."""

import pytest

from crawlers.papers.paper import read_paper

YEARS = ["2017年（ ）通过了决议。", "25岁的成人，心率是（ ）。", "18～24小时内应（ ）。", "3.5mg的剂量适用于（ ）。"]


def _asked(number: int, words: str, answer: str = "B") -> str:
    return f"{number}\t{words}\n \t\nA、甲\nB、乙\n正确答案：{answer}\n "


@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize("words", YEARS)
def test_a_tab_parts_a_number_from_words_that_open_with_one(words: str, place: int) -> None:
    plain = ["感觉是（ ）的反映。", "知觉是（ ）的反映。", "记忆是（ ）的反映。", "思维是（ ）的反映。"]
    stems = [*plain[:place], words, *plain[place:]]
    reading = read_paper("\n".join(_asked(number, stem, "AB"[number % 2]) for number, stem in enumerate(stems, 1)).split("\n"))
    assert [draft.stem for draft in reading.questions] == stems and not reading.rejected
    assert [draft.answer for draft in reading.questions] == ["AB"[number % 2] for number in range(1, 6)]


def test_a_table_by_tabs_keeps_its_cells() -> None:
    rows = ["题号\t题目\tA\tB\t答案", *(f"{place}\t20{place}年发现了（ ）\t甲\t乙\tB" for place in range(1, 5))]
    reading = read_paper(rows)
    assert [(len(draft.options), draft.answer) for draft in reading.questions] == [(2, "B")] * 4
    assert [draft.stem.endswith(f"20{place}年发现了（ ）") for place, draft in enumerate(reading.questions, 1)] == [True] * 4


@pytest.mark.parametrize("last", ["【D】\n自我实现的需求", "【D】 自我实现的需求"])
def test_a_letter_in_brackets_alone_on_its_line_opens_an_option(last: str) -> None:
    lines = "第{}题(单选)：\n需求为：\n【A】 生理\n【B】 安全\n【C】 友爱\n{}\n正确答案:C\n"
    drafts = read_paper("\n".join(lines.format(place, last) for place in (1, 2, 3)).split("\n")).questions
    assert [(draft.options[3], draft.answer) for draft in drafts] == [("【D】 自我实现的需求", "C")] * 3


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("words", ["应该选择正确答案", "没有什么标准答案吧", "核对参考答案", "附答案"])
def test_an_option_may_speak_of_answers(words: str, place: int) -> None:
    texts = ["一次完成", "平静作答", "凭第一感觉", "请教老师"]
    texts[place] = words
    options = "\n".join(f"{letter}、{text}" for letter, text in zip("ABCD", texts, strict=True))
    reading = read_paper(f"1、错误的方式是：\n{options}\n正确答案:D\n2、正确的方式是：\n{options}\n正确答案:A".split("\n"))
    assert [(draft.options[place][2:], draft.answer) for draft in reading.questions] == [(words, "D"), (words, "A")]


@pytest.mark.parametrize("title", [" 参考答案：1.A", "。答案：AB", "  附答案 1A 2B"])
def test_a_title_of_answers_behind_an_option_is_no_part_of_it(title: str) -> None:
    reading = read_paper(f"1、感觉是（ ）\nA、甲\nB、乙\n2、知觉是（ ）\nA、甲\nB、乙{title}".split("\n"))
    assert not any("答案" in option for draft in reading.questions for option in draft.options)


@pytest.mark.parametrize("field", ["【答案：{}】", "〔答案：{}〕", "【正确答案: {}】【解析：感觉（{}）反映属性。】"])
def test_brackets_may_be_around_the_name_and_the_words_of_a_field(field: str) -> None:
    asked = [f"{number}、第{number}个环节是\nA.甲  B.乙  C.丙\n{field.format(key, key)}" for number, key in enumerate("BCA", 1)]
    reading = read_paper("\n".join(asked).split("\n"))
    assert [draft.answer for draft in reading.questions] == ["B", "C", "A"] and not reading.rejected
    assert [draft.options[2] for draft in reading.questions] == ["C.丙"] * 3


def test_a_blank_alone_on_its_line_belongs_to_the_words_above() -> None:
    long = "甲乙两组第三次测量的平均结果应当写进同一张表格，不得只写其中一组。"
    lines = ["【1】应当按时上课。", "答案：√", f"【2】{long}", "（ ）", "答案：×", "【3】应当按时下课。（ ）", "答案：√"]
    reading = read_paper(lines)
    assert [(draft.number, draft.answer) for draft in reading.questions] == [(1, "√"), (2, "×"), (3, "√")]
    assert not reading.rejected and reading.questions[1].stem.endswith(f"{long}（ ）")


@pytest.mark.parametrize("end", ["—— 完 ——", "（全卷完）", "-- END --", "—END—"])
def test_the_end_of_a_paper_is_no_part_of_its_last_question(end: str) -> None:
    lines = ["(T) 1. 应当按时上课。", "(F) 2. 应当按时下课。", "(T) 3. 应当按时交作业。", "", end, "整理：教务科"]
    reading = read_paper(lines)
    assert [draft.stem for draft in reading.questions][2:] == ["3. 应当按时交作业。"] and not reading.rejected
    assert reading.unread == [end, "整理：教务科"]


def test_a_trail_of_links_is_no_part_of_the_first_stem() -> None:
    stems = ["属于感觉的是（ ）", "属于知觉的是（ ）", "属于记忆的是（ ）"]
    asked = [["", "单选题", "", stem, *(f"{letter}　做法{letter}" for letter in "ABC"), "正确答案：B"] for stem in stems]
    reading = read_paper(["首页 > 题库 > 在线练习", *(line for one in asked for line in one)])
    assert [(draft.stem, draft.answer) for draft in reading.questions] == [(stem, "B") for stem in stems]


def test_answers_that_have_come_are_a_list() -> None:
    listed = ["1. 感觉是", "A.甲", "B.乙", "2. 知觉是", "A.甲", "B.乙", "答案来了：", "1B 2A"]
    assert [(draft.answer, draft.options[1]) for draft in read_paper(listed).questions] == [("B", "B.乙"), ("A", "B.乙")]
