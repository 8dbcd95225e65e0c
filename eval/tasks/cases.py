"""The questions of one case in the order in which their page asks them."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.text.natural_order import natural_key


def cases_of(questions: Iterable[Question]) -> list[list[Question]]:
    """Return questions in conversations: those with the same group and the same case text together, any other alone.

    A group may hold a case and its rewording from another site; their questions are not mixed, since each speaks of its own text.
    """
    cases: dict[Any, list[Question]] = defaultdict(list)
    for question in questions:
        cases[(question.group_id, question.shared_stem) if question.group_id else question.id].append(question)
    return [_in_order(members) for members in cases.values()]


def _in_order(members: list[Question]) -> list[Question]:
    """Return questions by their place on the page that has most of them."""
    shared = Counter(page for question in members for page in {_page(seen) for seen in question.provenance})

    def place(question: Question) -> Any:
        places = [(-shared[_page(seen)], _page(seen), natural_key(seen.position)) for seen in question.provenance]
        return (min(places, default=()), question.id)

    return sorted(members, key=place)


def _page(seen: Provenance) -> tuple[str, str, str]:
    return seen.source, seen.url, seen.page_id
