"""Annotators' answers and the known verdicts -> verdicts: checked against the claims, one per claim and annotator."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from atomexam.records.annotation import ANSWERS, Verdict
from atomexam.records.claim import ClaimPair, Fourfold, false_claim
from atomexam.runtime.annotation_files import VERDICTS
from atomexam.runtime.annotations import MAX_COMMENT_CHARS, check_answers, check_name
from atomexam.runtime.jsonl import read_optional
from atomexam.text.canonical import canonical


def read_false_tails(claims: Path) -> Iterator[ClaimPair]:
    """Yield the false tails of the fourfold rows beside a file of claims, as claims."""
    return map(false_claim, read_optional(claims.with_name("fourfold.jsonl"), Fourfold))


class ClaimAnswer(NamedTuple):
    """One answer as read from a file."""

    where: str
    """File and row or task, for messages."""
    claim_id: str
    claim: str
    annotator: str | None
    """As the file gives it: the annotator's own name, or a number or mail address from Label Studio."""
    verdict: str
    comment: str


class ClaimToJudge(NamedTuple):
    """A claim that annotators may judge."""

    claim: str
    atomic_type: str
    is_false_tail: bool = False


def annotator_name(annotator: str | None, names: Mapping[str | None, str]) -> str:
    """Return the name that an annotator's verdicts are stored under; `names` may map None to one name for all.

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
    """Return answers as verdicts; with `skip_gone`, answers to unknown claims are left out.

    Raises:
        ValueError: lists each invalid answer, and what to do.
    """
    wanted = (one for one in answers if not skip_gone or one.claim_id in known)
    return check_answers(VERDICTS, wanted, lambda one: _verdict(one, known, names))


def _verdict(one: ClaimAnswer, known: Mapping[str, ClaimToJudge], names: Mapping[str | None, str]) -> Verdict:
    if one.claim_id not in known:
        raise ValueError(
            f"no claim {one.claim_id[:40]!r} in the data or among the judged ones; the sheet belongs to other data: "
            "use a new sheet, or leave such answers out with --skip-gone"
        )
    claim, atomic_type, is_false_tail = known[one.claim_id]
    if canonical(one.claim) != canonical(claim):
        raise ValueError(f"the claim reads {one.claim[:80]!r} but was sampled as {claim!r}; restore it, change only verdict and comment")
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
