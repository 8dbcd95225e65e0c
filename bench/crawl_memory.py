"""How the memory of a crawl grows with its site: peak of the process that crawls and merges, one request at a time.

    python bench/crawl_memory.py --pages 5000 20000 50000

Each crawl is a process of its own, the generated site of bench/crawl.py in yet another.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.crawl import measured, served


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="+", default=[5000, 20_000, 50_000])
    print("| pages | peak MB | s a 1,000 pages | CPU s a 1,000 pages |\n|---|---|---|---|")
    for pages in parser.parse_args().pages:
        with tempfile.TemporaryDirectory() as place, served(pages) as url:
            found = measured("our crawl, 1 at a time", Path(place), url)
        print(f"| {pages:,} | {found['mb']:.0f} | {found['s'] / pages * 1000:.2f} | {found['cpu'] / pages * 1000:.2f} |", flush=True)


if __name__ == "__main__":
    main()
