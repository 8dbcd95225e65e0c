"""Remove HTML, and nothing else, from texts: entities and tags."""

import html
import re

BLANK = "（ ）"
"""A blank to fill, in its only form."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|&nbsp(?![A-Za-z;])")
_AMPERSANDS = re.compile(r"&(?:(?:amp|#0*38|#[xX]0*26);)+")
_UNSEEN_TAG = re.compile(r"<(script|style)\b[^<>]*>[^<]*</\1\s*>|<!--[^<>]*-->", re.I)
_REST = r"(?=[\s/>])[^<>]*>"
_READING = re.compile(r"<rp>[^<]{0,4}</rp>|<rt\b[^<>]*>[^<]{0,40}</rt>", re.I)
"""How a character is read, above it."""
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
_SOME_TAGS = r"(?:</?[A-Za-z][A-Za-z0-9]{0,12} ?/?>[、和与及或/,， ]{0,2}){1,6}"
_NAMED_TAGS = re.compile(
    rf"(?<=[\u4e00-\u9fff，、：“（]){_SOME_TAGS}(?=(?:这一|这个|这对|等|双)?(?:标签|标记|元素))|(?<=标签|标记|元素){_SOME_TAGS}"
)
"""Tags that a text speaks of: `用<title>标签`."""
_TAG_ALONE = re.compile(
    r"\s*(?:[A-J]\s?[.、．:：)）]\s*)?</?(?!(?:p|br|div|span|li|td|tr|img|hr|input)\b)[A-Za-z][A-Za-z0-9]{0,12} ?/?>\s*", re.I
)
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,12})")
_TITLED = re.compile(r"《[^《》\n]{0,200}》")
_INNER_TITLE = re.compile(r"<(?=[^<>]{0,60}[\u4e00-\u9fff]{2})([^<>\n]{2,60})>")
_TITLE = re.compile(
    r"<(?=[\u4e00-\u9fff·]{3,30}>)([\u4e00-\u9fff·]{0,30}"
    r"(?:法典|(?<![方语算用做写想看说手办])法|条例|规定|办法|细则|通知|意见|公约|宪章|宣言|纲要|章程|条约|协定|草案|大纲|准则|守则|规程"
    r"|(?<![理讨结言评])论|内经|本草纲目))>"
)
"""A title by its last word; what else stands so may be a place to be filled in a line of code, `<类名>`."""
_TO_SINGLE = str.maketrans("<>", "〈〉")
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


def _named_tags(text: str) -> str:
    if _TAG_ALONE.fullmatch(text):
        return text.translate(_TO_SINGLE)
    return _NAMED_TAGS.sub(lambda found: found[0] if _is_paired(found[0], text) else found[0].translate(_TO_SINGLE), text)


def _is_paired(tags: str, text: str) -> bool:
    """Tell whether tags are opened or closed elsewhere in their text, and so mark it up."""
    others = [f"<{name}" if closes else f"</{name}" for closes, name in _TAG_NAME.findall(tags)]
    return any(other in text and other not in tags for other in others)


def strip_tags(text: str) -> str:
    """Remove HTML tags and nothing else: `P<0.05` is not a tag, `<教育法>` is a title; super- and subscripts become x^a, x_(max).

    Tags that the text speaks of, and titles within titles, get the single brackets of GB/T 15834: 〈title〉标签, 《关于〈…〉的通知》.
    """
    text = _named_tags(text)
    text = _CITATION.sub("", _READING.sub("", _UNSEEN_TAG.sub("", text)))
    text = _RAISED_TAG.sub(lambda tag: tag[2].translate(RAISED if tag[1].lower() == "sup" else _LOWERED), text)
    text = _OTHER_RAISED.sub(_as_formula, text)
    text = _TITLED.sub(lambda title: _INNER_TITLE.sub(r"〈\1〉", title[0]), text) if "《" in text else text
    text = _TITLE.sub(r"《\1》", text)
    return _OTHER_TAG.sub("", _FILL_TAG.sub(BLANK, _LINE_TAG.sub("\n", text)))
