"""Tables with the right answer and the wrong ones in separate columns: which columns these are, and the options of a row.

Rows in, column names and texts out.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import combinations, takewhile
from typing import Any, NamedTuple

from atomexam.text.option_letters import are_fillers, is_filler
from crawlers.column_roles.names_in_turn import named_in_turn
from crawlers.column_roles.option_columns import EXPLAINED, LEAST_ROWS, MOST_OPTIONS, may_be_option
from crawlers.column_roles.values import options_in, plain, text_of

_LAST = r"(?:\d{1,2}|[a-j]|[一二三四五六七八九十])"
_WRONG = re.compile(
    rf"(?:错误|错|干扰|迷惑|误导|不正确|非正确)的?(?:答案|备?选项|选择项|项){_LAST}?|其[他它](?:备?选项|选择项){_LAST}?|(?:错误|错|干扰){_LAST}"
    rf"|(?:incorrect|wrong|false|fake)(?:answer|ans|option|opt|choice)s?{_LAST}?|other(?:option|opt|choice)s?{_LAST}?|(?:incorrect|wrong){_LAST}?|(?:false|fake)\d{{1,2}}"
    rf"|(?:distractor|distracter|decoy|foil)s?{_LAST}?|(?:ganrao|cuowu)(?:xiang|xuanxiang|daan|da)?{_LAST}?|cuo(?:xiang|xuanxiang|daan|\d)"
)
_RIGHT = re.compile(
    r"正确的?(?:答案|备?选项|选择项|项|内容)?|(?:标准|参考)?答案|(?:correct|right|true)?(?:answer|ans)s?|(?:correct|right|true)(?:option|opt|choice|text)?"
    r"|key|gold|solution|zhengque(?:xiang|xuanxiang|daan|da)?|daan|dui(?:xiang|de)?"
)
_OPTION = re.compile(
    r"(?:备?选项?|选择项|可选项|options?|opts?|choices?|answers?|candidates?|alternatives?|o|xx|xuan(?:xiang)?)[\W\d]{0,3}"
)
"""Names of columns that may contain all options of a question, so that another column may not be its right answer."""
_LETTER, _LETTERS = re.compile(r"[A-Ja-j]{1,10}|\d{1,2}"), re.compile(r"[A-J]{1,10}")
_JOINED = re.compile(r"[、，,/;；|\n]|\s{2,}")
"""Separators of several wrong answers in one text."""
_SURE_SHARE, _MOST_CHARS, _FEWEST_ROWS, _FEWEST_BESIDE = 0.95, 40, 8, 2
_KIN, _MORE_OF_STEM = 0.6, 0.15
"""Characters that a right answer shares: at least this part of what the wrong ones share with each other, and at most this much more with
its stem than they do.
"""
_UNNAMED, _UNSEEN = 0.75, 0.65
"""Confidence if only the position of a column shows that it has the right answers, and if not even that is clear."""


class Distractors(NamedTuple):
    """The columns of the wrong answers and of the right one."""

    wrong: list[str]
    right: str
    sure: float
    doubts: list[str]


def is_wrong_name(key: str) -> bool:
    """Return whether a column is named as one of wrong answers: `干扰项1`, `incorrect_answers`."""
    return _WRONG.fullmatch(_word(key)) is not None


def wrong_texts(values: Sequence[Any]) -> list[str]:
    """Return the wrong answers of a row, from a column each or from one with all; nothing if it is not clear how that one is separated."""
    if len(values) != 1:
        texts = [text for value in values if (text := text_of(value))]
        return texts[: len(texts) - sum(1 for _ in takewhile(is_filler, reversed(texts)))]  # the last columns may be unused
    if len(several := options_in(values[0])) > 1:
        return [text for text in several if text]
    text = text_of(several[0] if several else values[0])
    return [] if _JOINED.search(text) else [text] if text else []


def has_wrong_ones(right: Any, values: Sequence[Any]) -> bool:
    """Return whether a row has wrong answers; an empty list of them beside a list of right ones counts too."""
    used = [value for value in values if value not in (None, "", []) or (value == [] and isinstance(right, list))]
    return bool(used) and not (all(isinstance(value, str) for value in used) and are_fillers(used))


def options_beside(right: Any, values: Sequence[Any]) -> list[str]:
    """Return the options of a row whose right answers and wrong ones are separate; nothing if they are not distinct.

    They are sorted by text: if the right one stayed first, it would be A in every question.
    """
    rights = [text_of(each) for each in right] if isinstance(right, list) else [text_of(right)]
    texts = [*rights, *wrong_texts(values)]
    are_sound = all(rights) and len(rights) < len(texts) <= MOST_OPTIONS and len({plain(text) for text in texts}) == len(texts)
    return sorted(texts) if are_sound and not all(map(_LETTERS.fullmatch, texts)) else []


def named_distractors(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> Distractors | None:
    """Return the columns that are named as those of the wrong answers and of the right one."""
    wrong = [key for key in columns if is_wrong_name(key)]
    rights = [key for key in columns if key not in wrong and _is_right_name(key) and _are_apart(rows, key, wrong)] if wrong else []
    if not rights:
        return None
    doubts = [f"{rights[0]!r} and {rights[1]!r} may both contain the right answers"] if len(rights) > 1 else []
    return Distractors(wrong, rights[0], 0.6 if doubts else 1.0, doubts)


def unnamed_distractors(rows: Sequence[dict[str, Any]], columns: Sequence[str], stem: str) -> Distractors | None:
    """Return consecutively named columns, or one of lists, whose texts may be wrong answers, and the column of right ones beside them."""
    group = named_in_turn([key for key in columns if key != stem])
    lists = [key for key in columns if _holds_lists(rows, key)]
    wrong = group or lists[:1]
    if not wrong and not lists:
        return _in_a_row(rows, columns, stem)
    if len(lists) > 1 or any(map(EXPLAINED.search, wrong)):
        return None
    beside = [key for key in columns if key not in (stem, *wrong) and may_be_option(rows, key) and _are_apart(rows, key, wrong)]
    beside = [key for key in beside if not EXPLAINED.search(key)]
    named = [key for key in beside if _is_right_name(key)]
    rights = named or beside
    if not rights:
        return None
    right = rights[0]
    doubts = [] if len(rights) == 1 else [f"{right!r} and {rights[1]!r} may both contain the right answers"]
    if not _are_kin(rows, right, wrong, stem):
        doubts.append(f"{right!r} may contain the right answers, but its texts differ much from those beside it")
    elif not named and _OPTION.fullmatch(_word(wrong[0])):
        doubts.append(f"{right!r} may contain the right answers, or the options beside it have no answers")
    return Distractors(wrong, right, _UNNAMED if doubts else 0.95, doubts)


def _in_a_row(rows: Sequence[dict[str, Any]], columns: Sequence[str], stem: str) -> Distractors | None:
    """Return the columns of short texts after the stem, the first as that of the right answers, though nothing shows which one it is."""
    behind = list(columns[columns.index(stem) + 1 :])
    run = list(takewhile(lambda key: may_be_option(rows, key) and not EXPLAINED.search(key), behind))
    if not _FEWEST_BESIDE < len(run) <= MOST_OPTIONS or not _are_kin(rows, run[0], run[1:], stem):
        return None
    return Distractors(run[1:], run[0], _UNSEEN, [f"nothing shows which of {', '.join(map(repr, run))} contains the right answers"])


def _word(key: str) -> str:
    """Return a name in lower case, without blanks, punctuation and the path before it."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", key.rpartition(".")[2]).lower())


def _is_right_name(key: str) -> bool:
    return _RIGHT.fullmatch(_word(key)) is not None


def _holds_lists(rows: Sequence[dict[str, Any]], key: str) -> bool:
    lists = [row[key] for row in rows if isinstance(row.get(key), list)]
    return len(lists) >= _SURE_SHARE * len(rows) and all(len(options_in(each)) > 1 for each in lists)


def _are_apart(rows: Sequence[dict[str, Any]], right: str, wrong: Sequence[str]) -> bool:
    """Return whether a column's texts are answers beside the wrong ones: none of these, nor their letters or positions."""
    some = [(row.get(right), [row.get(key) for key in wrong]) for row in rows if row.get(right) not in (None, "", [])]
    some = [(one, values) for one, values in some if any(value not in (None, "", []) for value in values)]
    if len(some) < LEAST_ROWS or any(isinstance(one, dict | bool) for one, _ in some):
        return False
    if all(type(value) in (int, float) for _, values in some for value in values) and not all(text_of(one).isdigit() for one, _ in some):
        return False  # how often it was answered wrongly
    sound = sum(bool(options_beside(one, values)) for one, values in some)
    lettered = sum(
        _LETTER.fullmatch(text_of(one)) is not None and not any(map(_LETTER.fullmatch, wrong_texts(values))) for one, values in some
    )
    return sound >= 0.5 * len(some) and lettered * 2 < len(some)


def _are_kin(rows: Sequence[dict[str, Any]], right: str, wrong: Sequence[str], stem: str) -> bool:
    """Return whether in nearly every row a text fits the others: of similar length, and as similar to them as they are to each other.

    A topic or a hint beside options is longer or shorter than these, or repeats the question.
    """
    sets = [(text_of(row.get(right)), wrong_texts([row.get(key) for key in wrong]), text_of(row.get(stem))) for row in rows]
    sets = [(one, others, question) for one, others, question in sets if one and len(others) > 1]
    if len(sets) < min(_FEWEST_ROWS, len(rows)) or len(sets) < LEAST_ROWS or any(one in others for one, others, _ in sets):
        return False
    fitting = sum(len(one) <= max(_MOST_CHARS, 2 * max(map(len, others))) for one, others, _ in sets)
    longest = sum(len(one) > max(map(len, others)) for one, others, _ in sets)
    shortest = sum(len(one) < min(map(len, others)) for one, others, _ in sets)
    if fitting < _SURE_SHARE * len(sets) or max(longest, shortest) > 0.8 * len(sets):
        return False
    to_others = _mean(_share(one, other) for one, others, _ in sets for other in others)
    between = _mean(_share(*pair) for _, others, _ in sets for pair in combinations(others, 2))
    of_stem = _mean(_share(one, question) for one, _, question in sets)
    others_of_stem = _mean(_share(other, question) for _, others, question in sets for other in others)
    return to_others >= _KIN * between and of_stem <= others_of_stem + _MORE_OF_STEM


def _share(one: str, other: str) -> float:
    """Return the share of a text's characters that another has."""
    return len(set(one) & set(other)) / len(set(one))


def _mean(shares: Iterable[float]) -> float:
    some = list(shares)
    return sum(some) / len(some) if some else 0.0
