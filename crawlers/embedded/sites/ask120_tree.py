"""The tree of departments that tag.120ask.com had until 2019, and its pages of categories."""

from collections.abc import Callable

from crawlers.embedded.content import Disease, symptoms_on
from crawlers.embedded.sites.ask120_diseases import home

_TAG = "tag.120ask.com"
_SLUGS = {"内科": "neike", "外科": "waike"}
_LISTED_LINKS = 3
"""Diseases of a department in the tree itself; symptoms are among them."""


def show_tree(show: Callable[..., None], diseases: list[Disease]) -> None:
    """Show the tree, and for its departments a page with alternating headings and links; subordinate departments have their own pages."""
    rows = []
    for name, slug in _SLUGS.items():
        own = [disease for disease in diseases if any(department.startswith(name) for department in disease.departments)]
        lower = sorted({part.partition("-")[2] for disease in own for part in disease.departments if part.startswith(f"{name}-")})
        deeper = [{"name": below, "href": f"/jibing/{slug}{number}/"} for number, below in enumerate(lower, 1)]
        blocks = [{"name": below, "links": _links(own, f"{name}-{below}")} for below in lower]
        show(_TAG, f"/jibing/{slug}/", "category.html", title=name, deeper=deeper, blocks=blocks)
        for link, block in zip(deeper, blocks, strict=True):
            show(_TAG, link["href"], "category.html", title=link["name"], deeper=[], blocks=[block])
        among = [{"name": symptom.name, "href": f"/zhengzhuang/{symptom.slug}/"} for symptom in symptoms_on("ask120")[:1]]
        rows.append({"name": name, "href": f"/jibing/{slug}/", "links": _links(own, name)[:_LISTED_LINKS] + among})
    show(_TAG, "/jibing/", "tree.html", title="疾病库", rows=rows)


def _links(diseases: list[Disease], department: str) -> list[dict[str, str]]:
    of_it = [disease for disease in diseases if any(part.startswith(department) for part in disease.departments)]
    return [{"name": disease.name, "href": home(disease)} for disease in of_it]
