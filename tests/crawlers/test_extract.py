"""What `extract` does not let pass."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crawlers.extract import main
from crawlers.store.missing_pages import write_failed

Toy = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, run_toy: Toy) -> Path:
    folder = tmp_path_factory.mktemp("crawled") / "toy"
    assert run_toy("crawl", folder) == (0, "")
    return folder


@pytest.mark.slow
def test_pages_that_are_not_stored_fail_the_stage_unless_the_site_never_gave_them(crawled: Path, run_toy: Toy) -> None:
    status, errors = run_toy("extract", crawled, spider="greedy")
    assert status == 1
    assert "error: extract toy: 1 pages are not in" in errors and "`dvc repro -f crawl@toy`" in errors
    assert "GET https://toy.example/p/never-crawled" in errors
    write_failed(crawled, {"GET https://toy.example/p/never-crawled": "HTTP status 500"})
    assert run_toy("extract", crawled, spider="greedy") == (0, "")
    write_failed(crawled, {})


@pytest.mark.slow
def test_misfits_fail_the_stage_only_above_the_limit(crawled: Path, run_toy: Toy) -> None:
    status, errors = run_toy("extract", crawled, spider="misfit")
    assert status == 1
    assert "6 of 31 pages no longer fit the spider, more than max_misfit_share 0.05" in errors
    assert "https://toy.example/p/5: no stem" in errors and "… and 1 more" in errors
    status, errors = run_toy("extract", crawled, spider="misfit", share=0.2)
    assert status == 0 and errors.count("misfit: https://toy.example/p/") == 6


@pytest.mark.slow
def test_a_page_that_a_callback_fails_on_is_a_misfit(crawled: Path, run_toy: Toy) -> None:
    status, errors = run_toy("extract", crawled, spider="failing", share=0)
    assert status == 1
    assert "1 of 31 pages no longer fit the spider, more than max_misfit_share 0" in errors
    assert "https://toy.example/p/3: KeyError" in errors
    status, errors = run_toy("extract", crawled, spider="failing", share=0.05)
    assert status == 0
    assert "KeyError" in errors  # told, though the stage goes on


@pytest.mark.slow
def test_nothing_crawled_says_what_to_do(tmp_path: Path, run_toy: Toy) -> None:
    status, errors = run_toy("extract", tmp_path / "toy")
    assert (status, errors) == (1, f"error: {tmp_path / 'toy'}: no pages of 2026-11-20; `dvc repro crawl@toy` fetches them\n")


def test_an_unknown_source_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"unknown source 'ask12'; known: .*ask120.*did you mean ask120"):
        main(["ask12", "--snapshot", "2026-11-20", "--out", str(tmp_path / "items.jsonl")])


@pytest.mark.slow
def test_a_kind_of_page_that_lost_much_since_the_last_snapshot_fails_the_stage(tmp_path: Path, run_toy: Toy) -> None:
    folder = tmp_path / "toy"
    assert run_toy("crawl", folder) == run_toy("crawl", folder, snapshot="2026-11-21", pages=20) == (0, "")
    status, errors = run_toy("extract", folder, snapshot="2026-11-21", pages=20, kind_loss=0.3)
    assert status == 1
    assert "more than max_kind_loss 0.3 of what the last snapshot contained is missing" in errors
    assert "parse_page: items: 30 in the last snapshot, 20 now" in errors and "crawlers.check toy --live" in errors
    assert run_toy("extract", folder, snapshot="2026-11-21", pages=20, kind_loss=0.4) == (0, "")
    assert run_toy("extract", folder) == (0, "")
