"""Write suspect keys and claims for people to check, as rows, spreadsheets and a Label Studio project.

`python -m curation.decisions` imports the checked keys.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from atomexam.records.annotation import ANSWERS, KEY_VERDICTS, SuspectKey
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import replacing, write_json, write_jsonl
from atomexam.runtime.sheets import cell_text, write_sheet

CONFIG = Path(__file__).with_name("label_studio.xml")
_COLUMNS = (
    "question_id", "question", "key", "proposed", "verdict", "letters", "comment", "because", "answers", "explanation", "twins", "sources",
)  # fmt: skip
_CLAIM_COLUMNS = ("claim_id", "atomic_type", "claim", "verdict", "comment", "because")


class Suspicion(NamedTuple):
    """The evidence against the key of one item."""

    item_id: str
    proposed: str | None
    """The answer that the evidence supports."""
    strength: float
    """The evidence, plus a bonus if the explanation gives another answer; the queue is sorted by this sum."""
    evidence: float | None
    weak: bool
    because: list[str]
    answers: dict[str, str]
    """Model -> its answer."""
    agreed: bool = False
    """Whether all models give the proposed answer although the evidence is too weak; such items come last in the queue."""

    @property
    def rank(self) -> tuple[bool, float, str]:
        """Sort key of the queue."""
        return self.agreed, -self.strength, self.item_id


class Rejected(Struct):
    """A row that `near_duplicates` rejected; other fields are ignored."""

    id: str
    reason: str
    detail: str | None
    record: msgspec.Raw


def replacements(rejected: Iterable[Rejected]) -> dict[str, str]:
    """Map each near-duplicate to the question kept in its place, except near-duplicates with another key, which people decide
    separately."""
    return {row.id: row.detail for row in rejected if row.detail and row.reason == "near_duplicate"}


def duplicates_of(rejected: Iterable[Rejected], wanted: Mapping[str, object]) -> dict[str, list[str]]:
    """Map each kept question to the stems of its near-duplicates and their correct options."""
    duplicates: dict[str, set[str]] = defaultdict(set)
    for row in rejected:
        if row.detail and row.detail in wanted and row.reason in ("near_duplicate", "overruled"):
            duplicate = msgspec.json.decode(row.record, type=Question)
            right = [option.text for option in duplicate.options if option.letter in (duplicate.answer or "")]
            duplicates[row.detail].add(f"{duplicate.stem} → {'＋'.join(right) or duplicate.answer or '–'}")
    return {item: sorted(texts) for item, texts in duplicates.items()}


def suspect_key(suspicion: Suspicion, question: Question, duplicates: Sequence[str]) -> SuspectKey:
    """Return the queue row of a question."""
    options = {option.letter: option.text for option in question.options}
    letters = {text: letter for letter, text in options.items()}  # statements are answered by word, not by letter
    lines = [question.shared_stem, question.stem, *(f"{letter}. {text}" for letter, text in options.items())]
    return SuspectKey(
        question_id=question.id,
        question="\n".join(filter(None, lines)),
        options=options,
        key=question.answer or "",
        proposed=letters.get(suspicion.proposed or "", suspicion.proposed),
        evidence=suspicion.evidence,
        weak=suspicion.weak,
        because=suspicion.because,
        answers={model: letters.get(answer, answer) for model, answer in suspicion.answers.items()},
        explanation=question.explanation,
        twins=list(duplicates),
        sources=sorted({origin.source for origin in question.provenance}),
        urls=sorted({origin.url for origin in question.provenance}),
    )


def write_queue(folder: Path, rows: Sequence[SuspectKey]) -> None:
    """Write the queue, the most suspect key first, as `keys.jsonl`, `keys.xlsx` and a Label Studio project."""
    cells = [_cells(row) for row in rows]
    rank = {row.question_id: number for number, row in enumerate(rows)}
    write_jsonl(folder / "keys.jsonl", rows, key=lambda row: rank[row.question_id])
    write_sheet(folder / "keys.xlsx", _COLUMNS, [[row[name] for name in _COLUMNS] for row in cells], {"verdict": KEY_VERDICTS})
    with replacing(folder / "label_studio.xml") as part:
        part.write_bytes(CONFIG.read_bytes())
    write_json(folder / "label_studio.json", [{"data": {name: text for name, text in row.items() if text}} for row in cells])


def _cells(row: SuspectKey) -> dict[str, str]:
    texts = {
        "question_id": row.question_id,
        "question": row.question,
        "key": row.key,
        "proposed": row.proposed or "",
        "because": "\n".join(row.because),
        "answers": ", ".join(f"{model} {answer}" for model, answer in row.answers.items()),
        "explanation": row.explanation or "–",
        "twins": "\n".join(row.twins),
        "sources": "\n".join([*row.sources, *row.urls]),
    }
    return dict.fromkeys(("verdict", "letters", "comment"), "") | {name: cell_text(text) for name, text in texts.items()}


def write_claims(folder: Path, suspicions: Sequence[Suspicion], claims: Mapping[str, ClaimPair]) -> None:
    """Write the spreadsheet of claims that the better models deny; `python -m curation.verdicts` imports it like the spreadsheets of
    `evidence`."""
    rows = [
        [one.item_id, claims[one.item_id].atomic_type, claims[one.item_id].factual, "", "", "\n".join(one.because)] for one in suspicions
    ]
    write_sheet(folder / "claims.xlsx", _CLAIM_COLUMNS, rows, {"verdict": ANSWERS})
