"""Pages whose questions are lists of definitions, or whose options say in their words that they are right."""

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.column_roles.values import bare
from crawlers.importers.files.text import text_of_page
from crawlers.importers.formats import guess_format, read_guessed
from crawlers.tables.markup import document_of_page
from crawlers.tables.page_controls import without_controls
from crawlers.tables.page_questions import questions_of_page
from crawlers.tables.restated import restated
from tests.crawlers.importers.test_shapes import GOLD, read, triples_of
from tests.layouts.law import cleaned

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


def test_a_list_without_terms_is_no_list_of_questions() -> None:
    """MediaWiki writes an indented line as a definition without a term."""
    lists = "".join("<dl><dd>A. 胃</dd><dd>B. 肝</dd></dl>" for _ in range(4))
    assert not questions_of_page(f"<html><body>{lists}</body></html>")


def test_lines_that_recur_above_the_options_are_no_part_of_the_stems() -> None:
    """A platform's review page: state, points and instruction are in elements of their own."""
    parts = []
    for n, (stem, options, right) in enumerate(GOLD, 1):
        chosen = "".join(f"<li>{'abcd'[at]}. {text}</li>" for at, text in enumerate(options))
        parts.append(
            f'<div class="que"><h3>试题 <span>{n}</span></h3><div>{"正确" if n == 1 else "不正确"}</div><div>得分/总分 {n % 2}.0/1.0</div>'
            f"<div><p>{stem}</p></div><div>选择一项：</div><ul>{chosen}</ul><div>正确答案是：{options[right]}</div></div>"
        )
    rows = questions_of_page(f"<html><body>{''.join(parts)}</body></html>")
    assert rows and [row["stem"] for _, row in rows.rows] == [stem for stem, _, _ in GOLD]


def test_a_form_with_a_script_is_read_once() -> None:
    parts = []
    for n, (stem, options, right) in enumerate(GOLD, 1):
        labels = "".join(
            f'<label><input type="radio" name="q{n}" value="{letter}"> {letter}. {text}</label><br>'
            for letter, text in zip("ABCD", options, strict=False)
        )
        parts.append(
            f'<fieldset class="item" data-answer="{"ABCD"[right]}"><legend>第{n}题</legend><p class="stem">{stem}</p>{labels}</fieldset>'
        )
    script = "<script>function check(){var s=0;alert('得分：'+s);}</script>"
    body = f"<html><body><h1>自测</h1><form>{''.join(parts)}</form>{script}</body></html>".encode()
    assert [key for _, _, key in triples_of(read("a.html", body))] == ["ABCD"[right] for _, _, right in GOLD]


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


def _page(block: str, option: str, right: str = "") -> bytes:
    """Return a page of blocks alike; `mine` is a visitor's choice, which is always wrong."""
    parts = []
    for n, (stem, options, key) in enumerate(GOLD, 1):
        said = "".join((right or option if at == key else option).format(L="ABCD"[at], t=text, n=n) for at, text in enumerate(options))
        parts.append(block.format(n=n, stem=stem, o=said, K="ABCD"[key], k=key, mine="ABCD"[(key + 1) % 4]))
    return f"<html><head><title>小测</title></head><body><h2>小测</h2><div>{''.join(parts)}</div></body></html>".encode()


BLOCKS = {
    "votes behind options": _page(
        "<div><p>单选题 1分</p><p>{stem}</p>{o}<p>正确答案：{K} 正确率：76% 作答人数：30</p></div>",
        "<div><i>{L}</i><p>{t}</p><em>3人(10%)</em></div>",
    ),
    "votes and shares": _page(
        "<section><p>{n}. 单选题(1分)</p><p>{stem}</p><ul>{o}</ul><p>正确答案：<b>{K}</b></p><p>我的答案：{mine}</p></section>",
        "<li><span>{L}</span><span>{t}</span><span>12人</span><span>40%</span></li>",
    ),
    "votes in a table": _page(
        "<table><tr><td>{n}.</td><td>{stem}</td></tr>{o}<tr><td>答案</td><td>{K}</td></tr></table>",
        "<tr><td>{L}</td><td>{t}</td><td>5票</td></tr>",
    ),
    "a number of its own": _page(
        "<div><b>{n}</b><span>{stem}</span>{o}</div>", "<p><b>{L}</b> {t}</p>", '<p class="is-correct"><b>{L}</b> {t}</p>'
    ),
    "fields": _page("<fieldset data-answer={K}><legend>{n}. {stem}</legend>{o}</fieldset>", "<label><input type=radio>{t}</label>"),
    "told fields": _page(
        "<fieldset><legend>{stem}</legend>{o}</fieldset>",
        "<label><input type=radio checked> {t}</label>",
        "<label><input type=radio data-correct=true> {t}</label>",
    ),
    "menu": _page(
        "<div><p>{n}. {stem}</p><select data-correct='{k}'><option value=''>请选择</option>{o}</select></div>", "<option>{t}</option>"
    ),
    "fold": _page(
        "<article><h3>第{n}题</h3><p>{stem}</p><ol>{o}</ol><details><summary>查看答案</summary><p>{K}</p></details></article>",
        "<li>{t}</li>",
    ),
    "buttons": _page(
        "<div><div>{stem}</div><div>{o}</div><i class='my-answer'>{mine}</i><i class='answer' hidden>{K}</i></div>", "<button>{t}</button>"
    ),
    "labels": _page(
        "<div><h4>{n}、{stem}</h4><div>{o}</div><p><b>正确答案</b> {K}</p><p><b>你的答案</b> {mine}</p></div>",
        "<div><b>{L}</b><span>{t}</span></div>",
    ),
    "letters of their own": _page(
        "<div class=q><div>{n}/12 {stem}</div><div>{o}</div><div>您的答案：{mine} 正确答案：{K}</div></div>",
        "<div class=o><span>{L}</span><span>{t}</span></div>",
    ),
    "a source within": _page(
        "<div><b>{n}.</b> {stem} <span class='q-src'>教材P{n}</span><ul>{o}</ul><p>答案 <em>{K}</em></p></div>", "<li>{L}. {t}</li>"
    ),
    "a kind above": _page(
        "<article data-right='{K}'><header>单选题</header><main>{stem}</main>{o}</article>", "<button data-v={L}>{t}</button>"
    ),
    "labels turned": _page(
        "<div><h4>{n}、{stem}</h4><div>{o}</div><p>您的答案：{mine}</p><p>正确答案：{K}</p></div>", "<div><b>{L}</b><span>{t}</span></div>"
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_a_question_is_read_right(name: str) -> None:
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
    "votes": _page("<div><h4>{n}、{stem}</h4><ul>{o}</ul></div>", "<li>{L}. {t} <i>3票</i></li>", "<li>{L}. {t} <i>30票</i></li>"),
}


@pytest.mark.parametrize("name", OWN_CHOICES)
def test_what_a_visitor_chose_is_no_answer(name: str) -> None:
    try:
        _, reading = read_guessed("小测.html", body := OWN_CHOICES[name], guess_format("小测.html", body), SEEN)
    except ValueError:
        return
    assert not [item for item in reading.items if isinstance(item, QuestionItem) and item.answer_raw]


def test_shares_that_are_the_options_stay() -> None:
    shares = [("10%", "20%", "30%", "40%"), ("5人", "6人", "7人", "8人"), ("1%", "2%", "3%", "4%")] * 2
    parts = ""
    for n, each in enumerate(shares, 1):
        options = "".join(f"<p><b>{letter}</b> <i>{text}</i></p>" for letter, text in zip("ABCD", each, strict=True))
        parts += f"<div><p>{n}. 第{n}组的比例是（ ）</p>{options}<p>答案：{'ABCD'[n % 4]}</p></div>"
    found = triples_of(read("a.html", f"<html><body>{parts}</body></html>".encode()))
    assert [tuple(bare(option) for option in options) for _, options, _ in found] == shares


@pytest.mark.parametrize("text", ["", " ", "</\x01", "<?xml version='1.0'?>", "<!-- -->"])
def test_a_page_of_nothing_is_an_empty_page(text: str) -> None:
    assert document_of_page(text).text_content().strip() == ""


def test_statements_among_questions_of_a_page_are_read() -> None:
    body = _page("<div><h3>第{n}题</h3><p>{stem}</p><ol type=A>{o}</ol><p hidden>正确答案：{K}</p></div>", "<li>{t}</li>").decode()
    said = "".join(
        f"<div><h3>第{n}题</h3><p>第{n}条要求必须遵守。</p><ol type=A></ol><p hidden>正确答案：错误</p></div>" for n in range(20, 24)
    )
    reading = read("a.html", body.replace("</div></body>", f"{said}</div></body>").encode())
    assert [answer for _, _, answer in triples_of(reading)][-4:] == ["错误"] * 4


@pytest.mark.parametrize("mark", ["<mark>{}</mark>", '<span style="color:red">{}</span>', '<font color="red">{}</font>'])
@pytest.mark.parametrize("kind", ['type="A"', "type=a", 'style="list-style-type: upper-alpha"', ""])
def test_a_question_with_all_options_marked_leaves_the_others(mark: str, kind: str) -> None:
    parts = ""
    for at, (stem, options, key) in enumerate(GOLD):
        said = "".join(f"<li>{mark.format(text) if at == 5 or n == key else text}</li>" for n, text in enumerate(options))
        parts += f"<li><p>{stem}</p><ol {kind}>{said}</ol></li>"
    found = triples_of(read("a.html", f"<html><body><ol>{parts}</ol></body></html>".encode()))
    letters = ["".join("ABCD"[key] if isinstance(key, int) else str(key)) for _, _, key in found]
    assert letters == ["ABCD" if at == 5 else "ABCD"[key] for at, (_, _, key) in enumerate(GOLD)]


def test_letters_that_a_browser_shows_are_letters_of_emphasised_options() -> None:
    parts = ""
    for n, (_, options, key) in enumerate(GOLD, 1):
        said = "".join(f"<li><p>{f'<b>{text}</b>' if at == key else text}</p></li>" for at, text in enumerate(options))
        parts += f'<p>{n}. 下图中第{n}例的器官。</p><ol type="A">{said}</ol>'
    lines = text_of_page("a.html", f"<html><body>{parts}</body></html>").lines
    assert lines[:6] == ["1. 下图中第1例的器官。", "A. 心", "B. 肝", "C. 脾", "D. 肺", "答案：B"]


_AGAIN = ["→ 选：{L} {t}", "选：{t}", "=> {L}", "★ {t}", "Key: {L}. {t}", "应选：{t}"]


@pytest.mark.parametrize("again", _AGAIN)
@pytest.mark.parametrize("lettered", [True, False])
def test_an_option_said_once_more_below_the_others_is_the_answer(again: str, lettered: bool) -> None:
    parts = ""
    for stem, options, key in GOLD:
        said = "".join(f"<dd>{'ABCD'[at] + ' ' if lettered else ''}{text}</dd>" for at, text in enumerate(options))
        parts += f'<dt>{stem}</dt>{said}<dd class="k">{again.format(L="ABCD"[key], t=options[key])}</dd>'
    body = f"<html><head><style>.k{{color:#c00}}</style></head><body><dl>{parts}</dl></body></html>".encode()
    found = triples_of(read("a.html", body))
    letters = [key if isinstance(key, str) else "ABCD"[key] for _, _, key in found]
    assert [[bare(option) for option in options] for _, options, _ in found] == [options for _, options, _ in GOLD]
    assert letters == ["ABCD"[key] for _, _, key in GOLD]


@pytest.mark.parametrize("prefix", ["我选：", "易错：", "你的选择 "])
def test_what_somebody_chose_is_not_the_answer(prefix: str) -> None:
    assert restated([options for _, options, _ in GOLD], [prefix + options[key] for _, options, key in GOLD]) is None


@pytest.mark.parametrize("link", ["[答案]", "查看答案", "【答案】", "答案与解析", "Answer"])
@pytest.mark.parametrize("back", ["[返回]", "返回题目", "↑", "↩"])
def test_links_to_answers_and_back_are_no_labels(link: str, back: str) -> None:
    parts = keys = ""
    for n, (stem, options, key) in enumerate(GOLD, 1):
        said = "<br>".join(f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=True))
        parts += f'<p id="q{n}">{n}. {stem} <a href="#a{n}">{link}</a></p><p>{said}</p>'
        keys += f'<p id="a{n}"><a href="#q{n}">{n}</a>. {"ABCD"[key]} <a href="#q{n}">{back}</a></p>'
    found = triples_of(read("a.html", f"<html><body>{parts}<h3>答案</h3>{keys}</body></html>".encode()))
    assert [key for _, _, key in found] == ["ABCD"[key] for _, _, key in GOLD]


def test_a_link_above_the_answer_that_it_unfolds_is_its_label() -> None:
    body = "".join(f'<p>{n}. 甲是（ ）</p><a href="#a{n}">查看答案</a><div id="a{n}">B</div>' for n in range(1, 5))
    assert "查看答案" in without_controls(f"<html><body>{body}</body></html>")
