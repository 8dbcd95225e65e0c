"""Scans and photographs of pages: read into lines by position; uncertain text is marked."""

import subprocess
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from atomexam.records.provenance import Provenance
from crawlers.read.containers.documents import pdf
from crawlers.read.containers.documents.pdf import read_picture
from crawlers.read.containers.documents.scans import _agreed, _spread, _with_unknown, glyphs_in
from crawlers.read.files import FileResult, read_steps
from crawlers.read.paths import named_files

SEEN = Provenance(source="own", url="file:page", snapshot="2026-01-01", page_id="page-1", position="")
LINES = ["一、单项选择题", *(line for number in range(1, 5) for line in (
    f"{number}．下列属于感觉的是（  ）。", "A．听到歌声", "B．看到红色", "C．认出苹果", "D．想起往事", "答案：B"))]  # fmt: skip


def printed(lines: list[str], kind: str) -> bytes:
    """Return a page scanned at an angle."""
    found = subprocess.run(["fc-match", "-f", "%{lang}\t%{index}\t%{file}", "serif:lang=zh-cn"], capture_output=True, text=True)
    if "zh" not in found.stdout:
        pytest.skip("no Chinese font")
    _, index, path = found.stdout.split("\t")
    page = Image.new("RGB", (1240, 1754), "white")
    draw, font = ImageDraw.Draw(page), ImageFont.truetype(path, 26, index=int(index))
    for at, line in enumerate(lines):
        draw.text((110, 110 + 44 * at), line, font=font, fill="black")
    out = BytesIO()
    page.rotate(0.8, resample=Image.Resampling.BICUBIC, fillcolor="white").save(out, kind, resolution=150, quality=95)
    return out.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "PDF"])
def test_reads_a_scanned_page_from_any_container(kind: str) -> None:
    pytest.importorskip("rapidocr")
    name = f"page.{kind.lower().replace('jpeg', 'jpg')}"
    [result] = [step for step in read_steps(name, printed(LINES, kind), None, SEEN) if isinstance(step, FileResult)]
    items = result.reading.items
    assert [(item.number_raw, item.answer_raw, item.doubt) for item in items] == [(str(number), "B", None) for number in range(1, 5)]
    assert all(item.stem_raw.replace(" ", "").endswith("下列属于感觉的是（）。") for item in items)
    assert [option[-4:] for option in items[0].options_raw] == ["听到歌声", "看到红色", "认出苹果", "想起往事"]


@pytest.mark.slow
def test_lines_that_run_downwards_are_read_twice_alike() -> None:
    pytest.importorskip("rapidocr")
    page = Image.open(BytesIO(printed(LINES[1:8], "PNG"))).rotate(90, expand=True)
    text = "".join(glyph.text for glyph in glyphs_in(page))
    assert "下列属于感觉的是" in text and text.count("\ufffd") < 3


@pytest.mark.parametrize(
    ("text", "scores", "shown"),
    [
        ("答案：B", [0.9, 0.9, 0.2, 0.9], "答案：B"),
        ("答案：B", [0.9, 0.9, 0.9, 0.45], "答案：\ufffd"),
        ("是否 有", [0.55, 0.4, 0.9], "是\ufffd 有"),
        ("99", [0.55, 0.89], "\ufffd9"),
        ("是否", [0.9], "是否"),
        ("应当（） 0", [0.9, 0.9, 0.9, 0.9, 0.55], "应当（）。"),
        ("0", [0.71], "。"),
        ("为零下0", [0.9, 0.9, 0.9, 0.9], "为零下0"),
        ("C. +", [0.9, 0.9, 0.9], "C. \ufffd"),
        ("A.三 B.= C.五", [0.9] * 8, "A.三 B.\ufffd C.五"),
        ("A. 阳性+ B. (+) C. x + y", [0.9] * 14, "A. 阳性+ B. (+) C. x + y"),
        ("————", [0.9] * 4, "————"),
    ],
)
def test_an_uncertain_letter_is_unknown(text: str, scores: list[float], shown: str) -> None:
    words = [(char, score, None) for char, score in zip(text.replace(" ", ""), scores, strict=False)]
    assert _with_unknown(text, 0.8, words) == shown


@pytest.mark.parametrize(
    ("text", "again", "shown"),
    [
        ("氛管时,两极", "氖管时，两极", "\ufffd管时,两极"),
        ("A中", "A. 中专", "A中\ufffd"),
        ("A", "A. O", "A\ufffd"),
        ("1.人 和", "1. 人和", "1.人 和"),
        ("pH ≥7", "pH >7", "pH \ufffd7"),
        ("B. 是", "", "\ufffd. \ufffd"),
    ],
)
def test_a_character_is_unknown_if_two_readings_differ(text: str, again: str, shown: str) -> None:
    assert _agreed(text, again) == shown


def test_orders_the_characters_of_a_line() -> None:
    glyphs = _spread("A．甲", 0.0, 25.0, 10.0, 20.0)
    assert [(glyph.text, glyph.x0, glyph.x1) for glyph in glyphs] == [("A", 0, 5), ("．", 5, 15), ("甲", 15, 25)]


@pytest.mark.parametrize(
    ("body", "told"),
    [(b"\x89PNG\r\n\x1a\n", "not a readable picture"), (b"GIF89a", "not a readable picture"), (b"", "not a readable picture")],
)
def test_refuses_files_that_are_not_pictures(body: bytes, told: str) -> None:
    with pytest.raises(ValueError, match=f"^page.png: {told}"):
        read_picture("page.png", body)


def test_names_the_package_to_install_for_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "can_read", lambda: False)
    out = BytesIO()
    Image.new("L", (4, 4)).save(out, "PNG")
    with pytest.raises(ValueError, match=r"page\.png: a picture; to read it, run `pip install rapidocr onnxruntime`"):
        read_picture("page.png", out.getvalue())


def test_reads_pictures_only_if_no_other_files_are_there(tmp_path: Path) -> None:
    for name in ("1.png", "2.jpg"):
        (tmp_path / name).write_bytes(b"")
    assert [name for name, _ in named_files([str(tmp_path)])] == ["1.png", "2.jpg"]
    (tmp_path / "paper.txt").write_bytes(b"")
    assert [name for name, _ in named_files([str(tmp_path)])] == ["paper.txt"]
    assert [name for name, _ in named_files([str(tmp_path / "2.jpg")])] == ["2.jpg"]
