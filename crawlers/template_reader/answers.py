"""Where the questions of a paper state which options are right, whatever words announce it: parts of questions in, answers out.

No word is known beforehand. An answer is what nearly every question has at one place, and what fits its options each time: letters after
the same words, the same sign at some of the options, letters or a verdict in brackets or at the end of the stem.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import islice

from msgspec import Struct

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import CODES, VERDICT, VERDICTS, verdict_of
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.box_signs import EMPTY, TICKED
from crawlers.template_reader.counters import Row
from crawlers.template_reader.lettered import BULLETS, Lettered

NEARLY_ALL = 0.8
_LETTERS = r"[A-J甲乙丙丁戊己庚①-⑩Ⓐ-Ⓙⓐ-ⓙ](?:[\s,、;/|+&和及与]{0,3}[A-J甲乙丙丁戊己庚①-⑩Ⓐ-Ⓙⓐ-ⓙ]){0,9}|[a-j](?:[\s,、;/]{0,3}[a-j]){0,9}"
TOKEN = re.compile(rf"(?<![A-Za-z\d])(?P<said>{_LETTERS}|{VERDICT})(?![A-Za-z\d]|(?<=[对错是否确误])[\u4e00-\u9fff])")
_BRACKETED = re.compile(rf"[(\[【]\s{{0,9}}(?P<said>{_LETTERS}|{VERDICT})\s{{0,9}}[)\]】]")
_FIRST = re.compile(rf"^[(\[【]?(?P<said>{_LETTERS})[)\]】]?[\s.、:]{{1,4}}")
_LAST = re.compile(rf"(?:\s|(?<=[。?)\]】]))[(\[【]?(?P<said>{_LETTERS}|{VERDICT})[)\]】]?\s{{0,3}}[。.]?$")
_TRAILING = re.compile(r"(?:[(（\[【<][^()（）\[\]【】<>]{1,12}[)）\]】>]|[^\w\s。)”》%?!,;.…’\"'】\]]{1,3}|(?<=\s)\S{1,8})\s{0,3}$")
_RIGHT = re.compile(r"[^\w\s]|正确|答案|对|right|true|correct|answer|ok|yes", re.IGNORECASE)
_SAYS_TICKED = re.compile(rf"[{TICKED}√✓✔✅]|[(\[][xX√✓✔][)\]]")
_SAYS_EMPTY = re.compile(rf"[{EMPTY}×✗✘❌✕✖╳]|[(\[][)\]]")
_ANNOUNCES = re.compile(
    r"[\W_]*(?:(?:查看|显示|展开|收起|隐藏|点击)+(?:答案|解析|详情)?[\W_]+)?(?:[昨前今上][日天]?[\W_]*)?(?:[\u4e00-\u9fff]{0,4}#题?)?[\W_]*(?:[本此该]题|今日|最终)?(?:正确|参考|标准|最佳|试题|correct|right)?的?"
    r"(?:答案|正解|标答|选项|答|选|key|answers?|ans|solution)?(?:解析|详解)?[\W_]*(?:应?[是为选])?[\W_]*"
)
"""Words before an answer, if there are any: a name there, or `我选`, says whose answer it is."""
_NAMES_ANSWER = re.compile(r"答案|答|正确|选|answer|key|ans|solution", re.IGNORECASE)
_SAYS_TEXT = re.compile(
    r"\s*[【\[(（]?(?:(?:正确|参考|标准)?(?:答案|选项|答)(?:应?[是为])?|[Aa]nswer|key)[】\])）]?\s*[:：=]\s*(?P<text>.+)"
)
_QUOTES = frozenset(["“”", "「」", "『』", '""', "``"])
_BETWEEN_TEXTS = re.compile(r"[+＋;；|/、，,&]")
_LABEL_BEHIND = re.compile(r"\s[(（\[【]?(?:(?:正确|参考|标准)?答案|答|[Aa]nswer|[Kk]ey)\s?[:：]?\s*$")
"""Words before an answer that is beside a stem, as in a column of its own."""
_LONGEST_LABEL = 24


class Answer(Struct, frozen=True):
    """What a question states as right."""

    said: str
    """Letters, or a verdict."""
    row: Row | None = None
    """The row of the tail that states it."""
    before: str = ""
    after: str = ""
    """The words before and after it on that row."""


Answers = list[Answer | None]
"""The answer of each question."""


def right_letters(said: str, alphabet: str, options: int) -> str:
    """Return the letters that an answer names among the options of a question, as capitals; a verdict if it has none; else nothing."""
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
    """Return the answers after each label that nearly all questions have once."""
    found: dict[str, dict[int, list[Answer]]] = defaultdict(lambda: defaultdict(list))
    for at, one in enumerate(parts):
        for row in one.tail:
            end = 0
            for match in TOKEN.finditer(row.flat):
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
    """Return the answer that is all of a row, with words that name it; nothing if the row says more."""
    matches = list(islice(TOKEN.finditer(row.flat), 2))
    if len(matches) != 1 or re.search(r"\w", row.flat[matches[0].end() :]):
        return ""
    label = _label(row.flat[: matches[0].start()])
    return matches[0]["said"] if _NAMES_ANSWER.search(label) and _ANNOUNCES.fullmatch(label) else ""


def _as_texts(parts: Sequence[Lettered]) -> Answers:
    """Return the answers that are the text of an option, behind words that name them, of nearly all questions."""
    answers: Answers = []
    for one in parts:
        said = [(row, text) for row in one.tail if (text := says_text(row))]
        places = places_named([option.text.strip() for option in one.options], said[0][1]) if len(said) == 1 else []
        answers.append(Answer("".join(LETTERS[at] for at in places), said[0][0]) if places else None)
    return answers if sum(answer is not None for answer in answers) >= NEARLY_ALL * len(parts) else []


def _label(text: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\s+", "", text)).casefold()


def before_numbers(parts: Sequence[Lettered], befores: Sequence[str], alphabet: str) -> list[Answers]:
    """Return the answers in the words before the numbers: `[答案:A] 1. ……`; not words that are before all, as in `T01`."""
    if len({*befores}) == 1:
        return []
    said = [TOKEN.findall(before) for before in befores]
    right = [len(one) == 1 and right_letters(one[0], alphabet, len(part.options)) for one, part in zip(said, parts, strict=True)]
    return (
        [[Answer(one[0]) if ok else None for one, ok in zip(said, right, strict=True)]]
        if sum(map(bool, right)) >= NEARLY_ALL * len(parts)
        else []
    )


def behind_options(parts: Sequence[Lettered], alphabet: str) -> list[Answers]:
    """Return the answers that end the row of the last option, as cells side by side do: `D、指令标志 B`."""
    answers: Answers = []
    for one in parts:
        match = _LAST.search(flat(one.options[-1].text)) if one.options else None
        said = match and right_letters(match["said"], alphabet, len(one.options))
        answers.append(Answer(match["said"]) if match and said and match.start() else None)
    if sum(answer is not None for answer in answers) < NEARLY_ALL * len(parts):
        return []
    for one, answer in zip(parts, answers, strict=True):
        if answer:
            text = one.options[-1].text
            one.options[-1].text = text[: _LAST.search(flat(text)).start()].rstrip()  # type: ignore[union-attr]
    return [answers]


def says_text(row: Row) -> str:
    """Return the words behind `答案：` on a row."""
    return match["text"].strip() if (match := _SAYS_TEXT.match(row.text)) else ""


def places_named(texts: Sequence[str], words: str) -> list[int]:
    """Return the places of the texts that an answer consists of: one, or several with signs between, each perhaps in quotation marks."""
    for parts in ([words], _BETWEEN_TEXTS.split(words)):
        plain = [one[1:-1] if one[:1] + one[-1:] in _QUOTES else one for one in (part.strip() for part in parts)]
        places = [at for at, text in enumerate(texts[: len(LETTERS)]) if text in plain]  # more are no options
        if len(places) == len(plain):
            return places
    return []


def at_options(parts: Sequence[Lettered]) -> tuple[list[Answers], str]:
    """Return the answers by the sign that some options of nearly all questions have, and the sign.

    A ticked sign is right before any other, an empty one or a cross never. Of others the rarer is right; none if two are equally often.
    """
    counts, marked_options = Counter[str](), Counter[str]()
    for one in parts:
        own = Counter(mark for option in one.options for mark in {option.mark, *trailing(option.text)} - {""})
        counts.update(mark for mark, count in own.items() if count < len(one.options) and _RIGHT.search(mark))
        marked_options.update(own)
    often = {mark for mark, count in counts.items() if count >= NEARLY_ALL * len(parts) and not _SAYS_EMPTY.fullmatch(mark)}
    ticked = {mark for mark in often if _SAYS_TICKED.fullmatch(mark)} or often
    ticked -= {"☒"} if len(ticked) > 1 else set()  # beside another it is a cross
    fewest = min((marked_options[mark] for mark in ticked), default=0)
    rarest = [mark for mark in ticked if marked_options[mark] == fewest]
    if len(rarest) != 1:
        return [], ""
    marked = [
        [at for at, option in enumerate(one.options[: len(LETTERS)]) if rarest[0] in (option.mark, *trailing(option.text))] for one in parts
    ]
    return [[Answer("".join(LETTERS[at] for at in places)) if places else None for places in marked]], rarest[0]


def trailing(text: str) -> list[str]:
    """Return what may be a sign at the end of an option: its last word, bracket, or signs."""
    match = _TRAILING.search(text)
    return ["".join(match[0].split())] if match and match.start() else []


def unmarked(text: str, mark: str) -> str:
    """Return an option without the sign that ends it."""
    match = _TRAILING.search(text) if mark and mark in trailing(text) else None
    return text[: match.start()].strip() if match else text


def in_stems(parts: Sequence[Lettered], alphabet: str) -> list[Answers]:
    """Return the answers in the brackets of the stems, and those at their ends."""
    return [answers for pattern in (_BRACKETED, _LAST, _FIRST) if (answers := _in_stems(parts, alphabet, pattern.finditer))]


def _in_stems(parts: Sequence[Lettered], alphabet: str, find: Callable[[str], object]) -> Answers:
    answers: Answers = []
    for one in parts:
        said = [(row, match) for row in one.stem for match in find(row.flat) if right_letters(match["said"], alphabet, len(one.options))]  # type: ignore[attr-defined]
        row, match = said[0] if len(said) == 1 else (None, None)
        before = _LABEL_BEHIND.sub("", row.text[: match.start()]) if row and match else ""
        answers.append(Answer(match["said"], row, before, row.text[match.end() :]) if row and match else None)
    return answers if sum(answer is not None for answer in answers) >= NEARLY_ALL * len(parts) else []
