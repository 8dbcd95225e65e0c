"""Answers of annotators and the verdicts known so far -> verdicts: checked against the claims, one a claim and annotator."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from records.identity import canonical
from records.verdict import ANSWERS, Verdict

_NAME = re.compile(r"[\w.-]{1,40}")
_TOLD = 20
_MAX_COMMENT_CHARS = 2_000


class Answered(NamedTuple):
    """One answer as it was read from a file."""

    where: str
    """File and row or task, for what is said of it."""
    claim_id: str
    claim: str
    annotator: str | None
    """As the file names its annotator: its own name, a number or a mail address in Label Studio."""
    verdict: str
    comment: str


class Known(NamedTuple):
    """A claim that may be judged."""

    claim: str
    atomic_type: str


class Merged(NamedTuple):
    """Old and new verdicts together."""

    verdicts: list[Verdict]
    added: list[Verdict]
    changed: list[tuple[Verdict, Verdict]]
    """Before and after."""
    same: int


def name_of(annotator: str | None, names: Mapping[str | None, str]) -> str:
    """Return the name under which an annotator's verdicts are kept; `names` may hold one for all under None.

    Raises:
        ValueError: the annotator has no name that may stand in git.
    """
    name = names.get(annotator) or names.get(None) or annotator
    if name is None:
        raise ValueError("the file does not tell who answered; give --annotator NAME, or name a spreadsheet after its annotator")
    if name.isascii() and name.isdecimal():
        return f"user-{name}"
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"annotator {name[:80]!r}: expected letters, digits, . _ and - (verdicts stand in git, so no mail address); give --annotator "
            + (f"'{name[:80]}=NAME'" if names.get(annotator) is None and None not in names else "another name")
        )
    return name


def check(answers: Iterable[Answered], known: Mapping[str, Known], names: Mapping[str | None, str], skip_gone: bool) -> list[Verdict]:
    """Return answers as verdicts; with `skip_gone`, answers to claims that are not known are left out.

    Raises:
        ValueError: names each answer that cannot stand, and what to do.
    """
    faults: list[str] = []
    taken: dict[tuple[str, str], tuple[str, Verdict]] = {}
    for one in answers:
        if skip_gone and one.claim_id not in known:
            continue
        try:
            verdict = _verdict(one, known, names)
            where, other = taken.setdefault((verdict.claim_id, verdict.annotator), (one.where, verdict))
            if other.verdict != verdict.verdict:
                raise ValueError(f"{verdict.annotator} said {other.verdict} at {where} and {verdict.verdict} here; leave one of the two")
            if len(verdict.comment) > len(other.comment):
                taken[verdict.claim_id, verdict.annotator] = (where, verdict)
        except ValueError as error:
            faults.append(f"{one.where}: {error}")
    if faults:
        more = [f"and {len(faults) - _TOLD} more"] if len(faults) > _TOLD else []
        raise ValueError("\n  ".join(["nothing was imported", *faults[:_TOLD], *more]))
    return [verdict for _, verdict in taken.values()]


def _verdict(one: Answered, known: Mapping[str, Known], names: Mapping[str | None, str]) -> Verdict:
    if one.claim_id not in known:
        raise ValueError(
            f"no claim {one.claim_id[:40]!r} in the data, and none judged before; the sheet belongs to other data: "
            "judge a fresh one, or leave such answers out with --skip-gone"
        )
    claim, atomic_type = known[one.claim_id]
    if canonical(one.claim) != canonical(claim):
        raise ValueError(f"the claim reads {one.claim[:80]!r} and was drawn as {claim!r}; put it back; fill in verdict and comment alone")
    answer = one.verdict.strip().casefold()
    if answer not in ANSWERS:
        raise ValueError(f"verdict is {one.verdict[:40]!r}; expected {', '.join(ANSWERS)}, or nothing")
    row = {
        "claim_id": one.claim_id,
        "annotator": name_of(one.annotator, names),
        "verdict": answer,
        "comment": one.comment[:_MAX_COMMENT_CHARS],
        "claim": claim,
        "atomic_type": atomic_type,
    }
    return msgspec.convert(row, Verdict)


def merge(old: Sequence[Verdict], new: Sequence[Verdict]) -> Merged:
    """Return old verdicts with new ones laid over them; what an annotator answers later holds."""
    by_key = {(one.claim_id, one.annotator): one for one in old}
    added, changed, same = [], [], 0
    for one in new:
        before = by_key.get((one.claim_id, one.annotator))
        by_key[one.claim_id, one.annotator] = one
        if before is None:
            added.append(one)
        elif before == one:
            same += 1
        else:
            changed.append((before, one))
    return Merged(list(by_key.values()), added, changed, same)
