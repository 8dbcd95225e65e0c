"""The parts of a replay that are functions from values to values: what waits, where pages lie, in which order items go out."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import FormRequest, Request
from w3lib.url import canonicalize_url

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.runtime.external_sort import ExternalSort, merge_runs
from atomexam.runtime.jsonl import to_line
from atomexam.text.natural_order import natural_key
from crawlers.replay.page_index import PageIndex
from crawlers.replay.worker import order
from crawlers.store.request_keys import request_key
from crawlers.web.request_queue import Frontier, QueuedRequest, decode, encode, url_of
from tests.crawlers.replay_site import HOME, SNAPSHOT, Walk, linked, store

identities = st.none() | st.binary(min_size=1, max_size=1)


@given(st.lists(st.tuples(st.booleans(), st.lists(identities, max_size=700), st.integers(1, 400)), max_size=6))
def test_frontier_is_first_in_first_out_without_repeats(steps: list[tuple[bool, list[bytes | None], int]]) -> None:
    frontier, number = Frontier(), 0
    seen: set[bytes] = set()
    waiting: list[bytes] = []
    for is_added, found_identities, count in steps:
        found: list[QueuedRequest] = []
        for identity in found_identities if is_added else []:
            number += 1
            found.append((identity, str(number).encode()))
            if identity is None or identity not in seen:
                waiting.append(found[-1][1])
                seen |= {identity} if identity is not None else set()
        frontier.add(found)
        assert len(frontier) == len(waiting)
        assert frontier.take(count) == waiting[:count]
        waiting = waiting[count:]


def item(url: str, position: str, stem: str = "") -> QuestionItem:
    where = Provenance(source="toy", url=url, snapshot=SNAPSHOT, page_id="1", position=position)
    return QuestionItem(url=url, provenance=where, stem_raw=stem)


urls = st.text("ab/0一", max_size=4).map("https://toy.example/".__add__)
positions = st.text("q:019一", max_size=6) | st.sampled_from(["q1", "q2", "q10", "q010", "record:2:10", "", "q²"])
items = st.lists(st.builds(item, urls, positions, st.text("xy", max_size=2)), max_size=30)


@given(items)
def test_bytes_sort_as_url_and_position_do(found: list[QuestionItem]) -> None:
    key = {one.provenance: (one.url, natural_key(one.provenance.position)) for one in found}
    for one in found:
        for other in found:
            assert (order(one) < order(other)) == (key[one.provenance] < key[other.provenance])


@settings(max_examples=50)
@given(items, st.integers(1, 3), st.integers(1, 3000))
def test_lines_come_out_sorted_from_any_number_of_spools(found: list[QuestionItem], count: int, memory_bytes: int) -> None:
    whole, parts = ExternalSort(), [ExternalSort(memory_bytes=memory_bytes) for _ in range(count)]
    for place, one in enumerate(found):
        whole.add(order(one), to_line(one))
        parts[place % count].add(order(one), to_line(one))
    runs = [run for part in parts for run in part.read(part.finish())]
    lines = list(merge_runs(runs))
    assert lines == list(merge_runs(whole.read(whole.finish())))
    assert len(lines) == len(found)
    for spool in (whole, *parts):
        spool.close()


def test_a_line_may_be_longer_than_what_is_read_at_once() -> None:
    spool = ExternalSort()
    for number in range(3):
        one = item(f"{HOME}/{number}", "q1", "字" * 200_000)
        spool.add(order(one), to_line(one))
    assert [len(line) > 600_000 for line in merge_runs(spool.read(spool.finish()))] == [True] * 3


@settings(max_examples=30, deadline=None)
@given(st.sets(st.text("ab?&=/12", max_size=6).map("/".__add__), min_size=1, max_size=12))
def test_each_page_is_found_and_no_other(paths: set[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "toy"
        store(folder, linked({path: [] for path in sorted(paths)}))
        places = PageIndex(folder, SNAPSHOT)
        assert places.pages == len(paths)
        for path in paths:
            assert places.find(request_key("GET", HOME + path)).url == HOME + path
            assert places.find(request_key("POST", HOME + path, b"x=1")) is None
        known = {canonicalize_url(HOME + path) for path in paths}
        for path in ("/", "/a", "/b?a=1", "/a?b=2&a", "/other"):
            found = places.find(request_key("GET", HOME + path))
            assert (found is not None) == (canonicalize_url(HOME + path) in known)
            assert found is None or canonicalize_url(found.url) == canonicalize_url(HOME + path)


def test_request_round_trips() -> None:
    spider = Walk()
    sent = FormRequest(
        f"{HOME}/rpc", formdata={"id": "页"}, callback=spider.parse, errback=spider.without, headers={"Referer": HOME}, meta={"depth": 2},
        cookies={"a": "b"}, priority=-1, dont_filter=True, cb_kwargs={"via": item(HOME, "q1")}, flags=["x"], encoding="gbk",
    )  # fmt: skip
    encoded = encode(sent, spider)
    assert url_of(encoded) == sent.url
    arrived = decode(encoded, spider)
    assert type(arrived) is FormRequest and arrived.to_dict(spider=spider) == sent.to_dict(spider=spider)
    plain = Request(HOME)
    assert decode(encode(plain, spider), spider).to_dict() == plain.to_dict()
    assert len(encode(plain, spider)) < 60  # what is as it always is need not be sent


@pytest.mark.parametrize("callback", [print, Walk().parse, lambda response: None])
def test_rejects_callback_that_is_not_a_spider_method(callback: object) -> None:
    with pytest.raises(ValueError, match="is not a method of Walk"):
        encode(Request(HOME, callback), Walk())
