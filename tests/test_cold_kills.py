"""A build from nothing that is killed anywhere is whole after the next `make repro`. `KILLS=40` kills as many times; fewer by default."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("KILLS", "4"))
ROOT = Path(__file__).parents[1]
REPRO = "from scripts import dvc_progress, recover; recover.main(); sys.exit(dvc_progress.main(['--wait-for-lock', 'repro']))"
PLAIN = "from dvc.cli import main; sys.exit(main(['repro', '-q']))"
TORN = """
from dvc.utils.serialize import _yaml
import io, os, signal
writes, dump = [], _yaml._dump
def torn(data, stream):
    writes.append(1)
    if len(writes) < {at}:
        return dump(data, stream)
    whole = io.StringIO()
    dump(data, whole)
    stream.write(whole.getvalue()[: int(len(whole.getvalue()) * {share})])
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
_yaml._dump = torn
"""
STAGE = """
import sys, time
from pathlib import Path
from atomexam.runtime.jsonl import folder_lock, replacing
out, before = Path(sys.argv[1]), sys.argv[2:]
with folder_lock(out.parent / "work"), replacing(out) as part, part.open("w") as lines:
    for number in range(20):
        lines.write("".join(Path(one).read_text()[:9] for one in before) + f"{out.name} {number}\\n")
        time.sleep(0.02)
"""


def start(project: Path, code: str) -> subprocess.Popen:
    """Start Python code. What it prints is in a file beside the project, since an orphan would hold a pipe open."""
    words = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"]
    place = os.environ | {"PYTHONPATH": str(ROOT), "DVC_NO_ANALYTICS": "1"}
    with open(log_of(project), "w") as log:
        return subprocess.Popen(words, cwd=project, env=place, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def log_of(project: Path) -> Path:
    return project.with_suffix(".log")


def kill(project: Path, code: str, way: str, seconds: float) -> None:
    """Kill a cold run after so many seconds, or another in half the time if it has ended before."""
    forget(project)
    run = start(project, code)
    time.sleep(seconds)
    (os.killpg if way == "group" else os.kill)(run.pid, signal.SIGKILL)
    if run.wait() != -signal.SIGKILL:
        kill(project, code, way, seconds / 2)


class Template(NamedTuple):
    """A project, what a cold build leaves in it, and how long that takes."""

    project: Path
    whole: dict[str, bytes]
    seconds: float


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """A pipeline of three stages whose last commit knows the first two, as after a change."""
    project = tmp_path_factory.mktemp("kills")
    for command in (["git", "init", "-q"], [sys.executable, "-m", "dvc", "init", "-q"]):
        subprocess.run(command, cwd=project, check=True)
    (project / "stage.py").write_text(STAGE)
    run = f"{sys.executable} stage.py"
    stages = {
        "a": {"cmd": f"{run} a", "deps": ["stage.py"], "outs": ["a"]},
        "b": {"cmd": f"{run} b a", "deps": ["a"], "outs": ["b"]},
        "c": {"cmd": f"{run} c b", "deps": ["b"], "outs": ["c"]},
    }
    two = {name: stages[name] for name in "ab"}
    (project / "dvc.yaml").write_text(json.dumps({"stages": two}))
    assert start(project, REPRO).wait() == 0
    (project / "dvc.yaml").write_text(json.dumps({"stages": stages}))
    git = "git add -A && git -c user.name=t -c user.email=t@example.org commit -qm x"
    subprocess.run(git, shell=True, cwd=project, check=True)
    forget(project)
    began = time.monotonic()
    assert start(project, REPRO).wait() == 0
    return Template(project, state(project), time.monotonic() - began)


def forget(project: Path) -> None:
    """Make the next run a cold one."""
    subprocess.run("rm -rf .dvc/cache .dvc/tmp a b c work .work.lock dvc.lock", shell=True, cwd=project, check=True)


def state(project: Path) -> dict[str, bytes]:
    return {name: (project / name).read_bytes() for name in ("a", "b", "c", "dvc.lock")}


@pytest.mark.parametrize("way", ["group", "dvc", "plain", "write"])
def test_killed_cold_build_is_repaired_by_the_next(template: Template, way: str) -> None:
    """Kill the group of `make repro`, its DVC alone, a `dvc repro` alone, or one that is writing dvc.lock; its orphan may go on."""
    draw, healed, lost = random.Random(way), 0, []
    project, whole, seconds = template
    code = PLAIN if way in ("plain", "write") else REPRO
    for number in range(max(1, KILLS // 4)):
        share = draw.random()
        if way == "write":
            forget(project)
            assert start(project, TORN.format(at=number % 3 + 1, share=share) + code).wait() == -signal.SIGKILL
        else:
            kill(project, code, way, share * seconds)
        again = start(project, REPRO)
        if again.wait(timeout=300) == 0 and state(project) == whole:
            healed += 1
        else:
            lost.append((number, share, log_of(project).read_text()[-2000:]))
    print(f"{way}: {healed} of {healed + len(lost)} healed")
    assert not lost
