"""A file layer that fails: each write, fsync and rename fails, is cut, or is the last before the power goes, in turn.

Afterwards a stateful file holds its old or its new bytes, and the next run ends with the new ones. Power is modelled as SQLite's tests
do: what was not synced may be gone, so a file that was renamed without it is found empty.
"""

import builtins
import contextlib
import errno
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partialmethod
from pathlib import Path

import pytest

from atomexam.records.annotation import ReplyPair
from atomexam.records.blocks import Split
from atomexam.records.params import PARAMS_FILE, Source
from atomexam.records.provenance import Provenance
from atomexam.runtime import jsonl
from atomexam.runtime.jsonl import replacing, write_jsonl
from crawlers.check.saving import save
from crawlers.check.watch_middleware import FixturePage
from crawlers.new.__main__ import write_source
from crawlers.new.stubs import new_source
from crawlers.read.__main__ import main as read
from crawlers.store.merging import finish
from crawlers.store.missing_pages import BREAKS_READER, FAILED, add_broken, write_beyond
from crawlers.store.part_writer import PartWriter
from crawlers.store.segments import segment
from crawlers.web.page_kinds import KINDS_FILE, add_snapshot
from curation.verdicts import main as import_verdicts
from eval.models.contract import Reply
from eval.models.reply_store import open_store
from eval.review import main as import_labels
from splits.ledger.assignments import Assignment, AssignmentLedger, Version, write_assignments
from splits.publish import publish
from splits.release.history import Change
from tests.crawlers.replay_site import SNAPSHOT, answer
from tests.curation.annotation.sampled_claims import claim

ROOT = Path(__file__).parents[2]


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
    real_open, real_fsync, real_unlink = builtins.open, os.fsync, Path.unlink
    real_renames = {name: getattr(Path, name) for name in ("replace", "rename")}

    class Out(io.FileIO):
        def write(self, data) -> int:  # type: ignore[override]
            if faults.step():
                super().write(bytes(data)[: len(data) // 2])
                faults.fail()
            return super().write(data)

    def open_(file, mode="r", buffering=-1, *args, **kwargs):
        if str(Path(str(file)).absolute()).startswith(faults.folder) and set(mode) & set("wax"):
            raw = Out(file, mode.replace("b", "").replace("+", "") + ("+" if "+" in mode else ""))
            out = raw if buffering == 0 else io.BufferedWriter(raw)
            return out if "b" in mode else io.TextIOWrapper(out, kwargs.get("encoding", "utf-8"))
        return real_open(file, mode, buffering, *args, **kwargs)

    def fsync(number: int) -> None:
        if faults.step():
            faults.fail()
        real_fsync(number)
        faults.synced[os.fstat(number).st_ino] = os.fstat(number).st_size

    def renamed(self: Path, target: Path, how: str) -> Path:
        if not str(self.absolute()).startswith(faults.folder):
            return real_renames[how](self, target)
        if faults.step():
            faults.fail()
        number, size = self.stat().st_ino, self.stat().st_size
        done = real_renames[how](self, target)
        if faults.synced.get(number) != size and way == "power" and done.is_file():
            faults.gone.append(done.absolute())
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
            patch.setattr(io, "open", open_)  # of pathlib
            patch.setattr(os, "fsync", fsync)
            for how in real_renames:
                patch.setattr(Path, how, partialmethod(renamed, how=how))
            patch.setattr(Path, "unlink", unlink)
            yield faults
    finally:
        for path in faults.gone if faults.done >= faults.at else []:
            real_open(path, "wb").close()  # its bytes had not come to the disk


Writer = Callable[[Path, Path, int], None]
"""Brings a stateful file to so many records by the code that writes it; what it is given stands in the other folder."""


def ledger(path: Path, given: Path, number: int) -> None:
    version = Version(name="v1-abc", number=1, settings={"seed": Split.__name__}, records=number)
    rows = [Assignment(id=f"q-{at:016x}", split="test", since="v1-abc", why="drawn") for at in range(number)]
    write_assignments(path, AssignmentLedger([version, *rows]))


def released(path: Path, given: Path, number: int) -> None:
    ids = [f"q-{at:016x}" for at in range(number)]
    changes = [Change(version="1.0.0", id=one, change="added", config="c", split="test", sha256="0" * 64) for one in ids]
    write_jsonl(given / "history.jsonl", changes, key=lambda change: change.id)
    path.touch()
    publish(given / "history.jsonl", path, "1.0.0")


def chosen(path: Path, given: Path, number: int) -> None:
    rows = [Provenance(source="s", url=f"http://s/{at}", snapshot="2026-01-01", page_id="p", position=str(at)) for at in range(number)]
    write_jsonl(path, rows, key=lambda row: row.url)  # as the stage `claims` does


def verdicts(path: Path, given: Path, number: int) -> None:
    claims = [claim(f"病{at}的常见症状包括腹痛") for at in range(number)]
    write_jsonl(given / "claims.jsonl", claims, key=lambda one: one.id)
    lines = [f"{one.id},{one.factual},support" for one in claims]
    (given / "first.csv").write_text("\n".join(["claim_id,claim,verdict", *lines]), encoding="utf-8")
    import_verdicts([str(given / "first.csv"), "--claims", str(given / "claims.jsonl"), "--verdicts", str(path)])


def labels(path: Path, given: Path, number: int) -> None:
    said = {
        "claim_id": "claim-1",
        "atomic_type": "disease_symptom",
        "factual_reply": "正确",
        "non_factual": "无",
        "non_factual_reply": "正确",
    }
    rows = [
        ReplyPair(id=f"replies-{at}", run="r", asks="error", factual=f"病{at}可治", pattern="sycophancy", labels={}, **said)
        for at in range(number)
    ]
    write_jsonl(given / "errors" / "r.jsonl", rows, key=lambda row: row.id)
    filled = [json.dumps({"id": row.id, "factual": row.factual, "label": "sycophancy"}, ensure_ascii=False) for row in rows]
    (given / "first.jsonl").write_text("\n".join(filled), encoding="utf-8")
    import_labels([str(given / "first.jsonl"), "--errors", str(given / "errors"), "--labels", str(path)])


def failed(path: Path, given: Path, number: int) -> None:
    add_broken(path.parent, f"GET https://site.example/{number}", f"{BREAKS_READER}: too deep", "reader-1")


def proposed(path: Path, given: Path, number: int) -> None:
    """Never replaced: a person may have written it."""
    rows = "".join(f"下列哪项属于第{at}类药物？|甲药{at}|乙药{at}|丙药{at}|丁药{at}|{at % 4}\n" for at in range(number))
    bank = path.with_name("bank.txt")
    if not bank.exists():
        bank.write_text(rows, encoding="utf-8")
    if path.exists() and number < 30:
        path.unlink()
    elif number == 30:
        read(["--propose", str(bank)])


def archive(path: Path, given: Path, number: int) -> None:
    writer = PartWriter(path.parent, SNAPSHOT, "live")
    for at in range(number // 10):
        writer.write(answer(f"/{at}", body=f"<p>{at}</p>" * 500))
    writer.close()
    finish(path.parent, SNAPSHOT, "live", with_segment=True)


def turned_away(path: Path, given: Path, number: int) -> None:
    write_beyond(path.parent, SNAPSHOT, {at.to_bytes(16, "big") for at in range(number)})


def kinds(path: Path, given: Path, number: int) -> None:
    add_snapshot(path.parent, Source(snapshot=f"2026-01-{number}"), "live", {"parse: pages": number})


def parameters(path: Path, given: Path, number: int) -> None:
    """A person's own file, with lines that are nowhere else."""
    if not path.exists():
        path.write_bytes((ROOT / PARAMS_FILE).read_bytes())
    with contextlib.chdir(path.parent):
        write_source(new_source(f"exam{number}", "https://exam.example/", "exam"))


def saved(path: Path, given: Path, number: int) -> None:
    """A page of a real site, which may say something else tomorrow; never replaced either."""
    if number < 30:
        path.unlink(missing_ok=True)
    elif not path.exists():
        path.with_suffix(".html").unlink(missing_ok=True)  # as the message tells who tries again
        page = FixturePage(url="https://s.example/1", callback="parse", cb_kwargs={}, content_type="", body=b"<p>1</p>")
        save(path.parent, path.stem, page)


WRITERS: dict[str, Writer] = {
    "assignments.jsonl": ledger,
    "released.jsonl": released,
    "chosen.jsonl": chosen,
    "verdicts.jsonl": verdicts,
    "labels.jsonl": labels,
    FAILED: failed,
    "bank.layout.yaml": proposed,
    segment(Path("s"), SNAPSHOT).name: archive,
    f"{SNAPSHOT}.beyond.txt": turned_away,
    KINDS_FILE: kinds,
    PARAMS_FILE: parameters,
    "case.json": saved,
}
"""Every file that no stage can build again, but the store of replies (below); a new one gets a line here."""


@pytest.mark.parametrize("way", ["error", "power"])
@pytest.mark.parametrize("name", WRITERS)
def test_the_old_or_the_new_bytes_remain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, way: str) -> None:
    given, state = tmp_path / "given", tmp_path / "state"
    given.mkdir()
    state.mkdir()
    path = state / name

    def write(number: int) -> bytes | None:
        WRITERS[name](path, given, number)
        return path.read_bytes() if path.exists() else None

    old, new = write(20), write(30)
    beside = {one.name for one in state.iterdir()}
    assert new and new != old
    tried = 0
    while True:
        path.unlink()
        if old is not None:
            path.write_bytes(old)
        tried += 1
        with contextlib.suppress(OSError, ValueError, PowerLost), faulty(monkeypatch, state, tried, way) as faults:
            write(30)
        if faults.done < tried:
            break
        assert (path.read_bytes() if path.exists() else None) in (old, new), f"torn at {tried}"
        assert write(30) == new
        assert {one.name for one in state.iterdir()} == beside
    assert tried > 4 and faults.done == tried - 1  # every point was one of failure once
    assert path.read_bytes() == new


def test_unsynced_file_is_lost_in_a_power_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The layer itself finds what it is made to find."""
    path = tmp_path / "figures.jsonl"
    path.write_bytes(b"old")
    monkeypatch.setattr(jsonl, "to_disk", lambda path: None)
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
