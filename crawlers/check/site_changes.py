"""A page of a site and unchanged pages of its kind -> what changed, by name, and what to edit."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from crawlers.check.page_shape import Expected, Shape, expected, shape_of
from crawlers.check.walk import Visit
from crawlers.html.walls import WALL_SCRIPT, WALLS, wall_of

_MAX_NAMES = 3
_EXCERPT_CHARS = 60
_FEW_NODES = 5
_STRANGE_SHARE = 0.4
"""Every page has html and body."""
_CLASS, _ID = "class", "id"
AS_EXPECTED = "as_expected"


class PageChange(Struct, frozen=True, kw_only=True):
    """One way in which a page differs from what is expected."""

    name: str
    """Such as class_renamed."""
    detail: str
    old: str = ""
    new: str = ""
    """Selector or key, before and now: what to edit."""


class PageVerdict(Struct, frozen=True, kw_only=True):
    """The changes of one page, the most certain first."""

    kind: str
    url: str
    status: int
    encoding: tuple[str, str]
    landmarks: tuple[int, int]
    """Number of features present, and number that all similar pages have."""
    differences: list[PageChange]
    fields_lost: list[str]
    """Output of all similar pages that this page lacks."""

    @property
    def name(self) -> str:
        """One word for the page."""
        return self.differences[0].name if self.differences else "fields_lost" if self.fields_lost else AS_EXPECTED


def verdict(page: Visit, like: Sequence[Visit]) -> PageVerdict:
    """Return the verdict on a page, compared with unchanged pages of its kind."""
    shape = shape_of(page.response)
    shapes = [shape_of(each.response) for each in like]
    wanted = expected(shape, shapes)
    lost = _fields_lost(page, like)
    changes = list(_replacement(page, shape, wanted))
    if not changes:
        changes = [*_encoding(shape, wanted), *_json(shape, wanted), *_hidden(shape, wanted)]
        changes += _strange_keys(shape, wanted) if shape.is_json else _markup(shape, wanted, bool(lost))
    nodes = wanted.nodes | wanted.paths
    return PageVerdict(
        kind=page.kind,
        url=page.response.url,
        status=page.response.status,
        encoding=shape.encoding,
        landmarks=(len(nodes & {*shape.nodes, *shape.paths}), len(nodes)),
        differences=changes,
        fields_lost=lost,
    )


def _replacement(page: Visit, shape: Shape, wanted: Expected) -> Iterator[PageChange]:
    """Return what came instead of the page."""
    response = page.response
    if response.status not in (200, 404, 410) and response.status not in (401, 403) and b"<script" in response.body:
        yield PageChange(name=WALL_SCRIPT, detail=f"HTTP status {response.status} with a script: {WALLS[WALL_SCRIPT]}; it needs a browser")
    elif wall := wall_of(response):
        yield PageChange(name=wall, detail=f"{WALLS[wall]} (HTTP status {response.status}); it is not circumvented: ask the owner")
    elif response.status != 200:
        yield PageChange(name=f"status_{response.status}", detail="the page is not there, or the server fails")
    elif not response.body.strip():
        yield PageChange(name="empty_page", detail=f"{len(response.body)} bytes")
    elif any("redirected to where the site begins" in why for why in page.misfits):
        requested = page.request.meta.get("redirect_urls", [page.request.url])[0]
        yield PageChange(name="redirect_home", detail=f"{requested} led to {response.url}")
    elif shape.is_json != wanted.nearest[0].is_json:
        yield PageChange(name="other_form", detail=f"{'JSON' if shape.is_json else 'HTML'} instead of the other")
    elif _is_strange(shape, wanted):
        words = " ".join(" ".join(response.css("title::text, body ::text").getall()).split())
        yield PageChange(name="other_page", detail=f"hardly anything that similar pages have; it reads {words[:_EXCERPT_CHARS]!r}")


def _is_strange(shape: Shape, wanted: Expected) -> bool:
    """Return whether an HTML page has hardly any element that all similar pages have: a notice, another site, a new design."""
    return (
        not shape.is_json and len(wanted.nodes) >= _FEW_NODES and len(wanted.nodes & set(shape.nodes)) < _STRANGE_SHARE * len(wanted.nodes)
    )


def _encoding(shape: Shape, wanted: Expected) -> Iterator[PageChange]:
    known = {each.encoding for each in wanted.pages}
    declared, actual = shape.encoding
    if not actual or shape.encoding in known or {each[1] for each in known} == {""}:
        return
    if declared and declared != actual:
        yield PageChange(name="wrong_encoding", detail=f"declares {declared} and is {actual}; it is read as what it is")
    elif actual not in {each[1] for each in known}:
        yield PageChange(name="other_encoding", detail=f"is {actual}, was {', '.join(sorted({each[1] for each in known}))}")


def _json(shape: Shape, wanted: Expected) -> Iterator[PageChange]:
    lost, new = wanted.paths - shape.paths, shape.paths - wanted.known("paths")
    if not wanted.paths or not new:
        return
    for key in sorted(new, key=len):
        under = {path for path in wanted.paths if f"{key}{path}" in shape.paths}
        if lost and len(under) * 5 >= len(wanted.paths) * 4:
            yield PageChange(name="json_wrapped", detail=f"everything is below a new key, {key}", old="", new=key)
            return
    for path in sorted(lost, key=len):
        parent, _, key = path.rpartition(".")
        beside = sorted(each for each in new if each.rpartition(".")[0] == parent)
        halves = [each for each in beside if each.rpartition(".")[2].startswith(key)]
        if len(halves) >= 2:
            yield PageChange(name="field_split", detail=f"{path} became {', '.join(halves)}", old=path, new=halves[0])
        elif beside:
            yield PageChange(
                name="json_key_renamed", detail=f"{path} is gone, {beside[0]} is new", old=key, new=beside[0].rpartition(".")[2]
            )
        else:
            continue
        return


def _strange_keys(shape: Shape, wanted: Expected) -> Iterator[PageChange]:
    """Keys that are new, instead of some that not all pages of the kind have."""
    new = shape.paths - wanted.known("paths")
    known_ends = {path.rpartition(".")[2] for path in wanted.known("paths")}
    strange = sorted(path for path in new if path.rpartition(".")[2] not in known_ends)
    if strange and wanted.paths:
        halves = [path for path in strange if path[:-1] in wanted.known("paths")]
        name = "field_split" if len(halves) >= 2 else "json_key_renamed"
        yield PageChange(name=name, detail=f"{strange[0]} is new", new=strange[0].rpartition(".")[2])


def _hidden(shape: Shape, wanted: Expected) -> Iterator[PageChange]:
    if shape.hidden and not any(each.hidden for each in wanted.pages):
        yield PageChange(name="base64_text", detail=f"text in base64: {shape.hidden[0]!r}")


def _markup(shape: Shape, wanted: Expected, has_lost: bool) -> Iterator[PageChange]:
    known_edges, known_nodes = wanted.known("edges"), wanted.known("nodes")
    pictures = [
        above for above, name in shape.edges if name.startswith("img") and (above, name) not in known_edges and above in known_nodes
    ]
    texts = wanted.known("texts") - shape.texts
    without_text = [each for each in pictures if each in texts]
    if without_text:
        yield _picture(without_text)
    renamed = [*_renamed(shape, wanted, _CLASS), *_renamed(shape, wanted, _ID)]
    yield from renamed
    if renamed:
        return
    if wrapped := _wrapped(shape, known_edges, known_nodes):
        yield wrapped
        return
    if lists := list(_lists(shape, wanted)):
        yield from lists
        return
    yield from _strange_keys(shape, wanted)
    moved = [each for each in shape.edges if each not in known_edges and known_nodes.issuperset(each) and not each[1].startswith("img")]
    if moved and not without_text:
        above, name = moved[0]
        before = sorted(parent for parent, child in known_edges if child == name)
        yield PageChange(
            name="block_moved",
            detail=f"{name} is in {above}, was in {before[0] if before else '?'}",
            old=f"{before[0] if before else ''} > {name}",
            new=f"{above} > {name}",
        )
        return
    gone = sorted(wanted.nodes - set(shape.nodes))
    if not shape.pager and all(each.pager for each in wanted.nearest):
        yield PageChange(name="pagination_gone", detail="no link to the next page of a list, unlike similar pages")
        return
    cut = [name for name in shape.cut if not any(name in each.cut for each in wanted.pages)]
    if cut:
        yield PageChange(name="field_split", detail=f"two of {cut[0]} contain what one contained", old=cut[0], new=f"{cut[0]} + {cut[0]}")
    orders = wanted.known("orders")
    doubled = [name for name, behind in shape.orders if name == behind and (name, name) not in orders and name in known_nodes]
    if doubled and not cut:
        yield PageChange(name="field_split", detail=f"two of {doubled[0]} replace one", old=doubled[0], new=f"{doubled[0]} + {doubled[0]}")
    if pictures and not without_text:
        yield _picture(pictures)
    if gone or (has_lost and not doubled and not cut and not pictures):
        yield PageChange(
            name="block_dropped",
            detail=f"gone: {', '.join(gone[:_MAX_NAMES]) or 'a part that filled a field'}",
            old=gone[0] if gone else "",
        )


def _picture(holders: list[str]) -> PageChange:
    return PageChange(name="text_as_image", detail=f"{holders[0]} contains an image, had text", old=holders[0])


def _renamed(shape: Shape, wanted: Expected, kind: str) -> Iterator[PageChange]:
    """Return new classes or ids on elements that are otherwise where known ones were."""
    known = wanted.words(kind, common=False)
    lost = {word for word in wanted.words(kind, common=True) if not shape.names[kind][word]}
    sign = "." if kind == _CLASS else "#"
    edges = wanted.known("edges")
    for word in [each for each in shape.names[kind] if each not in known]:
        holders = [(above, name) for above, name in shape.edges if _has(name, sign, word)]
        for above, name in holders:
            candidates = sorted(
                {
                    old
                    for known_above, known_name in edges
                    if known_above == above or _has(above, sign, word)
                    for old in known
                    if _has(known_name, sign, old) and _swapped(known_name, sign, old, word) == name and not shape.names[kind][old]
                },
                key=lambda old: (old not in lost, old),
            )
            if candidates:
                old = candidates[0]
                yield PageChange(name=f"{kind}_renamed", detail=f"{sign}{old} is gone, and {sign}{word} is in its place", old=old, new=word)
                return


def _has(name: str, sign: str, word: str) -> bool:
    return bool(re.search(rf"{re.escape(sign + word)}(?=[.#]|$)", name))


def _swapped(name: str, sign: str, old: str, new: str) -> str:
    """Return the name of an element with one of its words replaced; classes are sorted."""
    tag, *words = re.split(r"(?=[.#])", name)
    words = [f"{sign}{new}" if each == f"{sign}{old}" else each for each in words]
    return tag + "".join(sorted(each for each in words if each[0] == ".")) + "".join(each for each in words if each[0] == "#")


def _wrapped(shape: Shape, edges: set[tuple[str, str]], nodes: set[str]) -> PageChange | None:
    for above, name in shape.edges:
        inner = [child for parent, child in shape.edges if parent == name]
        if name not in nodes and above in nodes and any((above, child) in edges for child in inner):
            child = next(child for child in inner if (above, child) in edges)
            return PageChange(
                name="block_wrapped", detail=f"{name} is between {above} and {child}", old=f"{above} > {child}", new=f"{above} {child}"
            )
    return None


def _lists(shape: Shape, wanted: Expected) -> Iterator[PageChange]:
    holders = set(shape.edges)
    for (above, name, child), count in wanted.nearest[0].rows.items():
        counts = [each.rows.get((above, name, child), 0) for each in wanted.nearest]
        if min(counts) >= 2 and (above, name) in holders and not shape.rows.get((above, name, child)):
            yield PageChange(
                name="list_emptied", detail=f"{above} > {name} has none of its rows ({child}, {count} elsewhere)", old=f"{name} > {child}"
            )
            return


def _fields_lost(page: Visit, like: Sequence[Visit]) -> list[str]:
    """Return the fields, labels and links that all similar pages gave and this one does not."""
    wanted = set.intersection(*(_fields(each) for each in like))
    return sorted(wanted - _fields(page))


def _fields(page: Visit) -> set[str]:
    names = {f"links to {each.callback.__name__ if each.callback else 'parse'}" for each in page.requests}
    for item in page.items:
        names |= {name for name in item.__struct_fields__ if name not in ("url", "provenance") and getattr(item, name)}
        names |= {f"label {value.label}" for value in getattr(item, "values", None) or ()}
        names |= {f"section {section.title}" for section in getattr(item, "sections", None) or ()}
    return names
