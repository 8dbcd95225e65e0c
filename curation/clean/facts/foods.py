"""Foods of a value -> the same with what the item itself says of eating it: 忌辣椒 in a list of what to eat is to avoid."""

import re
from collections.abc import Iterable

from curation.clean.facts.pieces import Piece, checked

_EATING = r"(?:食用(?!油|菌|盐)|食(?![用物品盐疗水])|吃|喝|饮用(?!水)|饮(?![用料食水]))"
_AVOID = re.compile(rf"(?:忌(?!口|[讳嘴]){_EATING}?+|(?:不宜|不能|不可|不要|禁止?){_EATING})(?=.)")
_EAT = re.compile(rf"宜{_EATING}?+(?=.)")
_TURN = re.compile("[多少慎][吃喝食饮]|限制|控制|减少|避免|戒")
"""Advice that is no name of a food, but may hold for what follows it, too."""
_UNSURE = "behind an item that says otherwise than the label"


def of_foods(pieces: Iterable[Piece], to_eat: bool) -> list[Piece]:
    """Return the pieces with their polarity. Once an item says otherwise than the label, those without a word of their own are unsure."""
    found: list[Piece] = []
    turned = False
    for piece in pieces:
        avoid, eat = _AVOID.match(piece.text), _EAT.match(piece.text)
        if (said := avoid or eat) and (piece.reason is None or (piece.detail or "").startswith("prose: 不宜")):
            found.append(checked(piece.text[said.end() :])._replace(polarity=eat is not None))
            turned = turned or (eat is not None) != to_eat
            continue
        turned = turned or _TURN.match(piece.text) is not None
        unsure = turned and piece.reason is None
        found.append(
            piece._replace(polarity=to_eat, reason="tail_not_atomic", detail=_UNSURE) if unsure else piece._replace(polarity=to_eat)
        )
    return found
