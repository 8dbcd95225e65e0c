"""Stage `score`: the replies of all runs and the test split -> the answer of each reply, whether it is correct, and metrics. No model."""

import sys
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from msgspec import Struct

from atomexam.records.blocks import TEST, Run
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import headline, print_summary
from eval.answers.blank import fills
from eval.answers.published import RULE_SETS
from eval.answers.readers import read_reply
from eval.answers.reply_files import by_item, read_replies, usage_of
from eval.models.planned import describe, read_runs
from eval.score.metrics import FIGURES, NO_VARIANTS, read_scores
from eval.statistics.bootstrap import Figures
from eval.statistics.paired_tests import without_missing
from eval.tasks.orders import shifted_letters
from eval.tasks.request import Request, by_item_id
from eval.tasks.runs import TASKS, RequestBuilder, variants_of


class QuestionType(Struct, frozen=True):
    """The id and type of a question; other fields are ignored."""

    id: str
    question_type: str


def score_reply(prediction: Prediction, request: Request) -> Score:
    """Parse and score a reply; the letters of its answer are those of the question, regardless of the order of options."""
    options = {option.letter: option.text for option in request.options}
    outcome, answer, committed = read_reply(request.reader, prediction.reply, options, prediction.finish_reason)
    hidden = request.answer is None or request.reader == "qa"  # answers in words cannot be compared by letters; a judge marks them
    return Score(
        item_id=request.item_id,
        repeat=prediction.repeat,
        outcome=outcome,
        answer=_own_letters(answer, request),
        correct=None if hidden else _is_right(answer, request),
        committed=_own_letters(committed, request),
        committed_correct=None if hidden else _is_right(committed, request),
    )


def _is_right(answer: str | None, request: Request) -> bool:
    if request.cloze is not None:
        return answer is not None and fills(answer, request.cloze, request.answer or "")
    return answer == request.answer


def _own_letters(answer: str | None, request: Request) -> str | None:
    return shifted_letters(answer, len(request.options), -request.shift) if answer and request.shift else answer


def score_replies(predictions: Iterable[Prediction], requests: Sequence[Request]) -> list[Score]:
    """Return the scores of replies, sorted by item and repeat; raise ValueError if records do not match, as in `by_item`."""
    replies = by_item(predictions, (one.item_id for one in requests), "replies", "each item needs one in each repeat")
    return [score_reply(reply, request) for request in sorted(requests, key=lambda one: one.item_id) for reply in replies[request.item_id]]


def score_run(name: str, run: Run, builder: RequestBuilder, args: Arguments) -> Figures:
    """Write the scores and metrics of one run; return the headline metrics."""
    path, again = args.predictions / run.model / f"{name}.jsonl", f"rebuild them with `dvc repro predict@{run.model}`"
    variants = [by_item_id(requests) for requests in builder.by_variant(run)]
    requests = list(variants[0].values())
    replies = by_item(read_replies(path, name, run.model), variants[0], f"{path}: replies", again, range(run.repeats * len(variants)))
    pairs = [(reply, variants[reply.repeat // run.repeats][item]) for item in variants[0] for reply in replies[item]]
    scores = [score_reply(reply, request) for reply, request in pairs]
    write_jsonl(args.out / f"{name}.jsonl", scores, key=lambda row: (row.item_id, row.repeat))
    names = [f"{variant.prompt}/{variant.order}" for variant in variants_of(run)]
    named = {name: list(variant.values()) for name, variant in zip(names, variants, strict=True)}
    figures = FIGURES[run.task](read_scores(scores, requests, named if len(named) > 1 else NO_VARIANTS)) | without_missing(scores)
    if pairs and TASKS[run.task].published:
        figures["published"] = {rules: RULE_SETS[rules].figures(pairs) for rules in TASKS[run.task].published}
    replies_of_run = [reply for reply, _ in pairs]
    failed = sum(reply.finish_reason == "error" for reply in replies_of_run)
    figures["usage"] = usage_of(replies_of_run, describe(run.model, args.models)[0].server, failed_calls=failed)
    prompts = ", ".join(dict.fromkeys(variant.prompt for variant in variants_of(run)))
    about: Figures = {"model": run.model, "task": run.task, "prompt": prompts}
    about |= {"method": run.method, "shots": run.shots, "repeats": run.repeats}
    if run.split != TEST:
        about["split"] = run.split
    if run.orders > 1:  # questions with fewer options than orders, or options that refer to each other, repeat an order
        about |= {
            "orders": run.orders,
            "short_of_orders": sum(len({one.shift for one in each}) < run.orders for each in zip(*named.values(), strict=True)),
        }
    if run.shots:  # items with fewer examples than `shots`, because their subject has no more
        about["short_of_shots"] = sum(reply.repeat == 0 and reply.shots < run.shots for reply, _ in pairs)
    write_json(args.metrics / f"{name}.json", {**about, **figures})
    print_summary(f"score {name}", headline({**about, **figures}))
    headlines = ("following_rate", "accuracy", "sentence_accuracy", "consistent_accuracy")
    return {what: figures[what] for what in headlines if figures.get(what) is not None}


def uncovered(questions: Iterable[QuestionType], covered: Container[str]) -> dict[str, int]:
    """Return the number of questions of each type that no run includes."""
    counts = Counter(question.question_type for question in questions if question.id not in covered)
    return dict(sorted(counts.items()))


def main(argv: list[str] | None = None) -> None:
    """Score every run, remove the files of deleted runs, and report which questions no run includes."""
    paths = {
        "runs": "data/plan",
        "predictions": "data/predictions",
        "splits": "data/splits",
        "models": "data/plan",
        "out": "data/scores",
        "metrics": "metrics/runs",
        "headlines": "metrics/scores.json",
    }
    args = read_arguments(argv, __doc__, None, None, paths)
    runs = {name: run for plan in sorted(args.runs.glob("*/runs.json")) for name, run in read_runs(plan, every_split=True).items()}
    builder = RequestBuilder(args.splits)
    with folder_lock(args.out) as out:
        headlines = {name: score_run(name, run, builder, args) for name, run in sorted(runs.items())}
        write_json(args.headlines, {name: headlines[name] for name, run in runs.items() if run.split == TEST})  # like metrics/summary.json
        for stale in [*out.glob("*.jsonl*"), *args.metrics.glob("*.json*")]:
            if stale.name.partition(".")[0] not in runs:
                stale.unlink()
    covered = {one.item_id for run in runs.values() if run.split == TEST for one in builder.by_variant(run)[0]}
    counts = uncovered(read_jsonl(args.splits / TEST / "questions.jsonl", QuestionType), covered) if runs else {}
    if counts:
        print(
            f"score: {', '.join(f'{count} {kind}' for kind, count in counts.items())} questions of test are not in any run", file=sys.stderr
        )


if __name__ == "__main__":
    run_stage(main, acyclic=True)
