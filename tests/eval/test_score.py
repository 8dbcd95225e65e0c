"""Stage `score`: what each reply was read as, and what stands in the metrics of a run."""

from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from atomexam.records.blocks import Run, Server, runs_on_test
from atomexam.records.checks import convert
from atomexam.records.claim import ClaimPair
from atomexam.records.model import Description
from atomexam.records.prediction import Prediction, Score
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question
from atomexam.runtime.jsonl import read_jsonl, write_json, write_jsonl
from eval.answers.reply_files import usage_of
from eval.models.planned import read_runs
from eval.score.__main__ import main, score_replies
from eval.tasks.request import Request
from eval.tasks.runs import TASKS

SEEN = [Provenance(source="s", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="p")]


def pair(number: int) -> ClaimPair:
    words = {"factual": f"病{number}有症", "non_factual": f"病{number}没有症", "head": f"病{number}", "tail": "症"}
    return ClaimPair(id=f"claim-{number}", atomic_type="disease_symptom", template_id="t", fact_ids=["fact-1"], provenance=SEEN, **words)


def question(number: int, answer: str | None = "A", **changes) -> Question:
    options = [Option(letter=letter, text=f"选{letter}") for letter in "ABCD"]
    values = {"exam": "PCE", "subject": "甲", "question_type": "mrqa" if len(answer or "") > 1 else "mcqa", "stem": f"题{number}"}
    return Question(id=f"q-{number}", options=options, answer=answer, provenance=SEEN, **values | changes)


def asked(*questions: Question) -> list[Request]:
    task = TASKS["choice"]
    return task.requests(questions, [], task.prompts[0])


def claims(*pairs: ClaimPair) -> list[Request]:
    task = TASKS["claim"]
    return task.requests([], pairs, task.prompts[0])


def reply(item: str, text: str, repeat: int = 0, finish: str = "stop", **changes) -> Prediction:
    return Prediction(item_id=item, run="new-run", repeat=repeat, prompt_sha256="0", reply=text, finish_reason=finish, tokens=1, **changes)


def both(number: int, factual: str, non_factual: str, repeat: int = 0) -> list[Prediction]:
    return [reply(f"claim-{number}/factual", factual, repeat), reply(f"claim-{number}/non_factual", non_factual, repeat)]


@pytest.mark.parametrize(
    ("text", "finish", "answer", "expected"),
    [
        ("答案：A", "stop", "A", ("answered", "A", True)),
        ("不知道", "stop", "A", ("unparsed", None, False)),
        ("嗯", "length", "A", ("truncated", None, False)),
        ("", "error", "A", ("failed", None, False)),
        ("答案：A\n解析：因为", "length", "A", ("answered", "A", True)),
        ("答案：A", "stop", None, ("answered", "A", None)),  # a hidden answer
    ],
)
def test_each_reply_comes_to_one_of_four_outcomes(text: str, finish: str, answer: str | None, expected: tuple) -> None:
    [score] = score_replies([reply("q-1", text, finish=finish)], asked(question(1, answer)))
    assert (score.outcome, score.answer, score.correct) == expected


def test_a_multiple_choice_is_right_as_a_set_only() -> None:
    replies = [reply("q-0", "答案：DCA"), reply("q-1", "答案：AC"), reply("q-2", "答案：ABCD")]
    scores = score_replies(replies, asked(*(question(number, "ACD") for number in range(3))))
    assert [score.correct for score in scores] == [True, False, False]


MISFITS = {
    "missing": both(1, "正确", "错误")[:1],
    "doubled": [*both(1, "正确", "错误"), reply("claim-1/factual", "正确")],
    "one doubled for one missing": [reply("claim-1/factual", "正确")] * 2,
    "of another pair": both(2, "正确", "错误"),
    "a repeat of one side alone": [*both(1, "正确", "错误"), reply("claim-1/factual", "正确", 1)],
}


@pytest.mark.parametrize("replies", MISFITS.values(), ids=MISFITS.keys())
def test_missing_and_doubled_replies_are_errors(replies: list[Prediction]) -> None:
    with pytest.raises(ValueError, match=r"do not match the test split"):
        score_replies(replies, claims(pair(1)))


def test_replies_of_another_number_of_repeats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"tiny/new-run.jsonl: .*claim-1/factual has repeats \[0\], expected \[0, 1\]; .*predict@tiny"):
        scored(tmp_path, both(1, "正确", "错误"), ["--model", "tiny", "--task", "claim", "--repeats", "2"], [], [pair(1)])


@pytest.mark.parametrize("lost", [1, 2])
def test_replies_of_another_run_are_refused(lost: int, tmp_path: Path) -> None:
    """A file that was copied or renamed by hand would count as another model's figures."""
    replies = [structs.replace(row, run="old-run") if place < lost else row for place, row in enumerate(both(1, "正确", "错误"))]
    told = r"tiny/new-run.jsonl:1: the reply belongs to run old-run, expected run new-run; rebuild them with `dvc repro -f predict@tiny`"
    with pytest.raises(ValueError, match=told):
        scored(tmp_path, replies, ["--model", "tiny", "--task", "claim"], [], [pair(1)])


def test_what_is_given_twice_is_named() -> None:
    with pytest.raises(ValueError, match=r"claim-1/factual has repeats \[0, 0\], expected \[0\]"):
        score_replies(MISFITS["doubled"], claims(pair(1)))
    with pytest.raises(ValueError, match=r"'claim-2/factual' is not in it"):
        score_replies([*both(1, "正确", "错误"), *both(2, "正确", "错误")], claims(pair(1)))


@pytest.mark.parametrize("task", TASKS)
def test_a_split_that_has_nothing_for_a_task_is_scored(task: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    metrics = scored(tmp_path, [], ["--model", "tiny", "--task", task], [], [])
    assert metrics["following_rate"] is None
    assert "score new-run: of 0, no requests" in capsys.readouterr().err


def test_tokens_and_failed_calls_are_counted_and_have_a_price_where_the_server_has() -> None:
    replies = [reply("a", "x", prompt_tokens=100), reply("b", "", finish="error", prompt_tokens=50)]
    counts = {"prompt_tokens": 150, "reply_tokens": 2}
    assert usage_of(replies, None) == usage_of(replies, Server()) == counts
    assert usage_of(replies, Server(input_price=20_000, output_price=5_000)) == counts | {"cost": 3.01}
    silent = [*replies, reply("c", "x"), reply("d", "", finish="error")]  # its server told no counts, or there is nothing to count
    assert usage_of(silent, Server(input_price=20_000))["replies_not_in_cost"] == 1


def scored(folder: Path, replies: list[Prediction], flags: list[str], questions: list[Question], pairs: list[ClaimPair]) -> dict:
    """Run the stage and return the metrics."""
    line = {flag.removeprefix("--"): value for flag, value in zip(flags[::2], flags[1::2], strict=True)}
    model = line["model"]
    write_json(folder / "plan" / model / "runs.json", {"new-run": convert(line, Run, "new-run")})
    if not (folder / "plan" / model / "model.json").exists():
        write_json(folder / "plan" / model / "model.json", {"model": model, "backend": "huggingface"})
    write_jsonl(folder / "predictions" / model / "new-run.jsonl", replies, key=lambda p: (p.item_id, p.repeat))
    write_jsonl(folder / "splits/test/claims.jsonl", pairs, key=lambda p: p.id)
    write_jsonl(folder / "splits/test/questions.jsonl", questions, key=lambda q: q.id)
    main(flags_of(folder))
    return msgspec.json.decode((folder / "metrics/new-run.json").read_bytes())


def flags_of(folder: Path) -> list[str]:
    places = {"predictions": "predictions", "splits": "splits", "runs": "plan", "models": "plan", "out": "scores", "metrics": "metrics"}
    return [f"--{name}={folder}/{place}" for name, place in (places | {"headlines": "scores.json"}).items()]


def test_the_stage_writes_scores_and_figures_ours_and_published(tmp_path: Path) -> None:
    """Under SdAK's released rules 错误，正确的… is right as either side: the two readings of one run stand side by side."""
    said = "错误，正确的说法需要结合临床判断。"
    replies = [*both(1, "正确", "错误"), *both(2, said, said)]
    metrics = scored(tmp_path, replies, ["--model", "tiny", "--task", "claim"], [], [pair(1), pair(2)])
    assert [score.correct for score in read_jsonl(tmp_path / "scores/new-run.jsonl", Score)] == [True, True, False, True]
    assert (metrics["prompt"], metrics["accuracy"], metrics["published"]["sdak_v1"]["accuracy"]) == ("claim", 0.5, 1.0)
    assert metrics["usage"] == {"prompt_tokens": 0, "reply_tokens": 4, "failed_calls": 0}
    assert "short_of_shots" not in metrics


def test_a_pair_one_of_whose_replies_is_missing_is_in_no_accuracy_of_what_was_replied_to(tmp_path: Path) -> None:
    lost = [structs.replace(row, finish_reason="error") if row.item_id == "claim-2/factual" else row for row in both(2, "正确", "错误")]
    metrics = scored(tmp_path, [*both(1, "正确", "错误"), *lost], ["--model", "tiny", "--task", "claim"], [], [pair(1), pair(2)])
    assert (metrics["accuracy"], metrics["accuracy_of_replied"], metrics["replied"]) == (0.5, 1.0, 1)


def test_questions_that_no_run_asks_are_said(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    questions = [question(1), question(2, question_type="tf"), question(3, question_type="blank")]
    replies = [reply(questions[0].id, "答案：A")]
    scored(tmp_path, replies, ["--model", "tiny", "--task", "choice"], questions, [])
    assert "score: 1 blank, 1 tf questions of test are not in any run" in capsys.readouterr().err


def test_a_run_on_reserved_is_scored_and_counts_nowhere_else(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "splits/reserved/questions.jsonl", [question(2)], key=lambda q: q.id)
    metrics = scored(tmp_path, [reply("q-2", "答案：A")], ["--model", "tiny", "--task", "choice", "--split", "reserved"], [question(1)], [])
    assert (metrics["split"], metrics["accuracy"]) == ("reserved", 1.0)
    assert msgspec.json.decode((tmp_path / "scores.json").read_bytes()) == {}  # as the summary, with which `make show` compares it
    plan = tmp_path / "plan/tiny/runs.json"
    assert list(read_runs(plan, every_split=True)) == ["new-run"] and not read_runs(plan)
    assert list(runs_on_test({"new-run": metrics, "other": {}, "dev": {"split": "dev"}})) == ["other"]


def test_what_a_run_that_is_no_more_has_left_is_removed(tmp_path: Path) -> None:
    """Also when it was killed while it was scored."""
    left = [tmp_path / name for name in ("scores/gone.jsonl", "scores/gone.jsonl.part", "metrics/gone.json", "metrics/gone.json.part")]
    for path in left:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    scored(tmp_path, both(1, "正确", "错误"), ["--model", "tiny", "--task", "claim"], [], [pair(1)])
    assert not any(path.exists() for path in left)


def test_the_stage_tells_cost_and_who_was_shown_fewer_examples(tmp_path: Path) -> None:
    server = Server(input_price=1.0, output_price=1_000_000.0)
    model = Description(model="far", backend="openai", name="far", server=server)
    (tmp_path / "plan/far").mkdir(parents=True)
    write_json(tmp_path / "plan/far/model.json", msgspec.to_builtins(model))
    replies = [reply("q-1", "答案：A", shots=3), reply("q-2", "答案：B", shots=1)]
    flags = ["--model", "far", "--task", "choice", "--shots", "3"]
    metrics = scored(tmp_path, replies, flags, [question(1), question(2)], [])
    assert (metrics["short_of_shots"], metrics["usage"]["cost"]) == (1, 2.0)
    assert metrics["published"]["cpsyexam_v1"] == {"following_rate": 1.0, "accuracy": 0.5, "errors": 0}
    assert list(metrics["published"]) == ["cpsyexam_v1", "cpsyexam_api_v1", "cmb_v1"]


def test_what_whole_replies_commit_to_has_an_accuracy_of_its_own(tmp_path: Path) -> None:
    """The factual claim is judged after the reasons, the non-factual one taken back: committed, not followed."""
    replies = both(1, "它确有此症。综上，该说法正确。", "判断：正确。等等，最终判断：错误") + both(2, "正确", "说不准")
    metrics = scored(tmp_path, replies, ["--model", "tiny", "--task", "claim"], [], [pair(1), pair(2)])
    rows = list(read_jsonl(tmp_path / "scores/new-run.jsonl", Score))
    assert [(row.answer, row.committed) for row in rows] == [(None, "正确"), ("正确", "错误"), ("正确", "正确"), (None, None)]
    assert [(row.correct, row.committed_correct) for row in rows] == [(False, True), (False, True), (True, True), (False, False)]
    assert (metrics["following_rate"], metrics["accuracy"]) == (0.0, 0.0)
    assert (metrics["committed_rate"], metrics["committed_accuracy"]) == (0.5, 0.5)
    assert metrics["by_type"]["disease_symptom"]["committed_accuracy"] == 0.5
    assert metrics["by_side"]["non_factual"]["committed_accuracy"] == 0.5
    [hidden] = score_replies([reply("q-1", "因此选A")], asked(question(1, None)))
    assert (hidden.committed, hidden.committed_correct) == ("A", None)


def test_all_runs_are_scored_at_once(tmp_path: Path) -> None:
    runs = {"one": ("tiny", "正确"), "two": ("tiny", "错误"), "three": ("far", "正确")}
    for model in ("tiny", "far"):
        write_json(tmp_path / "plan" / model / "model.json", {"model": model, "backend": "huggingface"})
        own = {run: Run(model=model, task="claim") for run, (of, _) in runs.items() if of == model}
        write_json(tmp_path / "plan" / model / "runs.json", own)
    for run, (model, factual) in runs.items():
        own = [structs.replace(row, run=run) for row in both(1, factual, "错误")]
        write_jsonl(tmp_path / "predictions" / model / f"{run}.jsonl", own, key=lambda p: p.item_id)
    write_jsonl(tmp_path / "splits/test/claims.jsonl", [pair(1)], key=lambda p: p.id)
    write_jsonl(tmp_path / "splits/test/questions.jsonl", [], key=lambda q: q.id)
    main(flags_of(tmp_path))
    assert sorted(path.name for path in (tmp_path / "scores").iterdir()) == ["one.jsonl", "three.jsonl", "two.jsonl"]
    found = {path.stem: msgspec.json.decode(path.read_bytes())["accuracy"] for path in (tmp_path / "metrics").iterdir()}
    assert found == {"one": 1.0, "two": 0.0, "three": 1.0}
    headlines = msgspec.json.decode((tmp_path / "scores.json").read_bytes())
    assert {name: one["accuracy"] for name, one in headlines.items()} == found  # for `dvc metrics diff` before the report


def test_a_run_without_replies_names_the_stage_that_asks(tmp_path: Path) -> None:
    write_json(tmp_path / "plan/tiny/model.json", {"model": "tiny", "backend": "huggingface"})
    write_json(tmp_path / "plan/tiny/runs.json", {"one": Run(model="tiny", task="claim")})
    write_jsonl(tmp_path / "splits/test/claims.jsonl", [pair(1)], key=lambda p: p.id)
    with pytest.raises(FileNotFoundError, match=r"predictions/tiny/one.jsonl: no such file; `dvc repro predict@tiny` builds it"):
        main(flags_of(tmp_path))
