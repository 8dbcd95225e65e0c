"""Roles of segments: which may follow which, and the best labelling of a complete paper (Viterbi). Features in, roles out.

The weights are integers, made by `python -m tests.layouts.learn`; ties go to the first role, so that the same lines always get the same
roles.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

ROLES = ("stem", "stem+", "option", "option+", "answer", "explanation", "explanation+", "case", "heading", "key", "furniture")
"""`+` continues the text above it."""
_NEVER = -(10**9)
_FOLLOWS = {
    "stem+": ("stem", "stem+", "furniture"),
    "option": ("stem", "stem+", "option", "option+", "answer", "furniture"),
    "option+": ("option", "option+", "furniture"),
    "answer": ("stem", "stem+", "option", "option+", "explanation", "explanation+", "furniture"),
    "explanation": ("answer", "option", "option+", "stem", "stem+", "explanation", "explanation+", "furniture"),
    "explanation+": ("explanation", "explanation+", "furniture"),
}
"""Role -> roles that may come before it; any may come before the others."""
ALLOWED = np.array([[before in _FOLLOWS.get(role, ROLES) for role in ROLES] for before in ROLES])
FIRST = np.array([role not in _FOLLOWS for role in ROLES])

Weights = Mapping[str, npt.NDArray[np.int64]]
"""Feature -> a weight for each role; `after ROLE` is the feature of the previous role."""


def best_roles(features: Sequence[Sequence[str]], weights: Weights) -> tuple[list[int], list[int]]:
    """Return the best roles of segments, as indices in ROLES, and how much each is better than the next best one for its segment."""
    if not features:
        return [], []
    none = np.zeros(len(ROLES), dtype=np.int64)
    moves = np.stack([weights.get(f"after {role}", none) for role in ROLES])
    moves = np.where(ALLOWED, moves, _NEVER)
    own = np.stack([_own(one, weights, none) for one in features])
    ahead, behind = np.empty_like(own), np.zeros_like(own)
    back = np.zeros(own.shape, dtype=np.int8)
    ahead[0] = np.where(FIRST, own[0], _NEVER)
    for index in range(1, len(own)):
        paths = ahead[index - 1][:, None] + moves
        back[index] = paths.argmax(axis=0)
        ahead[index] = np.maximum(paths.max(axis=0), _NEVER) + own[index]
    for index in range(len(own) - 2, -1, -1):
        behind[index] = np.maximum((moves + (own[index + 1] + behind[index + 1])[None, :]).max(axis=1), _NEVER)
    roles = [int(ahead[-1].argmax())]
    for index in range(len(own) - 1, 0, -1):
        roles.append(int(back[index, roles[-1]]))
    ranked = np.sort(ahead + behind, axis=1)
    return roles[::-1], [int(margin) for margin in ranked[:, -1] - ranked[:, -2]]


def _own(features: Sequence[str], weights: Weights, none: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    score = none.copy()
    for feature in features:
        if (own_weights := weights.get(feature)) is not None:
            score += own_weights
    return score


def parse_weights(text: str) -> dict[str, npt.NDArray[np.int64]]:
    """Return the weights in a file: a feature and its weights on each line, separated by tabs."""
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {row[0]: np.array([int(word) for word in row[1:]], dtype=np.int64) for row in rows}


def format_weights(weights: Weights) -> str:
    """Return weights as `parse_weights` reads them."""
    head = "# Made by python -m tests.layouts.learn. feature\t" + "\t".join(ROLES)
    rows = (f"{feature}\t" + "\t".join(str(int(word)) for word in weights[feature]) for feature in sorted(weights))
    return "\n".join([head, *rows, ""])
