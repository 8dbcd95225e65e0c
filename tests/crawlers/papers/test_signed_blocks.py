"""Options without letters, the right ones with a star or tick before or behind them."""

import pytest

from crawlers.papers.paper import read_paper

_ASKED = [
    ("感觉的对象是（ ）。", ["整体", "属性", "关系"], "B"),
    ("下列属于知觉特性的是", ["A型特性", "整体性", "C型特性", "随意性"], "B"),
    ("最早的心理学实验室建于（ ）年。", ["1859", "1879", "1899", "1900"], "B"),
    ("记忆的第一个环节是什么？", ["再认", "回忆", "识记"], "C"),
    ("属于情绪状态的有哪些？", ["心境", "激情", "气质"], "AB"),
]


@pytest.mark.parametrize("between", ["", None], ids=["empty lines", "no empty lines"])
@pytest.mark.parametrize("number", ["{n} ", "{n}. ", "{n}、"])
@pytest.mark.parametrize(
    ("note", "right"),
    [("带★的是答案～", "★{text}"), ("", "* {text}"), ("√为正确选项", "{text} √"), ("注：☆ 标记的是正确答案", "☆ {text}"), ("", "✔{text}")],
)
def test_signs_beside_options_without_letters_are_answers(note: str, right: str, number: str, between: str | None) -> None:
    lines = [note]
    for n, (stem, options, key) in enumerate(_ASKED, 1):
        lines += [number.format(n=n) + stem]
        lines += [right.format(text=text) if letter in key else text for letter, text in zip("ABCD", options, strict=False)]
        lines += [] if between is None else [between]
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [key for _, _, key in _ASKED]
    assert [[option[3:] for option in draft.options] for draft in found.questions] == [options for _, options, _ in _ASKED]
    assert not any("答案" in str(draft.stem) or "选项" in draft.stem for draft in found.questions)


def test_options_without_any_star_have_no_answer() -> None:
    lines = [line for n, (stem, options, _) in enumerate(_ASKED, 1) for line in (f"{n} {stem}", *options, "")]
    assert not any(draft.answer for draft in read_paper(lines).questions)


@pytest.mark.parametrize("head", ["试题 {n} 满分1.00\n{stem}", "第{n}题\n{stem}"])
@pytest.mark.parametrize("option", ["{letter}  {text}{tick}", "{ring} {text}{tick}", "{text}{tick}"])
def test_a_stem_below_its_number_is_no_option(head: str, option: str) -> None:
    lines = []
    for n, (stem, options, key) in enumerate(_ASKED, 1):
        lines += head.format(n=n, stem=stem).split("\n")
        for letter, ring, text in zip("ABCD", "①②③④", options, strict=False):
            lines.append(option.format(letter=letter, ring=ring, text=text, tick="  ✔" if letter in key else ""))
    found = read_paper(lines)
    for draft, (_, options, key) in zip(found.questions, _ASKED, strict=False):
        assert len(draft.options or []) in (0, len(options))
        assert draft.answer in (None, key)


def test_headings_among_such_questions_are_no_options() -> None:
    lines = ["一、单选题"]
    for n, (stem, options, key) in enumerate(_ASKED, 1):
        lines += ["二、多选题"] if n == 5 else []
        lines += [f"{n}. {stem}", *(f"★{text}" if letter in key else text for letter, text in zip("ABCD", options, strict=False))]
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [key for _, _, key in _ASKED]
    assert [[option[3:] for option in draft.options] for draft in found.questions] == [options for _, options, _ in _ASKED]


@pytest.mark.parametrize("sign", "◇◆□▷➢❖")
def test_any_bullet_begins_an_option(sign: str) -> None:
    lines: list[str] = []
    for n, key in enumerate("BADC", 1):
        lines += [f"{n}、第{n}例检查首先考虑的器官是", *(f"{sign} {text}" for text in ("心脏", "肝脏", "肺部", "肾脏")), f"正确答案：{key}"]
    found = read_paper(lines)
    assert not found.rejected
    assert [(len(draft.options), draft.answer) for draft in found.questions] == [(4, key) for key in "BADC"]
