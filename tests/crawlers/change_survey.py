"""How many changes of sites go by in silence, and how many `check --live` names: python -m tests.crawlers.change_survey [COUNT] [SEED]."""

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from random import Random

from msgspec import Struct
from scrapy.http import Headers
from scrapy.responsetypes import responsetypes

from atomexam.records.params import Extract
from crawlers.check.site_changes import verdict
from crawlers.check.walk import Visit, detached_spider, respond_of, visit_page, walk
from crawlers.web.page_kinds import losses
from crawlers.web.run_spider import spider_class
from tests.crawlers.site_changes import CameBack, drawn

BOUND = Extract(max_misfit_share=0).max_kind_loss
SOURCES = ("ask120", "examcoo", "hxter", "mxqe", "studyez", "xiaohe")
PER_KIND = 12


class Changed(Struct, kw_only=True):
    """One change of one page."""

    name: str
    source: str
    before: Visit
    after: Visit
    others: list[Visit]
    """Unchanged pages of the kind but this; the page itself where it is the only one."""

    @property
    def is_right(self) -> bool:
        """The page reads as before."""
        return self.after.reading == self.before.reading and not self.after.misfits

    @property
    def is_lost(self) -> bool:
        """The law over snapshots reports the kind if all its pages changed so."""
        return bool(losses(self.before.figures, self.after.figures, BOUND))

    @property
    def is_reported(self) -> bool:
        """The spider says that the page does not fit."""
        return bool(self.after.misfits)


@cache
def pages_of(source: str) -> Sequence[Visit]:
    """Return pages of a replica that read without a misfit."""
    spider = spider_class(source)
    return [visit for visit in walk(spider, respond_of(spider), PER_KIND) if not visit.misfits and (visit.items or visit.requests)]


def came_back(visit: Visit) -> CameBack:
    """Return a visited page as the changes want it."""
    headers = {name.decode(): values[0].decode("latin-1") for name, values in visit.response.headers.items()}
    return CameBack(url=visit.response.url, status=visit.response.status, headers=headers, body=visit.response.body)


def changes(count: int, seed: int) -> list[Changed]:
    """Return changes, drawn and read."""
    all_pages = [(source, visit) for source in SOURCES for visit in pages_of(source)]
    homes = {source: came_back(pages_of(source)[0]) for source in SOURCES}
    found = []
    for name, number, changed in drawn(Random(seed), [(source, came_back(visit)) for source, visit in all_pages], homes, count):
        source, before = all_pages[number]
        headers = Headers(changed.headers)
        kind = responsetypes.from_args(headers=headers, url=changed.url, body=changed.body)
        response = kind(url=changed.url, status=changed.status, headers=headers, body=changed.body)
        after = visit_page(detached_spider(spider_class(source)), before.request, response)
        others = [visit for visit in pages_of(source) if visit.kind == before.kind and visit is not before] or [before]
        found.append(Changed(name=name, source=source, before=before, after=after, others=others))
    return found


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    found = changes(count, seed)
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        how = "right" if one.is_right else "misfit" if one.is_reported else "kind law" if one.is_lost else "silent"
        table[one.name][how] += 1
        if how == "silent" and "-v" in sys.argv:
            print(
                one.name,
                one.source,
                one.before.kind,
                one.before.response.url,
                len(one.before.items),
                len(one.after.items),
                len(one.before.requests),
                len(one.after.requests),
                one.after.noted,
            )
    named: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        said = verdict(one.after, one.others)
        how = "right" if one.is_right else "misfit" if one.is_reported else "kind law" if one.is_lost else "silent"
        named[one.name][said.name] += 1
        named[""]["named first"] += said.name == one.name
        named[""]["named at all"] += one.name in [each.name for each in said.differences]
        named[""]["as expected, though read wrongly"] += said.name == "as_expected" and not one.is_right
        if "-n" in sys.argv and said.name != one.name:
            print(
                one.name,
                "->",
                said.name,
                how,
                one.source,
                one.before.kind,
                one.after.response.url,
                [each.detail for each in said.differences][:2],
                said.fields_lost,
            )
    for name, counts in named.items():
        print(f"{name:18}", dict(counts))
    alarms = Counter(
        verdict(page, [each for each in pages_of(source) if each.kind == page.kind and each is not page] or [page]).name
        for source in SOURCES
        for page in pages_of(source)
    )
    print("unchanged pages", dict(alarms))
    for name, counts in table.items():
        print(f"{name:18}", dict(counts))
    print(sum((counts for counts in table.values()), Counter()))


if __name__ == "__main__":
    main()
