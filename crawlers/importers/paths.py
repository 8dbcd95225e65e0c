"""Files by the paths that name them: files, folders and patterns in, each file with its name and path out."""

import logging
from collections.abc import Iterable
from glob import has_magic
from itertools import takewhile
from os.path import commonpath, normpath
from pathlib import Path

from crawlers.importers.formats import MAX_FILE_BYTES, known_suffixes, suffixes_of

_logger = logging.getLogger("crawlers.importers")


def named_files(paths: Iterable[str], format_name: str | None = None) -> list[tuple[str, Path]]:
    """Return name and path of each file that the paths name, each once and in order of their names.

    A file is named from the folder that all of them have in common above their first wildcard: no machine's path is in it. Of
    folders, what the format reads is taken; hidden files and the lock files of Office never are.

    Raises:
        ValueError: a path names no file.
    """
    suffixes = suffixes_of(format_name) if format_name else known_suffixes()
    found: dict[Path, Path] = {}
    roots = []
    for path in paths:
        root, files = _under(path, suffixes)
        roots.append(_whole(root))
        found |= {_whole(file): file for file in files if _whole(file) not in found}
    above = commonpath(roots)
    return sorted((file.relative_to(above).as_posix(), path) for file, path in found.items())


def read_bytes(name: str, path: Path) -> bytes:
    """Return a file's bytes.

    Raises:
        ValueError: it is larger than anything that is read here.
    """
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise ValueError(f"{name}: {size} bytes; at most {MAX_FILE_BYTES} are read: cut it into parts")
    return path.read_bytes()


def _under(path: str, suffixes: tuple[str, ...]) -> tuple[Path, list[Path]]:
    """Return the folder that a path's files are named from, and the files."""
    if not path:
        raise ValueError("no path; expected a file, a folder or a pattern such as imports/NAME/*.docx")
    if Path(path).is_file():
        return Path(path).parent, [Path(path)]
    fixed = list(takewhile(lambda piece: not has_magic(piece), Path(path).parts))
    above, rest = (Path(path), ("**", "*")) if Path(path).is_dir() else (Path(*fixed), Path(path).parts[len(fixed) :])
    files = [entry for entry in above.glob("/".join(rest)) if entry.is_file() and not _is_hidden(entry, above)] if rest else []
    if Path(path).is_dir():
        other = sorted({entry.suffix.lower() for entry in files if entry.suffix.lower() not in suffixes})
        if other:
            _logger.warning("%s: files that end in %s are not read", path, ", ".join(map(repr, other)))
        files = [entry for entry in files if entry.suffix.lower() in suffixes]
    if not files:
        where = "a path is relative to where the command runs and names a file, a folder or a pattern such as folder/*.jsonl"
        raise ValueError(f"no file fits {path!r}; {where}")
    return above, files


def _whole(path: Path) -> Path:
    # Links are not followed: DVC may keep the files of a project as links into its cache.
    return Path(normpath(path.absolute()))


def _is_hidden(path: Path, above: Path) -> bool:
    return any(piece.startswith((".", "~$")) for piece in path.relative_to(above).parts)
