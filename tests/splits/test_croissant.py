"""Croissant metadata: valid for the format's own library, without warnings, and with the records of the tables."""

import hashlib
import json
import logging
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from atomexam.records.provenance import Provenance

pytestmark = pytest.mark.slow

mlcroissant = pytest.importorskip("mlcroissant")


def plain(value: object) -> object:
    return value.decode() if isinstance(value, bytes) else value


def test_library_reports_no_problem(release: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(jsonld=str(release / "croissant.json"))
    assert [record.getMessage() for record in caplog.records] == []
    assert dataset.metadata.ctx.is_latest_version()
    assert (dataset.metadata.version, str(dataset.metadata.date_published)[:10]) == ("0.1.0", "2026-11-20")


@pytest.mark.parametrize("config", ["kg", "tcm", "claims"])
def test_records_equal_those_of_the_tables(release: Path, config: str) -> None:
    dataset = mlcroissant.Dataset(jsonld=str(release / "croissant.json"))
    found = {plain(record[f"{config}/id"]): record for record in dataset.records(config)}
    tables = {path: pq.read_table(path).to_pylist() for path in (release / config).glob("*.parquet")}
    assert len(found) == sum(map(len, tables.values())) > 0
    for path, rows in tables.items():
        for row in rows:
            record = found[row["id"]]
            assert plain(record[f"{config}/split"]) == path.name.split("-")[0]
            assert plain(record[f"{config}/canary"]) == row["canary"]
            for name in ("stem", "factual"):
                assert name not in row or plain(record[f"{config}/{name}"]) == row[name]
            if "options" in row:
                told = [
                    (plain(option[f"{config}/options/letter"]), plain(option[f"{config}/options/text"]))
                    for option in record[f"{config}/options"]
                ]
                assert told == [(option["letter"], option["text"]) for option in row["options"]]


def test_lists_every_table_with_its_checksum_and_every_column(release: Path) -> None:
    told = json.loads((release / "croissant.json").read_text(encoding="utf-8"))
    files = {node["contentUrl"]: node for node in told["distribution"] if node["@type"] == "cr:FileObject"}
    assert files.keys() == {path.relative_to(release).as_posix() for path in release.rglob("*.parquet")}
    for name, node in files.items():
        content = (release / name).read_bytes()
        assert (node["sha256"], node["contentSize"]) == (hashlib.sha256(content).hexdigest(), f"{len(content)} B")
    for record_set in told["recordSet"]:
        columns = pq.read_schema(next((release / record_set["name"]).glob("*.parquet"))).names
        assert [field["name"] for field in record_set["field"]] == ["split", *columns]


@pytest.mark.parametrize(
    ("snapshots", "published"),
    [
        (["2026-11-20", "2026-02-01"], "2026-11-20"),
        (["spring", "2026-02-01"], "2026-02-01"),
        (["v2"], None),
        (["2026-13-45"], None),
        (["2026"], None),
        (["20260201"], None),
    ],
)
def test_date_is_the_newest_snapshot_that_is_a_date(split_files, release_of, question, snapshots: list[str], published) -> None:
    seen = [
        [Provenance(source="studyez", url="http://a.cn/1", snapshot=snapshot, page_id="page-1", position="q1")] for snapshot in snapshots
    ]
    folder = release_of(split_files([question(number, provenance=seen[number % len(seen)]) for number in range(14)]))
    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    told = dataset.metadata.date_published
    assert (str(told)[:10] if told else None) == published
    assert len(list(dataset.records("kg"))) == sum(pq.read_metadata(path).num_rows for path in folder.glob("kg/*.parquet"))
