"""What a page puts between the lines of a paper: page numbers, running titles, adverts. Lines in, the paper's own lines out."""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, structs

from crawlers.papers.columns import one_column
from crawlers.papers.headings import is_heading, is_note
from crawlers.papers.letters import letter_of
from crawlers.papers.lines import IMAGE, WHOLE_ANSWER, flat, parts_of, seen
from crawlers.papers.numbers import number_of
from crawlers.papers.runs import broken_up
from crawlers.papers.wraps import tails_of, wraps_of

_RULE = re.compile(r"[-=_*·.~#+|\s└┘┌┐├┤┬┴┼│╔╗╚╝═║…★☆◆◇■□●○▲△※]{3,}$")
_PAGE = re.compile(
    r"[-·]{1,3}\s{0,3}\d{1,4}\s{0,3}[-·]{1,3}|第?\s{0,2}\d{1,4}\s{0,2}[/]\s{0,2}共?\s{0,2}\d{1,4}\s{0,2}页?|第\s{0,2}\d{1,4}\s{0,2}页"
    r"|\[?[Pp](?:age|AGE)?\.?\s{0,2}\d{1,4}(?:\s{0,2}(?:of|/)\s{0,2}\d{1,4})?\]?"
)
_PAGE_WITHIN = re.compile(
    r"第\s{0,2}\d{1,4}\s{0,2}页|共\s{0,2}\d{1,4}\s{0,2}页|[Pp]age\s{1,2}\d{1,4}\s{0,2}(?:of|/)\s{0,2}\d|\s{2}-\s{0,2}\d{1,4}\s{0,2}-$|^-\s{0,2}\d{1,4}\s{0,2}-\s{2}"
)
_ADVERT = re.compile(
    r"https?:|www\.|\.(?:com|cn|net|org)\b|公众号|扫码|二维码|(?:微信|QQ|qq|Q群|交流)群|加群|微信号|下载APP|(?:更多|海量)(?:试题|资料|真题|题库|精彩)|版权所有|(?:来自|来源于?)(?:互联)?网络|侵删|侵权(?:必究|联系)|"
    r"(?:内部|仅供)(?:资料|学习|参考)|请勿外传|禁止(?:外传|转载)|密封线|装订线|转载请|资料下载|免费下载|点击(?:查看|下载|进入|这里|领取)|关注我们|广告|"
    r"只看该作者|发表于\s?\d|回复\s{1,3}举报|本帖|楼主|上一[页篇]|下一[页篇]|本页(?:无正文|完|结束)|转下页|接上页|题库网|考试网|文库|\(?未完待续|客服"
)
_THANKS = "谢谢|多谢|感谢|辛苦了?|收到|好的|已收藏|收藏了|学习了|不错|顶一?下?|支持一?下?|赞|666|mark|Mark|thanks?|Thanks?|thx"
_WHOM = "老师|楼主|分享|大家|各位|同学们?|群主|您|你|亲|啦|了|哦|啊|呀|哈|的|整理|资料|无私|很|太|题目?"
_CHAT = re.compile(
    rf"(?:@\S{{1,16}}\s{{0,2}})?(?:{_THANKS})(?:[,。!~.、\s]|{_THANKS}|{_WHOM}){{0,12}}"
    r"|(?:谢谢|感谢|多谢)[^()_?]{0,20}"
    r"|(?:[^\s,。?()]{1,20}\s{1,4}|[(\[【])?(?:(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}日?|\d{1,2}[-/月]\d{1,2}日?|(?:今|昨|前)天|星期.|周.)\s{0,3}"
    r"(?:上午|下午|晚上|凌晨)?\s{0,2}\d{1,2}:\d{2}(?::\d{2})?(?:\s{1,4}[^\s,。?()]{1,20})?[)\]】]?"
    r"|(?:[^\s,。?()]{1,12}\s{1,3}|(?:发布|更新|上传|整理)(?:时间|日期|于)?\s?:?\s?)(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}"
    r"|第?\d{1,4}楼|沙发|板凳|\d{1,6}\s?(?:次?阅读|人?点赞|条?评论|回复|人?收藏)"
)
_BULLET = re.compile(r"[-*•·>+◦▪○●#]{1,3}\s{0,3}(?=(?:\*\*)?(?:[(\[]?[A-Ja-j][.、:)\]]|[【\[]|(?:参考|正确|标准)?答案|(?:答案)?解析))")
_BOLD = re.compile(r"\*\*([^*]{1,2000})\*\*")
_WORDS = re.compile(rf"[\w√×?()\[\]{IMAGE}□■]")
_HAN = re.compile("[\u4e00-\u9fff]")
_STOPS = re.compile(r"[。.,、;:?!)”’》】]{1,3}")
_ENDS_STEM = re.compile(r"\(\s{0,6}\)|__|[。?]$")
_LONGEST = 70  # characters: a longer line is content, whatever it names


class Line(Struct, frozen=True):
    """One line of a paper."""

    index: int
    """Its place among the lines that were given."""
    text: str
    flat: str
    gap: bool = False
    """An empty line stands before it."""
    unsure: bool = False
    """It ends with a short line that may as well be a heading."""


def own_lines(given: Sequence[tuple[int, str]]) -> tuple[list[Line], list[str]]:
    """Return the lines of the paper itself, and those that belong to its pages."""
    plain = [(index, piece) for index, line in one_column(given) for piece in broken_up(_without_markdown(seen(line)))]
    repeated = _repeated([text for _, text in plain])
    kept: list[Line] = []
    dropped: list[str] = []
    gap = False
    for index, text in plain:
        line = flat(text)
        if not text:
            gap = True
        elif kept and not gap and _STOPS.fullmatch(line):  # it found no room on the line above
            kept[-1] = structs.replace(kept[-1], text=kept[-1].text + text, flat=kept[-1].flat + line)
        elif _is_furniture(line, repeated) and not (len(text) < 3 and _HAN.match(text)):  # 到 and 至 are dashes in flat signs
            dropped.append(text)
        else:
            kept.append(Line(index, text, line, gap))
            gap = False
    if sum(line.gap for line in kept) * 5 > len(kept) * 3:  # empty lines stand everywhere, and say nothing
        kept = [Line(line.index, line.text, line.flat) for line in kept]
    return _with_tails(kept, tails_of(kept, wraps_of(kept))), dropped


def _with_tails(lines: Sequence[Line], tails: dict[int, bool]) -> list[Line]:
    """Return the lines, each end of a sentence on the line of its sentence."""
    joined: list[Line] = []
    for place, line in enumerate(lines):
        if place not in tails or not joined:
            joined.append(line)
            continue
        above = joined[-1]
        blank = " " if above.flat[-1:].isascii() and line.flat[:1].isascii() else ""
        joined[-1] = structs.replace(
            above, text=f"{above.text}{blank}{line.text}", flat=f"{above.flat}{blank}{line.flat}", unsure=above.unsure or not tails[place]
        )
    return joined


def _without_markdown(text: str) -> str:
    """Return a line without the bullet before an option or answer, and without the signs of bold type."""
    text = _BOLD.sub(r"\1", text) if "**" in text else text
    bullet = _BULLET.match(flat(text)) if text[:1] in "-*•·>+◦▪○●#" else None
    return text[bullet.end() :] if bullet else text


def _is_furniture(line: str, repeated: frozenset[str]) -> bool:
    if _RULE.match(line) or _PAGE.fullmatch(line) or not _WORDS.search(line):
        return True
    if len(line) > _LONGEST or _opens_content(line):
        return False
    return bool(
        _CHAT.fullmatch(line)
        or _PAGE_WITHIN.search(line)
        or _ADVERT.search(line)
        or _ADVERT.search(line.replace(" ", ""))
        or _bare(line) in repeated
    )


def _repeated(texts: Sequence[str]) -> frozenset[str]:
    """Return the lines, without digits, that come again and again where nothing of a question does."""
    counts: Counter[str] = Counter()
    lettered = 0
    tails: Counter[str] = Counter()
    for text, below in zip(texts, [*texts[1:], ""], strict=False):
        line = flat(text)
        lettered += bool(letter_of(text))
        if _ENDS_STEM.search(line):  # the same few words end many a wrapped stem: `的一项是（ ）。`
            continue
        if 4 <= len(line) <= 40 and not _opens_content(line) and not is_heading(line) and not is_note(line) and "答案" not in line:
            counts[_bare(line)] += 1
            tails[_bare(line)] += letter_of(below) == "A"  # the last line of a stem, and no line of a page
    if lettered * 8 < len(texts):  # options without letters may be the same in many questions
        return frozenset()
    return frozenset(bare for bare, count in counts.items() if count > 2 and len(bare) > 3 and tails[bare] * 2 <= count)


def _bare(line: str) -> str:
    return re.sub(r"[\d\s]", "", line)


def _opens_content(line: str) -> bool:
    number = number_of(line)
    if (number and not number.counted and number.style != "tight") or letter_of(line):
        return True
    return bool(line) and (parts_of(line)[:1] != (("text", line),) or WHOLE_ANSWER.fullmatch(line) is not None)
