"""`make verify`, and the first step of `make repro`: repair dvc.lock, and remove damaged outputs and cached copies.

DVC writes dvc.lock in place, accepts a file that was truncated between two lines, and trusts its cache. After this repair, it restores
the removed files from its cache or builds them again.
"""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dvc.utils.serialize import loads_yaml
from ruamel.yaml import YAMLError

from atomexam.runtime.jsonl import replacing
from scripts.recover import is_busy

LOCK = Path("dvc.lock")
_HEADER = "schema: '2.0'\nstages:\n"
_ENTRY = re.compile(r"^  (\S.*):\n((?:(?: {4}.*)?\n)*)", re.MULTILINE)
_REST = "a stage without an entry is restored from DVC's run cache, or runs"


class _Output(NamedTuple):
    """A file that a stage wrote, and its copy in DVC's cache."""

    path: Path
    md5: str
    copy: Path
    size: int | None
    """None for a file in a folder, because dvc.lock has only the folder's size."""


def mend(text: str, committed: str, stages: Mapping[str, int]) -> tuple[str, list[str]]:
    """Return a valid dvc.lock and a list of its faults.

    Args:
        text: the current contents.
        committed: the contents in the last commit, which replace missing or truncated entries.
        stages: the existing stages, with the number of outputs of each in dvc.yaml.
    """
    faults = []
    if re.search(r"^<<<<<<< ", text, re.MULTILINE):
        text = _ours(text)
        faults.append("has a merge conflict; our side is kept; commit it: `git add dvc.lock`")
    entries, known = dict(_ENTRY.findall(text)), dict(_ENTRY.findall(committed))
    parsed = _parsed(text)
    if _HEADER + "".join(f"  {name}:\n{entry}" for name, entry in entries.items()) != text or parsed.keys() != entries.keys():
        faults.append("is truncated or invalid" if text.strip("\0 \n") else "is empty")
        if not text.endswith("\n") and entries:
            entries.popitem()
        parsed = {name: _parsed(f"{_HEADER}  {name}:\n{entry}").get(name) for name, entry in entries.items()}
    torn = {name for name, entry in parsed.items() if not _is_whole(entry)}
    last = [*entries][-1] if entries else ""  # an entry truncated between two lines may lack outputs
    torn |= {last} if last in stages and len(_rows(parsed[last], "outs")) < stages[last] else set()
    sound = {name: entry for name, entry in entries.items() if name in stages and name not in torn}
    restored = {name: entry for name, entry in known.items() if name in stages and name not in sound}
    if restored or torn:
        faults.append(f"lacks entries of {len(restored.keys() | torn)} stages; {len(restored)} are taken from the last commit; {_REST}")
    if dead := sum(name not in stages for name in entries):
        faults.append(f"has entries of {dead} stages that no longer exist; they are removed")
    if not faults:
        return text, []
    order = [*dict.fromkeys([*(name for name in known if name in restored or name in sound), *sound])]
    return _HEADER + "".join(f"  {name}:\n{(sound | restored)[name]}" for name in order), faults


def _ours(text: str) -> str:
    kept, is_ours = [], True
    for line in text.splitlines(keepends=True):
        if (mark := line[:7]) in ("<<<<<<<", ">>>>>>>", "=======", "|||||||"):
            is_ours = mark in ("<<<<<<<", ">>>>>>>")
        elif is_ours:
            kept.append(line)
    return "".join(kept)


def _parsed(text: str) -> dict[str, Any]:
    """Return the entries of a lock; empty if it is invalid."""
    try:
        lock = loads_yaml(text)
    except (YAMLError, ValueError, RecursionError):
        return {}
    stages = lock.get("stages") if isinstance(lock, dict) and lock.get("schema") == "2.0" else None
    return stages if isinstance(stages, dict) else {}


def _is_whole(entry: Any) -> bool:
    rows = [*_rows(entry, "deps"), *_rows(entry, "outs")]
    has_all = all(isinstance(row, dict) and {"path", "md5", "size"} <= row.keys() for row in rows)
    return has_all and isinstance(entry, dict) and "cmd" in entry


def _rows(entry: Any, key: str) -> list[Any]:
    """Return the deps or outs of an entry; `[None]` if the list is truncated."""
    rows = entry.get(key, []) if isinstance(entry, dict) else []
    return rows if isinstance(rows, list) else [None]


def stages_of(pipeline: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of outputs of each stage of dvc.yaml; a `foreach` stage gives one stage per key in params.yaml."""
    stages: dict[str, int] = {}
    for name, stage in pipeline["stages"].items():
        made = stage.get("do", stage)
        keys = params.get(stage["foreach"].strip("${}")) or () if "foreach" in stage else None
        count = sum(len(made.get(kind, ())) for kind in ("outs", "metrics", "plots"))
        stages |= {name: count} if keys is None else {f"{name}@{key}": count for key in keys}
    return stages


def _git(*words: str) -> str:
    """Return the output of git; empty if it fails, for example before the first commit."""
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False).stdout


def heal_lock() -> dict[str, Any]:
    """Repair dvc.lock in place, printing its faults; return its entries."""
    committed = _git("show", f"HEAD:./{LOCK}")
    text = LOCK.read_text("utf-8", "replace") if LOCK.exists() else ""
    if not text and not committed:
        return {}
    try:
        pipeline, params = (
            loads_yaml(path.read_text("utf-8")) if path.exists() else {} for path in (Path("dvc.yaml"), Path("params.yaml"))
        )
        stages = stages_of(pipeline, params)
    except (YAMLError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # DVC itself reports the faults of these files
    mended, faults = mend(text, committed, stages)
    for fault in faults:
        print(f"dvc.lock {fault}", file=sys.stderr)
    if mended != text:
        with replacing(LOCK) as part:
            part.write_text(mended, encoding="utf-8")
    return _parsed(mended)


def heal_outputs(entries: Mapping[str, Any], cache: Path, hashes: bool = False) -> int:
    """Remove damaged outputs and damaged copies in DVC's cache, printing each; return how many were damaged.

    Args:
        cache: DVC's cache of files by MD5.
        hashes: read and hash all files; otherwise compare sizes, and hash files only where these differ.
    """
    damaged, in_git = 0, set(_git("ls-files", "-z").split("\0"))
    for name, entry in entries.items():
        for row in entry.get("outs") or ():
            copy = _copy_of(row["md5"], cache)
            if not copy.exists() or row["path"] in in_git:
                continue
            files = _files(Path(row["path"]), row["md5"], row["size"], copy, cache)
            is_folder = row["md5"].endswith(".dir")
            if is_folder and not files and row["size"]:
                copy.unlink()
                print(f"{row['path']}: DVC's list of its files is damaged and was removed; `make repro` runs {name} again", file=sys.stderr)
                damaged += 1
            sides = [[file.copy for file in files], [file.path for file in files if Path(row["path"]).exists()]]
            if is_folder and not hashes and all(sum(map(_size, side)) == row["size"] for side in sides if side):
                continue
            damaged += sum(_heal(file, name, hashes or is_folder) for file in files)
    return damaged


def _files(path: Path, md5: str, size: int, copy: Path, cache: Path) -> list[_Output]:
    if not md5.endswith(".dir"):
        return [_Output(path, md5, copy, size)]
    listed = copy.read_bytes()
    if hashlib.md5(listed, usedforsecurity=False).hexdigest() != md5.removesuffix(".dir"):
        return []
    return [_Output(path / row["relpath"], row["md5"], _copy_of(row["md5"], cache), None) for row in json.loads(listed)]


def _heal(file: _Output, stage: str, hashes: bool) -> bool:
    """Remove a damaged output or cached copy; restore the copy from an intact output. Return whether anything was damaged."""
    damaged = []
    for path, what in ((file.copy, "its copy in DVC's cache"), (file.path, "it")):
        if not path.is_file():
            continue
        size = _size(path)
        if file.size is not None and size != file.size:
            damaged.append((path, f"{what} has {size:,} of {file.size:,} bytes"))
        elif hashes and _md5(path) != file.md5:
            damaged.append((path, f"{what} has a different hash than in dvc.lock"))
    for path, fault in damaged:
        path.unlink()
        print(f"{file.path}: {fault} and was removed; `make repro` restores it or runs {stage} again", file=sys.stderr)
    if [path for path, _ in damaged] == [file.copy] and file.path.is_file() and _md5(file.path) == file.md5:
        with replacing(file.copy) as part:
            part.write_bytes(file.path.read_bytes())
        file.copy.chmod(0o444)
    return bool(damaged)


def _copy_of(md5: str, cache: Path) -> Path:
    return cache / md5[:2] / md5[2:]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def heal(hashes: bool = False) -> int | None:
    """Repair dvc.lock and the outputs; return how many outputs were damaged.

    None if nothing was checked: another DVC process is running, or dvc.lock has no entries.
    """
    from dvc.config import Config

    if is_busy() or not (entries := heal_lock()):
        return None
    folder = Config(dvc_dir=".dvc")["cache"].get("dir") or ".dvc/cache"
    return heal_outputs(entries, Path(folder) / "files/md5", hashes)


def main() -> int:
    damaged = heal(hashes=True)
    if damaged is None:
        print("nothing was checked: DVC is running, or dvc.lock has no stage of dvc.yaml. Next: `make repro`", file=sys.stderr)
        return 1
    if damaged:
        print(f"found {damaged} damaged files. Next: `make repro`", file=sys.stderr)
        return 1
    print("all outputs and their copies in DVC's cache match dvc.lock")
    return 0


if __name__ == "__main__":
    sys.exit(main())
