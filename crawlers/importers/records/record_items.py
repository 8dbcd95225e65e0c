"""One record to its items, by a layout. From values to values; a record without a required field gives a Lost with position and reason."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import structs

from atomexam.records.answer_forms import answer_form
from atomexam.records.identity import content_id
from atomexam.records.item import Item, QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.text.option_letters import are_in_turn, letters_in
from crawlers.importers.files.reading import Lost
from crawlers.importers.files.sheet_marks import CoveredCell
from crawlers.importers.layouts.columns import RecordLayout
from crawlers.importers.records.entity_items import entity_of
from crawlers.importers.records.record_fields import (
    Misfit,
    images_of,
    keys_of,
    letters_of_indices,
    options_beside_answer,
    options_in_columns,
    options_of,
    raw_of,
    text_of,
    value_of,
    without_images,
)
from crawlers.importers.records.stem_cells import parts_of_stem
from crawlers.papers.doubts.letters_within import holds_letter, holds_options
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.headings import kind_of

_OPTION_LINE = re.compile(r"^\s*[A-JＡ-Ｊ]\s*[.．、:：)）]")


def items_of(record: dict[str, Any], shape: RecordLayout, provenance: Provenance, subject: str | None = None) -> Iterator[Item | Lost]:
    """Yield the items of a record; for one that cannot be read, a Lost with the reason.

    Args:
        subject: what the file's name states, for sets that state it nowhere else.
    """
    parts = record.get(shape.split_on) if shape.split_on else None
    if shape.entity is not None or not isinstance(parts, list):
        yield _item_or_lost(record, shape, provenance, subject)
        return
    rest = {key: value for key, value in record.items() if key != shape.split_on}
    for number, part in enumerate(parts or [None], 1):
        part_provenance = structs.replace(provenance, position=f"{provenance.position}:{number}")
        if isinstance(part, dict):
            yield _item_or_lost(rest | part, shape, part_provenance, subject, group=provenance.position)
        else:
            words = f"field {shape.split_on!r}: found {type(part).__name__}, expected an object with named fields"
            yield Lost(part_provenance.position, "field_unreadable" if parts else "record_empty", words, raw_of(record))


def _item_or_lost(
    record: dict[str, Any], shape: RecordLayout, provenance: Provenance, subject: str | None, group: str | None = None
) -> Item | Lost:
    try:
        if shape.entity is not None:
            return entity_of(record, shape.entity, provenance)
        return _question(record, shape, provenance, subject, group)
    except Misfit as error:
        return Lost(provenance.position, error.reason, str(error), raw_of(record))


def _question(record: dict[str, Any], shape: RecordLayout, provenance: Provenance, subject: str | None, group: str | None) -> QuestionItem:
    fields: dict[str, Any] = {}
    if isinstance(value_of(record, keys_of(shape, "stem_raw"))[1], CoveredCell):
        raise Misfit("record_unreadable", "the cell of the stem is merged with the one above; a question takes one row")
    for field in shape.questions or {}:
        names = keys_of(shape, field)
        is_options = field in ("options_raw", "shared_options_raw")
        fields[field] = options_of(record, names, shape.labelled_options) if is_options else text_of(record, names)
    if shape.option_keys:
        fields["options_raw"] = options_in_columns(record, shape) or fields.get("options_raw")
    if shape.wrong_keys:
        fields |= options_beside_answer(record, shape)
    if shape.zero_based_answer:
        fields["answer_raw"] = letters_of_indices(record, shape)
    if shape.shared and group and (shared := text_of(record, [shape.shared])):
        options = _option_lines(shared)
        fields |= {"group_raw": group} | ({"shared_options_raw": options} if options else {"case_raw": shared})
    elif fields.get("case_raw"):
        fields["group_raw"] = content_id("case", fields["case_raw"])  # rows that repeat a case belong together
    if shape.options_in_stem and not fields.get("options_raw"):
        own_fields = {field: fields[field] for field in ("answer_raw", "explanation_raw") if fields.get(field)}
        stem_parts = _cut_off_options(fields.get("stem_raw") or "", shape)
        _check_answers(stem_parts.get("answer_raw"), own_fields.get("answer_raw"))
        fields |= stem_parts | own_fields
    if subject and not fields.get("subject_raw"):
        fields["subject_raw"] = subject
    behind = {*shape.keys_of("answer_raw"), *shape.keys_of("explanation_raw")}  # an image there is not needed for the answer
    images = sum(images_of(value) for key, value in record.items() if key not in behind)
    if images:
        fields = {field: without_images(value) for field, value in fields.items()} | {"images": images}
    if not fields.get("stem_raw") and not fields.get("options_raw") and not images:
        raise Misfit("record_empty", "neither a stem nor options")
    if shape.by_words:  # `clean` checks the others for the same
        _check_options(fields)
    return QuestionItem(url=provenance.url, provenance=provenance, **fields)


def _check_options(fields: dict[str, Any]) -> None:
    """Check that a question whose answer is a letter has options: otherwise they are where nobody looked."""
    kinds = {kind_of(flat(fields.get(field) or "")) for field in ("type_raw", "section_raw")}
    lettered = answer_form(fields.get("answer_raw")) == "letters"
    if lettered and not fields.get("options_raw") and not fields.get("shared_options_raw") and not kinds & {"verdict", "blank"}:
        raise Misfit("options_unreadable", f"the answer is {fields['answer_raw']!r} but there are no options")
    if holds_letter(fields.get("options_raw") or []):
        raise Misfit("options_unreadable", f"a further option seems to be within one of {fields['options_raw']!r}")
    if not fields.get("options_raw") and holds_options(fields.get("stem_raw") or ""):
        raise Misfit("options_unreadable", f"options are in the stem {fields['stem_raw']!r} and were not read")


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
