"""How planted questions get into the papers, and what a planted.yaml that does not fit says."""

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.canonical import canonical
from crawlers.embedded.add_defects import edited, with_planted
from crawlers.embedded.content import FOLDER, Content, Paper, PaperSection, Q, load_content
from crawlers.embedded.planted_defects import Duplicate, Edit

ASKED = Q(type="mrqa", stem="学习动机的作用有（ ）。", options=["激发作用", "指向作用", "维持作用", "抑制作用"], answer="ABC")


def paper(number: int, *questions: Q) -> Paper:
    return Paper(id=number, site="hxter", sections=[PaperSection(heading="一、多项选择题", questions=list(questions))])


@pytest.mark.parametrize(
    "edit, stem, options, answer",
    [
        ("identical", "学习动机的作用有（ ）。", ASKED.options, "ABC"),
        ("punctuation", "学习动机的作用有( ).", ASKED.options, "ABC"),
        ("traditional", "學習動機的作用有（ ）。", ["激發作用", "指向作用", "維持作用", "抑制作用"], "ABC"),
        ("number_prefix", "12．学习动机的作用有（ ）。", ASKED.options, "ABC"),
        ("options_reordered", "学习动机的作用有（ ）。", ["抑制作用", "激发作用", "指向作用", "维持作用"], "BCD"),
        ("one_word", "学习动机的功能有（ ）。", ASKED.options, "ABC"),
    ],
)
def test_edits(edit: Edit, stem: str, options: list[str], answer: str) -> None:
    found = edited(ASKED, edit, {"作用有": "功能有"} if edit == "one_word" else {})
    assert (found.stem, found.options, found.answer) == (stem, options, answer)


def test_full_width_letters() -> None:
    assert edited(Q(type="qa", stem="何为SCL-90？", answer="x"), "full_width", {}).stem == "何为ＳＣＬ－９０？"


@given(st.integers(2, 8).flatmap(lambda count: st.tuples(st.just(count), st.sets(st.sampled_from("ABCDEFGH"[:count]), min_size=1))))
def test_turned_options_keep_what_is_right(drawn: tuple[int, set[str]]) -> None:
    count, letters = drawn
    q = Q(type="mrqa", stem="题干", options=[f"选项{number}" for number in range(count)], answer="".join(sorted(letters)))
    turned = edited(q, "options_reordered", {})
    right = [{one.options["ABCDEFGH".index(letter)] for letter in one.answer} for one in (q, turned)]
    assert right[0] == right[1] and turned.options != q.options and turned.answer == "".join(sorted(turned.answer))


def test_planted_questions_stand_behind_those_of_their_section() -> None:
    other = Q(type="mrqa", stem="另一题（ ）。", options=["甲", "乙"], answer="AB")
    duplicate = Duplicate(of=1, stem="学习动机", on=2, edit="identical")
    (first, second) = with_planted([paper(2, other), paper(1, ASKED)], [paper(1, other)], [duplicate])
    assert [q.stem for q in first.sections[0].questions] == [ASKED.stem, other.stem]
    assert [q.stem for q in second.sections[0].questions] == [other.stem, ASKED.stem]
    plant = second.sections[0].questions[1].planted
    assert (plant.kind, plant.expect, plant.of.paper, plant.of.stem) == ("duplicate", "identical", 1, ASKED.stem)


@pytest.mark.parametrize(
    "duplicate, says",
    [
        (Duplicate(of=9, stem="学习动机", on=1, edit="identical"), "no paper 9; papers are 1, 2"),
        (Duplicate(of=1, stem="没有这题", on=1, edit="identical"), "0 questions of paper 1 begin with '没有这题'"),
        (Duplicate(of=1, stem="学习动机", on=2, edit="identical"), "paper 2 has no section of mrqa"),
        (Duplicate(of=1, stem="学习动机", on=1, edit="one_word", words={"没有": "有"}), "'没有' is not in the stem"),
    ],
)
def test_what_does_not_fit_is_said(duplicate: Duplicate, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        with_planted([paper(1, ASKED), paper(2, Q(type="qa", stem="简述", answer="x"))], [], [duplicate])


def test_a_paper_id_used_twice_is_said() -> None:
    with pytest.raises(ValueError, match=r"\[1\] are used twice"):
        with_planted([paper(1, ASKED), paper(1, ASKED)], [], [])


def test_an_unknown_key_names_file_and_place(tmp_path: Path) -> None:
    text = "papers: [{id: 1, sections: [{questions: [{type: qa, stem: 简述, planted: {expects: x}}]}]}]"
    (tmp_path / "planted.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"planted\.yaml: .*expects.*questions\[0\]\.planted"):
        load_content(tmp_path)


@pytest.fixture(scope="module")
def content() -> Content:
    return load_content(FOLDER)


def test_every_edit_is_planted(content: Content) -> None:
    edits = Counter(one.plant.edit for one in content.planted if one.kind == "duplicate")
    assert set(edits) == set(get_args(Edit)) and min(edits.values()) >= 4


def test_no_planted_text_is_near_to_another_by_chance(content: Content) -> None:
    """Similar questions are those that planted.yaml relates, and no others."""
    rows = [(paper.id, q, _grams(q, section)) for paper in content.papers for section in paper.sections for q in section.questions]
    related = {(one.paper, one.text, one.plant.of.paper, one.plant.of.stem) for one in content.planted if one.plant and one.plant.of}
    for one, q, grams in rows:
        for other, r, more in rows:
            if not q.planted or q is r or not grams or not more:
                continue
            pair = {(one, q.stem, other, r.stem), (other, r.stem, one, q.stem)}
            if len(grams & more) / len(grams | more) >= 0.5 and not pair & related:
                assert r.planted and _shares_an_original(q, r, one, other), (one, q.stem, other, r.stem)


def _shares_an_original(q: Q, r: Q, one: int, other: int) -> bool:
    of = [(number, x.planted.of) for number, x in ((one, q), (other, r)) if x.planted and x.planted.of]
    return len(of) == 2 and of[0][1] == of[1][1]


def _grams(q: Q, section: PaperSection) -> set[str]:
    text = canonical(q.stem + "".join(q.options or section.shared_options))
    return {text[start : start + 3] for start in range(len(text) - 2)}
