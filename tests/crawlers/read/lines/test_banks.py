"""A published bank of questions in text, against what their makers made of them."""

import json
import re
from pathlib import Path

from crawlers.read.lines.paper import Draft, ParsedPaper, read_paper
from tests.crawlers.read.lines.paper_pairs import plain


def read(real_data: Path, name: str) -> ParsedPaper:
    """Read a bank, and hold that no number of its text is lost."""
    text = (real_data / "exams_text" / f"{name}.txt").read_text(encoding="utf-8")
    reading = read_paper(text.split("\n"))
    assert reading.numbers == len(reading.questions) + len(reading.rejected) == len(re.findall(r"(?m)^\s*\d+、", text))
    return reading


def test_the_bank_of_1600_is_read_whole(real_data: Path) -> None:
    papers = json.loads((real_data / "exams_json" / "zjzx_大学心理学.json").read_text(encoding="utf-8"))
    published = [question for paper in papers for question in paper["questions"]]
    reading = read(real_data, "zjzx_大学心理学")
    wanted = [(plain(q["question"]), [option.strip() for option in q["options"]], q["answer"]) for q in published]
    right = sum((stem(draft), draft.options, draft.answer) == question for draft, question in zip(reading.drafts, wanted, strict=True))
    assert right == len(wanted) == 1600
    assert not reading.rejected


def stem(draft: Draft) -> str:
    """Return a stem without its number."""
    return re.sub(r"^\d+、", "", plain(draft.stem))
