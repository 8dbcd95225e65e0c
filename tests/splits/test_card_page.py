"""The dataset card in a browser: tables are tables, names from pages are text, and nothing is run or fetched."""

import re
from pathlib import Path

import pytest
from huggingface_hub import DatasetCard
from markdown_it import MarkdownIt

HOSTILE = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">|`a`|*b*\n## 标题 [x](javascript:alert(1))"


def opened(browser, release: Path, tmp_path: Path):
    """Return the card as a page, rendered by CommonMark with tables and HTML allowed, and the addresses that it asked for."""
    body = DatasetCard((release / "README.md").read_text(encoding="utf-8")).text
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(body)
    (tmp_path / "card.html").write_text(f"<!doctype html><meta charset=utf-8><title>card</title>{html}", encoding="utf-8")
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "card.html").as_uri())
    return page, body, asked


@pytest.mark.slow
def test_the_card_renders(browser, release: Path, tmp_path: Path) -> None:
    page, body, asked = opened(browser, release, tmp_path)
    tables = re.findall(r"(?:^\|.*\n)+", body, re.MULTILINE)
    assert page.locator("table").count() == len(tables) >= 8
    told = [len(table.splitlines()) - 1 for table in tables]  # the line of dashes is no row
    assert page.eval_on_selector_all("table", "tables => tables.map(table => table.rows.length)") == told
    widths = page.eval_on_selector_all("table", "tables => tables.map(t => new Set([...t.rows].map(row => row.cells.length)).size)")
    assert set(widths) == {1}
    assert page.locator("h1").all_inner_texts() == ["AtomExam 0.1.0"]
    shown = page.inner_text("body")
    assert "| ---" not in shown and "{{" not in shown and "{%" not in shown and "&lt;" not in shown
    assert {"Composition", "Versions", "Known flaws", "Sources and licences"} <= set(page.locator("h2").all_inner_texts())
    assert [address for address in asked if not address.startswith("file:")] == []


@pytest.mark.slow
@pytest.mark.parametrize("where", ["exam", "subject", "source"])
def test_names_from_pages_are_text(browser, split_files, release_of, question, tmp_path: Path, where: str) -> None:
    from msgspec.structs import replace

    pool = [question(number, **({where: HOSTILE} if where != "source" else {})) for number in range(14)]
    if where == "source":
        pool = [replace(one, provenance=[replace(one.provenance[0], source=HOSTILE)]) for one in pool]
    page, _, asked = opened(browser, release_of(split_files(pool)), tmp_path)
    assert page.title() == "card"
    assert page.locator("script, img, td a").count() == 0
    assert "标题" not in "".join(page.locator("h2").all_inner_texts())
    assert page.locator("td", has_text="document.title='ran'").count() == 1
    assert len(asked) == 1
