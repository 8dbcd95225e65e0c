"""Files of questions and clusters -> each question with its summary for the draw."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from atomexam.records.cluster import Cluster
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, read_optional
from atomexam.text.canonical import canonical
from splits.ledger.units import QuestionSummary, summary_of


class Questions(NamedTuple):
    """Summaries and records of the same questions, in the same order."""

    summaries: list[QuestionSummary]
    records: list[Question]

    def texts(self, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the id and canonical text (case, stem, options) of the given questions."""
        for question in self.some(set(ids)):
            parts = (question.shared_stem or "", question.stem, *sorted(option.text for option in question.options))
            yield question.id, canonical("".join(parts))

    def some(self, wanted: Collection[str] | None = None) -> Iterator[Question]:
        """Yield the records with the given ids, or all records."""
        return (question for question in self.records if wanted is None or question.id in wanted)


def read_questions(path: Path, clusters: Path) -> Questions:
    """Return the questions in a file.

    Args:
        clusters: file that lists the other ids of near-duplicates; it may be missing.

    Raises:
        ValueError: a line is invalid, or a question has no answer; the message names file, line and field, or the source.
        FileNotFoundError: there is no such file.
    """
    others: dict[str, tuple[str, ...]] = {}
    for cluster in read_optional(clusters, Cluster):
        if cluster.kept is not None:
            others[cluster.kept] = tuple(sorted(member for member in cluster.members if member != cluster.kept))
    records = list(tqdm(read_jsonl(path, Question), desc="split", unit=" questions", disable=None))
    for number, question in enumerate(records, 1):
        if not question.answer:
            source_url = question.provenance[0].url if question.provenance else "without a source"
            raise ValueError(
                f"{path}:{number}: question {question.id} ({source_url}) has no answer; "
                "`clean` rejects such questions as answer_missing: run `dvc repro clean`"
            )
    return Questions([summary_of(question, others.get(question.id, ())) for question in records], records)
