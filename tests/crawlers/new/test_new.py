"""`crawlers.new`: what it writes, what it refuses, and that a second call finishes what a first one began."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from crawlers.html.source_spider import SourceSpider
from crawlers.new.__main__ import main
from crawlers.new.params_line import newest_snapshot, with_source
from crawlers.new.stubs import KINDS, NewSource, new_source, texts_of

URL = "https://www.toyexam.example/papers/"
LINE = {"snapshot": "2026-11-20", "max_pages": 50}


@pytest.fixture
def repository(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the params.yaml of this repository, and nothing else."""
    (tmp_path / "params.yaml").write_bytes((root / "params.yaml").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(("kind", "page"), [("exam", "paper"), ("encyclopedia", "entry")])
def test_one_spider_one_folder_one_line(repository: Path, kind: str, page: str, capsys: pytest.CaptureFixture) -> None:
    before = (repository / "params.yaml").read_text(encoding="utf-8").splitlines()
    main(["toyexam", URL, "--kind", kind])
    pages = {f"crawlers/sources/toyexam/pages/{case}{suffix}" for case in ("list", page) for suffix in (".html", ".json")}
    assert set(files(repository)) == {"params.yaml", "crawlers/sources/toyexam/__init__.py", "crawlers/sources/toyexam/spider.py"} | pages
    after = (repository / "params.yaml").read_text(encoding="utf-8").splitlines()
    new = [line for line in after if line not in before]
    assert [line for line in after if line in before] == before
    assert new == ['  toyexam: {snapshot: "2026-11-20", max_pages: 5000}']
    told = capsys.readouterr().out
    assert all(
        path in told for path in ("crawlers/sources/toyexam/spider.py", *pages, "sources.toyexam", "python -m crawlers.check toyexam")
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_spider_is_clean_python(kind: str, root: Path) -> None:
    source = new_source("a_rather_long_name_of_a_source_of_exams", URL, kind)
    text = texts_of(source)[source.spider_file]
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            ["ruff", *command, "--stdin-filename", source.spider_file, "-"], input=text, capture_output=True, text=True, cwd=root
        )
        assert done.returncode == 0, done.stdout
    assert max(map(len, text.splitlines())) <= 140


def spider_of(source: NewSource, **constants: str) -> SourceSpider:
    text = texts_of(source)[source.spider_file]
    for name, value in constants.items():
        text = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value!r}", text)
    space: dict[str, Any] = {"__name__": "toyspider"}
    exec(compile(text, "toyspider.py", "exec"), space)
    made = space[next(name for name in space if name.endswith("Spider") and name != "SourceSpider")]
    return made.from_crawler(get_crawler(made))


@pytest.mark.parametrize(
    ("values", "body"),
    [
        ("table tr", "<table><tr><th>性味</th><td>甘：微寒</td></tr><tr><td>归经：</td><td>心</td><td>肺</td></tr></table>"),
        ("dl dt", "<dl><dt>性味</dt><dd>甘：微寒</dd><dt>归经</dt><dd>心</dd><dd>肺</dd></dl>"),
        ("dl > div", "<dl><div><dt>性味</dt><dd>甘：微寒</dd></div><div><dt>归经</dt><dd>心</dd><dd>肺</dd></div></dl>"),
        ("ul li", "<ul><li>性味：甘：微寒</li><li><b>归经</b> <span>心</span> <span>肺</span></li></ul>"),
    ],
)
def test_labels_and_values_of_an_entry(values: str, body: str) -> None:
    spider = spider_of(new_source("toyherbs", URL, "encyclopedia"), VALUES=values)
    (item,) = spider.parse_entry(HtmlResponse(URL, body=f"<h1>麦冬</h1>{body}".encode(), encoding="utf-8"))
    assert [(value.label, value.value) for value in item.values] == [("性味", "甘：微寒"), ("归经", "心 肺")]


def test_reports_rows_without_label() -> None:
    spider = spider_of(new_source("toyherbs", URL, "encyclopedia"))
    body = '<h1>麦冬</h1><ul class="summary"><li>甘</li><li>入<a>心</a>、<a>肺</a>经</li><li>肺</li></ul><h2>来源</h2><p>块根。</p>'
    (item,) = spider.parse_entry(HtmlResponse(URL, body=body.encode(), encoding="utf-8"))
    assert item.values == [] and len(item.sections) == 1
    (told,) = spider.crawler.stats.get_value("misfit/pages")
    assert told.endswith("`ul.summary li` finds 3 elements, none of the form label：value")


def test_a_second_call_changes_nothing(repository: Path, capsys: pytest.CaptureFixture) -> None:
    main(["toyexam", URL, "--kind", "exam"])
    before = files(repository)
    capsys.readouterr()
    main(["toyexam", URL, "--kind", "exam"])
    assert files(repository) == before
    assert "written" not in capsys.readouterr().out


@pytest.mark.parametrize("there", range(7))
def test_completes_what_a_kill_interrupted(repository: Path, there: int) -> None:
    main(["toyexam", URL, "--kind", "exam"])
    whole = files(repository)
    for path in list(texts_of(new_source("toyexam", URL, "exam")))[there:]:
        path.unlink()
    (repository / "crawlers/sources/toyexam/pages/paper.html.part").write_text("half")
    if there < 6:
        text = (repository / "params.yaml").read_text(encoding="utf-8")
        (repository / "params.yaml").write_text("".join(line for line in text.splitlines(True) if "toyexam" not in line), encoding="utf-8")
    main(["toyexam", URL, "--kind", "exam"])
    assert {name: body for name, body in files(repository).items() if not name.endswith(".part")} == whole


@pytest.mark.slow
def test_a_killed_call_is_finished_by_the_next(root: Path, repository: Path, tmp_path: Path) -> None:
    """Killed at its start, the process leaves whole files or none."""
    command = [sys.executable, "-m", "crawlers.new", "toyexam", URL, "--kind", "exam"]
    environment = os.environ | {"PYTHONPATH": str(root)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (repository / "crawlers").exists():
            pass
        process.kill()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    wanted = texts_of(new_source("toyexam", URL, "exam"))
    assert {path: path.read_text(encoding="utf-8") for path in wanted} == wanted


@pytest.mark.parametrize("file", ["spider.py", "selectors.yaml", "pages/other.html", "pages/list.html"])
def test_nothing_is_written_over(repository: Path, file: str) -> None:
    there = f"crawlers/sources/toyexam/{file}"
    (repository / there).parent.mkdir(parents=True)
    (repository / there).write_text("mine")
    before = files(repository)
    with pytest.raises(ValueError, match=f"{there} already exists with other contents"):
        main(["toyexam", URL, "--kind", "exam"])
    assert files(repository) == before


@pytest.mark.parametrize(("name", "more"), [("hxter", []), ("ask120", ["--snapshot", "2027-01-01"])])
def test_rejects_taken_name(repository: Path, name: str, more: list[str]) -> None:
    with pytest.raises(ValueError, match=rf"sources.{name} already exists"):
        main([name, URL, "--kind", "exam", *more])
    assert set(files(repository)) == {"params.yaml"}


@pytest.mark.parametrize("name", ["", "Toy", "1toy", "toy-exam", "toy.exam", "../toy", "class", "toy exam", "题库", "x" * 41, "toy\n"])
def test_rejects_invalid_name(name: str) -> None:
    with pytest.raises(ValueError, match="expected at most 40 lowercase letters"):
        new_source(name, URL, "exam")


@pytest.mark.parametrize(
    "url",
    [
        "www.toy.example",
        "ftp://www.toy.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "http:///papers",
        "https://[::1/",
    ],
)
def test_rejects_invalid_url(url: str) -> None:
    with pytest.raises(ValueError, match="URL: "):
        new_source("toy", url, "exam")


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8000", "127.0.0.1", "10.1.2.3", "192.168.0.1", "2130706433", "0x7f.1", "[::1]", "[fe80::1]", "169.254.169.254",
     "printer", "nas.local", "wiki.internal", "user:secret@www.toy.example", "www.toy.example:8080"],
)  # fmt: skip
def test_the_own_network_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="URL: "):
        new_source("toy", f"http://{host}/papers/", "exam")


@given(st.text(st.characters(codec="utf-8"), max_size=40), st.sampled_from(KINDS))
def test_any_url_gives_valid_files(tail: str, kind: str) -> None:
    try:
        texts = texts_of(new_source("toy", f"https://www.toy.example/{tail}", kind))
    except ValueError as error:
        assert str(error).startswith("URL: ")
        return
    for path, text in texts.items():
        if path.suffix == ".json":
            json.loads(text)
        elif path.suffix == ".py":
            compile(text, path.name, "exec")


TEXTS = {
    "aligned": "sources:  # all\n  a:   {max_pages: 1}\n  bcd: {max_pages: 2}   # last\n\n# next\nclean: {x: 1}\n",
    "plain": "sources:\n    a: {max_pages: 1}\n    bcd: {max_pages: 2}\nclean: {x: 1}\n",
    "blocks": "sources:\n  a:\n    max_pages: 1\n    lists:\n      - x\n      - y\nclean: {x: 1}\n",
    "several lines": "sources:\n  a: {max_pages: 1,\n      lists: [x,\n        y]}\nclean: {x: 1}\n",
    "at the end": "clean: {x: 1}\nsources:\n  a: {max_pages: 1}",
    "windows": "sources:\r\n  a: {max_pages: 1}\r\nclean: {x: 1}\r\n",
    "none yet": "sources:  # one a line\nclean: {x: 1}\n",
    "none yet, windows": "clean: {x: 1}\r\nsources:\r\n",
    "none at the end": "clean: {x: 1}\nsources:",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_inserts_one_line_and_changes_nothing_else(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawlers.new.params_line.check", lambda values: None)
    after = with_source(text, "toyexam", LINE)
    lines, new = after.splitlines(), [line for line in after.splitlines() if "toyexam" in line]
    assert [line for line in lines if line not in new] == text.splitlines()
    assert len(new) == 1 and new[0].strip().startswith("toyexam: ")
    values = YAML(typ="safe", pure=True).load(after)
    assert list(values["sources"])[-1] == "toyexam" and values["sources"]["toyexam"] == LINE
    assert with_source(after, "toyexam", LINE) == after


@pytest.mark.parametrize("empty", ["{}", "{ }  # none", "null", "~"])
def test_fills_the_sources_of_a_new_project(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawlers.new.params_line.check", lambda values: None)
    after = with_source(f"seed: 1\nsources: {empty}\nclean: {{}}\n", "toyexam", LINE)
    assert after.splitlines()[2] == '  toyexam: {snapshot: "2026-11-20", max_pages: 50}'
    assert YAML(typ="safe", pure=True).load(after) == {"seed": 1, "sources": {"toyexam": LINE}, "clean": {}}


@pytest.mark.parametrize(
    ("text", "told"),
    [("clean: {x: 1}\n", "found no `sources:`"), ("sources: {a: {max_pages: 1}}\n", "is written as {…}"), ("a: [", "not YAML"),
     ("- a\n", "expected keys and values")],
)  # fmt: skip
def test_reports_file_in_which_no_line_can_be_inserted(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        with_source(text, "toyexam", LINE)


@pytest.mark.parametrize("day", ["soon", "2026-13-99", "2026-02-29", "20261120", ""])
def test_rejects_wrong_snapshot_before_writing(repository: Path, day: str, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit):
        main(["toyexam", URL, "--kind", "exam", "--snapshot", day])
    assert f"argument --snapshot: {day!r} is not a date; expected a date such as 2026-11-20" in capsys.readouterr().err
    assert set(files(repository)) == {"params.yaml"}


def test_no_params_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"no params.yaml in this folder"):
        main(["toyexam", URL, "--kind", "exam"])


def test_the_newest_snapshot_is_taken(root: Path) -> None:
    assert newest_snapshot('sources:\n  a: {snapshot: "2025-01-01"}\n  b: {snapshot: "2026-02-03"}\n  c: {max_pages: 1}\n') == "2026-02-03"
