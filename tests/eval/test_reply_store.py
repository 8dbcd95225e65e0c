"""The store of replies: what it finds, and what other processes, kills and full disks do to its files."""

import shutil
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.runtime.jsonl import read_jsonl, to_line
from eval.models.contract import Reply
from eval.models.reply_store import Store, StoredReply, open_store


class Brimful(FileIO):
    """A file on a disk with room for half of what is written."""

    def write(self, line: bytes) -> int:
        return super().write(line[: len(line) // 2])


def test_half_a_line_ends_the_run_though_the_disk_says_nothing(tmp_path: Path) -> None:
    """A short write is no error of its own; going on would leave a torn line between whole ones."""
    with (
        Brimful(tmp_path / "kept.jsonl", "ab") as out,
        pytest.raises(OSError, match=r"kept.jsonl: a reply could not be stored: No space left"),
    ):
        Store(tmp_path / "kept.jsonl", out).add("k", Reply(text="答", finish_reason="stop", tokens=1))


@pytest.mark.slow
@given(before=st.lists(st.binary(max_size=9), max_size=4), torn=st.binary(max_size=9))
def test_of_a_store_only_what_follows_the_last_line_is_cut(before: list[bytes], torn: bytes) -> None:
    whole = b"".join(line.replace(b"\n", b" ") + b"\n" for line in before)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kept.jsonl"
        path.write_bytes(whole + torn.replace(b"\n", b" "))
        with open_store(path):
            assert path.read_bytes() == whole


@pytest.mark.slow
@given(
    steps=st.lists(st.tuples(st.sampled_from(["own", "a", "b", "z"]), st.integers(0, 9), st.integers(0, 99)), max_size=40),
    looks=st.sets(st.integers(0, 40)),
)
def test_a_store_finds_what_a_dict_would(steps: list[tuple[str, int, int]], looks: set[int]) -> None:
    """Replies written by this process and others, looked for in between; its own stay, then those of later files and lines."""
    written: dict[str, dict[str, str]] = {name: {} for name in ("a", "b", "z", "own")}
    with TemporaryDirectory() as folder, open_store(Path(folder) / "own.jsonl") as store:
        for number, (name, key, text) in enumerate(steps):
            reply = Reply(text=str(text), finish_reason="stop", tokens=1)
            if name == "own":
                store.add(f"k{key}", reply)
            else:
                with open(Path(folder) / f"{name}.jsonl", "ab", buffering=0) as out:
                    Store(Path(folder) / f"{name}.jsonl", out).add(f"k{key}", reply)
            written[name][f"k{key}"] = str(text)
            if number in looks:
                store.find([f"k{key}"])
        found = store.find(f"k{key}" for key in range(12))
    wanted: dict[str, str] = {}
    for rows in written.values():
        wanted |= rows
    assert {key: reply.text for key, reply in found.items()} == wanted


def kept_line(key: str, text: str) -> bytes:
    return to_line(StoredReply(key=key, reply=Reply(text=text, finish_reason="stop", tokens=1)))


def texts_of(store: Store, *keys: str) -> dict[str, str]:
    return {key: reply.text for key, reply in store.find(keys).items()}


@pytest.mark.parametrize("grown", [False, True])
def test_a_file_that_another_took_the_place_of_is_read_from_its_beginning(grown: bool, tmp_path: Path) -> None:
    """As `rsync` and editors write: the old file is open to the end, what it had stays known."""
    other, made = tmp_path / "other.jsonl", tmp_path / "made"
    other.write_bytes(kept_line("k1", "a" * 50))
    with open_store(tmp_path / "own.jsonl") as store:
        assert texts_of(store, "k1") == {"k1": "a" * 50}
        if grown:
            with open(other, "ab") as out:
                out.write(kept_line("k3", "c"))
        made.write_bytes(kept_line("k9", "z") + kept_line("k2", "b" * 200))
        made.replace(other)
        assert texts_of(store, "k1", "k2", "k9") == {"k1": "a" * 50, "k2": "b" * 200, "k9": "z"}
        other.unlink()
        assert texts_of(store, "k1", "k2", "k9") == {"k1": "a" * 50, "k2": "b" * 200, "k9": "z"}


@pytest.mark.parametrize("loss", ["removed", "copied", "folder"])
def test_replies_go_on_to_be_kept_when_their_file_is_taken_away(loss: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    own, reply = tmp_path / "model" / "own.jsonl", Reply(text="答", finish_reason="stop", tokens=1)
    with open_store(own) as store:
        store.add("k1", reply)
        assert texts_of(store, "k1")
        if loss == "folder":
            shutil.rmtree(own.parent)
        else:
            own.rename(tmp_path / "away")
        if loss == "copied":
            shutil.copy(tmp_path / "away", own)
        assert texts_of(store, "k1")
        for key in ("k2", "k3"):
            store.add(key, reply)
            assert texts_of(store, "k1", "k2", "k3").keys() == {"k1", "k2", key}
    assert f"{own}: the file was removed; further replies are stored in a new one" in capsys.readouterr().err
    kept = [line.key for line in read_jsonl(own, StoredReply)]
    assert kept == (["k1"] if loss == "copied" else []) + ["k2", "k3"]


def test_what_only_ends_like_a_store_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "kept.jsonl").write_bytes(kept_line("k", "答"))
    with open_store(tmp_path / "own.jsonl") as store:
        assert texts_of(store, "k") == {"k": "答"}


def test_a_line_that_is_too_deep_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(kept_line("k", "答") + b'{"reply":{"x":' + b"[" * 100_000 + b"\n")
    with open_store(tmp_path / "own.jsonl") as store, pytest.raises(ValueError, match=r"a.jsonl:2: .*delete the line"):
        store.find(["k"])
