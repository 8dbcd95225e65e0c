"""Find where the questions of a paper state their correct options: parts of questions in, answers out.

No words are known in advance. An answer is what nearly every question has in the same position and what fits its options each time: letters
after the same words, the same sign at some options, letters or a verdict in brackets or at the end of the stem, or entries in a list.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import CODES, VERDICT, VERDICTS, verdict_of
from crawlers.read.lines.form.heads import BULLETS, NEARLY_ALL, Lettered, Row
from crawlers.read.vocabulary.answers import EMPTY, TICKED
from crawlers.read.vocabulary.entries import listed_in, title_in
from crawlers.read.vocabulary.labels import flat, parts_of
from crawlers.read.vocabulary.options import letter_of

_LETTERS = r"[A-J甲乙丙丁戊己庚①-⑩Ⓐ-Ⓙⓐ-ⓙ](?:[\s,、;/|+&和及与]{0,3}[A-J甲乙丙丁戊己庚①-⑩Ⓐ-Ⓙⓐ-ⓙ]){0,9}|[a-j](?:[\s,、;/]{0,3}[a-j]){0,9}"
_TOKEN = re.compile(rf"(?<![A-Za-z\d])(?P<said>{_LETTERS}|{VERDICT})(?![A-Za-z\d]|(?<=[对错是否确误])[\u4e00-\u9fff])")
_BRACKETED = re.compile(rf"[(\[【]\s{{0,9}}(?P<said>{_LETTERS}|{VERDICT})\s{{0,9}}[)\]】]")
_LAST = re.compile(rf"(?:\s|(?<=[。?)\]】]))[(\[【]?(?P<said>{_LETTERS}|{VERDICT})[)\]】]?\s{{0,3}}[。.]?$")
_TRAILING = re.compile(r"(?:[(（\[【<][^()（）\[\]【】<>]{1,12}[)）\]】>]|[^\w\s。)”》%?!,;.…’\"'】\]]{1,3}|(?<=\s)\S{1,8})\s{0,3}$")
_RIGHT = re.compile(r"[^\w\s]|正确|答案|对|right|true|correct|answer|ok|yes", re.IGNORECASE)
_SAYS_TICKED = re.compile(rf"[{TICKED}√✓✔✅]|[(\[][xX√✓✔][)\]]")
_SAYS_EMPTY = re.compile(rf"[{EMPTY}×✗✘❌✕✖╳]|[(\[][)\]]")
_ANNOUNCES = re.compile(
    r"[\W_]*(?:[本此该]题|今日|最终)?(?:正确|参考|标准|最佳|试题|correct|right)?的?"
    r"(?:答案|正解|标答|选项|答|选|key|answers?|ans|solution)?(?:解析|详解)?[\W_]*(?:应?[是为选])?[\W_]*"
)
"""Words that may precede an answer; other words, such as a name or `我选`, show whose answer it is."""
_NAMES_ANSWER = re.compile(r"答案|答|正确|选|answer|key|ans|solution", re.IGNORECASE)
_LONGEST_LABEL, _LONGEST_TITLE, _MOST_TITLES, _ROWS_EACH = 24, 60, 5, 6
"""For a list: the number of titles to try, and the maximum rows per number."""


class Answer(Struct, frozen=True):
    """What a question states as correct."""

    said: str
    """Letters, or a verdict."""
    row: Row | None = None
    """The row that states it."""
    before: str = ""
    after: str = ""
    """The words before and after it on that row."""


Answers = list[Answer | None]
"""The answer of each question."""


def right_letters(said: str, alphabet: str, options: int) -> str:
    """Return the letters of an answer as capitals, or its verdict if the question has no options; empty if it fits no option."""
    if not options:
        return verdict_of(said, VERDICTS | CODES)
    places = [
        alphabet.find(sign) if sign in alphabet and alphabet != BULLETS else LETTERS.find(sign.upper())
        for sign in said
        if sign not in " ,、;/|+&和及与\t\u3000"
    ]
    if not places or min(places) < 0 or max(places) >= options or len(set(places)) < len(places):
        return ""
    return "".join(LETTERS[at] for at in places)


def after_labels(parts: Sequence[Lettered], alphabet: str) -> list[Answers]:
    """Return the answers after each label that nearly all questions have once; prefer labels that name an answer."""
    found: dict[str, dict[int, list[Answer]]] = defaultdict(lambda: defaultdict(list))
    for at, one in enumerate(parts):
        for row in one.tail:
            end = 0
            for match in _TOKEN.finditer(row.flat):
                label = _label(row.flat[end : match.start()])
                if len(label) > _LONGEST_LABEL or (end and not _NAMES_ANSWER.search(label)):
                    break
                if one.options and re.fullmatch(VERDICT, match["said"]) and not right_letters(match["said"], alphabet, len(one.options)):
                    continue  # `答案是：B`
                if right_letters(match["said"], alphabet, len(one.options)):
                    found[label][at].append(Answer(match["said"], row, row.text[: match.start()], row.text[match.end() :]))
                end = match.end()
        for row in one.stem[:-1]:
            if said := alone(row):
                found[_label(row.flat[: row.flat.rindex(said)])][at].append(Answer(said, row))
    columns = []
    for label, answers in found.items():
        once = {at: given[0] for at, given in answers.items() if len(given) == 1}
        if len(once) >= NEARLY_ALL * len(parts) and len(once) >= len(answers) and _ANNOUNCES.fullmatch(label):
            columns.append((bool(_NAMES_ANSWER.search(label)), [once.get(at) for at in range(len(parts))]))
    if not columns and (texts := _as_texts(parts)):
        return [texts]
    named = [answers for is_named, answers in columns if is_named]
    return named or [answers for _, answers in columns]


def alone(row: Row) -> str:
    """Return the answer if the row contains only the answer and words that name it; an empty string if the row says more."""
    matches = list(islice(_TOKEN.finditer(row.flat), 2))
    if len(matches) != 1 or any(map(str.isalnum, row.flat[matches[0].end() :])):
        return ""
    label = _label(row.flat[: matches[0].start()])
    return matches[0]["said"] if _NAMES_ANSWER.search(label) and _ANNOUNCES.fullmatch(label) else ""


def openings_in(line: str) -> list[tuple[str, str]]:
    """Return, for each possible answer in a flat line, the words before it and the sign after it."""
    return [(line[: match.start()].strip(), line[match.end() :][:1]) for match in _TOKEN.finditer(line)]


def _as_texts(parts: Sequence[Lettered]) -> Answers:
    """Return the answers that repeat the text of an option after words that name them, if nearly all questions have one."""
    answers: Answers = []
    for one in parts:
        said = [(row, words) for row in one.tail for kind, words in parts_of(row.text)[:1] if kind == "answer"]
        texts = [option.text.strip() for option in one.options[: len(LETTERS)]]  # there are no letters for more
        is_one = len(said) == 1 and texts.count(said[0][1]) == 1
        answers.append(Answer(LETTERS[texts.index(said[0][1])], said[0][0]) if is_one else None)
    return answers if _are_most(answers) else []


def _label(text: str) -> str:
    return re.sub(r"\d+", "#", "".join(text.split())).casefold()


def _are_most(answers: Answers) -> bool:
    return sum(answer is not None for answer in answers) >= NEARLY_ALL * len(answers)


def behind_options(parts: Sequence[Lettered], alphabet: str) -> list[Answers]:
    """Return the answers at the end of the last option's row, and remove them from it: `D、指令标志 B`."""
    answers: Answers = []
    for one in parts:
        match = _LAST.search(flat(one.options[-1].text)) if one.options else None
        said = match and right_letters(match["said"], alphabet, len(one.options))
        answers.append(Answer(match["said"]) if match and said and match.start() else None)
    if not _are_most(answers):
        return []
    for one, answer in zip(parts, answers, strict=True):
        if answer and (match := _LAST.search(flat(one.options[-1].text))):
            one.options[-1].text = one.options[-1].text[: match.start()].rstrip()
    return [answers]


def at_options(parts: Sequence[Lettered]) -> tuple[list[Answers], str]:
    """Return the answers marked by a sign that nearly all questions have at some of their options, and the sign.

    A tick outranks any other sign; an empty box or a cross never marks an answer. Of the other signs, the rarest counts, unless two tie.
    """
    counts, marked_options = Counter[str](), Counter[str]()
    for one in parts:
        own = Counter(mark for option in one.options for mark in {option.mark, *_trailing(option.text)} - {""})
        counts.update(mark for mark, count in own.items() if count < len(one.options) and _RIGHT.search(mark))
        marked_options.update(own)
    often = {mark for mark, count in counts.items() if count >= NEARLY_ALL * len(parts) and not _SAYS_EMPTY.fullmatch(mark)}
    ticked = {mark for mark in often if _SAYS_TICKED.fullmatch(mark)} or often
    ticked -= {"☒"} if len(ticked) > 1 else set()  # next to another sign it is a cross
    fewest = min((marked_options[mark] for mark in ticked), default=0)
    rarest = [mark for mark in ticked if marked_options[mark] == fewest]
    if len(rarest) != 1:
        return [], ""
    marked = [
        [at for at, option in enumerate(one.options[: len(LETTERS)]) if rarest[0] in (option.mark, *_trailing(option.text))]
        for one in parts
    ]
    return [[Answer("".join(LETTERS[at] for at in places)) if places else None for places in marked]], rarest[0]


def _trailing(text: str) -> list[str]:
    """Return what may be a sign at the end of an option: its last word, bracket or symbols."""
    match = _TRAILING.search(text)
    return ["".join(match[0].split())] if match and match.start() else []


def unmarked(text: str, mark: str) -> str:
    """Return an option without the sign at its end."""
    match = _TRAILING.search(text) if mark and mark in _trailing(text) else None
    return text[: match.start()].strip() if match else text


def in_stems(parts: Sequence[Lettered], alphabet: str) -> list[Answers]:
    """Return the answers in brackets in the stems, and those at the ends of stems."""
    return [answers for pattern in (_BRACKETED, _LAST) if _are_most(answers := _in_stems(parts, alphabet, pattern.finditer))]


def _in_stems(parts: Sequence[Lettered], alphabet: str, find: Callable[[str], Iterator[re.Match[str]]]) -> Answers:
    answers: Answers = []
    for one in parts:
        said = [(row, match) for row in one.stem for match in find(row.flat) if right_letters(match["said"], alphabet, len(one.options))]
        row, match = said[0] if len(said) == 1 else (None, None)
        answers.append(Answer(match["said"], row, row.text[: match.start()], row.text[match.end() :]) if row and match else None)
    return answers


def key_in(rows: Sequence[Row], numbers: Sequence[int]) -> tuple[int, list[str]] | None:
    """Return the index of a list's title and the list's answers if it has each number once; None if there is no such list."""
    titles = (at for at, row in enumerate(rows) if len(row.flat) <= _LONGEST_TITLE and _is_title(row.flat))
    for title in islice(titles, _MOST_TITLES):
        entries: list[tuple[int, str]] = []
        for row in rows[title : title + _ROWS_EACH * len(numbers) + _ROWS_EACH]:
            start = announced.end if (announced := title_in(row.flat)) else 0
            entries += [(entry.number, entry.answer) for entry in listed_in(row.text[start:]).entries if entry.sure and entry.answer]
            if len(entries) >= len(numbers):
                break
        if [number for number, _ in entries] == list(numbers):
            return title, [said for _, said in entries]
    return None


def _is_title(line: str) -> bool:
    """Return whether a flat line may be the title of an answer list, not an option (`D. 核对答案`) or the answer to one question."""
    named = "答案" in line or "正确选项" in line or "answer" in line.lower()
    return named and not letter_of(line.strip()) and not alone(Row(0, line, line))
