"""Encodings of files and of pages: the text comes back, or an error says what to do; never mojibake."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.encodings import common_share, decoded, is_charset, true_encoding

RUNNING = "下列关于患者的治疗，正确的是（）。"
LIST = "名称,功效\n菠菜粥,滋阴润燥\n冬瓜薏米汤,清热利尿\n枸杞蒸蛋,滋补肝肾"
CODECS = ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-32"]


@given(st.sampled_from([name for name in CODECS if name != "utf-16-le"]), st.integers(2, 30))
def test_a_file_in_a_known_encoding_is_read(encoding: str, times: int) -> None:
    text = RUNNING * times
    assert decoded("a.txt", text.encode(encoding)) == text
    assert decoded("a.txt", LIST.encode(encoding)) == LIST


@pytest.mark.parametrize(("declared", "encoding"), [("gb2312", "utf-8"), (None, "utf-8"), (None, "gb18030"), ("latin-1", "utf-8")])
def test_a_page_is_in_the_encoding_that_its_bytes_are_in(declared: str | None, encoding: str) -> None:
    body = f"<p>{RUNNING * 5}</p>".encode(encoding)
    assert body.decode(true_encoding(body, declared)) == f"<p>{RUNNING * 5}</p>"


def test_wrongly_saved_text_raises() -> None:
    with pytest.raises(ValueError, match="decoded as"):
        decoded("a.txt", (RUNNING * 9).encode().decode("latin-1").encode())
    with pytest.raises(ValueError, match="were lost"):
        decoded("a.txt", ("锟斤拷" * 9 + RUNNING).encode())


def test_names_of_encodings() -> None:
    assert is_charset("GBK") and is_charset("utf8")
    assert not any(map(is_charset, [None, "", "idna", "utf-7", "no such", "rot13"]))


def test_measures_share_of_common_characters() -> None:
    assert common_share(RUNNING) > 0.5 and common_share("abc") == 1.0 and common_share("鑰屼笖") < 0.3


def test_reports_nul_bytes_before_decoding() -> None:
    """400 MB of them took 3 GB."""
    body = b"a\n" + bytes(20_000_000)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"a\.txt: line 2: a NUL character"):
        decoded("a.txt", body)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    assert decoded("a.txt", "\ufeff甲\0".encode("utf-16-le")[:-2]) == "甲"
