"""A paper in the form used by examcoo: alternating blocks of text and questions, answers as bit masks, and the flaws of hand-made
papers."""

import json
import re
from typing import Any

from markupsafe import Markup, escape
from msgspec import Struct

from atomexam.text.numerals import HANZI
from atomexam.text.option_letters import LETTERS
from crawlers.embedded.content import Paper, PaperSection, Q
from crawlers.embedded.rendering import full_width

RANDOM_DRAWS = {2540002: (2540001, "3"), 2520006: (2520005, "2")}
"""Paper -> another paper, and the number of questions sampled from that paper."""
KINDS = {"mcqa": "s1", "mrqa": "s2", "tf": "s3", "blank": "s4", "qa": "s5"}
VERDICTS = {"正确": "1", "错误": "2", "对": "1", "错": "2", "A": "1", "B": "2"}
VERDICT_WORDS = {"1": "对", "2": "错"}
COUNTS = f"零一两{HANZI[2:]}"
BLANKS = ("（ ）", "（\u00a0 \u00a0）", "（\u00a0 ）")
AUTHOR = "1000001"
EPOCH = 1793577600  # 2026-11-02, before every snapshot
REMARK = "本卷由考试酷（examcoo）录入者整理，仅供练习使用。"
_INPUT = Markup('&nbsp;<input type="text" value="" size="5">&nbsp;')


class Part(Struct, kw_only=True):
    """A block (`lines`) or a question (`id`), in the order of the paper."""

    lines: list[dict[str, str]] = []
    id: str = ""
    kind: str = ""
    number: int = 0
    stem: str = ""
    """HTML."""
    options: list[str] = []
    """HTML."""
    code: str = ""
    """The answer as it appears in the response to the call."""
    explanation: str | None = None
    rule: dict[str, str] = {}
    """For a row that samples from another paper: that paper's number, title and question count, and how many questions are sampled."""

    def rendered(self) -> dict[str, Any]:
        """Return the context for the template of the older pages."""
        if not self.id:
            return {"lines": [{"c": Markup(line["c"]), "p": line["p"]} for line in self.lines]}
        if self.rule:
            return {"id": self.id, "kind": self.kind, "number": self.number, "anchor": self.id.partition("_")[2], **self.rule}
        mask = int(self.code) if self.code.isdecimal() and self.kind in ("s1", "s2") else 0
        options = [
            {"letter": letter, "text": Markup(text), "right": mask >> index & 1}
            for index, (letter, text) in enumerate(zip(LETTERS, self.options, strict=False))
        ]
        box, mark = ("checkBox", "dijitCheckBox") if self.kind == "s2" else ("radioBox", "dijitRadio")
        anchor = self.id.partition("_")[2]
        context = {
            "id": self.id,
            "kind": self.kind,
            "number": self.number,
            "anchor": anchor,
            "stem": Markup(self.stem),
            "box": box,
            "mark": mark,
        }
        if self.kind == "s4":  # the answers are in the blanks
            stem = self.stem
            for blank in json.loads(self.code):
                stem = stem.replace('value=""', f'value="{escape(blank["a"])}"', 1)
            context["stem"] = Markup(stem)
        answer = {"s3": VERDICT_WORDS.get(self.code, ""), "s4": ""}.get(self.kind, self.code)
        return {**context, "options": options, "answer": Markup("" if options else answer)}


def parts_of_page(paper: Paper, papers: list[Paper] | None = None) -> list[Part]:
    """Return the blocks and questions of a paper, including the rows that sample from other papers in `papers`."""
    count = sum(len(section.questions) for section in paper.sections)
    parts = [Part(lines=[_line(f"\u00a0 \u00a0 （考试时间：90分钟，总分：{count}分）", "1")])]
    number = 0
    for section in paper.sections:
        parts.append(Part(lines=_block(paper, section, number)))
        for q in section.questions:
            number += 1
            parts.append(_question(paper, section, q, number))
    parts += [_rule(paper, other, number + 1) for other in papers or [] if other.id == RANDOM_DRAWS.get(paper.id, ("", ""))[0]]
    return [*parts, Part(lines=[_line(REMARK)])]


def _rule(paper: Paper, other: Paper, number: int) -> Part:
    count = str(sum(len(section.questions) for section in other.sections))
    rule = {"drawn_from": str(other.id), "title": other.title, "count": count, "drawn": RANDOM_DRAWS[paper.id][1]}
    return Part(id=f"s100_{_anchor(paper, number)}", kind="s100", number=number, rule=rule)


def _anchor(paper: Paper, number: int) -> str:
    return f"9240{paper.id}{number:04d}"


def answers_of_call(paper: Paper, parts: list[Part]) -> list[dict[str, Any]]:
    """Return the response to the page's call: the paper's record, followed by its blocks and questions."""
    total = str(sum(1 for part in parts if part.id and not part.rule))
    times = {"f": str(EPOCH), "g": str(EPOCH), "h": "90", "i": "2", "j": "2", "l": "2", "m": "0", "n": 0, "o": "", "p": "0"}
    rows: list[dict[str, Any]] = [{"id": str(paper.id), "a": paper.title, "b": AUTHOR, "c": "录入者", "d": "某单位", "e": total, **times}]
    for part in parts:
        if not part.id:
            rows.append({"id": "b", "c": part.lines})
            continue
        if part.rule:
            rule = part.rule
            rows.append({"id": part.id, "a": rule["drawn_from"], "b": rule["title"], "c": rule["count"], "d": "1", "f": rule["drawn"]})
            continue
        options = {"b": json.dumps([{"o": text} for text in part.options], ensure_ascii=False)} if part.options else {}
        explained = 1 if part.explanation else 0
        lines = {"g": "3"} if part.kind == "s5" else {}
        # The real call gives one counter as text and one as a number.
        rows.append({"id": part.id, "a": part.stem, **options, "c": part.code, "d": "1", **lines, "e": str(explained), "f": explained})
    return rows


def _block(paper: Paper, section: PaperSection, before: int) -> list[dict[str, str]]:
    count = len(section.questions)
    lines = [_line(f"{section.heading}（每小题1分，共{count}分）" if paper.id % 2 and not section.case else section.heading or "", "1")]
    if section.case:
        lines += [_line(f"（{before + 1}～{before + count}题共用题干）")] if paper.exam == "TCM" else []
        lines += [_line(text) for text in re.split("(?=案例介绍：|心理测验：)", section.case)]
    if section.shared_options:
        lines.append(_line(f"（以下{COUNTS[count]}题共用备选答案）" if paper.id % 2 else f"以下{COUNTS[count]}题共用备选答案"))
        lines += [_line(f"{letter}.{text}") for letter, text in zip(LETTERS, section.shared_options, strict=False)]
    return lines


def _question(paper: Paper, section: PaperSection, q: Q, number: int) -> Part:
    kind = KINDS[q.type]
    if q.type == "mrqa" and number % 13 == 5 and not q.planted:
        kind = "s1"  # a multiple choice entered as a single choice; only its mask shows it
    options = q.raw.get("options", q.options)
    if number % 11 == 4 and not q.planted:
        options = [full_width(text) for text in options]
    if section.shared_options and not options:
        options = list(LETTERS[: len(section.shared_options)]) if paper.id % 2 else ["  "] * len(section.shared_options)
    return Part(
        id=f"{kind}_{_anchor(paper, number)}",
        kind=kind,
        number=number,
        stem=_stem(paper, q, number),
        options=[_html(text) for text in options],
        code=_code(kind, q.raw.get("answer", q.answer)),
        explanation=q.explanation,
    )


def _stem(paper: Paper, q: Q, number: int) -> str:
    text = q.raw.get("stem", q.stem.replace("（ ）", BLANKS[number % 3]))
    if number % 9 == 2 and not q.planted:
        text += "[1分]"
    html = _html(text).replace("______", _INPUT)
    for index in range(q.images):
        source = f"/paper/{AUTHOR}/202611/{paper.id}{number:03d}{index}.png"
        html += f'<br>&nbsp;<img _djrealurl="{source}" src="" width="264" height="43" vspace="0" hspace="0" border="0">&nbsp;'
    return html


def _code(kind: str, answer: Any) -> str:
    """Return an answer as the site stores it."""
    answer = str(answer or "")
    if kind in ("s1", "s2") and answer and set(answer) <= set(LETTERS):
        return str(sum(1 << LETTERS.index(letter) for letter in set(answer)))
    if kind == "s3":
        return VERDICTS.get(answer, answer)
    if kind == "s4":
        return json.dumps([{"a": blank} for blank in answer.split("；")], ensure_ascii=False)
    return _html(answer).replace("；", "；<br>") if kind == "s5" else answer


def _line(text: str, heading: str = "0") -> dict[str, str]:
    return {"c": _html(text), "p": heading}


def _html(text: str) -> str:
    """Return the text as this site's editor stores it."""
    return str(escape(text)).replace("\u00a0", "&nbsp;").replace("\n", "<br>")
