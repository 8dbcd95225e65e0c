"""The dataset card, as text and in a browser, and the bill of materials, in an order that depends only on their contents."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from huggingface_hub import DatasetCard
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from atomexam.records.blocks import Release
from splits.release.card import render_card
from splits.release.columns import CONFIGS, FOURFOLD
from splits.release.materials import FILE, describe, locked, read_licences
from splits.release.tables import Contents

NAMES = st.sampled_from(["a", "b", "甲", "乙"])


def rows_under(card: str, head: str) -> list[list[str]]:
    """Return the cells of the rows of a table by the beginning of its head."""
    (table,) = re.findall(rf"^\| {head} \|.*\n\|[-:|]+\|\n((?:\|.*\n)*)", card, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]


def card_of(**counts: Counter) -> str:
    contents = Contents()
    for name, counted in counts.items():
        setattr(contents, name, counted)
    return render_card(contents, Release(version="0.1.0"), [], Counter())


@pytest.mark.slow
@given(st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, unique=True), st.randoms(use_true_random=False))
def test_sources_and_subjects_are_sorted(names: list[tuple[str, str, str]], random) -> None:
    subjects = {(one[:2], "train") for one in names}
    cards = []
    for _ in range(2):
        counted = Counter(dict.fromkeys(random.sample(names, len(names)), 1))
        cards.append(card_of(sources=counted, subjects=Counter(dict.fromkeys(random.sample(sorted(subjects), len(subjects)), 1))))
    assert cards[0] == cards[1]
    assert rows_under(cards[0], "source") == [[*name, "1"] for name in sorted(names)]
    assert rows_under(cards[0], "exam") == [[*name, "1", "0", "0"] for name, _ in sorted(subjects)]


@pytest.mark.parametrize(
    ("records", "size"),
    [(0, "n<1K"), (999, "n<1K"), (1_000, "1K<n<10K"), (99_999, "10K<n<100K"), (9_999_999, "1M<n<10M"), (10_000_000, "n>10M")],
)
def test_gives_the_size_in_the_hubs_terms(records: int, size: str) -> None:
    assert f"size_categories:\n  - {size}\n" in card_of(tables=Counter({("kg", "mcqa", "train"): records}))


@pytest.mark.slow
@given(st.sets(st.sampled_from(CONFIGS)), st.sets(st.sampled_from(CONFIGS)))
def test_lists_instruction_files_in_the_order_of_configs(train: set[str], test: set[str]) -> None:
    card = card_of(tables=Counter({(name, "mcqa", split): 1 for split, names in (("train", train), ("test", test)) for name in names}))
    told = re.findall(r"LLaMA-Factory\. Configs: (.*)\.\n", card)
    taught = [f"`{name}`" for name in CONFIGS if name in train and name != FOURFOLD]
    assert told == ([", ".join(taught)] if taught else [])


@pytest.mark.parametrize(
    ("sites", "places"), [(["files"], "files"), (["a.cn"], "pages"), (["files", "a.cn"], "pages or files"), ([], "files")]
)
def test_does_not_call_texts_of_files_public(sites: list[str], places: str) -> None:
    card = card_of(sources=Counter({("own", site, "2026-01-01"): 1 for site in sites}))
    assert f"lists the {places} it comes from" in card and ("are public" in card) == ("a.cn" in sites)


def test_counts_a_record_seen_twice_on_a_site_once(split_files, release_of, question) -> None:
    one = question(1)
    seen = [replace(one.provenance[0], position=position) for position in ("q1", "q2")] + [replace(one.provenance[0], source="other")]
    release = release_of(split_files([replace(one, provenance=seen)]))
    told = rows_under((release / "README.md").read_text(encoding="utf-8"), "source")
    assert told == [["other", "www.studyez.com", "2026-11-20", "1"], ["studyez", "www.studyez.com", "2026-11-20", "1"]]


@pytest.mark.slow
def test_batch_size_changes_no_row(split_files, release_of, pool, claims, monkeypatch, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    def tables(release: Path) -> dict[str, list[dict]]:
        return {f"{path.parent.name}/{path.stem[:-13]}": pq.read_table(path).to_pylist() for path in release.rglob("*.parquet")}

    folder = split_files(pool, claims)
    at_once = tables(release_of(folder))
    monkeypatch.setattr("splits.release.tables.BATCH_ROWS", 3)
    assert tables(release_of(folder, "by-threes")) == at_once


def test_release_of_own_questions_does_not_mention_medicine(split_files, release_of, question) -> None:
    folder = release_of(split_files([question(number, exam="导游", subject="地理") for number in range(12)]))
    card, croissant = ((folder / name).read_text(encoding="utf-8") for name in ("README.md", "croissant.json"))
    assert "\nChinese exam questions, for the evaluation of language models." in card
    assert re.findall(r"^  - (benchmark|examination|medical|psychology)$", card, re.MULTILINE) == ["benchmark", "examination"]
    assert not re.search(r"\b(medic|psycholog|disease|patient|care\b|claims?\b|fourfold|facts?\b)", card + croissant, re.IGNORECASE)


def test_release_of_own_questions_has_their_name_and_licence(split_files, release_of, question) -> None:
    flags = ["--name", "导游资格考试", "--description", "Questions of tour guides", "--licence", "cc-by-4.0"]
    folder = release_of(split_files([question(number, exam="导游", subject="地理") for number in range(12)]), flags=flags)
    card, *others = ((folder / name).read_text(encoding="utf-8") for name in ("README.md", "croissant.json", "bom.cdx.json"))
    assert not re.search("AtomExam|sources-own-terms|terms of the source", "".join([card, *others]))
    assert "pretty_name: 导游资格考试\n" in card and "\nlicense: cc-by-4.0\ntask" in card and "\n# 导游资格考试 0.1.0\n" in card
    assert "\nQuestions of tour guides, for the evaluation of language models." in card and "All records: cc-by-4.0." in card
    assert '"citeAs": "导游资格考试, version 0.1.0: questions of tour guides."' in others[0]


def opened(browser, release: Path, tmp_path: Path):
    """Return the card as a page, rendered by CommonMark with tables and HTML allowed, and the URLs that it requested."""
    body = DatasetCard((release / "README.md").read_text(encoding="utf-8")).text
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(body)
    (tmp_path / "card.html").write_text(f"<!doctype html><meta charset=utf-8><title>card</title>{html}", encoding="utf-8")
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "card.html").as_uri())
    return page, body, asked


@pytest.mark.slow
def test_card_renders(browser, release: Path, tmp_path: Path) -> None:
    page, body, asked = opened(browser, release, tmp_path)
    tables = re.findall(r"(?:^\|.*\n)+", body, re.MULTILINE)
    assert page.locator("table").count() == len(tables) >= 8
    told = [len(table.splitlines()) - 1 for table in tables]  # the line of dashes is not a row
    assert page.eval_on_selector_all("table", "tables => tables.map(table => table.rows.length)") == told
    widths = page.eval_on_selector_all("table", "tables => tables.map(t => new Set([...t.rows].map(row => row.cells.length)).size)")
    assert set(widths) == {1}
    assert page.locator("h1").all_inner_texts() == ["AtomExam 0.1.0"]
    shown = page.inner_text("body")
    assert "| ---" not in shown and "{{" not in shown and "{%" not in shown and "&lt;" not in shown
    assert {"Composition", "Versions", "Known limitations", "Sources and licences"} <= set(page.locator("h2").all_inner_texts())
    assert [address for address in asked if not address.startswith("file:")] == []


@pytest.mark.slow
@pytest.mark.parametrize("where", ["exam", "subject", "source"])
def test_escapes_names_from_pages(browser, split_files, release_of, question, tmp_path: Path, where: str) -> None:
    hostile = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">|`a`|*b*\n## 标题 [x](javascript:alert(1))"
    pool = [question(number, **({where: hostile} if where != "source" else {})) for number in range(14)]
    if where == "source":
        pool = [replace(one, provenance=[replace(one.provenance[0], source=hostile)]) for one in pool]
    page, _, asked = opened(browser, release_of(split_files(pool)), tmp_path)
    assert page.title() == "card"
    assert page.locator("script, img, td a").count() == 0
    assert "标题" not in "".join(page.locator("h2").all_inner_texts())
    assert page.locator("td", has_text="document.title='ran'").count() == 1
    assert len(asked) == 1


ROOT = Path(__file__).parent.parent.parent
A, B, C = ("a" * 64, "b" * 64, "c" * 64)
LOCK = f"""one==1.0 \\
    --hash=sha256:{B} \\
    --hash=sha256:{A}
# a comment
two-x==2.0+cpu ; python_version < '3.14' \\
    --hash=sha256:{C}
"""


def test_bill_has_name_version_licence_and_hashes() -> None:
    bill = describe("Books", "0.1.0", locked(LOCK), read_licences('"Name","License"\n"Two_X","MIT OR Apache-2.0"\n'))
    assert not {"serialNumber", "timestamp"} & {*bill, *bill["metadata"]}
    assert bill["metadata"]["component"]["name"] == "Books"
    one, two = bill["components"]
    assert (one["purl"], "licenses" in one) == ("pkg:pypi/one@1.0", False)
    assert [file["content"] for file in one["externalReferences"][0]["hashes"]] == [A, B]
    assert (two["purl"], two["licenses"]) == ("pkg:pypi/two-x@2.0%2Bcpu", [{"license": {"name": "MIT OR Apache-2.0"}}])


def test_reports_a_package_without_a_hash() -> None:
    with pytest.raises(ValueError, match=r"one==1\.0 has no hash in its lock file"):
        locked("one==1.0\n")


def test_release_has_a_bill_of_all_locked_packages(release: Path) -> None:
    bill = json.loads((release / FILE).read_text(encoding="utf-8"))
    lines = [line for name in ("requirements.lock", "requirements-torch.txt") for line in (ROOT / name).read_text().splitlines()]
    names = sorted(line.split("==")[0] for line in lines if "==" in line)
    assert [component["name"] for component in bill["components"]] == names and "torch" in names
    assert bill["metadata"]["component"]["version"] == "0.1.0"
