"""The character account: sums balance, and text planted between the questions is unread in full."""

import json
import random
import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.read import papers
from crawlers.read.account.characters import CharacterAccount, counted, folded, folded_lines, summed
from crawlers.read.account.comparison import ItemTexts, MarkedLines, class_of_line, is_list, mark_items
from crawlers.read.containers.files.reading import Text
from crawlers.read.files import account_of
from crawlers.read.formats import guess_format, read_file
from crawlers.read.lines.questions.draft import ParsedPaper
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.vocabulary.labels import IMAGE

SEEN = Provenance(source="read", url="file:x", snapshot="2026-01-01", page_id="page-1", position="")
WORDS = "肝脏分泌胆汁参与脂肪消化吸收过程心室收缩射血进入主动脉肾小球滤过形成原尿神经元传导冲动依靠离子通道骨骼肌纤维横纹明显"
JUNK = [
    "本刊编辑部祝读者新春愉快",
    "欢迎到二楼服务台领取纪念品",
    "摄影者站在雪山脚下合影",
    "窗外的梧桐树又落下一片叶子",
    "编者按该文作者来自南方小城",
]


def read(name: str, body: bytes, format_name: str | None = None) -> tuple[FileReading, CharacterAccount]:
    """Return the reading of a file and its character account."""
    name_of_format = format_name or guess_format(name, body)
    reading = read_file(name, body, name_of_format, SEEN)
    return reading, account_of(name, body, name_of_format, reading)


def phrase(draw: random.Random, size: int) -> str:
    start = draw.randrange(len(WORDS) - size)
    return WORDS[start : start + size]


def paper_of(draw: random.Random, count: int) -> list[list[str]]:
    """Return the lines of each question of a paper."""
    questions = []
    for number in range(1, count + 1):
        options = draw.sample([f"{phrase(draw, 5)}{sign}{number}" for sign in "甲乙丙丁戊己庚辛"], 4)
        lines = [f"{number}．{phrase(draw, 9)}第{number}项说法正确的是（　）"]
        lines += [f"{letter}．{text}" for letter, text in zip("ABCD", options, strict=True)]
        questions.append([*lines, f"答案：{draw.choice('ABCD')}"])
    return questions


def characters_of(source: object) -> int | None:
    """Count the characters of a file's lines without the account's own functions; None if the source is not lines."""
    if not isinstance(source, Text):
        return None
    return sum(
        not sign.isspace() and sign != IMAGE and unicodedata.category(sign) not in ("Cf", "Cc") for line in source.lines for sign in line
    )


@given(st.lists(st.text("甲乙AB1.（）①ﬁ㎎½İ <b>\u200b\ue000", max_size=400), max_size=6))
@example(["甲乙丙丁" * 250, "<b>" + "甲乙" * 60 + "</b>"])
def test_the_account_has_as_many_characters_as_the_lines(lines: list[str]) -> None:
    source = Text(lines)
    assert account_of("卷.txt", b"", "paper", FileReading(source=source)).characters == characters_of(source)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**9), count=st.integers(3, 12), places=st.sets(st.integers(0, 100), max_size=3))
def test_lines_planted_between_the_sections_of_a_paper_are_unread_in_full(seed: int, count: int, places: set[int]) -> None:
    draw = random.Random(seed)
    questions = paper_of(draw, count)
    planted = dict(zip(sorted({place % count for place in places}), draw.sample(JUNK, 3), strict=False))
    lines = [line for number, one in enumerate(questions) for line in (*([planted[number]] if number in planted else []), *one)]
    reading, account = read("卷.txt", "\n".join(lines).encode())
    assert account.difference == 0
    said = "".join(str(structs.asdict(item)) for item in reading.items)
    expected = {text for text in planted.values() if text not in said}  # the reader may mistake a line for a title or an explanation
    assert {one.text for one in account.unread if one.text in JUNK} == expected
    if not planted:
        assert account.unread == [] and account.in_items > 0.8 * account.characters


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**9), count=st.integers(1, 12), at=st.integers(0, 6), kind=st.sampled_from(["csv", "json", "jsonl"]))
def test_an_unread_column_is_unread_in_full(seed: int, count: int, at: int, kind: str) -> None:
    draw = random.Random(seed)
    keys = ["题干", "A", "B", "C", "D", "答案"]
    rows = [
        dict(zip(keys, [phrase(draw, 9) + "的是", *(phrase(draw, 6) + sign for sign in "甲乙丙丁"), draw.choice("ABCD")], strict=True))
        for _ in range(count)
    ]
    junk = [draw.choice(JUNK) + str(number) for number in range(count)]
    keys.insert(at, "备忘栏")
    rows = [{key: {**row, "备忘栏": junk[place]}[key] for key in keys} for place, row in enumerate(rows)]
    if kind == "csv":
        body = "\n".join([",".join(keys), *(",".join(row.values()) for row in rows)])
    else:
        body = json.dumps(rows, ensure_ascii=False) if kind == "json" else "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    _, account = read(f"bank.{kind}", body.encode(), "table")
    assert account.difference == 0
    assert [one.text for one in account.unread] == junk
    assert {one.reason for one in account.unread} == {"unknown_column" if kind == "csv" else "unknown_key"}
    assert account.unread_characters == sum(map(counted, junk))


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**9), count=st.integers(4, 12), lost=st.integers(0, 100))
def test_detects_a_reader_that_drops_a_question(seed: int, count: int, lost: int) -> None:
    questions = paper_of(random.Random(seed), count)
    body = "\n".join(line for one in questions for line in one).encode()
    reading, account = read("卷.txt", body)
    gone = lost % count
    assert len(reading.items) == count and account.questions_unread == 0
    dropped = structs.asdict(reading) | {"items": [item for place, item in enumerate(reading.items) if place != gone]}
    account = account_of("卷.txt", body, "paper", FileReading(**dropped))
    assert account.difference == 0 and account.questions_unread == 1
    unread = folded("".join(one.text for one in account.unread))
    assert sum(folded(line[2:]) in unread for line in questions[gone][1:5]) >= 3  # eight characters of one may be in others


def test_detects_a_reader_patched_to_drop_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(lines: list[str], paper: ParsedPaper) -> ParsedPaper:
        return structs.replace(paper, questions=paper.questions[:-1])

    monkeypatch.setattr(papers, "better_by_form", lossy)
    questions = paper_of(random.Random(1), 8)
    reading, account = read("卷.txt", "\n".join(line for one in questions for line in one).encode())
    assert len(reading.items) == 7 and account.questions_unread == 1 and account.unread_characters == 42


def test_detects_a_dropped_record() -> None:
    rows = [{"question": f"第{n}个器官是（ ）", "options": ["甲状腺", "乙状结肠"], "answer": "A"} for n in range(4)]
    body = json.dumps(rows, ensure_ascii=False).encode()
    reading, account = read("bank.json", body, "table")
    assert (account.unread, account.questions_unread) == ([], 0)
    dropped = FileReading(**(structs.asdict(reading) | {"items": reading.items[:2] + reading.items[3:]}))
    account = account_of("bank.json", body, "table", dropped)
    assert {(one.position, one.reason) for one in account.unread} == {(f"record:3:{key}", "record_unread") for key in rows[0]}
    assert account.questions_unread == 1


def test_matches_listed_answers_to_items() -> None:
    questions = [line for one in paper_of(random.Random(2), 5) for line in one[:5]]
    _, account = read("卷.txt", "\n".join([*questions, "参考答案", "1-5 ABCDA"]).encode())
    assert account.unread == [] and account.furniture["label"] == 4
    _, account = read("卷.txt", "\n".join([*questions, "参考答案", "1-5 ABCDA 6.C"]).encode())
    assert account.difference == 0


@pytest.mark.parametrize("key", ["1-5 CDACC", "1～5：CDACC", "1-5 C D A C C", "1.C 2.D 3.A 4.C 5.C", "1-5 CD AB A C CE"])
@pytest.mark.parametrize(("heading", "stem"), [("一、单项选择题", "15岁女孩，"), ("一、单项选择题（1-5题每题1分）", "")])
def test_a_list_behind_a_heading_is_in_items_though_one_has_its_first_number_behind_that_heading(heading: str, stem: str, key: str) -> None:
    questions = [line for one in paper_of(random.Random(2), 5) for line in one[:5]]
    questions[0] = questions[0].replace("1.", f"1.{stem}", 1)
    _, account = read("卷.txt", "\n".join([heading, *questions, "参考答案", "一、单项选择题", key]).encode())
    assert (account.unread, account.difference, account.furniture["sign"]) == ([], 0, 0)


@pytest.mark.parametrize(
    ("key", "found"),
    [
        (["1-5 ABCD"], "'1-5 ABCD': 4 answers for 5 numbers"),
        (["1-5 ABCD AB"], "'1-5 ABCD AB': 6 answers for 5 numbers"),
        (["第1-5题 AB ACD BC A"], "'1-5 AB ACD BC A': 4 answers for 5 numbers"),
        (["题号 1 2 3 4 5", "答案 A B C D"], "'题号 1 2 3 4 5 答案 A B C D': 4 answers for 5 numbers"),
    ],
)
def test_reports_a_list_of_wrong_length_once(key: list[str], found: str) -> None:
    questions = [line for one in paper_of(random.Random(2), 5) for line in one[:5]]
    reading, account = read("卷.txt", "\n".join([*questions, "参考答案", *key]).encode())
    assert reading.faults == [f"line 1: numbers 1 to 5: answer_list_mismatch: its answer list has {found}; expected one for each"]
    assert reading.record_count == 5 and "answer_without_question" not in account.reasons()
    assert min(account.furniture.values()) >= 0 == account.difference


def test_an_equal_value_goes_to_the_key_that_is_read() -> None:
    rows = [{"旁注": answer, "题干": f"第{n}问是什么呢", "A": "红色", "B": "绿色", "答案": answer} for n, answer in enumerate("ABBA")]
    rows[2]["旁注"] = "丙"
    _, account = read("bank.json", json.dumps(rows, ensure_ascii=False).encode(), "table")
    assert {one.position.rpartition(":")[2] for one in account.unread} == {"旁注"} and account.unread_characters == 4


def test_counts_duplicate_keys_and_sheets_without_a_header() -> None:
    once = '"answer": "一种常见的止痛药物"'
    body = f'[{{"question": "甲是什么呢", {once}, {once}}}, {{"question": "乙是什么呢", "answer": "食物"}}]'.encode()
    _, account = read("bank.json", body, "table")
    assert account.furniture["label"] == counted("questionansweranswerquestionanswer")
    assert account.unread_characters == 0  # the repeated value


def test_finds_an_answer_by_its_label_if_its_words_are_also_an_option_label() -> None:
    lines = [f"{number}. 第{number}种药物应当每日定时服用。\n   true. 正确\n   false. 错误\n参考答案：false\n" for number in range(1, 5)]
    reading, account = read("卷.txt", "\n".join(lines).encode())
    assert len(reading.items) == 4 and (account.questions_unread, account.unread) == (0, [])


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("一、单选题（每题1分，共20题）", "heading"), ("判断题", "heading"), ("判断", "heading"), ("第三章 心理发展", "heading"),
        ("A型", "heading"),
        ("（1～2题共用题干）", "heading"), ("（以下两题共用备选答案）", "heading"),
        ("\\n\\n", "markup"),
        ("答案：", "label"), ("- 12 -", "page_number"), ("第 3 页 共 10 页", "page_number"), ("180", "page_number"), ("治疗", None),
        ("----------", "sign"), ("我的答案:正确", "tag"), ("患者女，20岁", None), ("3.A", None),
        ("第2题 对肺炎的处理不应依靠主观", None), ("第二题：急性胰腺炎最常见的病因", None), ("第二部分 判断题", "heading"),
        ("第二大题 单选题", "heading"), ("☐", "sign"), ("本题共被作答1024次，正确率72%，易错项：B", "tag"), ("浏览 31 次", "tag"),
        ("3.单选题", "number"), ("3/20 单选题", "number"), ("题型：多选题 难度：中", "tag"), ("A.判断", None),
        ("A.选择题", None), ("答案：论述题", None), ("多选题的答案", None),
        ("浏览器的作用", None), ("正确率很高的是", None), ("选项", "label"),
    ],
)  # fmt: skip
def test_furniture_is_a_small_closed_class(line: str, kind: str | None) -> None:
    assert class_of_line(line) == kind


def test_distinguishes_answer_lists_from_text() -> None:
    assert is_list("1-3 ABC 4.D") and not is_list("1.A 2.B 血压")


@settings(deadline=None, max_examples=200)
@given(
    lines=st.lists(st.text("甲乙丙丁AB1 .<b>/（）\ufffc\u3000①Ａ", max_size=30), max_size=8),
    texts=st.lists(st.text("甲乙丙丁AB1.（）①", max_size=20), max_size=6),
)
def test_marks_never_exceed_the_characters(lines: list[str], texts: list[str]) -> None:
    laid = MarkedLines(lines)
    mark_items([laid], [QuestionItem(url="x", provenance=SEEN, options_raw=texts)])
    assert len(laid.marks) == len(laid.text) and laid.markup + len(laid.text) == sum(map(counted, lines))
    for stretch in laid.free():
        assert folded(stretch.text).replace(" ", "")[:1] in laid.text or laid.markup


def test_sums_of_several_files() -> None:
    _, one = read("卷.txt", b"1. 1+1=?\nA. 1\nB. 2\n\xe7\xad\x94\xe6\xa1\x88\xef\xbc\x9aB")
    both = summed([one, one])
    assert (both.characters, both.difference, both.in_items) == (2 * one.characters, 0, 2 * one.in_items)


@pytest.mark.parametrize(
    "text", ["(" * 40_000, "1A" * 20_000, " ;" * 20_000 + "汉", "选择" * 20_000, "（判断、" * 10_000, "12-" * 15_000, "<b " * 15_000]
)
def test_the_account_of_hostile_lines_is_linear(text: str) -> None:
    start = time.process_time()
    account = account_of("卷.txt", b"", "paper", FileReading(source=Text([text, f"答案{text}", f"{text}题"])))
    assert account.difference == 0 and time.process_time() - start < 5


@pytest.mark.parametrize(
    ("line", "stem"), [("甲" * 60_000, "乙甲" * 30_000), ("甲乙" * 30_000, "甲" * 60_000), ("1.甲" * 20_000, "2.甲" * 20_000)]
)
def test_the_alignment_of_hostile_texts_is_linear(line: str, stem: str) -> None:
    start = time.process_time()
    items = [QuestionItem(url="x", provenance=SEEN, stem_raw=stem, options_raw=[line[::-1]], answer_raw="甲")]
    account = account_of("卷.txt", b"", "paper", FileReading(items=items, source=Text([line, line])))
    assert account.difference == 0 and time.process_time() - start < 10


def test_looks_up_only_lengths_that_items_have(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, keys = ItemTexts([QuestionItem(url="x", provenance=SEEN, stem_raw="感觉是什么", answer_raw="知觉")]), list[str]()
    monkeypatch.setattr(texts, "_take", keys.append)
    texts.take_all(["7" * 1000])
    assert keys and {len(key) for key in keys} == {2, 5}


def test_the_account_of_a_hostile_record_is_linear() -> None:
    rows = [{"question": "甲是什么呢", "answer": "药", **{f"k{n}": f"{n}号旁注的文字" for n in range(3000)}}]
    start = time.process_time()
    _, account = read("bank.json", json.dumps(rows, ensure_ascii=False).encode(), "table")
    assert account.difference == 0 and len(account.unread) == 3000 and time.process_time() - start < 10


@pytest.mark.parametrize(
    "lines",
    [
        ["１．下列Ａ型题：（ ）", "", "  ｎa⁺ \u200b至\ufffc", "ﬁne ſ K İ ß ①"],
        ["两行\n在一行", "丙"],
        ["甲"],
        [],
        [chr(code) for code in range(0x2000) if code != 10],
        ["".join(chr(code) for code in range(0x2000, 0xD800))],
    ],
)
def test_folds_many_lines_like_single_ones(lines: list[str]) -> None:
    assert folded_lines(lines) == [folded(line) for line in lines]
