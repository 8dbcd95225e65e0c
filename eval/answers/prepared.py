"""A folded reply made ready for reading options: signs, ranges, ordinals and option texts put as letters, questions and words left out."""

import re
from collections.abc import Mapping

from atomexam.text.numerals import value_of
from atomexam.text.option_letters import letters_at
from eval.answers.letters import LETTERS, ranges_spelled_out, without_words
from eval.answers.option_texts import without_texts

_SAME_AGAIN = re.compile(r"([A-Ja-j])(?<![A-Za-z0-9].)(?:[\s、,;]{1,2}\1)+(?![A-Za-z0-9])")
_QUESTION = re.compile(r"[^,。;:!?\n]{0,40}(?:[吗吧呢]|还是[^,。;:!?\n]{1,12})\s?\?")
_SIGN_IN_BRACKETS = re.compile(r"[(\[]\s?(?:(√|正确|对|是|[当入应]?选)|×|错误?|不正确|不对|否|不选)\s?[)\]]")
_TICKED = re.compile(r"\[[xXvV√]\] ?(?=(?:选项 ?)?[A-J](?![A-Za-z0-9]))")
_UNTICKED = re.compile(r"\n?[ \-•*]*\[ ?\] ?(?:选项 ?)?[A-J](?![A-Za-z0-9])[^\n]*")
_CROSSED = re.compile(rf"{LETTERS}\s?[.、:)]?\s?×")
_CHOSEN_EACH = re.compile(r"(?<![不错误会])(?P<verb>(?<!应)选|应选)[A-J](?:[,;、] ?(?P=verb)[A-J](?![A-Za-z]))+")
_NUMERAL = "[一二三四五六1-6]"
_NUMERALS = rf"{_NUMERAL}(?:\s?(?:[、,]|[和与及跟]|以及)\s?(?:选项|第)?\s?{_NUMERAL}){{0,5}}"
_ORDINAL = re.compile(
    rf"选项\s?(?P<behind>{_NUMERALS})(?![\d\u4e00-\u9fff个项]|\.\d)|第\s?(?P<first>{_NUMERALS})\s?(?:个?选?项|个)(?![A-Za-z0-9\u4e00-\u9fff])"
    r"|前\s?(?P<top>[两二三四2-4])\s?(?:个选项|项|个)(?=[都均皆全]?(?:是)?(?:正确|对|符合|[当入]选)|[。.]?$)"
    rf"|第\s?(?P<right>{_NUMERALS})\s?(?:个?选?项)(?=[都均皆全]?(?:是)?(?:正确|对|符合))"
)
_EACH = re.compile(_NUMERAL)
_LETTERS = re.compile(LETTERS)


def prepared(text: str, known: Mapping[str, str]) -> str:
    """Return a reply in which an option is named by its letter wherever the reply says which it means."""
    if "(" in text or "[" in text:
        text = _SIGN_IN_BRACKETS.sub(lambda sign: "√" if sign[1] else "×", text)
    if "[" in text and _TICKED.search(text):
        text = _TICKED.sub("", _UNTICKED.sub("", text))
    text = ranges_spelled_out(without_words(text)).replace("~", "")
    if "?" in text:
        text = _QUESTION.sub(",", text)
    if text.count("选") > 1:
        text = _CHOSEN_EACH.sub(lambda each: "选" + "".join(_LETTERS.findall(each[0])), text)
    if _SAME_AGAIN.search(text):
        text = _SAME_AGAIN.sub(r"\1", text)
    if ("第" in text or "选项" in text or "前" in text) and not _LETTERS.search(text):
        text = _ORDINAL.sub(_lettered, text)
    return without_texts(_CROSSED.sub(",", text) if "×" in text else text, known)


def _lettered(ordinal: re.Match) -> str:
    """Return 第一、三项 as AC."""
    if ordinal["top"]:
        return " " + letters_at(range(value_of(ordinal["top"]) or 0)) + " "
    numerals = _EACH.findall(ordinal["behind"] or ordinal["first"] or ordinal["right"])
    return " " + letters_at((value_of(each) or 0) - 1 for each in numerals) + " "
