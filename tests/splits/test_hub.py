"""A release on the Hub: sent in one commit, loaded unchanged, replaced by the next, and without anything reserved."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec import structs

from splits import hub
from splits.api import load_release
from splits.publish import check_files
from splits.publish import main as publish
from tests.splits import loopback_hub

NAME = "my-lab/atomexam"
LOADED = f"""
import json, sys, datasets, mlcroissant, huggingface_hub
rows = datasets.load_dataset("{NAME}", "kg", split="test", cache_dir=sys.argv[1])
folder = huggingface_hub.snapshot_download("{NAME}", repo_type="dataset", revision=sys.argv[2])
records = mlcroissant.Dataset(folder + "/croissant.json").records("kg")
answers = {{record["kg/id"].decode(): record["kg/answer"].decode() for record in records}}
print(json.dumps([dict(zip(rows["id"], rows["answer"])), {{key: answers[key] for key in rows["id"]}}]))
"""


@pytest.fixture
def sent(tmp_path: Path):
    """Send a release from its folder of splits to a Hub on loopback; return the output."""

    def run(server: loopback_hub.Hub, release: Path, splits: Path, token: str = loopback_hub.TOKEN, status: int = 0) -> str:
        words = ["--release", release, "--ledger", tmp_path / "released.jsonl", "--splits", splits / "splits", "--hub", NAME]
        return started(server, ["-m", "splits.publish", *words], tmp_path, token, status)

    return run


def started(server: loopback_hub.Hub, words: list, folder: Path, token: str = "", status: int = 0) -> str:
    own = {"HF_ENDPOINT": server.url, "HF_TOKEN": token, "HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
    done = subprocess.run(
        [sys.executable, *map(str, words)], env=os.environ | own, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == status, done.stderr[-3000:]
    assert not token or token not in done.stdout + done.stderr
    return done.stdout + done.stderr if status or token else done.stdout


@pytest.mark.slow
def test_sends_loads_and_replaces_a_release(sent, split_files, release_of, question, tmp_path: Path) -> None:
    questions = [question(number) for number in range(20)]

    def built(version: str) -> tuple[Path, Path]:
        folder = split_files(questions, name=version, assignments=f"{version}.ledger")
        shutil.rmtree(tmp_path / "release", ignore_errors=True)
        return release_of(folder, version=version), folder

    def loaded(server: loopback_hub.Hub, version: str) -> dict[str, str]:
        rows, records = json.loads(started(server, ["-c", LOADED, tmp_path / "cache", version], tmp_path).splitlines()[-1])
        assert rows == records
        return rows

    with loopback_hub.running() as server:
        release, splits = built("0.1.0")
        assert "401" in sent(server, release, splits, token="wrong", status=1) and server.refused
        assert not (tmp_path / "released.jsonl").read_bytes()  # a release that was not sent is not recorded
        assert f"{server.url}/datasets/{NAME}/tree/0.1.0" in sent(server, release, splits)
        assert server.private == {NAME: True} and set(server.tags[NAME]) == {"0.1.0"}
        assert set(server.commits[NAME][0][1]) == {*check_files(release), ".gitattributes"} and len(server.commits[NAME]) == 2
        first = loaded(server, "0.1.0")
        assert "already has version 0.1.0; raise `release.version`" in sent(server, release, splits, status=1)

        changed = min(first)
        questions = [structs.replace(one, answer="B") if one.id == changed else one for one in questions]
        release, splits = built("0.2.0")
        (release / "notes.txt").write_text("not of the release")
        sent(server, release, splits)
        assert set(server.commits[NAME][0][1]) == {*check_files(release), ".gitattributes"}
        assert set(first.values()) == {"A"} and loaded(server, "0.2.0") == first | {changed: "B"}


def test_prints_the_plan_without_a_token(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    words = ["--release", str(release), "--ledger", str(tmp_path / "released.jsonl"), "--splits", str(tmp_path / "run/splits")]
    publish([*words, "--hub", NAME])
    said = capsys.readouterr()
    assert f"/datasets/{NAME}, revision 0.1.0" in said.out and "nothing was recorded or sent: HF_TOKEN is not set" in said.err
    for file in check_files(release):
        assert f"{(release / file).stat().st_size:,}  {file}\n" in said.out
    assert not (tmp_path / "released.jsonl").read_bytes()
    for name, error in (("atomexam", "expected OWNER/NAME, such as my-lab/atomexam"), ("a/b/c", "--hub a/b/c: ")):
        with pytest.raises(ValueError, match=error):
            publish([*words, "--hub", name])


@pytest.mark.slow
def test_replaces_only_an_earlier_release(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from huggingface_hub import constants

    ledger = tmp_path / "released.jsonl"
    words = ["--release", str(release), "--ledger", str(ledger), "--splits", str(tmp_path / "run/splits"), "--hub", NAME]
    earlier = {"SHA256SUMS": b"0" * 64 + b"  kg/old.parquet\n", "kg/old.parquet": b"", "notes.txt": b"mine", ".gitattributes": b""}

    def refused(error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message) as caught:
            publish(words)
        assert not ledger.read_bytes() and "SECRET" not in str(caught.value)

    with loopback_hub.running() as server:
        for name, value in (("ENDPOINT", server.url), ("HF_HUB_OFFLINE", False), ("HF_HUB_CACHE", str(tmp_path / "cache"))):
            monkeypatch.setattr(constants, name, value)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", server.url + "/{repo_id}/resolve/{revision}/{filename}")
        monkeypatch.setenv("HF_TOKEN", "hf_SECRET\nX")
        refused(ValueError, "HF_TOKEN contains a character that no token has")
        monkeypatch.setenv("HF_TOKEN", loopback_hub.TOKEN)
        server.tags[NAME], server.private[NAME] = {}, False
        server.commits[NAME] = [("1" * 40, {"data/train.csv": b"mine"})]
        refused(ValueError, f"{NAME} contains data/train.csv but no SHA256SUMS")
        server.commits[NAME] = [("1" * 40, earlier)]
        server.tags[NAME] = {"0.1.0": "1" * 40}
        refused(ValueError, "already has version 0.1.0")
        assert server.commits[NAME] == [("1" * 40, earlier)]
        server.tags[NAME] = {}
        with monkeypatch.context() as patch:
            patch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
            refused(ConnectionError, "http://127.0.0.1:9: .*; version 0.1.0 is not recorded")
        capsys.readouterr()
        publish(words)
        assert set(server.commits[NAME][0][1]) == {*check_files(release), "notes.txt", ".gitattributes"} and ledger.read_bytes()
        assert f"deleted  kg/old.parquet\n{NAME} is public\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["../../x", "/etc/hostname", "kg/../../x"])
def test_rejects_a_path_outside_the_release(tmp_path: Path, name: str) -> None:
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  {name}\n")
    with pytest.raises(ValueError, match="a path within the folder"):
        check_files(tmp_path)


def test_does_not_load_a_file_without_a_checksum(release: Path) -> None:
    rows = load_release(release, "kg", "test")
    pq.write_table(pa.table({"id": ["q-1"]}), release / "kg/test-more.parquet")
    assert len(rows) and len(load_release(release, "kg", "test")) == len(rows)


def test_does_not_send_a_file_that_names_a_reserved_record(release: Path, tmp_path: Path) -> None:
    files = check_files(release)
    reserved = {json.loads(line)["id"] for line in (tmp_path / "run/splits/reserved/questions.jsonl").read_text().splitlines()}
    hub.refuse_reserved(release, files, reserved)
    one = sorted(reserved)[0]
    for before, after in (("", ""), ("see\n", ""), ("id", "a"), ("第", "页")):
        (release / "leaks.jsonl").write_text(json.dumps({"text": before + one + after}, ensure_ascii=False) + "\n")
        with pytest.raises(ValueError, match=f"leaks.jsonl mentions {one}, which is reserved, so nothing was sent"):
            hub.refuse_reserved(release, files, reserved)
    pq.write_table(pa.table({"id": ["q-1"], "options": [[{"text": f"as in {one}"}]]}), release / "a.parquet")
    with pytest.raises(ValueError, match=rf"a\.parquet mentions {one}"):
        hub.refuse_reserved(release, ["a.parquet"], reserved)
    with pytest.raises(ValueError, match=r"\.parquet mentions .*, which is reserved"):
        hub.refuse_reserved(release, files, {json.loads((release / "history.jsonl").read_text().splitlines()[0])["id"]} - reserved)
