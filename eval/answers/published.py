"""Published rule sets by name: they parse replies like the code released with each benchmark, to reproduce published figures.

Each reimplements the released code, bugs included; `tests/eval/test_rules.py` checks that both make the same decisions.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from statistics import fmean

from msgspec import Struct

from atomexam.records.prediction import Prediction
from eval.statistics.bootstrap import DIGITS
from eval.tasks.request import Request

Read = Callable[[str, Mapping[str, str], str], str | None]
"""Function of a raw reply, the options by letter and the question type; returns the decision in the released code's notation, or None.

The question type is `claim`, `mcqa`, `mrqa`, or for TCMBench a form: `a1`, `a2`, `a3`, `b1`.
"""
ERROR = "error"
"""The decision for replies on which the released code raises an exception."""
BOTH = "both"
"""SdAK's decision for a reply that counts as both 正确 and 错误."""


class RuleSet(Struct, frozen=True, kw_only=True):
    """One rule set. To add a rule set, write a parser here and an entry in `RULE_SETS`."""

    source: str
    """Repository, commit and function that the rule set reproduces."""
    kinds: frozenset[str]
    """Question types that the rule set supports."""
    read: Read
    figures: Callable[[Sequence[tuple[Prediction, Request]]], dict]
    """Computes the figures of the released code from all replies of a run and their requests."""


_PHRASE = re.compile(r"(?:答案|正确选项)(?:是|：|为|应该是|应该为)(.*?)(?:。|\.|$)", re.DOTALL)


def _letters_after_phrase(reply: str, letters: str) -> str:
    """Return the letters after the first answer phrase in order, or those of the complete reply if it has no such phrase."""
    phrase = _PHRASE.search(reply)
    return "".join(character for character in (phrase[1] if phrase else reply) if character in letters)


def read_cmb(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the matched letters in order, including repeats, or None; for single choice, only the first. Options are ignored."""
    letters = _letters_after_phrase(reply, "ABCDEFG")
    return (letters if kind == "mrqa" else letters[:1]) or None


_COLUMNS = "ABCDE"  # CPsyExam's released data has these columns in every row, even if empty
_LEADS = (
    *("^选", "^选项", "是", "为", "应为", "选", "是:", "应该是:", "的一项是"),
    *("为:", "应为:", ":", "是：", "应该是：", "为：", "应为：", "："),
)


@cache
def _patterns(last: str) -> list[re.Pattern]:
    """Return CPsyExam's patterns in the order in which they are tried; none matches commas, brackets or lower-case letters."""
    patterns = []
    for lead in _LEADS:
        if lead.startswith("^"):
            patterns.append(re.compile(f"{lead}([A-{last}])"))
        elif lead == "的一项是":
            patterns.append(re.compile(rf"正确{lead}\s?([A-{last}])"))
        else:
            patterns.append(re.compile(rf"答案{lead}\s?选?项?\s?([A-{last}])"))
    return patterns


def read_cpsyexam(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the decision of the code that uses the paper's prompt: every letter that the first matching pattern finds.

    A repeated answer therefore gives two letters. For open models, the paper derives single-choice answers from the likelihoods of the
    letters, which no parser can reproduce.
    """
    letters = "".join(sorted({*_COLUMNS, *options}))
    if kind == "mrqa":
        return _letters_after_phrase(reply, letters) or None
    if not reply:
        return ERROR
    if reply[0] in letters:
        return reply[0]
    for pattern in _patterns(chr(ord("A") + len(letters) - 1)):
        if patterns := pattern.findall(reply):
            return "".join(patterns)
    return None


_CAPITAL = re.compile("[A-Z]")


def read_cpsyexam_api(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the decision of the later code for models behind an API: {"ans": …}, else any capitals in the upper-cased reply.

    So `Answer: C` is A. The released code tries five times; this is its decision if all five replies are the same. Several letters keep
    their order and repeats, except that the letters of a JSON field are sorted. Without a match, the released code raises an exception,
    although it was meant to drop the question.
    """
    try:
        field = json.loads(reply) if reply else None
    except ValueError:
        field = None
    except RecursionError:
        return ERROR
    if isinstance(field, dict) and "ans" in field:
        if not isinstance(field["ans"], str):
            return ERROR
        answer = field["ans"].upper()
        if kind == "mrqa" and (letters := "".join(sorted(letter for letter in answer if letter in options))):
            return letters
        if kind != "mrqa" and answer and answer in options:
            return answer
    capitals = _CAPITAL.findall(reply.upper())
    if kind == "mrqa":
        return "".join(letter for letter in capitals if letter in options) or ERROR
    return capitals[0] if capitals and capitals[0] in options else ERROR


_ANSWER = re.compile(r"答案[：:]\s*([A-Z,，、\s]+)")


def read_cpsyexam_local(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the sorted set of option letters after the first 答案：, or anywhere in the upper-cased reply.

    The later code for local models parses multiple choices only. Without a match it answers with the two most likely letters, which no
    parser can reproduce; this function then returns None.
    """
    if kind != "mrqa":
        return None
    text = reply.strip().upper().strip()
    answer = _ANSWER.search(text)
    return "".join(sorted({letter for letter in (answer[1] if answer else text) if letter in options})) or None


_SUPPORT = (("是的", 3), ("是正确的", 10))
_REFUTE = (("错误", 3), ("不正确", 10), ("这个说法是错误的", 10), ("这个说法是不正确的", 10), ("不完全正确", 10), ("不是", 5))


def supports(reply: str) -> bool:
    """Return whether SdAK accepts a reply to a correct claim, judging by certain words among its first characters, without
    normalization."""
    head = reply[:5]
    return ("正确" in head and "不正确" not in head) or any(word in reply[:size] for word, size in _SUPPORT)


def refutes(reply: str) -> bool:
    """Return whether SdAK accepts a reply to an incorrect claim."""
    return any(word in reply[:size] for word, size in _REFUTE)


def read_sdak(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return 正确, 错误, None if neither applies, or `both`. Since a reply can be both, a constant reply can be correct on every pair."""
    return {(True, True): BOTH, (True, False): "正确", (False, True): "错误"}.get((supports(reply), refutes(reply)))


# The released patterns take quadratic time: ([A-Z]).*?案答 and 答案.*?([A-Z]). These find the same letters in one pass.
_CAPITAL_BEFORE_LABEL = re.compile(r"^[^A-Z\n]*([A-Z]).*?案答", re.M)  # in the reversed reply
_FIELD_LETTER = re.compile(r"答案】[^A-Z\n]*+([A-Z]?)")  # if no capital follows it, none follows later labels of the line
_LABEL_LETTER = re.compile(r"答案[^A-Z\n]*+([A-Z]?)")
_OPTION_LETTER = re.compile(r"[A-E]")
_DOTTED = re.compile(r"．[A-Z]")
_PIECES = re.compile(r"[，。；\s]")
_LETTERS_AND_DOTS = str.maketrans("", "", "ABCDE．.")


def read_tcmbench(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the last capital on the line of the last 答案, else the last capital of the reply, else a guess based on the wording of the
    options.

    An explanation after the answer overrides it, and lower-case or full-width letters are ignored.
    """
    backwards = reply[::-1]
    if kind == "a3":  # the released code then guesses from words, but searches the wrong text
        if "【答案】" not in reply:
            letters = "".join(_LABEL_LETTER.findall(reply)) or _last(backwards) or ""
        else:
            letters = "".join(_FIELD_LETTER.findall(reply.replace("\n", "")))
        return letters[-1] if letters else ERROR
    label = _CAPITAL_BEFORE_LABEL.search(backwards)
    if label and _DOTTED.search(backwards):
        return label[1]
    return _last(backwards) or _by_occurrences(reply, options)


def _last(backwards: str) -> str | None:
    letters = _OPTION_LETTER.search(backwards)
    return letters[0] if letters else None


def _by_occurrences(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the option whose pieces occur most often, or none if there is a tie or no piece occurs."""
    texts = [f"{letter}．{text}".translate(_LETTERS_AND_DOTS) for letter, text in options.items()]
    counts, last = {}, None
    for text in texts:
        pieces = [piece for piece in _PIECES.split(text) if piece in reply]
        if pieces:
            last = texts.index(text)
        if total := sum(reply.count(piece) for piece in pieces):
            counts[text] = total
    if len(counts) > 1:
        most = max(counts.values())
        if Counter(counts.values())[most] > 1:
            return None
        last = texts.index(next(text for text, total in counts.items() if total == most))
    return None if last is None else chr(ord("A") + last)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, DIGITS) if whole else None


def choice_figures(read: Read, pairs: Sequence[tuple[Prediction, Request]], of_the_read: bool = False) -> dict:
    """Return the figures of choice questions with a known answer: a decision is correct if it equals the answer as a string.

    Args:
        of_the_read: also return the figures over only the replies with a decision, because the released code drops the others.
    """
    with_key = [(reply, request) for reply, request in pairs if request.answer and request.question_type in ("mcqa", "mrqa")]
    kinds = [request.facets.get("form", "a1") if request.reader == "tcm" else request.question_type for _, request in with_key]
    decisions = [
        (read(reply.reply, {option.letter: option.text for option in request.options}, kind), request)
        for (reply, request), kind in zip(with_key, kinds, strict=True)
    ]
    decided = [(decision, request) for decision, request in decisions if decision not in (None, ERROR)]
    right = sum(decision == request.answer for decision, request in decided)
    among = {"accuracy_of_the_read": _share(right, len(decided)), **_leaderboard(decided)} if of_the_read else {}
    errors = sum(decision == ERROR for decision, _ in decisions)
    return {"following_rate": _share(len(decided), len(with_key)), "accuracy": _share(right, len(with_key)), **among, "errors": errors}


def _leaderboard(decided: Sequence[tuple[str | None, Request]]) -> dict[str, float]:
    """Return the score of CPsyExam's leaderboard (evaluations/evaluate_submission.py at 73daf637).

    The accuracy of a subject is computed over its questions with a decision. Accuracies are averaged over subjects, separately for single
    and multiple choice; the score is the unweighted mean of the two, unlike Avg in the paper. A question type without subjects counts as 0.
    """
    scores = {}
    for kind in ("mcqa", "mrqa"):
        subjects: dict[str, list[bool]] = {}
        for decision, request in decided:
            if request.question_type == kind:
                subjects.setdefault(request.facets.get("subject", ""), []).append(decision == request.answer)
        scores[kind] = fmean(map(fmean, subjects.values())) if subjects else 0.0
    return {f"leaderboard_{name}": round(value, DIGITS) for name, value in (scores | {"avg": fmean(scores.values())}).items()}


def pair_figures(pairs: Sequence[tuple[Prediction, Request]]) -> dict:
    """Return SdAK's following rate and accuracy over pairs; each side of a pair is simply correct or not."""
    sides: dict[tuple[str, int], list[tuple[bool, bool]]] = {}
    both = 0
    for reply, request in pairs:
        yes, no = supports(reply.reply), refutes(reply.reply)
        both += yes and no
        sides.setdefault((request.unit, reply.repeat), []).append((yes or no, yes if request.answer == "正确" else no))
    following, right = (sum(all(side[index] for side in each) for each in sides.values()) for index in (0, 1))
    return {"following_rate": _share(following, len(sides)), "accuracy": _share(right, len(sides)), "both": both}


_CHOICES = frozenset({"mcqa", "mrqa"})
RULE_SETS: dict[str, RuleSet] = {
    "cmb_v1": RuleSet(
        source="FreedomIntelligence/CMB 0cc16a22, src/utils.py: match_choice, extract_ans",  # also in SdAK's repository
        kinds=_CHOICES,
        read=read_cmb,
        figures=partial(choice_figures, read_cmb),
    ),
    "cpsyexam_api_v1": RuleSet(
        source="CAS-SIAT-XinHai/CPsyExam 2cb3af80, evaluations/evaluate_api.py: APIEvaluator.get_llm_response, extract_ans",
        kinds=_CHOICES,
        read=read_cpsyexam_api,
        figures=partial(choice_figures, read_cpsyexam_api, of_the_read=True),
    ),
    "cpsyexam_local_v1": RuleSet(
        source="CAS-SIAT-XinHai/CPsyExam 2cb3af80, evaluations/evaluate_local.py: LocalEvaluator.extract_ans",
        kinds=frozenset({"mrqa"}),
        read=read_cpsyexam_local,
        figures=partial(choice_figures, read_cpsyexam_local, of_the_read=True),
    ),
    "cpsyexam_v1": RuleSet(
        source="CAS-SIAT-XinHai/CPsyExam 83ae9471, src/cpsyexam/utils.py: Evaluator.extract_ans",
        kinds=_CHOICES,
        read=read_cpsyexam,
        figures=partial(choice_figures, read_cpsyexam),
    ),
    "sdak_v1": RuleSet(
        source="FreedomIntelligence/SDAK 88f34060, code/evaluate.py: parser_anaswr_one_cateory, follow_rate",
        kinds=frozenset({"claim"}),
        read=read_sdak,
        figures=pair_figures,
    ),
    "tcmbench_v2": RuleSet(
        source="ywjawmw/TCMBench 0709cbf8, pipline/bench_function.py: extract_choice_answer, A3_second_check, pattern_second_check",
        kinds=frozenset({"a1", "a2", "a3", "b1"}),
        read=read_tcmbench,
        figures=partial(choice_figures, read_tcmbench),
    ),
}
