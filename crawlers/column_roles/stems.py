"""Which column of a table has the stems of its questions, judging by what its texts ask and by its name."""

import re
from collections.abc import Sequence
from typing import Any

from crawlers.column_roles.answer_columns import ANSWER
from crawlers.column_roles.option_columns import EXPLAINED, IDENTIFIER, LEAST_ROWS

QUESTION = re.compile(
    r"[(（]\s*[)）]|_{2,}|[？?]\s*$|(?:是|为|有|包括|正确的|错误的|在于|称为|哪项|什么|不属于|属于)[：:。]?\s*$|下列|以下|何者|不包括|关于"
)
STEM = re.compile(
    r"stem|question|quest|title|题干|题目|问题|試題|題目|正文|content|试题|^q$|statement|prompt|判断内容|陈述|[表论叙]述|说法|命题|^内容$|题$",
    re.IGNORECASE,
)
_CODE = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}(?!\d)[^\u4e00-\u9fff]{0,30}|(?=[a-zA-Z_-]{0,40}\d)[\w-]{1,80}", re.ASCII)
"""A text that identifies a row and asks nothing: `4f3d5e71`."""


def stem_of(rows: Sequence[dict[str, Any]], columns: list[str]) -> tuple[str | None, float, list[str]]:
    """Return the column of the stems, its confidence, and what is doubtful."""
    scored: list[tuple[float, float, str]] = []
    for key in columns:
        texts = [value for row in rows if isinstance(value := row.get(key), str) and value.strip()]
        if len(texts) < max(LEAST_ROWS, 0.7 * len(rows)):
            continue
        mean = sum(map(len, texts)) / len(texts)
        unlike = len(set(texts)) / len(texts)
        name = key.rpartition(".")[2]
        if mean < 5 or unlike < 0.2 or key.startswith("^") or IDENTIFIER.search(name) or all(map(_CODE.fullmatch, texts)):
            continue
        asks = asking(rows, key)
        is_stem, is_answer = bool(STEM.search(name)), bool(ANSWER.search(name))
        name_score = 0.5 * is_stem - 0.7 * bool(EXPLAINED.search(name)) - 0.6 * (is_answer and not is_stem)
        foreign = -0.5 * all(map(str.isascii, texts))  # a translation beside others
        scored.append((asks + name_score + 0.2 * unlike + 0.1 * min(1.0, mean / 40) + foreign, asks, key))
    scored.sort(key=lambda each: -each[0])
    if not scored:
        return None, 0.0, []
    score, asks, key = scored[0]
    named = bool(STEM.search(key.rpartition(".")[2]))
    sure = 1.0 if asks >= 0.5 or named else 0.95 if asks >= 0.3 else 0.5
    doubts = [] if sure > 0.9 else [few_ask(key)]
    if len(scored) > 1 and score - scored[1][0] < 0.1:
        doubts.append(f"{key!r} and {scored[1][2]!r} look alike")
        sure *= 0.7
    return key, sure, doubts


def few_ask(key: str) -> str:
    return f"{key!r} has few texts that ask"


def asking(rows: Sequence[dict[str, Any]], key: str) -> float:
    """Return the share of a column's texts that ask something."""
    texts = [value for row in rows if isinstance(value := row.get(key), str) and value.strip()]
    return sum(bool(QUESTION.search(text)) for text in texts) / len(texts) if texts else 0.0
