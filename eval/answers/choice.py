"""Parse which options a reply commits to: one for single choice, a set for multiple choice.

In order of precedence: a label (答案：), a choosing verb (故选), a bare answer, options judged one by one, and the text of an option.
An option's text counts only if the reply concludes it; a mention is not enough. An explicit later correction overrides everything before
it. A reply that says that it cannot decide has no answer. Text after a further question that the reply invents is ignored.
Letters inside words (ADHD), letters that the reply rejects, and letters outside the options are never answers."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from atomexam.text.numerals import value_of
from eval.answers.letters import (
    ALSO,
    AND,
    EITHER,
    ITEM,
    LETTERS,
    ONE_AFTER,
    RETRACTION,
    RUN,
    RUN_AFTER,
    SAME,
    STRONG,
    TURNING,
    WEAK,
    alternative_to,
    corrected,
    ends_without_answer,
    has_letters,
    labelled,
    later_choice,
    letters_approved,
    letters_of,
    prepared,
    rejected_letters,
    undecided,
    without_option_cases,
    without_rejected,
)
from eval.answers.option_texts import Known, known_options, named_by_text, with_signs, without_question
from eval.answers.reply_text import folded, settled
from eval.answers.structured import judged_fields, judged_one_by_one, numbered_values

_ALL = re.compile(
    r"(?:以上|所有|全部|各|[三四五]个?)?(?:选项|答案)?(?:都|均|全|全部|皆)(?:是|为|属于|应该?|要|可以?)?(?:正确|对|选)|全部?选择?(?!项)"
    r"|(?:以上|选项)(?:都|均|皆|全)(?:是|对|可|符合)|以上(?:全部|所有)(?:选项)?\s?(?:[。.]|$)|\A全部正确|全部(?:正确|选择)"
    r"|\A(?:[两三四五六][个项](?:选项)?)?都[是对][。.]?\Z|\A(?:所有|全部)选项[。.]?\Z"
    r"|(?<![A-Za-z])[Aa]ll (?:of )?(?:the )?(?:above|(?:\w+ )?options are (?:correct|right))|\A[Ss]elect all[.]?\Z"
)
_ALL_OPTION = re.compile(r"(?:以上|上述)(?:各项|选项)?(?:都|均|全|皆|全部)(?:是|对|正确|包括)")
_NONE = re.compile(r"(?:以上|上述)(?:各项|选项|答案)*(?:都|均|全|皆)不(?:对|是|正确|符合)")
_NONE_OPTION = re.compile(r"(?:以上|上述)(?:各项|选项|答案)*(?:都|均|全|皆)?(?:不|无|非|没有)|都不")
_EXCLUSION_REST = r"(?:其[余他它]|剩下|剩余|另外)"
_EXCLUSION_REASON = r"(?:[^A-J\n]{0,60}?[,;。])?\s?"  # between the wrong option and the rest: D不正确,因为它不传染,其他都正确
_EXCEPT = re.compile(
    r"(?=[除不排去错有选项 A-Ja-jEe(\[\"'“])"
    rf"(?:除了?[^,。;\nA-J]{{0,8}}(?P<run>{RUN})(?:以?外|之外)?,?\s?(?:其[余他它])?|(?:不能?选|不应选|排除|不包括|去掉)(?:的是)?\s?(?P<left>{RUN})[,;。]{_EXCLUSION_REASON}(?:选|保留)?\s?{_EXCLUSION_REST}"
    rf"|(?:错误|不正确|不对|有误|不符合?(?:题意|要求)?)的?(?:选项|项|说法)?(?:应该?)?(?:是|有|为|:)\s?(?P<said>{RUN})[,;。]{_EXCLUSION_REASON}(?:而|但)?{_EXCLUSION_REST}"
    rf"|(?P<out>{RUN})[以之]外|(?P<not>{RUN})(?:的?(?:说法|描述|表述|内容|叙述))?(?:是|为|本身)?(?:不属于|是?不可取|不是|也?不(?:应|应该|应当|能|当|入)?选|不对|错误?|不正确|不符合?)[^,。\n]{{0,12}}[,;:。]{_EXCLUSION_REASON}[^,。\n]{{0,8}}{_EXCLUSION_REST})"
    r"[^。\n]{0,8}?(?:(?:都|均|全|皆)(?!有可能)(?P<wrong>不|错)?|(?<=[余他它下剩外])的?(?:[两二三四]?[个选]?项(?=[。.]|$|应?当?选|入选|正确|符合)|(?:对|正确)))"
    rf"|(?:\A|(?<=[对确选是],))(?:除了?\s?(?P<only>{RUN})(?:以?外|之外)?|(?P<excepted>{RUN})除外)[。.]?\Z"
    rf"|(?<![A-Za-z])(?:[Aa]ll|[Ee]verything|[Ee]very option)\s(?:\w+\s)?"
    rf"(?:except|but|other than)\s(?:for\s)?(?:options?\s)?(?P<english>{RUN})"
)
_ODD_ONE = re.compile(  # A、B、C都是其表现，D不是
    rf"(?P<others>{RUN})(?:[两三四五]?[个项])?(?:选项)?(?:都|均|皆)(?:是|属于|可以?|为|有|符合)[^A-J。\n]{{0,40}}?[,;。]\s?(?:而|但是?|只有|唯有|唯独)?\s?"
    rf"(?P<odd>{ITEM})(?:则|却|并)?(?:不(?!选)|除外|没有|无)"
)
_EXCEPTION_GROUPS = ("run", "left", "said", "out", "not", "only", "excepted", "english")
_EXCEPTING = re.compile("除|外|其[余他它]|剩[下余]|xcept|but|other")
_OTHERS = re.compile(_EXCLUSION_REST)
_LEAVING = re.compile("除|外|其|都|均|全|皆|所有|ll |ything|elect")  # without one of these, nothing is chosen by exclusion


def by_exclusion(text: str, known: Mapping[str, str], many: bool) -> str | None:
    """Return the options that a phrase such as 除了A以外都选 or 以上都对 selects, unless the reply also gives letters.

    If an option reads 以上均是, the answer is that option and not the others.
    """
    if not _LEAVING.search(text):
        return None
    lettered = has_letters(text)
    if _EXCEPTING.search(text) and (match := _EXCEPT.search(text if lettered else _with_letters(text, known))):
        before = rejected_letters(text[: match.end()]) if match["not"] else set()  # C不选,D也不选,其余两项当选
        named = before | set(letters_of(next(match[group] for group in _EXCEPTION_GROUPS if match[group])))
        remaining: AbstractSet[str] = named if match["wrong"] else set(known) - named
        if not many and match["left"]:
            remaining = remaining if len(remaining) == 1 else set()
        elif not many and not match["wrong"]:
            is_labelled = labelled(text, STRONG, many=True) or labelled(text, WEAK, many=True)
            # the one option that differs from all the others: the only one left, or else the only one mentioned
            remaining = next((each for each in (remaining, named) if len(each) == 1 and each <= known.keys() and not is_labelled), set())
        return "".join(sorted(remaining)) if remaining and not labelled(text[match.end() :], STRONG, True) else None
    if lettered and not many and (match := _ODD_ONE.search(text)):
        odd = letters_of(match["odd"])
        return odd if set(letters_of(match["others"])) == known.keys() - {odd} and not labelled(text, STRONG, many=False) else None
    if lettered:
        return None
    if _NONE.search(text):
        return "".join(letter for letter, option_text in known.items() if _NONE_OPTION.match(option_text)) or None
    if _ALL.search(text) and not _OTHERS.search(text):
        option = [letter for letter, option_text in known.items() if _ALL_OPTION.match(option_text)]
        return "".join(option or sorted(known)) if many or option else None
    return None


def _with_letters(text: str, known: Mapping[str, str]) -> str:
    """Replace option texts by their letters."""
    for letter, option in known.items():
        text = text.replace(option, letter)
    return text


_LISTED = rf"{ITEM}(?:{SAME}[^\S\n]?(?:[、/&+]|[和与及跟]|以及)?[^\S\n]?{ITEM}){{0,15}}"
_ONE = r"[A-Ja-j](?<![A-Za-z0-9].)(?![A-Za-z0-9])(?:选?项)?"
_BY_COMMA = rf"{_ONE}(?:,[^\S\n]?{_ONE}){{1,15}}(?:[和与及]{_ONE})?(?![^\S\n]?[、/和与及,][^\S\n]?{ITEM})"
_RUN = rf"(?>{_BY_COMMA}|{_LISTED})"
_REST = r"其[余他它]|剩[下余]|余下|(?:[以之]|除)外的?,?\s?(?=[都均全皆])"
_SUBJECT = re.compile(rf"(?P<run>{_RUN})|(?P<rest>{_REST})")
_MORE = re.compile(r"\s?(?:[、,/&+]|[和与及跟]|以及)?\s?(?:选?项)?\s?\Z")
_BEFORE = re.compile(
    r"(?:(?P<but>除了?)|(?P<out>不(?:应该?|应当|能|可|该|宜)?选择?|(?<!可)排除|去掉|删[去除]|剔除|不包[括含]|不含|而非|(?:而|并|也)不是)"
    r"|(?P<chosen>(?<![不误])(?:[应故当要可能]|应该|应当|只能)?选择?了?|保留|答案(?:应该?)?[是为有选:]?)"
    r"|(?P<no>(?:错误?|不正确|不对|不符合?|有误|不属于|不当选|不选)[^,。;:\nA-J]{0,8}?[是为有:])"
    r"|(?P<yes>(?:正确|(?<!不)符合|(?<!不)属于|(?<!不)对的)[^,。;:\nA-J不错]{0,8}?[是为有:]))"
    r"[^\S\n]?(?:选?项)?[^\S\n]?\Z"
)
_DECISION = re.compile(
    r"(?P<no>不(?:[当入应能可予该]|应该|应当)?选|未[当入]选|除外|排除|舍去|剔除)|(?P<yes>[当入应要可需全均都皆须该]选|(?<![首误次备])选(?=[,。;\s]|\Z))"
)
_VERDICT = re.compile(
    r"(?P<no>不(?:太|完全)?(?:正确|对|符合?|属于|合适|成立|恰当|妥)|不是|非(?=[,。;]|\Z)|(?<![没无])(?<!没有)(?<!不是)错误?|有误|干扰项|×)"
    r"|(?P<yes>没有?错误?|无误|正确|(?<!不)对(?=的?\s?(?:[,。;!)(]|\Z))|符合|属于|√|是(?=\s?(?:[,。;]|\Z)))"
)
_REASON = re.compile(r"[。;!?\n]|因为|由于")
_DENYING = re.compile("[不错误除排非×去删剔外]")
_LEFT = re.compile(r"其[余他它]|剩[下余]|余下|外")
_UNSURE = re.compile(r"或|要么|还是|如果|假如|若|取决|可能(?!是)")
_LEAD = 18


class _OptionVerdict(NamedTuple):
    right: bool
    decided: bool


def all_judged(text: str, known: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the letters that a reply calls right and those that it calls wrong, if it judges every option consistently."""
    if not _DENYING.search(text):
        return None  # nothing is excluded
    if not has_letters(text):
        for letter, option in known.items():
            text = text.replace(option, letter)
    if (
        not (_LEFT.search(text) or all(letter in text for letter in known))
        or _UNSURE.search(text)
        or any(_is_turn(text, back) for back in RETRACTION.finditer(text))
    ):
        return None
    subjects = list(_SUBJECT.finditer(text))
    leads = [*(_BEFORE.search(text, max(0, each.start() - _LEAD), each.start()) for each in subjects), None]
    verdicts: dict[str, _OptionVerdict] = {}
    excepted, waiting = "", ""
    rest: _OptionVerdict | None = None
    for subject, following, lead, next_lead in zip(subjects, [*subjects[1:], None], leads, leads[1:], strict=False):
        end = following.start() if following else len(text)
        behind = text[subject.end() : max(subject.end(), next_lead.start()) if next_lead else end]
        if subject["rest"]:  # 除了D以外都对，流感疫苗不属于…: the rest is about one of them
            behind = behind[: min((index for option in known.values() if (index := behind.find(option)) >= 0), default=len(behind))]
        letters = waiting + (letters_of(subject["run"]) if subject["run"] else "")
        if letters and ((lead and lead["but"]) or (following and following[0][0] in "以之除")):
            excepted += letters
            continue
        verdict = _verdict(lead, _REASON.split(behind, maxsplit=1)[0])
        if not verdict and subject["run"] and not next_lead and _MORE.fullmatch(behind):
            waiting = letters
            continue
        if not verdict or (subject["rest"] and rest):
            return None
        waiting = ""
        rest = verdict if subject["rest"] else rest
        for letter in letters:
            before = verdicts.get(letter, verdict)
            if before.decided is verdict.decided and before.right is not verdict.right:
                return None
            verdicts[letter] = verdict if verdict.decided else before
    if excepted:
        verdicts |= dict.fromkeys(excepted, rest._replace(right=not rest.right) if rest else _OptionVerdict(False, True))
    left = set(known) - verdicts.keys()
    if not verdicts or waiting or not set(known) >= verdicts.keys() or (left and rest is None):
        return None
    if rest:
        verdicts |= dict.fromkeys(left, rest)
    if "属于" in text and all(verdict.right for verdict in verdicts.values()):
        return None  # A属于甲，B属于乙
    chosen = {letter for letter, verdict in verdicts.items() if verdict.right and verdict.decided}
    right = chosen or {letter for letter, verdict in verdicts.items() if verdict.right}
    return "".join(sorted(right)), "".join(sorted(verdicts.keys() - right))


def _is_turn(text: str, back: re.Match) -> bool:
    """Return whether the words retract an answer; in B、C不对, the words judge the options before them."""
    before = text[max(0, back.start() - 4) : back.start()].rstrip(" ")
    return not back[0].startswith("不对") or not before or before[-1] in ",。;!?…\n"


def _verdict(lead: re.Match | None, behind: str) -> _OptionVerdict | None:
    if decided := list(_DECISION.finditer(behind)):
        return _OptionVerdict(bool(decided[-1]["yes"]), True)
    if lead:
        return _OptionVerdict(bool(lead["chosen"] or lead["yes"]), bool(lead["chosen"] or lead["out"]))
    verdict = list(_VERDICT.finditer(behind))
    return _OptionVerdict(bool(verdict[-1]["yes"]), False) if verdict else None


# The simplest forms, matched in the raw reply: B / 答案：B。 / A、C、D / B. text of the option
_QUICK = re.compile(r"\s*(?:(?:正确)?答案\s?(?:[:：是为]|[是为][:：])?\s?)?([A-Ja-j]{1,10})[.。]?\s*")
_QUICK_LIST = re.compile(r"(?:(?:正确)?答案[:是为]?)?([A-J](?:[、,][A-J]){1,9})[.。]?")
_QUICK_TEXT = re.compile(r"\s*(?:答案[:：])?(?P<letter>[A-J])[.、:：] ?(?P<text>[^\s.。]+)[.。]?\s*")
_JSON = re.compile(
    r"[\"'](?P<key>ans|(?:final_?|correct_?)?(?:answers?|choice|option)|final|correct|selected|(?:正确|最终)?(?:答案|选项)|正确|选择)[\"']\s?:\s?(?P<value>\[[^\]]{0,80}\]|\"[^\"\n]{0,80}|'[^'\n]{0,80}|[A-J]+)",
    re.IGNORECASE,
)
_ANSWER_KEY = re.compile("ans|答案", re.IGNORECASE)
_BARE_END = re.compile(
    r"[\s)\]}\"'”’]*(?:选?项)?\s?"
    r"(?:$|[.。,;:、\n!(<—]|(?:[两二三四五六七]\s?[个项])+(?:选项)?(?:(?:全部?|都|均|皆)?(?:正确|对|选|$)|(?:全部?|都|均|皆)(?:是|属于|符合|包括|可))|(?:全部?|都|均|皆)(?:是(?!否)|属于|符合|正确|对|选))"
)
_IN_BRACKETS = re.compile(r"\s*[(\[]\s?(?P<letter>[A-J])\s?[)\]]")
_ANOTHER = re.compile(
    rf"(?!\s?\([A-Ja-j][^)\s])(?!\s?;\s?{ITEM}[、和与]{ITEM}[\u4e00-\u9fff])"
    rf"{AND}{ITEM}\s?(?:{AND}{ITEM}|[.。]?$)|\s?[、/&+和与及]\s?{ITEM}"
)
_EXPLANATION = re.compile(r"\n\n(?!\s?(?:选项)?[A-Ja-j](?:选?项)?[.。、,]?\s*(?:\n|\Z))[^\n]{6}")  # B⏎⏎A、C、D三项均为干扰项
_NEXT_ITEM = re.compile(r"[\n。;][\s\-•(]{0,20}(?:选项)?[A-Ja-j](?:选?项)?(?:[.:)\s—-]|、(?! ?[A-J]))")
_OPENED = re.compile(r"[^\S\n]*+[)\]}\"'”’]*+(?:选?项)?+[^\S\n]*+(?:[。;]|[.]?\n|\((?=[若如除注因])|(?<=})\Z)")
_ENDED = re.compile(r".*(?:[。!\n}】]|[a-z)]\.(?=\s|\Z))", re.DOTALL)
_LAST_LETTER = re.compile(rf"{LETTERS}(?:选?项)?(?P<joint>\s?(?:[、,/&+和与及或]|以及|还是))?\s*\Z")
_ITEM_SEPARATOR = re.compile(r"(?:选?项)?\s?[:、,(—-]")
NEXT_QUESTION = re.compile(
    r"\n\s?(?:(?:以下是|请你做)[^\n]{2,40}选择题|(?:下一|新)?(?:问题|题目|题干|题)\s?\d{0,2}\s?:|(?:请回答)?下一?题|第\s?\d{1,3}\s?题|\d{1,3}\s?[.、]\s?[^\n]{4,}\(\s?\)"
    r"|(?:下列|以下)[^\n]{4,80}(?:\(\s?\)|[?:]|是)\s?(?:\n|$)|(?:user|human|question|用户|问)\s?\d{0,2}\s?:"
    r"|[\[【<]\s?(?:新?题目?|问题|题干|试题|例题|病例|案例|下一?题|question)\s?\d{0,2}\s?[\]】>])",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"。|\n(?!\s?(?:[-•]|\(?\d{1,2}\s?[.、)]))")
_OR = re.compile("或|还是|要么|or |/")
_LETTERS = re.compile(LETTERS)
_ROMAN = re.compile(r"(?:\A|(?<=\n))[ \-•]*(?:I{1,3}|I?V|VI{1,3}|I?X)[.、:)]")
_LIST = re.compile(  # text between letters that form one list
    r"(?:[^\w\u4e00-\u9fff]|\d|[A-Ja-j]+(?![A-Za-z])|第?[一二三四五]|首先|[其再]次|最后|必?选|[项是和与及]|以及|and)*+"
)
_TWO_LISTS = re.compile("[A-J] ?[,;] ?[A-J]")  # with 、 elsewhere: A、B,C、D、E
_PAUSE = re.compile(r"[,;(](?! ?(?:或|还是|抑或|以及|还有))")
_CONTRASTING = re.compile("不|非|未|无|排除|仅|但|而")
_ONE_OF_TWO = re.compile(  # 甲——…；乙——…。本例属于前者
    r"(?:属于?|选|[应当故即]?[是为]|[:,→⇒]) ?([前后])者(?:更?(?:符合|可能|准确|合适))?(?=[。.!]|\Z)"
    r"|([前后])者[^。;\n不]{0,24}与(?:本例|题[意干])(?:相符|一致|吻合)"
)
_VERDICT_LINE = re.compile(r"(?:[:|—-] ?)(?:是|否|不是|对|错|正确|错误|符合|不符合|[Yy]es|[Nn]o)[。;]?(?=\n|\Z)")
_FINAL = re.compile(r"(?<=[^A-Ja-j\s][,。;:]) ?(?P<run>[A-J])[。.!]?\Z")  # A猿手,B爪形手,C垂腕。垂腕,C。
_ABOVE = re.compile("以上[两三四五](?:个选)?项[均都]?(?:为|是|正确)|(?:它们|[上前]述|[两三四五][者种])[均都皆](?!不|非|可能)(?!.*[均都皆])")
_INCLUDING = re.compile(rf"(?<![不没])(?:有|包[括含])[:\s]?(?P<run>{RUN})")


def read_single(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the single letter that a reply commits to, or None."""
    letters = _read(reply, options, many=False)
    return letters if letters and len(letters) == 1 else None


def read_folded(text: str, options: Mapping[str, str], many: bool = False) -> str | None:
    """Parse folded text like read_single or read_several."""
    letters = _read_folded(text, known_options(options), many)
    return letters if letters and (many or len(letters) == 1) else None


def read_several(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the set of letters that a reply commits to, sorted, or None."""
    return _read(reply, options, many=True)


def chosen_by_label(text: str, options: Mapping[str, str]) -> str | None:
    """Return the single letter after a label or a choosing verb of a folded text, or None."""
    known = known_options(options)
    text = prepared(text, known)
    answer = labelled(text, STRONG, many=False) or labelled(text, WEAK, many=False)
    return checked(answer, known, one=True) if answer else None


def complete_in_cut(reply: str, options: Mapping[str, str], many: bool) -> bool:
    """Return whether a truncated reply had already given its answer.

    A single option counts after a label or a verb, at the start, as text, or in a finished sentence; several options count if further text
    follows them. A truncated list is never an answer, even if it judges the first options.
    """
    text, known = with_signs(folded(reply), options, many)
    ended = match[0] if (match := _ENDED.match(text)) else ""
    text = whole = prepared(without_question(text, known), known)
    last = _LAST_LETTER.search(whole)
    if (last and (many or last["joint"])) or (many and whole.endswith(tuple(known.values()))):
        text = prepared(without_question(ended, known), known)
    if any(labelled(text, label, many) for label in (STRONG, WEAK)) or _option_after(text, known, many):
        return True
    if len(_NEXT_ITEM.findall(f"\n{whole}\n")) > 1:
        return False
    opening = (RUN_AFTER if many else ONE_AFTER).match(text)
    if many:
        return bool(opening and _OPENED.match(text, opening.end()))
    if not has_letters(whole) or _answer(ended, known, many):
        return True
    return bool(opening and known.get(letters_of(opening["run"]), "").startswith(text[opening.end() :].lstrip(" .:、)}")))


def _read(reply: str, options: Mapping[str, str], many: bool) -> str | None:
    if (quick := _QUICK.fullmatch(reply)) and len(quick[1]) == 1:
        return checked(quick[1], known_options(options))
    if (quick := _QUICK_TEXT.fullmatch(reply)) and quick["text"] == options.get(quick["letter"]):
        return quick["letter"]
    return _read_folded(*with_signs(folded(reply), options, many), many)


def _read_folded(text: str, known: Known, many: bool) -> str | None:
    if quick := _QUICK.fullmatch(text):
        return checked(quick[1], known)
    if many and (quick := _QUICK_LIST.fullmatch(text)):
        return checked(quick[1].replace("、", "").replace(",", ""), known)
    if "\n" in text and (turn := NEXT_QUESTION.search(text)) and turn.start() and (answer := _answer(text[: turn.start()], known, many)):
        return answer
    return _answer(text, known, many)


def _by_field(fields: list[re.Match[str]], known: Known, many: bool) -> str | None:
    """Return the answer of the first field that gives options, trying fields named answer before those that may list all options."""
    for field in sorted(fields, key=lambda field: _ANSWER_KEY.search(field["key"]) is None):
        if answer := checked(letters_of(field["value"]), known) or named_by_text(field["value"], known, many):
            return answer
    return None


def _answer(text: str, known: Known, many: bool) -> str | None:
    """Return the answer by the strongest kind of evidence in the text."""
    if ('"' in text or "'" in text) and (fields := list(_JSON.finditer(text))):
        return _by_field(fields, known, many)
    if "{" in text and (judged := judged_fields(text, 0 if many else len(known))) is not None:
        return checked(judged, known, one=not many)
    text = _ROMAN.sub("", text) if "II" in text else text
    if ("√" in text or "×" in text or "[ ]" in text or len(_VERDICT_LINE.findall(text)) > 1) and not has_letters(text):
        text = _with_letters(text, known)
    text = prepared(without_question(text, known), known)
    if answer := _judged(text, known, many):
        return answer
    if answer := by_exclusion(text, known, many):
        return answer
    if not has_letters(text):
        if (answer := _option_after(text, known, many) or _by_text(text, known, many)) or not many:
            return answer or _final(text, known)
        lettered = _with_letters(text, known)  # mentions every option, rejects some: 甲和乙都纳入标准;丙不在其中
        return _answer(lettered, known, many) if all(map(text.__contains__, known.values())) and rejected_letters(lettered) else None
    if "就是" in text and "不是" in text and EITHER.search(text):
        return None
    text = without_option_cases(text)
    before, text = text, without_rejected(text)
    if ends_without_answer(text) and not labelled(text, STRONG, many):
        return None
    turning = TURNING.search(text)
    if turning and (answer := corrected(text, many)):
        return checked(answer, known)
    for label in (STRONG, WEAK):
        if label is WEAK and "也" in text and ALSO.search(text):
            return None
        if (answer := labelled(text, label, many)) is not None:
            return checked((turning and later_choice(text, many)) or answer, known)
        if label is STRONG and (answer := _option_after(text, known, many)):
            return answer
    opening = (RUN_AFTER if many else ONE_AFTER).match(text)
    opened = opening and _OPENED.match(text, opening.end()) and not alternative_to(text, opening, hedged=False)
    if not opened and _OR.search(text) and EITHER.search(text):
        return None  # B。若无效再考虑A或C, however, means B
    if turning and (answer := later_choice(text, many)):
        return checked(answer, known)
    answer = _bare(text, many)
    if many and answer and set(answer) < set(approved := letters_approved(text)):
        answer = approved  # A、B两项正确，D、E两项也正确
    if not many and not answer and (odd_one := _only_rejected(text, before, known)):
        return odd_one
    if not many and answer is None and (final := _final(before, known)):
        return final
    if (answer is None or (many and len(answer) == 1)) and (judged := judged_one_by_one(before, 0 if many else len(known))) is not None:
        return checked(judged, known, one=not many)
    if answer is not None:
        return checked(answer, known)
    rejected = rejected_letters(before) if before != text else set()
    if approved := letters_approved(text):
        return checked(approved, known, one=not many)
    return _by_text(text, known, many, rejected)


def _judged(text: str, known: Known, many: bool) -> str | None:
    """Return the answer of a reply that judges every option: the options called correct, or the one judged differently from all others."""
    judged = all_judged(text, known)
    if not judged:
        return None
    right, wrong = judged
    return right or None if many else next((each for each in (right, wrong) if len(each) == 1 and right), None)


def _only_rejected(text: str, before: str, known: Known) -> str | None:
    """Return the one option that is called wrong while all others are called correct: A、B、D三项均正确，C项错误."""
    if before == text:
        return None
    others = known.keys() - set(letters_approved(text))
    return "".join(others) if len(known) > 2 and len(others) == 1 and others <= rejected_letters(before) else None


def _final(text: str, known: Known) -> str | None:
    """Return the option that a reply ends with, as a lone letter, or as 前者 or 后者 of two options."""
    if final := _FINAL.search(text):
        return checked(final["run"], known)
    lettered = _with_letters(text, known)
    which = _ONE_OF_TWO.search(lettered)
    two = list(dict.fromkeys(_LETTERS.findall(lettered, 0, which.start()))) if which else []
    return checked(two[(which[1] or which[2]) == "后"], known) if which and len(two) == 2 else None


def _by_text(text: str, known: Known, many: bool, rejected: AbstractSet[str] = frozenset()) -> str | None:
    """Return the answer of a reply that chooses no letter: the options whose texts it concludes, or else its isolated letters."""
    if undecided(text) and text.rstrip("。.") not in known.values():
        return None
    left = {letter: option for letter, option in known.items() if letter not in rejected} if rejected else known
    listed = _INCLUDING.search(text) if many else None
    if listed and len(letters := letters_of(listed["run"])) > 1 and not rejected & set(letters):
        return checked(letters, known)  # 注射给药的途径有B、C、D，口服（A）不是
    loose = "".join(letter for letter in _isolated_letters(text, many) if letter.upper() not in rejected)
    return named_by_text(text, left, many, concluded=True) or checked(loose, known, one=not many)


def checked(letters: str, known: Known, one: bool = False) -> str | None:
    """Return the letters sorted and without duplicates; None if there are none, if one is not an option, or if a single choice has
    several."""
    chosen = "".join(sorted(set(letters.upper())))
    if not chosen or not known.keys() >= set(chosen) or (one and len(chosen) > 1):
        return None
    return chosen


def _bare(text: str, many: bool) -> str | None:
    """Return the letters of a reply that consists of letters or begins with them."""
    match = (RUN_AFTER if many else ONE_AFTER).match(text)
    if not match or "√" in text:
        return None
    rest = text[match.end() : match.end() + 400]
    if len(letters_of(match["run"])) == 1 and (many or _ITEM_SEPARATOR.match(rest)) and _NEXT_ITEM.search(rest):
        return None  # options discussed one by one
    if not many and _ANOTHER.match(rest) and not _EXPLANATION.match(rest):
        return ""  # a list of letters for a single choice
    if (bracketed := _IN_BRACKETS.match(text)) and len(_LETTERS.findall(text)) == 1:
        return bracketed["letter"]  # （B）强化物的撤除, even if it contains words of other options
    return letters_of(match["run"]) if _BARE_END.match(rest) else None


def _option_after(text: str, known: Known, many: bool) -> str | None:
    """Return the options whose text follows the last strong label."""
    ends = [match.end() for match in STRONG.finditer(text)]
    if not ends:
        return None
    sentence = _SENTENCE_END.split(text[ends[-1] :].lstrip(" :\n"), maxsplit=1)[0]
    pause = _PAUSE.search(sentence)  # 答案是甲,乙和丙不作首选
    if pause and (not many or _CONTRASTING.search(sentence, pause.end())) and sentence.startswith(tuple(known.values())):
        sentence = sentence[: pause.start()]
    return named_by_text(sentence, known, many)


def _isolated_letters(text: str, many: bool) -> str:
    """Return the isolated letters that a reply does not reject; several only if they form one list rather than one clause each."""
    matches = [match for match in _LETTERS.finditer(text) if len(match[0]) == 1 or (many and match[0].isupper())]
    between = text[matches[0].end() : matches[-1].start()] if matches else ""
    listed = _LIST.fullmatch(between) and not ("、" in between and _TWO_LISTS.search(text))
    if any(len(match[0]) > 1 for match in matches) or (
        many and not listed and not _ABOVE.search(text, matches[-1].end() if matches else 0)
    ):
        return ""
    return "".join(match[0] for match in matches)


_ANSWER = (
    r"(?:[\[【<(]\s?(?:正确|标准|参考|最终)?(?:答案|answer)\s?[\]】>)]|<\s?(?:coas|eoa)\s?>(?=\s?[A-J]\s?<)|(?:^|(?<=\n))答案\s?(?=[:\n]))"
)
_ANALYSIS = r"[\[【<(]\s?(?:解析|分析|解题思路|analysis)\s?[\]】>)]"
_NUMERAL = r"\d{1,2}|[一二三四五六七八九十]"
_PART = re.compile(
    rf"第\s?(?P<ordinal>{_NUMERAL})\s?[小个]?[题问]\s?[.、:)]*\s?"
    rf"|(?:^|(?<=[\n;,。、:\s>\]】])|(?=[(\[【]))[(\[【]?(?:小?题目?|问题?|[Qq](?:uestion)?)?\s?(?P<number>{_NUMERAL})\s?(?:小?[题问])?\s?(?:(?:[)\]】]\s?)?[.、:)]+|[)\]】]|(?:--?|=|→|⇒|—)>?(?=\s?[A-J]\b))\s?"
    rf"|(?:^|(?<=[\n;,。、\s]))(?:题目?|问题?)\s?(?P<named>{_NUMERAL})\s?的?(?=答案|选|[A-J]\b)"
    r"|(?:^|(?<=\n))(?P<bare>\d{1,2}) (?=[A-J]\b)|(?:^|(?<=[\s,;、\]】]))(?P<joined>\d{1,2})(?=[A-J](?![A-Za-z0-9\u4e00-\u9fff]))"
)
_END = r"<\s?/?\s?(?:eoa|coas|答案)\s?>"
_FIELD = re.compile(rf"{_ANSWER}\s?:?(.*?)(?:{_END}|(?={_ANSWER}|{_ANALYSIS})|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<\s?/?\s?(?:eoe|coe|eoa|coas|答案|解析)\s?>", re.IGNORECASE)
_NUMBERED = (
    rf"[\n。;] ?[(\[]?(?:第\s?|问题\s?|小?题\s?)?(?:{_NUMERAL})\s?[小个]?[题问]?\s?[.、:)\]]*\s?"
    rf"(?:{_ANALYSIS}|{_ANSWER}|[A-J](?:\s?(?:[\n<]|\Z)|[\s,;]{{1,2}}\(?\d))"
)
_REASONING_FIELD = re.compile(
    rf"{_ANALYSIS}(?P<text>.*?)(?:<\s?/?\s?(?:eoe|coe|解析)\s?>|(?={_ANSWER})|(?={_NUMBERED})|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_EXAMPLE = re.compile(r"例如\s?:?\s?[\[【]\s?答案\s?[\]】]\s?:?\s?A?\s?<\s?(?:eoa|coas)\s?>", re.IGNORECASE)  # repeated from the prompt
_LETTER_FIRST = re.compile(r":?\s?(?P<letter>[A-J])\s?[。;](?=[^A-J])")  # D。饮邪流于四肢，故为…
_RETRACTION = re.compile(r"更正|修正|纠正|有误|等等|不对|重新|应为|应该是|抱歉")
_RANGE_OF_PARTS = re.compile(rf"(?<!\d)1\s?[-~至到]\s?(\d{{1,2}})\s?题?的?(?:答案)?\s?[:是为]\s?({LETTERS}(?:[\s、,;]{{0,2}}{LETTERS})*)")


def read_tcm(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the single letter of a TCM reply, or None."""
    return _read_field(folded(reply), options)


def without_example(text: str) -> str:
    """Remove the prompt's example of an answer field from a folded reply."""
    return _EXAMPLE.sub("", text) if "例如" in text else text


def answer_fields(text: str) -> list[str]:
    """Return the contents of the answer fields of a folded reply."""
    return [_TAG.sub("", field[1]).strip() for field in _FIELD.finditer(text)]


def _read_field(text: str, options: Mapping[str, str]) -> str | None:
    text, options = with_signs(without_example(text), options)
    if len(text) < 4:
        return read_folded(text.strip(), options)
    fields = list(_FIELD.finditer(text))
    if len(fields) > 1 and _RETRACTION.search(text, fields[0].end(), fields[-1].start()):
        fields = fields[-1:]
    for field in fields:
        if first := _TAG.sub("", field[1]).strip().partition("\n")[0]:
            if (opening := _LETTER_FIRST.match(first)) and opening["letter"] in options and not _RETRACTION.search(first):
                return opening["letter"]
            return read_folded(first.strip(), options)  # an answer field with words or several letters is not a choice
    rest = settled(_TAG.sub(" ", _REASONING_FIELD.sub("", text)))
    if chosen := read_folded(rest, options) if rest else None:
        return chosen
    return None if fields else chosen_by_label(" ".join(part["text"] for part in _REASONING_FIELD.finditer(text)), options)


def read_tcm_group(reply: str, options: list[Mapping[str, str]]) -> list[str | None]:
    """Return the letters of a reply to several numbered questions, in the order of the numbers, with None for each missing letter."""
    text = _REASONING_FIELD.sub("", folded(reply))
    answers: list[str | None] = [None] * len(options)
    if match := _RANGE_OF_PARTS.search(text):
        letters = letters_of(match[2])
        if len(letters) == int(match[1]) == len(options):
            return [letter if letter in each else None for letter, each in zip(letters, options, strict=True)]
    if values := numbered_values(text):
        return [_read_field(values[number], each) if number in values else None for number, each in enumerate(options, 1)]
    marks = list(_PART.finditer(text))
    for mark, after in zip(marks, [*marks[1:], None][: len(marks)], strict=True):
        number = (value_of(mark["ordinal"] or mark["number"] or mark["named"] or mark["bare"] or mark["joined"]) or 0) - 1
        if 0 <= number < len(options) and answers[number] is None:
            part = text[mark.end() : after.start() if after else len(text)]
            answers[number] = _read_field(part.rstrip(";,。、([【 \n").strip(), options[number])
    return answers
