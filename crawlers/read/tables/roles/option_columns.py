"""Which columns of a table may contain options: one with several texts, or several side by side.

Rows in, sets of columns out.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from atomexam.text.verdicts import CODES, VERDICT
from crawlers.read.tables.names import named_in_turn
from crawlers.read.tables.roles.values import bare, options_in, text_of, verdict_of
from crawlers.read.vocabulary.numbers import TYPE

LEAST_ROWS = 3
MOST_OPTIONS = 10
_LEAST_UNLIKE = 0.1
LEAST_OPTIONS = 0.3
"""Share of the rows with options above which the table has a column of them."""
_LEAST_EXPLAINING = 0.5
"""Share of the rows that must repeat an option for the column not to be an option."""
IDENTIFIER = re.compile(r"(?i:(?:^|[_\W])[a-z]?id$|uuid$)|[a-z]I[dD]$")
_KEY = re.compile(r"[a-zA-Z]{1,12}[_-]?\d{1,9}|\w{1,12}(?:[_-][a-zA-Z]{0,3}\d{1,9}){1,3}|(?=\w{0,40}\d)[0-9a-f_-]{8,40}")
_ONE_LETTER, _SHARE = re.compile(r"[A-Ja-j]"), re.compile(r"\d{1,3}(?:\.\d{1,9})?\s?[%％]")
_DATE = re.compile(r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}(?!\d).{0,16}")
_VERDICT = re.compile(VERDICT)
_AMOUNT = re.compile(r"\d{1,6}(?:\.\d{1,4})?")
_KIND = re.compile(rf"{TYPE}|(?:单选|多选|判断|填空|简答|单项|多项)题?|[易中难]|简单|容易|较易|中等|一般|较难|困难")
"""Names for the type or difficulty of a question."""
_CHOICE = re.compile(r"\s{0,9}[A-J](?:[\s,，、;；]{0,3}[A-J]){0,9}\s{0,9}")
"""Letters of options, which are an answer."""
_GAP, _LEAST_FILLED = re.compile(r"_{2,}|[(（]\s*[)）]"), 0.9
"""A gap of a question, and the share of answer lists that must have one entry for each gap."""
EXPLAINED = re.compile(
    r"expla|analy|^(?:parse|why|jx)$|解析|解释|解說|题解|详解|詳解|精析|點評|点评|說明|理由|rationale|reason|jiexi|分析", re.IGNORECASE
)


def option_columns(rows: Sequence[dict[str, Any]], columns: list[str]) -> list[list[str]]:
    """Return the sets of columns that may contain options: one with several texts, or several side by side."""
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
    if len(lettered) > 2 and lettered not in column_sets and set(lettered[:2]) <= set(short):  # only a few rows have the last of them
        column_sets.append(lettered)
    column_sets += [[*pair] for pair in pairwise(columns) if _are_two_verdicts(rows, *pair)]
    run = named_in_turn([key for key in columns if texts_of(rows, key)])
    if run and run not in column_sets and set(run[:2]) <= set(short):
        column_sets.append(run)
    named = set(run)
    column_sets = [some for some in column_sets if not named & set(some) or set(some) <= named]  # the column beside them has another name
    letters = {key for key in columns if _are_all(rows, key, _ONE_LETTER)}
    column_sets = [some for some in column_sets if letters.isdisjoint(some)]
    for pattern in (_SHARE, _DATE, _AMOUNT, _VERDICT):
        alike = {key for key in columns if _are_all(rows, key, pattern)}
        column_sets = [some for some in column_sets if alike.isdisjoint(some) or alike.issuperset(some)]
    return sorted(column_sets, key=lambda some: some not in (lettered, run))[:200]


def _are_all(rows: Sequence[dict[str, Any]], key: str, pattern: re.Pattern[str]) -> bool:
    """Return whether nearly all values are of one kind, which is no option beside texts: grades, answers, `42%`."""
    texts = texts_of(rows, key)
    return len(texts) >= LEAST_ROWS and sum(pattern.fullmatch(text) is not None for text in texts) >= _LEAST_FILLED * len(texts)


def _are_two_verdicts(rows: Sequence[dict[str, Any]], one: str, other: str) -> bool:
    """Return whether two columns are the options of statements: 正确 in each row of one, 错误 in each row of the other."""
    verdicts = [{verdict_of(text) for text in texts_of(rows, key)} for key in (one, other)]
    return sorted(map(sorted, verdicts)) == [["正确"], ["错误"]] and len(texts_of(rows, one)) == len(texts_of(rows, other))


def _without_explanations(rows: Sequence[dict[str, Any]], run: list[str]) -> list[str]:
    """Return columns side by side, up to the first whose texts repeat others of their rows among more words: 应记住叶酸."""
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
    """Return whether options are only keys to content elsewhere: `op1`, `op2`, each once in the table."""
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
    """Return the unnamed column next to the options that contains texts like theirs."""
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
    """Return whether a column of lists has an answer for each gap of the question, and no options."""
    listed = [(row.get(stem), row[key]) for row in rows if isinstance(row.get(key), list)]
    fits = sum(isinstance(text, str) and len(_GAP.findall(text)) == len(answers) for text, answers in listed)
    return bool(listed) and fits >= _LEAST_FILLED * len(listed)


def texts_of(rows: Sequence[dict[str, Any]], key: str) -> list[str]:
    return [text for row in rows if (text := text_of(row.get(key)))]


def counts_on(texts: Sequence[str]) -> bool:
    """Return whether texts are just consecutive numbers, such as row numbers."""
    numbers = [int(text) if text.isdecimal() and len(text) < 7 else None for text in texts]
    return None not in numbers and all(one is not None and other == one + 1 for one, other in pairwise(numbers))
