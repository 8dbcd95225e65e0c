"""Elements that most pages share: visible text, images, labelled values, embedded JSON. Pure."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lxml.etree import HTMLParser
from lxml.html import HtmlElement

from atomexam.records.item import LabelledValue
from atomexam.runtime.budgets import OverBudget
from atomexam.text.refusal import Refusal

_LINE_TAGS = {
    *("address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("hr", "li", "ol", "p", "pre", "section", "table", "tr", "ul"),
    *("aside", "caption", "details", "fieldset", "figcaption", "figure", "footer", "form", "header", "legend", "main", "nav", "summary"),
}
_EDGES = dict.fromkeys(_LINE_TAGS, "\n") | dict.fromkeys(("td", "th"), " ")
"""Characters added around the text of a tag."""
_PLAIN_TAGS = {"a", "b", "dd", "div", "dt", "em", "font", "h1", "h2", "h3", "i", "label", "li", "p", "span", "strong", "td", "th", "var"}
_LONE = re.compile(rf"<({'|'.join(sorted(_PLAIN_TAGS))})>([^<>]*+)</\1>")
"""A text inside a single such tag."""
_UNSEEN_TAGS = {"script", "style", "template", "noscript", "head", "title"}
_LONE_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_BLANKS = re.compile(r"[ \t\r\n\f\v]+")
# Characters that an HTML parser would change. Nine of ten short texts have none; parsing would take most of their time.
_NOT_BARE = re.compile("[<&\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff\U0001fffe-\U0010ffff]")
_RAISED = dict(zip("0123456789+＋-－–−()=n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁺⁻⁻⁻⁻⁽⁾⁼ⁿ", strict=True))  # the characters that `clean` itself uses, and keeps
_LOWERED = dict(zip("0123456789+＋-－–−()=n", "₀₁₂₃₄₅₆₇₈₉₊₊₋₋₋₋₍₎₌ₙ", strict=True))
_IN_FORMULA = re.compile("[A-Za-z0-9Α-Ωα-ωµ+＋\\-－–−=()./,*'′·×⁰-ₜ²³¹]+")
_ORDINAL = re.compile("st|nd|rd|th")
_MAX_RAISED_CHARS = 16
_MOST_VALUES, _CHARS_A_VALUE = 500_000, 4
"""Maximum number of values in a JSON text: a fixed number, plus one per 4 characters. Short questions and triples without spaces have one
per
6 characters. Even an empty value takes half a kilobyte."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
_UNSEEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])", re.I)


def text_of(page: Any, drop_hidden: bool = False) -> str:
    """Return the text of a selector or piece of HTML as a reader sees it.

    Line breaks, paragraphs, list entries, table rows and the lines of <pre> begin a new line; table cells are separated by a space; runs of
    ASCII white space become one space, while no-break and full-width spaces are kept. Superscripts and subscripts are kept, see `raised`:
    10<sup>9</sup> is not 109. `drop_hidden` omits text hidden by inline styles, such as the noise that some sites insert between words.
    """
    lone = _LONE.fullmatch(page) if isinstance(page, str) else None
    bare = lone[2] if lone else page if isinstance(page, str) else _only_words(getattr(page, "root", None))
    is_bare = bare is not None and not _NOT_BARE.search(bare)
    text = _BLANKS.sub(" ", bare or "") if is_bare else "".join(_read(page, drop_hidden).pieces)
    lines = (re.sub(r"[ \t\r\f\v]+", " ", line).strip(" ") for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def text_at(page: Any, css: str) -> str | None:
    """Return the text that a selector finds on a page; None if it finds none, or if the selector is empty."""
    return (css and text_of(page.css(css))) or None


def raised(text: str) -> str:
    """Return superscript text in superscript characters if they exist (10⁹, Na⁺), else as ^(…); leave words and notes unchanged."""
    return _moved(text, _RAISED, "^")


def lowered(text: str) -> str:
    """Return subscript text in subscript characters if they exist (CO₂), else as _(…); leave words and notes unchanged."""
    return _moved(text, _LOWERED, "_")


def _moved(text: str, table: dict[str, str], sign: str) -> str:
    bare = text.strip()
    if bare and all(character in table for character in bare):
        return "".join(table[character] for character in bare)
    if all(character in table.values() for character in bare):
        return text
    is_formula = len(bare) <= _MAX_RAISED_CHARS and _IN_FORMULA.fullmatch(bare) and not _ORDINAL.fullmatch(bare)
    return f"{sign}({bare})" if is_formula else text


def images_in(page: Any) -> int:
    """Return the number of images in a selector or piece of HTML."""
    if not isinstance(page, str):
        return len(page.xpath("descendant-or-self::img"))
    return _read(page).images if "<img" in page.lower() else 0


def sound_json(text: str) -> str:
    """Replace lone surrogate escapes in JSON, which no file can store, with U+FFFD; `clean` rejects those texts as mojibake."""
    return _LONE_SURROGATE.sub(r"\\ufffd", text) if "\\u" in text else text


def parsed_json(text: str, **options: Any) -> Any:
    """Return the value of external JSON; `options` are passed to `json.loads`.

    Raises:
        ValueError: the text is not JSON; a Refusal if it is nested too deeply or has too many values.
    """
    check_values(text)
    try:
        return json.loads(sound_json(text), **options)
    except RecursionError:
        raise Refusal("nested too deeply to be read; expected records of plain fields") from None


def check_values(text: str, more: int = 0) -> None:
    """Raise a Refusal if JSON has too many values, which take much more memory than its text."""
    most = _MOST_VALUES + len(text) // _CHARS_A_VALUE
    if sum(map(text.count, ",[{"), more) <= most:  # an upper bound: also counts signs within strings
        return
    if (count := sum(map(_STRING.sub("", text).count, ",[{"), more)) > most:
        raise Refusal(f"up to {count} values (counting , [ {{) in {len(text)} characters; at most {most} are read, so split it")


def labelled(pairs: Iterable[tuple[str, str]], part: str) -> list[LabelledValue]:
    """Return pairs of label and value as values at `part:1`, `part:2`, …; skip pairs without a value, and their numbers."""
    return [
        LabelledValue(label=label.strip(), value=value.strip(), position=f"{part}:{number}")
        for number, (label, value) in enumerate(pairs, 1)
        if value.strip()
    ]


_MOVES: dict[str, Callable[[str], str]] = {"sup": raised, "sub": lowered}


_MAX_ATTRIBUTES = 1000
MAX_TAGS = 250_000
"""Maximum number of start and end tags of a page; the largest known list has about 20,000. As objects, this many take a gigabyte."""
_CROWDED_CHARS = 1 << 16  # a shorter text has too few to matter
# Attributes as browsers and libxml2 parse them: a name may contain quotes, and may follow a quoted value without a space. No backtracking.
_ATTRIBUTE = r"""(?:[\s/]*+=?+[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+)"""
_BOUNDED_TAG = rf"<[a-zA-Z][^\s/>]*+{_ATTRIBUTE}{{0,{_MAX_ATTRIBUTES}}}+"
_SOUND = re.compile(rf"(?:[^<]++|<(?![a-zA-Z])|{_BOUNDED_TAG}(?!{_ATTRIBUTE}))*+")
"""Matches HTML up to the first tag with too many attributes."""
_TAG = re.compile(rf"({_BOUNDED_TAG}){_ATTRIBUTE}*+")
"""A complete tag, so that no character is matched twice; the first group is kept."""


def _only_words(element: Any) -> str | None:
    """Return the text of an element without inner elements and without attributes that could hide it; None for other elements."""
    is_plain = isinstance(element, HtmlElement) and isinstance(element.tag, str) and not len(element)
    return (
        element.text or ""
        if is_plain and element.tag in _PLAIN_TAGS and "style" not in element.attrib and "hidden" not in element.attrib
        else None
    )


def _read(page: Any, drop_hidden: bool = False) -> "_Words":
    html = uncrowded(page if isinstance(page, str) else page.get() or "")
    words = _Words(drop_hidden)
    parser = HTMLParser(target=words)
    parser.feed(html.removeprefix("\ufeff"))
    parser.close()
    return words


def uncrowded(html: str) -> str:
    """Return HTML without excess attributes, which the parser would be slow to read; nearly all HTML is unchanged.

    libxml2 compares each attribute of a tag with all earlier ones: 80,000 of them (700 kB) take over a minute. No text is lost.

    Raises:
        OverBudget: there are too many tags.
    """
    if len(html) <= _CROWDED_CHARS:
        return html
    if (tags := html.count("<")) > MAX_TAGS:
        raise OverBudget(f"{tags} tags; at most {MAX_TAGS} are read")
    if (sound := _SOUND.match(html)) and sound.end() == len(html):
        return html
    return _TAG.sub(r"\1", html)


class _Words:
    """Parser target that collects the visible text of HTML without building a tree, which would take most of the time."""

    def __init__(self, drop_hidden: bool) -> None:
        self.pieces: list[str] = []
        self.images = 0
        self._drops_hidden = drop_hidden
        self._data: list[str] = []
        self._begins: list[int] = []
        """Number of pieces at the start of each open tag."""
        self._unseen = 0
        """Number of open tags, counted from the outermost hidden one."""
        self._laid_out = 0
        """Number of open <pre> tags, which keep line breaks."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._flush()
        self.images += tag == "img"
        if self._unseen or tag in _UNSEEN_TAGS or (self._drops_hidden and is_hidden(attributes)):
            self._unseen += 1
            return
        self.pieces.append(_EDGES.get(tag, ""))
        self._begins.append(len(self.pieces))
        self._laid_out += tag == "pre"

    def end(self, tag: str) -> None:
        self._flush()
        if self._unseen:
            self._unseen -= 1
            return
        begin = self._begins.pop()
        if move := _MOVES.get(tag):
            self._move(begin, move)
        else:
            self.pieces.append(_EDGES.get(tag, ""))
        self._laid_out -= tag == "pre"

    def data(self, data: str) -> None:
        self._data.append(data)

    def comment(self, _: str) -> None:
        self._flush()

    def pi(self, _: str, __: str | None = None) -> None:
        self._flush()

    def close(self) -> None:
        self._flush()

    def _flush(self) -> None:
        """End a run of text, which the parser delivers in parts."""
        if self._data:
            if not self._unseen:
                text = "".join(self._data)
                self.pieces.append(text if self._laid_out else _BLANKS.sub(" ", text))
            self._data.clear()

    def _move(self, begin: int, move: Callable[[str], str]) -> None:
        """Convert the pieces since a tag began, unless they are many or long: the tag is then misused for prose and they are kept."""
        is_short = len(self.pieces) - begin <= _MAX_RAISED_CHARS
        if is_short and all(len(piece) <= _MAX_RAISED_CHARS for piece in self.pieces[begin:]):
            self.pieces[begin:] = [move("".join(self.pieces[begin:]))]


def is_hidden(attributes: Mapping[str, Any]) -> bool:
    """Return whether a tag's inline style or `hidden` attribute hides it."""
    return "hidden" in attributes or bool(_UNSEEN_STYLE.search(attributes.get("style") or ""))
