"""Compare the engines `local` and `ray` for the stages `clean` and `near_duplicates`: seconds, memory, and equality of the output.

    python bench/engine.py --counts 30000 300000
    python bench/engine.py --counts 1000000 --engines local ray --nodes 2         ray on two nodes of this machine, one CPU each

The questions are those of bench/clean.py, a third of them edited copies of others, which near_duplicates must compare. Each stage runs
in a separate process; without RAY_ADDRESS it starts a cluster, whose start is included in the figures.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench import clean as questions

ROOT = Path(__file__).parent.parent
COPIES = 1 / 3
RECENT = 50_000
PARAMS = """sources: {bench: {}}
clean: {min_stem_chars: 2, min_chinese_share: 0.3}
near_duplicates: {ngram_chars: 3, threshold: 0.8, case_threshold: 0.65}
engine: local
"""
STAGES = {"clean": ("clean", []), "near_duplicates": ("unique", ["--decisions", str(ROOT / "curation/decisions.jsonl")])}


def build(count: int, seed: int = 1) -> Iterator[dict]:
    """Yield raw question items, a third of them edited copies of earlier ones."""
    draw = random.Random(f"{seed}/engine")
    own: list[dict] = []
    fresh = questions.build(count, seed)
    for number in range(count):
        item = next(fresh)
        if own and draw.random() < COPIES:
            item = _copy(draw.choice(own), draw) | {key: item[key] for key in ("url", "provenance")}
        else:
            own.append(item)
            del own[:-RECENT]
        yield item | {"provenance": item["provenance"] | {"position": f"q{number % 100 + 1}"}}


def _copy(item: dict, draw: random.Random) -> dict:
    stem, chance = item["stem_raw"], draw.random()
    options = list(item["options_raw"])
    if chance < 0.4:
        return dict(item)
    if chance < 0.6:
        return item | {"stem_raw": stem.replace("的", "", 1)}
    if chance < 0.8:
        return item | {"stem_raw": stem.replace(draw.choice(questions.THINGS), draw.choice(questions.THINGS), 1)}
    place = draw.randrange(len(options))
    options[place] = options[place] + draw.choice(("等", "。", "过程"))
    return item | {"options_raw": options}


class Taken:
    """Wall time and peak memory of a process and its children; shared memory counts once."""

    def __init__(self, command: list[str], folder: Path) -> None:
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder)
        self.driver_mb = self.all_mb = 0.0
        watch = threading.Thread(target=self._watch, args=(process,))
        watch.start()
        if process.wait():
            sys.exit(f"{' '.join(command)} failed")
        self.seconds = time.perf_counter() - started
        watch.join()

    def _watch(self, process: subprocess.Popen) -> None:
        while process.poll() is None:
            try:
                own = psutil.Process(process.pid)
                self.driver_mb = max(self.driver_mb, own.memory_info().rss / 1e6)
                self.all_mb = max(self.all_mb, sum(map(_pss, [own, *own.children(recursive=True)])) / 1e6)
            except psutil.Error:
                pass  # it has ended
            time.sleep(1)


def _pss(process: psutil.Process) -> int:
    try:
        return process.memory_full_info().pss
    except psutil.Error:
        return 0


def _outputs(*places: Path) -> str:
    paths = [path for place in places for path in (sorted(place.iterdir()) if place.is_dir() else [place])]
    return hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in paths)).hexdigest()[:12]


def start_nodes(number: int) -> str:
    """Start nodes on this machine, which end with this process and run this checkout's code; return their address."""
    os.environ |= {"PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"}
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(number - 1):
        nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    return nodes.address


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="+", default=[30_000, 300_000])
    parser.add_argument("--engines", nargs="+", default=["local", "ray"])
    parser.add_argument("--nodes", type=int, default=0, help="start so many nodes of one CPU each for ray; 0: what RAY_ADDRESS says")
    args = parser.parse_args()
    if args.nodes:
        os.environ["RAY_ADDRESS"] = start_nodes(args.nodes)
    print("| questions | stage | engine | wall s | MB, driver | MB, all | outputs |\n|---:|---|---|---:|---:|---:|---|", flush=True)
    for count in args.counts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "params.yaml").write_text(PARAMS)
            (folder / "data/items").mkdir(parents=True)
            with open(folder / "data/items/bench.jsonl", "w", encoding="utf-8") as items:
                items.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in build(count))
            for engine in args.engines:
                for stage, (out, flags) in STAGES.items():
                    taken = Taken([sys.executable, "-m", f"curation.{stage}", "--engine", engine, *flags], folder)
                    same = _outputs(folder / "data" / out, folder / f"metrics/{stage}.json")
                    figures = f"{taken.seconds:.1f} | {taken.driver_mb:,.0f} | {taken.all_mb:,.0f}"
                    print(f"| {count:,} | `{stage}` | `{engine}` | {figures} | {same} |", flush=True)


if __name__ == "__main__":
    main()
