"""Reference ranges -> plausible wrong ones of the same shape and unit.

A range is moved by one and a half of its width, so that the two lie half a width apart; where it begins at 0, or has one limit only, the
limit becomes a third or three times as high.
"""

import re
from decimal import ROUND_HALF_UP, Decimal

_TWO = re.compile(r"(\D*?)(\d+(?:\.\d+)?)(\s*(?:~|～|-|–|—|至)\s*)(\d+(?:\.\d+)?)((?:[^\d~～].*)?)")
_ONE = re.compile(r"(\s*(?:<|≤|＜|>|≥|＞|小于|大于|低于|高于)\s*)(\d+(?:\.\d+)?)((?:\D.*)?)")
_SHIFT, _FACTOR = Decimal("1.5"), Decimal(3)
_STEPS = (Decimal(100), Decimal(50), Decimal(10), Decimal(5))


def altered_range(tail: str, up: bool) -> str | None:
    """Return a wrong range, higher or, where one can be lower, lower; None if the tail is no range of one or two numbers."""
    if one := _ONE.fullmatch(tail):
        sign, limit, unit = one.groups()
        return f"{sign}{_scaled(limit, up)}{unit}" if Decimal(limit) else None
    if not (two := _TWO.fullmatch(tail)):
        return None
    before, low, between, high, unit = two.groups()
    a, b = Decimal(low), Decimal(high)
    if not a < b:
        return None
    if not a:
        return f"{before}{low}{between}{_scaled(high, up)}{unit}"
    shift = _SHIFT * (b - a)
    if not up and a - shift <= 0:
        up = True
    moved = [_like(text, value + (shift if up else -shift), (low, high)) for text, value in ((low, a), (high, b))]
    return f"{before}{moved[0]}{between}{moved[1]}{unit}"


def _scaled(limit: str, up: bool) -> str:
    value = Decimal(limit)
    lower = _like(limit, value / _FACTOR, (limit,))
    return _like(limit, value * _FACTOR, (limit,)) if up or not Decimal(lower) else lower


def _like(text: str, value: Decimal, among: tuple[str, ...]) -> str:
    """Return a number with the decimals of the original and, if all numbers of the range are round, as round."""
    places = max(len(one.partition(".")[2]) for one in among) if "." in text else 0
    unit = Decimal(1).scaleb(-places)
    in_units = [Decimal(one) / unit for one in among]
    step = next((step for step in _STEPS if all(one % step == 0 for one in in_units) and value >= step * unit), Decimal(1)) * unit
    return f"{((value / step).to_integral_value(ROUND_HALF_UP) * step).quantize(unit):f}"
