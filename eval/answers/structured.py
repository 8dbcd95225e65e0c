"""Extract values or letters from structured replies (folded text): JSON fields, Markdown tables, options judged one at a time.

A truncated reply keeps the fields before the cut, so no function here requires the closing bracket.
"""

import re
from collections.abc import Mapping, Sequence

from atomexam.text.numerals import value_of

_FIELD = re.compile(
    r"(?:\"(?P<key>[^\"'\n]{1,24})\"|'(?P<other_key>[^\"'\n]{1,24})')\s?:\s?"
    r"(?:\"(?P<text>[^\"\n]{0,600})|'(?P<other>[^'\n]{0,600})|(?P<word>[A-Za-z0-9.-]{1,12})|(?P<list>\[[^\]{}]{0,300}\])|(?P<open>[{\[]))"
)
_LIST_OF_LETTERS = re.compile(r"\[\s?[\"'][A-Ja-j][\"'](?:\s?,\s?[\"'][A-Ja-j][\"']){1,20}\s?\]")
_EACH_LETTER = re.compile(r"[\"']([A-Ja-j])[\"']")
_RULE = re.compile(r"[ :|]*-[ :|-]*")
_NUMERAL = r"(?:\d{1,2}|[一二三四五六七八九十])"
_NUMBERED = re.compile(
    rf"(?:第\s?)?(?:question|item|answer|ans|no|q|a|小?题目?|问题?|答案)?[\s.]?(?P<number>{_NUMERAL})[\s.、)]*(?:[小个]?[题问])?(?:的?(?:答案|选项))?",
    re.IGNORECASE,
)
_NUMBER_LABEL = re.compile(
    r"#|(?:小?题|题目|问题|序|编)号?|(?:question|item|num(?:ber)?|no|id|index|q)\s?(?:id|no|number|index)?\.?", re.IGNORECASE
)
_ANSWER_LABEL = re.compile(
    r"(?:我的|最终|正确|参考|最佳|所选)?(?:答案|选项|选择|回答|作答)(?:字母)?|(?:final|correct|right|best)?\s?(?:answers?|ans|choice|option|selected)",
    re.IGNORECASE,
)
Field = tuple[str, str]
_LETTER = r"(?<![A-Za-z0-9])(?P<letter>[A-J])"
_ITEM = re.compile(
    r"(?:^|(?<=[\n。;]))[ \t\-•·|>(\[]*(?:\d{1,2}[.、)]\s?|(?:首先|其次|再次|然后|接着|最后),?\s?)?"
    rf"(?:选项\s?)?{_LETTER}(?:选?项)?\s?[)\]]?\s?"
    r"(?![、,和]\s?[A-J])(?=[:.、,|)]|选项|项|√|×|\(|-|—|\s|不?[当应入]选|[不正错符对属])(?P<said>[^\n。;]*)"
)
_VERDICT = re.compile(
    r"(?P<not>不(?:当|入|应|能|可|予|应该)?选|非?不(?:正确|对|符合?|合适|是|属于|包括|成立|一致|吻合|相符)|未(?:当|入)选|错误?|有误|×|排除|应?删除|否(?=\)|$|\s?\|)"
    r"|(?<![a-z])(?:incorrect|wrong|false|no|not)(?![a-z]))"
    r"|(?P<yes>(?:当|入|应|可|要)选|(?<![首误次备])选(?=$|[,)]|择此)|正确|√|符合|(?<!不)相符|(?<!不)吻合|(?<!不)一致|属于(?=$|[,)\s|])|(?<![^:,|(\s])(?:对|是)(?=$|[,)\s|])|(?<![a-z])(?:correct|right|true|yes)(?![a-z]))",
    re.IGNORECASE,
)
_OPENING = re.compile(r"[\s:、|]*+是?(?:(?P<yes>正确|对)|(?P<not>错误?|不正确|不对))的?(?=[,(]|\Z)")  # B选项正确，效度是指…
_DECISION = re.compile(
    r"(?P<not>不(?:当|入|应|能|可|予|应该)?选|未(?:当|入)选|排除)|(?P<yes>(?:当|入|应|可|要)选|(?<![首误次备])选(?=$|[,)]))"
)
_SIGN_BEHIND = re.compile(r"[。;]\s?(?=[√×](?! ?[A-J]))")  # the symbol of the previous sentence
_ANY = re.compile(r"选|正|错|对|×|√|符|属|是|orrect|rong|rue|alse|yes|Yes")


def judged_one_by_one(text: str, options: int = 0) -> str | None:
    """Return the chosen letters if at least two options are judged separately, else None.

    A decision (当选, 不选) outranks a verdict on the option's statement (正确, 属于), a later decision or verdict outranks an earlier one,
    and a verdict directly after the letter outranks those in its reasons.

    Args:
        options: the number of options of a single-choice question: if one is called wrong and all others correct, that one is chosen.
    """
    if ("\n" not in text and "。" not in text and ";" not in text) or not _ANY.search(text):
        return None
    text = _SIGN_BEHIND.sub(",", text)
    verdicts: dict[str, bool] = {}
    items = 0
    for item in _ITEM.finditer(text):
        items += 1
        explanation = item["said"].rstrip()
        opening = _OPENING.match(explanation)
        verdict_matches = list(_DECISION.finditer(explanation)) or ([opening] if opening else list(_VERDICT.finditer(explanation)))
        if verdict_matches:
            verdicts[item["letter"]] = bool(verdict_matches[-1]["yes"])
    return _chosen(verdicts, items, options)


def judged_fields(text: str, options: int = 0) -> str | None:
    """Return the letters that an object calls correct ({"A": true, "B": "错误"}), "" if it calls none correct, or None if there is no such
    object."""
    verdict_fields = [(letter, value) for key, value in json_fields(text) if (letter := _option_key(key))]
    verdicts = {letter: bool(match["yes"]) for letter, value in verdict_fields if (match := _VERDICT.match(value))}
    return (_chosen(verdicts, len(verdicts), options) or "") if len(verdict_fields) > 1 else None


def _option_key(key: str) -> str:
    """Return the letter in an object's key: A, 选项A."""
    letter = key.removeprefix("选项").removesuffix("项").strip().upper()
    return letter if len(letter) == 1 and "A" <= letter <= "J" else ""


def _chosen(verdicts: Mapping[str, bool], items: int, options: int) -> str | None:
    chosen, others = ("".join(letter for letter, is_chosen in verdicts.items() if is_chosen is wanted) for wanted in (True, False))
    return (others if len(chosen) > 1 and len(others) == 1 and len(verdicts) == options else chosen) or None if items > 1 else None


def json_fields(text: str) -> list[Field]:
    """Return the keys and values of anything that looks like JSON, in order; for a nested object or a list of objects, the value is "{" or
    "["."""
    if ("{" not in text and "[" not in text) or ("'" not in text and '"' not in text):
        return []
    return [
        (
            (field["key"] or field["other_key"]).strip(),
            next(field[group] for group in ("text", "other", "word", "list", "open") if field[group] is not None),
        )
        for field in _FIELD.finditer(text)
    ]


def table_rows(text: str) -> list[list[str]]:
    """Return the rows of the first Markdown table, header first, or no rows if no separator line follows the header."""
    if "|" not in text or "-" not in text:
        return []
    rows: list[list[str]] = []
    ruled = False
    for line in text.split("\n"):
        if "|" not in line:
            if ruled:
                break
            rows = []
        elif _RULE.fullmatch(line.strip()):
            if ruled:
                break
            ruled = True
        else:
            rows.append([cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")])
    return rows if ruled and len(rows) > 1 else []


def table_fields(text: str) -> list[Field]:
    """Return the cells of a one-row table with their headings, or each row's label with the cell next to it."""
    rows = table_rows(text)
    if not rows:
        return []
    if len(rows[0]) == 2 and len(rows) > 2:
        return [(row[0], row[1]) for row in rows[1:] if len(row) > 1]
    return list(zip(rows[0], rows[1], strict=False))


def numbered_values(text: str) -> dict[int, str]:
    """Return the answers to numbered questions in a JSON object or table: {1: "E", 2: "A. 肝阳上亢"}."""
    values: dict[int, str] = {}
    current = 0
    for key, value in json_fields(text):
        if number := number_of(key):
            current = number
            if value not in ("{", "["):
                values.setdefault(current, value)
        elif _NUMBER_LABEL.fullmatch(key):
            current = number_of(value) or current
        elif current and _ANSWER_LABEL.fullmatch(key):
            values.setdefault(current, value)
    return values or _numbered_cells(table_rows(text))


def _numbered_cells(rows: Sequence[Sequence[str]]) -> dict[int, str]:
    if not rows:
        return {}
    heads, body = rows[0], rows[1:]
    column = next((index for index, head in enumerate(heads) if _ANSWER_LABEL.fullmatch(head)), None)
    if column is not None:
        first = next((index for index, head in enumerate(heads) if _NUMBER_LABEL.fullmatch(head)), 0)
        numbered = [(number_of(row[first]), row[column]) for row in body if len(row) > max(first, column)]
        return {number: value for number, value in reversed(numbered) if number}
    if all(numbers := [number_of(head) for head in heads]) and len(body[0]) == len(heads):
        return dict(zip(numbers, body[0], strict=True))
    if any(numbers := [number_of(head) for head in heads[1:]]):  # questions are side by side, with their answers below
        answers = next((row[1:] for row in body if _ANSWER_LABEL.fullmatch(row[0])), [])
        return {number: value for number, value in zip(numbers, answers, strict=False) if number}
    return {}


def letters_in_order(text: str) -> str:
    """Return the letters of a JSON list, or of the answers in a list of unnumbered objects."""
    if match := _LIST_OF_LETTERS.search(text):
        return "".join(_EACH_LETTER.findall(match[0])).upper()
    answers = [value for key, value in json_fields(text) if _ANSWER_LABEL.fullmatch(key)]
    return "".join(answers).upper() if all(len(each) == 1 for each in answers) else ""


def number_of(label: str) -> int:
    """Return the question number in a label (1, 第一题, Q1), or 0 if there is none."""
    match = _NUMBERED.fullmatch(label.strip())
    if not match:
        return 0
    return value_of(match["number"]) or 0
