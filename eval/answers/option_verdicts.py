"""Verdicts of a reply on every option, clause by clause. In: prepared text; out: the options called right, if none is left open.

A subject is a run of letters or the rest (其余). Its verdict is before it (错误的只有E, 除了D) or after it, up to the next subject or the
end of the sentence (D、E是寒性药，不选). A decision (不选) counts more than a verdict (错误).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from eval.answers.labels import RETRACTION
from eval.answers.letters import ITEM, SAME, has_letters, letters_of

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
        return None  # nothing is excepted
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
    """Return whether words retract something, and are not a verdict after their subject: B、C不对."""
    before = text[max(0, back.start() - 4) : back.start()].rstrip(" ")
    return not back[0].startswith("不对") or not before or before[-1] in ",。;!?…\n"


def _verdict(lead: re.Match | None, behind: str) -> _OptionVerdict | None:
    if decided := list(_DECISION.finditer(behind)):
        return _OptionVerdict(bool(decided[-1]["yes"]), True)
    if lead:
        return _OptionVerdict(bool(lead["chosen"] or lead["yes"]), bool(lead["chosen"] or lead["out"]))
    verdict = list(_VERDICT.finditer(behind))
    return _OptionVerdict(bool(verdict[-1]["yes"]), False) if verdict else None
