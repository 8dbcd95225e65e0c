"""Reading the options a reply commits to: one for single choice, a set for multiple choice.

A label (答案：) beats a choosing verb (故选), which beats a bare answer, which beats the text of an option; an explicit later
correction beats all before it. Letters inside words (ADHD), letters that the reply rejects, and letters outside the options
are never an answer.
"""

import re
from collections.abc import Mapping

from eval.reply_text import folded

_L = r"(?<![A-Za-z0-9])[A-Ja-j]{1,10}(?![A-Za-z0-9])"  # a run of letters that is no word
_GAP = r"(?:\s*(?:[、,;/&+.|和与及]|以及|还有|选?项|(?<=[\s,])and(?=\s))\s*|\s*\n\s*[-•]\s*|\s+)"
_OPEN = r"[\s:\-(\[{<\"'“”‘’「】)]*(?:选?项)?[\s(\[\"'“]*"
_RUN = re.compile(rf"{_OPEN}(?P<run>{_L}(?:[)\]\"'”]*(?:选?项)?{_GAP}*[(\[\"'“]*(?:选?项)?\s*{_L})*)")
_ONE = re.compile(rf"{_OPEN}(?P<run>{_L})")
_STRONG = re.compile(
    r"(?:(?:正确|最终|标准|参考|最佳|符合题意)的?(?:答案|选项|是)|答案|正确项|(?<![A-Za-z])answer)(?!\s*不)(?:应该?|只能)?\s*(?:是|为|选|is)?",
    re.IGNORECASE,
)
_WEAK = re.compile(r"(?<!不)(?<!不应)(?<!不能)(?<!排除)(?<!的)(?:应?选择?|而是|应为|应该?是|就是|改为|改选)(?!项)(?!题)")
_CORRECTION = re.compile(r"等等|不对|更正|修正|纠正|重新|改为|改选|抱歉|最终|最后|应为|应该是|再想|仔细")
_TAKEN_BACK = re.compile(r"等等|不对[,。!]|更正|修正|纠正|抱歉|再想")
_EITHER = re.compile(rf"{_L}\s*(?:选?项)?\s*(?:或者?|还是)\s*(?:选?项)?\s*{_L}")
_NOT_BEFORE = re.compile(r"(?:不是|不选|不应选|并非|排除|除了?|不包括|不能选|而非|否定|不应为|相比)[\s选项:]*$")
_NOT_AFTER = re.compile(r"^[)\]]?\s*(?:选?项)?[^,。;\n]{0,8}?(?:错误|不正确|不对|不符|有误|不是|不选|排除|不合|错)|^(?:选?项)?相比")
_ALL = re.compile(
    r"(?:以上|所有|全部|各)?(?:选项|答案)?(?:都|均|全|全部|皆)(?:是|为)?(?:正确|对|选|符合)|全选|以上(?:都|均|皆|全)(?:是|对|可)|以上(?:全部|所有)(?:选项)?\s*(?:[。.]|$)"
)
_EXCEPT = re.compile(
    rf"除了?\s*(?:选?项)?\s*(?P<run>{_L}(?:{_GAP}{_L})*)\s*(?:选?项)?\s*(?:以?外|之外)?,?\s*(?:其[余他它])?[^。\n]{{0,8}}?(?:都|均|全|皆)"
)
_RANGE = re.compile(r"(?<![A-Za-z])([A-Ja-j])[ \t]*(?:-|~|—|–|到|至)+[ \t]*([A-Ja-j])(?![A-Za-z])")
_JSON = re.compile(r"[\"'](?:ans|answer|答案|选项)[\"']\s*:\s*(\[[^\]]*\]|\"[^\"\n]*|'[^'\n]*|[A-J]+)", re.IGNORECASE)
_CROSSED = re.compile(r"[A-Ja-j]\s*[.、:)]?\s*×")
_SECOND = re.compile(
    rf"[)\]\"'”]*(?:选?项)?[ \t]*(?:[、,/&+|和与及]|以及)[ \t]*[(\[]*(?:选?项)?(?P<run>{_L})[)\]]*"
    r"[ \t]*(?:选?项)?[ \t]*(?P<end>$|[。.\n;]|[均都])"
)  # a second letter where one was asked
_BARE_END = re.compile(
    r"[\s)\]}\"'”’]*(?:选?项)?\s*"
    r"(?:$|[.。,;:、\n!(<]|(?:[两二三四五六七]\s*[个项])+(?:选项)?(?:全部?|都|均)?(?:正确|对|选|$)|(?:全部?|都|均)(?:正确|对|选))"
)
_NEXT_ITEM = re.compile(r"\n[\s\-•(]*[A-Ja-j][.、:)\s]")
_NEXT_QUESTION = re.compile(r"\n\s*(?:问题|题目|下列|以下|第?\d+\s*[.、题]|user|human)[^\n]*", re.IGNORECASE)


def read_single(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the one letter a reply commits to, or None."""
    letters = _read(reply, options, many=False)
    return letters if letters and len(letters) == 1 else None


def read_several(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the set of letters a reply commits to, sorted, or None."""
    return _read(reply, options, many=True)


def _read(reply: str, options: Mapping[str, str], many: bool) -> str | None:
    text = folded(reply)
    known = {letter: folded(option) for letter, option in options.items() if option and option.strip()}
    if field := _JSON.search(text):
        return _checked("".join(re.findall(_L, field[1])), known) or _by_text(field[1], known, many)
    text = _without_texts(_CROSSED.sub("", _spell_out_ranges(text)).replace("√", " ").replace("~", ""), known)
    if many and (found := _by_exclusion(text, known)):
        return found
    for label in (_STRONG, _WEAK):
        if (found := _labelled(text, label, many)) is not None:
            return _checked(_later_choice(text, many) or found if label is _STRONG else found, known)
        if label is _STRONG and (found := _option_after(text, known, many)):
            return found
    if _EITHER.search(text):
        return None
    found = _bare(text, many)
    if found is not None:
        return _checked(found, known)
    return _by_text(text, known, many) or _checked(_not_rejected(text), known, one_of_many=not many)


def _checked(letters: str, known: Mapping[str, str], one_of_many: bool = False) -> str | None:
    """Return letters as a sorted set, or None when there are none, one is no option, or several stand where one was asked."""
    chosen = "".join(sorted(set(letters.upper())))
    if not chosen or not set(chosen) <= set(known) or (one_of_many and len(chosen) > 1):
        return None
    return chosen


def _spell_out_ranges(text: str) -> str:
    def letters(match: re.Match) -> str:
        first, last = sorted((ord(match[1].upper()), ord(match[2].upper())))
        return "".join(chr(code) for code in range(first, last + 1))

    return _RANGE.sub(letters, text)


def _by_exclusion(text: str, known: Mapping[str, str]) -> str | None:
    """Return the options that 除了A以外都选 or 以上都对 leaves, unless letters are named beside it."""
    if match := _EXCEPT.search(text):
        left = set(known) - set(match["run"].upper())
        return "".join(sorted(left)) if left and not _labelled(text[match.end() :], _STRONG, True) else None
    if _ALL.search(text) and not re.search(_L, text):
        return "".join(sorted(known))
    return None


def _labelled(text: str, label: re.Pattern, many: bool) -> str | None:
    """Return the letters after a label: the first label's, or the last one's where the reply corrects itself; weak labels: the last's."""
    found: list[tuple[int, str]] = []
    for match in label.finditer(text):
        run = (_RUN if many else _ONE).match(text, match.end())
        if run and not _NOT_BEFORE.search(text[: match.start()]) and not _EITHER.match(text, run.start("run")):
            second = None if many else _SECOND.match(text, run.end())
            if second and second["end"] in ("均", "都"):
                continue  # 答案：A、B均不正确
            named = _until_rejected(run["run"], text[run.end() :])
            found.append((match.start(), _letters(named) + _letters(second["run"] if second else "")))
        elif run and _EITHER.match(text, run.start("run")):
            found.append((match.start(), ""))
    if not found:
        return None
    corrected = label is _WEAK or _CORRECTION.search(text[found[0][0] + 1 :].partition("\n\n\n")[0])
    between = text[found[0][0] : found[-1][0]]
    if label is _STRONG and _NEXT_QUESTION.search(between):
        corrected = False
    return found[-1][1] if corrected else found[0][1]


def _later_choice(text: str, many: bool) -> str | None:
    """Return the letters chosen after the reply took its labelled answer back: 答案是A。等等，应该是B."""
    label = _STRONG.search(text)
    taken_back = _TAKEN_BACK.search(text, label.end()) if label else None
    if not taken_back or _NEXT_QUESTION.search(text[label.end() : taken_back.start()]):
        return None
    rest = text[taken_back.end() :]
    return None if _labelled(rest, _STRONG, many) else _labelled(rest, _WEAK, many)


def _until_rejected(run: str, rest: str) -> str:
    """Return a run without its last clause where that is called wrong: 正确的是A和C，B和D错误."""
    rejected = re.match(r"[)\]]*\s*(?:选?项)?\s*(?:均|都|全)?(?:不|错|有误)", rest)
    return re.split(r"[,;][^,;]*$", run)[0] if rejected else run


def _letters(run: str) -> str:
    return "".join(re.findall(r"[A-Ja-j]", "".join(re.findall(_L, run))))


def _bare(text: str, many: bool) -> str | None:
    """Return the letters of a reply that is, or opens with, nothing but letters."""
    match = (_RUN if many else _ONE).match(text)
    if not match:
        return None
    rest = text[match.end() :]
    if many and len(_letters(match["run"])) == 1 and _NEXT_ITEM.search(rest):
        return None  # options gone through one by one
    if not many and re.match(rf"{_GAP}{_L}\s*(?:{_GAP}|$)", rest):
        return ""  # a list of letters where one was asked
    if _BARE_END.match(rest) and not _NOT_AFTER.match(rest):
        return None if _EITHER.match(text, match.start("run")) else _letters(match["run"])
    return None


def _option_after(text: str, known: Mapping[str, str], many: bool) -> str | None:
    """Return the options whose text stands after the last strong label."""
    ends = [match.end() for match in _STRONG.finditer(text)]
    return _by_text(re.split(r"[。\n]", text[ends[-1] :])[0], known, many) if ends else None


def _without_texts(text: str, known: Mapping[str, str]) -> str:
    """Return a reply without the option texts that follow their own letters: A. 食物 B. 安全 is the list A B."""
    for letter, option in known.items():
        if option in text:
            listed = rf"(?<![A-Za-z0-9])({letter})\s*[.、:()]?\s*{re.escape(option)}\)?(?=[\s,。;.、!)和与及]|$)"
            text = re.sub(listed, r"\1 ", text, flags=re.IGNORECASE)
    return text


def _by_text(text: str, known: Mapping[str, str], many: bool) -> str | None:
    """Return the options whose whole text stands in the reply, if none of them is denied; for single choice exactly one."""
    named = []
    for letter, option in known.items():
        place = text.find(option)
        if place >= 0 and not any(option != other and option in other and other in text for other in known.values()):
            before, after = text[:place], text[place + len(option) :]
            if _NOT_BEFORE.search(before) or re.match(r"[\s:,(]*(?:是|说法)?(?:错误|不正确|不对|×)", after):
                continue
            named.append(letter)
    if len(named) > 1 and not many:
        return None
    return "".join(sorted(named)) or None


def _not_rejected(text: str) -> str:
    """Return the letters named in a reply that it does not reject."""
    kept = []
    for match in re.finditer(_L, text):
        if len(match[0]) == 1 and not _NOT_BEFORE.search(text[: match.start()]) and not _NOT_AFTER.match(text[match.end() :]):
            kept.append(match[0])
    return "".join(kept)
