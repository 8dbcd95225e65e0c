"""`python -m scripts.licences`: the installed packages of the lock files -> licences.tsv, a line each: package, SPDX licence, use.

`use` is `run` for packages that the project needs at run time, and `develop` for those that only its tests and checks need. A licence
that is not allowed here stops it.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = (Path("requirements.lock"), Path("requirements-dev.lock"), Path("requirements-torch.txt"))
TABLE, PROJECT = Path("licences.tsv"), Path("pyproject.toml")
ALLOWED = frozenset(
    ("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python", "EPL-1.0", "EPL-2.0", "ISC",
     "LGPL-2.1-or-later", "LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "TCL", "Unlicense", "ZPL-2.1", "Zlib")
)  # fmt: skip
"""Permissive licences, and those whose obligations cover only the package's own files. Of alternatives (OR) one is enough."""
EXCEPTIONS = {
    "pygit2": "GPL-2.0-only with a linking exception: a dependency of DVC",
}
"""Packages with another licence, each with the reason why it is allowed."""
_SPDX_OF = {
    "apache": "Apache-2.0", "apache 2.0": "Apache-2.0", "apache-2": "Apache-2.0", "apache2.0": "Apache-2.0",
    "apache software license": "Apache-2.0", "apache license 2.0": "Apache-2.0", "apache 2.0 license": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0", "mit license": "MIT", "the mit license (mit)": "MIT", "isc license": "ISC",
    "isc license (iscl)": "ISC", "3-clause bsd license": "BSD-3-Clause", "2-clause bsd": "BSD-2-Clause", "new bsd": "BSD-3-Clause",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0", "python software foundation license": "PSF-2.0", "psfl": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense", "bsd": "BSD-3-Clause", "bsd license": "BSD-3-Clause",
}  # fmt: skip
"""Licence names in metadata -> SPDX. Plain BSD means three clauses, by the packages' licence files; numba, with two, is below."""
_BY_HAND = {
    "axe-playwright-python": "MIT AND MPL-2.0", "grandalf": "GPL-2.0-only OR EPL-1.0", "label-studio-sdk": "Apache-2.0",
    "mlcroissant": "Apache-2.0", "numba": "BSD-2-Clause", "olefile": "BSD-2-Clause AND MIT-CMU",
    "pygit2": "GPL-2.0-only WITH GCC-exception-2.0", "pypdfium2": "BSD-3-Clause AND Apache-2.0",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
}  # fmt: skip
"""Licences missing or incomplete in the metadata; from the packages' own files."""
_NAME = re.compile(r"^([a-z0-9][a-z0-9.-]*)==([^\s;\\]+)", re.MULTILINE)


def locked(*texts: str) -> dict[str, str]:
    """Return the packages in lock files, with their versions, sorted."""
    return dict(sorted(pair for text in texts for pair in _NAME.findall(text)))


def licence_of(package: str) -> str:
    """Return the licence of an installed package as an SPDX expression.

    Raises:
        ValueError: its metadata name no known licence.
    """
    if package in _BY_HAND:
        return _BY_HAND[package]
    about: Any = metadata(package)  # an email message, whose `get` its type leaves out
    if declared := about.get("License-Expression"):
        return declared
    words = (about.get("License") or "").strip().splitlines()
    classifiers = [one.rsplit(" :: ", 1)[1] for one in about.get_all("Classifier") or [] if one.startswith("License :: ")]
    for wording in (*words[:1], *classifiers):
        if _is_spdx(wording):
            return wording
        if spdx := _SPDX_OF.get(wording.lower()):
            return spdx
    raise ValueError(f"{package}: its metadata name the licence {words[:1] or classifiers}; check its files and add it to _BY_HAND")


def _is_spdx(text: str) -> bool:
    return all(part in ALLOWED or part.startswith("GPL-") for part in _parts(text))


def _parts(expression: str) -> list[str]:
    return [part for part in re.split(r"[\s()]+", expression) if part and part not in ("AND", "OR", "WITH")]


def is_allowed(expression: str) -> bool:
    """Return whether a licence may be used: any of alternatives, all of joint ones."""
    expression = expression.strip()
    for word, enough in ((" OR ", any), (" AND ", all)):
        parts = _split(expression, word)
        if len(parts) > 1:
            return enough(is_allowed(part) for part in parts)
    if expression.startswith("(") and expression.endswith(")"):
        return is_allowed(expression[1:-1])
    return bool(expression) and all(part in ALLOWED for part in _parts(expression))


def _split(expression: str, word: str) -> list[str]:
    """Return the parts of an expression at a word outside brackets."""
    parts, depth, start = [], 0, 0
    for index, sign in enumerate(expression):
        depth += (sign == "(") - (sign == ")")
        if not depth and expression.startswith(word, index):
            parts.append(expression[start:index])
            start = index + len(word)
    return [*parts, expression[start:]]


def forbidden(licences: Mapping[str, str]) -> list[str]:
    """Return a line for each package whose licence is not allowed."""
    return [
        f"{package}: {licence} is not allowed; remove the package, or add the reason in EXCEPTIONS of scripts/licences.py"
        for package, licence in licences.items()
        if package not in EXCEPTIONS and not is_allowed(licence)
    ]


def needed_at_work(packages: Iterable[str]) -> set[str]:
    """Return the packages required by the project at run time, including indirect ones and torch."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    waiting = [Requirement(line) for line in [*project["dependencies"], "torch"]]
    known, required = set(packages), set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        for extra in ("", *wanted.extras):
            if name not in known or (name, extra) in required:
                continue
            required.add((name, extra))
            lines = map(Requirement, requires(name) or [])
            waiting += [line for line in lines if line.marker is None or line.marker.evaluate({"extra": extra})]
    return {name for name, _ in required}


def table() -> str:
    """Return licences.tsv for the installed packages.

    Raises:
        ValueError: a package is not installed, or its licence unknown or not allowed.
    """
    packages = locked(*(lock.read_text(encoding="utf-8") for lock in LOCKS))
    try:
        licences = {package: licence_of(package) for package in packages}
    except PackageNotFoundError as error:
        raise ValueError(f"{error.name} is not installed; `make setup-dev` installs it") from None
    if wrong := forbidden(licences):
        raise ValueError("\n".join(wrong))
    run = needed_at_work(packages)
    return "".join(f"{package}\t{licence}\t{'run' if package in run else 'develop'}\n" for package, licence in licences.items())


def main() -> int:
    try:
        TABLE.write_text(table(), encoding="utf-8")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
