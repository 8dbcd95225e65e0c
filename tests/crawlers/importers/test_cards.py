"""Cards to learn by, and numbered questions with numbered answers: read where the text says what it is, nothing from its like."""

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import account_of
from crawlers.importers.formats import guess_format, read_guessed
from tests.crawlers.importers.test_shapes import read

SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
ASKED = [
    ("心输出量是指（ ）。", "每分钟一侧心室射出的血量"),
    ("简述体循环的途径。", "左心室出发，经全身毛细血管，回到右心房"),
    ("1937年，首先报告该病的是谁？", "某医师：见于《内科学》"),
    ("什么是肺循环？", "右心室出发，回到左心房"),
]


def _each(form: str, between: str = "\n\n") -> str:
    return between.join(form.format(n=n, q=q, a=a) for n, (q, a) in enumerate(ASKED, 1))


FORMS = {
    "obsidian.md": "#flashcards/生理\n\n" + _each("{q} :: {a}\n<!--SR:!2024-05-22,8,250-->"),
    "both.md": "---\ntags: 生理\n---\n#flashcards\n" + _each("{q}:::{a} <!--SR:!2024-05-22,8,250!2024-05-23,3,230-->", "\n"),
    "below.md": "# 生理 #flashcards\n\n" + _each("{q}\n?\n{a}\n^x{n}"),
    "reversed.txt": "#flashcards\n\n" + _each("{q}\n??\n{a}"),
    "题库.md": "# 生理\n\n" + _each("- {q}:: {a}", "\n"),
    "logseq.md": _each("- {q} #card\n  card-interval:: 4\n\t- {a}", "\n"),
    "简答题.txt": "生理学\n----\n\n" + _each("Q{n}：{q}\nA{n}：{a}"),
    "考点.md": "## 生理\n\n" + _each("**Q{n}.** {q}\n**A{n}.** {a}"),
    "a.txt": "生理学名词解释与简答题\n" + _each("问{n}：{q}\n答{n}：{a}", "\n"),
}


@pytest.mark.parametrize("name", FORMS)
def test_fronts_and_backs_are_questions_and_answers(name: str) -> None:
    body = FORMS[name].encode()
    assert guess_format(name, body) == "cards"
    items = [item for item in read(name, body).items if isinstance(item, QuestionItem)]
    assert [(item.stem_raw, item.answer_raw, item.doubt) for item in items] == [(q, a, None) for q, a in ASKED]
    kind, reading = read_guessed(name, body, "cards", SEEN)
    account = account_of(name, body, kind, reading)
    assert account.difference == 0
    assert account.unread_share < (0.5 if "card-interval" in FORMS[name] else 0.25)


def test_answers_of_several_lines_are_whole() -> None:
    text = "#flashcards\n\n简述分类。\n?\n- 甲\n- 乙\n\n什么是甲？\n?\n首先\n其次\n\n乙是（ ） :: 丙\n"
    items = [item for item in read("a.md", text.encode()).items if isinstance(item, QuestionItem)]
    assert [item.answer_raw for item in items] == ["- 甲\n- 乙", "首先\n其次", "丙"]


_FRONT = "第{n}项是（ ）|A. 甲类|B. 乙类|C. 丙类"
_BACKS = ["B", "**C**. 丙类|因为丙在后。", "A. 甲类|见第一章。|又见第二章。", "正确答案：AC|都对。", "B. 丙类|相反。", "丙类"]
_READ = [("B", None), ("C", "因为丙在后。"), ("A", "见第一章。\n又见第二章。"), ("AC", "都对。"), (None, None), (None, None)]


@pytest.mark.parametrize(
    ("head", "between", "line_end", "after"),
    [
        ("---\ntags: [flashcards, 生理]\ncreated: 2024-01-08\n---\n\n", "\n?\n", "\n", "\n\n"),
        ("---\ntags:\n  - 生理\n  - flashcards\n---\n\n", "\n?\n", "\n", "\n\n"),
        ("#separator:tab\n#html:true\n#tags column:3\n", "\t", "<br>", "\t生理 背诵\n"),
        ("#separator:Pipe\n#html:true\n#notetype column:1\n", "|", "<br/>", "\n"),
    ],
    ids=["tag", "list of tags", "Anki", "Anki with pipes"],
)
def test_the_first_line_of_a_back_names_options_and_the_others_explain(head: str, between: str, line_end: str, after: str) -> None:
    before = "选择题|" if "notetype" in head else ""
    cards = [f"{_FRONT.format(n=n)}{{}}{back}".replace("|", line_end).format(between) for n, back in enumerate(_BACKS, 1)]
    body = (head + "".join(f"{before}{card}{after}" for card in cards)).encode()
    assert guess_format("生理.txt", body) == "cards"
    items = [item for item in read("生理.txt", body).items if isinstance(item, QuestionItem)]
    assert [(item.answer_raw, item.explanation_raw) for item in items] == _READ
    assert [item.doubt for item in items] == [None] * 4 + ["options_unreadable"] * 2
    assert items[0].stem_raw == "第1项是（ ）" and items[0].options_raw == ["A. 甲类", "B. 乙类", "C. 丙类"]
    kind, reading = read_guessed("生理.txt", body, "cards", SEEN)
    assert account_of("生理.txt", body, kind, reading).difference == 0


def test_statements_of_an_anki_text_have_their_verdict() -> None:
    cards = [f"{_FRONT.format(n=n)}\t<b>B</b>|因为。\t医学\n" for n in range(1, 4)]
    cards += ["甲是乙。|\t<b>正确</b>\t医学\n", "乙是丙。\t答案：错|见第二章。\t医学\n", "丙是丁。\t√\t医学\n"]
    body = ("#separator:tab\n#html:true\n#tags column:3\n" + "".join(cards).replace("|", "<br>")).encode()
    items = [item for item in read("生理.txt", body).items if isinstance(item, QuestionItem)]
    assert [(item.answer_raw, item.explanation_raw) for item in items[3:]] == [("正确", None), ("错", "见第二章。"), ("√", None)]
    assert [item.answer_raw for item in items[:3]] == ["B"] * 3


def test_words_of_an_anki_text_are_no_exam() -> None:
    words = "#separator:tab\n#html:true\n" + "".join(f"word{n}\t第{n}个词的意思\n" for n in range(20))
    assert guess_format("词汇.txt", words.encode()) != "cards"


def test_options_on_a_front_are_options() -> None:
    text = "#flashcards\n" + "\n".join(f"第{n}项是（ ） A. 甲 B. 乙 C. 丙 :: {key}" for n, key in enumerate(("A", "B", "丙", "BC"), 1))
    items = [item for item in read("a.md", text.encode()).items if isinstance(item, QuestionItem)]
    assert [(item.answer_raw, item.doubt) for item in items] == [
        ("A", None), ("B", None), (None, "options_unreadable"), ("BC", None),
    ]  # fmt: skip
    assert items[0].options_raw == ["A. 甲", "B. 乙", "C. 丙"] and items[0].stem_raw == "第1项是（ ）"


def test_an_answer_of_another_number_is_no_answer() -> None:
    text = "生理学简答题\nQ1：什么是甲？\nA1：子\nQ2：什么是乙？\nA3：丑\nQ3：什么是丙？\nA3：寅\nQ4：什么是丁？\nA4：卯"
    items = [item for item in read("a.txt", text.encode()).items if isinstance(item, QuestionItem)]
    assert [(item.stem_raw, item.answer_raw) for item in items] == [
        ("什么是甲？", "子"), ("什么是乙？", None), ("什么是丙？", "寅"), ("什么是丁？", "卯"),
    ]  # fmt: skip


FOREIGN = {
    "words.md": "#flashcards/english\n\n" + "\n".join(f"word{n} :: 词{n}" for n in range(9)),
    "code.md": "# 题解\n" + "\n".join(f"map{n} :: (a -> b) -> [a] -> [b]" for n in range(9)),
    "std.txt": "\n".join(f"using std::vector{n};" for n in range(9)),
    "help.txt": "常见问题\n" + "\n".join(f"Q{n}：如何办理第{n}项业务？\nA{n}：打开首页，按提示办理。" for n in range(1, 9)),
    "faq_exam.txt": "考试报名常见问题\n" + "\n".join(f"Q{n}：什么时候报第{n}科？\nA{n}：每年{n}月。" for n in range(1, 9)),
    "talk.md": "# 对话\n" + "\n".join(f"Q{n}：您什么时候开始第{n}项研究？\nA{n}：很早以前。" for n in range(1, 9)),
    "shop.md": "# 营业\n" + "\n".join(f"**Q{n}:** 第{n}店几点开门？\n**A{n}:** 九点。" for n in range(1, 9)),
    "config.txt": "复习配置\n" + "\n".join(f"key{n}:: value{n}" for n in range(9)),
    "meeting.md": "#会议\n\n" + "\n\n".join(f"议题{n}\n?\n待定{n}" for n in range(9)),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_only_looks_like_cards_gives_nothing(name: str) -> None:
    body = FOREIGN[name].encode()
    try:
        _, reading = read_guessed(name, body, kind := guess_format(name, body), SEEN)
    except ValueError:
        return
    assert kind != "cards"
    assert not [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt and item.answer_raw]
