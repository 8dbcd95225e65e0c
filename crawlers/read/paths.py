"""Find files by path: files, folders and patterns -> the name and path of each file."""

import logging
import os
import re
from collections.abc import Iterable
from glob import has_magic
from itertools import islice, takewhile
from os.path import commonpath, normpath
from pathlib import Path
from shlex import quote

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.scans import PICTURES
from crawlers.read.formats import MAX_FILE_BYTES, RECORD_SUFFIXES, KnownLayouts, known_suffixes, suffixes_of
from crawlers.read.layouts.layout_files import is_layout, layout_path_of

_ABOUT = re.compile(r"(?:readme|licen[cs]e|citation)|dataset_infos?\.json$")
_OF_QUESTIONS = re.compile(r"答案|answer|^[^\w\n]{0,20}[Bb]\s?[.．、:：)）]|[(（]\s*[)）]|[√×✓✔✗✘]|\[[ xX]\]", re.IGNORECASE | re.MULTILINE)
_COMMAND = re.compile(r"(python -m crawlers\.read ).+?(?= --)")
_FEWEST_SIGNS = 10
"""Minimum number of marks typical of questions; a Markdown text with fewer may only show examples of the records next to it."""
_MOST_NAMES = 5
_logger = logging.getLogger("crawlers.read")


def named_files(paths: Iterable[str], format_name: str | None = None, known: KnownLayouts | None = None) -> list[tuple[str, Path]]:
    """Return the name and path of each file that the paths match, without duplicates, sorted by name.

    Names are relative to the deepest folder that all files share above their first wildcard, so that they contain no machine-specific path.
    In folders, only files with a suffix of the format are read, and never hidden files, Office lock files or layouts.

    Raises:
        ValueError: a path matches no file.
    """
    suffixes = suffixes_of(format_name, known) if format_name else known_suffixes()
    path_of_file: dict[Path, Path] = {}
    roots = []
    for path in paths:
        root, files = _under(path, suffixes)
        files = files if format_name else _without_words_about(path, files)
        roots.append(_whole(root))
        path_of_file |= {_whole(file): file for file in files if _whole(file) not in path_of_file}
    above = commonpath(roots)
    return sorted((file.relative_to(above).as_posix(), path) for file, path in path_of_file.items())


def read_bytes(name: str, path: Path) -> bytes:
    """Return a file's bytes.

    Raises:
        ValueError: it is larger than the limit, or cannot be opened.
    """
    if re.search("[\ud800-\udfff]", name):
        raise Refusal(f"{name!a}: the name of the file is not UTF-8; rename the file")
    try:
        size = path.stat().st_size
        if size <= MAX_FILE_BYTES:
            return path.read_bytes()
    except OSError as error:
        dangling = "it is a broken link: `dvc checkout` restores what DVC stores"
        advice = dangling if path.is_symlink() and not path.exists() else "does it still exist, and may you read it?"
        raise Refusal(f"{name}: cannot be opened ({error.strerror}); {advice}") from None
    raise Refusal(f"{name}: {size} bytes; at most {MAX_FILE_BYTES} are read, so split it")


def with_path(message: str, path: Path) -> str:
    """Return a reader's message with the file's path in its commands, because readers know only the name of the file or of a part of it."""
    return _COMMAND.sub(lambda match: f"{match[1]}{quote(str(path))}", message)


def _under(path: str, suffixes: tuple[str, ...]) -> tuple[Path, list[Path]]:
    """Return the folder that file names are relative to, and the files that a path matches."""
    if not path:
        raise ValueError("no path; expected a file, a folder or a pattern such as imports/NAME/*.docx")
    if Path(path).is_file() or (Path(path).is_symlink() and not Path(path).exists()):
        return Path(path).parent, [Path(path)]
    fixed = list(takewhile(lambda piece: not has_magic(piece), Path(path).parts))
    above, rest = (Path(path), ("**", "*")) if Path(path).is_dir() else (Path(*fixed), Path(path).parts[len(fixed) :])
    entries = [entry for entry in above.glob("/".join(rest)) if not _is_hidden(entry, above)] if rest else []
    files = [entry for entry in entries if _is_read(entry) and not is_layout(entry)]
    if Path(path).is_dir() and (links := sorted(entry.name for entry in entries if entry.is_symlink() and entry.is_dir())):
        _logger.warning("%s: links to folders are not followed: %s; copy their targets", path, ", ".join(links[:_MOST_NAMES]))
    if Path(path).is_dir():
        texts = {suffix for suffix in suffixes if suffix not in PICTURES}
        read = [entry for entry in files if entry.suffix.lower() in texts or entry.is_dir()]
        read = read or [entry for entry in files if entry.suffix.lower() in PICTURES]  # next to other files, pictures only illustrate them
        if other := sorted({entry.suffix.lower() for entry in {*files} - {*read}}):
            endings = [f"that end in {suffix!r}" if suffix else "without a suffix" for suffix in other]
            _logger.warning("%s: files %s are not read", path, ", ".join(endings))
        files = read
    if not entries and Path(path).is_dir():
        raise ValueError(f"{path}: the folder is empty")
    if not files:
        where = "a path is relative to where the command runs and names a file, a folder or a pattern such as folder/*.jsonl"
        raise ValueError(f"no file matches {path!r}; {where}")
    return above, files


def _without_words_about(path: str, files: list[Path]) -> list[Path]:
    """Return the files, without those that describe the data set if any are records; in a folder of papers, such a file may be a paper."""
    records = [file for file in files if file.suffix.lower() in RECORD_SUFFIXES and not _ABOUT.match(file.name.lower())]
    about = [file for file in files if _is_about(file)] if records and len(files) > 1 else []
    if about:
        names = ", ".join(sorted({file.name for file in about})[:_MOST_NAMES])
        _logger.warning("%s: %d files about the data set are not read: %s; to read one, give its path", path, len(about), names)
    return [file for file in files if file not in set(about)]


def _is_about(file: Path) -> bool:
    """Return whether a file documents others, by its name or, for Markdown, by few marks typical of questions and the lack of a layout."""
    name = file.name.lower()
    if _ABOUT.match(name):
        return True
    if not name.endswith(".md") or layout_path_of(file).is_file() or not file.is_file() or file.stat().st_size > MAX_FILE_BYTES:
        return False
    try:
        text = decoded(file.name, file.read_bytes())
    except (OSError, ValueError):
        return False  # its reader reports what is wrong
    return sum(1 for _ in islice(_OF_QUESTIONS.finditer(text), _FEWEST_SIGNS)) < _FEWEST_SIGNS


def _is_read(entry: Path) -> bool:
    """Return whether an entry is a file, or an unreadable link or folder, which raises when it is read."""
    is_closed = entry.is_dir() and not os.access(entry, os.R_OK | os.X_OK)
    return entry.is_file() or is_closed or (entry.is_symlink() and not entry.exists())


def _whole(path: Path) -> Path:
    # Links are not followed: DVC may store the files of a project as links into its cache.
    return Path(normpath(path.absolute()))


def _is_hidden(path: Path, above: Path) -> bool:
    return any(piece.startswith((".", "~$")) for piece in path.relative_to(above).parts)
