"""Papers of the LaTeX class `exam`: choices, their key, parts and solutions."""

from atomexam.records.item import QuestionItem
from crawlers.importers.files.text import read_light
from crawlers.importers.formats import guess_format, read_guessed
from tests.crawlers.importers.test_forms import SEEN

_PAPER = r"""\documentclass[answers]{exam}
\begin{document}
\begin{questions}
% \question 旧题
\question[5] 感觉的对象是
\begin{choices}
  \choice 整体
  \CorrectChoice 个别属性，
    即一个方面
  \choice 关系 % 旧项
\end{choices}
\begin{solution}
感觉反映个别属性（B对），占80\%。

1. 知觉反映整体（A错）。
\end{solution}
\question[5] 知觉的特性有
\begin{checkboxes}
  \CorrectChoice 整体性 \CorrectChoice 选择性 \choice 随意性
\end{checkboxes}
\bonusquestion 记忆的第一个环节是

\begin{oneparchoices} \choice 再认 \choice 回忆 \choice 识记 \end{oneparchoices}
\begin{solution}
C
\end{solution}
\question 女，32岁，心悸。
\begin{parts}
  \part[2] 她应先做
  \begin{choices}
    \choice 验血 \choice 验尿 \CorrectChoice 心电图
  \end{choices}
  \part[3] 最可能的诊断是
  \begin{choices}
    \CorrectChoice 早搏 \choice 贫血 \choice 痛风
  \end{choices}
\end{parts}
\question[2] 视觉的器官是
\begin{choices}
  \choice 耳 \CorrectChoice 眼 \choice 鼻
\end{choices}
\question[1] 表象是知觉的一种。
\begin{solution}[2cm]
错误
\end{solution}
\end{questions}
\end{document}
"""


def test_questions_of_the_exam_class_are_read() -> None:
    body = _PAPER.encode()
    _, reading = read_guessed("a.tex", body, guess_format("a.tex", body), SEEN)
    items = [item for item in reading.items if isinstance(item, QuestionItem)]
    assert not any(item.doubt for item in items)
    assert [item.answer_raw for item in items] == ["B", "AB", "C", "C", "A", "B", "错误"]
    assert items[0].options_raw == ["A. 整体", "B. 个别属性，即一个方面", "C. 关系"]
    assert items[0].explanation_raw == "感觉反映个别属性（B对），占80%。1. 知觉反映整体（A错）。"
    assert [len(item.options_raw or []) for item in items] == [3, 3, 3, 3, 3, 3, 0]
    assert [item.stem_raw for item in items[3:5]] == ["4. 女，32岁，心悸。 她应先做", "5. 女，32岁，心悸。 最可能的诊断是"]


def test_choices_without_a_letter_for_each_are_left_as_they_are() -> None:
    many = "\\question 选出\n\\begin{choices}\n" + "".join(f"\\choice 项{n}\n" for n in range(40)) + "\\end{choices}"
    lines = read_light("a.tex", many.encode()).lines
    assert not any(line.startswith("A") for line in lines)


def test_a_part_of_a_book_is_no_question() -> None:
    text = "\\part{上篇}\n\\question 感觉是\n\\begin{choices}\n\\choice 甲 \\CorrectChoice 乙\n\\end{choices}\n\\part{下篇}\n"
    lines = [line for line in read_light("a.tex", text.encode()).lines if line.strip()]
    assert lines[1:5] == ["1. 感觉是", "A. 甲", "B. 乙", "答案：B"]
    assert not any(line.startswith(("2", "题")) for line in lines)
