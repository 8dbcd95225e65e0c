"""A page that `check` read in; crawlers/sources/SOURCE/pages/CASE.html and CASE.json out, whose items are still to be filled in."""

import json
import re
from pathlib import Path

import msgspec

from atomexam.runtime.jsonl import replacing
from crawlers.check.scrub import scrubbed, scrubbed_body
from crawlers.check.watch_middleware import MET, PageKept, page_kept
from crawlers.embedded.serving.saved import PAGE_SUFFIXES
from crawlers.new.stubs import is_stub
from crawlers.web.page_kinds import kind_of
from crawlers.web.run_spider import Outcome

_CASE = re.compile("[a-z0-9][a-z0-9_]*")


def require_free(folder: Path, case: str) -> None:
    """Refuse a case that cannot be saved; a stub gives way.

    Raises:
        ValueError: its name is none, or a page of that name is there.
    """
    if not _CASE.fullmatch(case):
        raise ValueError(f"--save: {case!r} is no name of a case; expected small letters, digits and _, such as list or paper")
    for path in (folder / f"{case}{suffix}" for suffix in (*PAGE_SUFFIXES, ".json")):
        if path.exists() and not is_stub(folder / f"{case}.html"):
            raise ValueError(f"--save: {path} is there; choose another name, or remove it")


def save(folder: Path, case: str, page: PageKept) -> list[Path]:
    """Write a case; return its files.

    Raises:
        ValueError: what the callback was given besides the page cannot be written as JSON.
    """
    require_free(folder, case)
    told: dict[str, object] = {"url": page.url, "callback": page.callback}
    if page.cb_kwargs:
        told["cb_kwargs"] = _as_json(case, page)
    is_html = page.content_type.partition(";")[0].strip().lower() in ("", "text/html", "application/xhtml+xml")
    if page.content_type and page.content_type.lower() != "text/html":
        told["headers"] = {"Content-Type": page.content_type}
    for suffix in PAGE_SUFFIXES:  # of a stub
        (folder / f"{case}{suffix}").unlink(missing_ok=True)
    paths = [folder / f"{case}{PAGE_SUFFIXES[0] if is_html else PAGE_SUFFIXES[1]}", folder / f"{case}.json"]
    written = json.dumps({**told, "items": []}, ensure_ascii=False, indent=1) + "\n"
    for path, content in zip(paths, (page.body, written.encode()), strict=True):
        with replacing(path, on_disk=True) as part:  # the site may say something else tomorrow
            part.write_bytes(content)
    return paths


def without_people(page: PageKept) -> PageKept:
    """Return a page without accounts, tokens and names; its address and what the callback was given likewise."""
    encoding = page.encoding or "utf-8"
    known = json.loads(scrubbed(json.dumps(page.cb_kwargs, ensure_ascii=False))) if _is_json(page.cb_kwargs) else page.cb_kwargs
    return msgspec.structs.replace(page, url=scrubbed(page.url), cb_kwargs=known, body=scrubbed_body(page.body, encoding))


def one_of_each_kind(outcome: Outcome) -> list[tuple[str, PageKept]]:
    """Return the first page of each kind that came and that a case can hold, under names such as live_paper."""
    found: dict[str, PageKept] = {}
    for request, response in outcome.stats.get(MET, []):
        case = f"live_{kind_of(request).removeprefix('parse_')}"
        if response.status == 200 and case not in found and _is_json(request.cb_kwargs):
            found[case] = page_kept(request, response, response.url)
    return sorted(found.items())


def _is_json(value: object) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except TypeError:
        return False


def _as_json(case: str, page: PageKept) -> dict[str, object]:
    known = page.cb_kwargs
    if not _is_json(known):
        kinds = ", ".join(f"{name}: {type(value).__name__}" for name, value in page.cb_kwargs.items())
        raise ValueError(f"--save {case}: {page.callback} was given what JSON does not hold ({kinds}); save the first page of its kind")
    return known
