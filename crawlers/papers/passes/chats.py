"""Chat logs in which one member, a teacher or a machine, asks and gives the answers -> what that one wrote. Numbered lines in and out.

What others post are guesses, never an answer. A log of any other conversation is unchanged.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from crawlers.papers.passes.note_properties import names_property
from crawlers.papers.sections.signals import asks
from crawlers.papers.signs.answer_marks import Numbered, flat, parts_of
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import TYPE, number_of

_DATE = r"(?:\d{4}\s?[-/.年]\s?)?\d{1,2}\s?[-/.月]\s?\d{1,2}(?:[-/.]\d{2,4}|日)?,?"
_TIME = r"(?:[上下中]午|凌晨|清晨|早[上晨]|傍晚|晚上|深夜|周[一二三四五六日])?\s?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AP]M)?"
_CLOCK = re.compile(r"\d:\d")
_WHO = r"(?P<who>[^\s:\[\]][^:\[\]\n]{0,39}?)"
_HEADS = (
    re.compile(rf"\s{{0,4}}{_DATE}\s{{1,3}}{_TIME}\s{{1,3}}{_WHO}\s{{0,4}}(?P<words>)$", re.I),  # 2023-10-11 19:02:01 name(10000)
    re.compile(rf"\s{{0,4}}{_WHO}\s{{1,4}}(?:{_DATE}\s{{1,3}})?{_TIME}\s{{0,4}}(?P<words>)$", re.I),  # name 2023/10/11 19:02
    re.compile(rf"\s{{0,4}}\[{_DATE}\s{{1,3}}{_TIME}\]\s{{0,4}}{_WHO}\s?:\s{{0,4}}(?P<words>.*)$", re.I),  # [2023/10/11 19:02] name: words
    re.compile(rf"\s{{0,4}}{_DATE}\s{{1,3}}{_TIME}\s-\s{_WHO}:\s{{0,4}}(?P<words>.*)$", re.I),  # 2023/10/11, 19:02 - name: words
    re.compile(rf"\s{{0,4}}{_WHO},?\s?\[{_DATE}\s{{1,3}}{_TIME}\]\s?:?\s{{0,4}}(?P<words>)$", re.I),  # name, [11.10.2023 19:02]
    re.compile(rf"\s{{0,4}}{_WHO}\s?[(\[](?:{_DATE}\s{{1,3}})?{_TIME}[)\]]\s?:?\s{{0,4}}(?P<words>.*)$", re.I),  # name(19:02): words
)
_UNTIMED = re.compile(r"\s{0,4}(?P<who>[^\s:()\[\]【】,。、\d]{1,10})\s?:\s{0,4}(?P<words>.*)$")  # name: words
_TIME_ALONE = re.compile(rf"[-\s]{{0,12}}(?:{_DATE}\s{{1,3}})?{_TIME}[-\s]{{0,12}}", re.I)
_LABEL = re.compile(
    r"题|选项|答案|答$|^问$|正解|解析|分析|知识点|考点|难度|来源|出处|章|分[值数]|科目|标签|备注|说明|注意|提示|类型|编号|案例|材料|患者|病人|^[a-z]$|[a-z]{2}$",
    re.I,
)
"""Words before a colon that are not names."""
_ANSWER = re.compile(
    r"(?:第\s?(?P<number>\d{1,4})\s?题\s?的?)?(?:[【\[]?(?:(?:正确|参考|标准)?答案|正解|(?:correct\s)?answer)(?:揭晓|公布|来了|来啦|如下)?[】\]]?|应选"
    r"|(?:[本这该此上][一1]?道?题|今[日天]|昨[日天])(?:的?答案)?应?该?选)"
    r"\s?(?:[是为]|应[该当]?[是为选]|选|is)?\s?:?\s{0,3}(?:应该?选|选择?)?[(\[【“\"]?\s?"
    r"(?P<answer>[A-J](?:[\s,、]{0,2}[A-J]){0,9}(?![A-Za-z])|(?:正确|错误|[对错√×])(?=[\s,。!;)\]】”\"]|$))",
    re.I,
)
_CHOSEN = re.compile(
    r"\s{0,4}(?P<named>(?:应该?)?选)?\s?(?P<answer>[A-J]{1,8}|[对错√×]|正确|错误)\s?(?:$|[。;!]|(?(named),(?!\s?[A-J])|$))(?P<number>)",
    re.I,
)
"""A message that begins with the answer and no word for it: `选D。大家记一下`; `B，C都有人选` is none."""
_OF_STEM = re.compile(r"\s{0,4}(?:患|病|男|女|下列|以下|关于|对于?|某|案例|材料|在|当|若|设|已知|[A-Za-z']{1,20}\s{1,4}(?=[a-z]))")
"""How stems may begin themselves."""
_OPENING = re.compile(r"\s{0,4}\S{2,10}?[\s:]{1,4}(?=\S)")
"""What may be before the words of each question: `今日一题 `."""
_SERIES = re.compile(
    r"\s{0,4}(?:(?P<sign>[【\[#《])\s?)?(?:每[日天周]|今[日天]|本周|早间|晚间|课前|课后)?\s?(?:一题|一练|题目?|练习|打卡|刷题|答题|抢答|问答|测试)题?"
    r"(?:\s?(?:第\s?(?P<ordinal>\d{1,4})\s?[期天题弹]|[#(]?(?P<number>\d{1,4})(?:\s?[期天题弹])?\)?))?"
    r"\s?(?(sign)[】\]#》]\s?:?|(?::|\s{0,4}$))\s{0,4}"
)
"""What a daily question is announced by: `【每日一题】`, `#今日练习#`, `今日题目：`, `【每日一题3】`."""
_LETTER = re.compile(r"(?:^|(?<=[\s。?)]))[(\[]?([A-J])\s?[.、:)\]]")
_TAG = re.compile(rf"[(\[【]\s?(?:{TYPE})\s?[)\]】]")
_REQUEST = re.compile(r"(?:请|大家|各位|直接|现在|在群里){0,4}(?:回复|作答|抢答|发送|答题|开始答题|限时|倒计时).{0,40}$")
_FEWEST, _SHARE, _SHORT, _LEAST_STATEMENT = 3, 0.5, 15, 5


class _Message(Struct):
    """A message by one member."""

    who: str
    lines: list[Numbered] = []


def label_chats(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the questions and answers of the member who asks; all lines if nobody repeatedly asks and answers."""
    messages = _messages(lines)
    if len(messages) < 2 * _FEWEST:
        return list(lines)
    askers = Counter(message.who for message in messages if _asks(message))
    asker, count = askers.most_common(1)[0] if askers else ("", 0)
    own = [message for above, message in pairwise([_Message(asker), *messages]) if message.who == asker and not _praises(message, above)]
    answered = sum(_answer(message) is not None for message in own)
    if count < _FEWEST or answered < _SHARE * count or count < _SHARE * sum(askers.values()):
        return list(lines)
    own = _without_openings(own)
    asked = [_number_of(message) for message in own if _asks(message)]
    series = any(_SERIES.match(_first(message)) for message in own if _asks(message))
    numbered, by_number = any(asked), all(asked) and len(set(asked)) == len(asked)
    done: list[list[Numbered]] = []
    answers: list[str] = []
    is_open = False
    for message in own:
        if _asks(message):
            number = "" if numbered and not (series and by_number) else f"{asked[len(done)] if numbered else len(done) + 1}. "
            inside = _answer(message, below=True)
            done.append([(message.lines[0][0], ""), *_question(message, number)])
            answers.append(inside["answer"] if inside else "")
            is_open = True
        elif (stated := _answer(message)) is None:
            # else it may be another question
            is_open = is_open and not answers[-1] and sum(len(text) for _, text in message.lines) < _SHORT
        elif done:
            number = stated["number"].lstrip("0") if stated["number"] else _number_in_series(message)
            at = asked.index(number) if by_number and number in asked[: len(done)] else len(done) - 1
            if (is_open or number == asked[at]) and number in ("", asked[at]) and stated["answer"] != answers[at]:
                answers[at] = stated["answer"]  # a second one contradicts the first
                place = message.lines[0][0] if at == len(done) - 1 else done[at][-1][0]
                done[at].append((place, f"答案：{stated['answer']}"))
                done[at] += [(place, f"解析：{words}") for words in _explanation(message, bool(number))]
    return [line for question in done for line in question]


def _praises(message: _Message, above: _Message) -> bool:
    """Return whether a verdict may be about what another member guesses above: `错` and `对！`, and not about the statement."""
    said, guess = _CHOSEN.match(_first(message)), _CHOSEN.match(_first(above))
    return message.who != above.who and bool(said and guess) and not any(each and each["answer"].isascii() for each in (said, guess))


def _without_openings(messages: Sequence[_Message]) -> list[_Message]:
    """Return the messages of a member without words that open each question and that are nothing known, `今日一题 `."""
    firsts = [first for message in messages if _asks(message) and (first := _first(message))]
    openings = {match[0] if (match := _OPENING.match(first)) else "" for first in firsts}
    if (
        len(openings) != 1
        or not all(openings)
        or any(number_of(first) or any(form.match(first) for form in (_SERIES, _TAG, _OF_STEM)) for first in firsts)
    ):
        return list(messages)
    (opening,) = openings
    return [_opened(message, len(opening)) if _asks(message) and _first(message).startswith(opening) else message for message in messages]


def _opened(message: _Message, start: int) -> _Message:
    at = next(at for at, (_, text) in enumerate(message.lines) if text.strip())
    index, text = message.lines[at]
    return _Message(message.who, [*message.lines[:at], (index, text.strip()[start:]), *message.lines[at + 1 :]])


def _explanation(message: _Message, is_named: bool) -> list[str]:
    """Return the reasons that a message gives for its answer: what a mark says, and the lines below an answer that names its question."""
    marked = [words for _, text in message.lines for kind, words in parts_of(text) if kind == "explanation" and words]
    opens = bool(message.lines) and is_named and _ANSWER.match(_first(message)) is not None
    return marked or [text.strip() for _, text in message.lines[1:] if len(text.strip()) >= _SHORT and opens]


def _first(message: _Message) -> str:
    """Return the first line with words, in flat signs."""
    return next((flat(text).strip() for _, text in message.lines if text.strip()), "")


def _number_in_series(message: _Message) -> str:
    """Return the number in what announces a daily question or its answer, `【每日一题3】`."""
    series = _SERIES.match(_first(message))
    return str(int(series["ordinal"] or series["number"])) if series and (series["ordinal"] or series["number"]) else ""


def _messages(lines: Sequence[Numbered]) -> list[_Message]:
    """Return the messages of a log whose heads have one form; nothing if there are few."""
    if sum(":" in text or "：" in text for _, text in lines) < 2 * _FEWEST:
        return []
    flats = [flat(text) for _, text in lines]
    timed = [":" in line and _CLOCK.search(line) is not None for line in flats]
    forms = [[form.match(line) if is_timed else None for line, is_timed in zip(flats, timed, strict=True)] for form in _HEADS if any(timed)]
    heads = max(forms, key=lambda form_heads: sum(each is not None for each in form_heads), default=[None] * len(flats))
    if sum(head is not None for head in heads) < 2 * _FEWEST:
        if not (heads := _untimed(flats)):
            return []
        flats = ["" if is_timed and _TIME_ALONE.fullmatch(line) else line for line, is_timed in zip(flats, timed, strict=True)]
    messages: list[_Message] = []
    for (index, text), head, line in zip(lines, heads, flats, strict=True):
        if text.strip() and not line:
            continue  # only the time
        if head is not None:
            messages.append(_Message(head["who"].strip(), [(index, text[head.start("words") :])] if head["words"] else []))
        elif messages:
            messages[-1].lines.append((index, text))
    return messages


def _untimed(flats: Sequence[str]) -> list[re.Match[str] | None]:
    """Return the heads of a log without times: names before a colon, no labels, of several members who write repeatedly; else nothing."""
    heads = {at: head for at, line in enumerate(flats) if ":" in line and (head := _UNTIMED.match(line))}
    counts = Counter(head["who"] for head in heads.values())
    names = {who for who, count in counts.items() if count >= _FEWEST and not _LABEL.search(who) and not names_property(who)}
    if len(names) < 2:
        return []
    return [head if (head := heads.get(at)) and head["who"] in names else None for at in range(len(flats))]


def _asks(message: _Message) -> bool:
    """Return whether a message contains a question: options, or a tag or a number above a blank."""
    texts = [flat(text).strip() for _, text in message.lines if text.strip()]
    letters = "".join(letter for line in texts for letter in _LETTER.findall(line) or [letter_of(line)])
    first = next(iter(texts), "")
    series = _SERIES.match(first)
    if _ANSWER.match(first, series.end() if series else 0):
        return False
    if _number_in_series(message) and len("".join(texts)) > len(series[0] if series else "") + _LEAST_STATEMENT:
        return True
    number = number_of(first)
    style = number.style if number else ""
    is_numbered = style == "ordinal" or (style in ("point", "titled", "bracket") and asks(first))
    return letters.startswith("AB") or bool(_TAG.search(first)) or is_numbered


def _question(message: _Message, number: str) -> list[Numbered]:
    """Return the lines of a question; if it gets a number, that is instead of what announces it, `【每日一题】`."""
    lines = [(index, text) for index, text in message.lines if text.strip() and not _is_request(text)]
    if not number or not lines:
        return lines
    series = _SERIES.match(flat(lines[0][1]))
    first = lines[0][1][series.end() if series else 0 :]
    stem, below = ((lines[0][0], first), lines[1:]) if first.strip() or len(lines) == 1 else (lines[1], lines[2:])
    return [(stem[0], number + stem[1].strip()), *below]


def _answer(message: _Message, below: bool = False) -> re.Match[str] | None:
    """Return where a message states an answer; `below` a question in the same message, on its own line."""
    texts = [flat(text) for _, text in message.lines]
    matches = [match for text in texts for match in _ANSWER.finditer(text)]
    if below:
        return next((match for text in texts if (match := _ANSWER.match(text.strip()))), None)
    if not matches and (chosen := _CHOSEN.match(_first(message))):
        return chosen
    return matches[0] if len({match["answer"].upper() for match in matches}) == 1 else None


def _number_of(message: _Message) -> str:
    if in_series := _number_in_series(message):
        return in_series
    number = next((number for _, text in message.lines if (number := number_of(flat(text).strip()))), None)
    return str(number.value) if number else ""


def _is_request(text: str) -> bool:
    return _REQUEST.match(flat(text).strip()) is not None
