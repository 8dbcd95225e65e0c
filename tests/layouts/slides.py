"""Questions on slides, each followed by a slide that reveals the answer: the lines of their texts."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from tests.layouts.exercises import questions
from tests.layouts.gold import LETTERS, Gold

__all__ = ["SUFFIX", "form", "questions", "text_of"]
SUFFIX = ".txt"
NUMBERS = ("第{n}题：", "第{n}题\n", "{n}. ", "{n}、", "Q{n}：")
REVEALS = (
    *("揭晓答案", "答案揭晓", "公布答案", "参考答案", "正确答案", "答案", "查看答案", "点击查看答案", "答案页", "答案与解析", "【答案】"),
    *("第{n}题答案", "第{n}题 答案", "答案揭晓！", "Answer", "答案揭晓："),
)
ANSWERS = ("正确答案：{a}", "答案：{a}", "【答案】{a}", "{a}", "答案：{a}\n解析：见教材第三章。", "本题选{a}", "正确答案是{a}")


class Form(Struct, frozen=True, kw_only=True):
    """How the slides are written."""

    number: str
    reveal: str
    answer: str
    gaps: bool
    in_rows: bool


def form(rng: Random) -> Form:
    return Form(
        number=rng.choice(NUMBERS),
        reveal=rng.choice(REVEALS),
        answer=rng.choice(ANSWERS),
        gaps=rng.random() < 0.4,
        in_rows=rng.random() < 0.2,
    )


def text_of(golds: Sequence[Gold], how: Form, _: Random) -> str:
    lines = ["心理学课堂抢答", "主讲：刘老师", *[""] * how.gaps]
    for number, gold in enumerate(golds, 1):
        options = [f"{letter}. {words}" for letter, words in zip(LETTERS, gold.options, strict=False)]
        lines += [how.number.format(n=number) + gold.stem, *(["    ".join(options)] if how.in_rows else options), *[""] * how.gaps]
        lines += [how.reveal.format(n=number), how.answer.format(a=gold.answer), *[""] * how.gaps]
    return "\n".join(lines)
