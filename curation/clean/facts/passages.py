"""Prose of encyclopedia entries as passages, short enough to read at a glance."""

import re
from collections.abc import Iterable

from atomexam.records.claim import Passage, passage_id
from atomexam.records.item import EntityItem
from atomexam.text.canonical import canonical
from curation.text.normalize import RULES
from curation.text.rules import Rule, run_rules

MIN_CHARS, MAX_CHARS = 40, 400
_LINK = re.compile(r"[\[【（(]\s*(?:详细|更多|展开|全文|查看全部)\s*[\]】）)]\s*$", re.M)
_CUT_SENTENCE = re.compile(r"(?<![^。！？\n])[^。！？\n]*(?:…|\.{3})\s*$")
_BOILERPLATE = re.compile(
    r"(?:小荷医典)?内容仅供医学科普使用[^\n]{0,200}?(?:请遵医嘱|请及时就医)[^\n。]*。?|【(?:提示|声明|温馨提示|免责声明)】[^\n]*|(?<![^\n。])[^\n。]*(?:本文|以上内容)仅供参考[^\n。]*。?"
)
_SENTENCE = re.compile(r"[^。！？；\n]*[。！？；]?[”）]?")
_RULES = (
    *RULES,
    Rule("boilerplate", lambda text: _BOILERPLATE.sub("", text), re.compile("仅供|【(?:提示|声明|温馨|免责)").search),
)


def passages_in(item: EntityItem, prose: Iterable[tuple[str, str]]) -> list[Passage]:
    """Return the passages of an entry's sections and of its values that are prose."""
    texts = [(section.title, section.text) for section in item.sections] + list(prose)
    by_id: dict[str, Passage] = {}
    for title, raw in texts:
        for text in split_passages(raw):
            passage = Passage(
                id=passage_id(item.provenance.url, text),
                text=text,
                source=item.provenance.source,
                url=item.provenance.url,
                section=run_rules(title, RULES).text.strip("【】：: ") or None,
            )
            by_id.setdefault(passage.id, passage)
    return list(by_id.values())


def split_passages(raw: str) -> list[str]:
    """Split a section's prose into passages of 40 to 400 characters: short paragraphs are joined, long ones split at sentences."""
    cut = bool(_LINK.search(raw)) or raw.rstrip().endswith(("…", "..."))
    text = run_rules(_LINK.sub("", raw), _RULES).text
    if cut and re.search(r"(?:…|\.{3})\s*$", text):
        text = _CUT_SENTENCE.sub("", text)  # half a sentence is no evidence
    runs: list[str] = []
    for chunk in (chunk for paragraph in text.split("\n") for chunk in _chunks(paragraph.strip())):
        short = runs and min(len(runs[-1]), len(chunk)) < MIN_CHARS
        if short and len(runs[-1]) + len(chunk) <= MAX_CHARS:
            runs[-1] += chunk
        else:
            runs.append(chunk)
    return [run for run in runs if len(run) >= MIN_CHARS and canonical(run)]


def _chunks(paragraph: str) -> list[str]:
    """Split a paragraph into groups of complete sentences, each as long as possible."""
    chunks: list[str] = []
    for sentence in _sentences(paragraph):
        if chunks and len(chunks[-1]) + len(sentence) <= MAX_CHARS:
            chunks[-1] += sentence
        else:
            chunks.append(sentence)
    return chunks


def _sentences(paragraph: str) -> list[str]:
    parts = []
    for sentence in filter(None, _SENTENCE.findall(paragraph)):
        parts += [sentence[at : at + MAX_CHARS] for at in range(0, len(sentence), MAX_CHARS)]
    return parts
