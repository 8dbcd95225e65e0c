"""One record -> its items, by a layout. No side effects; a record without a required field gives a Lost with position and reason."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import structs

from atomexam.records.item import EntityItem, Item, LabelledValue, QuestionItem, Section, answer_form
from atomexam.records.provenance import Provenance, content_id
from atomexam.text.option_letters import are_in_turn, letters_in
from atomexam.text.verdicts import CODES, VERDICTS, verdict_of
from crawlers.read.containers.files.reading import TWICE, CoveredCell, Lost
from crawlers.read.lines.doubts.question import holds_letter, holds_options
from crawlers.read.tables.columns import EntityLayout, RecordLayout
from crawlers.read.tables.records.entities import flat_record, joined_range, people_in, person_of, plain_text, range_text
from crawlers.read.tables.records.fields import (
    Keys,
    Misfit,
    as_options,
    as_text,
    images_of,
    keys_of,
    letters_of_indices,
    options_in_columns,
    raw_of,
    text_of,
    value_of,
    without_images,
)
from crawlers.read.tables.records.stem_cells import IN_CELL, parts_of_stem
from crawlers.read.tables.roles.records import Roles, options_of, values_of
from crawlers.read.tables.roles.values import FORMS, MARKED, SIGNS, answer_letters
from crawlers.read.vocabulary.headings import is_heading, kind_of
from crawlers.read.vocabulary.labels import flat, opening_mark
from crawlers.read.vocabulary.options import letter_of

_FEWEST_OPTIONS = 2
RANGES = "参考区间"
"""Label for a range with a separate key for each end."""


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
    """Yield the index, key and text of each field of a record except its names."""
    unit = plain_text(record.get(shape.unit)) if shape.unit else None
    ends = [plain_text(record.get(key)) if key else None for key in (shape.least, shape.most)]
    people = people_in(text for key in shape.people if (text := plain_text(record.get(key))))
    for index, key in enumerate(record, 1):
        if shape.label or key in (shape.name, shape.alias, *shape.people, *shape.skip):
            continue
        if key in shape.ranges:
            text = range_text(value_of(record, Keys((key,)))[1], unit)
        elif key in (shape.least, shape.most):
            text = range_text(joined_range(*ends), unit) if key == shape.least else None
            key = RANGES
        elif key == shape.unit and (shape.ranges or shape.least):
            text = None
        else:
            text = _text(record, key, shape)
        if text and (key in shape.ranges or key == RANGES) and (who := person_of(key) or people):
            text = f"{who}：{text}"
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
        subject: from the file's name, for sets that state it nowhere else.
    """

    def __init__(self, shape: RecordLayout, subject: str | None = None) -> None:
        self._shape, self._subject = shape, subject
        self._keys = {field: keys_of(shape, field) for field in shape.questions or {}}
        self._behind = {*shape.keys_of("answer_raw"), *shape.keys_of("explanation_raw")}  # an image there is not needed for the answer

    def items(self, record: dict[str, Any], provenance: Provenance) -> Iterator[Item | Lost]:
        """Yield the items of a record; if it cannot be read, a Lost with the reason."""
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
            raise Misfit("record_unreadable", "the stem's cell is merged with the one above; a question must have its own row")
        for field, keys in self._keys.items():
            key, value = value_of(record, keys)
            is_options = field in ("options_raw", "shared_options_raw")
            fields[field] = as_options(key, value, shape.labelled_options) if is_options else as_text(key, value)
            if field == "difficulty_raw" and fields[field]:
                fields[field] = f"{key.rpartition('.')[2]}：{fields[field]}"  # prefix the key's name: the number is a rate or a level
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
        return question_of(fields, images, provenance, is_checked=not shape.by_words)  # else `clean` checks the same


def question_of(fields: dict[str, Any], images: int, provenance: Provenance, is_checked: bool = False) -> QuestionItem:
    """Return the question with the given fields.

    Raises:
        Misfit: it is not a question, or its options are certainly elsewhere.
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
    """Check that a question answered by a letter has options; if not, the options were missed."""
    kinds = {kind_of(flat(fields.get(field) or "")) for field in ("type_raw", "section_raw")}
    lettered = answer_form(fields.get("answer_raw")) == "letters"
    if lettered and not fields.get("options_raw") and not fields.get("shared_options_raw") and not kinds & {"verdict", "blank"}:
        raise Misfit("options_unreadable", f"the answer is {fields['answer_raw']!r} but there are no options")
    options = fields.get("options_raw") or []
    if len(options) == 1 and not _may_be_several(options[0]):  # not divided, or the others are in rows below
        raise Misfit("options_unreadable", f"{options[0]!r} is the only option")
    if holds_letter(fields.get("options_raw") or []):
        raise Misfit("options_unreadable", f"another option appears to be inside one of {fields['options_raw']!r}")
    if not fields.get("options_raw") and holds_options(fields.get("stem_raw") or ""):
        raise Misfit("options_unreadable", f"the stem {fields['stem_raw']!r} contains options that were not read")


def _may_be_several(option: str) -> bool:
    """Return whether a text contains lettered options without separators, `A、甲B、乙`, which `clean` divides."""
    return letter_of(flat(option)) == "A" and "B" in flat(option)


def _check_answers(in_stem: str | None, beside: str | None) -> None:
    """Check that any answer letters in the stem's cell agree with the row's own answer."""
    if not (in_stem and beside and answer_form(in_stem) == answer_form(beside) == "letters"):
        return
    if set(letters_in(flat(in_stem))) != set(letters_in(flat(beside))):
        raise Misfit("two_answers", f"{in_stem!r} in the stem's cell, but {beside!r} next to it")


def _cut_off_options(stem: str, shape: RecordLayout) -> dict[str, Any]:
    """Return the stem and options of a text that ends in options; empty if there are none."""
    if shape.by_words and (parts := parts_of_stem(stem)):
        if "doubt" in parts:
            raise Misfit(parts["doubt"], "the letters of the options in the stem's cell are repeated or incomplete")
        return parts
    options = _option_lines(stem)
    if not are_in_turn(flat(option)[0] for option in options):
        raise Misfit("options_unreadable", f"the option lines in the stem do not begin with A, B, C in order: {options!r}")
    words = "\n".join(line for line in stem.split("\n") if line.strip() and not _OPTION_LINE.match(line))
    return {"stem_raw": words or None, "options_raw": options} if options else {}


def _option_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if _OPTION_LINE.match(line)]


def heading_in(row: dict[str, Any], roles: Roles) -> str | None:
    """Return the only text of a row if it is a heading, either by its words or because questions have no text in that column."""
    texts = [(key, value) for key, value in row.items() if value not in (None, "")]
    if len(texts) != 1 or not isinstance(text := texts[0][1], str) or text.isdigit():
        return None
    is_beside = texts[0][0] not in (roles.stem, *roles.options, roles.answer, roles.explanation)
    return text if is_heading(flat(text)) or is_beside else None


def item_of_row(record: dict[str, Any], row: dict[str, Any], roles: Roles, provenance: Provenance) -> QuestionItem | Lost:
    """Return the question of a row, or a Lost with the reason; `record` contains its raw fields."""
    try:
        _check_row(record, row, roles)
        fields: dict[str, Any] = {field: as_text(field, value) for field, value in record.items() if field not in ("options_raw", IN_CELL)}
        fields["options_raw"] = as_options("options_raw", record.get("options_raw"))
        images = sum(images_of(value) for field, value in record.items() if field not in ("answer_raw", "explanation_raw"))
        return question_of(fields, images, provenance)
    except Misfit as error:
        return Lost(provenance.position, error.reason, str(error), raw_of(row))


def _check_row(record: dict[str, Any], row: dict[str, Any], roles: Roles) -> None:
    """Raise Misfit for a row whose fields contradict each other or the column roles."""
    answer, options = record.get("answer_raw"), record.get("options_raw") or []
    if answer and record.get(IN_CELL, answer) != answer:
        raise Misfit("two_answers", f"{record[IN_CELL]!r} in the stem's cell, but {answer!r} next to it")
    if any(opening_mark(flat(line)) == "answer" for option in options for line in str(option).split("\n")[1:]):
        raise Misfit("options_unreadable", "the answer below the options was not read")
    if answer and not options and kind_of(flat(record.get("type_raw") or "")) == "verdict" and not _is_verdict(answer):
        raise Misfit("answer_unreadable", f"the answer {answer!r} is not a truth value, but the type is true-or-false")
    if TWICE in row:
        raise Misfit("field_unreadable", "a key occurs twice with different values, so the right one is not known")
    if answer and roles.form in FORMS and roles.options != [roles.stem] and _are_undivided(row, record, roles):
        text = f"the text in {', '.join(map(repr, roles.options))} cannot be divided into options, which the answer {answer!r} needs"
        raise Misfit(
            "options_unreadable", f"{text}; separate them with the same character in all rows (甲|乙), or label them in order (A.甲 B.乙)"
        )
    if roles.options and answer and roles.answer and _is_unfit(answer, row, record, roles):
        raise Misfit("answer_unreadable", f"the answer {answer!r} does not match the options in its row")


def _is_verdict(answer: str) -> bool:
    return answer_form(answer) == "verdict" or bool(verdict_of(answer, VERDICTS | CODES))


def _are_undivided(row: dict[str, Any], record: dict[str, Any], roles: Roles) -> bool:
    """Return whether the option columns contain text that is not several options and that `clean` cannot divide, unlike `A、甲B、乙`."""
    texts = [value for value in values_of(row, roles) if value not in (None, "", [], {})]
    is_lettered = len(texts) == 1 and isinstance(texts[0], str) and letter_of(flat(texts[0])) == "A"
    return bool(texts) and not is_lettered and len(record.get("options_raw") or []) < _FEWEST_OPTIONS


def _is_unfit(answer: str, row: dict[str, Any], record: dict[str, Any], roles: Roles) -> bool:
    """Return whether an answer consists of a number or signs that name no option in the form that its column uses."""
    options = bool(record.get("options_raw"))
    if answer.isdigit():
        return not (options and roles.form == "words")
    form = roles.form if roles.form in FORMS else "letters"
    is_made = roles.form == MARKED  # derived from the options themselves
    is_sign = set(answer) <= SIGNS or (len(answer) == 1 and answer.isascii() and answer_form(answer) != "verdict")
    stated = options_of(row, roles.options, roles.stem) if options and not is_made and is_sign else []
    return len(stated) >= _FEWEST_OPTIONS and not answer_letters(row.get(roles.answer or ""), stated, form)
