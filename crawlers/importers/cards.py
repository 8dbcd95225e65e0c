"""Importer of cards and of numbered questions with their answers: a text in, questions out whose answers are words.

Cards are those of Obsidian's Spaced Repetition (`front :: back`, `front ::: back`, `?` or `??` alone between them) and of Logseq
(`- front #card` over its answer set in). Numbered ones are `Q1：` over `A1：`. The same signs stand in pages of help, interviews and
lists of words: a text is read only where it says that it holds cards or questions of an exam, and where most fronts ask.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.encodings import decoded
from crawlers.importers.files.reading import Lost, Reading, Text
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.options import find_options

_TAGGED = re.compile(r"(?:^|(?<=\s))#(?:flashcards?|card|闪卡|记忆卡)(?:/\S{0,60})?(?=\s|$)", re.IGNORECASE)
_SCHEDULE = re.compile(r"\s{0,9}<!--\s{0,3}SR:[^<>]{0,2000}-->")
_BLOCK_ID = re.compile(r"(?:^|\s)\^[\w-]{1,20}$")
_LINE = re.compile(r"(?:[-*+]\s{1,4})?(?P<front>\S.{0,5000}?)\s{0,4}:::?\s{0,4}(?P<back>[^\s:].{0,20000})$")
_BETWEEN = ("?", "??")
_LOGSEQ = re.compile(r"(?P<indent>\s{0,40})[-*]\s(?P<front>.{1,5000}?)\s{0,4}#card(?=\s|$)", re.IGNORECASE)
_BELOW = re.compile(r"(?P<indent>\s{0,40})[-*]?\s{0,4}(?P<words>.*)$")
_PROPERTY = re.compile(r"\s{0,40}(?:id|deck|tags?|alias|type|collapsed|card-[\w-]{1,40}):: ", re.ASCII)
_ASKED = re.compile(r"\s{0,9}(?:[-*#]{1,4}\s)?(?:\*\*)?(?:Q|问)\s?(?P<number>\d{1,4})(?:\*\*)?\s?[:：.、](?:\*\*)?\s{0,4}(?P<words>.*)$")
_ANSWERED = re.compile(r"\s{0,9}(?:[-*#]{1,4}\s)?(?:\*\*)?(?:A|答)\s?(?P<number>\d{1,4})(?:\*\*)?\s?[:：.、](?:\*\*)?\s{0,4}(?P<words>.*)$")
_OPTION = re.compile(r"\s{0,9}[(（]?B\s?[.．、:：)）]")
_EXAM = re.compile(
    r"题库|试题|试卷|真题|考题|习题|简答|论述题|名词解释|大题|必背|背诵|考点|考试|考研|期[中末]|复习|应知应会|自测|测验|exam|quiz|flashcards?|闪卡",
    re.IGNORECASE,
)
"""What says of a text that its questions are those of an exam."""
_NO_EXAM = re.compile(r"常见问题|问答集|客服|帮助|须知|访谈|采访|术语|词汇|单词|glossary|vocabulary|interview|\bfaqs?\b", re.IGNORECASE)
_SPOKEN = re.compile(r"[您你我]")
_FEWEST, _ASKING, _PAIRED_ASKING, _SPEAKING = 3, 0.5, 0.3, 0.2
_MARKED = 0.8
"""Share of the lines that must be cards where nothing but the file's name says what they are."""
_LETTERS = re.compile(r"[A-J](?:[\s,，、]{0,3}[A-J]){0,9}[。.]?")


class Card(Struct):
    """A question and its answer."""

    line: int
    fronts: list[str]
    backs: list[str]
    """Lines of both."""

    @property
    def front(self) -> str:
        return "\n".join(self.fronts)

    @property
    def back(self) -> str:
        return "\n".join(self.backs).strip()


class Cards(Struct):
    """What a text holds."""

    cards: list[Card] = []
    rest: list[str] = []
    """Lines that belong to no card."""


def are_cards(name: str, body: bytes) -> bool:
    """Tell whether a text holds cards, or numbered questions with answers in words, and says so."""
    try:
        return bool(_found(name, decoded(name, body)).cards)
    except ValueError:
        return False


def read_cards(name: str, body: bytes, seen: Provenance) -> Reading:
    """Return the questions of a text.

    Raises:
        ValueError: it is no text.
    """
    text = decoded(name, body)
    found = _found(name, text)
    shown = [_SCHEDULE.sub("", line) for line in text.splitlines()]  # what the program keeps there, as comments
    reading = Reading(source=Text(shown), unread=[line for line in found.rest if line.strip()])
    for card in found.cards:
        place = structs.replace(seen, position=f"line:{card.line}")
        reading.found += 1
        options = find_options(card.front)
        if options and (not options.sure or not _LETTERS.fullmatch(flat(card.back))):
            words = "options on its front, and no letters of theirs on its back"
            reading.give_up(Lost(place.position, "options_unreadable", words, card.front), seen)
            continue
        stem = card.front[: min(options.cuts)[0]].rstrip() if options else card.front
        offered = options.texts(card.front) if options else None
        reading.items.append(QuestionItem(url=seen.url, provenance=place, stem_raw=stem, options_raw=offered, answer_raw=card.back or None))
    return reading


def _found(name: str, text: str) -> Cards:
    """Return the cards of a text; none where it does not say what they are."""
    lines = text.lstrip("\ufeff").splitlines()
    said = [name, *(line for line in lines[: _first_blank(lines)])]
    if paired := _pairs(lines):
        is_exam = any(map(_EXAM.search, said)) and not any(map(_NO_EXAM.search, said))
        return paired if is_exam and _ask(paired, _PAIRED_ASKING) and not _speak(paired) else Cards()
    is_told = any(_TAGGED.search(line) or "<!--SR:" in line for line in lines)
    if not is_told and not any("::" in line for line in lines):
        return Cards()
    cards = _cards(lines)
    is_named = bool(_EXAM.search(name)) and not _NO_EXAM.search(name)
    is_named = is_named and len(cards.cards) >= _MARKED * (len(cards.cards) + sum(bool(line.strip()) for line in cards.rest))
    return cards if (is_told or is_named) and _ask(cards, _ASKING) and not _speak(cards) else Cards()


def _first_blank(lines: Sequence[str]) -> int:
    """Return where the first question or card begins."""
    return next((place for place, line in enumerate(lines) if _ASKED.match(line) or "::" in line), len(lines))


def _ask(found: Cards, share: float) -> bool:
    asking = sum(is_worded_as_question(flat(card.front)) for card in found.cards)
    return len(found.cards) >= _FEWEST and asking >= share * len(found.cards)


def _speak(found: Cards) -> bool:
    """Tell whether many speak to somebody, as pages of help and interviews do."""
    return sum(_SPOKEN.search(card.front) is not None for card in found.cards) > _SPEAKING * len(found.cards)


def _pairs(lines: Sequence[str]) -> Cards | None:
    """Return the numbered questions, each with the answer of its number right below it; None where there are none, or some have options."""
    found, card, number, is_answer = Cards(), Card(0, [], []), "", False
    if sum(bool(_ANSWERED.match(line)) for line in lines) < _FEWEST or any(map(_OPTION.match, lines)):
        return None
    for place, line in enumerate(lines, 1):
        if asked := _ASKED.match(line):
            card, number, is_answer = Card(place, [asked["words"]], []), asked["number"], False
            found.cards.append(card)
        elif answered := _ANSWERED.match(line):
            if number == answered["number"] and not is_answer:
                card.backs, is_answer = [answered["words"]], True
            else:  # of a question that is not there
                found.rest.append(line)
                number = ""
        elif not found.cards or not line.strip() or line.lstrip().startswith(("#", "◆", "—", "-", "=")):
            found.rest.append(line)
            number = "" if is_answer else number
        elif is_answer and number:
            card.backs.append(line.strip())
        elif number:
            card.fronts.append(line.strip())
        else:
            found.rest.append(line)
    return found


def _cards(lines: Sequence[str]) -> Cards:
    found = Cards()
    for start, paragraph in _paragraphs(lines):
        shown = [_BLOCK_ID.sub("", _SCHEDULE.sub("", line)).rstrip() for line in paragraph]
        between = next((place for place, line in enumerate(shown) if line.strip() in _BETWEEN), 0)
        back = [line for line in shown[between + 1 :] if line.strip()] if between else []
        front = [_TAGGED.sub("", line).strip() for line in shown[:between]]
        if back and any(front):
            found.cards.append(Card(start, [*filter(None, front)], [line.strip() for line in back]))
            continue
        _take_lines(found, start, shown)
    found.rest += [each.front for each in found.cards if not each.back]
    found.cards = [each for each in found.cards if each.back]
    return found


def _take_lines(found: Cards, start: int, shown: Sequence[str]) -> None:
    """Take the cards that are a line, and those of Logseq that are a line over others set in."""
    card, indent = None, 0
    for place, line in enumerate(shown, start):
        bare = _TAGGED.sub("", line).strip()
        if asked := _LOGSEQ.match(line):
            card, indent = Card(place, [asked["front"].strip()], []), len(asked["indent"].expandtabs(4))
            found.cards.append(card)
        elif card and not _PROPERTY.match(line) and (below := _BELOW.match(line)) and len(below["indent"].expandtabs(4)) > indent:
            card.backs.append(below["words"])
        elif not _PROPERTY.match(line) and (told := _LINE.match(bare)):
            found.cards.append(Card(place, [told["front"]], [told["back"]]))
        elif bare:
            found.rest.append(bare)


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines between empty ones, with the number of the first."""
    held: list[str] = []
    for place, line in enumerate([*lines, ""], 1):
        if line.strip():
            held.append(line)
        elif held:
            yield place - len(held), held
            held = []
