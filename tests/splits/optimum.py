"""A fair deal, computed by another method."""

import scipy


def leximin(budget: int, caps: list[float]) -> list[float]:
    """Max-min optimum by linear programs: raise the smallest share as far as possible, fix the full ones, repeat."""
    fixed: dict[int, float] = {}
    while len(fixed) < len(caps):
        free = [i for i in range(len(caps)) if i not in fixed]
        # variables: one share for each free key, and the smallest share t; maximize t with t <= share <= cap, sum <= remaining budget
        least = [[-(i == j) for j in free] + [1] for i in free]
        total = [[1] * len(free) + [0]]
        bounds = [(0, caps[i]) for i in free] + [(0, None)]
        found = scipy.optimize.linprog(
            [0] * len(free) + [-1], least + total, [0] * len(free) + [budget - sum(fixed.values())], bounds=bounds
        )
        share = found.x[-1]
        full = [i for i in free if caps[i] <= share + 1e-7]
        fixed |= {i: caps[i] for i in full} or dict.fromkeys(free, share)
    return [fixed[i] for i in range(len(caps))]
