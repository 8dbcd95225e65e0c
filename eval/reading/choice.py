"""Reading the options a reply commits to: one for single choice, a set for multiple choice.

A label (答案：) beats a choosing verb (故选), which beats a bare answer, which beats options judged one by one, which beats the text of
an option; an explicit later correction beats all before it, and what follows an invented next question counts for nothing.
Letters inside words (ADHD), letters that the reply rejects, and letters outside the options are never an answer.
"""

import re
from collections.abc import Mapping

from eval.reading.letters import (
    AND,
    ITEM,
    LEAD,
    LETTERS,
    RUN,
    letters_approved,
    letters_of,
    ranges_spelled_out,
    without_rejected,
    without_words,
)
from eval.reading.option_texts import named_by_text, option_text, without_texts
from eval.reading.reply_text import folded

_SAME_AGAIN = re.compile(r"(?<![A-Za-z0-9])([A-Ja-j])(?:[\s、,;]{1,2}\1)+(?![A-Za-z0-9])")
_QUICK = re.compile(r"(?:(?:正确)?答案\s?(?:[:是为]|是:|为:)?\s?)?([A-Ja-j]{1,10})[.。]?")
_RUN = re.compile(rf"{LEAD}(?P<run>{RUN})")
_ONE = re.compile(rf"{LEAD}(?P<run>{ITEM})")
_STRONG = re.compile(
    r"(?<!错误)(?<!错误的)(?:(?:正确|最终|标准|参考|最佳|符合题意|我)的?(?:答案|选项|选择|是|(?<=的)有|(?<=的)包括)(?:有|包括)?|答案|正确项|(?:结论|(?<![^\n])答)(?=\s?[:是为])|(?<![A-Za-z])answers?)"
    r"(?!\s?不)(?:应该?|只能)?\s?(?:(?:(?<![A-Za-z])option\s?)?(?:是|为|选|is|are))?(?:\s?option)?",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"(?<!不)(?<!不应)(?<!不能)(?<!排除)(?<!的)(?:应?选择?|而是|应为|应该?是|就是|改为|改选|倾向于?)(?!项)(?!题)"
    rf"|即(?=\s?{RUN}\s?(?:[。.]|$))|(?:(?<=不,)|(?<=不对,)|\A)是(?=\s?[A-J])"
    r"|(?<![A-Za-z])(?:choose|select|pick|it's|it is)(?:\s?option)?",
    re.IGNORECASE,
)
_CORRECTION = re.compile(r"等等|不对|更正|修正|纠正|重新|改为|改选|抱歉|最终|最后|应为|应该是|再想|仔细|有误")
_CONCLUSION = re.compile(r"[故应改]|因此|所以|最终|最后|综上|还是|而是|可见|choose|select")
_QUESTION = re.compile(r"[^,。;:!?\n]{0,40}[吗吧]\s?\?")
_TAKEN_BACK = re.compile(r"(?<![^,。?!\s哦噢啊])不[,。!](?=应?该?是|选|改)|等等|不对[,。!]|更正|修正|纠正|抱歉|再想")
_EITHER = re.compile(rf"{ITEM},?\s?(?:或者?|还是|or(?=\s))\s?{ITEM}")
_ALL = re.compile(
    r"(?:以上|所有|全部|各|[三四五]个?)?(?:选项|答案)?(?:都|均|全|全部|皆)(?:是|为|属于)?(?:正确|对|选)|全部?选择?(?!项)"
    r"|(?:以上|选项)(?:都|均|皆|全)(?:是|对|可|符合)|以上(?:全部|所有)(?:选项)?\s?(?:[。.]|$)|\A全部正确|全部(?:正确|选择)"
)
_EXCEPT = re.compile(
    rf"(?:除了?\s?(?P<run>{RUN})(?:以?外|之外)?,?\s?(?:其[余他它])?|(?:不选|排除|不包括|去掉)\s?(?P<left>{RUN}),\s?其[余他它]|(?P<out>{RUN})[以之]外)"
    r"[^。\n]{0,8}?(?:都|均|全|皆)"
)
_EXCEPTING = re.compile("[除外其]")
_JSON = re.compile(r"[\"'](?:ans|answer|choice|答案|选项)[\"']\s?:\s?(\[[^\]]{0,80}\]|\"[^\"\n]{0,80}|'[^'\n]{0,80}|[A-J]+)", re.IGNORECASE)
_SIGN_IN_BRACKETS = re.compile(r"\s?[(\[]\s?([√×])\s?[)\]]")
_CROSSED = re.compile(rf"{LETTERS}\s?[.、:)]?\s?×")
_SECOND = re.compile(rf"\s?(?:[、,/&+|和与及]|以及)\s?(?P<run>{ITEM})(?=\s?(?:$|[。.\n;]))")  # a second letter where one was asked
_BARE_END = re.compile(
    r"[\s)\]}\"'”’]*(?:选?项)?\s?"
    r"(?:$|[.。,;:、\n!(<]|(?:[两二三四五六七]\s?[个项])+(?:选项)?(?:全部?|都|均)?(?:正确|对|选|$)|(?:全部?|都|均)(?:是)?(?:正确|对|选))"
)
_ANOTHER = re.compile(rf"(?!\s?\([A-Ja-j][^)\s]){AND}{ITEM}\s?(?:{AND}{ITEM}|[.。]?$)|\s?[、/&+和与及]\s?{ITEM}")
_NEXT_ITEM = re.compile(r"\n[\s\-•(]*[A-Ja-j][.、:)\s]")
_NEXT_QUESTION = re.compile(
    r"\n\s?(?:(?:下一|新)?(?:问题|题目|题干|题)\s?\d{0,2}\s?:|下一?题|第\s?\d{1,3}\s?题|\d{1,3}\s?[.、]\s?[^\n]{4,}\(\s?\)"
    r"|(?:下列|以下)[^\n]{4,80}(?:\(\s?\)|[?:]|是)\s?(?:\n|$)|(?:user|human|question|用户|问)\s?\d{0,2}\s?:)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[。\n]")
Known = Mapping[str, str]


def read_single(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the one letter a reply commits to, or None."""
    letters = _read(reply, options, many=False)
    return letters if letters and len(letters) == 1 else None


def read_several(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the set of letters a reply commits to, sorted, or None."""
    return _read(reply, options, many=True)


def committed(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the one letter that stands behind a label or a choosing verb, or None."""
    text = _prepared(folded(reply), _known(options))
    found = _labelled(text, _STRONG, many=False) or _labelled(text, _WEAK, many=False)
    return _checked(found, _known(options), one=True) if found else None


def _known(options: Mapping[str, str]) -> dict[str, str]:
    return {letter: option_text(option) for letter, option in options.items() if option and option.strip()}


def _read(reply: str, options: Mapping[str, str], many: bool) -> str | None:
    text = folded(reply)
    known = _known(options)
    if quick := _QUICK.fullmatch(text):
        return _checked(quick[1], known)
    if "\n" in text and (turn := _NEXT_QUESTION.search(text)) and turn.start() and (found := _answer(text[: turn.start()], known, many)):
        return found
    return _answer(text, known, many)


def _answer(text: str, known: Known, many: bool) -> str | None:
    """Return the answer by the strongest kind of evidence that the text has."""
    if ('"' in text or "'" in text) and (field := _JSON.search(text)):
        return _checked(letters_of(field[1]), known) or named_by_text(field[1], known, many)
    text = _prepared(text, known)
    if many and (found := _by_exclusion(text, known)):
        return found
    text = without_rejected(text)
    for label in (_STRONG, _WEAK):
        if (found := _labelled(text, label, many)) is not None:
            return _checked(_later_choice(text, many) or found if label is _STRONG else found, known)
        if label is _STRONG and (found := _option_after(text, known, many)):
            return found
    if _EITHER.search(text):
        return None
    if (found := _bare(text, many)) is not None:
        return _checked(found, known)
    if approved := letters_approved(text):
        return _checked(approved, known, one=not many)
    return named_by_text(text, known, many) or _checked(_single_letters(text), known, one=not many)


def _prepared(text: str, known: Known) -> str:
    if "√" in text or "×" in text:
        text = _SIGN_IN_BRACKETS.sub(r"\1", text)
    text = ranges_spelled_out(without_words(text)).replace("~", "")
    if "?" in text:
        text = _QUESTION.sub(",", text)
    text = _SAME_AGAIN.sub(r"\1", text)
    return without_texts(_CROSSED.sub(",", text) if "×" in text else text, known)


def _checked(letters: str, known: Known, one: bool = False) -> str | None:
    """Return letters as a sorted set, or None when there are none, one is no option, or several stand where one was asked."""
    chosen = "".join(sorted(set(letters.upper())))
    if not chosen or not set(chosen) <= set(known) or (one and len(chosen) > 1):
        return None
    return chosen


def _by_exclusion(text: str, known: Known) -> str | None:
    """Return the options that 除了A以外都选 or 以上都对 leaves, unless letters are named beside it."""
    if _EXCEPTING.search(text) and (match := _EXCEPT.search(text)):
        left = set(known) - set(letters_of(match["run"] or match["left"] or match["out"]))
        return "".join(sorted(left)) if left and not _labelled(text[match.end() :], _STRONG, True) else None
    if _ALL.search(text) and not re.search(LETTERS, text):
        return "".join(sorted(known))
    return None


def _labelled(text: str, label: re.Pattern, many: bool) -> str | None:
    """Return the letters after a label: the first label's, or the last one's where the reply corrects itself; weak labels: the last's."""
    found: list[tuple[int, str]] = []
    for match in label.finditer(text):
        run = (_RUN if many else _ONE).match(text, match.end())
        if run and _EITHER.match(text, run.start("run")):
            found.append((match.start(), ""))
        elif run:
            second = None if many else _SECOND.match(text, run.end())
            found.append((match.start(), letters_of(run["run"]) + letters_of(second["run"] if second else "")))
    if not found:
        return None
    if (
        label is _WEAK
        and not _TAKEN_BACK.search(text, found[0][0])
        and len({letters for _, letters in found}) > 1
        and not _CONCLUSION.search(text, max(0, found[-1][0] - 6), found[-1][0] + 4)
    ):
        return ""  # 既可以选A也可以选B
    corrected = label is _WEAK or _CORRECTION.search(text, found[0][0] + 1)
    return found[-1][1] if corrected else found[0][1]


def _later_choice(text: str, many: bool) -> str | None:
    """Return the letters chosen after the reply took its labelled answer back: 答案是A。等等，应该是B."""
    label = _STRONG.search(text)
    taken_back = _TAKEN_BACK.search(text, label.end()) if label else None
    if not taken_back:
        return None
    rest = text[taken_back.end() :]
    return None if _labelled(rest, _STRONG, many) else _labelled(rest, _WEAK, many)


def _bare(text: str, many: bool) -> str | None:
    """Return the letters of a reply that is, or opens with, nothing but letters."""
    match = (_RUN if many else _ONE).match(text)
    if not match or "√" in text:
        return None
    rest = text[match.end() : match.end() + 400]
    if many and len(letters_of(match["run"])) == 1 and _NEXT_ITEM.search(rest):
        return None  # options gone through one by one
    if not many and _ANOTHER.match(rest):
        return ""  # a list of letters where one was asked
    return letters_of(match["run"]) if _BARE_END.match(rest) else None


def _option_after(text: str, known: Known, many: bool) -> str | None:
    """Return the options whose text stands after the last strong label."""
    ends = [match.end() for match in _STRONG.finditer(text)]
    return named_by_text(_SENTENCE_END.split(text[ends[-1] :].lstrip(), maxsplit=1)[0], known, many) if ends else None


def _single_letters(text: str) -> str:
    """Return the letters that stand alone in a reply; those that it rejects are no longer there."""
    return "".join(match[0] for match in re.finditer(LETTERS, text) if len(match[0]) == 1)
