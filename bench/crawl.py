"""Compare crawl and replay with plain Scrapy and the same parsing, and measure replays of several sizes: pages per second, CPU, memory.

    python bench/crawl.py --pages 1000 --rounds 5
    python bench/crawl.py --pages 0 --sizes 3000 30000 --workers 1 2        only the replay; 300000 takes an hour on two cores

Each run is a separate process (Scrapy's reactor starts only once); the runs of a round are sequential, and another process serves the
site. Plain Scrapy replays from its own HTTP cache and writes items unsorted; ours are sorted.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

SNAPSHOT = "2026-11-20"
RUNS = ["plain crawl", "our crawl", "plain crawl, 1 at a time", "our crawl, 1 at a time", "plain, from its cache", "our replay"]
PEERS = {
    "our crawl": "plain crawl",
    "our crawl, 1 at a time": "plain crawl, 1 at a time",
    "our replay": "plain, from its cache",
}
PLAIN = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False}


def plain(folder: Path, url: str, settings: dict[str, Any]) -> None:
    from scrapy.crawler import AsyncCrawlerProcess

    from bench.generated_site import Plain

    process = AsyncCrawlerProcess(PLAIN | settings)
    process.crawl(process.create_crawler(Plain), start_urls=[f"{url}/"])
    process.start()


def ours(folder: Path, url: str, at_once: int) -> None:
    from bench import generated_site  # noqa: F401
    from bench.generated_site import Ours
    from crawlers.web import settings
    from crawlers.web.archive import finish_crawl
    from crawlers.web.run_spider import run_spider

    store = {"ARCHIVE_FOLDER": str(folder / "pages"), "ARCHIVE_SNAPSHOT": SNAPSHOT, "ARCHIVE_ORIGIN": "embedded bench", "MAX_PAGES": 0}
    (folder / "pages").mkdir()
    run_spider(Ours, settings.embedded(url) | store | {"CONCURRENT_REQUESTS": at_once}, snapshot=SNAPSHOT)
    finish_crawl(folder / "pages", SNAPSHOT, "embedded bench")


def cache(folder: Path) -> dict[str, Any]:
    feed = {str(folder / "items.jsonl"): {"format": "jsonlines", "overwrite": True}}
    return {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(folder / "cache"), "FEEDS": feed}


def replay(pages: Path, out: Path, workers: int) -> None:
    from atomexam.records.params import ExtractFlags
    from bench.generated_site import Ours
    from crawlers.extract import replay

    replay(Ours, ExtractFlags(snapshot=SNAPSHOT, max_pages=0), pages, 0.0, out, workers=workers)


def load_components() -> None:
    """Import the modules that each run imports at its start, which takes the same time for any number of pages."""
    from scrapy.settings import Settings, default_settings
    from scrapy.utils.misc import load_object

    from bench import generated_site  # noqa: F401
    from crawlers.web import settings

    bases = [value for name, value in vars(default_settings).items() if name.endswith("_BASE")]
    for components in [settings.DOWNLOADER_MIDDLEWARES, *bases]:
        for component in [*components, *components.values()]:
            if isinstance(component, str) and component.count(".") > 1:
                load_object(component)
    for name in ("DOWNLOADER", "SCHEDULER", "STATS_CLASS", "ITEM_PROCESSOR", "HTTPCACHE_STORAGE", "HTTPCACHE_POLICY", "DUPEFILTER_CLASS"):
        load_object(Settings().get(name))


def run(name: str, folder: Path, url: str, count: int) -> None:
    """Measure one run in this process."""
    load_components()
    do: dict[str, Callable[[], None]] = {
        "plain crawl": lambda: plain(folder, url, {}),
        "our crawl": lambda: ours(folder, url, 16),
        "plain crawl, 1 at a time": lambda: plain(folder, url, {"CONCURRENT_REQUESTS": 1}),
        "our crawl, 1 at a time": lambda: ours(folder, url, 1),
        "fill cache": lambda: plain(folder, url, cache(folder)),
        "plain, from its cache": lambda: plain(folder, url, cache(folder) | {"HTTPCACHE_IGNORE_MISSING": True}),
        "our replay": lambda: replay(folder / "pages", folder / "items.jsonl", count),
    }
    started, before = time.perf_counter(), time.process_time()
    do[name]()
    seconds, cpu = time.perf_counter() - started, time.process_time() - before
    own, workers = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu += workers.ru_utime + workers.ru_stime
    print(json.dumps({"s": seconds, "cpu": cpu, "mb": own.ru_maxrss / 1024, "worker_mb": workers.ru_maxrss / 1024}))


def measured(name: str, folder: Path, url: str = "", workers: int = 1) -> dict[str, float]:
    command = [sys.executable, __file__, "--run", name, "--folder", str(folder), "--url", url, "--workers", str(workers)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def served(pages: int) -> Iterator[str]:
    command = [sys.executable, str(Path(__file__).with_name("generated_site.py")), str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()  # otherwise a failed run would wait forever for this process


def compare(pages: int, rounds: int) -> str:
    """Return the table of the runs, each next to its counterpart."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in RUNS}
    with tempfile.TemporaryDirectory() as place, served(pages) as url:
        for number in range(rounds):
            folder = Path(place) / str(number)
            folder.mkdir()
            for name in RUNS:
                if name == "our crawl, 1 at a time":
                    (folder / "pages").rename(folder / "first")
                if name == "plain, from its cache":
                    measured("fill cache", folder, url)
                runs[name].append(measured(name, folder, url))
    every = pages + -(-pages // 100) + 1
    lines = ["| run | pages/s, median (all) | CPU ms a page | times its peer's pages/s | CPU, times its peer's |", "|---|---|---|---|---|"]
    for name, found in runs.items():
        rates, cpu = [every / one["s"] for one in found], statistics.median(one["cpu"] for one in found)
        row = f"| {name} | {statistics.median(rates):.0f} ({' '.join(f'{rate:.0f}' for rate in rates)}) | {cpu / every * 1000:.2f} |"
        if peer := PEERS.get(name):
            ratios = [theirs["s"] / mine["s"] for theirs, mine in zip(runs[peer], found, strict=True)]
            cpus = [mine["cpu"] / theirs["cpu"] for theirs, mine in zip(runs[peer], found, strict=True)]
            row += f" {statistics.median(ratios):.2f} | {statistics.median(cpus):.2f} |"
        lines.append(row if PEERS.get(name) else f"{row} | |")
    return "\n".join(lines)


def grow(sizes: list[int], workers: list[int], rounds: int, questions: int) -> str:
    """Return the table of replays of sites of several sizes."""
    from bench import generated_site

    lines = [
        "| pages | workers | s a 1,000 pages, median (all) | CPU s a 1,000 pages | parent MB | worker MB |",
        "|---|---|---|---|---|---|",
    ]
    for size in sizes:
        with tempfile.TemporaryDirectory() as place:
            generated_site.store(Path(place) / "pages", SNAPSHOT, size, questions)
            found: dict[int, list[dict[str, float]]] = {count: [] for count in workers}
            for _ in range(rounds):
                for count in workers:
                    found[count].append(measured("our replay", Path(place), workers=count))
        for count, runs in found.items():
            seconds, cpu = ([one[kind] / size * 1000 for one in runs] for kind in ("s", "cpu"))
            middle = f"{statistics.median(seconds):.2f} ({' '.join(f'{one:.2f}' for one in seconds)}) | {statistics.median(cpu):.2f}"
            memory = f"{max(one['mb'] for one in runs):.0f} | {max(one['worker_mb'] for one in runs):.0f}"
            lines.append(f"| {size:,} | {count} | {middle} | {memory} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000, help="of the site for the comparison; 0 leaves it out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="*", default=[], help="of the sites for replay alone")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--questions", type=int, default=10, help="of a page of those sites: 10 make 18 kB, 1 makes 6 kB")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        return run(args.run, args.folder, args.url, args.workers[0])
    if args.pages:
        print(compare(args.pages, args.rounds), end="\n\n")
    if args.sizes:
        print(grow(args.sizes, args.workers, args.rounds, args.questions))


if __name__ == "__main__":
    main()
