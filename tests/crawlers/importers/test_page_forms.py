"""Pages whose questions are lists of definitions, or whose options say in their words that they are right."""

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.importers.formats import guess_format, read_guessed
from crawlers.roles.values import bare
from tests.crawlers.importers.test_shapes import GOLD, read, triples_of

SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")


def _terms(right: str, wrong: str = "<dd>{}</dd>", tail: str = "", apart: bool = False) -> bytes:
    """Return a page of lists of definitions, one for all questions or one for each; a form of the right option and what stands below."""
    parts = []
    for stem, options, key in GOLD:
        said = "".join((right if at == key else wrong).format(text, letter="ABCD"[at]) for at, text in enumerate(options))
        parts.append(f"<dt>{stem}</dt>{said}{tail.format('ABCD'[key])}")
    inner = "".join(f"<dl>{part}</dl>" for part in parts) if apart else f"<dl>{''.join(parts)}</dl>"
    return f"<html><body><h1>自测</h1>{inner}</body></html>".encode()


FORMS = {
    "class": _terms('<dd class="right">{}</dd>'),
    "class and tick": _terms('<dd class="right">{} ✔</dd>'),
    "tick behind": _terms("<dd>{} ✓</dd>"),
    "tick before": _terms("<dd>✅ {}</dd>", "<dd>❌ {}</dd>"),
    "words": _terms("<dd>{}（正确答案）</dd>"),
    "bold": _terms("<dd><b>{}</b></dd>"),
    "answer below": _terms("<dd>{letter}. {}</dd>", "<dd>{letter}. {}</dd>", "<dd>答案：{}</dd>"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_list_of_definitions_is_read_as_questions(form: str) -> None:
    found = [(stem, [bare(option) for option in options], key) for stem, options, key in triples_of(read("a.html", FORMS[form]))]
    assert found == [(stem, options, "ABCD"[right]) for stem, options, right in GOLD]


FOREIGN = {
    "glossary": "<dl>" + "".join(f"<dt>术语{n}</dt><dd>第{n}个词的意思</dd>" for n in range(6)) + "</dl>",
    "senses": "<dl>" + "".join(f"<dt>词{n}</dt><dd>第{n}义</dd><dd>又一义{n}</dd><dd>例句{n}</dd>" for n in range(6)) + "</dl>",
    "help": "<dl>" + "".join(f"<dt>如何办理第{n}项？</dt><dd>打开首页</dd><dd>按提示办理{n}</dd>" for n in range(6)) + "</dl>",
    "plans": "<dl>" + "".join(f"<dt>套餐{n}</dt><dd>流量{n}G ✔</dd><dd>通话{n}分 ✘</dd><dd>短信{n}</dd>" for n in range(6)) + "</dl>",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_other_lists_of_definitions_give_nothing(name: str) -> None:
    body = f"<html><body>{FOREIGN[name]}</body></html>".encode()
    try:
        _, reading = read_guessed("a.html", body, guess_format("a.html", body), SEEN)
    except ValueError:
        return
    assert not [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt]


def test_ticks_beside_an_answer_in_words_say_nothing() -> None:
    """A tick may be what the visitor chose."""
    body = _terms("<dd>{letter}. {}</dd>", "<dd>{letter}. {} ✓</dd>", "<dd>答案：{}</dd>")
    assert [key for _, _, key in triples_of(read("a.html", body))] == ["ABCD"[right] for _, _, right in GOLD]
