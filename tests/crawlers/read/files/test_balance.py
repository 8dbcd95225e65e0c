"""Other values of a file that contradict its reading: questions are doubted or refused, and without these values they are read."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.text.refusal import Refusal
from crawlers.read.files import FileResult, read_steps
from crawlers.read.proposed import proposed_layout
from tests.crawlers.read.bodies import SEEN, csv_of, json_of, result_of

_WORDS = ["心脏", "肝脏", "肺部", "肾脏", "脾脏", "胃部", "胆囊", "膀胱", "大脑", "小肠", "皮肤", "骨骼"]
_COUNT = 12
_STEMS = [f"第{n}例患者最先受到影响的器官是（ ）" for n in range(1, _COUNT + 1)]
_OPTIONS = [[f"{_WORDS[(n * 5 + at * 3) % 12]}{n}" for at in range(4)] for n in range(_COUNT)]
_RIGHT = [(n * 7 + n // 4) % 4 for n in range(_COUNT)]
_KEYS = ["ABCD"[at] for at in _RIGHT]


def _records(*columns: tuple[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [{key: values[n] for key, values in columns} for n in range(_COUNT)]


def _json(*columns: tuple[str, Sequence[Any]]) -> bytes:
    return json_of(_records(*columns))


def _doubts(name: str, body: bytes) -> Counter[str | None]:
    """Return the number of questions with each doubt; a refused file has none."""
    try:
        result = result_of(name, body)
    except Refusal:
        return Counter()
    assert result.reading.record_count == len(result.reading.items)
    return Counter(item.doubt for item in result.reading.items if isinstance(item, QuestionItem))


_SHUFFLED = [[options[at] for at in (2, 0, 3, 1)] for options in _OPTIONS]
_OF_SOMEBODY = ["DCBA"[n % 4] for n in range(_COUNT)]
_EQUAL = [one == other for one, other in zip(_KEYS, _OF_SOMEBODY, strict=True)]


def test_doubts_options_left_undivided_in_one_text() -> None:
    whole = [", ".join(f"{text}, {text}痛" for text in options) for options in _OPTIONS]
    rights = [options[at] for options, at in zip(_OPTIONS, _RIGHT, strict=True)]
    assert _doubts("a.csv", csv_of([["Question", "Options", "Answer"], *zip(_STEMS, whole, rights, strict=True)]))[None] == 0


def test_doubts_options_in_an_unjoined_table() -> None:
    questions = [{"exam_id": n, "exam_title": stem, "exam_answer": _OPTIONS[n][_RIGHT[n]]} for n, stem in enumerate(_STEMS)]
    choices = [{"no": n * 4 + at, "e": f"k{n}", "words": text} for n, options in enumerate(_OPTIONS) for at, text in enumerate(options)]
    body = json.dumps({"exam": questions, "bits": choices}, ensure_ascii=False).encode()
    assert _doubts("a.json", body)[None] == 0


def test_a_list_of_options_is_not_an_answer() -> None:
    body = _json(("question", _STEMS), ("answers", _OPTIONS), ("correct", [0] * _COUNT))
    assert _doubts("a.json", body) == {"options_unreadable": _COUNT}


def test_reads_open_ended_questions_with_other_texts() -> None:
    answers = [f"是{_WORDS[n]}，因为它最先受到影响" for n in range(_COUNT)]
    columns = ("依据", [f"第{n}条的规定" for n in range(_COUNT)]), ("来处", [f"第{n}册书" for n in range(_COUNT)])
    body = _json(("问题", _STEMS), ("答案", answers), *columns, ("旁注", [f"见第{n}页图" for n in range(_COUNT)]))
    assert _doubts("a.json", body) == {None: _COUNT}


@pytest.mark.parametrize("order", [("shuffled", _SHUFFLED), ("optionOrder", [[2, 0, 3, 1]] * _COUNT)], ids=["texts", "positions"])
def test_letters_of_options_in_two_orders_are_doubted(order: tuple[str, Sequence[Any]]) -> None:
    columns = ("question", _STEMS), ("options", _OPTIONS)
    assert _doubts("a.json", _json(*columns, ("answer", _KEYS))) == {None: _COUNT}
    assert _doubts("a.json", _json(*columns, order, ("answer", _KEYS)))[None] == 0
    rights = [options[at] for options, at in zip(_OPTIONS, _RIGHT, strict=True)]
    assert _doubts("a.json", _json(*columns, order, ("answer", rights)))[None] == _COUNT


def test_doubts_a_second_answer_if_a_column_says_where_both_agree() -> None:
    columns = ("subject", _STEMS), ("opts", _OPTIONS), ("answer", _OF_SOMEBODY)
    assert _doubts("a.json", _json(*columns, ("standard", _KEYS), ("isRight", _EQUAL)))[None] == 0
    assert _doubts("a.json", _json(*columns, ("level", _KEYS), ("hot", [n % 3 > 0 for n in range(_COUNT)]))) == {None: _COUNT}
    named = ("题目", _STEMS), ("选项", _OPTIONS), ("我的答案", _OF_SOMEBODY), ("正确答案", _KEYS), ("得分", [2 * one for one in _EQUAL])
    assert _doubts("a.json", _json(*named)) == {None: _COUNT}


def test_corrected_answers_are_doubted() -> None:
    corrected = ["ABCD"[(at + 1) % 4] if n % 4 == 0 else "" for n, at in enumerate(_RIGHT)]
    texts = [[options[at] for options in _OPTIONS] for at in range(4)]
    header = ["题干", *"ABCD", "答案", "更正后答案"]
    assert _doubts("a.csv", csv_of([header, *zip(_STEMS, *texts, _KEYS, corrected, strict=True)])) == {None: 9, "two_answers": 3}


def test_a_choice_column_is_not_the_answer_if_another_says_whether_it_was_right() -> None:
    columns = ("text", _STEMS), ("choices", _OPTIONS), ("value", _RIGHT)
    assert _doubts("a.json", _json(*columns))[None] == _COUNT
    assert _doubts("a.json", _json(*columns, ("ok", [n % 2 > 0 for n in range(_COUNT)])))[None] == 0


def test_row_numbers_are_not_answers() -> None:
    rows = [[n + 1, _STEMS[n], *_OPTIONS[n]] for n in range(4)]
    assert _doubts("a.json", json.dumps([dict(zip("nsabcd", row, strict=True)) for row in rows]).encode())[None] == 0


def test_letters_and_percentages_among_texts_are_not_options() -> None:
    texts = [[options[at] for options in _OPTIONS] for at in range(4)]
    shares = [(f"%{letter}", [f"{(n * 7 + at) % 50 + 10}%" for n in range(_COUNT)]) for at, letter in enumerate("ABCD")]
    graded = _records(("question", _STEMS), *zip("abcd", texts, strict=True), ("grade", _OF_SOMEBODY), ("t", _KEYS))
    counted = _records(("Question", _STEMS), *zip("ABCD", texts, strict=True), *shares, ("Key", _KEYS))
    for rows in (graded, counted):
        [result] = [step for step in read_steps("a.csv", csv_of([[*rows[0]], *([*row.values()] for row in rows)]), None, SEEN)][1:]
        assert isinstance(result, FileResult)
        assert [len(item.options_raw or []) for item in result.reading.items if isinstance(item, QuestionItem)] == [4] * _COUNT


def test_a_row_that_continues_a_stem_makes_the_row_above_doubtful() -> None:
    header = ["题号", "题目", *"ABCD", "答案"]
    rows = [[n + 1, _STEMS[n], *_OPTIONS[n], _KEYS[n]] for n in range(_COUNT)]
    cut = [*rows[:5], [6, _STEMS[5][:9], *_OPTIONS[5], _KEYS[5]], ["", _STEMS[5][9:], "", "", "", "", ""], *rows[6:]]
    assert _doubts("a.csv", csv_of([header, *cut])) == {None: _COUNT, "stem_unreadable": 1}
    assert _doubts("a.csv", csv_of([header, *rows])) == {None: _COUNT}


def test_references_to_different_rows_join_nothing() -> None:
    places = [(n * 5 + 3) % _COUNT + 1 for n in range(_COUNT)]
    questions = [f"({n + 1}, {places[n]}, '{stem}')" for n, stem in enumerate(_STEMS)]
    texts = ["', '".join(options) for options in _OPTIONS]
    options = [f"({n + 1}, {(n * 7 + 2) % _COUNT + 1}, '{key}', '{texts[n]}')" for n, key in enumerate(_KEYS)]
    text = f"INSERT INTO question (id, no, title) VALUES {', '.join(questions)};\n"
    text += f"INSERT INTO answer (id, no, right_answer, a, b, c, d) VALUES {', '.join(options)};\n"
    assert _doubts("a.sql", text.encode())[None] == 0


def test_a_comment_with_a_label_before_its_legend_states_the_codes() -> None:
    rows = ", ".join(f"({n}, '第{n}条规定要求每年检查一次。', {n % 3 % 2})" for n in range(1, 13))
    text = f"CREATE TABLE q (id int, content text, answer tinyint COMMENT '答案 0正确 1错误');\nINSERT INTO q VALUES {rows};"
    [result] = [step for step in read_steps("a.sql", text.encode(), None, SEEN) if isinstance(step, FileResult)]
    answers = [item.answer_raw for item in result.reading.items if isinstance(item, QuestionItem)]
    assert answers == [["正确", "错误"][n % 3 % 2] for n in range(1, 13)]


def _bank(places: Sequence[int], keys: Sequence[str] = _KEYS) -> list[dict[str, Any]]:
    return [{"title": _STEMS[n], "options": _OPTIONS[n], "answer": keys[n]} for n in places]


def test_reads_repeated_questions_each_time() -> None:
    """near_duplicates merges them, and stores every occurrence."""
    document = {"questions": _bank(range(_COUNT)), "favorites": _bank(range(0, _COUNT, 2)), "wrong": _bank(range(1, 7))}
    assert _doubts("a.json", json.dumps(document).encode()) == {None: _COUNT + 12}
    header = ["姓名", "题目", *"ABCD", "考生答案", "正确答案"]
    rows = [[who, _STEMS[n], *_OPTIONS[n], "ABCD"[(n + at) % 4], _KEYS[n]] for at, who in enumerate(("甲", "乙")) for n in range(_COUNT)]
    assert _doubts("a.csv", csv_of([header, *rows])) == {None: 2 * _COUNT}
    assert _doubts("a.csv", csv_of([["题干", *"ABCD", "答案"], *[[_STEMS[3], *_OPTIONS[3], _KEYS[3]]] * 9])) == {None: 9}


def test_doubts_equal_questions_with_different_answers() -> None:
    document = {"now": _bank(range(_COUNT)), "before": _bank(range(_COUNT), _OF_SOMEBODY)}
    assert _doubts("a.json", json.dumps(document).encode())["two_answers"] == 2 * _EQUAL.count(False)
    moved = [{"title": _STEMS[n], "options": _OPTIONS[n][::-1], "answer": "DCBA"[_RIGHT[n]]} for n in range(3)]
    assert _doubts("a.json", json.dumps([*_bank(range(_COUNT)), *moved]).encode()) == {None: _COUNT + 3}


def test_a_doubtful_proposal_waits_for_a_person() -> None:
    body = _json(("question", _STEMS), ("options", _OPTIONS), ("shuffled", _SHUFFLED), ("answer", _KEYS))
    assert "confirmed: no" in proposed_layout("a.json", body)
    assert "confirmed: no" not in proposed_layout("a.json", _json(("question", _STEMS), ("options", _OPTIONS), ("answer", _KEYS)))


@pytest.mark.parametrize("column", [_OF_SOMEBODY, [f"{stem}的说法" for stem in _STEMS]])
def test_possible_answers_and_varied_values_are_not_furniture(column: Sequence[str]) -> None:
    body = _json(("question", _STEMS), ("options", _OPTIONS), ("answer", _KEYS), ("zz", column))
    try:
        [result] = [step for step in read_steps("a.json", body, None, SEEN) if isinstance(step, FileResult)]
    except Refusal as refused:
        assert "'zz'" in str(refused) and column[0] in str(refused) and "unread: [zz]" in str(refused)
    else:
        assert len(result.account.unread) == _COUNT and column is _OF_SOMEBODY


def test_refuses_a_file_that_is_mostly_unread() -> None:
    records = _records(("question", _STEMS), ("options", _OPTIONS), ("answer", _KEYS))
    body = json.dumps({"bank": records, "articles": [f"{word}的结构与功能很复杂。" * 90 for word in _WORDS]}, ensure_ascii=False).encode()
    with pytest.raises(Refusal, match=r"of its characters are not in any of its 12 items.*a layout"):
        list(read_steps("a.json", body, None, SEEN))
