"""Pairs that are not right -> a model's proposal for the error, if the verdicts alone leave it open."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from atomexam.records.annotation import Error, pair_id
from atomexam.records.blocks import Judge
from atomexam.records.question import Option
from eval.answers.reply_text import folded, split_reasoning
from eval.backends import open_backend
from eval.errors.patterns import ErrorProposal, Pair, has_a_reason, pattern_of
from eval.models.cached_model import reply_all
from eval.models.planned import describe
from eval.tasks.prompt import quoted
from eval.tasks.request import Request

_PROMPT = Path(__file__).parent / "prompts" / "error_type.txt"
_OPEN = ("sycophancy", "contrary", "reversed")
"""Patterns that may be another error, depending on the reason."""
_ERRORS: dict[str, Error] = {"A": "safety", "B": "misinterpretation"}
_OPTIONS = [Option(letter="A", text="不够严谨"), Option(letter="B", text="误解"), Option(letter="C", text="都不是")]
_LETTER = re.compile(r"(?:答案(?:是|为)?\s*+:?)?\s*+[\"“(\[]?([ABC])[\"”)\]]?[.。]?")


class ModelProposals(NamedTuple):
    """A model's proposals, and the number of pairs in its prompts."""

    proposals: dict[str, ErrorProposal]
    """By claim; a pair whose reply could not be parsed is absent."""
    requested: int


def error_request(pair: Pair) -> Request:
    """Return the request for the error of a pair."""
    claim, replies = pair.claim, pair.replies
    texts = {"factual": claim.factual, "non_factual": claim.non_factual}
    texts |= {f"{side}_reply": reply for side, reply in replies.items()}
    return Request(
        item_id=pair_id(claim.factual, replies["factual"], claim.non_factual, replies["non_factual"]),
        messages=[{"role": "user", "content": quoted(_PROMPT, texts)}],
        question_type="mcqa",
        options=_OPTIONS,
        answer=None,
        answer_format="答案：{answer}",
        solution=None,
        pool="errors",
        related_ids=frozenset(),
        reader="mcqa",
        unit=claim.id,
        facets={"atomic_type": claim.atomic_type},
    )


def read_letter(reply: str) -> str | None:
    """Return the letter if it is the complete reply: a reply that repeats the prompt, or argues, is not accepted."""
    match = _LETTER.fullmatch(folded(split_reasoning(reply)[0]).strip())
    return match[1] if match else None


def judge_errors(judge: Judge, sample: Iterable[Pair], models: Path, path: Path, name: str) -> ModelProposals:
    """Return a model's proposals for pairs with two verdicts and a reason; for all others the verdicts decide."""
    pairs = {pair.claim.id: pair for pair in sample}
    pairs = {claim: pair for claim, pair in pairs.items() if pattern_of(pair) in _OPEN and has_a_reason(pair)}
    if not pairs:
        return ModelProposals({}, 0)
    backend = open_backend(*describe(judge.model, models))
    proposals: dict[str, ErrorProposal] = {}
    requests = [error_request(pair) for pair in pairs.values()]
    for query, reply in reply_all(backend, structs.replace(judge, repeats=1), requests, path, f"errors of {name}"):
        claim = query.request.unit
        if letter := read_letter(reply.text):
            error = _ERRORS.get(letter) or pattern_of(pairs[claim])
            proposals[claim] = ErrorProposal(error, f"by {judge.model}: {letter}")  # type: ignore[arg-type]
    return ModelProposals(proposals, len(pairs))
