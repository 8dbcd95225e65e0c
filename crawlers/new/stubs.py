"""Make the texts of a new source's spider and stub pages from its name and URL."""

import keyword
import re
from pathlib import Path
from string import Template
from urllib.parse import urljoin, urlsplit

from msgspec import Struct
from w3lib.url import safe_url_string

from crawlers.web.hosts import is_public, literal

KINDS = ("exam", "exam-blocks", "encyclopedia")
STUB_MARK = "<!-- stub: written by crawlers.new"
"""Distinguishes stub pages from real pages of a site."""
_TEMPLATES = Path(__file__).parents[1] / "templates"
_SOURCES = Path(__file__).parents[1] / "sources"
_NAME = re.compile("[a-z][a-z0-9_]{0,39}")
_OWN_NETWORK = re.compile(r"(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$")


class NewSource(Struct, frozen=True, kw_only=True):
    """A new source with valid fields."""

    name: str
    kind: str
    url: str
    host: str
    is_private: bool = False
    """Whether the source is on the user's own network; if so, its line in params.yaml permits that."""

    @property
    def folder(self) -> Path:
        """The source's folder in the repository."""
        return Path("crawlers", "sources", self.name)

    @property
    def spider_file(self) -> Path:
        """Its spider."""
        return self.folder / "spider.py"


def new_source(name: str, url: str, kind: str, is_private: bool = False) -> NewSource:
    """Return a new source.

    Raises:
        ValueError: the name is invalid, or the address is not a web address.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name.startswith("test_"):
        expected = "expected at most 40 lowercase letters, digits and _, starting with a letter, and not a Python keyword"
        raise ValueError(f"name: found {name!r}; {expected}, because it names a module, a key in params.yaml and files")
    url, host = _address(url, is_private)
    return NewSource(name=name, kind=kind, url=url, host=host, is_private=is_private)


def texts_of(source: NewSource) -> dict[Path, str]:
    """Return the files of a new source, pages first, so that an incomplete set left by a killed run does no harm."""
    class_name = "".join(part.capitalize() for part in source.name.split("_"))
    values = {
        "name": source.name,
        "class_name": f"{class_name}Spider",
        "host": source.host,
        "url": source.url,
        "page_url": urljoin(source.url, f"stub_{source.name}.html"),
    }
    pages = sorted((_TEMPLATES / "pages" / source.kind).iterdir())
    templates = {source.folder / "pages" / page.name: page for page in pages}
    templates[source.spider_file] = _TEMPLATES / "spiders" / f"{source.kind}.tmpl"
    filled = {path: Template(template.read_text(encoding="utf-8")).substitute(values) for path, template in templates.items()}
    return {source.folder / "__init__.py": ""} | filled


def has_stubs(name: str, sources: Path = _SOURCES) -> bool:
    """Return whether a stub page written by `crawlers.new` still represents the site."""
    return any(map(is_stub, (sources / name / "pages").glob("*.html")))


def is_stub(page: Path) -> bool:
    """Return whether a saved page was written by `crawlers.new`."""
    return page.exists() and STUB_MARK in page.read_text(encoding="utf-8", errors="replace")


def _address(url: str, is_private: bool) -> tuple[str, str]:
    """Return an address as a browser would send it, and its host."""
    try:
        address = urlsplit(safe_url_string(url.strip()))
        host, port = (address.hostname or "").lower(), address.port
    except ValueError as error:
        raise ValueError(f"URL: {url!r} is not valid: {error}; expected an address such as https://www.example.com/papers/") from None
    if address.scheme not in ("http", "https") or not host:
        raise ValueError(f"URL: found {url!r}; expected http:// or https:// followed by a host, such as https://www.example.com/papers/")
    number = literal(host)
    is_own = _OWN_NETWORK.search(host) or (number and not is_public(number)) or (not number and "." not in host)
    if is_own and not is_private:
        advice = "if you may crawl it, add --private, which sets `private: true` in its line of params.yaml"
        raise ValueError(f"URL: {host} is in a private network, which live crawls refuse; {advice}")
    if address.username is not None or address.password is not None:
        raise ValueError(f"URL: {url!r} contains a user name or password; crawls never log in, so remove them")
    if port not in (None, 80, 443) and not is_private:
        raise ValueError(
            f"URL: {url!r} has a port other than 80 and 443, which live crawls do not use; for a site in your own network, add --private"
        )
    return address._replace(netloc=address.netloc.lower(), path=address.path or "/", fragment="").geturl(), host
