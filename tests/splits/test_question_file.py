"""Questions read in pieces: what is wrong with a line, or with the file, is told with its place."""

import json
from pathlib import Path

import pytest

from atomexam.runtime.jsonl import to_line
from atomexam.runtime.workers import worker_pool
from splits.split import question_file
from splits.split.question_file import Questions, read_pieces, read_questions


def at_once(path: Path, workers: int = 1) -> Questions:
    with worker_pool(workers) as executor:
        return read_questions(path, read_pieces(path, executor), path.with_name("none.jsonl"))


@pytest.mark.parametrize(
    ("field", "text"), [("options", b'"options":[{"letter":"A","text":"\xff'), ("options", b'"options":[{"letter":"A"}, {"text":"')]
)
def test_what_is_looked_at_later_is_told_with_its_line(split_files, pool, field: str, text: bytes) -> None:
    folder = split_files(pool)
    lines = (folder / "questions.jsonl").read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"options":[{"letter":"A","text":"', text)
    (folder / "bad.jsonl").write_bytes(b"".join(lines))
    with pytest.raises(ValueError, match=r"bad\.jsonl:3: "):
        at_once(folder / "bad.jsonl")


@pytest.mark.parametrize("lost", ["provenance", "answer"])
def test_a_record_that_is_read_committed_later_is_told_with_its_line(split_files, pool, lost: str) -> None:
    folder = split_files(pool)
    lines = (folder / "questions.jsonl").read_text().splitlines()
    record = json.loads(lines[2])
    bad = {name: value for name, value in record.items() if name not in ("provenance", lost)}
    (folder / "bad.jsonl").write_text("\n".join([*lines[:2], json.dumps(bad)]) + "\n")
    with pytest.raises(ValueError, match=r"bad\.jsonl:3: .*provenance"):
        list(at_once(folder / "bad.jsonl").texts([record["id"]]))


@pytest.mark.parametrize("closed", [True, False])
def test_a_file_that_grows_while_it_is_read_is_told(split_files, pool, question, closed: bool) -> None:
    path = split_files(pool) / "questions.jsonl"
    with worker_pool(1) as executor:
        pieces = read_pieces(path, executor)
        with open(path, "ab") as file:
            file.write(to_line(question(999)) if closed else to_line(question(999))[:40])
        with pytest.raises(ValueError, match="changed while it was read"):
            read_questions(path, pieces, path.with_name("none.jsonl"))


def test_a_file_that_is_replaced_while_it_is_read_is_told(split_files, pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_file, "_PIECE_BYTES", 1)
    path = split_files(pool) / "questions.jsonl"
    with worker_pool(1) as executor:
        pieces = read_pieces(path, executor)
        path.with_name("new").write_bytes(path.read_bytes()[7:])
        path.with_name("new").replace(path)
        with pytest.raises(ValueError, match="changed while it was read"):
            read_questions(path, pieces, path.with_name("none.jsonl"))
