"""Add planted questions to the papers: defects after the valid questions, and duplicates made from other questions."""

from collections.abc import Iterable

import msgspec

from atomexam.text.option_letters import LETTERS, letters_at
from crawlers.embedded.planted_defects import Duplicate, Edit, Original, QuestionDefect
from crawlers.embedded.rendering import full_width, traditional
from crawlers.embedded.shapes import Paper, PaperSection, Q

_OTHER_PUNCTUATION = str.maketrans("，。：；（）、？“”", ',.:;(),?""')
_MEANS_THE_SAME = frozenset({"identical", "punctuation", "full_width", "traditional", "number_prefix", "options_reordered"})


def with_planted(papers: list[Paper], additions: list[Paper], duplicates: list[Duplicate]) -> list[Paper]:
    """Return the papers by id, with the planted questions after their own.

    Raises:
        ValueError: two papers have the same id, or the paper of an original or the target paper of a duplicate is missing.
    """
    by_id = {paper.id: paper for paper in papers}
    if len(by_id) != len(papers):
        numbers = sorted({paper.id for paper in papers if sum(other.id == paper.id for other in papers) > 1})
        raise ValueError(f"content/exams: paper ids {numbers} are used twice; give each paper its own id")
    for paper in additions:
        known = by_id.get(paper.id)
        by_id[paper.id] = paper if known is None else _joined(known, paper.sections)
    for duplicate in duplicates:
        original = _find(by_id, duplicate.of, duplicate.stem)
        target = _target_section(by_id, duplicate, original)
        addition = PaperSection(heading=target.heading, questions=[_repeated(original, duplicate)])
        by_id[duplicate.on] = _joined(by_id[duplicate.on], [addition])
    return [by_id[number] for number in sorted(by_id)]


def edited(q: Q, edit: Edit, words: dict[str, str]) -> Q:
    """Return a duplicate of a question in a different spelling."""
    if edit == "punctuation":
        return msgspec.structs.replace(q, stem=q.stem.translate(_OTHER_PUNCTUATION))
    if edit == "number_prefix":
        return msgspec.structs.replace(q, stem=f"12．{q.stem}")
    if edit == "options_reordered":
        return _turned(q)
    if edit in ("full_width", "traditional"):
        write = full_width if edit == "full_width" else traditional
        return msgspec.structs.replace(q, stem=write(q.stem), options=[write(option) for option in q.options])
    for old, new in words.items():
        if old not in q.stem:
            raise ValueError(f"content/planted.yaml: {old!r} is not in the stem {q.stem!r}, so it cannot be reworded")
        q = msgspec.structs.replace(q, stem=q.stem.replace(old, new))
    return q


def _turned(q: Q) -> Q:
    """Return the question with its last option moved to the front, and the letters of its answer changed to match."""
    count = len(q.options)
    answer = letters_at(sorted((LETTERS.index(letter) + 1) % count for letter in q.answer or ""))
    return msgspec.structs.replace(q, options=[q.options[-1], *q.options[:-1]], answer=answer)


def _repeated(original: Q, duplicate: Duplicate) -> Q:
    plant = QuestionDefect(
        kind="duplicate",
        expect="identical" if duplicate.edit in _MEANS_THE_SAME else "near_duplicate",
        of=Original(paper=duplicate.of, stem=original.stem),
        edit=duplicate.edit,
    )
    return msgspec.structs.replace(edited(original, duplicate.edit, duplicate.words), planted=plant)


def _find(papers: dict[int, Paper], paper: int, beginning: str) -> Q:
    matches = [q for section in _sections(papers, paper) for q in section.questions if q.stem.startswith(beginning)]
    if len(matches) != 1:
        raise ValueError(f"content/planted.yaml: {len(matches)} questions of paper {paper} begin with {beginning!r}; expected one")
    return matches[0]


def _target_section(papers: dict[int, Paper], duplicate: Duplicate, original: Q) -> PaperSection:
    for section in _sections(papers, duplicate.on):
        alike = any((q.type, q.form) == (original.type, original.form) for q in section.questions)
        if alike and not section.case and not section.shared_options:
            return section
    raise ValueError(f"content/planted.yaml: paper {duplicate.on} has no section of {original.type} {original.form or ''} for a duplicate")


def _sections(papers: dict[int, Paper], paper: int) -> Iterable[PaperSection]:
    if paper not in papers:
        raise ValueError(f"content/planted.yaml: no paper {paper}; known papers: {', '.join(map(str, sorted(papers)))}")
    return papers[paper].sections


def _joined(paper: Paper, additions: list[PaperSection]) -> Paper:
    """Return a paper with more sections; questions under an existing heading join that section."""
    sections = list(paper.sections)
    for addition in additions:
        for index, section in enumerate(sections):
            if addition.heading == section.heading and not addition.case and not addition.shared_options:
                sections[index] = msgspec.structs.replace(section, questions=section.questions + addition.questions)
                break
        else:
            sections.append(addition)
    return msgspec.structs.replace(paper, sections=sections)
