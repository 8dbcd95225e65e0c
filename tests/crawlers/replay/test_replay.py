"""Replay: the same items for any number of workers, the first link to a page wins, and whatever goes wrong is told."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from atomexam.records.item import Item
from atomexam.records.params import ExtractFlags
from atomexam.runtime import external_sort
from crawlers.extract import replay
from crawlers.html.source_spider import SourceSpider
from crawlers.replay.coordinator import replayed
from crawlers.store.missing_pages import add_broken, beyond_digest, read_beyond, write_beyond, write_failed
from crawlers.store.request_keys import Key
from crawlers.store.segments import read_index, segment
from crawlers.web.broken_pages import _CRAWLERS, _READERS, MOST_BROKEN, reader_version
from tests.crawlers.replay_site import HOME, SNAPSHOT, Graph, Scoped, Starting, Trouble, Walk, answer, linked, store

SOURCE = ExtractFlags(snapshot=SNAPSHOT, max_pages=0)


@pytest.fixture
def items(tmp_path: Path) -> Callable[..., list[Item]]:
    """Store pages and return the items of their replay."""

    def run(
        pages: dict, spider: type[SourceSpider] = Walk, workers: int = 2, source: ExtractFlags = SOURCE, share: float = 0.0
    ) -> list[Item]:
        folder, out = tmp_path / "toy", tmp_path / "items.jsonl"
        if not folder.exists():
            store(folder, pages)
        replay(spider, source, folder, share, out, workers=workers)
        return [msgspec.json.decode(line, type=Item) for line in out.read_bytes().splitlines()]

    return run


def random_graph(seed: int) -> Graph:
    draw = random.Random(seed)
    paths = ["/", *(f"/{number}" for number in range(draw.randrange(20, 120)))]
    return {path: [draw.choice(paths) for _ in range(draw.choice([0, 1, 2, 9]))] for path in paths} | {"/": paths[1:40:3] + paths[1:9]}


def first_links(graph: Graph) -> dict[str, str]:
    """Return by which link each page is come to, first in, first out. Scrapy asks for start pages unseen, so / is come to twice."""
    seen, came, left = set(), {}, deque([("/", "")])
    while left:
        path, via = left.popleft()
        came[f"{HOME}{path} {via}"] = via
        for place, link in enumerate(graph[path]):
            if link not in seen:
                seen.add(link)
                left.append((link, f"{HOME}{path} {place}"))
    return came


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_first_link_to_a_page_wins_whatever_the_number_of_workers(tmp_path: Path, seed: int) -> None:
    graph = random_graph(seed)
    store(tmp_path / "toy", linked(graph))
    written = []
    for workers in (1, 2, 3):
        assert replay(Walk, SOURCE, tmp_path / "toy", 0, tmp_path / "items.jsonl", workers=workers) >= len(first_links(graph))
        written.append((tmp_path / "items.jsonl").read_bytes())
    assert written[0] == written[1] == written[2]
    read = [msgspec.json.decode(line, type=Item) for line in written[0].splitlines()]
    assert sorted(f"{item.url} {item.stem_raw}" for item in read) == sorted(first_links(graph))


@pytest.mark.slow
def test_items_that_do_not_fit_into_memory_are_sorted_on_disk(items: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(9)
    whole = items(linked(graph))
    monkeypatch.setattr(external_sort, "MEMORY_BYTES", 2000)
    assert items({}) == whole == items({}, workers=1)


def test_index_finds_all_stored_pages(items: Callable, tmp_path: Path) -> None:
    read = items(linked({"/": ["/a"], "/a": []}))
    stored = {row.url: row.page_id for row in read_index(tmp_path / "toy", SNAPSHOT)}
    assert [item.provenance.page_id for item in read] == [stored[item.url] for item in read]


def test_a_page_under_another_of_its_addresses_is_the_page_that_was_stored(items: Callable) -> None:
    pages = linked({"/": ["/a?y=2&x=1", "/a?x=1&y=2", "/b#part"], "/a?x=1&y=2": [], "/b": []})
    assert [item.url for item in items(pages)] == [f"{HOME}/", f"{HOME}/a?x=1&y=2", f"{HOME}/b"]


def test_redirects_statuses_and_robots_are_those_of_the_crawl(items: Callable, tmp_path: Path) -> None:
    pages = linked({"/": ["/old", "/gone", "/hidden"], "/new": [], "/after-failure": []})
    pages |= {"/old": answer("/old", status=302, Location="/new"), "/gone": answer("/gone", "nothing", 404)}
    store(tmp_path / "toy", pages, robots="User-agent: *\nDisallow: /hidden\n")
    read = {item.url: item.stem_raw for item in items({})}
    assert read == {f"{HOME}/": "", f"{HOME}/new": f"{HOME}/ 0", f"{HOME}/after-failure": f"{HOME}/gone"}


def test_stored_answer_that_is_no_longer_valid_is_used_once(items: Callable, tmp_path: Path) -> None:
    pages = linked({"/": ["/not-so", "/a"], "/a": [], "/after-failure": []}) | {"/not-so": answer("/not-so", "no", 405)}
    store(tmp_path / "toy", pages)
    assert len(items({})) == 3
    with replayed(Walk, SOURCE, tmp_path / "toy", workers=1) as outcome:
        assert (outcome.pages, outcome.missed, outcome.errors) == (len(pages), [], [])
        assert outcome.stats["downloader/response_status_count/405"] == 1


def test_a_page_that_the_crawl_did_not_get_goes_to_the_errback(items: Callable, tmp_path: Path) -> None:
    store(tmp_path / "toy", linked({"/": ["/lost"], "/after-failure": []}))
    write_failed(tmp_path / "toy", {f"GET {HOME}/lost": "HTTP status 503"})
    assert [item.stem_raw for item in items({})] == ["", f"{HOME}/lost"]


@pytest.mark.parametrize("body", [b"", b"12ab\n", b"\xff" * 32])
def test_damaged_list_of_refused_requests_raises(tmp_path: Path, body: bytes) -> None:
    (tmp_path / f"{SNAPSHOT}.beyond.txt").write_bytes(body)
    with pytest.raises(ValueError, match="expected 32 hexadecimal digits per line; `dvc repro -f"):
        read_beyond(tmp_path, SNAPSHOT)


@pytest.mark.slow
def test_pages_beyond_the_limit_are_left_out(items: Callable, tmp_path: Path) -> None:
    pages = linked({"/": ["/a", "/b"], "/a": []})
    with pytest.raises(ValueError, match=r"extract toy: 2 pages are not in .*\n  GET https://toy.example/b\n  GET .*/after-failure"):
        items(pages)
    write_beyond(tmp_path / "toy", SNAPSHOT, {beyond_digest(Key(f"{HOME}{path}")) for path in ("/b", "/after-failure")})
    assert len(items({})) == 2
    with replayed(Starting, SOURCE, tmp_path / "toy", workers=1) as outcome:
        assert (outcome.missed, outcome.stats["archive/over_limit"]) == ([], 2)


def test_one_page_may_be_asked_for_twice(items: Callable) -> None:
    read = items(linked({"/": ["/twice"], "/twice": [], "/again": []}), Trouble)
    assert [(item.url[len(HOME) :], item.provenance.position) for item in read] == [
        ("/", "q1"), ("/again", "q0"), ("/again", "q1"), ("/again", "q2"), ("/twice", "q1"),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_spider_starts_once(items: Callable) -> None:
    read = items(linked({"/a": [], "/b": ["/a"]}), Starting, workers=3)
    assert [(item.url.removeprefix(HOME), item.provenance.position, item.stem_raw) for item in read] == [
        ("", "start", None),
        ("/a", "q1", "start"),
        ("/b", "q1", "start"),
    ]


@pytest.mark.slow
def test_reports_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    troubles = [f"/{kind}{number}" for number in range(40) for kind in ("misfit", "raise")]
    random.Random(1).shuffle(troubles)
    store(tmp_path / "toy", linked({"/": troubles} | {path: [] for path in troubles}))
    told = []
    for workers in (1, 3):
        with replayed(Trouble, SOURCE, tmp_path / "toy", workers=workers) as outcome:
            told.append((outcome.pages, outcome.misfits, outcome.errors, outcome.missed, outcome.stats["misfit/count"]))
    assert (
        told[0]
        == told[1]
        == (
            81,
            [f"{HOME}{path}: no stem" for path in troubles if "misfit" in path],
            [f"{HOME}{path}: KeyError: '{path[1:]}'" for path in troubles if "raise" in path],
            [],
            40,
        )
    )


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("die", r"extract toy: a worker was killed while it read https://toy.example/die, probably because memory ran out"),
        ("exit", r"extract toy: a worker ended with status 3 while it read https://toy.example/exit, see above"),
        ("close", r"extract toy: stopped before its end \(enough\)"),
        ("lambda", r"1 requests cannot be replayed:\n  https://toy.example/a cannot be sent .* is not a method of Trouble"),
        ("generator", r"https://toy.example/a cannot be .* expected plain values or records in cb_kwargs and meta"),
        ("half", r"1 of 2 pages no longer fit .*\n  https://toy.example/half: an item cannot be written: .* surrogates not allowed"),
        ("dict", r"1 of 2 pages no longer fit .*\n  https://toy.example/dict: dict is not an item; expected QuestionItem or EntityItem"),
    ],
)
def test_reports_errors(items: Callable, does: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        items(linked({"/": [f"/{does}"], f"/{does}": [], "/a": []}), Trouble)


@pytest.mark.slow
def test_pages_that_break_the_spider_are_rejected_and_the_others_are_read(tmp_path: Path) -> None:
    breaks = {
        "crash": "SIGSEGV",
        "crowd": "nested deeper than 256 levels, with 30002 tags; at that depth, at most 25000 tags are read",
        "hang": "takes more than 2 seconds of computing",
        "swell": "more than 8192 MB of memory",
    }
    pages = linked({"/": ["/a", *(f"/{does}" for does in breaks), "/b"], "/a": ["/c"], "/b": [], "/c": [], "/after-failure": []})
    store(tmp_path / "toy", pages | dict.fromkeys(["/crash", "/hang", "/swell"], "") | {"/crowd": "<b>" * 30_002})
    with replayed(Trouble, SOURCE, tmp_path / "toy", workers=2, page_seconds=2.0) as outcome:
        items = [msgspec.json.decode(line, type=Item) for line in outcome.lines]
        assert sorted(outcome.rejected) == [f"GET {HOME}/{does}: breaks its reader: {why}" for does, why in breaks.items()]
    assert [item.url[len(HOME) + 1 :] for item in items if item.doubt == "page_unreadable"] == [*breaks]
    assert {"", "a", "b", "c", "after-failure"} <= {item.url[len(HOME) + 1 :] for item in items if not item.doubt}


def test_a_page_that_broke_this_code_is_not_read_again(tmp_path: Path) -> None:
    store(tmp_path / "toy", linked({"/": ["/a", "/exit"], "/a": [], "/exit": [], "/after-failure": []}))  # read, it would end the worker
    add_broken(tmp_path / "toy", f"GET {HOME}/exit", "breaks its reader: SIGSEGV", reader_version("toy"))
    with replayed(Trouble, SOURCE, tmp_path / "toy") as outcome:
        assert outcome.rejected == [f"GET {HOME}/exit: breaks its reader: SIGSEGV"]
        assert sum(b"page_unreadable" in line for line in outcome.lines) == 1
    add_broken(tmp_path / "toy", f"GET {HOME}/exit", "breaks its reader: SIGSEGV", "another version")
    with pytest.raises(ValueError, match="a worker ended with status 3"), replayed(Trouble, SOURCE, tmp_path / "toy"):
        pass


def test_pages_that_are_known_to_break_the_spider_do_not_count_again(tmp_path: Path) -> None:
    known = [f"/crash?{number}" for number in range(MOST_BROKEN)]
    store(tmp_path / "toy", linked({"/": [*known, "/crash"], "/crash": []} | {path: [] for path in known}))
    for path in known:
        add_broken(tmp_path / "toy", f"GET {HOME}{path}", "breaks its reader: SIGSEGV", reader_version("toy"))
    with replayed(Trouble, SOURCE, tmp_path / "toy") as outcome:
        assert len(outcome.rejected) == MOST_BROKEN + 1


def test_reports_why_a_spider_cannot_be_constructed(items: Callable) -> None:
    with pytest.raises(ValueError, match=r"params.yaml: sources.toy: the spider does not support `letters`"):
        items(linked({"/": []}), Scoped)


@pytest.mark.slow
def test_reports_unreadable_archive(items: Callable, tmp_path: Path) -> None:
    items(linked({"/": ["/a"], "/a": []}))
    path = segment(tmp_path / "toy", SNAPSHOT)
    whole = bytearray(path.read_bytes())
    row = next(row for row in read_index(tmp_path / "toy", SNAPSHOT) if row.url == f"{HOME}/a")
    whole[row.offset : row.offset + row.length] = bytes(row.length)
    path.write_bytes(whole)
    told = rf"1 requests cannot be replayed:\n  .*{SNAPSHOT}\.warc\.gz at {row.offset}: GET https://toy.example/a cannot be read"
    with pytest.raises(ValueError, match=told):
        items({})


def test_reports_answer_that_cannot_be_decompressed(items: Callable) -> None:
    with pytest.raises(ValueError, match=r"extract toy: 1 errors \(logged above\)"):
        items(linked({"/b": []}) | {"/a": answer("/a", "no gzip", **{"Content-Encoding": "gzip"})}, Starting)


@pytest.mark.slow
@pytest.mark.parametrize("ends_with", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_parent_is_the_end_of_its_workers(tmp_path: Path, root: Path, ends_with: int) -> None:
    slow = [f"/sleep{number}" for number in range(400)]
    store(tmp_path / "toy", linked({"/": slow} | {path: [] for path in slow}))
    run = (
        "import sys; from pathlib import Path; from tests.crawlers.replay_site import *; from crawlers.extract import replay; "
        "from atomexam.records.params import ExtractFlags; folder = Path(sys.argv[1]); "
        "replay(Trouble, ExtractFlags(snapshot=SNAPSHOT), folder, 0, folder.parent / 'items.jsonl', workers=2)"
    )
    place = os.environ | {"PYTHONPATH": str(root)}
    with subprocess.Popen([sys.executable, "-c", run, str(tmp_path / "toy")], env=place, stderr=subprocess.DEVNULL) as parent:
        deadline = time.monotonic() + 20
        while len(workers := children(parent.pid)) < 2:
            assert time.monotonic() < deadline and parent.poll() is None
            time.sleep(0.02)
        time.sleep(0.5)
        parent.send_signal(ends_with)
        assert parent.wait(10) != 0
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline + 5
        time.sleep(0.02)
    assert not (tmp_path / "items.jsonl").exists()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


def test_the_version_of_readers_counts_only_folders_that_are_there() -> None:
    assert not [name for name in _READERS if not any((_CRAWLERS / name).rglob("*.py"))]
