"""Pages, papers and files in, the same spoiled out: one generator gives the same bytes on every machine.

A text is cut into tokens: lines, tags, or values of JSON. Tokens are dropped, doubled, moved, nested, copied over others, or replaced by
what upsets readers. A text that is mutated holds bytes that are no UTF-8 as half characters (`surrogateescape`), so that none is lost.
"""

import json
import re
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from html import escape, unescape
from io import BytesIO
from random import Random

Mutation = Callable[[Random, str], str]
Tokens = list[str]

MAX_BYTES = 199_999
CHARSETS = (
    *("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "gb18030", "gbk", "big5", "big5hkscs", "shift_jis", "euc-kr"),
    *("hz", "iso2022_jp", "cp1252", "latin-1", "koi8-r", "ascii"),
)
NAMED_CHARSETS = (
    *("utf-8", "utf8", "UTF-16", "utf-32", "utf-7", "gbk", "GB2312", "gb18030", "big5", "latin1", "x-user-defined", "none", "no-such"),
    *("undefined", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "base64", "rot13", "mbcs", "hz", "iso-2022-cn", "cp65001"),
)
"""What a header or page may say: names of other encodings, of none, and those under which Python keeps what is no encoding of text."""
_HALF = b"\xed\xa0\x80".decode("utf-8", "surrogateescape")
NASTY = (
    *("\x00", "\ufeff", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u200b", "\u202e", "\ufffc", "\ufffd", "\x1b", "\x7f", "\xa0", "\u3000"),
    *("\U0001f600", "\u0300" * 40, "\U00020000", "\ud7ff", "\uffff", _HALF, b"\xff\xfe".decode("utf-8", "surrogateescape"), "ß", "\u0130"),
    *("(" * 400, "9" * 400, "A" * 3000, " " * 5000, "\t" * 900, "|||", "锟斤拷", "\\", "%", "%s{0}", "1" + "0" * 5000, "-1", "1e999"),
)
PAPER_PIECES = (
    "1、", "2.", "３．", "(1)", "【3】", "第4题", "①", "一、", "（二）", "007.", "²", "1O、", "l.", "٣.", "1.A 2.B", "1-5 ABCDA",
    "6～10 ABCDE",
    "A.", "B、", "（C）", "D．", "Ⓑ", "E", "A B C D", "答案：", "【答案】", "B", "√", "（×）", "正确", "解析：", "参考答案", "难度：",
    "答：", "略",
    "一、单项选择题", "二、判断题", "B1型题", "（1～3题共用题干）", "（4-999题共用备选答案）", "根据以下材料，回答9～2题。", "案例一",
    "____",
    "题号\t题干\tA\tB\t答案", "| 题号 | 题干 | 答案 |", "|---|---|---|", "题号 1 2 3", "答案 A B C", "第3页 共10页", "\n", "\n\n",
    "？", "（ ）",
    " ", "\u3000\u3000", "> ", "- ", "**", "| ", "# ", "；",
)  # fmt: skip
TAG_NAMES = (
    "div", "p", "span", "a", "td", "tr", "table", "ul", "li", "b", "h1", "dl", "dt", "dd", "section", "font", "br", "img", "select",
    "script", "style", "textarea", "plaintext", "template", "noscript", "svg", "math", "iframe", "title", "xmp", "frameset", "form",
    "html", "body", "head", "base", "meta", "x-y", "a:b", "option", "object", "button", "w:p", "w:tbl", "w:r", "c", "row",
)  # fmt: skip
_BOMB = '<!DOCTYPE html [<!ENTITY a "' + "x" * 50 + '">'
_BOMB += "".join(f'<!ENTITY {name} "{f"&{inner};" * 20}">' for inner, name in zip("abcdefg", "bcdefgh", strict=True)) + "]>&h;"
HTML_PIECES = (
    "&amp;" * 9000, "&#x110000;", "&#0;", "&#xD800;", "&#xDFFF;&#xD83D;", "&#128;", "&lt;script&gt;", "&nbsp;" * 3000, "&", "&&&&",
    "&#", "&#x",
    "&nosuch;", "&lt" * 500, "&#99999999999999999999;", "&#x202e;", "&NotEqualTilde;", "&amp;amp;amp;lt;", "&#13;&#10;", "&#xFFFE;", _BOMB,
    '<?xml version="1.0" encoding="utf-16"?>', "<!DOCTYPE html SYSTEM 'file:///no-such'>", '<base href="http://[">', "<!--", "-->",
    "<![CDATA[",
    '<base href="//other.example/x/">', '<meta http-equiv="refresh" content="0; url=http://[">', "<frameset><frame>",
    "<html><html><body>", "]]>",
    "<!", "<?", "<", ">", "</", "<a <b", "</script>", "<script>", "</div></p></table>", "<p>" * 3000, "<input " * 100, "<br>" * 5000,
    '"', "'",
    "<table><tr><td>" * 300, "<a href=1_2.htm>下一页</a>" * 200, "<svg><style><a title='</style>",
    *(f'<meta charset="{name}">' for name in NAMED_CHARSETS),
)  # fmt: skip
ATTRIBUTES = (
    ' "x"=1 {{y}} :z=2 @k <b', " '", ' "', " =", " class", ' class="', " hidden", ' style="display:none"', ' style="font-size:0"',
    " xml:lang=a:b",
    ' xmlns="urn:x" x:y:z=1', ' 1="2"', " \u00e9=\u00e9", " a" * 5000, ' id=""', " href", " href=//", " on{{x}}='\"'", ' w:val="-1"', "",
    ' w:val="9999999999"', f' class="{"x " * 50_000}"', f' style="{"display" * 14_000}"', f' id="{"_" * 1_000}"',
    f' href="{"a" * 100_000}"',
    *(f' href="{address}" src="{address}"' for address in (
        "", "#", "javascript:void(0)", "http://[", "https://a:99999999/", "//", "http://", "?page=99999999999", "/\n", "\\\\x\\y", "data:,",
        "https://xn--\u0130.example/", "http://\u3002/", "mailto:a", "ftp://a/", "/paper/1.html", "1_2.htm", "http://127.0.0.1/", "%ff%zz",
        "https://user:pw@h:0/", "http://a/" + "../" * 500, "x" * 5000, "/medical/disease/1", "\ud7ff\uffff",
    )),
)  # fmt: skip
JSON_PIECES = (
    "null", "true", "false", "0", "-1", "1.5", "1e999", "-0", "NaN", "Infinity", "undefined", '""', '" "', "[]", "{}", "[[]]",
    "[null]", '["A"]',
    '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"A"', '"ABCDE"', '"正确"', "7", "31", "9" * 20, "9" * 5000, '{"o":1}',
    '[{"o":null}]', "'x'",
    '{"A":{"B":1}}', "[" * 10_000, '{"a":' * 10_000, '"' + "x" * 20_000 + '"', "{", "}", "[", "]", ",", ":", '"', "\\", "\\u",
    "\\ud800", "\\x41",
    "//", "/*", "\n", "'", "\ufeff", "}\n{",
)  # fmt: skip
_WIDE = str.maketrans({chr(sign): chr(sign + 0xFEE0) for sign in range(0x21, 0x7F)})
_NUMBERS = ("0", "1", "2", "99", "1000", "-1", "1.5", "２", "²", "①", "٣", "九", "9" * 20, "9" * 5000, "")
_BREAKS = ("\r\n", "\r", "\n\n", "\x0b", "\u2028", " ", "")
_DIGITS = re.compile(r"\d+")


def capped(body: bytes) -> bytes:
    """Return so much of a body as a page of this test may have."""
    return body[:MAX_BYTES]


def span(random: Random, size: int, longest: int = 200) -> tuple[int, int]:
    """Return a place in something, and where a part that begins there ends."""
    start = random.randrange(size + 1)
    return start, min(size, start + random.choice((1, 3, 20, longest)))


def spoiled_bytes(random: Random, body: bytes) -> bytes:
    """Return bytes with a part cut out, repeated, turned, put in or put elsewhere; or as they are before their end came."""
    start, end = span(random, len(body), max(1, len(body) // 3))
    match random.randrange(7):
        case 0:
            return body[:start]
        case 1:
            return body[:start] + body[end:]
        case 2:
            return capped(body[:end] + body[start:end] * random.choice((1, 2, 50)) + body[end:])
        case 3:
            spoiled = bytearray(body)
            for _ in range(random.choice((1, 4, 40)) if body else 0):
                spoiled[random.randrange(len(spoiled))] ^= 1 << random.randrange(8)
            return bytes(spoiled)
        case 4:
            return capped(body[:start] + random.randbytes(random.choice((1, 4, 300))) + body[end:])
        case 5:
            return capped(body[:start] + random.choice(NASTY).encode("utf-8", "surrogateescape") + body[start:])
        case _:
            place = random.randrange(len(body) + 1)
            return capped(body[:place] + body[start:end] + body[place:])


def in_other_charset(random: Random, body: bytes) -> bytes:
    """Return a text in another encoding, or decoded wrongly and saved so."""
    text = body.decode("utf-8", "replace")
    if random.random() < 0.3:
        return capped(body.decode(random.choice(("latin-1", "gb18030", "cp1252", "utf-16-le")), "replace").encode())
    return capped(text.encode(random.choice(CHARSETS), "replace"))


def spoiled_zip(random: Random, body: bytes, kinds: Mapping[str, Mutation]) -> bytes:
    """Return a document that is a zip of XML with one of its parts spoiled, lost, doubled or named otherwise."""
    with zipfile.ZipFile(BytesIO(body)) as whole:
        parts = [(entry.filename, whole.read(entry)) for entry in whole.infolist()]
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(parts))
        name, part = parts[place]
        match random.randrange(8):
            case 0 if len(parts) > 1:
                del parts[place]
            case 1:
                parts[place] = name, parts[random.randrange(len(parts))][1]
            case 2:
                parts[place] = name + random.choice(("", "x", "/", "/..")), spoiled_bytes(random, part)
            case _:
                parts[place] = name, spoiled_text(random, part, kinds, 2)[0]
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as whole:
        for name, part in dict(parts).items():
            whole.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def spoiled_text(random: Random, body: bytes, kinds: Mapping[str, Mutation], most: int = 5) -> tuple[bytes, list[str]]:
    """Return a text after some mutations, and their names."""
    text, names = body.decode("utf-8", "surrogateescape"), random.choices(sorted(kinds), k=random.randint(1, most))
    for name in names:
        text = kinds[name](random, text)[:MAX_BYTES]
    return capped(text.encode("utf-8", "surrogateescape")), names


def _drop(random: Random, tokens: Tokens, start: int, end: int) -> None:
    del tokens[start:end]


def _double(random: Random, tokens: Tokens, start: int, end: int) -> None:
    size = sum(map(len, tokens[start:end])) + 1
    place = random.choice((end, random.randrange(len(tokens) + 1)))
    tokens[place:place] = tokens[start:end] * random.choice((1, 1, 3, 30, max(3, 50_000 // size)))


def _move(random: Random, tokens: Tokens, start: int, end: int) -> None:
    part = tokens[start:end]
    del tokens[start:end]
    place = random.randrange(len(tokens) + 1)
    tokens[place:place] = part


def _shuffle(random: Random, tokens: Tokens, start: int, end: int) -> None:
    tokens[start:end] = random.sample(tokens[start:end], end - start)


def _copy(random: Random, tokens: Tokens, start: int, end: int) -> None:
    tokens[start:end] = [random.choice(tokens)]


def _nest(random: Random, tokens: Tokens, start: int, end: int) -> None:
    depth = min(random.choice((3, 40, 300, 10_000)), 100_000 // (len(tokens[start]) + 1))
    tokens[start:start] = [tokens[start]] * depth


def _cut(random: Random, tokens: Tokens, start: int, end: int) -> None:
    cut = random.randrange(len(tokens[start]) + 1)
    tokens[start : start + 1] = [tokens[start][:cut], random.choice(("", "\n", tokens[start][cut:]))]


def _number(random: Random, tokens: Tokens, start: int, end: int) -> None:
    tokens[start:end] = [_DIGITS.sub(lambda _: random.choice(_NUMBERS), token, count=1) for token in tokens[start:end]]


def _write_otherwise(random: Random, tokens: Tokens, start: int, end: int) -> None:
    write = random.choice((escape, unescape, json.dumps, lambda text: text.translate(_WIDE), partial(unicodedata.normalize, "NFKC")))
    tokens[start:end] = [write(token) for token in tokens[start:end]]


def _swap_letters(random: Random, tokens: Tokens, start: int, end: int) -> None:
    old, new = random.choices("ABCDE．.、）)：1234", k=2)
    tokens[start:end] = [token.replace(old, new) for token in tokens[start:end]]


def _breaks(random: Random, tokens: Tokens, start: int, end: int) -> None:
    tokens[:] = ["".join(tokens).replace("\n", random.choice(_BREAKS), random.choice((-1, 5)))]


def _columns(random: Random, tokens: Tokens, start: int, end: int) -> None:
    lines = "".join(tokens[start:end]).split("\n")
    tokens[start:end] = [f"{one:<30}  {other}\n" for one, other in zip(lines[::2], [*lines[1::2], ""], strict=False)]


def _rename(random: Random, tokens: Tokens, start: int, end: int) -> None:
    tokens[start] = re.sub(r"[\w:-]+", random.choice(TAG_NAMES), tokens[start], count=1)


def _attribute(random: Random, tokens: Tokens, start: int, end: int) -> None:
    tokens[start] = tokens[start].removesuffix(">") + random.choice(ATTRIBUTES) + ">"


def _put(random: Random, tokens: Tokens, start: int, end: int, pieces: tuple[str, ...]) -> None:
    tokens[start : random.choice((start, end))] = [random.choice(random.choice((NASTY, PAPER_PIECES, pieces, pieces)))]


def _on_tokens(change: Callable[..., None], token: str) -> Mutation:
    """Return a mutation of a text from one of its tokens, some of them in a row."""
    pattern = re.compile(token, re.DOTALL)

    def changed(random: Random, text: str) -> str:
        tokens = pattern.findall(text) or [text]
        start = random.randrange(len(tokens))
        change(random, tokens, start, min(len(tokens), start + random.choice((1, 1, 3, 20, len(tokens)))))
        return "".join(tokens)

    return changed


def _mutations(token: str, pieces: tuple[str, ...], *more: Callable[..., None]) -> dict[str, Mutation]:
    every = (_drop, _double, _move, _shuffle, _copy, _nest, _cut, _number, _write_otherwise, *more)
    named = {change.__name__.strip("_"): change for change in every} | {"put": partial(_put, pieces=pieces)}
    return {name: _on_tokens(change, token) for name, change in named.items()}


LINE_MUTATIONS = _mutations(r"[^\n]*\n|[^\n]+", PAPER_PIECES, _swap_letters, _breaks, _columns)
HTML_MUTATIONS = _mutations(r"<[^<>]*>|[^<]+|<", HTML_PIECES, _rename, _attribute)
JSON_MUTATIONS = _mutations(r'"(?:[^"\\]|\\.)*"|[\w.+-]+|.', JSON_PIECES)
