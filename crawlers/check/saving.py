"""Save a page that `check` read as crawlers/sources/SOURCE/pages/CASE.html and CASE.json, without expected items or personal data."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from atomexam.runtime.jsonl import replacing
from crawlers.check.watch_middleware import RESPONSES, FixturePage, fixture_page
from crawlers.embedded.serving.saved import PAGE_SUFFIXES
from crawlers.new.stubs import is_stub
from crawlers.web.page_kinds import kind_of
from crawlers.web.run_spider import Outcome

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<![0-9a-zA-Z])[0-9a-fA-F]{24,}(?![0-9a-zA-Z])"), "0123456789abcdef0123456789abcdef"),
    (re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?"), "TOKEN"),
    (
        re.compile(
            r"""(?ix)(["']?\b(?>\w*?(?:token|session|sess_?id|phpsessid|csrf|xsrf|nonce|signature|ticket|passport|secret|auth_?key|api_?key))\w*+["']?\s*+[:=]\s*+["']?)
            (?!\s*(?:function|null|true|false)\b)[\w%+/.=~-]{6,}"""
        ),
        r"\g<1>TOKEN",
    ),
    (
        re.compile(
            r"(?i)((?:name|id)=[\"'](?>[^\"']*?(?:token|csrf|session|viewstate))[^\"']*+[\"'][^<>]{0,1000}\b(?:value|content)=[\"'])[^\"']+"
        ),
        r"\g<1>TOKEN",
    ),
    (re.compile(r"(?i)([\"']?\b(?:login_?)?(?:user|author|member|account)_?(?:id|no)[\"']?\s*+[:=]\s*+[\"']?)\d{2,}"), r"\g<1>0"),
    (re.compile(r"(?i)(/(?:user|member|space|author|u|home)/(?:id/|uid/)?)\d{2,}"), r"\g<1>0"),
    (re.compile(r"(?i)([?&](?:uid|userid|user_id|member)=)\w+"), r"\g<1>0"),
    (re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"), "someone@example.org"),
    (re.compile(r"(?<!\d)1[3-9]\d{9}(?!\d)"), "13800000000"),
    (re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)"), "110101190001010000"),
    (re.compile(r"(?i)(\bQQ群?\s*+(?:号码?)?\s*+[:：]?\s*+)\d{5,11}"), r"\g<1>10000"),
    (
        re.compile(
            r"((?:录\s*+入\s*+者|作\s*+者|责任编辑|编\s*+辑|发布者|上传者|用户名|昵\s*+称|会员|主治医生|审核医生|审核专家)\s*+[:：]\s*+(?:</?\w[^<>]*+>\s*+)*+)"
            r"[^\s<>&，,。;；|\"']{1,20}"
        ),
        r"\g<1>某人",
    ),
    (
        re.compile(
            r"(?i)(<(\w++)[^<>]{0,1000}\bclass=[\"'](?>[^\"']*?\b(?:author|user-?name|nickname)\b)[^\"']*+[\"'][^<>]*+>)[^<>]++(?=</\2>)"
        ),
        r"\g<1>某人",
    ),
    (
        re.compile(
            r"""(?i)(["']?\b(?:data-)?(?:nick(?:_?name)?|(?:user|author|login|real)_?name)["']?\s*+[:=]\s*+["'])[^"'<>]{1,40}(?=["'])"""
        ),
        r"\g<1>某人",
    ),
    (re.compile(r"""(?i)(\b\w*+(?<=uid)["']?\s*+[:=]\s*+["']?)\d{2,}"""), r"\g<1>0"),
    # The first row of an examcoo paper: number, name and school of its author. In rows of questions, b is not a number.
    (re.compile(r'("b"\s*+:\s*+)"\d{2,}"(\s*+,\s*+"c"\s*+:\s*+)"[^"]*+"(\s*+,\s*+"d"\s*+:\s*+)"[^"]*+"'), r'\g<1>"0"\g<2>"某人"\g<3>""'),
    (re.compile(r"(欢迎[您你][，,：:\s]{1,3})[^\s<>，,]{1,20}"), r"\g<1>某人"),
    (re.compile(r"""(?i)(<img\b[^<>]{0,300}avatar[^<>]{0,300}\balt=["'])[^"'<>]+"""), r"\g<1>某人"),
    (
        re.compile(r"""(?i)(<a\b[^<>]{0,300}/(?:user|member|space|author|u|home)/(?:id/|uid/)?0[/"'][^<>]{0,300}>)[^<>]+(?=</a>)"""),
        r"\g<1>某人",
    ),
    (re.compile(r"(?<!\d)0\d{2,3}-\d{7,8}(?!\d)"), "010-00000000"),
    (re.compile(r"(?i)((?:微信号?|wechat)\s*+[:：]\s*+)[a-z][\w-]{4,19}"), r"\g<1>someone"),
)
"""Patterns of personal and session data, and what to replace them with. Labels are kept so that the page is still read in the same way."""


def scrubbed(text: str) -> str:
    """Return a text without personal and session data."""
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text


def scrubbed_body(body: bytes, encoding: str) -> bytes:
    """Return a page's bytes without personal and session data; bytes that are invalid in its encoding are kept."""
    try:
        text = body.decode(encoding)
    except (UnicodeDecodeError, LookupError):  # decode each byte as a character: the patterns are mostly ASCII
        return scrubbed(body.decode("latin-1")).encode("latin-1", "replace")
    return scrubbed(text).encode(encoding, "replace")


_CASE = re.compile("[a-z0-9][a-z0-9_]*")


def require_free(folder: Path, case: str) -> None:
    """Raise an error if a case cannot be saved; only stubs may be replaced.

    Raises:
        ValueError: the name is invalid, or a page with that name exists.
    """
    if not _CASE.fullmatch(case):
        raise ValueError(f"--save: {case!r} is not a valid case name; expected lowercase letters, digits and _, such as list or paper")
    for path in (folder / f"{case}{suffix}" for suffix in (*PAGE_SUFFIXES, ".json")):
        if path.exists() and not is_stub(folder / f"{case}.html"):
            raise ValueError(f"--save: {path} already exists; choose another name, or remove it")


def save(folder: Path, case: str, page: FixturePage) -> list[Path]:
    """Write a case and return its files.

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
    for stub in _stubs(folder, case, page.url):
        stub.unlink(missing_ok=True)
    paths = [folder / f"{case}{PAGE_SUFFIXES[0] if is_html else PAGE_SUFFIXES[1]}", folder / f"{case}.json"]
    written = json.dumps({**case_fields, "items": []}, ensure_ascii=False, indent=1) + "\n"
    for path, content in zip(paths, (page.body, written.encode()), strict=True):
        with replacing(path) as part:  # the site may have changed tomorrow
            part.write_bytes(content)
    return paths


def _stubs(folder: Path, case: str, url: str) -> Iterator[Path]:
    """Yield the files of the stubs that a page replaces, which have its name or address."""
    for path in folder.glob("*.json"):
        if is_stub(path.with_suffix(".html")) and (path.stem == case or json.loads(path.read_text(encoding="utf-8"))["url"] == url):
            yield from (path.with_suffix(suffix) for suffix in (*PAGE_SUFFIXES, ".json"))


def clear_stubs(folder: Path) -> None:
    """Remove the stub pages that a new source starts with."""
    for page in filter(is_stub, folder.glob("*.html")):
        page.with_suffix(".json").unlink(missing_ok=True)
        page.unlink()


def without_people(page: FixturePage) -> FixturePage:
    """Return a page without accounts, tokens and names, which are also removed from its address and callback arguments."""
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
            f"--save {case}: {page.callback} has arguments that JSON cannot represent ({kinds}); save the first page of that kind instead"
        )
    return known
