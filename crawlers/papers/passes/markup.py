"""Remains of other formats in a paper's text: HTML tags, JSON objects, Markdown boxes. Numbered lines in, numbered lines out."""

import html
import re
from collections.abc import Iterator, Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.passes.steps import Step
from crawlers.papers.signs.answer_marks import IMAGE, Numbered, flat
from crawlers.text.fields import lowered, raised

_BLOCK = "p|br|div|li|ul|ol|tr|table|h[1-6]|section|article|dl|dt|dd|hr"
_INLINE = "span|b|strong|i|em|u|font|td|th|tbody|thead|a|label|html|body"
_TAG = re.compile(rf"</?(?P<name>{_BLOCK}|{_INLINE}|img|su[bp])(?:\s[^<>]{{0,400}})?/?>", re.I)
_PLACED = re.compile(r"<(?P<name>su[bp])(?:\s[^<>]{0,400})?>(?P<words>[^<>\n]{0,60})</(?P=name)\s{0,9}>", re.I)
_PLACED_TAG = re.compile(r"</?su[bp](?:\s[^<>]{0,400})?/?>", re.I)
_WITHIN = 2
"""Levels of nested superscripts and subscripts."""
_ENTITY = re.compile(r"&(?:nbsp|lt|gt|amp|quot|ldquo|rdquo|mdash|hellip|times|deg|#\d{2,5});")
_NEW_LINE = re.compile(rf"(?:{_BLOCK})", re.I)
_CARD = re.compile(r"(?<!\t)\t+\s{0,4}(?P<answer>[A-J]{1,6})\s{0,4}$")
_SHARE = 8  # one in this many lines must contain a tag

_PAIR = re.compile(
    r'[\s{\[,]{0,20}"(?P<key>[^"\s]{1,20})"\s{0,4}:\s{0,4}(?:"(?P<words>(?:[^"\\]|\\.){0,4000})"|(?P<bare>-?\d{1,9}|null))[\s}\],]{0,20}$'
)
_KEYS = (
    ("第{}题", re.compile(r"id|no|num|number|index|序号|题号|编号", re.I)),
    ("【题干】{}", re.compile(r"question|stem|title|content|题目|题干|试题|问题", re.I)),
    ("答案：{}", re.compile(r"answer|key|correct|right|答案|正确答案", re.I)),
    ("解析：{}", re.compile(r"explanation|analysis|explain|解析|分析", re.I)),
)
_LETTER_KEY = re.compile(r"(?:option_?)?([A-Ja-j])")

_CALL_OUT = re.compile(r"\s{0,9}(?:>\s?){1,4}\[!(?P<kind>[A-Za-z]{2,20})\][+-]?\s{0,4}(?P<words>.*)$")
_QUOTED = re.compile(r"\s{0,9}(?:>\s?){1,4}")
_FEWEST_CALLED = 3
_FEW_BARE = 10  # one letter in as many may lack the emphasis of the others
_ASKS_IN = {"question", "faq", "help", "quiz", "example", "todo"}
"""Kinds of call-outs that contain a question."""
_ANSWER_IN = re.compile(r"(?:(?:正确|参考)?答案|(?:答案)?解析|详解)[:：]?")

_VISIBLE_AT = re.compile(r"\s{0,9}(?:\d{1,2}:)?\d{1,2}:\d{2}[,.]\d{1,3}\s{0,3}-->")
"""`00:00:05,000 --> 00:00:09,000` of SubRip and WebVTT."""

_WIKI_HEADING = re.compile(
    r"\s{0,3}(?P<signs>={2,6})(?P<blank>\s{0,9})"
    r"(?:(?P<words>[^=\s].{0,200}?)\s{0,9}(?P=signs)|(?<=\s)(?P<open>[^=\s][^=]{0,200}))\s{0,9}"
)
_WIKI_SIGNS = re.compile(r"'{2,5}|\[\[(?:[^\[\]|\n]{0,200}\|)?(?=[^\[\]\n]{1,200}\]\])|(?<=[^\]\n])\]\]")
_WIKI_INDENT = re.compile(r"\s{0,3}(?:[;*#]{1,6}\s{1,3}|:{1,6}\s{0,3})(?=\S)")
_FEWEST_WIKI = 3
_LABELS = (
    r"[【\[]?(?:(?:正确|参考|标准)?(?:答案|选项)|正解|(?:答案|试题)?解析|详解|题型|难度"
    r"|(?:[Cc]orrect\s)?[Aa]nswer|[Kk]ey|[Ee]xplanation)[】\]]?"
)
_HOLLOW = str.maketrans("〖〗", "【】")
_EMPHASISED = re.compile(
    rf"(?P<before>\s{{0,9}}(?:[-+]\s{{1,3}})?)[*_]{{1,3}}(?P<label>{_LABELS})(?:(?P<closed>\s?[*_]{{1,3}})\s?[:：]|\s?[:：](?P<closed2>[*_]{{1,3}})|\s?[:：]|\s(?=[A-J]{{1,9}}[*_]))"
    r"\s{0,3}(?P<rest>.*?)(?P<end>[*_]{0,3})\s{0,9}$"
)
"""`*答案*：B`, `**Answer:** B`, `*正确选项：B*`."""
_FIELD = re.compile(rf"\s{{0,9}}:(?P<label>{_LABELS}):\s{{0,9}}(?=\S)")
"""`:答案: B`, a field of reStructuredText and AsciiDoc."""
_BLOCK_QUOTE = re.compile(r"^\s{0,3}>\s{0,3}(?=[^\n]{0,4000}[\u4e00-\u9fff]{3})")
_STARRED = re.compile(r"^\s{0,9}(?P<star>\*\s{1,3})?(?=[(\[（]?[A-J]\s?[.．、:：)）\]])")
_WRAPPED = re.compile(
    r"(?P<before>\s{0,9}(?:>\s{0,3})?(?:[-+*•]\s{1,3})?)(?P<wrap>`|\*{1,3}|_{1,3}|~~|==)(?P<letter>[A-J])\s?[.．、:：)）]?(?P=wrap)[.．、:：]?\s{0,3}(?=\S)"
)
"""`**A.** 甲`, `` `A` 甲 ``: emphasis of the letter alone, which is no sign of an answer if all letters have it."""
_BULLET = re.compile(r"^\s{0,9}(?:>\s{0,3}){0,4}(?:[-+*•]\s{1,3})?")
WRAPS_LETTER = re.compile(r"[*_`~=][A-J]\s?[.．、:：)）]?[*_`~=]")
_CODE_ALONE = re.compile(
    r"(?:(?<=[:：])(?P<blank>\s{0,3})`(?P<words>[^`\n]{1,40})`|^\s{0,12}`(?P<letters>[A-J]{1,10}|[√×对错]|正确|错误)`)\s{0,9}$"
)

_BOX = re.compile(r"\s{0,12}(?:[-*+]\s{1,3})?\[(?P<tick>[ xX√+-])?\]\s{1,3}(?P<words>\S.{0,2000})$")
_LETTERED = re.compile(r"[(\[]?[A-Ja-j]\s?[.、:)\]]")


def _plain_labels(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return labels of answers without the light markup around them, and lines of lists and quotes without theirs."""
    if sum(">" in text and _BLOCK_QUOTE.match(text) is not None for _, text in lines) >= _FEWEST_CALLED:
        lines = _unquoted(lines)
    if _are_starred(lines):
        lines = [(index, _STARRED.sub("", text, count=1)) for index, text in lines]
    return [(index, _plain_label(text)) for index, text in lines]


def _unquoted(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return lines without the sign of a quotation, before its words and before the short lines that go on with it."""
    done: list[Numbered] = []
    is_quoted = False
    for index, text in lines:
        is_quoted = text.lstrip()[:1] == ">" and (is_quoted or _BLOCK_QUOTE.match(text) is not None)
        done.append((index, _QUOTED.sub("", text, count=1) if is_quoted else text))
    return done


def plain_letters(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return options without the emphasis of their letters, if nearly all letters have it."""
    wrapped = {at: match for at, (_, text) in enumerate(lines) if (match := _WRAPPED.match(text))}
    bare = (
        sum(at not in wrapped and _LETTERED.match(_BULLET.sub("", flat(text), count=1)) is not None for at, (_, text) in enumerate(lines))
        if wrapped
        else 0
    )
    if not {"A", "B"} <= {match["letter"] for match in wrapped.values()} or bare * _FEW_BARE > len(wrapped):
        return list(lines)
    return [
        (index, f"{match['before']}{match['letter']}. {text[match.end() :]}" if (match := wrapped.get(at)) else text)
        for at, (index, text) in enumerate(lines)
    ]


def _are_starred(lines: Sequence[Numbered]) -> bool:
    """Return whether all options have the star of a list, which ticks nothing."""
    count = 0
    for _, text in lines:
        if option := _STARRED.match(text):
            if not option["star"]:
                return False
            count += 1
    return count >= _FEWEST_CALLED


def _plain_label(text: str) -> str:
    text = text.translate(_HOLLOW) if "〖" in text else text
    if ("*" in text or "_" in text) and (label := _EMPHASISED.fullmatch(text)):
        rest = label["rest"] if not (label["closed"] or label["closed2"]) else label["rest"] + label["end"]
        text = f"{label['before']}{label['label']}：{rest}"
    elif ":" in text and (field := _FIELD.match(text)):
        text = f"{field['label']}：{text[field.end() :]}"
    return _CODE_ALONE.sub(lambda code: code["letters"] or code["blank"] + code["words"], text) if "`" in text else text


def without_times(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return subtitles without their times and numbers: the text is in the lines below these."""
    timed = ["-->" in text and _VISIBLE_AT.match(text) is not None for _, text in lines]
    if sum(timed) < _FEWEST_CALLED:
        return list(lines)
    numbers = {at - 1 for at, is_time in enumerate(timed) if is_time and at and lines[at - 1][1].strip().isdigit()}
    return [line for at, line in enumerate(lines) if not timed[at] and at not in numbers]


def _of_wiki(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return the lines of a wiki page without its signs: `=== 第1题 ===`, `'''答案'''：B`, `* A. …`, `:解析：…`."""
    headings = [_WIKI_HEADING.fullmatch(text) if text.lstrip()[:2] == "==" else None for _, text in lines]
    is_marked = any("'''" in text for _, text in lines) or all(heading["blank"] for heading in headings if heading)  # else they are rules
    if sum(map(bool, headings)) < _FEWEST_WIKI or not is_marked:
        return lines
    return [
        (index, heading["words"] or heading["open"] if heading else _WIKI_SIGNS.sub("", _WIKI_INDENT.sub("", text, count=1)))
        for (index, text), heading in zip(lines, headings, strict=True)
    ]


def _called_out(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return the content of Obsidian call-outs, `> [!question] …`, as lines of a paper; their names are left out."""
    if sum("[!" in text and _CALL_OUT.match(text) is not None for _, text in lines) < _FEWEST_CALLED:
        return lines
    done: list[Numbered] = []
    label = ""
    for index, text in lines:
        call = _CALL_OUT.match(text)
        words = call["words"].strip() if call else _QUOTED.sub("", text, count=1)
        if call and words and call["kind"].lower() in _ASKS_IN:
            words = f"题目：{words}"
        elif call and _ANSWER_IN.fullmatch(words):
            label, words = words, ""
        elif label and words.strip():
            label, words = "", f"{label}：{words.strip()}"
        done.append((index, words))
    return done


def _tags(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return lines with HTML as a reader sees them, if enough of them contain tags or entities."""
    marked = sum(bool(("<" in text and _TAG.search(text)) or ("&" in text and _ENTITY.search(text))) for _, text in lines)
    if marked < 2 or marked * _SHARE < sum(bool(text.strip()) for _, text in lines):
        return lines
    return [(index, piece) for index, text in lines for piece in _visible_lines(text)]


def _visible_lines(text: str) -> list[str]:
    tagged = _TAG.search(text) is not None
    if tagged and (card := _CARD.search(text)):  # a card of Anki: its back is the answer
        text = f"{text[: card.start()]}<br>答案：{card['answer']}"
    text = _TAG.sub(_visible_tag, text)
    for _ in range(_WITHIN):
        text = _PLACED.sub(_placed, text)
    text = _PLACED_TAG.sub("", text)
    pieces = [piece.strip() for piece in html.unescape(text).replace("\r", "\n").split("\n")]
    return [piece for piece in pieces if piece] or [""]


def _visible_tag(tag: re.Match[str]) -> str:
    """Return what a tag shows; those of `_PLACED` stay until all others are replaced, as 10<sup><b>9</b></sup> contains one."""
    name = tag["name"].lower()
    return tag[0] if name in ("sub", "sup") else "\n" if _NEW_LINE.fullmatch(name) else IMAGE if name == "img" else ""


def _placed(tag: re.Match[str]) -> str:
    """Return visible superscripts and subscripts: 10<sup>9</sup> is not 109."""
    move = raised if tag["name"].lower() == "sup" else lowered
    return html.escape(move(html.unescape(tag["words"])), quote=False)  # like the text around it, which is read later


def _pairs(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines with a key and its value as lines of a paper."""
    matches = [_PAIR.match(text) if '"' in text else None for _, text in lines]
    if sum(match is not None for match in matches) < 3:
        yield from lines
        return
    for (index, text), match in zip(lines, matches, strict=True):
        yield index, _as_line(match, text) if match else "" if re.fullmatch(r"[\s{}\[\],]*", text) else text


def _as_line(match: re.Match[str], text: str) -> str:
    key, words = match["key"], (match["words"] if match["words"] is not None else match["bare"]).replace("\\n", " ").replace('\\"', '"')
    if letter := _LETTER_KEY.fullmatch(key):
        return f"{letter[1].upper()}. {words}"
    if words in ("null", ""):
        return ""
    form = next((form for form, names in _KEYS if names.fullmatch(key)), None)
    return form.format(words) if form else text


def _boxes(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return options after boxes with letters, and the ticked ones as the answer."""
    if not any("[" in text for _, text in lines):
        yield from lines
        return
    index = 0
    while index < len(lines):
        run = index
        while run < len(lines) and run - index < 10 and _BOX.match(lines[run][1]):
            run += 1
        if run - index < 2:
            yield lines[index]
            index += 1
            continue
        yield from _options(lines[index:run])
        index = run


def _options(boxes: Sequence[Numbered]) -> Iterator[Numbered]:
    answer = ""
    for letter, (index, text) in zip(LETTERS, boxes, strict=False):
        match = _BOX.match(text)
        if match is None:
            continue
        answer += letter if (match["tick"] or " ") not in " -" else ""
        yield index, match["words"] if _LETTERED.match(flat(match["words"])) else f"{letter}. {match['words']}"
    if answer:
        yield boxes[-1][0], f"答案：{answer}"


MARKUP_STEPS = (
    Step(_of_wiki, ["=="]),
    Step(_called_out, ["[!"]),
    Step(_plain_labels, [*"〖*_`>", re.compile(f":{_LABELS}:")]),
    Step(_tags, "<&"),
    Step(_pairs, [re.compile(r'"\s{0,4}:')]),
    Step(_boxes, [re.compile(r"\[[ xX√+-]?\]\s")]),
)
