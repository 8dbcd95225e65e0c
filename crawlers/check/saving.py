"""Save a page that `check` read as crawlers/sources/SOURCE/pages/CASE.html and CASE.json, without its expected items."""

import json
import re
from pathlib import Path

import msgspec

from atomexam.runtime.jsonl import replacing
from crawlers.check.scrub import scrubbed, scrubbed_body
from crawlers.check.watch_middleware import RESPONSES, FixturePage, fixture_page
from crawlers.embedded.serving.saved import PAGE_SUFFIXES
from crawlers.new.stubs import is_stub
from crawlers.web.page_kinds import kind_of
from crawlers.web.run_spider import Outcome

_CASE = re.compile("[a-z0-9][a-z0-9_]*")


def require_free(folder: Path, case: str) -> None:
    """Refuse a case that cannot be saved; a stub may be replaced.

    Raises:
        ValueError: its name is invalid, or a page of that name exists.
    """
    if not _CASE.fullmatch(case):
        raise ValueError(f"--save: {case!r} is not a valid case name; expected small letters, digits and _, such as list or paper")
    for path in (folder / f"{case}{suffix}" for suffix in (*PAGE_SUFFIXES, ".json")):
        if path.exists() and not is_stub(folder / f"{case}.html"):
            raise ValueError(f"--save: {path} exists; choose another name, or remove it")


def save(folder: Path, case: str, page: FixturePage) -> list[Path]:
    """Write a case; return its files.

    Raises:
        ValueError: the arguments of the callback cannot be written as JSON.
    """
    require_free(folder, case)
    case_fields: dict[str, object] = {"url": page.url, "callback": page.callback}
    if page.cb_kwargs:
        case_fields["cb_kwargs"] = _as_json(case, page)
    is_html = page.content_type.partition(";")[0].strip().lower() in ("", "text/html", "application/xhtml+xml")
    if page.content_type and page.content_type.lower() != "text/html":
        case_fields["headers"] = {"Content-Type": page.content_type}
    for suffix in PAGE_SUFFIXES:  # of a stub
        (folder / f"{case}{suffix}").unlink(missing_ok=True)
    paths = [folder / f"{case}{PAGE_SUFFIXES[0] if is_html else PAGE_SUFFIXES[1]}", folder / f"{case}.json"]
    written = json.dumps({**case_fields, "items": []}, ensure_ascii=False, indent=1) + "\n"
    for path, content in zip(paths, (page.body, written.encode()), strict=True):
        with replacing(path) as part:  # the site may have changed tomorrow
            part.write_bytes(content)
    return paths


def without_people(page: FixturePage) -> FixturePage:
    """Return a page without accounts, tokens and names, and its address and callback arguments likewise."""
    encoding = page.encoding or "utf-8"
    known = json.loads(scrubbed(json.dumps(page.cb_kwargs, ensure_ascii=False))) if _is_json(page.cb_kwargs) else page.cb_kwargs
    return msgspec.structs.replace(page, url=scrubbed(page.url), cb_kwargs=known, body=scrubbed_body(page.body, encoding))


def one_of_each_kind(outcome: Outcome) -> list[tuple[str, FixturePage]]:
    """Return the first page of each kind that can be saved as a case, under names such as live_paper."""
    pages: dict[str, FixturePage] = {}
    for request, response in outcome.stats.get(RESPONSES, []):
        case = f"live_{kind_of(request).removeprefix('parse_')}"
        if response.status == 200 and case not in pages and _is_json(request.cb_kwargs):
            pages[case] = fixture_page(request, response, response.url)
    return sorted(pages.items())


def _is_json(value: object) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except TypeError:
        return False


def _as_json(case: str, page: FixturePage) -> dict[str, object]:
    known = page.cb_kwargs
    if not _is_json(known):
        kinds = ", ".join(f"{name}: {type(value).__name__}" for name, value in page.cb_kwargs.items())
        raise ValueError(
            f"--save {case}: {page.callback} has arguments that JSON cannot represent ({kinds}); save the first page of its kind"
        )
    return known
