"""The report is self-contained: no requests, no scripts, all text escaped."""

import re
from pathlib import Path

import pytest

from curation.validate.report import write_reports
from curation.validate.run import CheckedTable, check_table, quiet_context, read_suite
from curation.validate.tables import Columns

pytestmark = pytest.mark.slow

HOSTILE = [
    "<script>document.title='hit'</script>", "<img src=http://example.com/x.png onerror=\"document.title='hit'\">",
    '"><iframe src="https://example.com/"></iframe>', "{{ 7*7 }} $column ${x} %s", "a\u202eb\x00\x1b[31m", "]]>&lt;b&gt;&#60;i&#62;",
]  # fmt: skip
SUITE = """
- {expect: ExpectColumnValuesToMatchRegex, column: text, regex: "^good$"}
- {expect: ExpectColumnPairValuesToBeEqual, column_A: id, column_B: text, why: "All is <b>one</b>."}
- {expect: ExpectColumnValuesToBeUnique, column: id, severity: warning}
- {expect: ExpectTableRowCountToBeBetween, min_value: 99}
- {expect: ExpectColumnDistinctValuesToContainSet, column: text, value_set: ["http://example.com/set"]}
"""
REFERENCES = re.compile(r"""(?:src|href|srcset|action|data|poster)\s*=\s*["']?+(?!#)|url\(|@import""", re.IGNORECASE)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "toys.yaml").write_text(SUITE, encoding="utf-8")
    columns: Columns = {"id": [*HOSTILE, HOSTILE[0], "same"], "text": [*HOSTILE, "good", "same"]}
    toys: CheckedTable = check_table(quiet_context(), "toys", columns, read_suite(folder / "toys.yaml"))
    write_reports(folder / "out", [toys])
    return folder / "out/index.html"


def test_page_loads_and_runs_nothing(report: Path, browser) -> None:
    asked, faults = [], []
    page = browser.new_context(offline=True).new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(report.as_uri())
    page.wait_for_timeout(100)
    assert asked == [report.as_uri()]
    assert faults == []
    assert page.title() != "hit"
    assert page.locator("script, img, iframe, link, object, embed, form").count() == 0


def test_page_has_no_urls(report: Path) -> None:
    tags = "".join(re.findall(r"<[a-zA-Z!/][^>]*>|<style>.*?</style>", report.read_text(encoding="utf-8"), re.DOTALL))
    assert REFERENCES.findall(tags) == []
    assert not re.search(r"http(?!-equiv)|//", tags)


def test_report_shows_every_expectation_with_its_first_ids(report: Path, browser) -> None:
    page = browser.new_page()
    page.goto(report.as_uri())
    text = page.inner_text("body")
    assert text.count("✗ error") == 4
    assert text.count("✗ warning") == 1
    assert "All is <b>one</b>." in text
    assert "<script>document.title='hit'</script>" in text


def test_report_has_no_timestamps(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert not re.search(r"\b20\d\d-?[01]\d-?[0-3]\d[T ]|[0-9a-f]{8}-[0-9a-f]{4}-|Run Time|ge_load_time", text)
