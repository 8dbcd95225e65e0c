"""Tables of questions as people print them: a seed in, the HTML of one and what must be read of it out."""

import random
from typing import Any, NamedTuple

_STEMS = (
    "关于{}的叙述正确的是（ ）",
    "属于{}的是（ ）。",
    "患者出现{}，最可能的原因是",
    "{}与下列哪项无关？",
    "以下不属于{}特点的是（  ）",
)
_TOPICS = (
    "感觉", "知觉", "记忆", "思维", "想象", "情绪", "情感", "意志", "需要", "动机", "能力",
    "气质", "性格", "注意", "言语", "意识", "兴趣", "血压", "120/80mmHg", "37.5℃", "pH", "DNA", "Ca<sup>2+</sup>",
)  # fmt: skip
_WORDS = (
    "心理现象", "发生发展", "规律", "主要表现", "临床特征", "常见病因", "首选药物", "治疗原则",
    "护理措施", "诊断依据", "病理变化", "生理功能", "并发症", "禁忌证", "COPD", "X线",
)  # fmt: skip
_SIGNS = ("", "", "，", "、", "的", "和", "或")
_NAMES = {
    "number": ("序号", "编号", "题号", "No."),
    "stem": ("题干", "题目", "试题内容", "题目内容", "问题"),
    "answer": ("答案", "正确答案", "标准答案", "参考答案"),
}
_LETTERS = ("选项{}", "{}", "备选{}")
_BORDERS = {
    "collapsed": "table{border-collapse:collapse} td,th{border:1px solid}",
    "thin": "table{border-collapse:collapse} td,th{border:.5px solid #999}",
    "separate": "td,th{border:1px solid}",
    "bold": "table{border-collapse:collapse;border:3px solid} td,th{border:1px solid}",
    "dashed": "table{border-collapse:collapse} td,th{border:1px dashed #555}",
    "inner": "table{border-collapse:collapse;border-style:hidden} td,th{border:1px solid}",
    "level": "table{border-collapse:collapse} td,th{border-bottom:1px solid;border-top:1px solid}",
    "none": "table{border-collapse:collapse}",
}


class Question(NamedTuple):
    """A question without blanks, as it must be read."""

    stem: str
    options: tuple[str, ...]
    answer: str


class PrintedTable(NamedTuple):
    """A page to print, its settings, and its questions."""

    html: str
    settings: dict[str, Any]
    questions: list[Question]
    choices: dict[str, Any]


def printed_table(seed: int, **fixed: Any) -> PrintedTable:
    """Return a random table; `fixed` settles some of its choices."""
    draw = random.Random(seed)
    choices: dict[str, Any] = {
        "border": draw.choice(list(_BORDERS)),
        "header": draw.choice(("repeated", "repeated", "once", "none")),
        "numbered": draw.random() < 0.8,
        "options": draw.choice(("columns", "columns", "lines")),
        "zebra": draw.random() < 0.3,
        "watermark": draw.random() < 0.2,
        "break": draw.choice(("auto", "avoid")),
        "vertical": draw.choice(("top", "middle")),
        "align": draw.choice(("left", "justify")),
        "size": draw.choice((7, 8, 9, 10.5, 12)),
        "padding": draw.choice((1, 3, 6)),
        "sections": draw.random() < 0.3,
        "title": draw.random() < 0.5,
        "landscape": draw.random() < 0.3,
        "margin": draw.choice(("0", "12mm", "20mm")),
        "rows": draw.randint(12, 40),
    } | fixed
    questions = [_question(draw) for _ in range(choices["rows"])]
    settings = {"landscape": choices["landscape"], "margin": dict.fromkeys(("top", "bottom", "left", "right"), choices["margin"])}
    return PrintedTable(_html(questions, choices, draw), settings, [_bare(*each) for each in questions], choices)


def _question(draw: random.Random) -> tuple[str, list[str], str]:
    stem = draw.choice(_STEMS).format(draw.choice(_TOPICS))
    stem = _phrase(draw, draw.randint(0, 9)) + stem
    options: list[str] = []
    while len(options) < 4:
        option = _phrase(draw, draw.choice((1, 1, 2, 2, 5)))
        options += [option] * (option not in options)
    return stem, options, "".join(sorted(draw.sample("ABCD", draw.choice((1, 1, 1, 2)))))


def _phrase(draw: random.Random, count: int) -> str:
    return "".join(draw.choice(_WORDS) + draw.choice(_SIGNS[: 7 if at + 1 < count else 1]) for at in range(count))


def _bare(stem: str, options: list[str], answer: str) -> Question:
    return Question(bare(stem.replace("<sup>2+</sup>", "²⁺")), tuple(map(bare, options)), answer)


def bare(text: str) -> str:
    """Return a text without blanks."""
    return "".join(text.split())


def _html(questions: list[tuple[str, list[str], str]], choices: dict[str, Any], draw: random.Random) -> str:
    lettered = draw.choice(_LETTERS)
    in_columns = choices["options"] == "columns"
    names = [draw.choice(_NAMES["number"])] * choices["numbered"] + [draw.choice(_NAMES["stem"])]
    names += [lettered.format(letter) for letter in "ABCD"] if in_columns else ["选项"]
    names.append(draw.choice(_NAMES["answer"]))
    head = "".join(f"<th>{name}" for name in names)
    rows = [f"<tr>{head}"] if choices["header"] == "once" else []
    for number, (stem, options, answer) in enumerate(questions, 1):
        if choices["sections"] and number in (1, len(questions) // 2):
            rows.append(f"<tr><td colspan={len(names)}>{'一、单选题' if number == 1 else '二、多选题'}")
        cells = [str(number)] * choices["numbered"] + [stem]
        lines = "<br>".join(f"{letter}.{option}" for letter, option in zip("ABCD", options, strict=True))
        rows.append("<tr>" + "".join(f"<td>{cell}" for cell in [*cells, *(options if in_columns else [lines]), answer]))
    style = (
        f"{_BORDERS[choices['border']]} table{{width:100%;font-size:{choices['size']}pt}}"
        f"td,th{{padding:{choices['padding']}px;vertical-align:{choices['vertical']};text-align:{choices['align']}}}"
        f"tr{{break-inside:{choices['break']}}}"
        "div.mark{position:fixed;top:40%;left:20%;transform:rotate(-35deg);font-size:50pt;color:#ddd;z-index:-1}"
    )
    style += "tr:nth-child(2n){background:#e8e8e8}" if choices["zebra"] else ""
    above = "<h3>岗位培训题库</h3>" if choices["title"] else ""
    mark = "<div class=mark>内部资料 严禁外传</div>" if choices["watermark"] else ""
    header = f"<thead><tr>{head}</thead>" if choices["header"] == "repeated" else ""
    return f"<style>{style}</style>{mark}{above}<table>{header}<tbody>{''.join(rows)}</tbody></table>"
