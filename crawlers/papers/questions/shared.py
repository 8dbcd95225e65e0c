"""Questions with shared options: letters below the last of a group are assigned to each; those whose options may have ended are doubted."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from msgspec import structs

from atomexam.text.option_letters import letters_in
from crawlers.papers.questions.assembly import AssembledQuestion, Doubts
from crawlers.papers.signs.answer_marks import LETTERS, flat
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.options import find_options

_WHOLE = re.compile(rf"[(\[【]?\s?{LETTERS}\s?[)\]】]?[。.;]?")
_IS = r"\s?(?:的?[请须应]?(?:[填选涂写记为是用]|[:=-]){1,4}+)\s?[\"“]?"
_RIGHT, _FALSE = r"(?P<right>正确|对|√|是)", r"(?P<false>错误?|不正确|不对|×|否)"
_LEGENDS = [
    re.compile(rf"{_RIGHT}{_IS}(?P<of_right>[A-B])[”\"]?[,;、。\s]{{0,3}}{_FALSE}{_IS}(?P<of_false>[A-B])(?![A-Za-z])"),
    re.compile(
        rf"(?P<of_right>[A-B])\s?[:.、=为是表示代]{{0,3}}\s?{_RIGHT}[,;、。\s]{{0,3}}(?P<of_false>[A-B])\s?[:.、=为是表示代]{{0,3}}\s?{_FALSE}(?![A-Za-z])"
    ),
]
_FEW = 3  # options: fewer are more likely points of an explanation
_REFERS = re.compile(
    "[该此本]|上述|患者|患儿|病人|病儿|产妇|孕妇|求助者|来访者|受试者|[他她]|其(?![余他它中次实])|这[位名个例]|案例|病例"
    "|目前|现在|入院|查体|体检|若|如果"
)
_ASKS_ON = (
    "最可能|可能|首选|首要|首先|最佳|最|主要|重要|合适|恰当|适宜|有价值|有意义|有效|有助于|应当?|需要?|考虑|采取|给予|进行"
    "|立即|优先|进一步|下一步|为?明确|确诊|初步"
)
_QUESTION = (
    "诊断|鉴别|检查|化验|治疗|处理|处置|护理|措施|方法|方案|药物?|用药|病因|原因|疾病|病变|部位|类型|问题|依据|做法|诊疗|预后"
    "|并发症|手术|急救|抢救|是|为|有|的|属于|包括|不|错误|正确|下列|哪|一|项|种|个|什么|关于|选择?"
)
_BARE = re.compile(rf"(?:{_ASKS_ON}|{_QUESTION}|[\W_\d])++")
"""A question of only such words has no subject of its own: 首选的检查是."""
_ELLIPTIC = re.compile(rf"[\W_\d]*(?:{_ASKS_ON})")
_MOST_OF_CASE = 5  # questions that do not refer to a patient above them, but may still be about that patient


def with_verdict_options(questions: Sequence[AssembledQuestion]) -> list[AssembledQuestion]:
    """Return statements with two options if the heading states which letter means which verdict: `判断题（正确填A，错误填B）`."""
    return [_with_verdict_options(one) for one in questions]


def _with_verdict_options(one: AssembledQuestion) -> AssembledQuestion:
    if one.kind != "verdict":
        return one
    match = next(filter(None, (legend.search(flat(one.draft.above.heading or "")) for legend in _LEGENDS)), None)
    answer = flat(one.draft.answer or "").strip()
    if not match or one.draft.options or one.draft.above.shared_options or not _WHOLE.fullmatch(answer):
        return one
    letters = {match["of_right"]: match["right"], match["of_false"]: match["false"]}
    if len(letters) < 2 or letters_in(answer)[0] not in letters:
        return one
    options = [f"{letter}. {word}" for letter, word in sorted(letters.items())]
    return structs.replace(one, draft=structs.replace(one.draft, options=options))


def below_old_options(questions: Sequence[AssembledQuestion]) -> Doubts:
    """Return the questions of a group below an explanation that ends with options: they more likely belong to a further group."""
    doubts = {}
    spoiled: str | None = None
    for index, (above, one) in enumerate(pairwise(questions), 1):
        shared = one.draft.above.shared_options and not one.draft.above.announced and not one.draft.options
        if not shared or one.draft.above.group != above.draft.above.group:
            continue
        lines = (above.draft.explanation or "").split("\n")
        opening = max((at for at, line in enumerate(lines) if letter_of(line) == "A"), default=0)
        run = find_options("\n".join(lines[opening:])) if opening else None
        if run and len(run.cuts) >= _FEW:
            spoiled = one.draft.above.group
        if one.draft.above.group == spoiled:
            doubts[index] = "options_unreadable"
    return doubts


def with_own_patients(questions: Sequence[AssembledQuestion]) -> list[AssembledQuestion]:
    """Return each question below an unannounced patient with its case if it refers to the patient, else doubted.

    If a paper continues for long without a reference to the patient, a question with its own subject has no case. If each case counts its
    questions from 1, all of them belong to it.
    """
    groups = [
        list(members) for _, members in groupby(questions, key=lambda one: one.draft.above.group if one.draft.above.by_patient else None)
    ]
    counted = sum(group[0].draft.above.by_patient and group[0].draft.number == 1 for group in groups) > 1
    return [
        one
        for group in groups
        for one in (_with_own_patient(group) if group[0].draft.above.by_patient and not (counted and group[0].draft.number == 1) else group)
    ]


def _with_own_patient(group: list[AssembledQuestion]) -> list[AssembledQuestion]:
    refers = [number == 0 or bool(_REFERS.search(flat(one.draft.stem))) for number, one in enumerate(group)]
    goes_on = refers[::-1].index(True) > _MOST_OF_CASE
    checked = []
    is_open = True
    for one, refers_to_it in zip(group, refers, strict=True):
        stem = flat(one.draft.stem)
        if is_open and (refers_to_it or _BARE.fullmatch(stem)):
            checked.append(one)
            continue
        is_open = False
        if goes_on and not refers_to_it and not _ELLIPTIC.match(stem) and not _BARE.fullmatch(stem):
            above = structs.replace(one.draft.above, case=None, group=None, images=0, by_patient=False)
            checked.append(structs.replace(one, draft=structs.replace(one.draft, above=above)))
        else:
            checked.append(one.doubted("case_unsure"))
    return checked


def with_joined_keys(questions: Sequence[AssembledQuestion]) -> Doubts:
    """Return the last question of each case whose key has a letter for each question of the case, if the others have none."""
    doubts = {}
    last = -1
    for _, members in groupby(questions, key=lambda one: one.draft.above.group if one.draft.above.case else None):
        group = list(members)
        last += len(group)
        joined_key = flat(group[-1].draft.answer or "").strip()
        if len(group) < 2 or any(one.draft.answer for one in group[:-1]) or not all(one.draft.options for one in group):
            continue
        if len(letters_in(joined_key)) == len(group) and _WHOLE.fullmatch(joined_key):
            doubts[last] = "answer_list_mismatch"
    return doubts


def with_shared_answers(questions: Sequence[AssembledQuestion]) -> list[AssembledQuestion]:
    """Return each question of a group with its letter from those below the last; the group is doubted if their number differs."""
    shared: list[AssembledQuestion] = []
    for _, members in groupby(questions, key=lambda one: one.draft.above.group if one.draft.above.shared_options else None):
        shared += _with_shared_answers(list(members))
    return shared


def _with_shared_answers(members: list[AssembledQuestion]) -> list[AssembledQuestion]:
    sharing = [index for index, one in enumerate(members) if one.draft.above.shared_options and not one.draft.options]
    if len(sharing) < 2 or any(members[index].draft.answer for index in sharing[:-1]):
        return members
    joined_key = flat(members[sharing[-1]].draft.answer or "").strip()
    letters = letters_in(joined_key)
    if len(letters) < 2 or not _WHOLE.fullmatch(joined_key):
        return members
    fits = len(letters) == len(sharing) and all(members[index].kind != "multiple" for index in sharing)
    letter_by_index = dict(zip(sharing, letters, strict=fits))
    return [
        one if index not in sharing else one.answered(letter_by_index[index]) if fits else one.doubted("answer_list_mismatch")
        for index, one in enumerate(members)
    ]
