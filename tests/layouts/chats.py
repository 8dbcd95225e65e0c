"""Questions posted in a group chat by one member, who later gives the answer, between the guesses of others."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from tests.layouts.chapters import questions
from tests.layouts.gold import LETTERS, Gold

__all__ = ["form", "questions", "text_of"]
SUFFIX = ".txt"
HEADS = (
    "2023-05-{day:02} {hour:02}:00:25 {who}",
    "{who} 2023-05-{day:02} {hour:02}:00",
    "{who} 2023/5/{day} {hour:02}:00:12",
    "[2023/5/{day} {hour:02}:00] {who}: ",
    "2023/5/{day}, {hour:02}:00 - {who}: ",
    "{who}, [{day:02}.05.2023 {hour:02}:00]",
    "{who}({hour:02}:00): ",
    "{who}  {hour:02}:00",
    "{who}：",
)
LABELS = (
    "",
    "【每日一题】",
    "【每日一题】\n",
    "每日一题：",
    "#每日一题# ",
    "【今日练习】",
    "今日题目：",
    "【每日一题 第{n}期】",
    "【打卡】",
    "题目：",
    "【单选】",
    "{n}. ",
    "第{n}题：",
    "第{n}题 ",
)
ANSWERS = (
    "今日正确答案：{a}，大家记一下",
    "答案：{a}",
    "答案是{a}",
    "正确答案：{a}\n解析：见教材。",
    "公布答案：{a}",
    "答案揭晓：{a}！",
    "昨天的答案：{a}",
    "上一题答案：{a}，答对的同学很棒",
    "@所有人 正确答案 {a}",
    "这题选{a}",
    "本题选{a}。",
    "正解：{a}",
    "【答案】{a}",
)
GUESSES = ("我猜{a}吧", "{a}", "选{a}", "答案是{a}？", "有点难啊[捂脸]", "打卡", "早[太阳]", "应该是{a}")
_OTHERS = ("木子", "小陈同学", "阿宁")


class Form(Struct, frozen=True, kw_only=True):
    """How a chat is written."""

    head: str
    label: str
    answer: str
    spaced: bool
    """An empty line between messages."""
    in_rows: bool
    titled: bool


def form(rng: Random) -> Form:
    return Form(
        head=rng.choice(HEADS),
        label=rng.choice(LABELS),
        answer=rng.choice(ANSWERS),
        spaced=rng.random() < 0.5,
        in_rows=rng.random() < 0.3,
        titled=rng.random() < 0.5,
    )


def text_of(golds: Sequence[Gold], how: Form, rng: Random) -> str:
    """Return a chat with one question a day."""
    lines = ["————— 中医备考群 —————", ""] if how.titled else []

    def says(day: int, hour: int, who: str, words: str) -> None:
        head = how.head.format(day=day, hour=hour, who=who)
        lines.extend((head + words).split("\n") if head.endswith((": ", "：")) else [head, *words.split("\n")])
        lines.extend([""] * how.spaced)

    for day, gold in enumerate(golds, 1):
        options = [f"{letter}. {words}" for letter, words in zip(LETTERS, gold.options, strict=False)]
        rows = "    ".join(options) if how.in_rows else "\n".join(options)
        says(day, 8, "李老师", f"{how.label.format(n=day)}{gold.stem}\n{rows}")
        for who in _OTHERS[: rng.randrange(4)]:
            says(day, 9, who, rng.choice(GUESSES).format(a=rng.choice(LETTERS[: len(options)])))
        says(day, 20, "李老师", how.answer.format(a=gold.answer))
    return "\n".join(lines)
