"""Compare a paper with the transcript of a careful reader: NAME.txt and NAME.json in tests/papers.

White space, width, trailing punctuation, score tags, option letters and question numbers are ignored,
since `clean` removes them anyway.
"""

import json
import re
import unicodedata
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from crawlers.read.lines.paper import Draft, ParsedPaper, read_paper

PAPERS = Path(__file__).parents[3] / "papers"
_SCORE = re.compile(r"[\[【(]\d+(?:\.\d)?分[\])】]")
_EDGE = re.compile(r"(?:[。.,;:、!?]|\(\))+$")
_RIGHT, _WRONG = {"√", "对", "正确", "T", "TRUE", "✓", "✔", "是"}, {"×", "错", "错误", "F", "FALSE", "X", "╳", "✗", "✘", "不正确", "否"}


def differences(text: str, wanted: dict[str, Any]) -> tuple[list[str], ParsedPaper]:
    """Return the differences from the transcript, one per line; a rejected question counts if it was readable."""
    reading = read_paper(text.split("\n"))
    drafts, questions = reading.drafts, wanted["questions"]
    found: list[str] = []
    pairs = _pairs([question["number"] for question in questions], [draft.number for draft in drafts])
    for place, question in enumerate(questions):
        draft = drafts[pairs[place]] if place in pairs else None
        told = ["not found"] if draft is None else _against(draft, question)
        found += [f"{question['number']}: {line}" for line in told]
    found += [f"{draft.number}: too many" for place, draft in enumerate(drafts) if place not in pairs.values()]
    return found, reading


def _pairs(wanted: list[int], got: list[int]) -> dict[int, int]:
    blocks = SequenceMatcher(None, wanted, got, autojunk=False).get_matching_blocks()
    return {block.a + place: block.b + place for block in blocks for place in range(block.size)}


def _against(draft: Draft, wanted: dict[str, Any]) -> list[str]:
    if wanted.get("unreadable") or draft.doubt:
        return [] if wanted.get("unreadable") and draft.doubt else [f"doubt {draft.doubt}, unreadable {wanted.get('unreadable', False)}"]
    fields = draft.raw_fields()
    options = wanted.get("options") or []
    pairs = {
        "stem": (_stem(fields["stem_raw"], draft.number), plain(wanted["stem"])),
        "options": (
            [_option(text, at, options) for at, text in enumerate(fields["options_raw"] or fields["shared_options_raw"] or [])],
            [plain(o) for o in options],
        ),
        "answer": (_answer(fields["answer_raw"], bool(options)), _answer(wanted.get("answer"), bool(options))),
    }
    if "case" in wanted:
        pairs["case"] = (plain(fields["case_raw"]), plain(wanted["case"]))
    return [f"{name} {got!r}, wanted {want!r}" for name, (got, want) in pairs.items() if got != want]


def plain(text: str | None) -> str:
    """Return a text without what no reader notices."""
    text = re.sub(r"[\s\u200b-\u200f\ufeff]", "", unicodedata.normalize("NFKC", text or ""))
    return _EDGE.sub("", re.sub("_+", "_", _SCORE.sub("", text)))


def _stem(text: str | None, number: int) -> str:
    return re.sub(rf"^第?[\[(【]?{number}(?:[\])】]|题|[、.:,)])[、.:,)]*", "", plain(text))


def _option(text: str, place: int, wanted: list[str]) -> str:
    without = re.sub(r"^[(\[【]?[A-Ja-j]\s?[)\]】.、:,]+", "", unicodedata.normalize("NFKC", text).strip())
    bare = re.sub("^[A-J](?=[\\s\u4e00-\u9fff])", "", without)
    return plain(bare) if place < len(wanted) and plain(bare) == plain(wanted[place]) else plain(without)


def _answer(text: str | None, lettered: bool) -> str | None:
    if text is None:
        return None
    answer = re.sub(r"[;,、。.]", "", plain(text))
    sign = answer.upper().strip("()[]【】")
    if not lettered and sign in _RIGHT | _WRONG:
        return "√" if sign in _RIGHT else "×"
    return "".join(sorted(re.findall("[A-J]", sign))) if lettered and re.fullmatch(r"(?:选)?[A-J/ 和项]+", sign) else answer


def load(path: Path) -> tuple[str, dict[str, Any]]:
    """Return a paper's text and its transcript."""
    return path.read_text(encoding="utf-8"), json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
