"""Punctuation and blanks of Chinese text in one form; numbers, formulas and Latin text stay as they are."""

import re

CJK = "\u4e00-\u9fff\u3400-\u4dbf〇々"
_AROUND = rf"{CJK}，。；：？！、“”‘’（）《》【】…·"
_HAS_CJK = re.compile(f"[{CJK}]")
_HALF = re.compile(r"""[,;:?!.()"']""")
_FULL = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！"}
# A run of ? stands for characters that were lost, and stays to be found.
_CLAUSE_SIGN = re.compile(
    rf"(?<=[{_AROUND}])[ \t]*([,;:!]|\?(?!\?))|([,;:])(?=[ \t]*[{CJK}“《（【])|(?<=[A-Za-z0-9])(\?)(?=[ \t]*(?:[{CJK}“《（【]|$))"
)
_RATIO = re.compile(rf"(?<=[{_AROUND}])∶|∶(?=[{CJK}“])")
_STOP = re.compile(rf"(?<=[{CJK}）”》])[.．｡](?![0-9A-Za-z.．])")
_DOTS = re.compile(r"\.{3,}|·{3,}|。{3,}|…{1,}(?:\.|…)*")
_BRACKETS = re.compile(r"[(（]([^()（）]*)[)）]")
_LONE_BRACKET = re.compile(rf"\((?=[{CJK}])|(?<=[{CJK}])\)")
_OPERATOR = re.compile(r"[=+×÷*/^√∑]")
_QUOTE = re.compile('"')
_RUN = re.compile(rf"(?<=[{_AROUND}])[ \t]+|[ \t]+(?=[{_AROUND}])|[ \t]{{2,}}|\t")
_LINE = re.compile(r"(?<![ \t])[ \t]*(?:\r\n?|\n|\x85|\u2028|\u2029)\s*")
_WIDE_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_FILLED = re.compile(r"（[ \t]*）")
_AROUND_SIGN = re.compile(f"[{_AROUND}]")

needs_signs = re.compile(r"""[,;:?!.()"'．｡…∶]|（(?! ）)|(?<!（ )）|·{3}|。{3}""").search
needs_spacing = re.compile(r"[^\S ]|(?<!（) | (?!）)|（）").search


def to_chinese_signs(text: str) -> str:
    """Return a text with full-width punctuation next to Chinese characters."""
    if not _HAS_CJK.search(text):
        return text
    text = _RATIO.sub("：", _DOTS.sub("……", text).replace("．．", "……"))
    if not _HALF.search(text) and "．" not in text and "｡" not in text:
        return _mixed_brackets(text)
    text = _CLAUSE_SIGN.sub(lambda sign: _FULL[sign[1] or sign[2] or sign[3]], text)
    text = _STOP.sub("。", text).replace("．", ".")
    if '"' in text and text.count('"') % 2 == 0:
        text = _paired_quotes(text)
    return _LONE_BRACKET.sub(lambda bracket: "（" if bracket[0] == "(" else "）", _mixed_brackets(text))


def _paired_quotes(text: str) -> str:
    marks = iter("“”" * (text.count('"') // 2))
    return _QUOTE.sub(lambda _: next(marks), text)


def _mixed_brackets(text: str) -> str:
    """Give both brackets of a pair one width: half inside formulas, full elsewhere."""
    if "(" not in text and ")" not in text:
        return text
    found = []
    end = 0
    for pair in _BRACKETS.finditer(text):
        inside, before, after = pair[1], text[pair.start() - 1 : pair.start()], text[pair.end() : pair.end() + 1]
        formula = not _HAS_CJK.search(inside) and (
            _OPERATOR.search(inside) or (before and (before == "_" or _OPERATOR.match(before))) or (after and _OPERATOR.match(after))
        )
        found += [text[end : pair.start()], f"({inside})" if formula and inside.strip() else f"（{inside}）"]
        end = pair.end()
    return "".join([*found, text[end:]])


def space(text: str) -> str:
    """Return a text with single blanks, none beside Chinese characters, and `\\n` alone between lines."""
    text = _LINE.sub("\n", _WIDE_BLANKS.sub(" ", text))
    kept = _FILLED.sub("（ ）", text)
    return _RUN.sub(lambda run: _blank(kept, run), kept).strip(" \n\t")


def _blank(text: str, run: re.Match[str]) -> str:
    around = text[run.start() - 1 : run.start()] + text[run.end() : run.end() + 1]
    return " " if around == "（）" or not _AROUND_SIGN.search(around) else ""  # a blank to be filled keeps its blank
