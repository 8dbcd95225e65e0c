"""The toy site of `toy_crawl.py` and the fault server of `fault_crawl.py`, each run in a process of its own, as Scrapy wants it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="session")
def start_faults(root: Path) -> Callable[..., subprocess.Popen]:
    """Start a crawl of the fault server: folder, file for the result, flags of `fault_crawl.py`."""

    def start(folder: Path, result: Path, **flags: object) -> subprocess.Popen:
        command = [sys.executable, str(Path(__file__).with_name("fault_crawl.py")), str(folder), str(result), json.dumps(flags)]
        place = {name: value for name, value in os.environ.items() if not name.startswith("ATOMEXAM_")} | {"PYTHONPATH": str(root)}
        return subprocess.Popen(command, env=place, stderr=subprocess.PIPE, text=True)

    return start


@pytest.fixture
def crawl_faults(start_faults: Callable[..., subprocess.Popen], tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Run a crawl of the fault server to its end; return its result with `stderr`."""

    def crawl(folder: str = "pages", **flags: object) -> dict[str, Any]:
        result = tmp_path / f"{folder}.json"
        with start_faults(tmp_path / folder, result, **flags) as process:
            _, errors = process.communicate(timeout=90)
        assert process.returncode == 0, errors
        if flags.get("mode") == "replay":
            return {"read": [json.loads(line)["stem_raw"] for line in result.read_text("utf-8").splitlines()], "stderr": errors}
        return json.loads(result.read_text("utf-8")) | {"stderr": errors}

    return crawl
