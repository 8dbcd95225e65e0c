"""What stands above questions without numbers is no part of their stems; where that is unsure, they are given up."""

import pytest

from crawlers.papers.paper import read_paper

STEMS = (
    "最基本的认知过程是（ ）",
    "人脑对客观事物整体的反映是（ ）",
    "心理学成立于哪一年",
    "以下说法错误的是（ ）。",
    "记忆的第一步是什么？",
    "属于气质类型的是",
    "下列属于高级情感的是（ ）",
    "提出操作条件反射的是",
)
OPTIONS = ("甲类", "乙类说法", "丙类", "丁类")


def _call_out(stem: str, key: str) -> str:
    options = "\n".join(f"> {letter}. {words}" for letter, words in zip("ABCD", OPTIONS, strict=True))
    return f"> [!question] {stem}\n{options}\n\n> [!success]- 答案\n> {key}\n\n---\n"


def _titled(stem: str, key: str) -> str:
    options = "\n".join(f"- {letter}. {words}" for letter, words in zip("ABCD", OPTIONS, strict=True))
    return f"### {stem}\n\n{options}\n\n**答案：{key}**\n"


def _plain(stem: str, key: str) -> str:
    options = "\n".join(f"{letter}、{words}" for letter, words in zip("ABCD", OPTIONS, strict=True))
    return f"{stem}\n{options}\n答案：{key}\n"


FORMS = {"call-out": _call_out, "titled": _titled, "plain": _plain}


def _stems(form: str, above: dict[int, str], below: str = "") -> list[str]:
    blocks = (above.get(at, "") + FORMS[form](stem, "ABCD"[at % 4]) + below for at, stem in enumerate(STEMS))
    return [draft.stem for draft in read_paper("\n".join(blocks).split("\n")).questions]


@pytest.mark.parametrize("sign", ["#", "###"])
@pytest.mark.parametrize("form", ["plain", "call-out"])
def test_headings_that_are_numbers_count_the_questions(form: str, sign: str) -> None:
    """As in an export of Notion; without them, what is above the first stem was part of it."""
    blocks = (f"{sign} {at + 1}\n\n{FORMS[form](stem, 'ABCD'[at % 4])}" for at, stem in enumerate(STEMS))
    paper = read_paper(("# 心理题\n\nCreated: 2023年5月6日 21:14\nTags: 心理, 选择题\n\n" + "\n".join(blocks)).split("\n"))
    assert [draft.stem.split("\n")[-1] for draft in paper.questions] == list(STEMS)
    assert "Tags: 心理, 选择题" in paper.unread


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "above",
    [
        "#口腔执业医师 #错题本\n\n[[目录]] | [[解剖学]]\n\n",
        "#错题\n\n",
        "[首页](index.md) · [上一章](01.md) → [下一章](03.md)\n\n",
        "---\ntags: [错题, 口腔]\naliases:\n  - 练习\ncreated: 2024-05-01\n---\n\n# 口腔练习\n\n",
        "![[封面.png]]\n\n返回：[[目录]]\n\n",
        "```dataview\nlist from #错题\n```\n\n",
        "related:: [[解剖学]]\n\n",
        "首页 > 题库 > 口腔\n\n",
        "口腔医学练习题\n\n",
        "# 口腔医学\n## 牙体\n\n",
    ],
)
def test_the_head_of_a_note_is_no_part_of_its_first_stem(form: str, above: str) -> None:
    assert _stems(form, {0: above}) == list(STEMS)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "above", ["## 牙体牙髓\n\n", "## 牙体牙髓\n", "牙体牙髓病\n\n", "**牙体牙髓病**\n\n", "2024-05-02\n\n", "★★★ 高频考点 ★★★\n\n"]
)
def test_a_title_among_questions_is_no_part_of_the_next_stem(form: str, above: str) -> None:
    assert _stems(form, {0: "口腔医学练习题\n\n", 3: above, 6: above}) == list(STEMS)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("below", ["\n#错题 #口腔\n\n", "\n[[解剖学]]\n\n"])
def test_tags_behind_a_question_are_no_part_of_the_next_stem(form: str, below: str) -> None:
    assert _stems(form, {}, below) == list(STEMS)


def test_a_short_line_right_above_a_stem_gives_the_question_up() -> None:
    reading = read_paper("\n".join(("牙体牙髓病\n" if at == 4 else "") + _plain(stem, "B") for at, stem in enumerate(STEMS)).split("\n"))
    assert [draft.stem for draft in reading.questions] == [stem for at, stem in enumerate(STEMS) if at != 4]
    assert [draft.doubt for draft in reading.rejected] == ["stem_unreadable"]


@pytest.mark.parametrize(
    "above",
    ["患者，男，28岁，因发热三天入院。\n\n", "某校对学生的视力作了调查，结果如下：\n\n", "（1～2题共用题干）\n\n", "#include <stdio.h>\n"],
)
def test_what_may_be_a_case_is_not_dropped(above: str) -> None:
    reading = read_paper("\n".join((above if at == 3 else "") + _plain(stem, "B") for at, stem in enumerate(STEMS)).split("\n"))
    words = above.split("\n")[0]
    said = [f"{draft.above.case or ''}{draft.stem}" for draft in reading.questions]
    assert len(reading.drafts) == len(STEMS) and (reading.rejected or any(words in text for text in said))


def test_headings_stay_the_stems_where_each_question_has_one() -> None:
    options = "\n".join(f"- {words}" for words in OPTIONS)
    lines = "\n".join(f"### {stem}\n\n{options}\n\n答案：B\n" for stem in STEMS).split("\n")
    reading = read_paper(lines)
    assert all(any(stem in draft.stem for draft in reading.drafts) or any(stem in line for line in reading.unread) for stem in STEMS)


def test_signs_of_headings_are_no_part_of_stems_beside_a_numbered_section() -> None:
    blocks = [("二、牙体牙髓\n\n" if at == 4 else "") + _titled(stem, "ABCD"[at % 4]) for at, stem in enumerate(STEMS)]
    assert not any(draft.stem.startswith("#") for draft in read_paper("\n".join(blocks).split("\n")).questions)
