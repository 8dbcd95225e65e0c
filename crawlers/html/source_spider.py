"""The base class of all spiders; it fills in the provenance of items."""

from collections.abc import Sequence
from typing import Any, ClassVar, cast
from urllib.parse import urldefrag

import scrapy
from scrapy.crawler import Crawler
from scrapy.http import Response

from atomexam.records.item import EntityItem, LabelledValue, QuestionItem, Section
from atomexam.records.provenance import Provenance, page_id
from crawlers.html.walls import WALLS, wall_of

NOTED = "noted/"
"""Prefix of the stats in which `SourceSpider.note` counts."""
MAX_REPORTED = 10_000
"""Maximum number of stored messages of misfits and errors, which limits the memory of a large crawl; all are counted."""


def spider_of(crawler: Crawler) -> "SourceSpider":
    """Return the spider of a crawl that was started."""
    return cast(SourceSpider, crawler.spider)


class SourceSpider(scrapy.Spider):
    """Spider of one site. A subclass sets `name`, `allowed_domains`, `start_urls` and callbacks; it does not depend on modes or stores.

    Callbacks and errbacks must be methods and receive their data in `cb_kwargs`, not in attributes set by other pages, because a replay
    runs a spider in several processes.
    """

    allowed_domains: Sequence[str] | None = None
    """The hosts of the site, which a crawl never leaves."""

    scopes: ClassVar[tuple[str, ...]] = ()
    """The keys among `letters`, `departments` and `lists` in params.yaml that the spider supports."""

    delay: ClassVar[float | None] = None
    """Seconds between two requests to the live site, where the default is unsuitable; params.yaml overrides it."""
    concurrency: ClassVar[int | None] = None
    """Number of concurrent requests to the live site; params.yaml overrides it."""

    def __init__(
        self,
        snapshot: str = "2026-01-01",
        max_pages: int = 0,
        letters: list[str] | None = None,
        departments: list[str] | None = None,
        lists: list[str] | None = None,
        exam: str | None = None,
        subject: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.snapshot = snapshot
        self.max_pages = int(max_pages)
        self.letters, self.departments, self.lists = letters, departments, lists
        self.exam, self.subject = exam, subject
        self.named: dict[str, tuple[str, str]] = {}
        """URL of each list in a scope -> the scope and the list's name, for the message shown if the site has no such list."""
        for scope in ("letters", "departments", "lists"):
            if getattr(self, scope) is not None and scope not in self.scopes:
                known = f"it supports {', '.join(self.scopes)}" if self.scopes else "its only scope is max_pages"
                raise ValueError(f"params.yaml: sources.{self.name}: the spider does not support `{scope}`; {known}")

    def entity(
        self,
        response: Response,
        entity_type: str,
        *,
        name_raw: str | None,
        alias_raw: str | None = None,
        values: list[LabelledValue] | None = None,
        sections: list[Section] | None = None,
        url: str | None = None,
    ) -> EntityItem:
        """Return an encyclopedia entry; `url` is the entry's main page if it was read from another page."""
        return EntityItem(
            url=urldefrag(url or response.url).url,
            provenance=self.provenance(response, "page"),
            entity_type=entity_type,
            name_raw=name_raw,
            alias_raw=alias_raw,
            values=values or [],
            sections=sections or [],
        )

    def question(self, response: Response, position: str, **raw_fields: Any) -> QuestionItem:
        """Return a question with its raw fields; `position` says where it is on the page, such as `q12` for the twelfth question."""
        return QuestionItem(url=urldefrag(response.url).url, provenance=self.provenance(response, position), **raw_fields)

    def provenance(self, response: Response, position: str) -> Provenance:
        """Return the provenance of an item."""
        # The archive sets the id of the received body; a page that did not come through the archive (a fixture) has only its body.
        stored_id = response.request.meta.get("page_id") if response.request else None
        return Provenance(
            source=self.name,
            url=urldefrag(response.url).url,  # a redirect may lead to a fragment of a page
            snapshot=self.snapshot,
            page_id=stored_id or page_id(response.url, response.body),
            position=position,
        )

    def refusal(self, response: Response) -> str | None:
        """Return why a response, whatever its status, is a temporary refusal rather than a page, such as a browser check or a log-in wall.

        The archive calls this for every decoded answer. A refusal is not stored: it is listed as a failure with this text and requested
        again later, like a response with status 403. Override this for a site with its own kind of wall.
        """
        wall = wall_of(response) if response.status == 200 else None
        return f"{WALLS[wall]} instead of the page" if wall else None

    def note(self, what: str, number: int = 1) -> None:
        """Count something that a page hides or lacks through no fault of the spider, such as an answer behind a paywall or images instead
        of text.

        The crawl's figures list it under this text.
        """
        self.crawler.stats.inc_value(NOTED + what, number)

    def unmatched(self, response: Response, kind: str, labels: list[str]) -> None:
        """Report a page on which the spider's filter rejects all lists or channels."""
        excerpts = ", ".join(repr(words[:30]) for words in sorted(set(labels))[:5])
        self.misfit(response, f"none of {len(labels)} {kind}s matches the filter of this spider; they are {excerpts}")

    def misfit(self, response: Response, why: str) -> None:
        """Count a page that no longer fits this spider; `extract` fails if there are too many."""
        self.crawler.stats.inc_value("misfit/count")
        if (reported := self.crawler.stats.get_value("misfit/pages")) is None:
            self.crawler.stats.set_value("misfit/pages", reported := [])
        if len(reported) < MAX_REPORTED:
            reported.append(f"{response.url}: {why}")
        self.logger.warning("misfit: %s: %s", response.url, why)
