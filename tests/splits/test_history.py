"""Item history: the changes of a version, from former versions and the current items; published versions never change."""

import json
import re
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from atomexam.records.blocks import Release
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.publish import main as publish
from splits.publish import refuse_stopped
from splits.release.history import Change, Item, add_version, in_order, item_of, item_states, order_of, refuse_trained

ITEMS = st.dictionaries(
    st.sampled_from("abcdef"), st.builds(Item, st.sampled_from(["kg", "ca"]), st.sampled_from(["train", "test"]), st.sampled_from("12"))
)


def there(ledger: list[Change]) -> dict[str, Item]:
    return {key: item for key, (item, held) in item_states(ledger).items() if held}


@pytest.mark.slow
@given(st.lists(ITEMS, min_size=1, max_size=5))
def test_ledger_gives_the_items_of_each_version(versions: list[dict[str, Item]]) -> None:
    ledger: list[Change] = []
    for number, items in enumerate(versions):
        ledger = add_version(ledger, items, f"0.{number}.0")
        assert there(ledger) == items
        assert add_version(ledger, items, f"0.{number}.0") == ledger
    for number, items in enumerate(versions):
        assert there([change for change in ledger if int(change.version.split(".")[1]) <= number]) == items


@pytest.mark.slow
@given(ITEMS, ITEMS, st.randoms(use_true_random=False))
def test_order_and_duplicates_of_a_merged_ledger_do_not_matter(one: dict[str, Item], two: dict[str, Item], random) -> None:
    ledger = add_version(add_version([], one, "0.1.0"), two, "0.10.0")
    merged = random.sample(ledger * 2, 2 * len(ledger))
    assert in_order(merged) == in_order(ledger)
    assert add_version(merged, two, "0.11.0") == in_order(ledger)


def test_each_kind_of_change() -> None:
    stays, old = Item("kg", "train", "1"), Item("kg", "train", "9")
    ledger = add_version([], {"stays": stays, "edited": old, "moved": stays, "gone": stays}, "0.9.0")
    now = {"stays": stays, "edited": stays, "moved": Item("kg", "test", "1"), "new": stays}
    ledger = add_version(ledger, now, "0.10.0")
    told = {change.id: change.change for change in ledger if change.version == "0.10.0"}
    assert told == {"edited": "edited", "moved": "moved", "gone": "removed", "new": "added"}
    ledger = add_version(ledger, now | {"gone": stays}, "0.11.0")
    assert [(change.id, change.change) for change in ledger if change.version == "0.11.0"] == [("gone", "returned")]


def test_moved_and_edited_item_counts_as_moved() -> None:
    """Its position matters most to users: an edit shows in its hash."""
    ledger = add_version(add_version([], {"a": Item("kg", "train", "1")}, "0.1.0"), {"a": Item("kg", "validation", "2")}, "0.2.0")
    assert [(change.change, change.split, change.sha256) for change in ledger] == [("added", "train", "1"), ("moved", "validation", "2")]


def test_does_not_build_a_published_version_with_other_items() -> None:
    item = Item("kg", "train", "1")
    ledger = add_version([], {"a": item}, "1.0.0")
    with pytest.raises(ValueError, match=r"1\.0\.0 was already published with different items, such as b; raise `release\.version`"):
        add_version(ledger, {"a": item, "b": item}, "1.0.0")
    with pytest.raises(ValueError, match=r"1\.0\.0 was already published with different items, such as a; raise `release\.version`"):
        add_version(ledger, {"a": item._replace(sha256="2")}, "1.0.0")
    with pytest.raises(ValueError, match=r"version 0\.9\.0 is earlier than 1\.0\.0, which is published"):
        add_version(ledger, {"a": item}, "0.9.0")


@pytest.mark.parametrize("version", ["1.0", "01.0.0", "1.0.0\n", "1.0.0-rc", "١.0.0"])
def test_version_has_one_spelling(version: str) -> None:
    """`order_of` reads 01.0.0 as 1.0.0, and the ledger would have one version under two names."""
    with pytest.raises(msgspec.ValidationError, match="regex"):
        msgspec.convert({"version": version}, Release)


@pytest.mark.parametrize("untold", ["provenance", "canary", "cluster_id", "group_id", "fact_ids"])
def test_new_answer_is_an_edit_but_sightings_and_kin_are_not(untold: str) -> None:
    row = {"id": "q", "stem": "问", "answer": "A", untold: "before"}
    assert item_of(row, "kg", "test") == item_of(row | {untold: "after"}, "kg", "test") != item_of(row | {"answer": "B"}, "kg", "test")


@pytest.mark.parametrize("split", ["train", "validation"])
@pytest.mark.parametrize("later", [[], ["removed", "test"], ["moved", "train"]])
def test_releases_published_test_items_nowhere_else(split: str, later: list[str]) -> None:
    """Not in dev either, nor if a line from a merge says that it has moved since."""
    lines = [("0.1.0", "added", "test"), *([("0.2.0", *later)] if later else [])]
    ledger = [Change(version=version, id="a", change=kind, config="kg", split=where, sha256="1") for version, kind, where in lines]
    with pytest.raises(ValueError, match=f"a was published in test and is now in {split}"):
        refuse_trained(ledger, {"a": Item("kg", split, "1")})
    refuse_trained(ledger, {"a": Item("kg", "test", "1"), "b": Item("kg", split, "1")})


@pytest.mark.parametrize("stopped", ["validation", "leaks"])
def test_does_not_publish_a_release_older_than_a_stopped_run(tmp_path: Path, stopped: str) -> None:
    refuse_stopped(tmp_path)
    (tmp_path / stopped).mkdir()
    with pytest.raises(ValueError, match=f"{stopped}: the last run stopped here, so the release is from an earlier one"):
        refuse_stopped(tmp_path)
    (tmp_path / stopped / "passed.json").touch()
    refuse_stopped(tmp_path)


@pytest.mark.slow
def test_next_card_lists_the_changes(split_files, release_of, pool, claims, tmp_path: Path) -> None:
    first = release_of(split_files(pool, claims))
    ledger = tmp_path / "released.jsonl"
    publish(["--release", str(first), "--ledger", str(ledger)])
    assert ledger.read_bytes() == (first / "history.jsonl").read_bytes()
    path = tmp_path / "run/splits/train/questions.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    shots = tmp_path / "run/splits/shots.jsonl"
    removed = json.loads(lines[0])["id"]
    shots.write_text("".join(line for line in shots.read_text(encoding="utf-8").splitlines(keepends=True) if removed not in line), "utf-8")
    edited = json.loads(lines[1]) | {"explanation": "因为……"}
    path.write_text("\n".join([json.dumps(edited, ensure_ascii=False), *lines[2:], ""]), encoding="utf-8")
    with pytest.raises(ValueError, match="was already published with different items"):
        release_of(tmp_path / "run")
    second = release_of(tmp_path / "run", "second", "0.2.0")
    changes = [change for change in read_jsonl(second / "history.jsonl", Change) if change.version == "0.2.0"]
    assert {change.id: change.change for change in changes} == {edited["id"]: "edited", removed: "removed"}
    card = (second / "README.md").read_text(encoding="utf-8")
    assert "| 0.2.0 | 0 | 1 | 0 | 1 | 0 |\n| 0.1.0 | " in card and "version: 0.2.0\n" in card
    publish(["--release", str(second), "--ledger", str(ledger)])
    third = release_of(tmp_path / "run", "third", "0.3.0")
    assert "| 0.3.0 | 0 | 0 | 0 | 0 | 0 |\n| 0.2.0 | " in (third / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_publish_prints_the_version_and_what_not_to_share(split_files, release_of, pool, claims, tmp_path: Path, capsys) -> None:
    ledger = tmp_path / "released.jsonl"
    folder = split_files(pool, claims)
    words = ["--release", str(release_of(folder)), "--ledger", str(ledger)]
    publish([*words, "--dry-run"])
    assert re.search(r"version 0\.1\.0: \d+ added; nothing was recorded", capsys.readouterr().err)
    assert not ledger.exists() or not ledger.read_bytes()
    publish(words)
    told = capsys.readouterr().err
    assert re.search(r"version 0\.1\.0: \d+ added; run `dvc repro release`", told) and "splits/assignments.jsonl" in told
    before = ledger.read_bytes()
    publish(["--release", str(release_of(folder, "second", "0.2.0")), "--ledger", str(ledger)])
    assert "version 0.2.0: no item changed" in capsys.readouterr().err and ledger.read_bytes() == before


def test_history_contains_nothing_reserved(release: Path, tmp_path: Path) -> None:
    told = {change.id for change in read_jsonl(release / "history.jsonl", Change)}
    reserved = {
        json.loads(line)["id"] for name in ("questions", "claims") for line in (tmp_path / f"run/splits/reserved/{name}.jsonl").open()
    }
    assert told and reserved and not told & reserved


def test_history_names_the_tables_of_the_items(release: Path) -> None:
    told = {(change.config, change.split, change.id) for change in read_jsonl(release / "history.jsonl", Change)}
    tables = {path: pq.read_table(path, columns=["id"]).to_pylist() for path in release.rglob("*.parquet")}
    assert told == {(path.parent.name, path.name.split("-")[0], row["id"]) for path, rows in tables.items() for row in rows}


@pytest.mark.parametrize("file", ["history.jsonl", "leaks.jsonl"])
def test_does_not_publish_a_changed_or_incomplete_release(release: Path, tmp_path: Path, file: str) -> None:
    (release / file).unlink() if file == "leaks.jsonl" else (release / file).write_bytes(b"\n")
    with pytest.raises(ValueError, match=rf"{file} does not match SHA256SUMS"):
        publish(["--release", str(release), "--ledger", str(tmp_path / "released.jsonl")])


def test_publishes_versions_in_numerical_order(split_files, release_of, pool, tmp_path: Path) -> None:
    ledger = tmp_path / "released.jsonl"
    for number, version in ((20, "0.9.0"), (40, "0.10.0")):
        release = release_of(split_files(pool[:number]), version=version)
        publish(["--release", str(release), "--ledger", str(ledger)])
        assert ledger.read_bytes() == (release / "history.jsonl").read_bytes()
    told = [change.version for change in read_jsonl(ledger, Change)]
    assert set(told) == {"0.9.0", "0.10.0"} and told == sorted(told, key=order_of)


def test_does_not_publish_a_release_built_from_another_ledger(release: Path, tmp_path: Path) -> None:
    known = next(read_jsonl(release / "history.jsonl", Change))
    (tmp_path / "released.jsonl").write_bytes(to_line(structs.replace(known, version="0.0.1")))
    with pytest.raises(ValueError, match=r"of version 0\.0\.1 is not in .*history\.jsonl"):
        publish(["--release", str(release), "--ledger", str(tmp_path / "released.jsonl")])


@given(
    st.permutations(
        [
            Change(version="0.1.0", id="a", change="added", config="kg", split=split, sha256=sha)
            for split in ("train", "test")
            for sha in "12"
        ]
    )
)
def test_merges_two_branches_that_published_one_version(lines: list[Change]) -> None:
    assert in_order(lines) == sorted(lines, key=lambda change: (change.split, change.sha256))
