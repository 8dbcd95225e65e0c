"""Find the columns of a table that contain options, answers that fit these options, and stems: rows -> columns with evidence.

Options are in one column with several texts, or in several adjacent columns.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import CODES, VERDICT
from crawlers.read.tables.columns import named_in_turn
from crawlers.read.tables.roles.values import FORMS, answer_letters, as_verdict, bare, options_in, text_of, verdict_of
from crawlers.read.vocabulary.numbers import TYPE
from crawlers.read.vocabulary.words import OWN_ANSWER_NAME

LEAST_ROWS = 3
MOST_OPTIONS = 10
_LEAST_UNLIKE = 0.1
LEAST_OPTIONS = 0.3
"""Minimum share of rows with options for a table to have an option column."""
_LEAST_EXPLAINING = 0.5
"""A column is not an option itself if at least this share of its texts repeats an option."""
IDENTIFIER = re.compile(r"(?i:(?:^|[_\W])[a-z]?id$|uuid$)|[a-z]I[dD]$")
_KEY = re.compile(r"[a-zA-Z]{1,12}[_-]?\d{1,9}|\w{1,12}(?:[_-][a-zA-Z]{0,3}\d{1,9}){1,3}|(?=\w{0,40}\d)[0-9a-f_-]{8,40}")
_ONE_LETTER, _SHARE = re.compile(r"[A-Ja-j]"), re.compile(r"\d{1,3}(?:\.\d{1,9})?\s?[%％]")
_DATE = re.compile(r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}(?!\d).{0,16}")
_VERDICT = re.compile(VERDICT)
_AMOUNT = re.compile(r"\d{1,6}(?:\.\d{1,4})?")
_KIND = re.compile(rf"{TYPE}|(?:单选|多选|判断|填空|简答|单项|多项)题?|[易中难]|简单|容易|较易|中等|一般|较难|困难")
"""Values that name the type or difficulty of a question."""
_CHOICE = re.compile(r"\s{0,9}[A-J](?:[\s,，、;；]{0,3}[A-J]){0,9}\s{0,9}")
"""Option letters as an answer."""
_GAP, _LEAST_FILLED = re.compile(r"_{2,}|[(（]\s*[)）]"), 0.9
"""A blank in a question; minimum share of answer lists with one entry per blank."""
EXPLAINED = re.compile(
    r"expla|analy|^(?:parse|why|jx)$|解析|解释|解說|题解|详解|詳解|精析|點評|点评|說明|理由|rationale|reason|jiexi|分析", re.IGNORECASE
)


def option_columns(rows: Sequence[dict[str, Any]], columns: list[str]) -> list[list[str]]:
    """Return the sets of columns that may contain options: one column with several texts, or several adjacent ones."""
    column_sets: list[list[str]] = []
    for key in columns:
        if EXPLAINED.search(key):
            continue
        some = [row[key] for row in rows if row.get(key) not in (None, "", [], {})]
        sets = [options for value in some if len(options := options_in(value)) > 1]
        if (
            len(sets) >= LEAST_ROWS
            and len(sets) >= LEAST_OPTIONS * len(rows)
            and len(sets) >= 0.8 * len(some)
            and not _same_sets(sets)
            and not _are_keys(sets)
        ):
            column_sets.append([key])
    inner = {f"{key[0]}." for key in column_sets}
    plain_columns = [key for key in columns if not any(key.startswith(each) for each in inner)]
    short = [key for key in plain_columns if may_be_option(rows, key)]
    runs: list[list[str]] = []
    for key in short:
        index = plain_columns.index(key)
        if runs and plain_columns.index(runs[-1][-1]) == index - 1:
            runs[-1].append(key)
        else:
            runs.append([key])
    for run in (_without_explanations(rows, run) for run in runs):
        for start in range(len(run)):
            for end in range(start + 2, min(len(run), start + MOST_OPTIONS) + 1):
                column_sets.append(run[start:end])
    lettered = sorted((key for key in columns if re.search(r"(?:^|[^A-Za-z])[A-Ja-j]$|[a-z][A-J]$|\d$", key)), key=lambda key: key[-1])
    if len(lettered) > 2 and lettered not in column_sets and set(lettered[:2]) <= set(short):  # only a few rows fill the last columns
        column_sets.append(lettered)
    column_sets += [[*pair] for pair in pairwise(columns) if _are_two_verdicts(rows, *pair)]
    run = named_in_turn([key for key in columns if texts_of(rows, key)])
    if run and run not in column_sets and set(run[:2]) <= set(short):
        column_sets.append(run)
    named = set(run)
    column_sets = [some for some in column_sets if not named & set(some) or set(some) <= named]  # the adjacent column has another name
    letters = {key for key in columns if _are_all(rows, key, _ONE_LETTER)}
    column_sets = [some for some in column_sets if letters.isdisjoint(some)]
    for pattern in (_SHARE, _DATE, _AMOUNT, _VERDICT):
        alike = {key for key in columns if _are_all(rows, key, pattern)}
        column_sets = [some for some in column_sets if alike.isdisjoint(some) or alike.issuperset(some)]
    return sorted(column_sets, key=lambda some: some not in (lettered, run))[:200]


def _are_all(rows: Sequence[dict[str, Any]], key: str, pattern: re.Pattern[str]) -> bool:
    """Return whether nearly all values are grades, answers or percentages, `42%`, which cannot be options where others are texts."""
    texts = texts_of(rows, key)
    return len(texts) >= LEAST_ROWS and sum(pattern.fullmatch(text) is not None for text in texts) >= _LEAST_FILLED * len(texts)


def _are_two_verdicts(rows: Sequence[dict[str, Any]], one: str, other: str) -> bool:
    """Return whether two columns are the options of statements: 正确 in each row of one, 错误 in each row of the other."""
    verdicts = [{verdict_of(text) for text in texts_of(rows, key)} for key in (one, other)]
    return sorted(map(sorted, verdicts)) == [["正确"], ["错误"]] and len(texts_of(rows, one)) == len(texts_of(rows, other))


def _without_explanations(rows: Sequence[dict[str, Any]], run: list[str]) -> list[str]:
    """Return adjacent columns up to the first one whose texts repeat other cells of their row within longer texts: 应记住叶酸."""
    for index, key in enumerate(run):
        if index > 1 and sum(_repeats(row, key, run[:index]) for row in rows) >= _LEAST_EXPLAINING * len(rows):
            return run[:index]
    return run


def _repeats(row: dict[str, Any], key: str, others: list[str]) -> bool:
    text = str(row.get(key) or "")
    other_texts = [str(row.get(other) or "") for other in others]
    return any(1 < len(one) * 2 < len(text) and one in text for one in other_texts)


def _same_sets(sets: list[list[str]]) -> bool:
    one = {tuple(each) for each in sets}
    return len(one) == 1 and not all(verdict_of(bare(option)) or bare(option).lower() in CODES for option in sets[0])


def _are_keys(sets: list[list[str]]) -> bool:
    """Return whether options are only ids of content stored elsewhere: `op1`, `op2`, each once in the table."""
    texts = [text for each in sets for text in each]
    if all(text.isdecimal() and len(text) < 10 for text in texts):
        numbers = [int(text) for text in texts]
        return all(one < other for one, other in pairwise(numbers))
    return len(set(texts)) == len(texts) and all(map(_KEY.fullmatch, texts))


def may_be_option(rows: Sequence[dict[str, Any]], key: str) -> bool:
    if IDENTIFIER.search(key.rpartition(".")[2]):
        return False
    texts = [value for row in rows if isinstance(value := row.get(key), str | int | float) and str(value).strip()]
    if all(isinstance(text, str) and (_KIND.fullmatch(text.strip()) or _CHOICE.fullmatch(text)) for text in texts):
        return False
    if len(texts) >= LEAST_ROWS and counts_on([str(text).strip() for text in texts]):
        return False
    return len(texts) >= 2 and not isinstance(texts[0], bool) and len(set(map(str, texts))) >= max(2, _LEAST_UNLIKE * len(texts))


def columns_beside(rows: Sequence[dict[str, Any]], stem: str, answer: str, options: list[str]) -> list[str]:
    """Return the unnamed column next to the options that contains similar texts."""
    indices = [int(key.rpartition(" ")[2]) for key in options if key.startswith("column ")]
    if len(indices) < len(options):
        return []
    lengths = sorted(len(text) for key in options for text in texts_of(rows, key))
    neighbours = []
    for key in (f"column {min(indices) - 1}", f"column {max(indices) + 1}"):
        texts = texts_of(rows, key) if key not in (stem, answer) else []
        unlike = len(set(texts)) >= max(_LEAST_UNLIKE, 0.5) * len(texts)
        short = sorted(map(len, texts))[len(texts) // 2] <= 2 * lengths[len(lengths) // 2] + 4 if texts else False
        worded = sum(text.isascii() for text in texts) * 2 < len(texts) or lengths[len(lengths) // 2] < 4
        if len(texts) >= 0.5 * len(rows) and unlike and short and worded and may_be_option(rows, key):
            neighbours.append(key)
    return neighbours


def are_gap_answers(rows: Sequence[dict[str, Any]], stem: str, key: str) -> bool:
    """Return whether a column of lists contains one answer per blank in the question, and no options."""
    listed = [(row.get(stem), row[key]) for row in rows if isinstance(row.get(key), list)]
    fits = sum(isinstance(text, str) and len(_GAP.findall(text)) == len(answers) for text, answers in listed)
    return bool(listed) and fits >= _LEAST_FILLED * len(listed)


def texts_of(rows: Sequence[dict[str, Any]], key: str) -> list[str]:
    return [text for row in rows if (text := text_of(row.get(key)))]


def counts_on(texts: Sequence[str]) -> bool:
    """Return whether texts are consecutive numbers, such as row numbers."""
    numbers = [int(text) if text.isdecimal() and len(text) < 7 else None for text in texts]
    return None not in numbers and all(one is not None and other == one + 1 for one, other in pairwise(numbers))


ANSWER = re.compile(
    r"answer|答案|correct|right|true|truth|key|^ans|^a$|solution|completion|对错|正误|是否正确|正确[选项]|应选|^答$|判断结果|^(?:判断|判定|真假|是非)|^t[\s/_-]{0,3}f(?![a-z])|^(?:label|gold)$|^da_?an$|^da$",
    re.IGNORECASE,
)
OWN_CHOICE = re.compile(r"user|my|我的|你的|考生|作答|check|错选", re.IGNORECASE)
_SAID, _SAID_SHARE = re.compile(r"\s?(正确|错误|对|错)\s?[。，,；;：:.!！]\s?\S"), 0.6
"""The truth value at the start of an explanation; minimum share of explanations that begin with one."""
_SURELY_OWN = re.compile(
    r"^responses?$|^rejected(?:[._]|$)|"
    r"(?:user|your|my|mine|learner|student|examinee|candidate)s?[\s_]?(?:answer|choice|option|selection|selected|response|pick)"
    r"|(?:^|[._])(?:picked|chosen|selected|submitted)(?:[\s_]?(?:answer|option|choice))?$"
    rf"|{OWN_ANSWER_NAME}|作答|所选",
    re.IGNORECASE,
)
"""Names of a column with the answer that somebody gave, which is never the key."""
_REPLY, _PROMPT = re.compile(r"responses?", re.IGNORECASE), re.compile(r"prompts?|instructions?|quer(?:y|ies)|inputs?", re.IGNORECASE)
"""Names for a model's expected answer, which is a key if there is a prompt, and for the prompt."""
_MANY, _ALIKE = 12, 2
"""Number of rows from which positions would include values other than 1, 2, 4 …; number of options for which positions and bits are the
same.
"""
_SURELY_KEY = re.compile(r"(?:正确|标准|参考)?答案|正确选?项|correct_?(?:answer|option)|answer", re.IGNORECASE)
_SURELY_FILLED, _ROWS_PER_OPTION = 0.8, 3
_SURELY_FITS = 0.95
"""Minimum share of rows for which a second answer column must fit."""
_MASK = re.compile(r"mask|bits?$|flags?$", re.IGNORECASE)
"""Names of bit masks over the options."""
NO_INDEX = re.compile(r"type|score|level|diff|sort|order|count|chapter|status|分|难度|题型|类型|章|数$|num_?of", re.IGNORECASE)
"""Names of numeric columns that are not option positions."""

_LEAST_FITTING = 0.8
"""Minimum share of a column's values that name options."""
Answer = tuple[float, float, str, str]


def answers_of(rows: Sequence[dict[str, Any]], sets: list[list[str]], columns: list[str], proven: bool = True) -> list[Answer]:
    """Return the columns that fit the options as answers, with share, rank, name and form; best first.

    Args:
        proven: whether the numbers must show whether they count from 0 or 1.
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
                continue  # it repeats the options
            if _SURELY_OWN.search(key) and not (_REPLY.fullmatch(key) and any(map(_PROMPT.fullmatch, rows[0]))):
                continue
            rank = fits + (0.5 if ANSWER.search(key.rpartition(".")[2]) else 0) - (1 if OWN_CHOICE.search(key) else 0)
            rank += {"letters": 0.3, "text": 0.3}.get(form, 0)
            answers.append((fits, rank, key, form))
    return sorted(answers, key=lambda each: -each[1])


def _letters_in(filled: list[tuple[Any, list[str]]], form: str) -> list[str]:
    """Return the letters that a column's values name in a form, in row order; empty once too many values name none."""
    letters: list[str] = []
    misfits = 0
    for value, options in filled:
        letters.append(answer_letters(value, options, form))
        misfits += not letters[-1]
        if not letters[-1] and (len(filled) - misfits) / len(filled) < _LEAST_FITTING:
            return []
    return letters


def _are_indices(filled: list[tuple[Any, list[str]]], letters: list[str], form: str, proven: bool) -> bool:
    """Return whether numbers are option positions in the given form: only a 0 or a last position proves where counting starts."""
    lowest = "A" in "".join(letters)
    most = max(len(each) for _, each in filled)
    first = int(form[-1])
    counted = [str(value) for value, _ in filled[: most + 1]]
    if counted == [str(number) for number in range(first, first + len(counted))]:
        return False  # row numbers
    if form == "from 0":
        return lowest
    if most > _ALIKE and len(filled) >= _MANY and {str(value).strip() for value, _ in filled} <= {"1", "2", "4", "8", "16", "32"}:
        return False  # in so many rows a 3 would occur: these are bits
    last = any(LETTERS[len(each) - 1] in answer for answer, (_, each) in zip(letters, filled, strict=True) if answer)
    return not proven or (lowest and last)


def rival(rows: Sequence[dict[str, Any]], sets: list[list[str]], answers: Sequence[Answer]) -> str:
    """Return a column that fits the options as well as the first one, or is named as an answer, but disagrees with it; else ""."""
    for other in answers[1:]:
        is_named = ANSWER.search(other[2].rpartition(".")[2]) and not OWN_CHOICE.search(other[2])
        is_equal = other[1] >= answers[0][1] or (is_named and other[0] >= _SURELY_FITS and other[2] != answers[0][2])
        if is_equal and not agree(rows, sets, answers[0], other):
            return other[2]
    return ""


def named_key(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """Return a column that is certainly named as the answer and is filled in most rows; else ""."""
    for key in columns:
        filled = sum(row.get(key) not in (None, "", []) for row in rows)
        if _SURELY_KEY.fullmatch(key.rpartition(".")[2]) and filled >= _SURELY_FILLED * len(rows):
            return key
    return ""


def idle_column(rows: Sequence[dict[str, Any]], options: Sequence[str], answer: str, form: str) -> str:
    """Return an unnamed first or last option column that is filled in nearly all rows but is never the answer; else ""."""
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
    """Return whether another column's texts begin with this column's truth values, as explanations do: `错误。依据规程，…`."""
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
"""A text that identifies a row and is not a question: `4f3d5e71`."""


def stem_of(rows: Sequence[dict[str, Any]], columns: list[str]) -> tuple[str | None, float, list[str]]:
    """Return the stem column, its confidence, and the doubts about it."""
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
        foreign = -0.5 * all(map(str.isascii, texts))  # a translation next to the original
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
    return f"{key!r} contains few questions"


def asking(rows: Sequence[dict[str, Any]], key: str) -> float:
    """Return the share of a column's texts that ask something."""
    texts = [value for row in rows if isinstance(value := row.get(key), str) and value.strip()]
    return sum(bool(QUESTION.search(text)) for text in texts) / len(texts) if texts else 0.0
