"""Pages, papers and files in, the same spoiled out: one generator gives the same bytes on every machine.

Bytes and lines here, marks and values of HTML and JSON in `mutations_markup.py`. A text that is mutated holds bytes that are no UTF-8 as
half characters (`surrogateescape`), so that bytes are never lost on the way through it.
"""

import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from random import Random

Mutation = Callable[[Random, str], str]

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
    *(
        "1、",
        "2.",
        "３．",
        "(1)",
        "【3】",
        "第4题",
        "①",
        "一、",
        "（二）",
        "007.",
        "²",
        "1O、",
        "l.",
        "٣.",
        "1.A 2.B",
        "1-5 ABCDA",
        "6～10 ABCDE",
    ),
    *(
        "A.",
        "B、",
        "（C）",
        "D．",
        "Ⓑ",
        "E",
        "A B C D",
        "答案：",
        "【答案】",
        "B",
        "√",
        "（×）",
        "正确",
        "解析：",
        "参考答案",
        "难度：",
        "答：",
        "略",
    ),
    *(
        "一、单项选择题",
        "二、判断题",
        "B1型题",
        "（1～3题共用题干）",
        "（4-999题共用备选答案）",
        "根据以下材料，回答9～2题。",
        "案例一",
        "____",
    ),
    *(
        "题号\t题干\tA\tB\t答案",
        "| 题号 | 题干 | 答案 |",
        "|---|---|---|",
        "题号 1 2 3",
        "答案 A B C",
        "第3页 共10页",
        "\n",
        "\n\n",
        "？",
        "（ ）",
    ),
)
_WIDE = str.maketrans({chr(sign): chr(sign + 0xFEE0) for sign in range(0x21, 0x7F)})
_NUMBERS = ("0", "1", "2", "99", "1000", "-1", "1.5", "２", "²", "①", "٣", "九", "9" * 20, "9" * 5000, "")


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


def _on_lines(change: Callable[[Random, list[str], int], None]) -> Mutation:
    def changed(random: Random, text: str) -> str:
        lines = text.split("\n")
        change(random, lines, random.randrange(len(lines)))
        return "\n".join(lines)

    return changed


def _shuffle(random: Random, lines: list[str], at: int) -> None:
    end = at + random.choice((3, 12, 60))
    lines[at:end] = random.sample(lines[at:end], len(lines[at:end]))


def _join(random: Random, lines: list[str], at: int) -> None:
    end = at + random.choice((2, 2, 6, len(lines)))
    lines[at:end] = [random.choice(("", " ", "\t", "    ", "；")).join(lines[at:end])]


def _split(random: Random, lines: list[str], at: int) -> None:
    cut = random.randrange(len(lines[at]) + 1)
    lines[at : at + 1] = [lines[at][:cut], *[""] * random.randrange(2), lines[at][cut:]]


def _delete(random: Random, lines: list[str], at: int) -> None:
    del lines[at : at + random.choice((1, 1, 3, 20))]
    lines.append("")


def _double(random: Random, lines: list[str], at: int) -> None:
    end = at + random.choice((1, 4, 30))
    size = sum(map(len, lines[at:end])) + 1
    times = random.choice((1, 1, 3, max(3, 50_000 // size) if random.random() < 0.3 else 3))
    place = random.choice((end, random.randrange(len(lines) + 1)))
    lines[place:place] = lines[at:end] * times


def _renumber(random: Random, lines: list[str], at: int) -> None:
    for place in range(at, min(len(lines), at + random.choice((1, 5, 40)))):
        digits = "".join(sign if sign.isdigit() else " " for sign in lines[place]).split()
        if digits:
            lines[place] = lines[place].replace(random.choice(digits), random.choice(_NUMBERS), 1)


def _widen(random: Random, lines: list[str], at: int) -> None:
    for place in range(at, min(len(lines), at + random.choice((1, 5, len(lines))))):
        lines[place] = lines[place].translate(_WIDE) if random.random() < 0.5 else unicodedata.normalize("NFKC", lines[place])


def _indent(random: Random, lines: list[str], at: int) -> None:
    mark = random.choice((" ", "    ", "\t", "\u3000\u3000", "> ", "- ", "* ", "**", "| ", "# ", "　"))
    for place in range(at, min(len(lines), at + random.choice((1, 5, len(lines))))):
        lines[place] = mark + lines[place]


def _put(random: Random, lines: list[str], at: int) -> None:
    cut = random.choice((0, random.randrange(len(lines[at]) + 1), len(lines[at])))
    lines[at] = lines[at][:cut] + random.choice(random.choice((NASTY, PAPER_PIECES, PAPER_PIECES))) + lines[at][cut:]


def _columns(random: Random, lines: list[str], at: int) -> None:
    end = at + random.choice((8, 40, len(lines)))
    left, right = lines[at:end][::2], lines[at:end][1::2]
    lines[at:end] = [f"{one:<{random.choice((20, 40))}}  {other}" for one, other in zip(left, [*right, ""], strict=False)]


def _swap_letters(random: Random, lines: list[str], at: int) -> None:
    old, new = random.choices("ABCDE．.、）)：1234", k=2)
    for place in range(at, min(len(lines), at + random.choice((1, 10, len(lines))))):
        lines[place] = lines[place].replace(old, new)


def _breaks(random: Random, text: str) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r", "\n\n", "\x0b", "\u2028", " ", "")), random.choice((-1, 5)))


LINE_MUTATIONS: dict[str, Mutation] = {
    "shuffle": _on_lines(_shuffle),
    "join": _on_lines(_join),
    "split": _on_lines(_split),
    "delete": _on_lines(_delete),
    "double": _on_lines(_double),
    "renumber": _on_lines(_renumber),
    "widen": _on_lines(_widen),
    "indent": _on_lines(_indent),
    "put": _on_lines(_put),
    "columns": _on_lines(_columns),
    "swap letters": _on_lines(_swap_letters),
    "breaks": _breaks,
}
