"""Symptoms on the replica of tag.120ask.com: index, homes and sub-pages, some of which are missing."""

from collections.abc import Callable, Iterable
from typing import Any

from crawlers.embedded.content import Disease, Symptom, symptoms_on
from crawlers.embedded.sites.ask120_diseases import home

_TAG = "tag.120ask.com"
_POSSIBLE = 3
"""Diseases that a symptom's home names; its own sub-page names all."""


def show_symptoms(show: Callable[..., None], diseases: list[Disease], letters: Iterable[str]) -> None:
    """Show the index by letter, and of each symptom its home and the sub-pages it has."""
    listed = [(symptom, [disease for disease in diseases if symptom.name in disease.symptoms]) for symptom in symptoms_on("ask120")]
    for letter in letters:
        links = [_link(symptom) for symptom in symptoms_on("ask120") if symptom.slug.startswith(letter)]
        show(_TAG, f"/zhengzhuang/pinyin/{letter}.html", "symptom_letter.html", title=f"症状{letter.upper()}", letters=letters, links=links)
    for symptom, sick in listed:
        _show_symptom(show, symptom, sick)


def _show_symptom(show: Callable[..., None], symptom: Symptom, sick: list[Disease]) -> None:
    address = _link(symptom)["href"]
    rows = [
        {
            "name": disease.name,
            "href": home(disease),
            "department": {"name": disease.departments[0], "href": "/jibing/ks/nk.html"},
            "symptoms": disease.symptoms,
        }
        for disease in sick[:_POSSIBLE]
        if disease.departments
    ]
    related = [_link(other) for other in symptoms_on("ask120") if other is not symptom]
    own: dict[str, Any] = {"title": symptom.name, "name": symptom.name, "home": address}
    own["layout"] = symptom.layout
    old = "_old" if symptom.layout else ""
    show(_TAG, address, f"symptom{old}.html", **own, intro=symptom.articles["gaishu"], possible=rows, related=related)
    article = "article_old.html" if symptom.layout else "symptom_article.html"
    for slug, text in symptom.articles.items():
        show(_TAG, f"{address}{slug}/", article, **own, paragraphs=[("", text)], diseases=[])
    if symptom.diet:
        show(_TAG, f"{address}shiliao/", "symptom_diet.html", **own, sentences=symptom.diet)
    if sick:
        possibility = f"下列疾病都可能出现{symptom.name}。是否与这些疾病有关，需要结合起病缓急、伴随的其他症状和检查结果，由医生判断。"
        links = [{"name": disease.name, "href": home(disease)} for disease in sick]
        show(_TAG, f"{address}jibing/", article, **own, paragraphs=[("", possibility)], diseases=links)


def _link(symptom: Symptom) -> dict[str, str]:
    return {"name": symptom.name, "href": f"/zhengzhuang/{symptom.slug}/"}
