"""What every site's spider is made from: one level of inheritance that fills in where an item was seen."""

from typing import Any

import scrapy
from scrapy.http import Response

from records.item import EntityItem, LabelledValue, QuestionItem, Section
from records.provenance import Provenance, page_id


class SourceSpider(scrapy.Spider):
    """Reader of one site. A site sets `name`, `allowed_domains`, `start_urls` and its callbacks, and nothing of modes or stores."""

    def __init__(self, snapshot: str = "2026-01-01", max_pages: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.snapshot = snapshot
        self.max_pages = int(max_pages)

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
        """Return an encyclopedia entry; `url` is the entry's home where that is not the page it was read from."""
        return EntityItem(
            url=url or response.url,
            provenance=self.provenance(response, "page"),
            entity_type=entity_type,
            name_raw=name_raw,
            alias_raw=alias_raw,
            values=values or [],
            sections=sections or [],
        )

    def question(self, response: Response, position: str, **raw_fields: Any) -> QuestionItem:
        """Return a question with its raw fields; `position` is its place within the page, `q12` for the twelfth."""
        return QuestionItem(url=response.url, provenance=self.provenance(response, position), **raw_fields)

    def provenance(self, response: Response, position: str) -> Provenance:
        """Return where something was seen."""
        # The archive leaves the id of the body as it came; a page that never passed the archive (a fixture) has only its body.
        seen = response.request.meta.get("page_id") if response.request else None
        return Provenance(
            source=self.name,
            url=response.url,
            snapshot=self.snapshot,
            page_id=seen or page_id(response.url, response.body),
            position=position,
        )

    def misfit(self, response: Response, why: str) -> None:
        """Count a page that no longer fits this spider; `extract` fails when there are too many."""
        self.crawler.stats.inc_value("misfit/count")
        self.crawler.stats.set_value("misfit/pages", [*self.crawler.stats.get_value("misfit/pages", []), f"{response.url}: {why}"])
        self.logger.warning("misfit: %s: %s", response.url, why)
