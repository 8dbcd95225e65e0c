"""Only tags and entities are removed, and none is left for validation to reject."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.markup import holds_latex, to_plain_text
from atomexam.text.normalize import normalize
from curation.validate.tables import is_clean

MARKUP = [
    *("<b>", "</b>", "<B CLASS=x>", "<br/>", "<p", ">", "<", "/>", "</", "<script>", "<script src='x'>", "<iframe src=x>", "<h2>", "<o:p>"),
    *("&", "amp;", "&amp;", "&lt;", "&gt;", "&nbsp;", "&nbsp", "&#60;", "&#x3c;", "&#0;", "&foo;"),
    *("<!--", "-->", "sup>", "9", "甲", " ", "x"),
]
TEXTS = ["若a<b且c>d，则", "P<0.05，r>0.3", "量表<SDS>的总分", "若X<a，Y>b，则", "查询<a;b>的值", "AT&T;公司", "&foo;与&bar;"]


@pytest.mark.parametrize("text", TEXTS)
def test_keeps_what_only_looks_like_markup(text: str) -> None:
    assert "tags" not in normalize(text).rules and "entities" not in normalize(text).rules
    assert is_clean(normalize(text).text)


@pytest.mark.parametrize(
    "tag", ["<script>", "<iframe src='x'>", "<svg onload=x>", "<meta x>", "</body>", "<H2>", "<br/>", "<td colspan=2>"]
)
def test_removes_a_lone_tag(tag: str) -> None:
    assert not is_clean(f"甲{tag}乙") or tag.startswith(("<svg", "</body"))
    assert normalize(f"甲{tag}乙").text.replace("\n", "") == "甲乙"


@given(st.lists(st.sampled_from(MARKUP), max_size=12))
def test_leaves_no_markup_that_validation_rejects(pieces: list[str]) -> None:
    text = normalize("".join(pieces)).text
    assert is_clean(text.replace("\ufffd", "字")), text  # a lost character is a separate reason


def test_endless_tag_takes_no_quadratic_time() -> None:
    assert is_clean("<script " * 125_000)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("根据《关于印发<工作人员收入分配制度改革实施办法>的通知》", "根据《关于印发〈工作人员收入分配制度改革实施办法〉的通知》"),
        ("《关于颁发<离休暂行办法>和<退休暂行办法>的通知》", "《关于颁发〈离休暂行办法〉和〈退休暂行办法〉的通知》"),
        ("《<b>心理学</b>》", "《心理学》"),
        ("见<教育法>", "见《教育法》"),
        ("要在成员名前加<类名>和运算符", "要在成员名前加<类名>和运算符"),
        ("格式为<初始化方法>，<算法>", "格式为<初始化方法>，<算法>"),
        ("#include <iostream>中的vector<int>", "#include <iostream>中的vector<int>"),
    ],
)
def test_converts_angle_brackets_of_certain_titles(text: str, clean: str) -> None:
    assert normalize(text).text == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("网页中&lt;title&gt;标签的作用是", "网页中〈title〉标签的作用是"),
        ("网页中<br>标签的作用是", "网页中〈br〉标签的作用是"),
        ("用<head>和<body>标签", "用〈head〉和〈body〉标签"),
        ("标签<table>的属性", "标签〈table〉的属性"),
        ("A.<a>", "A.〈a〉"),
        ("<p>标签用于</p>", "标签用于"),
        ("<strong>标签</strong>", "标签"),
        ("甲<br>", "甲"),
        ("<ruby>感<rp>(</rp><rt>gǎn</rt><rp>)</rp>觉<rt>jué</rt></ruby>", "感觉"),
        ("<br>", ""),
    ],
)
def test_keeps_tags_that_a_text_mentions(text: str, clean: str) -> None:
    assert normalize(text).text == clean and is_clean(clean)


PIECES = [
    "\\mathrm", "{", "}", "_", "^", "\\beta", "\\sim", "\\frac", "$", "12", "甲", " ", "\\", "~", "\\circ", "C", "%", "\\begin", "+", "a",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"\mathrm{P2Y_{12}}受体", "P2Y12受体"),
        (r"\(\mathrm{CO_2}\)潴留导致", "CO2潴留导致"),
        (r"\（\mathrm{CO_2}\）潴留导致", "CO2潴留导致"),
        (r"正常人血钠$\mathrm{Na^+}$为", "正常人血钠Na⁺为"),
        ("$100$", "100"),
        ("$p<0.05$表示", "p<0.05表示"),
        ("$5 = 35元，$6 = 42元", "$5 = 35元，$6 = 42元"),
        (r"$\overline{x}$表示", "x\u0304表示"),
        (r"$\bar{x}\pm s$", "x\u0304±s"),
        (r"$\overline{AB}$的长度", r"$\overline{AB}$的长度"),
        (r"不超过40^{\circ}\mathrm{C}", "不超过40℃"),
        (r"25^{\circ} \mathrm{C}以下", "25℃以下"),
        (r"\beta_{3}受体", "β3受体"),
        (r"\beta_3受体", "β3受体"),
        (r"5\mathrm{-HT}_3受体", "5-HT3受体"),
        (r"维生素\mathbb{K}_1所", "维生素K1所"),
        (r"${ }^{131} \mathrm{I}$ 摄取率", "¹³¹I摄取率"),
        (r"重吸收 $25 \% \sim 30 \%$ 的 $\mathrm{K}^{+}$", "重吸收25%~30%的K⁺"),
        (r"$\mathrm{A}_\gamma$ 纤维", "Aγ纤维"),
        (r"\mathrm{BMI} \leqslant 24", "BMI≤24"),
        (r"20\%甘露醇", "20%甘露醇"),
        (r"\frac{1}{2}和\frac{a+b}{2}", "1/2和(a+b)/2"),
        (r"标准误是\frac{s}{\sqrt{n}}", "标准误是s/√n"),
        (r"\frac{x_{1}}{\mathrm{n}}和\frac{1}{\frac{1}{2}}", "x1/n和1/(1/2)"),
        (r"\frac12", r"\frac12"),
        (r"\left(\mathrm{TXA}_{2}\right)", "(TXA2)"),
        ("10^{9}/L", "10⁹/L"),
        ("价格$5和$7", "价格$5和$7"),
        ("A\\C不属于", "A\\C不属于"),
        (r"C:\temp\max", r"C:\temp\max"),
        (r"\begin{array}{c}1 \\ 2\end{array}", r"\begin{array}{c}1 \\ 2\end{array}"),
        (r"集合{1,2}", "集合{1,2}"),
    ],
)
def test_formulas(text: str, plain: str) -> None:
    assert normalize(text).text.replace(" ", "") == plain.replace(" ", "")


def test_distinguishes_a_table_from_a_path() -> None:
    assert all(map(holds_latex, (r"\begin{array}{c}1\end{array}", r"10\textsuperscript{9}/L", r"\frac12")))
    assert not holds_latex(r"C:\temp\max") and not holds_latex("A\\C不属于")


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_is_idempotent_and_removes_only_signs(text: str) -> None:
    plain = to_plain_text(text)
    assert normalize(normalize(text).text).text == normalize(text).text
    assert [sign for sign in plain if sign == "甲"] == [sign for sign in text if sign == "甲"]


@pytest.mark.parametrize("piece", PIECES)
def test_long_run_takes_linear_time(piece: str) -> None:
    started = time.perf_counter()
    to_plain_text(piece * 50_000)
    to_plain_text("\\beta" + piece * 50_000)
    assert time.perf_counter() - started < 5
