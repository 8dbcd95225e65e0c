"""One record to its items, by a layout: its fields, then a question or an entity; one that cannot be read gives a Lost with the reason."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product, takewhile
from typing import Any, NamedTuple

from msgspec import structs

from atomexam.records.item import EntityItem, Item, LabelledValue, QuestionItem, Section, answer_form
from atomexam.records.provenance import Provenance, content_id
from atomexam.text.option_letters import LETTERS, are_in_turn, letters_in
from atomexam.text.verdicts import CODES, VERDICTS, verdict_of
from crawlers.read.containers.files.reading import TWICE, CoveredCell, Lost, RepeatedKey
from crawlers.read.lines.doubts.question import holds_letter, holds_options
from crawlers.read.tables.columns import EntityLayout, RecordLayout, is_unnamed
from crawlers.read.tables.records.entities import flat_record, joined_range, person_of, plain_text, range_text
from crawlers.read.tables.records.reading import Misfit
from crawlers.read.tables.records.stem_cells import IN_CELL, parts_of_stem
from crawlers.read.tables.roles.records import Roles, options_of, values_of
from crawlers.read.tables.roles.values import FORMS, MARKED, SIGNS, answer_letters, split_options
from crawlers.read.vocabulary.headings import is_heading, kind_of
from crawlers.read.vocabulary.labels import IMAGE, flat, opening_mark
from crawlers.read.vocabulary.options import letter_of

_LABEL_KEYS = ("key", "label", "letter", "option", "id", "name", "code", "prefix")
_TEXT_KEYS = ("value", "text", "content", "option", "name", "title", "label")
_SCALARS, _CONTAINERS = (str, int, float, bool), (list, dict, RepeatedKey)
_RAW_CHARS = 2000


class Keys(NamedTuple):
    """The keys of one field, of which the first that has a value counts."""

    names: tuple[str, ...]
    may_miss: bool = True


def keys_of(shape: RecordLayout, field: str) -> Keys:
    """Return the keys of a field as the layout lists them: those with `?` may be missing."""
    keys = (shape.questions or {}).get(field, "?")
    listed = [keys] if isinstance(keys, str) else keys
    return Keys(tuple(key.rstrip("?") for key in listed), any(key.endswith("?") for key in listed))


def value_of(record: dict[str, Any], keys: Keys) -> tuple[str, Any]:
    """Return the first key that has a value, and the value; if none has, the first that is present."""
    present = None
    for key in keys.names:
        if key in record:
            value = record[key]
            if type(value) in _CONTAINERS:
                _refuse_repeated_key(key, value)
            if value not in (None, ""):
                return key, value
            present = present or (key, value)
    if present or keys.may_miss:
        return present or (keys.names[0], None)
    found = ", ".join(map(repr, record)) or "none"
    raise Misfit("field_missing", f"field {' or '.join(map(repr, keys.names))} is missing; found {found}")


def text_of(record: dict[str, Any], keys: Keys) -> str | None:
    """Return a field as text: lists joined by `、`, None if it is empty."""
    return as_text(*value_of(record, keys))


def as_text(key: str, value: Any) -> str | None:
    """Return the value under a key as text."""
    if type(value) is str:
        return value.strip() or None
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(entry, _SCALARS) for entry in value):
        value = "、".join(text for entry in value if (text := str(entry).strip()))
    if not isinstance(value, _SCALARS):
        raise Misfit("field_unreadable", f"field {key!r}: found {_kind(value)}, expected text or a list of texts")
    return str(value).strip() or None


def as_options(key: str, value: Any, labelled: tuple[str, str] | None = None) -> list[str] | None:
    """Return options from a list of texts, an object of letters or one text; empty ones at the end are dropped, others stay empty."""
    if value is None or isinstance(value, str):
        return split_options(value or "") or None
    if labelled and isinstance(value, list) and all(isinstance(entry, dict) and set(labelled) <= entry.keys() for entry in value):
        by_label = {str(entry[labelled[0]]): entry[labelled[1]] for entry in value}
        value = by_label if len(by_label) == len(value) else [entry[labelled[1]] for entry in value]
    elif isinstance(value, dict) and (objects := _objects_of_lists(value)):
        value = _of_objects(key, objects)
    elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        value = _of_objects(key, value)
    texts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(texts, list) or not all(text is None or type(text) in (str, int, float) for text in texts):
        raise Misfit("field_unreadable", f"field {key!r}: found {_kind(value)}, expected a list of texts or an object of letters")
    texts = ["" if text is None else str(text).strip() for text in texts]
    if isinstance(value, dict) and all(len(letter) == 1 and letter.upper() in LETTERS for letter in value):
        return _lettered(sorted(zip(value, texts, strict=True)))
    return _lettered(("", text) for text in texts)


def _objects_of_lists(lists: dict[str, Any]) -> list[dict[str, Any]]:
    """Return options that are two lists, `{label: [A, B], text: [甲, 乙]}`, as objects; nothing if they are not such lists."""
    names = next((pair for pair in product(_LABEL_KEYS, _TEXT_KEYS) if set(pair) == lists.keys() and len(lists) == 2), None)
    columns = [lists[name] for name in names or ()]
    if names is None or not all(isinstance(column, list) for column in columns) or len(columns[0]) != len(columns[1]):
        return []
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def images_of(value: Any) -> int:
    """Return the number of image placeholders in the texts of a value."""
    if isinstance(value, dict | list):
        return sum(map(images_of, value.values() if isinstance(value, dict) else value))
    return value.count(IMAGE) if isinstance(value, str) else 0


def without_images(value: Any) -> Any:
    """Return a text, or a list of texts, without image placeholders; None if nothing else is left."""
    if isinstance(value, list):
        return [text.replace(IMAGE, "").strip() for text in value]
    return (value.replace(IMAGE, "").strip() or None) if isinstance(value, str) else value


def _of_objects(key: str, objects: list[dict[str, Any]]) -> dict[str, Any]:
    """Return letters and texts of options that are objects: with one letter each, or with a key for the letter and one for the text."""
    pairs = [tuple(each.items()) for each in objects]
    if all(len(pair) == 1 for pair in pairs):
        labelled = [pair[0] for pair in pairs]
    else:
        names = next((pair for pair in product(_LABEL_KEYS, _TEXT_KEYS) if all(set(pair) == each.keys() for each in objects)), None)
        labelled = [(str(each[names[0]]).strip(), each[names[1]]) for each in objects] if names else []
    letters = [letter.upper() for letter, _ in labelled]
    if not labelled or len(set(letters)) < len(letters) or not all(len(letter) == 1 and letter in LETTERS for letter in letters):
        keys = ", ".join(dict.fromkeys(name for each in objects for name in each))
        advice = "another form needs a layout with `labelled_options` in crawlers/read/layouts/layouts.yaml"
        raise Misfit("field_unreadable", f"field {key!r}: found objects with {keys}, expected a letter and a text in each; {advice}")
    return dict(labelled)


def _refuse_repeated_key(key: str, value: Any) -> None:
    objects = [value] if isinstance(value, dict) else value if isinstance(value, list) else []
    inner = [pair for one in objects if isinstance(one, dict) for pair in one.items()]
    for name, one in [(key, value), *inner]:
        if isinstance(one, RepeatedKey):
            raise Misfit("field_unreadable", f"key {name!r} appears {len(one)} times with different values, so which is right is not known")


def options_in_columns(record: dict[str, Any], shape: RecordLayout) -> list[str] | None:
    """Return options with a column each; if the first column has them all, as under a wide header 选项, its parts."""
    texts = [text_of(record, Keys((key,))) or "" for key in _option_keys(record, shape)]
    if shape.by_words and is_unnamed(shape.option_keys[1]) and len(whole := split_options(texts[0])) > 1:
        if any(texts[1:]):
            raise Misfit("options_unreadable", f"options in column {shape.option_keys[0]!r} and further texts after it")
        return whole
    if shape.by_words and _are_lettered(texts):
        return _lettered(("", text) for text in texts)
    return _lettered(zip(LETTERS, texts, strict=False))


def _are_lettered(texts: list[str]) -> bool:
    """Return whether several texts each begin with their own letter."""
    filled = [(letter, text) for letter, text in zip(LETTERS, texts, strict=False) if text]
    return len(filled) > 1 and all(letter_of(text) == letter for letter, text in filled)


def _option_keys(record: dict[str, Any], shape: RecordLayout) -> list[str]:
    """Return the columns of the options; where these are letters, a record may have more than others: E beside A to D."""
    count = len(shape.option_keys)
    if "".join(shape.option_keys) != LETTERS[:count]:
        return shape.option_keys
    return [*shape.option_keys, *takewhile(lambda letter: record.get(letter) not in (None, ""), LETTERS[count:])]


def letters_of_indices(record: dict[str, Any], shape: RecordLayout) -> str | None:
    """Return the letters of an answer given as indices of options, counted from 0."""
    key, value = value_of(record, keys_of(shape, "answer_raw"))
    indices = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(index, int) and 0 <= index < len(LETTERS) for index in indices):
        raise Misfit("field_unreadable", f"field {key!r}: found {value!r}, expected positions of options, counted from 0")
    return "".join(LETTERS[index] for index in sorted(indices)) or None


def counted_from_zero(records: Iterable[Any], shape: RecordLayout) -> bool:
    """Return whether the answers of records without a named layout are indices of options counted from 0: integers, alone or in lists, with
    0 among them.
    """
    keys, options = shape.keys_of("answer_raw"), [*shape.option_keys, *shape.keys_of("options_raw")]
    answers = [(record[key], record) for record in records if isinstance(record, dict) for key in keys if record.get(key) is not None]
    index_lists = [(value if isinstance(value, list) else [value], record) for value, record in answers]
    return any(0 in indices for indices, _ in index_lists) and all(
        indices and all(type(index) is int and index >= 0 for index in indices) and any(record.get(key) for key in options)
        for indices, record in index_lists
    )


def raw_of(record: dict[str, Any]) -> str:
    """Return the original record, truncated to the length that a Lost keeps."""
    return json.dumps(record, ensure_ascii=False)[:_RAW_CHARS]


def _lettered(options: Any) -> list[str] | None:
    texts = [(f"{letter}." if letter else "", text) for letter, text in options]
    while texts and not texts[-1][1]:
        texts.pop()
    return [letter + text for letter, text in texts] or None


def _kind(value: Any) -> str:
    if isinstance(value, (list, dict)):
        inner = value if isinstance(value, list) else list(value.values())
        return f"{type(value).__name__} of {', '.join(sorted({type(entry).__name__ for entry in inner})) or 'nothing'}"
    return type(value).__name__


_FEWEST_OPTIONS = 2
RANGES = "参考区间"
"""Label of a range that has a key for each of its ends."""


def entity_of(record: dict[str, Any], shape: EntityLayout, provenance: Provenance) -> EntityItem:
    """Return the entity that a record describes.

    Raises:
        Misfit: it has no name, or a field that cannot be read.
    """
    if shape.flat:
        record = flat_record({key: value for key, value in record.items() if key not in shape.skip})
    name = _text(record, shape.name, shape)
    if name is None:
        raise Misfit("record_empty", f"field {shape.name!r} is empty")
    values, sections = [], []
    if shape.label and shape.value:
        label, value = _text(record, shape.label, shape), _text(record, shape.value, shape)
        if value is None:
            raise Misfit("record_empty", f"field {shape.value!r} is empty")
        values.append(LabelledValue(label=shape.labels.get(label or "", label or shape.label), value=value, position=provenance.position))
    for index, key, text in _texts(record, shape):
        position, label = f"{provenance.position}:{index}", shape.labels.get(key, key)
        if key in shape.sections:
            sections.append(Section(title=label, text=text, position=position))
        else:
            values.append(LabelledValue(label=label, value=text, position=position))
    kind = _text(record, shape.type_key, shape) if shape.type_key in record else None
    return EntityItem(
        url=provenance.url,
        provenance=provenance,
        entity_type=shape.types.get(kind or "", shape.type),
        name_raw=name,
        alias_raw=_text(record, shape.alias, shape) if shape.alias in record else None,
        values=values,
        sections=sections,
    )


def _texts(record: dict[str, Any], shape: EntityLayout) -> Iterator[tuple[int, str, str]]:
    """Yield index, key and text of each field of a record except its names."""
    unit = plain_text(record.get(shape.unit)) if shape.unit else None
    ends = [plain_text(record.get(key)) if key else None for key in (shape.least, shape.most)]
    people = person_of(plain_text(record.get(shape.people)) or "") if shape.people else ""
    for index, key in enumerate(record, 1):
        if shape.label or key in (shape.name, shape.alias, shape.people, *shape.skip):
            continue
        if key in shape.ranges:
            text = range_text(value_of(record, Keys((key,)))[1], unit)
            text = f"{who}：{text}" if text and (who := person_of(key) or people) else text
        elif key in (shape.least, shape.most):
            text = range_text({people: joined_range(*ends)} if people else joined_range(*ends), unit) if key == shape.least else None
            key = RANGES
        elif key == shape.unit and (shape.ranges or shape.least):
            text = None
        else:
            text = _text(record, key, shape)
        if text is not None:
            yield index, key, text


def _text(record: dict[str, Any], key: str | None, shape: EntityLayout) -> str | None:
    if key is None or key not in record:
        return text_of(record, Keys((key,), may_miss=False)) if key else None
    return plain_text(value_of(record, Keys((key,)))[1]) if shape.flat else text_of(record, Keys((key,)))


_OPTION_LINE = re.compile(r"^\s*[A-JＡ-Ｊ]\s*[.．、:：)）]")


class RecordReader:
    """Reads the records of one layout.

    Args:
        subject: what the file's name states, for sets that state it nowhere else.
    """

    def __init__(self, shape: RecordLayout, subject: str | None = None) -> None:
        self._shape, self._subject = shape, subject
        self._keys = {field: keys_of(shape, field) for field in shape.questions or {}}
        self._behind = {*shape.keys_of("answer_raw"), *shape.keys_of("explanation_raw")}  # an image there is not needed for the answer

    def items(self, record: dict[str, Any], provenance: Provenance) -> Iterator[Item | Lost]:
        """Yield the items of a record; for one that cannot be read, a Lost with the reason."""
        split_on = self._shape.split_on
        parts = record.get(split_on) if split_on else None
        if self._shape.entity is not None or not isinstance(parts, list):
            yield self._item_or_lost(record, provenance)
            return
        rest = {key: value for key, value in record.items() if key != split_on}
        for number, part in enumerate(parts or [None], 1):
            part_provenance = structs.replace(provenance, position=f"{provenance.position}:{number}")
            if isinstance(part, dict):
                yield self._item_or_lost(rest | part, part_provenance, group=provenance.position)
            else:
                words = f"field {split_on!r}: found {type(part).__name__}, expected an object with named fields"
                yield Lost(part_provenance.position, "field_unreadable" if parts else "record_empty", words, raw_of(record))

    def _item_or_lost(self, record: dict[str, Any], provenance: Provenance, group: str | None = None) -> Item | Lost:
        try:
            if self._shape.entity is not None:
                return entity_of(record, self._shape.entity, provenance)
            return self._question(record, provenance, group)
        except Misfit as error:
            return Lost(provenance.position, error.reason, str(error), raw_of(record))

    def _question(self, record: dict[str, Any], provenance: Provenance, group: str | None) -> QuestionItem:
        shape, fields = self._shape, dict[str, Any]()
        if isinstance(value_of(record, self._keys["stem_raw"])[1], CoveredCell):
            raise Misfit("record_unreadable", "the cell of the stem is merged with the one above; a question takes one row")
        for field, keys in self._keys.items():
            key, value = value_of(record, keys)
            is_options = field in ("options_raw", "shared_options_raw")
            fields[field] = as_options(key, value, shape.labelled_options) if is_options else as_text(key, value)
        if shape.option_keys:
            fields["options_raw"] = options_in_columns(record, shape) or fields.get("options_raw")
        if shape.zero_based_answer:
            fields["answer_raw"] = letters_of_indices(record, shape)
        if shape.shared and group and (shared := text_of(record, Keys((shape.shared.rstrip("?"),), may_miss=shape.shared.endswith("?")))):
            options = _option_lines(shared)
            fields |= {"group_raw": group} | ({"shared_options_raw": options} if options else {"case_raw": shared})
        if shape.options_in_stem and not fields.get("options_raw"):
            own_fields = {field: fields[field] for field in ("answer_raw", "explanation_raw") if fields.get(field)}
            stem_parts = _cut_off_options(fields.get("stem_raw") or "", shape)
            _check_answers(stem_parts.get("answer_raw"), own_fields.get("answer_raw"))
            fields |= stem_parts | own_fields
        if self._subject and not fields.get("subject_raw"):
            fields["subject_raw"] = self._subject
        images = sum(images_of(value) for key, value in record.items() if key not in self._behind)
        return question_of(fields, images, provenance, is_checked=not shape.by_words)  # `clean` checks those for the same


def question_of(fields: dict[str, Any], images: int, provenance: Provenance, is_checked: bool = False) -> QuestionItem:
    """Return the question with some fields.

    Raises:
        Misfit: it is none, or its options are certainly elsewhere.
    """
    if images:
        fields = {field: without_images(value) for field, value in fields.items()} | {"images": images}
    if fields.get("case_raw") and not fields.get("group_raw"):
        fields["group_raw"] = content_id("case", fields["case_raw"])  # rows that repeat a case belong together
    if not fields.get("stem_raw") and not fields.get("options_raw") and not images:
        raise Misfit("record_empty", "neither a stem nor options")
    if not is_checked:
        _check_options(fields)
    return QuestionItem(url=provenance.url, provenance=provenance, **fields)


def _check_options(fields: dict[str, Any]) -> None:
    """Check that a question whose answer is a letter has options: otherwise they are where nobody looked."""
    kinds = {kind_of(flat(fields.get(field) or "")) for field in ("type_raw", "section_raw")}
    lettered = answer_form(fields.get("answer_raw")) == "letters"
    if lettered and not fields.get("options_raw") and not fields.get("shared_options_raw") and not kinds & {"verdict", "blank"}:
        raise Misfit("options_unreadable", f"the answer is {fields['answer_raw']!r} but there are no options")
    options = fields.get("options_raw") or []
    if len(options) == 1 and not _may_be_several(options[0]):  # not divided, or the others are in rows below
        raise Misfit("options_unreadable", f"{options[0]!r} is the only option")
    if holds_letter(fields.get("options_raw") or []):
        raise Misfit("options_unreadable", f"a further option seems to be within one of {fields['options_raw']!r}")
    if not fields.get("options_raw") and holds_options(fields.get("stem_raw") or ""):
        raise Misfit("options_unreadable", f"options are in the stem {fields['stem_raw']!r} and were not read")


def _may_be_several(option: str) -> bool:
    """Return whether a text has lettered options without a sign between them, `A、甲B、乙`, which `clean` divides."""
    return letter_of(flat(option)) == "A" and "B" in flat(option)


def _check_answers(in_stem: str | None, beside: str | None) -> None:
    """Check that letters in the cell of the stem, if there are any, are those of the row's own answer."""
    if not (in_stem and beside and answer_form(in_stem) == answer_form(beside) == "letters"):
        return
    if set(letters_in(flat(in_stem))) != set(letters_in(flat(beside))):
        raise Misfit("two_answers", f"{in_stem!r} in the cell of the stem, but {beside!r} beside it")


def _cut_off_options(stem: str, shape: RecordLayout) -> dict[str, Any]:
    """Return stem and options of a text that ends in options; nothing if there are none."""
    if shape.by_words and (parts := parts_of_stem(stem)):
        if "doubt" in parts:
            raise Misfit(parts["doubt"], "the options in the cell of the stem are not one of each letter")
        return parts
    options = _option_lines(stem)
    if not are_in_turn(flat(option)[0] for option in options):
        raise Misfit("options_unreadable", f"the lines of options in the stem begin with other letters than A, B, C: {options!r}")
    words = "\n".join(line for line in stem.split("\n") if line.strip() and not _OPTION_LINE.match(line))
    return {"stem_raw": words or None, "options_raw": options} if options else {}


def _option_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if _OPTION_LINE.match(line)]


def heading_in(row: dict[str, Any], roles: Roles) -> str | None:
    """Return the only text of a row if it is a heading of the rows below: by its words, or since a question has no text there."""
    texts = [(key, value) for key, value in row.items() if value not in (None, "")]
    if len(texts) != 1 or not isinstance(text := texts[0][1], str) or text.isdigit():
        return None
    is_beside = texts[0][0] not in (roles.stem, *roles.options, roles.answer, roles.explanation)
    return text if is_heading(flat(text)) or is_beside else None


def item_of_row(record: dict[str, Any], row: dict[str, Any], roles: Roles, provenance: Provenance) -> QuestionItem | Lost:
    """Return the question of a row, or what was lost with the reason; `record` has its raw fields."""
    try:
        _check_row(record, row, roles)
        fields: dict[str, Any] = {field: as_text(field, value) for field, value in record.items() if field not in ("options_raw", IN_CELL)}
        fields["options_raw"] = as_options("options_raw", record.get("options_raw"))
        images = sum(images_of(value) for field, value in record.items() if field not in ("answer_raw", "explanation_raw"))
        return question_of(fields, images, provenance)
    except Misfit as error:
        return Lost(provenance.position, error.reason, str(error), raw_of(row))


def _check_row(record: dict[str, Any], row: dict[str, Any], roles: Roles) -> None:
    """Raise Misfit for a row whose fields contradict each other, or its roles."""
    answer, options = record.get("answer_raw"), record.get("options_raw") or []
    if answer and record.get(IN_CELL, answer) != answer:
        raise Misfit("two_answers", f"{record[IN_CELL]!r} in the cell of the stem, but {answer!r} beside it")
    if any(opening_mark(flat(line)) == "answer" for option in options for line in str(option).split("\n")[1:]):
        raise Misfit("options_unreadable", "the answer below the options was not read")
    if answer and not options and kind_of(flat(record.get("type_raw") or "")) == "verdict" and not _is_verdict(answer):
        raise Misfit("answer_unreadable", f"the answer {answer!r} is no truth value, as its type says")
    if TWICE in row:
        raise Misfit("field_unreadable", "a key occurs twice with different values, so the right one is not known")
    if answer and roles.form in FORMS and roles.options != [roles.stem] and _are_undivided(row, record, roles):
        text = f"the text in {', '.join(map(repr, roles.options))} is not divided into options, which the answer {answer!r} needs"
        raise Misfit("options_unreadable", f"{text}: write one sign between them in all rows (甲|乙), or labels in turn (A.甲 B.乙)")
    if roles.options and answer and roles.answer and _is_unfit(answer, row, record, roles):
        raise Misfit("answer_unreadable", f"the answer {answer!r} fits no options of its row")


def _is_verdict(answer: str) -> bool:
    return answer_form(answer) == "verdict" or bool(verdict_of(answer, VERDICTS | CODES))


def _are_undivided(row: dict[str, Any], record: dict[str, Any], roles: Roles) -> bool:
    """Return whether the columns of options have text that is not several options, nor several that `clean` divides: `A、甲B、乙`."""
    texts = [value for value in values_of(row, roles) if value not in (None, "", [], {})]
    is_lettered = len(texts) == 1 and isinstance(texts[0], str) and letter_of(flat(texts[0])) == "A"
    return bool(texts) and not is_lettered and len(record.get("options_raw") or []) < _FEWEST_OPTIONS


def _is_unfit(answer: str, row: dict[str, Any], record: dict[str, Any], roles: Roles) -> bool:
    """Return whether an answer is a number, or signs that name no options in the form that its column has."""
    options = bool(record.get("options_raw"))
    if answer.isdigit():
        return not (options and roles.form == "words")
    form = roles.form if roles.form in FORMS else "letters"
    is_made = roles.form == MARKED  # from the options themselves
    is_sign = set(answer) <= SIGNS or (len(answer) == 1 and answer.isascii() and answer_form(answer) != "verdict")
    stated = options_of(row, roles.options, roles.stem) if options and not is_made and is_sign else []
    return len(stated) >= _FEWEST_OPTIONS and not answer_letters(row.get(roles.answer or ""), stated, form)
