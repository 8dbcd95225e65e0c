"""Symptoms of the embedded encyclopedias: where single-source entries are spoken of by the other site."""

from crawlers.embedded.content import load_content, symptoms_on
from crawlers.embedded.site import SiteRequest
from crawlers.embedded.sites import xiaohe

LEAST_CHARS = 40  # of a passage (curation.clean.facts.prose)

_FOUND_BY_THEIR_TAILS = {"甲状腺功能亢进症", "血清无机磷", "丙氨酸氨基转移酶", "血清甘油三酯", "血尿素氮", "红细胞计数", "胃镜检查",
                         "高脂血症", "甲状腺功能减退症", "疥疮", "血清总钙", "血清总胆固醇"}  # fmt: skip
"""The other site speaks of what is said of them."""


def test_what_is_said_of_symptoms_is_long_enough_for_passages() -> None:
    for symptom in symptoms_on("ask120"):  # each of its texts is an entry of its own
        assert "gaishu" in symptom.articles, symptom.name
        assert [text for text in [*symptom.articles.values(), *symptom.diet] if len(text) < LEAST_CHARS] == []
    for symptom in symptoms_on("xiaohe"):
        assert max(map(len, symptom.modules.values())) >= LEAST_CHARS, symptom.name


def test_a_symptom_stands_in_the_list_of_xiaohe_and_has_its_page() -> None:
    respond = xiaohe.build(load_content())

    def body(target: str) -> str:
        reply = respond(SiteRequest(method="GET", host="www.xiaohe.cn", target=target, headers={}, body=b""))
        assert reply is not None, target
        return reply.body.decode()

    assert "/medical/symptom" in body("/medical")
    listed = "".join(body(target) for target in ("/medical/symptom", "/medical/api/list?type=symptom&cursor=12"))
    first, later = symptoms_on("xiaohe")[0], symptoms_on("xiaohe")[20]
    assert first.name in listed and later.name in listed
    page = body(f"/medical/symptom/{xiaohe.entry_id(first)}")
    assert all(title in page and text[:20] in page for title, text in first.modules.items())


def test_an_entry_of_one_encyclopedia_is_named_by_the_other() -> None:
    content = load_content()
    for site, other in (("ask120", "xiaohe"), ("xiaohe", "ask120")):
        said = "".join(text for one in symptoms_on(other) for text in [*one.articles.values(), *one.diet, *one.modules.values()])
        shown = content.on(other)
        said += "".join(text for disease in shown.diseases for text in disease.texts.values())
        entries = [*content.diseases, *content.medicines, *content.examinations, *content.foods]
        lost = [one.name for one in entries if one.sites == [site] and one.name not in said]
        assert set(lost) <= _FOUND_BY_THEIR_TAILS, site
