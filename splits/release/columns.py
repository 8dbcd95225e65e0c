"""Columns of the released tables, and the records, paths and templates that belong to them."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atomexam.records.claim import SENTENCES, ClaimPair, Fourfold
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from splits.ledger.units import TCM

if TYPE_CHECKING:
    import pyarrow

CONFIGS = ("kg", "ca", "qa", "tcm", "fourfold", "claims")
FOURFOLD, CLAIMS = "fourfold", "claims"
FACTS, PAIRS = "facts", "pairs"
Record = Question | ClaimPair | Fourfold
RELEASED = {"train": "train", "dev": "validation", "test": "test"}
"""Split -> its name on the Hugging Face Hub. Reserved has no name, because it is never released."""
LETTER_COLUMNS = "ABCDE"
"""Option letters with a separate column, for harnesses that read flat tables."""
IN_WORDS = ("qa", "blank")


def config_of(question: Question) -> str:
    """Return the config in which a question is released."""
    if question.exam == TCM or question.form:
        return "tcm"
    return "qa" if question.question_type in IN_WORDS else question.category


def table_of(record: Record) -> tuple[str, str]:
    """Return the config and type under which a record is released."""
    if isinstance(record, Question):
        return config_of(record), record.question_type
    return (CLAIMS, PAIRS) if isinstance(record, ClaimPair) else (FOURFOLD, FACTS)


def row_of(record: Record, canary: str) -> dict[str, Any]:
    return question_row(record, canary) if isinstance(record, Question) else claim_row(record, canary)


def schema_of(config: str) -> "pyarrow.Schema":
    """Return the columns in the tables of a config."""
    if config == CLAIMS:
        return claim_schema("factual", "non_factual", "template_id", lists=("fact_ids",))
    if config == FOURFOLD:
        return claim_schema("false_head", "false_tail", *SENTENCES, lists=("fact_ids", "false_fact_ids"))
    return question_schema()


def question_row(question: Question, canary: str) -> dict[str, Any]:
    texts = {option.letter: option.text for option in question.options}
    fields = {name: getattr(question, name) for name in question.__struct_fields__}
    return fields | {
        "options": [{"letter": option.letter, "text": option.text} for option in question.options],
        **{letter: texts.get(letter) for letter in LETTER_COLUMNS},
        "provenance": [_sighting_row(sighting) for sighting in question.provenance],
        "canary": canary,
    }


def claim_row(claim: ClaimPair | Fourfold, canary: str) -> dict[str, Any]:
    fields = {name: getattr(claim, name) for name in claim.__struct_fields__}
    return fields | {"provenance": [_sighting_row(sighting) for sighting in claim.provenance], "canary": canary}


def question_schema() -> "pyarrow.Schema":
    """Return the columns of questions with explicit types, so that a column without values keeps its type."""
    import pyarrow as pa

    words = ("id", "exam", "subject", "question_type", "form", "category", "case_type", "group_id", "shared_stem", "stem")
    options = pa.list_(pa.struct([("letter", pa.string()), ("text", pa.string())]))
    return pa.schema(
        [(name, pa.string()) for name in words]
        + [("options", options)]
        + [(name, pa.string()) for name in (*LETTER_COLUMNS, "answer", "explanation", "cluster_id")]
        + [("provenance", _sightings_type()), ("canary", pa.string())]
    )


def claim_schema(*sentences: str, lists: Iterable[str]) -> "pyarrow.Schema":
    """Return the columns for claim pairs or fourfold rows: the common columns, and those specific to the kind."""
    import pyarrow as pa

    words = ("id", "atomic_type", "head", "tail", *sentences)
    return pa.schema(
        [(name, pa.string()) for name in words]
        + [*((name, pa.list_(pa.string())) for name in lists), ("provenance", _sightings_type()), ("canary", pa.string())]
    )


def _sightings_type() -> "pyarrow.DataType":
    import pyarrow as pa

    return pa.list_(pa.struct([(name, pa.string()) for name in Provenance.__struct_fields__]))


def _sighting_row(sighting: Provenance) -> dict[str, str]:
    return {name: getattr(sighting, name) for name in sighting.__struct_fields__}


TEMPLATES = Path(__file__).parent / "templates"

Tables = Mapping[tuple[str, str, str], int]
"""(config, type, split) -> number of records; the type is `pairs` for claims and `facts` for fourfold rows."""


def canary() -> str:
    return (TEMPLATES / "canary.txt").read_text(encoding="utf-8").strip()


def configs_and_types(tables: Tables) -> list[tuple[str, str]]:
    """Return each config together with each question type for which it has records."""
    return sorted({(config, kind) for config, kind, _ in tables}, key=lambda pair: (CONFIGS.index(pair[0]), pair[1]))


def environment(escape: bool) -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=escape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    made.filters["cell"] = _cell
    return made


def _cell(text: str) -> str:
    """Return a text as one cell of a Markdown table, without markup and invisible characters; the template escapes HTML."""
    visible = "".join(character for character in " ".join(text.split()) if unicodedata.category(character)[0] != "C")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", visible)
