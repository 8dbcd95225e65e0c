"""Options judged one by one, in lines, sentences or table rows: A选项……，当选。 In: prepared text; out: the letters that are chosen."""

import re
from collections.abc import Mapping

from eval.answers.structured import json_fields

_LETTER = r"(?<![A-Za-z0-9])(?P<letter>[A-J])"
_ITEM = re.compile(
    rf"(?:^|(?<=[\n。;]))[ \t\-•·|>(\[]*(?:\d{{1,2}}[.、)]\s?)?(?:选项\s?)?{_LETTER}(?:选?项)?\s?[)\]]?\s?"
    r"(?![、,和]\s?[A-J])(?=[:.、,|)]|选项|项|√|×|\(|-|—|\s|不?[当应入]选|[不正错符对属])(?P<said>[^\n。;]*)"
)
_VERDICT = re.compile(
    r"(?P<not>不(?:当|入|应|能|可|予|应该)?选|非?不(?:正确|对|符合?|合适|是|属于|包括|成立|一致|吻合|相符)|未(?:当|入)选|错误?|有误|×|排除|应?删除|否(?=\)|$|\s?\|)"
    r"|(?<![a-z])(?:incorrect|wrong|false|no|not)(?![a-z]))"
    r"|(?P<yes>(?:当|入|应|可|要)选|选(?=$|[,)]|择此)|正确|√|符合|(?<!不)相符|(?<!不)吻合|(?<!不)一致|属于(?=$|[,)\s|])|(?<![^:,|(\s])(?:对|是)(?=$|[,)\s|])|(?<![a-z])(?:correct|right|true|yes)(?![a-z]))",
    re.IGNORECASE,
)
_DECISION = re.compile(r"(?P<not>不(?:当|入|应|能|可|予|应该)?选|未(?:当|入)选|排除)|(?P<yes>(?:当|入|应|可|要)选|选(?=$|[,)]))")
_SIGN_BEHIND = re.compile(r"[。;]\s?(?=[√×](?! ?[A-J]))")  # the sign of the sentence before it
_ANY = re.compile(r"选|正|错|对|×|√|符|属|是|orrect|rong|rue|alse|yes|Yes")


def judged_one_by_one(text: str, options: int = 0) -> str | None:
    """Return the letters chosen where at least two options are judged each for itself, None without such a list.

    A decision (当选, 不选) counts more than a verdict on what the option says (正确, 属于), a later one more than an earlier.

    Args:
        options: how many options a single choice has: one that is called wrong among others that are all called right is the one chosen.
    """
    if ("\n" not in text and "。" not in text and ";" not in text) or not _ANY.search(text):
        return None
    text = _SIGN_BEHIND.sub(",", text)
    verdicts: dict[str, bool] = {}
    items = 0
    for item in _ITEM.finditer(text):
        items += 1
        said = item["said"].rstrip()
        found = list(_DECISION.finditer(said)) or list(_VERDICT.finditer(said))
        if found:
            verdicts[item["letter"]] = bool(found[-1]["yes"])
    return _chosen(verdicts, items, options)


def judged_fields(text: str, options: int = 0) -> str | None:
    """Return the letters that an object calls right ({"A": true, "B": "错误"}), "" where it calls none so, None without such an object."""
    said = [(letter, value) for key, value in json_fields(text) if (letter := _option_key(key))]
    verdicts = {letter: bool(found["yes"]) for letter, value in said if (found := _VERDICT.match(value))}
    return (_chosen(verdicts, len(verdicts), options) or "") if len(said) > 1 else None


def _option_key(key: str) -> str:
    """Return the letter that a key of an object names: A, 选项A."""
    letter = key.removeprefix("选项").removesuffix("项").strip().upper()
    return letter if len(letter) == 1 and "A" <= letter <= "J" else ""


def _chosen(verdicts: Mapping[str, bool], items: int, options: int) -> str | None:
    chosen, others = ("".join(letter for letter, is_chosen in verdicts.items() if is_chosen is wanted) for wanted in (True, False))
    return (others if len(chosen) > 1 and len(others) == 1 and len(verdicts) == options else chosen) or None if items > 1 else None
