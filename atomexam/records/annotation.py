"""Human annotations: labels for replies, verdicts on claims, and decisions on contradicting rows."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct

from atomexam.records.fact import Relation
from atomexam.records.provenance import content_id

Pattern = Literal["right", "failed", "not_follow", "sycophancy", "contrary", "reversed"]
"""The combination of the two verdicts on a pair; `failed` if a call returned no reply."""

Error = Literal["not_follow", "sycophancy", "safety", "misinterpretation", "contrary", "reversed"]
"""Why a pair is not right: the four error types of SdAK (section 5.1), and the remaining combinations of verdicts."""

Reason = Literal["sound", "unsound"]
"""Whether the reasons given for two right verdicts support them: answer reliability (SdAK, section 4.2.2)."""

ERRORS: tuple[str, ...] = get_args(Error)
REASONS: tuple[str, ...] = get_args(Reason)


class ReplyPair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pair of replies sampled for annotation; a line of `data/errors/RUN.jsonl`."""

    id: str
    """Hash of the two claims and the two replies, so a label applies to every pair with the same texts."""
    run: str
    claim_id: str
    atomic_type: Relation
    asks: Literal["error", "reason"]
    """error: the pair is wrong; label the kind of error. reason: the pair is right; label whether the reasons are sound."""
    factual: str
    factual_reply: str
    non_factual: str
    non_factual_reply: str
    pattern: Pattern
    proposed: Error | None = None
    """Error proposed by rules or a judge; None if `asks` is reason."""
    because: str = ""
    """Why this error is proposed."""
    labels: dict[str, str]
    """Label by annotator."""


class Label(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One annotator's label for one pair of replies; a line in `eval/labels.jsonl`."""

    pair_id: str
    annotator: str
    """Agreed name or number of the annotator; not an email address, because the file is in git."""
    label: Error | Reason
    comment: str = ""
    claim: str
    """The factual claim, for readers of the file."""


def pair_id(factual: str, factual_reply: str, non_factual: str, non_factual_reply: str) -> str:
    """Return the id of a pair of replies."""
    return content_id("replies", factual, factual_reply, non_factual, non_factual_reply)


def majority_label(labels: Iterable[str]) -> str | None:
    """Return the most frequent label; None for a tie."""
    counted = Counter(labels).most_common(2)
    return None if not counted or (len(counted) > 1 and counted[0][1] == counted[1][1]) else counted[0][0]


class Decision(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A decision on which of several contradicting rows is right, or on whether a suspect key is right; a line in the decisions file."""

    id: str
    """Id of the question or fact under review."""
    right: list[str] = []
    """Texts of the correct options of a question, sorted; the decision applies to all rows with the same question."""
    polarity: bool | None = None
    """Whether a fact is true (true) or its denial is (false)."""
    withdrawn: Literal["ambiguous", "drop"] | None = None
    """Why a question is removed from the data: more than one answer is defensible, or it is unfit for another reason."""
    note: str | None = None
    """Comment for readers of the file: the reason, or the fact as a sentence."""


KEY_VERDICTS = ("key_right", "key_wrong", "ambiguous", "drop")
"""The possible verdicts on a suspect key."""


class SuspectKey(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question whose key is probably wrong; a line of `data/item_analysis/keys.jsonl`."""

    question_id: str
    question: str
    """Case, stem and lettered options."""
    options: dict[str, str]
    """Letter -> text."""
    key: str
    """Letters of the key."""
    proposed: str | None
    """Letters that the models or the explanation give instead of the key."""
    evidence: float | None
    """How strongly the better models agree against the key, in standard errors; None if there are no models."""
    weak: bool
    """Whether there are too few models for reliable evidence."""
    because: list[str]
    """Reasons why the key is suspect."""
    answers: dict[str, str]
    """Maps each model to the letters it answered."""
    explanation: str | None
    """The explanation given by the source."""
    twins: list[str]
    """Stems and correct options of the near-duplicates."""
    sources: list[str]
    """Sources with this question, sorted."""
    urls: list[str]
    """URLs of the pages."""


class Statement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several contradicting statements."""

    decision: Decision
    """The line to copy to the decisions file if this statement is right."""
    rows: int
    """Number of rows with this statement."""
    sources: list[str]
    """Sources with this statement, sorted."""
    urls: list[str]
    """URLs of the pages."""


class Review(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contradiction between rows that a person must decide."""

    id: str
    """Id of the cluster, or of the fact."""
    kind: str
    """`question` or `fact`."""
    asked: str
    """The stem, preceded by its case; for a fact, its head and tail."""
    options: list[str]
    """Texts of all options, sorted."""
    statements: list[Statement]
    """The statements, the most frequent first."""


Answer = Literal["support", "neutral", "refute"]
"""The evidence supports the claim, is insufficient, or refutes it (SdAK, section 3.3)."""

ANSWERS: tuple[str, ...] = get_args(Answer)


class Verdict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One annotator's verdict on one claim; a line of `curation/verdicts.jsonl`."""

    claim_id: str
    annotator: str
    """Agreed name or number of the annotator; not an email address, because the file is in git."""
    verdict: Answer
    comment: str = ""
    claim: str
    """The factual claim as the annotator saw it."""
    atomic_type: Relation
    """Type of the claim, stored because a refuted claim is removed from the data but still counts under its type."""
    is_false_tail: bool = False
    """Whether the claim states the false tail of a fourfold row; if so, `refute` confirms the row and `support` removes it."""


def majority(answers: Iterable[str]) -> str:
    """Return the most frequent answer; neutral for a tie."""
    counted = Counter(answers).most_common(2)
    return "neutral" if len(counted) > 1 and counted[0][1] == counted[1][1] else counted[0][0]
