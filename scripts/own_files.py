"""Before `dvc repro`, let DVC track the user's files and replies named in params.yaml, and remove items of sources no longer listed.

Tracked files are versioned with the data made from them: git has `imports/NAME.dvc`; `dvc push` and `dvc pull` transfer the files.
"""

import subprocess
import sys
from os.path import normpath
from pathlib import Path

from atomexam.records.params import Params

_SHARED = ("dialogues", "models", "search")  # folders of imports/ that are partly in git


def entry_of(path: str) -> Path | None:
    """Return the file or folder directly in imports/, or in its models/, dialogues/ or search/, that contains a path.

    DVC tracks it as a unit. None if the path is elsewhere.
    """
    parts = Path(normpath(path)).parts
    depth = 3 if parts[1:2] and parts[1] in _SHARED else 2
    return Path(*parts[:depth]) if parts[0] == "imports" and len(parts) >= depth else None


def prepare(params: Params, root: Path = Path()) -> None:
    new = set()
    named = {f"imports.{name}": line.path for name, line in params.imports.items()}
    named |= {f"models.{name}": line.name or "" for name, line in params.models.items() if line.backend == "imported"}
    for name, path in named.items():
        if (entry := entry_of(path)) is None:
            continue
        is_tracked = (root / f"{entry}.dvc").exists()
        if is_tracked and not (root / path).exists():
            fetched = f"`dvc pull {entry}.dvc` fetches it, `--allow-missing` runs the stages that do not read it"
            print(f"{name}: {path} is missing: {fetched}", file=sys.stderr)
        if not is_tracked and (root / entry).exists():
            new.add(str(entry))
    if new:  # DVC itself reports what it cannot track, such as a file in git; the pipeline runs without it
        subprocess.run([sys.executable, "-m", "dvc", "add", *sorted(new)], cwd=root)
    for items in (root / "data/items").glob("*.jsonl"):
        if items.stem not in params.sources and items.stem not in params.imports:
            items.unlink()  # DVC would leave it, changing the hash of the folder that `clean` depends on; DVC's cache still has it
