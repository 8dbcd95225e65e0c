"""Remove HTML entities and tags, and nothing else, from texts; write formulas in plain characters."""

import html
import re

from atomexam.text.characters import CJK

BLANK = "（ ）"
"""The only form of a blank to fill in."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|&nbsp(?![A-Za-z;])")
_AMPERSANDS = re.compile(r"&(?:(?:amp|#0*38|#[xX]0*26);)+")
_UNSEEN_TAG = re.compile(r"<(script|style)\b[^<>]*>[^<]*</\1\s*>|<!--[^<>]*-->", re.I)
_REST = r"(?=[\s/>])[^<>]*>"
_READING = re.compile(r"<rp>[^<]{0,4}</rp>|<rt\b[^<>]*>[^<]{0,40}</rt>", re.I)
"""The pronunciation of a character, printed above it."""
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
"""Tags that are part of a text: `用<title>标签`."""
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
"""A title, recognized by its last word; anything else in angle brackets may be a placeholder in code, `<类名>`."""
_TO_SINGLE = str.maketrans("<>", "〈〉")
RAISED = str.maketrans("0123456789+-−()=n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾⁼ⁿ")
_LOWERED = str.maketrans("0123456789+-−()=n", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎₌ₙ")

needs_unescaping = re.compile("&").search
needs_stripping = re.compile("<").search


def unescape(text: str) -> str:
    """Replace HTML entities, even if the text was escaped several times."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0] if entity[0].endswith(";") else entity[0] + ";"), _AMPERSANDS.sub("&", text))


def _as_formula(tag: re.Match[str]) -> str:
    sign = "^" if tag[1].lower() == "sup" else "_"
    return f"{sign}{tag[2]}" if len(tag[2]) == 1 else f"{sign}({tag[2]})"


def _named_tags(text: str) -> str:
    if _TAG_ALONE.fullmatch(text):
        return text.translate(_TO_SINGLE)
    return _NAMED_TAGS.sub(lambda found: found[0] if _is_paired(found[0], text) else found[0].translate(_TO_SINGLE), text)


def _is_paired(tags: str, text: str) -> bool:
    """Return whether tags are opened or closed elsewhere in their text, so that they are mark-up."""
    others = [f"<{name}" if closes else f"</{name}" for closes, name in _TAG_NAME.findall(tags)]
    return any(other in text and other not in tags for other in others)


def strip_tags(text: str) -> str:
    """Remove HTML tags and nothing else: `P<0.05` is not a tag, `<教育法>` is a title; super- and subscripts become x^a, x_(max).

    Tags that the text mentions as its subject, and titles within titles, get the single brackets of GB/T 15834: 〈title〉标签,
    《关于〈…〉的通知》.
    """
    text = _named_tags(text)
    text = _CITATION.sub("", _READING.sub("", _UNSEEN_TAG.sub("", text)))
    text = _RAISED_TAG.sub(lambda tag: tag[2].translate(RAISED if tag[1].lower() == "sup" else _LOWERED), text)
    text = _OTHER_RAISED.sub(_as_formula, text)
    text = _TITLED.sub(lambda title: _INNER_TITLE.sub(r"〈\1〉", title[0]), text) if "《" in text else text
    text = _TITLE.sub(r"《\1》", text)
    return _OTHER_TAG.sub("", _FILL_TAG.sub(BLANK, _LINE_TAG.sub("\n", text)))


_GREEK_NAMES = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi varphi chi psi"
    " omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
_GREEK = dict(zip(_GREEK_NAMES.split(), "αβγδεεζηθικλμνξπρστυφφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
_SIGNS = _GREEK | {
    "sim": "~", "approx": "≈", "geqslant": "≥", "geq": "≥", "ge": "≥", "leqslant": "≤", "leq": "≤", "le": "≤", "neq": "≠", "ne": "≠",
    "times": "×", "div": "÷", "pm": "±", "mp": "∓", "cdot": "·", "bullet": "·", "circ": "°", "degree": "°", "infty": "∞", "propto": "∝",
    "rightarrow": "→", "to": "→", "longrightarrow": "→", "leftarrow": "←", "uparrow": "↑", "downarrow": "↓", "rightleftharpoons": "⇌",
    "leftrightarrow": "↔", "Rightarrow": "⇒", "equiv": "≡", "sum": "∑", "prime": "′", "ldots": "……", "cdots": "……", "dots": "……",
    "angle": "∠", "triangle": "△", "lt": "<", "gt": ">", "left": "", "right": "", "quad": " ", "qquad": " ", "displaystyle": "",
    "max": "max", "min": "min", "log": "log", "lg": "lg", "ln": "ln", "sin": "sin", "cos": "cos", "tan": "tan",
}  # fmt: skip
_TYPES = "mathrm|mathbf|mathsf|mathbb|mathit|mathcal|mathtt|text|textbf|textrm|textit|rm|bf|operatorname|mbox|boldsymbol|bm"
_NAMES = "|".join(sorted(_SIGNS, key=len, reverse=True))
_NAMED = re.compile(rf"[ \t]?\\({_NAMES})(?![A-Za-z])[ \t]?")
_TYPE = re.compile(rf"\\(?:{_TYPES})(?![A-Za-z])[ \t]?")
_BAR = re.compile(r"\\(?:overline|bar)(?:[ \t]?\{([A-Za-zα-ωΑ-Ω])\}|[ \t]([A-Za-z])(?![A-Za-z]))")
_ESCAPED = re.compile(r"[ \t]?\\([%&#_$])")
_THIN = re.compile(r"\\[,;:! ]|(?<=\{)~")
_FRACTION = re.compile(r"\\[dt]?frac[ \t]?\{([^{}\\]{1,80})\}[ \t]?\{([^{}\\]{1,80})\}")
_ROOT = re.compile(r"\\sqrt[ \t]?\{([^{}\\]{1,80})\}")
_SCRIPT = re.compile(r"[ \t]?([_^])[ \t]?\{([^{}\\_^]{0,80})\}")
_BARE_SCRIPT = re.compile(r"(?<=[}\w)])([_^])([0-9A-Za-zα-ωΑ-Ω+−°′*-])")
_SCRIPT_BEHIND_NAME = re.compile(rf"(\\(?:{_NAMES})|\}})([_^])([0-9A-Za-z+−*-])")
_DOUBLED = re.compile(r"(?<=\{)\{([^{}\\_^]*)\}(?=\})")
_GROUP = re.compile(r"(?<!\\)\{([^{}\\_^]*)\}")
_DOLLARS = re.compile(r"\$([^$\n]{1,400})\$")
_IN_MATHS = re.compile("[\\\\^_{\u0304<>=≤≥]")
_HAS_CJK = re.compile(f"[{CJK}]")
_PARENTHESISED = re.compile(r"\\[(（\[]([^\n]{1,400}?)\\[)）\]]")  # \(…\), the other delimiters of a formula
_NUMBER_ALONE = re.compile(r"\$([-+]?\d[\d.,]*%?)\$")
_SPACED_PERCENT = re.compile(r"(?<=\d)[ \t]%")
_DEGREES = re.compile(r"°[ \t]?C(?![A-Za-z])")
_OPERATOR = re.compile(r"[-+ ·×/]")
_LEFT_OVER = re.compile(r"\\[A-Za-z]+[ \t]?\{|[_^]\{|\\hline(?![a-z])|\\(?:[dt]?frac|sqrt)")
_BEHIND_RAISED = re.compile(r"(?<=[⁰-⁹¹²³⁺⁻])[ \t](?=[A-Z])")
_UNKNOWN = re.compile(rf"\\(?!(?:{_NAMES}|{_TYPES}|[dt]?frac|sqrt)(?![A-Za-z]))[A-Za-z]|[A-Za-z]:\\|\\\\")
"""An unsupported command, a path on a disk, or the end of a table row."""
_ROUNDS = 6

needs_plain_text = re.compile(r"\\[A-Za-z%(（\[]|[_^]\{|\$[^$\n]*[\\^_{<>=≤≥]|^\$[-+\d.,%]+\$$").search


def to_plain_text(text: str) -> str:
    """Return a text with its formulas in plain characters: `40^{\\circ}\\mathrm{C}` is 40℃; unchanged if a formula remains."""
    barred = _BAR.sub(lambda bar: (bar[1] or bar[2]) + "\u0304", text)  # x̄, the mean
    if _UNKNOWN.search(barred):
        return text
    if number := _NUMBER_ALONE.fullmatch(text.strip()):
        return number[1]
    plain = _converted(_DOLLARS.sub(_of_maths, _PARENTHESISED.sub(r"$\1$", barred)))
    return text if holds_latex(plain) else plain


def holds_latex(text: str) -> bool:
    """Return whether a text has a command that readers would see literally."""
    return bool(needs_plain_text(text) and _LEFT_OVER.search(text))


def _of_maths(formula: re.Match[str]) -> str:
    inside = formula[1]
    match = _IN_MATHS.search(inside)
    if not match or (match[0] in "<>=≤≥" and _HAS_CJK.search(inside)):
        return formula[0]  # $5 and $7 are prices
    inside = _converted(inside)
    return _BEHIND_RAISED.sub("", _GROUP.sub(r"\1", _BARE_SCRIPT.sub(_script, inside))).strip() if "\\" not in inside else formula[0]


def _converted(text: str) -> str:
    if not needs_plain_text(text):
        return text
    text = _SCRIPT_BEHIND_NAME.sub(r"\1\2{\3}", text)
    text = _NAMED.sub(lambda name: _SIGNS[name[1]], _TYPE.sub("", _THIN.sub("", _ESCAPED.sub(r"\1", text))))
    for _ in range(_ROUNDS):
        before = text
        text = _ROOT.sub(lambda root: f"√{_bracketed(root[1])}", _FRACTION.sub(_fraction, text))
        text = _DOUBLED.sub(r"\1", _SCRIPT.sub(_script, text))
        if text == before:
            text = _GROUP.sub(r"\1", text)  # last, since the parts of a fraction are also groups
        if text == before:
            break
    return _DEGREES.sub("℃", _SPACED_PERCENT.sub("%", text))


def _script(script: re.Match[str]) -> str:
    """Return superscripts as superscript characters if these exist, and subscripts as plain ones: K⁺, P2Y12."""
    sign, inside = script[1], script[2].strip()
    if sign == "_" or inside in ("°", "′", "") or inside.startswith("°"):
        return inside
    if all(ord(character) in RAISED for character in inside):
        return inside.translate(RAISED)
    return f"^{inside}" if len(inside) == 1 else f"^({inside})"


def _fraction(fraction: re.Match[str]) -> str:
    return f"{_bracketed(fraction[1])}/{_bracketed(fraction[2])}"


def _bracketed(part: str) -> str:
    part = part.strip()
    return f"({part})" if _OPERATOR.search(part) else part
