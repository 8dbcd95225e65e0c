"""Which columns of a table fit its options as answers, and which has the stems: rows and options in, columns with their evidence out."""

import re
from collections.abc import Sequence
from typing import Any

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import CODES
from crawlers.read.tables.roles.option_columns import EXPLAINED, IDENTIFIER, LEAST_ROWS
from crawlers.read.tables.roles.values import FORMS, answer_letters, as_verdict, verdict_of
from crawlers.read.vocabulary.words import OWN_ANSWER_NAME

ANSWER = re.compile(
    r"answer|答案|correct|right|true|truth|key|^ans|^a$|solution|completion|对错|正误|是否正确|正确[选项]|应选|^答$|判断结果|^(?:判断|判定|真假|是非)|^t[\s/_-]{0,3}f(?![a-z])|^(?:label|gold)$|^da_?an$|^da$",
    re.IGNORECASE,
)
OWN_CHOICE = re.compile(r"user|my|我的|你的|考生|作答|check|错选", re.IGNORECASE)
_SAID, _SAID_SHARE = re.compile(r"\s?(正确|错误|对|错)\s?[。，,；;：:.!！]\s?\S"), 0.6
"""The truth value that an explanation begins with, and the least share of explanations that do."""
_SURELY_OWN = re.compile(
    r"^responses?$|"
    r"(?:user|your|my|mine|learner|student|examinee|candidate)s?[\s_]?(?:answer|choice|option|selection|selected|response|pick)"
    r"|(?:^|[._])(?:picked|chosen|selected|submitted)(?:[\s_]?(?:answer|option|choice))?$"
    rf"|{OWN_ANSWER_NAME}|作答|所选",
    re.IGNORECASE,
)
"""Names for a given answer of somebody, which is not a key even if nothing else is."""
_REPLY, _PROMPT = re.compile(r"responses?", re.IGNORECASE), re.compile(r"prompts?|instructions?|quer(?:y|ies)|inputs?", re.IGNORECASE)
"""Names for a model's expected answer and for its prompt: beside a prompt, an expected answer is a key."""
_MANY, _ALIKE = 12, 2
"""Number of rows in which positions would be others than 1, 2, 4 …, and number of options of which positions and bits are the same."""
_SURELY_KEY = re.compile(r"(?:正确|标准|参考)?答案|正确选?项|correct_?(?:answer|option)|answer", re.IGNORECASE)
_SURELY_FILLED, _ROWS_PER_OPTION = 0.8, 3
_SURELY_FITS = 0.95
"""Share of the rows that a second column must fit to be one of answers, too."""
_MASK = re.compile(r"mask|bits?$|flags?$", re.IGNORECASE)
"""Names of numbers whose bits are options."""
NO_INDEX = re.compile(r"type|score|level|diff|sort|order|count|chapter|status|分|难度|题型|类型|章|数$|num_?of", re.IGNORECASE)
"""Names of numbers that are not positions of options."""

_LEAST_FITTING = 0.8
"""Share of the values of a column that must name options."""
Answer = tuple[float, float, str, str]


def answers_of(rows: Sequence[dict[str, Any]], sets: list[list[str]], columns: list[str], proven: bool = True) -> list[Answer]:
    """Return the columns that fit the options as answers, with share, rank, name and form; the best first.

    Args:
        proven: whether numbers must show if they count from 0 or 1.
    """
    answers: list[Answer] = []
    for key in columns:
        filled = [
            (row.get(key), each) for row, each in zip(rows, sets, strict=True) if len(each) > 1 and row.get(key) not in (None, "", [])
        ]
        if len(filled) < LEAST_ROWS or len(filled) < 0.5 * sum(len(each) > 1 for each in sets):
            continue
        for form in FORMS:
            letters = _letters_in(filled, form)
            fits = sum(map(bool, letters)) / len(filled)
            counts = form in ("from 0", "from 1")
            if fits < _LEAST_FITTING:
                continue
            if counts and (NO_INDEX.search(key) or _MASK.search(key) or not _are_indices(filled, letters, form, proven)):
                continue
            if len(set(letters)) < 2 and len(filled) > 8:
                continue
            if all(len(named) == len(each) > 2 for named, (_, each) in zip(letters, filled, strict=True)):
                continue  # it lists the options once more
            if _SURELY_OWN.search(key) and not (_REPLY.fullmatch(key) and any(map(_PROMPT.fullmatch, rows[0]))):
                continue
            rank = fits + (0.5 if ANSWER.search(key.rpartition(".")[2]) else 0) - (1 if OWN_CHOICE.search(key) else 0)
            rank += {"letters": 0.3, "text": 0.3}.get(form, 0)
            answers.append((fits, rank, key, form))
    return sorted(answers, key=lambda each: -each[1])


def _letters_in(filled: list[tuple[Any, list[str]]], form: str) -> list[str]:
    """Return the letters that the values of a column name in a form, in row order; nothing once too many of them name none."""
    letters: list[str] = []
    misfits = 0
    for value, options in filled:
        letters.append(answer_letters(value, options, form))
        misfits += not letters[-1]
        if not letters[-1] and (len(filled) - misfits) / len(filled) < _LEAST_FITTING:
            return []
    return letters


def _are_indices(filled: list[tuple[Any, list[str]]], letters: list[str], form: str, proven: bool) -> bool:
    """Return whether numbers are positions of options counted as the form states: only a 0 or a last position proves where they start."""
    lowest = "A" in "".join(letters)
    most = max(len(each) for _, each in filled)
    first = int(form[-1])
    counted = [str(value) for value, _ in filled[: most + 1]]
    if counted == [str(number) for number in range(first, first + len(counted))]:
        return False  # the numbers of the rows
    if form == "from 0":
        return lowest
    if most > _ALIKE and len(filled) >= _MANY and {str(value).strip() for value, _ in filled} <= {"1", "2", "4", "8", "16", "32"}:
        return False  # in so many rows there would be a 3: these are bits
    last = any(LETTERS[len(each) - 1] in answer for answer, (_, each) in zip(letters, filled, strict=True) if answer)
    return not proven or (lowest and last)


def rival(rows: Sequence[dict[str, Any]], sets: list[list[str]], answers: Sequence[Answer]) -> str:
    """Return a column that fits the options as well as the first one does, or as named, and names others; nothing if there is none."""
    for other in answers[1:]:
        is_named = ANSWER.search(other[2].rpartition(".")[2]) and not OWN_CHOICE.search(other[2])
        is_equal = other[1] >= answers[0][1] or (is_named and other[0] >= _SURELY_FITS and other[2] != answers[0][2])
        if is_equal and not agree(rows, sets, answers[0], other):
            return other[2]
    return ""


def named_key(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """Return a column that is certainly named as that of the answers and filled in most rows; nothing if there is none."""
    for key in columns:
        filled = sum(row.get(key) not in (None, "", []) for row in rows)
        if _SURELY_KEY.fullmatch(key.rpartition(".")[2]) and filled >= _SURELY_FILLED * len(rows):
            return key
    return ""


def idle_column(rows: Sequence[dict[str, Any]], options: Sequence[str], answer: str, form: str) -> str:
    """Return a column without a name, the first or the last of the options and filled in nearly all rows, that no answer ever means."""
    some = [(row, texts) for row in rows if len(texts := [str(row.get(key) or "") for key in options]) > 1 and any(texts)]
    said = "".join(answer_letters(row.get(answer), texts, form) for row, texts in some)
    for at in (0, len(options) - 1):
        filled = sum(bool(texts[at]) for _, texts in some) >= _SURELY_FITS * len(some)
        if options[at].startswith("column ") and filled and len(some) >= _ROWS_PER_OPTION * len(options) and LETTERS[at] not in said:
            return options[at]
    return ""


def agree(rows: Sequence[dict[str, Any]], sets: list[list[str]], one: Answer, other: Answer) -> bool:
    pairs = [
        (answer_letters(row.get(one[2]), each, one[3]), answer_letters(row.get(other[2]), each, other[3]))
        for row, each in zip(rows, sets, strict=True)
    ]
    return all(first == second for first, second in pairs if first and second)


def told_beside(rows: Sequence[dict[str, Any]], columns: Sequence[str], key: str) -> bool:
    """Return whether the texts of another column begin with the truth values of this one, as explanations do: `错误。依据规程，…`."""
    given = [row.get(key) for row in rows]
    values = [verdict_of(as_verdict(value)) or CODES.get(str(value).strip().lower()) for value in given]
    if not all(values) or len(set(values)) < 2:
        return False
    for other in columns:
        said = [_SAID.match(text) if isinstance(text := row.get(other), str) else None for row in rows]
        pairs = [(verdict_of(each[1]), value) for each, value in zip(said, values, strict=True) if each]
        if other != key and len(pairs) >= _SAID_SHARE * len(rows) and all(one == two for one, two in pairs) and len(set(pairs)) > 1:
            return True
    return False


QUESTION = re.compile(
    r"[(（]\s*[)）]|_{2,}|[？?]\s*$|(?:是|为|有|包括|正确的|错误的|在于|称为|哪项|什么|不属于|属于)[：:。]?\s*$|下列|以下|何者|不包括|关于"
)
STEM = re.compile(
    r"stem|question|quest|title|题干|题目|问题|試題|題目|正文|content|试题|^q$|statement|prompt|判断内容|陈述|[表论叙]述|说法|命题|^内容$|题$",
    re.IGNORECASE,
)
_CODE = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}(?!\d)[^\u4e00-\u9fff]{0,30}|(?=[a-zA-Z_-]{0,40}\d)[\w-]{1,80}", re.ASCII)
"""A text that identifies a row and asks nothing: `4f3d5e71`."""


def stem_of(rows: Sequence[dict[str, Any]], columns: list[str]) -> tuple[str | None, float, list[str]]:
    """Return the column of the stems, its confidence, and what is doubtful."""
    scored: list[tuple[float, float, str]] = []
    for key in columns:
        texts = [value for row in rows if isinstance(value := row.get(key), str) and value.strip()]
        if len(texts) < max(LEAST_ROWS, 0.7 * len(rows)):
            continue
        mean = sum(map(len, texts)) / len(texts)
        unlike = len(set(texts)) / len(texts)
        name = key.rpartition(".")[2]
        if mean < 5 or unlike < 0.2 or key.startswith("^") or IDENTIFIER.search(name) or all(map(_CODE.fullmatch, texts)):
            continue
        asks = asking(rows, key)
        is_stem, is_answer = bool(STEM.search(name)), bool(ANSWER.search(name))
        name_score = 0.5 * is_stem - 0.7 * bool(EXPLAINED.search(name)) - 0.6 * (is_answer and not is_stem)
        foreign = -0.5 * all(map(str.isascii, texts))  # a translation beside others
        scored.append((asks + name_score + 0.2 * unlike + 0.1 * min(1.0, mean / 40) + foreign, asks, key))
    scored.sort(key=lambda each: -each[0])
    if not scored:
        return None, 0.0, []
    score, asks, key = scored[0]
    named = bool(STEM.search(key.rpartition(".")[2]))
    sure = 1.0 if asks >= 0.5 or named else 0.95 if asks >= 0.3 else 0.5
    doubts = [] if sure > 0.9 else [few_ask(key)]
    if len(scored) > 1 and score - scored[1][0] < 0.1:
        doubts.append(f"{key!r} and {scored[1][2]!r} look alike")
        sure *= 0.7
    return key, sure, doubts


def few_ask(key: str) -> str:
    return f"{key!r} has few texts that ask"


def asking(rows: Sequence[dict[str, Any]], key: str) -> float:
    """Return the share of a column's texts that ask something."""
    texts = [value for row in rows if isinstance(value := row.get(key), str) and value.strip()]
    return sum(bool(QUESTION.search(text)) for text in texts) / len(texts) if texts else 0.0
