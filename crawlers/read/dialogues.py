"""Importer for dialogues with a model: records with an instruction and its output, or with the turns of a dialogue -> questions.

Each user turn is read as a paper with one question, and the model's reply as the answer to it. A line that recurs above or below different
questions is a prompt, which is either furniture or the type of the questions.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from msgspec import structs

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.option_letters import LETTERS, letters_in
from atomexam.text.refusal import Refusal
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.read.containers.files.reading import EVERY, Lost, Text
from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.draft import DOUBTS, Draft
from crawlers.read.lines.questions.groups import Above
from crawlers.read.tables.columns import layout_of_keys, plain
from crawlers.read.tables.records.arrays import below, first_document, read_records, ways_to_records
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.vocabulary.headings import kind_of, tells_patient
from crawlers.read.vocabulary.labels import WHOLE_ANSWER, flat
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import letter_of
from crawlers.read.vocabulary.words import ANSWER_NAME, any_of

_ASKED, _REPLIES = (("instruction", "input"), ("prompt",), ("query",)), ("output", "response", "completion", "reply")
"""Keys of a record that has one question, and keys of the reply to it."""
_JUDGES = frozenset({"answer", "label", "gold", "reference", "groundtruth", "target", "correct", "chosen", "rejected", "答案", "标准答案"})
"""Keys that state whether a reply is right or what the right answer is; if there is one, the reply is not the answer key."""
_SPEAKERS, _TEXTS = ("from", "role", "speaker"), ("value", "content", "text")
_USERS, _MODELS = ("human", "user", "用户"), ("gpt", "assistant", "bot", "model", "助手")
_LONGEST_PROMPT, _RECURS, _RAW_CHARS, _MOST, _END, _NUMBER = 80, 2, 2000, 0.5, 8, "1、"
_PROMPT = re.compile(r"请|题|回答|判断|作答|选择|选出|选项|答案")
_TELLS = re.compile(r"(?:请|以下是|下面是).{0,60}(?:题|回答|选项|答案).{0,30}[。:：!！?？]")
"""A sentence that is certainly a prompt; one that matches only `_PROMPT` may be. A case that recurs above several questions matches
neither."""
_ASKS = re.compile(r"(?:的[是有]|不?包括|\(\s*\)|都[对错])[。:]?$")
"""The end of a stem that several questions share, or of an option."""
_LEAD = re.compile(rf"[^:：]{{0,9}}(?:{any_of('stem', 'type')}|正误|对错|判断)\s?[:：]\s?")
_OPTIONS = re.compile(rf"[【\[]?(?:{any_of('options')})[】\]]?\s?:?")
_STATES = re.compile(
    rf"(?<![不非])(?:{ANSWER_NAME}|[Aa]nswer|正确选项|(?<!能)选(?!项)择?)[\s】\]*]{{0,4}}(?:应该?)?(?:[是为选]|选择)?[\s:：*(【]{{0,4}}"
    r"(?P<letters>[A-J](?:[\s,、和及]{0,2}[A-J]){0,9}+)(?![A-Za-z\d型族类])(?!\s?[项和或]{0,2}\s?(?:[A-J]|错|不|都|均))"
)
"""The part of a reply that states the right letters; its reasons may name other letters."""
_HEDGED = re.compile(r"如果|若选|误[选认]|有[人的些]|[很许]多人|学生|参考书|倾向|可能|但|点评|这是错|就错|均可|都可以")
"""Words showing that a verdict in the same or the next sentence is not the reply's conclusion."""
_LED = re.compile(r"(?P<letters>[A-J](?:[\s,、]{0,2}[A-J]){0,9})\s?[。;]")
_VERDICT = re.compile(
    rf"(?:{ANSWER_NAME}\s?[是为:]{{0,2}}\s?)?(?:[这该此本上]?[个种述句题]?(?:说法|观点|表述|陈述|叙述|命题|判断|题干|题)?[是为]?)?"
    rf"(?P<verdict>{SURE_VERDICT})的?(?:[。.!,;\s]+|$)"
)
_LABEL = re.compile(rf"[【\[]?(?:{ANSWER_NAME}|答)[】\]]?\s?[:：]\s?|[【\[](?:{ANSWER_NAME}|答)[】\]]\s?")
_EXPLAINED = re.compile(rf"[【\[*]{{0,3}}(?:{any_of('explanation')})(?:[】\]]\s?[:：]?|\s?[:：])\*{{0,2}}\s?")
_EXAMINES, _SPOKEN = re.compile(r"[简试论]述|简答|名词解释"), re.compile("[您你]")


class _Turn(NamedTuple):
    position: str
    dialogue: str
    lines: list[str]
    reply: str


def way_to_dialogues(document: Any) -> list[str] | None:
    """Return the keys that lead to the dialogues in a file's first document; None if it has none or is a table with known columns."""
    ways = ways_to_records([document]) if isinstance(document, dict) else []
    firsts = [(way, record) for way in ([], *ways) if isinstance(record := below(document, way), dict)]
    found = [way for way, record in firsts if layout_of_keys([*record]) is None and _exchanges(record)[0]]
    return next(iter(found), None) if len(found) < 2 or not found[0] else [*found[0][:-1], EVERY]


def read_dialogues(name: str, body: bytes, provenance: Provenance) -> FileReading:
    """Return the questions in a file of dialogues; requests that cannot be read with certainty are items with `doubt`.

    Raises:
        ValueError: the file is damaged, or most of its requests are not exam questions.
    """
    reading, drafts, case, dialogue = FileReading(), list[Draft](), "", ""
    turns, others = _turns_of(name, body, reading, provenance)
    prompts, source = _prompts_of(turns), list[str]()
    for turn in turns:
        case, dialogue = case if turn.dialogue == dialogue else "", turn.dialogue
        lines, cut = _without_prompts(turn.lines, prompts)
        others += cut
        source += lines
        if turn.position != dialogue:
            above, lines = _parted(lines, has_case=bool(case))
            case = "\n".join(above) or case
        if not lines:  # only the case
            source.append(turn.reply)
            continue
        kind = next((each.rstrip(":： ") for each in cut if kind_of(flat(each))), None)
        draft = _draft_of(lines, turn.reply, Above(case=case or None, group=dialogue if case else None), len(drafts) + 1)
        draft = structs.replace(draft, type=draft.type or kind) if draft.options or draft.doubts else _in_words(draft, turn.reply, kind)
        drafts.append(draft)
        for line in turn.reply.split("\n"):  # an answer that repeats the words of its option is not in the item
            is_repeated = draft.options and draft.answer and line.strip(" 。")[-_END:] not in (draft.explanation or "")
            (others if is_repeated else source).append(line)
        own = structs.replace(provenance, position=turn.position)
        fields = draft.raw_fields() | {"number_raw": None, "paper_raw": PurePosixPath(name).stem}
        reading.items.append(QuestionItem(url=provenance.url, provenance=own, **fields))
        if draft.doubt:
            reading.faults.append(f"{turn.position.replace(':', ' ')}: {draft.doubt}: {draft.words or DOUBTS[draft.doubt]}")
    _refuse_talk(name, drafts)
    reading.record_count, reading.source = len(reading.items), Text(source, others)
    return reading


def _turns_of(name: str, body: bytes, reading: FileReading, provenance: Provenance) -> tuple[list[_Turn], list[str]]:
    """Return the turns of all dialogues, and the other texts in their records; records without turns are rejected."""
    turns, others = list[_Turn](), list[str]()
    for position, record in read_records(name, body, way_to_dialogues(first_document(name, body)) or ()):
        pairs, beside = _exchanges(record) if isinstance(record, dict) else ([], [])
        if not pairs:
            lost = Lost(position, "record_unreadable", "found no turns of a user and a model", str(record)[:_RAW_CHARS])
            reading.give_up(record if isinstance(record, Lost) else lost, provenance)
        others += beside
        for number, (asked, reply) in enumerate(pairs, 1):
            lines = [line for each in asked.split("\n") if (line := each.strip()) and not _OPTIONS.fullmatch(flat(line))]
            if lines:
                turns.append(_Turn(f"{position}:{number}" if len(pairs) > 1 else position, position, lines, reply.strip()))
    return turns, others


def _exchanges(record: dict[str, Any]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the requests in a record with their replies, in order, and the record's other texts, such as system prompts, names and
    codes."""
    pairs, beside = list[tuple[str, str]](), list[str]()
    if any(plain(str(key)) in _JUDGES for key in record):
        return pairs, beside
    asked = next((keys for keys in _ASKED if keys[0] in record), ())
    reply = next((key for key in _REPLIES if isinstance(record.get(key), str)), None)
    if asked and reply:
        history = record.get("history")
        told = history if isinstance(history, list) else []
        pairs = [(str(each[0]), str(each[1])) for each in told if isinstance(each, list) and len(each) == 2 and each[0]]
        pairs.append(("\n".join(str(record[key]) for key in asked if record.get(key)), record[reply]))
        beside = [value for key, value in record.items() if isinstance(value, str) and key not in (*asked, reply)]
        return (pairs if pairs[-1][0] else []), beside
    for value in record.values():
        for side, run in groupby(_turns_in(value) if isinstance(value, list) else [], lambda turn: _side_of(turn[0])):
            said = "\n".join(text for _, text in run)
            if side == "user":
                pairs.append((said, ""))
            elif side == "model" and pairs:
                pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}\n{said}".strip())
            else:
                beside.append(said)
        beside += [value] if isinstance(value, str) else []
    return pairs, beside


def _side_of(who: str) -> str:
    return "user" if who in _USERS else "model" if who in _MODELS else ""


def _turns_in(value: list[Any]) -> list[tuple[str, str]]:
    """Return the speaker and text of each turn in a list, leaving out empty turns; nothing if the list has no turns."""
    turns = list[tuple[str, str]]()
    for each in value:
        who, text = (
            next((each[key] for key in keys if key in each), None) if isinstance(each, dict) else None for keys in (_SPEAKERS, _TEXTS)
        )
        if isinstance(text, list):  # parts of a message, each with its own type
            text = "\n".join(str(part.get("text") or "") for part in text if isinstance(part, dict))
        if not isinstance(who, str) or not isinstance(text, str | None):
            return []
        turns += [(who.lower(), text)] if text else []
    return turns


def _prompts_of(turns: Sequence[_Turn]) -> set[str]:
    """Return the lines, or their beginnings, that recur above or below different questions and are prompts."""
    counts = Counter(part for part, _ in {(part, "\n".join(turn.lines)) for turn in turns for part in _ends_of(turn.lines)})
    return {part for part, count in counts.items() if count >= _RECURS or _TELLS.fullmatch(part)}


def _ends_of(lines: Sequence[str]) -> Iterator[str]:
    """Yield the parts at both ends of a request that may be prompts; at least the stem is left over."""
    if lines and (lead := _LEAD.match(lines[0])):
        yield lead[0]
    for line, below_it in ((lines[0], lines[1]), (lines[-1], lines[-1])) if len(lines) > 1 else ():
        may_prompt = (
            len(line) <= _LONGEST_PROMPT and _PROMPT.search(line) and not tells_patient(flat(line)) and not _ASKS.search(flat(line))
        )
        if may_prompt and not letter_of(flat(below_it)):
            yield line


def _without_prompts(lines: list[str], prompts: set[str]) -> tuple[list[str], list[str]]:
    cut = list[str]()
    while part := next((each for each in _ends_of(lines) if each in prompts), ""):
        cut.append(part)
        lines = lines[:-1] if part == lines[-1] else [*filter(None, [lines[0].removeprefix(part)]), *lines[1:]]
    return lines, cut


def _parted(lines: list[str], has_case: bool) -> tuple[list[str], list[str]]:
    """Return the lines of the case in one of several turns, and the lines of the turn's question without its number."""
    at = next((at for at, line in enumerate(lines) if (number := number_of(flat(line))) and number.is_of_question), None)
    if at is None and len(lines) > has_case and tells_patient(flat(lines[0])):
        at = 1 if len(lines) > 1 and not letter_of(flat(lines[1])) else 0 if len(lines) > 1 else 1
        return lines[:at], lines[at:]
    if at is None or (at and has_case):
        return [], lines
    number = number_of(flat(lines[at]))
    return lines[:at], [*filter(None, [lines[at][number.end :] if number else ""]), *lines[at + 1 :]]


def _draft_of(lines: list[str], reply: str, above: Above, ordinal: int) -> Draft:
    """Return the question in the given lines, with the answer to its options and the explanation taken from a reply."""
    paper = read_paper([f"{_NUMBER}{lines[0]}", *lines[1:]])
    drafts = paper.drafts
    if len(drafts) != 1 or paper.unread:
        found = f"{len(drafts)} questions found, and {len(paper.unread)} other lines; expected one question"
        return Draft(line=0, ordinal=ordinal, number=1, above=above, stem="\n".join(lines), doubts=("stem_unreadable",), words=found)
    draft = structs.replace(drafts[0], ordinal=ordinal, above=above, stem=drafts[0].stem.removeprefix(_NUMBER))
    return _answered(draft, reply) if draft.options and reply else draft


def _answered(draft: Draft, reply: str) -> Draft:
    """Return a question with the answer from a reply, which is the letters it states, an option it repeats, or else its entire text."""
    line, own = flat(reply), LETTERS[: len(draft.options)]
    stated = [match for match in _STATES.finditer(line) if set(letters_in(match["letters"])) <= set(own)]
    around = (line[max(line.rfind(end, 0, match.start()) for end in "。;\n") + 1 : match.end() + 12] for match in stated)
    if len({frozenset(letters_in(match["letters"])) for match in stated}) > 1 or any(map(_HEDGED.search, around)):
        return structs.replace(draft, answer=reply).doubted("two_answers")
    first, _, rest = reply.partition("\n")
    words = {_squeezed(option): letter for option, letter in zip(draft.options, own, strict=True)}
    words |= {each[1:]: letter for each, letter in words.items() if each[:1] == letter}
    led = _LED.match(line)
    if match := next(iter(stated), None) or led:
        answer = match["letters"]
        concluded = _squeezed(re.split(r"\n\s*\n|解析|分析|。", reply[match.start("letters") :])[0])
        if sum(_squeezed(option) in concluded for option in draft.options) > len(letters_in(answer)):
            return structs.replace(draft, answer=reply).doubted("two_answers")
        is_first = not _squeezed(line[: match.start()])
        told = reply[match.end() :] if is_first else reply
        repeated = "".join(each for each, letter in words.items() if letter in letters_in(answer) and each[:1] != letter)
        head, bracket, behind = told.partition("）")
        told = behind if bracket and _squeezed(head) == repeated else told
        return structs.replace(draft, answer=answer, explanation=_without(_EXPLAINED, told.strip(" \n。.*】)）")) or None)
    answer = words.get(_squeezed(first)) or (first if WHOLE_ANSWER.fullmatch(flat(first)) else reply)
    return structs.replace(draft, answer=answer, explanation=_without(_EXPLAINED, rest.strip()) or None if answer != reply else None)


def _squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _in_words(draft: Draft, reply: str, kind: str | None) -> Draft:
    """Return a question without options, answered with the truth value that its reply states, or else with the reply's text."""
    draft = structs.replace(draft, type=draft.type or kind)
    verdict = _VERDICT.match(flat(reply))
    if verdict and (kind_of(flat(draft.type or "")) == "verdict" or verdict.end() == len(reply)):
        told = _without(_EXPLAINED, reply[verdict.end() :].strip())
        return structs.replace(draft, answer=verdict["verdict"], explanation=told or None)
    draft = structs.replace(draft, answer=_without(_LABEL, reply) or None, explanation=None)
    return draft.doubted("stem_unreadable", "a message to somebody, not an examination question") if _SPOKEN.search(draft.stem) else draft


def _without(label: re.Pattern[str], text: str) -> str:
    match = label.match(text)
    return text[match.end() :] if match else text


def _refuse_talk(name: str, drafts: Sequence[Draft]) -> None:
    """Refuse a file if few of its questions have options, a truth value, or the wording or type of an examination question."""
    sure = sum(bool(each.options) or _is_examined(each) for each in drafts)
    if sure < max(1, _MOST * len(drafts)):
        found = f"only {sure} of {len(drafts)} requests have options, a truth value or the wording of an examination"
        raise Refusal(
            f"{name}: {found}, so it looks like a chat, not a question bank; to read other records, write a layout (docs/importing.md)"
        )


def _is_examined(draft: Draft) -> bool:
    return bool(kind_of(flat(draft.type or "")) or _EXAMINES.match(draft.stem) or re.fullmatch(SURE_VERDICT, draft.answer or ""))
