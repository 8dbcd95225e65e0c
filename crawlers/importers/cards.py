"""Importer of cards and of numbered questions with their answers: a text in, questions out whose answers are words.

Cards are those of Obsidian's Spaced Repetition (`front :: back`, `front ::: back`, `?` or `??` alone between them) and of Logseq
(`- front #card` above its indented answer), and the two fields of a text that Anki exported (`#separator:tab`). Numbered ones are `Q1：`
above `A1：`. The same signs occur in help pages, interviews and word lists: a text is read only if it states that it contains cards or exam
questions, and if most fronts ask something.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import Struct, structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.encodings import decoded
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.importers.files.csv_rows import csv_rows, directives_of
from crawlers.importers.files.reading import FileReading, Lost, Text
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.options import find_options

_TAGGED_ABOVE = re.compile(r"\s{0,9}(?:tags?\s{0,3}:|-)[\s\w,，\[\]\"'/]{0,200}?\b(?:flashcards?|闪卡|记忆卡)\b", re.IGNORECASE)
"""A tag in the properties above a note."""
_TAGGED = re.compile(r"(?:^|(?<=\s))#(?:flashcards?|card|闪卡|记忆卡)(?:/\S{0,60})?(?=\s|$)", re.IGNORECASE)
_SCHEDULE = re.compile(r"\s{0,9}<!--\s{0,3}SR:[^<>]{0,2000}-->")
_BLOCK_ID = re.compile(r"(?:^|\s)\^[\w-]{1,20}$")
_LINE = re.compile(r"(?:[-*+]\s{1,4})?(?P<front>\S.{0,5000}?)\s{0,4}:::?\s{0,4}(?P<back>[^\s:].{0,20000})$")
_BETWEEN = ("?", "??")
_LOGSEQ = re.compile(r"(?P<indent>\s{0,40})[-*]\s(?P<front>.{1,5000}?)\s{0,4}#card(?=\s|$)", re.IGNORECASE)
_BELOW = re.compile(r"(?P<indent>\s{0,40})[-*]?\s{0,4}(?P<words>.*)$")
_PROPERTY = re.compile(r"\s{0,40}(?:id|deck|tags?|alias|type|collapsed|card-[\w-]{1,40}):: ", re.ASCII)
_QUESTION = re.compile(r"\s{0,9}(?:[-*#]{1,4}\s)?(?:\*\*)?(?:Q|问)\s?(?P<number>\d{1,4})(?:\*\*)?\s?[:：.、](?:\*\*)?\s{0,4}(?P<words>.*)$")
_ANSWER = re.compile(r"\s{0,9}(?:[-*#]{1,4}\s)?(?:\*\*)?(?:A|答)\s?(?P<number>\d{1,4})(?:\*\*)?\s?[:：.、](?:\*\*)?\s{0,4}(?P<words>.*)$")
_OPTION = re.compile(r"\s{0,9}[(（]?B\s?[.．、:：)）]")
_EXAM = re.compile(
    r"题库|试题|试卷|真题|考题|习题|简答|论述题|名词解释|大题|必背|背诵|考点|考试|考研|期[中末]|复习|应知应会|自测|测验|exam|quiz|flashcards?|闪卡",
    re.IGNORECASE,
)
"""What marks the questions of a text as those of an exam."""
_NO_EXAM = re.compile(r"常见问题|问答集|客服|帮助|须知|访谈|采访|术语|词汇|单词|glossary|vocabulary|interview|\bfaqs?\b", re.IGNORECASE)
_SPOKEN = re.compile(r"[您你我]")
_MOST_PROPERTIES = 40
_FEWEST, _ASKING, _PAIRED_ASKING, _SPEAKING = 3, 0.5, 0.3, 0.2
_MARKED = 0.8
"""Share of the lines that must be cards if only the file's name shows what they are."""
_LETTERS = re.compile(
    r"\**(?:(?:正确)?答案\s?[:：]\s?)?(?P<letters>[A-J](?:[\s,，、]{0,3}[A-J]){0,9})\**(?:\s?[。.．、:：)）]\**\s{0,4}(?P<words>.{0,400}))?"
)
"""The first line of an answer that names options, with the text of one or without."""
_VERDICT = re.compile(rf"\**(?:(?:正确)?答案\s?[:：]\s?)?(?P<verdict>{SURE_VERDICT})\**\s?[。.]?")
_MOSTLY = 0.8
"""Share of cards with options on their backs, from which on they are questions of a paper that somebody tagged."""
_NOTES = 0.8
"""Share of a text's rows that must be two fields with options on the first."""


class Flashcard(Struct):
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


class Deck(Struct):
    """The cards of a text."""

    cards: list[Flashcard] = []
    rest: list[str] = []
    """Lines that belong to no card."""


def are_cards(name: str, body: bytes) -> bool:
    """Return whether a text contains cards, or numbered questions with answers in words, and states so."""
    try:
        cards = _deck_of(name, decoded(name, body)).cards
    except ValueError:
        return False
    return bool(cards) and sum(find_options(card.back) is not None for card in cards) < _MOSTLY * len(cards)


def read_cards(name: str, body: bytes, provenance: Provenance) -> FileReading:
    """Return the questions of a text.

    Raises:
        ValueError: it is not text.
    """
    text = decoded(name, body)
    deck = _deck_of(name, text)
    clean_lines = [_SCHEDULE.sub("", line) for line in text.splitlines()]  # comments in which the program stores its dates
    reading = FileReading(source=Text(clean_lines), unread=[line for line in deck.rest if line.strip()])
    for card in deck.cards:
        card_provenance = structs.replace(provenance, position=f"line:{card.line}")
        reading.record_count += 1
        options = find_options(card.front)
        letters = _letters_on(card, options.texts(card.front)) if options and options.sure else ""
        if options and not letters:
            words = "options on its front, but no letters of them on its back"
            reading.give_up(Lost(card_provenance.position, "options_unreadable", words, card.front), provenance)
            continue
        verdict = "" if options else _verdict_on(card)
        stem = card.front[: min(options.cuts)[0]].rstrip() if options else card.front
        offered = options.texts(card.front) if options else None
        reading.items.append(
            QuestionItem(
                url=provenance.url,
                provenance=card_provenance,
                stem_raw=stem,
                options_raw=offered,
                answer_raw=letters or verdict or card.back or None,
                explanation_raw=("\n".join(card.backs[1:]).strip() or None) if options or verdict else None,
            )
        )
    return reading


def _letters_on(card: Flashcard, options: Sequence[str]) -> str:
    """Return the letters on the first line of a card's back; nothing if the words beside them are not those of the option."""
    match = _LETTERS.fullmatch(flat(card.backs[0]).strip()) if card.backs else None
    if match is None:
        return ""
    named = [option for option in options if letter_of(flat(option)) in match["letters"]]
    words = _bare(match["words"] or "")
    return match["letters"] if not words or (len(named) == 1 and _bare(named[0]).endswith(words)) else ""


def _verdict_on(card: Flashcard) -> str:
    """Return the truth value that is the first line of a card's back; nothing if it has other words."""
    match = _VERDICT.fullmatch(flat(card.backs[0]).strip()) if card.backs else None
    return match["verdict"] if match else ""


def _bare(words: str) -> str:
    return re.sub(r"[\s。.;；*]+", "", flat(words))


def _notes_of(name: str, text: str) -> Deck | None:
    """Return the notes of two fields in a text that Anki exported; None if it is none, or if most have neither options nor a verdict."""
    directives, _ = directives_of(text)
    if "separator" not in directives:
        return None
    columns = [int(value) - 1 for key, value in directives.items() if key.endswith(" column") and value.isdigit()]
    deck = Deck()
    for position, row in csv_rows(name, text.encode()):
        fields = [cell for index, cell in enumerate(row) if cell and index not in columns]
        if len(fields) == 2:
            fronts, backs = ([line.strip() for line in field.splitlines() if line.strip()] for field in fields)
            deck.cards.append(Flashcard(int(position.partition(":")[2]), fronts, backs))
        elif fields:
            deck.rest.append("\n".join(row))
    offering = sum(find_options(card.front) is not None or bool(_verdict_on(card)) for card in deck.cards)
    return deck if offering >= max(_FEWEST, _NOTES * (len(deck.cards) + len(deck.rest))) else None


def _deck_of(name: str, text: str) -> Deck:
    """Return the cards of a text; none if it does not state what they are."""
    text = text.lstrip("\ufeff")
    if notes := _notes_of(name, text):
        return notes
    lines = text.splitlines()
    if paired := _numbered_pairs(lines):
        openings = [name, *lines[: _opening_lines(lines)]]
        is_exam = any(map(_EXAM.search, openings)) and not any(map(_NO_EXAM.search, openings))
        return paired if is_exam and _ask(paired, _PAIRED_ASKING) and not _speak(paired) else Deck()
    is_tagged = any(("#" in line and _TAGGED.search(line)) or "<!--SR:" in line for line in lines) or _is_tagged_above(lines)
    if not is_tagged and not any("::" in line for line in lines):
        return Deck()
    deck = _marked_cards(lines)
    is_named = bool(_EXAM.search(name)) and not _NO_EXAM.search(name)
    is_named = is_named and len(deck.cards) >= _MARKED * (len(deck.cards) + sum(bool(line.strip()) for line in deck.rest))
    return deck if (is_tagged or is_named) and _ask(deck, _ASKING) and not _speak(deck) else Deck()


def _is_tagged_above(lines: Sequence[str]) -> bool:
    """Return whether the properties above a note, between lines of dashes, have a tag of cards."""
    if not lines or lines[0].strip() != "---":
        return False
    return any(map(_TAGGED_ABOVE.match, takewhile(lambda line: line.strip() != "---", lines[1:_MOST_PROPERTIES])))


def _opening_lines(lines: Sequence[str]) -> int:
    """Return the number of lines before the first question or card."""
    return next((index for index, line in enumerate(lines) if _QUESTION.match(line) or "::" in line), len(lines))


def _ask(deck: Deck, share: float) -> bool:
    asking = sum(is_worded_as_question(flat(card.front)) or find_options(card.front) is not None for card in deck.cards)
    return len(deck.cards) >= _FEWEST and asking >= share * len(deck.cards)


def _speak(deck: Deck) -> bool:
    """Return whether many texts address somebody, as help pages and interviews do."""
    return sum(_SPOKEN.search(card.front) is not None for card in deck.cards) > _SPEAKING * len(deck.cards)


def _numbered_pairs(lines: Sequence[str]) -> Deck | None:
    """Return the numbered questions, each with the answer of its number directly below it; None if there are none, or some have options."""
    deck, card, number, is_answer = Deck(), Flashcard(0, [], []), "", False
    if any(map(_OPTION.match, lines)) or sum(bool(_ANSWER.match(line)) for line in lines) < _FEWEST:
        return None
    for line_number, line in enumerate(lines, 1):
        if question := _QUESTION.match(line):
            card, number, is_answer = Flashcard(line_number, [question["words"]], []), question["number"], False
            deck.cards.append(card)
        elif answer := _ANSWER.match(line):
            if number == answer["number"] and not is_answer:
                card.backs, is_answer = [answer["words"]], True
            else:  # of a missing question
                deck.rest.append(line)
                number = ""
        elif not deck.cards or not line.strip() or line.lstrip().startswith(("#", "◆", "—", "-", "=")):
            deck.rest.append(line)
            number = "" if is_answer else number
        elif is_answer and number:
            card.backs.append(line.strip())
        elif number:
            card.fronts.append(line.strip())
        else:
            deck.rest.append(line)
    return deck


def _marked_cards(lines: Sequence[str]) -> Deck:
    deck = Deck()
    for start, paragraph in _paragraphs(lines):
        clean_lines = [_BLOCK_ID.sub("", _SCHEDULE.sub("", line)).rstrip() for line in paragraph]
        between = next((index for index, line in enumerate(clean_lines) if line.strip() in _BETWEEN), 0)
        back = [line for line in clean_lines[between + 1 :] if line.strip()] if between else []
        front = [_TAGGED.sub("", line).strip() for line in clean_lines[:between]]
        if back and any(front):
            deck.cards.append(Flashcard(start, [*filter(None, front)], [line.strip() for line in back]))
            continue
        _add_line_cards(deck, start, clean_lines)
    deck.rest += [each.front for each in deck.cards if not each.back]
    deck.cards = [each for each in deck.cards if each.back]
    return deck


def _add_line_cards(deck: Deck, start: int, lines: Sequence[str]) -> None:
    """Take the one-line cards, and Logseq's cards with an indented answer."""
    card, indent = None, 0
    for line_number, line in enumerate(lines, start):
        bare = _TAGGED.sub("", line).strip()
        if head := _LOGSEQ.match(line):
            card, indent = Flashcard(line_number, [head["front"].strip()], []), len(head["indent"].expandtabs(4))
            deck.cards.append(card)
        elif card and not _PROPERTY.match(line) and (below := _BELOW.match(line)) and len(below["indent"].expandtabs(4)) > indent:
            card.backs.append(below["words"])
        elif not _PROPERTY.match(line) and (pair := _LINE.match(bare)):
            deck.cards.append(Flashcard(line_number, [pair["front"]], [pair["back"]]))
        elif bare:
            deck.rest.append(bare)


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines between empty ones, with the number of the first."""
    paragraph: list[str] = []
    for line_number, line in enumerate([*lines, ""], 1):
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            yield line_number - len(paragraph), paragraph
            paragraph = []
