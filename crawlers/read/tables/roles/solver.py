"""Infer from a table's values which column or path contains each part of a question: rows -> roles with their confidence.

Options are found first, then the answer that fits them row by row, then the stem. Column names are one kind of evidence. If two readings
fit equally well, neither is used.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from atomexam.text.verdicts import CODES
from crawlers.read.tables.columns import is_wrong_name, named_in_turn
from crawlers.read.tables.roles.answer_columns import (
    ANSWER,
    EXPLAINED,
    IDENTIFIER,
    LEAST_OPTIONS,
    LEAST_ROWS,
    MOST_OPTIONS,
    NO_INDEX,
    OWN_CHOICE,
    QUESTION,
    STEM,
    answers_of,
    are_gap_answers,
    asking,
    columns_beside,
    counts_on,
    few_ask,
    idle_column,
    named_key,
    option_columns,
    rival,
    stem_of,
    texts_of,
    told_beside,
)
from crawlers.read.tables.roles.records import NAMED, Roles, find_others, options_of
from crawlers.read.tables.roles.values import (
    EXAM_VERDICTS,
    MARKED,
    WORDS_OF_EXAMS,
    are_two_verdicts,
    as_verdict,
    in_stated_order,
    lettered_options,
    marked_letters,
    options_below,
    options_in,
    text_of,
    verdict_of,
    verdict_word,
)
from crawlers.read.tables.tree import listed
from crawlers.read.vocabulary.options import is_signed

SURE = 0.9
"""Confidence from which a table is read without confirmation."""
_SAMPLE, PAIR = 2000, ("column 1", "column 2")
_SAME_VERDICT = 0.85
"""Confidence factor for statements that are all true, or all false."""
_UNPROVEN, _UNPROVEN_UNNAMED = 0.7, 0.5
"""Confidence factors if numbers do not show whether they count from 0 or 1: in a column named as the answer, and in any other."""
_LEAST_NAMED_SHARE, _LEAST_SHARE = 0.4, 0.8
"""Minimum share of rows with an answer: in a column named as the answer, and in any other."""
_TOLD = re.compile(r"ok$|right|correct|true|result|pass|hit|score|对错|正误|得分|是否", re.IGNORECASE)
_CODED = re.compile(r"[\w.:/%-]{1,80}", re.ASCII)
"""A text that may be an id: `0_1`, `opt12`, `1005`."""
_LEAST_STATEMENT = 9
"""Minimum characters of a true-or-false statement; a shorter text may be an option."""
_BLANK = re.compile(r"[(（]\s*[)）]|_{2,}")
_HELP, _MOST_HELP = (
    re.compile(r"如何|怎么|怎样|能不能|可不可以|(?:可以|能|会|要|需要|支持).{0,20}吗[？?]?$|在哪里|(?i:how (?:do|can|to))"),
    0.8,
)
"""The wording of help requests, `如何退款？`; the share of such requests above which a table may be a help page."""


MOST_COLUMNS = 512
"""Tables with more columns get no roles: columns are compared in pairs, and so many keys are data, not column names."""


def roles_of(rows: Sequence[dict[str, Any]]) -> Roles | None:
    """Return the roles of a table's columns; None if its rows are not questions."""
    rows = _without_headings(rows)
    if len(rows) < LEAST_ROWS:
        return None
    step = max(1, len(rows) // _SAMPLE)
    sample = rows[::step]
    if len({key for row in sample for key in row}) > MOST_COLUMNS:
        return None
    columns = [key for key in _in_turn(sample) if not key.startswith("^")]
    sets = option_columns(sample, [key for key in columns if not _is_further_field(sample, key)])
    best = _best(sample, columns, sets) or _with_options_below(sample, columns)
    best = best or _without_options(sample, columns) or _without_answers(sample, columns, sets)
    if (best is None or best.confidence < _UNPROVEN) and any(_may_be_indices(sample, key) for key in columns):
        other = _best(sample, columns, sets, proven=False)
        best = other if other and (best is None or other.confidence > best.confidence) else best
    if best:
        best.confidence = min(1.0, best.confidence)
    return best


def _is_further_field(rows: Sequence[dict[str, Any]], key: str) -> bool:
    """Return whether a column's name is that of another field, `subject`; this is ruled out if it contains lists or lettered options,
    `subject_item`.
    """
    if not any(name.search(key.rpartition(".")[2]) for name in NAMED.values()):
        return False
    listed = sum(isinstance(value := row.get(key), list | dict) or len(lettered_options(value)) > 1 for row in rows)
    return listed < LEAST_OPTIONS * len(rows)


def _without_headings(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return rows without headings, which are rows with a single text among wider ones."""
    wide = [row for row in rows if sum(value not in (None, "") for key, value in row.items() if not key.startswith("^")) > 1]
    return wide if len(wide) * 2 >= len(rows) else rows


def _in_turn(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the columns in order; a column that only some rows have comes after the one before it in those rows, as `E` after `D`."""
    ordered: list[str] = []
    known: set[str] = set()
    for row in rows:
        before = ""
        for key in row if not row.keys() <= known else ():
            if key not in known:
                known.add(key)
                ordered.insert(ordered.index(before) + 1 if before else 0, key)
            before = key
    return ordered


def _best(rows: Sequence[dict[str, Any]], columns: list[str], sets: list[list[str]], proven: bool = True) -> Roles | None:
    best: Roles | None = None
    for options in sets:
        roles = _with_options(rows, columns, options, proven)
        if roles and (best is None or roles.confidence > best.confidence + 1e-9):
            best = roles
    if best and best.confidence >= SURE and (other := _rival_of_wider(rows, columns, sets, best)):
        best.doubts.append(f"{other!r} fits as well if {', '.join(map(repr, best.options))} are not all options")
        best.confidence *= 0.6
    return best


def _rival_of_wider(rows: Sequence[dict[str, Any]], columns: list[str], sets: list[list[str]], best: Roles) -> str:
    """Return a column that fits a wider set of options as well as the chosen answer fits the chosen set; else "".

    A partly filled option column may have been missed, so that somebody's choices fitted while the right answers did not.
    """
    for options in sets if len(best.options) > 1 else ():
        if not set(best.options) < set(options) or best.answer in options:
            continue
        wider = [options_of(row, options) for row in rows]
        answers = answers_of(rows, wider, [key for key in columns if key not in (*options, best.stem)])
        own = [each for each in answers if each[2] == best.answer]
        if own and (other := rival(rows, wider, [own[0], *(each for each in answers if each[2] != best.answer)])):
            return other
    return ""


def _may_be_indices(rows: Sequence[dict[str, Any]], key: str) -> bool:
    """Return whether a column contains numbers that may be option positions, counted from 0 or 1."""
    some = [str(value).strip() for row in rows if (value := row.get(key)) not in (None, "", [])]
    return len(some) >= LEAST_ROWS and len(set(some)) > 1 and all(each.isdecimal() and int(each) <= MOST_OPTIONS for each in some)


def _with_options(rows: Sequence[dict[str, Any]], columns: list[str], options: list[str], proven: bool = True) -> Roles | None:
    sets = [options_of(row, options) for row in rows]
    if len(options) > 1:
        full = [each for each in sets if len(each) > 1 and len(set(each)) == len(each)]
        if len(full) < max(LEAST_ROWS, 0.5 * len(rows)):
            return None
        lengths = [sorted(map(len, each)) for each in full]
        uneven = sum(each[-1] > 12 + 6 * max(1, each[len(each) // 2 - 1]) for each in lengths)
        if uneven > 0.3 * len(full):
            return None
    inner = tuple(f"{key}." for key in options)
    rest = [key for key in columns if key not in options and not key.startswith(inner)]
    answers = answers_of(rows, sets, rest, proven)
    marked = [marked_letters(row.get(options[0])) for row in rows] if len(options) == 1 else []
    if marked and sum(map(bool, marked)) >= _LEAST_SHARE * len(rows) and len(set(filter(None, marked))) > 1:
        answers = [(sum(map(bool, marked)) / max(1, sum(map(bool, sets))), 2.0, options[0], MARKED)]
    if not answers:
        return None
    stem, sure, doubts = stem_of(rows, [key for key in rest if key != answers[0][2]])
    if stem is None:
        return None
    usual = [key for key in options if len(texts_of(rows, key)) >= LEAST_ROWS]  # a single text may happen to end like a question
    if len(options) > 1 and max((asking(rows, key) for key in usual), default=0.0) > max(0.5, asking(rows, stem)):
        return None  # the questions are among these options
    share, _, answer, form = answers[0]
    if sure < SURE and doubts == [few_ask(stem)] and _ask_beside_statements(rows, sets, stem):
        sure, doubts = SURE + 0.05, []
    if form == MARKED and sure < SURE and doubts == [few_ask(stem)]:
        sure, doubts = SURE + 0.05, []  # only questions mark one option as right
    if not proven:
        doubts.append(f"{answer!r} has numbers that may be positions of options, but no 0 and no last position shows where they start")
        sure *= _UNPROVEN if ANSWER.search(answer.rpartition(".")[2]) else _UNPROVEN_UNNAMED
    if (
        form not in (MARKED, "text")
        and not ANSWER.search(answer.rpartition(".")[2])
        and (told := _told_right(rows, [key for key in rest if key != answer]))
    ):
        doubts.append(f"{answer!r} may be what somebody chose, and {told!r} says whether it was right")
        sure *= _UNPROVEN
    if form in ("from 0", "from 1") and len(options) == 1 and (ids := _ids_out_of_order([row.get(options[0]) for row in rows])):
        doubts.append(f"{answer!r} may name options by {ids!r}, whose numbers are in another order than the options")
        sure *= _UNPROVEN
    if other := rival(rows, sets, answers):
        doubts.append(f"{answers[0][2]!r} and {other!r} both fit the options as answers")
        sure *= 0.6
    if len(options) > 1 and form != "letters" and not any(map(_has_letter_end, options)) and named_in_turn(options) != options:
        widths = Counter(len(each) for each in sets if each)
        sure *= 1.0 if form == "text" or widths.most_common(1)[0][0] == len(options) else 0.8
    beyond = _beyond(rows, rest, stem, answer, options) if len(options) > 1 else []
    if beyond:
        sure *= 0.5
        doubts.append(f"{beyond[0]!r} next to the options may be another option")
    if (keyed := named_key(rows, rest)) and not ANSWER.search(answer.rpartition(".")[2]) and form != MARKED:
        doubts.append(f"{answer!r} fits the options, but {keyed!r} is named as the answer")
        sure *= _UNPROVEN
    if len(options) > 1 and (idle := idle_column(rows, options, answer, form)):
        doubts.append(f"{idle!r} is never the answer, so it may not be an option")
        sure *= _UNPROVEN
    if len(options) == len(PAIR) and form not in (MARKED, "text") and _are_any_two(options, sets):
        doubts.append(f"{options[0]!r} and {options[1]!r} have dissimilar names; any two columns may fit by chance")
        sure *= _UNPROVEN
    if len(options) > 1:  # a wider run that fits equally well is better
        sure *= 1 + 0.001 * len(options)
    roles = Roles(stem, options, answer, form, confidence=share * sure, doubts=doubts)
    find_others(rows, rest, roles)
    return roles


def _ask_beside_statements(rows: Sequence[dict[str, Any]], sets: list[list[str]], stem: str) -> bool:
    """Return whether half of the texts are questions, ignoring statements whose options are true and false."""
    others = [row for row, options in zip(rows, sets, strict=True) if not are_two_verdicts(options)]
    return len(others) < len(rows) and (not others or asking(others, stem) >= 0.5)


def _ids_out_of_order(lists: Sequence[Any]) -> str:
    """Return the key whose numbers put option objects in an order other than the listed one, if there is such a key."""
    for value in lists:
        options = listed(value) if isinstance(value, str) else value
        objects = in_stated_order(options) if _are_objects(options) and isinstance(options, list) else []
        for key in objects[0] if objects else ():
            numbers = [str(each.get(key)) for each in objects]
            turns = [[str(at) for at in range(first, first + len(numbers))] for first in (0, 1)]
            if sorted(numbers) in turns and numbers not in turns:
                return str(key)
    return ""


def _are_any_two(options: list[str], sets: list[list[str]]) -> bool:
    """Return whether two columns have names that differ by more than a sign, and texts other than true and false."""
    alike = options[0][:-1] == options[1][:-1] or options[0][1:] == options[1][1:] or any(key.startswith("column ") for key in options)
    return not alike and sum(map(are_two_verdicts, sets)) * 2 < len(sets)


def _told_right(rows: Sequence[dict[str, Any]], columns: list[str]) -> str:
    """Return the column that says for each row whether a reply was right; "" if there is none."""
    for key in columns:
        if _TOLD.search(key.rpartition(".")[2]) and {verdict_of(as_verdict(row.get(key))) for row in rows} >= {"正确", "错误"}:
            return key
    return ""


def _with_options_below(rows: Sequence[dict[str, Any]], columns: list[str]) -> Roles | None:
    """Return the roles of a table whose options are on lines below the question, in the same cell."""
    for key in columns:
        sets = [options_below(text)[1] if isinstance(text := row.get(key), str) else [] for row in rows]
        full = sum(map(bool, sets))
        if full < max(LEAST_ROWS, _LEAST_SHARE * len(rows)):
            continue
        rest = [each for each in columns if each != key]
        if answers := answers_of(rows, sets, rest):
            share, _, answer, form = answers[0]
            unsure = rival(rows, sets, answers)
            doubts = [f"{answer!r} and {unsure!r} both fit the options as answers"] if unsure else []
            roles = Roles(key, [key], answer, form, confidence=share * (0.6 if unsure else 1.0), doubts=doubts)
            find_others(rows, rest, roles)
            return roles
    return None


def _has_letter_end(key: str) -> bool:
    return bool(re.search(r"(?:^|[^A-Za-z])[A-Ja-j]$|[a-z][A-J]$|[选項项]\s?\S$|\d$", key))


def _beyond(rows: Sequence[dict[str, Any]], rest: list[str], stem: str, answer: str, options: list[str]) -> list[str]:
    """Return columns of short texts that are named like the options but were not included."""
    starts = {key[:-1] for key in options}
    return [
        key
        for key in rest
        if len(starts) == 1
        and key[:-1] in starts
        and key not in (stem, answer)
        and not key.startswith("column ")
        and (texts := texts_of(rows, key))
        and not counts_on(texts)
        and not NO_INDEX.search(key)
    ] + columns_beside(rows, stem, answer, options)


def _has_options(rows: Sequence[dict[str, Any]], columns: list[str], stem: str) -> bool:
    """Return whether options are visible: in a column of sets, in columns named by letters, or below the question."""
    names = set(columns)
    turns = (("A", "B", "C"), ("1", "2", "3"), ("一", "二", "三"))
    if any(map(is_wrong_name, columns)):
        return True
    lettered = any(key[-1:] == one and {key[:-1] + two, key[:-1] + three} <= names for key in columns for one, two, three in turns)
    below = sum(isinstance(text := row.get(stem), str) and bool(options_below(text)[1]) for row in rows)
    named = (EXPLAINED, *NAMED.values())
    sets = [key for key in columns if not any(one.search(key) for one in named) and _shares_sets(rows, key) >= LEAST_OPTIONS]
    objects = any(sum(_are_objects(row.get(key)) for row in rows) >= LEAST_OPTIONS * len(rows) for key in columns)
    return lettered or bool(sets) or objects or below >= LEAST_OPTIONS * len(rows)


def _are_objects(value: Any) -> bool:
    inner = list(value.values()) if isinstance(value, dict) else value
    return isinstance(inner, list) and 1 < len(inner) <= MOST_OPTIONS and all(isinstance(each, dict) for each in inner)


def _shares_sets(rows: Sequence[dict[str, Any]], key: str) -> float:
    return sum(len(options_in(row.get(key))) > 1 for row in rows) / len(rows)


def _without_answers(rows: Sequence[dict[str, Any]], columns: list[str], sets: list[list[str]]) -> Roles | None:
    """Return the roles of a table without an answer column whose questions have blanks and lettered options, which only tests have."""
    for options in (each for each in sets if len(each) == 1):
        lettered = [all(map(is_signed, texts)) for row in rows if len(texts := options_of(row, options)) > 1]
        stem, _, _ = stem_of(rows, [key for key in columns if key not in options])
        blanks = sum(_BLANK.search(str(row.get(stem or ""))) is not None for row in rows)
        if (
            stem
            and all(lettered)
            and len(lettered) >= LEAST_OPTIONS * len(rows)
            and 2 * blanks >= len(rows)
            and not named_key(rows, columns)
        ):
            return Roles(stem, options, confidence=SURE, doubts=["no column fits as answers"])
    return None


def _without_options(rows: Sequence[dict[str, Any]], columns: list[str]) -> Roles | None:
    """Return the roles of a table of statements with truth values, or of questions with an answer in words."""
    stem, sure, doubts = stem_of(rows, columns)
    if stem is None:
        return None
    texts = texts_of(rows, stem)
    asks = sum(bool(QUESTION.search(text)) for text in texts) / len(texts)
    for key in columns:
        some = [row[key] for row in rows if row.get(key) not in (None, "", [])]
        name = bool(ANSWER.search(key.rpartition(".")[2])) or told_beside(rows, columns, key)
        if key[-1:] in ("A", "a") and not {key[:-1] + "B", key[:-1] + "b"}.isdisjoint(columns):
            continue  # the first option
        if IDENTIFIER.search(key.rpartition(".")[2]) or OWN_CHOICE.search(key):  # an id, or somebody's choice
            continue
        if key == stem or len(some) < (_LEAST_NAMED_SHARE if name else _LEAST_SHARE) * len(rows):
            continue
        values = [as_verdict(value) for value in some] if name else some
        words = set(map(verdict_word, some))
        if not name and not words <= EXAM_VERDICTS:
            values = [None]  # a switch: yes and no, true and false
        verdicts = [verdict_of(value) for value in values]
        if name and all(isinstance(value, str) and value.strip().lower() in CODES for value in some):
            verdicts = [CODES[value.strip().lower()] for value in some]
        if (
            sum(map(bool, verdicts)) >= 0.95 * len(verdicts)
            and (len({*verdicts, ""}) == 3 or ((stem, key) == PAIR and words <= EXAM_VERDICTS))
            and (name or not any(isinstance(value, bool) for value in some))
        ):
            alike = [other for other in columns if other != key and len(key) > 1 and other[:-1] == key[:-1]]
            if any(all(verdict_of(as_verdict(row.get(other))) for row in rows) for other in alike):
                return None  # one per option: `right1`, `right2`
            in_words = words <= WORDS_OF_EXAMS  # ticks may be from a checklist
            strong = name or STEM.search(stem) or (stem, key) == PAIR or in_words
            roles = Roles(stem, [], key, "verdict", confidence=0.95 if strong else 0.7, doubts=doubts)
            if len({*verdicts, ""}) < 3:
                roles.confidence *= _SAME_VERDICT
                roles.doubts = [*doubts, f"{key!r} is the same in all rows"]
            lengths = sorted(map(len, texts))
            if lengths[len(lengths) // 2] < _LEAST_STATEMENT and sum(text.endswith("。") for text in texts) * 2 < len(texts):
                roles.confidence *= 0.5
                roles.doubts = [*doubts, f"{stem!r} has texts as short as options"]
            find_others(rows, columns, roles)
            return roles
        short = sum(len(text_of(value)) for value in some) / len(some) < 60
        listed = sum(isinstance(value, str) and value[:2] in ("['", '["') for value in some) >= 0.9 * len(some)
        lettered = sum(bool(re.fullmatch(r"[A-Ja-j][A-J,、.;\s]{0,20}", text_of(value))) for value in some)
        if lettered > 0.1 * len(some):
            return None  # letters of options that were not found
        if asks >= 0.5 and short and (name or listed):
            codes = [text for value in some if _CODED.fullmatch(text := text_of(value))]
            if len(codes) >= _LEAST_SHARE * len(some) and len(set(codes)) >= LEAST_ROWS:
                return None  # the options they name are elsewhere
            own = {stem, key} if are_gap_answers(rows, stem, key) else {stem}
            if _has_options(rows, [each for each in columns if each not in own], stem):
                return None  # the answer is one of these, in an unknown form
            if sum(_HELP.search(text) is not None for text in texts) >= _MOST_HELP * len(texts):
                sure *= 0.8
                doubts = [*doubts, f"{stem!r} is worded like a help page"]
            roles = Roles(stem, [], key, "words", confidence=sure * (0.95 if listed or name else 0.8), doubts=doubts)
            find_others(rows, columns, roles)
            return roles
    return None
