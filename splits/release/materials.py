"""The locked packages used for a release -> a CycloneDX 1.6 bill of materials, reproducible because it has no time or serial number."""

import csv
import re
from collections.abc import Mapping
from io import StringIO
from typing import Any, NamedTuple

FILE = "bom.cdx.json"


class Package(NamedTuple):
    """One package of a lock file."""

    name: str
    version: str
    sha256: list[str]
    """Hashes of every file that may be installed."""


def locked(text: str) -> list[Package]:
    """Return the packages of a lock file.

    Raises:
        ValueError: a package has no hash.
    """
    packages: list[Package] = []
    for line in text.splitlines():
        if named := re.match(r"([A-Za-z0-9][\w.-]*)==([^\s;\\]+)", line):
            packages.append(Package(named[1], named[2], []))
        for sha256 in re.findall(r"--hash=sha256:([0-9a-f]{64})", line) if packages else ():
            packages[-1].sha256.append(sha256)
    for package in packages:
        if not package.sha256:
            raise ValueError(f"{package.name}=={package.version} has no hash in its lock file; run `make lock` to add hashes")
    return packages


def read_licences(text: str) -> dict[str, str]:
    """Return the contents of licences.csv, as pip-licenses writes it: package -> licence."""
    return {re.sub(r"[-_.]+", "-", row["Name"]).lower(): row["License"] for row in csv.DictReader(StringIO(text))}


def describe(name: str, version: str, packages: list[Package], licences: Mapping[str, str]) -> dict[str, Any]:
    """Return the bill of materials of a release."""
    release = {"type": "data", "bom-ref": "atomexam-release", "name": name, "version": version}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": release},
        "components": [_component(package, licences.get(package.name)) for package in sorted(packages)],
    }


def _component(package: Package, licence: str | None) -> dict[str, Any]:
    address = f"pkg:pypi/{package.name}@{package.version.replace('+', '%2B')}"
    files = [{"alg": "SHA-256", "content": sha256} for sha256 in sorted(package.sha256)]
    return {
        "type": "library",
        "bom-ref": address,
        "name": package.name,
        "version": package.version,
        **({"licenses": [{"license": {"name": licence}}]} if licence else {}),
        "purl": address,
        "externalReferences": [
            {"type": "distribution", "url": f"https://pypi.org/project/{package.name}/{package.version}/", "hashes": files}
        ],
    }
