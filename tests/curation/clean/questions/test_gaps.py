"""What a reader with fresh eyes found wrong in real banks: gaps that vanished, characters that are none of tradition, keys within prose."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.source_context import SourceContext
from curation.clean.wording.exam_text import open_gaps
from curation.text.characters import simplify
from curation.text.normalize import normalize

PARAMS = Clean(min_stem_chars=2, min_chinese_share=0.3)
FOUR = ["A.感觉", "B.知觉", "C.记忆", "D.表象"]


def read(**changes: Any) -> Any:
    seen = Provenance(source="toy", url="file:a.txt", snapshot="2026-11-20", page_id="p-1", position="q1")
    fields = {"stem_raw": "下列属于认知过程的是", "options_raw": FOUR, "answer_raw": "A", **changes}
    return read_questions([QuestionItem(url=seen.url, provenance=seen, **fields)], PARAMS, SourceContext())[0]


@pytest.mark.parametrize(("stem", "read_as"), [
    ("颁行了   。", "颁行了（ ）。"), ("倡导的“    ”的命题(  )", "倡导的“（ ）”的命题（ ）"),
    ("元代，   负责管理海运(  )。", "元代，（ ）负责管理海运（ ）。"), ("商人是  人", "商人是（ ）人"),
    ("在当地设   、   、   三卫", "在当地设（ ）、（ ）、（ ）三卫"),
])  # fmt: skip
def test_a_gap_within_a_stem_is_a_blank(stem: str, read_as: str) -> None:
    assert read(stem_raw=stem).question.stem == read_as


@pytest.mark.parametrize("stem", ["患者 男  三十岁 腹痛  查体", "患者，男。   查体", "原始分  量表  知识 领悟", "主  动  来  访  者  是"])
def test_blanks_all_over_a_stem_are_no_gaps(stem: str) -> None:
    assert open_gaps(stem) == stem


@given(st.text("甲乙， 　。\xa0", max_size=40))
def test_gaps_are_opened_once(stem: str) -> None:
    assert open_gaps(open_gaps(stem)) == open_gaps(stem)
    assert "".join(open_gaps(stem).replace("（ ）", "").split()) == "".join(stem.split())


@pytest.mark.parametrize(
    "text", ["磺胺甲噁唑", "二噁英", "康雍乾三帝", "乾隆", "乾嘉学派", "乾", "徵为火", "别名为於术", "显著、原著䓬", "著录于髃"]
)
def test_simplified_texts_have_these_characters_of_their_own(text: str) -> None:
    assert normalize(text).text == text


@pytest.mark.parametrize(("text", "simplified"), [("噁心", "恶心"), ("口乾舌燥，發熱", "口干舌燥，发热")])
def test_traditional_texts_are_still_simplified(text: str, simplified: str) -> None:
    assert normalize(text).text == simplified


@pytest.mark.parametrize(("text", "simplified"), [
    ("試著說明，討論著", "试着说明，讨论着"), ("顯著、原著、著錄、土著、名著、論著、譯著", "显著、原著、著录、土著、名著、论著、译著"),
    ("口乾", "口干"),
])  # fmt: skip
def test_pages_in_traditional_characters_have_those_of_taiwan(text: str, simplified: str) -> None:
    assert simplify(text, True) == simplified


def test_a_question_on_a_picture_needs_it() -> None:
    assert read(stem_raw="对图示作业环境，应采取的措施是（ ）").rejected.reason == "image_needed"


def test_the_options_of_another_question_are_not_a_sixth() -> None:
    options = [*FOUR, "E.想象", "A.加巴喷丁"]
    assert read(options_raw=options).rejected.reason == "empty_options"


@pytest.mark.parametrize(
    ("answer", "letters"), [("感觉是基础，知觉由它而来，因此本题的正确答案 C", "C"), ("解释甲。解释乙。正确答案ACD。", "ACD")]
)
def test_a_key_at_the_end_of_an_explanation_is_the_key(answer: str, letters: str) -> None:
    assert read(answer_raw=answer, type_raw="多选题" if len(letters) > 1 else None).question.answer == letters


@pytest.mark.parametrize("answer", ["其一，先服汤药，正确答案D。其三，再服丸药。", "章节测验\n已完成"])
def test_words_on_options_and_marks_of_a_page_are_no_answer_in_words(answer: str) -> None:
    assert read(options_raw=None, answer_raw=answer, type_raw="简答题").rejected.reason == "answer_missing"


@pytest.mark.parametrize("behind", ["\n章节测验\n已完成", "（言之有理，均能给分）\n已完成", "\n测试题\n未完成"])
def test_the_state_of_a_page_behind_an_answer_in_words_is_no_part_of_it(behind: str) -> None:
    said = "感觉是对个别属性的反映。知觉是对整体属性的反映，它以感觉为基础，又受经验、态度和需要的影响，所以同一事物可以被知觉为不同的东西"
    assert read(options_raw=None, answer_raw=said + behind, type_raw="简答题").question.answer == said


def test_a_last_line_that_says_what_was_done_is_part_of_an_answer() -> None:
    said = "同一性的四种状态是：\n早闭\n延缓\n同一性已完成"
    assert read(options_raw=None, answer_raw=said, type_raw="简答题").question.answer == said
