"""A proposed layout of records -> the text of a file that a person confirms or corrects, and `--layouts` reads.

Every line states how certain it is: labels known by their words have no comment; those inferred from the values have a question mark in
their comment. Once confirmed, it is read like any layout of the user's own.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from atomexam.text.refusal import Refusal
from crawlers.column_roles.solver import SURE
from crawlers.importers.records.record_roles import LayoutProposal
from crawlers.importers.records.record_values import flat_record, plain_text

UNCONFIRMED = "  confirmed: no  # the file is not read yet: correct what is wrong below, then remove this line or write yes"
"""Line of an uncertain proposal."""
_MOST_EXAMPLES, _MOST_EXAMPLE_CHARS = 3, 40


def layout_text(name: str, proposal: LayoutProposal, records: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a layout called `name`, with example values of each key."""
    layout = confirmed(proposal)
    entity = layout.entity
    if entity is None:
        raise Refusal(f"{name}: no layout of entries")
    rows = [flat_record(record) for record in records]
    fields = {
        field: value
        for field, value in msgspec.to_builtins(entity).items()
        if value not in (None, [], {}, False) and field not in ("labels", "types")
    }
    lines = [
        f"# {len(records)} records of {entity.type}, recognized with a confidence of {proposal.confidence:.0%}. "
        "Correct what is wrong, then read it:",
        "# python -m crawlers.read FILE --layouts THIS_FILE",
        f"{_quoted(name)}:",
        *([] if proposal.confidence >= SURE and not proposal.by_content else [UNCONFIRMED]),
        f"  known_by: {_quoted(layout.known_by)}",
        *([f"  array: {_quoted(layout.array)}"] if layout.array else []),
        "  entity:",
        *(f"    {field}: {_quoted(value)}" for field, value in fields.items()),
    ]
    for field, pairs in (("labels", entity.labels), ("types", entity.types)):
        lines += [f"    {field}:"] if pairs else []
        for key, label in pairs.items():
            sure = "? by its values: " if key in proposal.by_content else ""
            examples = _examples(rows, key) if field == "labels" else ""
            lines.append(f"      {_quoted(key)}: {_quoted(label)}" + (f"  # {sure}{examples}" if examples else ""))
    lines += [f"  # not known, kept under its own name: {_quoted(key)}: {_examples(rows, key)}" for key in proposal.unknown]
    return "\n".join(lines) + "\n"


def confirmed(proposal: LayoutProposal) -> Any:
    """Return the layout with the labels inferred only from values."""
    entity = proposal.layout.entity
    return (
        structs.replace(proposal.layout, entity=structs.replace(entity, labels=entity.labels | proposal.by_content))
        if entity
        else proposal.layout
    )


def _examples(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    texts = dict.fromkeys(text for row in rows if (text := plain_text(row.get(key))))
    examples = " | ".join(" ".join(text.split())[:_MOST_EXAMPLE_CHARS] for text in list(texts)[:_MOST_EXAMPLES])
    return "".join(sign for sign in examples if sign.isprintable())  # YAML does not allow others, not even in a comment


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
