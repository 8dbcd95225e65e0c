"""Stage `release`: the folder loads as it is, contains nothing reserved, and is reproducible."""

import hashlib
import json
import re
import shutil
import socket
import unicodedata
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from huggingface_hub import DatasetCard
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.release.columns import canary, config_of
from tests.splits.toys import tree


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr("datasets.config.HF_DATASETS_OFFLINE", True)


def released(folder: Path, config: str, split: str) -> list[dict]:
    return [row for path in sorted((folder / config).glob(f"{split}-*.parquet")) for row in pq.read_table(path).to_pylist()]


def front_matter(folder: Path) -> dict:
    return YAML(typ="safe").load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


@pytest.mark.slow
@pytest.mark.usefixtures("no_network")
def test_datasets_opens_every_config(release: Path, tmp_path: Path) -> None:
    import datasets

    configs = [config["config_name"] for config in front_matter(release)["configs"]]
    assert configs == ["kg", "ca", "qa", "tcm", "claims"]
    for config in configs:
        loaded = datasets.load_dataset(str(release), config, cache_dir=str(tmp_path / "cache"))
        for split in loaded:
            assert loaded[split].num_rows == len(released(release, config, split)) > 0
        assert {"train", "test"} <= set(loaded)
    features = datasets.load_dataset(str(release), "tcm", split="test", cache_dir=str(tmp_path / "cache")).features
    assert features["options"] == datasets.List({"letter": datasets.Value("string"), "text": datasets.Value("string")})
    assert features["case_type"] == datasets.Value("string")


@pytest.mark.slow
@pytest.mark.usefixtures("no_network")
def test_later_release_in_the_same_folder_is_not_served_from_cache(split_files, release_of, question, tmp_path: Path) -> None:
    """`datasets` caches by the name of the folder and the card. An answer is corrected, then questions are added."""
    import datasets

    def loaded(version: str, questions: list[Question]) -> tuple[list[str], list[str]]:
        folder = split_files(questions, name=version, assignments=f"{version}.ledger")
        shutil.rmtree(tmp_path / "release", ignore_errors=True)
        release = release_of(folder, version=version)
        dataset = datasets.load_dataset(str(release), "kg", split="test", cache_dir=str(tmp_path / "cache"))
        told = {info["config_name"]: info for info in front_matter(release)["dataset_info"]}["kg"]
        assert (dataset.info.dataset_size, dataset.info.splits["test"].num_bytes) == (
            told["dataset_size"], {split["name"]: split for split in told["splits"]}["test"]["num_bytes"],
        )  # fmt: skip
        assert told["download_size"] == sum(path.stat().st_size for path in release.glob("kg/*.parquet"))
        assert [(row["id"], row["answer"]) for row in dataset] == [(row["id"], row["answer"]) for row in released(release, "kg", "test")]
        return [row["id"] for row in dataset], [row["answer"] for row in dataset]

    first = loaded("0.1.0", [question(n) for n in range(20)])
    corrected = loaded("0.2.0", [question(n, answer="B") for n in range(20)])
    more = loaded("0.3.0", [question(n) for n in range(20)] + [question(n, subject="乙") for n in range(40)])
    assert first[0] == corrected[0] and set(corrected[1]) == {"B"}
    assert set(first[1]) == set(more[1]) == {"A"} and first[0] != more[0]


def test_questions_round_trip(release: Path, tmp_path: Path) -> None:
    rows = {row["id"]: row for config in ("kg", "ca", "qa", "tcm") for row in released(release, config, "test")}
    questions = list(read_jsonl(tmp_path / "run/splits/test/questions.jsonl", Question))
    assert rows.keys() == {question.id for question in questions}
    for question in questions:
        row = rows[question.id]
        assert {name: row[name] for name in question.__struct_fields__} == json.loads(to_line(question))
        texts = [option.text for option in question.options]
        assert [row[letter] for letter in "ABCDE"] == [*texts, *[None] * (5 - len(texts))]


def test_claims_round_trip(release: Path, tmp_path: Path) -> None:
    for split, name in (("train", "train"), ("dev", "validation"), ("test", "test")):
        claims = [json.loads(line) for line in (tmp_path / f"run/splits/{split}/claims.jsonl").open(encoding="utf-8")]
        assert released(release, "claims", name) == [claim | {"canary": canary()} for claim in claims]


@pytest.mark.parametrize(
    ("fields", "config"),
    [
        ({}, "kg"),
        ({"category": "ca"}, "ca"),
        ({"kind": "blank"}, "qa"),
        ({"kind": "qa", "category": "ca"}, "qa"),
        ({"exam": "TCM"}, "tcm"),
        ({"exam": "TCM", "form": "a1"}, "tcm"),
        ({"form": "b1"}, "tcm"),
        ({"exam": "TCM", "kind": "qa"}, "tcm"),
    ],
)
def test_each_kind_of_question_has_its_config(question, fields: dict[str, str], config: str) -> None:
    assert config_of(question(1, **fields)) == config


@pytest.mark.slow
def test_folder_contains_nothing_reserved(release: Path, tmp_path: Path) -> None:
    texts = [path.read_bytes() for path in release.rglob("*") if path.is_file()]
    cells = {
        str(value)
        for config in ("kg", "ca", "qa", "tcm", "claims")
        for split in ("train", "validation", "test")
        for row in released(release, config, split)
        for value in row.values()
    }
    reserved = [json.loads(line) for name in ("questions", "claims") for line in (tmp_path / f"run/splits/reserved/{name}.jsonl").open()]
    assert reserved
    for record in reserved:
        secrets = [record["id"], record.get("stem") or record["factual"], *filter(None, [record.get("group_id")])]
        assert not cells & set(secrets)
        assert not any(secret.encode() in text for text in texts for secret in secrets)


@pytest.mark.slow
def test_same_bytes_twice_whatever_was_there(release: Path, release_of, tmp_path: Path) -> None:
    (release / "harness/__pycache__").mkdir()  # left by running the tasks, and harmless
    (release / "harness/__pycache__/atomexam_tables.pyc").write_bytes(b"compiled")
    before = tree(release)
    (release / "kg/test-blank.parquet").write_bytes(b"old")
    (release / "harness/atomexam_old.yaml").write_text("task: old")
    (release / "README.md.part").write_text("half")
    (release / "old.md.part").write_text("half of what no run writes any more")
    (release / "sft/old.json").write_text("[]")
    release_of(tmp_path / "run")
    assert tree(release) == before


def test_checksums_cover_every_file(release: Path) -> None:
    lines = [line.split("  ") for line in (release / "SHA256SUMS").read_text().splitlines()]
    files = tree(release)
    del files["SHA256SUMS"]
    assert lines == sorted(lines, key=lambda line: Path(line[1]))
    assert {name: digest for digest, name in lines} == {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def test_every_row_and_text_carries_the_canary(release: Path) -> None:
    assert {row["canary"] for row in released(release, "kg", "test")} == {canary()}
    assert all(canary() in path.read_text(encoding="utf-8") for path in [release / "README.md", *release.glob("harness/*.yaml")])


@pytest.mark.parametrize(
    ("subject", "shown"),
    [
        ("<script>alert(1)</script>|[x](http://y)\n# 标题", r"&lt;script&gt;alert(1)&lt;/script&gt;\|\[x\](http://y) # 标题"),
        ("\x1b[31m甲\u202e乙\u2066\x00\u200b丙\ufeff", r"\[31m甲乙丙"),  # invisible characters that reverse a line or colour a terminal
    ],
)
def test_escapes_markup_and_controls_in_crawled_names(split_files, release_of, question, subject: str, shown: str) -> None:
    folder = release_of(split_files([question(n, subject=subject) for n in range(12)]))
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "<script>" not in card and "\n# 标题" not in card and f"| PCE | {shown} |" in card
    assert not {sign for sign in card if unicodedata.category(sign)[0] == "C"} - {"\n"}


def test_empty_release(split_files, release_of) -> None:
    folder = release_of(split_files([]))
    assert front_matter(folder)["configs"] == []
    assert not list(folder.rglob("*.parquet"))


def test_hub_reads_the_card_and_its_tables(release: Path) -> None:
    text = (release / "README.md").read_text(encoding="utf-8")
    data = DatasetCard(text).data
    assert (data.pretty_name, data.language, data.license, data.license_name) == ("AtomExam", ["zh"], "other", "sources-own-terms")
    body = text.split("---\n", 2)[2]
    parsed = MarkdownIt("commonmark").enable("table").parse(body)
    tables = sum(token.type == "table_open" for token in parsed)
    assert tables == len(re.findall(r"^\|-", body, re.MULTILINE)) >= 7
    rows = [row for table in re.findall(r"(?:^\|.*\n)+", body, re.MULTILINE) for row in table.splitlines()]
    assert len(rows) == sum(token.type == "tr_open" for token in parsed) + tables
    assert not [token for token in parsed if token.type == "html_block"]


def test_card_names_every_folder_and_file(release: Path) -> None:
    text = (release / "README.md").read_text(encoding="utf-8")
    assert all(
        f"`{path.name}{'/' * path.is_dir()}`" in text or f"`{path.name}`" in text for path in release.iterdir() if path.name != "README.md"
    )


def test_reports_an_invalid_url(split_files, release_of, question) -> None:
    seen = [Provenance(source="odd", url="http://[no", snapshot="2026-11-20", page_id="page-1", position="q1")]
    folder = release_of(split_files([question(n, provenance=seen) for n in range(12)]))
    assert re.search(r"^\| odd \| no address \| 2026-11-20 \| \d+ \|$", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
