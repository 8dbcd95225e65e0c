"""Look up an entry's labels and name in the table to find the relation of a label, the kind of a medicine, or the fault in a name."""

import re
from functools import cache, lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from atomexam.records.fact import RELATIONS
from atomexam.records.item import EntityItem
from atomexam.text.normalize import normalize
from curation.clean.facts.separators import without_link
from curation.clean.facts.tails import CACHE_SIZE, LOST_CHARACTER, tidy
from curation.vocab.reader import read_vocabulary

_MAX_NAME_CHARS = 80  # the longest of 27,000 published names has 32 characters
_MIN_BEGUN_CHARS = 3
_CUT_NAME = re.compile(r"\.{2,}|…+|。{3,}|[·⋯]{3,}|⋯")
_SAYS_NAME = re.compile(r"^[\s【\[]*(?:别名|又名|别称|全称|中文名称?|疾病名称|名称|title|标题)[\s】\]：:]*$")
_BETWEEN_NAMES = re.compile(r"[、，；,;。\n|｜\t/（）()\s]+|\.html?$")
_IS_LABEL = re.compile(r"【[^】]*】")
_LABEL_EDGES = re.compile(r"[\s【】\[\]：:]+")


@cache
def _table() -> dict[str, Any]:
    table = read_vocabulary("relations")
    for source in table.values():
        for labels in source.values() if isinstance(source, dict) else ():
            for label, use in labels.items():
                relation = use.get("relation", "")
                if relation and not {relation.format(kind=kind) for kind in ("western", "chinese")} <= set(RELATIONS):
                    raise ValueError(
                        f"curation/vocab/relations.yaml: {label}: unknown relation {relation!r}; known: {', '.join(RELATIONS)}"
                    )
    return table


@cache
def _clues() -> list[tuple[str, str, re.Pattern[str]]]:
    """Return the label, the kind of medicine and the pattern of each clue."""
    return [(clue["label"], clue["kind"], re.compile(clue["pattern"])) for clue in _table()["kind"]]


@lru_cache(CACHE_SIZE)
def use_of(source: str, entity_type: str, label: str) -> dict[str, Any] | None:
    """Return the table's entry for a label, preferring the entry for its source; None if the label is not listed."""
    key = label_of(label)
    for table in (source, "any"):
        use = _table().get(table, {}).get(entity_type, {}).get(key)
        if use is not None:
            return use
    return None


@cache
def label_of(label: str) -> str:
    return _LABEL_EDGES.sub("", normalize(label).text)


def medicine_kind(item: EntityItem) -> str | None:
    """Return whether a medicine is western or Chinese according to its page, or None if the page does not say."""
    texts: dict[str, list[str]] = {}
    for value in item.values:
        texts.setdefault(label_of(value.label), []).append(normalize(value.value).text)
    for label, kind, pattern in _clues():
        if any(pattern.search(text) for text in texts.get(label, [])):
            return kind
    return None


def name_of(item: EntityItem) -> str:
    """Return the name that an entry's facts use; a truncated name is completed from the entry's text."""
    name = tidy(without_link(item.name_raw or ""))
    cut = _CUT_NAME.search(name)
    if cut is None or cut.end() < len(name):
        return name
    begun = name[: cut.start()].rstrip()
    texts = [value.value for value in item.values if _SAYS_NAME.match(value.label)]
    texts += [item.alias_raw or "", unquote(urlsplit(item.url).path)]
    whole = {tidy(part) for text in texts for part in _BETWEEN_NAMES.split(text) if part.strip().startswith(begun)}
    whole = {one for one in whole if len(one) > len(begun) and not _CUT_NAME.search(one)}
    return whole.pop() if len(begun) >= _MIN_BEGUN_CHARS and len(whole) == 1 else name


def fault_of_name(name: str) -> tuple[str, str] | None:
    """Return the fault that makes a name unusable, and the reason for it; every fact of the entry would have it as its head."""
    if LOST_CHARACTER in name:
        return "a name with lost characters", "mojibake"
    if len(name) > _MAX_NAME_CHARS:
        return f"a name of {len(name)} characters", "value_too_long"
    if _CUT_NAME.search(name) or any(name.count(one) > name.count(other) for one, other in ("（）", "()", "【】", "[]")):
        return "a name that was cut off", "name_cut"
    if _IS_LABEL.match(name):
        return "a label in place of a name", "entity_empty"
    return None if name else ("no name", "entity_empty")
