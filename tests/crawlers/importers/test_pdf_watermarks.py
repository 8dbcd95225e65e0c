"""Watermarks of PDFs, printed by a real browser in many ways: a paper is read as if it had none."""

from collections.abc import Callable, Iterator

import pytest

from crawlers.importers.documents.pdf import read_pdf

STYLE = '<meta charset="utf-8"><style>body{font-family:"Noto Serif CJK SC",serif;font-size:11pt} p{margin:3pt 0}</style>'
WORDS = ("感觉", "知觉", "记忆", "思维", "想象", "情绪", "情感", "意志", "需要", "动机", "能力", "气质", "性格")


def paper() -> str:
    """Return questions of which no two have a line in common."""
    questions = []
    for number in range(1, 30):
        one, other = WORDS[number % 13], WORDS[number * 5 % 13]
        stem = f"{number}．下列第{number}种说法之中，最为符合现代心理科学基本观点而与{one}及{other}都有较为密切关系的一项是（ ）"
        questions.append(f"<p>{stem}" + "".join(f"<p>{letter}.{one}之{number}{letter}" for letter in "ABCD") + "<p>答案：A")
    return "".join(questions)


def mark(style: str, text: str = "好题库教育 内部资料") -> str:
    return f'<div style="white-space:nowrap;position:fixed;z-index:-1;{style}">{text}</div>'


def grid(style: str) -> str:
    return "".join(mark(f"top:{y}px;left:{x}px;{style}", "仅供内部使用") for y in range(20, 1000, 137) for x in range(10, 700, 220))


def drawn(style: str) -> str:
    texts = (f'<text x="{x}" y="{y}" font-size="24" {style}>内部资料</text>' for x in (50, 300, 550) for y in (105, 333, 561, 777))
    return f'<svg style="position:fixed;top:0;left:0;z-index:-1" width="700" height="900">{"".join(texts)}</svg>'


MARKS = {
    "slanted": mark("top:40%;left:20%;transform:rotate(-35deg);font-size:50pt;color:#ddd"),
    "slightly slanted": mark("top:40%;left:20%;transform:rotate(-5deg);font-size:40pt;color:#ddd"),
    "slightly slanted grid": grid("transform:rotate(-8deg);color:#ccc"),
    "upside down": mark("top:40%;left:20%;transform:rotate(180deg);font-size:40pt;color:#ddd"),
    "large": mark("top:40%;left:10%;font-size:50pt;color:#ddd"),
    "large and transparent": mark("top:40%;left:10%;font-size:50pt;opacity:.15"),
    "as large as the text": mark("top:300px;left:60px;color:#ccc"),
    "as large and as dark as the text": mark("top:303px;left:60px;opacity:.2"),
    "grid": grid("color:#ccc"),
    "transparent grid": grid("opacity:.2"),
    "drawn": drawn('fill="#ccc"'),
    "drawn and transparent": drawn('opacity=".3"'),
    "header over the text": mark("top:2px;left:200px;font-size:8pt;color:#888"),
    "from top to bottom": mark("top:100px;left:200px;writing-mode:vertical-rl;font-size:30pt;color:#ddd"),
}


@pytest.fixture(scope="module")
def lines_of(browser) -> Iterator[Callable[[str], list[str]]]:
    """Print a page to PDF, and return its lines."""
    page = browser.new_page()

    def printed(html: str) -> list[str]:
        page.set_content(STYLE + html)
        return read_pdf("a.pdf", page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom", "left", "right"), "12mm"))).lines

    yield printed
    page.close()


@pytest.mark.parametrize("kind", MARKS)
def test_a_watermark_is_left_out(lines_of: Callable[[str], list[str]], kind: str) -> None:
    assert lines_of(MARKS[kind] + paper()) == lines_of(paper())


def test_answers_in_colours_stay(lines_of: Callable[[str], list[str]]) -> None:
    red, light = '<span style="color:red">答案：A</span>', '<span style="color:#bbb">答案：B</span>'
    html = "".join(f"<p>{number}．属于感觉的是（ ）<p>A.甲<p>B.乙<p>{red if number % 2 else light}" for number in range(1, 20))
    assert [line for line in lines_of(html) if line.startswith("答案")] == ["答案：A", "答案：B"] * 9 + ["答案：A"]
