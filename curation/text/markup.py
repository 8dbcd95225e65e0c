"""Remove HTML, and nothing else, from texts: entities and tags."""

import html
import re

BLANK = "（ ）"
"""A blank to fill, in its only form."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|&nbsp(?![A-Za-z;])")
_AMPERSANDS = re.compile(r"&(?:(?:amp|#0*38|#[xX]0*26);)+")
_UNSEEN_TAG = re.compile(r"<(script|style)\b[^<>]*>[^<]*</\1\s*>|<!--[^<>]*-->", re.I)
_REST = r"(?=[\s/>])[^<>]*>"
_LINE_TAG = re.compile(
    rf"</?(?:p|br|div|li|tr|ul|ol|h[1-6]|table|dd|dt|dl|hr|section|article|blockquote|header|footer|aside|figure|form|body|html){_REST}",
    re.I,
)
_FILL_TAG = re.compile(rf"<input{_REST}", re.I)
_RAISED_TAG = re.compile(r"<(su[pb])>([0-9+\-−()=n]{1,6})</\1>", re.I)
_OTHER_TAG = re.compile(
    r"</?(?:a|b|i|u|s|em|strong|font|span|img|sup|sub|tbody|thead|tfoot|td|th|col|colgroup|caption|label|center|strike|del|ins|small|big"
    r"|pre|code|kbd|samp|tt|var|cite|abbr|wbr|nobr|bdi|bdo|ruby|rt|rp|o:p|script|noscript|style|link|meta|base|head|title|iframe|frame"
    rf"|frameset|object|embed|param|applet|svg|math|canvas|audio|video|source|picture|map|area|button|select|option|textarea){_REST}",
    re.I,
)
_OTHER_RAISED = re.compile(r"<(su[pb])>\s*([A-Za-z0-9+\-−*,/]{1,8})\s*</\1>", re.I)
_CITATION = re.compile(r"<sup>\s*\[\d{1,3}(?:[-,]\d{1,3})*\]\s*</sup>", re.I)
_TITLE = re.compile(r"<([\u4e00-\u9fff·]{2,30})>")
RAISED = str.maketrans("0123456789+-−()=n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾⁼ⁿ")
_LOWERED = str.maketrans("0123456789+-−()=n", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎₌ₙ")

needs_unescaping = re.compile("&").search
needs_stripping = re.compile("<").search


def unescape(text: str) -> str:
    """Replace HTML entities, however often the text was escaped."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0] if entity[0].endswith(";") else entity[0] + ";"), _AMPERSANDS.sub("&", text))


def _as_formula(tag: re.Match[str]) -> str:
    sign = "^" if tag[1].lower() == "sup" else "_"
    return f"{sign}{tag[2]}" if len(tag[2]) == 1 else f"{sign}({tag[2]})"


def strip_tags(text: str) -> str:
    """Remove HTML tags and nothing else: `P<0.05` is not a tag, `<教育法>` is a title; super- and subscripts become x^a, x_(max)."""
    text = _CITATION.sub("", _UNSEEN_TAG.sub("", text))
    text = _RAISED_TAG.sub(lambda tag: tag[2].translate(RAISED if tag[1].lower() == "sup" else _LOWERED), text)
    text = _TITLE.sub(r"《\1》", _OTHER_RAISED.sub(_as_formula, text))
    return _OTHER_TAG.sub("", _FILL_TAG.sub(BLANK, _LINE_TAG.sub("\n", text)))
