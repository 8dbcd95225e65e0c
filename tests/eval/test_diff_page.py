"""The page of a difference: it names exactly what changed, nothing of the reserved split, and shows hostile text as text."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from atomexam.records.claim import SENTENCES
from eval.diff.__main__ import as_text, difference_of, main
from eval.diff.content import MAX_DISPLAYED, Changes, changes_of
from eval.diff.page import browser_files, item_files
from eval.diff.version import DataVersion
from eval.report.items import list_script
from eval.report.pages import write_items
from eval.report.records import marked
from tests.eval.item_pages import HOSTILE
from tests.opened import Opened, accessibility_faults

SPLITS = ("train", "dev", "test", "reserved")
SIGNS = [chr(code) for code in range(0x4E00, 0x9FA5)]


def words(drawn: random.Random, chars: int) -> str:
    return "".join(drawn.choices(SIGNS, k=chars))


def question(drawn: random.Random, number: int, **fields) -> dict:
    """Return a question of a file in which each stands at the place of its number."""
    options = [{"letter": letter, "text": words(drawn, 6)} for letter in "ABCD"]
    seen = {"source": "toy", "url": "file:bank.json", "snapshot": "2026-01-01", "page_id": "page-0", "position": f"q{number}"}
    return {"id": f"q-{number:06}", "exam": "SSE", "subject": "心理学", "stem": words(drawn, 25), "options": options, "answer": "A"} | {
        "provenance": [seen], **fields,
    }  # fmt: skip


def claim(number: int, head: str) -> dict:
    said = {"factual": f"{head}会发热", "non_factual": f"{head}不会发热", "head": head, "tail": "发热", "fact_ids": []}
    return {"id": f"claim-{number}"} | said


def fourfold(number: int, head: str, tail: str) -> dict:
    said = {
        f"{side}_{way}": f"{head}{verb}{what}"
        for side, what in (("true", "发热"), ("false", tail))
        for way, verb in (("affirmed", "会"), ("denied", "不会"))
    }
    about = {"head": head, "tail": "发热", "false_head": head, "false_tail": tail, "atomic_type": "disease_symptom"}
    return {"id": f"fourfold-{number}"} | said | about


def version(
    folder: Path, splits: dict[str, list[dict]], claims: dict[str, list[dict]], replies: dict[str, str], weights: str
) -> DataVersion:
    """Write a version of the data in which one run asked the test split; return it."""

    def write(path: str, rows: list[dict]) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")

    for split in SPLITS:
        write(f"data/splits/{split}/questions.jsonl", splits.get(split, []))
        write(f"data/splits/{split}/claims.jsonl", claims.get(split, []))
        if rows := claims.get(f"{split} fourfold"):
            write(f"data/splits/{split}/fourfold.jsonl", rows)
    asked = [(row["id"], replies.get(row["id"], "A"), row["answer"]) for row in splits["test"]]
    sides = [(f"{row['id']}/{side}", "正确", SENTENCES[side]) for row in claims.get("test fourfold", []) for side in SENTENCES]
    scored = {"repeat": 0, "outcome": "answered"}
    said = {"repeat": 0, "prompt_sha256": "0", "finish_reason": "stop"}
    for run, items in (("run", asked), ("four", sides)):
        marks = [{"item_id": key, "answer": reply, "correct": reply == right, **scored} for key, reply, right in items]
        write(f"data/scores/{run}.jsonl", marks)
        write(f"data/predictions/m/{run}.jsonl", [{"item_id": key, "reply": reply, **said} for key, reply, _ in items])
    (folder / "params.yaml").write_text("runs: {run: {model: m}, four: {model: m}}\n", encoding="utf-8")
    (folder / "dvc.lock").write_text(f"stages: {{train@m: {{outs: [{{path: data/models/m, md5: '{weights}'}}]}}}}\n", encoding="utf-8")
    return DataVersion("workspace", folder)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[DataVersion, DataVersion, dict[str, set[str]]]:
    """Two versions with a known change, and the ids of it: 20 removed, 30 added, 10 corrected, 4 moved, 3 in other words."""
    drawn = random.Random(1)
    made = [question(drawn, number) for number in range(400)]
    before = {"train": made[:150], "dev": made[150:200], "test": made[200:350], "reserved": made[350:]}
    removed = {row["id"] for row in [*made[:8], *made[200:212]]}
    corrected = {row["id"] for row in made[300:310]}
    moved = {row["id"] for row in made[150:154]}
    edited = {row["id"]: row for row in made[320:323]}
    after: dict[str, list[dict]] = {split: [] for split in SPLITS}
    for split, rows in before.items():
        for row in rows:
            if row["id"] in removed:
                continue
            other = {"answer": "B"} if row["id"] in corrected else {}
            if row["id"] in edited:  # an edit of the stem gives another id, and what stood before it is gone: another place
                shifted = row["provenance"][0] | {"position": "q9" + row["id"][-3:]}
                other = {"id": row["id"] + "-new", "stem": "新" + row["stem"][1:], "provenance": [shifted]}
            after["test" if row["id"] in moved else split].append(row | other)
    added = [question(drawn, 1_000 + number, **({"stem": HOSTILE} if not number else {})) for number in range(30)]
    after["test"] += added
    secret = question(drawn, 2_000, stem="独有保留题" + words(drawn, 20))
    after["reserved"] = [*after["reserved"][1:], secret]  # one of the reserved is gone, one is new: counted, never shown
    ids = {"removed": removed, "corrected": corrected, "moved": moved, "added": {row["id"] for row in added}}
    ids |= {"edited": {f"{key}-new" for key in edited} | corrected, "reserved": {secret["id"], made[350]["id"]}}
    folder = tmp_path_factory.mktemp("versions")
    claims = {"test": [claim(1, "感冒"), claim(2, "肺炎")], "reserved": [claim(3, "保留病")]}
    claims |= {"test fourfold": [fourfold(1, "感冒", "脱发")], "reserved fourfold": [fourfold(2, "保留病", "脱发")]}
    a = version(folder / "a", before, claims, {}, "1" * 32)
    later = {"test": [claim(2, "肺炎"), claim(4, "痛风"), claim(5, "保留病")], "reserved": [claim(3, "保留病")]}
    later["test fourfold"] = [fourfold(1, "感冒", "脱发"), fourfold(3, "痛风", "脱发"), fourfold(4, "保留病", "脱发")]
    b = version(folder / "b", after, later, {"q-000250": "C", "q-000300": "B"}, "2" * 32)
    return a, b, ids


def shown(changes: Changes) -> dict[str, set[str]]:
    return {name: {change.id for change in kind.displayed} for name, kind in changes.kinds.items()}


def test_known_change_is_reported_exactly(two) -> None:
    a, b, ids = two
    questions, claims, facts = changes_of(a, b)
    assert shown(questions) == {name: ids[name] for name in ("added", "removed", "moved", "edited")}
    assert {name: (kind.total, kind.withheld) for name, kind in questions.kinds.items()} == {
        "added": (31, 1), "removed": (21, 1), "moved": (4, 0), "edited": (13, 0),
    }  # fmt: skip
    answers = {change.id: change.fields["answer"] for change in questions.kinds["edited"].displayed if "answer" in change.fields}
    assert answers == {key: [("gone", "A"), ("new", "B")] for key in ids["corrected"]}
    assert questions.counts == {"train": (150, 142), "dev": (50, 46), "test": (150, 172), "reserved": (50, 50)}
    assert shown(claims) == {"added": {"claim-4"}, "removed": {"claim-1"}, "moved": set(), "edited": set()}
    assert shown(facts) == {"added": {"fourfold-3"}, "removed": set(), "moved": set(), "edited": set()}
    assert [kinds.kinds["added"].withheld for kinds in (claims, facts)] == [1, 1]  # another claim of what the reserved split asks about


def test_counts_items_new_in_test_for_all_kinds(two) -> None:
    lines = as_text(difference_of(two[0], two[1]), items=False).split("\n")
    assert lines[1:4] == [
        "questions in test: 150 -> 172 (37 added, 15 removed; edited items count as both)",
        "claims in test: 2 -> 3 (2 added, 1 removed; edited items count as both)",
        "fourfold facts in test: 1 -> 3 (2 added, 0 removed; edited items count as both)",
    ]


def test_same_version_has_no_change(two) -> None:
    for changes in changes_of(two[0], two[0]):
        assert {name: kind.total for name, kind in changes.kinds.items()} == dict.fromkeys(("added", "removed", "moved", "edited"), 0)


@pytest.mark.slow
def test_shows_the_first_and_counts_all(tmp_path: Path) -> None:
    drawn = random.Random(2)
    many = [question(drawn, number) for number in range(MAX_DISPLAYED + 5)]
    a, b = version(tmp_path / "a", {"test": []}, {}, {}, "1"), version(tmp_path / "b", {"test": many}, {}, {}, "1")
    added = changes_of(a, b)[0].kinds["added"]
    assert (added.total, len(added.displayed), added.withheld) == (MAX_DISPLAYED + 5, MAX_DISPLAYED, 0)


@given(st.text("ab 甲", max_size=30), st.text("ab 甲", max_size=30))
def test_marked_difference_contains_both_texts(a: str, b: str) -> None:
    pieces = marked(a, b)
    assert "".join(text for kind, text in pieces if kind != "new") == a
    assert "".join(text for kind, text in pieces if kind != "gone") == b


@pytest.fixture(scope="module")
def written(two, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of the difference of both versions."""
    folder, versions = tmp_path_factory.mktemp("pages") / "diff", iter(two[:2])
    main(["one", "two", "--html", str(folder)], lambda _: next(versions))
    return folder


WIDE = {"viewport": {"width": 1400, "height": 900}}
NARROW = {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"}


@pytest.mark.parametrize("settings", [WIDE, NARROW])
def test_page_shows_changes_but_nothing_reserved(browser, two, written: Path, settings: dict) -> None:
    ids = two[2]
    opened = Opened(browser, written, "index.html", **settings)
    page = opened.page
    for kind in ("added", "removed", "moved", "edited"):
        found = page.locator(f"#question-{kind} td:first-child > code").all_text_contents()
        assert set(found) == ids[kind] and len(found) == len(ids[kind]), kind
    text = page.locator("body").text_content() or ""
    assert not [key for key in ids["reserved"] if key in text] and "独有保留题" not in text and "保留病" not in text
    assert "document.title='owned'" in text and page.title().startswith("AtomExam: ")
    assert page.locator("tr", has_text="accuracy").locator("td", has_text="retrained").count() == 1
    assert re.search(r"Unchanged: .*four accuracy", text)  # facts were added, and it is what it was
    assert set(page.locator("section", has_text="newly wrong").locator("td:first-child code").all_text_contents()) >= {"q-000250"}
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("link", name="questions moved").click()
    expect(page).to_have_url(re.compile("#question-moved$"))
    opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_diff_page_passes_axe(browser, written: Path, scheme: str) -> None:
    for name in ("index.html", "items.html#since=edited"):
        opened = Opened(browser, written, name, bypass_csp=True, color_scheme=scheme)
        opened.page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        assert accessibility_faults(opened.page) == []
        opened.close()


def test_worse_subject_links_to_its_items(browser, written: Path) -> None:
    opened = Opened(browser, written, "index.html")
    cells = opened.page.locator("#where ~ .wide").first.locator("tr").nth(1).locator("td").all_inner_texts()
    assert cells[:3] == ["run", "SSE 心理学", "100.0 % of 150"] and cells[4].startswith("-") and cells[6] == "0"
    opened.page.locator("#where ~ .wide").first.get_by_role("link").first.click()
    opened.page.wait_for_selector("body[data-ready]")
    assert int(cells[5]) > 0
    opened.shows(int(cells[5]))
    opened.page.locator(".row").first.click()
    opened.page.get_by_role("region", name="Provenance").wait_for()
    assert "newly wrong" in opened.page.locator("#item .note").first.inner_text()
    opened.close()


@pytest.mark.slow
def test_page_is_deterministic(two, written: Path, tmp_path: Path, capsys) -> None:
    versions = iter(two[:2])
    main(["one", "two", "--html", str(tmp_path / "diff")], lambda _: next(versions))
    said = capsys.readouterr()
    assert said.err.strip().endswith("/diff/index.html") and "run accuracy" in said.out
    assert (tmp_path / "diff/index.html").read_bytes() == (written / "index.html").read_bytes()


def test_items_are_filtered_by_change(browser, two, written: Path) -> None:
    _, b, ids = two
    opened = Opened(browser, written, "index.html")
    in_test = {row.id for row in b.questions_of("test")}
    opened.page.get_by_role("link", name="added", exact=True).click()
    opened.page.wait_for_selector("body[data-ready]")
    opened.shows(len(ids["added"] & in_test) + 4)  # and a claim and a fact, and one of each that speaks of what is reserved: it is in test
    for became, wanted in (("edited", ids["edited"]), ("moved", ids["moved"])):
        opened.go(f"items.html#since={became}")
        assert len(wanted & in_test) > 0
        opened.shows(len(wanted & in_test))
    opened.go("items.html#result_since=newly+wrong&run=run&verdict=wrong&item=q-000250")
    opened.page.get_by_role("region", name="Provenance").wait_for()
    opened.shows(10)
    assert "file:bank.json" in opened.page.locator("#item").inner_text()
    assert opened.page.get_by_label("result since").input_value() == "newly wrong"
    opened.go("items.html#since=as+before")
    opened.shows(len(in_test) + 6 - len((ids["added"] | ids["edited"] | ids["moved"]) & in_test) - 4)
    opened.close()


@pytest.fixture
def beside(two, tmp_path: Path) -> Path:
    """A report's items with the difference beside them, as `eval.diff --html` writes it by default."""
    a, b, _ = two
    runs = difference_of(a, b)["runs"]
    write_items(tmp_path / "reports", browser_files(b, runs))
    became = {key: how for change in changes_of(a, b) for key, how in change.change_by_id.items()}
    said = "changed.js", list_script("changed", ["", [], [], [], ""])
    write_items(tmp_path / "diff", [*item_files(a, b, became, runs), said], folder="diff")
    return tmp_path / "reports"


def test_report_items_are_filtered_by_the_adjacent_diff(browser, two, beside: Path) -> None:
    b, ids = two[1:]
    in_test = {row.id for row in b.questions_of("test")}
    opened = Opened(browser, beside, "items.html", further=beside.parent / "diff")
    opened.page.get_by_role("button", name="Changed since").click()
    opened.page.locator("label", has_text="since workspace").locator("#f-since").select_option("edited")
    opened.shows(len(ids["edited"] & in_test))
    assert opened.page.url.endswith("#since=edited")
    opened.go("items.html#since=moved")
    opened.shows(len(ids["moved"] & in_test))
    opened.go("items.html#run=run&result_since=newly+wrong")
    opened.shows(10)
    assert opened.page.get_by_role("link", name="What changed from workspace to workspace").get_attribute("href") == "../diff/index.html"
    opened.close()


@pytest.mark.slow
def test_missing_or_mismatched_diff_is_reported(browser, beside: Path) -> None:
    script = beside.parent / "diff/items/since.js"
    script.write_text(re.sub('"[0-9a-f]{16}"', '"0"', script.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    opened = Opened(browser, beside, "items.html#since=edited", further=beside.parent / "diff")
    opened.shows(0)
    assert "of other items than these" in opened.page.locator("#since-said").inner_text()
    opened.close()
    script.unlink()
    opened = Opened(browser, beside, "items.html#since=edited", further=beside.parent / "diff")
    opened.shows(0)
    assert "python -m eval.diff TAG --html" in opened.page.locator("#since-said").inner_text()
    opened.page.get_by_role("button", name="Reset").click()
    expect(opened.page.locator("#count")).to_have_text(re.compile("^[1-9]"))
    (beside.parent / "diff/items/changed.js").unlink()
    opened.go("items.html")
    assert not opened.page.get_by_role("button", name="Changed since").is_visible()  # no difference, no button
    opened.faults.clear()  # the browser itself says that a file is not there
    opened.close()
