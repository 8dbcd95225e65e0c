"""Surgery on the replica of tag.120ask.com: its index, departments, homes and sub-pages."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML

from crawlers.embedded.content import FOLDER

CAPTIONS = {
    "shiying": "适应症", "bingfa": "并发症", "jinji": "禁忌症", "buzhou": "手术步骤", "zhunbei": "术前准备", "huli": "术后护理",
    "zhuyi": "注意事项", "baojia": "费用",
}  # fmt: skip
"""The sub-pages that every surgery's home links to, whether they exist or not."""
_TAG = "tag.120ask.com"


class Surgery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a surgery's pages."""

    slug: str
    name: str
    department: str
    rows: list[str]
    """Labels with their values, beside the name; three at most."""
    parts: dict[str, str]
    """Prose by the sub-page's part of the address; other sub-pages do not exist on the site."""


@cache
def surgeries() -> list[Surgery]:
    """Return the surgeries of the site."""
    with open(FOLDER / "surgeries.yaml", encoding="utf-8") as file:
        return msgspec.convert(YAML(typ="safe", pure=True).load(file), list[Surgery])


def show_surgery(show: Callable[..., None], slugs: Mapping[str, str]) -> None:
    """Show the index of all, a list for each department (`slugs` by name), and of each surgery its home and the sub-pages it has."""
    departments = [{"name": name, "slug": slugs[name]} for name in dict.fromkeys(one.department for one in surgeries())]
    listed: dict[str, Any] = {"title": "手术大全", "departments": departments}
    show(_TAG, "/shoushu/pinyin.html", "surgeries.html", **listed, links=[_link(one) for one in surgeries()])
    for row in departments:
        own = [_link(one) for one in surgeries() if one.department == row["name"]]
        show(_TAG, f"/shoushu/ks/{row['slug']}.html", "surgeries.html", **listed, links=own)
    for surgery in surgeries():
        link = _link(surgery)
        context: dict[str, Any] = {"name": surgery.name, "home": link["href"], "captions": CAPTIONS}
        show(_TAG, link["href"], "surgery.html", title=surgery.name, **context, rows=surgery.rows, text="")
        for slug, text in surgery.parts.items():
            title = f"{surgery.name}{CAPTIONS[slug]}"
            show(_TAG, f"{link['href']}{slug}/", "surgery.html", title=title, **context, rows=[], text=text)


def _link(surgery: Surgery) -> dict[str, str]:
    return {"name": surgery.name, "href": f"/shoushu/{surgery.slug}/"}
