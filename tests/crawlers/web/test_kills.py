"""A long crawl killed eight times at random moments ends as if nothing had been."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest

PAGES, KILLS, SEED = 400, 8, 7
SITE = {"pages": PAGES, "per_list": 100}


def wait_for(process: Popen, asked: Path, lines: int) -> None:
    """Wait until the server was asked so many times, or the crawl ended."""
    with open(asked, "rb") as file:
        count = 0
        while process.poll() is None and count < lines:
            count += file.read().count(b"\n")
            time.sleep(0.002)


@pytest.mark.slow
def test_each_kill_loses_at_most_one_page(tmp_path: Path, start_toy: Callable[..., Popen]) -> None:
    def run(mode: str, folder: Path, **flags: object) -> tuple[int, str]:
        with start_toy(mode, folder, **flags) as process:
            _, errors = process.communicate(timeout=600)
        return process.returncode, errors

    whole, killed, asked = tmp_path / "whole" / "toy", tmp_path / "killed" / "toy", tmp_path / "asked"
    asked.touch()
    draw = random.Random(SEED)
    # Most kills fall while pages are fetched; every fourth soon after the start, while stored pages are read again.
    moments = sorted(draw.randrange(PAGES * 97 // 100) for _ in range(KILLS))
    in_flight = []
    for number, lines in enumerate(moments):
        with start_toy("crawl", killed, asked=asked, **SITE) as process:
            if number % 4 == 3:
                time.sleep(draw.uniform(0.2, 1.5))
            else:
                wait_for(process, asked, lines)
                time.sleep(draw.uniform(0, 0.01))
            assert process.poll() is None, "the crawl ended before it was killed"
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        in_flight.append((asked.read_text().splitlines() or [""])[-1])
    assert run("crawl", killed, asked=asked, **SITE) == (0, "")
    assert run("crawl", whole, **SITE) == (0, "")

    assert {path.name: path.read_bytes() for path in killed.iterdir()} == {path.name: path.read_bytes() for path in whole.iterdir()}
    for folder in (killed, whole):
        assert run("extract", folder, pages=PAGES) == (0, "")
    assert (killed.parent / "items.jsonl").read_bytes() == (whole.parent / "items.jsonl").read_bytes()
    times = Counter(asked.read_text().splitlines())
    again = times - Counter(dict.fromkeys(times, 1))
    assert len(times) == PAGES + PAGES // 100 + 1  # pages, lists (the start page is the first), robots.txt
    assert again - Counter(in_flight) == Counter(), "a page was fetched again that was not on its way when a kill came"
