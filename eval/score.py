"""Stage `score`: replies and the test split -> what each reply was read as, whether it is right, and the run's figures. No model."""

from collections.abc import Sequence
from pathlib import Path

from eval.answers import read_answer
from eval.metrics import SIDES, Figures, choice_metrics, claim_metrics
from eval.tasks import TASKS
from records.claim import ClaimPair
from records.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from records.params import Run
from records.prediction import Prediction, Score
from records.question import Question
from records.stage import read_arguments, run_stage


def score_claim(prediction: Prediction) -> Score:
    """Return the score of a reply to one side of a claim pair."""
    side = prediction.item_id.rpartition("/")[2]
    outcome, answer = read_answer("claim", prediction.reply, {}, prediction.finish_reason)
    return Score(item_id=prediction.item_id, repeat=prediction.repeat, outcome=outcome, answer=answer, correct=answer == SIDES[side])


def score_choice(prediction: Prediction, question: Question) -> Score:
    """Return the score of a reply to a choice question; TCM replies are read by TCMBench's format."""
    task = "tcm" if question.exam == "TCM" else question.question_type
    options = {option.letter: option.text for option in question.options}
    outcome, answer = read_answer(task, prediction.reply, options, prediction.finish_reason)
    correct = None if question.answer is None else answer == question.answer
    return Score(item_id=prediction.item_id, repeat=prediction.repeat, outcome=outcome, answer=answer, correct=correct)


def score_claims(predictions: Sequence[Prediction], pairs: Sequence[ClaimPair]) -> tuple[list[Score], Figures]:
    """Return the scores of a claim run and its figures over all pairs."""
    check_complete(predictions, [request.item_id for request in TASKS["claim"]([], pairs)])
    scores = [score_claim(prediction) for prediction in predictions]
    return scores, claim_metrics(scores, pairs)


def score_choices(predictions: Sequence[Prediction], questions: Sequence[Question], task: str) -> tuple[list[Score], Figures]:
    """Return the scores of a run of task `choice` or `tcm` and its figures over the questions that task asks."""
    asked = {request.item_id for request in TASKS[task](questions, [])}
    check_complete(predictions, sorted(asked))
    chosen = {question.id: question for question in questions if question.id in asked}
    scores = [score_choice(prediction, chosen[prediction.item_id]) for prediction in predictions]
    return scores, choice_metrics(scores, chosen.values())


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
    test = Path(args.splits) / "test"
    if args.params.task == "claim":
        scores, figures = score_claims(predictions, list(read_jsonl(test / "claims.jsonl", ClaimPair)))
    else:
        scores, figures = score_choices(predictions, list(read_jsonl(test / "questions.jsonl", Question)), args.params.task)
    about = {"model": args.params.model, "task": args.params.task, "shots": args.params.shots, "repeats": args.params.repeats}
    with folder_lock(args.out.parent):
        write_jsonl(args.out, scores, key=lambda score: (score.item_id, score.repeat))
        write_json(args.metrics, {**about, **figures})


if __name__ == "__main__":
    run_stage(main)
