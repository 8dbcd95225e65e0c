"""The scope in the source's line of params.yaml -> the start addresses of a crawl of ask120."""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from string import ascii_lowercase
from typing import Any

_TAG, _YP, _WWW = "https://tag.120ask.com", "https://yp.120ask.com", "https://www.120ask.com"
_NUMBERS = re.compile(r"medicines:(\d{1,7})-(\d{1,7})")


def _numbers(name: str) -> range:
    """Return the medicine numbers that `medicines:7-9` names; none for other names."""
    match = _NUMBERS.fullmatch(name)
    return range(int(match[1]), int(match[2]) + 1) if match else range(0)


_FORMS: dict[str, tuple[Callable[[str], Any], str]] = {
    "letters": (re.compile("[a-z]").fullmatch, "letters a to z, such as [a, b]"),
    "departments": (re.compile("[a-z0-9]+").fullmatch, "names as in addresses, such as [nk, xxgnk]"),
    "lists": (
        lambda name: name == "examinations" or _numbers(name),
        'examinations, or numbers of medicines, such as ["medicines:1-215000"]',
    ),
}


def require_known(scope: str, names: list[str]) -> None:
    """Raise ValueError for names that no address has.

    Raises:
        ValueError: the message says which names, and what was expected.
    """
    is_known, expected = _FORMS[scope]
    if wrong := [name for name in names if not is_known(str(name))]:
        raise ValueError(f"params.yaml: sources.ask120: {scope}: {wrong!r} found; expected {expected}")


def all_lists() -> list[str]:
    """Return the lists from which everything linked can be reached."""
    return [
        f"{_TAG}/jibing/ks/nk.html",
        *_letter_lists(ascii_lowercase),
        f"{_TAG}/jiancha/",
        f"{_TAG}/shoushu/pinyin.html",
        f"{_WWW}/disease",
    ]


def lists_of(letters: list[str], departments: list[str], lists: list[str]) -> dict[str, tuple[str, str]]:
    """Return the addresses of the named lists, each with its scope and name."""
    named = {f"{_TAG}/jibing/ks/{slug}.html": ("departments", slug) for slug in departments}
    named |= {url: ("letters", letter) for letter in letters for url in _letter_lists([letter])}
    return named | ({f"{_TAG}/jiancha/": ("lists", "examinations")} if "examinations" in lists else {})


def medicines_of(lists: list[str]) -> Iterator[str]:
    """Yield the addresses of medicines named by number."""
    return (f"{_YP}/detail/{number}.html" for number in chain.from_iterable(map(_numbers, lists)))


def _letter_lists(letters: str | list[str]) -> list[str]:
    return [f"{_TAG}/{part}/pinyin/{letter}.html" for letter in letters for part in ("jibing", "zhengzhuang")]
