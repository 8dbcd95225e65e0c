"""Options named by exclusion: 除了A以外都选, 以上都对, 不是A就是B. In: prepared text; out: letters, or None."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from eval.answers.labels import STRONG, WEAK, labelled
from eval.answers.letters import ITEM, RUN, has_letters, letters_of, rejected_letters

_ALL = re.compile(
    r"(?:以上|所有|全部|各|[三四五]个?)?(?:选项|答案)?(?:都|均|全|全部|皆)(?:是|为|属于|应该?|要|可以?)?(?:正确|对|选)|全部?选择?(?!项)"
    r"|(?:以上|选项)(?:都|均|皆|全)(?:是|对|可|符合)|以上(?:全部|所有)(?:选项)?\s?(?:[。.]|$)|\A全部正确|全部(?:正确|选择)"
    r"|\A(?:[两三四五六][个项](?:选项)?)?都[是对][。.]?\Z|\A(?:所有|全部)选项[。.]?\Z"
    r"|(?<![A-Za-z])[Aa]ll (?:of )?(?:the )?(?:above|(?:\w+ )?options are (?:correct|right))|\A[Ss]elect all[.]?\Z"
)
_ALL_OPTION = re.compile(r"(?:以上|上述)(?:各项|选项)?(?:都|均|全|皆|全部)(?:是|对|正确|包括)")
_NONE = re.compile(r"(?:以上|上述)(?:各项|选项|答案)*(?:都|均|全|皆)不(?:对|是|正确|符合)")
_NONE_OPTION = re.compile(r"(?:以上|上述)(?:各项|选项|答案)*(?:都|均|全|皆)?(?:不|无|非|没有)|都不")
_REST = r"(?:其[余他它]|剩下|剩余|另外)"
_REASON = r"(?:[^A-J\n]{0,60}?[,;。])?\s?"  # between the wrong option and the rest: D不正确,因为它不传染,其他都正确
_EXCEPT = re.compile(
    r"(?=[除不排去错有选项 A-Ja-jEe(\[\"'“])"
    rf"(?:除了?\s?(?P<run>{RUN})(?:以?外|之外)?,?\s?(?:其[余他它])?|(?:不能?选|不应选|排除|不包括|去掉)(?:的是)?\s?(?P<left>{RUN})[,;。]{_REASON}(?:选|保留)?\s?{_REST}"
    rf"|(?:错误|不正确|不对|有误|不符合?(?:题意|要求)?)的?(?:选项|项|说法)?(?:应该?)?(?:是|有|为|:)\s?(?P<said>{RUN})[,;。]{_REASON}(?:而|但)?{_REST}"
    rf"|(?P<out>{RUN})[以之]外|(?P<not>{RUN})(?:的?(?:说法|描述|表述|内容|叙述))?(?:是|为|本身)?(?:不属于|是?不可取|不是|也?不(?:应|应该|应当|能|当|入)?选|不对|错误?|不正确|不符合?)[^,。\n]{{0,12}}[,;:。]{_REASON}[^,。\n]{{0,8}}{_REST})"
    r"[^。\n]{0,8}?(?:(?:都|均|全|皆)(?!有可能)(?P<wrong>不|错)?|(?<=[余他它下剩外])的?(?:[两二三四]?[个选]?项(?=[。.]|$|应?当?选|入选|正确|符合)|(?:对|正确)))"
    rf"|\A(?:除了?\s?(?P<only>{RUN})(?:以?外|之外)?|(?P<excepted>{RUN})除外)[。.]?\Z"
    rf"|(?<![A-Za-z])(?:[Aa]ll|[Ee]verything|[Ee]very option)\s(?:\w+\s)?"
    rf"(?:except|but|other than)\s(?:for\s)?(?:options?\s)?(?P<english>{RUN})"
)
_ODD_ONE = re.compile(  # A、B、C都是其表现，D不是
    rf"(?P<others>{RUN})(?:[两三四五]?[个项])?(?:选项)?(?:都|均|皆)(?:是|属于|可以?|为|有|符合)[^A-J。\n]{{0,40}}?[,;。]\s?(?:而|但是?|只有|唯有|唯独)?\s?"
    rf"(?P<odd>{ITEM})(?:则|却|并)?(?:不(?!选)|除外|没有|无)"
)
_NAMED = ("run", "left", "said", "out", "not", "only", "excepted", "english")
_EXCEPTING = re.compile("除|外|其[余他它]|剩[下余]|xcept|but|other")
_OTHERS = re.compile(_REST)
_LEAVING = re.compile("除|外|其|都|均|全|皆|所有|ll |ything|elect")  # without one of these, no option is named by exclusion


def by_exclusion(text: str, known: Mapping[str, str], many: bool) -> str | None:
    """Return the remaining options of 除了A以外都选 or 以上都对, unless letters are named as well.

    If an option reads 以上均是, that option is meant and not the others.
    """
    if not _LEAVING.search(text):
        return None
    lettered = has_letters(text)
    if _EXCEPTING.search(text) and (match := _EXCEPT.search(text if lettered else _with_letters(text, known))):
        before = rejected_letters(text[: match.end()]) if match["not"] else set()  # C不选,D也不选,其余两项当选
        named = before | set(letters_of(next(match[group] for group in _NAMED if match[group])))
        left: AbstractSet[str] = named if match["wrong"] else set(known) - named
        if not many and match["left"]:
            left = left if len(left) == 1 else set()
        elif not many and not match["wrong"]:
            left = (
                _set_apart(named, left, known) if not labelled(text, STRONG, many=True) and not labelled(text, WEAK, many=True) else set()
            )
        return "".join(sorted(left)) if left and not labelled(text[match.end() :], STRONG, True) else None
    if lettered and not many and (match := _ODD_ONE.search(text)):
        odd = letters_of(match["odd"])
        return odd if set(letters_of(match["others"])) == known.keys() - {odd} and not labelled(text, STRONG, many=False) else None
    if lettered:
        return None
    if _NONE.search(text):
        return "".join(letter for letter, words in known.items() if _NONE_OPTION.match(words)) or None
    if _ALL.search(text) and not _OTHERS.search(text):
        option = [letter for letter, words in known.items() if _ALL_OPTION.match(words)]
        return "".join(option or sorted(known)) if many or option else None
    return None


def _set_apart(named: AbstractSet[str], left: AbstractSet[str], known: Mapping[str, str]) -> AbstractSet[str]:
    """Return the one option that differs from all the others: the only one left, or else the only one that is named."""
    return next((each for each in (left, named) if len(each) == 1 and each <= known.keys()), set())


def _with_letters(text: str, known: Mapping[str, str]) -> str:
    """Return a reply with option texts replaced by their letters."""
    for letter, option in known.items():
        text = text.replace(option, letter)
    return text
