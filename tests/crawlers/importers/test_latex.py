"""Papers in LaTeX with macros of their own, and options as lists within lists."""

import pytest

from crawlers.importers.files.text import read_light
from crawlers.papers.paper import read_paper

_ASKED = [
    ("感觉的对象是", ["整体", "属性", "关系"], "B"),
    ("知觉的特性有", ["整体性", "选择性", "随意性"], "AB"),
    ("正常人动脉血氧饱和度不低于", ["80\\%", "95\\%", "85\\%"], "B"),
    ("记忆的第一个环节是", ["再认", "回忆", "识记"], "C"),
]
_MACROS = {
    "new": "\\newcommand{\\ans}[1]{\\hfill（\\textbf{#1}）}",
    "bare": "\\newcommand\\ans[1]{(#1)}",
    "renewed": "\\renewcommand*{\\ans}[1]{\\textcolor{red}{（#1）}}",
    "def": "\\def\\ans#1{\\key{#1}}\n\\newcommand{\\key}[1]{（#1）}",
    "default": "\\newcommand{\\ans}[2][答]{（#2）}",
}
_LISTS = {
    "label": "\\begin{enumerate}[label=\\Alph*.]",
    "small": "\\begin{enumerate}[label=(\\alph*), leftmargin=2em]",
    "short": "\\begin{enumerate}[A.]",
    "none": "\\begin{enumerate}",
}


def _paper(macro: str, options: str, outer: str = "\\begin{enumerate}") -> list[str]:
    lines = ["\\documentclass{ctexart}", "\\usepackage{enumitem}", _MACROS[macro], "\\begin{document}", outer]
    for stem, texts, key in _ASKED:
        lines += [f"\\item {stem} \\ans{{{key}}}", f"  {_LISTS[options]}", *(f"    \\item {text}" for text in texts), "  \\end{enumerate}"]
    lines += ["\\item 记忆有三个环节。 \\ans{对}", "\\end{enumerate}", "\\end{document}"]
    return read_light("a.tex", "\n".join(lines).encode()).lines


@pytest.mark.parametrize(("macro", "options"), [*((macro, "label") for macro in _MACROS), *(("new", options) for options in _LISTS)])
def test_entries_with_lists_of_options_are_questions(macro: str, options: str) -> None:
    found = read_paper(_paper(macro, options))
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [*(key for _, _, key in _ASKED), "对"]
    assert [[option[3:] for option in draft.options] for draft in found.questions[:4]] == [
        [text.replace("\\", "") for text in texts] for _, texts, _ in _ASKED
    ]
    assert [draft.number for draft in found.questions] == [1, 2, 3, 4, 5]
    assert not any("]" in str(draft.stem) or "red" in draft.stem or "\\" in draft.stem for draft in found.questions)


def test_a_list_in_a_stem_is_no_list_of_questions() -> None:
    lines = _paper("new", "label", "\\begin{enumerate}[label=\\arabic*、]")
    assert len(read_paper(lines).questions) == 5
    points = ["\\begin{itemize}", "\\item 感觉", "\\begin{enumerate}", "\\item 视觉", "\\item 听觉", "\\end{enumerate}", "\\end{itemize}"]
    assert not any(line.startswith("1") for line in read_light("a.tex", "\n".join(points).encode()).lines)


def test_numbers_of_the_text_and_macros_of_four_options_are_read() -> None:
    macro = "\\newcommand{\\four}[4]{\\par A. #1 \\quad B. #2 \\par C. #3 \\qquad D. #4}"
    lines = [macro, "\\begin{document}"]
    for n, (stem, options, key) in enumerate(_ASKED, 1):
        lines += [f"{n}. {stem}（{key}）", "\\four{" + "}{".join([*options, "无"]) + "}", ""]
    found = read_paper(read_light("a.tex", "\n".join(lines).encode()).lines)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [key for _, _, key in _ASKED]
    assert [[option[2:].strip() for option in draft.options] for draft in found.questions] == [
        [text.replace("\\", "") for text in [*options, "无"]] for _, options, _ in _ASKED
    ]


@pytest.mark.parametrize(
    "gap", ["\\underline{\\hspace{2cm}}", "\\underline{\\qquad\\qquad}", "\\uline{~~~~}", "\\rule[-2pt]{2cm}{0.4pt}", "\\fillin[][1cm]"]
)
def test_a_line_to_write_on_is_a_gap(gap: str) -> None:
    [line] = [line for line in read_light("a.tex", f"\\question 感觉是对事物{gap}的反映。".encode()).lines if line.strip()]
    assert line in ("1. 感觉是对事物____的反映。", "1. 感觉是对事物（ ）的反映。")
