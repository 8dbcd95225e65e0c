"""Every figure of the report, as a browser shows it, against metrics/*.json: of the pipeline's own run, all tables, all cells."""

import json
import re
from pathlib import Path

import pytest

from eval.report.__main__ import read_metrics, summarize
from eval.report.pages import page

ROOT = Path(__file__).parents[2]
READ = """() => {
  const words = (cell) => cell.textContent.trim().replace(/\\s+/g, " ");
  const before = (table) => [...document.querySelectorAll("h2, h3, summary")]
    .filter((one) => one.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING).map(words);
  const run = (table) => {
    let box = table.closest("details");
    while (box?.parentElement.closest("details")) box = box.parentElement.closest("details");
    return box ? words(box.querySelector("summary")) : "";
  };
  return [...document.querySelectorAll("table")].map((table) =>
    ({ under: before(table).at(-1), within: run(table), rows: [...table.rows].map((row) => [...row.cells].map(words)) }));
}"""
PARTS = {
    "by_side": "side", "by_type": "atomic type", "by_exam": "exam", "by_question_type": "question type", "by_category": "category",
    "by_case_type": "case type", "by_form": "form", "by_subject": "subject",
}  # fmt: skip
TITLES = {
    "fourfold": "Fourfold facts",
    "claim": "Claim pairs",
    "choice": "Choice questions",
    "tcm": "TCM questions",
    "essay": "Answers in words",
}


def metrics(name: str) -> dict:
    return json.loads((ROOT / f"metrics/{name}.json").read_text(encoding="utf-8"))


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def rate(figures: dict, name: str) -> str:
    spread, bounds = figures.get(f"{name}_std"), figures.get(f"{name}_interval")
    deviation = "" if spread is None else f" ± {percent(spread)}"
    return percent(figures.get(name)) + deviation + (f" {100 * bounds[0]:.1f} … {100 * bounds[1]:.1f}" if bounds else "")


def p_value(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def asked(figures: dict) -> str:
    return str(next(figures[unit] for unit in ("facts", "pairs", "claims", "questions") if unit in figures))


RUNS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "metrics/runs").glob("*.json"))}
JUDGES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "metrics/judge").glob("*.json"))}


CURVES = [
    {
        "run": run,
        "measure": measure,
        "kind": kind,
        "amount": amount,
        "value": value,
        "low": value / 2,
        "high": (1 + value) / 2,
        "seeds": [value],
    }
    for run in ("tuned-choice", "tuned-claims")
    for measure in ("accuracy", "following_rate")
    for kind, amount, value in ((None, 0, 0.125), ("claims", 0.5, 0.3333), ("claims", 1, 0.6667), ("questions", 1, 0.0))
]
CHANGES = [
    {"run": "tuned-choice", "kind": kind, "amount": 1, "exam": exam, "before": 0.2, "after": 0.2 + change, "change": change}
    for kind, exam, change in (("claims", "PCE", 0.125), ("claims", "SSE", -0.0312), ("questions", "PCE", 0.0))
]
SWEEPS = {"effect": {"model": "tiny", "curves": CURVES, "changes": CHANGES}}
"""As `eval.sweep` writes it; params.yaml has no sweep."""


@pytest.fixture(scope="module")
def tables(browser, tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    found = read_metrics(ROOT / "metrics", RUNS, JUDGES)._replace(sweeps=SWEEPS)
    place = tmp_path_factory.mktemp("page") / "index.html"
    place.write_text(page(found, summarize(found)), encoding="utf-8")
    opened = browser.new_page()
    opened.goto(place.as_uri())
    read = opened.evaluate(READ)
    opened.close()
    return read


def under(tables: list[dict], heading: str, within: str | None = None) -> list[list[str]]:
    """Return the rows of the one table below a heading, the names of its columns first."""
    (found,) = [one["rows"] for one in tables if one["under"] == heading and within in (None, one["within"])]
    return found


def of_task(task: str) -> dict[str, dict]:
    return {name: run for name, run in RUNS.items() if run["task"] == task}


@pytest.mark.parametrize("task", TITLES)
def test_the_leaderboard_has_each_figure_of_each_run(tables: list[dict], task: str) -> None:
    rows = under(tables, TITLES[task])
    assert sorted(row[0] for row in rows[1:]) == sorted(of_task(task))
    accuracies = [RUNS[row[0]].get("accuracy") or 0.0 for row in rows[1:]]
    assert accuracies == sorted(accuracies, reverse=True)
    for name, model, _, size, following, accuracy, _, *more in rows[1:]:
        run = RUNS[name]
        if task == "fourfold":
            found = run["detection"]
            shares = [rate(run, name) for name in ("true_side", "false_side", "sentence_accuracy")]
            assert more[:5] == [*shares, f"{found['d_prime']:.2f}", f"{found['criterion']:.2f}"]
            del more[:5]
        if "consistent" in rows[0]:
            assert more.pop(0) == (rate(run, "consistent_accuracy") if "consistent_accuracy" in run else "–")
        committed, *rest = more
        assert (model, size.split()[0], following) == (run["model"], asked(run), rate(run, "following_rate"))
        marked = f"mark {JUDGES[name]['mark']:.2f}" if name in JUDGES else "–"
        assert accuracy == (rate(run, "accuracy") if "accuracy" in run else marked)
        assert committed == (rate(run, "committed_accuracy") if run.get("committed_accuracy") is not None else "–")
        assert rest[:3] == [str(run["outcomes"][outcome]) for outcome in ("unparsed", "truncated", "failed")]
        tokens = [(run.get("usage") or {}).get(kind) for kind in ("prompt_tokens", "reply_tokens")]
        assert rest[3:] == ["–" if count is None else f"{count:,}" for count in tokens]


@pytest.mark.parametrize("task", TITLES)
@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_each_run_stands_in_the_table_of_its_facet(tables: list[dict], task: str, part: str) -> None:
    values = {value for run in of_task(task).values() for value in run.get(part) or {}}
    if len(values) < 2:
        assert not [one for one in tables if one["under"] == f"{TITLES[task]} by {PARTS[part]}"]
        return
    names, *rows = under(tables, f"{TITLES[task]} by {PARTS[part]}")
    assert {row[0] for row in rows} == values
    for value, sizes, *cells in rows:
        groups = [(of_task(task)[run].get(part) or {}).get(value) for run in names[2:]]
        assert sizes == " / ".join(dict.fromkeys(asked(group) for group in groups if group))
        for group, cell in zip(groups, cells, strict=True):
            bounds = group and group.get("accuracy_interval")
            known = group is not None and group["accuracy"] is not None
            words = f"{100 * bounds[0]:.1f} … {100 * bounds[1]:.1f}" if bounds else ""
            assert cell == (percent(group["accuracy"]) + words if known else "–")


@pytest.mark.parametrize("name", RUNS)
def test_run_by_run_each_part_has_its_figures(tables: list[dict], name: str) -> None:
    for part, facet in PARTS.items():
        if not RUNS[name].get(part):
            continue
        rows = under(tables, f"By {facet}", name)[1:]
        assert {row[0] for row in rows} == set(RUNS[name][part])
        for value, size, following, accuracy, _, committed in rows:
            group = RUNS[name][part][value]
            assert (size, following) == (asked(group), percent(group.get("following_rate")))
            assert (accuracy, committed) == (rate(group, "accuracy"), rate(group, "committed_accuracy"))


@pytest.mark.parametrize("name", [name for name, run in RUNS.items() if (run.get("groups") or {}).get("groups")])
def test_cases_that_are_right_as_a_whole_have_their_figures(tables: list[dict], name: str) -> None:
    groups = RUNS[name]["groups"]
    rows = under(tables, "Cases and groups of shared options that are right as a whole", name)[1:]
    assert [row[0] for row in rows] == ["all", *groups["by_form"]]
    for (_, size, _, accuracy, _, committed), one in zip(rows, [groups, *groups["by_form"].values()], strict=True):
        assert (size, accuracy, committed) == (str(one["groups"]), rate(one, "accuracy"), rate(one, "committed_accuracy"))


def test_every_comparison_stands_in_the_list_and_twice_in_the_matrix(tables: list[dict]) -> None:
    pairs = metrics("compare")["pairs"]
    lists = [row for one in tables for row in one["rows"] if one["rows"][0][:2] == ["a", "b"]]
    grids = {(row[0], names[at]): row[at] for one in tables for names in one["rows"][:1] if names[0] == "row less column"
             for row in one["rows"][1:] for at in range(1, len(row))}  # fmt: skip
    checked = 0
    for pair in pairs:
        (row,) = [row for row in lists if row[:2] == [pair["a"], pair["b"]]]
        low, high = pair["interval"]
        interval = f"{100 * low:+.1f} … {100 * high:+.1f}"
        assert row[3:7] == [
            str(pair["shared"]),
            percent(pair["of_a"]),
            percent(pair["of_b"]),
            f"{100 * pair['difference']:+.1f} {interval}",
        ]
        assert row[7:9] == [str(pair["better"]), str(pair["worse"])]
        tests = [pair["mcnemar_p_holm"], pair["bootstrap_p_holm"]]
        assert row[9:12] == [*map(p_value, tests), "differ" if pair["differs"] else "not shown"]
        if (pair["a"], pair["b"]) in grids:
            both = [grids[pair["a"], pair["b"]], grids[pair["b"], pair["a"]]]
            assert both == [
                f"{100 * sign * pair['difference'] + 0.0:+.1f} p {p_value(max(tests) if pair['family'] else None)}" for sign in (1, -1)
            ]
            checked += 1
    assert checked == sum(len(of_task(task)) * (len(of_task(task)) - 1) // 2 for task in TITLES if len(of_task(task)) > 2)


def test_the_papers_tables_have_the_figures_of_the_runs(tables: list[dict]) -> None:
    errors = metrics("errors")["runs"]
    for _, name, following, accuracy, reliable in under(tables, "SdAK, Table 4")[1:]:
        run = RUNS[name]
        for figure, cell in (("following_rate", following), ("accuracy", accuracy)):
            spread = run.get(f"{figure}_std")
            assert cell == f"{100 * run[figure]:.2f}" + ("" if spread is None else f" ({100 * spread:.2f})")
        share = errors[name]["answer_reliability"]["share"]
        assert reliable == ("–" if share is None else f"{100 * share:.0f}")
    for name, way, size, *shares in under(tables, "SdAK, Table 5: errors of claims")[1:]:
        found = errors[name][way.replace(" ", "_")]
        kinds = ("not_follow", "sycophancy", "safety", "misinterpretation", "contrary", "reversed")
        assert (size, shares) == (str(found["pairs"]), [percent(found[kind]["share"]) if kind in found else "" for kind in kinds])
    for row in under(tables, "CPsyExam, Table 2")[1:]:
        assert row[2] == percent(RUNS[row[3]]["avg"])
        cells = RUNS[row[3]]["by_category_and_type"]
        own = row[4:8] if RUNS[row[3]]["shots"] == 0 else row[8:12]
        assert own == [percent(cells[cell]["accuracy"]) for cell in ("kg mcqa", "kg mrqa", "ca mcqa", "ca mrqa")]


def test_the_splits_and_the_reasons_have_their_counts(tables: list[dict]) -> None:
    split = metrics("split")
    assert under(tables, "Splits")[1:] == [
        [name, *(str(split[kind][name]) for kind in ("questions", "claims", "fourfold"))] for name in split["questions"]
    ]
    for stage in ("clean", "near_duplicates", "claims"):
        rows = under(tables, f"Rejected by {stage}")[1:]
        assert rows == [[reason, str(count)] for reason, count in metrics(stage)["rejected_by_reason"].items()]
    of_types = under(tables, "All claim pairs by atomic type")[1:]
    assert of_types == [[name, str(count)] for name, count in metrics("claims")["claims_by_type"].items()]
    fourfold = metrics("claims")["fourfold"]
    for heading, counts in (("Facts without four sentences", "rejected_by_reason"), ("All fourfold facts by atomic type", "by_type")):
        assert under(tables, heading)[1:] == [[name, str(count)] for name, count in fourfold[counts].items()]


def plain(value: object) -> str:
    return "–" if value is None else str(value)


def points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f}"


def test_each_judge_has_its_marks_bounds_and_orders(tables: list[dict]) -> None:
    rows = under(tables, "CPsyExam, Table 3: judges")[1:]
    assert [row[0] for row in rows] == list(JUDGES)
    for name, judge_name, replies, mark, bounds, without, unread, failed, apart, correlation, published in rows:
        judge = JUDGES[name]
        low, high = judge["mark_interval"]
        assert (judge_name, replies, mark) == (judge["judge"], str(judge["replies"]), f"{judge['mark']:.2f} {low:.1f} … {high:.1f}")
        assert bounds == f"{judge['mark_at_least']} … {judge['mark_at_most']}"
        assert (without, unread, failed) == (plain(judge["without_answer"]), *(str(judge["readings"][way]) for way in ("unread", "failed")))
        assert (apart, correlation) == (plain(judge["orders"]["mean_absolute_difference"]), plain(judge["orders"]["pearson"]))
        assert published == ", ".join(f"{rules} {plain(read['mark'])}" for rules, read in judge["published"].items())


@pytest.mark.parametrize("name", [name for name, run in RUNS.items() if run.get("letters")])
def test_the_letters_of_each_run_are_shares_of_what_was_answered_and_is_right(tables: list[dict], name: str) -> None:
    for kind, table in RUNS[name]["letters"].items():
        rows = under(tables, f"Letters of {kind}: answered and right", name)[1:]
        assert [row[0] for row in rows] == sorted({*table["answered"], *table["gold"]})
        for letter, *cells, _ in rows:
            totals = [sum(table[side].values()) for side in ("answered", "gold")]
            assert cells == [percent(table[side].get(letter, 0) / total) for side, total in zip(("answered", "gold"), totals, strict=True)]


@pytest.mark.parametrize("name", [name for name, run in RUNS.items() if run.get("published")])
def test_published_rule_sets_stand_beside_ours(tables: list[dict], name: str) -> None:
    run = RUNS[name]
    ours, *rows = under(tables, "Published rule sets on the same replies", name)[1:]
    assert ours[:3] == ["ours", percent(run["following_rate"]), percent(run["accuracy"])]
    assert [row[0] for row in rows] == list(run["published"])
    for rules, following, accuracy, against, more in rows:
        read = run["published"][rules]
        assert (following, accuracy) == (percent(read.get("following_rate")), percent(read.get("accuracy")))
        assert against == (points(read["accuracy"] - run["accuracy"]) if read.get("accuracy") is not None else "")
        others = {
            name: value for name, value in read.items() if name not in ("following_rate", "accuracy") and isinstance(value, int | float)
        }
        assert more == ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in others.items())


def test_answer_reliability_has_its_counts(tables: list[dict]) -> None:
    rows = under(tables, "Answer reliability")[1:]
    found = {name: run["answer_reliability"] for name, run in metrics("errors")["runs"].items() if "answer_reliability" in run}
    assert [row[0] for row in rows] == list(found)
    for name, *counts, share, interval in rows:
        one = found[name]
        assert counts == [str(one[key]) for key in ("right", "without_reason", "labelled")]
        assert share == percent(one["share"])
        assert interval == ("–" if one["low"] is None else f"{100 * one['low']:.1f} … {100 * one['high']:.1f}")


def listed(counts: dict[str, int] | None, sign: str = " ") -> str:
    return ", ".join(f"{name}{sign}{count}" for name, count in (counts or {}).items())


def test_the_profile_of_each_source_has_its_counts_shares_and_bounds(tables: list[dict]) -> None:
    profile = metrics("profile")
    sources = profile["sources"]
    rows = under(tables, "What each source holds")[1:]
    assert [row[0] for row in rows] == list(sources)
    for name, questions, kept, types, options, letters, facts, together, unlike in rows:
        source = sources[name]
        assert (questions, kept, facts) == tuple(str(source.get(key, "")) for key in ("questions", "kept", "facts"))
        assert (types, options, letters) == (
            listed(source.get("types")),
            listed(source.get("options"), ": "),
            listed(source.get("letters")),
        )
        assert together == (percent(source["tails_run_together"]) if "tails_run_together" in source else "")
        assert unlike == "; ".join(f"{figure} {percent(a)}, others {percent(b)}" for figure, (a, b) in source["unlike"].items())
    bounds = {one["figure"]: one for one in profile.get("bounds", []) if any(one["figure"] in source for source in sources.values())}
    if bounds:  # written since figures had bounds beside them
        names, *rows = under(tables, "Figures of each source and their bounds")
        assert (names[3:-1], [row[0] for row in rows]) == (list(sources), list(bounds))
        for figure, bound, severity, *cells, why in rows:
            one = bounds[figure]
            assert (bound, severity, why) == (f"at most {percent(one['at_most'])}", one["severity"], one["why"])
            assert cells == [percent(source.get(figure)) for source in sources.values()]
    speaking = {one["within"]: one["rows"] for one in tables if one["within"].startswith("Records that speak to a model")}
    total = sum(counts["records"] for counts in profile["injections"].values())
    (rows,) = (speaking[f"Records that speak to a model: {total}"],)
    assert [row[:2] for row in rows[1:]] == [[name, str(counts["records"])] for name, counts in profile["injections"].items()]


def test_a_sweep_has_each_figure_of_its_curves_and_each_change(tables: list[dict]) -> None:
    rows = under(tables, "effect: figures of the curves")[1:]
    assert rows == [
        [row["run"], row["measure"].replace("_", " "), row["kind"] or "none", f"{row['amount']:g}", percent(row["value"]),
         f"{100 * row['low']:.1f} … {100 * row['high']:.1f}"]
        for row in CURVES
    ]  # fmt: skip
    assert under(tables, "tuned-choice: change of accuracy by added data, points") == [
        ["type or exam", "claims 1", "questions 1"],
        ["PCE", "+12.5", "+0.0"],
        ["SSE", "-3.1", "–"],
    ]


@pytest.mark.slow
def test_each_wording_and_order_has_its_accuracy(tables: list[dict]) -> None:
    (variants,) = [run["by_variant"] for run in RUNS.values() if "by_variant" in run]
    rows = under(tables, "By wording and order of the options")
    assert [row[:2] for row in rows[1:]] == [[name, rate(part, "accuracy")] for name, part in variants.items()]


@pytest.mark.slow
def test_no_table_of_the_page_is_left_unread(tables: list[dict]) -> None:
    """A new table needs a test of its cells here."""
    known = [
        *TITLES.values(), *(f"{title} by {facet}" for title in TITLES.values() for facet in PARTS.values()),
        *(f"By {facet}" for facet in PARTS.values()), "All claim pairs by atomic type",
        "All fourfold facts by atomic type", "Facts without four sentences", "Answer reliability", "CPsyExam, Table 2",
        "CPsyExam, Table 3: judges", "Figures of each source and their bounds", "Out of bounds", "Pair by pair",
        "Published rule sets on the same replies", "SdAK, Table 4", "SdAK, Table 5: errors of claims", "Splits", "What each source holds",
        "Cases and groups of shared options that are right as a whole", "By wording and order of the options",
    ]  # fmt: skip
    patterns = (
        r"Rejected by \w+|Letters of \w+: .*|Records that speak to a model: \d+|effect: .*|tuned-\w+: .*|\w+(, \w+)?: \d+ of \d+ differ"
    )
    unread = {one["under"] for one in tables if one["under"] not in known and not re.fullmatch(patterns, one["under"])}
    assert unread == set()
