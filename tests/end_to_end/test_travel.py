"""Data travel with the commits that name them: two people and a remote, an old version, stages without the files they came from."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.banks import questions
from tests.end_to_end.conftest import Clone

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("travel")]

ROOT = Path(__file__).parents[2]
AUTHOR = ("-c", "user.name=test", "-c", "user.email=test@example.org")
UP_TO = "leaks"
PULL = ("dvc", "pull", "--quiet", "--allow-missing")  # later stages were never built


def small(params: dict) -> None:
    models = {name: params["models"][name] for name in ("random",)}
    runs = {name: params["runs"][name] for name in ("random-choice",)}
    params.update(sources={}, imports={}, models=models, runs=runs, finetune={}, judges={})


def colleague(hub: Path, folder: Path, remote: Path) -> Clone:
    clone = Clone(hub, folder, is_as_committed=True)
    add_store(clone, remote)
    return clone


def add_store(clone: Clone, remote: Path) -> None:
    clone.configure("core", remote="store")
    clone.configure('remote "store"', url=remote)


def write(path: Path, *banks: tuple[str, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line for seed, count in banks for line in questions(seed, count)))


def name_in_params(clone: Clone, name: str, path: str) -> None:
    params = clone.folder / "params.yaml"
    text = params.read_text(encoding="utf-8").replace("imports: {}\n", "imports:\n")
    params.write_text(text.replace("imports:\n", f"imports:\n  {name}: {{path: {path}}}\n"), encoding="utf-8")


def make(clone: Clone, *stages: str) -> subprocess.CompletedProcess:
    return clone.run("python", "-m", "scripts.repro", *stages)


def publish(clone: Clone, message: str) -> None:
    clone.commit(message)
    clone.run("git", "push", "--quiet", "origin", "HEAD:main")
    clone.run("dvc", "push", "--quiet")


def counted(clone: Clone, name: str) -> dict:
    return json.loads((clone.folder / "metrics" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The clone of one who added 600 questions and pushed them, as v1."""
    folder = tmp_path_factory.mktemp("travel")
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", folder / "hub"], check=True)
    clone = Clone(ROOT, folder / "first")
    clone.edit_params(small)
    clone.run("git", "remote", "set-url", "origin", str(folder / "hub"))
    add_store(clone, folder / "store")
    write(clone.folder / "imports/aa/bank.jsonl", ("aa", 600))
    name_in_params(clone, "aa", "imports/aa")
    make(clone, UP_TO)
    publish(clone, "600 questions")
    clone.run("git", "tag", "v1")
    clone.run("git", "push", "--quiet", "origin", "v1")
    return clone


def test_the_files_are_tracked_and_git_has_none_of_them(first: Clone) -> None:
    listed = first.run("git", "ls-files", "imports").stdout.split()
    assert [name for name in listed if not name.endswith("README.md")] == ["imports/aa.dvc"]
    assert first.changed() == ""


def test_an_old_version_elsewhere(first: Clone, tmp_path: Path) -> None:
    """Nothing is to be done; what was added and removed is gone from the data; later stages do without the files."""
    other = colleague(first.folder.parent / "hub", tmp_path / "other", first.folder.parent / "store")
    other.run("git", "checkout", "--quiet", "v1")
    other.run(*PULL)
    assert other.ran(UP_TO) == set() and other.changed() == ""
    write(other.folder / "imports/bb/bank.jsonl", ("bb", 5))
    name_in_params(other, "bb", "imports/bb")
    make(other, "read@bb")
    assert (other.folder / "imports/bb.dvc").exists()
    other.run("dvc", "remove", "imports/bb.dvc", "--outs")
    text = (other.folder / "params.yaml").read_text(encoding="utf-8")
    (other.folder / "params.yaml").write_text(text.replace("  bb: {path: imports/bb}\n", ""), encoding="utf-8")
    make(other, "read")
    assert sorted(path.name for path in (other.folder / "data/items").iterdir()) == ["aa.jsonl"]
    assert not (other.folder / "imports/bb").exists()

    shutil.rmtree(other.folder / "imports/aa")
    shutil.rmtree(other.folder / ".dvc/cache")
    other.edit_params(lambda params: params["leaks"].update(contained=0.9))
    done = make(other, "--allow-missing", UP_TO)
    assert "imports.aa: imports/aa is missing: `dvc pull imports/aa.dvc` fetches it" in done.stderr
    assert sum(counted(other, "split")["questions"].values()) == 600


def test_two_people_add_data_at_once(first: Clone, tmp_path: Path) -> None:
    hub, store = first.folder.parent / "hub", first.folder.parent / "store"
    second = colleague(hub, tmp_path / "second", store)
    second.run(*PULL)
    assert second.ran("release") == {"release"}
    write(second.folder / "imports/bb/bank.jsonl", ("bb", 60), ("aa", 20))
    write(second.folder / "imports/aa/more.jsonl", ("more", 30))
    name_in_params(second, "bb", "imports/bb")
    make(second, "read@aa", "read@bb", "clean")
    publish(second, "60 others, and 20 known ones")

    bank = first.folder / "imports/aa/bank.jsonl"
    write(bank.rename(bank.with_name("renamed.jsonl")), ("aa", 650))
    write(first.folder / "imports/cc.jsonl", ("cc", 40))
    name_in_params(first, "cc", "imports/cc.jsonl")
    make(first, "read@aa", "read@cc")
    first.commit("50 more, and a file")
    first.run("git", "fetch", "--quiet", "origin")
    assert first.run("git", *AUTHOR, "merge", "origin/main", check=False).returncode
    conflicts = set(first.run("git", "diff", "--name-only", "--diff-filter=U").stdout.split())
    assert {"imports/aa.dvc", "dvc.lock"} <= conflicts and {name.split("/")[0] for name in conflicts} <= {"imports", "dvc.lock", "metrics"}
    page = (ROOT / "docs/sharing.md").read_text(encoding="utf-8")
    joining = re.findall(r"^    (git config merge.*|git checkout (?:--theirs|-m) .*)$", page, re.MULTILINE)
    first.run("bash", "-ec", "\n".join(joining).replace("my_books", "aa"))
    first.run(*PULL)
    make(first, UP_TO)
    publish(first, "merged")
    assert sorted(path.name for path in (first.folder / "imports/aa").iterdir()) == ["more.jsonl", "renamed.jsonl"]
    assert counted(first, "clean")["questions"]["in"] == 650 + 30 + 60 + 20 + 40
    found = {name: check["questions"] for name, check in counted(first, "leaks").items() if "questions" in check}
    assert len(found) > 10 and set(found.values()) == {0}

    second.run("git", "pull", "--quiet", "--ff-only", "origin", "main")
    second.run("dvc", "pull", "--quiet", "imports/aa.dvc", "imports/cc.jsonl.dvc")
    assert second.ran("clean") == {"read@aa", "read@cc", "clean"}
    assert second.changed() == ""  # the bytes are those of the first
    second.run(*PULL)
    assert second.ran(UP_TO) == set() and second.changed() == ""


def test_what_is_pushed_for_the_public_is_the_release(first: Clone, tmp_path: Path) -> None:
    first.configure('remote "public"', url=tmp_path / "public")
    first.repro("release")
    page = (ROOT / "docs/sharing.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^    (dvc push --remote public \w+)", page, re.MULTILINE)
    first.run(*command.split())
    released = {hashlib.md5(path.read_bytes()).hexdigest() for path in (first.folder / "data/release").rglob("*") if path.is_file()}
    pushed = {path.parent.name + path.name for path in (tmp_path / "public").rglob("*") if path.is_file()}
    assert {name for name in pushed if not name.endswith(".dir")} == released != set()


def test_a_bucket_is_a_remote(first: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dvc_s3")
    boto3, moto = pytest.importorskip("boto3"), pytest.importorskip("moto.server")
    for name, value in (("ACCESS_KEY_ID", "none"), ("SECRET_ACCESS_KEY", "none"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        address = "http://{}:{}".format(*server.get_host_and_port())
        boto3.client("s3", endpoint_url=address).create_bucket(Bucket="team")
        other = Clone(first.folder, tmp_path / "other", is_as_committed=True)
        for clone in (first, other):
            clone.configure('remote "bucket"', url="s3://team/atomexam", endpointurl=address)
        first.run("dvc", "push", "--quiet", "--remote", "bucket", "--with-deps", "clean")
        other.run("dvc", "pull", "--quiet", "--remote", "bucket", "--with-deps", "clean")
        assert other.ran("clean") == set() and other.changed() == ""
    finally:
        server.stop()
