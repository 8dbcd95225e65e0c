"""A proposed layout of records -> the text of a file that a person confirms or mends, and `--layouts` reads.

Every line says how sure it is: labels told by their words stand as they are, those told by what stands under a key with a question mark
in their remark. What is confirmed as it is reads like any layout of the user's own.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from atomexam.text.refusal import Refusal
from crawlers.column_roles.solver import SURE
from crawlers.importers.records.record_roles import Proposal
from crawlers.importers.records.record_values import flat_record, plain_text

UNCONFIRMED = "  confirmed: no  # nothing is read by it yet: mend what is wrong below, then take out this line, or write yes"
"""Line of a layout that was proposed without being sure."""
_SHOWN, _SHOWN_CHARS = 3, 40


def layout_text(name: str, found: Proposal, records: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a layout called `name`, with what was found under each key."""
    layout = confirmed(found)
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
        f"# {len(records)} records of {entity.type}, told with a confidence of {found.confidence:.0%}. Mend what is wrong, then read it:",
        "# python -m crawlers.read FILE --layouts THIS_FILE",
        f"{_quoted(name)}:",
        *([] if found.confidence >= SURE and not found.by_content else [UNCONFIRMED]),
        f"  known_by: {_quoted(layout.known_by)}",
        *([f"  array: {_quoted(layout.array)}"] if layout.array else []),
        "  entity:",
        *(f"    {field}: {_quoted(value)}" for field, value in fields.items()),
    ]
    for field, pairs in (("labels", entity.labels), ("types", entity.types)):
        lines += [f"    {field}:"] if pairs else []
        for key, label in pairs.items():
            sure = "? by what stands there: " if key in found.by_content else ""
            shown = _shown(rows, key) if field == "labels" else ""
            lines.append(f"      {_quoted(key)}: {_quoted(label)}" + (f"  # {sure}{shown}" if shown else ""))
    lines += [f"  # not known, kept under its own name: {_quoted(key)}: {_shown(rows, key)}" for key in found.unknown]
    return "\n".join(lines) + "\n"


def confirmed(found: Proposal) -> Any:
    """Return the layout with the labels that values alone tell."""
    entity = found.layout.entity
    return (
        structs.replace(found.layout, entity=structs.replace(entity, labels=entity.labels | found.by_content)) if entity else found.layout
    )


def _shown(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    texts = dict.fromkeys(text for row in rows if (text := plain_text(row.get(key))))
    shown = " | ".join(" ".join(text.split())[:_SHOWN_CHARS] for text in list(texts)[:_SHOWN])
    return "".join(sign for sign in shown if sign.isprintable())  # no YAML takes others, not even in a remark


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
