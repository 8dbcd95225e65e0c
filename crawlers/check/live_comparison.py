"""Comparison of a real site with what the spider reads from its replica or saved pages: by kind, what changed, and what to edit."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from scrapy import Request
from scrapy.http import Response

from atomexam.runtime.budgets import renew_cpu_limit
from crawlers.check.site_changes import PageChange, PageVerdict, verdict
from crawlers.check.walk import detached_spider, respond_of, visit_page, walk
from crawlers.html.source_spider import SourceSpider
from crawlers.text.columns import aligned, cut

_PER_KIND = 12
_MAX_CHANGES = 3
_PATCH_LINES = 4
_SOURCES = Path(__file__).parents[1] / "sources"
_TO_EDIT = {"class_renamed", "id_renamed", "json_key_renamed"}


def live_comparison(spider: type[SourceSpider], answers: Iterable[tuple[Request, Response]], **arguments: object) -> list[PageVerdict]:
    """Return a verdict on each page of a site whose kind is known from its replica or saved pages."""
    known = [page for page in walk(spider, respond_of(spider), _PER_KIND) if not page.misfits and (page.items or page.requests)]
    verdicts = []
    for request, response in answers:
        page = visit_page(detached_spider(spider, **arguments), request, response)
        if like := [each for each in known if each.kind == page.kind]:
            verdicts.append(verdict(page, like))
    renew_cpu_limit(0)
    return verdicts


def comparison_lines(name: str, verdicts: Sequence[PageVerdict]) -> list[str]:
    """Return one line per page, grouped by kind, then one paragraph per change."""
    if not verdicts:
        return []
    rows = [("kind", "status", "encoding", "landmarks", "fields lost", "verdict", "page")]
    for one in sorted(verdicts, key=lambda each: each.kind):
        present, of = one.landmarks
        encoding = one.encoding[1] if one.encoding[0] in ("", one.encoding[1]) else f"{one.encoding[1]}, says {one.encoding[0]}"
        rows.append((one.kind, str(one.status), encoding or "ASCII", f"{present} of {of}", str(len(one.fields_lost)), one.name, one.url))
    lines = ["the first meeting: what came, measured by the replica", *aligned(rows, frozenset({3, 4}))]
    for kind in dict.fromkeys(one.kind for one in verdicts):
        lines += _kind_lines(name, kind, [one for one in verdicts if one.kind == kind])
    return lines


def _kind_lines(name: str, kind: str, verdicts: Sequence[PageVerdict]) -> list[str]:
    """Return the lines about a kind: each change once, with what to edit."""
    changes = {(each.name, each.old, each.new): each for one in verdicts for each in one.differences}
    lost = sorted({field for one in verdicts for field in one.fields_lost})
    if not changes and not lost:
        return []
    lines = ["", f"{kind}:"]
    for each in list(changes.values())[:_MAX_CHANGES]:
        lines += [f"  {each.name}: {each.detail}", *(f"    {line}" for line in patch(name, each))]
    return [*lines, *([f"  not read: {cut(', '.join(lost), 140)}"] if lost else [])]


def patch(name: str, change: PageChange, sources: Path = _SOURCES) -> list[str]:
    """Return the lines of a source that name what was renamed, before and after the edit."""
    if change.name not in _TO_EDIT or not change.old or not change.new:
        return [f"- {change.old}", f"+ {change.new}"] if change.old and change.new else []
    lines: list[str] = []
    for path in sorted(path for path in (sources / name).rglob("*") if path.suffix in (".py", ".yaml")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if len(lines) < 3 * _PATCH_LINES and (edited := _edited(line, change)) != line and not line.lstrip().startswith(('"""', "#")):
                lines += [f"{path.relative_to(sources.parents[1])}:{number}", f"- {line.strip()}", f"+ {edited.strip()}"]
    return lines or [f"no line of crawlers/sources/{name} names {change.old}"]


def _edited(line: str, change: PageChange) -> str:
    return re.sub(rf"(?<![\w-]){re.escape(change.old)}(?![\w-])", change.new, line)
