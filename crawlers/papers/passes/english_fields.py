"""Field names of English question banks, replaced by the Chinese ones. Numbered lines in and out."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, Numbered, flat

_ENGLISH = re.compile(
    r"\s{0,8}(?:[-*+•>]\s{1,3})?(?:\*\*|__)?(?:(?P<stem>(?:question\s)?stem|question(?:\s?text)?|prompt)|(?P<options>(?:answer\s)?(?:options|choices))"
    r"|(?:option|choice)\s(?P<letter>[A-J])|(?P<type>(?:question\s)?type)"
    r"|(?P<answer>(?:correct|right)(?:\s(?:answer|option|choice|response)s?)?|answer\skey)"
    r"|(?P<explanation>rationale|explanation|feedback|reason(?:ing)?))"
    r"\s?(?:\*\*|__)?\s?(?::(?:\*\*|__)?|(?<=[A-J])[.)]|$)\s{0,3}",
    re.IGNORECASE,
)
"""Fields as English banks name them, `Stem:`, `Options`, `Correct: B`."""
NAMES_ANSWER = "rR"
"""In every name of the answer's field, without which no field is read as one: correct, right, answer key."""
_ENGLISH_TYPES = (
    (re.compile(r"multiple\s?[- ](?:response|answers?|select)|select all|multi-?select|checkbox", re.I), "多选题"),
    (re.compile(r"single|multiple\s?[- ]choice|one answer|radio", re.I), "单选题"),  # what English calls multiple choice has one answer
    (re.compile(r"true\s?(?:/|or)\s?false", re.I), "判断题"),
)
_NOTHING = re.compile(r"\s{0,9}(?:n/?a|none|null|-{1,3}|nil)?[.]?\s{0,9}", re.I)
_FEWEST_LINES = 2


def fields_in_chinese(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines with English field names replaced by the Chinese ones; words under `Type:` become a tag of the stem."""
    matches = [_ENGLISH.match(flat(text)) for _, text in lines]
    counts = Counter(match.lastgroup for match in matches if match)
    answers = [flat(text)[match.end() :] for (_, text), match in zip(lines, matches, strict=True) if match and match.lastgroup == "answer"]
    has_answers = len(answers) > _FEWEST_LINES and all(map(WHOLE_ANSWER.fullmatch, answers))
    if counts["answer"] < _FEWEST_LINES or not (has_answers or max(counts["stem"], counts["options"], counts["letter"]) >= _FEWEST_LINES):
        yield from lines
        return
    tag = ""
    for (index, text), match in zip(lines, matches, strict=True):
        kind = match.lastgroup if match else None
        if match is None or kind is None or (kind == "stem" and not text[match.end() :].strip()):
            yield index, text
            continue
        words = text[match.end() :]
        if kind == "type" and not (tag := next((f"【{name}】" for form, name in _ENGLISH_TYPES if form.search(words)), "")):
            yield index, text
        elif kind == "stem":
            yield index, f"{tag}{words}"
            tag = ""
        elif kind == "letter":
            yield index, f"{match['letter'].upper()}. {words}"
        elif kind in ("answer", "explanation") and not _NOTHING.fullmatch(flat(words)):
            yield index, f"{'答案' if kind == 'answer' else '解析'}：{words}"
        elif kind == "options" and words.strip():
            yield index, words
