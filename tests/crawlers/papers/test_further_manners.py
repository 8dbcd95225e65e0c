"""Manners in which strangers write answers, tags and explanations: names in brackets, signs of options, verdicts before numbers."""

import pytest

from crawlers.papers.doubts.whole_paper import accounted
from crawlers.papers.paper import read_paper

ASKED = (("感觉的对象是", "B"), ("知觉的特性有", "AC"), ("最早的实验室建于", "A"), ("记忆的第一个环节是", "D"), ("思维的基本过程是", "C"))
WORDS = ("整体", "属性", "关系", "过程")
WHY = "这一点在教材中有说明"
CAPITALS, SMALL, DIGITS, RINGS = "ABCD", "abcd", "1234", "①②③④"
JUDGED = (
    ("感觉的对象是个别属性", False),
    ("知觉的对象是整体", True),
    ("记忆有三个环节", True),
    ("思维没有过程", False),
    ("情绪不是态度", False),
)


def _read(head: str, option: str, signs: str, below: str, join: str = "") -> list[tuple[int, str | None]]:
    lines: list[str] = []
    for number, (stem, answer) in enumerate(ASKED, 1):
        said = join.join(signs[CAPITALS.index(letter)] for letter in answer)
        lines.append(head.format(number=number, stem=f"{stem}（）", said=said))
        lines[-1:] = lines[-1].split("\n")
        lines += [option.format(sign=sign, words=f"{words}{number}") for sign, words in zip(signs, WORDS, strict=True)]
        lines += [below.format(said=said, why=WHY)] if below else []
    paper = accounted(lines, read_paper(lines))
    assert all(draft.stem.split("）")[0].endswith("（") and "\n" not in draft.stem for draft in paper.questions)
    return [(len(draft.options), "".join(filter(str.isalpha, (draft.answer or "").upper()))) for draft in paper.questions]


@pytest.mark.parametrize("name", ["[Key]", "[Answer]", "[key] ", "【Key】", "[Ans]"])
@pytest.mark.parametrize("behind", ["", " [Note] {why}", " [Explanation] {why}", " 解析：{why}"])
def test_names_in_english_brackets(name: str, behind: str) -> None:
    gold = [(4, answer) for _, answer in ASKED]
    assert _read("{number}. {stem}", "{sign}. {words}", CAPITALS, f"{name} {{said}}{behind}") == gold
    assert _read("{number}. {stem}", "({sign}) {words}", DIGITS, f"{name} ({{said}}){behind}", ")(") == gold


@pytest.mark.parametrize("tag", ["(single)", "(Multiple choice)", "[Single choice]", "(单选题)"])
def test_a_tag_beside_a_number_is_no_stem(tag: str) -> None:
    assert _read(f"Question {{number}} {tag}\n{{stem}}", "{sign}. {words}", CAPITALS, "Answer: {said}") == [(4, one) for _, one in ASKED]


@pytest.mark.parametrize(
    "head", ["Q0{number} {stem} [答案：{said}]", "题{number}：{stem}（答案：{said}）", "{number}. {stem}【答案：{said}】"]
)
@pytest.mark.parametrize(("option", "signs"), [("({sign}) {words}", SMALL), ("{sign}) {words}", SMALL), ("{sign}. {words}", CAPITALS)])
def test_an_answer_in_brackets_behind_the_stem(head: str, option: str, signs: str) -> None:
    lines = []
    for number, (stem, answer) in enumerate(ASKED, 1):
        said = "".join(signs[CAPITALS.index(letter)] for letter in answer)
        lines += [head.format(number=number, stem=stem, said=said)]
        lines += [option.format(sign=sign, words=f"{words}{number}") for sign, words in zip(signs, WORDS, strict=True)]
    paper = accounted(lines, read_paper(lines))
    found = [(draft.stem.split(". ")[-1].strip(), (draft.answer or "").upper(), len(draft.options)) for draft in paper.questions]
    assert found == [(stem, answer, 4) for stem, answer in ASKED]


@pytest.mark.parametrize("head", ["[{}]0{}、", "（{}）{}．", "【{}】{}、"])
@pytest.mark.parametrize("name", ["改正：", "【错因】", "正解说明：", "辨析："])
def test_rows_under_a_name_below_wrong_statements_explain(head: str, name: str) -> None:
    lines = []
    for number, (statement, is_right) in enumerate(JUDGED, 1):
        lines += [head.format("√" if is_right else "×", number) + statement + "。"]
        lines += [] if is_right else [f"{name}{WHY}。"]
    paper = read_paper(lines)
    assert len(paper.questions) == len(JUDGED)
    for draft, (statement, is_right) in zip(paper.questions, JUDGED, strict=True):
        assert draft.stem.endswith(statement + "。")
        assert (draft.answer, draft.explanation is None) == ("√" if is_right else "×", is_right)


@pytest.mark.parametrize("arrow", ["→", "=>", "👉"])
def test_statements_with_an_arrow_to_a_letter(arrow: str) -> None:
    lines = []
    for number, (statement, is_right) in enumerate(JUDGED, 1):
        lines += [f"{number}.（判断题）{statement}。", f"{arrow} {'T' if is_right else 'F'}"]
    assert [draft.answer for draft in read_paper(lines).questions] == ["T" if is_right else "F" for _, is_right in JUDGED]


def test_rings_with_a_reason_behind() -> None:
    assert _read("{number}. {stem}", "{sign}{words}", RINGS, "答：{said}。{why}。") == [(4, answer) for _, answer in ASKED]
