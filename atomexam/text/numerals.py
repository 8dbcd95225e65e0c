"""Convert Chinese, Roman and circled numerals to and from numbers."""

HANZI = "一二三四五六七八九十"
"""The Chinese numerals from 1 to 10."""
CIRCLED_TO_20 = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
CIRCLED_NUMBERS = CIRCLED_TO_20[:10]
"""The circled numbers from 1 to 10, the maximum number of options."""
ROMAN = "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ"
"""The Roman numerals from 1 to 10 as single characters."""
STEMS = "甲乙丙丁戊己庚辛壬癸"
"""The ten heavenly stems, which serve as letters in numbering."""
_DIGITS = {sign: value for value, sign in enumerate("〇" + HANZI[:9])} | {"零": 0, "两": 2}
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_MAX_NUMERAL_CHARS = 32  # a longer sequence is not a number
_ROMAN: tuple[tuple[int, str], ...] = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
)
_ROMAN += ((5, "V"), (4, "IV"), (1, "I"))

NUMERALS = frozenset({*_DIGITS, *_POWERS, "半"})
"""All characters of Chinese numerals; 半 is a half."""
NUMERAL = f"[{''.join([*_DIGITS, *_POWERS])}]+"
"""Pattern of a Chinese numeral."""


def value_of(numeral: str) -> int | None:
    """Return the value of an Arabic or Chinese numeral from 零 to 一百: 12 and 十二 are 12. None for anything else."""
    if numeral.isdecimal():
        return int(numeral)
    if numeral in ("百", "一百"):
        return 100
    tens, ten, ones = numeral.rpartition("十")
    if not (ten or ones) or not all(part in _DIGITS or not part for part in (tens, ones)):
        return None
    return 10 * (_DIGITS[tens] if tens else len(ten)) + (_DIGITS[ones] if ones else 0)


def to_digits(numeral: str) -> str:
    """Return a Chinese numeral of any size in digits: 二十五 is 25, 一九九八 is 1998, 三万 is 30000."""
    if len(numeral) > _MAX_NUMERAL_CHARS:
        return numeral
    if not set(numeral) & set(_POWERS):
        return "".join(str(_DIGITS[sign]) for sign in numeral)
    total = section = digit = 0
    for sign in numeral:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif _POWERS[sign] < 10_000:
            section += max(digit, 1) * _POWERS[sign]
            digit = 0
        else:
            total = max(total + section + digit, 1) * _POWERS[sign]
            section = digit = 0
    return str(total + section + digit)


def to_chinese(number: int) -> str:
    """Return 12 as 十二 and 108 as 一百零八, as Word numbers lists; a number above 999 stays in digits."""
    digits = "〇" + HANZI[:9]
    if number < 10:
        return digits[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return f"{digits[tens] if tens > 1 else ''}十{digits[ones] if ones else ''}"
    hundreds, rest = divmod(number, 100)
    if number > 999:
        return str(number)
    return f"{digits[hundreds]}百" + (f"{'零' if rest < 10 else '一' if rest < 20 else ''}{to_chinese(rest)}" if rest else "")


def to_roman(number: int) -> str:
    """Return 4 as IV; a number without a Roman numeral here stays in digits."""
    if not 0 < number < 4000:
        return str(number)
    numeral = ""
    for value, sign in _ROMAN:
        times, number = divmod(number, value)
        numeral += sign * times
    return numeral
