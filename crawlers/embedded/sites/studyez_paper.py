"""A paper in the form used by studyez: lines of text; each paper has its own style of numbers, letters and answers."""

from collections.abc import Iterator

from markupsafe import Markup, escape
from msgspec import Struct

from atomexam.text.option_letters import LETTERS
from crawlers.embedded.content import Paper, PaperSection, Q
from crawlers.embedded.rendering import full_width

BLANKS = ("（ ）", "（\u00a0\u00a0）", "（\u3000）")
RUN = 5  # answers in a run such as 1-5 ABCDA

Line = str
"""Text, with Markup for an image."""


class Style(Struct, frozen=True, kw_only=True):
    """The style of a paper."""

    number: str = "{}、"
    letter: str = "{}. "
    options_a_line: int = 1
    answer: str = "【答案】{}"
    explanation: str = "【解析】{}"
    answers: str = "below"
    """Position of the answer: `below` the question after its last option, in the blank of its stem, or at the end of the paper."""
    whole: bool = False
    """Whether the complete paper is one paragraph."""
    anew: bool = False
    """Whether numbers restart under every heading."""
    pages: int = 1


STYLES = (
    Style(number="{}．", letter="{}．", options_a_line=2, answers="in the blank"),
    Style(whole=True, options_a_line=4, answers="at the end"),
    Style(number="{}.", letter="({})", answers="at the end", pages=2),
    Style(whole=True, options_a_line=4),
    Style(letter="{}、", answer="答案：{}", explanation="解析：{}", anew=True),
    Style(number="{}．", letter="{}．", options_a_line=2, answers="in the blank"),
    Style(whole=True, options_a_line=2, answers="behind the options"),
)


def style_of(paper: Paper) -> Style:
    """Return the style of a paper."""
    if any(section.case or section.shared_options for section in paper.sections):
        return Style(number="{}.", letter="{}.")  # the style of medical papers
    return STYLES[(paper.id + 2) % len(STYLES)]


def paragraphs_of(paper: Paper) -> list[list[Line]]:
    """Return the paragraphs of a paper; each is a list of the lines between its line breaks."""
    style = style_of(paper)
    paragraphs: list[list[Line]] = []
    numbered: list[tuple[int, PaperSection, Q]] = []
    for section in paper.sections:
        first = 1 if style.anew or not numbered else numbered[-1][0] + 1
        paragraphs.append([_html(line) for line in _above(section, first)])
        for number, q in enumerate(section.questions, first):
            numbered.append((number, section, q))
            paragraphs.append(list(_question(style, section, q, number)))
    if style.answers == "at the end":
        paragraphs.append([_html(line) for line in _key(numbered)])
    return [[line for lines in paragraphs for line in lines]] if style.whole else paragraphs


def _above(section: PaperSection, first: int) -> Iterator[str]:
    last = first + len(section.questions) - 1
    if section.heading:
        yield section.heading
    if section.case:
        yield f"（{first}～{last}题共用题干）"
        yield section.case
    if section.shared_options:
        yield f"（{first}～{last}题共用备选答案）"
        yield from (f"{letter}. {text}" for letter, text in zip(LETTERS, section.shared_options, strict=False))


def _question(style: Style, section: PaperSection, q: Q, number: int) -> Iterator[Line]:
    answer = q.raw.get("answer", q.answer) or ""
    texts = q.raw.get("options", q.options)
    stem = q.raw.get("stem", q.stem)
    letters = LETTERS[: len(texts or section.shared_options)]
    filled = style.answers == "in the blank" and "（ ）" in stem and answer != "" and set(answer) <= set(letters)
    stem = stem.replace("（ ）", f"（{answer}）" if filled else BLANKS[number % 3])
    score = "[1分]" if number % 10 == 3 and not q.planted else ""
    images = Markup('<img src="/uploadfile/202610/{}.gif" border="0" />').format(number) * q.images
    yield _html(style.number.format(number) + stem + score) + images
    if number % 12 == 7 and not q.planted:
        texts = [full_width(text) for text in texts]
    options = [style.letter.format(letter) + text for letter, text in zip(LETTERS, texts, strict=False)]
    lines = [" ".join(options[start : start + style.options_a_line]) for start in range(0, len(options), style.options_a_line)]
    marks = [] if filled or style.answers == "at the end" or not answer else [style.answer.format(answer)]
    if q.explanation and style.answers != "at the end":
        marks.append(style.explanation.format(q.explanation))
    if style.answers == "behind the options" and lines:
        lines[-1] = " ".join([lines[-1], *marks])
        marks = []
    yield from map(_html, [*lines, *marks])


def _key(numbered: list[tuple[int, PaperSection, Q]]) -> Iterator[str]:
    """Return the answers at the end of the paper: ranges and rows of letters, and one line for each answer with an explanation."""
    yield "参考答案及解析"
    heading = None
    row: list[tuple[int, str]] = []
    for number, section, q in numbered:
        answer = q.raw.get("answer", q.answer)
        if section.heading != heading or q.explanation or q.type == "qa":
            yield from _rows(row)
            row = []
        if section.heading != heading and section.heading:
            yield section.heading
        heading = section.heading
        if answer and (q.explanation or q.type == "qa"):
            yield f"{number}.{'答：' if q.type == 'qa' else ''}{answer}" + (f"【解析】{q.explanation}" if q.explanation else "")
        elif answer:
            row.append((number, answer))
    yield from _rows(row)


def _rows(row: list[tuple[int, str]]) -> Iterator[str]:
    for start in range(0, len(row), RUN):
        part = row[start : start + RUN]
        numbers = [number for number, _ in part]
        if len(part) > 1 and numbers == list(range(numbers[0], numbers[-1] + 1)) and all(len(answer) == 1 for _, answer in part):
            yield f"{numbers[0]}-{numbers[-1]} {''.join(answer for _, answer in part)}"
        else:
            yield "  ".join(f"{number}.{answer}" for number, answer in part)


def _html(text: str) -> Markup:
    return Markup(str(escape(text)).replace("\u00a0", "&nbsp;"))
