"""One line of an answer list: `1-5 ABCDA`, `6.A 7.BD`, `第一部分 1.B`, a row of numbers above a row of answers. A line -> entries."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from atomexam.text.numerals import HANZI
from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.read.vocabulary.headings import heads, is_note, is_paper_title, may_head
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat, may_mark, per_line, shown
from crawlers.read.vocabulary.numbers import number_of

ANSWER = rf"(?:[A-J](?:\s?[,、/.]?\s?[A-J]){{0,9}}|[a-j]{{1,8}}|[①-⑩]{{1,8}}|{SURE_VERDICT})"
_RUN = re.compile(
    r"(?:第\s?)?[(\[【]?(?P<first>\d{1,5})\s{0,3}[-_]{1,3}\s{0,3}(?:第\s?)?(?P<last>\d{1,5})\s{0,2}题?的?(?:答案)?\s{0,3}[)\]】]?\s{0,3}[:、.)]?\s{0,6}(?:答案)?:?\s{0,4}"
    rf"(?P<answers>(?:[A-J]+|[a-j]{{2,}}|(?:{SURE_VERDICT}){{1,200}})(?:[\s,、;./|]{{0,6}}(?:[A-J]+|[a-j]+|{SURE_VERDICT})){{0,400}})(?![a-zA-Z\u4e00-\u9fff])"
)
_ONE = re.compile(
    r"(?:第\s?|题)?[(\[【]?(?P<number>\d{1,5}|[①-⑳])\s{0,3}题?\s{0,2}[、.:)\]】,→=-]?\s{0,4}(?:【答案】|答案\s?:?|选)?\s?[(\[【]?\s?"
    rf"(?P<answer>{ANSWER}|[?])\s?[)\]】]?(?=[\s;,。.、(|]|\d|【|解析|$)(?!\.\d|\.[A-Za-z])"
)
_NUMBERED = re.compile(r"[\d①-⑳]")
SCORES = re.compile(r"\s?[(\[]\s?\d{1,2}\s?分\s?[)\]]")
_TOPIC = re.compile(r"\s?\([^()\d][^()]{0,19}\)(?=[\s;,。.、]{0,4}(?:(?:第|[(\[【])?\d|$))")
"""The topic of an answer, before the next answer: `1.A（记忆）2.B`."""
_PARTS = " ,;。、.|"
_TITLE_WORDS = (
    r"[【\[(*#|★☆◆■●▲—\-\s]{0,30}(?:附[录件]?\s?[一二三1-3]?\s?[:、.]\s?)?(?P<name>[^:。?]{0,30}?)\s{0,4}"
    r"(?:(?:同步|课后|课堂|随堂|章节|单元|巩固|自我)?(?:练习|习题|自测|测试|检测|测验|作业)题?)?\s?(?:参\s{0,9}考|标\s{0,9}准|正确|试题|试卷)?\s{0,9}"
    r"(?:答\s{0,9}案|(?:Answers?|ANSWERS?)(?:\s[Kk]eys?|\sKEYS?)?|Key|KEY)"
    r"(?:(?:及|与|和|、|/|&)?(?:详细|试题|评分|参考)?\s?(?:解析|解释|详解|提示|标准|细则|要\s?点|分析|说明)){0,2}(?:部分|速查|一览表?|汇总|揭晓|公布|来[了啦]|如下|表|页|纸|卷)?"
)
_TITLE_OF = r"(?:\s?\((?P<of>(?![\sA-J√×对错])[^()]{1,30})\))?"
_TITLE = re.compile(rf"{_TITLE_WORDS}[】\])\s*|—\-]{{0,30}}:?$")
_ANNOUNCED = re.compile(rf"{_TITLE_WORDS}{_TITLE_OF}[】\])*|—\-\s]{{0,9}}:?[*\s]{{0,5}}(?=[(\[【]?第?\s?[(\[【]?[\d①A-J√×对错正])")
_NAMES_ANSWER = ("案", "nswer", "NSWER", "Key", "KEY")
"""Parts of words, at least one of which occurs in every title."""
_BARE_TITLE = r"(?:参考|标准|正确|试题|试卷|练习|习题|本[题章节]|[【\[(*]){0,3}答\s?案"
_OPENS_CONTENT = re.compile(
    rf"(?:[(\[【]?\s?(?:\d{{1,5}}|[A-Ja-j])\s?[)\]】、.:]\s{{0,3}}|第\s?\d{{1,5}}\s?题\s{{0,3}}|[①-⑳]\s{{0,3}})(?!\s|{_BARE_TITLE})"
)
_NO_TITLE = re.compile(
    r"备选|共用|选出|选择|以下|下列|您的|你的|我的|[\s\d℃)\u4e00-\u9fff][(\[]?(?:[B-J]\s?[.、:)\]]|[b-j][.、)])(?!\s?卷)"
)
"""Phrases about other answers, and options within a line; titles have neither."""
GROUP = re.compile(
    rf"(?:(?:第?[(\[]?[{HANZI}]{{1,3}}[)\]]?|(?:I{{1,3}}|I?V|VI{{1,3}}|I?X)(?=[\s.、:]))\s{{0,3}}(?:部分|大题|单元|卷)?\s?[、.:]?\s{{0,3}}(?:[^\d()A-Z。]{{0,16}}?(?:题|型|部分|选择|判断|单选|多选))?"
    r"|[【\[]?(?:单项选择|多项选择|不定项选择|单选|多选|选择|判断|是非|[ABX]\d?(?:/A\d)?型)题?[】\]]?"
    rf"|[【\[]?(?:案例|病例|材料|病案)(?:分析)?题?\s?[(]?(?:[{HANZI}]{{1,3}}|\d{{1,2}}(?=[)\]】]?\s?[:、]))[)]?[】\]]?)"
    r"\s{0,3}(?:\([^()]{2,30}分[^()]{0,9}\))?\s{0,3}[:、.]?\s{0,4}(?=第?\s?[(\[【]?[\d①-⑳])"
)
BARE_RUN = re.compile(
    rf"(?P<label>(?:第?[(\[]?[{HANZI}]{{1,3}}[)\]]?(?:部分|大题)?\s?[、.:]?\s?)?[【\[]?(?:单项选择|多项选择|不定项选择|单选|多选|选择|判断|是非|[ABX]\d?型)?题?[】\]]?"
    rf"\s?(?:\([^()]{{1,30}}\))?)\s?[:、.]?\s{{0,4}}(?P<answers>(?:[A-J]|{SURE_VERDICT})(?:[\s,、;]{{0,4}}(?:[A-J]|{SURE_VERDICT})){{1,200}})[\s。.]{{0,4}}$"
)
"""Answers without numbers, `单选：ABCDA`: those of a section, in order."""
_NUMBER_ROW = re.compile(
    r"\|?\s{0,4}(?:题\s?号|序\s?号|题目|编号)?\s{0,4}[:|]?\s{0,4}(?P<cells>\d{1,5}(?:-\d{1,5})?(?:[\s|,、]{1,12}\d{1,5}(?:-\d{1,5})?){1,200})[\s|]{0,8}$"
)
_ANSWER_ROW = re.compile(
    rf"\|?\s{{0,4}}(?:参考|正确)?(?:答\s?案|选项|选择)?\s{{0,4}}[:|]?\s{{0,4}}"
    # possessive, to avoid backtracking: a run of letters can be split in very many ways
    rf"(?P<cells>(?:[A-J]{{1,10}}+|[a-j]{{1,10}}+|{SURE_VERDICT})(?:[\s|,、]{{0,12}}+(?:[A-J]{{1,10}}+|[a-j]{{1,10}}+|{SURE_VERDICT})){{0,200}}+)[\s|]{{0,8}}$"
)
_CELL, _NUMBER_CELL = re.compile(rf"[A-J]+|[a-j]+|{SURE_VERDICT}"), re.compile(r"(\d+)(?:-(\d+))?")
_MOST_OF_RUN = 200
HEADS, LISTS, ANSWERS = 1, 2, 4
"""Kinds of lines: a heading, a note, a title of answers or a paper's name; one that may have a number, digit, mark or word for answers; a
complete answer.
"""


class KeyEntry(Struct):
    """One answer of the list. It is extended while its lines are read."""

    number: int
    answer: str | None = None
    explanation: str | None = None
    section: str | None = None
    """The heading above it, in flat form."""
    lettered: bool = False
    """Whether its answer is letters or a verdict."""
    style: str = ""
    """Form of its number, if its answer is in words."""
    sure: bool = True
    """False if its run has more or fewer answers than numbers."""
    words: str = ""
    """What was found in that run, and what was expected."""


class Title(Struct, frozen=True):
    """The words that announce an answer list."""

    name: str
    """What the answers belong to, `第一章`; may be empty."""
    end: int


class Listed(Struct):
    """The content of a line of an answer list."""

    entries: list[KeyEntry]
    rest: str
    """The text after its last entry."""
    group: str = ""
    """Heading before the entries."""


@lru_cache(maxsize=64)  # adjacent lines look at a line, too
def listed_in(text: str) -> Listed:
    """Return the entries at the beginning of a line, after its heading if there is one."""
    line = flat(text)
    if not may_list(line):
        return Listed([], text)
    entries, end = _entries_of(line, 0)
    if entries:
        return Listed(entries, text[end:])
    group = GROUP.match(line)
    if group and group.end():
        entries, end = _entries_of(line, group.end())
        if entries:
            return Listed(entries, text[end:], text[: group.end()])
    return Listed([], text)


def may_list(line: str) -> bool:
    """Return whether a flat line has a digit, as every list entry does."""
    return _NUMBERED.search(line) is not None


def may_say_answer(line: str) -> bool:
    """Return whether a flat line contains 案 or the letter e, as 答案, answer and key do but few other lines."""
    return "案" in line or "e" in line or "E" in line


def _names_answer(line: str) -> bool:
    return may_say_answer(line) and any(word in line for word in _NAMES_ANSWER)


def is_title(line: str) -> bool:
    """Return whether a flat line only announces answers; a question or option that ends with such a word does not count."""
    return len(line) < 60 and _names_answer(line) and _titles(line, _TITLE.match(line))


def title_in(line: str) -> Title | None:
    """Return the announcement of answers at the start of a flat line, which the answers may follow: `第一章答案：1.B 2.C`."""
    if not _names_answer(line[:60]):
        return None
    match = _TITLE.match(line) if len(line) < 60 else None
    match = match or _ANNOUNCED.match(line)
    if match is None or not _titles(match[0], match):
        return None
    return Title((match.groupdict().get("of") or match["name"]).strip(), match.end())


def _titles(words: str, match: re.Match[str] | None) -> bool:
    return match is not None and not _NO_TITLE.search(words) and not _OPENS_CONTENT.match(words)


def is_table(row: str, below: str) -> bool:
    """Return whether two flat lines are a row of numbers above a row of answers."""
    last = row[-1:]
    ends = last.isdecimal() or last.isspace() or last == "|"  # rows of numbers end like this, few other lines do
    return ends and bool(_NUMBER_ROW.match(row) and _ANSWER_ROW.match(below))


def _entries_of(line: str, start: int) -> tuple[list[KeyEntry], int]:
    """Return the entries that start at an index of a flat line, and the index where they end."""
    entries: list[KeyEntry] = []
    index = start
    while match := _RUN.match(line, index) or _ONE.match(line, index):
        if "answers" in match.groupdict():
            entries += answers_of_run(match)
        else:
            number = match["number"]
            value = int(number) if number.isdecimal() else ord(number) - 0x245F
            unknown = match["answer"] == "?"
            entries.append(KeyEntry(value, None if unknown else match["answer"].replace(" ", ""), lettered=True, sure=not unknown))
        index = match.end()
        if tag := SCORES.match(line, index) or _TOPIC.match(line, index):
            index = tag.end()
        while index < len(line) and line[index] in _PARTS:
            index += 1
    return entries, index


def answers_of_run(run: Mapping[str, str] | re.Match[str]) -> list[KeyEntry]:
    """Return the answers of `1-5 ABCDA` or `21-23 AB ACD BC`; they are uncertain if there are more or fewer answers than questions."""
    numbers = _numbers_of((run["first"], run["last"]))
    return _entries(numbers, _CELL.findall(run["answers"]), f"{run['first']}-{run['last']} {run['answers']}")


def _entries(numbers: Sequence[int], answers: list[str], text: str, fits: bool = True) -> list[KeyEntry]:
    """Return an entry for each number, with an answer of its own or one letter of a run; the entries are uncertain if the counts differ."""
    letters = [sign for answer in answers for sign in (answer if set(answer.upper()) <= set(LETTERS) else [answer])]
    for each in (answers, letters) if fits else ():
        if len(each) == len(numbers):
            return [KeyEntry(number, answer, lettered=True) for number, answer in zip(numbers, each, strict=True)]
    found = min(len(answers), len(letters), key=lambda count: abs(count - len(numbers)))
    words = f"its answer list has {shown(text)}: {found} answers for {len(numbers)} numbers; expected one for each"
    return [KeyEntry(number, " ".join(answers) if fits else "", sure=False, lettered=True, words=words) for number in numbers]


def _numbers_of(cell: tuple[str, str]) -> range:
    """Return the numbers in a cell, `6` or `6-10`."""
    first, last = int(cell[0]), int(cell[1] or cell[0])
    return range(first, last + 1 if first <= last < first + _MOST_OF_RUN else first)


def entries_of_table(row: str, below: str) -> list[KeyEntry]:
    """Return the entries of a flat row of numbers above a flat row of answers; they are uncertain if the rows differ in length."""
    runs = [*map(_numbers_of, _NUMBER_CELL.findall(row))]
    row_below = _ANSWER_ROW.match(below)
    answers = _CELL.findall(row_below["cells"]) if row_below else []
    numbers = [number for run in runs for number in run]
    fits = len(numbers) == len(runs) or [*map(len, runs)] == [*map(len, answers)]
    return _entries(numbers, answers, f"{row} {below}", fits)


@per_line
def kinds_of(line: str) -> int:
    """Return the kinds of a flat line as bits, 0 for most lines."""
    kinds = HEADS if heads(line) or may_head(line) or is_note(line) or is_paper_title(line) or is_title(line) else 0
    kinds |= LISTS if may_list(line) or may_say_answer(line) or number_of(line) or may_mark(line) else 0
    return kinds | (ANSWERS if WHOLE_ANSWER.fullmatch(line) else 0)
