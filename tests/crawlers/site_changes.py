"""What happens to a site over the years: a page as it came in, the page after one change out. Twenty-one kinds, drawn from a seed.

The name of a change is the gold: `crawlers.check --live` has to say it, and no spider may read the changed page wrongly in silence.
"""

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from lxml import etree, html
from msgspec import Struct
from msgspec.structs import replace

NEW_NAMES = ("main-x1", "c-box", "m_item2", "wrap-v3", "cell_new", "g-info", "kz_block", "uiRow", "pnl", "area9")
_JSON_START = re.compile(rb"^\s*[\[{]")
_STATE = re.compile(r"=\s*(?=[{\[])")
_PAGER = re.compile(r"下一页|上一页|尾页|末页|首页|下页|^\s*\d{1,3}\s*$|总数|总共|更多")
_VOID = {"br", "img", "hr", "input", "meta", "link", "script", "style", "title", "head"}
_LOGIN = (
    "<html><head><title>用户登录</title></head><body><form action='/login' method='post'>账号 <input name='username'>"
    " 密码 <input type='password' name='password'><button>登录</button></form></body></html>"
)
_CAPTCHA = (
    "<html><head><title>安全验证</title></head><body><p>请输入验证码以继续访问</p><form><img src='/captcha.png?t=1'>"
    "<input name='captcha'><button>提交</button></form></body></html>"
)
_SCRIPT_WALL = (
    "<script>var x='replace@cookie@document'.split('@'),y=1;"
    "(function(){document.cookie='__clear_'+y+'=1;path=/';setTimeout('location.reload()',1500)})();</script>"
)
_FORBIDDEN = (
    "<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>nginx</center></body></html>"
)


class CameBack(Struct, frozen=True, kw_only=True):
    """A page as it came back for an address that was requested."""

    url: str
    """Where it came from in the end, after redirects."""
    status: int = 200
    headers: dict[str, str] = {}
    body: bytes = b""


Change = Callable[[Random, CameBack, CameBack], CameBack | None]
"""A page and the home of its site in, the page after the change out; None if the change does not fit this page."""


def is_json(page: CameBack) -> bool:
    """Return whether a page is JSON as a whole."""
    try:
        return bool(_JSON_START.match(page.body)) and json.loads(page.body) is not None
    except ValueError:
        return False


def charset_of(page: CameBack) -> str:
    """Return in which encoding a page of the replicas is written; they are UTF-8 or of the GB family."""
    try:
        page.body.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return "gb18030"


def _text(page: CameBack) -> str:
    return page.body.decode(charset_of(page), "replace")


def _with_text(page: CameBack, text: str) -> CameBack:
    return replace(page, body=text.encode(charset_of(page), "replace"))


def _tree(page: CameBack) -> html.HtmlElement | None:
    if is_json(page) or b"<" not in page.body:
        return None
    return html.document_fromstring(_text(page))


def _written(page: CameBack, tree: html.HtmlElement) -> CameBack:
    return _with_text(page, html.tostring(tree, encoding="unicode", doctype=tree.getroottree().docinfo.doctype or None))


def _on_tree(change: Callable[[Random, html.HtmlElement], bool]) -> Change:
    def changed(random: Random, page: CameBack, home: CameBack) -> CameBack | None:
        tree = _tree(page)
        return _written(page, tree) if tree is not None and change(random, tree) else None

    return changed


def _blocks(tree: html.HtmlElement) -> list[html.HtmlElement]:
    """Return elements of the body that have a class or id, some text and are not the whole body."""
    whole = len(tree.text_content())
    found = [each for each in tree.iter("div", "ul", "ol", "dl", "table", "section", "p", "li", "h1", "h2", "span", "dt", "dd", "td")]
    named = [each for each in found if each.get("class") or each.get("id")]
    return [each for each in named or found if each.getparent() is not None and 0 < len(each.text_content().strip()) < whole]


def _rename(attribute: str) -> Callable[[Random, html.HtmlElement], bool]:
    def change(random: Random, tree: html.HtmlElement) -> bool:
        names = sorted({name for each in tree.iter() if isinstance(each.tag, str) for name in each.get(attribute, "").split()})
        if not names:
            return False
        old, new = random.choice(names), random.choice(NEW_NAMES)
        for each in tree.iter():
            if isinstance(each.tag, str) and old in each.get(attribute, "").split():
                each.set(attribute, " ".join(new if name == old else name for name in each.get(attribute).split()))
        return True

    return change


def _moved(random: Random, tree: html.HtmlElement) -> bool:
    blocks = _blocks(tree)
    if len(blocks) < 2:
        return False
    block = random.choice(blocks)
    inside = set(block.iter())
    others = [each for each in blocks if each not in inside and each is not block.getparent() and each.getparent() is not block.getparent()]
    if not others:
        return False
    target = random.choice(others)
    block.drop_tree()  # keeps the text behind it
    block.tail = None
    target.getparent().insert(target.getparent().index(target), block)
    return True


def _wrapped(random: Random, tree: html.HtmlElement) -> bool:
    blocks = _blocks(tree)
    if not blocks:
        return False
    block = random.choice(blocks)
    parent, place = block.getparent(), block.getparent().index(block)
    box = etree.SubElement(parent, "section", {"class": random.choice(NEW_NAMES)})
    parent.insert(place, box)
    box.tail, block.tail = block.tail, None
    box.append(block)
    return True


def _dropped(random: Random, tree: html.HtmlElement) -> bool:
    blocks = _blocks(tree)
    if not blocks:
        return False
    random.choice(blocks).drop_tree()
    return True


def _list_emptied(random: Random, tree: html.HtmlElement) -> bool:
    """Drop the rows of a list with links: the largest group of like children."""
    groups: list[tuple[int, list[html.HtmlElement]]] = []
    for parent in tree.iter("div", "ul", "ol", "dl", "table", "tbody", "p", "td", "section"):
        tag, count = (Counter(child.tag for child in parent if isinstance(child.tag, str)).most_common(1) or [("", 0)])[0]
        rows = [child for child in parent if child.tag == tag and (child.tag == "a" or child.find(".//a") is not None)]
        if count >= 2 and len(rows) >= 2:
            groups.append((len(rows), rows))
    if not groups:
        return False
    most = max(size for size, _ in groups)
    for row in random.choice([rows for size, rows in groups if size == most]):
        row.drop_tree()
    return True


def _pagination_gone(random: Random, tree: html.HtmlElement) -> bool:
    links = [each for each in tree.iter("a") if _PAGER.search(each.text_content().strip() or each.get("title") or "")]
    if not any(re.search(r"下一页|下页|尾页|末页|更多", each.text_content()) for each in links):
        return False
    for each in links:
        each.drop_tree()
    return True


def _longest(tree: html.HtmlElement) -> list[html.HtmlElement]:
    """Return the elements with most text of their own, at most five: what the page is about."""
    texts = [
        each
        for each in tree.iter("p", "div", "td", "li", "span", "dd", "h1", "var")
        if len("".join([each.text or "", *(child.tail or "" for child in each)]).strip()) >= 6
    ]
    return sorted(texts, key=lambda each: -len(each.text_content()))[:5]


def _base64(random: Random, page: CameBack, home: CameBack) -> CameBack | None:
    if is_json(page):
        value = json.loads(page.body)
        places = [place for place in _strings(value) if len(place[2]) >= 6]
        if not places:
            return None
        holder, key, text = random.choice(places)
        holder[key] = base64.b64encode(text.encode()).decode()
        return replace(page, body=json.dumps(value, ensure_ascii=False).encode())
    tree = _tree(page)
    if tree is None or not (texts := _longest(tree)):
        return None
    element = random.choice(texts)
    inner = (element.text or "") + "".join(etree.tostring(child, encoding="unicode", method="html") for child in element)
    for child in list(element):
        element.remove(child)
    element.text = base64.b64encode(inner.encode()).decode()
    return _written(page, tree)


def _image(random: Random, tree: html.HtmlElement) -> bool:
    if not (texts := _longest(tree)):
        return False
    element = random.choice(texts)
    for child in list(element):
        element.remove(child)
    element.text = None
    etree.SubElement(element, "img", {"src": f"/d/file/{random.randrange(10**6)}.png"})
    return True


def _strings(value: Any) -> Iterator[tuple[Any, Any, str]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(entries):
        if isinstance(inner, str):
            yield value, key, inner
        else:
            yield from _strings(inner)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(inner)


def _on_json(change: Callable[[Random, Any], Any]) -> Change:
    """Change a page's JSON, be it the whole page or the state in a script."""

    def changed(random: Random, page: CameBack, home: CameBack) -> CameBack | None:
        if is_json(page):
            value = change(random, json.loads(page.body))
            return None if value is None else replace(page, body=json.dumps(value, ensure_ascii=False).encode())
        text = _text(page)
        for match in _STATE.finditer(text):
            try:
                value, end = json.JSONDecoder().raw_decode(text, match.end())
            except ValueError:
                continue
            value = change(random, value) if value else None
            if value is not None:
                written = json.dumps(value, ensure_ascii=False).replace("</", "<\\/")
                return _with_text(page, text[: match.end()] + written + text[end:])
        return None

    return changed


def _json_key_renamed(random: Random, value: Any) -> Any:
    keys = sorted({key for each in _objects(value) for key in each})
    if not keys:
        return None
    old, new = random.choice(keys), random.choice(("payload", "list2", "txt", "v2", "field_x"))
    for each in list(_objects(value)):
        if old in each:
            entries = [(new if key == old else key, inner) for key, inner in each.items()]
            each.clear()
            each.update(entries)
    return value


def _json_wrapped(random: Random, value: Any) -> Any:
    return {"code": 0, "msg": "ok", random.choice(("data", "result", "body")): value}


def _split(random: Random, page: CameBack, home: CameBack) -> CameBack | None:
    """Put one field into two: the text of an element into two elements, a string of JSON into two keys."""
    if is_json(page):
        value = json.loads(page.body)
        places = [place for place in _strings(value) if len(place[2]) >= 6 and isinstance(place[0], dict)]
        if not places:
            return None
        holder, key, text = random.choice(places)
        del holder[key]
        holder[f"{key}1"], holder[f"{key}2"] = text[: len(text) // 2], text[len(text) // 2 :]
        return replace(page, body=json.dumps(value, ensure_ascii=False).encode())
    tree = _tree(page)
    if tree is None:
        return None
    leaves = [
        each
        for each in tree.iter("p", "div", "td", "li", "span", "dd", "h1", "var", "strong")
        if not len(each) and len((each.text or "").strip()) >= 4
    ]
    if not leaves:
        return None
    leaf = random.choice(sorted(leaves, key=lambda each: -len(each.text))[:12])
    text, parent = leaf.text, leaf.getparent()
    second = etree.Element(leaf.tag, dict(leaf.attrib))
    leaf.text, second.text = text[: len(text) // 2], text[len(text) // 2 :]
    second.tail, leaf.tail = leaf.tail, None
    parent.insert(parent.index(leaf) + 1, second)
    return _written(page, tree)


def _declared(page: CameBack, text: str, name: str) -> tuple[dict[str, str], str]:
    """Return headers and text that name an encoding in all places which named one."""
    headers = {key: re.sub(r"(?i)(charset=)[\w-]+", rf"\g<1>{name}", value) for key, value in page.headers.items()}
    return headers, re.sub(r"(?i)(<meta[^>]*charset=[\"']?)[\w-]+", rf"\g<1>{name}", text, count=1)


def _other_encoding(random: Random, page: CameBack, home: CameBack) -> CameBack | None:
    if is_json(page) or not re.search(r"[\u4e00-\u9fff]", _text(page)):
        return None
    new = "gb18030" if charset_of(page) == "utf-8" else "utf-8"
    headers, text = _declared(page, _text(page), new)
    headers["Content-Type"] = f"text/html; charset={new}"
    return replace(page, headers=headers, body=text.encode(new, "replace"))


def _wrong_encoding(random: Random, page: CameBack, home: CameBack) -> CameBack | None:
    if is_json(page) or len(re.findall(r"[\u4e00-\u9fff]", _text(page))) < 20:
        return None
    wrong = random.choice(("gbk", "big5")) if charset_of(page) == "utf-8" else random.choice(("utf-8", "big5"))
    headers, text = _declared(page, _text(page), wrong)
    headers["Content-Type"] = f"text/html; charset={wrong}"
    return replace(page, headers=headers, body=text.encode(charset_of(page), "replace"))


def _instead(status: int, body: str) -> Change:
    def changed(random: Random, page: CameBack, home: CameBack) -> CameBack:
        return replace(page, status=status, headers={"Content-Type": "text/html; charset=utf-8"}, body=body.encode())

    return changed


def _home_instead(random: Random, page: CameBack, home: CameBack) -> CameBack | None:
    return home if home.url != page.url else None


CHANGES: dict[str, Change] = {
    "class_renamed": _on_tree(_rename("class")),
    "id_renamed": _on_tree(_rename("id")),
    "block_moved": _on_tree(_moved),
    "block_wrapped": _on_tree(_wrapped),
    "block_dropped": _on_tree(_dropped),
    "wall_script": _instead(521, _SCRIPT_WALL),
    "wall_captcha": _instead(200, _CAPTCHA),
    "wall_forbidden": _instead(403, _FORBIDDEN),
    "login_page": _instead(200, _LOGIN),
    "empty_page": _instead(200, ""),
    "other_encoding": _other_encoding,
    "wrong_encoding": _wrong_encoding,
    "list_emptied": _on_tree(_list_emptied),
    "pagination_gone": _on_tree(_pagination_gone),
    "json_key_renamed": _on_json(_json_key_renamed),
    "json_wrapped": _on_json(_json_wrapped),
    "base64_text": _base64,
    "text_as_image": _on_tree(_image),
    "field_split": _split,
    "redirect_home": _home_instead,
}


def drawn(random: Random, pages: Sequence[tuple[str, CameBack]], homes: dict[str, CameBack], count: int) -> list[tuple[str, int, CameBack]]:
    """Return `count` changes, the kinds in turn: the kind, the number of the page, and what came in its place."""
    found: list[tuple[str, int, CameBack]] = []
    names = list(CHANGES)
    while len(found) < count:
        name = names[len(found) % len(names)]
        for number in random.sample(range(len(pages)), len(pages)):
            source, page = pages[number]
            changed = CHANGES[name](random, page, homes[source])
            if changed is not None and changed != page:
                found.append((name, number, changed))
                break
        else:
            raise ValueError(f"no page that {name} fits")
    return found
