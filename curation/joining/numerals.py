"""Chinese numerals: a run of them -> its value in digits."""

_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_MAX_NUMERAL_CHARS = 32  # a longer run of numerals is no number, and its value could have any length
NUMERALS = frozenset({*_DIGITS, *_POWERS, "半"})
NUMERAL = f"[{''.join([*_DIGITS, *_POWERS])}]+"


def in_figures(numeral: str) -> str:
    """Return a Chinese numeral in digits: 二十五 is 25, 一九九八 is 1998."""
    if len(numeral) > _MAX_NUMERAL_CHARS:
        return numeral
    if not set(numeral) & set(_POWERS):
        return "".join(str(_DIGITS[c]) for c in numeral)
    total = section = digit = 0
    for c in numeral:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif _POWERS[c] < 10_000:
            section += max(digit, 1) * _POWERS[c]
            digit = 0
        else:
            total = max(total + section + digit, 1) * _POWERS[c]
            section = digit = 0
    return str(total + section + digit)
