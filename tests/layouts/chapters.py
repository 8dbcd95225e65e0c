"""Questions in chapters, as workbooks have them: each followed by its list of answers, or all lists at the end."""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from tests.layouts.gold import LETTERS, Gold, paper

_HANZI = "一二三四五六七八九十"
_TOPICS = ("绪论", "感觉与知觉", "记忆", "思维", "情绪")
SUFFIX = ".txt"
HEADINGS = (
    "第{hanzi}章",
    "第{digit}章",
    "第{hanzi}章 {topic}",
    "第{digit}章　{topic}",
    "第{hanzi}节 {topic}",
    "第{hanzi}单元",
    "第{hanzi}讲：{topic}",
    "【第{hanzi}章】",
    "## 第{hanzi}章 {topic}",
    "模块{hanzi} {topic}",
    "专题{digit}：{topic}",
    "练习{hanzi}",
    "Unit {digit}",
    "Chapter {digit} {topic}",
    "{hanzi}、{topic}",
    "{topic}",
)
_PLAIN = ("{hanzi}、{topic}", "{topic}")
"""Headings that only the numbers show, which restart below them."""
TITLES = (
    "{name}答案：{list}",
    "{name}参考答案：{list}",
    "{name} 答案: {list}",
    "{name}习题答案：{list}",
    "{name}练习题参考答案  {list}",
    "{name}答案与解析：{list}",
    "【{name}答案】{list}",
    "［{name} 参考答案］ {list}",
    "答案（{name}）：{list}",
    "★{name}答案：{list}",
    "**{name}答案**：{list}",
    "—— {name}答案 —— {list}",
    "{name}答案\n{list}",
    "{name}参考答案：\n{list}",
    "【{name}答案】\n{list}",
    "本章答案：{list}",
    "本章参考答案：{list}",
    "本章练习答案：{list}",
    "课后习题答案：{list}",
    "自测题答案：{list}",
    "同步练习参考答案：{list}",
    "参考答案：{list}",
    "答案：{list}",
    "（答案：{list}）",
    "答案速查：{list}",
    "参考答案\n{list}",
    "Answer key: {list}",
    "Answers: {list}",
)
LISTS = (
    "{n}.{a} ",
    "{n}．{a}　",
    "{n}、{a} ",
    "{n}{a} ",
    "{n}.{a}；",
    "{n}-{a} ",
    "({n}){a} ",
    "（{n}）{a}，",
    "{n}) {a} ",
    "range",
    "fives",
    "bare",
    "spaced",
)
PLACES = ("each", "each", "end", "below")
"""After each chapter; at the end, each with its title; at the end below one title."""
BELOW = ("{name}：{list}", "{name}\n{list}", "{name} {list}", "{name}、{list}", "【{name}】{list}")


class Form(Struct, frozen=True, kw_only=True):
    """How the chapters are written."""

    heading: str
    title: str
    listed: str
    place: str
    restarts: bool
    in_rows: bool
    """Two options a line."""
    gaps: bool


def form(rng: Random) -> Form:
    heading = rng.choice(HEADINGS)
    place = rng.choice(PLACES)
    return Form(
        heading=heading,
        title=rng.choice(BELOW if place == "below" else TITLES),
        listed=rng.choice(LISTS),
        place=place,
        restarts=rng.random() < 0.8 or heading in _PLAIN,
        in_rows=rng.random() < 0.5,
        gaps=rng.random() < 0.5,
    )


def questions(rng: Random) -> list[Gold]:
    """Return twelve questions with one answer."""
    golds: dict[str, Gold] = {}
    while len(golds) < 12:
        golds |= {gold.mark: gold for section in paper(rng) if section.kind == "single" for gold in section.questions}
    return list(golds.values())[:12]


def text_of(golds: Sequence[Gold], how: Form, _: Random) -> str:
    """Return three chapters, each with another count of questions."""
    lines, lists = ["普通心理学同步练习", ""], []
    chapters = [golds[:4], golds[4:7], golds[7:]]
    number = 0
    for chapter, own in enumerate(chapters):
        topic = _TOPICS[chapter % len(_TOPICS)]
        name = how.heading.format(hanzi=_HANZI[chapter], digit=chapter + 1, topic=topic)
        lines += [name, *[""] * how.gaps]
        number = 0 if how.restarts else number
        answers = []
        for gold in own:
            number += 1
            answers.append((number, gold.answer))
            lines += [f"{number}. {gold.stem}", *_options(gold, how), *[""] * how.gaps]
        bare = topic if how.heading in _PLAIN else name.strip("#【】 ").removesuffix(topic).rstrip(" ：　")
        listed = how.title.format(name=bare, list=_list_of(answers, how.listed))
        if how.place == "each":
            lines += [*listed.split("\n"), *[""] * how.gaps]
        else:
            lists += listed.split("\n")
    return "\n".join([*lines, *["参考答案"] * (how.place == "below"), *lists])


def _options(gold: Gold, how: Form) -> list[str]:
    options = [f"{letter}. {words}" for letter, words in zip(LETTERS, gold.options, strict=False)]
    return ["    ".join(options[at : at + 2]) for at in range(0, len(options), 2)] if how.in_rows else options


def _list_of(answers: Sequence[tuple[int, str]], listed: str) -> str:
    letters = "".join(letter for _, letter in answers)
    if listed == "range":
        return f"{answers[0][0]}-{answers[-1][0]} {letters}"
    if listed == "fives":
        return f"{answers[0][0]}～{answers[-1][0]}：{letters}"
    if listed == "bare":
        return letters
    if listed == "spaced":
        return " ".join(letters)
    return "".join(listed.format(n=number, a=letter) for number, letter in answers).strip(" 　；，")
