"""Lines that stay in their file: the right ones in the right order, or an error."""

import os
import pickle
from array import array
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splits.split import lines
from splits.split.lines import Lines

TEXTS = st.lists(st.binary(max_size=30).map(lambda text: text.replace(b"\n", b"")), min_size=1, max_size=30)


def written(path: Path, texts: list[bytes], closed: bool) -> Lines:
    held = [text + b"\n" for text in texts]
    if not closed:
        held[-1] = held[-1].rstrip(b"\n") or b"x"
    path.write_bytes(b"".join(held))
    ends = array("Q")
    for line in held:
        ends.append((ends[-1] if ends else 0) + len(line))
    return Lines(path, ends, lines.state_of(path))


@given(TEXTS, st.booleans(), st.sampled_from([1, 40, 1 << 20]), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lines_come_whole_and_in_the_order_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[bytes], closed: bool, run: int, data: st.DataObject
) -> None:
    monkeypatch.setattr(lines, "_RUN_BYTES", run)
    path = tmp_path / "lines"
    held = written(path, texts, closed)
    given_lines = [line.rstrip(b"\n") + b"\n" for line in path.read_bytes().split(b"\n")][: len(texts)]
    places = data.draw(st.lists(st.integers(0, len(texts) - 1)))
    wanted = [given_lines[place] for place in places]
    assert list(held.each(places)) == wanted
    runs = list(pickle.loads(pickle.dumps(held)).runs(places))
    assert b"".join(runs) == b"".join(wanted)
    assert all(len(one) <= run + 1 + max(map(len, given_lines)) for one in (*runs, *held.runs(range(len(texts)))))


@pytest.mark.parametrize("how", ["another", "in place", "longer", "of the same time"])
def test_a_file_that_was_changed_is_told(tmp_path: Path, how: str) -> None:
    path, new = tmp_path / "lines", tmp_path / "new"
    held = written(path, [b"one", b"two"], True)
    was = path.stat()
    assert list(held.each([1])) == [b"two\n"]
    if how in ("another", "of the same time"):
        new.write_bytes(b"six\nten\n")
        new.replace(path)
    else:
        path.write_bytes(b"six\nten\n" * (2 if how == "longer" else 1))
    later = was.st_mtime_ns + (how in ("another", "in place"))
    os.utime(path, ns=(later, later))
    with pytest.raises(ValueError, match="changed while it was read"):
        list(held.each([1]))


def test_a_file_that_is_changed_while_lines_are_asked_for_is_told(tmp_path: Path) -> None:
    held = written(tmp_path / "lines", [b"one", b"two"], True)
    coming = held.runs([1])
    next(coming)
    (tmp_path / "lines").write_bytes(b"six\n")
    with pytest.raises(ValueError, match="changed while it was read"):
        list(coming)


def test_a_file_without_lines_has_none(tmp_path: Path) -> None:
    (tmp_path / "lines").touch()
    assert list(Lines(tmp_path / "lines", array("Q"), lines.state_of(tmp_path / "lines")).each([])) == []
