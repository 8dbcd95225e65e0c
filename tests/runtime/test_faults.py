"""A file layer that fails: each write, fsync and rename fails, is cut, or is the last before the power goes, in turn.

Afterwards a stateful file holds its old or its new bytes, and the next run ends with the new ones. Power is modelled as SQLite's tests
do: what was not synced may be gone, so a file that was renamed without it is found empty.
"""

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from atomexam.records.provenance import Provenance
from atomexam.records.split_blocks import Split
from atomexam.runtime.jsonl import replacing, write_jsonl
from crawlers.store.segments import segment
from eval.models.contract import Reply
from eval.models.reply_store import open_store
from splits.ledger.assignments import Assignment, Memory, Version, write_memory


class Faults:
    """Counts what is done to files under a folder, and fails at one of it."""

    def __init__(self, folder: Path, at: int, way: str) -> None:
        self.folder, self.at, self.way, self.done = str(folder), at, way, 0
        self.synced: dict[int, int] = {}
        self.gone: list[Path] = []

    def step(self) -> bool:
        self.done += 1
        return self.done == self.at

    def fail(self) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO)) if self.way == "error" else PowerLost


class PowerLost(BaseException):
    """Nothing runs after this, no handler either that would tidy up."""


@contextmanager
def faulty(monkeypatch: pytest.MonkeyPatch, folder: Path, at: int, way: str) -> Iterator[Faults]:
    faults = Faults(folder, at, way)
    real_open, real_fsync, real_replace, real_unlink = builtins.open, os.fsync, Path.replace, Path.unlink

    class Out(io.FileIO):
        def write(self, data) -> int:  # type: ignore[override]
            if faults.step():
                super().write(bytes(data)[: len(data) // 2])
                faults.fail()
            return super().write(data)

    def open_(file, mode="r", buffering=-1, *args, **kwargs):
        if str(file).startswith(faults.folder) and set(mode) & set("wax") and "b" in mode:
            raw = Out(file, mode.replace("b", "").replace("+", "") + ("+" if "+" in mode else ""))
            return raw if buffering == 0 else io.BufferedWriter(raw)
        return real_open(file, mode, buffering, *args, **kwargs)

    def fsync(number: int) -> None:
        if faults.step():
            faults.fail()
        real_fsync(number)
        faults.synced[os.fstat(number).st_ino] = os.fstat(number).st_size

    def replace(self: Path, target) -> Path:
        if not str(self).startswith(faults.folder):
            return real_replace(self, target)
        if faults.step():
            faults.fail()
        number, size = self.stat().st_ino, self.stat().st_size
        done = real_replace(self, target)
        if faults.synced.get(number) != size and way == "power":
            faults.gone.append(Path(target))
        if faults.step():
            faults.fail()
        return done

    def unlink(self: Path, missing_ok: bool = False) -> None:
        if faults.way == "power" and faults.done >= faults.at:
            return
        real_unlink(self, missing_ok)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(builtins, "open", open_)
            patch.setattr(os, "fsync", fsync)
            patch.setattr(Path, "replace", replace)
            patch.setattr(Path, "unlink", unlink)
            yield faults
    finally:
        for path in faults.gone if faults.done >= faults.at else []:
            real_open(path, "wb").close()  # its bytes had not come to the disk


def ledger(path: Path, number: int) -> None:
    version = Version(name="v1-abc", number=1, settings={"seed": Split.__name__}, records=number)
    rows = [Assignment(id=f"q-{at:016x}", split="test", since="v1-abc", why="drawn") for at in range(number)]
    write_memory(path, Memory([version, *rows]))


def records(path: Path, number: int) -> None:
    rows = [Provenance(source="s", url=f"http://s/{at}", snapshot="2026-01-01", page_id="p", position=str(at)) for at in range(number)]
    write_jsonl(path, rows, key=lambda row: row.url, on_disk=True)


def archive(path: Path, number: int) -> None:
    with replacing(path, on_disk=True) as part, open(part, "wb") as out:
        for at in range(number):
            out.write(b"record %d\r\n" % at * 500)


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "assignments.jsonl": ledger,
    "chosen.jsonl": records,
    segment(Path("s"), "2026").name: archive,
}


@pytest.mark.parametrize("way", ["error", "power"])
@pytest.mark.parametrize("name", WRITERS)
def test_the_old_or_the_new_bytes_remain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, way: str) -> None:
    write, path = WRITERS[name], tmp_path / name
    write(path, 30)
    new = path.read_bytes()
    write(path, 20)
    old = path.read_bytes()
    tried = 0
    while True:
        tried += 1
        try:
            with faulty(monkeypatch, tmp_path, tried, way) as faults:
                write(path, 30)
        except (OSError, PowerLost):
            pass
        else:
            break
        assert path.read_bytes() in (old, new), f"torn at {tried}"
        write(path, 30)
        assert path.read_bytes() == new
        assert {one.name for one in tmp_path.iterdir()} == {name}
        write(path, 20)
    assert tried > 4 and faults.done == tried - 1  # every point was one of failure once
    assert path.read_bytes() == new


def test_a_file_that_is_not_synced_is_lost_with_the_power(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The layer itself finds what it is made to find."""
    path = tmp_path / "figures.jsonl"
    path.write_bytes(b"old")
    with pytest.raises(PowerLost), faulty(monkeypatch, tmp_path, 3, "power"), replacing(path) as part, open(part, "wb", 0) as out:
        out.write(b"new")
    assert path.read_bytes() == b""


@pytest.mark.parametrize("way", ["error", "power"])
def test_kept_replies_are_whole_or_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str) -> None:
    replies = {f"key{at}": Reply(text=f"答案是{at}" * 50, finish_reason="stop", tokens=3, prompt_tokens=5) for at in range(4)}
    tried = 0
    while True:
        tried += 1
        path = tmp_path / str(tried) / "run.jsonl"
        try:
            with faulty(monkeypatch, tmp_path, tried, way), open_store(path) as store:
                for key, reply in replies.items():
                    store.add(key, reply)
        except (OSError, PowerLost):
            pass
        else:
            break
        with open_store(path) as store:
            kept = store.find(replies)
            assert all(replies[key] == reply for key, reply in kept.items())
            for key in replies.keys() - kept.keys():
                store.add(key, replies[key])
            assert store.find(replies) == replies
    assert tried > 4
