"""Answers of saved pages that a browser shows and the text lacks: boxes, icons, words of style sheets, numbers of lists, lines through."""

from collections.abc import Iterator

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import FileResult, read_steps
from tests.crawlers.importers.test_page_forms import cleaned

_SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_SETS = (("心", "肝脏", "脾", "肺叶"), ("胃", "胆囊", "肾", "肠"), ("脑", "骨", "皮", "眼"), ("耳", "鼻", "舌", "齿"))
_GOLD = [(f"第{word}例患者最先受到影响的器官是", _SETS[n % 4], (n + n // 4) % 4) for n, word in enumerate("甲乙丙丁戊己庚辛壬癸")]
_STATEMENTS = [(f"第{n}条规定要求作业人员必须佩戴安全帽进入现场。", n % 3 == 0) for n in range(1, 13)]
_TITLE = "<h1>练习</h1>"


def _page(block: str, wrong: str, right: str, style: str = "", head: str = _TITLE) -> str:
    parts = []
    for n, (stem, options, at) in enumerate(_GOLD, 1):
        said = "".join((right if place == at else wrong).format(L="ABCD"[place], t=text, n=n) for place, text in enumerate(options))
        parts.append(block.format(n=n, s=stem, o=said))
    return f"<html><head><style>{style}</style></head><body>{head}{''.join(parts)}</body></html>"


def _judged(item: str, right: str, wrong: str, tag: str = "ol", style: str = "") -> str:
    entries = "".join(item.format(s=stem, v=right if is_true else wrong) for stem, is_true in _STATEMENTS)
    return f"<html><head><style>{style}</style></head><body><h1>判断</h1><{tag}>{entries}</{tag}></body></html>"


_P, _DIVS, _LIST = "<div><p>{n}. {s}</p>{o}</div>", "<div>{n}. {s}</div>{o}", "<p>{n}. {s}</p><ul>{o}</ul>"
_RADIO = "<label><input type=radio name=q{n}%s> {L}. {t}</label><br>"
MARKED = {
    "a compound rule": _page(_P, "<p class=opt>{L}. {t}</p>", "<p class='opt ans'>{L}. {t}</p>", "p.opt.ans,li.ans{font-weight:700}"),
    "bold and red": _page(_P, "<p>{L}. {t}</p>", "<p><b><span style='color:red'>{L}. {t}</span></b></p>"),
    "a class": _page(_P, "<p>{L}. {t}</p>", "<p class='answer-ok'>{L}. {t}</p>"),
    "an attribute": _page(_P, "<p data-ok=0>{L}. {t}</p>", "<p data-ok=1>{L}. {t}</p>"),
    "struck": _page(_P, "<p><s>{L}. {t}</s></p>", "<p>{L}. {t}</p>"),
    "struck by a rule": _page(_P, "<p class=x>{L}. {t}</p>", "<p>{L}. {t}</p>", ".x{text-decoration:line-through}"),
    "struck in a list": _page(_LIST, "<li><del>{t}</del></li>", "<li>{t}</li>"),
    "red without letters": _page(_DIVS, "<div>{t}</div>", "<div style='color:red'>{t}</div>"),
    "words of a rule": _page(_P, "<p>{L}. {t}</p>", "<p class=k>{L}. {t}</p>", r".k:after{content:'\2714'}"),
    "a counter": _page(
        "<div><p class=s>{s}</p>{o}</div>", "<p>{L}. {t}</p>", "<p class=correct>{L}. {t}</p>", ".s::before{content:counter(q) '. '}"
    ),
    "fixed circles": _page(
        "<fieldset><legend>{n}. {s}</legend>{o}</fieldset>",
        "<label><input type=radio name=q{n} disabled>{t}</label>",
        "<label><input type=radio name=q{n} disabled checked>{t}</label>",
    ),
    "circles behind": _page(
        "<p>{n}. {s}</p>{o}",
        "<label>{L}. {t} <input type=radio disabled></label><br>",
        "<label>{L}. {t} <input type=radio disabled checked></label><br>",
    ),
    "circles in a table": _page(
        "<table><tr><td colspan=2>{n}. {s}</td></tr>{o}</table>",
        "<tr><td><input type=radio disabled></td><td>{L}. {t}</td></tr>",
        "<tr><td><input type=radio checked disabled></td><td>{L}. {t}</td></tr>",
    ),
    "said to be answers": _page("<p>{n}. {s}</p>{o}", _RADIO % "", _RADIO % " checked", head="<p>勾选的为正确答案</p>"),
    "a task list": _page(_LIST, "<li><input type=checkbox disabled> {t}</li>", "<li><input type=checkbox disabled checked> {t}</li>"),
    "boxes of a note": _page(_DIVS, "<div><input type=checkbox />{t}</div>", "<div><input type=checkbox checked=true />{t}</div>"),
    "en-todo": _page(_DIVS, "<div><en-todo></en-todo>{t}</div>", "<div><en-todo checked='true'></en-todo>{t}</div>"),
    "a tag": _page(_DIVS, "<p data-tag='to-do'>{t}</p>", "<p data-tag='to-do:completed'>{t}</p>"),
    "drawn boxes": _page(
        _LIST, "<li><div class='checkbox checkbox-off'></div> {t}</li>", "<li><div class='checkbox checkbox-on'></div> {t}</li>"
    ),
    "images": _page(_DIVS, "<div><img alt='☐' src=a.png>{t}</div>", "<div><img alt='☑' src=b.png>{t}</div>"),
    "icons of boxes": _page(
        _DIVS, "<div><i class='fa fa-square-o'></i> {L}. {t}</div>", "<div><i class='fa fa-check-square-o'></i> {L}. {t}</div>"
    ),
    "icons": _page(_DIVS, "<div>{L}. {t} <i class='fa fa-times'></i></div>", "<div>{L}. {t} <i class='fa fa-check'></i></div>"),
    "a list of questions": _page("<li>{s}<ol type=A>{o}</ol></li>", "<li>{t}</li>", "<li class=correct>{t}</li>", head=f"{_TITLE}<ol>"),
    "lists that go on": _page("<ol start={n}><li>{s}</li></ol>{o}", "<p>{L}. {t}</p>", "<p><b>{L}. {t}</b></p>"),
    "points": _page("<p>{n}. {s}[单选题]</p><ul>{o}</ul><p>得分：5分</p>", "<li>{t}</li>", "<li>{t} （正确答案）</li>"),
    "points in other words": _page("<p>{n}. {s}[单选题]</p><ul>{o}</ul><p>本题分值 5 分</p>", "<li>{t}</li>", "<li>{t} （正确答案）</li>"),
    "a label": _page("<p>{n}. {s}[单选题]</p><ul>{o}</ul><p>难度：中</p>", "<li>{t}</li>", "<li>{t} （正确答案）</li>"),
}
JUDGED = {
    "words": _judged("<li>{s} <span class=v>{v}</span></li>", "正确", "错误"),
    "signs": _judged("<li>{s}<span>{v}</span></li>", "✔", "✘"),
    "bullets": _judged("<li>{s} <b>{v}</b></li>", "√", "×", "ul"),
    "before": _judged("<li>{v} {s}</li>", "√", "×"),
    "classes": _judged("<li class={v}>{s}</li>", "right", "wrong"),
    "attributes": _judged("<li data-answer={v}>{s}</li>", "true", "false"),
    "rules": _judged("<li class={v}>{s}</li>", "y", "n", style=".y::after{content:'✔'}.n::after{content:'✘'}"),
    "icons": _judged("<li>{s} <i class='fa fa-{v}'></i></li>", "check", "times"),
    "paragraphs": _judged("<p>{s} <b>{v}</b></p>", "√", "×", "div"),
    "letters": _judged("<li><p>{s} <i>{v}</i></p></li>", "T", "F"),
}
UNCERTAIN = {
    "what may be a visitor's": _page("<p>{n}. {s}</p>{o}", _RADIO % "", _RADIO % " checked"),
    "a visitor's": _page("<p>{n}. {s}</p>{o}", _RADIO % " disabled", _RADIO % " disabled checked", head="<p>成绩 5.00/10.00</p>"),
    "not said of answers": _page("<p>{n}. {s}</p>{o}", _RADIO % "", _RADIO % " checked", head="<p>您选中的是答案，不一定正确</p>"),
    "one struck": _page(_P, "<p>{L}. {t}</p>", "<p><s>{L}. {t}</s></p>"),
    "all but one": _page(_P, "<p><b>{L}. {t}</b></p>", "<p>{L}. {t}</p>"),
    "a row above": _page("<p>{n}. {s}</p><p>5分</p><ul>{o}</ul>", "<li>{t}</li>", "<li>{t} ✔</li>"),
}


def _read(html: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield the questions of a page that count: stem, options and answer."""
    steps = [step for step in read_steps("a.html", html.encode(), None, _SEEN) if isinstance(step, FileResult)]
    items = [item for step in steps for item in step.reading.items if isinstance(item, QuestionItem)]
    for each in cleaned(items):
        if each.question:
            yield each.question.stem, tuple(option.text for option in each.question.options), each.question.answer or ""


@pytest.mark.parametrize("name", MARKED)
def test_what_a_page_shows_beside_options_is_their_answer(name: str) -> None:
    assert [*_read(MARKED[name])] == [(stem, options, "ABCD"[at]) for stem, options, at in _GOLD]


@pytest.mark.parametrize("name", JUDGED)
def test_statements_of_a_list_have_their_verdicts(name: str) -> None:
    assert [*_read(JUDGED[name])] == [(stem, ("正确", "错误"), "A" if is_true else "B") for stem, is_true in _STATEMENTS]


@pytest.mark.parametrize("name", UNCERTAIN)
def test_what_may_be_no_answer_is_none(name: str) -> None:
    assert [*_read(UNCERTAIN[name])] == []
