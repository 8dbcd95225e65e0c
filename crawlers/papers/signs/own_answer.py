"""The answer of one question: after its mark, in its blank, after its stem or its options, or in its explanation."""

import re

from msgspec import Struct, structs

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import VERDICT
from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, flat, verdict_in
from crawlers.papers.signs.blanks import filled_blanks, letters_behind, letters_in_blank

_LETTERS = r"[A-J](?:[\s,、]{0,3}[A-J]){0,9}"
_REASON = re.compile(rf"(?P<answer>{_LETTERS})\s{{0,3}}(?:[。.,;\s]\s{{0,3}}|(?=[\u4e00-\u9fff(\[]))(?P<reason>(?:.|\n){{2,}})")
_VERDICT_REASON = re.compile(rf"(?P<answer>{VERDICT})\s{{0,3}}(?:[。.,;:\s]\s{{0,3}}|(?=[(\[]))(?P<reason>(?:.|\n){{2,}})")
_OPTION_INSTEAD = re.compile(r"[(\[]?(?P<letter>[A-J])\s?[.、:)\]]\s{0,3}[^\sA-J]")
_OPTION_LETTER = re.compile(r"^\s{0,9}[(\[【]?\s?[A-Ja-j]\s?[)\]】]?\s?[.、:)]?\s{0,9}")
_LETTER_WITH_WORDS = re.compile(r"[A-J]\s?[(.、:]\s?[^\s()]")
_SEVERAL_WITH_WORDS = re.compile(r"[A-J]\s?\([^()]{1,200}\)\s?[;、,]\s?[A-J]\s?\(")
"""Several letters, each with words in brackets."""
_OPTIONS_BELOW = re.compile(r"[^\n]{2,400}(?:[?:]|[是为有](?:什么|哪[项种些个一])?|\(\s{0,9}\)[。.]?)\n[^\n]{1,60}\n[^\n]{1,60}")
"""A stem that asks for one of the lines below it."""
_ALONE = re.compile(r"[(\[【]?\s{0,3}(?P<answer>[A-J]{1,6})\s{0,3}[)\]】]?")
_BEHIND_OPTION = re.compile(r"\s{1,20}[(\[【]\s{0,3}(?P<answer>[A-J]{1,6})\s{0,3}[)\]】]$")
_BEHIND_TAB = re.compile(r"(?<=\S)(?:\t\s{0,4}|\s{3,20})(?P<answer>[A-J]{1,6})\s{0,4}$")
_CHOSEN = re.compile(r"(?:故|因此|所以)?(?:本题)?(?:正确)?(?:答案)?(?:应|为|是)?选(?:择|项)?\s?(?P<letters>[A-J]{1,6})(?![A-Za-z])")
_CORRECTED = re.compile(r"[(\[【]\s{0,6}(?P<answer>√|×|错误?)\s{0,6}[)\]】]\s{0,3}(?=(?:正确|应|改|理由|因为|解析|错误|更正))")
_NO_ANSWER = re.compile(r"[(\[]?\s?(?:略|暂无|暂缺|[?]{1,3}|-{1,4}|见解析|见上|待补充?|待定|未知|答案略|无答案|暂无答案|缺)\s?[)\]]?[。.]?")
_OPENING_BRACKET = re.compile(r"[（(【\[]")
_EMPTY_AT_END = re.compile(r"\s?[(\[]\s{0,20}[)\]]\s?$")


class QuestionBlock(Struct, frozen=True):
    """One question as its lines show it; raw texts."""

    stem: str = ""
    options: list[str] = []
    answer: str | None = None
    explanation: str | None = None
    sure_options: bool = True
    """False if a letter of the options is missing or out of sequence."""
    sure_answer: bool = True
    """False if two different answers are given."""
    after: list[str] = []
    """Lines after the question that belong to what follows."""
    remarks: list[str] = []
    """A site's remarks on the question: its difficulty, the visitor's own answer."""
    worded: bool = True
    """False if no words follow the number."""
    ringed: bool = False
    """Circled numbers are the letters of its options."""
    unambiguous: bool = False
    """It has options, and reads the same whatever number of them is usual."""
    rows: list[str] = []
    """The lines of the stem, from which options without letters can still be taken."""


def with_marked(block: QuestionBlock, answers: list[str]) -> QuestionBlock:
    """Return the question with the answer stated by a mark; a second one with the same content is not another answer."""
    stated = [answer.rstrip("）)】]") if not _OPENING_BRACKET.search(answer) else answer for answer in answers if answer]
    stated = [answer for answer in stated if not _NO_ANSWER.fullmatch(flat(answer))]
    if not stated:
        return block
    whole = [WHOLE_ANSWER.fullmatch(flat(answer)) is not None for answer in stated]
    again = [other for other, is_whole in zip(stated[1:], whole[1:], strict=True) if is_whole and whole[0]]
    further = [other for other, is_whole in zip(stated[1:], whole[1:], strict=True) if not (is_whole and whole[0])]
    return structs.replace(
        block,
        answer=stated[0],
        sure_answer=block.sure_answer and all(_bare(other) == _bare(stated[0]) for other in again),
        explanation="\n".join(filter(None, (block.explanation, *further))) if further else block.explanation,
    )


def with_answer(block: QuestionBlock, start: int, verdict: str, kind: str, letters: str) -> QuestionBlock:
    """Return the question with its answer taken from its place in the text, and removed there.

    Args:
        start: where the words of the stem begin after the number.
        verdict: true or false before the number.
        kind: the kind stated by the heading above, as returned by headings.kind_of.
        letters: letters of the options that are shared with other questions.
    """
    if block.options and not block.answer:
        block = _read_behind_options(block)
    own = LETTERS[: len(block.options)] or letters
    if block.options and (slipped := _OPTION_INSTEAD.match(flat(block.answer or ""))) and slipped["letter"] not in own:
        block = structs.replace(block, sure_options=False)  # a mark within the options, which continue after it: `B.乙（答案）C.丙`
    if own:
        block = _read_letters(block, start, own)
    if not own or (kind == "verdict" and not letters):
        block = _read_verdict(block, start, kind)
    if verdict and not block.answer and (not own or verdict in own or kind == "verdict"):
        block = structs.replace(block, answer=verdict)
    if (kind == "blank" or (kind == "" and not own)) and not block.answer and (filled := filled_blanks(block.stem, start, kind == "blank")):
        block = structs.replace(block, stem=filled[0], answer=filled[1])
    if own and block.options:
        block = _named_with_words(block, own)
    if own or kind == "verdict":
        block = _part_reason(block, _REASON if own else _VERDICT_REASON)
    if own and not block.answer and block.explanation:
        block = structs.replace(block, answer=_answer_by(block.explanation))
    return block


def _read_behind_options(block: QuestionBlock) -> QuestionBlock:
    """Return letters alone below the last option, or in brackets after it, as the answer."""
    last = block.options[-1]
    line = flat(last[last.rfind("\n") + 1 :])
    alone, behind = _ALONE.fullmatch(line), _BEHIND_OPTION.search(line) or _BEHIND_TAB.search(last[len(last) - len(line) :], 2)
    if alone and len(line) < len(last):
        end, answer = last.rfind("\n"), alone["answer"]
    elif behind:
        end, answer = len(last) - len(line) + behind.start(), behind["answer"]
    else:
        return block
    return structs.replace(block, options=[*block.options[:-1], last[:end]], answer=answer)


def _read_letters(block: QuestionBlock, start: int, own: str) -> QuestionBlock:
    filled = letters_in_blank(block.stem, own, start)
    if not filled or _bare(block.answer or filled[1]) != _bare(filled[1]):
        filled = None if block.answer else letters_behind(block.stem, own, start)
    return structs.replace(block, stem=filled[0], answer=filled[1]) if filled else block


def _read_verdict(block: QuestionBlock, start: int, kind: str) -> QuestionBlock:
    parted = verdict_in(block.stem, start)
    corrected = _CORRECTED.search(flat(block.stem), start)
    if kind in ("verdict", "") and corrected and not block.answer and not parted:
        block = structs.replace(
            block,
            stem=block.stem[: corrected.start()].rstrip(),
            answer=corrected["answer"],
            explanation="\n".join(filter(None, (block.stem[corrected.end() :], block.explanation))),
        )
    if parted and flat(parted[1]) in ("√", "×") and _OPTIONS_BELOW.match(flat(block.stem), start):
        return structs.replace(block, sure_options=False)  # the tick of an option without a letter
    if parted and _bare(block.answer or parted[1]) == _bare(parted[1]):
        block = structs.replace(block, stem=parted[0], answer=block.answer or parted[1])
    if kind == "verdict" and (empty := _EMPTY_AT_END.search(flat(block.stem), start)):
        block = structs.replace(block, stem=block.stem[: empty.start()])
    return block


def _named_with_words(block: QuestionBlock, own: str) -> QuestionBlock:
    """Return `A（甲）；C（丙）` as AC if these are the words of its options; such an answer with other words is doubted."""
    answer = flat(block.answer or "")
    if len(answer) < 2:
        return block
    letters, end = "", 0
    while end < len(answer) and answer[end] in own and answer[end] not in letters:
        stop = _behind_words(answer, end + 1, _OPTION_LETTER.sub("", flat(block.options[own.index(answer[end])]), count=1))
        if not stop:
            break
        letters, end = letters + answer[end], _after_joint(answer, stop)
    if _LETTER_WITH_WORDS.match(answer, end) and (letters or _SEVERAL_WITH_WORDS.match(answer)):
        return structs.replace(block, sure_answer=False)
    if len(letters) < 2:
        return block
    reason = "\n".join(filter(None, ((block.answer or "")[end:].strip(), block.explanation)))
    return structs.replace(block, answer=letters, explanation=reason or None)


def _behind_words(text: str, start: int, words: str) -> int:
    """Return where a text goes on behind words, whatever signs are around them and between their characters; 0 if it has others."""
    for sign in filter(str.isalnum, words):
        start = _after_joint(text, start)
        if text[start : start + 1] != sign:
            return 0
        start += 1
    return start


def _after_joint(text: str, start: int) -> int:
    while start < len(text) and not text[start].isalnum():
        start += 1
    return start


def _part_reason(block: QuestionBlock, pattern: re.Pattern[str]) -> QuestionBlock:
    """Return 【答案】B。因为…… split into the answer and its explanation."""
    answer = block.answer or ""
    if WHOLE_ANSWER.fullmatch(flat(answer)) or not (parted := pattern.match(flat(answer))):
        return block
    explanation = "\n".join(filter(None, (answer[parted.start("reason") :], block.explanation)))
    return structs.replace(block, answer=answer[: parted.end("answer")], explanation=explanation)


def _answer_by(explanation: str) -> str | None:
    """Return the letters that begin or conclude an explanation: 答案解析：B。因为……, ……故选B。"""
    if led := _REASON.match(flat(explanation)):
        return explanation[: led.end("answer")]
    chosen = {match["letters"] for match in _CHOSEN.finditer(flat(explanation))}
    return chosen.pop() if len(chosen) == 1 else None


def _bare(answer: str) -> str:
    return re.sub(r"[\s,、;.。|/+&和及与()\[\]【】]", "", flat(answer)).upper()
