"""Separate what pages add (page numbers, running titles, adverts) from the paper's own lines. Lines in and out."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, structs

from atomexam.text.numerals import HANZI
from crawlers.read.lines.pages.wraps import bare, opens_content, repeated_in, tails_of, wraps_of
from crawlers.read.vocabulary.headings import is_note, note_in
from crawlers.read.vocabulary.labels import IMAGE, flat, trimmed
from crawlers.read.vocabulary.numbers import BARE_TAG, TAGS, number_of
from crawlers.read.vocabulary.options import letter_of

_RULE = re.compile(r"[-=_*·.~#+|\s└┘┌┐├┤┬┴┼│╔╗╚╝═║…★☆◆◇■□●○▲△※]{3,}$")
PAGE_NUMBER = re.compile(
    r"[-·]{1,3}\s{0,3}\d{1,4}\s{0,3}[-·]{1,3}|第?\s{0,2}\d{1,4}\s{0,2}[/]\s{0,2}共?\s{0,2}\d{1,4}\s{0,2}页?|第\s{0,2}\d{1,4}\s{0,2}页"
    r"|\[?[Pp](?:age|AGE)?\.?\s{0,2}\d{1,4}(?:\s{0,2}(?:of|/)\s{0,2}\d{1,4})?\]?"
)
_PAGE_OPENS = "第Pp"
"""Letters that may begin a page number; any other letter begins words."""
PAGE_WITHIN = re.compile(
    r"第\s{0,2}\d{1,4}\s{0,2}页|共\s{0,2}\d{1,4}\s{0,2}页|[Pp]age\s{1,2}\d{1,4}\s{0,2}(?:of|/)\s{0,2}\d|\s{2}-\s{0,2}\d{1,4}\s{0,2}-$|^-\s{0,2}\d{1,4}\s{0,2}-\s{2}"
)
PAGE_AT_END = re.compile(r"\s-\s{0,2}\d{1,4}\s{0,2}-$")
"""A possible page number, which may also be part of the line."""
_ADVERT = re.compile(
    r"https?:|www\.|\.(?:com|cn|net|org)\b|公众号|扫码|二维码|(?:微信|QQ|qq|Q群|交流)群|加群|微信号|下载APP|(?:更多|海量)(?:试题|资料|真题|题库|精彩)|版权所有|(?:来自|来源于?)(?:互联)?网络|侵删|侵权(?:必究|联系)|"
    r"仅供(?:资料|复习|学习|参考)|内部(?:资料|参考|学习(?:资料|材料|交流|使用))|请勿外传|禁止(?:外传|转载)|密封线|装订线|转载请|资料下载|免费下载|点击(?:查看|下载|进入|这里|领取)|关注我们|广告|"
    r"只看该作者|发表于\s?\d|回复\s{1,3}举报|本帖|楼主|上一[页篇]|下一[页篇]|本页(?:无正文|完|结束)|转下页|接上页|题库网|考试网|文库|\(?未完待续|客服"
)
_TOPIC = re.compile(r"公众号|扫码|二维码|微信|网络|资料|传|转载|广告|文库|客服|[题试]网|回复|本帖|楼主")
"""Words in adverts that may also be the topic of a question."""
_BULLETS = frozenset("-*•·>+◦▪○●#")
_BULLET = re.compile(r"[-*•·>+◦▪○●#]{1,3}\s{0,3}(?=(?:\*\*)?(?:[(\[]?[A-Ja-j][.、:)\]]|[【\[]|(?:参考|正确|标准)?答案|(?:答案)?解析))")
_HEADING = re.compile(r"#{2,6}\s{1,4}(?=\S)")  # a single sign may begin a comment in code
_BOLD = re.compile(r"\*\*([^*]{1,2000})\*\*")
_WORDS = re.compile(rf"[\w√×?()\[\]{IMAGE}□■]")
_MOST_STOPS = 3
_STOPS = re.compile(rf"[。.,、;:?!)”’》】℃%‰°]{{1,{_MOST_STOPS}}}")
_LONGEST = 70  # characters; a longer line is content, whatever its words


_NOTE_OPENS = re.compile(
    r"[(【\[]|请?(?:根据|结合|依据|阅读|针对|基于|分析)|(?:以下|下列|题目?)|第?\s?\d{1,5}\s?(?:$|[题个道小]|[-、和与及]{1,2}\s?(?:$|第|\d))"
)
_NOTE_ROWS = 4
_PAGE_DIGITS = 4
_PAGE_ROWS = 2  # lines at the end of a page to search

_MANY = 24  # characters; a shorter line contains at most one question
_INNER_NUMBER = re.compile(r"(?<=[\s。;?!)】A-J√×对错])(?P<number>\d{1,5})\s?[、.](?!\d)\s{0,2}(?=[“《(【\u4e00-\u9fffA-Z])")
_INNER_HEADING = re.compile(
    rf"(?<=[\s。;)】A-J√×])(?:[{HANZI}]{{1,3}}、(?:单项选择|多项选择|不定项选择|单选|多选|选择|判断|是非|填空|简答|论述|名词解释|案例分析|问答)题?"
    r"|(?:参考|标准|正确)答案(?:及解析|与解析)?\s?:?\s{0,2}(?=\d{1,5}\s{0,2}[-、.]))"
)
_OPTION_PAIR = re.compile(r"(?<![A-Za-z])A\s?[.、)\]].{1,200}?(?<![A-Za-z])B\s?[.、)\]]")
_ANSWERED = re.compile(r"答案|\(\s?(?:√|×|对|错|正确|错误|[A-J]{1,6})\s?\)|[√×]")
_HEADS_MORE = re.compile(r"\d{1,5}\s?[-、.]")
_NEAR_HEADING = 60  # a number must follow a heading within this many characters
_NUMBER_OPENS = re.compile(r"\s{0,4}(?P<number>\d{1,5})\s?[、.](?!\d)")


_LED_BY_ANSWER = re.compile(r"答案[】\]]?\s?:?\s{0,3}[A-J]{1,6}\s{1,3}(?=\d{1,5}\s?[、.])")


class Line(Struct, frozen=True, gc=False):
    """One line of a paper."""

    index: int
    """Its index among the given lines."""
    text: str
    flat: str
    gap: bool = False
    """Whether an empty line precedes it."""
    unsure: bool = False
    """Whether it ends with a short line that may be a heading, or looks like a page line in mid-sentence."""


def own_lines(lines: Sequence[tuple[int, str]]) -> tuple[list[Line], list[str]]:
    """Separate the paper's own lines from those that belong to its pages; return both."""
    plain = _stops_joined(_pieces(lines))
    wraps = wraps_of(plain)
    repeated = repeated_in(plain, wraps)
    paged = _page_numbers(plain, repeated.sure)
    may_drop = {index for index, line in enumerate(plain) if _is_furniture(line, repeated.sure, belongs=False)}
    often = Counter(bare(line.flat) for line in plain) if may_drop else Counter()
    retained: list[Line] = []
    dropped: list[str] = []
    gap = False

    def is_of_page(index: int, line: Line) -> bool:
        if index and _is_bare_number(plain[index - 1].flat) and "版权所有" not in line.flat and "©" not in line.flat:
            return False  # the stem of the number above
        below = plain[index + 1] if index + 1 < len(plain) else None
        belongs = goes_on(index, line) or (below is not None and letter_of(below.text) == "A")
        return not belongs or _is_furniture(line, repeated.sure, belongs=True)

    def goes_on(index: int, line: Line) -> bool:
        above = plain[index - 1] if index and not line.gap and index - 1 not in may_drop else None
        return above is not None and wraps.goes_on(above.flat, line.flat) and often[bare(line.flat)] == 1

    for index, line in enumerate(plain):
        gap = gap or line.gap
        of_page = index in may_drop and is_of_page(index, line)
        cuts_sentence = of_page and goes_on(index, line) and not _is_surely_furniture(line, repeated.sure)
        if paged.get(index) or (of_page and not cuts_sentence):
            dropped.append(line.text)
            continue
        unsure = cuts_sentence or index in paged or (bool(repeated.doubtful) and bare(line.flat) in repeated.doubtful)
        retained.append(structs.replace(line, gap=gap, unsure=unsure) if unsure or gap != line.gap else line)
        gap = False
    if sum(line.gap for line in retained) * 5 > len(retained) * 3:  # empty lines are everywhere and mean nothing
        retained = [structs.replace(line, gap=False) if line.gap else line for line in retained]
    retained = _with_notes(retained)
    return _with_tails(retained, tails_of(retained, wraps)), dropped


def _page_numbers(lines: Sequence[Line], repeated: frozenset[str]) -> dict[int, bool]:
    """Return the indices of lines with only a number below a page line, and whether each is certainly a page number.

    Numbers that count up from 1 certainly are; any other may end the sentence above the page break.
    """
    is_sure: dict[int, bool] = {}
    page = 0
    if not any((number := number_of(line.flat)) and number.value == 1 and len(line.flat) > number.end + 1 for line in lines):
        return {}  # numbers belong to the questions
    for index in range(1, len(lines)):
        line, above = lines[index], lines[index - 1]
        if line.flat.isdecimal() and len(line.flat) <= _PAGE_DIGITS and _is_furniture(above, repeated, belongs=False):
            is_sure[index] = int(line.flat) == page + 1
            page += is_sure[index]
    return is_sure


def _is_bare_number(line: str) -> bool:
    """Return whether a flat line has only a number and tags, so that the question's words are on the next line."""
    if len(line) > _LONGEST or (number := number_of(line)) is None:
        return False
    tags = TAGS.match(line, number.end) or BARE_TAG.match(line, number.end)
    return not _WORDS.search(line, tags.end() if tags else number.end)


def _pieces(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the lines, splitting those that contain several questions."""
    number: int | None = None
    above: list[str] = []  # since the last lookup of the number
    for index, line in lines:
        text = _without_markdown(trimmed(line))
        if _may_be_several(text):
            if "答案" in text:  # otherwise the number above is not needed
                number, above = _last_number(above, number), []
            for piece in _broken_up(text, number):
                above.append(piece)
                yield index, piece
        else:
            above.append(text)
            yield index, text


def _last_number(lines: Sequence[str], above: int | None) -> int | None:
    """Return the last number in `point` style that begins one of the lines, or else the number above them."""
    numbers = (number.value for line in reversed(lines) if (number := number_of(flat(line))) and number.style == "point")
    return next(numbers, above)


def _may_be_several(text: str) -> bool:
    """Return whether a line may contain several questions; an answer joined from a list is not split."""
    return len(text) >= _MANY and "\n" not in text


def _broken_up(text: str, above: int | None = None) -> Iterator[str]:
    """Yield a line, split where further questions begin on it.

    Args:
        above: number of the question above, whose answer may precede the next question.
    """
    line = flat(text)
    start = 0
    for index in _starts(line, above if _LED_BY_ANSWER.search(line) else None):
        yield text[start:index].strip()
        start = index
    yield text[start:].strip()


def _starts(line: str, above: int | None = None) -> list[int]:
    """Return where the next question, heading or answer list begins within a flat line."""
    opening = _NUMBER_OPENS.match(line)
    behind = opening.end() if opening else 0
    if line.find(".", behind) < 0 and line.find("、", behind) < 0 and line.find("答案", behind) < 0:
        return []  # every start of a question or a list contains one of these
    number = int(opening["number"]) if opening else above  # of the current question
    indices: list[int] = []
    start = 0
    matches = [match for pattern in (_INNER_NUMBER, _INNER_HEADING) for match in pattern.finditer(line)]
    inner = sorted(matches, key=lambda match: match.start())
    values = {int(match["number"]) for match in inner if match.re is _INNER_NUMBER}
    shows = sorted([match.start() for pattern in (_OPTION_PAIR, _ANSWERED) for match in pattern.finditer(line)]) if inner else []
    for match in inner:
        whole = number is None or bisect_left(shows, match.start()) > bisect_left(shows, start)
        if match.re is not _INNER_HEADING:
            value = int(match["number"])
            fits = value == number + 1 if number is not None else bool(indices) or (value == 1 and 2 in values)
            if not (fits and whole):
                continue
            number = value
        elif whole and _HEADS_MORE.search(line, match.end(), match.end() + _NEAR_HEADING):
            number = None
        else:
            continue
        indices.append(match.start())
        start = match.start()
        if "答案" in match[0]:
            break  # an answer list follows
    return indices


def _stops_joined(numbered: Iterable[tuple[int, str]]) -> list[Line]:
    """Return the non-empty lines, moving a full stop or unit that did not fit on its line back to the line above."""
    numbered = list(numbered)
    stops = {position for position, (_, text) in enumerate(numbered) if len(text) <= _MOST_STOPS and _STOPS.fullmatch(flat(text))}
    lines: list[Line] = []
    gap = False
    for position, (index, text) in enumerate(numbered):
        line = flat(text)
        if not text:
            gap = True
        elif lines and not gap and position in stops:
            at = _opened_above(lines) if line[0] == ")" else -1
            lines[at] = structs.replace(lines[at], text=lines[at].text + text, flat=lines[at].flat + line)
        else:
            lines.append(Line(index, text, line, gap))
            gap = False
    return lines


def _opened_above(lines: Sequence[Line]) -> int:
    """Return which of the last lines opens the bracket that is closed below, or -1 if none does; a page break may be between the two."""
    for at in range(-1, -min(len(lines), _PAGE_ROWS + 1) - 1, -1):
        if lines[at].flat.rfind("(") > lines[at].flat.rfind(")"):
            return at
        if opens_content(lines[at].flat) or lines[at].gap:
            return -1
    return -1


def _with_notes(lines: Sequence[Line]) -> list[Line]:
    """Return the lines, joining each note that a line break split, `（1～3题共用题⏎干）`, into one line."""
    joined: list[Line] = []
    index = 0
    while index < len(lines):
        rows = _note_rows(lines, index) if _NOTE_OPENS.match(lines[index].flat) else 1
        if rows == 1:
            joined.append(lines[index])
        else:
            note = lines[index : index + rows]
            joined.append(structs.replace(note[0], text="".join(line.text for line in note), flat="".join(line.flat for line in note)))
        index += rows
    return joined


def _note_rows(lines: Sequence[Line], index: int) -> int:
    """Return how many lines the note at an index spans; 1 if there is no note or it is complete."""
    text = lines[index].flat
    for rows in range(2, _NOTE_ROWS + 1):
        below = lines[index + rows - 1] if index + rows <= len(lines) else None
        if below is None or below.gap or len(text) > _LONGEST or is_note(below.flat):
            return 1
        text += below.flat
        note = note_in(text)
        if note and not note["rest"]:
            return rows
    return 1


def _with_tails(lines: Sequence[Line], tails: dict[int, bool]) -> list[Line]:
    """Return the lines, joining each split-off end of a sentence to the rest of the sentence."""
    joined: list[Line] = []
    for index, line in enumerate(lines):
        if index not in tails or not joined:
            joined.append(line)
            continue
        above = joined[-1]
        blank = " " if above.flat[-1:].isascii() and line.flat[:1].isascii() else ""
        joined[-1] = structs.replace(
            above, text=f"{above.text}{blank}{line.text}", flat=f"{above.flat}{blank}{line.flat}", unsure=above.unsure or not tails[index]
        )
    return joined


def _without_markdown(text: str) -> str:
    """Return a line without heading signs, bold signs, and the bullet before an option or answer."""
    if text[:1] not in _BULLETS and "**" not in text:
        return text
    text = _HEADING.sub("", text, count=1) if text.startswith("##") else text
    text = _BOLD.sub(r"\1", text) if "**" in text else text
    bullet = _BULLET.match(flat(text)) if text[:1] in _BULLETS else None
    text = text[bullet.end() :] if bullet else text
    return text.removeprefix("**").removesuffix("**").strip() if "**" in text else text  # bold type may span several lines


def _is_furniture(line: Line, repeated: frozenset[str], belongs: bool) -> bool:
    """Return whether a line belongs to the page; `belongs` states whether it may continue a sentence or be followed by options."""
    if len(line.text) < 3 and "\u4e00" <= line.text[:1] <= "\u9fff":  # 到 and 至 are dashes in flat signs
        return False
    if _has_no_words(line):
        return True
    if len(line.flat) > _LONGEST or opens_content(line.flat):
        return False
    if bare(line.flat) in repeated:
        return True
    advert = _ADVERT.search(line.flat) or _ADVERT.search(line.flat.replace(" ", ""))
    if advert and belongs and _TOPIC.search(advert[0]):
        return False
    return bool(PAGE_WITHIN.search(line.flat) or advert)


def _is_surely_furniture(line: Line, repeated: frozenset[str]) -> bool:
    """Return whether a whole line belongs to the page, not just a few words in it."""
    return _has_no_words(line) or (len(line.flat) <= _LONGEST and not opens_content(line.flat) and bare(line.flat) in repeated)


def _has_no_words(line: Line) -> bool:
    """Return whether a line is a rule, a page number or only signs."""
    if line.flat[:1].isalpha() and line.flat[0] not in _PAGE_OPENS:
        return False
    last = line.flat[-1:]
    if (last.isdecimal() or last in "页-·] ") and PAGE_NUMBER.fullmatch(line.flat):
        return True
    return _WORDS.search(line.flat) is None or _RULE.match(line.flat) is not None
