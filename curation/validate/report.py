"""Results of the tables -> a report to read, one to parse, the failing ids, Data Docs without scripts and times, and one message."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from lxml import html

from atomexam.runtime.jsonl import replacing, write_json, write_jsonl
from curation.validate.run import CheckedTable, ExpectationResult

_UUID = re.compile(r"-?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_UNWANTED = ("script", "style", "link", "meta", "nav", "footer", "img", "iframe", "object", "embed", "form", "label")
_OF_THE_RUN = "//div[contains(@id, '-collapse-body-') and .//*[contains(text(), 'Run Time')]]"
"""The block with time and name of the validation, and its batch."""
_SIGNS = {"fa-check-circle": "✓", "fa-times": "✗", "fa-exclamation-triangle": "!"}
_LOCAL = re.compile(r"#[\w.-]+")
_STYLE = """
  :root { --ink: #1d2433; --soft: #667; --line: #dde; --paper: #fff; --good: #1a7f4b; --bad: #c0362c; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6e8ee; --soft: #9aa; --line: #334; --paper: #14171f; --good: #5cc98f; --bad: #ff8a80; }
  }
  body { font: 15px/1.5 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; color: var(--ink);
    background: var(--paper); max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line);
    vertical-align: top; overflow-wrap: anywhere; }
  h5, h6 { font-size: 1rem; margin: 1rem 0 .2rem; } .badge { border: 1px solid var(--line); border-radius: .3rem; padding: 0 .3rem; }
  .text-success { color: var(--good); } .text-danger, .text-warning { color: var(--bad); } i { font-style: normal; font-weight: 700; }
"""


def plain_page(page: str, table: str) -> str:
    """Return a self-contained page, with the same bytes for the same results."""
    tree = html.document_fromstring(page)
    for node in [*tree.xpath(_OF_THE_RUN), *tree.iter(*_UNWANTED)]:
        if node.getparent() is not None:
            node.drop_tree()
    for node in list(tree.iter(html.etree.Comment)):
        node.drop_tree()
    for node in tree.xpath("//p[a[@data-toggle='collapse']]"):  # a button for what is already open here
        node.drop_tree()
    for sign in tree.xpath("//i[@class]"):
        sign.text = next((text for name, text in _SIGNS.items() if name in sign.get("class")), None)
    for node in tree.xpath("//*[@*]"):
        _keep_plain_attributes(node)
    sections = tree.xpath("//div[contains(@class, 'ge-section')]")
    body = "".join(html.tostring(section, encoding="unicode", with_tail=False) for section in sections)
    return _framed(body, table)


def _keep_plain_attributes(node: html.HtmlElement) -> None:
    for name, value in list(node.attrib.items()):
        if name == "href" and _LOCAL.fullmatch(value):
            continue
        if name in ("id", "class"):
            node.set(name, _UUID.sub("", value))
        elif name not in ("colspan", "rowspan", "title", "hidden"):
            del node.attrib[name]


def _framed(body: str, table: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Data Docs: {escape(table)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<p><a href="../index.html">All tables</a></p>\n<h1>{escape(table)}</h1>\n{body}\n</body>\n</html>\n'
    )


DATA_DOCS = "data_docs"
_MAX_IDS = 10
_TEMPLATES = Path(__file__).parent


def figures(tables: Sequence[CheckedTable]) -> dict[str, dict[str, int]]:
    """Return the tracked metrics: only counts, which are equal for equal data."""
    return {
        one.table: {
            "rows": one.rows,
            "expectations": len(one.results),
            "failed": sum(not result.success and result.severity == "error" for result in one.results),
            "warnings": sum(not result.success and result.severity == "warning" for result in one.results),
        }
        for one in tables
    }


def failures(tables: Sequence[CheckedTable], severity: str) -> list[ExpectationResult]:
    """Return the failed results of a severity."""
    return [result for one in tables for result in one.results if not result.success and result.severity == severity]


def describe(results: Sequence[ExpectationResult]) -> str:
    """Return the failed expectations, a line each, with the first ids."""
    lines = []
    for result in results:
        ids = ", ".join(_with_figure(result, key) for key in result.broken_by[:_MAX_IDS]) or "the table as a whole"
        more = f" and {len(result.broken_by) - _MAX_IDS} more" if len(result.broken_by) > _MAX_IDS else ""
        on = f" on {', '.join(result.columns)}" if result.columns else ""
        why = f" ({result.why})" if result.why else ""
        lines.append(f"  {result.table}: {result.expectation}{on}: {ids}{more}{why}")
    return "\n".join(lines)


def _with_figure(result: ExpectationResult, key: str) -> str:
    return f"{key} has {result.figures[key]:g}, {result.bounds}" if result.bounds and key in result.figures else key


def write_profile(
    out: Path,
    metrics: Path,
    rows: Sequence[Mapping[str, Any]],
    lines: Sequence[str],
    tables: Sequence[CheckedTable],
    injections: Mapping[str, Mapping[str, int]],
) -> None:
    """Write the profile of the sources, the lines to paste, and the outliers for the report, whether the bounds hold or not."""
    write_jsonl(out / "profile.jsonl", rows, key=lambda row: row["id"])
    _write(out / "lines.txt", "".join(f"{line}\n" for line in lines))
    outside = [
        {
            "source": key,
            "figure": result.columns[0],
            "value": value,
            "bounds": result.bounds,
            "severity": result.severity,
            "why": result.why,
        }
        for one in tables
        for result in one.results
        for key, value in sorted(result.figures.items())
    ]
    bounds = [
        {"figure": result.columns[0], **result.limits, "severity": result.severity, "why": result.why}
        for one in tables
        for result in one.results
        if result.limits
    ]
    sources = {str(row["id"]): row for row in rows}
    write_json(metrics, {"sources": sources, "bounds": bounds, "outside": outside, "lines": list(lines), "injections": injections})


def write_reports(out: Path, tables: Sequence[CheckedTable]) -> None:
    """Write all reports, whether the expectations hold or not."""
    for stale in [*out.glob("*.part"), *(out / DATA_DOCS).glob("*")]:  # left by a killed run, or of tables that only another run checked
        stale.unlink()
    rows = [_row(result) for one in tables for result in one.results]
    write_json(out / "report.json", rows)
    failing = [
        {"table": result.table, "expectation": result.expectation, "columns": result.columns, "severity": result.severity, "id": key}
        for one in tables
        for result in one.results
        for key in result.broken_by
    ]
    write_jsonl(out / "failing.jsonl", failing, key=lambda row: (row["table"], row["id"]))
    for one in tables:
        _write(out / DATA_DOCS / f"{one.table}.html", plain_page(one.page, one.table))
    _write(out / "index.html", _index(tables, rows))


def _row(result: ExpectationResult) -> dict[str, Any]:
    return {
        "table": result.table,
        "expectation": result.expectation,
        "columns": result.columns,
        "severity": result.severity,
        "why": result.why,
        "success": result.success,
        "broken_by": len(result.broken_by),
        "first": [_with_figure(result, key) for key in result.broken_by[:_MAX_IDS]],
    }


def _index(tables: Sequence[CheckedTable], rows: list[dict[str, Any]]) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("validation.html").render(figures=figures(tables), rows=rows, docs=DATA_DOCS)


def _write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
