"""Text in base64, by which sites hide texts from simple readers: a text -> the decoded first part."""

import base64
import binascii
import re

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{8,}={0,2}(?![A-Za-z0-9+/=])")
EXCERPT_CHARS = 20
"""Characters of a text in a message."""
_MOST_TRIED = 1000
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9+/]{60})(?:\\r|\\n|[\r\n])+(?=[A-Za-z0-9+/])")
"""Where lines of one text end, as mail has it; in JSON the ends are escaped."""


def base64_in(text: str) -> str | None:
    """Return what is encoded in a text; only Chinese and markup count, since letters alone may be a name."""
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
