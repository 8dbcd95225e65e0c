"""Lines of a paper -> a saved page: paragraphs, line breaks, tables, entities, tags within words, lines of the source that are no lines."""

import html
from random import Random

from msgspec import Struct

BUILT = ("p", "br", "div", "cells", "pre")
CHARSETS = ("utf-8", "gb18030", "utf-8 undeclared", "gb18030 undeclared")


class Page(Struct, frozen=True):
    """How a page is built around the lines of a paper."""

    built: str
    charset: str
    tagged: bool
    """Some words stand in tags of their own."""
    folded: bool
    """The source breaks its lines where the page does not."""
    blanks: bool
    """Blanks are written `&nbsp;`."""
    surrounded: bool
    """A menu stands above the paper, a footer below it."""


def page(rng: Random) -> Page:
    """Draw how a page is built."""
    flags = [rng.choice((False, True)) for _ in range(4)]
    return Page(rng.choice(BUILT), rng.choice(CHARSETS), *flags)


def page_of(lines: list[str], how: Page, rng: Random) -> bytes:
    """Return the bytes of a page."""
    told = [_line(line, how, rng) for line in lines]
    body = {
        "p": "".join(f"<p>{line}</p>\n" for line in told),
        "br": "<div>" + "<br/>\n".join(told) + "</div>",
        "div": "".join(f"<div><span>{line}</span></div>" for line in told),
        "cells": "<table>" + "".join(f"<tr><td>{line}</td></tr>" for line in told) + "</table>",
        "pre": "<pre>" + "\n".join(told) + "</pre>",
    }[how.built]
    charset, _, undeclared = how.charset.partition(" ")
    meta = "" if undeclared else f'<meta charset="{charset}">'
    top = "<nav><a href='/'>首页</a> <a href='/k'>题库</a></nav>" if how.surrounded else ""
    foot = "<footer>版权所有 © 某网站</footer><script>var a = '1、题';</script>" if how.surrounded else ""
    return f"<!DOCTYPE html><html><head>{meta}<title>练习</title></head><body>{top}{body}{foot}</body></html>".encode(charset)


def _line(line: str, how: Page, rng: Random) -> str:
    if how.built != "pre" and how.folded and len(line) > 20 and " " in line.strip():
        place = line.rindex(" ")
        return f"{html.escape(line[:place])}\n    {html.escape(line[place + 1 :])}"
    words = html.escape(line)
    if how.tagged and "&" not in words and len(line) > 6:
        cut = rng.randrange(1, len(line) - 1)
        words = f"{words[:cut]}<b>{words[cut : cut + 1]}</b>{words[cut + 1 :]}"
    return words.replace(" ", "&nbsp;") if how.blanks and "<" not in words else words
