"""Load the selectors of hxter's pages (selectors.yaml) as typed values, and apply them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from parsel import Selector, SelectorList
from scrapy.http import Response

from atomexam.records.checks import convert
from atomexam.text.yaml_values import yaml_values
from crawlers.html.nesting import outermost
from crawlers.text.fields import text_of

Where = str | list[str]
"""One selector, or several, of which the first that matches is used: CSS, or XPath if it begins with `./`, `..`, `/` or `(`."""
_XPATH = re.compile(r"\./|\.\.|/|\(|\.$")


class SelectorGroup(Struct, frozen=True, forbid_unknown_fields=True):
    """One block of selectors.yaml."""


class QuestionSelectors(SelectorGroup, frozen=True, kw_only=True):
    """Selectors of a question and of its parts."""

    question: Where
    stem: Where
    key: Where = []
    """Selector of the question's key among separate answers; its number is used if nothing matches."""
    heading: Where = []
    mark: Where = []
    number: Where = []
    options: Where = []
    answer: Where = []
    analysis: Where = []
    answer_link: Where = []
    """Address of a page with the answer to this question only."""


class AnswerPage(SelectorGroup, frozen=True, kw_only=True):
    """Selectors of answers on a separate page."""

    link: Where = []
    """Selector of the link to that page on the paper's page; empty if only questions have links."""
    entry: Where
    key: Where = []
    answer: Where
    analysis: Where = []


class Script(SelectorGroup, frozen=True, kw_only=True):
    """JSON keys of answers, in a script on the page or behind an answer link."""

    variables: list[str] = []
    key: list[str] = []
    answer: list[str]
    analysis: list[str] = []


class Selectors(SelectorGroup, frozen=True, kw_only=True):
    """The complete file."""

    home: str
    list_address: str | None = None
    """Address of a list, with `{}` for a name in `lists` of params.yaml."""
    categories: Where
    papers: Where
    next_list: Where = []
    next_page: Where = []
    title: Where = []
    breadcrumb: Where = []
    layouts: dict[str, QuestionSelectors]
    answer_page: AnswerPage | None = None
    script: Script | None = None


def read_selectors(path: Path, hosts: tuple[str, ...]) -> Selectors:
    """Return the selectors of the pages.

    Raises:
        ValueError: the file is invalid; the message states the location, the value and the known values.
    """
    where = "/".join(path.parts[-4:])
    selectors: Selectors = convert(yaml_values(path.read_bytes(), where), Selectors, where)
    if not selectors.layouts:
        raise ValueError(f"{where}: layouts: found none; expected at least one, with `question` and `stem`")
    for name, one in _addresses(selectors):
        address = urlsplit(one)
        if address.scheme not in ("http", "https") or address.hostname not in hosts:
            raise ValueError(f"{where}: {name}: found {one!r}; expected an address on {' or '.join(hosts)}")
    for name, one in _every(selectors):
        _check(one, f"{where}: {name}")
    return selectors


def _addresses(selectors: Selectors) -> Iterator[tuple[str, str]]:
    yield "home", selectors.home
    if selectors.list_address is not None:
        yield "list_address", selectors.list_address if "{}" in selectors.list_address else ""


def _every(block: SelectorGroup, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield all selectors of a block with their names."""
    for field in msgspec.structs.fields(block):
        value = getattr(block, field.name)
        if isinstance(value, dict):
            for name, inner in value.items():
                yield from _every(inner, f"{prefix}{field.name}.{name}.")
        elif isinstance(value, SelectorGroup):
            yield from () if isinstance(value, Script) else _every(value, f"{prefix}{field.name}.")
        elif field.type == Where:
            yield from ((prefix + field.name, one) for one in _listed(value))


def _check(selector: str, where: str) -> None:
    page = Selector("<p></p>")
    kind = "XPath" if _XPATH.match(selector) else "CSS"
    try:
        page.xpath(selector) if kind == "XPath" else page.css(selector)
    except (ValueError, SyntaxError) as error:  # cssselect's errors are syntax errors
        raise ValueError(f"{where}: {selector!r} is not a valid {kind} selector: {error}") from None


def every(page: Response | Selector, where: Where) -> SelectorList:
    """Return the matches of the first selector that has any."""
    selected: SelectorList[Selector] = SelectorList()
    for selector in _listed(where):
        selected = page.xpath(selector) if _XPATH.match(selector) else page.css(selector)
        if selected:
            break
    return selected


def text_at(page: Response | Selector, where: Where, drop_hidden: bool = False) -> str | None:
    """Return the text or attribute found by the first selector that finds text; None if there is none."""
    for selector in _listed(where):
        matches = every(page, selector)
        for selected in outermost(matches) if matches and hasattr(matches[0].root, "tag") else matches:
            root: Any = selected.root
            if text := str(root).strip() if not hasattr(root, "tag") else text_of(selected, drop_hidden):
                return text
    return None


def _listed(where: Where) -> list[str]:
    return [where] if isinstance(where, str) else where
