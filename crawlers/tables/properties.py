"""Lines of `key = value` -> an object: Java properties, Apple strings, gettext catalogues. Text in, keys and texts out."""

import re

from atomexam.text.encodings import join_surrogates
from crawlers.tables.tree import marked_object

PROPERTIES = (".properties", ".strings", ".lang", ".po", ".pot")
"""Suffixes of files with only keys and texts."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"\s*+=\s*+\"((?:[^\"\\]|\\.)*+)\"\s*+;", re.DOTALL)
_LINE = re.compile(r"\s*+(?P<key>(?:[^\s=:\\]|\\.)++)\s*+[=:]?\s*+(?P<value>[^\x00]*)", re.DOTALL)
_MESSAGE = re.compile(r"(msgid|msgstr|msgctxt)\s+\"((?:[^\"\\]|\\.)*+)\"\s*|\"((?:[^\"\\]|\\.)*+)\"\s*")


def properties_of(name: str, text: str) -> dict[str, object]:
    """Return the keys of a file with their values."""
    lower = name.lower()
    if lower.endswith((".po", ".pot")):
        return _catalogue(text)
    if lower.endswith(".strings"):
        return marked_object((unescaped(key), unescaped(value)) for key, value in _QUOTED.findall(text))
    pairs: list[tuple[str, str]] = []
    whole = ""
    for line in text.lstrip("\ufeff").splitlines():
        if not whole and line.lstrip()[:1] in ("#", "!", ";", ""):
            continue
        whole += line.lstrip() if whole else line
        ending = len(whole) - len(whole.rstrip("\\"))
        if ending % 2:
            whole = whole[:-1]
            continue
        if match := _LINE.fullmatch(whole):
            pairs.append((unescaped(match["key"]), unescaped(match["value"]).strip()))
        whole = ""
    return marked_object(pairs)


def unescaped(text: str) -> str:
    """Return a text with escape sequences replaced."""
    return join_surrogates(_ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _SIGNS.get(match[2], match[2]), text))


def _catalogue(text: str) -> dict[str, object]:
    """Return the translations of a gettext catalogue by id."""
    pairs: list[tuple[str, str]] = []
    open_one, message = "", {"msgid": "", "msgstr": ""}
    for line in [*text.splitlines(), 'msgid ""']:
        match = _MESSAGE.fullmatch(line.strip())
        if match is None:
            continue
        if match[1] == "msgid" and message["msgid"]:
            pairs.append((message["msgid"], message["msgstr"]))
            message = {"msgid": "", "msgstr": ""}
        open_one = match[1] or open_one
        if match[1]:
            message[open_one] = unescaped(match[2])
        else:
            message[open_one] = message.get(open_one, "") + unescaped(match[3])
    return marked_object(pairs)
