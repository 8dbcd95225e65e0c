"""A list of contents is no part of a paper: it neither begins an answer list nor ends a question."""

import pytest

from crawlers.importers.files.text import read_html, read_text
from crawlers.papers.paper import read_paper
from crawlers.papers.passes.contents import without_contents

STEMS = (
    "最基本的认知过程是（ ）",
    "人脑对客观事物整体的反映是（ ）",
    "心理学成立于哪一年",
    "记忆的第一步是什么？",
    "属于气质类型的是",
    "提出操作条件反射的是",
)
OPTIONS = "A. 甲类\nB. 乙类说法\nC. 丙类\nD. 丁类"
ANSWERS = "ABCDAB"
TITLES = ("单选题", "判断题", "参考答案")


def _question(at: int) -> str:
    return f"{at + 1}. {STEMS[at]}\n{OPTIONS}\n"


def _list(first: int, last: int) -> str:
    return " ".join(f"{at + 1}. {ANSWERS[at]}" for at in range(first, last))


def _paper(contents: str, titles: tuple[str, ...], sign: str = "") -> str:
    one, other, answers = (f"{sign}{title}\n" for title in titles)
    questions = "".join(map(_question, range(3))), "".join(map(_question, range(3, 6)))
    return f"心理学练习\n{contents}\n{one}{questions[0]}{other}{questions[1]}{answers}{_list(0, 6)}\n本页最后编辑于2020年8月3日\n"


CONTENTS = {
    "MediaWiki": ("1 选择题\n2 多选题\n3 答案", ("选择题", "多选题", "答案"), ""),
    "MediaWiki with a title and buttons": ("目录\n隐藏\n1 选择题\n2 多选题\n3 答案", ("选择题[编辑]", "多选题[编辑]", "答案[编辑]"), ""),
    "MediaWiki, nested": ("目录\n1 练习\n1.1 选择题\n1.2 多选题\n2 答案", ("练习\n选择题", "多选题", "答案"), ""),
    "VitePress": ("本页目录\n单选题\n多选题\n参考答案", ("单选题 \u200b", "多选题 \u200b", "参考答案 \u200b"), ""),
    "GitHub": ("- [一、单选题](#一单选题)\n- [二、多选题](#二多选题)\n- [答案](#答案)", ("一、单选题", "二、多选题", "答案"), "## "),
    "doctoc": (
        "<!-- START doctoc -->\n**目录**\n\n- [单选题](#单选题)\n  - [多选题](#多选题)\n- [答案](#答案)\n<!-- END doctoc -->",
        ("单选题", "多选题", "答案"),
        "## ",
    ),
    "Word": ("目  录\n一、单选题 …… 1\n二、多选题 …… 2\n参考答案 …… 3", ("一、单选题", "二、多选题", "参考答案"), ""),
    "Word with tabs": ("目录\n一、单选题\t1\n二、多选题\t2\n参考答案\t13", ("一、单选题", "二、多选题", "参考答案"), ""),
    "dots": ("目录\n第一章 感觉..........1\n第二章 记忆..........12\n答案..........30", ("第一章 感觉", "第二章 记忆", "答案"), ""),
    "numbers with dots": ("目录\n1. 单选题\n2. 多选题\n3. 参考答案", ("1. 单选题", "2. 多选题", "3. 参考答案"), ""),
    "English": ("Contents\n1 Multiple choice\n2 More questions\n3 Answers", ("Multiple choice", "More questions", "Answers"), ""),
    "numbers without a title": ("1 感觉\n2 记忆\n3 答案", ("感觉", "记忆", "答案"), ""),
    "own titles": ("目录\n1 感觉\n2 记忆\n3 答案", ("感觉", "记忆", "答案"), ""),
}


def _read(lines: list[str]) -> list[tuple[str, str | None]]:
    return [(draft.stem.partition(". ")[2], draft.answer) for draft in read_paper(lines).questions]


@pytest.mark.parametrize("form", CONTENTS)
def test_a_paper_with_a_list_of_contents_is_read(form: str) -> None:
    assert _read(read_text("x.txt", _paper(*CONTENTS[form]).encode()).lines) == list(zip(STEMS, ANSWERS, strict=True))


WIKI = """<html><head><meta charset="utf-8"><title>心理学/练习 - 维基学院</title></head><body><h1>心理学/练习</h1>
<div id="toc" class="toc"><input type="checkbox" id="toctogglecheckbox"><div class="toctitle"><h2>目录</h2></div>
<ul><li><a href="#a"><span class="tocnumber">1</span> <span class="toctext">选择题</span></a></li>
<li><a href="#b"><span class="tocnumber">2</span> <span class="toctext">多选题</span></a></li>
<li><a href="#c"><span class="tocnumber">3</span> <span class="toctext">答案</span></a></li></ul></div>
<h2><span>选择题</span><span class="mw-editsection"><span>[</span><a>编辑</a> | <a>编辑源代码</a><span>]</span></span></h2>
%s<h2><span>多选题</span><span class="mw-editsection"><span>[</span><a>编辑</a><span>]</span></span></h2>
%s<h2><span>答案</span><span class="mw-editsection"><span>[</span><a>编辑</a><span>]</span></span></h2>
<p>%s</p><hr><p>本页最后编辑于2020年8月3日</p></body></html>"""


def test_a_saved_page_of_a_wiki_is_read() -> None:
    blocks = ["".join(f"<p>{line}</p>" for at in part for line in _question(at).split("\n")) for part in (range(3), range(3, 6))]
    page = WIKI % (*blocks, _list(0, 6))
    assert _read(read_html("x.html", page.encode()).lines) == list(zip(STEMS, ANSWERS, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "心理练习\n以下说法是否正确？\n正确\n错误\n感觉是最简单的认识\n正确\n错误\n知觉是整体的反映\n正确\n错误\n",
        "单选题\n1. 甲是（ ）\nA. 子\nB. 丑\n判断题\n2. 乙是寅\n答案\n单选题\n1. A\n判断题\n2. √\n",
        "1. 大脑分为两个半球\n2. 小脑管平衡\n3. 延髓管呼吸\n答案\n1. 大脑分为两个半球\n对\n2. 小脑管平衡\n对\n3. 延髓管呼吸\n对\n",
        "一、填空题\n1. 脑分为__\n答案：两半\n二、简答题\n2. 说明感觉\n答案：略\n3. 脑有__\n答案：两半\n4. 说明知觉\n二、简答题\n5. 说\n",
        "  A. 感觉\n  B. 知觉\n\n1. 最简单的（ ）\nA. 感觉\n解释\n解释\n解释\n解释\n解释\nB. 知觉\n",
    ],
)
def test_lines_that_recur_are_no_list_of_contents(text: str) -> None:
    lines = list(enumerate(text.split("\n")))
    assert without_contents(lines) == lines
