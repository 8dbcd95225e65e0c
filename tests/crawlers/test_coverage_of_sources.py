"""Where the characters of a source's pages and files are, and the bounds that stop `extract`."""

import json
from pathlib import Path

import pytest
from msgspec import structs
from scrapy.http import HtmlResponse, Response, TextResponse

from atomexam.records.item import EntityItem, LabelledValue, QuestionItem
from atomexam.records.params import Import
from atomexam.records.provenance import Provenance
from crawlers import extract
from crawlers import read_imports as imports
from crawlers.read.account.pages import account_of_responses
from crawlers.read.lines.paper import read_paper
from crawlers.read_imports import read_files, store_files

STEMS = ["在课堂上突然听见雷声学生不约而同望向窗外", "儿童能够按照长短顺序排列十根木棍的能力", "运动员在赛前出现的轻度紧张会改善成绩"]
FOUR = [*STEMS, "心理测验结果在不同时间保持一致的程度称为信度"]
BOOK = "\n".join(f"{n}．{stem}（　）\nA．注意{n}甲\nB．思维{n}乙\n答案：A" for n, stem in enumerate(STEMS * 20, 1))
FOREWORD = "\n".join(f"编者的话之{n}：谨以此书献给多年来关心我们成长的每一位老师和朋友们" for n in "甲乙丙丁戊己庚辛壬癸" * 3)


def page(number: int, body: str) -> HtmlResponse:
    nav = "<div>某某考试在线欢迎您的光临指导</div><a href=/>返回首页看看</a>"
    return HtmlResponse(f"https://toy.example/{number}", body=f"<html><body>{nav}{body}</body></html>".encode(), encoding="utf-8")


def question(url: str, doubt: str | None = None, **fields: object) -> QuestionItem:
    seen = Provenance(source="toy", url=url, snapshot="2026-01-01", page_id="page-1", position="q1")
    return QuestionItem(url=url, provenance=seen, doubt=doubt, **fields)


def test_the_visible_text_of_pages_is_in_items_or_the_sites_own_or_unread() -> None:
    pages = [page(n, f"<p>{n + 1}. {stem}（ ）。</p><p>【答案】A</p><script>var x</script>") for n, stem in enumerate(FOUR)]
    items = [question(one.url, stem_raw=f"{n + 1}. {FOUR[n]}（ ）。", answer_raw="A") for n, one in enumerate(pages)]
    account = account_of_responses(((one.url, one) for one in pages), items)
    assert account.difference == 0 and account.unread == []
    assert account.furniture["repeated"] == 4 * 14 and account.furniture["link"] == 4 * 6 and account.furniture["answer"] == 4 * 5
    account = account_of_responses(((one.url, one) for one in pages), items[:3])
    own = [("某某考试在线欢迎您的光临指导", "https://toy.example/3 line 1")]  # on one page of its kind
    assert [(one.text.split("（")[0], one.position) for one in account.unread] == [*own, (f"4. {FOUR[3]}", "https://toy.example/3 line 3")]


def test_text_on_a_further_page_of_an_item_is_in_it() -> None:
    pages = [page(1, f"<p>{STEMS[0]}</p>"), page(2, f"<p>解析：{STEMS[1]}</p>"), page(3, f"<p>{STEMS[2]}</p>")]
    items = [question(pages[0].url, stem_raw=STEMS[0], explanation_raw=STEMS[1]), question("x", "two_answers", stem_raw=STEMS[2])]
    account = account_of_responses(((one.url, one) for one in pages), items)
    assert (account.in_items, account.rejected["doubt"], account.difference) == (len(STEMS[0]) + len(STEMS[1]), len(STEMS[2]), 0)


@pytest.mark.parametrize(
    "explanations",
    ["解析：略|解析：略|解析：略", "【解析】见教材|【解析】见教材。|答案解析：第三章", "【解析】依定义【难度】易|解析 见上|（解析：略）"],
)
def test_a_short_text_that_items_have_whole_is_in_them(explanations: str) -> None:
    lines = [
        line
        for n, (stem, why) in enumerate(zip(STEMS, explanations.split("|"), strict=True), 1)
        for line in (f"{n}. {stem}（　）。", f"A. 注意{n}甲 B. 思维{n}乙", "【答案】A", why)
    ]
    lines += ["4. 何谓感觉？", "答：略"]
    shown = page(1, "".join(f"<p>{line}</p>" for line in lines))
    items = [question(shown.url, **draft.raw_fields()) for draft in read_paper(lines).drafts]
    assert len(items) == 4
    account = account_of_responses([(shown.url, shown)], items)
    assert account.difference == 0 and [one.text for one in account.unread] == ["某某考试在线欢迎您的光临指导"]
    without = [structs.replace(one, explanation_raw=None, stem_raw=one.stem_raw if "何谓" not in one.stem_raw else None) for one in items]
    account = account_of_responses([(shown.url, shown)], without)
    assert [one.text for one in account.unread][1:] == [
        *(one for one in explanations.split("|") if "略" not in one and "见上" not in one),
        "4. 何谓感觉？",
    ]


def test_json_has_values_and_binary_is_not_a_page() -> None:
    body = json.dumps(
        {"list": [{"name": "胃食管反流病及其并发症", "intro": "<p>反复烧心三个月余加重</p>"}], "code": "一个谁也没有读过的值"}
    )
    pages = [
        TextResponse("https://toy.example/api", body=body.encode(), encoding="utf-8"),
        Response("https://toy.example/p.png", body=b"\x89"),
    ]
    seen = Provenance(source="toy", url="u", snapshot="2026-01-01", page_id="page-1", position="")
    value = LabelledValue(label="症状", value="反复烧心三个月余加重", position="1")
    items = [EntityItem(url="u", provenance=seen, entity_type="disease", name_raw="胃食管反流病及其并发症", values=[value])]
    account = account_of_responses(((one.url, one) for one in pages), items)
    assert [(one.text, one.reason) for one in account.unread] == [("一个谁也没有读过的值", "unread_line")]


@pytest.fixture
def books(tmp_path: Path) -> tuple[Path, Import]:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/好.txt").write_text(BOOK, encoding="utf-8")
    (tmp_path / "own/坏.txt").write_text(f"{BOOK}\n参考文献\n{FOREWORD}\n", encoding="utf-8")
    source = Import(path=str(tmp_path / "own"), format="paper")
    pages = tmp_path / "pages"
    pages.mkdir()
    store_files("books", source, pages)
    return pages, source


def test_a_file_with_too_many_characters_in_no_item_stops_the_stage(books: tuple[Path, Import], monkeypatch: pytest.MonkeyPatch) -> None:
    pages, source = books
    monkeypatch.setattr("crawlers.read.papers.read_paper", _without_its_end)
    message = r"read books: \d\d\.\d% of the characters of 坏\.txt are in no item, more than max_unread_share 0\.05\. First: line 24\d: "
    with pytest.raises(ValueError, match=message) as caught:
        list(read_files("books", source, pages, 0.0, 0.05))
    assert "`python -m crawlers.read" in str(caught.value) and "raise max_unread_share in the line of imports.books" in str(caught.value)
    assert len(list(read_files("books", source, pages, 0.0, 0.9))) == 120


def _without_its_end(lines: list[str]) -> object:
    from crawlers.read.lines.paper import read_paper

    return read_paper(lines[:240])


def test_the_stage_writes_where_the_characters_are(books: tuple[Path, Import], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages, source = books
    monkeypatch.setattr("crawlers.read.papers.read_paper", _without_its_end)
    flags = ["--path", str(source.path), "--format", "paper", "--pages", str(pages), "--out", str(tmp_path / "items.jsonl")]
    flags += ["--metrics", str(tmp_path / "metrics.json")]
    with pytest.raises(ValueError, match="more than max_unread_share"):
        imports.main(["books", *flags])
    imports.main(["books", "--max_unread_share", "0.05", *flags, "--max_unread_share", "0.9"])  # that of the source stands last
    told = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert told["characters"] == told["in_items"] + sum(map(sum, (told[name].values() for name in ("furniture", "rejected", "unread"))))
    assert 0.1 < told["unread_share"] < 0.4 and told["unread"].keys() == {"unread_line"}


def test_pages_with_too_much_text_in_no_item_stop_the_stage() -> None:
    lost = account_of_responses([("https://toy.example/1", page(1, f"<p>{STEMS[0]}</p>"))], [])
    with pytest.raises(
        ValueError, match=r"extract toy: .*% of the visible text of the pages is in no item, more than max_unread_page_share 0\.4"
    ):
        extract.check_pages("toy", lost, 0.4)
    extract.check_pages("toy", lost, 1.0)
