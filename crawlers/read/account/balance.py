"""Find unread values that show that a file of records was misread: items and values -> items with doubts.

If a file's structure was misunderstood, all of it is misread. Its other values may show this: there are as many unread texts as there would
be options, a second answer fits as well as the one that was read, or the options are listed again in another order.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, structs

from atomexam.records.item import Item, QuestionItem, answer_form
from atomexam.text.option_letters import LETTERS
from atomexam.text.refusal import Refusal
from crawlers.read.account.characters import CharacterAccount, Unread, folded
from crawlers.read.account.leaves import Leaf
from crawlers.read.account.records import LETTER_IN_NAME
from crawlers.read.lines.pages.wraps import is_closed
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.tables.roles.answer_columns import ANSWER, EXPLAINED, IDENTIFIER, OWN_CHOICE
from crawlers.read.tables.roles.records import NAMED
from crawlers.read.tables.roles.values import answer_letters, as_verdict, bare, verdict_of
from crawlers.read.vocabulary.headings import kind_of, tells_patient
from crawlers.read.vocabulary.labels import flat

_FEWEST, _MOST_OPTIONS, _MOST_FILLINGS = 5, 10, 20
"""Minimum number of questions that show a file's structure, maximum number of options in a question, and maximum number of sets of filled
rows to compare."""
_MOST, _NEARLY_ALL, _UNLIKE, _FEW = 0.6, 0.9, 0.5, 0.2
"""Minimum shares of the questions that have a text in a column, fit a column, have distinct texts, and have reordered options."""
_FEWEST_TEXTS, _MOST_SIGN_CHARS = 3, 3
_NOT_OPTIONS = re.compile(
    r"name|user|author|source|remark|note|hint|tips?$|tag|comment|reply|time|date|url|img|image|path|state|来源|出处|教材|备注|提示|标签|评论|时间|作者|姓名|地址",
    re.IGNORECASE,
)
"""Key names of texts that are not options."""
_OPTIONS = re.compile(r"^(?:备?选项|选择项|候选|options?|choices?|candidates?|alternatives?)(?:内容|列表|texts?|list|s)?$", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z0-9,，;；|\s]{1,12}")
_RIGHT = re.compile(r"correct|right|standard|official|gold|正确|标准", re.IGNORECASE)
_GAP = re.compile(r"_{2,}|[(（]\s*[)）]")
_LAYOUT = "write a layout that says where each part is (--propose drafts one; see docs/importing.md)"
_MOST_UNREAD, _FEW_CHARS = 0.5, 500
"""Share of unread characters from which a file is not a question bank; number of unread characters that is always allowed."""


def refuse_little_read(name: str, reading: FileReading, account: CharacterAccount) -> None:
    """Refuse a file if most of it is not in any item, or if a column of distinct texts next to the options is not in any item.

    Raises:
        ValueError: the message states what is unread and how a layout can declare it.
    """
    if reading.items and account.unread_share > _MOST_UNREAD and account.unread_characters > _FEW_CHARS:
        found = f"{account.unread_share:.0%} of its characters are not in any of its {len(reading.items)} items"
        raise Refusal(f"{name}: {found}, such as {'; '.join(account.largest(_FEWEST_TEXTS))}; if it is a question bank, {_LAYOUT}")
    choices = sum(bool(item.options_raw) or answer_form(item.answer_raw) == "letters" for item in reading.sound)
    columns: dict[str, list[str]] = defaultdict(list)
    for one in account.unread:
        if one.reason in ("unknown_key", "unknown_column"):
            columns[one.position.rpartition(":")[2]].append(one.text)
    for column, texts in columns.items():
        is_beside_most = choices >= _FEWEST and len(texts) >= _MOST * choices
        is_option = LETTER_IN_NAME.search(column) and not any(map(str.isascii, texts))
        are_own = len(set(texts)) >= _NEARLY_ALL * len(texts) and _are_unlike(texts)
        if is_beside_most and (is_option or are_own) and _may_be_options(column):
            found = f"{len(texts)} texts of {column!r} next to questions are in no item, such as {texts[0]!r} and {texts[-1]!r}"
            raise Refusal(
                f"{name}: {found}; if they are options, answers or explanations, {_LAYOUT}, otherwise ignore them with `unread: [{column}]`"
            )


class _Row(Struct):
    """A question, its index among the items, and the values of its record by key."""

    at: int
    item: QuestionItem
    values: dict[str, list[str]]


def with_doubts(reading: FileReading, leaves: Iterable[Leaf], unread: Sequence[Unread], is_table: bool = False) -> FileReading:
    """Return a reading with doubts on the questions that other values in their file contradict; unchanged if there are no such questions.

    Args:
        is_table: whether the records are rows of a sheet, where a text may continue in the row below.
    """
    rows = list(_rows_of(reading, leaves))
    findings = [
        ("options_unreadable", "have no options, and texts next to them are unread", _without_their_options(rows, unread)),
        ("options_unreadable", "have no options, and their answers are lists", _with_lists_as_answers(rows, reading)),
        ("stem_unreadable", "are above an unnumbered row with further text", _cut_by_row(reading.items) if is_table else []),
        ("answer_unreadable", "have options that are also listed in another order", _with_other_order(rows)),
        ("two_answers", "have two columns that fit as answers", _with_other_answer(rows, reading)),
    ]
    doubts: dict[int, str] = {}
    for reason, words, found in findings:
        new = [at for at in found if at not in doubts]
        doubts |= dict.fromkeys(new, reason)
        if new:
            reading = structs.replace(reading, faults=[*reading.faults, f"{reason}: {len(new)} questions {words}"])
    if not doubts:
        return reading
    items = [structs.replace(item, doubt=doubts[at]) if at in doubts else item for at, item in enumerate(reading.items)]
    return structs.replace(reading, items=items, misfits=reading.misfits + len(doubts))


def _rows_of(reading: FileReading, leaves: Iterable[Leaf]) -> Iterator[_Row]:
    """Yield the questions that are the only ones of their record."""
    values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    above = ".".join([*(reading.shape.array if reading.shape else reading.array), ""])
    for leaf in leaves:
        if not leaf.is_key and leaf.unit and leaf.text.strip():
            values[leaf.unit][leaf.key.removeprefix(above)].append(leaf.text)
    units = [_unit_of(item.provenance.position, values) for item in reading.items]
    counts = Counter(units)
    names = _header_of(reading, [row for unit, row in values.items() if unit not in counts])
    for at, (item, unit) in enumerate(zip(reading.items, units, strict=True)):
        if unit and counts[unit] == 1 and isinstance(item, QuestionItem) and item.doubt is None:
            yield _Row(at, item, {names.get(key, key): texts for key, texts in values.pop(unit).items()})


def _header_of(reading: FileReading, others: Iterable[dict[str, list[str]]]) -> dict[str, str]:
    """Return the column names from the headers of sheets."""
    known = {name for names in reading.columns.values() for name in names.split(", ")}
    return {key: texts[0] for row in others if any(texts[0] in known for texts in row.values()) for key, texts in row.items()}


def _unit_of(position: str, units: Mapping[str, object]) -> str:
    while position and position not in units:
        position = position.rpartition(":")[0]
    return position


def _without_their_options(rows: Sequence[_Row], unread: Sequence[Unread]) -> list[int]:
    """Return the questions without options and with short answers that have as many unread texts next to them, or in a table, as there
    would be options, or that each have one under a name for options.
    """
    bare_rows = [row for row in rows if not row.item.options_raw and not row.item.shared_options_raw]
    columns: dict[str, list[str]] = defaultdict(list)
    for one in unread:
        name = one.position.rpartition(":")[2]
        if len(one.text) > 1 and _may_be_options(name):
            columns[name].append(one.text)
    least = _MOST * len(bare_rows)
    if len(bare_rows) < _FEWEST or any(len(texts) >= least and _OPTIONS.search(name) for name, texts in columns.items()):
        return [row.at for row in bare_rows] if len(bare_rows) >= _FEWEST else []
    columns = {name: texts for name, texts in columns.items() if _are_unlike(texts)}
    means = sorted(sum(map(len, texts)) / len(texts) for texts in columns.values())
    if not means or means[-1] > _FEWEST_TEXTS * means[0] + 4 or sum(map(len, columns.values())) < _FEWEST_TEXTS * least:
        return []
    known = {folded(text) for texts in columns.values() for text in texts}
    known |= {
        folded(text) for row in bare_rows for name in columns for text in row.values.get(name, ())
    }  # `columns` contains these rows' texts
    short = sum(_may_name_option(row.item.answer_raw, known) for row in bare_rows)
    return [row.at for row in bare_rows] if short >= least else []


def _may_name_option(answer: str | None, texts: set[str]) -> bool:
    if not answer or answer_form(answer) == "verdict" or _CODE.fullmatch(answer) is not None:
        return True
    words = folded(answer)
    return words in texts or any(words[at:] in texts for at in range(1, min(_MOST_SIGN_CHARS, len(words) - 1) + 1))


def _may_be_options(name: str) -> bool:
    return not any(pattern.search(name) for pattern in (EXPLAINED, IDENTIFIER, _NOT_OPTIONS, OWN_CHOICE, *NAMED.values()))


def _are_unlike(texts: Sequence[str]) -> bool:
    """Return whether the texts are phrases that mostly differ, unlike codes, dates and types."""
    worded = sum(not text.isascii() for text in texts)
    return len(texts) >= _FEWEST and worded >= _UNLIKE * len(texts) and len(set(texts)) >= _UNLIKE * len(texts)


def _with_lists_as_answers(rows: Sequence[_Row], reading: FileReading) -> list[int]:
    """Return the questions without options whose answer is a list of as many texts as there would be options, and of more texts than the
    question has gaps."""
    keys = set(reading.columns.get("answer", "").split(", "))
    listed = []
    for row in rows:
        texts = next((texts for key, texts in row.values.items() if key in keys or key.rpartition(".")[2] in keys), [])
        is_bare = (
            not row.item.options_raw
            and not row.item.shared_options_raw
            and kind_of(flat(row.item.type_raw or "")) not in ("blank", "words")
        )
        if is_bare and len(texts) > 1 and len(_GAP.findall(row.item.stem_raw or "")) != len(texts):
            listed.append((row.at, len(texts)))
    usual = Counter(count for _, count in listed).most_common(1)
    several = sum(_FEWEST_TEXTS <= count <= _MOST_OPTIONS for _, count in listed)
    is_even = bool(usual) and usual[0][1] >= _MOST * len(listed)
    return [at for at, _ in listed] if len(listed) >= _FEWEST and is_even and several >= _NEARLY_ALL * len(listed) else []


def _cut_by_row(items: Sequence[Item]) -> list[int]:
    """Return the questions followed by an unnumbered row with only a stem, which may continue them unless it describes a patient."""
    cut = []
    for at, (above, item) in enumerate(pairwise(items)):
        if not isinstance(above, QuestionItem) or not isinstance(item, QuestionItem) or above.doubt or item.doubt:
            continue
        is_rest = item.stem_raw and not (item.options_raw or item.answer_raw or item.number_raw or item.shared_options_raw)
        is_whole = above.options_raw and above.answer_raw and _table_of(above) == _table_of(item)
        is_open = above.number_raw or not is_closed(flat(above.stem_raw or "").rstrip())
        if is_rest and is_whole and is_open and not tells_patient(flat(item.stem_raw or "")):
            cut.append(at)
    return cut if len(cut) <= _FEW * len(items) else []


def _table_of(item: QuestionItem) -> str:
    return item.provenance.position.rpartition(":")[0]


def _with_other_order(rows: Sequence[_Row]) -> list[int]:
    """Return the questions answered by letters if the file lists their options, or the positions of the options, again in a different
    order."""
    lettered = [row for row in rows if _is_lettered(row.item)]
    moved = sum(map(_is_reordered, lettered))
    if moved < max(_FEWEST_TEXTS, _FEW * len(lettered)):
        return []
    return [row.at for row in lettered if not _states_right_text(row)]


def _is_lettered(item: QuestionItem) -> bool:
    return len(item.options_raw or []) > 1 and answer_form(item.answer_raw) == "letters"


def _plain_options(item: QuestionItem) -> list[str]:
    return [folded(bare(option)) for option in item.options_raw or []]


def _is_reordered(row: _Row) -> bool:
    count = len(row.item.options_raw or [])
    lists = {key: [folded(bare(text)) for text in texts] for key, texts in row.values.items() if len(texts) == count}
    if not lists:
        return False
    options = _plain_options(row.item)
    own = {key: texts for key, texts in lists.items() if sorted(texts) == sorted(options)}
    if len(set(map(tuple, own.values()))) > 1:
        return True
    parents = {key.rpartition(".")[0] for key in own} - {""}
    in_order = ([str(at) for at in range(count)], [str(at) for at in range(1, count + 1)], list(LETTERS[:count].lower()))
    others = [texts for key, texts in lists.items() if key not in own and key.rpartition(".")[0] not in parents]
    flags = [str(int(letter in (row.item.answer_raw or ""))) for letter in LETTERS[:count]]  # a flag for each option
    return any(sorted(texts) in in_order and texts not in (*in_order, flags) for texts in others)


def _states_right_text(row: _Row) -> bool:
    """Return whether a value of a record is the text of its only right option; if so, the order of the options does not matter."""
    options = _plain_options(row.item)
    at = LETTERS.find((row.item.answer_raw or "").strip().upper()) if len((row.item.answer_raw or "").strip()) == 1 else -1
    alone = {folded(texts[0]) for texts in row.values.values() if len(texts) == 1}
    return 0 <= at < len(options) and options[at] in alone


def _with_other_answer(rows: Sequence[_Row], reading: FileReading) -> list[int]:
    """Return the questions with a second column that fits their options as an answer, if its name says that it is right or a truth value
    says where the two agree: one of them is then somebody's choice. A sparse answer column is taken to contain corrections.
    """
    lettered = [row for row in rows if _is_lettered(row.item)]
    if len(lettered) < _FEWEST:
        return []
    own_name = reading.columns.get("answer", "")
    options = set(reading.columns.get("options", "").split(", "))
    corrected: list[int] = []
    filled_by_key: dict[str, list[_Row]] = defaultdict(list)
    for row in lettered:
        for key, texts in row.values.items():
            if len(texts) == 1:
                filled_by_key[key].append(row)
    truths: dict[tuple[int, ...], dict[tuple[bool, ...], set[str]]] = {}
    for key, filled in filled_by_key.items():
        name = key.rpartition(".")[2].rpartition(":")[2]
        if OWN_CHOICE.search(name) or EXPLAINED.search(name) or name == own_name or options & {key, name, *key.split(".")}:
            continue
        letters = _letters_of(filled, key)
        if not letters:
            continue
        read = [_letters_in(row.item.answer_raw or "", row.item.options_raw or []) for row in filled]
        equal = [one == other for one, other in zip(read, letters, strict=True)]
        if all(equal):
            continue
        if len(filled) < _NEARLY_ALL * len(lettered):  # a sparse answer column contains corrections
            corrected += [row.at for row, same in zip(filled, equal, strict=True) if not same and ANSWER.search(name)]
            continue
        is_named = _RIGHT.search(name) and not _RIGHT.search(own_name)
        filling = tuple(row.at for row in filled)
        if filling not in truths and len(truths) < _MOST_FILLINGS:
            truths[filling] = _truths_in(filled)
        if is_named or (len(set(equal)) > 1 and truths.get(filling, {}).get(tuple(equal), set()) - {key}):
            return [row.at for row in lettered]
    return corrected


def _letters_of(rows: Sequence[_Row], key: str) -> list[str]:
    """Return the letters that a key's values name, in row order; empty if too many values do not name any."""
    letters: list[str] = []
    may_fit = len(rows)
    for row in rows:
        letters.append(_letters_in(row.values[key][0], row.item.options_raw or []))
        may_fit -= not letters[-1]
        if may_fit < _NEARLY_ALL * len(rows):
            return []
    return letters


def _letters_in(answer: str, options: list[str]) -> str:
    return answer_letters(answer, options, "letters") or answer_letters(answer, options, "text")


def _truths_in(rows: Sequence[_Row]) -> dict[tuple[bool, ...], set[str]]:
    """Return the keys of truth values, or of points that are zero or not zero, according to the value in each row."""
    truths: dict[tuple[bool, ...], set[str]] = defaultdict(set)
    for key in rows[0].values:
        texts = [row.values[key][0].strip() if len(row.values.get(key, ())) == 1 else "" for row in rows]
        if len(set(texts)) == 2:
            truths[tuple(text not in ("0", "0.0") and verdict_of(as_verdict(text)) != "错误" for text in texts)].add(key)
    return truths


def with_contradictions_doubted(reading: FileReading) -> FileReading:
    """Return a reading with doubts on all questions in a file that have the same text but different answers.

    Questions with the same answer may repeat: near_duplicates merges them and stores each occurrence.
    """
    asked: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, item in enumerate(reading.items):
        if isinstance(item, QuestionItem) and _has_comparable_answer(item):
            options = sorted(_plain(bare(option)) for option in item.options_raw or item.shared_options_raw or [])
            asked[_plain(item.case_raw or ""), _plain(item.stem_raw or ""), *options].append(at)
    items = list(reading.items)
    contrary = {at for places in asked.values() if len(places) > 1 and len({_right(items[at]) for at in places}) > 1 for at in places}
    if not contrary:
        return reading
    items = [structs.replace(item, doubt="two_answers") if at in contrary else item for at, item in enumerate(items)]
    fault = f"two_answers: {len(contrary)} questions have the same text but different answers"
    return structs.replace(reading, items=items, faults=[*reading.faults, fault])


def _has_comparable_answer(item: QuestionItem) -> bool:
    """Return whether a different answer would contradict this one; answers in free text vary."""
    has_form = answer_form(item.answer_raw) in ("letters", "verdict")
    return item.doubt is None and bool(item.stem_raw) and (has_form or (bool(item.answer_raw) and len(item.options_raw or []) > 1))


def _plain(text: str) -> str:
    """Return a text without blanks, width variants and closing marks, but with its case unchanged, since m and M are different prefixes."""
    return "".join(unicodedata.normalize("NFKC", text).split()).rstrip("。.?:;")


def _right(item: Item) -> str:
    """Return the texts of the right options, which may be in a different order elsewhere; if there are none, return the answer."""
    if not isinstance(item, QuestionItem):
        return ""
    options = list(item.options_raw or item.shared_options_raw or [])
    letters = answer_letters(item.answer_raw or "", options, "letters") if options else ""
    return "\n".join(sorted(_plain(bare(options[LETTERS.index(letter)])) for letter in letters)) or _plain(item.answer_raw or "")
