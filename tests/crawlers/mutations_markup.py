"""Mutations of HTML and JSON: a text and a generator in, a text that its format no longer fits, or no page anybody wrote, out."""

import json
import re
from html import escape, unescape
from random import Random

from tests.crawlers.mutations import NAMED_CHARSETS, NASTY, PAPER_PIECES, Mutation, span

_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)([^<>]*)>")
_NUMBER = re.compile(r"\d+")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:')
_NAMES = (
    *(
        "div",
        "p",
        "span",
        "a",
        "td",
        "tr",
        "table",
        "ul",
        "li",
        "b",
        "h1",
        "h2",
        "dl",
        "dt",
        "dd",
        "section",
        "font",
        "br",
        "img",
        "select",
    ),
    *(
        "script",
        "style",
        "textarea",
        "plaintext",
        "template",
        "noscript",
        "svg",
        "math",
        "iframe",
        "title",
        "xmp",
        "frameset",
        "form",
        "html",
    ),
    *("body", "head", "base", "meta", "x-y", "a:b", "option", "object", "button", "w:p", "w:tbl", "w:r", "c", "row"),
)
_DEPTHS = (1, 3, 40, 300, 10_000)
_VALUES = (
    *(
        "",
        "#",
        "javascript:void(0)",
        "http://[",
        "https://a:99999999/",
        "//",
        "///",
        "http://",
        "?page=99999999999",
        "/\n",
        "\\\\x\\y",
        "data:,",
    ),
    *(
        "https://xn--\u0130.example/",
        "http://\u3002/",
        "mailto:a",
        "ftp://a/",
        "/paper/1.html",
        "1_2.htm",
        "index_9.html",
        "display:none",
        "1",
    ),
    *(
        "http://127.0.0.1/",
        "https://user:pw@h:0/",
        "%",
        "%ff%zz",
        "http://a/" + "../" * 500,
        "x" * 5000,
        "/medical/disease/1",
        "\ud7ff\uffff",
    ),
)
_ENTITIES = (
    *(
        "&amp;" * 9000,
        "&#x110000;",
        "&#0;",
        "&#xD800;",
        "&#xDFFF;&#xD83D;",
        "&#128;",
        "&lt;script&gt;",
        "&nbsp;" * 3000,
        "&",
        "&&&&",
        "&#",
        "&#x",
    ),
    *("&nosuch;", "&lt" * 500, "&#99999999999999999999;", "&#x202e;", "&NotEqualTilde;", "&amp;amp;amp;lt;", "&#13;&#10;", "&#xFFFE;"),
)
_BOMB = (
    '<!DOCTYPE html [<!ENTITY a "'
    + "x" * 50
    + '">'
    + "".join(f'<!ENTITY {name} "{f"&{inner};" * 20}">' for inner, name in zip("abcdefg", "bcdefgh", strict=True))
    + "]>&h;"
)
_HEADS = (
    _BOMB,
    '<?xml version="1.0" encoding="utf-16"?>',
    "<!DOCTYPE html SYSTEM 'file:///no-such'>",
    '<base href="http://[">',
    "<!--",
    "<![CDATA[",
    '<base href="//other.example/x/">',
    '<meta http-equiv="refresh" content="0; url=http://[">',
    "<frameset><frame>",
    "<html><html><body>",
)
_BREAKS = (
    *("<!--", "-->", "<![CDATA[", "]]>", "<!", "<?", "<", ">", "</", "<a <b", "</script>", "<script>", "</div></p></table>", "<p>" * 3000),
    *(
        "<input " * 100,
        "<br>" * 5000,
        "<table><tr><td>" * 300,
        "<a href=1_2.htm>下一页</a>" * 200,
        '"',
        "'",
        "<svg><style><a title='</style>",
    ),
)
_ATTRIBUTES = (
    ' "x"=1 {{y}} :z=2 @k <b',
    " '",
    ' "',
    " =",
    " class",
    ' class="',
    " hidden",
    ' style="display:none"',
    ' style="font-size:0"',
    " xml:lang=a:b",
    ' xmlns="urn:x" x:y:z=1',
    ' 1="2"',
    " \u00e9=\u00e9",
    " a" * 5000,
    ' id=""',
    " href",
    " href=//",
    " on{{x}}='\"'",
    ' w:val="-1"',
    ' w:val="9999999999"',
)
_JSON_VALUES = (
    *(
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1.5",
        "1e999",
        "-0",
        "NaN",
        "Infinity",
        "undefined",
        '""',
        '" "',
        "[]",
        "{}",
        "[[]]",
        "[null]",
        '["A"]',
    ),
    *(
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\u0000"',
        '"A"',
        '"ABCDE"',
        '"正确"',
        "7",
        "31",
        "9" * 20,
        "9" * 5000,
        '{"o":1}',
        '[{"o":null}]',
        "'x'",
    ),
    *(
        '{"A":{"B":1}}',
        '["甲","乙"]',
        '[1,2,"x",null,[],{}]',
        '"1、题干 A.甲 B.乙 答案：A"',
        '"<p>' + "<b>" * 2000 + '"',
        '"' + "x" * 20_000 + '"',
    ),
)


def _text_piece(random: Random) -> str:
    return random.choice(random.choice((NASTY, PAPER_PIECES, _ENTITIES, _BREAKS)))


def _tag(random: Random, text: str, opening: bool = True) -> re.Match[str] | None:
    """Return a tag by chance."""
    tags = [found for found in _TAG.finditer(text) if not (opening and found[1])]
    return random.choice(tags) if tags else None


def _element(random: Random, text: str) -> tuple[int, int]:
    """Return from where to where an element stands, as far as its own name tells; another part where the page has no tags."""
    found = _tag(random, text)
    if found is None:
        return span(random, len(text))
    end = text.find(f"</{found[2]}>", found.end())
    return found.start(), end + len(found[2]) + 3 if end >= 0 else found.end()


def _drop_tag(random: Random, text: str) -> str:
    found = _tag(random, text, opening=False)
    return text[: found.start()] + text[found.end() :] if found else text


def _drop_element(random: Random, text: str) -> str:
    start, end = _element(random, text)
    return text[:start] + text[end:]


def _double_element(random: Random, text: str) -> str:
    start, end = _element(random, text)
    times = random.choice((2, 3, 30, max(2, 150_000 // (end - start + 1)) if random.random() < 0.2 else 2))
    return text[:start] + text[start:end] * times + text[end:]


def _move_element(random: Random, text: str) -> str:
    start, end = _element(random, text)
    rest = text[:start] + text[end:]
    place = random.randrange(len(rest) + 1)
    return rest[:place] + text[start:end] + rest[place:]


def _nest(random: Random, text: str) -> str:
    start, end = _element(random, text)
    found = _tag(random, text)
    name = random.choice((found[2] if found else "div", random.choice(_NAMES)))
    opening = random.choice((f"<{name}>", f"<{name}{found[3] if found and len(found[3]) < 60 else ''}>"))
    depth = min(random.choice(_DEPTHS), 150_000 // len(opening))
    closing = f"</{name}>" * (depth if random.random() < 0.5 and depth * len(opening) < 90_000 else 0)
    return text[:start] + opening * depth + text[start:end] + closing + text[end:]


def _unclose(random: Random, text: str) -> str:
    found = _tag(random, text)
    return text.replace(f"</{found[2]}>", "", random.choice((-1, 1, 3))) if found else text


def _rename(random: Random, text: str) -> str:
    found = _tag(random, text)
    if found is None:
        return text
    name = random.choice(_NAMES)
    if random.random() < 0.5:
        return text[: found.start(2)] + name + text[found.end(2) :]
    return re.sub(rf"(</?){re.escape(found[2])}\b", rf"\g<1>{name}", text)


def _swap_attributes(random: Random, text: str) -> str:
    first, second = _tag(random, text), _tag(random, text)
    if first is None or second is None or first.start() >= second.start():
        return text
    between = text[first.end(3) : second.start(3)]
    return text[: first.start(3)] + second[3] + between + first[3] + text[second.end(3) :]


def _attribute(random: Random, text: str) -> str:
    found = _tag(random, text)
    if found is None:
        return text
    size = random.choice((1_000, 1_000, 100_000))
    giant = (f' class="{"x " * (size // 2)}"', f' style="{"display" * (size // 7)}"', f' id="{"_" * size}"', f' href="{"a" * size}"', "")
    new = random.choice((*_ATTRIBUTES, random.choice(giant)))
    return text[: found.start(3)] + random.choice((new, new + found[3], found[3] + new)) + text[found.end(3) :]


def _attribute_value(random: Random, text: str) -> str:
    values = [found for found in re.finditer(r'=\s*"([^"<>]*)"', text)]
    if not values:
        return text
    found = random.choice(values)
    other = random.choice((random.choice(_VALUES), random.choice(_VALUES), random.choice(values)[1], random.choice(NASTY)))
    return text[: found.start(1)] + other + text[found.end(1) :]


def _put(random: Random, text: str) -> str:
    place = random.choice([random.randrange(len(text) + 1), *(found.end() for found in _TAG.finditer(text))])
    return text[:place] + _text_piece(random) + text[place:]


def _head(random: Random, text: str) -> str:
    charset = f'<meta charset="{random.choice(NAMED_CHARSETS)}">'
    return random.choice((charset, random.choice(_HEADS))) + (re.sub(r"<meta[^>]*>", "", text) if random.random() < 0.5 else text)


def _number(random: Random, text: str) -> str:
    numbers = [*_NUMBER.finditer(text)]
    if not numbers:
        return text
    found = random.choice(numbers)
    return (
        text[: found.start()]
        + random.choice(("", "0", "1", "99", "²", "①", "٣", "３", "9" * 12, "9" * 5000, "-1", "1.5"))
        + text[found.end() :]
    )


def _escape(random: Random, text: str) -> str:
    start, end = _element(random, text)
    return text[:start] + random.choice((escape, unescape))(text[start:end]) + text[end:]


def _cut(random: Random, text: str) -> str:
    start, end = span(random, len(text))
    return random.choice((text[:start], text[:start] + text[end:], text[:start] + text[start:end] * 3 + text[end:]))


HTML_MUTATIONS: dict[str, Mutation] = {
    "drop tag": _drop_tag,
    "drop element": _drop_element,
    "double element": _double_element,
    "move element": _move_element,
    "nest": _nest,
    "unclose": _unclose,
    "rename": _rename,
    "swap attributes": _swap_attributes,
    "attribute": _attribute,
    "value": _attribute_value,
    "put": _put,
    "head": _head,
    "number": _number,
    "escape": _escape,
    "cut": _cut,
}


def _value(random: Random, text: str) -> tuple[int, int]:
    """Return from where to where a value stands: a token, or what is between brackets."""
    opens = [place for place, sign in enumerate(text) if sign in "[{"]
    if opens and random.random() < 0.5:
        start, depth = random.choice(opens), 0
        for place in range(start, len(text)):
            depth += (text[place] in "[{") - (text[place] in "]}")
            if not depth:
                return start, place + 1
    tokens = [*_TOKEN.finditer(text)]
    return random.choice(tokens).span() if tokens else span(random, len(text))


def _swap_value(random: Random, text: str) -> str:
    start, end = _value(random, text)
    return text[:start] + random.choice(_JSON_VALUES) + text[end:]


def _copy_value(random: Random, text: str) -> str:
    (start, end), (first, last) = _value(random, text), _value(random, text)
    return text[:start] + text[first:last] + text[end:]


def _deep_value(random: Random, text: str) -> str:
    start, end = _value(random, text)
    opening, closing = random.choice((("[", "]"), ('{"a":', "}"), ('{"list":[', "]}")))
    depth = min(random.choice(_DEPTHS), 60_000 // len(opening))
    return text[:start] + opening * depth + text[start:end] + closing * (depth if random.random() < 0.7 else 0) + text[end:]


def _as_string(random: Random, text: str) -> str:
    start, end = _value(random, text)
    return text[:start] + json.dumps(text[start:end]) + text[end:]


def _rename_key(random: Random, text: str) -> str:
    keys = [*_KEY.finditer(text)]
    if not keys:
        return text
    found, other = random.choice(keys), random.choice(keys)[1]
    return text[: found.start(1)] + random.choice((other, "", "a", "\\ud800", "question", "options", "答案")) + text[found.end(1) :]


def _many_values(random: Random, text: str) -> str:
    start, end = _value(random, text)
    return text[:end] + f",{text[start:end]}" * random.choice((1, 30, min(20_000, 150_000 // (end - start + 1)))) + text[end:]


def _put_in_json(random: Random, text: str) -> str:
    place = random.randrange(len(text) + 1)
    pieces = (
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "\\",
        "\\u",
        "\\ud800",
        "\\x41",
        "//",
        "/*",
        "\n",
        "'",
        "\ufeff",
        "}\n{",
        *NASTY,
        *PAPER_PIECES,
    )
    return text[:place] + random.choice(pieces) + text[place:]


JSON_MUTATIONS: dict[str, Mutation] = {
    "swap value": _swap_value,
    "copy value": _copy_value,
    "deep value": _deep_value,
    "as string": _as_string,
    "rename key": _rename_key,
    "many values": _many_values,
    "put in JSON": _put_in_json,
    "number": _number,
    "cut": _cut,
}
