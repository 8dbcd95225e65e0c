"""Find the texts of options in a reply, in any spelling, and determine what the reply says about them.

Texts such as IgA, ℃, CEA and 4～6周 contain option letters or symbols. Before letters are parsed, each such text is replaced by one
placeholder character, in the reply and in the options.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from eval.answers.reply_text import folded

Known = Mapping[str, str]
_FIRST_PLACEHOLDER = 0xE000
_PRIVATE_USE = re.compile("[\ue000-\uf8ff]")  # the range of the placeholders; such characters in a reply are dropped
_LONGEST = 40  # replies repeat a longer text verbatim or not at all
_SPELLED = re.compile(r"(?![A-Ja-j]\Z|[A-Za-z]\Z|\d+\Z).*[A-Za-z0-9]")  # not a lone letter, nor a bare number, which may number a line
_DASH = "-~—–−至到"
_VITAMINS = re.compile(r"(?<=维生素)[A-K]\d{0,2}(?:\s?(?:[、,/和及与]|以及)\s?[A-K]\d{0,2}(?![A-Za-z0-9]))+")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^ ^]")
_SIGNS = {
    "more": r"(?:(?<!不)(?:[大高多]于|超过)(?!或?等于)|>(?!=))",
    "least": r"(?:[大高多]于或?等于|不[少低小]于|≥|>=)",
    "less": r"(?:(?<!不)[小低少]于(?!或?等于)|不[到足]|<(?!=))",
    "most": r"(?:[小低少]于或?等于|不(?:超过|[大高多]于)|≤|<=)",
}
_SIGN = "|".join(f"(?P<{name}>{sign})" for name, sign in _SIGNS.items())
_BOUND = re.compile(rf"(?:{_SIGN}) ?(?P<bound>\d.*)|(?P<first>\d.*?)[及或]?(?:(?P<up>以上)|以下|[以之]?内)")
_WHOLE = (  # not part of .5, -5 or a range: 4周～5周
    rf"(?<![0-9A-Za-z%℃][{_DASH}])(?<!\d[:/])(?<!(?<![^\W\d_])\.)(?<![-−])(?<!\d[^\W\d_][{_DASH}])(?<!\d[^\W\d_]{{2}}[{_DASH}])"
)
_NO_BOUND = r"(?<!(?<![-=])[<>≤≥])(?<!(?<![-=])[<>≤≥] )(?<![<>]=)(?<![大高多小低少]于|超过|不[到足])(?<![于或]等于)"
_POWER = re.compile(r"(?<=\d)\^(?=[-−]?\d)")
_JOINT = "[、和及与/+]"
_NEXT_VITAMIN = re.compile(r"(?<!\A)(?=[A-K])")


def known_options(options: Mapping[str, str]) -> Known:
    """Return options in the form used for parsing, longest text first, so that no text matches within another."""
    return _known_of(tuple(options.items()))[0]


def with_signs(text: str, options: Mapping[str, str], many: bool = False) -> tuple[str, Known]:
    """Return a folded reply and its options, with a placeholder for each option text that contains Latin letters or digits.

    Spaces, dashes, case and the caret of a power may differ, as long as the options themselves stay distinct.

    Args:
        many: whether the answer may have several letters; AD then means A and D even if an option reads AD, unless AD is listed with other
            texts.
    """
    known, pattern = _known_of(tuple(options.items()), many)
    text = _PRIVATE_USE.sub("", text)
    if "维生素" in text:
        text = _VITAMINS.sub(lambda listed: _NEXT_VITAMIN.sub("维生素", listed[0]), text)
    return _POWER.sub("", _signed(text, pattern)), known


@lru_cache(maxsize=1 << 15)
def _known_of(options: tuple[tuple[str, str], ...], many: bool = False) -> tuple[Known, re.Pattern | None]:
    texts = [(letter, folded(option)) for letter, option in options if option and option.strip()]
    spelled = sorted((each for each in texts if len(each[1]) <= _LONGEST and _SPELLED.match(each[1])), key=lambda each: -len(each[1]))
    comparison_forms = [_comparison_form(text) for _, text in texts]
    bounds = any(_BOUND.fullmatch(text) for _, text in spelled)
    forms = [_written(text, comparison_forms.count(_comparison_form(text)) == 1, bounds) for _, text in spelled]
    if many:
        letters = "".join(sorted(letter for letter, _ in options))
        forms = [_listed(form, letter) if _rises(text, letters) else form for (letter, text), form in zip(spelled, forms, strict=True)]
    pattern = re.compile("|".join(f"({form})" for form in forms)) if forms else None
    placeholders = {letter: chr(_FIRST_PLACEHOLDER + number) for number, (letter, _) in enumerate(spelled, 1)}
    known = [(letter, placeholders.get(letter) or _POWER.sub("", _signed(text, pattern)).replace("~", "")) for letter, text in texts]
    return dict(sorted(known, key=lambda each: -len(each[1]))), pattern


def _rises(text: str, letters: str) -> bool:
    """Return whether a text looks like option letters in order: AD, but not DA or AA."""
    return list(text.upper()) == sorted(set(text.upper()) & set(letters))


def _listed(form: str, letter: str) -> str:
    """Return the pattern of a text that follows its own letter or is part of a list of words rather than letters only."""
    before = rf"(?:(?<={letter}[.、:)])|(?<={letter}[.、:)] )|(?<={_JOINT})(?<!(?<![A-Za-z])[A-J]{_JOINT}))"
    return rf"{before}{form}|{form}(?= ?{_JOINT} ?(?![A-J](?![A-Za-z]))\S)"


def _signed(text: str, pattern: re.Pattern | None) -> str:
    return pattern.sub(lambda match: chr(_FIRST_PLACEHOLDER + (match.lastindex or 0)), text) if pattern else text


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_POWER.sub("", text))


def _comparison_form(text: str) -> str:
    if bound := _BOUND.fullmatch(text):
        return (">" if bound["more"] or bound["least"] or bound["up"] else "<") + _comparison_form(bound["bound"] or bound["first"])
    return "".join(_number(token) if token[0].isdigit() else "-" if token in _DASH else token.lower() for token in _tokens(text))


def _number(digits: str) -> str:
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _written(text: str, distinct: bool, bounds: bool) -> str:
    """Return a pattern for all spellings of a text; it never matches within a longer word, number or range.

    Args:
        distinct: whether no other option has a similar spelling; if not, only the exact text matches.
        bounds: whether an option is a bound, so that 小于5% does not match 5%; otherwise it does, because the question asks for the bound.
    """
    bound = _BOUND.fullmatch(text) if distinct else None
    core = bound["bound"] or bound["first"] if bound else text
    form = _form(core) if distinct else re.escape(text)
    before = r"(?<![A-Za-z0-9])(?<!抗)(?<!抗-)" if core[0].isascii() and core[0].isalnum() else ""
    before += _WHOLE + (_NO_BOUND if bounds else "") if core[0].isdigit() else ""
    behind = r"(?![A-Za-z0-9])" if core[-1].isascii() and core[-1].isalnum() else ""
    behind += r"(?!\.\d)" if core[-1].isdigit() else ""
    if bound:
        named, up = next((name for name in _SIGNS if bound[name]), ""), bound["more"] or bound["least"] or bound["up"]
        sign = _SIGNS[named] if named else "(?:{more}|{least})".format(**_SIGNS) if up else "(?:{less}|{most})".format(**_SIGNS)
        return rf"(?:{sign} ?{form}{behind}|{before}{form} ?[及或]?{'以上' if up else '(?:以下|[以之]?内)'})"
    behind += rf"(?![{_DASH}]\d|/[^\W\d_]{'| ?[及或]?[以之][上下内]' if bounds else ''})" if core[0].isdigit() else ""
    return f"{before}{form}{behind}"


def _form(text: str) -> str:
    form = "[ ^]?".join(f"[{_DASH}]" if token in _DASH else _written_number(token) for token in _tokens(text))
    return f"(?{'i' if len(text) > 2 else ''}:{form})"  # CO is not the English prefix co


def _written_number(token: str) -> str:
    if not token[0].isdigit():
        return re.escape(token)
    number = _number(token)
    return r"\^?".join(map(re.escape, number)) + (r"0*" if "." in number else r"(?:\.0+)?") + r"(?!\d)"


_NOT_BEFORE = re.compile(
    r"(?:(?:鉴别|既往|错误)诊断为?|不是|避免|不要|不得|防止|没有|考[查察核]|涉及|关于|不(?:能|应|可|宜)?(?:诊断|考虑|认为|判断)为?"
    r"|不选|不应选|并非|排除|除了?|不包括|不能选|而非|否定|不应为|相比"
    r"|不(?:可能|会|支持|符合|考虑|涉及|属于)[是为有]?|[不非]|(?i:rather than|instead of|not))[\s选项:]*$"
)
_LETTER = re.compile(r"[A-Ja-j]")
_LETTER_BEFORE = re.compile(r"(?<![A-Za-z0-9])([A-Ja-j])(?:选?项)?\s?[.,、:()]?\s?\Z")
_LETTER_BEHIND = re.compile(r"\s?\(\s?([A-Ja-j])\s?\)")
_OVER = re.compile(r"\)|(?=[\s,。;.、!:(和与及]|以及|\Z)")
_NOT_AFTER = re.compile(
    r" ?(?:\?|[→⇒])|[\s:,(]*(?:是|说法)?(?:错误|不正确|不对|不符|×)|[都均皆]?(?:不是|不属于)[。.!;]|[都均皆]不"
    r"|[^,。;:\n]{0,16},?\s?(?:故|因此|所以|均|都|皆|也|可|应|予以|一并|基本){0,3}(?:不予?选|不当选|排除|除外|不成立|不考虑|不用|不在(?:其[中列]|此列)|不支持|无关|不同)(?=[。,;!\n]|\Z)"
    r"|(?:则|并)?不(?:作为?|[宜能应可予]选?|选|符合|考虑)|(?i: (?:is|are|was) (?:not|less|un))"
)


_JOINED, _JOINED_CLOSELY = (
    re.compile(
        rf"[\"'”’)]?{blank}?(?:[、{pause}/+&|]|\n{blank}*[\-•]?|(?= ?\(?\d)|, ?(?=[或还抑]|以及))?{blank}*(?:\d{{1,2}}[.、)]|\(\d\))?"
        rf"{blank}?(?:以及|还有|还是|抑或|或者|[和与及跟或])?{blank}?[\"'“‘{bracket}]?"
    )
    for pause, blank, bracket in ((",;", r"\s", "("), ("", " ", ""))
)
_RIGHT_AFTER = re.compile(
    r"[\"'”’)]?(?:,(?=这?[两三四五]))?(?:这|[一二两三四五])?(?:[个项种者])?\s?(?:都|均|皆|全部?|才)?(?:是|为|最)?(?:(?<=[都均皆])(?:属于|符合|包括|可以|可能)|(?<=[都均皆][是为])|正确|对的|符合(?!率)|正确答案|当选|入选|答案|合适)|的?可能(?:性[最更较很]?|[最更较])大|\s?√"
)
_ENDS = re.compile(r"[\"'”’)】\]}》]*\s?(?:$|[。.,;!(\n])")
_DEFINED = re.compile(r",?\s?(?:又[称叫名]|[也亦]称|是指|指的?是)")
_ENDS_REPLY = re.compile(r"[\"'”’)】\]]*+ ?[\u4e00-\u9fff]{0,4}+(?:\([^()\n]{1,20}\))?[\"'”’)】\]]*+\s?[。.!]?\s?\Z")
_SENTENCE_END = re.compile(r"[。!?\n]")
_PAUSE = re.compile("[,;(]")
_HEADED = re.compile(r"(?:\A|[。\n])[^:。\n不非错误排除析鉴]{2,16}: ?\n[ \-•*]*(?:1[.、)])? ?\Z")  # 应立即采取:⏎1. 禁食⏎2. …
_MAPPED = re.compile(r"(?:[→⇒=即]|对应|(?:\A|[。;,\n]) ?(?:若|如果)[^,;。\n]{1,24},[^,;。\n]*) ?\Z")  # 水肿→甲;低钾→乙
_EXCEPTING = re.compile("不|非|未|排除")
CLAUSES = re.compile("[。;\\n]")
SECONDARY = re.compile(r"(?:\A|,) ?(?:但|而)?(?:若|如果?)?(?:[^,。;\n]{0,6}无效|必要时|[次备]选|其次)")
_ONLY_THEN = re.compile(rf"{SECONDARY.pattern}|(?:\A|[,但而]) ?(?:若|如果|假如|倘若)[^,]{{1,24}},")
_CHOSEN_AFTER = re.compile("[才就]?[是为](?:首选|最佳|正确|正解)|才是(?=[,。]|\\Z)|最(?:常见|多见|符合|佳|可能)(?=[,。;(]|\\Z)")
_CHAIN_ENDS = re.compile(r"[\"'”’)】]? ?(?:[。.;(\n]|,(?=[而不与需非])|\Z)")
_ALONE = re.compile(r"[\"'“‘(【\[]?")
_LINE_END = re.compile(r"[\"'”’)】\]]?[。.!]?(?:\n|\Z)")
_OPENING = re.compile(r"[\s\"'“‘(【\[{《\-•:]*+(?:\d{1,2}[.、)])?[\s\"'“‘]*+")
_DECIDING = (
    r"(?:而是|(?:应?诊断(?:考虑)?|(?:中医)?辨证|证[型候]|(?:代表|主|选|处)方|推荐|方[药剂选]|判[断定])(?:为|是|(?=[:】]))|(?<!不)(?:符合|支持)|(?:因此|所以|故|综上|(?i:therefore|thus|hence))[:,]?|[应当故]该?[选是为属]|(?<!不)[宜应当]用"
    r"|[应故我]选|(?:即|[首常多][选用])[^,。;:\n()不]{1,10}\(|即|选择?(?:的?是|[用为])?|倾向于?|首选的?(?:诊断|药物?|方法|检查|治疗|措施|方案)?[是为用]?|最[^,。\n]{1,6}的?是"
    r"|(?i:diagnosis|answer|choice|drug|treatment|option|likely|most [a-z ]{3,24}) (?:is|has|would be|should be)"
    r"|[=→⇒]>?|对应(?:的?是)?|(?<![次再若如也还需才])多?考虑)"
)
_CONCLUDING = re.compile(
    rf"(?:{_DECIDING}|(?<![A-Za-z])(?i:is|it's) "
    r"|(?<=[,。])只有|(?<!因)为|[是由即]了?(?:典型的|一种|经典的)?|属于|就是|叫做?|称为|正确|考虑|诊断)(?:[:】]\s*+)?[^\S\n]*+[\"'“‘(【\[]?\s?\Z"
)
_TELLING = re.compile(
    r"(?:\A|[,。;:\n])\s?(?:[这它此]|(?:[本该此]|患者|病人|题[干目中])[^,。;:\nA-J不]{0,8}?)?(?:属于?|就是|正是|便是|即为?|对应)(?:典型的|一种)?[\"'“‘(【\[]?\Z"
)
_DECIDED = re.compile(
    rf"(?:{_DECIDING}|(?:因此|所以|故|综上|可见|本题|题[干目])(?:[^。;\n]{{0,12}}?[的者][\u4e00-\u9fff]?|[^,。;\n不]{{0,8}})[是为]|(?:本[题例]|患者|题[干目])[^。;\n]{{0,16}}(?:提示|属于?))(?:[:】]\s*+)?[^\S\n]*+[\"'“‘(【\[]?\s?\Z"
)

_RESTATED_QUESTION = re.compile(
    r"(?:[\[【(<]?\s?(?:题目|问题|题干|试题|原题|单选题?|多选题?|[Qq]uestion)\s?\d{0,2}\s?[\]】)>]?\s?[:.\n]?[^\n]{2,300}?"
    r"|[^\n。]{4,200}?(?:\(\s?\)|\?)[。.:]?|(?:下列|以下|关于|有关|属于)[^\n。]{2,200}?(?:的是|的有|包括|哪[^\n,。]{0,10})[:。]?)"
    r"\s*(?:选项\s?:?\s*)?[(\[\-•]?\s?A\s?[.、:)\]]?\s?"
)
_BETWEEN = re.compile(r"[\s;,。.]{0,4}[(\[\-•]{0,2}\s?[A-Ja-j]\s?[.、:)\]]?\s?")


def without_texts(text: str, known: Mapping[str, str]) -> str:
    """Remove option texts next to their own letters: A. 食物 B. 安全 becomes the list A B."""
    if _LETTER.search(text):
        for letter, option in known.items():
            if option in text:
                text = _without(text, letter, option, known)
    return text


def _without(text: str, letter: str, option: str, known: Mapping[str, str]) -> str:
    """Remove an option's text next to its letter. No regex is compiled per option, since compiling costs more than matching.

    A letter at the end of another option's text is not a label: in 维生素D、维生素E the D does not label 维生素E.
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
    """Remove the question and its options if the reply begins by repeating them: 题目：…有（ ）A.食物 B.安全.

    Options repeated without the question are kept, because a list of all options may be the answer.
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
    """Return the options whose complete text occurs in the reply and is not denied; for single choice, exactly one.

    A text that is part of another option's text counts only where it occurs outside that text.

    Args:
        known: options, the longest text first.
        concluded: count only texts that the reply begins with, concludes (应该是, 因此, 由…提出) or calls correct.
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
    spans = [each for listed in _lists(text, sorted(spans)) for each in _not_denied(text, listed)]
    if concluded and not many and len({letter for _, _, letter in spans}) > 1:
        spans = _best_supported(text, spans)
    elif concluded:
        lists = _lists(text, spans)
        headed = [listed for listed in lists if many and _HEADED.search(text[max(0, listed[0][0] - 24) : listed[0][0]])]
        alone = len(headed) == 1 and (headed[0] == spans or _EXCEPTING.search(text, headed[0][-1][1]))
        if alone and 1 < len(headed[0]) < len(known):
            return "".join(sorted({letter for _, _, letter in headed[0]}))
        if many and sum(bool(_MAPPED.search(text[max(0, listed[0][0] - 32) : listed[0][0]])) for listed in lists) > 1:
            return None
        if many and named_all and len(lists) == 1 < len(known) - len(spans) + 1:
            return "".join(sorted({letter for _, _, letter in spans}))  # all others are denied
        divided = named_all and {letter for _, _, letter in spans} != known.keys()  # A、B属于它，而C、D不属于
        spans = [
            each
            for before, listed in zip([None, *lists], lists, strict=False)
            if _concluded(text, listed[0][0], listed[-1][1], before[-1][1] if before else 0)
            or (divided and text.startswith(("属于", "是", "符合"), listed[-1][1]))
            for each in listed
        ]
    named = {letter for _, _, letter in spans}
    if not named or (len(named) > 1 and not many):
        return None
    return "".join(sorted(named))


def _lists(text: str, spans: list[tuple[int, int, str]], joined: re.Pattern = _JOINED) -> list[list[tuple[int, int, str]]]:
    """Group option texts by the list that contains them: 观察法、实验法和个案法."""
    lists: list[list[tuple[int, int, str]]] = []
    for each in spans:
        if lists and joined.fullmatch(text, lists[-1][-1][1], each[0]):
            lists[-1].append(each)
        else:
            lists.append([each])
    if joined is _JOINED_CLOSELY:
        return lists
    closer = [_lists(text, listed, _JOINED_CLOSELY) for listed in lists]  # 甲和乙,丙和丁不选 is two lists, 甲,乙,丙 one
    return [part for listed, parts in zip(lists, closer, strict=True) for part in ([listed] if len(parts) == len(listed) else parts)]


def _not_denied(text: str, listed: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the texts of a list that are not denied: only 甲 in 首选甲，乙和丙不作首选."""
    start = listed[0][0]
    if not _denied(text, start, listed[-1][1]):
        return listed
    pause = _PAUSE.search(text, listed[0][1], listed[-1][0])
    if pause and _RIGHT_AFTER.match(text, listed[-1][1]):
        return [each for each in listed if each[0] > pause.start()]
    if not pause or _NOT_BEFORE.search(text[max(0, start - 14) : start]) or (start and not _decided(text, *listed[0][:2])):
        return []
    return [each for each in listed if each[1] <= pause.start()]


def _best_supported(text: str, spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return which of several texts are chosen, by the strongest kind of evidence."""
    lists = _lists(text, spans, _JOINED_CLOSELY)
    for chosen in (
        [each for listed in lists if any(_decided(text, *one[:2]) for one in listed) for each in listed],
        [each for each in spans if _affirmed(text, *each[:2])],
        [each for each in spans if _ALONE.fullmatch(text, text.rfind("\n", 0, each[0]) + 1, each[0]) and _LINE_END.match(text, each[1])],
    ):
        if chosen:
            return chosen
    return []


def _concluded(text: str, start: int, end: int, after: int) -> bool:
    """Return whether the reply asserts a list of option texts rather than only mentioning it; `after` is where the last list ends, or 0."""
    if _RIGHT_AFTER.match(text, end):
        return True
    if text.startswith("等", end):
        return False  # some of several, named as examples
    before = text[max(0, start - 16) : start]
    if _ENDS.match(text, end) and not _DEFINED.match(text, end) and _OPENING.fullmatch(text, 0, start):
        return True
    if not after and _ENDS_REPLY.match(text, end) and not _SENTENCE_END.search(text, 0, start):
        return True  # one sentence that ends with the text
    pattern = _DECIDED if after and not _SENTENCE_END.search(text, after, start) else _CONCLUDING
    return bool(pattern.search(before)) and not text.startswith("的", end)


def _decided(text: str, start: int, end: int) -> bool:
    """Return whether one of several texts is chosen: it begins the reply or follows a choosing word."""
    opens = text[end : end + 1] in ("。", "(", "\n", "!") and _OPENING.fullmatch(text, 0, start)
    before = text[max(0, start - 32) : start]
    decided = _DECIDED.search(before) and not _ONLY_THEN.search(CLAUSES.split(before)[-1])
    return bool(opens or decided or _CHOSEN_AFTER.match(text, end))


def _affirmed(text: str, start: int, end: int) -> bool:
    """Return whether a clause matches only this option to the question: 既…又…，属于趋避冲突。"""
    return bool(_ENDS.match(text, end) and _TELLING.search(text[max(0, start - 16) : start]))


def _occurrences(text: str, option: str) -> list[int]:
    """Return the positions of an option's text; a Latin letter or digit at its edge must not be part of a longer word."""
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
    before = text[max(0, start - 14) : start]
    in_chain = before.rstrip(" ").endswith(("→", "⇒")) and not _CHAIN_ENDS.match(text, end)
    return bool(in_chain or "还是" in text[start:end] or _NOT_BEFORE.search(before) or _NOT_AFTER.match(text[end : end + 32]))
