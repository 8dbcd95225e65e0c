"""Compare the near-duplicate join with installed MinHash engines: CPU time, memory, recall and precision.

    python bench/near_duplicates.py --count 30000 --rounds 3
    python bench/near_duplicates.py --count 20000 --chars 5000 --only join "rensa, verified"

Each engine runs in a separate process on one core, with interleaved rounds, on questions from a seeded generator, a third of which are
edited copies of others. `pip install rensa gaoya` in a separate environment adds those two.
"""

import argparse
import importlib.util
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from atomexam.text.ngrams import jaccard, ngrams

sys.path.insert(0, str(Path(__file__).parent.parent))


NGRAM_CHARS, THRESHOLD = 3, 0.8
PERMUTATIONS, BANDS = 128, 16
COPIES = 1 / 3
CHARS = 100
Found = list[tuple[int, int]]


def build(count: int, chars: int = CHARS, seed: int = 1) -> list[str]:
    """Return texts of about this many characters: words of one to four characters, unevenly distributed as in real questions.

    The number of edits is proportional to the length.
    """
    times = max(chars // CHARS, 1)
    draw = random.Random(f"{seed}/questions")
    characters = [chr(0x4E00 + int(draw.paretovariate(0.6)) % 6000) for _ in range(50_000)]
    words = ["".join(draw.choices(characters, k=draw.choice([1, 2, 2, 2, 3, 4]))) for _ in range(20_000)]
    texts: list[str] = []
    for _ in range(count):
        if texts and draw.random() < COPIES:
            text = list(draw.choice(texts))
            for _ in range(draw.randrange(5 * times)):
                text[draw.randrange(len(text))] = draw.choice(words)
            texts.append("".join(text))
        else:
            texts.append("".join(words[int(len(words) * draw.random() ** 2)] for _ in range(draw.randrange(25 * times, 65 * times))))
    return texts


def join(texts: list[str]) -> Found:
    from curation.near_duplicates.near_pairs import near_pairs

    pairs = near_pairs(texts, NGRAM_CHARS, THRESHOLD)
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))


def verified(texts: list[str], candidates: Found) -> Found:
    """Return the candidates that are pairs by exact similarity; each n-gram set is built once."""
    sets: dict[int, frozenset[str]] = {}
    for place in {place for pair in candidates for place in pair}:
        sets[place] = ngrams(texts[place], NGRAM_CHARS)
    return [(a, b) for a, b in candidates if jaccard(sets[a], sets[b]) >= THRESHOLD]


def rensa(texts: list[str]) -> Found:
    """MinHash by rensa: candidates of its index, filtered by its estimate."""
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(THRESHOLD, PERMUTATIONS, BANDS)
    sketches: list[RMinHash] = []
    found: Found = []
    for place, text in enumerate(texts):
        sketch = RMinHash(PERMUTATIONS, 1)
        sketch.update([text[i : i + NGRAM_CHARS] for i in range(len(text) - NGRAM_CHARS + 1)])
        found += [(other, place) for other in index.query(sketch) if sketch.jaccard(sketches[other]) >= THRESHOLD]
        index.insert(place, sketch)
        sketches.append(sketch)
    return found


def rensa_verified(texts: list[str]) -> Found:
    """MinHash by rensa: candidates of its index, filtered by exact similarity."""
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(THRESHOLD, PERMUTATIONS, BANDS)
    candidates = []
    for place, text in enumerate(texts):
        sketch = RMinHash(PERMUTATIONS, 1)
        sketch.update([text[i : i + NGRAM_CHARS] for i in range(len(text) - NGRAM_CHARS + 1)])
        candidates += [(other, place) for other in index.query(sketch)]
        index.insert(place, sketch)
    return verified(texts, candidates)


def gaoya_verified(texts: list[str]) -> Found:
    return verified(texts, gaoya(texts))


def gaoya(texts: list[str]) -> Found:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(32, THRESHOLD, BANDS, PERMUTATIONS // BANDS, PERMUTATIONS, "char", False, (NGRAM_CHARS, NGRAM_CHARS))
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    return [(place, other) for place, others in enumerate(index.par_bulk_query(texts)) for other in others if place < other]


ENGINES = {"join": join, "rensa": rensa, "rensa, verified": rensa_verified, "gaoya": gaoya, "gaoya, verified": gaoya_verified}


def run(engine: str, count: int, chars: int, out: Path) -> None:
    """Measure one engine in this process, without compilation and imports, whose time is constant."""
    texts = build(count, chars)
    ENGINES[engine](texts[:50])
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    found = ENGINES[engine](texts)
    seconds, after = time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    out.write_text(json.dumps({"cpu_s": seconds, "mb": (after - before) / 1024, "pairs": found}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30_000)
    parser.add_argument("--chars", type=int, default=CHARS, help="length of the texts, about; at least and by default 100")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=ENGINES, nargs="+", help="these engines alone, of which one is the join")
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.engine:
        return run(args.engine, args.count, args.chars, args.out)
    there = [engine for engine in ENGINES if engine == "join" or importlib.util.find_spec(engine.split(",")[0])]
    print(f"not installed: {'; '.join(sorted(set(ENGINES) - set(there))) or 'none'}")
    engines = [engine for engine in there if not args.only or engine in args.only]
    if "join" not in engines:
        parser.error(f"--only {' '.join(args.only)}: expected `join` among them, whose pairs are the truth")
    runs: dict[str, list[dict]] = {engine: [] for engine in engines}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.rounds):
            for engine in engines:
                out = Path(folder) / f"{engine}.json"
                command = [sys.executable, __file__, "--engine", engine, "--count", str(args.count), "--chars", str(args.chars)]
                subprocess.run(
                    [*command, "--out", str(out)], check=True, env=os.environ | {"RAYON_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
                )
                runs[engine].append(json.loads(out.read_text()))
    print(table(runs))


def table(runs: dict[str, list[dict]]) -> str:
    """Return the medians as Markdown. The join is exact (tested in test_near_pairs.py), so its pairs are the truth."""
    truth = {tuple(pair) for pair in runs["join"][0]["pairs"]}
    ours = statistics.median(one["cpu_s"] for one in runs["join"])
    lines = ["| engine | CPU s, median (all) | CPU, times ours | MB over the texts | recall | precision |", "|---|---|---|---|---|---|"]
    for engine, measured in runs.items():
        found = {tuple(pair) for pair in measured[0]["pairs"]}
        seconds = [one["cpu_s"] for one in measured]
        middle, memory = statistics.median(seconds), statistics.median(one["mb"] for one in measured)
        recall, precision = len(found & truth) / max(len(truth), 1), len(found & truth) / max(len(found), 1)
        every = " ".join(f"{one:.2f}" for one in seconds)
        lines.append(f"| {engine} | {middle:.2f} ({every}) | {middle / ours:.1f} | {memory:.0f} | {recall:.4f} | {precision:.4f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
