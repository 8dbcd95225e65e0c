"""One search stands before each group of rules: it finds whatever any of its rules could change, and cleaning is the same without it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.clean.wording.exam_text import ANSWER_RULES, PROSE_RULES, STEM_RULES
from curation.clean.wording.options import OPTION_RULES
from curation.text.normalize import Group, Rule, normalize, rule_of_signs, run_rules, words_of

GROUPS = {"stems": STEM_RULES, "options": OPTION_RULES, "prose": PROSE_RULES, "answers": ANSWER_RULES}
RULES = {f"{name}-{rule.name}": rule for name, group in GROUPS.items() for rule in group}
EXAMPLES = sorted({text for rule in RULES.values() for text in words_of(rule)[1:]})
PIECES = [
    "下列属于感觉的是", "(", "）", "。", "，", "、", "；", "？", "“", "”", "‘‘", "—", "~", ".", "'", "[", "]", "【", "】", "：", "1",
    "12", "2019", "178", "P", "p", "l", "I", "O", "o", "10", "9/L", "B年", "一", "刺激", "反应", "SCL", "年", "岁", "分", "值", "得分",
    "题", "单选", "多选题", "选", "型", "A1型", "页", "第", "请在每小题", "下列", "选项", "真题", "答案", "解析", "A", "考试吧",
    "考试大纲", "医学教育网", "来源", "公众号", "微信", "查看", "更多", "详细", "略", "提示", "同上", "（见", "崐", "\ue003", "案例一：",
    "例", "#", "√", "-", "·", "www.", "https://", "（ ）", " ", "\n",
]  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.builds(
        lambda left, example, right: left + example + right, st.sampled_from([*PIECES, ""]), st.sampled_from(EXAMPLES), st.text(max_size=3)
    ),
    st.text(max_size=30),
)


@pytest.mark.parametrize("name", GROUPS)
def test_the_one_search_finds_each_rules_example(name: str) -> None:
    for rule in GROUPS[name]:
        assert not GROUPS[name].leaves(words_of(rule).before), rule.name
    assert GROUPS[name].leaves("记忆的品质")


@pytest.mark.slow
@given(TEXTS)
@settings(max_examples=600, deadline=None)
def test_the_one_search_finds_what_any_rule_needs_and_nothing_else(text: str) -> None:
    for group in GROUPS.values():
        assert bool(group.leaves(text)) == (not any(rule.needs(text) for rule in group))


@pytest.mark.slow
@given(TEXTS)
@settings(max_examples=600, deadline=None)
def test_a_rule_leaves_texts_without_its_signs(text: str) -> None:
    normal = normalize(text).text  # the rules of papers come after those of texts
    for name, rule in RULES.items():
        assert rule.needs(normal) or rule.apply(normal) == normal, name


@pytest.mark.slow
@given(TEXTS)
@settings(max_examples=600, deadline=None)
def test_texts_come_out_alike_with_the_one_search_and_without(text: str) -> None:
    for group in GROUPS.values():
        plainly = run_rules(text, tuple(group))
        assert run_rules(text, group, group.leaves) == plainly
        assert not group.leaves(text) or plainly == (text, ())


@given(st.lists(st.sampled_from(list(RULES.values())), min_size=1, max_size=4), TEXTS)
@settings(max_examples=600, deadline=None)
def test_any_rules_make_a_group(rules: list[Rule], text: str) -> None:
    assert bool(Group(rules).leaves(text)) == (not any(rule.needs(text) for rule in rules))


@pytest.mark.parametrize("sign", ["[^a]b", "(?<=a)b", "a?b", "a{0,2}b", "a*", "(?:a|b)", r"\d{4}", ".a"])
def test_a_sign_must_begin_with_what_can_be_looked_for(sign: str) -> None:
    rule = rule_of_signs("odd", str.strip, (sign,))
    with pytest.raises(ValueError, match=r"rule 'odd': sign .* must begin with"):
        Group([rule])


def test_a_rule_without_signs_is_no_rule_of_a_group() -> None:
    with pytest.raises(ValueError, match=r"rule 'bare': no signs; .* `rule_of_signs`"):
        Group([Rule("bare", str.strip, re.compile("a").search)])
