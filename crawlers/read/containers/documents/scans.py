"""OCR for scanned or photographed pages: an image in, characters with positions out. RapidOCR ships with its models."""

import math
import re
import unicodedata
from difflib import SequenceMatcher
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from statistics import median
from typing import TYPE_CHECKING, Any

from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.pdf_rows import Glyph

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURES = (".jpg", ".jpeg", ".png")
PAGE_WIDTH = 595.0
"""Width of an A4 page in points, used to position characters in a picture."""
DOTS_PER_INCH = 200
SCAN_SECONDS = 60.0
"""Time limit for one page; a page of a book takes about seven seconds."""
ADVICE = "to read it, run `pip install rapidocr onnxruntime` (docs/importing.md)"
_MAX_PIXELS = 60_000_000
_LEAST_SCORE = 0.5
"""Minimum score of a letter, digit or Chinese character. A character with a lower score becomes U+FFFD, so that `clean` rejects the
question."""
_RING, _LEAST_ALONE = re.compile(r"(?:^|(?<=[)）]))\s?[0oO]$"), 0.8
"""A lone symbol may be misread with a high score: a quotation mark as 99, or a full stop as 0 or o, even after a blank."""
_ALONE = 2
"""Maximum length of a line that counts as lone symbols."""
_MARGIN = 0.12
"""Share of a line's height added above and below it for the second reading."""
_UPRIGHT = 1.5
"""Minimum ratio of height to width for a line to count as vertical, as in RapidOCR."""
_LONE_SIGN = re.compile(r"(?<![\w\s(（+=—–-])(\s*)[+=—–-](?=\s*(?:$|[A-J][.．、:：]))")
"""A symbol that is a whole option may really be a character of the same shape: 十, 二, 一."""
_VITAL = frozenset("√×✓≥≤<>±%‰=+")
"""Symbols that change the meaning, as letters do."""
_NARROW = 0.5
"""Width of a Latin letter or digit relative to a Chinese character."""
UNKNOWN = "\ufffd"


def picture_of(name: str, body: bytes) -> "Image":
    """Return an image, rotated upright according to its EXIF data.

    Raises:
        ValueError: the image is damaged or too large.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        picture = Image.open(BytesIO(body), formats=("JPEG", "PNG"))
        if picture.width * picture.height > _MAX_PIXELS:
            raise Refusal(f"{name}: {picture.width} x {picture.height} pixels; at most {_MAX_PIXELS // 10**6} million are read")
        return ImageOps.exif_transpose(picture).convert("RGB")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        if isinstance(error, Refusal):
            raise
        raise Refusal(f"{name}: not a readable picture ({type(error).__name__}: {str(error)[:80]}); is it complete?") from None


def can_read() -> bool:
    """Return whether the packages of the extra `ocr` are installed."""
    return bool(find_spec("rapidocr") and find_spec("onnxruntime"))


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR

    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}  # deterministic on any number of cores
    return RapidOCR(params={"Global.log_level": "error", "Global.text_score": 0.0, **threads})


def glyphs_in(picture: "Image", width: float = PAGE_WIDTH) -> list[Glyph]:
    """Return the characters on a page that is an image, after deskewing it.

    Args:
        width: page width in points.
    """
    import numpy as np

    found = _engine()(np.asarray(picture)[:, :, ::-1], use_det=True, return_word_box=True, return_single_char_box=True)
    if found.boxes is None or not len(found.boxes):
        return []
    scale, corners = width / picture.width, [[(float(x), float(y)) for x, y in box] for box in found.boxes]
    angle = median(math.atan2(right[1] - left[1], right[0] - left[0]) for left, right, *_ in corners)
    cosine, sine = math.cos(angle), math.sin(angle)
    glyphs: list[Glyph] = []
    for box, text, score, words in zip(corners, found.txts, found.scores, found.word_results, strict=True):
        level = [((x * cosine + y * sine) * scale, (y * cosine - x * sine) * scale) for x, y in box]
        left, right = (level[0][0] + level[3][0]) / 2, (level[1][0] + level[2][0]) / 2
        top, bottom = (level[0][1] + level[1][1]) / 2, (level[2][1] + level[3][1]) / 2
        sure = _agreed(_with_unknown(text, float(score), words), _read_again(picture, box))
        glyphs += _spread(sure, left, right, top, bottom)
    return glyphs


def _read_again(picture: "Image", corners: list[tuple[float, float]]) -> str:
    """Return the text of a line cut out with a margin; a second reading rarely repeats errors that the score does not show."""
    import numpy as np
    from PIL import Image

    size = round(math.dist(corners[0], corners[1])), round(math.dist(corners[0], corners[3]))
    is_upright = size[1] >= _UPRIGHT * size[0]
    centre = [sum(place) / 4 for place in zip(*corners, strict=True)]
    wider = (_MARGIN, 0.0) if is_upright else (0.0, _MARGIN)
    corners = [(x + (x - centre[0]) * wider[0], y + (y - centre[1]) * wider[1]) for x, y in corners]
    quad = [place for at in (0, 3, 2, 1) for place in corners[at]]
    line = picture.transform(size, Image.Transform.QUAD, quad, Image.Resampling.BICUBIC)
    line = line.transpose(Image.Transpose.ROTATE_90) if is_upright else line
    found = _engine()(np.asarray(line)[:, :, ::-1], use_det=False, return_word_box=False)
    return "".join(found.txts or ())


def _agreed(text: str, again: str) -> str:
    """Return a line with U+FFFD where a second reading differs in a letter, a digit or a symbol that changes the meaning."""
    agreed, alike = list[str](), SequenceMatcher(None, _alike(text), _alike(again), autojunk=False)
    for kind, start, end, other, other_end in alike.get_opcodes():
        differs = kind != "equal" and any(map(_is_vital, text[start:end] + again[other:other_end]))
        own = text[start:end]
        agreed.append("".join(UNKNOWN if _is_vital(char) else char for char in own) or UNKNOWN if differs else own)
    return "".join(agreed)


def _alike(text: str) -> str:
    """Return a text of the same length, with full-width characters replaced by half-width ones."""
    halves = [unicodedata.normalize("NFKC", char) for char in text]
    return "".join(half if len(half) == 1 else char for half, char in zip(halves, text, strict=True))


def _with_unknown(text: str, score: float, words: Any) -> str:
    """Return a line with U+FFFD for each character that is uncertain because of its score or shape."""
    scores = [float(one[1]) for one in words or () if one[0].strip()]
    shown = [char for char in text if not char.isspace()]
    if len(scores) != len(shown):
        scores = [score] * len(shown)
    elif scores and scores[-1] < _LEAST_ALONE:
        text = _RING.sub("。", text)
    certain, least = iter(scores), _LEAST_ALONE if len(shown) <= _ALONE else _LEAST_SCORE
    sure = "".join(char if char.isspace() or next(certain) >= least or not _is_vital(char) else UNKNOWN for char in text)
    return _LONE_SIGN.sub(rf"\1{UNKNOWN}", sure)


def _is_vital(char: str) -> bool:
    return char.isalnum() or char in _VITAL


def _spread(text: str, left: float, right: float, top: float, bottom: float) -> list[Glyph]:
    """Return the characters of a line, spread between its ends."""
    widths = [_NARROW if char.isascii() else 1.0 for char in text]
    step, x, glyphs = (right - left) / max(sum(widths), _NARROW), left, list[Glyph]()
    for char, share in zip(text, widths, strict=True):
        glyphs.append(Glyph(x, x + share * step, top, bottom, char))
        x += share * step
    return glyphs
