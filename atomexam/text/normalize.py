"""Text as the author intended it: encodings repaired, mark-up removed, and punctuation, spaces and characters unified. Each rule has a
name.

`normalize(normalize(x)) == normalize(x)`: the rules run until nothing changes.
"""

import re
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import Any, NamedTuple

from atomexam.text.characters import (
    CJK,
    COMMON,
    needs_characters,
    needs_encoding,
    needs_signs,
    needs_simplifying,
    needs_spacing,
    normalize_spaces,
    repair_encoding,
    simplify,
    to_chinese_signs,
    unify_characters,
)
from atomexam.text.markup import BLANK, needs_plain_text, needs_stripping, needs_unescaping, strip_tags, to_plain_text, unescape

_AT_MOST_ROUNDS = 12


class Rule(NamedTuple):
    """One possible change of a text."""

    name: str
    """Stable key, used in `vocab/rules.yaml`, in the metrics and in changes.jsonl."""
    apply: Callable[[str], str]
    needs: Callable[[str], Any]
    """Falsy for texts that `apply` is certain to leave unchanged: a cheap search, since most rules apply to few texts."""


class CleanText(NamedTuple):
    """A text and the names of the rules that changed it."""

    text: str
    rules: tuple[str, ...]


def rule_of_signs(name: str, apply: Callable[[str], str], signs: Sequence[str]) -> Rule:
    """Return a rule for texts that match any of `signs`, which are patterns."""
    return Rule(name, apply, re.compile("|".join(signs)).search)


def run_rules(text: str, rules: Sequence[Rule]) -> CleanText:
    """Apply the rules in turn until none of them changes the text."""
    changed: dict[str, None] = {}
    last = rules[-1]  # the end of a round without changes
    for rule in islice(cycle(rules), len(rules) * _AT_MOST_ROUNDS):
        if rule.needs(text) and (after := rule.apply(text)) != text:
            changed[rule.name] = None
            text, last = after, rule
        elif rule is last:
            break
    return CleanText(text, tuple(changed))


_LOST_ELLIPSIS = re.compile(rf"(?<=[{CJK}”）])\?\?(?=[{CJK}”，,。])")
_REPEATED_MARK = re.compile(r"([？！!])[?？!！]+|(?<=[^?])(\?)[?？!！](?=\s*$)")
_LETTER_AS_OPTION = re.compile(
    r"(?<=[A-Za-z])([A-E])\.(?=[a-z])|(?<=[a-z])([A-E])\.(?![A-Za-z])|(?<![A-Za-z.])([A-E])\.(?=[a-z]{1,12}[A-E]\.)"
)
_LETTER_OF_ABC = re.compile(rf"(?<=[{CJK}])([A-E])\.(?=[{CJK}])")
_BLANK_FORMS = re.compile(r"[（(【〔\[﹙〖［]\s*[）)】〕\]﹚〗］]|[_＿]{2,}(?:\s*[_＿]{2,})*")
_SPAN = r"(?=个月|年|岁|周|天|小时|分钟|次)"
_LETTER_FOR_ONE = re.compile(
    rf"(?<=[{CJK}，。、（])l{_SPAN}|(?<![A-Za-z0-9])[lI](?=\d{{1,2}}(?:[~～]\d|岁|个月|年|周|天))|(?<=\d)l{_SPAN}|(?<=（)l(?=）)"
    rf"|(?<=[{CJK}])l(?=\d\d(?![\dA-Za-z]))"
)
_ONE_FOR_DASH = re.compile(r"(?<=\d)一(?=\d)")
_EARTH_FOR_PLUS_MINUS = re.compile(r"(?<=\d)土(?=\d)")
_HAS_CJK = re.compile(f"[{CJK}]")
_EMPHASIS = re.compile(r"(?<![A-Za-z0-9)\]*=])(\*\*|==)(?=[^\s*=])([^*=\n]{1,200})(?<!\s)\1(?![A-Za-z0-9(*=])")
"""Does not match the power in 2**3, which is between numbers or names."""
_PARAGRAPH_MARK = re.compile(rf"(?<=[{CJK}])\^p\s*")
_TONED = "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜ"
_GLOSS = re.compile(rf"(?<=[{COMMON}])[（(][a-zü]{{0,5}}[{_TONED}][a-z]{{0,3}}[）)]")
_OF_READING = re.compile("读音|字音|注音|拼音|音节|声调|多音")
_HARMLESS = "".join(
    sign for sign in COMMON if sign not in "土一烫屯"
)  # the last two replace lost characters: see curation.clean.questions.rejections
_PLAIN = re.compile(
    rf"(?:[0-9A-HJ-Za-km-z，、；：《》“”~%/+=—{_HARMLESS}-]++|[。？！](?![。？！])|（ ）|(?<=[0-9])\.(?=[0-9])|[土一](?![0-9]))*+"
)
"""Matches texts without any character that a rule changes."""
_PLAIN_BLANK = re.compile(r"[（(【〔\[] *[）)】〕\]]|_{2,}")
_WIDE_BLANK = re.compile(r"[（(【〔\[] *+\u3000[ \u3000]*+[）)】〕\]]")


def _fill_blanks(text: str) -> str:
    return _BLANK_FORMS.sub(BLANK, text)


def _single_marks(text: str) -> str:
    return _REPEATED_MARK.sub(lambda run: run[1] or run[2], text)


def _without_glosses(text: str) -> str:
    return text if _OF_READING.search(text) else _GLOSS.sub("", text)


def _correct_digits(text: str) -> str:
    return _ONE_FOR_DASH.sub("~", _EARTH_FOR_PLUS_MINUS.sub("±", _LETTER_FOR_ONE.sub("1", text)))


def _correct_letters(text: str) -> str:
    def correct(mark: re.Match[str]) -> str:
        if mark[3]:
            return mark[3]
        before = text[mark.start() - 1]
        return (mark[1] or mark[2]).lower() if before.islower() or mark[1] else mark[0]

    text = _LETTER_AS_OPTION.sub(correct, text)
    return _LETTER_OF_ABC.sub(r"\1", text.replace("A.B.C.", "ABC")) if "A.B.C." in text else text


RULES: tuple[Rule, ...] = (
    Rule("encoding", repair_encoding, needs_encoding),
    Rule("entities", unescape, needs_unescaping),
    Rule("tags", strip_tags, needs_stripping),
    Rule(
        "emphasis",
        lambda text: _EMPHASIS.sub(lambda words: words[2] if _HAS_CJK.search(words[2]) else words[0], text),
        re.compile(r"[*=]{2}").search,
    ),
    Rule("latex", to_plain_text, needs_plain_text),
    Rule("characters", unify_characters, needs_characters),
    Rule("traditional", simplify, needs_simplifying),
    Rule("gloss", _without_glosses, re.compile(f"[（(][a-zü]{{0,5}}[{_TONED}]").search),
    Rule("paragraph_mark", lambda text: _PARAGRAPH_MARK.sub("", text), re.compile(r"\^p").search),
    Rule("lost_ellipsis", lambda text: _LOST_ELLIPSIS.sub("……", text), re.compile(r"\?\?").search),
    Rule("repeated_marks", _single_marks, re.compile("[？?！!]{2}").search),
    Rule("letters_in_words", _correct_letters, re.compile(r"[A-E]\.").search),
    Rule("misread_digits", _correct_digits, re.compile(r"[lI]|\d[土一]\d").search),
    Rule("blank", _fill_blanks, re.compile(r"（(?! ）)|[(【〔\[﹙〖［_＿]").search),
    Rule("signs", to_chinese_signs, needs_signs),
    Rule("spaces", normalize_spaces, needs_spacing),
)


def is_plain(text: str) -> bool:
    """Return whether it is certain that no rule changes a text: a fast check that returns False if in doubt."""
    return bool(_PLAIN.fullmatch(text))


def normalize(text: str) -> CleanText:
    """Return a normalized text and the names of the rules that changed it."""
    if _PLAIN.fullmatch(text):
        return CleanText(text, ())
    filled = _PLAIN_BLANK.sub(BLANK, text)
    if _PLAIN.fullmatch(filled):  # most stems; the rules would change nothing more
        return CleanText(filled, ("blank",))
    filled = _WIDE_BLANK.sub(BLANK, filled)
    if not _PLAIN.fullmatch(filled):
        return run_rules(text, RULES)
    return CleanText(filled, ("characters",) if text.replace("（\u3000）", BLANK) == filled else ("characters", "blank"))


def normalize_with(text: str, rules: Sequence[Rule], normal: bool = False) -> CleanText:
    """Normalize a text and apply further rules, until neither changes it; `normal` says that it is already normalized."""
    cleaned = CleanText(text, ()) if normal else normalize(text)
    names = cleaned.rules
    for _ in range(_AT_MOST_ROUNDS):
        changed = run_rules(cleaned.text, rules)
        if not changed.rules:
            break
        cleaned = normalize(changed.text)
        names = (*names, *changed.rules, *cleaned.rules)
        if cleaned.text == changed.text:  # no rule would change anything more
            break
    return CleanText(cleaned.text, tuple(dict.fromkeys(names))) if names else cleaned
