"""Bytes to text: every encoding used for Chinese papers, and an error instead of mojibake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.encodings import common_share, decoded
from crawlers.read.containers.files.text import read_html, read_text
from crawlers.read.papers import read_questions
from tests.crawlers.read.bodies import SEEN

PAPER = "一、单项选择题\r\n1．下列关于心理现象的说法，正确的是（ ）。\r\nA．感觉 B．知觉\r\n答案：B\r\n"
TRADITIONAL = "一、單項選擇題\n1．下列關於心理現象的說法，正確的是（ ）。\nA．感覺 B．知覺\n答案：B\n"
WORDS = st.sampled_from(
    ["下列", "关于", "的", "是", "不正确", "心理学", "患者", "。", "，", "A．", "（ ）", "\n", "12", "治疗", "症状", "属于", "是否"]
)


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "gbk"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [*((PAPER, encoding) for encoding in ENCODINGS), *((TRADITIONAL, encoding) for encoding in [*ENCODINGS, "big5hkscs"])],
)
def test_each_encoding_gives_the_same_text(text: str, encoding: str) -> None:
    assert decoded("a.txt", text.encode(encoding)) == text


@given(st.lists(WORDS, min_size=12, max_size=60), st.sampled_from(["utf-8", "utf-16", "gb18030", "utf-16-le"]))
def test_reads_back_written_text(words: list[str], encoding: str) -> None:
    text = "下列关于心理学的说法正确的是" + "".join(words)
    assert decoded("a.txt", text.encode(encoding)) == text


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_an_error(body: bytes) -> None:
    try:
        assert "\0" not in decoded("a.txt", body)
    except ValueError as error:
        assert str(error).startswith("a.txt: ")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (PAPER.encode("utf-8").decode("gb18030", "replace").encode("utf-8"), "lost before the file was saved|read as gb18030"),
        ("下列关于心理现象的说法".encode().decode("latin-1").encode("utf-8"), "the text is utf-8 that was decoded as latin-1"),
        (PAPER.encode("gb18030").decode("latin-1").encode("utf-8"), "the text is gb18030 that was decoded as cp1252"),
        (("锟斤拷" * 20 + "心理").encode(), "60 of 62 non-ASCII characters were lost"),
        (
            PAPER.encode("utf-8")[:-20] + b"\xe7\xad" + PAPER.encode("utf-8")[-20:],
            r"line 3: byte \d+ is not UTF-8, the encoding of the rest of the file",
        ),
        (
            PAPER.encode("gbk").replace(b"\r\nA", b"\xff\r\nA"),
            r"line 2: byte \d+ is not GB18030 \(GBK\), the encoding of the rest of the file",
        ),
        (PAPER.encode("utf-16")[:-1], "is not utf-16, the encoding of its byte order mark"),
        (b"1. a\nA. b\0c\n", "line 2: a NUL character"),
        (bytes(range(128, 256)) * 4, "line 1: byte 0 is not UTF-8, and the file as a whole is not UTF-8, UTF-16, GB18030"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "a.txt: line 1: byte 0"),
    ],
    ids=range(10),
)
def test_mojibake_is_an_error(body: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decoded("a.txt", body)


def test_accepts_all_line_endings() -> None:
    assert read_text("a.txt", "一\r\n二\r三\n四\x0c五\u2028六".encode()).lines == ["一", "二", "三", "四", "五", "六"]


@pytest.mark.parametrize(("said", "encoding"), [("gbk", "gbk"), ("utf-8", "gbk"), ("gb2312", "utf-8"), ("no-such", "utf-8"), ("", "gbk")])
def test_reads_a_saved_page_despite_a_wrong_charset(said: str, encoding: str) -> None:
    meta = f'<meta charset="{said}">' if said else ""
    page = (
        f"<html><head>{meta}<title>页</title></head><body><p>1．下列说法正确的是（ ）。<img src=x></p><p>A．是<br>B．否</p></body></html>"
    )
    assert read_html("a.html", page.encode(encoding)).lines == ["1．下列说法正确的是（ ）。\ufffc", "A．是", "B．否"]


def test_common_characters_distinguish_correct_decodings() -> None:
    assert common_share(PAPER) > 0.4
    assert common_share(PAPER.encode("gb18030").decode("big5hkscs", "ignore")) < 0.1
    assert common_share("abc") == 1.0


NOTES = "\n".join(f"[划重点]\n1.能量不会凭空产生{part}。\n2.缺口要长期维持{part}。\n3.睡眠比运动更重要{part}。" for part in "甲乙丙")
ASKED_IN_WORDS = [
    "简述能量守恒。",
    "什么是缺口",
    "能量的单位是____。",
    "试论睡眠与运动",
    "能量缺口：",
    "谈谈你的看法",
    "能量不会凭空产生。",
]


@pytest.mark.parametrize("heading", ["", "一、全书总览\n本书的核心是能量。\n", "病例：小满，女，20岁。\n"])
def test_refuses_notes(heading: str) -> None:
    with pytest.raises(ValueError, match="9 numbered points, of which none look like questions"):
        read_questions("题库.txt", (heading + NOTES).encode(), ".txt", SEEN)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{number}. {stem}" for number, stem in enumerate(ASKED_IN_WORDS, 1)),
        "一、名词解释\n" + "\n".join(f"{number}. {stem}" for number, stem in enumerate(["感觉", "知觉", "记忆", "思维", "想象"], 1)),
        "二、判断题\n" + "\n".join(f"{number}. 能量不会凭空产生。" for number in range(1, 7)),
        "\n".join(f"{number}. 能量不会凭空产生。\n答案：对" for number in range(1, 7)),
    ],
)
def test_open_ended_questions_are_not_notes(text: str) -> None:
    assert len(read_questions("a.txt", text.encode(), ".txt", SEEN).items) >= 5
