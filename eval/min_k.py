"""Min-K% Prob, a contamination test that needs no replies: are test texts more likely to a model than their twins in reserved?

python -m eval.min_k MODEL     a model of params.yaml with the backend huggingface; nothing is generated or stored

A text is scored by the least likely fifth of its tokens, which are more likely to a model that has seen the text (W. Shi and others,
Detecting Pretraining Data from Large Language Models, ICLR 2024). Twins and verdicts are defined in `eval.contamination`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from scipy.stats import rankdata
from tqdm import tqdm

from atomexam.records.blocks import TEST
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from eval.contamination import Item, as_text, items_of, never_public, probe, read_promoted, twins
from eval.models.planned import describe
from eval.statistics.bootstrap import Figures
from eval.statistics.paired_tests import Tallies, Tally
from eval.tasks.contract import read_claims
from eval.tasks.runs import TASKS

if TYPE_CHECKING:  # torch takes seconds to import
    from eval.models.local.huggingface import HuggingFace

_SHARE = 0.2
_TASKS = ("choice", "fourfold", "claim")
"""One task for each kind of record whose text is published."""


def min_k(loglikelihoods: Sequence[float], share: float = _SHARE) -> float:
    """Return the mean of the lowest `share` of a text's token log-likelihoods."""
    return fmean(sorted(loglikelihoods)[: max(1, round(share * len(loglikelihoods)))])


def by_rank(test: Mapping[str, float], reserved: Mapping[str, float]) -> tuple[Tallies, Tallies]:
    """Return, for each item, the share of all items in both splits that are less likely, plus half the share of those equally likely.

    The difference between the two splits' means is the area under the ROC curve for separating the splits, minus one half.
    """
    ranks = rankdata([*test.values(), *reserved.values()])
    shares = [Tally(round(2 * rank) - 1, 2 * len(ranks)) for rank in ranks]
    return dict(zip(test, shares, strict=False)), dict(zip(reserved, shares[len(test) :], strict=True))


def texts_of(task: str, folder: Path) -> dict[str, str]:
    """Return the text of each item of a split as released, without its answer: the stem with options, or the true sentence."""
    if TASKS[task].of != "questions":
        claims = read_claims(TASKS[task], folder)
        return {claim.id: claim.factual if isinstance(claim, ClaimPair) else claim.true_affirmed for claim in claims}
    texts = {}
    for one in read_jsonl(folder / "questions.jsonl", Question):
        options = [f"{option.letter}. {option.text}" for option in one.options]
        texts[one.id] = "\n".join([*filter(None, [one.shared_stem]), one.stem, *options])
    return texts


def probe_texts(task: str, model: str, backend: "HuggingFace", reserved: Iterable[Item], splits: Path) -> Iterator[Figures]:
    """Yield the model's rows in the same form as `eval.contamination`."""
    pairs = twins(items_of(task, splits / TEST), reserved)
    likely: list[dict[str, float]] = []
    for side, items in ((TEST, pairs.reserved_of.keys()), ("reserved", pairs.reserved_of.values())):
        texts = texts_of(task, splits / side)
        tokens = {item: backend.token_loglikelihoods(texts[item]) for item in tqdm(items, f"{task} {side}", unit="text", disable=None)}
        likely.append({item: min_k(row) for item, row in tokens.items() if row})
    on_test, on_reserved = by_rank(*likely)
    for row in probe({model: on_test}, {model: on_reserved}, pairs):
        yield {"task": task, "sign": f"min-k of {TASKS[task].of}", "run": row.pop("model")} | row


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("model", metavar="MODEL", help="name of a model in params.yaml")
    for flag, name in (("models", "plan"), ("splits", "splits")):
        parser.add_argument(f"--{flag}", type=Path, default=Path("data") / name, metavar="PATH")
    parser.add_argument("--assignments", type=Path, default=Path("splits/assignments.jsonl"), metavar="FILE")
    args = parser.parse_args(argv)
    description, folder = describe(args.model, args.models)
    if description.backend != "huggingface":
        raise ValueError(
            f"{args.model} has the backend {description.backend}; likelihoods of texts need the weights, so set `backend: huggingface`"
        )
    from eval.models.local.huggingface import open_model

    backend, promoted = open_model(description, folder), read_promoted(args.assignments)
    rows: list[Figures] = []
    for task in _TASKS:
        if unpublished := never_public(list(items_of(task, args.splits / "reserved")), promoted):
            rows.extend(probe_texts(task, args.model, backend, unpublished, args.splits))
    print(as_text(rows))


if __name__ == "__main__":
    run_stage(main)
