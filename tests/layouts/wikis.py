"""Questions in the Quiz extension of MediaWiki (https://www.mediawiki.org/wiki/Extension:Quiz)."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from tests.layouts.exercises import questions
from tests.layouts.gold import LETTERS, Gold

__all__ = ["SUFFIX", "form", "questions", "text_of"]
SUFFIX = ".wiki"
QUIZZES = ("<quiz display=simple>", "<quiz>", '<quiz points="1/0" shuffle="question">')
STEMS = (
    '{{ {stem}\n|type="{type}" }}',
    '{{{stem}\n|type="{type}"}}',
    '{{{stem} |type="{type}"}}',
    '{{\n{stem}\n|type="{type}"\n}}',
    '{{ {stem}\n|type="{type}" coef="2" }}',
    "{{ {stem} }}",
)


class Form(Struct, frozen=True, kw_only=True):
    """How the quiz is written."""

    quiz: str
    stem: str
    gaps: bool
    feedback: str
    around: bool
    tight: bool


def form(rng: Random) -> Form:
    return Form(
        quiz=rng.choice(QUIZZES),
        stem=rng.choice(STEMS),
        gaps=rng.random() < 0.7,
        feedback=rng.choice(("none", "none", "right", "all")),
        around=rng.random() < 0.5,
        tight=rng.random() < 0.3,
    )


def text_of(golds: Sequence[Gold], how: Form, _: Random) -> str:
    lines = ["== 自测 ==", "本页测验由志愿者维护。"] if how.around else []
    lines.append(how.quiz)
    for gold in golds:
        lines += how.stem.format(stem=gold.stem, type="()" if len(gold.answer) == 1 else "[]").split("\n")
        for letter, words in zip(LETTERS, gold.options, strict=False):
            right = letter in gold.answer
            lines.append(f"{'+' if right else '-'}{'' if how.tight else ' '}{words}")
            if how.feedback == "all" or (how.feedback == "right" and right):
                lines.append("|| 见教材第三章。")
        lines += [""] * how.gaps
    return "\n".join([*lines, "</quiz>", *["[[Category:心理学]]"] * how.around])
