"""Records of chats in which one asks and says the answers; what others guess is never an answer."""

from collections.abc import Sequence

import pytest

from crawlers.papers.paper import read_paper

_ASKED = [
    ("第1题（单选题）：感觉的对象是（ ）。", ["整体", "属性", "关系"], "B"),
    ("第2题（多选题）：知觉的特性有（ ）。", ["整体性", "选择性", "随意性"], "AB"),
    ("第3题（判断题）：记忆有三个环节。", [], "对"),
    ("第4题（单选题）：最早的实验室建于（ ）年。", ["1859", "1879", "1899"], "B"),
]
_HEADS = {
    "qq": "2023-10-1{n} 19:0{m}:01 {who}(1000{who_id})\n{words}\n",
    "mail": "2023/10/1{n} 下午 7:0{m}:01 {who}<{who_id}@x.com>\n{words}\n",
    "copied": "{who} 2023/10/1{n} 19:0{m}\n{words}\n",
    "morning": "{who} 10月1{n}日 早上7:0{m}\n{words}\n",
    "clock": "{who} 19:0{m}:22\n{words}\n",
    "brackets": "[2023/10/1{n} 19:0{m}:01] {who}: {words}",
    "dash": "2023/10/1{n}, 19:0{m} - {who}: {words}",
    "within": "{who}(19:0{m}): {words}",
    "untimed": "{who}：\n{words}\n",
    "untimed lines": "{who}：{words}",
    "time above": "— 19:0{m} —\n{who}：{words}",
    "telegram": "{who}, [1{n}.10.2023 19:0{m}]\n{words}\n",
}
_SAID = ["时间到！正确答案是 {key}，恭喜答对的同学 +1 分", "答案：{key}", "公布答案：【{key}】 解析：见第二章", "第{n}题答案是{key}。"]


def _record(head: str, said: str, asker: str = "刘老师") -> str:
    parts = []
    for n, (stem, options, key) in enumerate(_ASKED, 1):
        words = "\n".join([stem, *(f"{letter}. {text}" for letter, text in zip("ABC", options, strict=False)), "请大家直接回复选项"])
        guesses = [("小王", "C"), ("Lily", "答案是 C"), ("阿强", "错")]
        for m, (who, text) in enumerate([(asker, words), *guesses, (asker, said.format(key=key, n=n))]):
            parts.append(_HEADS[head].format(n=n, m=m, who=who, who_id=len(who), words=text))
    return "\n".join(["聊天记录", *parts])


@pytest.mark.parametrize("said", _SAID)
@pytest.mark.parametrize("head", _HEADS)
def test_what_the_asker_says_is_the_answer(head: str, said: str) -> None:
    found = read_paper(_record(head, said).split("\n"))
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [key for _, _, key in _ASKED]
    assert [len(draft.options) for draft in found.questions] == [len(options) for _, options, _ in _ASKED]
    assert all(stem.partition("：")[2] in draft.stem for draft, (stem, _, _) in zip(found.questions, _ASKED, strict=True))
    assert not any(word in str(draft) for draft in found.questions for word in ("小王", "Lily", "请大家", "恭喜"))


def test_a_member_whose_name_ends_with_a_letter_is_a_member() -> None:
    guesses = "同学A：\nC\n同学B：\n应该是B\n"
    parts = [
        f"刘老师：\n第{n}题：第{n}种感觉的对象是（ ）\nA. 整体\nB. 属性\nC. 关系\n{guesses}刘老师：\n这题选{key}，很好\n"
        for n, key in enumerate("ABBA", 1)
    ]
    assert [draft.answer for draft in read_paper("".join(parts).split("\n")).questions] == list("ABBA")


def test_an_answer_that_is_taken_back_makes_the_question_doubted() -> None:
    text = _record("qq", "答案：{key}").replace("答案：AB\n", "答案：AB\n\n2023-10-12 19:08:01 刘老师(10003)\n更正，第2题答案：AC\n")
    found = read_paper(text.split("\n"))
    assert [draft.doubt for draft in found.rejected] == ["two_answers"]
    assert [draft.answer for draft in found.questions] == ["B", "对", "B"]


@pytest.mark.parametrize("said", ["大家答得很好", "第9题答案：C", "这个答案错了，应该再想想"])
def test_a_question_whose_answer_nobody_says_has_none(said: str) -> None:
    text = _record("qq", "答案：{key}").replace("答案：AB\n", f"{said}\n")
    answers = [draft.answer for draft in read_paper(text.split("\n")).drafts]
    assert len(answers) == len(_ASKED) and answers[1] is None


def test_an_answer_below_words_that_may_be_another_question_is_not_taken() -> None:
    text = _record("qq", "答案：{key}").replace(
        "第2题（多选题）：知觉的特性有（ ）。\nA. 整体性\nB. 选择性\nC. 随意性\n",
        "请判断以下说法是否成立：知觉总是随意的，而且不受经验的影响\n",
    )
    found = read_paper(text.split("\n"))
    assert [draft.answer for draft in found.drafts] == ["B", "对", "B"]


@pytest.mark.parametrize("head", _HEADS)
def test_a_talk_without_questions_stays_a_talk(head: str) -> None:
    said = ["晚上吃什么？", "A. 火锅", "都行", "答案是火锅", "好", "几点？", "七点", "收到", "1. 带伞 2. 带钱", "行"]
    lines = [_HEADS[head].format(n=1, m=n % 10, who=("妈妈", "爸爸", "小明")[n % 3], who_id=n, words=text) for n, text in enumerate(said)]
    assert not [draft for draft in read_paper("\n".join(lines).split("\n")).questions if draft.answer]


_SERIES = {
    "brackets": ("【每日一题{n}】{stem}", "第{n}题答案：{key}"),
    "issue": ("#每日一题 第{n}期#\n{stem}", "每日一题 第{n}期：答案：{key}"),
    "colon": ("每日一练{n}：{stem}", "答案：{key}"),
    "zeros": ("【今日练习0{n}】{stem}", "第0{n}题的正确答案是{key}。"),
}


def _series(form: str, late: bool = False) -> list[str]:
    asks, says = _SERIES[form]
    reason = "\n因为教材第二章是这样写的，其余各项都不符合题意。"
    posts = [
        (who, words)
        for n, (stem, options, key) in enumerate(_ASKED, 1)
        for who, words in (
            ("刘老师", "\n".join([asks.format(n=n, stem=stem.partition("：")[2]), *map(" ".join, zip("ABC", options, strict=False))])),
            ("小王", "选D吧"),
            ("刘老师", says.format(n=n, key=key) + reason),
            ("Lily", "答对啦"),
        )
    ]
    if late:
        posts = [*(post for post in posts if "答案" not in post[1]), *(post for post in posts if "答案" in post[1])]
    heads = [f"{who} {8 + at // 60:02}:{at % 60:02}\n{words}\n" for at, (who, words) in enumerate(posts)]
    return "\n".join(["—————  2023-03-18  —————\n", *heads]).split("\n")


@pytest.mark.parametrize("form", _SERIES)
def test_daily_questions_have_the_number_that_announces_them(form: str) -> None:
    found = read_paper(_series(form))
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [key for _, _, key in _ASKED]
    assert [len(draft.options) for draft in found.questions] == [len(options) for _, options, _ in _ASKED]
    assert not any(word in str(draft) for draft in found.questions for word in ("每日", "今日", "选D", "答对"))
    assert all("教材第二章" in (draft.explanation or "") for draft in found.questions) == (form in ("brackets", "zeros"))


def test_later_answers_find_their_question_by_its_number() -> None:
    found = read_paper(_series("brackets", late=True))
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [key for _, _, key in _ASKED]
    assert not any(draft.answer for draft in read_paper(_series("colon", late=True)).questions[:-1]), "they may be of any question"


@pytest.mark.parametrize(
    "said", ["公布答案：选{key}。大家记一下", "选{key}，你们答对了吗", "{key}", "{key}。见第二章", "答案：应该选 {key}"]
)
@pytest.mark.parametrize("opening", ["今日一题 ", "晨间提问：", "Quiz ", "【开口】 "])
def test_words_that_open_each_question_are_no_part_of_it(opening: str, said: str) -> None:
    lines: list[str] = []
    for day, (stem, options, key) in enumerate(_ASKED[:2] + _ASKED[3:], 1):
        lines += [f"王敏 2019-05-0{day} 08:0{day}", opening + stem.partition("：")[2]]
        lines += [f"{letter} {words}" for letter, words in zip("ABC", options, strict=False)]
        lines += ["", f"小李 2019-05-0{day} 09:00", "我选C", "", f"王敏 2019-05-0{day} 17:3{day}", said.format(key=key), ""]
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == ["B", "AB", "B"]
    assert not any(opening.strip() in draft.stem for draft in found.questions)


def _chat(asked: Sequence[tuple[str, str]], options: Sequence[str] = ("A. 甲", "B. 乙", "C. 丙"), guess: str = "A") -> list[str]:
    return [text for stem, said in asked for text in (f"老师：{stem}", *options, f"小明：{guess}", f"老师：{said}")]


@pytest.mark.parametrize("opening", ["Which ", "患者：", "关于 ", "What's "])
def test_words_of_the_stems_themselves_stay(opening: str) -> None:
    rest = (
        ["of these is round?", "one is red?", "is the third?"]
        if opening.isascii()
        else ["男，35岁，首选？", "女，25岁，首选？", "男，65岁，首选？"]
    )
    found = read_paper(_chat([(opening + words, f"答案是{key}") for words, key in zip(rest, "ABC", strict=True)]))
    assert [opening.strip() in draft.stem for draft in found.questions] == [True] * 3


def test_a_message_about_several_letters_is_no_answer() -> None:
    asked = [
        ("第一道是哪一个？", "A，B都有人选，再想想"),
        *((f"第{n}道是哪一个？", f"选{key}。大家记一下") for n, key in zip("234", "BCA", strict=True)),
    ]
    assert [draft.answer for draft in read_paper(_chat(asked)).questions] == [None, "B", "C", "A"]


def test_praise_of_a_guess_is_no_verdict() -> None:
    asked = [(f"判断题：{n}. 第{n}地在北面。（ ）", said) for n, said in ((1, "对！"), (2, "答案：错"), (3, "答案：对"), (4, "答案：对"))]
    assert [draft.answer for draft in read_paper(_chat(asked, (), "错")).questions] == [None, "错", "对", "对"]
