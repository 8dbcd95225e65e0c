"""JSON and YAML from outside: whatever stands in them, what reads them ends with an error of this project."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from scrapy.http import TextResponse

from atomexam.records.params import read_params
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from crawlers.html.walls import wall_of
from crawlers.read.containers.files.parquet import _labels_of
from crawlers.read.layouts.layout_files import _read
from crawlers.web.page_kinds import _description
from curation.audit.sets import _own_shape
from curation.themes.coding import read_queries
from curation.validate.run import read_suite
from curation.vocab.reader import read_yaml
from tests.test_patterns import modules, tree

DEEP = 10_000
LIST = "[" * DEEP
FIELD = '{"x":' + "[" * DEEP + "]" * DEEP + "}"
OWN = {
    "crawlers.check.__main__": "saved pages' expected items",
    "eval.api": "metrics",
    "eval.items.queue": "what near_duplicates rejected",
    "splits.rotate": "a release",
    "crawlers.check.saving": "what a spider gave a request",
    "crawlers.embedded.serving.saved": "saved pages of the repository",
    "crawlers.embedded.sites.examcoo_paper": "the replica",
    "eval.models.servers.openai": "a prompt that was just written",
    "eval.report.__main__": "metrics",
    "eval.trace.related_items": "what a training said of itself",
    "eval.tune.__main__": "what a training said of itself",
    "eval.tune.training": "what a training has just written",
    "curation.validate.profile_tables": "metrics",
    "scripts.damage": "DVC's cache",
    "scripts.readme": "metrics",
    "scripts.recover": "DVC's lock",
    "scripts.show": "metrics",
    "splits.prove": "a release",
    "splits.publish": "a release",
    "splits.release.croissant": "a template of ours",
}
"""Modules that read with none of these errors in mind, since they read what the project wrote."""


def answered(read: Callable[[TextResponse], Any]) -> Callable[[Path], Any]:
    return lambda path: read(TextResponse("https://a.example/", body=path.read_bytes(), encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("body", [LIST, FIELD, "9" * 6000])
@pytest.mark.parametrize(
    "read",
    [
        read_params,
        read_yaml,
        read_suite,
        _read,
        lambda path: [*read_jsonl(path, Question)],
        lambda path: read_queries(path, {}),
        _own_shape,
        lambda path: _labels_of(pa.schema([], metadata={b"huggingface": path.read_bytes()})),
        answered(wall_of),
        answered(_description),
    ],
)
def test_reports_excessive_nesting_and_numbers(tmp_path: Path, read: Callable[[Path], Any], body: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(body, encoding="utf-8")
    try:
        read(path)
    except ValueError as error:
        assert type(error) is ValueError and "sys." not in str(error) and len(str(error)) < 1_000


def calls() -> Iterator[tuple[str, ast.Call, list[ast.AST]]]:
    """Yield each call that reads JSON, with what it stands in."""

    def below(node: ast.AST, around: list[ast.AST]) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("json.loads", "json.load", "json.decode", "raw_decode")):
            yield node, around
        for child in ast.iter_child_nodes(node):
            yield from below(child, [*around, node])

    for name in modules():
        for call, around in below(tree(name), []):
            yield name, call, around


def _caught(node: ast.AST) -> str:
    """Return what a `try` or a `with suppress(...)` says of the errors that it takes."""
    taken = node.handlers if isinstance(node, ast.Try) else node.items if isinstance(node, ast.With) else []
    return "".join(said for one in taken if (said := ast.unparse(one)).startswith(("except", "suppress")))


@pytest.mark.slow
def test_what_reads_json_from_outside_expects_a_nest_without_end() -> None:
    careless = {name for name, call, around in calls() if not any("RecursionError" in _caught(each) for each in around)}
    assert sorted(careless) == sorted(OWN)
