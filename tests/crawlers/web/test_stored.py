"""What a crawl holds in memory, compactly: it answers as plain dicts and lists would."""

import tracemalloc
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlers.store.merging import in_request_order
from crawlers.store.missing_pages import Failures
from crawlers.store.request_keys import Key
from crawlers.store.segments import ArchiveRow, RecordLocation, StoredLocations

keys = st.builds(Key, st.sampled_from(["https://a.example/", "https://a.example/页", "file:b"]), st.sampled_from(["GET", "POST"]))
places = st.builds(RecordLocation, st.sampled_from(["a.warc.gz", "b/0.warc.gz", "c"]), st.integers(0, 2**48 - 1), st.integers(0, 2**40 - 1))
requests = st.sampled_from(["GET https://a.example/", "GET https://a.example/页", "POST https://b.example/ 00"])


@pytest.mark.slow
@given(st.lists(st.tuples(keys, st.one_of(st.none(), places))))
def test_stored_locations_round_trip(steps: list[tuple[Key, RecordLocation | None]]) -> None:
    stored, plain = StoredLocations(), {}
    for key, place in steps:
        if place is None:
            stored.discard(key)
            plain.pop(key, None)
        else:
            stored[key] = plain[key] = place
        assert len(stored) == len(plain)
        assert (stored.get(key), key in stored) == (plain.get(key), key in plain)


def test_a_request_takes_little_memory() -> None:
    stored = StoredLocations()
    tracemalloc.start()
    for number in range(20_000):
        stored[Key(f"https://a.example/{'directory/' * 9}{number}")] = RecordLocation("2026-11-20.part/0000.warc.gz", number << 20, 1 << 20)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / len(stored) < 160


@pytest.mark.slow
@given(st.lists(st.tuples(requests, st.one_of(st.none(), st.text()))))
def test_failures_behave_like_a_dict(steps: list[tuple[str, str | None]]) -> None:
    failures, plain = Failures(), {}
    for request, why in steps:
        if why is None:
            assert failures.pop(request, None) == plain.pop(request, None)
        else:
            failures[request] = plain[request] = why
        assert dict(failures) == plain and len(failures) == len(plain)


@given(st.lists(keys), st.integers(1, 2_000))
def test_rows_are_sorted_with_the_first_answer_first(asked: list[Key], memory_bytes: int) -> None:
    found = [
        ("file", ArchiveRow(page_id=str(number), method=key.method, url=key.url, status=200, file="f", offset=0, length=1))
        for number, key in enumerate(asked)
    ]
    first: dict[Key, str] = {}
    for number, key in enumerate(asked):
        first.setdefault(key, str(number))
    ordered = [next(same) for _, same in groupby((row for _, row in in_request_order(iter(found), memory_bytes)), key=lambda row: row.key)]
    assert [row.key for row in ordered] == sorted(first, key=lambda key: key.sort_key)
    assert all(first[row.key] == row.page_id for row in ordered)
