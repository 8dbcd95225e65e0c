"""The pages of items and of rejections: what they hold, what they never hold, and how they behave in a real browser."""

import csv
import gzip
import io
import json
import random
import shutil
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import expect

from atomexam.records.blocks import Run
from atomexam.records.claim import ClaimPair
from atomexam.records.prediction import Prediction, Score
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from eval.errors.patterns import Pair
from eval.errors.tables import run_figures
from eval.report.__main__ import main
from eval.report.items import (
    MAX_REPLY_CHARS,
    PACKED_FROM,
    Browser,
    ScoredReply,
    item_results,
    paired_replies,
    related_items_of,
    requests_of,
)
from eval.report.pages import write_items
from eval.statistics.bootstrap import DIGITS
from eval.statistics.paired_tests import METRICS, paired, tally
from tests.eval.item_pages import HOSTILE, RESERVED, RUNS, build, claim, question, write_data
from tests.eval.test_report import write
from tests.opened import Opened

FACETS = {
    "by_type": "atomic_type",
    "by_exam": "exam",
    "by_subject": "subject",
    "by_question_type": "question_type",
    "by_category": "category",
}


def score(item: str, repeat: int = 0, correct: bool | None = True, outcome: str = "answered") -> Score:
    answer = "正确" if item.startswith("claim") else "A"
    return Score(item_id=item, repeat=repeat, outcome=outcome, answer=answer, correct=correct, committed=answer, committed_correct=correct)


def reply(item: str, words: str, repeat: int = 0) -> Prediction:
    return Prediction(item_id=item, run="r", repeat=repeat, prompt_sha256="0", reply=words, finish_reason="stop", tokens=1)


def files_of(questions: list[Question], claims: list[ClaimPair], replies: dict[str, list]) -> dict[str, list]:
    """Return what each file hands over, read as a browser would read it."""
    browser = Browser({run: {"model": "m", "task": "choice"} for run in replies})
    found = {}
    for name, content in browser.files(questions, claims, replies):
        assert content.startswith(b"AtomExam.take(") and content.endswith(b");\n")
        value = json.loads(content.decode().partition(",")[2][:-3])
        if content.startswith(b'AtomExam.take("packed"'):
            assert len(content) < PACKED_FROM
            value = json.loads(gzip.decompress(b64decode(value[1])).decode("utf-16-le"))
        found[name] = value
    return found


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        write(root / "metrics")
        for path in (root / "metrics/runs").glob("*.json"):
            path.unlink()
        write_data(root)
        for name in ("judge/tiny-essay.json", "compare.json", "errors.json"):
            (root / "metrics" / name).unlink()
        return build(root)


@pytest.fixture
def open_page(browser, reports: Path) -> Iterator[Callable[..., Opened]]:
    """A function that opens a page of the reports in the browser; in the end each is closed, and none has complained."""
    pages = []

    def opened(name: str, folder: Path = reports, **settings) -> Opened:
        pages.append(Opened(browser, folder, name, **settings))
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


def test_replies_are_joined_with_their_scores() -> None:
    scores = [score("claim-1/factual"), score("claim-1/factual", 1), score("claim-1/non_factual"), score("q-1")]
    said = [reply("claim-1/factual", "a"), reply("claim-1/non_factual", "c"), reply("claim-2/factual", "other"), reply("q-1", "d")]
    found = [(item, [each.prediction and each.prediction.reply for each in replies]) for item, replies in paired_replies(scores, said)]
    assert found == [("claim-1", ["a", None, "c"]), ("q-1", ["d"])]


def test_pair_is_right_if_both_sides_are() -> None:
    rows = [("factual", 0, True), ("factual", 1, True), ("non_factual", 0, True), ("non_factual", 1, False)]
    made = item_results(
        [ScoredReply(score(f"claim-1/{side}", repeat, right), None) for side, repeat, right in rows], ("factual", "non_factual")
    )
    assert {side: verdict[:2] for side, verdict in made.items()} == {"": (1, 2), "factual": (2, 2), "non_factual": (1, 2)}
    assert [verdict.pattern for verdict in made.values()] == ["sycophancy", "", ""]


def test_worst_outcome_is_shown_and_hidden_answers_are_unscored() -> None:
    made = item_results([ScoredReply(score("q-1", 0, None), None), ScoredReply(score("q-1", 1, None, "truncated"), None)], ())
    assert made[""] == (0, 0, "truncated", "")


def test_rejects_reply_outside_the_test_split() -> None:
    for item in ("q-0", "q-9"):
        replies = {"r": [(item, [ScoredReply(score(item), None)])]}
        with pytest.raises(ValueError, match=f"{item}.*dvc repro score"):
            files_of([msgspec.structs.replace(question(1), id="q-5")], [], replies)


def test_long_reply_is_cut_and_shows_its_length() -> None:
    item = question(1)
    words = "长" * (MAX_REPLY_CHARS + 5)
    files = files_of([item], [], {"r": [(item.id, [ScoredReply(score(item.id), reply(item.id, words))])]})
    row = files["detail-00000.js"][1][0][2][0]
    assert row[7] == words[:MAX_REPLY_CHARS] and row[8:] == [-1, len(words)]


def test_answer_in_words_shows_mark_and_judge(browser, tmp_path: Path) -> None:
    item = msgspec.structs.replace(question(1), question_type="qa", options=[], answer="标准答案")
    replies = [ScoredReply(score(item.id, at, None), reply(item.id, "说了很多", at)) for at in range(2)]
    judged = {"r": ("the rule overlap", {(item.id, 0): 62.5})}
    made = Browser({"r": {"model": "m", "task": "essay"}}, judged=judged).files([item], [], {"r": [(item.id, replies)]})
    write_items(tmp_path, made, folder="none")
    opened = Opened(browser, tmp_path, f"items.html#item={item.id}")
    cells = opened.page.locator(".replies td:nth-child(3)")
    expect(cells).to_have_text(["mark 62.5 of 100, by the rule overlap", "not scored"])
    opened.close()


def test_unasked_questions_are_counted_by_type() -> None:
    browser = Browser({"r": {"model": "m", "task": "choice"}})
    asked, *left = sorted((question(number) for number in range(3)), key=lambda row: row.id)
    left = [msgspec.structs.replace(row, question_type="tf") for row in left]
    list(browser.files([asked, *left], [], {"r": [(asked.id, [ScoredReply(score(asked.id), None)])]}))
    assert browser.unasked == {"tf": 2}


def test_hostile_text_cannot_end_script_or_line() -> None:
    browser = Browser({})
    content = b"".join(text for _, text in browser.files([question(1, HOSTILE)], [], {}))
    assert b"<" not in content and b"\x00" not in content and "\u2028".encode() not in content
    assert files_of([question(1, HOSTILE)], [], {})["list-0000.js"][2][0][3] == [HOSTILE]


@pytest.mark.slow
def test_many_items_are_split_into_complete_files() -> None:
    questions, claims = [question(number) for number in range(4_100)], [claim(number) for number in range(50)]
    files = files_of(questions, claims, {"r": [(item.id, [ScoredReply(score(item.id), None)]) for item in questions]})
    rows = [row for name, parts in sorted(files.items()) if name.startswith("list") for row in parts[2]]
    assert [row[0] for row in rows] == [item.id for item in [*claims, *questions]]
    assert len([name for name in files if name.startswith("detail")]) == 21
    assert {len(row[6]) for row in rows[:50]} == {3} and {row[6] for row in rows[:50]} == {"---"}


@pytest.mark.slow
def test_reserved_split_is_on_no_page(reports: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in reports.rglob("*") if path.is_file())
    assert RESERVED not in text and "保留的病" not in text and "换了说法" not in text and f"{9_000:020x}" not in text
    assert text.count("2 of the records considered are withheld") == 2  # of two reasons
    clusters = (reports / "clusters.html").read_text(encoding="utf-8")
    assert "2 withheld" in clusters and "1 withheld" in clusters  # of contradictions and of clusters


def test_each_reason_has_count_examples_and_remedy(reports: Path) -> None:
    html = (reports / "rejected.html").read_text(encoding="utf-8")
    assert html.count("坏题") == 10
    assert "clean: stem_broken, 13" in html and "<td>toy 13</td>" in html
    assert "cut off, or with" in html and "layout was read" in html
    assert "<script>" not in html and "⟨U+202E⟩" in html and "\u202e" not in html


@pytest.mark.slow
def test_pages_are_deterministic_without_stale_files(reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(reports.parent)
    before = {path: path.read_bytes() for path in reports.rglob("*") if path.is_file()}
    (reports / "items/list-0099.js").write_text("stale")
    build(reports.parent)
    assert {path: path.read_bytes() for path in reports.rglob("*") if path.is_file()} == before


def test_four_clicks_from_accuracy_to_source(open_page) -> None:
    opened = open_page("index.html")
    page = opened.page
    page.locator(".models tr", has_text="one").locator("td.n a").nth(1).click()  # 1
    page.wait_for_selector("body[data-ready]")
    page.get_by_label("outcome").select_option("wrong")  # 2 and 3: open and choose
    page.locator(".row").first.click()  # 4
    page.get_by_role("region", name="Provenance").wait_for()
    shown = page.locator("#item").inner_text()
    assert "https://exam.example/" in shown and "page-0000" in shown and "position q" in shown and "✗" in shown


def test_page_figures_match_the_metrics(open_page, reports: Path) -> None:
    """Every accuracy of every run and part, by the address that the report's table links to."""
    opened = open_page("items.html")
    checked = 0
    for name in RUNS:
        metrics = json.loads((reports.parent / f"metrics/runs/{name}.json").read_text())
        parts = [({}, metrics), *(({facet: value}, row) for part, facet in FACETS.items() for value, row in metrics.get(part, {}).items())]
        parts += [({"side": side}, row) for side, row in metrics.get("by_side", {}).items()]
        for asked, row in parts:
            opened.page.evaluate("asked => { location.hash = new URLSearchParams(asked) }", {"run": name, **asked})
            expect(opened.page.locator("#f-run")).to_have_value(name)
            wanted = row.get("pairs", row.get("claims", row.get("questions"))), f"{100 * row['accuracy']:.1f} %"
            opened.shows(wanted[0])
            opened.page.locator("#figures").evaluate("() => new Promise(requestAnimationFrame)")
            found, accuracy = opened.figures()[name]
            assert found == wanted[0] and abs(float(accuracy[:-2]) - 100 * row["accuracy"]) <= 0.0501, (name, asked)
            checked += 1
    assert checked > 20


def test_better_and_worse_items_match_the_comparison(open_page, reports: Path) -> None:
    tallies = [tally(read_jsonl(reports.parent / f"data/scores/{name}.jsonl", Score), METRICS["accuracy"]) for name in ("first", "second")]
    row = paired(*tallies, {}, "x")
    opened = open_page("items.html#run=first&other=second&relation=better")
    assert row["better"] > 0
    opened.shows(row["better"])
    opened.page.get_by_label("compared with other run").select_option("worse")
    assert row["worse"] > 0
    opened.shows(row["worse"])


def test_finds_items_only_one_run_or_no_run_gets_right(open_page, reports: Path) -> None:
    first, second = (
        tally(read_jsonl(reports.parent / f"data/scores/{name}.jsonl", Score), METRICS["accuracy"]) for name in ("first", "second")
    )
    alone = [key for key, one in first.items() if one.share > second[key].share]
    opened = open_page("index.html")
    opened.page.locator("summary", has_text="Every run").click()
    opened.page.get_by_role("link", name="first", exact=True).first.click()
    opened.page.wait_for_selector("body[data-ready]")
    opened.page.locator("#f-other").select_option("every other run")
    opened.page.locator("#f-relation").select_option("better")
    assert len(alone) > 0
    opened.shows(len(alone))
    assert "other=every+other+run" in opened.page.url
    opened.page.locator("#f-relation").select_option("both wrong")
    assert sum(not one.share and not second[key].share for key, one in first.items()) > 0
    opened.shows(sum(not one.share and not second[key].share for key, one in first.items()))


def test_item_links_to_wordings_and_evidence(open_page) -> None:
    opened = open_page(f"items.html#item={question(2).id}")
    opened.page.get_by_role("region", name="Provenance").wait_for()
    assert opened.page.get_by_role("link", name="Other wordings").count() == 0  # this one is in no cluster
    opened.go(f"items.html#item={claim(1).id}")
    opened.page.get_by_role("link", name="Evidence for claims of this type").click()
    expect(opened.page.locator("section:target")).to_have_count(1)
    assert opened.page.url.endswith("evidence.html#disease_cause")
    opened.go("index.html")
    assert opened.page.locator("a[href='rejected.html#reasons']").count() == 1


def test_question_links_to_its_displayed_cluster() -> None:
    item = msgspec.structs.replace(question(1), cluster_id="cluster-1")
    for clusters, told in (({"cluster-1"}, ["cluster", "wordings"]), (set(), ["cluster"])):
        made = dict(Browser({}, clusters=clusters).files([item], [], {}))["detail-00000.js"].decode()
        assert [name for name in ("cluster", "wordings") if f'["{name}","cluster-1"]' in made] == told


def test_a_share_is_rounded_as_on_the_other_pages(open_page) -> None:
    """10 of 32 is 31.2 %, not 31.3: Python rounds a half to the even side."""
    shares = [(right, of) for of in (16, 32, 80, 154, 678) for right in range(of + 1)]
    opened = open_page("items.html")
    shown = opened.page.evaluate("all => all.map(([right, of]) => AtomExam.percent(right / of))", shares)
    assert shown == [f"{100 * round(right / of, DIGITS):.1f} %" for right, of in shares] and shown[17 + 10] == "31.2 %"


def test_claim_errors_match_the_table(open_page, reports: Path) -> None:
    """Of the first repeat, as stage `errors` counts them."""
    pairs = [item for item in read_jsonl(reports.parent / "data/splits/test/claims.jsonl", ClaimPair)]
    scores = {one.item_id: one for one in read_jsonl(reports.parent / "data/scores/claims.jsonl", Score) if one.repeat == 0}
    told = []
    for pair in pairs:
        both = {side: scores[f"{pair.id}/{side}"] for side in ("factual", "non_factual")}
        outcomes, answers = ({side: getattr(one, name) for side, one in both.items()} for name in ("outcome", "answer"))
        told.append(Pair(pair, {}, outcomes, answers))
    figures = run_figures(told, [], 0, [])["patterns"]
    opened = open_page("items.html")
    for kind, pairs in figures.items():
        opened.go(f"items.html#run=claims&verdict={kind.replace('_', '+')}+in+the+first+repeat")
        opened.shows(pairs)
    assert figures["right"] and figures["not_follow"] and figures["sycophancy"]


def test_search_state_is_in_the_address_and_back_works(open_page) -> None:
    opened = open_page("items.html")
    page = opened.page
    opened.shows(52)
    page.get_by_label("search").fill("第７题")  # of full width
    opened.shows(1)
    page.locator(".row").click()
    page.get_by_role("heading", name=question(7).id).wait_for()
    again = open_page(page.url.removeprefix(opened.base))
    again.page.get_by_role("heading", name=question(7).id).wait_for()
    again.shows(1)
    assert again.page.get_by_label("search").input_value() == "第７题"
    page.get_by_role("button", name="Reset").click()
    opened.shows(52)
    page.get_by_label("exam").select_option("SSE")
    opened.shows(20)
    page.go_back()
    opened.shows(52)
    opened.go("items.html#exam=NONE")
    opened.shows(0)
    opened.go("items.html#item=q-unknown")
    page.get_by_text("no such item in the test split").wait_for()


def test_everything_is_reachable_by_keyboard(open_page) -> None:
    opened = open_page("items.html")
    page = opened.page
    page.keyboard.press("/")
    page.keyboard.type("题干")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    expect(page.locator("[aria-selected=true]")).to_have_attribute("aria-posinset", "2")
    active = page.locator("#list").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-setsize") == "39"
    page.keyboard.press("Enter")
    expect(page.locator("h2:focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#list")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator("[aria-selected=true]")).to_have_attribute("aria-posinset", "39")
    assert page.locator("#list").evaluate("list => getComputedStyle(list).outlineStyle") == "solid"


def test_chosen_columns_are_in_the_address(open_page) -> None:
    opened = open_page("items.html")
    page = opened.page
    heads = page.locator("#heads span")
    assert heads.all_text_contents() == ["first", "second", "third", "claims"]  # a run of each model before the second of one
    expect(page.locator("#columns-shown")).to_have_text("4 of 4 runs")
    page.locator("summary", has_text="Columns").click()
    for name in ("first", "third", "claims"):
        page.get_by_label(name, exact=True).click()
    assert heads.all_text_contents() == ["second"] and "runs=second" in page.url
    again = open_page(page.url.removeprefix(opened.base))
    assert again.page.locator("#heads span").all_text_contents() == ["second"]
    row, names = again.page.locator(".row").last, again.page.locator("#heads span")
    assert row.locator(".mark").count() == names.count() == 1
    assert abs(row.locator(".mark").bounding_box()["x"] - names.bounding_box()["x"]) < 12  # one below the other


MARKED = """async ([id, answer, shift, words]) => {
  const at = AtomExam.data.place.get(id), shown = await AtomExam.data.detail(at), own = AtomExam.data.detail;
  const reply = { ...shown.replies.find(({ prompt }) => prompt && prompt.shift === 0), answer, words };
  reply.prompt = { ...reply.prompt, shift };
  AtomExam.data.detail = async () => ({ ...shown, replies: [reply] });
  const view = await AtomExam.itemView(at);
  AtomExam.data.detail = own;
  view.querySelectorAll("mark").forEach((mark) => { mark.textContent = `[${mark.textContent}]`; });
  return view.querySelector(".replies td:last-child > pre").textContent;
}"""


def test_reply_shows_prompt_and_answer_position(open_page, reports: Path) -> None:
    """The messages are those whose hash the reply has, for a backend that joins them as text."""
    request = requests_of(reports.parent / "data/splits", RUNS)("first", question(3).id, 0)
    opened = open_page(f"items.html#item={question(3).id}")
    row = opened.page.locator(".replies tr", has_text="first").last
    row.locator("summary").click()
    assert row.locator(".sent b").all_text_contents() == [message["role"] for message in request.messages]
    assert row.locator(".sent pre").all_text_contents() == [message["content"] for message in request.messages]
    read = opened.page.locator(".replies mark").all_text_contents()
    assert set(read) <= set("ABC")
    assert opened.page.evaluate(MARKED, [question(3).id, "A", 1, "答案：B。A项与题意不符。"]) == "答案：[B]。A项与题意不符。"  # order 1
    assert opened.page.evaluate(MARKED, [question(3).id, "A", 0, "Option A, as Anxiety fits"]) == "Option [A], as Anxiety fits"
    assert opened.page.evaluate(MARKED, [question(3).id, "不(1.5", 0, "是不(1.5。"]) == "是[不(1.5]。"


def test_requests_are_found_by_repeat_and_wording(reports: Path) -> None:
    run = Run(model="one", task="choice", repeats=2, prompts=["choice", "choice_short"])
    request = requests_of(reports.parent / "data/splits", {"r": run})
    asked = [request("r", question(3).id, repeat).messages for repeat in range(4)]
    assert asked[0] == asked[1] != asked[2] == asked[3] and request("unknown", question(3).id, 0) is None


def test_items_of_a_case_or_fact_are_related() -> None:
    case = [msgspec.structs.replace(question(number), group_id="g") for number in (1, 2)]
    same = msgspec.structs.replace(claim(2), fact_ids=claim(1).fact_ids)
    assert related_items_of([*case, question(3), claim(1), same, claim(4)]) == {
        case[0].id: [case[1].id], case[1].id: [case[0].id], claim(1).id: [same.id], same.id: [claim(1).id]
    }  # fmt: skip


def test_hostile_text_is_shown_as_text(open_page) -> None:
    opened = open_page(f"items.html#item={question(1).id}")
    page = opened.page
    page.get_by_role("heading", name=question(1).id).wait_for()
    for place in (page.locator("#item section").first, page.locator(".row .stem").nth(13)):
        shown = place.text_content()
        assert "</script><script>" in shown and "⟨U+2028⟩⟨U+0000⟩⟨U+202E⟩倒⟨U+202C⟩" in shown
    assert page.title() == "AtomExam items" and page.locator("img").count() == 0


def test_saved_tables_contain_no_formulas(open_page) -> None:
    opened = open_page("items.html#run=first")
    with opened.page.expect_download() as saved:
        opened.page.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(saved.value.path()).read_text(encoding="utf-8-sig"))))
    assert len(rows) == 40 and {row["first"] for row in rows} <= {"right", "wrong", "unparsed"}
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]
    cells = opened.page.evaluate("['=1+1', '@a', '＋1', '-3.5', '12.5 %', 'a\"b', '\\t=x'].map(AtomExam.csvCell)")
    assert cells == ['"\'=1+1"', '"\'@a"', '"\'＋1"', '"-3.5"', '"12.5 %"', '"a""b"', '"\'\t=x"']


def test_tables_are_sorted_by_number_and_by_words(open_page) -> None:
    opened = open_page("index.html")
    page = opened.page
    page.locator("summary", has_text="Every run").click()
    table = page.locator("table", has=page.get_by_role("button", name="following rate")).first
    for times, order in ((1, "ascending"), (2, "descending")):
        table.get_by_role("button", name="accuracy", exact=True).click()
        column = table.locator("tr").evaluate_all("rows => rows.slice(1).map(row => parseFloat(row.cells[6].textContent))")
        assert column == sorted(column, reverse=times == 2)
        assert table.locator(f"th[aria-sort={order}]").inner_text().startswith("accuracy")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save this table as CSV: Every run").first.click()
    assert Path(saved.value.path()).read_text(encoding="utf-8-sig").startswith('"run","model","task","settings"')


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("name", ["index.html", "items.html", "rejected.html", "clusters.html", "evidence.html"])
def test_pages_fit_the_screen(open_page, name: str, width: int) -> None:
    opened = open_page(name, viewport={"width": width, "height": 844})
    page = opened.page
    if name.startswith("items"):
        page.locator(".row").first.click()
        page.get_by_role("region", name="Provenance").wait_for()
        assert page.locator("#list").is_visible() is (width > 800)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if name.startswith("items") and width < 800:
        page.get_by_role("button", name="← List").click()
        assert page.locator("#list").is_visible()


def test_unreadable_files_are_reported(browser, reports: Path, tmp_path: Path) -> None:
    shutil.copytree(reports, tmp_path, ignore=shutil.ignore_patterns("items"), dirs_exist_ok=True)
    page = browser.new_page()
    page.goto((tmp_path / "items.html").as_uri())
    page.get_by_text("error: items/manifest.js could not be read; it must be next to this page").wait_for()
    page.close()


def test_shows_clusters_with_kept_questions_and_contradictions_with_decision_lines(open_page) -> None:
    opened = open_page("clusters.html")
    page = opened.page
    cells = page.locator(".card").evaluate_all("cards => cards.map(card => [...card.children].map(part => part.textContent))")
    cards = {name: count for count, name in cells}
    names = (
        "clusters of identical or near-duplicate questions",
        "with several wordings, listed below unless withheld",
        "with exact copies only, not listed",
    )
    assert cards == dict(zip((*names, "rows in all clusters", "contradictions"), ("4", "3", "1", "11", "3"), strict=True))
    kept = page.locator(f"[id='cluster-{1:020x}']")
    assert kept.locator("del").all_text_contents() == ["2"] * 5  # of each option, and of the answer
    assert kept.locator("ins").all_text_contents() == ["另外", *["50"] * 5]
    assert "similarity" in (kept.text_content() or "") and "0.900" in (kept.text_content() or "")
    assert "none kept" in (page.locator(f"[id='cluster-{3:020x}'] h3").text_content() or "")
    lines = page.locator(f"[id='q-{60:020x}'] td:last-child code").all_text_contents()
    assert json.loads(lines[0])["right"] == ["甲"] and len(lines) == 2
    assert page.title() == "AtomExam clusters" and not page.locator("img, script:not([src])").count()


def test_shows_claims_with_passages_and_verdicts(open_page) -> None:
    opened = open_page("evidence.html")
    page = opened.page
    rows = page.locator("h2:has-text('Claim pairs with a passage') + .wide tr").evaluate_all(
        "rows => rows.slice(1).map(row => [...row.cells].slice(0, 4).map(cell => cell.textContent))"
    )
    assert rows == [["disease_cause", "7", "3", "42.9 %"], ["disease_symptom", "6", "1", "16.7 %"]]  # reserved ones are counted alone
    first = page.locator("#disease_symptom")
    assert first.locator("mark").first.text_content() == "有发热" and first.locator("code").all_text_contents() == [claim(0).id]
    assert "onerror" in (first.text_content() or "") and not page.locator("img").count()
    withheld = page.locator("#disease_cause").text_content() or ""
    assert "2 of the claim pairs considered are withheld" in withheld and claim(3).id in withheld and claim(1).id not in withheld
    assert page.get_by_text("Krippendorff's alpha: 0.500; Fleiss' kappa: too few.").is_visible()
    assert page.get_by_role("cell", name="33.3 % 6.0 … 79.0").count() == 3


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory, reports: Path) -> Path:
    """The same pages with every file of items packed, as long ones are."""
    out = tmp_path_factory.mktemp("packed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(reports.parent)
        patch.setattr("eval.report.items.PACKED_FROM", 0)
        main(["--out", str(out / "reports")])
    assert all(path.read_bytes().startswith(b'AtomExam.take("packed"') for path in (out / "reports/items").glob("*.js"))
    return out / "reports"


@pytest.mark.slow
def test_packed_items_equal_plain_ones(open_page, reports: Path, packed: Path) -> None:
    told = []
    for folder in (reports, packed):
        opened = open_page(folder=folder, name=f"items.html#run=first&verdict=wrong&item={question(1).id}")
        opened.page.get_by_role("region", name="Provenance").wait_for()
        told.append([opened.count, opened.figures(), opened.page.locator("#item").inner_text(), opened.page.locator("#list").inner_text()])
        assert opened.page.title() == "AtomExam items" and "⟨U+202E⟩" in told[-1][2]
    assert told[0] == told[1] and told[0][0] > 0


def test_browser_without_decompression_reports_it(browser, packed: Path) -> None:
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto((packed / "items.html").as_uri())
    page.get_by_text("error: this browser cannot decompress the items").wait_for()
    page.close()


@pytest.mark.slow
def test_long_replies_are_packed() -> None:
    """Of words that share nothing; what runs say alike packs better."""
    drawn = random.Random(1)
    signs = [chr(0x4E00 + number) for number in range(3_000)]
    items = [question(number) for number in range(200)]
    said = [(one.id, [ScoredReply(score(one.id), reply(one.id, "".join(drawn.choices(signs, k=1_000))))]) for one in items]
    files = dict(Browser({"r": {"model": "m", "task": "choice"}}).files(items, [], {"r": said}))
    raw = sum(len(reply.prediction.reply.encode()) for _, (reply,) in said if reply.prediction)
    assert len(files["detail-00000.js"]) < 0.8 * raw
