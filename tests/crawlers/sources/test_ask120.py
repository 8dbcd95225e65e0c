"""What the saved pages of ask120 do not show: lists, blemishes of the replica, robots.txt, pages that no longer fit."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from protego import Protego
from scrapy import Request
from scrapy.http import Headers, HtmlResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler

from atomexam.records.item import EntityItem
from crawlers.embedded.content import load_content
from crawlers.embedded.site import Respond, SiteReply, SiteRequest
from crawlers.embedded.sites import ask120
from crawlers.embedded.sites.ask120_diseases import is_boxless, is_cut
from crawlers.html.source_spider import NOTED
from crawlers.sources.ask120.spider import Ask120Spider

TAG = "https://tag.120ask.com"
PAGES = Path(__file__).parents[3] / "crawlers/sources/ask120/pages"


@pytest.fixture
def spider() -> Ask120Spider:
    return Ask120Spider.from_crawler(get_crawler(Ask120Spider), snapshot="2026-11-20")


@pytest.fixture(scope="module")
def respond() -> Respond:
    return ask120.build(load_content())


def get(respond: Respond, target: str, host: str = "tag.120ask.com", headers: dict[str, str] | None = None) -> SiteReply | None:
    return respond(SiteRequest(method="GET", host=host, target=target, headers={"user-agent": "test"} if headers is None else headers))


def page(html: str, url: str = f"{TAG}/jibing/x/") -> HtmlResponse:
    return HtmlResponse(url, body=html.encode(), encoding="utf-8", request=Request(url))


def scoped(**scope: list[str]) -> Ask120Spider:
    return Ask120Spider.from_crawler(get_crawler(Ask120Spider), snapshot="2026-11-20", **scope)


def test_without_scope_a_crawl_begins_with_all_that_is_known(spider: Ask120Spider) -> None:
    starts = spider.start_urls
    assert len(starts) == len(set(starts)) == 1 + 2 * 26 + 3
    assert {f"{TAG}/jibing/ks/nk.html", f"{TAG}/jibing/pinyin/z.html", f"{TAG}/zhengzhuang/pinyin/a.html"} <= set(starts)
    assert {f"{TAG}/jiancha/", "https://www.120ask.com/disease"} <= set(starts)


def test_letters_and_departments_bound_a_crawl() -> None:
    assert scoped(letters=["p"]).start_urls == [f"{TAG}/jibing/pinyin/p.html", f"{TAG}/zhengzhuang/pinyin/p.html"]
    assert scoped(departments=["nk", "ek"]).start_urls == [f"{TAG}/jibing/ks/nk.html", f"{TAG}/jibing/ks/ek.html"]
    spider = scoped(letters=["p"], departments=["nk"])
    assert len(spider.start_urls) == 3

    def asked(case_name: str, callback: str, **arguments: str) -> set[str]:
        case = json.loads((PAGES / f"{case_name}.json").read_text(encoding="utf-8"))
        response = page((PAGES / f"{case_name}.html").read_text(encoding="utf-8"), case["url"])
        return {found.url for found in getattr(spider, callback)(response, **arguments) if isinstance(found, Request)}

    assert asked("index_department", "parse") == {f"{TAG}/jibing/ptt/", f"{TAG}/jibing/jzx/"}
    found = asked("disease", "parse_entry", kind="disease")
    assert "https://yp.120ask.com/detail/1.html" in found and f"{TAG}/jibing/jzx/" not in found
    assert asked("medicine", "parse_medicine") == set()
    home = {"name": "头痛", "home": f"{TAG}/zhengzhuang/toutong/", "kind": "symptom"}
    assert asked("symptom_diseases", "parse_article", **home) == set()


def test_a_scoped_crawl_reads_what_its_lists_name(respond: Respond) -> None:
    spider = scoped(departments=["ek"])
    reply = get(respond, "/jibing/ks/ek.html")
    response = HtmlResponse(f"{TAG}/jibing/ks/ek.html", body=reply.body, encoding="gb18030", request=Request(TAG))
    # robots.txt keeps a crawl from the page of topics, which every department links to.
    assert {urlsplit(found.url).path for found in spider.parse(response)} - {"/jibing/zhuanti/"} == {
        f"/jibing/{disease.slug}/"
        for disease in load_content().on("ask120").diseases
        if any("儿科" in name.split("-") for name in disease.departments)
    }


async def _started(spider: Ask120Spider) -> list[Request]:
    return [request async for request in spider.start()]


def test_lists_name_examinations_and_medicines_by_their_numbers() -> None:
    spider = scoped(lists=["examinations", "medicines:7-9", "medicines:0012-12"])
    found = asyncio.run(_started(spider))
    medicines = [f"https://yp.120ask.com/detail/{number}.html" for number in (7, 8, 9, 12)]
    assert [request.url for request in found] == [f"{TAG}/jiancha/", *medicines]
    assert {request.callback for request in found[1:]} == {spider.parse_medicine} and not any(request.dont_filter for request in found[1:])


@pytest.mark.parametrize(
    "cells",
    [
        "<var>腹泻</var><var>消化不良</var>",
        "<var onclick=\"tagSearch('腹泻')\">腹泻</var><var onclick=\"tagSearch('消化不良')\">消化不良</var>",
        "<a onclick=\"tagSearch('腹泻')\">腹</a><a onclick=\"tagSearch('消化不良')\">消</a>",
        "<var onclick=\"tagSearch(this, '腹泻')\">腹</var><var>消化不良</var>",
        "<p><var onclick='goSearch(1)'>腹泻</var> <var onclick='goSearch(2)'>消化不良</var></p>",
        "腹泻、消化不良",
    ],
)
def test_diseases_of_a_medicine_never_run_together(spider: Ask120Spider, cells: str) -> None:
    rows = f"<li>相关疾病：{cells}</li><li><b>生产企业：</b><var>甲<i>厂</i></var></li>"
    html = f'<div class="details-right-drug"><p>甲片</p><ul>{rows}</ul></div>'
    [item] = [found for found in spider.parse_medicine(page(html, "https://yp.120ask.com/detail/7.html")) if isinstance(found, EntityItem)]
    assert [(value.label, value.value) for value in item.values] == [("相关疾病：", "腹泻、消化不良"), ("生产企业：", "甲厂")]


@pytest.mark.parametrize(
    "reasons",
    [
        "<div class=bigbox><div>富含纤维。</div><div>富含镁。</div></div>",
        "<div class=bigbox><p>富含纤维。</p><p>富含镁。</p></div>",
        "<div class=bigbox><div>富含纤维。</div></div><div class=bigbox><div>富含镁。</div></div>",
        "<div class=bigbox>富含纤维。</div><div class=bigbox>富含镁。</div>",
    ],
)
@pytest.mark.parametrize("title", ["宜吃食物", "推荐食谱"])
def test_foods_have_their_reasons_however_those_are_boxed(spider: Ask120Spider, reasons: str, title: str) -> None:
    tabs = '<div class="swiper-container"><div><em>燕麦</em></div><div><em>菠菜</em></div></div>'
    html = f'<div class="wrap_big"><div class="dl_1"><em>{title}</em>{tabs}{reasons}</div></div>'
    [item] = spider.parse_article(page(html, f"{TAG}/jibing/x/shiliao/"), "甲病", f"{TAG}/jibing/x/")
    assert [value.value for value in item.values] == ["燕麦", "菠菜"]
    assert [(section.title, section.text) for section in item.sections] == [("燕麦", "富含纤维。"), ("菠菜", "富含镁。")]
    assert spider.crawler.stats.get_value("misfit/count") is None


def test_foods_without_matching_reasons_are_reported(spider: Ask120Spider) -> None:
    tabs = '<div class="swiper-container"><div><em>燕麦</em></div><div><em>菠菜</em></div></div>'
    reasons = "<div class=bigbox><div>富含纤维。</div><div>富含镁。</div><div>又及。</div></div>"
    html = f'<div class="wrap_big"><div class="dl_1"><em>宜吃食物</em>{tabs}{reasons}</div></div>'
    [item] = spider.parse_article(page(html, f"{TAG}/jibing/x/shiliao/"), "甲病", f"{TAG}/jibing/x/")
    assert [value.value for value in item.values] == ["燕麦", "菠菜"] and not item.sections
    assert "3 reasons" in spider.crawler.stats.get_value("misfit/pages")[0]


def test_food_page_with_unread_text_is_a_misfit(spider: Ask120Spider) -> None:
    html = '<div class="wrap_big"><div class="dl_1"><p>宜吃燕麦，富含纤维。</p></div></div>'
    assert list(spider.parse_article(page(html, f"{TAG}/jibing/x/shiliao/"), "甲病", f"{TAG}/jibing/x/")) == []
    assert "宜吃燕麦" in spider.crawler.stats.get_value("misfit/pages")[0]
    assert list(spider.parse_article(page('<div class="wrap_big"></div>', f"{TAG}/jibing/x/shiliao/"), "甲病", f"{TAG}/jibing/x/")) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


@pytest.mark.parametrize("row", ["<li>{}</li>", "<div>{}</div>", "<dl><dd>{}</dd></dl>", "<table><tr><td>{}</td></tr></table>"])
def test_possible_diseases_are_read_in_any_row_and_their_head_is_none(spider: Ask120Spider, row: str) -> None:
    head = "<span class=sp1>可能疾病</span><span class=sp2>科室</span><span class=sp3>典型症状</span>"
    name = '<span class=sp1><a href="/jibing/ptt/">偏头痛</a></span>'
    one = f"{name}<span class=sp2>神经内科</span><span class=sp3><i>恶心</i><i>呕吐</i></span>"
    html = f"<div class=disease-cont><strong>头痛</strong></div><div class=possible-sick>{row.format(head)}{row.format(one)}</div>"
    found = [each for each in spider.parse_entry(page(html, f"{TAG}/zhengzhuang/toutong/"), "symptom") if isinstance(each, EntityItem)]
    assert [each.name_raw for each in found] == ["头痛", "偏头痛"]
    assert [value.value for value in found[1].values] == ["神经内科", "恶心、呕吐"]


@pytest.mark.parametrize(
    ("path", "shown", "misfits", "noted"),
    [
        ("jibing/pinyin/b.html", '<div class="tag_li"><p></p></div>', 0, 1),
        ("jibing/pinyin/b.html", '<div class="new"><p><a href="/jibing/bb/">病</a></p></div>', 1, 0),
        ("jibing/pinyin/b.html", '<div class="tag_li"><p><a href="/d/bb/">病</a></p></div>', 1, 0),
        ("jibing/ks/nk.html", '<div class="tag_li"><p>载入中</p></div>', 1, 0),
        ("shoushu/pinyin.html", "", 1, 0),
        ("jibing/pinyin/b.html", '<div class="tag_li"><p><a href="/jibing/bb/">病</a></p></div>', 0, 0),
    ],
)
def test_a_list_that_leads_to_other_lists_alone_is_empty_or_a_misfit(
    spider: Ask120Spider, path: str, shown: str, misfits: int, noted: int
) -> None:
    letters = f'<div class="sick_tag"><span><a href="/{path.partition("/")[0]}/pinyin/a.html">A</a></span></div>'
    assert list(spider.parse(page(letters + shown, f"{TAG}/{path}")))
    stats = spider.crawler.stats.get_stats()
    assert (stats.get("misfit/count", 0), sum(name.startswith(NOTED) for name in stats)) == (misfits, noted)


def test_foods_under_a_title_are_told_on_their_side(spider: Ask120Spider) -> None:
    """A section named by a food alone does not say whether it is to be eaten."""
    sides = [("dl_1", "宜吃食物", ("燕麦", "菠菜")), ("dl_2", "忌吃食物", ("红酒",))]
    html = ""
    for place, title, foods in sides:
        tabs = "".join(f"<div><em>{food}</em></div>" for food in foods)
        reasons = "".join(f"<div>{food}的理由。</div>" for food in foods)
        html += f"<div class={place}><em>{title}</em><div class=swiper-container>{tabs}</div><div class=bigbox>{reasons}</div></div>"
    [item] = spider.parse_article(page(f'<div class="wrap_big">{html}</div>', f"{TAG}/jibing/x/shiliao/"), "甲病", f"{TAG}/jibing/x/")
    assert [(value.label, value.value) for value in item.values] == [("宜吃食物", "燕麦"), ("宜吃食物", "菠菜"), ("忌吃食物", "红酒")]


@pytest.mark.parametrize("title", ["宜吃食物", "推荐食谱"])
def test_distinguishes_title_from_foods_by_count(spider: Ask120Spider, title: str) -> None:
    tabs = f"<div><em>{title}</em></div><div class=swiper-container><div><em>宜母子</em></div><div><em>菠菜</em></div></div>"
    dots = "<div class=dots><div>·</div><div>·</div></div>"
    html = f"<div class=wrap_big><div class=dl_1>{tabs}{dots}<div class=bigbox><div>味酸。</div><div>富含镁。</div></div></div></div>"
    [item] = spider.parse_article(page(html, f"{TAG}/jibing/x/shiliao/"), "甲病", f"{TAG}/jibing/x/")
    assert [(section.title, section.text) for section in item.sections] == [("宜母子", "味酸。"), ("菠菜", "富含镁。")]
    bare = html.replace(f"<em>{title}</em>", "")
    [item] = spider.parse_article(page(bare, f"{TAG}/jibing/x/shiliao/"), "甲病", f"{TAG}/jibing/x/")
    assert [section.title for section in item.sections] == ["宜母子", "菠菜"]


def test_leaflets_have_two_urls(spider: Ask120Spider) -> None:
    others = "".join(f'<a href="{place}">其他</a>' for place in ("/manual/8.html", "/detail/9.html", "/x/9.html"))
    links = f'<div class="details-right-drug"><p>甲片</p></div>{others}'
    found = spider.parse_medicine(page(links, "https://yp.120ask.com/detail/7.html"))
    asked = [one.url for one in found if isinstance(one, Request)]
    assert asked == ["https://yp.120ask.com/manual/8.html", "https://yp.120ask.com/detail/9.html"]


def test_an_examination_leads_to_its_diseases(spider: Ask120Spider) -> None:
    html = (PAGES / "examination.html").read_text(encoding="utf-8")
    item, request = spider.parse_examination(page(html, f"{TAG}/jiancha/7"))
    assert [value.value for value in item.values if value.label == "相关疾病"] == ["缺铁性贫血"]
    assert (request.url, request.cb_kwargs) == (f"{TAG}/jibing/qtxpx/", {"kind": "disease"})
    assert len(list(scoped(lists=["examinations"]).parse_examination(page(html)))) == 1


def test_a_part_of_an_examination_without_a_name_has_a_place_all_the_same(spider: Ask120Spider) -> None:
    html = '<div class=ys-head><h1>血清铁</h1></div><div class=ys-clinical name="3F">见于缺铁。</div><div class=ys-clinical>另见。</div>'
    [item] = spider.parse_examination(page(html, f"{TAG}/jiancha/13"))
    assert [(part.position, part.text) for part in item.sections] == [("3F", "见于缺铁。"), ("clinical:2", "另见。")]


@pytest.mark.parametrize("scope, message", [({"letters": ["ab"]}, "letters a to z"), ({"departments": ["内科"]}, "as in addresses")])
def test_rejects_scope_of_the_wrong_form(scope: dict[str, list[str]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scoped(**scope)


@pytest.mark.parametrize("name", ["disease", "medicines", "medicines:1", "medicines:9-7", "medicines:1-99999999"])
def test_rejects_list_that_ask120_does_not_have(name: str) -> None:
    with pytest.raises(ValueError, match=r"sources\.ask120: lists: found \['.*'\]; expected examinations, or numbers of medicines"):
        scoped(lists=[name])


@pytest.mark.parametrize(
    "callback, arguments",
    [
        ("parse", {}),
        ("parse_entry", {"kind": "disease"}),
        ("parse_article", {"name": "高血压", "home": f"{TAG}/jibing/gaoxueya/"}),
        ("parse_examination_index", {}),
        ("parse_examination", {}),
        ("parse_medicine", {}),
    ],
)
def test_a_page_that_no_longer_fits_is_counted(spider: Ask120Spider, callback: str, arguments: dict[str, str]) -> None:
    assert list(getattr(spider, callback)(page("<html><body><h1>新版</h1></body></html>"), **arguments)) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


def test_a_client_without_name_is_refused(respond: Respond) -> None:
    assert get(respond, "/jiancha/", headers={}).status == 403
    assert get(respond, "/jiancha/").status == 200
    assert get(respond, "/jiancha/", headers={"User-Agent": "x"}).status == 200


def test_one_department_speaks_gb18030_and_says_so_in_the_page_alone(respond: Respond, spider: Ask120Spider) -> None:
    reply = get(respond, "/jibing/ks/ek.html")
    with pytest.raises(UnicodeDecodeError):
        reply.body.decode()
    kind = responsetypes.from_args(headers=Headers(reply.headers), body=reply.body)
    url = f"{TAG}/jibing/ks/ek.html"
    response = kind(url, headers=reply.headers, body=reply.body, request=Request(url))
    assert response.encoding == "gb18030" and "儿科疾病" in response.text
    assert any(request.callback == spider.parse_entry for request in spider.parse(response))


def test_the_replica_has_the_blemishes_of_the_real_site(respond: Respond) -> None:
    diseases = load_content().on("ask120").diseases
    homes = [f"/jibing/{disease.slug}/" for disease in diseases]
    pages = {target: get(respond, target).body.decode() for target in homes}
    shown = "".join(pages.values())
    cut = [disease.symptoms[-1][:1] for rank, disease in enumerate(diseases) if is_cut(disease, rank) and not is_boxless(rank)]
    assert len(cut) >= 4 and all(f"、{piece}…<a" in shown for piece in cut)
    for blemish in ("[详细]", "　　", "//yp.120ask.com/detail/", "需作检查：", "需做检查：", "别名："):
        assert blemish in shown
    assert [target for target, html in pages.items() if "disease-list-left" not in html]
    assert all(get(respond, home.rstrip("/")).status == 301 for home in homes)
    assert get(respond, "/disease", "www.120ask.com").headers["Location"] == "//tag.120ask.com/jibing/"
    assert sum("p_lbox1_ab" in html for html in pages.values()) == 2  # diseases in the layouts of 2014 and 2016
    assert get(respond, f"{homes[0]}jianbie/") is None
    traditional = [home for home in homes if (reply := get(respond, f"{home}yufang/")) and "預防" in reply.body.decode()]
    assert len(traditional) == 2


@pytest.mark.slow
def test_robots_txt_is_obeyed(tmp_path: Path, root: Path, respond: Respond) -> None:
    rules = Protego.parse(get(respond, "/robots.txt").body.decode())
    assert not rules.can_fetch(f"{TAG}/jibing/zhuanti/", "atomexam")
    assert "/jibing/zhuanti/" in get(respond, "/jibing/ks/nk.html").body.decode()
    command = [sys.executable, "-m", "crawlers.crawl", "ask120", "--sites", "embedded", "--out", str(tmp_path / "pages")]
    command += ["--metrics", str(tmp_path / "metrics.json")]  # by default it would write the figures in git
    subprocess.run(command, check=True, capture_output=True, cwd=root, timeout=120)
    lines = (tmp_path / "pages" / "index.jsonl").read_text(encoding="utf-8").splitlines()
    urls = {json.loads(line)["url"] for line in lines}
    assert f"{TAG}/robots.txt" in urls and f"{TAG}/jibing/ks/nk.html" in urls
    assert not [url for url in urls if "/zhuanti/" in url or "/search/" in url]
