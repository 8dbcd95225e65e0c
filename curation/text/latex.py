"""LaTeX formulas -> equivalent plain text. A formula that does not fit into a line of text stays as it is, completely.

pylatexenc is unsuitable: it treats `95% of` as a comment, and leaves `_12` and `^+`. The grammar of exam banks is small: named letters
and symbols, letters in a typeface, superscripts and subscripts.
"""

import re

from curation.text.characters import CJK
from curation.text.markup import RAISED

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
"""A command that is not supported here, a path on a disk, the end of a table row."""
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
