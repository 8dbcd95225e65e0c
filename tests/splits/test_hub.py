"""A release on the Hub: sent as one commit, loaded as it is, also the next one, and nothing of reserved."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs

from splits import hub
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
    """Send a release from its folder of splits to a Hub on loopback; return what is said."""

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
def test_a_release_is_sent_loaded_and_replaced(sent, split_files, release_of, question, tmp_path: Path) -> None:
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
        assert f"{server.url}/datasets/{NAME}/tree/0.1.0" in sent(server, release, splits)
        assert server.private == {NAME: True} and set(server.tags[NAME]) == {"0.1.0"}
        assert set(server.commits[NAME][0][1]) == {*hub.files_of(release), ".gitattributes"} and len(server.commits[NAME]) == 2
        first = loaded(server, "0.1.0")
        assert "has version 0.1.0 already; raise `release.version`" in sent(server, release, splits, status=1)

        changed = min(first)
        questions = [structs.replace(one, answer="B") if one.id == changed else one for one in questions]
        release, splits = built("0.2.0")
        (release / "notes.txt").write_text("not of the release")
        sent(server, release, splits)
        assert set(server.commits[NAME][0][1]) == {*hub.files_of(release), ".gitattributes"}
        assert set(first.values()) == {"A"} and loaded(server, "0.2.0") == first | {changed: "B"}


def test_without_a_key_it_says_what_would_go(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    words = ["--release", str(release), "--ledger", str(tmp_path / "released.jsonl"), "--splits", str(tmp_path / "run/splits")]
    publish([*words, "--hub", NAME])
    said = capsys.readouterr()
    assert f"/datasets/{NAME}, revision 0.1.0" in said.out and "nothing was recorded or sent: HF_TOKEN is not set" in said.err
    for file in hub.files_of(release):
        assert f"{(release / file).stat().st_size:,}  {file}\n" in said.out
    assert not (tmp_path / "released.jsonl").read_bytes()
    for name, error in (("atomexam", "expected OWNER/NAME, such as my-lab/atomexam"), ("a/b/c", "--hub a/b/c: ")):
        with pytest.raises(ValueError, match=error):
            publish([*words, "--hub", name])


def test_a_file_that_names_a_reserved_record_is_not_sent(release: Path, tmp_path: Path) -> None:
    files = hub.files_of(release)
    reserved = {json.loads(line)["id"] for line in (tmp_path / "run/splits/reserved/questions.jsonl").read_text().splitlines()}
    hub.refuse_reserved(release, files, reserved)
    one = sorted(reserved)[0]
    (release / "leaks.jsonl").write_text(json.dumps({"id": one}) + "\n")
    with pytest.raises(ValueError, match=f"leaks.jsonl names {one}, which is reserved; nothing was sent"):
        hub.refuse_reserved(release, files, reserved)
    with pytest.raises(ValueError, match=r"\.parquet names .*, which is reserved"):
        hub.refuse_reserved(release, files, {json.loads((release / "history.jsonl").read_text().splitlines()[0])["id"]} - reserved)
