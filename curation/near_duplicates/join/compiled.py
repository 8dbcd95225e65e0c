"""Compile a function by numba and cache the machine code, in a folder named after the sources of all compiled modules of this package.

numba compares only the function's own file with its cache, and would continue to run outdated code of inlined functions.
"""

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config as numba_config
from numba import njit
from numba.misc.appdirs import AppDirs

config: Any = numba_config  # its settings come from the environment, so it has no type for them
_SOURCES = Path(__file__).parent


def _version() -> str:
    """Return a hash of the modules of this package that use numba."""
    sources = ((path.name.encode(), path.read_bytes()) for path in sorted(_SOURCES.glob("*.py")))
    return hashlib.sha256(b"\0".join(part for named in sources if b"numba" in named[1] for part in named)).hexdigest()[:16]


def _folder(version: str) -> str | None:
    """Return a folder for machine code: the user's choice, next to the sources, or in the user's cache."""
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
    """Return a function that is compiled at its first call and, with a writable folder, never again for the same sources."""
    if _FOLDER is None:
        return njit(function)
    before, config.CACHE_DIR = config.CACHE_DIR, _FOLDER  # read when the function is decorated
    try:
        return njit(cache=True)(function)
    finally:
        config.CACHE_DIR = before
