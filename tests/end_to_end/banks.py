"""Banks of invented questions, no two of them alike."""

import json
import random
from collections.abc import Iterator

SIGNS = [
    bytes([row, cell]).decode("gb2312") for row in range(0xB0, 0xD7) for cell in range(0xA1, 0xFF)
]  # common ones: rare ones are mojibake


def questions(seed: str, count: int) -> Iterator[bytes]:
    """Yield lines of JSON; equal seeds give equal lines, and a longer bank begins with the shorter one."""
    draw = random.Random(seed)

    def words(length: int) -> str:
        return "".join(draw.choices(SIGNS, k=length))

    for _ in range(count):
        options = {letter: words(6) for letter in "ABCD"}
        row = {"question": f"关于{words(12)}的说法正确的是（ ）", "options": options, "answer": draw.choice("ABCD")}
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"
