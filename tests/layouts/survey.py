"""Counts of what becomes of drawn papers, with examples of the faults: python -m tests.layouts.survey FORMAT CASES [WHY]."""

import sys
from collections import Counter, defaultdict
from random import Random

from tests.layouts.cases import FORMATS


def main(format_name: str, cases: int, why: str = "", start: int = 0) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    shares: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    shown = 0
    for seed in range(start, start + cases):
        case = FORMATS[format_name](Random(seed))
        try:
            outcomes = case.outcomes()
        except Exception as error:
            outcomes = []
            counts["ERROR", repr(error)[:80]] += 1
        faults = [one for one in outcomes if one.what == "silent"]
        for one in outcomes:
            counts[one.what, one.why if one.what != "equal" else ""] += 1
            for name, value in case.features.items():
                shares[name, str(value)][one.what] += 1
        if why and shown < 5 and any(one.why == why for one in faults):
            shown += 1
            print(f"===== seed {seed} {case.features}\n{case.write()[1]}\n-----")
            print("\n".join(str(one) for one in outcomes))
    total = sum(counts.values())
    for (what, reason), count in counts.most_common():
        print(f"{count:7d} {100 * count / total:6.2f} %  {what} {reason}")
    by_what: Counter[str] = Counter()
    for (what, _), count in counts.items():
        by_what[what] += count
    print({what: f"{100 * count / total:.2f} %" for what, count in sorted(by_what.items())})
    rows = [(count["silent"] / sum(count.values()), count["silent"], name) for name, count in shares.items()]
    for share, count, name in sorted(rows, reverse=True)[:25]:
        print(f"{100 * share:6.2f} % {count:5d} {name}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:4], *(int(word) for word in sys.argv[4:5]))
