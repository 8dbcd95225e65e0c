"""Replies made elsewhere: the formats, what is refused, and figures that are those of our own stages."""

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest

from atomexam.records.blocks import Run
from atomexam.records.model import Description
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.jsonl import read_jsonl, write_json, write_jsonl
from eval.backends import open_backend
from eval.imported import main, read_replies
from eval.models.cached_model import settings_of
from eval.models.contract import ModelQuery
from eval.plan import weights_of
from eval.predict import main as predict
from eval.tasks.runs import RequestBuilder
from tests.eval.item_pages import claim, question, write_data

PARAMS = """runs:
  first: {model: one, task: choice}
  second: {model: two, task: choice}
  claims: {model: one, task: claim, repeats: 2}
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("written"))


@pytest.fixture
def project(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the data of three runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_text(PARAMS)
    return shutil.copytree(written, tmp_path, dirs_exist_ok=True)


def rows(path: Path, lines: list[dict]) -> str:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def sample(number: int, likelihoods: list[float], **more) -> dict:
    """One line of --log_samples, as lm-evaluation-harness 0.4.9 writes it."""
    asked = question(number)
    doc = {"id": asked.id, "stem": asked.stem, "answer": asked.answer}
    given = [[str(each), "False"] for each in likelihoods]
    return {
        "doc_id": number,
        "doc": doc,
        "target": "0",
        "arguments": {},
        "resps": [[each] for each in given],
        "filtered_resps": given,
        **more,
    }


def test_own_replies_reimported_give_equal_figures(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = [json.loads(line) for line in (project / "data/predictions/one/first.jsonl").open(encoding="utf-8")]
    said = [json.loads(line) for line in (project / "data/predictions/one/claims.jsonl").open(encoding="utf-8")]
    plain = [{"id": row["item_id"], "reply": row["reply"], "repeat": row["repeat"]} for row in own + said]
    main(["theirs", rows(project / "replies.jsonl", plain[::-1])])  # in any order
    for task, name in (("choice", "first"), ("claim", "claims")):
        ours = json.loads((project / f"metrics/runs/{name}.json").read_text())
        theirs = json.loads((project / f"imported/theirs/{task}.json").read_text())
        assert {key: value for key, value in theirs.items() if key != "beside"} == {key: ours[key] for key in theirs if key != "beside"}
        assert theirs["beside"][0]["difference"] == 0 and theirs["beside"][0]["differ_in"] == ["elsewhere"]
    scores = [*read_jsonl(project / "data/scores/claims.jsonl", Score), *read_jsonl(project / "data/scores/first.jsonl", Score)]
    assert list(read_jsonl(project / "imported/theirs/scores.jsonl", Score)) == scores
    printed = capsys.readouterr()
    assert "choice: 40 of 40 questions" in printed.out and "claim: 12 of 12 pairs" in printed.out
    assert "plain rows, 88 replies" in printed.err


class Gone(StringIO):
    """A pipe whose reader has ended, as in `| head -1`."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(text)


def test_output_folder_is_complete_or_absent(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make repro` would track an empty one as the replies of a model."""
    half = rows(project / "half.jsonl", [{"id": f"{claim(0, '病').id}/factual", "reply": "正确"}])
    with pytest.raises(ValueError, match="non_factual"):
        main(["theirs", half])
    assert not (project / "imported/theirs").exists()
    whole = rows(project / "whole.jsonl", [{"id": question(0).id, "reply": "A"}])
    monkeypatch.setattr("sys.stdout", Gone())
    with pytest.raises(BrokenPipeError):
        main(["theirs", whole])
    made = {path.name for path in (project / "imported/theirs").iterdir()}
    assert made >= {"choice.json", "replies.jsonl", "scores.jsonl", "items.html"} and "claim.json" not in made


def test_imported_replies_act_as_a_model(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the backend `imported` predict, score, compare and report treat them as replies of a run."""
    own = list(read_jsonl(project / "data/predictions/one/first.jsonl", Prediction))
    plain = [{"id": one.item_id, "reply": one.reply, "repeat": one.repeat} for one in own[:-1]]
    main(["theirs", rows(project / "replies.jsonl", plain), "--out", "imports/models"])
    description = Description(model="theirs", backend="imported", name="imports/models/theirs")
    settings = settings_of(Run(model="theirs", task="choice"))
    requests = RequestBuilder(project / "data/splits").of_run(Run(model="theirs", task="choice"))
    queries = [ModelQuery(request=one, repeat=0, prompt="") for one in requests]
    found = {queries[index].request.item_id: reply for index, reply in open_backend(description, project).generate(queries, settings)}
    assert {item: reply.text for item, reply in found.items() if reply.error is None} == {one.item_id: one.reply for one in own[:-1]}
    assert [item for item, reply in found.items() if reply.finish_reason == "error"] == [own[-1].item_id]
    plan = project / "data/plan/theirs"
    write_json(plan / "model.json", description)
    write_json(plan / "runs.json", {"theirs-choice": Run(model="theirs", task="choice")})
    capsys.readouterr()
    predict(["theirs"])
    told = capsys.readouterr().err
    assert f"1 of {len(own)} replies are missing and count as wrong; import them together with the others" in told
    assert "dvc repro" not in told  # which would ask nobody
    before = weights_of(description)
    main(["theirs", rows(project / "replies.jsonl", plain[:-1]), "--out", "imports/models"])
    assert weights_of(description) != before
    with pytest.raises(ValueError, match="no likelihoods"):
        next(open_backend(description, project).loglikelihoods(queries, settings))
    with pytest.raises(FileNotFoundError, match=r"eval\.imported"):
        open_backend(Description(model="none", backend="imported", name="imports/models/none"), project)


def test_repeats_may_be_numbered_from_one(project: Path) -> None:
    main(["theirs", rows(project / "replies.jsonl", [{"id": Q, "reply": reply, "repeat": n} for n, reply in enumerate("AB", 1)])])
    figures = json.loads((project / "imported/theirs/choice.json").read_text())
    assert (figures["questions"], figures["accuracy"]) == (1, 0.5)


def test_reads_harness_samples_with_likelihoods_or_texts(project: Path) -> None:
    texts = [sample(2, []) | {"resps": [["答案是C。", "A"]]}, sample(3, []) | {"resps": [["A", "A"]]}]
    main(["words", rows(project / "samples_words.jsonl", texts)])
    scores = list(read_jsonl(project / "imported/words/scores.jsonl", Score))
    assert [(score.repeat, score.answer, score.correct) for score in scores] == [
        (0, "C", True),
        (1, "A", False),
        (0, "A", True),
        (1, "A", True),
    ]
    main(["likely", rows(project / "samples_kg.jsonl", [sample(3, [-1.0, -1.0, -2.0, -9.0]), sample(4, [-3.0, -1.5, -2.0, -9.0])])])
    figures = json.loads((project / "imported/likely/choice.json").read_text())
    assert (figures["questions"], figures["accuracy"], figures["following_rate"]) == (2, 1.0, 1.0)  # the first of equal ones, as there
    sides = [
        {"doc": {"id": claim(5).id, "claim": "…", "gold": gold}, "resps": [[["-1.0", "True"]], [["-2.0", "False"]]], "target": "0"}
        for gold in (0, 1)
    ]  # fmt: skip
    main(["pairs", rows(project / "samples_claims.jsonl", sides)])
    figures = json.loads((project / "imported/pairs/claim.json").read_text())
    assert (figures["pairs"], figures["accuracy"], figures["answers"]) == (1, 0.0, {"正确": 2})


def test_opencompass_predictions_are_matched_by_prompt(project: Path) -> None:
    table = [
        {"id": question(number).id, "question": f"请作答\n{question(number).stem}", "answer": question(number).answer}
        for number in range(6)
    ]
    (project / "data/release/opencompass").mkdir(parents=True)
    rows(project / "data/release/opencompass/atomexam_kg_mcqa.jsonl", table)
    turns = [
        {"role": "HUMAN", "prompt": table[0]["question"]},
        {"role": "BOT", "prompt": "A"},
        {"role": "HUMAN", "prompt": table[2]["question"]},
    ]
    (project / "atomexam_kg_mcqa_1.json").write_text(json.dumps({"1": {"origin_prompt": turns, "prediction": ["C", "B"]}}))
    main(["asked", str(project / "atomexam_kg_mcqa_1.json")])
    scores = list(read_jsonl(project / "imported/asked/scores.jsonl", Score))
    assert [(score.item_id, score.answer) for score in scores] == [(question(2).id, "C"), (question(2).id, "B")]
    weighed = {
        "0": {f"label: {letter}": {"prompt": table[1]["question"], "PPL": ppl} for letter, ppl in (("A", 2.5), ("B", 1.5))}
        | {"prediction": "B"}
    }
    (project / "atomexam_kg_mcqa.json").write_text(json.dumps(weighed))
    main(["weighed", str(project / "atomexam_kg_mcqa.json")])
    (score,) = read_jsonl(project / "imported/weighed/scores.jsonl", Score)
    assert (score.item_id, score.answer, score.correct) == (question(1).id, "B", True)
    (project / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="atomexam_kg_mcqa"):
        main(["none", str(project / "other.json")])


Q = question(0).id
BAD = {
    "item q-none": [{"id": "q-none", "reply": "A"}],
    "given twice": [{"id": Q, "reply": "A"}, {"id": Q, "reply": "B"}],
    "only one of their claims": [{"id": f"{claim(1).id}/factual", "reply": "正确"}],
    "fewer repeats": [{"id": Q, "reply": "A"}, {"id": Q, "reply": "B", "repeat": 1}, {"id": question(1).id, "reply": "A"}],
    "has repeats [1], expected [0]; each item needs one in each repeat": [
        {"id": Q, "reply": "A"},
        {"id": question(1).id, "reply": "A", "repeat": 1},
    ],
    "expected {id, reply}": [{"id": Q}],
    "expected text, a number": [{"id": Q, "reply": 3}],
    "the key is B in the file but A in the test split": [sample(3, [-1.0, -2.0, -3.0, -4.0]) | {"doc": {"id": Q, "answer": "B"}}],
    "4 options, but the sample has 2 likelihoods": [sample(3, [-1.0, -2.0])],
}


@pytest.mark.parametrize("message", BAD)
def test_rejects_mismatched_replies(project: Path, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        main(["bad", rows(project / "replies.jsonl", BAD[message])])
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"0": ' * 100_000, b"\xff", b"[]", b'{"0": 1}', b'{"x": {}}', b'{"0": {"label: A": 1}}']
)
def test_rejects_files_without_predictions(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "atomexam_mcqa.json"
    path.write_bytes(body)
    with pytest.raises(ValueError, match=r"atomexam_mcqa.json: ") as refused:
        read_replies(path, {}, {"atomexam_mcqa": []})
    assert type(refused.value) is ValueError


def test_failed_call_is_wrong_and_own_run_names_are_rejected(project: Path) -> None:
    path = rows(project / "replies.jsonl", [{"id": Q, "reply": None}, {"id": question(3).id, "reply": "A"}])
    main(["theirs", path])
    figures = json.loads((project / "imported/theirs/choice.json").read_text())
    assert (figures["accuracy"], figures["outcomes"]["failed"]) == (0.5, 1)
    with pytest.raises(ValueError, match="not the name of a run: first, second, claims"):
        main(["first", path])


@pytest.mark.slow
def test_browser_shows_imported_and_own_runs(browser, project: Path) -> None:
    failed: list[str] = []
    write_jsonl(project / "replies.jsonl", [{"id": question(number).id, "reply": "A"} for number in range(10)], key=str)
    main(["theirs", str(project / "replies.jsonl")])
    page = browser.new_page()
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto((project / "imported/theirs/items.html").as_uri() + "#run=theirs&other=first&relation=better")
    page.wait_for_selector("body[data-ready]")
    (row,) = [row for row in json.loads((project / "imported/theirs/choice.json").read_text())["beside"] if row["b"] == "first"]
    assert page.locator("#count").inner_text().startswith(f"{row['better']} of 10")  # those with a reply
    assert (page.locator("nav a").count(), failed) == (0, [])
    page.close()
