"""Replica of xiaohe.cn: lists that load more entries, and entries whose state is in a script in various forms.

The real site is known only in outline; the list addresses, keys and modules are assumed.
"""

import json
from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from crawlers.embedded.content import Content, Entry, Symptom, symptoms_on
from crawlers.embedded.rendering import html_reply, templates
from crawlers.embedded.site import Respond, SiteReply
from crawlers.embedded.sites.xiaohe_entries import (
    blocks,
    disease_detail,
    entry_id,
    examination_detail,
    food_detail,
    medicine_detail,
    symptom_detail,
)

HOSTS = ("www.xiaohe.cn", "search.xiaohe.cn", "m.xiaohe.cn")
_WWW, _SEARCH, _MOBILE = HOSTS
_ROBOTS = "User-agent: *\nDisallow: /medical/qa/\n"
_CHECKED = "/medical/qa/70000000000001?enter_position=nav"
_CONTAINERS = ("window", "ssr", "script", "next", "initial", "render")
_ENTRIES_A_LIST = 12
_KINDS: dict[str, tuple[str, Callable[..., dict[str, Any]]]] = {
    "disease": ("疾病", disease_detail),
    "examination": ("检查", examination_detail),
    "drug": ("药品", medicine_detail),
    "food": ("食物", food_detail),
    "symptom": ("症状", symptom_detail),
}


def build(content: Content) -> Respond:
    """Return the function that answers requests for the site. Flaws depend on the rank of the entries, so every build is the same."""
    carried = content.on("xiaohe")
    pages: dict[tuple[str, str], SiteReply] = {(host, "/robots.txt"): SiteReply(body=_ROBOTS.encode()) for host in HOSTS}
    env = templates("xiaohe")

    def show(host: str, target: str, template: str, container: str, state: Any, **values: Any) -> None:
        if (host, target) in pages:
            raise ValueError(f"xiaohe: two entries at https://{host}{target}; give each its own slug or number")
        pages[host, target] = html_reply(env.get_template(template).render(container=container, state=_script(state), **values))

    def rich(paragraphs: list[str | None], *lists: tuple[str, list[str]]) -> str:
        return env.get_template("content.html").render(paragraphs=paragraphs, lists=lists).strip()

    kinds = [{"name": name, "url": f"/medical/{kind}"} for kind, (name, _) in _KINDS.items()]
    root = {"loaderData": {"layout": None, "medical/page": None}, "errors": None}
    show(_WWW, "/medical", "index.html", "window", root, title="小荷医典", links=kinds, kinds=True, has_more=False)
    by_kind: dict[str, list[Any]] = {
        "disease": carried.diseases, "examination": carried.examinations, "drug": carried.medicines, "food": carried.foods,
        "symptom": symptoms_on("xiaohe"),
    }  # fmt: skip
    for kind, entries in by_kind.items():
        _show_lists(show, pages, kind, entries)
        for rank, entry in enumerate(entries):
            visible = _KINDS[kind][1](entry, rank, rich)
            detail = _KINDS[kind][1](entry, rank, blocks) if rank % 7 == 3 else visible
            container = "none" if rank % 5 == 4 else _CONTAINERS[(rank - rank // 5) % len(_CONTAINERS)]  # none: only the visible page
            show(*_address(kind, entry), "entry.html", container, _state(container, kind, detail), title=entry.name, **visible)
    # Every page links here, but robots.txt excludes crawlers; a crawler that ignores it gets a browser check.
    pages[_WWW, _CHECKED] = html_reply(env.get_template("check.html").render())
    return lambda ask: pages.get((ask.host, ask.target))


def _state(container: str, kind: str, detail: dict[str, Any]) -> dict[str, Any]:
    if container == "ssr":
        return {"data": {"title": "小荷医典", "page": {"detail": detail}}}
    if container == "next":
        return {"props": {"pageProps": {"detail": detail}}, "page": f"/medical/{kind}/[id]"}
    return {"loaderData": {"layout": None, f"medical/{kind}/(id)/page": {"detail": detail}}, "errors": None}


def _address(kind: str, entry: Entry | Symptom) -> tuple[str, str]:
    if kind == "drug":
        return _SEARCH, f"/drug/document?drug_id=7000000000000{int(entry_id(entry)):06d}"
    return _WWW, f"/medical/{kind}/{entry_id(entry)}"


def _show_lists(show: Callable[..., None], pages: dict[tuple[str, str], SiteReply], kind: str, entries: list[Any]) -> None:
    """Show the first entries on a page and the others in responses to the list call; the last listed entry no longer exists (404)."""
    rows = [{"id": entry_id(entry), "name": entry.name, "url": _listed_url(kind, entry, rank)} for rank, entry in enumerate(entries)]
    rows.append({"id": "1", "name": "已下线词条", "url": f"/medical/{kind}/1"})
    for start in range(0, len(rows), _ENTRIES_A_LIST):
        end = start + _ENTRIES_A_LIST
        listing = {"list": rows[start:end], "has_more": end < len(rows), "cursor": str(end)}
        if start == 0:
            state = {"loaderData": {"layout": None, f"medical/{kind}/page": listing}, "errors": None}
            context = {"title": f"{_KINDS[kind][0]}大全", "links": listing["list"], "has_more": listing["has_more"]}
            show(_WWW, f"/medical/{kind}", "index.html", "window", state, kinds=False, **context)
        else:
            body = json.dumps({"code": 0, "message": "success", "data": listing}, ensure_ascii=False).encode()
            reply = SiteReply(headers={"Content-Type": "application/json; charset=utf-8"}, body=body)
            pages[_WWW, f"/medical/api/list?type={kind}&cursor={start}"] = reply


def _listed_url(kind: str, entry: Entry | Symptom, rank: int) -> str:
    host, target = _address(kind, entry)
    if host == _SEARCH:
        return f"//{host}{target}" + ("&enter_position=list" if rank % 3 == 0 else "")
    if rank % 6 == 5:
        return f"https://{_MOBILE}{target}?enter_position=list&token_type=toutiao_web"
    return target + ("?enter_position=list" if rank % 3 == 0 else "")


def _script(state: Any) -> Markup:
    """Return a state to put into a script; it must not contain a closing script tag."""
    return Markup(json.dumps(state, ensure_ascii=False).replace("</", "<\\/"))
