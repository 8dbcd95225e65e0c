"""JSONL between stages."""

import multiprocessing
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.fact import Fact, fact_id
from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option
from atomexam.runtime.jsonl import folder_lock, read_jsonl, replacing, to_line, write_jsonl

SEEN = Provenance(source="s", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")


def fact(head: str, tail: str) -> Fact:
    return Fact(
        id=fact_id("disease_symptom", head, tail), relation="disease_symptom", head=head, tail=tail, polarity=True, provenance=[SEEN]
    )


@pytest.mark.slow
@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=8), st.randoms())
def test_what_is_written_is_read_and_order_does_not_matter(tmp_path_factory, pairs, random) -> None:
    folder = tmp_path_factory.mktemp("jsonl")
    facts = [fact(head, tail) for head, tail in pairs]
    assert write_jsonl(folder / "a.jsonl", facts, key=lambda f: f.id) == len(facts)
    random.shuffle(facts)
    write_jsonl(folder / "b.jsonl", facts, key=lambda f: f.id)
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()
    assert sorted(map(to_line, read_jsonl(folder / "a.jsonl", Fact))) == sorted(map(to_line, facts))


@given(st.permutations([("甲", "丙"), ("甲", "乙"), ("丁", "乙"), ("甲", "乙")]))
def test_equal_keys_are_ordered_by_their_bytes(tmp_path_factory, pairs) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    write_jsonl(path, [fact(head, tail) for head, tail in pairs], key=lambda row: row.relation)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4 and lines == sorted(lines)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("甲乙丙"), st.sampled_from("甲乙丙")), max_size=8))
def test_rows_made_as_they_are_written_are_the_rows_themselves(tmp_path_factory, pairs) -> None:
    folder = tmp_path_factory.mktemp("jsonl")
    write_jsonl(folder / "a.jsonl", [fact(*pair) for pair in pairs], key=lambda row: row.head)
    assert write_jsonl(folder / "b.jsonl", pairs, key=lambda pair: pair[0], row=lambda pair: fact(*pair)) == len(pairs)
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()


def test_file_without_a_stage_has_its_own_remedy(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    for name in ("a.jsonl", "none.jsonl"):
        with pytest.raises((ValueError, FileNotFoundError), match=f"{name}.*; mend it by hand$"):
            list(read_jsonl(tmp_path / name, Fact, "mend it by hand"))


def test_a_malformed_record_names_file_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    good = to_line(fact("高血压", "头晕"))
    path.write_bytes(good + good.replace(b'"polarity":true', b'"polarity":"yes"'))
    with pytest.raises(ValueError, match=r"facts\.jsonl:2: .*polarity"):
        list(read_jsonl(path, Fact))


@pytest.mark.parametrize(
    "line", ["", "{}", "[]", "not json", '{"kind":"question"}', '{"kind":"poem","url":"u"}', '{"kind":"entity","url":"u","x":1}', "\xff"]
)
def test_every_broken_line_is_reported(tmp_path: Path, line: str) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(line.encode("latin-1") + b"\n")
    with pytest.raises(ValueError, match=r"items\.jsonl:1: "):
        list(read_jsonl(path, Item))


def test_a_missing_file_names_the_next_command(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="dvc repro"):
        list(read_jsonl(tmp_path / "none.jsonl", Fact))


def test_distinguishes_items_by_kind(tmp_path: Path) -> None:
    items = [QuestionItem(url="u", provenance=SEEN), EntityItem(url="u", provenance=SEEN)]
    write_jsonl(tmp_path / "i.jsonl", items, key=lambda i: i.url)
    assert {type(item) for item in read_jsonl(tmp_path / "i.jsonl", Item)} == {QuestionItem, EntityItem}


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    write_jsonl(path, [fact("a", "b")], key=lambda f: f.id)
    before = path.read_bytes()

    def broken():
        yield fact("c", "d")
        raise ValueError("wrong input")

    with pytest.raises(ValueError, match="wrong input"):
        write_jsonl(path, broken(), key=lambda f: f.id)
    assert path.read_bytes() == before


def _hold(folder: Path, log: Path) -> None:
    with folder_lock(folder), open(log, "a") as out:
        out.write("in\n")
        out.flush()
        time.sleep(0.3)
        out.write("out\n")


@pytest.mark.slow
def test_two_writers_never_lock_one_folder(tmp_path: Path) -> None:
    log = tmp_path / "log"
    writers = [multiprocessing.get_context("spawn").Process(target=_hold, args=(tmp_path / "out", log)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert log.read_text().split() == ["in", "out", "in", "out"]


def test_never_replaces_what_is_not_a_file(tmp_path: Path) -> None:
    for target in (tmp_path, Path("/dev/null")):
        with pytest.raises(ValueError, match="expected a file to write to"), replacing(target):
            pass
    assert Path("/dev/null").is_char_device()


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(KeyError), replacing(tmp_path / "a.json") as part:
        part.write_text("half")
        raise KeyError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "line",
    [
        *(
            b'{"letter":"A","text":"\\ud800"}',
            b'{"letter":"A","text":"\xed\xa0\x80"}',
            b'{"letter":"A","text":"\x00"}',
            b'\x00{"letter":"A"}',
        ),
        *(b'\xef\xbb\xbf{"letter":"A","text":"x"}', b'{"letter":"A","text":"\xff"}', b"[" * 100_000, b'{"letter":' + b"[" * 100_000, b" "),
        *(b'{"letter":"A","text":"x"', b'{"letter":"A","text":"x"}{}', b'{"letter":"A","text":1e999}', b'{"' + b"k" * 1_000_000 + b'":1}'),
    ],
    ids=range(13),
)
def test_message_about_a_hostile_line_is_short(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "options.jsonl"
    path.write_bytes(b'{"letter":"A","text":"x"}\n' + line + b"\n")
    with pytest.raises(ValueError, match=r"options\.jsonl:2: .*; expected Option; `dvc repro` builds it") as told:
        list(read_jsonl(path, Option))
    assert len(str(told.value)) < 1_000


def test_raises_for_folder_that_cannot_be_created() -> None:
    with pytest.raises(OSError), folder_lock("/proc/no-such-place/out"):
        pass


def test_what_is_missing_while_a_file_is_written_is_told_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"in\.jsonl: no such file; `dvc repro` builds it"), replacing(tmp_path / "out.jsonl"):
        list(read_jsonl(tmp_path / "in.jsonl", dict))


def test_full_disk_error_has_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"No space left on device: .*out\.jsonl"), replacing(tmp_path / "out.jsonl"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []
