"""Pages: the visible lines with emphasis; visitors' choices are not answers."""

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read.containers.files.text import document_of_page, text_of_page
from crawlers.read.formats import guess_format, read_file
from crawlers.read.tables.roles.values import bare
from tests.crawlers.read.bodies import GOLD, SEEN, triples_of
from tests.crawlers.read.files.test_banks import read
from tests.layouts.law import cleaned


def _page(block: str, option: str, right: str = "") -> bytes:
    """Return a page of similar blocks; `mine` is a visitor's choice, which is always wrong."""
    parts = []
    for n, (stem, options, key) in enumerate(GOLD, 1):
        said = "".join((right or option if at == key else option).format(L="ABCD"[at], t=text, n=n) for at, text in enumerate(options))
        parts.append(block.format(n=n, stem=stem, o=said, K="ABCD"[key], k=key, mine="ABCD"[(key + 1) % 4]))
    return f"<html><head><title>小测</title></head><body><h2>小测</h2><div>{''.join(parts)}</div></body></html>".encode()


BLOCKS = {
    "a number of its own": _page(
        "<div><b>{n}</b><span>{stem}</span>{o}</div>", "<p><b>{L}</b> {t}</p>", '<p class="is-correct"><b>{L}</b> {t}</p>'
    ),
    "labels": _page(
        "<div><h4>{n}、{stem}</h4><div>{o}</div><p><b>正确答案</b> {K}</p><p><b>你的答案</b> {mine}</p></div>",
        "<div><b>{L}</b><span>{t}</span></div>",
    ),
    "labels turned": _page(
        "<div><h4>{n}、{stem}</h4><div>{o}</div><p>您的答案：{mine}</p><p>正确答案：{K}</p></div>", "<div><b>{L}</b><span>{t}</span></div>"
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_reads_one_block_per_question(name: str) -> None:
    questions = [one.question for one in cleaned(read("小测.html", BLOCKS[name]).items)]
    found = [one and (one.stem, [option.text for option in one.options], one.answer) for one in questions]
    assert found == [(stem, options, "ABCD"[right]) for stem, options, right in GOLD]


OWN_CHOICES = {
    "words": _page("<div><h4>{n}、{stem}</h4><ul>{o}</ul><p>我的答案：{mine}</p></div>", "<li>{L}. {t}</li>"),
    "checked": _page(
        "<div><p>{n}. {stem}</p>{o}</div>", "<label><input type=radio>{L}. {t}</label>", "<label><input type=radio checked>{L}. {t}</label>"
    ),
    "class": _page("<div><h4>{n}、{stem}</h4><ul>{o}</ul></div>", "<li>{L}. {t}</li>", "<li class='selected active'>{L}. {t}</li>"),
    "element": _page("<div><h4>{n}、{stem}</h4><ul>{o}</ul><b class='user-answer answer'>{mine}</b></div>", "<li>{L}. {t}</li>"),
}


@pytest.mark.parametrize("name", OWN_CHOICES)
def test_a_visitors_choice_is_not_the_answer(name: str) -> None:
    try:
        reading = read_file("小测.html", body := OWN_CHOICES[name], guess_format("小测.html", body), SEEN)
    except ValueError:
        return
    assert not [item for item in reading.items if isinstance(item, QuestionItem) and item.answer_raw]


def test_keeps_percentages_that_are_options() -> None:
    shares = [("10%", "20%", "30%", "40%"), ("5人", "6人", "7人", "8人"), ("1%", "2%", "3%", "4%")] * 2
    parts = ""
    for n, each in enumerate(shares, 1):
        options = "".join(f"<p><b>{letter}</b> <i>{text}</i></p>" for letter, text in zip("ABCD", each, strict=True))
        parts += f"<div><p>{n}. 第{n}组的比例是（ ）</p>{options}<p>答案：{'ABCD'[n % 4]}</p></div>"
    found = triples_of(read("a.html", f"<html><body>{parts}</body></html>".encode()))
    assert [tuple(bare(option) for option in options) for _, options, _ in found] == shares


@pytest.mark.parametrize("text", ["", " ", "</\x01", "<?xml version='1.0'?>", "<!-- -->"])
def test_an_empty_page_has_no_lines(text: str) -> None:
    assert document_of_page(text).text_content().strip() == ""


@pytest.mark.parametrize("votes", ["<i>3票</i>", "<span>12人</span><span>40%</span>", "（12人）"])
def test_refuses_votes_after_options(votes: str) -> None:
    page = _page("<div><h4>{n}、{stem}</h4><ul>{o}</ul><p>答案：{K}</p></div>", f"<li>{{L}}. {{t}} {votes}</li>")
    with pytest.raises(ValueError, match="end with visitors' votes"):
        read("小测.html", page)


def test_reads_list_letters_of_emphasized_options() -> None:
    parts = ""
    for n, (_, options, key) in enumerate(GOLD, 1):
        said = "".join(f"<li><p>{f'<b>{text}</b>' if at == key else text}</p></li>" for at, text in enumerate(options))
        parts += f'<p>{n}. 下图中第{n}例的器官。</p><ol type="A">{said}</ol>'
    text = text_of_page("a.html", f"<html><body>{parts}</body></html>")
    assert text.lines[:5] == ["1. 下图中第1例的器官。", "A. 心", "B. 肝", "C. 脾", "D. 肺"]
    assert text.marked[:5] == ["1. 下图中第1例的器官。", "A. 心", "<bold>B. 肝</>", "C. 脾", "D. 肺"]
    assert [item.answer_raw for item in read("a.html", f"<html><body>{parts}</body></html>".encode()).items][:2] == ["B", "C"]
