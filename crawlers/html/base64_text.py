"""Text in base64, which some sites use to hide texts from simple readers: a text -> its first part, decoded."""

import base64
import binascii
import re

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{8,}={0,2}(?![A-Za-z0-9+/=])")
EXCERPT_CHARS = 20
"""Characters of a decoded text shown in a message."""
_MOST_TRIED = 1000
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9+/]{60})(?:\\r|\\n|[\r\n])+(?=[A-Za-z0-9+/])")
"""Line breaks within one text, as in mail; in JSON they are escaped."""


def base64_in(text: str) -> str | None:
    """Return the decoded text; only Chinese and markup count, since plain letters may be a name."""
    return _first_in(_WRAPPED.sub("", text)) or _first_in(text)


def _first_in(text: str) -> str | None:
    for count, match in enumerate(_ENCODED.finditer(text)):
        if count == _MOST_TRIED:
            break
        try:
            plain = base64.b64decode(match[0], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if re.search(r"[\u4e00-\u9fff]", plain) or plain.lstrip().startswith("<"):
            return plain
    return None
