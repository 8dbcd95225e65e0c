"""What a crawl tells of a scope in params.yaml that names what the site has not, and how a source's line refuses one that names nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from atomexam.records.checks import convert
from atomexam.records.params import Source
from crawlers.web.closing_table import scope_problem, warnings_of


def crawl(root: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    out = ["--out", str(folder / "pages"), "--metrics", str(folder / "metrics.json"), "--max_pages", "300", "--mode", "embedded"]
    command = [sys.executable, "-m", "crawlers.crawl", *arguments, *out]
    return subprocess.run(command, cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask120", "--departments", "nosuch"], "sources.ask120.departments: 'nosuch' (https://tag.120ask.com/jibing/ks/nosuch.html)"),
        (["examcoo", "--lists", "1790"], "sources.examcoo.lists: '1790' (https://www.examcoo.com/paperlist/index/k/1790/p/1)"),
        (["mxqe", "--lists", "nosuch"], "sources.mxqe.lists: 'nosuch' (https://tk.mxqe.com/nosuch/)"),
        (["studyez", "--lists", "nosuch/lnst"], "sources.studyez.lists: 'nosuch/lnst' (http://www.studyez.com/nosuch/lnst/)"),
    ],
)
def test_a_scope_of_which_nothing_is_found_fails_the_crawl(root: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    done = crawl(root, tmp_path, *arguments)
    assert done.returncode == 1, done.stderr
    assert told in done.stderr and "HTTP status 404" in done.stderr and "fix crawlers/sources" not in done.stderr
    assert not (tmp_path / "metrics.json").exists()


@pytest.mark.slow
def test_a_name_that_is_not_found_is_told_beside_one_that_is(root: Path, tmp_path: Path) -> None:
    done = crawl(root, tmp_path, "ask120", "--departments", "nk", "nosuch")
    assert done.returncode == 0, done.stderr
    assert "warning: params.yaml: sources.ask120.departments: 'nosuch'" in done.stderr and "'nk'" not in done.stderr


def test_what_is_found_in_another_way_is_no_error() -> None:
    gone = {"https://a.example/x": 404}
    named = {"https://a.example/x": ("lists", "x")}
    assert scope_problem("a", named, gone, items=0) and not scope_problem("a", named, gone, items=1)
    assert not scope_problem("a", named | {"https://a.example/y": ("lists", "y")}, gone, items=0)
    assert not scope_problem("a", {}, {}, items=0) and warnings_of("a", {}, {}) == []


@pytest.mark.parametrize("scope", ["letters", "departments", "lists"])
def test_a_scope_without_a_name_is_refused(scope: str) -> None:
    with pytest.raises(ValueError, match=rf"{scope}: \[\] found; expected at least one name; leave `{scope}` out to read all"):
        convert({scope: []}, Source, "params.yaml")
