"""Stems and prose of a paper without printed additions; the rules are in marks.py."""

import re
from functools import lru_cache

from atomexam.text.option_letters import letters_in
from curation.clean.wording.answer_keys import is_placeholder, read_verdict
from curation.clean.wording.marks import ANSWER_RULES, PROSE_RULES, STEM_RULES
from curation.clean.wording.options import OPTION_RULES
from curation.text.characters import CJK
from curation.text.markup import BLANK
from curation.text.normalize import RULES, normalize_with
from curation.text.rules import CleanText

TEXT_RULES = {rule.name: rule for rule in (*RULES, *STEM_RULES, *ANSWER_RULES, *OPTION_RULES)}
"""All rules for single texts, by name."""
_CACHED_CHARS = 4_000
_LETTERS_IN_STEM = re.compile(r"[（(【\[［]\s*+[A-Ja-j](?:[、，,\s]*+[A-Ja-j])*+\s*+[.．、]?\s*+[）)】\]］]|（ ）[A-J]{1,6}（ ）")
_VERDICT_IN_STEM = re.compile(r"^[（(【\[][^（）()【】\[\]]{1,2}[）)】\]]|[（(【\[][^（）()【】\[\]]{1,2}[）)】\]](?=[。？！.?!]?$)")
_GAP = re.compile(rf"(?<=[{CJK}，、“《：])[ \u3000\xa0]{{3,12}}(?=[{CJK}，、。；”》])|(?<=[{CJK}])[ \u3000\xa0]{{2}}(?=[{CJK}])")
_NUMBER = re.compile(r"\s{0,9}第\s?[\d一二三四五六七八九十百]{1,5}\s?题\s{1,12}")
"""The number of a question and the blanks after it, which are not a gap."""
_SPACED = re.compile(f"(?<=[{CJK}])[ \u3000\xa0](?=[{CJK}])")
_MOST_GAPS = 4
_ASKS_WITHOUT_BLANK = re.compile("(?:[是为有于的者]|包括|如下)[:：]?$|[^）)】\\]][？?]$")  # 与血型（B）有关的是


def open_gaps(stem: str) -> str:
    """Return a raw stem with a blank where a paper left a gap to fill: `倡导的“    ”的命题`.

    Blanks between words are not gaps if they occur all over the stem, as in tables and in scanned words with wide spacing.
    """
    if "  " not in stem and "\u3000" not in stem and "\xa0" not in stem:
        return stem
    number = match.end() if (match := _NUMBER.match(stem)) else 0
    opened, gaps = _GAP.subn(BLANK, stem[number:])
    opened = stem[:number] + opened
    return opened if 0 < gaps <= _MOST_GAPS and not _SPACED.search(opened) else stem


_OPEN_END = re.compile(r"\s{0,9}[，、；,;]$")
_CLAUSE_END = re.compile("[，,；;。？?！!\\n]")
_ASKS = re.compile(r"下列|(?<![\d岁])以下|哪|(?<!任)何|什么|[是为有含括指于在和与及或的称]$")  # not 3岁以下, nor 任何


def close_end(stem: str, has_options: bool) -> str:
    """Return a normalized stem that asks in its last clause without the comma at its end, or with the other bracket of a blank there."""
    opens_blank = has_options and stem.endswith("（")
    asked = stem[:-1] if opens_blank else _OPEN_END.sub("", stem)
    if asked == stem or not (BLANK in asked or _ASKS.search(_CLAUSE_END.split(asked.rstrip("？?：:。"))[-1])):
        return stem
    return f"{asked}{BLANK}" if opens_blank else asked


def clean_stem(text: str, normal: bool = False) -> CleanText:
    """Return the cleaned stem; `normal` says that the text is normalized."""
    return normalize_with(text, STEM_RULES, normal)


def clean_prose(text: str | None) -> CleanText:
    """Return an explanation or a case, with its lines. An empty one is `""`."""
    if not text:
        return CleanText("", ())
    return _clean_prose(text) if len(text) <= _CACHED_CHARS else normalize_with(text, PROSE_RULES)


@lru_cache(maxsize=1 << 10)  # the questions of one case are processed in succession
def _clean_prose(text: str) -> CleanText:
    return normalize_with(text, PROSE_RULES)


def clean_answer(text: str | None) -> CleanText:
    """Return an answer in words. An empty one is `""`."""
    return normalize_with(text, ANSWER_RULES) if text else CleanText("", ())


def clean_explanation(text: str | None) -> str | None:
    """Return an explanation, None if it is a placeholder."""
    explanation = clean_prose(text).text
    return None if not explanation or is_placeholder(explanation) else explanation


def open_blank(stem: str, answer: str | None, true_or_false: bool = False) -> str:
    """Return a stem without the answer in its blank."""
    if answer is None or BLANK in stem.replace(f"{BLANK}{answer}{BLANK}", ""):
        return stem
    if true_or_false:
        verdict = _VERDICT_IN_STEM.search(stem)
        return stem[: verdict.start()] + BLANK + stem[verdict.end() :] if verdict and read_verdict(verdict[0][1:-1]) == answer else stem
    brackets = list(_LETTERS_IN_STEM.finditer(stem))
    if len(brackets) != 1 or _ASKS_WITHOUT_BLANK.search(stem):
        return stem
    letters = "".join(sorted(set(letters_in(brackets[0][0]))))
    return stem[: brackets[0].start()] + BLANK + stem[brackets[0].end() :] if letters == answer else stem
