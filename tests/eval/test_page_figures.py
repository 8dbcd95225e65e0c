"""Every figure of the report, as a browser shows it, against metrics/*.json: of the pipeline's own run, all tables, all cells."""

import json
import re
from pathlib import Path

import pytest

from eval.report import charts
from eval.report.__main__ import read_metrics, summarize
from eval.report.pages import page, rendered

ROOT = Path(__file__).parents[2]
READ = """() => {
  const words = (cell) => cell.textContent.trim().replace(/\\s+/g, " ");
  const before = (table) => [...document.querySelectorAll("h2, h3, summary")]
    .filter((one) => one.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING).map(words);
  return [...document.querySelectorAll("table")].map((table) =>
    ({ under: before(table).at(-1), rows: [...table.rows].map((row) => [...row.cells].map(words)) }));
}"""


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


RUNS = {name: json.loads((ROOT / f"metrics/runs/{name}.json").read_text(encoding="utf-8")) for name in metrics("summary")["runs"]}
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
BASELINES = frozenset(run["model"] for run in RUNS.values()) - {"tiny"}
REJECTED: dict = {"crawls": {}, "reasons": [], "folders": {}, "sheets": {}}


@pytest.fixture(scope="module")
def tables(browser, tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    found = read_metrics(ROOT / "metrics", RUNS, JUDGES)._replace(sweeps=SWEEPS, baselines=BASELINES, guessing=frozenset({"random"}))
    place = tmp_path_factory.mktemp("page") / "index.html"
    place.write_text(page(found, summarize(found)) + rendered("rejected", REJECTED | {"data": found.data, "profile": found.profile}, False))
    opened = browser.new_page()
    opened.goto(place.as_uri())
    read = opened.evaluate(READ)
    opened.close()
    return read


def under(tables: list[dict], heading: str) -> list[list[str]]:
    """Return the rows of the one table below a heading, the names of its columns first."""
    (found,) = [one["rows"] for one in tables if one["under"] == heading]
    return found


def of_task(task: str) -> dict[str, dict]:
    return {name: run for name, run in RUNS.items() if run["task"] == task}


def first_of(model: str, task: str) -> dict | None:
    return next((run for run in of_task(task).values() if run["model"] == model), None)


def test_the_report_is_short_whatever_is_run(browser, tmp_path: Path) -> None:
    """At most 25 figures and tables, four screens, and the first of them has the table of models."""
    others = {f"{name}-{model}": run | {"model": model} for model in ("m1", "m2", "m3") 
              for name, run in RUNS.items() if run["model"] == "tiny"}  # fmt: skip
    wrong = {"runs": {name: metrics("errors")["runs"]["tiny-claims"] for name in [*RUNS, *others] if "claims" in name}}
    found = read_metrics(ROOT / "metrics", RUNS, JUDGES)._replace(
        runs=RUNS | others, errors=wrong, baselines=BASELINES, guessing=frozenset({"random"}), sweeps=SWEEPS
    )
    for sweeps in (SWEEPS, {}):
        (tmp_path / "index.html").write_text(page(found._replace(sweeps=sweeps), summarize(found)), encoding="utf-8")
        opened = browser.new_page(viewport={"width": 1400, "height": 900})
        opened.goto((tmp_path / "index.html").as_uri())
        assert 15 < opened.locator("figure, table:not(figure table), svg:not(figure svg)").count() <= 25
        for answer in ("h1", ".answers dd >> nth=1", "#changed", ".models tr >> nth=2"):
            assert opened.locator(answer).bounding_box()["y"] < 900
        assert sweeps or opened.evaluate("document.documentElement.scrollHeight") < 4 * 900
        opened.close()


def test_the_table_of_models_has_the_first_run_of_each_task(tables: list[dict]) -> None:
    names, *rows = under(tables, "Models")
    tasks = ["fourfold", "claim", "choice", "choice", "tcm", "essay"]
    assert names[1:-2] == [
        "Fourfold facts chance: 6.2 %",
        "Claim pairs (SdAK) chance: 25.0 %",
        "Choice (CPsyExam) chance: 20.6 %",
        "Case analysis (in Choice) chance: 20.1 %",
        "TCM (TCMBench) chance: 20.0 %",
        "Free-text answers, mark of 100",
    ]
    assert [row[0] for row in rows[:2]] == ["tiny", "best knowledge-free baselinewithout random"]
    assert {row[0].partition(" (baseline)")[0] for row in rows[2:]} == {run["model"] for run in RUNS.values()} - {"tiny"}
    for model, *cells, _, _ in [rows[0], *rows[2:]]:
        for at, (task, cell) in enumerate(zip(tasks, cells, strict=True)):
            run = first_of(model.partition(" (baseline)")[0], task)
            part = run and (run["by_category"].get("ca") if at == 3 else run)
            if task != "essay":
                assert cell.lstrip("▲▼≈ ").removesuffix(" mean of 10 variants") == (
                    re.sub(r" ± \S+ %", "", rate(part, "accuracy")) + f", n {asked(part)}" if part else "–"
                )
    assert re.fullmatch(r"\d+\.\d [\d.]+ … [\d.]+, n 8", rows[0][6])  # a mark, no percent; no sign: too few
    assert rows[1][1:4] == ["6.2 % chance", f"{percent(RUNS['tiny-claims']['wording']['accuracy'])} rule negation_by_type", "20.6 % chance"]
    assert [cell[0] for cell in rows[0][1:4]] == ["▼", "▼", "≈"]


@pytest.mark.parametrize("name", RUNS)
def test_every_run_has_its_figures(tables: list[dict], name: str) -> None:
    run = RUNS[name]
    (row,) = [row for row in under(tables, "Every run") if row[0] == name]
    _, model, task, _, size, following, accuracy, committed, consistent, bounds, *counts = row
    assert (model, task, size.split()[0], following) == (run["model"], run["task"], asked(run), rate(run, "following_rate"))
    marked = f"mark {JUDGES[name]['mark']:.2f}" if name in JUDGES else "–"
    assert accuracy == (rate(run, "accuracy") if "accuracy" in run else marked)
    assert (committed, consistent.partition(" tcm/")[0]) == (rate(run, "committed_accuracy"), rate(run, "consistent_accuracy"))
    assert all(f"{variant} {percent(part['accuracy'])}" in consistent for variant, part in run.get("by_variant", {}).items())
    if run.get("accuracy_at_most") is not None:
        assert bounds == f"{100 * run['accuracy_at_least']:.1f} … {100 * run['accuracy_at_most']:.1f}"
    assert counts[:3] == [str(run["outcomes"][outcome]) for outcome in ("unparsed", "truncated", "failed")]
    tokens = [(run.get("usage") or {}).get(kind) for kind in ("prompt_tokens", "reply_tokens")]
    assert counts[3:] == ["–" if count is None else f"{count:,}" for count in tokens]


def test_each_part_of_each_first_run_has_a_cell(tables: list[dict]) -> None:
    (names, *rows) = under(tables, "Accuracy by type, exam, subject and form")
    models = names[2:]
    assert models[0] == "tiny"
    task = facet = ""
    for value, *row in rows:
        if not row:  # the line above the parts of one task by one facet
            task, facet = value.partition(",")[0].split(" by ")
            continue
        for model, cell in zip(models, row[1:], strict=True):
            group = ((first_of(model, task) or {}).get(f"by_{facet.replace('atomic ', '').replace(' ', '_')}") or {}).get(value)
            bounds = (group or {}).get("accuracy_interval")
            words = f"{100 * bounds[0]:.1f} … {100 * bounds[1]:.1f}" if bounds else ""
            assert cell == (percent(group["accuracy"]) + words if group else "–")
    tiny = [(task, part, value) for task in ("claim", "choice", "tcm", "fourfold")
            for part in charts.PARTS for value in first_of("tiny", task).get(part) or {}]  # fmt: skip
    assert len(tiny) <= len(rows)


def test_every_comparison_has_a_row(tables: list[dict]) -> None:
    pairs = metrics("compare")["pairs"]
    rows = next(one["rows"] for one in tables if one["under"].startswith("Pairwise comparison"))[1:]
    for pair, row in zip(pairs, rows, strict=True):
        low, high = pair["interval"]
        assert row[1:3] == [pair["a"], pair["b"]]
        assert row[4:8] == [
            str(pair["shared"]),
            *(percent(pair[one]).removesuffix(" %" if pair["figure"] == "mark" else "") for one in ("of_a", "of_b")),
            f"{100 * pair['difference']:+.1f} {100 * low:+.1f} … {100 * high:+.1f}",
        ]
        assert row[8:10] == [str(pair["better"]), str(pair["worse"])]
        tests = [pair["mcnemar_p_holm"], pair["bootstrap_p_holm"]]
        verdict = "fewer than 20 items" if pair["shared"] < 20 else "differ" if pair["differs"] else "no significant difference"
        assert [row[10].removesuffix(", the other way"), row[11]] == [*map(p_value, tests)]
        assert row[12] == (verdict if pair["family"] else "not tested")


def test_fourfold_facts_have_sides_and_detection(tables: list[dict]) -> None:
    for name, facts, *shares, sensitivity, criterion in under(tables, "Fourfold facts: true and false side, signal detection")[1:]:
        run = RUNS[name]
        assert facts == str(run["facts"])
        assert shares == [rate(run, figure) for figure in ("accuracy", "true_side", "false_side", "sentence_accuracy")]
        assert [sensitivity, criterion] == [f"{run['detection'][figure]:.2f}" for figure in ("d_prime", "criterion")]


def test_the_papers_tables_have_the_figures_of_the_runs(tables: list[dict]) -> None:
    errors = metrics("errors")["runs"]
    for _, name, following, accuracy, reliable, interval, *counts in under(tables, "SdAK, Table 4")[1:]:
        run, one = RUNS[name], errors[name]["answer_reliability"]
        for figure, cell in (("following_rate", following), ("accuracy", accuracy)):
            spread = run.get(f"{figure}_std")
            assert cell == f"{100 * run[figure]:.2f}" + ("" if spread is None else f" ({100 * spread:.2f})")
        assert reliable == ("–" if one["share"] is None else f"{100 * one['share']:.0f}")
        assert interval == ("–" if one["low"] is None else f"{100 * one['low']:.1f} … {100 * one['high']:.1f}")
        assert counts == [str(one[key]) for key in ("right", "without_reason", "labelled")]
    for name, way, size, *shares in under(tables, "SdAK, Table 5: errors of claims")[1:]:
        found = errors[name][way.replace(" ", "_")]
        kinds = ("not_follow", "sycophancy", "safety", "misinterpretation", "contrary", "reversed")
        assert (size, shares) == (str(found["pairs"]), [percent(found[kind]["share"]) if kind in found else "" for kind in kinds])
    for row in under(tables, "CPsyExam, Table 2")[1:]:
        assert row[2] == percent(RUNS[row[3]]["avg"])
        cells = RUNS[row[3]]["by_category_and_type"]
        own = row[4:8] if RUNS[row[3]]["shots"] == 0 else row[8:12]
        assert own == [percent(cells[cell]["accuracy"]) for cell in ("kg mcqa", "kg mrqa", "ca mcqa", "ca mrqa")]


def test_the_splits_and_fourfold_facts_have_their_counts(tables: list[dict]) -> None:
    split, fourfold = metrics("split"), metrics("claims")["fourfold"]
    assert under(tables, "Splits")[1:] == [
        [name, *(f"{split[kind][name]:,}" for kind in ("questions", "claims", "fourfold"))] for name in split["questions"]
    ]
    for heading, counts in (("Facts not made into fourfold facts", "rejected_by_reason"), ("All fourfold facts by atomic type", "by_type")):
        assert [row[:2] for row in under(tables, heading)[1:]] == [[name, f"{count:,}"] for name, count in fourfold[counts].items()]


def mark_of(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


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
        assert bounds == f"{mark_of(judge['mark_at_least'])} … {mark_of(judge['mark_at_most'])}"
        assert (without, unread, failed) == (plain(judge["without_answer"]), *(str(judge["readings"][way]) for way in ("unread", "failed")))
        assert (apart, correlation) == (mark_of(judge["orders"]["mean_absolute_difference"]), mark_of(judge["orders"]["pearson"]))
        assert published == ", ".join(f"{rules} {mark_of(read['mark'])}" for rules, read in judge["published"].items())


def test_letters_are_shares_of_the_answers_less_those_of_the_right_ones(tables: list[dict]) -> None:
    names, *rows = under(tables, "Do models prefer an answer letter?")
    own = {name: run for name, run in RUNS.items() if run["model"] == "tiny" and run.get("letters")}
    kinds = {"single": "mcqa", "multiple": "mrqa"}
    assert [row[0].split() for row in rows] == [
        [name, word] for name, run in own.items() for word, kind in kinds.items() if kind in run["letters"]
    ]
    for about, most, *cells in rows:
        name, kind = about.split()
        table = own[name]["letters"][kinds[kind]]
        answered, gold = (sum(table[side].values()) for side in ("answered", "gold"))
        assert most == f"{most[0]} {100 * max(table['answered'].values()) / answered:.0f} %"
        for letter, cell in zip(names[2:], cells, strict=True):
            known = letter in table["answered"] or letter in table["gold"]
            pull = table["answered"].get(letter, 0) / answered - table["gold"].get(letter, 0) / gold
            assert cell == (points(pull) if known else "–")


def test_published_rule_sets_stand_beside_ours(tables: list[dict]) -> None:
    rows = under(tables, "Published answer parsers on the same replies")[1:]
    asked = {name: run for name, run in RUNS.items() if run.get("published")}
    assert [row[:2] for row in rows] == [[name, rules] for name, run in asked.items() for rules in ("ours", *run["published"])]
    for name, rules, following, accuracy, against, more in rows:
        read = asked[name] if rules == "ours" else asked[name]["published"][rules]
        assert (following, accuracy) == (percent(read.get("following_rate")), percent(read.get("accuracy")))
        if rules != "ours":
            assert against == points(read["accuracy"] - asked[name]["accuracy"] if read.get("accuracy") is not None else None)
            numbers = {key: value for key, value in read.items() if isinstance(value, int | float)}
            others = {key: value for key, value in numbers.items() if key not in ("following_rate", "accuracy")}
            words = {key: percent(value) if isinstance(value, float) else f"{value} replies" for key, value in others.items()}
            assert more == ", ".join(f"{key.replace('_', ' ')} {words[key]}" for key, value in others.items() if words[key] != "0 replies")


def test_cases_that_are_right_as_a_whole_have_their_figures(tables: list[dict]) -> None:
    for name, form, size, accuracy, committed in under(tables, "Cases and shared-option groups with all questions correct")[1:]:
        one = RUNS[name]["groups"] if form == "all" else RUNS[name]["groups"]["by_form"][form]
        assert (size, accuracy, committed) == (str(one["groups"]), rate(one, "accuracy"), rate(one, "committed_accuracy"))


def test_settings_stand_beside_the_first_run_of_the_model(tables: list[dict]) -> None:
    rows = {row[0]: row for row in under(tables, "Do prompt and settings matter?")[1:]}
    pairs = {(row["a"], row["b"]): row for row in metrics("compare")["pairs"]}
    assert list(rows) == ["tiny-claims", "tiny-claims-prompt2", "tiny-choice", "tiny-choice-3shot", "tiny-choice-likelihood"]
    for first, other in (("tiny-claims", "tiny-claims-prompt2"), ("tiny-choice", "tiny-choice-3shot")):
        assert rows[other][-1].split()[0] == points(-pairs[first, other]["difference"])
        assert rows[other][2] == percent(RUNS[other]["accuracy"]) and rows[first][-1] == "–"


def listed(counts: dict[str, int] | None, sign: str = " ") -> str:
    return ", ".join(f"{name}{sign}{count}" for name, count in (counts or {}).items())


def test_the_profile_of_each_source_has_its_counts_shares_and_bounds(tables: list[dict]) -> None:
    profile = metrics("profile")
    sources = profile["sources"]
    rows = under(tables, "Content of each source")[1:]
    assert [row[0] for row in rows] == list(sources)
    for name, questions, kept, types, options, letters, facts, together, unlike in rows:
        source = sources[name]
        assert (questions, kept, facts) == tuple(f"{source[key]:,}" if key in source else "" for key in ("questions", "kept", "facts"))
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
    speaking = {one["under"]: one["rows"] for one in tables if one["under"].startswith("Records with instructions to a language model")}
    total = sum(counts["records"] for counts in profile["injections"].values())
    (rows,) = (speaking[f"Records with instructions to a language model: {total}"],)
    assert [row[:2] for row in rows[1:]] == [[name, str(counts["records"])] for name, counts in profile["injections"].items()]


def test_a_sweep_has_each_figure_of_its_curves_and_each_change(tables: list[dict]) -> None:
    rows = under(tables, "Values of the curves")[1:]
    assert rows == [
        ["effect", row["run"], row["measure"].replace("_", " "), row["kind"] or "none", f"{row['amount']:g}", percent(row["value"]),
         f"{100 * row['low']:.1f} … {100 * row['high']:.1f}"]
        for row in CURVES
    ]  # fmt: skip
    assert under(tables, "Change of accuracy by added data")[1:] == [
        ["effect", row["run"], row["exam"], row["kind"], "1", points(row["change"])] for row in CHANGES
    ]
