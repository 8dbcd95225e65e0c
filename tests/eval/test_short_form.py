"""Short forms: parameters and scores against other implementations, the error on models held out, and items that stay."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
import statsmodels.api as sm
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from atomexam.records.blocks import Run
from atomexam.runtime.jsonl import write_json
from eval.short_form import Form, FormItem, Parameters, choose, curve_of_others, fit, main, make_form, predicted, score


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield


def simulated(models: int, items: int, seed: int, spread: float = 0.5) -> np.ndarray:
    drawn = np.random.default_rng(seed)
    ability, difficulty, slope = drawn.normal(0.3, 1, models), drawn.normal(0, 1.3, items), np.exp(drawn.normal(0, spread, items))
    return (drawn.random((items, models)) < expit(slope[:, None] * (ability - difficulty[:, None]))).astype(float)


def test_with_many_models_parameters_are_those_of_logistic_regressions() -> None:
    right = simulated(4000, 30, 1)
    found, counts = fit(right), right.sum(axis=0)
    ability = np.log((counts + 0.5) / (30.5 - counts))
    design = sm.add_constant((ability - ability.mean()) / ability.std())
    for number in range(0, 30, 10):
        intercept, slope = sm.Logit(right[number], design).fit(disp=0).params
        assert (found.slope[number], found.intercept[number]) == pytest.approx((slope, intercept), rel=0.03, abs=0.01)


def test_a_score_is_the_mean_over_the_abilities_that_fit_the_replies() -> None:
    own = Parameters(np.array([0.7, 1.4, 1.0]), np.array([0.2, -0.5, 0.0]))
    others = Parameters(np.array([1.2, 0.9]), np.array([0.4, -0.1]))
    curve = curve_of_others(Parameters(*(np.append(a, b) for a, b in zip(own, others, strict=True))), [0, 1, 2])

    def weight(ability: float) -> float:
        chances = expit(own.slope * ability + own.intercept)
        return float(norm.pdf(ability) * chances[0] * (1 - chances[1]))  # right, wrong, no reply

    whole, _ = quad(weight, -8, 8)
    share, _ = quad(lambda at: weight(at) * expit(others.slope * at + others.intercept).mean() / whole, -8, 8)
    found = predicted(np.array([[1.0], [0.0], [np.nan]]), own, curve, 2)
    assert found[0] == pytest.approx((1 + 2 * share) / 4, abs=1e-3)
    items = [FormItem(f"q{number}", *pair) for number, pair in enumerate(zip(*own, strict=True))]
    form = Form(task="choice", models=3, others=2, error=0.0, error_at_random=0.0, curve=curve.tolist(), items=items[:2])
    assert score(form, {"q0": 1, "q1": 0, "z": 1}) == pytest.approx(found[0], abs=1e-9)
    with pytest.raises(ValueError, match="1 of the 2 items have no reply, such as q1"):
        score(form, {"q0": 1})


def test_models_that_were_not_used_are_predicted_better_than_by_a_random_draw() -> None:
    """On average over such simulations by 2.3 points, with the true parameters 2.0, from a random draw 3.4."""
    right = simulated(80, 600, 3)
    used, new = right[:, :40], right[:, 40:]
    form = make_form("choice", [f"q{number:03}" for number in range(600)], used, [("E", number % 8, "mcqa") for number in range(600)], 100)
    rows = {f"q{number:03}": row for number, row in enumerate(new)}
    off = [abs(score(form, {item: row[model] for item, row in rows.items()}) - new[:, model].mean()) for model in range(40)]
    assert np.mean(off) < 0.025 and form.error < 0.025 < 0.03 < form.error_at_random
    assert abs(form.error - np.mean(off)) < 0.006
    by_subject = np.bincount([int(item.id[1:]) % 8 for item in form.items])
    assert set(by_subject) == {12, 13}


def test_items_of_an_earlier_form_stay_and_those_that_left_are_replaced() -> None:
    right = simulated(20, 100, 4)
    strata = [("E", number % 4, "mcqa") for number in range(100)]
    names = [f"q{number:03}" for number in range(100)]
    first = make_form("choice", names, right, strata, 20)
    ids = [item.id for item in first.items]
    left = set(ids[::5])
    rows = [number for number, name in enumerate(names) if name not in left]
    second = make_form("choice", [names[row] for row in rows], right[rows], [strata[row] for row in rows], 20, ids)
    new = {item.id for item in second.items}
    assert new & set(ids) == set(ids) - left and len(new) == 20
    parameters = fit(right)
    assert choose(parameters, np.zeros(100, np.int64), 3, [7, 9, 11, 13]) == [7, 9, 11]


def test_the_error_is_that_of_the_form_with_its_earlier_items() -> None:
    """The earlier items are right by chance now: they tell little, and the stored error says so, as new models do."""
    right = simulated(80, 300, 6)
    right[:40] = np.random.default_rng(6).random((40, 80)) < 0.5
    used, new = right[:, :40], right[:, 40:]
    names = [f"q{number:03}" for number in range(300)]
    fresh, kept = (make_form("choice", names, used, [("E",)] * 300, 50, earlier) for earlier in ([], names[:40]))
    off = [abs(score(kept, dict(zip(names, column, strict=True))) - column.mean()) for column in new.T]
    assert kept.error > fresh.error + 0.01 and kept.error == pytest.approx(np.mean(off), abs=0.01)


def test_the_command_writes_a_form_of_the_runs_of_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = simulated(6, 30, 5)
    for model in range(6):
        write_json(tmp_path / f"plan/m{model}/model.json", {"model": f"m{model}", "backend": "huggingface"})
        write_json(tmp_path / f"plan/m{model}/runs.json", {f"r{model}": Run(model=f"m{model}", task="choice")})
        rows = [{"item_id": f"q{item:02}", "repeat": 0, "outcome": "answered", "answer": "A", "correct": bool(one)}
                for item, one in enumerate(right[:, model])]  # fmt: skip
        (tmp_path / "scores").mkdir(exist_ok=True)
        (tmp_path / f"scores/r{model}.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
    questions = [{"id": f"q{item:02}", "question_type": "mcqa", "exam": "E", "subject": "s", "answer": "A"} for item in range(30)]
    (tmp_path / "splits/test").mkdir(parents=True)
    (tmp_path / "splits/test/questions.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, questions)))
    flags = [f"--{name}={tmp_path / name}" for name in ("runs", "scores", "splits")]
    flags[0] = f"--runs={tmp_path / 'plan'}"
    for kept in (0, 10):
        main(["choice", "--items", "10", *flags, "--out", str(tmp_path / "form.json")])
        assert f"10 of 30 items, {kept} of the earlier form; 6 models" in capsys.readouterr().out
    with pytest.raises(ValueError, match="6 models besides baselines and 30 items; expected 3 models and more than 30 items"):
        main(["choice", "--items", "30", *flags, "--out", str(tmp_path / "other.json")])
