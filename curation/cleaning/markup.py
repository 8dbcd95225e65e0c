"""Text without HTML: entities replaced, tags gone, and those alone."""

import html
import re

BLANK = "（ ）"
"""A place to be filled, in the one form it is written."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|&nbsp(?![A-Za-z;])")
_AMPERSANDS = re.compile(r"&(?:(?:amp|#0*38|#[xX]0*26);)+")
_UNSEEN_TAG = re.compile(r"<(script|style)\b[^<>]*>[^<]*</\1\s*>|<!--[^<>]*-->", re.I)
_LINE_TAG = re.compile(r"</?(?:p|br|div|li|tr|ul|ol|h[1-6]|table|dd|dt|dl|hr|section|article)\b[^<>]*>", re.I)
_FILL_TAG = re.compile(r"<input\b[^<>]*>", re.I)
_RAISED_TAG = re.compile(r"<(su[pb])>([0-9+\-−()=n]{1,6})</\1>", re.I)
_OTHER_TAG = re.compile(
    r"</?(?:a|b|i|u|s|em|strong|font|span|img|sup|sub|tbody|thead|td|th|label|center|strike|del|ins|small|big|pre|code|var|o:p)\b[^<>]*>",
    re.I,
)
_RAISED = str.maketrans("0123456789+-−()=n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾⁼ⁿ")
_LOWERED = str.maketrans("0123456789+-−()=n", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎₌ₙ")

needs_unescaping = re.compile("&").search
needs_stripping = re.compile("<").search


def unescape(text: str) -> str:
    """Replace HTML entities, however often the text was escaped."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0] if entity[0].endswith(";") else entity[0] + ";"), _AMPERSANDS.sub("&", text))


def strip_tags(text: str) -> str:
    """Remove HTML tags, and those alone: `P<0.05` is no tag."""
    text = _RAISED_TAG.sub(lambda tag: tag[2].translate(_RAISED if tag[1].lower() == "sup" else _LOWERED), _UNSEEN_TAG.sub("", text))
    return _OTHER_TAG.sub("", _FILL_TAG.sub(BLANK, _LINE_TAG.sub("\n", text)))
