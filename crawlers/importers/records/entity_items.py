"""One record of an encyclopedia -> its entity, by a layout: name, other names, labelled values and prose."""

from collections.abc import Iterator
from typing import Any

from atomexam.records.item import EntityItem, LabelledValue, Section
from atomexam.records.provenance import Provenance
from crawlers.importers.layouts.columns import EntityLayout
from crawlers.importers.records.record_fields import Misfit, text_of, value_of
from crawlers.importers.records.record_values import flat_record, joined_range, plain_text, range_text

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
    for index, key in enumerate(record, 1):
        if shape.label or key in (shape.name, shape.alias, *shape.skip):
            continue
        if key in shape.ranges:
            text = range_text(value_of(record, [key])[1], unit)
        elif key in (shape.least, shape.most):
            text = range_text(joined_range(*ends), unit) if key == shape.least else None
            key = RANGES
        elif key == shape.unit and (shape.ranges or shape.least):
            text = None
        else:
            text = _text(record, key, shape)
        if text is not None:
            yield index, key, text


def _text(record: dict[str, Any], key: str | None, shape: EntityLayout) -> str | None:
    if key is None or key not in record:
        return text_of(record, [key or "?"]) if key else None
    return plain_text(value_of(record, [key])[1]) if shape.flat else text_of(record, [key])
