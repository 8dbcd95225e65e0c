"""Accuracy of reading scans: print pages of real question banks, rotate, blur and add noise, and compare the result with the original.

    python bench/scans.py FOLDER --pages 20

FOLDER contains the banks named below; their questions are the gold standard. Needs the extra `ocr` and a Chinese font.
"""

import argparse
import logging
import random
import re
import subprocess
import time
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from atomexam.records.item import QuestionItem
from atomexam.text.characters import simplify
from crawlers.read.__main__ import read_row
from crawlers.read.containers.documents.pdf import read_pdf_guarded

BANKS = (
    "second/ujs_career/tiku.txt", "exams_text/zjzx_大学心理学.txt", "cpsyexam/dev.jsonl", "second/xuzhou_party/answer.txt",
    "second/radiology_csv/题库.csv", "exams_json/adoreMai_心理学.json",
)  # fmt: skip
SIZE, MARGIN, CHARS, SPACING = (1240, 1754), 110, 24, 40  # A4 at 150 dpi; 11.5 pt
TURN, BLUR, NOISE = 1.2, 0.7, 14.0
SAME_IN_PRINT = str.maketrans("ol", "0i")


def gold_of(path: Path) -> list[QuestionItem]:
    """Return the choice questions of a bank that fit a page."""
    files = [path] if path.is_file() else sorted(path.iterdir())[:1]
    items = [item for file in files for item in read_row(file.name, file).reading.items if isinstance(item, QuestionItem)]
    return [
        one
        for one in items
        if one.options_raw
        and one.answer_raw
        and not one.doubt
        and len(lines_of(one, 1)) < 12
        and not one.case_raw
        and "案例" not in (one.stem_raw or "")
    ]


def lines_of(item: QuestionItem, number: int) -> list[str]:
    """Return a question as printed in a paper, broken into lines."""
    stem = re.sub(r"^\s*\d{1,4}\s*[、.．]\s*", "", item.stem_raw or "")
    options = [re.sub(r"^\s*[A-J]\s*[、.．:：]\s*", "", option) for option in item.options_raw or []]
    texts = [f"{number}．{stem}", *(f"{'ABCDEFGHIJ'[at]}．{option}" for at, option in enumerate(options)), f"答案：{item.answer_raw}"]
    width = (SIZE[0] - 2 * MARGIN) // CHARS
    flat = [" ".join(text.split()) for text in texts]
    return [text[at : at + width] for text in flat for at in range(0, max(1, len(text)), width)]


def pages_of(items: list[QuestionItem], count: int) -> Iterator[tuple[list[QuestionItem], list[str]]]:
    """Yield the questions and lines of full pages."""
    room, coming = (SIZE[1] - 2 * MARGIN) // SPACING, iter(items)
    for _ in range(count):
        own, lines = list[QuestionItem](), list[str]()
        for item in coming:
            printed = lines_of(item, len(own) + 1)
            if len(lines) + len(printed) > room:
                break
            own.append(item)
            lines += printed
        if not own:
            return
        yield own, lines


def picture_of(lines: list[str], font: ImageFont.FreeTypeFont, seed: int) -> Image.Image:
    """Return an image of a page as from a scanner."""
    page = Image.new("L", SIZE, 250)
    draw = ImageDraw.Draw(page)
    for at, line in enumerate(lines):
        draw.text((MARGIN, MARGIN + at * SPACING), line, font=font, fill=20)
    drawn = random.Random(seed)
    page = page.rotate(drawn.uniform(-TURN, TURN), resample=Image.Resampling.BICUBIC, fillcolor=250)
    page = page.filter(ImageFilter.GaussianBlur(BLUR))
    noise = np.random.default_rng(seed).normal(0, NOISE, (SIZE[1], SIZE[0]))
    return Image.fromarray((np.asarray(page) + noise).clip(0, 255).astype("uint8"))


def font_named(pattern: str) -> ImageFont.FreeTypeFont:
    """Return a font with Chinese glyph forms: font collections also contain those of other countries."""
    command = ["fc-match", "-f", "%{index} %{file}", pattern]
    index, _, path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.partition(" ")
    return ImageFont.truetype(path, CHARS, index=int(index))


def folded(text: str) -> str:
    """Return a simplified text without punctuation, treating o and 0, l and i as equal: banks confuse them because they look alike."""
    return re.sub(r"[\s\W_]+", "", unicodedata.normalize("NFKC", simplify(text, True)).casefold()).translate(SAME_IN_PRINT)


def told(item: QuestionItem) -> tuple[str, ...]:
    """Return the texts of a question without spaces, punctuation, number and option letters."""
    options = [re.sub(r"^\s*[A-J]\s*[、.．:：]\s*", "", option) for option in item.options_raw or []]
    return (folded(re.sub(r"^\s*\d{1,4}\s*[、.．]\s*", "", item.stem_raw or "")), *map(folded, options), folded(item.answer_raw or ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real", type=Path)
    parser.add_argument("--pages", type=int, default=20)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    fonts, share = [font_named(f"{kind}:lang=zh-cn") for kind in ("sans-serif", "serif")], -(-arguments.pages // len(BANKS))
    right = doubted = printed = chars = same = 0
    wrong: list[str] = []
    seconds = pages = 0.0
    with TemporaryDirectory() as folder:
        for bank in BANKS:
            for number, (own, lines) in enumerate(pages_of(gold_of(arguments.real / bank), share)):
                if pages == arguments.pages:
                    break
                file = Path(folder) / f"page{number}.png"
                picture_of(lines, fonts[int(pages) % 2], int(pages)).save(file)
                start = time.perf_counter()
                row = read_row(file.name, file)
                seconds, pages = seconds + time.perf_counter() - start, pages + 1
                found = [item for item in row.reading.items if isinstance(item, QuestionItem)]
                sound = {told(item) for item in found if not item.doubt and "\ufffd" not in str(item)}
                expected = {told(item) for item in own}
                printed, right = printed + len(own), right + len(sound & expected)
                bad = sound - expected
                wrong += [f"{bank}: {' | '.join(one)}" for one in sorted(bad)]
                doubted += len(own) - len(sound & expected) - len(bad)
                read = "" if row.error else folded("".join(read_pdf_guarded(file.name, file.read_bytes()).lines))
                whole = folded("".join(lines))
                chars += len(whole)
                same += sum(block.size for block in SequenceMatcher(None, whole, read, autojunk=False).get_matching_blocks())
                print(f"{bank} {number}: {len(own)} printed, {len(sound & expected)} right, {len(bad)} wrong {row.error[:100]}", flush=True)
    print("\n".join(wrong))
    print(f"{pages:.0f} pages: characters {same / chars:.2%} of {chars}; questions {printed}: right {right / printed:.1%}, ", end="")
    print(f"doubted or unread {doubted / printed:.1%}, wrong and not doubted {len(wrong) / printed:.2%}; {seconds / pages:.1f} s a page")


if __name__ == "__main__":
    main()
