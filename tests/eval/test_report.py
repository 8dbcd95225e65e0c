"""The summary, the plots' tables, and the page, in a real browser."""

import csv
import io
import json
import re
from pathlib import Path

import msgspec
import pytest
from dvc_render.vega import VegaRenderer
from playwright.sync_api import expect

from atomexam.records.rejected_record import Rejected
from eval.report.__main__ import (
    about,
    comparison_table,
    main,
    page,
    plot_tables,
    read_metrics,
    replicas_of,
    run_settings,
    summarize,
)
from eval.report.first_screen import LEAST
from eval.report.items import list_script
from eval.report.pages import rendered, write_scripts
from eval.report.records import Reserved, reasons
from tests.eval.report_toys import ABOUT, COMPARISONS, DATA, ERRORS, FOUND, HALF, HOSTILE, JUDGES, OUTCOMES, RUN, RUNS


def write(folder: Path) -> Path:
    files = {f"{name}.json": figures for name, figures in DATA.items()}
    files |= {f"runs/{name}.json": figures for name, figures in RUNS.items()}
    files |= {f"judge/{name}.json": figures for name, figures in JUDGES.items()}
    files |= {"errors.json": ERRORS, "compare.json": {"comparisons": 2, "pairs": COMPARISONS}}
    for name, figures in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(msgspec.json.encode(figures))
    return folder


def test_the_summary_is_short_and_names_what_moves() -> None:
    summary = summarize(FOUND)
    assert summary["data"]["questions"] == 8
    assert summary["data"]["questions_rejected"] == 4
    assert summary["runs"] == {
        "tiny-claims": {"pairs": 2, "following_rate": 1.0, "accuracy": 0.5},
        "tiny-choice": {"questions": 2, "following_rate": 1.0, "accuracy": 0.5, "mcqa": 0.5},
        "tiny-essay": {"questions": 2, "following_rate": 1.0, "accuracy": None, "mark": 61.25},
    }


def test_the_accuracy_of_whole_replies_is_in_the_summary_and_on_the_page() -> None:
    figures = RUNS["tiny-claims"] | {"committed_accuracy": 0.875}
    found = FOUND._replace(runs={"tiny-claims": figures})
    assert summarize(found)["runs"]["tiny-claims"]["committed_accuracy"] == 0.875
    assert "87.5 %" in page(found, summarize(found))


def test_what_is_right_every_time_stands_beside_the_accuracy() -> None:
    variants = {"choice/0": {"accuracy": 0.75}, "choice/1": {"accuracy": 0.25}}
    figures = RUNS["tiny-choice"] | {"orders": 2, "consistent_accuracy": 0.125, "by_variant": variants}
    found = FOUND._replace(runs={"tiny-choice": figures})
    assert summarize(found)["runs"]["tiny-choice"]["consistent_accuracy"] == 0.125
    shown = page(found, summarize(found))
    assert all(words in shown for words in ("2 orders", "12.5 %", "choice/1 25.0 %"))


def test_a_run_leads_to_its_items_in_every_table() -> None:
    html = page(FOUND, summarize(FOUND), scripted=True)
    named = re.findall(rf"<td[^>]*>(<a href=\"items.html#run=[a-z-]+\">)?({'|'.join(RUNS)})\b", html)
    assert len(named) > 10 and all(link for link, _ in named)


def test_the_start_says_whether_people_have_judged() -> None:
    html = page(FOUND, summarize(FOUND), scripted=True)
    assert 'human verification of claims: <a href="evidence.html">Evidence</a>, no verdicts yet.' in html
    judged = FOUND._replace(verification={"verdicts": 1200})
    assert "Evidence, 1,200 verdicts." in page(judged, summarize(judged))


def test_question_types_that_no_run_asks_are_said() -> None:
    shown = page(FOUND, summarize(FOUND) | {"unasked": {"blank": 3, "tf": 12}})
    assert "no run covers the 3 fill-in-the-blank, 12 true/false questions of the test split" in shown


def test_plots_have_own_models_first_and_no_row_of_few_items() -> None:
    types = {
        "big": {"pairs": LEAST, "accuracy": 0.25},
        "best": {"pairs": 90, "accuracy": 0.75},
        "few": {"pairs": LEAST - 1, "accuracy": 1.0},
    }
    own = RUNS["tiny-claims"] | {"pairs": 100, "by_type": types}
    rule = own | {"model": "rule", "accuracy": 0.9}
    better = own | {"accuracy": 0.75, "by_type": {}}
    tables = plot_tables(
        FOUND._replace(runs={"rule": rule, "own": own, "better": better, "few": HALF | ABOUT | {"task": "claim"}}, baselines={"rule"})
    )
    rows = {name: list(csv.DictReader(io.StringIO(text))) for name, text in tables.items()}
    assert [row["run"] for row in rows["runs"]] == ["better", "own", "rule"]
    assert rows["runs"][1]["low"] == "0.0126" and rows["runs"][1]["asked"] == "100"
    assert [(row["run"], row["atomic_type"]) for row in rows["types"]] == [("own", "best"), ("own", "big")] and rows["parts"] == []
    compared = list(csv.DictReader(io.StringIO(comparison_table(COMPARISONS))))
    assert [(row["b"], row["low"], row["differs"]) for row in compared] == [(HOSTILE, "0.05", "False"), ("y", "", "")]


def test_a_stage_that_has_not_run_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "metrics")
    with pytest.raises(FileNotFoundError, match="`dvc repro score` builds it"):
        read_metrics(folder, ["new"])
    with pytest.raises(FileNotFoundError, match="dvc repro judge@tiny-choice"):
        read_metrics(folder, [], ["tiny-choice"])
    (folder / "errors.json").unlink()
    (folder / "compare.json").unlink()
    found = read_metrics(folder, RUNS)
    assert (found.errors, found.comparisons) == ({}, [])
    assert "Pairwise comparison" not in page(found, summarize(found))
    (folder / "validation.json").unlink()
    with pytest.raises(FileNotFoundError, match="dvc repro validate"):
        read_metrics(folder, [])


def test_hostile_text_is_escaped() -> None:
    html = page(FOUND, summarize(FOUND))
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 3  # a part, a run, a judge


@pytest.mark.parametrize("kind", ["questions", "facts"])
def test_a_reason_has_examples_of_each_kind_of_record(kind: str) -> None:
    """Ten facts come before the first question."""
    provenance = [{"source": "one", "url": "javascript:alert(1)" if kind == "facts" else "https://one.test/1", "position": "q1"}]
    records = [("fact", {"head": "感冒", "tail": f"发热{n}", "relation": "symptom"}) for n in range(30)] + [("question", {"stem": "题干"})]
    rows = [
        Rejected(id=f"{n:02}", kind=name, reason="identical", record=record | {"provenance": provenance})
        for n, (name, record) in enumerate(records)
    ]
    found = reasons({"near_duplicates": rows}, Reserved([], []))
    assert {name: len(examples) for name, examples in found[0].examples.items()} == {"facts": 10, "questions": 1}
    context = {"data": DATA, "crawls": {}, "reasons": found, "folders": {"near_duplicates": "unique"}, "profile": {}, "sheets": {}}
    html = rendered("rejected", context, scripted=True).partition(f'id="near_duplicates-identical-{kind}"')[2]
    assert ("题干" if kind == "questions" else "感冒") in html.partition("</table>")[0]
    assert 'href="javascript' not in html


def test_what_one_split_reveals_of_another_is_counted() -> None:
    leaks = {
        name: {"looks_for": f"{name} in two splits", "blocks": many == 0, "questions": many} for name, many in (("stem", 0), ("kin", 7))
    }
    html = page(FOUND._replace(leaks=leaks | {"without_knowledge": {}}), summarize(FOUND))
    assert (
        "Leaks between splits: none that stop the pipeline; 1 of 2 checks found allowed ones" in html
        and "Leaks between splits" not in page(FOUND, summarize(FOUND))
    )
    assert '<td>kin in two splits</td><td class="n">7</td><td>allowed</td>' in html


def test_a_benchmark_of_questions_alone_does_not_speak_of_facts() -> None:
    stages = FOUND._replace(runs={"a": RUN | {"task": "choice", "questions": 100}}, judges={}, comparisons=[])
    summary = summarize(stages)
    summary["data"] |= {"facts": 0, "facts_rejected": 0, "questions": 70, "questions_rejected": 0}
    summary["splits"]["test"] = {"questions": 14, "claims": 0}
    html = page(stages, summary)
    assert (
        "The test split has 14 questions, drawn from the 70 questions kept (none rejected or merged with a duplicate)"
        in re.sub(r"<[^>]+>", "", html)
        and "Fourfold:" not in html
    )


def test_shares_of_errors_are_said_to_be_of_the_first_repeat() -> None:
    errors = {"runs": {"tiny-claims": ERRORS["runs"]["tiny-claims"] | {"patterns": {"right": 1}}}}
    assert "First repeat of each run only" in page(FOUND._replace(errors=errors), summarize(FOUND))


@pytest.mark.slow
def test_failed_calls_are_told_beside_the_figures() -> None:
    failed = {**RUNS["tiny-choice"], "outcomes": OUTCOMES | {"truncated": 1, "failed": 7}, "replied": 3, "accuracy_of_replied": 0.667}
    told = "7 of 10 replies are missing and count as wrong; accuracy of the 3 items replied to: 66.7 %"
    html = page(FOUND._replace(runs={"hosted": failed}), summarize(FOUND))
    assert told in html and "; 66.7 % of 3 answered</small></td>" in html
    assert told not in page(FOUND, summarize(FOUND))


@pytest.mark.slow
def test_the_stage_writes_the_same_bytes_twice(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # no params.yaml: the runs are those with figures
    write(tmp_path / "metrics")
    main([])
    plots = [f"plots/tables/{name}.csv" for name in ("types", "parts", "runs", "comparisons", "sweeps")]
    written = [tmp_path / name for name in ("reports/index.html", "metrics/summary.json", *plots)]
    first = [path.read_bytes() for path in written]
    main([])
    assert [path.read_bytes() for path in written] == first


def test_a_browser_shows_the_page_and_runs_nothing_in_it(browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(page(FOUND, summarize(FOUND)), encoding="utf-8")
    opened = browser.new_page()
    asked, faults = [], []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("pageerror", lambda error: faults.append(error))
    opened.goto((tmp_path / "index.html").as_uri())
    assert opened.title() == "AtomExam report"
    assert opened.get_by_text("Pairwise comparison of runs: 0 of 1 tested pairs differ significantly").is_visible()
    opened.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert opened.get_by_role("cell", name="mark 61.25").is_visible()
    assert opened.get_by_role("cell", name="50.0 % 10.0 … 90.0").first.is_visible()
    assert opened.get_by_role("cell", name="< 0.001").is_visible()
    assert opened.get_by_role("cell", name="50.0 … 75.0").is_visible()  # if every one were wrong, or right
    assert opened.get_by_role("cell", name="+50.0").is_visible()  # what SdAK's rules add
    assert opened.get_by_role("rowheader", name=HOSTILE).is_visible()
    assert (asked, faults) == ([(tmp_path / "index.html").as_uri()], [])


def test_the_first_screen_says_what_moved_since_a_version_and_whether_it_is_noise(browser, tmp_path: Path) -> None:
    """From the file that `eval.diff --html` writes beside the report; one of other figures is refused."""
    write_scripts(tmp_path / "reports")
    (tmp_path / "reports/index.html").write_text(page(FOUND, summarize(FOUND), scripted=True), encoding="utf-8")
    lost, still = ["tiny-claims", "accuracy", 0.75, 0.5, -0.25, "differs"], ["tiny-choice", "accuracy", 0.4999, 0.5, 0.0001, "unsure"]
    other = [["tiny-tcm", "following_rate", 0.5, 0.9, 0.4, "untested"], ["tuned", "mark", 0.1, 0.3, 0.2, "retrained"]]
    for rows, words in (
        (
            [still, lost],
            "Significant change: tiny-claims 75.0 % → 50.0 % (−25.0). No significant change, or too few items: tiny-choice 50.0 % → 50.0 %",
        ),
        (
            other,
            "Significant change, but retrained, which adds noise of its own: tuned mark 10.0 % → 30.0 % (+20.0). "
            "Changed, not tested: tiny-tcm following rate 50.0 % → 90.0 % (+40.0). Items: 3 questions added. "
            "Parameters: split.seed 0 -> <i>; split.seed 1 -> <i>; split.seed 2 -> <i>; split.seed 3 -> <i>; 2 more: dvc params diff v1. "
            "All changes since",
        ),
        (
            [[*lost[:2], 0.5, 0.5, 0, "untested"]],
            "No figure changed. Items: 3 questions added. All changes since <b>v1</b> (1a, 2026-01-01)",
        ),
        (
            [["tiny-claims", "accuracy", 0.5, 0.9, 0.4, "differs"]],
            "The comparison in folder diff is of other figures than these; python -m eval.diff <b>v1</b> --html",
        ),
        (None, "Not compared with another version yet. python -m eval.diff TAG --html fills this line"),
    ):
        path = tmp_path / "diff/items/changed.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        if rows is None:
            path.unlink()
        else:
            counts = [["question", "added", 3], ["claim", "removed", 0]]
            params = [f"split.seed {number} -> <i>" for number in range(6)] if "retrained" in str(rows) else []
            path.write_bytes(list_script("changed", ["<b>v1</b> (1a, 2026-01-01)", counts, rows, params, "dvc params diff v1"]))
        opened = browser.new_page()
        opened.goto((tmp_path / "reports/index.html").as_uri())
        expect(opened.locator("#changed")).to_contain_text(words)
        opened.close()


@pytest.mark.slow
def test_the_profile_of_each_source_and_the_lines_to_paste_are_shown() -> None:
    """What is out of bounds is open to the eye; hostile words of a source are text."""
    source = {"id": HOSTILE, "questions": 60, "kept": 50, "types": {"mcqa": 50}, "options": {"4": 60}, "letters": {"A": 20},
              "unlike": {"title_asks": [0.9, 0.0]}}  # fmt: skip
    outside = {"source": "toy", "figure": "title_asks", "value": 0.9, "bounds": "at most 0.02", "severity": "warning", "why": "A title."}
    profile = {"sources": {HOSTILE: source}, "outside": [outside], "lines": ["  - {source: toy, exam: EXAM, subject: SUBJECT}"]}
    profile["injections"] = {HOSTILE: {"records": 2, "chat_mark": 2}, "wiki": {"records": 1, "fake_mark": 1}}
    context = {"data": DATA, "crawls": {}, "reasons": [], "folders": {}, "sheets": {}}
    shown = rendered("rejected", context | {"profile": profile}, scripted=True)
    assert HOSTILE not in shown and "&lt;script&gt;" in shown
    assert "title_asks 90.0 %, others 0.0 %" in shown and "at most 0.02" in shown and "exam: EXAM, subject: SUBJECT" in shown
    assert "Records with instructions to a language model: 3" in shown and "fake mark 1" in shown
    assert "Source statistics" not in rendered("rejected", context | {"profile": {}}, scripted=True)
    found = FOUND._replace(profile=profile)
    assert "1 source statistics" in page(found, summarize(found))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, ["splits v5"]),
        (
            {"release": {"version": "1.0"}, "sources": {name: {"snapshot": f"2026-0{at}"} for name, at in (("b", 2), ("a", 1), ("c", 2))}},
            ["release 1.0", "splits v5", "snapshot 2026-01: a", "snapshot 2026-02: b, c"],
        ),
    ],
)
def test_the_report_says_what_data_it_is_of(params: dict, words: list[str]) -> None:
    assert about(params, {"version": {"name": "v5"}}) == words


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"sites": "embedded", "sources": {"hxter": {}, "my_site": {}}}, {"hxter"}),  # own sites have no replica
        ({"sites": "embedded", "sources": {"hxter": {"mode": "live"}, "mxqe": None}}, {"mxqe"}),
        ({"sites": "live", "sources": {"hxter": {"mode": "embedded"}, "mxqe": {}}}, {"hxter"}),
        ({"imports": {"books": {}}}, set()),
    ],
)
def test_only_sources_crawled_as_replicas_are_called_so(root: Path, params: dict, names: set[str]) -> None:
    assert replicas_of(params, root / "crawlers/embedded/sites") == names
    dates = {"sources": {"hxter": {"snapshot": "2026-11-20"}, "own": {"snapshot": "2026-11-20"}}}
    assert about(dates, {}, {"hxter"}) == ["snapshot 2026-11-20: invented replicas of hxter", "snapshot 2026-11-20: own"][::-1]


def test_every_run_says_with_which_model_and_settings_it_was_asked_and_what_nobody_knows(tmp_path: Path) -> None:
    hub = {"backend": "vllm", "name": "lab/seven", "template": {"enable_thinking": False}}
    served = {"backend": "openai", "name": "gpt"}
    models = {
        "hub": hub,
        "served": served,
        "given": {"backend": "imported", "name": "imports/models/given"},
        "rule": {"backend": "baseline"},
    }
    sampled = {"shots": 3, "max_new_tokens": 32, "temperature": 0.3, "top_k": 5, "stop": "verdict"}
    runs = {name: {"model": name, "task": "claim"} | (sampled if name == "hub" else {}) for name in models}
    runs |= {
        "weighed": {"model": "hub", "task": "choice", "method": "likelihood"},
        "unseen": {"model": "hub", "task": "tf", "split": "dev"},
    }
    for name, weights in (("hub", "revision main: 1234"), ("served", "none of its own"), ("given", "replies 5678")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "weights.txt").write_text(weights + "\n")
    unknown, own = "unknown", "the model's, if it has one; enable_thinking False"
    found = run_settings({"models": models, "runs": runs}, tmp_path)
    assert [list(row.values()) for row in found.values()] == [
        ["hub, lab/seven, vllm", "revision main: 1234", own, "3", "32", "temperature 0.3, top_k 5, seed 1, stop verdict"],
        ["served, gpt, openai", unknown, "the server's", "0", "at least 32, enough for 32 characters", "temperature 0.0"],
        ["given, imports/models/given, imported", "replies 5678", *[unknown] * 4],
        ["rule, baseline", *["–"] * 5],
        ["hub, lab/seven, vllm", "revision main: 1234", own, "0", "–", "likelihood of each answer"],
    ]
    lost = run_settings({"runs": {"a": {"model": "gone", "task": "tf"}}}, tmp_path)["a"]
    assert [*found] == [*models, "weighed"] and list(lost.values()) == ["gone", *[unknown] * 5]
    html = page(FOUND, summarize(FOUND), run_settings=found)
    assert 'id="settings"' in html and "<td>revision main: 1234</td>" in html and "Not recorded: number of parameters" in html
    assert 'id="settings"' not in page(FOUND, summarize(FOUND))


def test_the_foot_says_how_to_repeat_the_figures_and_where_licence_and_citation_are() -> None:
    release = {"name": "导游", "version": "1.2.0", "licence": "cc-by-4.0"}
    (foot,) = re.findall("<footer>.*</footer>", page(FOUND, summarize(FOUND), release=release))
    assert all(words in foot for words in ("<code>dvc repro</code>", "Licence of the data: cc-by-4.0; ", "To cite: 导游, version 1.2.0 ("))
    assert "Licence of the data: each record is under the terms of its source, " in page(FOUND, summarize(FOUND))


def test_the_release_and_its_exams_are_named_in_their_own_words() -> None:
    text = page(
        FOUND, summarize(FOUND), release={"name": "导游"}, exams={"PCE": ["心理咨询师", "咨询"], "律": ["司法考试"], "护士": ["护士"]}
    )
    assert "<title>导游 report</title>" in text
    assert (
        "<b>PCE</b> psychological counsellor exam (心理咨询师); " in text and "<b>律</b> (司法考试); " in text and "<b>护士</b>" not in text
    )


@pytest.mark.parametrize(("name", "x", "y"), [("intervals", "accuracy", "run"), ("bars", "accuracy", "part"), ("radar", "t", "accuracy")])
def test_a_plot_of_dvc_names_the_version_of_each_row(root: Path, name: str, x: str, y: str) -> None:
    """As `dvc plots diff` and the extension of VS Code fill it: every row says its version and, beside it, its own n."""
    row = {"run": "r", "part": "PCE", "t": "type", "accuracy": "0.5", "asked": "30", "low": "0.4", "high": "0.6"}
    rows = [row | {"rev": rev, "filename": "f.csv", "field": y} for rev in ("workspace", "v1")]
    made = VegaRenderer(rows, name, template=str(root / f"plots/{name}.json"), x=x, y=y, title="t").get_filled_template()
    text = json.dumps(made)
    assert "<DVC" not in text and '"field": "rev"' in text and "datum.low" in text and "datum.high" in text
    if name != "radar":
        assert '"domain": ["workspace", "v1"]' in text and "datum.rev + ', n = ' + datum.asked" in text
