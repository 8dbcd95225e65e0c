"""Account of a file of entries that is not a list of records: its texts and the records made from it -> where each character went."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from crawlers.read.account.characters import CharacterAccount, folded
from crawlers.read.entries.lines import HAN, generic_name, parsed, without_comments
from crawlers.read.vocabulary.remarks import is_remark

_BETWEEN = re.compile(r"[\n\t|｜]")
"""Separates lines, and the cells of a line."""
_END = "\0"
"""Separates texts; a comment may extend over several."""
_CODE = re.compile(r"[^A-Za-z]*|[a-z_]+|.*(?:://|www\.|[\w-]\.[a-z]{2,4}(?:/.*)?$)", re.DOTALL)
"""A text without Chinese that carries no content, such as numbers, a key or an address. Outside prose, any such part is a code."""


def account_of_entries(texts: Iterable[tuple[str, str, bool]], records: Iterable[Mapping[str, Any]]) -> CharacterAccount:
    """Return the account; a repeated value counts each time, since rows repeat their head and graphs repeat their nodes.

    Args:
        texts: position, text, and whether the text is a key.
    """
    said = {folded(part) for record in records for key, value in record.items() for part in (key, *_parts_in(value))} - {""}
    account, texts = CharacterAccount(), [*texts]
    bare = _END.join(text.replace(_END, " ") for _, text, _ in texts)
    for (position, whole, is_key), text in zip(texts, without_comments(bare).split(_END), strict=True):
        account.characters += len(folded(whole))
        if text != whole:
            account.furniture["remark"] += len(folded(whole)) - len(folded(text))
        for part in _BETWEEN.split(text):
            line, size = parsed(part), len(folded(part))
            value = folded(line.text)
            if is_key:
                account.furniture["label"] += size
            elif folded(part) in said or all(word in said for word in map(folded, part.split()) if word):
                account.in_items += size
            elif not HAN.search(part) and (part != text or not position.startswith("line:") or _CODE.fullmatch(part.strip())):
                account.furniture["code"] += size
            elif not value or value in said:
                account.in_items += len(value)
                account.furniture["label"] += size - len(value)
            elif is_remark(part):
                account.furniture["remark"] += size
            elif folded((name := generic_name(line.text))[0]) in said:
                account.furniture["label"] += size
                for one in (name[0], *name[1].values()):
                    account.furniture["label"] -= len(folded(one))
                    if all(word in said for word in map(folded, one.split("\n"))):
                        account.in_items += len(folded(one))
                    else:
                        account.add_unread(position, "unread_words", one)
            else:
                account.add_unread(position, "unread_words", part)
    account.furniture["sign"] += account.difference  # between the parts of a line
    return account


def _parts_in(value: Any) -> Iterable[str]:
    if isinstance(value, list | dict):
        return [part for each in (value.values() if isinstance(value, dict) else value) for part in _parts_in(each)]
    return [] if value is None else [str(value), *str(value).split("\n")]
