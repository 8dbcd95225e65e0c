"""SdAK's rules for claims. Support and refute do not exclude each other: one constant sentence can be right on every pair."""

from collections.abc import Iterable, Mapping, Sequence

from atomexam.records.prediction import Prediction
from eval.answers.published.contract import RuleSet, share
from eval.tasks.request import Request

BOTH = "both"
_SUPPORT = (("是的", 3), ("是正确的", 10))
_REFUTE = (("错误", 3), ("不正确", 10), ("这个说法是错误的", 10), ("这个说法是不正确的", 10), ("不完全正确", 10), ("不是", 5))


def supports(reply: str) -> bool:
    """Tell whether a reply counts as 正确 where that is the answer: certain words within its first characters, as they came."""
    head = reply[:5]
    return ("正确" in head and "不正确" not in head) or any(word in reply[:size] for word, size in _SUPPORT)


def refutes(reply: str) -> bool:
    """Tell whether a reply counts as 错误 where that is the answer."""
    return any(word in reply[:size] for word, size in _REFUTE)


def read(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return 正确, 错误, None for neither, or `both`."""
    del options, kind
    return {(True, True): BOTH, (True, False): "正确", (False, True): "错误"}.get((supports(reply), refutes(reply)))


def figures(predictions: Iterable[Prediction], requests: Sequence[Request]) -> dict:
    """Return following rate and accuracy by pair; each side is asked only whether it is the right one."""
    requests_by_id = {request.item_id: request for request in requests}
    pairs: dict[tuple[str, int], list[tuple[bool, bool]]] = {}
    both = 0
    for row in predictions:
        request, yes, no = requests_by_id[row.item_id], supports(row.reply), refutes(row.reply)
        both += yes and no
        pairs.setdefault((request.unit, row.repeat), []).append((yes or no, yes if request.answer == "正确" else no))
    following = sum(all(follows for follows, _ in sides) for sides in pairs.values())
    right = sum(all(right for _, right in sides) for sides in pairs.values())
    return {"following_rate": share(following, len(pairs)), "accuracy": share(right, len(pairs)), "both": both}


RULES = RuleSet(
    source="FreedomIntelligence/SDAK 88f34060, code/evaluate.py: parser_anaswr_one_cateory, follow_rate",
    kinds=frozenset({"claim"}),
    read=read,
    figures=figures,
)
