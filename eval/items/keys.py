"""Find suspect keys using models' answers and explanations: the evidence against each key, and the answer that it supports."""

import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from eval.items.statistics import MIN_MODELS, Matrix, row_correlations, shares_of_rest

Codes = npt.NDArray[np.int32]
NO_ANSWER = -1
SUSPECT = 2.0
"""Minimum evidence, in standard errors, for a key to be queued. In simulations, 2 of 1,000 correct keys reach it with 40 independent
models, and 83 with 5 families of 8 near-identical models."""
OF_EXPLANATION = 3.0
"""Evidence added if an explanation gives letters other than the key."""
_LETTERS = re.compile("[A-JＡ-Ｊ]")


def key_evidence(codes: Codes, keys: Codes, right: Matrix, options: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Return, for each item, the strongest competing answer, the votes, and the evidence against its key in standard errors.

    Two statistics, each roughly standard normal for a correct key, are combined (Stouffer). The vote weights each model by the log odds
    that its answer to this item is right rather than wrong, estimated from its share correct on the other items; a model at chance has no
    weight. The contrast tests whether the models that give the other answer are better than those that give the key, as a correlation
    transformed by Fisher's z. On a hard item that most models get wrong, the votes contradict the key but the better models support it; if
    the key is wrong, both contradict it.

    Args:
        codes: items by models; the number of each answer, `NO_ANSWER` if there is none.
        keys: the answer number of each item's key.
        options: number of possible answers to each item.

    Returns:
        `other` (`NO_ANSWER` if no model gives another answer), `for_other`, `for_key` (numbers of models), `evidence` (NaN if there is no
        other answer or fewer than three models).
    """
    least = 0.5 / max(len(right), 1)
    rest = np.clip(shares_of_rest(right), least, 1 - least)
    answered = (codes != NO_ANSWER) & ~np.isnan(rest)
    weights = np.where(answered, rest, 0.5)
    weights = np.maximum(np.log(weights / (1 - weights) * (np.maximum(options, 2)[:, np.newaxis] - 1)), 0) * answered
    other, most = np.full(len(codes), NO_ANSWER, np.int32), np.full(len(codes), -np.inf)
    for column in codes.T:
        votes = (weights * (codes == column[:, np.newaxis])).sum(axis=1)
        more = (column != NO_ANSWER) & (column != keys) & (votes > most + 1e-9)
        other, most = np.where(more, column, other), np.where(more, votes, most)
    for_key, for_other = codes == keys[:, np.newaxis], (codes == other[:, np.newaxis]) & answered
    contrast = np.where(answered, for_other.astype(float) - for_key, np.nan)
    sides = (weights * (for_other.astype(float) - for_key)).sum(axis=1)
    vote = sides / np.sqrt(np.maximum((weights**2).sum(axis=1), 1e-9))
    r = np.nan_to_num(row_correlations(contrast, rest))
    better = np.arctanh(np.clip(r, -0.999, 0.999)) * np.sqrt(np.maximum(answered.sum(axis=1) - 3, 0))
    known = (other != NO_ANSWER) & (answered.sum(axis=1) >= MIN_MODELS)
    evidence = np.where(known, (vote + better) / np.sqrt(2), np.nan)
    return pd.DataFrame(
        {"other": other, "for_other": for_other.sum(axis=1), "for_key": for_key.sum(axis=1), "contrast": r, "evidence": evidence}
    )


def letters_of_explanation(explanation: str | None, kind: str, options: Mapping[str, str], key: str) -> str | None:
    """Return the letters that an explanation gives as the answer, if they differ from the key."""
    named = set(_LETTERS.findall(explanation or ""))
    if kind not in ("mcqa", "mrqa") or named <= set(key):  # it mentions no other letter; skip parsing, which costs 60 µs
        return None
    from eval.answers.readers import READERS  # importing it compiles patterns for a third of a second

    letters = READERS[kind](explanation or "", options)
    return letters if letters != key else None
