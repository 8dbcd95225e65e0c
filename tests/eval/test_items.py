"""Statistics of items are those of other implementations; keys turned wrong are found, and what people decide of them is done."""

import json
import warnings
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from msgspec import Raw, to_builtins
from msgspec.structs import replace
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from atomexam.records.annotation import Decision, SuspectKey
from atomexam.records.blocks import Run
from atomexam.records.claim import ClaimPair, claim_id
from atomexam.records.model import Description
from atomexam.records.prediction import Score
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, question_id
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import read_jsonl, write_json, write_jsonl
from curation import verdicts
from curation.annotation.samples import ClaimAnswer
from curation.decisions import decision_of
from curation.decisions import main as import_decisions
from curation.near_duplicates.merging import apply_decision, decision_for
from eval.items.__main__ import compared_with_people, main
from eval.items.keys import SUSPECT, key_evidence, letters_of_explanation
from eval.items.queue import Rejected as Merged
from eval.items.queue import replacements
from eval.items.replies import TaskRun, read_task
from eval.items.statistics import figures_of_test, item_figures, negative, shares_of_rest

SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]
LETTERS = "ABCD"


def simulated(models: int, items: int, turned: int, seed: int) -> tuple[np.ndarray, np.ndarray, set[int]]:
    """Return answers of models by a two-parameter logistic model, keys, and the items whose keys were turned wrong.

    Wrong answers go to three distractors that attract unequally, so that on hard items many models agree against a sound key.
    """
    drawn = np.random.default_rng(seed)
    ability, difficulty = drawn.normal(0.8, 1, models), drawn.normal(0, 1.2, items)
    slope = np.exp(drawn.normal(0, 0.3, items))
    right = drawn.random((items, models)) < 1 / (1 + np.exp(-slope[:, None] * (ability - difficulty[:, None])))
    attraction = drawn.dirichlet([1, 1, 1], items).cumsum(axis=1)
    picked = (drawn.random((items, models))[:, :, None] > attraction[:, None, :2]).sum(axis=2)
    keys = drawn.integers(0, 4, items)
    answers = np.where(right, keys[:, None], (keys[:, None] + 1 + picked) % 4)
    wrong = drawn.choice(items, turned, replace=False)
    keys[wrong] = (keys[wrong] + drawn.integers(1, 4, turned)) % 4
    return answers.astype(np.int32), keys.astype(np.int32), set(wrong.tolist())


def evidence_of(answers: np.ndarray, keys: np.ndarray) -> np.ndarray:
    right = (answers == keys[:, None]).astype(float)
    return key_evidence(answers, keys, right, np.full(len(keys), 4)).evidence.fillna(-np.inf).to_numpy()


@pytest.mark.parametrize("lost", [0.0, 0.2])
def test_figures_match_other_implementations(lost: float) -> None:
    answers, keys, _ = simulated(25, 60, 3, seed=1)
    right = (answers == keys[:, None]).astype(float)
    right[np.random.default_rng(2).random(right.shape) < lost] = np.nan
    table = item_figures(right)
    for number, row in table.iterrows():
        there = ~np.isnan(right[number])
        own, others = right[number][there], np.delete(right, number, axis=0)[:, there]
        expected = proportion_confint(own.sum(), there.sum(), method="wilson")
        assert row[["low", "high"]].to_list() == pytest.approx(expected, abs=1e-9)
        if 0 < own.mean() < 1:
            whole = np.nanmean(right[:, there], axis=0)
            assert row.point_biserial == pytest.approx(stats.pointbiserialr(own, whole).statistic, abs=1e-9)
            assert row.item_rest == pytest.approx(stats.pearsonr(own, np.nanmean(others, axis=0)).statistic, abs=1e-9)
        else:
            assert np.isnan(row.point_biserial) and np.isnan(row.item_rest)


def test_alpha_is_kuder_and_richardsons_20() -> None:
    answers, keys, _ = simulated(30, 40, 0, seed=3)
    right = (answers == keys[:, None]).astype(float)
    right[-1] = right[-2]
    shares, totals = right.mean(axis=1), right.sum(axis=0)
    kr20 = 40 / 39 * (1 - sum(p * (1 - p) for p in shares) / totals.var())
    found = figures_of_test(right)
    assert found["alpha"] == pytest.approx(kr20, abs=1e-9)
    assert found["sem"] == pytest.approx(totals.std(ddof=1) * (1 - kr20) ** 0.5 / 40, abs=1e-9)
    assert (found["floor"], found["ceiling"]) == ((shares == 0).mean(), (shares == 1).mean())
    patterns = [tuple(row) for row in right]
    alike = [one for one in patterns if patterns.count(one) > 1 and 0 < sum(one) < 30]
    assert found["same_replies"] == len(alike) / 40 >= 2 / 40
    longer = found["items_needed"] / 40
    assert longer * kr20 / (1 + (longer - 1) * kr20) >= 0.9
    assert figures_of_test(right[:, :2])["alpha"] is None and item_figures(right[:, :2]).item_rest.isna().all()


def test_wrong_keys_rank_first() -> None:
    found = []
    for seed in range(10):
        answers, keys, wrong = simulated(40, 600, 12, seed)
        evidence = evidence_of(answers, keys)
        order = np.argsort(-evidence, kind="stable").tolist()
        found.append((len(wrong & {*order[:12]}) / 12, len(wrong & {*order[:40]}) / 12, (evidence >= SUSPECT).sum()))
    precision, recall, queued = np.mean(found, axis=0)
    assert precision >= 0.8 and recall >= 0.9 and queued <= 15


def test_many_sound_items_give_few_false_alarms() -> None:
    drawn = np.random.default_rng(0)
    right = (drawn.random((600, 20)) < 0.6).astype(float)
    assert (item_figures(right).item_rest < -0.42).sum() >= 10 and not negative(item_figures(right)).any()
    right[0] = right[1:].mean(axis=0) < np.median(right[1:].mean(axis=0))
    assert np.flatnonzero(negative(item_figures(right))).tolist() == [0]


def made_score(item: str, correct: bool | None = True, repeat: int = 0, outcome: str = "answered") -> Score:
    answer = "正确" if outcome == "answered" else None
    return Score(item_id=item, repeat=repeat, outcome=outcome, answer=answer, correct=correct)


TEN = [f"q{number}" for number in range(10)]
KNOWN = [made_score(name) for name in TEN]
FAILED = [made_score(name, False, outcome="failed") for name in TEN]


@pytest.mark.parametrize(
    ("runs", "best", "found"),
    [
        ({"a-full": [made_score(name, name != "q9") for name in TEN], "a-torn": [KNOWN[0], *FAILED[1:]]}, ["a-full"], {"known": 10}),
        ({"a": KNOWN, "b": FAILED}, ["a"], {"known": 10, "silent": ["b"]}),
        ({"a": [made_score(f"p1/{side}") for side in ("factual", "non_factual")] + [made_score("p2/factual")]}, ["a"], {"known": 1}),
        (
            {"a": KNOWN, "b-varied": [made_score(name, None, at, "unparsed") for name in TEN[:5] for at in (0, 1)]},
            ["a"],
            {"consistent": [0.0] * 5 + [np.nan] * 5, "silent": ["b"]},
        ),
        ({"a": KNOWN, "b": [made_score(name, False, 0, "unparsed") for name in TEN[:5]]}, ["a", "b"], {"unparsed": [0.5] * 5 + [0.0] * 5}),
    ],
)
def test_only_received_replies_count(tmp_path: Path, runs: dict[str, list], best: list[str], found: dict) -> None:
    for name, rows in runs.items():
        write_jsonl(tmp_path / name, rows, key=lambda one: (one.item_id, one.repeat))
    for order in (1, -1):
        read = [TaskRun(name, name[0], tmp_path / name, "varied" in name) for name in [*runs][::order]]
        replies = read_task(read, ("正确", "错误"))
        assert list(replies.runs.values()) == best and replies.silent == found.get("silent", [])
        for name, expected in found.items():
            if name == "known":
                assert (~np.isnan(replies.right)).sum() == expected
            elif name != "silent":
                assert getattr(replies, name).tolist() == pytest.approx(expected, nan_ok=True)


def test_votes_ignore_model_order_and_silent_models() -> None:
    answers, keys, _ = simulated(20, 80, 4, seed=5)
    evidence = evidence_of(answers, keys)
    assert evidence_of(answers[:, ::-1], keys) == pytest.approx(evidence, abs=1e-9)
    silent = np.hstack([answers, np.full((80, 1), -1, np.int32)])
    right = np.hstack([(answers == keys[:, None]).astype(float), np.full((80, 1), np.nan)])
    again = key_evidence(silent, keys, right, np.full(80, 4)).evidence.fillna(-np.inf)
    assert again.to_list() == pytest.approx(evidence.tolist(), abs=1e-9)
    assert np.isnan(shares_of_rest(right)[:, -1]).all()


@pytest.mark.parametrize(
    ("explanation", "key", "named"),
    [
        ("A、B两项均有病理性重复体验，C项没有。因此选择C项。", "A", "C"),
        ("B项是干扰项，易误选B。本题应选择D。", "D", None),
        ("故选A。", "A", None),
        ("见教材第3页，属于C群。", "A", None),
        (None, "A", None),
    ],
)
def test_explanation_may_contradict_the_key(explanation: str | None, key: str, named: str | None) -> None:
    assert letters_of_explanation(explanation, "mcqa", dict(zip(LETTERS, "甲乙丙丁", strict=True)), key) == named


def question(number: int, key: str, explanation: str | None = None) -> Question:
    options = [Option(letter=letter, text=f"选项{number}之{name}") for letter, name in zip(LETTERS, "甲乙丙丁", strict=True)]
    stem = f"第{number}题问的是（ ）。"
    identity = question_id(None, stem, [option.text for option in options])
    about = {"exam": "PCE", "subject": "心理诊断", "question_type": "mcqa", "provenance": SEEN}
    return Question(id=identity, stem=stem, options=options, answer=key, explanation=explanation, **about)


class Folder:
    """Scores of simulated models on questions in a folder of their own, and the stage run in it."""

    def __init__(self, folder: Path, models: int, items: int = 60) -> None:
        self.folder = folder
        self.answers, keys, self.wrong = simulated(models, items, 3, seed=9)
        self.questions = [question(number, LETTERS[key]) for number, key in enumerate(keys)]
        for number in sorted({*range(items)} - self.wrong)[:1]:
            other = LETTERS[(keys[number] + 1) % 4]
            self.questions[number] = question(number, LETTERS[keys[number]], f"各项分析：A 不对。故选{other}。")
            self.explained = self.questions[number].id
        write_jsonl(folder / "splits/test/questions.jsonl", self.questions, key=lambda one: one.id)
        write_jsonl(folder / "splits/test/claims.jsonl", [], key=id)
        kept = self.questions[min(self.wrong)]
        twin = to_builtins(replace(kept, stem=kept.stem.replace("问的", "所问的"), answer="B"))
        row = Rejected(id=kept.id, kind="question", reason="near_duplicate", detail=kept.id, record=twin)
        write_jsonl(folder / "unique/rejected.jsonl", [row], key=lambda one: one.id)
        for model in range(models):
            self.run(f"m{model:02}", [LETTERS[code] for code in self.answers[:, model]])
        self.run("always-a", ["A"] * items, backend="baseline")
        for name in ("decisions.jsonl", "verdicts.jsonl"):
            (folder / name).touch()

    def run(self, model: str, answers: list[str], backend: str = "openai", repeats: int = 1, **run: object) -> None:
        write_json(self.folder / f"plan/{model}/model.json", Description(model=model, backend=backend))
        write_json(self.folder / f"plan/{model}/runs.json", {f"{model}-choice": Run(model=model, task="choice", **run)})
        scores = [
            Score(item_id=one.id, repeat=repeat, outcome="answered", answer=answer, correct=answer == one.answer)
            for repeat in range(repeats)
            for one, answer in zip(self.questions, answers, strict=True)
        ]
        write_jsonl(self.folder / f"scores/{model}-choice.jsonl", scores, key=lambda one: (one.item_id, one.repeat))

    def items(self) -> dict:
        paths = {name: name for name in ("scores", "splits", "unique", "out")} | {"runs": "plan", "metrics": "m.json"}
        paths |= {name: f"{name}.jsonl" for name in ("decisions", "verdicts")}
        main([f"--{flag}={self.folder / path}" for flag, path in paths.items()])
        return json.loads((self.folder / "m.json").read_text(encoding="utf-8"))

    def queue(self) -> list[SuspectKey]:
        return list(read_jsonl(self.folder / "out/keys.jsonl", SuspectKey))

    def fill(self, said: dict[str, tuple[str, str]], name: str = "filled.xlsx") -> Path:
        book = openpyxl.load_workbook(self.folder / "out/keys.xlsx")
        page = book.worksheets[0]
        columns = {cell.value: cell.column for cell in page[1]}
        for line in range(2, page.max_row + 1):
            if given := said.get(page.cell(line, columns["question_id"]).value):
                for column, text in zip(("verdict", "letters"), given, strict=True):
                    page.cell(line, columns[column]).value = text
        book.save(self.folder / name)
        return self.folder / name

    def decide(self, *files: Path | str) -> dict[str, Decision]:
        import_decisions([*map(str, files), f"--queue={self.folder / 'out/keys.jsonl'}", f"--decisions={self.folder / 'decisions.jsonl'}"])
        return {one.id: one for one in read_jsonl(self.folder / "decisions.jsonl", Decision)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made = Folder(tmp_path_factory.mktemp("items"), models=24)
    made.items()
    return made


@pytest.mark.parametrize("models", [8, 24])
def test_wrong_key_has_more_evidence_than_the_correct_one(models: int) -> None:
    answers, keys, wrong = simulated(models, 300, 10, seed=7)
    _, sound, _ = simulated(models, 300, 0, seed=7)
    against_wrong, against_sound = evidence_of(answers, keys), evidence_of(answers, sound)
    assert sum(against_wrong[item] > against_sound[item] for item in wrong) >= 8


def test_models_are_compared_with_people() -> None:
    drawn = np.random.default_rng(1)
    table = pd.DataFrame({"id": [f"q{number}" for number in range(60)], "right": drawn.random(60).round(1)})
    people = pd.DataFrame({"id": [*table.id[:40], "gone"], "source": "bank", "level": [1.0] * 41})
    people["pass_rate"] = [*(table.right[:40] + drawn.normal(0, 0.3, 40)).clip(0, 1), 0.5]
    found = compared_with_people(table, people)["bank"]
    expected = stats.spearmanr(people.pass_rate[:40], table.right[:40]).statistic
    assert found["pass_rate"]["items"] == 40 and found["pass_rate"]["spearman"] == pytest.approx(expected, abs=1e-4)
    reach = 1.959964 * ((1 + expected**2 / 2) / 37) ** 0.5
    assert found["pass_rate"]["interval"] == pytest.approx(np.tanh(np.arctanh(expected) + np.array([-reach, reach])), abs=1e-4)
    assert found["level"] == {"items": 40, "spearman": None, "interval": None}
    again = pd.concat([people, *[people[:1]] * 30, people[:1].assign(pass_rate=None)]).astype(object)
    assert compared_with_people(table, again)["bank"] == found  # a question counts once, however often the source has it


def test_near_duplicates_pass_human_figures_to_the_kept_question() -> None:
    rows = [Merged(key, reason, detail, Raw()) for key, reason, detail in (
        ("a", "near_duplicate", "kept"), ("b", "overruled", "kept"), ("c", "identical", "c"), ("d", "no_answer", None))]  # fmt: skip
    assert replacements(rows) == {"a": "kept"}


def test_stage_queues_wrong_keys_with_reasons(folder: Folder) -> None:
    wrong = {folder.questions[number].id for number in folder.wrong}
    rows = {row.question_id: row for row in folder.queue()}
    assert wrong | {folder.explained} <= rows.keys() and len(rows) <= 6
    first = rows[next(iter(wrong))]
    assert first.evidence >= SUSPECT and not first.weak and first.proposed != first.key and len(first.answers) == 24
    twin = folder.questions[min(folder.wrong)]
    assert rows[twin.id].twins == [f"{twin.stem.replace('问的', '所问的')} → {twin.options[1].text}"] and rows[folder.explained].twins == []
    assert any("the explanation says" in text for text in rows[folder.explained].because)
    figures = folder.items()["tasks"]["choice"]
    assert figures["models"] == 24 and figures["items"] == 60 and figures["enough_models"] and "always-a" not in figures["runs"]
    [item] = [json.loads(line) for line in (folder.folder / "out/items.jsonl").read_text().splitlines() if first.question_id in line]
    assert item["stronger_use"][LETTERS.index(first.proposed)] > item["stronger_use"][LETTERS.index(first.key)]
    groups = [json.loads(line) for line in (folder.folder / "out/groups.jsonl").read_text().splitlines()]
    assert {(row["by"], row["name"]) for row in groups} == {("type", "mcqa"), ("exam", "PCE"), ("subject", "心理诊断"), ("source", "toy")}
    assert groups[0]["alpha"] == figures["alpha"]


def test_decisions_apply_in_the_next_version(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    wrong, other, *more = [row.question_id for row in folder.queue()]
    rows = {row.question_id: row for row in folder.queue()}
    said = {wrong: ("key_wrong", rows[wrong].proposed), other: ("ambiguous", ""), more[0]: ("key_right", "")}
    decisions = folder.decide(folder.fill(said))
    assert "3 new decisions, 0 changed" in capsys.readouterr().out
    folder.decide(folder.fill(said))
    assert "0 new decisions, 0 changed, 3 as before, 0 skipped" in capsys.readouterr().out
    second = folder.fill({other: ("drop", "")}, "second.xlsx")
    with pytest.raises(ValueError, match=f"{other}: ambiguous -> drop"):
        folder.decide(second)
    assert folder.decide(second, "--replace")[other].withdrawn == "drop"
    folder.decide(folder.fill(said), "--replace")
    capsys.readouterr()
    decided = {one.id: one for one in folder.questions if one.id in said}  # what `near_duplicates` does with them
    assert decision_for([decided[other]], decisions).withdrawn == "ambiguous"
    for item, answer in ((wrong, rows[wrong].proposed), (more[0], rows[more[0]].key)):
        assert apply_decision([decided[item]], decision_for([decided[item]], decisions), 3).best.answer == answer
    assert folder.items()["decided"] == 3
    assert not {wrong, other, more[0]} & {row.question_id for row in folder.queue()}
    assert folder.decide(second) == decisions
    told = capsys.readouterr().out
    assert "is not in the queue; here: drop ; decided before: ambiguous" in told and "0 as before, 1 skipped" in told
    (folder.folder / "decisions.jsonl").write_bytes(b"")
    with pytest.raises(ValueError, match="nothing was imported: no row is in the queue"):
        folder.decide(second)
    folder.items()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("key_wrong", ""), "key_wrong with the letters none"),
        (("key_wrong", "F"), "expected the letters of the correct options, from ABCD"),
        (("key_wrong", "key"), "expected the letters of the correct options"),
        (("key_wrong", "C and D"), "filled.xlsx.*letters is 'C and D'"),
        (("key_wrong", "not B but C"), "letters is"),
        (("key_wrong", "A-C"), "letters is"),
        (("key_right", "AB"), "clear the letters, or choose key_wrong"),
        (("wrong", ""), "expected key_right, key_wrong, ambiguous, drop"),
    ],
)
def test_rejects_invalid_decisions(folder: Folder, said: tuple[str, str], told: str) -> None:
    row = folder.queue()[0]
    with pytest.raises(ValueError, match=told):
        folder.decide(folder.fill({row.question_id: (said[0], row.key if said[1] == "key" else said[1])}))
    assert (folder.folder / "decisions.jsonl").read_bytes() == b""


@pytest.mark.parametrize("letters", ["ac", "A, C", "Ａ、Ｃ", "A；C", "C/A", '["A", "C"]', '{"choices":["A","C"]}'])
def test_letters_may_be_written_in_several_ways(folder: Folder, letters: str) -> None:
    row = folder.queue()[0]
    one = ClaimAnswer("x", row.question_id, row.question, None, "key_wrong", "", letters)
    assert decision_of(one, {row.question_id: row}).right == sorted(row.options[letter] for letter in "AC")


def test_two_people_must_agree(folder: Folder) -> None:
    item = folder.queue()[0].question_id
    with pytest.raises(ValueError, match="ambiguous elsewhere and drop here; agree on one"):
        folder.decide(folder.fill({item: ("ambiguous", "")}), folder.fill({item: ("drop", "")}, "other.xlsx"))


def test_imports_decisions_from_label_studio(folder: Folder, tmp_path: Path) -> None:
    tasks = json.loads((folder.folder / "out/label_studio.json").read_text(encoding="utf-8"))
    row = folder.queue()[0]
    letters = [letter for letter in LETTERS if letter != row.key][:2]
    given = [("verdict", {"choices": ["key_wrong"]}), ("letters", {"choices": letters}), ("comment", {"text": ["看书"]})]
    result = [{"from_name": name, "to_name": "question", "value": value} for name, value in given]
    whole = [{"id": 1, **tasks[0], "annotations": [{"completed_by": 1, "result": result}]}]
    small = [tasks[0]["data"] | {"annotator": 1, "verdict": "key_wrong", "letters": {"choices": letters}, "comment": "看书"}]
    for form in (whole, small):
        (tmp_path / "export.json").write_text(json.dumps(form), encoding="utf-8")
        [decision] = folder.decide(tmp_path / "export.json").values()
        assert decision == Decision(id=row.question_id, right=sorted(row.options[letter] for letter in letters), note="看书")
        (folder.folder / "decisions.jsonl").write_bytes(b"")


@pytest.mark.slow
def test_label_studio_accepts_the_project(folder: Folder) -> None:
    from label_studio_sdk.label_interface import LabelInterface

    config = LabelInterface((folder.folder / "out/label_studio.xml").read_text(encoding="utf-8"))
    config.validate()
    for task in json.loads((folder.folder / "out/label_studio.json").read_text(encoding="utf-8")):
        assert config.validate_task({"data": task["data"]})


def test_few_models_are_reported_as_weak(tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture) -> None:
    eight = Folder(tmp_path / "eight", models=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not eight.items()["tasks"]["choice"]["enough_models"]
        assert all(row.weak for row in eight.queue()) and "fewer than 19 they are weak" in caplog.text
        assert any("weak with so few models: 19 are needed" in text for row in eight.queue() for text in row.because)
        one = Folder(tmp_path / "one", models=1).items()
        assert one["tasks"]["choice"]["alpha"] is None and one["queued_keys"] == 1
        nobody = Folder(tmp_path / "nobody", models=0).items()
    assert nobody["tasks"] == {} and nobody["runs_of_baselines"] == 1
    assert "the 1 run of baselines say nothing about an item: add a model" in capsys.readouterr().err
    shown = [(tmp_path / name / "out/index.html").read_text(encoding="utf-8") for name in ("eight", "one", "nobody")]
    assert all("<main>" in page and "Floor and ceiling are" in page and "item_rest" not in page for page in shown)
    assert [page.count('tabindex="0" aria-label=') for page in shown] == [3, 2, 0] == [page.count("<table") for page in shown]
    assert "<p>Few models" in shown[0] and ">Same replies as another item<" in shown[0] and "\u00a0%</td>" in shown[0]


def test_key_contradicted_by_few_models_is_weak_and_last(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    six = Folder(tmp_path, models=6)
    contradicted = six.questions[min({*range(60)} - six.wrong - {one for one in range(60) if six.questions[one].explanation})]
    other = "D" if contradicted.answer == "A" else "A"
    for model in range(6):
        known = zip(six.questions, six.answers[:, model], strict=True)
        six.run(f"m{model:02}", [other if one is contradicted else LETTERS[code] for one, code in known])
    figures = six.items()["tasks"]["choice"]
    row, *_ = [row for row in six.queue() if row.question_id == contradicted.id]
    assert (
        row.evidence < SUSPECT and row.weak and row.proposed == other and row.because[0].startswith(f"6 models of 6 say {other}, 0 the key")
    )
    assert figures["agreed"] >= 1 and f"{figures['agreed']} item" in caplog.text
    assert contradicted.id in [one.question_id for one in six.queue()[-figures["agreed"] :]] and figures["suspect"] < len(six.queue())
    assert "all models agree on another answer" in (tmp_path / "out/index.html").read_text(encoding="utf-8")


def test_best_run_of_a_model_counts(tmp_path: Path) -> None:
    folder = Folder(tmp_path, models=3, items=8)
    known = [one.answer for one in folder.questions]
    folder.run("m00", known, repeats=2, orders=2)
    scores = list(read_jsonl(tmp_path / "scores/m00-choice.jsonl", Score))
    changed = Score(item_id=scores[1].item_id, repeat=1, outcome="truncated", answer=None, correct=False)
    write_jsonl(tmp_path / "scores/m00-choice.jsonl", [scores[0], changed, *scores[2:]], key=lambda one: (one.item_id, one.repeat))
    runs = {name: Run(model="m01", task="choice") for name in ("m01-choice", "m01-other")}
    write_json(tmp_path / "plan/m01/runs.json", runs)
    perfect = [Score(item_id=one.id, repeat=0, outcome="answered", answer=one.answer, correct=True) for one in folder.questions]
    write_jsonl(tmp_path / "scores/m01-other.jsonl", perfect, key=lambda one: one.item_id)
    figures = folder.items()["tasks"]["choice"]
    assert figures["runs"]["m01"] == "m01-other"
    items = [json.loads(line) for line in (tmp_path / "out/items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(item["consistent"] for item in items) == [0.0] + [1.0] * 7
    [torn] = [item for item in items if item["id"] == changed.item_id]
    assert (torn["omitted"], figures["omitted"]) == pytest.approx((0.5 / 3, 0.5 / 3 / 8), abs=1e-8)


def test_claims_denied_by_better_models_are_queued(tmp_path: Path) -> None:
    folder = Folder(tmp_path, models=0)
    claims = []
    for number in range(20):
        sides = f"病{number}的症状包括热", f"病{number}的症状不包括热"
        claims.append(ClaimPair(
            id=claim_id(*sides), atomic_type="disease_symptom", head=f"病{number}", tail="热", factual=sides[0], non_factual=sides[1],
            template_id="toy", fact_ids=["f"], provenance=SEEN,
        ))  # fmt: skip
    write_jsonl(tmp_path / "splits/test/claims.jsonl", claims, key=lambda one: one.id)
    for model in range(20):
        name = f"m{model:02}"
        write_json(tmp_path / f"plan/{name}/model.json", Description(model=name, backend="openai"))
        write_json(tmp_path / f"plan/{name}/runs.json", {f"{name}-claims": Run(model=name, task="claim")})
        scores = []
        for number, one in enumerate(claims):
            truth = number > 0 and (number + model) % 20 < model  # better models know more; nobody believes the first claim
            for side, right in (("factual", "正确"), ("non_factual", "错误")):
                answer = right if truth else {"正确": "错误", "错误": "正确"}[right]
                scores.append(Score(item_id=f"{one.id}/{side}", repeat=0, outcome="answered", answer=answer, correct=truth))
        write_jsonl(tmp_path / f"scores/{name}-claims.jsonl", scores, key=lambda one: one.item_id)
    assert folder.items()["queued_claims"] >= 1
    book = openpyxl.load_workbook(tmp_path / "out/claims.xlsx")
    page = book.worksheets[0]
    assert [cell.value for cell in page[2]][:3] == [claims[0].id, "disease_symptom", claims[0].factual]
    page.cell(2, 4).value = "refute"
    book.save(tmp_path / "first.xlsx")
    verdicts.main(
        [str(tmp_path / "first.xlsx"), f"--claims={tmp_path / 'splits/test/claims.jsonl'}", f"--verdicts={tmp_path / 'verdicts.jsonl'}"]
    )
    assert '"refute"' in (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8")
    folder.items()
    assert claims[0].id not in [row[0].value for row in openpyxl.load_workbook(tmp_path / "out/claims.xlsx").worksheets[0].iter_rows()]
