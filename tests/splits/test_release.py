"""Stage `release`: the folder opens as it is, holds nothing of reserved, and comes out the same twice."""

import hashlib
import json
import socket
from pathlib import Path

import jinja2
import pyarrow.parquet as pq
import pytest
from ruamel.yaml import YAML

from records.jsonl import read_jsonl, to_line
from records.question import Question
from splits.card import canary
from splits.release import main


@pytest.fixture
def release(split_files, pool, claims, tmp_path: Path) -> Path:
    folder = split_files(pool, claims, quota__tf="1")
    main(["--splits", str(folder / "splits"), "--out", str(tmp_path / "release")])
    return tmp_path / "release"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr("datasets.config.HF_DATASETS_OFFLINE", True)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def released(folder: Path, config: str, split: str) -> list[dict]:
    return [row for path in sorted((folder / config).glob(f"{split}-*.parquet")) for row in pq.read_table(path).to_pylist()]


def front_matter(folder: Path) -> dict:
    return YAML(typ="safe").load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


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


def test_questions_come_out_as_they_went_in(release: Path, tmp_path: Path) -> None:
    rows = {row["id"]: row for config in ("kg", "ca", "qa", "tcm") for row in released(release, config, "test")}
    questions = list(read_jsonl(tmp_path / "run/splits/test/questions.jsonl", Question))
    assert rows.keys() == {question.id for question in questions}
    for question in questions:
        row = rows[question.id]
        assert {name: row[name] for name in question.__struct_fields__} == json.loads(to_line(question))
        assert [row[letter] for letter in "ABCDE"] == ([option.text for option in question.options] or [None] * 5)


def test_nothing_of_reserved_is_in_the_folder(release: Path, tmp_path: Path) -> None:
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


def test_it_needs_no_reserved_split_at_all(split_files, pool, claims, tmp_path: Path) -> None:
    folder = split_files(pool, claims)
    main(["--splits", str(folder / "splits"), "--out", str(tmp_path / "with")])
    for path in (folder / "splits/reserved").iterdir():
        path.unlink()
    main(["--splits", str(folder / "splits"), "--out", str(tmp_path / "without")])
    assert tree(tmp_path / "with") == tree(tmp_path / "without")


def test_twice_the_same_bytes_whatever_lay_there(release: Path, tmp_path: Path) -> None:
    before = tree(release)
    (release / "kg/test-blank.parquet").write_bytes(b"old")
    (release / "harness/atomexam_old.yaml").write_text("task: old")
    (release / "README.md.part").write_text("half")
    main(["--splits", str(tmp_path / "run/splits"), "--out", str(release)])
    assert tree(release) == before


def test_checksums_cover_every_file(release: Path) -> None:
    lines = [line.split("  ") for line in (release / "SHA256SUMS").read_text().splitlines()]
    files = tree(release)
    del files["SHA256SUMS"]
    assert {name: digest for digest, name in lines} == {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def test_every_row_and_text_carries_the_canary(release: Path) -> None:
    assert {row["canary"] for row in released(release, "kg", "test")} == {canary()}
    assert all(canary() in path.read_text(encoding="utf-8") for path in [release / "README.md", *release.glob("harness/*.yaml")])


def test_task_files_fit_the_tables(release: Path) -> None:
    """The harness renders the templates of a task file with the columns of a row."""
    tasks = {path.stem: YAML(typ="safe").load(path.read_text(encoding="utf-8")) for path in release.glob("harness/*.yaml")}
    assert sorted(tasks.pop("atomexam")["task"]) == sorted(tasks)
    assert {"atomexam_kg_mcqa", "atomexam_kg_tf", "atomexam_ca_mrqa", "atomexam_tcm_mcqa", "atomexam_claims_non_factual"} <= set(tasks)
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    for name, task in tasks.items():
        assert task["task"] == name
        for file in task["dataset_kwargs"]["data_files"].values():
            assert (release / file).is_file()
        row = pq.read_table(release / task["dataset_kwargs"]["data_files"]["test"]).to_pylist()[0]
        prompt = environment.from_string(task["doc_to_text"]).render(row)
        assert (row.get("stem") or row[name.removeprefix("atomexam_claims_")]) in prompt
        assert name.startswith("atomexam_claims") or prompt.endswith("\nE. " + row["E"] + "\n答案：")
        if isinstance(task.get("doc_to_choice"), str):
            assert environment.from_string(task["doc_to_choice"]).render(row) == str(list("ABCDE"))
            assert row[task["doc_to_target"]] in "ABCDE"


def test_crawled_names_are_no_markup(split_files, question, tmp_path: Path) -> None:
    subject = "<script>alert(1)</script>|[x](http://y)\n# 标题"
    folder = split_files([question(n, subject=subject) for n in range(12)])
    main(["--splits", str(folder / "splits"), "--out", str(tmp_path / "release")])
    card = (tmp_path / "release/README.md").read_text(encoding="utf-8")
    assert "<script>" not in card and "\n# 标题" not in card
    assert r"| PCE | &lt;script&gt;alert(1)&lt;/script&gt;\|\[x\](http://y) # 标题 |" in card


def test_nothing_to_release(split_files, tmp_path: Path) -> None:
    folder = split_files([])
    main(["--splits", str(folder / "splits"), "--out", str(tmp_path / "release")])
    assert front_matter(tmp_path / "release")["configs"] == []
    assert not list((tmp_path / "release").rglob("*.parquet"))
