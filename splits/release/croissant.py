"""Croissant 1.1 metadata for a release: the schemas and files of its tables -> croissant.json, one record set per config."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from atomexam.records.blocks import Release
from splits.release.columns import TEMPLATES, canary, schema_of

if TYPE_CHECKING:
    import pyarrow

FILE = "croissant.json"
PARQUET = "application/x-parquet"
TEXT = "sc:Text"
ABOUT = {
    "id": "Hash of the content; the same in all versions.",
    "question_type": "mcqa: one correct option; mrqa: two or more; tf: true or false; qa: free text; blank: text for each blank.",
    "shared_stem": "Case text that precedes the question.",
    "options": "Letters and texts of the options; A to E have the same texts.",
    "answer": "Sorted letters without separators, or free text.",
    "group_id": "Shared by the questions on one case or with shared options.",
    "cluster_id": "Near-duplicate cluster; never spans two splits.",
    "factual": "A true claim.",
    "non_factual": "The same claim negated, which is false.",
    "true_affirmed": "A true tail affirmed: true.",
    "true_denied": "The true tail negated: false.",
    "false_affirmed": "A false tail affirmed: false.",
    "false_denied": "The false tail negated: true.",
    "provenance": "Every source location of the record.",
    "canary": "String by which benchmark data can be filtered out of training corpora.",
}


def describe(
    release: Release, published: str, files: Mapping[str, tuple[str, int]], configs: Iterable[str], terms: str, about: str
) -> dict[str, Any]:
    """Return croissant.json.

    Args:
        published: newest snapshot of the sources, so that equal data gives equal bytes.
        about: description of its contents.
        files: path of each table in the release -> its SHA-256 and its size in bytes.
    """
    configs = list(configs)
    return {
        "@context": msgspec.json.decode((TEMPLATES / "croissant_context.json").read_bytes()),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": release.name,
        "description": f"{about}, for the evaluation of language models. {canary()}",
        "url": "README.md",
        "creator": {"@type": "sc:Organization", "name": release.name},
        "license": terms,
        "citeAs": f"{release.name}, version {release.version}: {about[0].lower()}{about[1:]}.",
        "version": release.version,
        **({"datePublished": published} if published else {}),
        "inLanguage": "zh",
        "isLiveDataset": False,
        "distribution": [_file(path, *hash_and_size) for path, hash_and_size in sorted(files.items())]
        + [_tables(config) for config in configs],
        "recordSet": [_records(config, schema_of(config)) for config in configs],
    }


def _file(path: str, sha256: str, size: int) -> dict[str, Any]:
    kind = {"@type": "cr:FileObject", "@id": path, "name": path, "contentUrl": path, "encodingFormat": PARQUET}
    return kind | {"contentSize": f"{size} B", "sha256": sha256}


def _tables(config: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{config}-tables",
        "name": f"{config}-tables",
        "encodingFormat": PARQUET,
        "includes": f"{config}/*.parquet",
    }


def _records(config: str, schema: "pyarrow.Schema") -> dict[str, Any]:
    fields = [_split_field(config), *(_field(config, column.name, column.type) for column in schema)]
    return {"@type": "cr:RecordSet", "@id": config, "name": config, "key": {"@id": f"{config}/id"}, "field": fields}


def _split_field(config: str) -> dict[str, Any]:
    source = {"fileSet": {"@id": f"{config}-tables"}, "extract": {"fileProperty": "filename"}}
    source |= {"transform": {"regex": r"^(train|validation|test)-.*\.parquet$"}}
    return _named(config, "split") | {"dataType": ["sc:Text", "cr:Split"], "source": source}


def _field(config: str, name: str, kind: "pyarrow.DataType") -> dict[str, Any]:
    import pyarrow as pa

    source: dict[str, Any] = {"fileSet": {"@id": f"{config}-tables"}, "extract": {"column": name}}
    field = _named(config, name) | {"dataType": TEXT, "source": source}
    if about := ABOUT.get(name):
        field["description"] = about
    if not pa.types.is_list(kind):
        return field
    field |= {"isArray": True, "arrayShape": "-1"}  # one dimension of any length
    if pa.types.is_struct(kind.value_type):
        inner = [part.name for part in kind.value_type]
        parts = [
            _named(config, f"{name}/{part}") | {"dataType": TEXT, "source": source | {"transform": {"jsonPath": part}}} for part in inner
        ]
        field["subField"] = parts
    return field


def _named(config: str, name: str) -> dict[str, Any]:
    return {"@type": "cr:Field", "@id": f"{config}/{name}", "name": name}
