"""Options named by their text instead of their letter."""

import re
from collections.abc import Mapping
from functools import lru_cache

from eval.answers.reply_text import folded

_NOT_BEFORE = re.compile(
    r"(?:不是|避免|不要|不得|防止|没有|考[查察核]|涉及|关于|不(?:能|应|可|宜)?(?:诊断|考虑|认为|判断)为?"
    r"|不选|不应选|并非|排除|除了?|不包括|不能选|而非|否定|不应为|相比|不)[\s选项:]*$"
)
_LETTER = re.compile(r"[A-Ja-j]")
_LETTER_BEFORE = re.compile(r"(?<![A-Za-z0-9])([A-Ja-j])(?:选?项)?\s?[.,、:()]?\s?\Z")
_LETTER_BEHIND = re.compile(r"\s?\(\s?([A-Ja-j])\s?\)")
_OVER = re.compile(r"\)|(?=[\s,。;.、!:(和与及]|以及|\Z)")
_NOT_AFTER = re.compile(r"[\s:,(]*(?:是|说法)?(?:错误|不正确|不对|不符|×)|[都均皆]?(?:不是|不属于)[。.!;]|[都均皆]不")


_JOINED = re.compile(r"[\"'”’)]?\s?(?:[、,;/+&|]|\n[\s\-•]*(?:\d{1,2}[.、)]|\(\d\))?)?\s?(?:以及|还有|[和与及跟或])?\s?[\"'“‘(]?")
_RIGHT_AFTER = re.compile(
    r"[\"'”’)]?(?:这|[一二两三四五])?(?:[个项种者])?\s?(?:都|均|皆|全部?|才)?(?:是|为|最)?(?:(?<=[都均皆])(?:属于|符合|包括|可以)|(?<=[都均皆][是为])|正确|对的|符合(?!率)|正确答案|当选|入选|答案|合适)|的?可能性?[最更较]大|\s?√"
)
_ENDS = re.compile(r"[\"'”’)】\]]*\s?(?:$|[。.,;!(\n])")
_DEFINED = re.compile(r",?\s?(?:又[称叫名]|[也亦]称|是指|指的?是)")
_ENDS_REPLY = re.compile(r"[\"'”’)】\]]*+[\u4e00-\u9fff]{0,4}+[\"'”’)】\]]*+\s?[。.!]?\s?\Z")
_SENTENCE_END = re.compile(r"[。!?\n]")
_OPENING = re.compile(r"[\s\"'“‘(【\[\-•:]*+(?:\d{1,2}[.、)])?[\s\"'“‘]*+")
_DECIDING = (
    r"(?:而是|应?诊断(?:考虑)?(?:为|是|(?=:))|(?<!不)符合|(?:因此|所以|故|综上)[:,]?|应该?[选是为]|[应故我]选"
    r"|选择?(?:的?是|[用为])?|倾向于?|首选|最[^,。\n]{1,6}的?是)"
)
_CONCLUDING = re.compile(
    rf"(?:{_DECIDING}|(?<=[,。])只有|(?<!因)为|[是由即]了?(?:典型的|一种|经典的)?|属于|就是|叫做?|称为|正确|考虑|诊断)[:\s]*[\"'“‘(【\[]?\s?\Z"
)
_TELLING = re.compile(r"(?:\A|[,。;:\n])\s?[这它此]?(?:属于|就是|正是|便是|即为)(?:典型的|一种)?[\"'“‘(【\[]?\Z")
_DECIDED = re.compile(rf"(?:{_DECIDING}|(?:因此|所以|故|综上|可见)[^。;\n]{{0,12}}?的是)[:\s]*[\"'“‘(【\[]?\s?\Z")

_RESTATED_QUESTION = re.compile(
    r"(?:[\[【(<]?\s?(?:题目|问题|题干|试题|原题|单选题?|多选题?|[Qq]uestion)\s?\d{0,2}\s?[\]】)>]?\s?[:.\n]?[^\n]{2,300}?"
    r"|[^\n。]{4,200}?(?:\(\s?\)|\?)[。.:]?|(?:下列|以下|关于|有关|属于)[^\n。]{2,200}?(?:的是|的有|包括|哪[^\n,。]{0,10})[:。]?)"
    r"\s*(?:选项\s?:?\s*)?[(\[\-•]?\s?A\s?[.、:)\]]?\s?"
)
_BETWEEN = re.compile(r"[\s;,。.]{0,4}[(\[\-•]{0,2}\s?[A-Ja-j]\s?[.、:)\]]?\s?")


@lru_cache(maxsize=1 << 16)
def option_text(text: str) -> str:
    """Return an option's text in the form in which replies are parsed."""
    return folded(text).replace("~", "")


def without_texts(text: str, known: Mapping[str, str]) -> str:
    """Return a reply without option texts next to their own letters: A. 食物 B. 安全 is the list A B."""
    if _LETTER.search(text):
        for letter, option in known.items():
            if option in text:
                text = _without(text, letter, option, known)
    return text


def _without(text: str, letter: str, option: str, known: Mapping[str, str]) -> str:
    """Return text without the option's text next to its letter. No pattern is built from an option: compiling costs more than matching.

    A letter at the end of another option's text is not a label: in 维生素D、维生素E the second is not option D.
    """
    ending = [each for each in known.values() if len(each) > 1 and each[-1].upper() == letter]
    parts, done = [], 0
    for position in _occurrences(text, option):
        if position < done:
            continue
        end = position + len(option)
        over = _OVER.match(text, end)
        before = _LETTER_BEFORE.search(text, max(done, position - 6), position) if over else None
        if over and before and before[1].upper() == letter and not any(text.endswith(each, 0, before.end(1)) for each in ending):
            parts += [text[done : before.start()], letter, " "]
            done = over.end()
        elif (behind := _LETTER_BEHIND.match(text, end)) and behind[1].upper() == letter:
            parts += [text[done:position], letter, " "]
            done = behind.end()
    return "".join(parts) + text[done:]


def without_question(text: str, known: Mapping[str, str]) -> str:
    """Return a reply without the question and all its options, if it begins by repeating them: 题目：…有（ ）A.食物 B.安全.

    The options without the question stay: a list of all of them may be the answer.
    """
    first = known.get("A")
    position = text.find(first) if first else -1
    if position < 4 or not _RESTATED_QUESTION.fullmatch(text, 0, position):
        return text
    end = position
    for letter, option in sorted(known.items()):
        start = text.find(option, end, end + len(option) + 12)
        if start < 0 and letter > "B" and option.startswith(_BETWEEN.sub("", text[end:], count=1)):
            return ""  # cut off while repeating
        if start < 0 or (letter != "A" and not _BETWEEN.fullmatch(text, end, start)):
            return text
        end = start + len(option)
    return text[end:].lstrip(" \n;。.,")


def named_by_text(text: str, known: Mapping[str, str], many: bool, concluded: bool = False) -> str | None:
    """Return the options whose complete text is in the reply, if none is denied; for single choice exactly one.

    A text within another option's text counts only where it occurs by itself.

    Args:
        known: options, the longest text first.
        concluded: only texts that the reply begins with, concludes (应该是, 因此, 由…提出) or calls right; not those that it mentions.
    """
    spans: list[tuple[int, int, str]] = []
    unmatched = text
    for letter, option in known.items():
        if option in unmatched and (occurrences := _occurrences(unmatched, option)):
            spans += [(start, start + len(option), letter) for start in occurrences]
            unmatched = unmatched.replace(option, "□" * len(option))
    if not spans:
        return None
    named_all = many and {letter for _, _, letter in spans} == known.keys()
    spans = [each for listed in _lists(text, sorted(spans)) if not _denied(text, listed[0][0], listed[-1][1]) for each in listed]
    if concluded and not many and len({letter for _, _, letter in spans}) > 1:
        spans = [each for each in spans if _decided(text, *each[:2])] or [each for each in spans if _affirmed(text, *each[:2])]
    elif concluded:
        divided = named_all and {letter for _, _, letter in spans} != known.keys()  # A、B属于它，而C、D不属于
        spans = [
            each
            for listed in _lists(text, spans)
            if _concluded(text, listed[0][0], listed[-1][1]) or (divided and text.startswith(("属于", "是", "符合"), listed[-1][1]))
            for each in listed
        ]
    named = {letter for _, _, letter in spans}
    if not named or (len(named) > 1 and not many):
        return None
    return "".join(sorted(named))


def _lists(text: str, spans: list[tuple[int, int, str]]) -> list[list[tuple[int, int, str]]]:
    """Return texts grouped by the list that contains them: 观察法、实验法和个案法."""
    lists: list[list[tuple[int, int, str]]] = []
    for each in spans:
        if lists and _JOINED.fullmatch(text, lists[-1][-1][1], each[0]):
            lists[-1].append(each)
        else:
            lists.append([each])
    return lists


def _concluded(text: str, start: int, end: int) -> bool:
    """Return whether a list of option texts is asserted by a reply, not only mentioned."""
    if _RIGHT_AFTER.match(text, end):
        return True
    if text.startswith("等", end):
        return False  # some of several, named as examples
    before = text[max(0, start - 16) : start]
    if _ENDS.match(text, end) and not _DEFINED.match(text, end) and _OPENING.fullmatch(text, 0, start):
        return True
    if _ENDS_REPLY.match(text, end) and not _SENTENCE_END.search(text, 0, start):
        return True  # one sentence that ends with the text
    return bool(_CONCLUDING.search(before)) and not text.startswith("的", end)


def _decided(text: str, start: int, end: int) -> bool:
    """Return whether one text among several is the chosen one: it begins the reply, or follows a choosing word."""
    opens = text[end : end + 1] in ("。", "(", "\n") and _OPENING.fullmatch(text, 0, start)
    return bool(opens or _DECIDED.search(text[max(0, start - 16) : start]))


def _affirmed(text: str, start: int, end: int) -> bool:
    """Return whether a text is all that a clause states about the question, without another option: 既…又…，属于趋避冲突。"""
    return bool(_ENDS.match(text, end) and _TELLING.search(text[max(0, start - 16) : start]))


def _occurrences(text: str, option: str) -> list[int]:
    """Return the positions of an option's text; one that begins or ends with a digit or Latin letter does not match within a longer
    word."""
    starts, start = [], text.find(option)
    while start >= 0:
        end = start + len(option)
        joined_before = start and _plain(option[0]) and _plain(text[start - 1])
        joined_behind = end < len(text) and _plain(option[-1]) and _plain(text[end])
        if not joined_before and not joined_behind:
            starts.append(start)
        start = text.find(option, end)
    return starts


def _plain(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _denied(text: str, start: int, end: int) -> bool:
    return bool(_NOT_BEFORE.search(text[max(0, start - 8) : start]) or _NOT_AFTER.match(text[end : end + 8]))
