"""Verdicts in unusual places, keys by verdict, answers by words or place, cards: each way of writing a bank reads back equal."""

import pytest

from crawlers.papers.paper import read_paper
from crawlers.template_reader.answers import right_letters

_STATEMENTS = [
    "心脏位于胸腔中部偏左",
    "肝脏的主要功能是储存尿液",
    "成人的肺分为左右两侧",
    "胃位于盆腔之内",
    "脾是人体的淋巴器官",
    "骨不含有血管",
]
_TRUE = [True, False, True, False, True, False]


def _statements(form: str, head: str = "判断题\n", right: str = "", wrong: str = "") -> str:
    said = [right if true else wrong for true in _TRUE]
    return head + "\n".join(form.format(n=n, s=text, v=v) for n, (text, v) in enumerate(zip(_STATEMENTS, said, strict=True), 1))


STATED = {
    "leaders": _statements("{n}．{s}。 …… （{v}）", right="√", wrong="×"),
    "dots": _statements("{n}. {s}......{v}", right="对", wrong="错"),
    "dashes": _statements("{n}、{s}。————（{v}）", right="正确", wrong="错误"),
    "lines": _statements("{n}、{s}（　）______{v}", right="✓", wrong="✗"),
    "sign and word": _statements("{n}. {s}。( ) {v}", right="✔ 对", wrong="✘ 错"),
    "sign and word, tight": _statements("{n}. {s}。{v}", right="√正确", wrong="×错误"),
    "word in brackets": _statements("{n}. {s}。 {v}", right="✅（正确）", wrong="❌（错误）"),
    "task list": _statements("{n}. - [{v}] {s}。", "# 判断题\n\n> 打勾的是**正确**的说法。\n\n", "x", " "),
    "boxes": _statements("{n}. {v} {s}。", "判断题（☑为正确，☐为错误）\n", "☑", "☐"),
    "bold of two": _statements("{n}. {s}。\n   - {v}", right="**对** / 错", wrong="对 / **错**"),
    "brackets of two": _statements("{n}. {s}。\n{v}", right="【正确】 错误", wrong="正确 【错误】"),
    "letters": _statements("{n}. {s}。 {v}", "判断 (v对 x错)\n", "v", "x"),
    "letters in brackets": _statements("{n}、{s}。[{v}]", right="Y", wrong="N"),
    "letters as a note says": _statements("{n} {s}。（ ） {v}", "判断题：对的打o，错的打k\n", "o", "k"),
    "sounds": _statements("{n}．{s}。  {v}", right="dui", wrong="cuo"),
    "sign before the number": _statements("{v} 0{n} {s}。(     )\n   依据→依据规定，应当如此{n}。", right="√", wrong="×"),
    "word before the number": _statements("{v}｜{n}. {s}。\n说明：依据规定，应当如此{n}。", right="对", wrong="错"),
    "word in brackets before the number": _statements("【{v}】第{n}题、{s}。\n", right="正确", wrong="错误"),
    "key of wrong ones": _statements("（  ）{n}、{s}。") + "\n\n【判断题答案】错误的题号：2、4、6；其余各题均为正确。",
    "key of right ones": _statements("{n}、{s}。（  ）") + "\n\n答案：正确：1、3、5，其他都错",
    "key of both": _statements("{n}、{s}。（  ）") + "\n\n参考答案：对：1、3、5；错：2、4、6",
    "key in signs": _statements("{n}、{s}。（  ）") + "\n\n答案：√：1,3,5；×：2,4,6",
    "key on two lines": _statements("（{n}）{s}。(     )") + "\n\n【答案】\n正确的有：1、3、5\n错误的有：2、4、6",
    "key on two lines apart": _statements("{n}、{s}。") + "\n\n答案\n√：1、3、5\n\n×：2、4、6",
    "key with numbers first": _statements("{n}、{s}。（  ）") + "\n\n答案：第2、4、6题为错误，其余为正确。",
}


@pytest.mark.parametrize("name", STATED)
def test_statements_keep_their_verdicts(name: str) -> None:
    drafts = read_paper(STATED[name].split("\n")).questions
    assert [draft.answer and right_letters(draft.answer, "", 0) for draft in drafts] == ["正确" if true else "错误" for true in _TRUE]
    for draft, text in zip(drafts, _STATEMENTS, strict=True):
        assert draft.stem.lstrip("（ ）0123456789.、．").rstrip("。（ 　）()") == text


@pytest.mark.parametrize(
    "key",
    [
        "错误的题号：2、4、6",  # nothing says what the others are
        "错误的题号：2、4、9；其余均正确",  # there is no statement 9
        "对：1、3、5；错：2、4、5",  # one is both
        "对：1、3；错：2、4、6",  # one is neither
    ],
)
def test_a_key_that_does_not_add_up_answers_nothing(key: str) -> None:
    drafts = read_paper((_statements("{n}、{s}。（  ）") + f"\n\n答案：{key}").split("\n")).questions
    assert not any(draft.answer in ("√", "×") for draft in drafts)


def test_one_verdict_in_all_places_is_no_verdict() -> None:
    lines = _statements("{n}. {s}。 ✔ 对", right="", wrong="").split("\n")
    assert not any(draft.answer == "√" for draft in read_paper(lines).questions)


def test_ticked_statements_say_nothing_unless_the_paper_does() -> None:
    lines = _statements("{n}. - [{v}] {s}。", "# 复习清单\n", "x", " ").split("\n")
    assert not any(draft.answer for draft in read_paper(lines).questions)


_OPTIONS = [["心", "肝", "脾", "肺"], ["胃", "胆", "肾", "肠"], ["脑", "骨", "皮", "眼"]] * 2


def _choices(block: str, option: str, places: str = "1234") -> str:
    parts = []
    for n, options in enumerate(_OPTIONS, 1):
        listed = "\n".join(option.format(L=letter, t=text) for letter, text in zip("ABCD", options, strict=True))
        at = n % 4
        parts.append(block.format(n=n, s=f"第{n}例患者最先受到影响的器官是（ ）", o=listed, t=options[at], p=places[at], K="ABCD"[at]))
    return "\n".join(parts)


CHOSEN = {
    "words behind a tick": _choices("{n}｜{s}\n{o}\n✅ {t}", "{L}. {t}"),
    "words behind an arrow": _choices("{n}. {s}\n{o}\n→ {t}\n", "{L}、{t}"),
    "words, bullets": _choices("{n}. {s}\n{o}\n★ {t}\n", "- {t}"),
    "place": _choices("第{n}题：{s}\n{o}\n选第{p}个\n", "- {t}"),
    "place in words": _choices("{n}. {s}\n{o}\n答案：第{p}项\n", "• {t}", "一二三四"),
    "place of letters": _choices("{n}. {s}\n{o}\n正确答案是第{p}个\n", "{L}. {t}", "一二三四"),
    "card": _choices("**正面**  {s}\n\n{o}\n\n**背面**  {K}\n\n---\n", "{L}．{t}"),
    "card, brackets": _choices("【正面】{s}\n{o}\n【反面】{K}（见书）\n", "{L}. {t}"),
    "card, English": _choices("Front: {s}\n{o}\nBack: {K}\n", "{L}. {t}"),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_options_named_by_words_or_place_are_answers(name: str) -> None:
    drafts = read_paper(CHOSEN[name].split("\n")).questions
    assert [draft.answer for draft in drafts] == ["ABCD"[n % 4] for n in range(1, 7)]
    assert [[option[2:].strip() for option in draft.options] for draft in drafts] == _OPTIONS


def test_a_line_that_is_no_option_is_no_answer() -> None:
    text = _choices("{n}. {s}\n{o}\n→ 见第{n}章\n", "{L}、{t}")
    assert not any(draft.answer for draft in read_paper(text.split("\n")).questions)


@pytest.mark.parametrize("frame", ["——第{}单元——", "=== 第{}章 ===", "◆第{}单元◆", "第{}单元"])
def test_framed_headings_of_chapters_are_no_part_of_a_statement(frame: str) -> None:
    rows = [f"（ ）{n}、{text}。" for n, text in enumerate(_STATEMENTS, 1)]
    keys = "  ".join(f"{n}.{'√' if true else '×'}" for n, true in enumerate(_TRUE, 1))
    lines = [frame.format("一"), *rows[:3], "", frame.format("二"), *rows[3:], "", "判断题答案：", keys]
    drafts = read_paper(lines).questions
    assert [draft.answer for draft in drafts] == ["√" if true else "×" for true in _TRUE]
    assert not any("单元" in draft.stem or "章" in draft.stem for draft in drafts)


def test_a_long_row_of_numbers_takes_no_longer_than_its_length() -> None:
    lines = [*_statements("{n}、{s}。（  ）").split("\n"), "正确：" + "   ".join(map(str, range(1, 300))) + " 余项", "其余均"]
    assert read_paper(lines).drafts


@pytest.mark.parametrize("is_above", [True, False])
def test_a_note_below_says_what_letters_mean_too(is_above: bool) -> None:
    note, body = "说明：x为正确，v为错误", _statements("{n}. {s}。 {v}", right="x", wrong="v")
    drafts = read_paper((f"{note}\n{body}" if is_above else f"{body}\n\n{note}").split("\n")).questions
    said = [right_letters(draft.answer or "", "", 0) for draft in drafts]
    assert said == ["正确" if true else "错误" for true in _TRUE[: len(said)]] and len(said) >= len(_TRUE) - 1
