"""Seconds of the figures of one run of SdAK's size, of a comparison of two, and of plain drawing beside them; coverage of the intervals.

python bench/figures.py --pairs 14048 --repeats 2 --coverage 500
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from scipy import stats

from atomexam.records.prediction import Score
from eval.score.grid import read_scores
from eval.score.metrics import claim_figures
from eval.statistics.intervals import difference, rate_interval
from eval.statistics.pairing import METRICS, paired, tally
from eval.tasks.request import Request

T = TypeVar("T")
_SIDES = {"factual": "正确", "non_factual": "错误"}
_TYPES, _HEAD_SIZE = 17, 9
_CASES = [(300, 0.5, 5), (300, 0.8, 1), (80, 0.6, 6), (20, 0.5, 30), (40, 0.9, 5), (60, 0.97, 4)]
_PAIRED_CASES = [(20, 0.3, 0.2), (34, 0.1, 0.02), (34, 0.03, 0.03), (144, 0.15, 0.1), (144, 0.02, 0.01), (521, 0.005, 0.005)]


def timed(name: str, do: Callable[[], T]) -> T:
    """Return what a function returns, and print its CPU seconds."""
    start = time.process_time()
    found = do()
    print(f"{name}: {time.process_time() - start:.2f} s CPU")
    return found


def requests(pairs: int) -> list[Request]:
    """Return the requests of claim pairs."""
    return [
        Request(
            item_id=f"c{number:06}/{side}", messages=[], question_type="claim", options=[], answer=answer, answer_format="{answer}",
            solution=None, pool="p", related_ids=frozenset(), reader="claim", unit=f"c{number:06}",
            facets={"side": side, "atomic_type": f"type-{number % _TYPES:02}", "head": f"head-{number // _HEAD_SIZE}"},
        )
        for number in range(pairs)
        for side, answer in _SIDES.items()
    ]  # fmt: skip


def scores(asked: list[Request], repeats: int, share: float, seed: int) -> list[Score]:
    """Return scores of a model that is right with a chance of its own for each pair."""
    random = np.random.default_rng(seed)
    chance = np.repeat(random.beta(3 * share, 3 * (1 - share), len(asked) // 2), 2)
    right = random.random((repeats, len(asked))) < chance
    return [
        Score(item_id=one.item_id, repeat=repeat, outcome="answered", answer="正确", correct=bool(right[repeat, at]))
        for at, one in enumerate(asked)
        for repeat in range(repeats)
    ]


def drawn_one_by_one(given: list[Score], draws: int = 2000) -> tuple[float, float]:
    """Return the percentile interval of pair accuracy, each draw made of single pairs: what the figures do without."""
    tallies = tally(given, METRICS["accuracy"]).values()
    marks, repeats = np.array([one.marks for one in tallies]), next(iter(tallies)).repeats
    random = np.random.default_rng(1)
    means = [marks[random.integers(0, len(marks), len(marks))].mean() / repeats for _ in range(draws)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def coverage(clusters: int, share: float, size: int, runs: int) -> tuple[float, float]:
    """Return how often our interval and the percentile interval hold the true rate; each cluster has a rate of its own."""
    random = np.random.default_rng(11)
    hits = np.zeros(2)
    for _ in range(runs):
        counts = random.integers(1, size + 1, clusters)
        sums = random.binomial(counts, random.beta(3 * share, 3 * (1 - share), clusters))
        picked = random.integers(0, clusters, (1000, clusters))
        plain = np.quantile(sums[picked].sum(axis=1) / counts[picked].sum(axis=1), [0.025, 0.975])
        for place, (low, high) in enumerate((rate_interval(sums, counts, "accuracy", draws=2000), plain)):
            hits[place] += low <= share <= high
    return tuple(hits / runs)


def paired_coverage(questions: int, better: float, worse: float, runs: int) -> float:
    """Return how often the interval of two runs' difference holds the true one; each question is better, worse or alike by chance."""
    random = np.random.default_rng(12)
    hits = 0
    for _ in range(runs):
        more = random.choice([1, -1, 0], questions, p=[better, worse, 1 - better - worse])
        found = difference(more, np.ones(questions, np.int64), "difference", draws=2000).interval
        hits += found is not None and found[0] <= better - worse <= found[1]
    return hits / runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=14_048)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--coverage", type=int, default=0, metavar="RUNS", help="simulated runs a case; 0: none")
    args = parser.parse_args()
    asked = requests(args.pairs)
    one, other = (scores(asked, args.repeats, share, seed) for seed, share in enumerate((0.7, 0.68)))
    print(f"{len(asked):,} claims, {args.repeats} repeats")
    figures = timed("all figures, 10,000 draws each", lambda: claim_figures(read_scores(one, asked)))
    plain = timed("one figure, 2,000 draws of single pairs", lambda: drawn_one_by_one(one))
    print(f"  accuracy {figures['accuracy']} in {figures['accuracy_interval']}; of single pairs {plain[0]:.4f} … {plain[1]:.4f}")
    tallies = [tally(rows, METRICS["accuracy"]) for rows in (one, other)]
    found = timed("one comparison, 100,000 draws", lambda: paired(tallies[0], tallies[1], {}, "one/other"))
    gaps = np.array([float(tallies[0][key].share - tallies[1][key].share) for key in tallies[0]])
    student = stats.ttest_1samp(gaps, 0).pvalue
    print(f"  difference {found['difference']} in {found['interval']}, p = {found['bootstrap_p']}; t test {student:.3g}")
    for clusters, share, size in _CASES if args.coverage else ():
        ours, quantiles = coverage(clusters, share, size, args.coverage)
        print(f"{clusters} clusters of 1 to {size}, rate {share}: held by {100 * ours:.1f} %, quantiles alone {100 * quantiles:.1f} %")
    for questions, better, worse in _PAIRED_CASES if args.coverage else ():
        held = paired_coverage(questions, better, worse, args.coverage)
        print(f"{questions} questions, {better} better, {worse} worse: difference held by {100 * held:.1f} %")


if __name__ == "__main__":
    main()
