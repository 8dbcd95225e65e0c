"""Options that are objects, `{optId: 0_1, optText: 甲}` -> objects in their stated order, without the codes that only identify them.

Which of their keys contains codes is only visible in all rows of a table together.
"""

import re
from collections.abc import Sequence
from typing import Any

from atomexam.text.option_letters import LETTERS
from crawlers.tables.inner_data import listed
from crawlers.tables.marked_options import NO, YES, word_of
from crawlers.tables.tree import flat

Options = list[dict[str, Any]]
NAME = "\0name"
"""Key of an option's name in an object of options."""
_MOST_OPTIONS = 10
_CODE = re.compile(r"[\w.:/%-]{1,80}", re.ASCII)
_PLACE = re.compile(r"sort|^seq|order|^(?:idx|index|no|num|position|pos|rank|xh|序号|顺序|排序|次序)$", re.IGNORECASE)
"""Names of the position at which an option is shown."""
_WHOLE = re.compile(r"\d{1,4}")
REASON = re.compile(r"why|reason|expla|analy|rationale|feedback|comment|hint|remark|解析|原因|理由|说明|反馈|点评", re.IGNORECASE)
"""Names of what is said of an option beside its text."""
_KEPT = re.compile(r"answer|analysis|question", re.IGNORECASE)
"""Names of keys that an option does not have, so that objects with one of them are not options."""


def in_stated_order(objects: Options) -> Options:
    """Return options sorted by the key that has their numbers or letters: a database returns them in any order, and answers name what is
    displayed.
    """
    letters = list(LETTERS[: len(objects)])
    for key in objects[0] if objects else ():
        shown = [word_of(each.get(key)).upper() for each in objects]
        if sorted(shown) == letters:
            return [objects[shown.index(letter)] for letter in letters]
        places = [int(place) for each in objects if isinstance(place := each.get(key), int | str) and _WHOLE.fullmatch(str(place))]
        if _PLACE.search(key) and sorted(places) in ([*range(len(objects))], [*range(1, len(objects) + 1)]):
            return [objects[places.index(place)] for place in sorted(places)]
    return objects


def options_listed(value: Any) -> Options:
    """Return options that are objects in a list, or values by name in an object, in their stated order; nothing if they are neither."""
    value = listed(value) if isinstance(value, str) else value
    if isinstance(value, dict) and not all(len(key) == 1 or key.isdigit() for key in map(str, value)):
        inner = list(value.values())
        if all(isinstance(each, str) for each in inner) or all(isinstance(each, dict) for each in inner):
            value = [{NAME: str(key), **(each if isinstance(each, dict) else {"": each})} for key, each in value.items()]
    if not isinstance(value, list) or not 1 < len(value) <= _MOST_OPTIONS or not all(isinstance(each, dict) for each in value):
        return []
    objects = [{key: inner for key, inner in flat(each) if not isinstance(inner, dict)} for each in value]
    return [] if any(isinstance(inner, list) for each in objects for inner in each.values()) else in_stated_order(objects)


def code_keys(lists: Sequence[Options]) -> list[str]:
    """Return the keys that identify the options of each list by codes, unlike their texts."""
    names = list(dict.fromkeys(key for options in lists for each in options for key in each))
    values = {name: [[each.get(name) for each in options] for options in lists if options] for name in names}
    codes = [name for name in names if all(map(_are_codes, values[name])) and not _are_flags(values[name])]
    worded = [
        name
        for name in names
        if not REASON.search(name) and any(isinstance(one, str) and not _is_code(one) for each in values[name] for one in each)
    ]
    return codes if worded else []


def _are_codes(values: Sequence[Any]) -> bool:
    return all(map(_is_code, values)) and len({str(value) for value in values}) == len(values)


def _is_code(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and _CODE.fullmatch(str(value)) is not None


def has_flags(lists: Sequence[Options]) -> bool:
    """Return whether a key states of each option whether it is correct."""
    names = dict.fromkeys(key for options in lists for each in options for key in each)
    return any(_are_flags([[each.get(name) for each in options] for options in lists if options]) for name in names)


def _are_flags(lists: Sequence[Sequence[Any]]) -> bool:
    return {word_of(value) for values in lists for value in values} <= YES | NO


def without_codes(options: Options, codes: Sequence[str]) -> Options:
    """Return options without the keys whose texts only identify them."""
    unneeded = {key for key in codes if not _KEPT.search(key) and not _PLACE.search(key)}
    return [{key: value for key, value in each.items() if key not in unneeded} for each in options]
