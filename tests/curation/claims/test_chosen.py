"""The chosen claims, recorded in git: fresh clones, more facts, merges, with git and DVC as people use them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from ruamel.yaml import YAML

from atomexam.records.annotation import Review
from atomexam.records.fact import Alias
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from tests.curation.records import fact, seen

ROOT = Path(__file__).parents[3]
AS_SOMEBODY = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]


def run(folder: Path, *command: str) -> str:
    paths = {"PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    quiet = {"DVC_NO_ANALYTICS": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | paths | quiet)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def dvc(folder: Path) -> None:
    run(folder, sys.executable, "-m", "dvc", "repro", "-q", "claims")


def commit(folder: Path) -> None:
    run(folder, "git", "add", "-A")
    run(folder, "git", *AS_SOMEBODY, "commit", "-q", "-m", "more")


def state_facts(folder: Path, numbers: range) -> None:
    facts = [fact("disease_symptom", f"病{n}", f"症{n % 7}") for n in numbers]
    write_jsonl(folder / "data/unique/facts.jsonl", facts, key=lambda fact: fact.id)


def chosen(folder: Path) -> list[str]:
    lines = (folder / "curation/chosen.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line)["fact_id"] for line in lines]


@pytest.fixture
def repository(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "first"))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the stage as in dvc.yaml, its code elsewhere and facts in git."""
    yaml, folder = YAML(typ="safe", pure=True), tmp_path_factory.mktemp("chosen") / "first"
    stage = yaml.load(ROOT / "dvc.yaml")["stages"]["claims"]
    stage["deps"] = [dep for dep in stage["deps"] if dep.startswith("data/") or dep.endswith(("verdicts.jsonl", "decisions.jsonl"))]
    for dep in stage["deps"]:
        (folder / dep).parent.mkdir(parents=True, exist_ok=True)
        (folder / dep).touch()
    yaml.dump({"stages": {"claims": stage}}, folder / "dvc.yaml")
    yaml.dump({"claims": {"per_type": 40, "template": "paper", "seed": 1}}, folder / "params.yaml")
    (folder / ".gitattributes").write_bytes((ROOT / ".gitattributes").read_bytes())
    run(folder, "git", "init", "-q", "-b", "main")
    run(folder, sys.executable, "-m", "dvc", "init", "-q")
    state_facts(folder, range(200))
    dvc(folder)
    commit(folder)
    return folder


@pytest.mark.slow
def test_copied_review_line_decides_at_the_next_repro(repository: Path) -> None:
    said, denied = (fact("disease_infectivity", head, "传染性", polarity) for head, polarity in (("军团菌病", True), ("军团病", False)))
    write_jsonl(repository / "data/unique/facts.jsonl", [said, denied], key=lambda fact: fact.id)
    alias = Alias(name="军团菌病", alias="军团病", entity_type="disease", provenance=seen())
    write_jsonl(repository / "data/clean/aliases.jsonl", [alias], key=lambda row: row.name)
    dvc(repository)
    assert chosen(repository) == []
    [review] = read_jsonl(repository / "data/claims/review.jsonl", Review)
    for statement, one in zip(review.statements, sorted((said, denied), key=lambda one: one.id), strict=True):
        write_jsonl(repository / "curation/decisions.jsonl", [statement.decision], key=lambda row: row.id)
        dvc(repository)
        assert chosen(repository) == [one.id] and (repository / "data/claims/review.jsonl").read_bytes() == b""


def clone_of(folder: Path, name: str) -> Path:
    run(folder.parent, "git", "clone", "-q", str(folder), name)
    return folder.parent / name


@pytest.mark.slow
def test_fresh_clone_and_more_facts_keep_the_choice(repository: Path) -> None:
    before = chosen(repository)
    assert len(before) == 40
    clone = clone_of(repository, "clone")
    dvc(clone)  # its cache is empty
    assert chosen(clone) == before
    assert run(clone, "git", "status", "--porcelain") == ""
    state_facts(clone, range(220))
    dvc(clone)
    assert chosen(clone) == before
    (clone / "curation/chosen.jsonl").unlink()
    dvc(clone)
    assert len(chosen(clone)) == 40 and chosen(clone) != before


@pytest.mark.slow
def test_merges_two_branches_by_lines(repository: Path) -> None:
    before = set(chosen(repository))
    one, other = clone_of(repository, "one"), clone_of(repository, "other")
    for folder, numbers in ((one, range(20, 200)), (other, range(180))):
        state_facts(folder, numbers)
        dvc(folder)
        run(folder, "git", "checkout", "-q", "--", "data", "dvc.lock")  # the two differ only in the record of choices
        commit(folder)
    new = (set(chosen(one)) | set(chosen(other))) - before
    run(one, "git", *AS_SOMEBODY, "pull", "-q", "--no-rebase", "--no-edit", str(other), "main")
    merged = set(chosen(one))
    assert new and new <= merged
    dvc(one)
    after = set(chosen(one))  # the claims over the cap left, or the missing ones came
    assert len(after) == 40 and (after <= merged or merged <= after)
