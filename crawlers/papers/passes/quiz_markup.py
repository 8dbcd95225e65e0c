"""Questions in the markup of R/exams (Rmd, Rnw) and of MediaWiki's Quiz extension -> lines of a paper. Numbered lines in and out."""

import re
from collections.abc import Iterator, Sequence

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.passes.signed_blocks import written
from crawlers.papers.signs.answer_marks import Numbered

Parts = list[tuple[int, str, str]]
_SECTION = re.compile(
    r"\s{0,9}(?:#{1,4}\s{0,3})?(?P<name>question|answerlist|solution|meta-?information)\s{0,3}(?:\{[^{}]{0,60}\})?\s{0,9}#{0,4}\s{0,9}"
    r"|\s{0,9}\\(?P<side>begin|end)\{(?P<environment>question|answerlist|solution)\}\s{0,9}",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"\s{0,9}(?:={3,200}|-{3,200})\s{0,9}")
_ITEM = re.compile(r"\s{0,9}(?:[*+-]|\\item|\d{1,2}[.)])\s{1,9}(?P<words>\S.{0,2000})$")
_FIELD = re.compile(
    r"\s{0,9}\\?ex(?P<name>[a-z]{2,20})(?:\[[^\]]{0,40}\])?\s{0,3}(?::|\{)\s{0,4}(?P<value>[^{}]{0,400}?)\}?\s{0,9}", re.IGNORECASE
)
_CHOSEN = re.compile("[01]{2,10}")
_VERDICT_ALONE = re.compile(rf"(?:{SURE_VERDICT}|richtig|falsch)[.。]?", re.IGNORECASE)

_QUIZ = re.compile(r"<quiz\b[^<>]{0,200}>|</quiz\s{0,3}>", re.IGNORECASE)
_SETTING = r"(?:type|coef|shuffle\w{0,12}|title|source)\s{0,3}=\s{0,3}(?:\"[^\"]{0,200}\"|[^\s|}]{0,200})"
_PARAMETER = re.compile(rf"\|\s{{0,3}}{_SETTING}(?:\s{{1,9}}{_SETTING}){{0,9}}", re.IGNORECASE)
_TO_TYPE = 'type="{}"'
_SIGNED = re.compile(r"\s{0,9}(?P<sign>[+-])\s{0,4}(?P<words>[^\s+-].{0,2000})$")
_FEEDBACK = re.compile(r"\s{0,9}\|\|\s{0,4}(?P<words>\S.{0,2000})$")
_TYPED = re.compile(r"\{\s{0,4}(?P<words>[^{}|]{1,400}?)\s{0,4}(?:_\d{1,3}\s{0,3})?(?:\|[^{}]{0,200})?\}")
"""A gap to type into, with its answer: `{ 感觉 _6 }`."""


def label_quiz_markup(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines of such a file as those of a paper; other texts unchanged."""
    sections = [_SECTION.fullmatch(text) for _, text in lines]
    if any(match and (match["environment"] or match["name"]).lower() == "answerlist" for match in sections) and any(
        "ex" in text and _FIELD.fullmatch(text) for _, text in lines
    ):
        questions = _of_exams(lines, sections)
    elif any("<" in text and _QUIZ.search(text) for _, text in lines):
        questions = _of_wiki(lines)
    else:
        return list(lines)
    done: list[Numbered] = []
    for number, (parts, below) in enumerate(filter(lambda question: question[0], questions), 1):
        is_lettered = sum(kind in ("option", "right") for _, kind, _ in parts) <= len(LETTERS)
        done += [*written(parts, number), *below] if is_lettered else [(index, words) for index, _, words in parts]
    return done


def _of_exams(lines: Sequence[Numbered], sections: Sequence[re.Match[str] | None]) -> Iterator[tuple[Parts, list[Numbered]]]:
    """Yield the stem and options of each exercise, and below them its explanation."""
    parts: Parts = []
    reasons: list[Numbered] = []
    answer = ""
    section, in_list = "", False
    for position, (index, text) in enumerate(lines):
        if match := sections[position]:
            name = (match["environment"] or match["name"]).lower()
            in_list = name == "answerlist" and match["side"] != "end"
            if name == "question" and match["side"] != "end":
                yield _exercise(parts, answer), reasons
                parts, reasons, answer = [], [], ""
            section = section if name == "answerlist" else "" if match["side"] == "end" else name
        elif position and sections[position - 1] and _UNDERLINE.fullmatch(text):
            continue
        elif field := _FIELD.fullmatch(text):
            answer = field["value"].strip() if field["name"].lower() == "solution" else answer
        elif section == "question" and text.strip():
            item = _ITEM.match(text) if in_list else None
            kind = "option" if item else parts[-1][1] if parts else "stem"
            parts.append((index, kind if item or kind == "stem" else "more", item["words"] if item else text.strip()))
        elif section == "solution" and text.strip():
            item = _ITEM.match(text) if in_list else None
            words = item["words"] if item else text.strip()
            reasons += [] if _VERDICT_ALONE.fullmatch(words.strip()) else [(index, words if reasons else f"解析：{words}")]
    yield _exercise(parts, answer), reasons


def _exercise(parts: Parts, answer: str) -> Parts:
    """Return the parts of an exercise with its options marked right, `01000`, or with its answer below."""
    options = [at for at, (_, kind, _) in enumerate(parts) if kind == "option"]
    if not parts:
        return []
    if options and _CHOSEN.fullmatch(answer) and len(answer) == len(options):
        right = {at for at, sign in zip(options, answer, strict=True) if sign == "1"}
        return [(index, "right" if at in right else kind, words) for at, (index, kind, words) in enumerate(parts)]
    return [*parts, (parts[-1][0], "rest", f"答案：{answer}")] if answer and not options else parts


def _of_wiki(lines: Sequence[Numbered]) -> Iterator[tuple[Parts, list[Numbered]]]:
    """Yield the stem and options of each question within `<quiz>`, and below them the feedback to its right options."""
    parts: Parts = []
    reasons: list[Numbered] = []
    in_quiz = in_stem = to_type = False
    for index, text in lines:
        if tag := _QUIZ.search(text):
            in_quiz = not tag[0].startswith("</")
            yield parts, reasons
            parts, reasons, in_stem = [], [], False
            continue
        if not in_quiz:
            continue
        words = text.strip()
        if words.startswith("{") and not in_stem and not (to_type and _TYPED.fullmatch(words)):
            yield parts, reasons
            parts, reasons, in_stem, to_type, words = [], [], True, False, words[1:]
        if in_stem:
            to_type = to_type or _TO_TYPE in words.replace(" ", "")
            in_stem = not words.endswith("}")
            words = _PARAMETER.sub("", words if in_stem else words[:-1]).strip()
            parts += [(index, "stem", words)] if words else []
        elif signed := _SIGNED.match(text):
            parts.append((index, "right" if signed["sign"] == "+" else "option", signed["words"]))
        elif feedback := _FEEDBACK.match(text):
            reasons += [(index, f"解析：{feedback['words']}")] if parts and parts[-1][1] == "right" else []
        elif to_type and (typed := _TYPED.fullmatch(words)):
            parts.append((index, "rest", f"答案：{typed['words']}"))
        elif words:
            parts.append((index, parts[-1][1] if parts and parts[-1][1] == "stem" else "more", words))
    yield parts, reasons
