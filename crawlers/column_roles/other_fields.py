"""Columns beside stem, options and answer that say something of a question: its explanation, its type, its chapter. Roles in, filled."""

import re
from collections.abc import Sequence
from typing import Any

from crawlers.column_roles.option_columns import EXPLAINED
from crawlers.column_roles.records import Roles
from crawlers.column_roles.values import plain

NAMED = {
    "题型": re.compile(r"题型|題型|qtype|questiontype|类型|^\^?type$", re.IGNORECASE),
    "章节": re.compile(r"章|chapter|section|知识点|单元", re.IGNORECASE),
    "科目": re.compile(r"科目|学科|subject|course|课程", re.IGNORECASE),
    "案例": re.compile(r"案例|病例|共用题干|材料|^\^?case$|passage", re.IGNORECASE),
}


def others_into(rows: Sequence[dict[str, Any]], columns: list[str], roles: Roles) -> None:
    """Put the columns of further fields into the roles of a table."""
    taken = {roles.stem, roles.answer, *roles.options}
    scored = []
    for key in columns:
        texts = [value for row in rows if isinstance(value := row.get(key), str) and value.strip()]
        if key in taken or not texts or key.startswith("^"):
            continue
        mean, named = sum(map(len, texts)) / len(texts), bool(EXPLAINED.search(key.rpartition(".")[2]))
        if named:
            scored.append((1000 + mean, key))
    if scored:
        roles.explanation = max(scored)[1]
        taken.add(roles.explanation)
    for field, pattern in NAMED.items():
        found = next(
            (key for key in columns if key not in taken and pattern.search(key.rpartition(".")[2]) and _are_words(rows, key, field)), None
        )
        if found:
            roles.others[field] = found
            taken.add(found)


def _are_words(rows: Sequence[dict[str, Any]], key: str, field: str) -> bool:
    texts = [row[key] for row in rows if isinstance(row.get(key), str) and row[key].strip()]
    least = 0.0 if field == "案例" else 0.3  # few questions may have a case, and without it they say something else
    return len(texts) >= max(1, least * len(rows)) and sum(not plain(text).isascii() for text in texts) >= 0.8 * len(texts)
