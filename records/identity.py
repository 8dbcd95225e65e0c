"""Ids that come from content, so that they survive re-crawls, order and machines."""

import hashlib
import re
import unicodedata

_ID_HEX_CHARS = 20  # 80 bits: a collision among ten million records has a chance below 1e-10
_MINUS = re.compile(r"(?<![^\W_])-(?=\d)")
_RANGE = re.compile(r"(?<=\d)[\u2010-\u2015~](?=\d)")
_INSIDE_NUMBER = re.compile(r"(?<=\d)[./:-](?=\d)")


def canonical(text: str) -> str:
    """Return the letters, digits and signs of a text that carry meaning: NFKC, lower case, no blanks, no punctuation.

    Two writings of one text that differ in width, case, blanks or punctuation have one canonical form. Mathematical and
    currency signs stay, because "<5" is not ">5", and so does the punctuation of numbers, because "1.5" is not "15",
    "-1" not "1" and "8%" not "8".
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    signed = _MINUS.sub("−", folded)  # U+2212, a sign and no punctuation
    written = _RANGE.sub("-", "".join(c for c in signed if unicodedata.category(c)[0] not in "ZC"))
    inside = {match.start() for match in _INSIDE_NUMBER.finditer(written)}
    kept = "".join(c for i, c in enumerate(written) if i in inside or c in "%‰" or unicodedata.category(c)[0] != "P")
    # What lower() and the removal leave side by side may compose again (İ, Hangul): fold until nothing changes.
    return kept if kept == text else canonical(kept)


def content_id(prefix: str, *parts: str) -> str:
    """Return `prefix-` and 20 hex digits of the SHA-256 over the parts; the parts are hashed as given, apart from each other."""
    digest = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
    return f"{prefix}-{digest[:_ID_HEX_CHARS]}"
