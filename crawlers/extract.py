"""Stage `extract`: stored pages -> items, data/items/SOURCE.jsonl. No network."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from records.item import Item
from records.jsonl import folder_lock, write_jsonl
from records.params import Extraction
from records.stage import read_arguments, run_stage

if TYPE_CHECKING:
    from crawlers.source import SourceSpider


def main(argv: list[str] | None = None) -> None:
    paths = {"pages": "data/pages/{key}", "out": "data/items/{key}.jsonl"}
    arguments = read_arguments(argv, __doc__, "sources", Extraction, paths, keyed=True)
    source: Extraction = arguments.params
    share = source.max_misfit_share
    if share is None:
        share = arguments.all_params.get("extract", {}).get("max_misfit_share", 0.0)
    with folder_lock(arguments.pages) as folder:  # against a crawl that a killed `dvc repro` left running
        if source.kind == "files":
            from crawlers.files import read_files

            items = read_files(arguments.key, source, folder, share)
        else:
            from crawlers.process import spider_class

            items = replay(spider_class(arguments.key), source, folder, share)
        write_jsonl(arguments.out, items, key=lambda item: (item.url, natural(item.provenance.position)))


def replay(spider: "type[SourceSpider]", source: Extraction, folder: Path, max_misfit_share: float) -> list[Item]:
    """Return the items that a spider reads from its stored pages.

    Raises:
        ValueError: a page is not stored, or too many pages no longer fit the spider or made it fail; names the urls.
    """
    from crawlers import settings
    from crawlers.process import run_spider, shown
    from crawlers.segments import read_failed

    name = spider.name
    store = {"ARCHIVE_FOLDER": str(folder), "ARCHIVE_SNAPSHOT": source.snapshot, "MAX_PAGES": source.max_pages}
    outcome = run_spider(spider, settings.offline() | store, snapshot=source.snapshot, max_pages=source.max_pages)
    if outcome.finish_reason != "finished":
        raise ValueError(f"extract {name}: stopped before its end ({outcome.finish_reason}); run it again")
    failed = read_failed(folder)
    if missed := [request for request in outcome.stats.get("archive/missed", []) if request not in failed]:
        advice = f"the spider asks for more than was crawled; `dvc repro -f crawl@{name}` fetches it"
        raise ValueError(f"extract {name}: {len(missed)} pages are not in {folder}; {advice}:{shown(missed)}")
    misfits = [*outcome.stats.get("misfit/pages", []), *outcome.errors]  # a page that a callback failed on fits no better
    if len(misfits) > outcome.pages * max_misfit_share:
        limit = f"more than max_misfit_share {max_misfit_share:g}; the site has changed: mend crawlers/sources/{name}.py"
        raise ValueError(f"extract {name}: {len(misfits)} of {outcome.pages} pages no longer fit the spider, {limit}:{shown(misfits)}")
    if not outcome.items:
        raise ValueError(f"extract {name}: no items in {outcome.pages} pages; mend crawlers/sources/{name}.py")
    return outcome.items


def natural(position: str) -> tuple[str | int, ...]:
    """Return a sort key that puts q2 before q10."""
    parts = re.split(r"([0-9]+)", position)  # texts and numbers by turns
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts))


if __name__ == "__main__":
    run_stage(main)
