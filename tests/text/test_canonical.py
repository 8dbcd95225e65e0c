"""Which signs a canonical form keeps, and that the quick ways to it lead to the same form."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.text.canonical import canonical, canonical_all, folded

SIGNS = "09AZaznxcl甲乙为０Ａ -.:/~–—−%‰，。；、（）()“”‘’'′《》【】？！…·：〈〉*#\n\t\x00\u200b\u3000\u0301İ각ㄱ②½⁹⁻\ue000_^$<>="


@given(st.text(st.sampled_from(SIGNS) | st.characters(exclude_categories=("Cs",)), max_size=120))
@settings(max_examples=600, deadline=None)
def test_the_quick_canonical_form_is_the_canonical_form(text: str) -> None:
    assert canonical(text) == folded(text)


@pytest.mark.slow
@given(st.text(st.sampled_from(SIGNS), max_size=20))
@settings(max_examples=1000, deadline=None)
def test_canonical_twice_is_once(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


@given(st.text(st.sampled_from("09Ann甲 -.:/~%,;'*#()<=\u3000"), max_size=20))
@settings(max_examples=500, deadline=None)
def test_the_width_of_a_sign_makes_no_difference(text: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert unicodedata.normalize("NFKC", wide) == unicodedata.normalize("NFKC", text)
    assert canonical(wide) == canonical(text)


@given(st.lists(st.text("甲乙丙丁", min_size=1, max_size=3), max_size=6), st.data())
def test_drops_separators(words: list[str], data: st.DataObject) -> None:
    signs = st.sampled_from([*"，。；、：？！—-–'‘’“”（）《》【】…· /", "——", "……"])
    assert canonical("".join(word + data.draw(signs) for word in words)) == "".join(words)


# Without the sign the text says something else.
@pytest.mark.parametrize(
    ("text", "other"),
    [line.split(" | ") for line in """
Z’检验 | Z检验
5'端 | 5端
d' | d
-β | β
-OH | OH-
Rh- | Rh
Rh+ | Rh-
Cl-通道 | Cl通道
阳性（-） | 阳性
阳性（+） | 阳性（-）
阳性（±） | 阳性（+）
n-1 | n1
自由度为n-1的t分布 | 自由度为n1的t分布
(R-1)(C-1) | R1C1
x-y | xy
1-β | 1β
100-n | 100n
储存温度为-80℃ | 储存温度为80℃
-1 | 1
1.5 | 15
P<.05 | P<5
<5 | >5
≤5 | ≥5
男〈19% | 男19%
180° | 180
29% | 29°
1% | 1‰
±2 | 2
10⁹/L | 109/L
10⁻³ | 10³
1、2 | 12
5，30 | 530
9·11 | 911
2*3 | 23
A/G | AG
1/n | 1n
C# | C
C++ | C
血压↑ | 血压↓
a→b | ab
A->B | A>B
α | β
""".strip().splitlines()],
)  # fmt: skip
def test_keeps_meaningful_symbols(text: str, other: str) -> None:
    assert canonical(text) != canonical(other)


# One text in two writings.
@pytest.mark.parametrize(
    "writings",
    [line.split(" | ") for line in """
X-线 | X线 | X—线 | Ｘ线
5-羟色胺 | 5羟色胺
β-内酰胺 | β内酰胺
IL-1 | IL1
TNF-α | TNFα
S-100蛋白 | S100蛋白
1-α-羟化酶 | 1α-羟化酶 | 1α羟化酶
25-(OH)D3 | 25(OH)D3
S-R联结 | S—R联结 | SR联结
Na⁺-K⁺-ATP酶 | Na+,K+-ATP酶
尝试-错误 | 尝试—错误 | 尝试错误
Crohn's病 | Crohn’s病 | Crohns病
Wilms'瘤 | Wilms瘤
‘A’型 | 'A'型 | “A”型 | A型
n-1 | n－1 | n - 1
Z’检验 | Z'检验 | Z′检验 | Ｚ＇检验
5’→3’ | 5'→3' | 5′->3′
阳性(-) | 阳性（－） | 阳性（—） | 阳性（﹣）
Cl⁻通道 | Cl-通道
HCO₃⁻ | HCO3-
3~5岁 | 3-5岁 | 3—5岁 | 3～5岁 | 3--5岁 | 3〜5岁
5%~10% | 5%-10% | 5％—10％
18周岁~60周岁 | 18周岁-60周岁 | 18周岁—60周岁
33℃~35℃ | 33℃-35℃
150g~200g | 150g-200g
10⁹/L | 10^9/L
10⁻³ | 10^-3 | 10^(-3)
1、2 | 1，2 | 1；2 | 1, 2
①、② | ①②
1,000 | 1000
mg/L | mg／L
1:5 | 1∶5 | 1：5
≤5 | <=5 | ≦5 | ＜＝5
P<.05 | P<0.05
""".strip().splitlines()],
)  # fmt: skip
def test_spellings_of_one_text_have_one_form(writings: list[str]) -> None:
    assert len(set(map(canonical, writings))) == 1


@given(st.lists(st.text(alphabet="甲乙Aa1\u212a\x1f ，。0-", max_size=6), max_size=6))
def test_many_texts_have_the_forms_that_each_has(texts: list[str]) -> None:
    assert canonical_all(texts) == [canonical(text) for text in texts]
