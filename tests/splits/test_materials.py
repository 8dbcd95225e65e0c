"""The bill of materials in a release: every locked package once, with licence and hashes, and the same bytes whenever it is made."""

import json
from pathlib import Path

import pytest

from splits.release.materials import FILE, describe, locked, read_licences

ROOT = Path(__file__).parent.parent.parent
A, B, C = ("a" * 64, "b" * 64, "c" * 64)
LOCK = f"""one==1.0 \\
    --hash=sha256:{B} \\
    --hash=sha256:{A}
# a comment
two-x==2.0+cpu ; python_version < '3.14' \\
    --hash=sha256:{C}
"""


def test_a_bill_has_name_version_licence_and_hashes() -> None:
    bill = describe("Books", "0.1.0", locked(LOCK), read_licences('"Name","License"\n"Two_X","MIT OR Apache-2.0"\n'))
    assert not {"serialNumber", "timestamp"} & {*bill, *bill["metadata"]}
    assert bill["metadata"]["component"]["name"] == "Books"
    one, two = bill["components"]
    assert (one["purl"], "licenses" in one) == ("pkg:pypi/one@1.0", False)
    assert [file["content"] for file in one["externalReferences"][0]["hashes"]] == [A, B]
    assert (two["purl"], two["licenses"]) == ("pkg:pypi/two-x@2.0%2Bcpu", [{"license": {"name": "MIT OR Apache-2.0"}}])


def test_a_package_without_a_hash_is_named() -> None:
    with pytest.raises(ValueError, match=r"one==1\.0 has no hash in its lock file"):
        locked("one==1.0\n")


def test_a_release_has_a_bill_of_all_locked_packages(release: Path) -> None:
    bill = json.loads((release / FILE).read_text(encoding="utf-8"))
    lines = [line for name in ("requirements.lock", "requirements-torch.txt") for line in (ROOT / name).read_text().splitlines()]
    names = sorted(line.split("==")[0] for line in lines if "==" in line)
    assert [component["name"] for component in bill["components"]] == names and "torch" in names
    assert bill["metadata"]["component"]["version"] == "0.1.0"
