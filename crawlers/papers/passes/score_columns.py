"""Tables of answers with a column of scores, `题号 | 答案 | 分值` -> without that column. Numbered lines in and out."""

import re
from collections.abc import Sequence

from crawlers.papers.signs.answer_marks import Numbered, flat

SCORE_NAMES = ("分值", "得分", "分数", "配分", "评分")
_NAMES = re.compile(rf"(?:{'|'.join(SCORE_NAMES)}|每题分值)(?:\s?\([^()]{{0,9}}\))?")
_NUMBERS, _ANSWERS = re.compile(r"题\s?号|序\s?号|编号|题目|小题"), re.compile(r"(?:参考|标准|正确)?答\s?案|(?:正确)?选项")
_SCORE = re.compile(r"\d{1,3}(?:\.\d)?\s?分?|")
_CELL_END = re.compile(r"\s{0,9}\|\s{0,9}|[ ]{0,9}\t[ \t]{0,9}|\s{1,9}")


def without_scores(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines without the scores of the answers in such a table; a row with other cells ends it."""
    done: list[Numbered] = []
    columns: list[int] = []
    width = 0
    for index, text in lines:
        cells = _CELL_END.split(text.strip().strip("|").strip()) if len(text) < 200 else []
        names = [flat(cell).strip() for cell in cells]
        if any(map(_NUMBERS.fullmatch, names)) and any(map(_ANSWERS.fullmatch, names)):
            width, columns = len(cells), [at for at, name in enumerate(names) if _NAMES.fullmatch(name)]
        elif columns and set(text.strip()) <= set("|-: \t+"):
            done.append((index, text))  # the rule below the header of a table in Markdown, or an empty line
            continue
        elif columns and not (len(cells) == width and names[0][:1].isdigit() and all(_SCORE.fullmatch(names[at]) for at in columns)):
            columns = []
        text = "\t".join(cell for at, cell in enumerate(cells) if at not in columns) if columns else text
        done.append((index, text))
    return done
