"""Questions as exercises of R/exams, in Markdown or in LaTeX (https://www.r-exams.org/intro/dynamic/)."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from tests.layouts.gold import LETTERS, Gold, paper

SUFFIX = ".Rmd"


class Form(Struct, frozen=True, kw_only=True):
    """How the exercises are written."""

    latex: bool
    underlined: bool
    bullet: str
    solved: str
    """What the part Solution has: nothing, the verdict on each option, words, or both."""
    compact: bool
    """No empty lines between the parts."""
    named: bool


def form(rng: Random) -> Form:
    return Form(
        latex=rng.random() < 0.3,
        underlined=rng.random() < 0.7,
        bullet=rng.choice("*-"),
        solved=rng.choice(("none", "verdicts", "words", "both")),
        compact=rng.random() < 0.3,
        named=rng.random() < 0.5,
    )


def questions(rng: Random) -> list[Gold]:
    """Return twelve questions with one answer or several."""
    golds: dict[str, Gold] = {}
    while len(golds) < 12:
        golds |= {gold.mark: gold for section in paper(rng) if section.kind in ("single", "multiple") for gold in section.questions}
    return list(golds.values())[:12]


def text_of(golds: Sequence[Gold], how: Form, _: Random) -> str:
    write = _latex if how.latex else _markdown
    return "\n".join(line for number, gold in enumerate(golds, 1) for line in write(number, gold, how) if line or not how.compact)


def _verdicts(gold: Gold) -> list[str]:
    return ["True" if letter in gold.answer else "False" for letter in LETTERS[: len(gold.options)]]


def _fields(number: int, gold: Gold, how: Form) -> list[tuple[str, str]]:
    chosen = "".join(str(int(verdict == "True")) for verdict in _verdicts(gold))
    named = [("name", f"q{number:02}")] if how.named else []
    return [*named, ("type", "schoice" if len(gold.answer) == 1 else "mchoice"), ("solution", chosen), ("shuffle", "TRUE")]


def _markdown(number: int, gold: Gold, how: Form) -> list[str]:
    def head(name: str, sign: str) -> list[str]:
        return [name, sign * len(name)] if how.underlined else [f"{'#' if sign == '=' else '##'} {name}"]

    lines = [*head("Question", "="), gold.stem, "", *head("Answerlist", "-"), *(f"{how.bullet} {words}" for words in gold.options), ""]
    if how.solved != "none":
        lines += head("Solution", "=")
        lines += ["见教材第三章。", ""] if how.solved != "verdicts" else []
        lines += (
            [*head("Answerlist", "-"), *(f"{how.bullet} {verdict}" for verdict in _verdicts(gold)), ""] if how.solved != "words" else []
        )
    return [*lines, *head("Meta-information", "="), *(f"ex{name}: {value}" for name, value in _fields(number, gold, how)), ""]


def _latex(number: int, gold: Gold, how: Form) -> list[str]:
    def listed(words: Sequence[str]) -> list[str]:
        return [r"\begin{answerlist}", *(rf"  \item {each}" for each in words), r"\end{answerlist}"]

    lines = [r"\begin{question}", gold.stem, *listed(gold.options), r"\end{question}", ""]
    if how.solved != "none":
        lines += [r"\begin{solution}", *(["见教材第三章。"] if how.solved != "verdicts" else [])]
        lines += [*(listed(_verdicts(gold)) if how.solved != "words" else []), r"\end{solution}", ""]
    return [*lines, *(rf"\ex{name}{{{value}}}" for name, value in _fields(number, gold, how)), ""]
