"""SdAK's rules for claims. Support and refute are not exclusive: one constant sentence can be right on every pair."""

from collections.abc import Mapping

from atomexam.records.prediction import Prediction
from eval.answers.published.contract import RuleSet, share
from eval.tasks.request import Request

BOTH = "both"
_SUPPORT = (("是的", 3), ("是正确的", 10))
_REFUTE = (("错误", 3), ("不正确", 10), ("这个说法是错误的", 10), ("这个说法是不正确的", 10), ("不完全正确", 10), ("不是", 5))


def supports(reply: str) -> bool:
    """Return whether a reply counts as 正确 if that is the answer: certain words within its first characters, unnormalized."""
    head = reply[:5]
    return ("正确" in head and "不正确" not in head) or any(word in reply[:size] for word, size in _SUPPORT)


def refutes(reply: str) -> bool:
    """Return whether a reply counts as 错误 if that is the answer."""
    return any(word in reply[:size] for word, size in _REFUTE)


def read(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return 正确, 错误, None for neither, or `both`."""
    del options, kind
    return {(True, True): BOTH, (True, False): "正确", (False, True): "错误"}.get((supports(reply), refutes(reply)))


class PairCount:
    """Counts pairs; a side is only right or not."""

    def __init__(self) -> None:
        self._pairs = self._following = self._right = self._both = 0
        self._halves: dict[tuple[str, int], tuple[bool, bool]] = {}
        """Pairs with one side so far: whether it follows and whether it is right."""

    def add(self, reply: Prediction, request: Request) -> None:
        """Count a reply."""
        yes, no = supports(reply.reply), refutes(reply.reply)
        self._both += yes and no
        follows, right = yes or no, yes if request.answer == "正确" else no
        if half := self._halves.pop((request.unit, reply.repeat), None):
            self._pairs += 1
            self._following += follows and half[0]
            self._right += right and half[1]
        else:
            self._halves[request.unit, reply.repeat] = follows, right

    def figures(self) -> dict:
        """Return following rate and accuracy by pair."""
        return {"following_rate": share(self._following, self._pairs), "accuracy": share(self._right, self._pairs), "both": self._both}


RULES = RuleSet(
    source="FreedomIntelligence/SDAK 88f34060, code/evaluate.py: parser_anaswr_one_cateory, follow_rate",
    kinds=frozenset({"claim"}),
    read=read,
    count=PairCount,
)
