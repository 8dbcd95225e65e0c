"""What is installed is what was locked: every file by its hash, every licence allowed."""

import re
from pathlib import Path

import pytest

from scripts import licences

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock", "requirements-torch.txt"])
def test_every_locked_package_has_hashes(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    packages = [block for block in re.split(r"\n(?=\S)", text) if not block.startswith("#")]
    assert len(packages) == len(licences.locked(text))
    assert [block.split()[0] for block in packages if "--hash=sha256:" not in block] == []


def test_the_list_of_licences_is_that_of_the_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """`make lock` writes it; a new package with an unknown or forbidden licence stops it."""
    monkeypatch.chdir(ROOT)
    assert (ROOT / "licences.tsv").read_text(encoding="utf-8") == licences.table()


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-or-later", False),
        ("AGPL-3.0-only", False),
        ("LicenseRef-Proprietary", False),
        ("EPL-2.0 OR GPL-2.0-or-later", True),
        ("MIT AND GPL-2.0-only", False),
        ("MPL-2.0 AND (Apache-2.0 OR GPL-2.0-only)", True),
        ("(MIT OR Apache-2.0) AND (GPL-2.0-only OR GPL-3.0-only)", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH GCC-exception-2.0", False),
        ("", False),
    ],
)
def test_a_licence_that_is_not_listed_is_refused(licence: str, allowed: bool) -> None:
    assert licences.is_allowed(licence) is allowed
    assert bool(licences.forbidden({"new": licence})) is not allowed


def test_each_exception_has_a_package_that_needs_it() -> None:
    lines = (ROOT / "licences.tsv").read_text(encoding="utf-8").splitlines()
    listed = {line.split("\t")[0]: line.split("\t")[1] for line in lines}
    assert {name: licences.is_allowed(listed[name]) for name in licences.EXCEPTIONS} == dict.fromkeys(licences.EXCEPTIONS, False)
