"""Old Excel workbooks: a saved one reads like its xlsx, a page named .xls like a page, and damaged ones are errors."""

import base64
import random
import zlib

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read.files import FileResult
from tests.crawlers.read.bodies import result_of

pytest.importorskip("xlrd")

_SAVED = (
    "c-rllO-NKx6oAit@4h!b={V{rXka2_W-k1NHacmPK_nK!R79mYR45uli&7}dW*HQ1CUGOUsEyU8ABw153&E&G5Cmi4rrHD*E!5Y!=iRx!u@^XCk}^l`dH39N"
    "@B8kY`|Eo>lb@V;P&y0Cqy=<Xw0vMX$`~eJ$_N7bElXrmPcJ4bE9**pUK~i%fTy|B9x;Yuyk|j!`}`$pfRC7t!8zy{9Eg^$p|nvSx|!%hGvhe-G#JMefD-Cg"
    "0qIku3rXLjy3a`OqLS;Ro3U<^9fg^2NA*rQj}L1V<O`r?@QB*Hr;<7-f>&Z5U%tWYx(2ky&UW|zpN=w~1CxLw*B%{+#=85H5W*pxgdbKp!1vTzeNmn*U)yp9"
    "SpF-$+~ZPyOXC0|V4Y-QBF4cF<D3SVB@%JmY=3&iU^BQd4_`%7oCj2p9K!mEMC>?DhgM8&n08}P*YLhG_?U}sIW3xX_<_|7*Fq$6XRIpnxoi5S7dz~;u*&|P"
    "TJfUBBUGi%y-FRBx8B`bZ+jcuy$!av(cRl<dz;+7P3Xn5hW4gl+TN5)D>espFXT}^pVn;<PoMd_-`*VP=?tHsk`X$O>{Dy22s2o4MYO=i0rGg1uBH|{NMEJ5"
    "Zl-)G=@70qd{%ZA$;{qSs&kFJmB?uzc^ls5$X8)L{^j7~viPU)cFa$;&klvA-i0Ti0tdF2hLyo6)UX;hc3a4kaO%nA{`P@%$sc>2R}0F%Tk>emg9VBiU_6A_"
    "mWU2hmL_9mTRK|0vN&2?Sq55$vP`s0No6inMpTci&xq<(mY|AT!zE2vx_p=I6I8#l4B0=XnP>^BAZp8q&+*-w{GFnmJqI=^OYm|ePa~dR`FNUT$Os6Yrg*vw"
    "Pj~Qi;^it!@B)&j6EC2APM%IYE_u4*aTgwU@Hp}ElqGmU$>YQ;P(CM*r^S;ip5ekX96W<~OO_@Hf@ct~SoxehBQ2hW;+ZZy)4?-|SEww(3rU_yyi(<J^31e&"
    "n#7xv^UuDuwrB<LPy_()152`cI}7}EXIYZ<wzE*oz%6E3$x2qTl9i1ljP8X%=QgLCAIKBi{;sotX)*hmWW&lK7{tHx_`l^I7{F%?E@m`;iosy1cd-?=NqsLA"
    "5<z+l`k;sU(U<Z3#oG*X{+<;#46fc1%9OvDNk9KF|2G-bRpt"
)
"""A sheet 题 with a merged column 章, and a hidden one; written by xlwt."""


def _book() -> bytes:
    return zlib.decompress(base64.b85decode(_SAVED))


def _read(body: bytes) -> FileResult:
    return result_of("old.xls", body)


def test_a_saved_workbook_reads_with_merged_cells_and_numbers() -> None:
    result = _read(_book())
    items = [item for item in result.reading.items if isinstance(item, QuestionItem)]
    assert [(i.section_raw, i.stem_raw, i.options_raw, i.answer_raw) for i in items] == [
        ("一", f"第{n}块骨在哪里（ ）", [f"A.手{n}", f"B.{n + 1}", "C.头"], "ABC"[n % 3]) for n in range(6)
    ]
    assert items[0].provenance.position == "题:row:2" and result.account.difference == 0


def test_reads_a_page_named_xls_as_a_page() -> None:
    rows = "".join(
        f"<tr><td>第{n}块骨在哪里（ ）</td><td>手{n}</td><td>足{n}</td><td>头{n}</td><td>{'ABC'[n % 3]}</td></tr>" for n in range(6)
    )
    head = "<tr><th>题目</th><th>A</th><th>B</th><th>C</th><th>答案</th></tr>"
    items = _read(f"<html><table>{head}{rows}</table></html>".encode()).reading.items
    assert [item.answer_raw for item in items if isinstance(item, QuestionItem)] == [*"ABCABC"]


@pytest.mark.parametrize("body", [b"plain", _book()[:2000], _book()[:600], b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 4000])
def test_refuses_files_that_are_not_workbooks(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"old\.xls"):
        _read(body)


def test_spoiled_workbooks_end_in_questions_or_in_one_error() -> None:
    rng = random.Random(1)
    for _ in range(60):
        body = bytearray(_book())
        for _ in range(rng.randrange(1, 20)):
            body[rng.randrange(len(body))] = rng.randrange(256)
        try:
            assert _read(bytes(body)).account.difference == 0
        except ValueError as error:
            assert "old.xls" in str(error)
