"""Pages with a subject, source or topic beside each stem, in one place of each question: it is no part of the stem."""

import pytest

from atomexam.records.item import QuestionItem
from crawlers.column_roles.values import bare
from crawlers.importers.formats import guess_format, read_guessed
from crawlers.tables.inline_labels import without_inline_labels
from crawlers.tables.page_questions import questions_of_page
from tests.crawlers.importers.test_page_forms import SEEN
from tests.crawlers.importers.test_shapes import GOLD

SUBJECTS = ["内科学", "外科护理学基础", "药理学", "内科学", "生理学与生物化学"]
TOPICS = ["甲亢", "肝炎", "传导", "骨折", "营养", "休克", "输血", "痛风", "贫血", "用药", "消毒", "妊娠"]
QUESTIONS = [(f"有{topic}史的患者，最先受到影响的器官是（ ）", options, key) for topic, (_, options, key) in zip(TOPICS, GOLD, strict=True)]
FORMS = {
    "heading": "<article><header>{label}</header><p>{stem}</p>{options}{shown}</article>",
    "level": "<article><div class=m>科目：{label} 难度：{level}</div><div class=s>{stem}</div>{options}{shown}</article>",
    "paragraph": "<article><p>{label}</p><p>{stem}</p>{options}{shown}</article>",
    "below": "<article><p>{stem}</p><p class=from>来源：{label}</p>{options}{shown}</article>",
    "inline": "<article><p><span class=tag>{label}</span>{stem}</p>{options}{shown}</article>",
    "numbered": "<article><header>第{number}题 · {label}</header><p>{stem}</p>{options}{shown}</article>",
    "inline in a paper": "<article><p><span class=tag>{label}</span>{stem}</p>{options}<p>答案：{key}</p></article>",
    "small in terms": "<dl><dt><small>{label}</small> {stem}</dt>{terms}</dl><p>答案：{key}</p>",
}


def _page(form: str, labels: list[str]) -> bytes:
    parts = [
        form.format(
            label=labels[at % len(labels)],
            level="易中难"[at % 3],
            number=at + 1,
            stem=stem,
            key="ABCD"[key],
            options=f"<ul>{''.join(f'<li><kbd>{each}</kbd> {text}</li>' for each, text in zip('ABCD', options, strict=True))}</ul>",
            terms="".join(f"<dd>{each}. {text}</dd>" for each, text in zip("ABCD", options, strict=True)),
            shown=f"<details><summary>显示答案</summary><p>{'ABCD'[key]}</p><p></p></details>",
        )
        for at, (stem, options, key) in enumerate(QUESTIONS)
    ]
    return f"<html><head><title>卡片</title></head><body>{''.join(parts)}</body></html>".encode()


def _items(body: bytes) -> list[QuestionItem]:
    _, reading = read_guessed("x.html", body, guess_format("x.html", body), SEEN)
    return [item for item in reading.items if isinstance(item, QuestionItem)]


@pytest.mark.parametrize("name", FORMS)
def test_a_label_in_one_place_of_each_question_is_no_part_of_its_stem(name: str) -> None:
    items = _items(_page(FORMS[name], SUBJECTS))
    assert [bare(item.stem_raw or "") for item in items] == [bare(stem) for stem, _, _ in QUESTIONS]
    assert [item.answer_raw for item in items] == ["ABCD"[key] for _, _, key in QUESTIONS]
    assert not any(item.doubt for item in items)


def test_short_words_that_never_recur_beside_a_stem_are_doubted() -> None:
    items = _items(_page(FORMS["heading"], TOPICS))
    assert {item.doubt for item in items} == {"stem_unreadable"}


def test_a_case_above_its_question_is_kept() -> None:
    cases = [f"患者，男，{30 + at}岁，因{topic}入院{at + 2}天，体温39℃。" for at, topic in enumerate(TOPICS)]
    items = _items(_page(FORMS["paragraph"], cases))
    assert ["".join((item.stem_raw or "").split()) for item in items] == [
        "".join((case + stem).split()) for case, (stem, _, _) in zip(cases, QUESTIONS, strict=True)
    ]


def test_emphasised_words_that_begin_a_stem_are_part_of_it() -> None:
    page = "".join(
        f"<p><span class=k>患者</span>，男，{at}岁，最可能的诊断是（ ）</p><p><b>关于肝炎</b>正确的是（ ）</p>" for at in range(9)
    )
    assert without_inline_labels(page) == page


CONDITIONS = {
    "case": ["男，35岁，胸痛2小时", "男，35岁，胸痛2小时", "女，25岁，咳嗽3天", "女，25岁，咳嗽3天"],
    "formula": ["已知x=1", "已知x=2", "已知x=3", "已知x=4"],
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_what_questions_are_about_is_no_label(name: str) -> None:
    found = questions_of_page(_page(FORMS["level"].replace("科目：{label} 难度：{level}", "{label}"), CONDITIONS[name]).decode())
    assert found and all(any(each in row["stem"] for each in CONDITIONS[name]) for _, row in found.rows)


@pytest.mark.parametrize("rest", ["属于哪一层（ ）", "协议的端口是（ ）", "是哪一层的协议（ ）", "位于哪一层（ ）"])
def test_a_term_that_begins_stems_is_part_of_them(rest: str) -> None:
    page = "".join(f"<p><span class=kw>{term}</span>{rest}</p>" for term in ["TCP", "UDP", "TCP", "UDP", "HTTP"])
    assert without_inline_labels(page) == page
