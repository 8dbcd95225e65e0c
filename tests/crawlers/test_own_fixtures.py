"""Saved pages, replicas and tests say nothing that real sites and published sets say: no sentence, no number, no token of theirs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SITE_RUN, SET_RUN = 12, 18
"""Chinese characters in a row that may be no chance: in what a site sent, and in sets that hold textbooks' definitions as ours do."""
_CHINESE = re.compile("[\u4e00-\u9fff]+")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_NUMBER = re.compile(r"(?<![0-9a-f])(?:\d{5,}|[0-9a-f]{16,})(?![0-9a-f])")
_MONTH = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])")
_PLACEHOLDER = "0123456789abcdef"  # what the notes on the sites write for a token themselves
_BLANKS = re.compile(r"(?<=[\u4e00-\u9fff])[\s\xa0]+(?=[\u4e00-\u9fff])")
_OWN_NAMES = {
    "/paperlist/index/k/": re.compile(r"(?:paperlist/index/k/|lists?\b[^\n]{0,40}?\")(\d{2,5})\b"),
    "/jibing/": re.compile(r"/jibing/(?!pinyin/)([a-z]{3,})/"),
    "img.examcoo.com/": re.compile(r"img\.examcoo\.com/(\d+)"),
}
"""Short parts of addresses which name one thing of a site."""
_KNOWN_LISTS = re.compile(r"kid numbers[^\n]*?\(known:([^)\n]*)")
_NUMBER_HEAD = 12  # a longer number is made of the time and of a counter: another of the same series would be the site's as well
_PACKED = {".doc", ".docx", ".parquet", ".pdf", ".xls", ".xlsx", ".zip"}
_WITH_FIXTURES = ("crawlers/embedded", "crawlers/sources", "tests/crawlers")
_SITE_BYTES = ("real/examcoo", "real/diseases/120ask", "sites")


def test_no_sentence_of_a_site_is_in_a_fixture(root: Path, real_data: Path) -> None:
    ours, theirs = _texts(_fixtures(root)), _texts(_site_files(real_data))
    assert _shared(ours, theirs, SITE_RUN) == {}


@pytest.mark.slow
def test_no_sentence_of_a_published_set_is_in_a_fixture(root: Path, real_data: Path) -> None:
    assert _shared(_texts(_fixtures(root)), _texts(_files(real_data)), SET_RUN) == {}


def test_no_number_or_token_of_a_site_is_in_a_fixture(root: Path, real_data: Path) -> None:
    ours = {number: path for path, text in _texts(_fixtures(root)) for number in _numbers(text)}
    theirs = {number: path for path, text in _texts(_site_files(real_data)) for number in _numbers(text)}
    assert {number: (ours[number], theirs[number]) for number in sorted(ours.keys() & theirs.keys())} == {}


def test_no_short_name_in_an_address_of_a_site_is_in_a_fixture(root: Path, real_data: Path) -> None:
    ours, theirs = _texts(_fixtures(root)), _texts(_site_files(real_data))
    for kind, pattern in _OWN_NAMES.items():
        known = {name for _, text in theirs for name in pattern.findall(text)}
        if kind == "/paperlist/index/k/":
            [said] = [found for _, text in theirs for found in _KNOWN_LISTS.findall(text)]
            known |= set(_in_ranges(said))
        assert known, kind
        assert {name: path for path, text in ours for name in pattern.findall(text) if name in known} == {}, kind


def test_ranges_are_written_out() -> None:
    assert list(_in_ranges("43 甲, 408-410 乙, 661")) == ["43", "408", "409", "410", "661"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("id 2510006, /201507/, 12345 and 1234", ["2510006", "12345"]),
        ("s1_800000000000000101", ["800000000000"]),
        ("token 00112233445566778899aabbccddeeff", ["001122334455"]),
        ("token 0123456789abcdef0123456789abcdef", []),
    ],
)
def test_distinguishes_numbers_from_months_and_placeholders(text: str, numbers: list[str]) -> None:
    assert _numbers(text) == numbers


def test_a_shared_sentence_is_found_whatever_it_is_written_in() -> None:
    ours, theirs = "甲乙丙丁戊己庚辛壬癸子丑", r"\u4e00甲乙丙 丁戊己庚辛壬\u7678子丑寅"
    assert _shared([("a", ours)], [("b", _plain(theirs))], SITE_RUN) == {ours: ("a", "b")}
    assert _shared([("a", ours)], [("b", _plain(theirs))], SITE_RUN + 1) == {}


def _fixtures(root: Path) -> Iterator[Path]:
    return (path for folder in _WITH_FIXTURES for path in _files(root / folder))


def _site_files(real_data: Path) -> Iterator[Path]:
    return (path for folder in _SITE_BYTES for path in _files(real_data.parent / folder))


def _files(folder: Path) -> list[Path]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return [path for path in found if path.suffix not in _PACKED]


def _texts(paths: Iterator[Path] | list[Path]) -> list[tuple[str, str]]:
    return [(str(path), _plain(_decoded(path.read_bytes()))) for path in paths if path != Path(__file__)]


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("gb18030", "replace")


def _plain(text: str) -> str:
    return _BLANKS.sub("", _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))


def _in_ranges(text: str) -> Iterator[str]:
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        yield from map(str, range(int(first), int(last or first) + 1))


def _shared(ours: list[tuple[str, str]], theirs: list[tuple[str, str]], length: int) -> dict[str, tuple[str, str]]:
    known = {run: path for path, text in ours for run in _runs(text, length)}
    return {run: (known[run], path) for path, text in theirs for run in _runs(text, length) if run in known}


def _runs(text: str, length: int) -> Iterator[str]:
    return (row[at : at + length] for row in _CHINESE.findall(text) for at in range(len(row) - length + 1))


def _numbers(text: str) -> list[str]:
    found = [number for number in _NUMBER.findall(text) if not _MONTH.fullmatch(number) and not number.startswith(_PLACEHOLDER)]
    return [number[:_NUMBER_HEAD] for number in found]
