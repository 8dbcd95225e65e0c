"""Stage `score`: replies and the test split -> what each reply was read as, whether it is right, and the run's figures. No model."""

from collections.abc import Sequence

from eval.answers import read_answer
from eval.tasks import TASKS, wording
from eval.tasks.reading import read_split
from eval.tasks.request import Request
from records.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from records.prediction import Prediction, Score
from records.run import Run
from records.stage import read_arguments, run_stage


def score_replies(predictions: Sequence[Prediction], requests: Sequence[Request]) -> list[Score]:
    """Return what each reply was read as, and whether it is right."""
    asked = {request.item_id: request for request in requests}
    check_complete(predictions, list(asked))
    return [_score(prediction, asked[prediction.item_id]) for prediction in predictions]


def _score(prediction: Prediction, request: Request) -> Score:
    options = {option.letter: option.text for option in request.options}
    outcome, answer = read_answer(request.reader, prediction.reply, options, prediction.finish_reason)
    correct = None if request.answer is None else answer == request.answer
    return Score(item_id=prediction.item_id, repeat=prediction.repeat, outcome=outcome, answer=answer, correct=correct)


def check_complete(predictions: Sequence[Prediction], expected: Sequence[str]) -> None:
    """Raise ValueError unless each expected item, and no other, has one reply in each repeat."""
    repeats = {prediction.repeat for prediction in predictions}
    found = sorted((prediction.item_id, prediction.repeat) for prediction in predictions)
    wanted = sorted((item, repeat) for item in expected for repeat in repeats or {0})
    if found != wanted:
        odd = sorted(set(found) ^ set(wanted))[:3]
        raise ValueError(
            f"predictions do not fit the test split: {len(found)} replies where {len(wanted)} were expected, such as {odd}; "
            "rebuild them with `dvc repro predict@RUN`"
        )


def check_repeats(predictions: Sequence[Prediction], repeats: int, run: str) -> None:
    """Raise ValueError unless the replies are those of as many repeats as the run has."""
    if predictions and (found := sorted({prediction.repeat for prediction in predictions})) != list(range(repeats)):
        raise ValueError(f"run {run} has {repeats} repeats, its predictions have {found}; rebuild them with `dvc repro predict@{run}`")


def main(argv: list[str] | None = None) -> None:
    paths = {
        "predictions": "data/predictions/{key}.jsonl",
        "splits": "data/splits",
        "out": "data/scores/{key}.jsonl",
        "metrics": "metrics/runs/{key}.json",
    }
    args = read_arguments(argv, __doc__, "runs", Run, paths, keyed=True)
    predictions = list(read_jsonl(args.predictions, Prediction))
    check_repeats(predictions, args.params.repeats, args.key)
    run: Run = args.params
    requests = TASKS[run.task].requests(*read_split(args.splits / "test"), wording(run.task, run.prompt))
    scores = score_replies(predictions, requests)
    figures = TASKS[run.task].figures(scores, requests)
    about = {"model": run.model, "task": run.task, "method": run.method, "shots": run.shots, "repeats": run.repeats}
    with folder_lock(args.out.parent):
        write_jsonl(args.out, scores, key=lambda score: (score.item_id, score.repeat))
        write_json(args.metrics, {**about, **figures})


if __name__ == "__main__":
    run_stage(main)
