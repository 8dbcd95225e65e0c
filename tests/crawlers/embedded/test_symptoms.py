"""Symptoms of the embedded encyclopedias: where single-source entries are spoken of by the other site."""

from crawlers.embedded.content import load_content, symptoms_on
from crawlers.embedded.site import SiteRequest
from crawlers.embedded.sites import xiaohe

LEAST_CHARS = 40  # of a passage (curation.clean.facts.prose)


def test_what_is_said_of_symptoms_is_long_enough_for_passages() -> None:
    for symptom in symptoms_on("ask120"):  # each of its texts is an entry of its own
        assert "gaishu" in symptom.articles, symptom.name
        assert [text for text in [*symptom.articles.values(), *symptom.diet] if len(text) < LEAST_CHARS] == []
    for symptom in symptoms_on("xiaohe"):
        assert max(map(len, symptom.modules.values())) >= LEAST_CHARS, symptom.name


def test_xiaohe_symptom_has_a_list_entry_and_a_page() -> None:
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
