"""Answers that a text has as data below its questions: as YAML or JSON, lists or objects, in a fence or below a key."""

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import FileResult, read_steps
from crawlers.importers.files.data_blocks import with_listed_answers

_HERE = Provenance(source="test", url="file:a.md", snapshot="2026-01-01", page_id="page-1", position="")
_RIGHT = ["B", "AC", "A", "C", "ABC"]


def _question(number: int) -> str:
    return f"{number}. 第{number}次测量时应当先看哪一项（ ）\n\n- 感知觉{number}\n- 记忆力{number}\n- 注意力{number}\n\n"


_PAPER = "# 测验\n\n" + "".join(map(_question, range(1, 6)))


def _answers(text: str) -> list[str | None]:
    [result] = [step for step in read_steps("a.md", text.encode(), None, _HERE) if isinstance(step, FileResult)]
    items = [item for item in result.reading.items if isinstance(item, QuestionItem)]
    assert [len(item.options_raw or []) for item in items] == [3] * 5
    return [item.doubt or item.answer_raw for item in items]


_BY_NUMBER = "\n".join(f"  '{n}':\n    - {answer if len(answer) == 1 else [*answer]}\n    - 5" for n, answer in enumerate(_RIGHT, 1))


@pytest.mark.parametrize(
    "block",
    [
        f"## config.yaml\n\n```yaml\ntype: objective\nanswers:\n{_BY_NUMBER.replace(chr(39) + 'A' + chr(39), 'A')}\n```\n",
        "```yaml\nanswers: {1: B, 2: [A, C], 3: A, 4: C, 5: [A, B, C]}\n```\n",
        '```json\n{"answers": ["B", "AC", "A", "C", ["A", "B", "C"]]}\n```\n',
        '~~~json\n[{"id": 1, "answer": "B"}, {"id": 2, "answer": "AC"}, {"id": 3, "answer": "A"}, {"id": 4, "answer": "C"}, '
        '{"id": 5, "answer": ["A", "B", "C"]}]\n~~~\n',
        "answers:\n- B\n- AC\n- A\n- C\n- ABC\n",
        "答案:\n  1: B\n  2: AC\n  3: A\n  4: C\n  5: ABC\n",
        "答案：{1: B, 2: AC, 3: A, 4: C, 5: ABC}\n",
        '```toml\n[answers]\nq1 = "B"\nq2 = ["A", "C"]\nq3 = "A"\nq4 = "C"\nq5 = "ABC"\n```\n',
    ],
)
def test_answers_as_data_below_the_questions_are_read(block: str) -> None:
    assert _answers(_PAPER + block) == _RIGHT


def test_answers_as_a_list_below_each_question_are_read() -> None:
    parts = [f"{_question(n)}answer:\n" + "".join(f"  - {letter}\n" for letter in answer) + "\n" for n, answer in enumerate(_RIGHT, 1)]
    assert _answers("# 测验\n\n" + "".join(parts)) == _RIGHT


def test_places_for_answers_are_no_part_of_stems() -> None:
    placed = "".join(_question(n).replace("\n\n", f"\n\n{{{{ select({n}) }}}}\n\n", 1) for n in range(1, 6))
    assert _answers(f"{placed}```yaml\nanswers: {{1: B, 2: AC, 3: A, 4: C, 5: ABC}}\n```\n") == _RIGHT


@pytest.mark.parametrize(
    "block", ["```yaml\nanswers: {1: B, 2: 甲, 3: A, 4: C, 5: A}\n```\n", '```json\n{"points": [1, 2, 3]}\n```\n', "```\nA\nB\n```\n"]
)
def test_data_that_has_no_answer_for_some_number_is_no_list(block: str) -> None:
    lines = (_PAPER + block).split("\n")
    assert with_listed_answers(lines) == (lines, [])
