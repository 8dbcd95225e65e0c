"""Stage `score`: the replies of all runs and the test split -> what each was read as, whether it is right, and the figures. No model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from atomexam.records.prediction import Prediction, Score
from atomexam.records.run import Run, Server
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import headline, print_summary
from eval.answers.published import RULE_SETS
from eval.answers.readers import read_reply
from eval.plan.planned import describe, read_runs
from eval.score.metrics import FIGURES
from eval.statistics.costs import cost_of
from eval.statistics.intervals import Figures
from eval.tasks import TASKS, RequestBuilder, wording
from eval.tasks.request import Request


class Replies:
    """The replies of a run in their file: read anew whenever somebody goes through them, so that none is held."""

    def __init__(self, path: Path, run: str, model: str) -> None:
        self._path, self._run, self._model = path, run, model

    def __iter__(self) -> Iterator[Prediction]:
        """Yield the replies.

        Raises:
            ValueError: one is of another run: the file was copied or renamed by hand.
        """
        for number, row in enumerate(read_jsonl(self._path, Prediction, f"`dvc repro predict@{self._model}` builds it"), 1):
            if row.run != self._run:
                again = f"rebuild them with `dvc repro -f predict@{self._model}`"
                raise ValueError(f"{self._path}:{number}: a reply of run {row.run}; expected those of {self._run}; {again}")
            yield row


def score_replies(predictions: Iterable[Prediction], requests: Sequence[Request], model: str = "MODEL") -> list[Score]:
    """Return what each reply was read as, and whether it is right.

    Raises:
        ValueError: a request has no reply in a repeat or several, or a reply no request.
    """
    asked = {request.item_id: request for request in requests}
    scores, strange = list[Score](), list[tuple[str, int]]()
    for prediction in predictions:
        if request := asked.get(prediction.item_id):
            scores.append(_score(prediction, request))
        else:
            strange.append((prediction.item_id, prediction.repeat))
    _check_complete(scores, strange, list(asked), model)
    return scores


def _score(prediction: Prediction, request: Request) -> Score:
    options = {option.letter: option.text for option in request.options}
    outcome, answer, committed = read_reply(request.reader, prediction.reply, options, prediction.finish_reason)
    hidden = request.answer is None or request.reader == "qa"  # an answer in words has no letters to compare: a judge marks it
    return Score(
        item_id=request.item_id,  # the same text: one is held
        repeat=prediction.repeat,
        outcome=outcome,
        answer=answer,
        correct=None if hidden else answer == request.answer,
        committed=committed,
        committed_correct=None if hidden else committed == request.answer,
    )


def _check_complete(scores: Sequence[Score], strange: Sequence[tuple[str, int]], expected: Sequence[str], model: str) -> None:
    """Raise ValueError unless each expected item, and no other, has one reply in each repeat."""
    repeats = sorted({score.repeat for score in scores} | {repeat for _, repeat in strange}) or [0]
    if not strange and len(scores) == len(expected) * len(repeats):
        pairs = ((item, repeat) for item in sorted(expected) for repeat in repeats)
        if all((score.item_id, score.repeat) == pair for score, pair in zip(scores, pairs, strict=True)):
            return  # the usual case, in which nothing is to be sorted
    found = sorted([*strange, *((score.item_id, score.repeat) for score in scores)])
    wanted = sorted((item, repeat) for item in expected for repeat in repeats)
    if found != wanted:
        odd = sorted(set((Counter(found) - Counter(wanted)) + (Counter(wanted) - Counter(found))))[:3]
        raise ValueError(
            f"predictions do not fit the test split: {len(found)} replies where {len(wanted)} were expected, such as {odd}; "
            f"rebuild them with `dvc repro predict@{model}`"
        )


def check_repeats(scores: Sequence[Score], run: Run, name: str) -> None:
    """Raise ValueError unless the replies are those of as many repeats as the run has."""
    if scores and (found := sorted({score.repeat for score in scores})) != list(range(run.repeats)):
        again = f"rebuild them with `dvc repro predict@{run.model}`"
        raise ValueError(f"run {name} has {run.repeats} repeats, its predictions have {found}; {again}")


def published_figures(task: str, predictions: Iterable[Prediction], requests: Sequence[Request]) -> dict[str, dict]:
    """Return what the code released with each benchmark makes of the same replies, by rule set."""
    return {name: RULE_SETS[name].figures(predictions, requests) for name in TASKS[task].published}


def usage(predictions: Iterable[Prediction], server: Server | None) -> dict[str, float]:
    """Return how many tokens were read and written and how many calls failed, and the cost where the server has prices.

    Replies kept from an earlier run count as if they were asked for anew. They are gone through a second time where there are prices.
    """
    tokens = {"prompt_tokens": 0, "reply_tokens": 0, "failed_calls": 0}
    for prediction in predictions:
        tokens["prompt_tokens"] += prediction.prompt_tokens
        tokens["reply_tokens"] += prediction.tokens
        tokens["failed_calls"] += prediction.finish_reason == "error"
    return tokens | cost_of(predictions, server)


def score_run(name: str, run: Run, builder: RequestBuilder, args: Arguments) -> Figures:
    """Write the scores and the figures of one run; return the few that a diff shows."""
    predictions = Replies(args.predictions / run.model / f"{name}.jsonl", name, run.model)
    prompt = wording(run.task, run.prompt)
    requests = builder.zero_shot(run.task, prompt)
    scores = score_replies(predictions, requests, run.model)
    check_repeats(scores, run, name)
    figures = FIGURES[run.task](scores, requests)
    if scores and (published := published_figures(run.task, predictions, requests)):
        figures["published"] = published
    figures["usage"] = usage(predictions, describe(run.model, args.models)[0].server)
    about = {"model": run.model, "task": run.task, "prompt": prompt, "method": run.method, "shots": run.shots, "repeats": run.repeats}
    if run.shots:  # items with fewer examples than the run asks for, since their subject has no more
        about["short_of_shots"] = sum(prediction.shots < run.shots for prediction in predictions if prediction.repeat == 0)
    write_jsonl(args.out / f"{name}.jsonl", scores, key=lambda score: (score.item_id, score.repeat))
    write_json(args.metrics / f"{name}.json", {**about, **figures})
    print_summary(f"score {name}", headline({**about, **figures}))
    balanced = {"balanced_accuracy": figures["balanced"]["accuracy"]} if "balanced" in figures else {}
    return {what: figures[what] for what in ("following_rate", "accuracy") if figures.get(what) is not None} | balanced


def main(argv: list[str] | None = None) -> None:
    """Score every run, and remove what a run that is no more has left."""
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
    runs = {name: run for plan in sorted(args.runs.glob("*/runs.json")) for name, run in read_runs(plan).items()}
    builder = RequestBuilder(args.splits)
    with folder_lock(args.out) as out:
        headlines = {name: score_run(name, run, builder, args) for name, run in sorted(runs.items())}
        write_json(args.headlines, headlines)
        for stale in [*out.glob("*.jsonl"), *args.metrics.glob("*.json")]:
            if stale.stem not in runs:
                stale.unlink()


if __name__ == "__main__":
    run_stage(main)
