"""The choice that a complete reply commits to: letters, or none. In: the reply, its options and the answer by the strict parser.

The last choice after a label or in a conclusion counts (答案：A。…因此选B is B); without one the answer stays. In a group of
questions, letters without numbers count in order.
"""

import re
from collections.abc import Mapping, Sequence

from eval.answers.choice import NEXT_QUESTION, Known, checked, known_options, read_folded
from eval.answers.labels import ALTERNATIVE, CHANGED, EITHER, ONE_AFTER, RETRACTION, RUN_AFTER, STRONG, WEAK, labelled
from eval.answers.letters import letters_approved, letters_of, prepared, without_rejected
from eval.answers.option_texts import named_by_text
from eval.answers.reply_text import folded
from eval.answers.scope import in_scope
from eval.answers.structured import letters_in_order
from eval.answers.tcm import answer_fields, without_example
from eval.answers.undecided import concludes_nothing, ends_without_answer, undecided, without_cases

# Letters after a word that names or concludes an answer, in the raw reply; if all are the answer's, nothing can override it.
_NAMED = re.compile(
    r"(?:答案|[选選](?![项項])|[综綜]上|因此|所以|故|[最总總][终終后後之]|更正|改[为為]|[应應][为該该為]|(?i:answer|fore"
    r"|final|thus|hence|choose| so))"
    r"[^A-Ja-j。\n]{0,16}\n?[^A-Ja-j。\n]{0,6}([A-Ja-j](?:[、,，/和及与\s]{0,2}[A-Ja-j])*)(?![A-Za-z])"
)
_LEFT_OPEN = re.compile(r"[无無]法|不能|[难難]以|很[难難]|[没沒]法|[没沒][办辦]法")
_PARTED = re.compile(r"[。.;；\n<>]")
_SHORT = 30
_BETWEEN = str.maketrans("", "", "、,，/和及与 \n\t")
_CONCLUDING = re.compile(
    r"综上|因此|因而|所以|故|总之|(?<![\u4e00-\u9fff])可见|由此|最终|最后|总结|综合|更正|修正|纠正|改[为选]|应[为该]|其实|实际上|等等|抱歉"
    r"|不对|therefore|thus|hence|finally|in conclusion|overall|wait|actually|(?<![a-z])so(?![a-z])",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"综上|因此|因而|所以|故(?!事|障)|总之|(?<![\u4e00-\u9fff])可见|最终|最后(?!一)|综合(?:以上|上述|考虑|来看)|therefore|thus|hence|finally"
    r"|in conclusion|overall|(?<![a-z])so(?![a-z])",
    re.IGNORECASE,
)
_TERM = re.compile(r"(?![项选和与及更最才比较为是即吧哦的而因由符])[\u4e00-\u9fff]")  # 应为B受体激动剂
_SENTENCE_START = re.compile(r"[。!?;\n][^。!?;\n]*\Z")
_SENTENCE_END = re.compile(r"[。!?;\n]")
_FIELD_MARK = re.compile(r"[\[【<(]\s?(?:正确|标准|参考|最终)?(?:答案|answer)\s?[\]】>)]", re.IGNORECASE)
_FIELD_UNREAD = re.compile(rf"{_FIELD_MARK.pattern}[^\n。]*", re.IGNORECASE)  # in words, or with several letters
_TAG = re.compile(r"<\s?/?\s?(?:eoe|coe|eoa|coas|答案|解析)\s?>", re.IGNORECASE)
_IN_ORDER = re.compile(
    r"正确|参考|最终|各题|[两二三四五六]个?[小问]?题|答案|选择?|依次|分别|[我的应是为有和及与]|[\s、,;:/|>.。-]"
)  # what may accompany letters
_LETTERS = re.compile(r"[A-Ja-j]{2,20}")
_BEFORE = 120
_END = 40
_GROUP = 200


def read_committed_choice(reply: str, options: Mapping[str, str], many: bool, answer: str | None) -> str | None:
    """Return the letters that the complete reply commits to, or None.

    Args:
        answer: the letters by `read_single`, `read_several` or `read_tcm`.
    """
    if answer and len(reply) < _SHORT and not _PARTED.search(reply, 0, len(reply) - 1):
        return answer
    if answer and not _LEFT_OPEN.search(reply, max(0, len(reply) - _END)):
        named = set(_NAMED.findall(reply))
        if not named or (len(named) == 1 and named.pop().translate(_BETWEEN) == answer):
            return answer
    if answer is None and not _NAMED.search(reply) and not _CONCLUSION.search(reply):
        return None
    known = known_options(options)
    text = _TAG.sub("\n", without_example(folded(reply)))
    text = _FIELD_MARK.sub("\n答案:", text) if answer else _FIELD_UNREAD.sub("\n", text)
    if "\n" in text and (turn := NEXT_QUESTION.search(text)) and turn.start() and read_folded(text[: turn.start()], known, many):
        text = text[: turn.start()]
    if ends_without_answer(text) or concludes_nothing(text):
        return None
    last = _last(text, known, many, answer)
    return answer if last is None else last or None


def _last(text: str, known: Known, many: bool, answer: str | None) -> str | None:
    """Return the last choice after a label or a conclusion, "" if that leaves two open, None if there is none."""
    text = without_rejected(without_cases(prepared(text, known)))
    choices = []
    for label in (STRONG, WEAK):
        for match in label.finditer(text):
            run = (RUN_AFTER if many else ONE_AFTER).match(text, match.end())
            if run and label is WEAK and _TERM.match(text, run.end()):
                continue
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            before = before[_sentence_start(before) :]
            if (
                run
                and not in_scope(before)
                and not (many and before.endswith("不"))
                and (label is STRONG or _CONCLUDING.search(before + match[0]))
            ):
                choices.append((match.start(), label, run))
    if choices:
        label_start, label, run = max(choices, key=lambda each: each[0])
        end = _SENTENCE_END.search(text, run.end()) if label is WEAK else None
        if EITHER.match(text, run.start("run")) or ALTERNATIVE.match(text, run.end()):
            return ""
        if any(back.start() > label_start for pattern in (CHANGED, RETRACTION) for back in pattern.finditer(text)):
            return None
        if not many and answer is None and label is STRONG and not read_folded(text[label_start:].partition("\n")[0], known):
            return ""  # a field with several letters
        letters = labelled(text[label_start : end.end() if end else len(text)], label, many) or ""
        return checked(letters, known, one=not many)
    return None if answer else _concluded(text, known, many)


def _concluded(text: str, known: Known, many: bool) -> str | None:
    """Return the options in the last concluding sentence, by letter or by text."""
    sentences = [each for each in _SENTENCE_END.split(text) if each.strip()]
    for sentence in reversed(sentences):
        if (mark := _CONCLUSION.search(sentence)) and not in_scope(sentence[: mark.end()]) and not undecided(sentence):
            approved = checked(letters_approved(sentence), known, one=not many)
            return approved or named_by_text(sentence[mark.start() :], known, many, concluded=True)
    return None


def _sentence_start(before: str) -> int:
    return boundary.start() + 1 if (boundary := _SENTENCE_START.search(before)) else 0


def read_committed_group(reply: str, options: Sequence[Mapping[str, str]], answers: list[str | None]) -> list[str | None]:
    """Return the letters of a reply to several questions: by their numbers, or in order if the reply has none."""
    if any(answers):
        return answers
    text = without_example(folded(reply))
    all_fields = answer_fields(text)
    fields = [letters_of(field) for field in all_fields]
    lines = [line for line in text.split("\n") if line.strip()]
    if len(all_fields) == 1 and _LETTERS.fullmatch(alone := _IN_ORDER.sub("", all_fields[0])):
        letters = list(alone.upper())
    elif len(fields) == len(options):
        letters = fields
    elif listed := letters_in_order(text):
        letters = list(listed)
    elif len(text) < _GROUP and _LETTERS.fullmatch(alone := _IN_ORDER.sub("", text)):
        letters = list(alone.upper())
    else:
        letters = [read_folded(line, each) or "" for line, each in zip(lines, options, strict=False)] if len(lines) == len(options) else []
    if len(letters) != len(options) or any(len(each) != 1 for each in letters):
        return answers
    return [letter if letter in each else None for letter, each in zip(letters, options, strict=True)]
