"""Regularities of a page's links, derived from the page and from the requests that the spider made on it.

The spider follows either all links in a group or only those it selects; the elements of a list are uniform.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response

from crawlers.html.links import address_of
from crawlers.html.page_state import named_parts
from crawlers.html.text_order import Name, at_most, group_name, name_of, visible_elements

_FOLLOWED_SHARE = 0.5
"""Minimum share of a group's links to follow; below it, the spider follows only a selection of them."""
_MOST_HOLDERS = 6
_DIGITS = re.compile(r"\d+")


def links_in_order(response: Response, values: Sequence[Any], requests: Sequence[Request]) -> Iterator[str]:
    """Yield the regularities of the links of a page.

    Args:
        values: the JSON values of the page or its scripts.
    """
    by_kind: dict[str, set[str]] = defaultdict(set)
    for request in requests:
        by_kind[getattr(request.callback, "__name__", "parse")].add(request.url)
    if by_kind and sum(map(len, by_kind.values())) == len(set().union(*by_kind.values())):
        yield "links to pages of one kind each"
    addresses = _addresses(response, values) if by_kind else {}

    @cache
    def keys_of(link: str) -> set[str]:
        return _keys(address_of(response.url, link) or "")

    for kind, urls in by_kind.items():
        yield from at_most(len({_form(url) for url in urls}), f"forms of links to {kind}")
        wanted = {key for url in urls for key in _keys(url)}
        leads = [[not wanted.isdisjoint(keys_of(link)) for link in links] for links in addresses.values()]
        used = [each for each in leads if sum(each) >= max(1, _FOLLOWED_SHARE * len(each))]
        if used and all(map(all, used)):
            yield f"links to {kind} all followed"
    followed = {key for urls in by_kind.values() for url in urls for key in _keys(url)}
    yield from at_most(
        _irregular(response, lambda link: not followed.isdisjoint(keys_of(link))) if followed else 0, "unlike parts of lists"
    )


def _irregular(response: Response, is_followed: Callable[[str], bool]) -> int:
    """Return how often elements around followed links are nested in one of the same name, or elements of one name differ in their
    children's names."""
    root = next(visible_elements(response), None)
    links = [link for link in root.iter("a") if is_followed(link.get("href", ""))] if root is not None else []
    names = {name_of(above) for link in links for above in islice(link.iterancestors(), _MOST_HOLDERS) if above.get("class")}
    inner_names: dict[str, set[frozenset[str]]] = defaultdict(set)
    nested = 0
    for element in visible_elements(response) if names else ():
        if (name := name_of(element)) in names:
            inner_names[name].add(frozenset(name_of(each) for each in element if isinstance(each.tag, str)))
            nested += any(name_of(above) == name for above in islice(element.iterancestors(), _MOST_HOLDERS))
    return nested + sum(len(each) - 1 for each in inner_names.values())


def _addresses(response: Response, values: Sequence[Any]) -> dict[Name, list[str]]:
    addresses: dict[Name, list[str]] = defaultdict(list)
    for element in visible_elements(response):
        if element.tag == "a":
            addresses[group_name(element)].append(element.get("href") or "")
    for name, part in (pair for value in values for pair in named_parts(value)):
        if isinstance(part, str) and part:
            addresses[name].append(part)
    return addresses


def _keys(url: str) -> set[str]:
    """Return the keys that different URLs on one page share: the path, and long numbers."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return set()
    return {parts.path.rstrip("/")} | set(re.findall(r"\d{5,}", url)) if "/" in url else set()


def _form(url: str) -> str:
    """Return a URL without the parts that vary between pages, which are numbers and the last part of the path."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    above, _, last = path.rpartition("/")
    return f"{parts.netloc}{_DIGITS.sub('N', above)}/" + re.sub(r"\w+", "x", last)
