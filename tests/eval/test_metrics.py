"""Figures against arithmetic by hand: what counts, in which denominator, what an interval draws, and what is known of fourfold facts."""

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.blocks import Run
from atomexam.records.claim import SENTENCES, ClaimPair, Fourfold
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.jsonl import write_jsonl
from eval.score.__main__ import score_replies
from eval.score.metrics import FIGURES, best_rule, choice_figures, claim_figures, essay_figures, rate, read_scores, wording_rules
from eval.statistics.bootstrap import Figures, difference, rate_interval, sign_test
from eval.tasks import claim
from eval.tasks.request import Request
from eval.tasks.runs import TASKS, RequestBuilder
from tests.eval.conftest import toy_request

Cell = tuple[str, str, str, str]


def request(item: str, kind: str = "mcqa", answer: str | None = "A", unit: str | None = None, **facets: str) -> Request:
    about = {"related_ids": frozenset({item}), "unit": unit or item, "facets": {"question_type": kind} | facets}
    return toy_request(item, answers="ABCD", question_type=kind, answer=answer, reader=kind, **about)


def sides(number: int, kind: str = "disease_symptom", head: str = "病") -> list[Request]:
    """Return the two requests of a pair."""
    answers = {"factual": "正确", "non_factual": "错误"}
    return [request(f"c{number}/{side}", "claim", answers[side], f"c{number}", side=side, atomic_type=kind, head=head) for side in answers]


def score(asked: Request, answer: str | None, repeat: int = 0, outcome: str = "answered") -> Score:
    correct = None if asked.answer is None else answer == asked.answer
    return Score(item_id=asked.item_id, repeat=repeat, outcome=outcome if answer is None else "answered", answer=answer, correct=correct)


def claim_run(answers: list[list[tuple[str | None, str | None]]]) -> dict:
    """Return figures; one list of answers to factual and non-factual claim a repeat."""
    pairs = [sides(number) for number in range(len(answers[0]))]
    scores = [
        score(side, said, repeat, "unparsed")
        for repeat, row in enumerate(answers)
        for pair, both in zip(pairs, row, strict=True)
        for side, said in zip(pair, both, strict=True)
    ]
    return claim_figures(read_scores(scores, [side for pair in pairs for side in pair]))


PAIRS = [("正确", "错误", 1, 1, 1), ("正确", "正确", 1, 0, 0), ("错误", "正确", 1, 0, 0), ("正确", None, 0, 0, 1), ("错误", None, 0, 0, 0)]


@pytest.mark.parametrize(("factual", "non_factual", "follows", "right", "at_most"), PAIRS)
def test_a_pair_needs_both_sides(factual, non_factual, follows: int, right: int, at_most: int) -> None:
    figures = claim_run([[(factual, non_factual)] * 3])
    assert (figures["following_rate"], figures["accuracy"], figures["accuracy_at_most"]) == (follows, right, at_most)
    assert figures["accuracy_at_least"] == right


def test_repeats_give_mean_and_deviation_and_sides_tell_the_sycophant() -> None:
    figures = claim_run([[("正确", "错误"), ("正确", "错误")], [("正确", "错误"), ("正确", "正确")]])
    assert (figures["accuracy"], figures["accuracy_std"]) == (0.75, 0.35355339)
    assert (figures["following_rate"], figures["following_rate_std"]) == (1.0, 0.0)
    assert {side: part["accuracy"] for side, part in figures["by_side"].items()} == {"factual": 1.0, "non_factual": 0.75}
    assert figures["answers"] == {"正确": 5, "错误": 3}


@pytest.mark.parametrize(("right", "of", "shown"), [(63, 97, "64.9"), (25, 50_021, "0.0"), (65, 100, "65.0")])
def test_a_percentage_is_rounded_once(right: int, of: int, shown: str) -> None:
    """0.64948… with four digits would be 0.6495, and that 65.0 %."""
    figures = rate("accuracy", np.arange(of)[:, np.newaxis] < right, {})
    assert f"{100 * figures['accuracy']:.1f}" == shown


def test_types_are_apart_and_heads_are_drawn_whole() -> None:
    """Ten heads of ten pairs each, all right or all wrong: hundred pairs say no more than ten heads."""
    asked = [side for n in range(100) for side in sides(n, ("disease_cause", "disease_symptom")[n % 2], f"病{n // 10}")]
    scores = [score(one, "正确" if int(one.item_id[1:].split("/")[0]) < 50 else one.answer) for one in asked]
    figures = claim_figures(read_scores(scores, asked))
    assert figures["pairs"] == 100 and figures["accuracy"] == 0.5
    pairs, heads = (figures[f"accuracy_interval{ending}"] for ending in ("", "_by_head"))
    assert pairs == pytest.approx([0.4, 0.6], abs=0.01)
    assert heads[0] < 0.2 and heads[1] > 0.8
    assert {name: part["pairs"] for name, part in figures["by_type"].items()} == {"disease_cause": 50, "disease_symptom": 50}


def choices(*cells: Cell) -> tuple[list[Request], list[Score]]:
    """Return requests and scores; a cell is question type, category, right answer and answer."""
    asked = [request(f"q{n:03}", kind, gold or None, category=category) for n, (kind, category, gold, _) in enumerate(cells)]
    return asked, [score(one, cell[3] or None, outcome="truncated") for one, cell in zip(asked, cells, strict=True)]


def test_choices_count_all_that_was_asked() -> None:
    """The published CPsyExam scorer divides by the answered: one right of three with two unread gives 100 % there."""
    asked, scores = choices(("mcqa", "kg", "A", "A"), ("mcqa", "kg", "B", ""), ("mrqa", "ca", "AC", ""), ("mrqa", "ca", "AB", "AC"))
    figures = choice_figures(read_scores(scores, asked))
    assert [figures[name] for name in ("following_rate", "accuracy_at_least", "accuracy", "accuracy_at_most", "avg")] == [
        0.5, 0.25, 0.25, 0.75, 0.25,
    ]  # fmt: skip
    assert figures["outcomes"] == {"answered": 2, "unparsed": 0, "truncated": 2, "failed": 0}
    by_category = {name: part["chance"] for name, part in figures["by_category"].items()}
    assert (figures["chance"], by_category) == (0.17045455, {"kg": 0.25, "ca": 0.09090909})  # 1 of 4 letters, 1 of 11 sets of two or more
    assert {name: part["accuracy"] for name, part in figures["by_category_and_type"].items()} == {"kg mcqa": 0.5, "ca mrqa": 0.0}


def test_hidden_answers_are_asked_and_in_no_accuracy() -> None:
    asked, scores = choices(("mcqa", "kg", "A", "A"), ("mcqa", "kg", "", "B"), ("mcqa", "kg", "", ""))
    figures = choice_figures(read_scores(scores, asked))
    assert (figures["questions"], figures["unscored"]) == (3, 2)
    assert (figures["following_rate"], figures["accuracy"], figures["avg"]) == (0.66666667, 1.0, 1.0)
    assert figures["letters"] == {"mcqa": {"answered": {"A": 1}, "gold": {"A": 1}}}
    assert sum(figures["outcomes"].values()) == 3


def test_all_hidden_and_nothing_asked_give_no_accuracy() -> None:
    figures = choice_figures(read_scores(*reversed(choices(("mcqa", "kg", "", "A")))))
    assert (figures["accuracy"], figures["accuracy_at_least"], figures["following_rate"]) == (None, None, 1.0)
    assert claim_figures(read_scores([], []))["accuracy"] is None
    assert choice_figures(read_scores([], []))["accuracy"] is None


def test_answers_in_words_are_counted_and_left_to_the_judge() -> None:
    asked = [request(f"q{n}", "qa") for n in range(4)]
    figures = essay_figures(read_scores([score(one, None if n else "一段话", outcome="truncated") for n, one in enumerate(asked)], asked))
    assert (figures["questions"], figures["following_rate"], "accuracy" in figures) == (4, 0.25, False)
    assert set(FIGURES) == set(TASKS)


def test_groups_are_right_as_a_whole_and_by_form() -> None:
    forms = {"g1": "a3", "g2": "a3", "g3": "b1"}
    asked = [request(f"{unit}-{n}", unit=unit, form=form) for unit, form in forms.items() for n in range(3)]
    wrong = {"g2-1"}
    figures = choice_figures(read_scores([score(one, "B" if one.item_id in wrong else "A") for one in asked], asked))
    assert figures["groups"]["groups"] == 3 and figures["groups"]["accuracy"] == 0.66666667
    assert {form: (part["groups"], part["accuracy"]) for form, part in figures["groups"]["by_form"].items()} == {
        "a3": (2, 0.5),
        "b1": (1, 1.0),
    }
    assert figures["by_form"]["a3"]["accuracy"] == 0.83333333


def test_a_group_with_a_hidden_answer_is_not_known_to_be_right() -> None:
    """One of its questions may be wrong: it is in no group accuracy, and counted, as a single hidden question is."""
    asked = [
        request(f"{unit}-{n}", unit=unit, form="a3", answer="A" if unit == "g1" or n else None) for unit in ("g1", "g2") for n in range(3)
    ]
    found = choice_figures(read_scores([score(one, "A" if one.unit == "g2" else "B") for one in asked], asked))["groups"]
    assert (found["groups"], found["questions"], found["unscored"], found["accuracy"]) == (2, 6, 1, 0.0)
    assert found["by_form"]["a3"]["unscored"] == 1
    known = [one for one in asked if one.unit == "g1"]
    assert "unscored" not in choice_figures(read_scores([score(one, "A") for one in known], known))["groups"]


def test_repeats_that_say_the_same_change_no_interval() -> None:
    """Three times the same replies are no more questions: rates and intervals stay, and the deviation is 0."""
    asked = [request(f"q{n:02}", unit=f"g{n // 2}", subject=f"s{n % 5}") for n in range(30)]
    once, thrice = (
        choice_figures(
            read_scores([score(one, "A" if n % 3 else None, repeat) for n, one in enumerate(asked) for repeat in range(repeats)], asked)
        )
        for repeats in (1, 3)
    )
    names = [name for name in once if name.startswith(("accuracy", "following_rate"))]
    assert len([name for name in names if "_interval" in name]) == 4
    assert {name: thrice[name] for name in names} == {name: once[name] for name in names}
    assert thrice["accuracy_std"] == thrice["following_rate_std"] == 0.0


def test_the_tcm_examination_is_no_part_of_cpsyexams_average() -> None:
    asked = [msgspec.structs.replace(request(f"q{n}"), reader="tcm") for n in range(3)]
    assert "avg" not in FIGURES["tcm"](read_scores([score(one, "A") for one in asked], asked))
    both = [*asked, request("q3"), request("q4", "mrqa", "AB")]
    assert choice_figures(read_scores([score(one, "A") for one in both], both))["avg"] == 0.5


def test_cases_are_drawn_whole_and_subjects_on_demand() -> None:
    """Forty cases of five questions, all right or all wrong, in four subjects."""
    asked = [request(f"q{n:03}", unit=f"g{n // 5:02}", subject=f"PCE {n % 4}", form="a3") for n in range(200)]
    scores = [score(one, "A" if int(one.unit[1:]) % 2 else "B") for one in asked]
    figures = choice_figures(read_scores(scores, asked))
    low, high = figures["accuracy_interval"]
    assert (low, high) == pytest.approx((0.35, 0.65), abs=0.02)  # 40 tosses, not 200
    assert figures["accuracy_interval_by_subject"] != [low, high]
    assert "accuracy_interval_by_subject" not in figures["by_subject"]["PCE 0"]


outcomes = st.sampled_from([("answered", "A"), ("answered", "B"), ("unparsed", None), ("truncated", None), ("failed", None)])


@pytest.mark.slow
@given(st.lists(st.tuples(outcomes, st.sampled_from(["A", "AB", None])), min_size=1, max_size=25), st.randoms())
def test_figures_do_not_depend_on_order_and_bounds_hold(drawn, random) -> None:
    asked = [request(f"q{n}", answer=gold, unit=f"g{n // 3}", subject=f"s{n % 2}") for n, (_, gold) in enumerate(drawn)]
    scores = [score(one, answer, outcome=outcome) for one, ((outcome, answer), _) in zip(asked, drawn, strict=True)]
    figures = choice_figures(read_scores(scores, asked))
    assert figures == choice_figures(read_scores(random.sample(scores, len(scores)), random.sample(asked, len(asked))))
    if figures["accuracy"] is not None:
        assert 0 <= figures["accuracy_at_least"] == figures["accuracy"] <= figures["accuracy_at_most"] <= 1
    for low, high in (value for name, value in figures.items() if "_interval" in name):
        assert 0 <= low <= high <= 1
    assert sum(figures["outcomes"].values()) == len(drawn)


def test_a_score_that_lacks_or_was_not_asked_is_told() -> None:
    asked, scores = choices(("mcqa", "kg", "A", "A"), ("mcqa", "kg", "A", "A"))
    with pytest.raises(ValueError, match=r"q001 has repeats \[\], expected \[0\]"):
        choice_figures(read_scores(scores[:1], asked))
    with pytest.raises(ValueError, match="'q001' is not in it"):
        choice_figures(read_scores(scores, asked[:1]))


@pytest.mark.slow
def test_a_benchmark_of_the_papers_size_is_counted_at_once() -> None:
    """28,096 claims asked twice, all intervals: seconds of CPU, since clusters that look alike are drawn by their number."""
    asked = [side for n in range(14_048) for side in sides(n, f"type{n % 17:02}", f"病{n // 9}")]
    scores = [score(one, "正确" if n % 3 else "错误", repeat) for n, one in enumerate(asked) for repeat in range(2)]
    start = time.process_time()
    figures = claim_figures(read_scores(scores, asked))
    print(f"{time.process_time() - start:.2f} s CPU")
    assert figures["pairs"] == 14_048 and len(figures["by_type"]) == 17


@pytest.mark.parametrize("prompt", claim.TASK.prompts)
def test_wording_rules_are_right_where_a_negation_gives_the_answer_away(prompt: str) -> None:
    """Three pairs whose true sentence is negated, and one whose false one is, in every wording."""
    pairs = [claim_pair(f"c{n}", "disease_food", f"病{n}忌吃菜", f"病{n}宜吃菜") for n in range(3)]
    pairs.append(claim_pair("c3", "disease_infectivity", "病3具有传染性", "病3不具有传染性"))
    accuracies = {"negation_word": 0.25, "negation_affirmed": 0.75, "negation_by_type": 1.0}
    asked = claim.requests([], pairs, prompt)
    grid = read_scores([score(one, "正确") for one in asked], asked)
    assert wording_rules(grid) == accuracies and best_rule(accuracies) == {"rule": "negation_by_type", "accuracy": 1.0}
    assert claim_figures(read_scores([], []))["wording"] == {"rule": "negation_word", "accuracy": None}


def claim_pair(name: str, kind: str, factual: str, other: str) -> ClaimPair:
    words = {"head": "病", "tail": "菜", "template_id": "t", "fact_ids": [], "provenance": []}
    return ClaimPair(id=name, atomic_type=kind, factual=factual, non_factual=other, **words)


def row(number: int) -> Fourfold:
    head, tail, other = f"病{number}", f"症{number}", f"症{(number + 1) % 10}"
    sentences = {
        name: f"{head}的常见症状{'不' * name.endswith('denied')}包括{tail if name.startswith('true') else other}" for name in SENTENCES
    }
    return Fourfold(
        id=f"fourfold-{number}", atomic_type="disease_symptom", head=head, tail=tail, false_head=head, false_tail=other, **sentences,
        fact_ids=[f"fact-{number}"], false_fact_ids=[f"fact-{(number + 1) % 10}"], provenance=[],
    )  # fmt: skip


ROWS = [row(number) for number in range(10)]


def figures(says: Callable[[Request], str]) -> Figures:
    asked = TASKS["fourfold"].requests([], ROWS, "claim")
    replies = [
        Prediction(item_id=one.item_id, run="r", repeat=0, prompt_sha256="0", reply=says(one), finish_reason="stop", tokens=1)
        for one in asked
    ]
    return FIGURES["fourfold"](read_scores(score_replies(replies, asked), asked))


def other(verdict: str | None) -> str:
    return "错误" if verdict == "正确" else "正确"


@pytest.mark.parametrize(
    ("says", "known", "sentences", "true_side", "pattern", "bias"),
    [
        (lambda one: one.answer, 1.0, 1.0, 1.0, "known", 0),
        (lambda one: other(one.answer), 0.0, 0.0, 0.0, "reversed", 0),
        (lambda one: "正确", 0.0, 0.5, 0.0, "always_right", -1),
        (lambda one: "错误", 0.0, 0.5, 0.0, "always_wrong", 1),
        (lambda one: "错误" if "不" in one.claim else "正确", 0.0, 0.5, 1.0, "by_negation", 0),
        (lambda one: "正确" if "不" in one.claim else "错误", 0.0, 0.5, 0.0, "against_negation", 0),
        (lambda one: "错误" if one.facets["side"] == "true_affirmed" else one.answer, 0.0, 0.75, 0.0, "contradiction", 1),
        (lambda one: "不清楚", 0.0, 0.0, 0.0, "unanswered", 0),
    ],
)
def test_a_scripted_model_gets_its_figures(says, known: float, sentences: float, true_side: float, pattern: str, bias: int) -> None:
    made = figures(says)
    assert (made["facts"], made["accuracy"], made["sentence_accuracy"], made["true_side"]) == (10, known, sentences, true_side)
    assert made["patterns"][pattern] == 1.0 and sum(made["patterns"].values()) == 1.0
    criterion = made["detection"]["criterion"]
    assert (criterion > 0.1) - (criterion < -0.1) == bias
    assert made["by_type"]["disease_symptom"]["accuracy"] == known


def test_who_knows_six_of_ten_facts_knows_six_of_ten() -> None:
    made = figures(lambda one: one.answer if int(one.unit[-1]) < 6 else "正确")
    assert (made["accuracy"], made["sentence_accuracy"]) == (0.6, 0.8)
    assert made["detection"]["hits"] == 1.0 and made["detection"]["false_alarms"] == 0.4
    for part in (made, made["by_type"]["disease_symptom"]):
        low, high = part["accuracy_interval_by_head"]
        assert low < 0.6 < high and (part["true_side"], part["false_side"]) == (0.6, 0.6)


def test_few_shot_examples_take_turns_and_are_of_other_facts(tmp_path: Path) -> None:
    for split, rows in {"train": ROWS[:6], "dev": [], "test": ROWS[6:]}.items():
        write_jsonl(tmp_path / split / "fourfold.jsonl", rows, key=lambda row: row.id)
    for one in RequestBuilder(tmp_path).of_run(Run(model="m", task="fourfold", shots=4)):
        said = [message["content"] for message in one.messages if message["role"] == "assistant"]
        assert sorted(said) == ["正确", "正确", "错误", "错误"]


RANDOM_SEED = 11


def ints(values) -> np.ndarray:
    return np.asarray(values, np.int64)


def test_clusters_of_one_give_scipys_percentile_interval() -> None:
    """Two hundred units apart, far from 0 and 1: what is done beside drawing makes no difference."""
    right = ints(np.random.default_rng(1).random(200) < 0.7)
    mine = rate_interval(right, np.ones_like(right))
    theirs = scipy.stats.bootstrap(
        (right,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert mine == pytest.approx(tuple(theirs), abs=0.011)  # steps of 1 in 200


def test_drawing_kinds_is_drawing_clusters() -> None:
    """The shortcut has the distribution of drawing clusters one by one: same quantiles, up to the noise of the draws."""
    random = np.random.default_rng(3)
    counts = random.integers(1, 6, 60)
    less = random.binomial(counts, 0.5) - random.binomial(counts, 0.4)
    picked = random.integers(0, 60, (40_000, 60))
    drawn = less[picked].sum(axis=1) / counts[picked].sum(axis=1)
    effective = counts.sum() ** 2 / (counts**2).sum()
    tail = scipy.stats.norm.cdf(np.sqrt(effective / (effective - 1)) * scipy.stats.t.ppf(0.025, effective - 1))
    assert difference(less, counts, "x").interval == pytest.approx(np.quantile(drawn, [tail, 1 - tail]), abs=0.008)


def test_few_clusters_are_widened_to_students_interval() -> None:
    """Which the plain percentile interval falls short of; in the middle of the scale the logit makes no difference."""
    sums = ints([10, 14, 18, 22, 26, 30, 34, 38])
    student = scipy.stats.t.interval(0.95, 7, (sums / 48).mean(), scipy.stats.sem(sums / 48))
    for low, high in (rate_interval(sums, np.full(8, 48)), difference(sums, np.full(8, 48), "x").interval):
        assert high - low == pytest.approx(student[1] - student[0], rel=0.05)


def test_near_the_edge_the_interval_is_close_to_wilsons() -> None:
    """Three of a hundred: the quantiles of the draws would reach 0, which three right answers rule out."""
    low, high = rate_interval(ints([1] * 3 + [0] * 97), np.ones(100, np.int64))
    wilson = scipy.stats.binomtest(3, 100).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((wilson.low, wilson.high), abs=0.007)  # 0.006 without the noise of the draws


@pytest.mark.parametrize("clusters", [2, 5, 100])
def test_where_all_are_alike_the_binomial_bound_stands_in(clusters: int) -> None:
    ones = np.ones(clusters, np.int64)
    exact = scipy.stats.binomtest(clusters, clusters).proportion_ci(method="exact")
    assert rate_interval(ones, ones) == pytest.approx((exact.low, 1.0))
    assert rate_interval(0 * ones, ones) == pytest.approx((0.0, 1 - exact.low))


def test_clusters_that_are_alike_in_the_middle_are_not_certain_either() -> None:
    """Six pairs asked twice, each right once: as many may be unlike them as of six that are right, and be right twice or never."""
    unlike = 1 - scipy.stats.binomtest(6, 6).proportion_ci(method="exact").low
    assert rate_interval(np.full(6, 1), np.full(6, 2)) == pytest.approx((0.5 - unlike / 2, 0.5 + unlike / 2))


def test_equal_sums_and_counts_have_an_equal_interval_in_any_order() -> None:
    sums, counts = ints([0, 1, 2, 1, 0, 2]), ints([1, 1, 2, 2, 2, 4])
    assert rate_interval(sums, counts) == rate_interval(sums[::-1], counts[::-1])


def test_a_cluster_that_is_nearly_everything_is_nearly_all_there_is() -> None:
    """A hundred right answers, 96 of them in one case, bound the rate less than five cases of twenty do."""
    uneven, even = ints([96, 1, 1, 1, 1]), ints([20] * 5)
    assert rate_interval(uneven, uneven)[0] < 0.1 < 0.47 < rate_interval(even, even)[0]
    wrong = ints([0, 1, 0, 0, 1])
    assert rate_interval(uneven - wrong, uneven)[0] < 0.1


def test_one_cluster_tells_nothing() -> None:
    assert rate_interval(ints([3]), ints([4])) is None
    assert difference(ints([1]), ints([4]), "x") == (None, 1.0)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(3, 5)), min_size=2, max_size=20), st.randoms())
def test_the_order_of_clusters_does_not_matter_and_the_rate_lies_between(drawn, random) -> None:
    mixed = random.sample(drawn, len(drawn))
    low, high = rate_interval(*ints(drawn).T)
    assert (low, high) == rate_interval(*ints(mixed).T)
    rate = ints(drawn)[:, 0].sum() / ints(drawn)[:, 1].sum()
    assert 0 <= low <= rate <= high <= 1


def coverage(clusters: int, share: float, size: int, runs: int = 500) -> float:
    """Return how often the interval holds the true rate, where the items of a cluster have a rate of their own."""
    random = np.random.default_rng(RANDOM_SEED)
    hits = 0
    for _ in range(runs):
        counts = random.integers(1, size + 1, clusters)
        own = random.beta(3 * share, 3 * (1 - share), clusters)
        low, high = rate_interval(random.binomial(counts, own), counts, draws=2000)
        hits += low <= share <= high
    return hits / runs


@pytest.mark.slow
@pytest.mark.parametrize(("clusters", "share", "size"), [(300, 0.5, 5), (300, 0.8, 1), (80, 0.6, 6), (20, 0.5, 30), (40, 0.9, 5)])
def test_an_interval_of_95_percent_holds_the_truth_in_95_of_100_runs(clusters: int, share: float, size: int) -> None:
    assert 0.93 <= coverage(clusters, share, size) <= 0.97


@pytest.mark.slow
def test_an_interval_that_overlooks_clusters_is_too_narrow() -> None:
    """Why clusters are drawn: cases of six questions, all right or all wrong, taken as single questions."""
    random, hits = np.random.default_rng(RANDOM_SEED), 0
    for _ in range(300):
        right = np.repeat(ints(random.random(60) < 0.5), 6)
        low, high = rate_interval(right, np.ones_like(right), draws=2000)
        hits += low <= 0.5 <= high
    assert hits / 300 < 0.75


@pytest.mark.slow
@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_is_mcnemars(better: int, worse: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    theirs = mcnemar([[5, better], [worse, 5]], exact=True).pvalue if better + worse else 1.0
    assert sign_test(better, worse) == pytest.approx(min(theirs, 1.0))


@pytest.mark.slow
def test_a_paired_difference_where_there_is_none_is_found_in_one_of_twenty() -> None:
    random, found = np.random.default_rng(RANDOM_SEED), 0
    for run in range(400):
        counts = random.integers(1, 6, 80)
        own = random.beta(2, 2, 80)
        less = random.binomial(counts, own) - random.binomial(counts, own)
        result = difference(less, counts, f"{run}", draws=2000)
        found += result.p_value <= 0.05
        if not 0.045 < result.p_value < 0.055:  # the quantile lies between two draws
            assert (result.p_value <= 0.05) == (not result.interval[0] <= 0 <= result.interval[1])
    assert 0.03 <= found / 400 <= 0.075


def test_the_paired_p_value_is_students() -> None:
    random = np.random.default_rng(5)
    less = random.binomial(30, 0.55, 60) - random.binomial(30, 0.5, 60)
    student = scipy.stats.ttest_1samp(less, 0).pvalue
    assert difference(less, np.full(60, 30), "x").p_value == pytest.approx(student, rel=0.15)


def test_no_p_value_is_nothing() -> None:
    """No draw of a hundred is beyond 0, which says that it is seldom, not that it never is."""
    gains = ints([1, 2] * 500)
    assert difference(gains, np.full(1000, 4), "x", draws=100).p_value == pytest.approx(2 / 101, rel=0.02)


@pytest.mark.parametrize("clusters", [2, 5, 50, 521])
def test_runs_that_agree_everywhere_do_not_differ_and_are_not_certain_to_be_alike(clusters: int) -> None:
    """Of as many more, a share that the exact binomial bound leaves open may differ."""
    from statsmodels.stats.proportion import proportion_confint

    result = difference(np.zeros(clusters, np.int64), np.ones(clusters, np.int64), "x")
    changed = proportion_confint(0, clusters, method="beta")[1]
    assert result.interval == pytest.approx((-changed, changed))
    assert result.p_value == 1


@pytest.mark.parametrize("clusters", [2, 5, 6, 12])
def test_one_run_better_everywhere_is_as_sure_as_the_sign_test(clusters: int) -> None:
    from statsmodels.stats.proportion import proportion_confint

    ones = np.ones(clusters, np.int64)
    better, worse = difference(ones, ones, "x"), difference(-ones, ones, "x")
    assert better.p_value == worse.p_value == pytest.approx(sign_test(clusters, 0))
    assert better.interval == pytest.approx((1 - 2 * proportion_confint(0, clusters, method="beta")[1], 1))
    assert better.interval == (-worse.interval[1], -worse.interval[0])
    assert (better.interval[0] <= 0) == (better.p_value >= 0.05)


def test_the_same_small_gain_everywhere_is_no_certainty_either() -> None:
    """Marks: a gain of two of 100 in each of four answers says little, in each of a thousand much."""
    few, many = (difference(np.full(size, 2), np.full(size, 100), "x") for size in (4, 1000))
    assert few.interval[0] < 0 < few.interval[1] and few.p_value == 1
    assert 0 < many.interval[0] < 0.02 < many.interval[1] and many.p_value < 0.001
