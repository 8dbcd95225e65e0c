"""`scrapy list` and `scrapy shell` work in a checkout, on stored pages alone."""

import subprocess
import sys
from pathlib import Path

import pytest

PAGE = "./crawlers/sources/studyez/pages/download.html"
pytestmark = pytest.mark.slow


def scrapy(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "scrapy", *words], cwd=root, capture_output=True, text=True)


def test_the_spiders_are_listed(root: Path) -> None:
    assert scrapy(root, "list").stdout.split() == sorted(path.parent.name for path in root.glob("crawlers/sources/*/spider.py"))


def test_a_stored_page_opens_as_a_spider_gets_it(root: Path) -> None:
    assert scrapy(root, "shell", "-c", "response.css('title::text').get()", PAGE).stdout == "某考试模拟试题_学易网\n"


def test_no_site_is_reached(root: Path) -> None:
    assert "no handler available" in scrapy(root, "shell", "-c", "response", "http://127.0.0.1:9/").stderr
