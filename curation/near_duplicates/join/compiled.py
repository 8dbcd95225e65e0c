"""Compile a function by numba and keep the machine code, in a folder named after the sources of all compiled modules of this package.

numba compares only the file of the function with its cache, and would go on running outdated code of inlined functions.
"""

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config as numba_config
from numba import njit
from numba.misc.appdirs import AppDirs

config: Any = numba_config  # its settings are read from the environment, so no type names them
_SOURCES = Path(__file__).parent


def _version() -> str:
    """Return a hash of the modules of this package that name numba."""
    sources = ((path.name.encode(), path.read_bytes()) for path in sorted(_SOURCES.glob("*.py")))
    return hashlib.sha256(b"\0".join(part for named in sources if b"numba" in named[1] for part in named)).hexdigest()[:16]


def _folder(version: str) -> str | None:
    """Return a folder to keep machine code in: where the user says, beside the sources, or in the user's cache."""
    candidates = [config.CACHE_DIR] if config.CACHE_DIR else [_SOURCES / "__pycache__", AppDirs("numba", appauthor=False).user_cache_dir]
    for candidate in candidates:
        folder = Path(candidate, f"join-{version}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return str(folder)
    return None


_FOLDER = _folder(_version())


def cached_njit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is compiled when it is first called, and never again for the same sources if there is a folder to write to."""
    if _FOLDER is None:
        return njit(function)
    before, config.CACHE_DIR = config.CACHE_DIR, _FOLDER  # read while the function is decorated
    try:
        return njit(cache=True)(function)
    finally:
        config.CACHE_DIR = before
