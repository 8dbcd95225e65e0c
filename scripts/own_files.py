"""Before `dvc repro`: DVC tracks the own files that params.yaml names, and the items of lines that are gone are removed.

Tracked files travel with the data made of them: git has `imports/NAME.dvc`, and `dvc push` and `dvc pull` carry the files.
"""

import subprocess
import sys
from os.path import normpath
from pathlib import Path

from atomexam.records.params import Params


def entry_of(path: str) -> Path | None:
    """Return the file or folder directly in imports/ that a path is or lies in, which DVC tracks as a whole; None if it lies elsewhere."""
    parts = Path(normpath(path)).parts
    return Path(*parts[:2]) if parts[0] == "imports" and len(parts) > 1 else None


def prepare(params: Params, root: Path = Path()) -> None:
    new = set()
    for name, line in params.imports.items():
        if (entry := entry_of(line.path)) is None:
            continue
        is_tracked = (root / f"{entry}.dvc").exists()
        if is_tracked and not (root / line.path).exists():
            fetched = f"`dvc pull {entry}.dvc` fetches it, `--allow-missing` runs the stages that do not read it"
            print(f"imports.{name}: {line.path} is not here: {fetched}", file=sys.stderr)
        if not is_tracked and (root / entry).exists():
            new.add(str(entry))
    if new:  # DVC itself says why it cannot track something, such as a file in git; the pipeline runs without it
        subprocess.run([sys.executable, "-m", "dvc", "add", *sorted(new)], cwd=root)
    for items in (root / "data/items").glob("*.jsonl"):
        if items.stem not in params.sources and items.stem not in params.imports:
            items.unlink()  # DVC leaves it, and it would change the hash of the folder that `clean` depends on; it is in DVC's cache
