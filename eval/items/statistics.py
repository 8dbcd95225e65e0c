"""Item statistics (classical test theory) from a matrix of items by models: for each item, for the test, and for the options.

`right` is the share of a model's replies to an item that are correct: 0 or 1 without repeats, NaN without a reply.
"""

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from eval.statistics.bootstrap import DIGITS, LEVEL, Figures

Matrix = npt.NDArray[np.float64]
NEEDED_MODELS = 19
"""With this many models or more, the 95 % interval of a correlation extends at most 0.5 to each side (Fisher's z: 1.96 / sqrt(19 - 3) =
0.49)."""
MIN_MODELS = 3
"""With fewer models, every correlation is 1, -1 or undefined."""
RELIABLE = 0.9
_Z = float(scipy.special.ndtri((1 + LEVEL) / 2))


def shares_of_rest(right: Matrix) -> Matrix:
    """Return, for each item and model, the model's share correct on all other items; NaN if it did not reply to the item."""
    others = np.sum(~np.isnan(right), axis=0) - 1
    return np.divide(np.nansum(right, axis=0) - right, others, out=np.full_like(right, np.nan), where=others > 0)


def row_correlations(a: Matrix, b: Matrix) -> npt.NDArray[np.float64]:
    """Return Pearson's r of corresponding rows over the columns in which neither is NaN; NaN if one of the rows is constant."""
    is_known = ~(np.isnan(a) | np.isnan(b))
    count = np.maximum(is_known.sum(axis=1, keepdims=True), 1)
    a, b = (np.where(is_known, each, 0.0) for each in (a, b))
    a, b = (np.where(is_known, each - each.sum(axis=1, keepdims=True) / count, 0.0) for each in (a, b))
    spread = np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b)
    constant = (np.abs(a).max(axis=1, initial=0) < 1e-9) | (np.abs(b).max(axis=1, initial=0) < 1e-9)
    return np.where(constant, np.nan, np.einsum("ij,ij->i", a, b) / np.sqrt(np.where(constant, 1.0, spread)))


def item_figures(right: Matrix) -> pd.DataFrame:
    """Return a row per item: number of models, share correct with its interval (Wilson, over models), and two correlations over models.

    `point_biserial` correlates with the share correct on all items, `item_rest` (corrected) on all other items. Both are NaN if there are
    fewer than three models or all models have the same share correct.
    """
    models = np.sum(~np.isnan(right), axis=1)
    share = np.divide(np.nansum(right, axis=1), models, out=np.full(len(right), np.nan), where=models > 0)
    of = np.maximum(models, 1)
    middle = (share + _Z**2 / (2 * of)) / (1 + _Z**2 / of)
    half_width = _Z / (1 + _Z**2 / of) * np.sqrt(share * (1 - share) / of + _Z**2 / (4 * of**2))
    whole = np.where(np.isnan(right), np.nan, model_shares(right))
    enough = models >= MIN_MODELS
    correlations = {"point_biserial": whole, "item_rest": shares_of_rest(right)}
    return pd.DataFrame(
        {"models": models, "right": share, "low": middle - half_width, "high": middle + half_width}
        | {name: np.where(enough, row_correlations(right, with_), np.nan) for name, with_ in correlations.items()}
    )


def rank_correlation(a: Matrix, b: Matrix) -> Figures:
    """Return Spearman's correlation of two columns over the rows in which neither is NaN, with its 95 % interval (D. Bonett and T. Wright,
    Psychometrika 65, 2000); None with fewer than four rows or a constant column."""
    is_known = ~(np.isnan(a) | np.isnan(b))
    ranks = [scipy.stats.rankdata(each[is_known]) for each in (a, b)]
    number, r = int(is_known.sum()), float(row_correlations(*(each[np.newaxis] for each in ranks))[0])
    if number < 4 or np.isnan(r):
        return {"items": number, "spearman": None, "interval": None}
    error = np.sqrt((1 + r**2 / 2) / (number - 3))
    at = np.arctanh(np.clip(r, -0.999999, 0.999999))
    bounds = [round(float(np.tanh(at + side * _Z * error)), DIGITS) for side in (-1, 1)]
    return {"items": number, "spearman": round(r, DIGITS), "interval": bounds}


def negative(table: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Return which items of a table made by `item_figures` correlate negatively with the rest, at a false discovery rate of at most 5 %.

    Uses one-sided t-tests, corrected for the number of items (Y. Benjamini and Y. Hochberg, 1995), and assumes independent models.
    """
    r, free = table.item_rest.clip(-0.999, 0.999).to_numpy(), table.models.to_numpy() - 2
    tested = ~np.isnan(r)
    significant = np.zeros(len(table), bool)
    p_values = scipy.special.stdtr(free[tested], r[tested] * np.sqrt(free[tested] / (1 - r[tested] ** 2)))
    significant[tested] = scipy.stats.false_discovery_control(p_values) <= 1 - LEVEL
    return significant


def model_shares(right: Matrix) -> npt.NDArray[np.float64]:
    """Return each model's share correct over the items that it replied to."""
    replied = np.sum(~np.isnan(right), axis=0)
    return np.divide(np.nansum(right, axis=0), replied, out=np.full(right.shape[1], np.nan), where=replied > 0)


def figures_of_test(right: Matrix) -> Figures:
    """Return the figures of a set of items treated as one test; they are not rounded, and are None where undefined.

    `alpha` is Cronbach's alpha (KR-20 if items are only right or wrong), computed over the items to which every model replied. `sem` is the
    standard error of measurement of a model's share correct. `same_replies` is the share of items, not counting those at floor or ceiling,
    that have the same results over models as another item: by chance if there are few models, because the items ask the same thing if there
    are many. A test of `items_needed` items has a reliability of 0.9 (Spearman-Brown).
    """
    share = np.divide(np.nansum(right, axis=1), np.sum(~np.isnan(right), axis=1)) if right.size else np.zeros(0)
    between = right[(share > 0) & (share < 1)]
    figures: Figures = {
        "items": len(right),
        "right": float(share.mean()) if len(share) else None,
        "floor": float((share == 0).mean()) if len(share) else None,
        "ceiling": float((share == 1).mean()) if len(share) else None,
        "same_replies": float(pd.DataFrame(between).duplicated(keep=False).sum() / len(right)) if len(right) else None,
    }
    complete = right[~np.isnan(right).any(axis=1)]
    items, models = complete.shape
    alpha = sem = needed = None
    if items > 1 and models >= MIN_MODELS and (total := float(complete.sum(axis=0).var(ddof=1))) > 1e-12:
        alpha = items / (items - 1) * (1 - float(complete.var(axis=1, ddof=1).sum()) / total)
        sem = float(np.sqrt(total * max(1 - alpha, 0))) / items
        needed = int(np.ceil(items * RELIABLE * (1 - alpha) / (alpha * (1 - RELIABLE)))) if alpha > 0 else None
    return figures | {"alpha": alpha, "sem": sem, "items_needed": needed}


def halves(right: Matrix) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the columns of the weaker and of the stronger half of the models; if their number is odd, the middle one is in neither
    half."""
    order = np.argsort(model_shares(right), kind="stable")
    half = len(order) // 2
    return order[:half], order[len(order) - half :]


def option_use(chosen: npt.NDArray[np.uint16], answered: npt.NDArray[np.bool_], options: int) -> Matrix:
    """Return, for each item and option, the share of answering models that choose the option; NaN if no model answers.

    Args:
        chosen: items by models; bit n is set if option n is chosen.
        answered: items by models.
    """
    models = answered.sum(axis=1, keepdims=True)
    picks = np.stack([((chosen >> option) & 1 & answered).sum(axis=1) for option in range(options)], axis=1)
    return np.divide(picks, models, out=np.full(picks.shape, np.nan), where=models > 0)
