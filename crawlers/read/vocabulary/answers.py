"""Find the answer to one question: after its mark, in its blank, after its stem or options, or in its explanation."""

import re

from msgspec import Struct, structs

from atomexam.text.numerals import CIRCLED_NUMBERS
from atomexam.text.option_letters import CIRCLED_AS_LETTERS, LETTERS, letters_in
from atomexam.text.verdicts import VERDICT
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat

TICKED, EMPTY = "☑☒■●◼◉", "☐□○◻◯"
"""Check boxes and circles, as printed in papers."""
_SMALL = r"[A-Ja-j](?:[ ,、;./]{0,2}[A-Ja-j]){0,9}"
_CAPITAL = r"[A-J](?:[\s,、]{0,3}[A-J]){0,9}"
_BLANK_FILLED = re.compile(rf"(?:[(\[【]|__)[\s_]{{0,20}}(?P<answer>{_SMALL})[\s_]{{0,20}}(?:[)\]】]|__)")
_BLANK_EMPTY = re.compile(r"\(\s{0,30}\)|【\s{0,30}】|\[\s{0,30}\]")
_WORD_WRAPPED = r"(?:(?<=维生素)|(?<=维他命))\s?\n"  # the letter on the next line ends the word
_BEHIND = re.compile(
    rf"(?:(?<=[)\]】。?:_])|(?<=[\u4e00-\u9fff])(?!{_WORD_WRAPPED})\s{{1,20}}|(?<=\d)\s{{3,20}})"
    r"\s{0,20}(?P<bracket>[(\[【]\s{0,3})?(?P<answer>[A-J](?:[ ,、]{0,2}[A-J]){0,9})(?(bracket)\s{0,3}[)\]】])\s{0,3}[。.]?$"
)
"""Letters after a blank or the end of a sentence: `……称为（ ）。C`, `……称为（ ）。【C】`."""
_VERDICT_AT_END = re.compile(
    rf"[(\[【]\s{{0,6}}(?P<bracketed>{VERDICT})\s{{0,6}}[)\]】]\s{{0,3}}[。.?]?$|\s(?P<bare>√|×)\s?$|(?P<tight>[√×])$"
    r"|(?<=[\s。.)])\s{0,20}(?P<initial>[TF])$"
)
_VERDICT_AT_START = re.compile(rf"[(\[【]\s{{0,6}}(?P<bracketed>{VERDICT})\s{{0,6}}[)\]】]\s{{0,3}}|(?P<bare>[√×])\s{{0,3}}")
_WORDS_FILLED = re.compile(r"_{2,60}\s{0,3}(?P<words>[^\s_(][^_\n]{0,39}?)\s{0,3}_{2,60}")
_JOINING = re.compile(
    r"[和与及或、,;。.:与以是为有在即由]|以及|、?\S?[和与及、]\S?|(?:主要|又|可|应|也|都|被|则|常)?(?:是|分为|分|称为|称|叫做?|包括|属于|位于|由|有|见于|来自|取决于|等于|大于|小于)"
    r"|[的是为和与及在由].{0,39}|.{0,39}[是为有于由的和与及]"
)
"""Words between two blanks."""
_BRACKET_FILLED = re.compile(r"(?<=[是即叫括、和与及或指为有在])\s{0,3}\(\s{0,6}[^()\s\d][^()\n]{0,39}\)")
_ANY_BLANK = re.compile(r"\(\s{0,30}\)|【\s{0,30}】|\[\s{0,30}\]|_|[^\S\n]{3}|\?|[.…]{3}|[—-]{3}")
_REASON = re.compile(
    rf"(?P<answer>(?P<letters>{_CAPITAL})|{VERDICT})\s{{0,3}}(?:[。.,;\s]\s{{0,3}}|(?(letters)(?=[\u4e00-\u9fff(\[])|(?::\s{{0,3}}|(?=[(\[]))))"
    r"(?P<reason>(?:.|\n){2,})"
)
"""An answer and the words after it."""
_LETTER_OPENS = re.compile(r"[(\[【]?\s?(?P<letter>[A-Ja-j])\s?[)\]】]?\s?[.、:)]?\s{0,9}")
_LETTER_WITH_WORDS = re.compile(r"(?P<letters>[A-J]{1,8})\s?[(.、:]\s?[^\s()]")
_SEVERAL_WITH_WORDS = re.compile(r"[A-J]\s?[(.、:]\s?[^\s()].{0,400}?[);、,\s]\s?[A-J]\s?[(.、:]\s?\S", re.DOTALL)
_BEHIND_OPTIONS = re.compile(
    r"(?:\n\s{0,3}(?P<open>[(\[【])?\s{0,3}|\s{1,20}(?P<bracket>[(\[【])\s{0,3}|(?<=\S)(?:\t\s{0,4}|[^\S\n]{3,20}))(?P<answer>[A-J]{1,6})"
    r"\s{0,3}(?(open)[)\]】])(?(bracket)[)\]】])\s{0,4}$"
)
"""Answer letters below the last option, or after it in brackets or separated by wide space."""
_CHOSEN = re.compile(r"(?:故|因此|所以)?(?:本题)?(?:正确)?(?:答案)?(?:应|为|是)?选(?:择|项)?\s?(?P<letters>[A-J]{1,6})(?![A-Za-z])")
_NO_ANSWER = re.compile(r"[(\[]?\s?(?:略|暂无|暂缺|[?]{1,3}|-{1,4}|见解析|见上|待补充?|待定|未知|答案略|无答案|暂无答案|缺)\s?[)\]]?[。.]?")
_EMPTY_AT_END = re.compile(r"\s?[(\[]\s{0,20}[)\]]\s?$")
Parted = tuple[str, str] | None
"""A stem without its answer, and the answer."""


class QuestionBlock(Struct, frozen=True):
    """One question as read from its lines, with raw texts."""

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
    """A site's remarks on the question, such as its difficulty and the visitor's own answer."""
    worded: bool = True
    """False if no words follow the number."""
    ringed: bool = False
    """Whether its options have circled numbers as their letters."""
    unambiguous: bool = False
    """Whether its options can be found regardless of the usual number of options."""
    rows: list[str] = []
    """The lines of the stem, from which options without letters can still be taken."""


def states_none(answer: str) -> bool:
    """Return whether the text after an answer or explanation mark says that there is none."""
    return _NO_ANSWER.fullmatch(flat(answer)) is not None


def with_marked(block: QuestionBlock, answers: list[str]) -> QuestionBlock:
    """Return the question with the answer that follows a mark; a repeated answer does not count as a second one."""
    stated = [answer if any(sign in answer for sign in "（(【[") else answer.rstrip("）)】]") for answer in answers if answer]
    stated = [answer for answer in stated if not states_none(answer)]
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
    """Return the question with its answer, which is removed from the text where it was found.

    Args:
        start: index where the stem begins, after the number.
        verdict: true or false before the number.
        kind: the kind of question stated by the heading above, as returned by headings.kind_of.
        letters: letters of the options shared with other questions.
    """
    if block.options and not block.answer and (behind := _BEHIND_OPTIONS.search(flat(block.options[-1]), 2)):
        block = structs.replace(
            block,
            options=[*block.options[:-1], block.options[-1][: behind.start()]],
            answer=block.options[-1][slice(*behind.span("answer"))],
        )
    own = LETTERS[: len(block.options)] or letters
    if block.options and (slipped := _LETTER_WITH_WORDS.match(flat(block.answer or ""))) and slipped[0][0] not in own:
        block = structs.replace(block, sure_options=False)  # a mark within the options, which continue after it: `B.乙（答案）C.丙`
    if own:
        block = _read_letters(block, start, own)
    if not own or (kind == "verdict" and not letters):
        block = _read_verdict(block, start, kind)
    if verdict and not block.answer and (not own or verdict in own or kind == "verdict"):
        block = structs.replace(block, answer=verdict)
    if own and block.options:
        block = _named_with_words(block, own)
    if own or kind == "verdict":
        block = _part_reason(block)
    if own and not block.answer and block.explanation:
        block = structs.replace(block, answer=_answer_by(block.explanation))
    return block


def _read_letters(block: QuestionBlock, start: int, own: str) -> QuestionBlock:
    filled = letters_in_blank(block.stem, own, start)
    if not filled or _bare(block.answer or filled[1]) != _bare(filled[1]):
        filled = None if block.answer else _letters_behind(block.stem, own, start)
    return structs.replace(block, stem=filled[0], answer=filled[1]) if filled else block


def letters_in_blank(stem: str, letters: str, start: int = 0) -> Parted:
    """Return a stem with its blank emptied, and the letters from the blank: `……称为（ B ）。`."""
    line = flat(stem)
    filled = [match for match in _BLANK_FILLED.finditer(line, start) if set(letters_in(match["answer"])) <= set(letters)]
    return _emptied(stem, filled[0]) if len(filled) == 1 and not _BLANK_EMPTY.search(line) else None


def _emptied(stem: str, match: re.Match[str]) -> tuple[str, str]:
    return stem[: match.start()] + "（ ）" + stem[match.end() :], stem[match.start("answer") : match.end("answer")]


def _letters_behind(stem: str, letters: str, start: int) -> Parted:
    """Return a stem without the letters at its end that are its answer, and these letters."""
    line = flat(stem)
    match = _BEHIND.search(line, max(start, len(stem) - 60))
    if match is None or not set(letters_in(match["answer"])) <= set(letters) or (match["bracket"] and not _BLANK_EMPTY.search(line, start)):
        return None
    return stem[: match.start()].rstrip(), stem[match.start("answer") : match.end("answer")]


def _read_verdict(block: QuestionBlock, start: int, kind: str) -> QuestionBlock:
    parted = _verdict_in(block.stem, start)
    if parted and flat(parted[1]) in ("√", "×") and block.stem.count("\n") > 1:
        return structs.replace(block, sure_options=False)  # the tick belongs to an option without a letter
    if parted and _bare(block.answer or parted[1]) == _bare(parted[1]):
        block = structs.replace(block, stem=parted[0], answer=block.answer or parted[1])
    if kind == "verdict" and (empty := _EMPTY_AT_END.search(flat(block.stem), start)):
        block = structs.replace(block, stem=block.stem[: empty.start()])
    return block


def _verdict_in(text: str, start: int) -> Parted:
    """Return a stem without the verdict at its end or after its number, and the verdict: `……。（√）`, `3.(√)……`, `…… √`."""
    line = flat(text)
    if match := _VERDICT_AT_END.search(line, start):
        return text[: match.start()].strip(), text[slice(*match.span(match.lastgroup or 0))]
    if match := _VERDICT_AT_START.match(line, start):
        return text[:start] + text[match.end() :], text[slice(*match.span(match.lastgroup or 0))]
    return None


def _named_with_words(block: QuestionBlock, own: str) -> QuestionBlock:
    """Return answers such as `A（甲）；C（丙）` and `AC:甲;丙` as AC if the words match the options; several letters with other words are
    doubted."""
    answer = flat(block.answer or "")
    if WHOLE_ANSWER.fullmatch(answer) or not (named := _LETTER_WITH_WORDS.match(answer)):
        return block
    words = {
        letter: _squeezed(_LETTER_OPENS.sub("", flat(option).strip(), count=1)) for letter, option in zip(own, block.options, strict=False)
    }
    letters, rest = "", _squeezed(answer)
    if rest == named["letters"] + "".join(words.get(letter, "") for letter in named["letters"]):
        return structs.replace(block, answer=named["letters"])
    for letter, said in words.items():
        if rest.startswith(letter + said):
            letters, rest = letters + letter, rest[1 + len(said) :]
    if not rest:
        return structs.replace(block, answer=letters)
    return structs.replace(block, sure_answer=False) if _SEVERAL_WITH_WORDS.match(answer) else block


def _squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _part_reason(block: QuestionBlock) -> QuestionBlock:
    """Return 【答案】B。因为…… split into the answer and its explanation."""
    answer = block.answer or ""
    if WHOLE_ANSWER.fullmatch(flat(answer)) or not (parted := _REASON.match(flat(answer))):
        return block
    explanation = "\n".join(filter(None, (answer[parted.start("reason") :], block.explanation)))
    return structs.replace(block, answer=answer[: parted.end("answer")], explanation=explanation)


def _answer_by(explanation: str) -> str | None:
    """Return the letters that conclude an explanation: ……故选B。"""
    chosen = {match["letters"] for match in _CHOSEN.finditer(flat(explanation))}
    return chosen.pop() if len(chosen) == 1 else None


def lacks_blank(stem: str, start: int = 0) -> bool:
    """Return whether a fill-in stem has no empty blank, or has words in one blank next to an empty one."""
    line = flat(stem)
    filled = [match["words"] for match in _WORDS_FILLED.finditer(line, start)]
    runs = len(re.findall("_{2,60}", line))
    words = [word for word in filled if not _JOINING.fullmatch(word) and not set(word) & set("、,。;")]
    if words and (runs == 2 * len(filled) or any(len(word) > 1 for word in words)):
        return True
    return _ANY_BLANK.search(line, start) is None or ("_" not in line and _BRACKET_FILLED.search(line, start) is not None)


def lettered(answer: str) -> str | None:
    """Return an answer in circled numbers as letters."""
    signs = re.sub(r"[\s,、，]", "", answer)
    return signs.translate(CIRCLED_AS_LETTERS) if signs and set(signs) <= set(CIRCLED_NUMBERS) else None


def _bare(answer: str) -> str:
    return re.sub(r"[\s,、;.。|/+&和及与()\[\]【】]", "", flat(answer)).upper()
