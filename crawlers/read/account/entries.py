"""Account of a file of entries that is no list of records: its texts and the records made of it in, where each character went out."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from crawlers.read.account.characters import CharacterAccount, folded
from crawlers.read.entries.lines import HAN, bare_name, parsed
from crawlers.read.vocabulary.remarks import is_remark

_BETWEEN = re.compile(r"[\n\t|｜]")
"""Between lines, and cells of a line."""


def account_of_entries(texts: Iterable[tuple[str, str, bool]], records: Iterable[Mapping[str, Any]]) -> CharacterAccount:
    """Return the account: a value counts as often as it is stated, as rows repeat their head and graphs their nodes.

    Args:
        texts: position, text, and whether it is a key.
    """
    said = {folded(part) for record in records for key, value in record.items() for part in (key, *_parts_in(value))}
    account, is_comment = CharacterAccount(), False
    for position, text, is_key in texts:
        account.characters += len(folded(text))
        for part in _BETWEEN.split(text):
            line, size = parsed(part), len(folded(part))
            value = folded(line.text)
            is_comment = is_comment or part.lstrip().startswith("<!--")
            if is_key:
                account.furniture["label"] += size
            elif is_comment or is_remark(part):
                account.furniture["remark"] += size
            elif folded(part) in said or all(folded(word) in said for word in part.split()):
                account.in_items += size
            elif not HAN.search(part):
                account.furniture["code"] += size
            elif not value or value in said or folded(bare_name(line.text)) in said:
                account.in_items += len(value)
                account.furniture["label"] += size - len(value)
            else:
                account.add_unread(position, "unread_words", part)
            is_comment = is_comment and not part.rstrip().endswith("-->")
    account.furniture["sign"] += account.difference  # between the parts of a line
    return account


def _parts_in(value: Any) -> Iterable[str]:
    if isinstance(value, list | dict):
        return [part for each in (value.values() if isinstance(value, dict) else value) for part in _parts_in(each)]
    return [] if value is None else [str(value), *str(value).split("\n")]
