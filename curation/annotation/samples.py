"""Claims and evidence -> samples to annotate (a spreadsheet and Label Studio tasks). Also read and check the annotators' answers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from atomexam.records.annotation import ANSWERS, Verdict
from atomexam.records.claim import ClaimPair, Evidence, Fourfold, Passage, false_claim
from atomexam.records.provenance import draw_order
from atomexam.runtime.annotation_files import VERDICTS
from atomexam.runtime.annotations import MAX_COMMENT_CHARS, check_answers, check_name
from atomexam.runtime.jsonl import read_optional, replacing, write_json
from atomexam.runtime.sheets import read_sheet, without_apostrophe, write_sheet
from atomexam.text.canonical import canonical


def read_false_tails(claims: Path) -> Iterator[ClaimPair]:
    """Yield the false tails in the `fourfold.jsonl` next to a file of claims, as claims."""
    return map(false_claim, read_optional(claims.with_name("fourfold.jsonl"), Fourfold))


class ClaimAnswer(NamedTuple):
    """One answer read from a file, on a claim or a question's key; for a key, the claim's fields hold the question's id and text."""

    where: str
    """File and row or task, for messages."""
    claim_id: str
    claim: str
    annotator: str | None
    """As in the file: the annotator's name, or a number or email address from Label Studio."""
    verdict: str
    comment: str
    letters: str = ""
    """Letters of a question's correct options, as in the file."""


class ClaimToJudge(NamedTuple):
    """A claim that annotators may judge."""

    claim: str
    atomic_type: str
    is_false_tail: bool = False


def annotator_name(annotator: str | None, names: Mapping[str | None, str]) -> str:
    """Return the name under which an annotator's verdicts are stored; in `names`, the key None gives one name to all annotators.

    Raises:
        ValueError: the annotator has no name that may be published in git.
    """
    name = names.get(annotator) or names.get(None) or annotator
    if name is None:
        raise ValueError("the file does not name its annotator; give --annotator NAME, or name a spreadsheet after its annotator")
    if name.isascii() and name.isdecimal():
        return f"user-{name}"
    wanted = f"'{name[:80]}=NAME'" if names.get(annotator) is None and None not in names else "another name"
    return check_name(VERDICTS, name, f"; give --annotator {wanted}")


def check(
    answers: Iterable[ClaimAnswer], known: Mapping[str, ClaimToJudge], names: Mapping[str | None, str], skip_gone: bool
) -> list[Verdict]:
    """Convert answers to verdicts; with `skip_gone`, answers to unknown claims are dropped.

    Raises:
        ValueError: an answer is invalid; the message lists all invalid answers and how to correct them.
    """
    wanted = (one for one in answers if not skip_gone or one.claim_id in known)
    return check_answers(VERDICTS, wanted, lambda one: _verdict(one, known, names))


def _verdict(one: ClaimAnswer, known: Mapping[str, ClaimToJudge], names: Mapping[str | None, str]) -> Verdict:
    if one.claim_id not in known:
        raise ValueError(
            f"claim {one.claim_id[:40]!r} is neither in the data nor among the judged claims, so the sheet belongs to other "
            "data; use a new sheet, or skip such answers with --skip-gone"
        )
    claim, atomic_type, is_false_tail = known[one.claim_id]
    if canonical(one.claim) != canonical(claim):
        raise ValueError(
            f"the claim reads {one.claim[:80]!r} but was sampled as {claim!r}; restore it, and change only verdict and comment"
        )
    answer = one.verdict.strip().casefold()
    if answer not in ANSWERS:
        raise ValueError(f"verdict is {one.verdict[:40]!r}; expected {', '.join(ANSWERS)}, or nothing")
    row = {
        "claim_id": one.claim_id,
        "annotator": annotator_name(one.annotator, names),
        "verdict": answer,
        "comment": one.comment[:MAX_COMMENT_CHARS],
        "claim": claim,
        "atomic_type": atomic_type,
        "is_false_tail": is_false_tail,
    }
    return msgspec.convert(row, Verdict)


_MAX_URL_CHARS = 2_000


class DisplayedPassage(NamedTuple):
    """One passage as annotators see it."""

    origin: str
    """Rank, source and URL."""
    before: str
    sentence: str
    """The sentence that matches the claim; the passage is `before`, this and `after`."""
    after: str


class SampledClaim(NamedTuple):
    """One claim to verify."""

    claim: ClaimPair
    evidence: list[DisplayedPassage]
    """The passages found for the claim, best first."""


def sample_claims(claims: Iterable[ClaimPair], per_type: int, seed: int) -> list[ClaimPair]:
    """Return a sample of claims of each atomic type; a claim's rank depends only on its id and the seed.

    If a claim is no longer in the data, the next one replaces it, and the rest of the sample is unchanged.
    """
    by_type = defaultdict(list)
    for claim in claims:
        by_type[claim.atomic_type].append(claim)
    return [claim for kind in sorted(by_type) for claim in sorted(by_type[kind], key=lambda claim: draw_order(seed, claim.id))[:per_type]]


def mixed_sample(sides: Iterable[Iterable[ClaimPair]], per_type: int, seed: int) -> list[ClaimPair]:
    """Return a mixed sample of true and false claims, in an order that does not reveal which is which; the types alternate."""
    sampled = {claim.id: claim for side in sides for claim in sample_claims(side, per_type, seed)}
    by_type = groupby(
        sorted(sampled.values(), key=lambda claim: (claim.atomic_type, draw_order(seed, claim.id))), lambda claim: claim.atomic_type
    )
    return [claim for turn in zip_longest(*(list(claims) for _, claims in by_type)) for claim in turn if claim]


def with_evidence(
    claims: Iterable[ClaimPair], evidence: Mapping[str, Sequence[Evidence]], passages: Mapping[str, Passage]
) -> list[SampledClaim]:
    """Return claims with the passages found for them; `evidence` is keyed by claim id, `passages` by passage id."""
    return [SampledClaim(claim, [_displayed(row, passages[row.passage].text) for row in evidence.get(claim.id, ())]) for claim in claims]


def _displayed(row: Evidence, text: str) -> DisplayedPassage:
    origin = f"{row.rank} · {row.source} · {row.url[:_MAX_URL_CHARS]}"
    return DisplayedPassage(origin, text[: row.start], text[row.start : row.end], text[row.end :])


SHEET = "claims.xlsx"
_COLUMNS = ("claim_id", "atomic_type", "claim", "verdict", "comment")


def write_spreadsheet(folder: Path, sample: Sequence[SampledClaim]) -> None:
    """Write the workbook; each evidence cell has the sentence that matches the claim and, below it, the source."""
    most = max((len(one.evidence) for one in sample), default=0)
    rows = []
    for claim, evidence in sample:
        cells = [f"{one.sentence}\n{one.origin}" for one in evidence]
        rows.append([claim.id, claim.atomic_type, claim.factual, "", "", *cells, *[""] * (most - len(cells))])
    write_sheet(folder / SHEET, [*_COLUMNS, *(f"evidence_{number}" for number in range(1, most + 1))], rows, {"verdict": ANSWERS})


def read_spreadsheet(path: Path, thing: str = "claim") -> list[ClaimAnswer]:
    """Return the answers in a completed workbook or CSV file; rows without a verdict are skipped.

    The annotator is named by the file name or, as in Label Studio's CSV, by the column `annotator`; a file with its original name has no
    annotator.

    Args:
        thing: `claim` or `question`, the name of the column with its text; with `_id` appended, the column with its id.

    Raises:
        ValueError: a column is missing, or a row has a comment but no verdict.
    """
    needed = (f"{thing}_id", thing, "verdict")
    answers = []
    named = None if path.stem.casefold() == Path(SHEET).stem else path.stem
    for where, cells in read_sheet(path):
        if missing := [name for name in needed if name not in cells]:
            raise ValueError(f"{where}: missing columns: {', '.join(missing)}; expected the original columns ({', '.join(needed)} …)")
        verdict, comment = without_apostrophe(cells["verdict"]), " ".join(without_apostrophe(cells.get("comment", "")).split())
        if verdict:
            person = cells.get("annotator") or named
            answers.append(ClaimAnswer(where, cells[needed[0]], cells[thing], person, verdict, comment, cells.get("letters", "")))
        elif comment:
            raise ValueError(f"{where}: found a comment without a verdict; choose a verdict, or clear the comment")
    return answers


CONFIG = Path(__file__).with_name("label_studio.xml")
_NOTHING = {"source": "–", "text": "没有找到资料 (no evidence found)"}  # Label Studio's tag `Paragraphs` fails on an empty list
_EXPECTED = "expected an export of Label Studio as JSON or JSON-MIN"


def write_project(folder: Path, sample: Iterable[SampledClaim]) -> None:
    """Write the labelling configuration and the tasks."""
    with replacing(folder / "label_studio.xml") as part:
        part.write_bytes(CONFIG.read_bytes())
    write_json(folder / "label_studio.json", [{"data": _data(one)} for one in sample])


def _data(sampled: SampledClaim) -> dict[str, Any]:
    evidence = [{"source": one.origin, "text": f"{one.before}▶{one.sentence}◀{one.after}"} for one in sampled.evidence]
    claim = sampled.claim
    return {"claim_id": claim.id, "atomic_type": claim.atomic_type, "claim": claim.factual, "evidence": evidence or [_NOTHING]}


def read_export(path: Path, thing: str = "claim") -> list[ClaimAnswer]:
    """Return the answers in an export, like `read_spreadsheet`; skip tasks and annotations that were skipped or left empty.

    Raises:
        ValueError: it is not an export of Label Studio, or an annotation has two verdicts.
    """
    try:
        tasks = msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error}); {_EXPECTED}") from None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise ValueError(f"{path}: not a list of tasks; {_EXPECTED}")
    answers: list[ClaimAnswer] = []
    for number, task in enumerate(tasks, 1):
        where = f"{path}: task {task.get('id', number)}"
        answers += _of_task(task, where, thing) if "data" in task else _of_small_task(task, where, thing)
    return answers


def _of_task(task: dict[str, Any], where: str, thing: str) -> Iterator[ClaimAnswer]:
    annotations = task.get("annotations", task.get("completions"))
    if not isinstance(task["data"], dict) or not isinstance(annotations, list):
        raise ValueError(f"{where}: the task has no data or no annotations; {_EXPECTED}, with the annotations")
    for annotation in annotations:
        if not isinstance(annotation, dict) or not isinstance(results := annotation.get("result", []), list):
            raise ValueError(f"{where}: an annotation is {annotation!r:.80}; {_EXPECTED}")
        if annotation.get("was_cancelled") or annotation.get("skipped"):
            continue
        values = [(one.get("from_name"), one.get("value")) for one in results if isinstance(one, dict)]
        verdicts = [text for name, value in values if name == "verdict" for text in _texts(value, "choices", where)]
        comments = [text for name, value in values if name == "comment" for text in _texts(value, "text", where)]
        letters = [text for name, value in values if name == "letters" for text in _texts(value, "choices", where)]
        yield from _answered(task["data"], thing, verdicts, comments, letters, _person(annotation.get("completed_by")), where)


def _of_small_task(task: dict[str, Any], where: str, thing: str) -> Iterator[ClaimAnswer]:
    if f"{thing}_id" not in task:
        raise ValueError(f"{where}: no {thing}_id; {_EXPECTED}")
    fields = (("verdict", "choices"), ("comment", "text"), ("letters", "choices"))
    verdicts, comments, letters = (_texts(task.get(name) or [], key, where) for name, key in fields)
    yield from _answered(task, thing, verdicts, comments, letters, _person(task.get("annotator")), where)


def _answered(
    data: dict[str, Any], thing: str, verdicts: list[str], comments: list[str], letters: list[str], person: str | None, where: str
) -> Iterator[ClaimAnswer]:
    if len(verdicts) > 1:
        raise ValueError(f"{where}: {len(verdicts)} verdicts in one annotation: {', '.join(verdicts)}; keep one in Label Studio")
    if verdicts:
        comment = " ".join(" ".join(comments).split())
        identity, text = (str(data.get(name, "")) for name in (f"{thing}_id", thing))
        yield ClaimAnswer(where, identity, text, person, verdicts[0], comment, "".join(letters))


def _texts(value: Any, key: str, where: str) -> list[str]:
    """Return the texts in a result, which is a text, a list, or a mapping with the texts under `key`."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return _texts(value.get(key), key, where)
    if isinstance(value, list):
        return [text for one in value for text in _texts(one, key, where)]
    raise ValueError(f"{where}: {key} is {value!r:.80}; {_EXPECTED}")


def _person(by: Any) -> str | None:
    """Return the annotator's number in Label Studio, or the email address if there is no number."""
    if isinstance(by, dict):
        by = by.get("id", by.get("email"))
    return None if by in (None, "", "None") else str(by)
