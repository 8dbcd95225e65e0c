"""Pages of the replicas: templates, replies, and the flaws that real pages have."""

from functools import cache
from pathlib import Path

import opencc
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from crawlers.embedded.site import SiteReply

_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def templates(site: str) -> Environment:
    """Return the templates of a site; an undefined name in a template is an error."""
    folder = Path(__file__).parent / "templates" / site
    return Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )


def html_reply(html: str, encoding: str = "utf-8", named_in_header: bool = True) -> SiteReply:
    """Return a page; if `named_in_header` is false, only the page's meta tag can state the encoding."""
    charset = f"; charset={encoding}" if named_in_header else ""
    return SiteReply(headers={"Content-Type": f"text/html{charset}"}, body=html.encode(encoding))


def moved(location: str) -> SiteReply:
    """Return a permanent redirect."""
    return SiteReply(status=301, headers={"Location": location})


def full_width(text: str) -> str:
    """Return the text with ASCII letters, digits and punctuation in their full-width forms."""
    return text.translate(_FULL_WIDTH)


def traditional(text: str) -> str:
    """Return the text in traditional characters; ASCII, and therefore markup, is unchanged."""
    return _simplified_to_traditional().convert(text)


@cache
def _simplified_to_traditional() -> opencc.OpenCC:
    return opencc.OpenCC("s2t")
