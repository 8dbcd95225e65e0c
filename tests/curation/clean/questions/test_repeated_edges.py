"""What a layout leaves in many texts of a file makes these questions doubtful; what questions have in common as words does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from atomexam.records.reasons import REASONS
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.source_context import context_of

ORGANS = ["心", "肺", "脾", "肾", "肝", "胃", "胆", "大肠", "小肠", "膀胱", "三焦", "胸腺"]
STEMS = [f"下列关于{organ}的生理功能的说法，正确的是（ ）。" for organ in ORGANS]
OPTIONS = [[f"{organ}主血脉", f"{organ}主气", f"{organ}主运化", f"{organ}主水"] for organ in ORGANS]
PARAMS = Clean(min_stem_chars=4, min_chinese_share=0.3)


def _cleaned(stems: list[str], options: list[list[str]]) -> list[str]:
    """Return the cleaned stem of each question of a file, or the reason for which it is rejected."""
    items = [
        QuestionItem(
            url="file:x",
            provenance=Provenance(source="toy", url="file:x", snapshot="x", page_id="p", position=f"q{at}"),
            stem_raw=stem,
            options_raw=own,
            answer_raw="ABCD"[at % 4],
        )
        for at, (stem, own) in enumerate(zip(stems, options, strict=True), 1)
    ]
    cleaned = read_questions(items, PARAMS, context_of(items))
    return [one.question.stem if one.question else one.rejected.reason if one.rejected else "" for one in cleaned]


LEFT_IN_STEMS = [
    ("难 ", ""), ("A1 ", ""), ("◇", ""), ("\\. ", ""), ("※ ", ""), ("<考点{n}> ", ""), ("", " B"), ("", "AC"), ("", " ◎"), ("", "`x{n}`"),
    ("", "\n选：甲{n}／乙{n}"), ("", "\n提示：见第{n}页"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "behind"), LEFT_IN_STEMS)
def test_nothing_that_recurs_around_some_stems_is_left_in_them(before: str, behind: str) -> None:
    stems = [before.format(n=n) + stem + behind.format(n=n) if n % 2 else stem for n, stem in enumerate(STEMS)]
    assert all(found == stem or found in REASONS for found, stem in zip(_cleaned(stems, OPTIONS), STEMS, strict=True))


@pytest.mark.parametrize("row", ["讲评：{organ}为君主之官", "得分：5分", "【出处】{n}", "☆★{organ}"])
def test_a_row_of_the_layout_as_the_last_option_makes_a_question_doubtful(row: str) -> None:
    options = [[*own, row.format(n=n, organ=organ)] for n, (own, organ) in enumerate(zip(OPTIONS, ORGANS, strict=True))]
    assert set(_cleaned(STEMS, options)) == {"layout_left"}


@pytest.mark.parametrize(("stems", "options"), [
    (STEMS, OPTIONS),
    ([f"（ ）主管{organ}的功能。" for organ in ORGANS], OPTIONS),
    ([f"患者，男，{20 + n}岁。{organ}痛三天。最可能的诊断是" for n, organ in enumerate(ORGANS)], OPTIONS),
    ([f"“{organ}”的说法，不正确的是？" for organ in ORGANS], OPTIONS),
    (STEMS, [[f"{n}mg", f"{n + 1}mg", f"{n + 2}mg", f"{n + 3}mg"] for n in range(12)]),
    (STEMS, [[f"±{organ}", f"≥{n}岁", f"{organ}↑", f"{organ}+"] for n, organ in enumerate(ORGANS)]),
    (STEMS, [[f"{organ}（{organ}气）", f"{organ}。", f"“{organ}”", f"（{organ}）"] for organ in ORGANS]),
    ([f"医生：{organ}怎样？\n患者：{organ}痛。\n医生：多久了？\n患者：三天。\n该医生运用的技术是" for organ in ORGANS], OPTIONS),
])  # fmt: skip
def test_words_that_questions_have_in_common_are_left(stems: list[str], options: list[list[str]]) -> None:
    assert "layout_left" not in _cleaned(stems, options)


@pytest.mark.slow
@given(st.text("◇◆○●※☆★▲△■□#*|~^&@$", min_size=1, max_size=3), st.integers(4, 12), st.booleans(), st.sampled_from(["", " "]))
def test_no_sign_at_one_edge_of_several_stems_is_left(signs: str, count: int, is_behind: bool, blank: str) -> None:
    stems = [(stem + blank + signs if is_behind else signs + blank + stem) if at < count else stem for at, stem in enumerate(STEMS)]
    assert all(found == stem or found in REASONS for found, stem in zip(_cleaned(stems, OPTIONS), STEMS, strict=True))
