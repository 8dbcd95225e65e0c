"""The toy site of `toy_crawl.py`, each run in a process of its own, as Scrapy wants it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def start_toy(root: Path) -> Callable[..., subprocess.Popen]:
    """Start a run of the toy: mode, folder, flags."""

    def start(mode: str, folder: Path, **flags: object) -> subprocess.Popen:
        command = [sys.executable, str(Path(__file__).with_name("toy_crawl.py")), mode, str(folder)]
        command += [f"{name}={value}" for name, value in flags.items()]
        place = os.environ | {"PYTHONPATH": str(root)}
        return subprocess.Popen(command, env=place, stderr=subprocess.PIPE, text=True)

    return start


@pytest.fixture(scope="session")
def run_toy(start_toy: Callable[..., subprocess.Popen]) -> Callable[..., tuple[int, str]]:
    """Run the toy to its end; return exit status and stderr."""

    def run(mode: str, folder: Path, **flags: object) -> tuple[int, str]:
        with start_toy(mode, folder, **flags) as process:
            _, errors = process.communicate(timeout=60)
        return process.returncode, errors

    return run
