"""Sentences without a label between an answer and the next stem of a paper without numbers -> explanations with their label.

Numbered lines in, numbered lines out. The complete text decides: if such sentences are below nearly all answers, and none above the first
question, they explain the answer and do not introduce a question. A description of a patient, or of what a stem refers to, belongs to the
stem.
"""

import re
from collections.abc import Sequence

from crawlers.papers.passes.unnumbered import has_numbers
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import Numbered, parts_of, plain, trimmed
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of

_FEWEST, _SHARE, _MOST, _TRIED = 3, 0.6, 30, 50
_ENDS = re.compile(r"[。!.;][”\")]?$")
_OWN = re.compile(r"患[者儿]|病[人例]|求助者|来访者|岁|[男女][,，性]|案例|材料|病史|入院|就诊|主诉|体检|检查示|资料")
_REFERS = re.compile(r"[\s(（]{0,4}(?:该|此|上述|这[一种个些]|本[例案]|根据(?:上|以上|材料)|其中)|上述|以上材料")
_ABOUT = re.compile(r"本(?:卷|题库|试题|套|次|文)|共.{0,6}[题分]|说明|注意|满分|考试|题库|试卷|下面|以下是")
"""What describes a paper as a whole, above its first question."""


def label_explanations(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with a label before the first of such sentences below each answer."""
    if has_numbers(lines):
        return list(lines)
    flats = [plain(text) for _, text in lines]
    ends = [index for index, line in enumerate(flats) if line and any(kind == "answer" for kind, _ in parts_of(line))]
    if len(ends) < _FEWEST or not any(_sentences(flats, _words(flats, end)) for end in ends[:_TRIED]):
        return list(lines)
    above = _words(flats, -1)
    below = [_sentences(flats, _words(flats, end)) for end in ends[:-1]]
    first = [index for index in above if not heads(flats[index]) and not _ABOUT.search(flats[index])]
    if _sentences(flats, first) or sum(map(bool, below)) < max(_FEWEST, _SHARE * len(below)):
        return list(lines)
    last = [index for index in _words(flats, ends[-1]) if _ENDS.search(flats[index])]  # no question is below it
    done = list(lines)
    for indices in [*below, last]:
        for index in indices:
            done[index] = (lines[index][0], f"解析：{trimmed(lines[index][1])}")
    return done


def _words(flats: Sequence[str], index: int) -> list[int]:
    """Return the places of the lines of words after a line, up to the first option or answer; labelled ones separately."""
    words: list[int] = []
    for at in range(index + 1, min(index + _MOST, len(flats))):
        if not flats[at]:
            continue
        kinds = [kind for kind, _ in parts_of(flats[at])]
        if letter_of(flats[at]) or "answer" in kinds:
            break
        if kinds == ["text"]:
            words.append(at)
    return words


def _sentences(flats: Sequence[str], words: Sequence[int]) -> list[int]:
    """Return those of lines above options that end as sentences do and ask nothing, up to the first that belongs to the stem."""
    ends = [at for at, index in enumerate(words[:-1]) if _ENDS.search(flats[index]) and not is_worded_as_question(flats[index])]
    if not ends:
        return []
    sentences = list(words[: ends[-1] + 1])
    own = any(_OWN.search(flats[index]) or is_worded_as_question(flats[index]) for index in sentences)
    return [] if own or _REFERS.match(flats[words[ends[-1] + 1]]) else sentences
