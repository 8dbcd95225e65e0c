"""Importer of rich text (.rtf): bytes in, one HTML page out. It follows the control words of version 1.9.1 of the format.

Notes and comments are left out.
"""

import codecs
import html
import re
from collections.abc import Iterator

from msgspec import Struct, structs

from atomexam.text.encodings import join_surrogates
from atomexam.text.refusal import Refusal

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?[ ]?|\\'(?P<byte>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|(?P<end>[\r\n]+)"
)
_UNSEEN = {
    *("fonttbl", "stylesheet", "info", "pict", "object", "header", "footer", "headerl", "headerr", "headerf", "footerl", "footerr"),
    *("footerf", "listtable", "listoverridetable", "themedata", "datastore", "xmlnstbl", "fldinst", "bkmkstart"),
    *("bkmkend", "nonshppict", "pntext", "latentstyles", "rsidtbl", "generator", "filetbl", "revtbl", "colorschememapping", "atnid"),
    *("footnote", "annotation"),
}
"""Groups whose words are not part of the text."""
_SIGNS = {
    **{"par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "nestrow": "\n", "cell": "\t", "nestcell": "\t", "tab": "\t"},
    **{"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•"},
    **{"emspace": "\u2003", "enspace": "\u2002"},
}
_CHARSETS = {134: "gb18030", 136: "big5", 128: "shift_jis", 129: "euc_kr", 204: "cp1251"}
"""Encodings of fonts, which some writers name instead of the document's code page."""
_PAGES = {936: "gb18030", 950: "big5", 932: "shift_jis", 949: "euc_kr", 65001: "utf-8"}
_FACES = ("b", "ul", "super", "sub")
_MOST_OPEN = 500
_MOST_CODE = 0x10FFFF


class _GroupState(Struct):
    """State within one group."""

    unseen: bool = False
    colour: int = 0
    faces: frozenset[str] = frozenset()
    skip: int = 1
    """Number of characters after a Unicode one, for readers that do not know it."""
    is_colours: bool = False
    is_fonts: bool = False
    font: int = -1


def page_of_rtf(name: str, body: bytes) -> str:
    """Return a rich text document as a page with a line per paragraph.

    Raises:
        ValueError: it is not rich text.
    """
    if not body.lstrip().startswith(b"{\\rtf"):
        raise Refusal(f"{name}: not rich text: expected a file that begins with {{\\rtf")
    code_page = re.search(rb"\\ansicpg(\d{1,5})", body[:4096])
    number = int(code_page[1]) if code_page else 1252
    charset = _PAGES.get(number, f"cp{number}")
    try:
        codecs.lookup(charset)
    except LookupError:
        raise Refusal(f"{name}: code page {number} is not known; save it as .docx") from None
    text = join_surrogates("".join(_pieces(body, charset)))  # its numbers are surrogates
    return "\n".join(["<html><body>", *(f"<p>{line}</p>" for line in text.split("\n")), "</body></html>"])


def _pieces(body: bytes, charset: str) -> Iterator[str]:
    """Yield the words of a document within tags for their emphasis; line breaks and tabs are outside of them."""
    colours: list[list[int]] = [[-1, -1, -1]]
    fonts: dict[int, str] = {}
    pending: list[tuple[_GroupState, bytes | str]] = []
    for state, piece in _styled_pieces(body, colours, fonts):
        if pending and _face(pending[-1][0]) != _face(state):
            yield _tagged(pending, colours, fonts, charset)
            pending = []
        if piece in ("\n", "\t"):
            yield _tagged(pending, colours, fonts, charset)
            yield str(piece)
            pending = []
        else:
            pending.append((state, piece))
    yield _tagged(pending, colours, fonts, charset)


def _face(state: _GroupState) -> tuple[int, frozenset[str], int]:
    return state.colour, state.faces, state.font


def _tokens(body: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the tokens of a document, without the raw bytes of its pictures."""
    position = 0
    while position < len(body):
        token = _TOKEN.match(body, position)
        if token is None:  # a lone escape at its end
            return
        yield token
        raw = int(token["number"] or 0) if token["word"] == b"bin" else 0
        position = token.end() + max(0, raw)


def _styled_pieces(body: bytes, colours: list[list[int]], fonts: dict[int, str]) -> Iterator[tuple[_GroupState, bytes | str]]:
    """Yield the words, bytes or Unicode characters, with the state at their position; fill the tables of colours and fonts."""
    states, skip = [_GroupState()], 0
    is_first = False  # of its group
    for token in _tokens(body):
        state, kind = states[-1], token.lastgroup
        if kind == "brace":
            if token["brace"] == b"{" and len(states) < _MOST_OPEN:
                states.append(structs.replace(state))
            elif token["brace"] == b"}" and len(states) > 1:
                states.pop()
            skip, is_first = 0, token["brace"] == b"{"
            continue
        was_first, is_first = is_first, False
        if token["word"]:
            word, number = token["word"].decode("ascii"), int(token["number"]) if token["number"] else None
            if was_first and word in _UNSEEN:
                state.unseen = True
                state.is_fonts = word == "fonttbl"
            elif word == "colortbl":
                state.unseen = state.is_colours = True
            elif word in ("red", "green", "blue") and state.is_colours:
                colours[-1][("red", "green", "blue").index(word)] = min(number or 0, 255)
            elif word == "fcharset" and state.is_fonts and number in _CHARSETS:
                fonts[state.font] = _CHARSETS[number]
            elif word == "u" and number is not None:
                code = number % 65536 if number < 0 else number
                if not state.unseen and code <= _MOST_CODE:
                    yield state, chr(code)
                skip = state.skip
            elif word in _SIGNS:
                if not state.unseen:
                    yield state, _SIGNS[word]
            else:
                _apply_control_word(state, word, number)
            continue
        if token["sign"]:
            if token["sign"] == b"*" and was_first:
                state.unseen = True
            elif not state.unseen and token["sign"] in b"\\{}":
                yield state, token["sign"].decode("ascii")
            elif not state.unseen and token["sign"] in b"~_\r\n":
                yield state, {b"~": "\xa0", b"_": "-"}.get(token["sign"], "\n")
            continue
        if kind == "end":
            continue
        piece = bytes([int(token["byte"], 16)]) if token["byte"] else token["text"] or b""
        if state.is_colours:
            colours += [[-1, -1, -1] for _ in range(min(piece.count(b";"), 256 - len(colours)))]
        elif not state.unseen:
            piece, skip = piece[skip:], max(0, skip - len(piece))
            if piece:
                yield state, piece


def _apply_control_word(state: _GroupState, word: str, number: int | None) -> None:
    """Apply a control word to the text after it."""
    if word == "uc":
        state.skip = min(number if number is not None else 1, 9)
    elif word == "f":
        state.font = number if number is not None else -1
    elif word in ("cf", "highlight"):
        state.colour = number or 0
    elif word in _FACES:
        state.faces = state.faces - {word} if number == 0 else state.faces | {word}
    elif word in ("plain", "ulnone", "nosupersub"):
        gone = {"plain": _FACES, "ulnone": ("ul",), "nosupersub": ("super", "sub")}[word]
        state.faces = state.faces - set(gone)
        state.colour = 0 if word == "plain" else state.colour
    elif word == "v":
        state.unseen = number != 0


def _tagged(pending: list[tuple[_GroupState, bytes | str]], colours: list[list[int]], fonts: dict[int, str], charset: str) -> str:
    if not pending:
        return ""
    words, waiting, charset = "", b"", fonts.get(pending[0][0].font, charset)
    for _, piece in [*pending, (_GroupState(), "")]:
        if isinstance(piece, bytes):
            waiting += piece
            continue
        words += waiting.decode(charset, "replace") + piece
        waiting = b""
    words, state = html.escape(words), pending[0][0]
    if not words.strip():
        return words
    for face, tag in (("super", "sup"), ("sub", "sub"), ("b", "b"), ("ul", "u")):
        words = f"<{tag}>{words}</{tag}>" if face in state.faces else words
    red, green, blue = colours[state.colour] if 0 < state.colour < len(colours) else [-1, -1, -1]
    return f'<span style="color:#{red:02x}{green:02x}{blue:02x}">{words}</span>' if min(red, green, blue) >= 0 else words
