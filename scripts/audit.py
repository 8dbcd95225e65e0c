"""`make audit`: licences of all locked packages, and their known vulnerabilities, if a vulnerability service can be reached.

Exit status 0: every package was checked without findings. 1: a known vulnerability, or a licence that is not allowed. 3: all licences
are allowed, but not all packages could be checked for vulnerabilities; the last line says how many. `make` itself then exits with 2.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from scripts import licences

TOOL = Path(".audit")
"""An environment of its own: pip-audit's requirements must not change the project's packages."""
VERSION = "2.10.1"
SERVICES = ("pypi", "osv")
_MOST_SECONDS = 300


def main() -> int:
    try:
        licences_differ = licences.table() != licences.TABLE.read_text(encoding="utf-8")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if licences_differ:
        print("error: licences.tsv does not match the installed packages. Next: python -m scripts.licences", file=sys.stderr)
        return 1
    packages = licences.locked(*(lock.read_text(encoding="utf-8") for lock in licences.LOCKS))
    print(f"licences: {len(packages)} packages, all allowed ({len(licences.EXCEPTIONS)} by name)")
    return report(_checked(), len(packages))


def report(rows: list[dict[str, Any]], packages: int) -> int:
    """Print what is known about the packages and return the exit status.

    Args:
        rows: one per package, from pip-audit; empty if no service was reached.
    """
    checked = [row for row in rows if "skip_reason" not in row]
    wrong = [(row, one) for row in checked for one in row["vulns"]]
    for row, one in wrong:
        print(f"{row['name']} {row['version']}: {one['id']}, fixed in {', '.join(one['fix_versions']) or 'no version yet'}")
    if wrong:
        print(f"vulnerabilities: {len(wrong)} known. Next: make lock")
        return 1
    if len(checked) < packages:
        services = " nor ".join(SERVICES)
        reason = f"neither {services} could be reached" if not checked else "the service does not know the others"
        print(f"vulnerabilities: {len(checked)} of {packages} packages checked, {reason}. The audit is incomplete")
        return 3
    print(f"vulnerabilities: {packages} packages checked, none known")
    return 0


def _checked() -> list[dict[str, Any]]:
    """Return a row per package from the first service that knows any of them."""
    program = TOOL / "bin/pip-audit"
    if not program.exists():
        for command in ([sys.executable, "-m", "venv", f"{TOOL}"], [f"{TOOL}/bin/pip", "install", "--quiet", f"pip-audit=={VERSION}"]):
            if subprocess.run(command).returncode:
                print("pip-audit could not be installed", file=sys.stderr)
                return []
    for service in SERVICES:
        command = [f"{program}", "--disable-pip", "--require-hashes", *(word for lock in licences.LOCKS for word in ("-r", f"{lock}"))]
        command += ["-s", service, "-f", "json", "--progress-spinner", "off", "--timeout", "10"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_MOST_SECONDS)
            rows = json.loads(done.stdout)["dependencies"]
        except (subprocess.TimeoutExpired, json.JSONDecodeError):
            continue
        # If a service cannot be reached, pip-audit reports that it knows none of the packages, without an error.
        if any("skip_reason" not in row for row in rows):
            return rows
    return []


if __name__ == "__main__":
    sys.exit(main())
