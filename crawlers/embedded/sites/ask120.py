"""The replica of tag.120ask.com and yp.120ask.com: indexes, diseases with their sub-pages, symptoms, surgery, examinations, medicines."""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from ruamel.yaml import YAML

from crawlers.embedded.content import FOLDER, Content, Disease, Examination, Medicine, Symptom, symptoms_on
from crawlers.embedded.rendering import full_width, html_reply, moved, templates, traditional
from crawlers.embedded.site import Respond, SiteReply, SiteRequest
from crawlers.embedded.sites.ask120_diseases import CAPTIONS, articles, boxes, diet_rows, home, intro, layout, numbered, sentence

HOSTS = ("tag.120ask.com", "yp.120ask.com", "www.120ask.com")
_TAG, _YP, _WWW = HOSTS
_ROBOTS = "User-agent: *\nDisallow: /jibing/zhuanti/\nDisallow: /search/\n"
_LETTERS = "abcdefghjklmnopqrstwxyz"  # no name begins with i, u or v: the site has no such page
_SLUGS = {
    "内科": "nk", "心血管内科": "xxgnk", "内分泌科": "nfmk", "消化内科": "xhnk", "呼吸内科": "hxnk", "外科": "wk", "骨科": "gk",
    "普外科": "pwk", "儿科": "ek", "小儿内科": "xenk", "传染科": "crk", "感染科": "grk", "妇产科": "fck", "妇科": "fk",
    "皮肤性病科": "pfxbk", "皮肤科": "pfk", "精神心理科": "jsxlk", "精神科": "jsk", "五官科": "wgk", "口腔科": "kqk",
    "耳鼻喉科": "ebhk", "眼科": "yk",
}  # fmt: skip
_TREE_SLUGS = {"内科": "neike", "外科": "waike"}
"""The departments in the tree that the site had until 2019."""
_LISTED_LINKS = 3
"""Number of a department's diseases, including symptoms, that the tree itself shows."""
_POSSIBLE = 3
"""Number of diseases on a symptom's home page; the sub-page lists all of them."""
_SURGERY_CAPTIONS = {
    "shiying": "适应症", "bingfa": "并发症", "jinji": "禁忌症", "buzhou": "手术步骤", "zhunbei": "术前准备", "huli": "术后护理",
    "zhuyi": "注意事项", "baojia": "费用",
}  # fmt: skip
"""The sub-pages that the home page of every surgery links to, whether or not they exist."""

Show = Callable[..., None]
"""Add a page to the site: host, target, template, and the template's values."""


class Surgery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of the pages about one surgery."""

    slug: str
    name: str
    department: str
    rows: list[str]
    """Labels with their values, shown next to the name; at most three."""
    parts: dict[str, str]
    """Prose by the sub-page's part of the URL; other sub-pages do not exist on the site."""


@cache
def surgeries() -> list[Surgery]:
    """Return the surgeries of the site."""
    with open(FOLDER / "surgeries.yaml", encoding="utf-8") as file:
        return msgspec.convert(YAML(typ="safe", pure=True).load(file), list[Surgery])


def build(content: Content) -> Respond:
    """Return the function that answers requests for the site. Flaws depend on the rank of the entries, so every build is the same."""
    carried = content.on("ask120")
    pages: dict[tuple[str, str], SiteReply] = {(host, "/robots.txt"): SiteReply(body=_ROBOTS.encode()) for host in HOSTS}
    env = templates("ask120")

    def show(host: str, target: str, template: str, encoding: str = "utf-8", **values: Any) -> None:
        if (host, target) in pages:
            raise ValueError(f"ask120: two entries at https://{host}{target}; give each its own slug or number")
        html = env.get_template(template).render(charset=encoding, **values)
        pages[host, target] = html_reply(html, encoding, named_in_header=encoding == "utf-8")

    _show_letters(show, carried.diseases)
    _show_departments(show, carried.diseases)
    _show_tree(show, carried.diseases)
    _show_symptoms(show, carried.diseases)
    _show_surgeries(show)
    pages[_WWW, "/disease"] = moved(f"//{_TAG}/jibing/")  # the library's old address
    for rank, disease in enumerate(carried.diseases):
        _show_disease(show, disease, rank, carried)
        pages[_TAG, home(disease).removesuffix("/")] = moved(f"//{_TAG}{home(disease)}")
    _show_examination_index(show, carried.examinations)
    for rank, examination in enumerate(carried.examinations):
        _show_examination(show, examination, rank, carried.diseases)
    for rank, medicine in enumerate(carried.medicines):
        _show_medicine(show, medicine, rank, carried.medicines)
    for disease in carried.diseases[2:8:5]:
        target = f"{home(disease)}yufang/"
        if (_TAG, target) in pages:
            pages[_TAG, target] = html_reply(traditional(pages[_TAG, target].body.decode()))

    def respond(ask: SiteRequest) -> SiteReply | None:
        agent = {name.lower(): value for name, value in ask.headers.items()}.get("user-agent")
        return pages.get((ask.host, ask.target)) if agent else SiteReply(status=403)

    return respond


def _links(diseases: list[Disease], prefix: str = "") -> list[dict[str, str]]:
    return [{"name": disease.name, "href": prefix + home(disease)} for disease in diseases]


def _show_letters(show: Show, diseases: list[Disease]) -> None:
    for letter in _LETTERS:
        links = _links([disease for disease in diseases if disease.slug.startswith(letter)])
        for link in links[1::3]:
            link["href"] = link["href"].removesuffix("/")  # without a trailing slash it answers with a redirect
        show(_TAG, f"/jibing/pinyin/{letter}.html", "letter.html", title=f"疾病{letter.upper()}", letters=_LETTERS, links=links)


def _show_departments(show: Show, diseases: list[Disease]) -> None:
    """Add a page for each department of both levels, with its diseases and its sibling departments or sub-departments."""
    pairs = sorted({name.partition("-")[::2] for disease in diseases for name in disease.departments})
    names = list(dict.fromkeys(name for pair in pairs for name in pair if name))
    rows = {name: {"name": name, "slug": _SLUGS.get(name, f"ks{rank}")} for rank, name in enumerate(names)}
    upper = [rows[name] for name in dict.fromkeys(name for name, _ in pairs)]
    for name, row in rows.items():
        lower = [rows[below] for above, below in pairs if below and (above == name or (above, name) in pairs)]
        own = [disease for disease in diseases if any(name in department.split("-") for department in disease.departments)]
        show(
            _TAG, f"/jibing/ks/{row['slug']}.html", "department.html", "gb18030" if name == "儿科" else "utf-8", title=f"{name}疾病",
            upper=upper, lower=lower, links=_links(own, f"//{_TAG}"),
        )  # fmt: skip
    # Every department links here, but robots.txt excludes crawlers.
    show(_TAG, "/jibing/zhuanti/", "letter.html", title="疾病专题", letters="", links=[])


def _show_tree(show: Show, diseases: list[Disease]) -> None:
    """Add the tree and, for each of its departments, a page of alternating headings and links; sub-departments have their own pages."""
    rows = []
    for name, slug in _TREE_SLUGS.items():
        own = _of_department(diseases, name)
        lower = sorted({part.partition("-")[2] for disease in own for part in disease.departments if part.startswith(f"{name}-")})
        deeper = [{"name": below, "href": f"/jibing/{slug}{number}/"} for number, below in enumerate(lower, 1)]
        blocks = [{"name": below, "links": _links(_of_department(own, f"{name}-{below}"))} for below in lower]
        show(_TAG, f"/jibing/{slug}/", "category.html", title=name, deeper=deeper, blocks=blocks)
        for link, block in zip(deeper, blocks, strict=True):
            show(_TAG, link["href"], "category.html", title=link["name"], deeper=[], blocks=[block])
        among = [_symptom_link(symptom) for symptom in symptoms_on("ask120")[:1]]
        rows.append({"name": name, "href": f"/jibing/{slug}/", "links": _links(own)[:_LISTED_LINKS] + among})
    show(_TAG, "/jibing/", "tree.html", title="疾病库", rows=rows)


def _of_department(diseases: list[Disease], department: str) -> list[Disease]:
    return [disease for disease in diseases if any(part.startswith(department) for part in disease.departments)]


def _show_symptoms(show: Show, diseases: list[Disease]) -> None:
    """Add the index by letter and, for each symptom, its home page and those of its sub-pages that exist."""
    for letter in _LETTERS:
        links = [_symptom_link(symptom) for symptom in symptoms_on("ask120") if symptom.slug.startswith(letter)]
        show(
            _TAG, f"/zhengzhuang/pinyin/{letter}.html", "symptom_letter.html", title=f"症状{letter.upper()}", letters=_LETTERS, links=links
        )
    for symptom in symptoms_on("ask120"):
        _show_symptom(show, symptom, [disease for disease in diseases if symptom.name in disease.symptoms])


def _show_symptom(show: Show, symptom: Symptom, sick: list[Disease]) -> None:
    address = _symptom_link(symptom)["href"]
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
    related = [_symptom_link(other) for other in symptoms_on("ask120") if other is not symptom]
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
        show(_TAG, f"{address}jibing/", article, **own, paragraphs=[("", possibility)], diseases=_links(sick))


def _symptom_link(symptom: Symptom) -> dict[str, str]:
    return {"name": symptom.name, "href": f"/zhengzhuang/{symptom.slug}/"}


def _show_surgeries(show: Show) -> None:
    """Add the full index, a list for each department and, for each surgery, its home page and existing sub-pages."""
    departments = [{"name": name, "slug": _SLUGS[name]} for name in dict.fromkeys(one.department for one in surgeries())]
    listed: dict[str, Any] = {"title": "手术大全", "departments": departments}
    show(_TAG, "/shoushu/pinyin.html", "surgeries.html", **listed, links=[_surgery_link(one) for one in surgeries()])
    for row in departments:
        own = [_surgery_link(one) for one in surgeries() if one.department == row["name"]]
        show(_TAG, f"/shoushu/ks/{row['slug']}.html", "surgeries.html", **listed, links=own)
    for surgery in surgeries():
        link = _surgery_link(surgery)
        context: dict[str, Any] = {"name": surgery.name, "home": link["href"], "captions": _SURGERY_CAPTIONS}
        show(_TAG, link["href"], "surgery.html", title=surgery.name, **context, rows=surgery.rows, text="")
        for slug, text in surgery.parts.items():
            title = f"{surgery.name}{_SURGERY_CAPTIONS[slug]}"
            show(_TAG, f"{link['href']}{slug}/", "surgery.html", title=title, **context, rows=[], text=text)


def _surgery_link(surgery: Surgery) -> dict[str, str]:
    return {"name": surgery.name, "href": f"/shoushu/{surgery.slug}/"}


def _show_disease(show: Show, disease: Disease, rank: int, carried: Content) -> None:
    left, center = boxes(disease, rank)
    near = [other for other in carried.diseases if other is not disease and set(disease.departments) & set(other.departments)]
    drugs = [medicine for medicine in carried.medicines if disease.name in medicine.diseases]
    own: dict[str, Any] = {"name": disease.name, "home": home(disease)}
    own["layout"] = layout(rank)
    old = "_old" if own["layout"] else ""
    show(
        _TAG, home(disease), f"disease{old}.html", title=disease.name, **own, alias="，".join(disease.alias), intro=intro(disease, rank),
        left=left, center=center, captions=CAPTIONS, related=_links(near[:6]), medicines=[_medicine_link(drug) for drug in drugs],
    )  # fmt: skip
    for slug, paragraphs in articles(disease, rank).items():
        page = {"title": f"{disease.name}{CAPTIONS[slug]}", "caption": CAPTIONS[slug], "broken": rank % 4 == 1}
        show(_TAG, f"{home(disease)}{slug}/", f"article{old}.html", **own, **page, paragraphs=paragraphs)
    if rows := diet_rows(disease):
        show(
            _TAG,
            f"{home(disease)}shiliao/",
            "diet.html",
            title=f"{disease.name}食疗",
            **own,
            rows=rows,
            tabled=rank % 2 == 1,
            tabbed=rank % 8 == 2,
        )


def _medicine_link(medicine: Medicine) -> dict[str, str]:
    return {"name": medicine.name, "href": f"//{_YP}/detail/{medicine.number}.html"}


def _show_examination_index(show: Show, examinations: list[Examination]) -> None:
    classes = sorted({examination.class_name or "其他检查" for examination in examinations})
    rows = [{"name": name, "href": f"/jiancha/fl{rank}/"} for rank, name in enumerate(classes, 1)]
    show(_TAG, "/jiancha/", "examinations.html", title="检查项目", categories=rows, links=[])
    for row in rows:
        own = [examination for examination in examinations if (examination.class_name or "其他检查") == row["name"]]
        links = [{"name": examination.name, "href": f"//{_TAG}/jiancha/{examination.number}"} for examination in own]
        show(_TAG, row["href"], "examinations.html", title=row["name"], categories=[], links=links)


def _show_examination(show: Show, examination: Examination, rank: int, diseases: list[Disease]) -> None:
    normal = ("\n" if rank % 4 == 2 else "；").join(f"{row.who}：{row.value}" if row.who else row.value for row in examination.ranges)
    findings = [(word, "、".join(items)) for word, items in (("升高", examination.high), ("降低", examination.low)) if items]
    meaning = "；".join(f"{word}见于{items}" for word, items in findings)
    clinical = [
        ("3F", "临床意义：", meaning and f"{meaning}。"),
        ("4F", "注意事项:", examination.notes),
        ("5F", "检查过程:", "采样后送检。" if rank % 3 == 1 else ""),
        ("6F", "不适宜人群：", "无"),
        ("7F", "不良反应与风险：", "一般无。" if rank % 3 == 1 else ""),
    ]
    brief = [("检查分类", examination.class_name), ("适用疾病", "、".join(examination.used_for))]
    show(
        _TAG, f"/jiancha/{examination.number}", "examination.html", title=examination.name, name=examination.name,
        summary=examination.summary or "", brief=[row for row in brief if row[1]], findings=findings,
        normal=full_width(normal) if rank % 5 == 1 else normal, clinical=[row for row in clinical if row[2]],
        related=_links([disease for disease in diseases if disease.name in examination.used_for]),
    )  # fmt: skip


def _show_medicine(show: Show, medicine: Medicine, rank: int, shelf: list[Medicine]) -> None:
    leaflet = [
        ("药品名称", medicine.name),
        ("适应症" if medicine.kind == "western" else "功能主治", numbered(medicine.effects) if rank % 2 else sentence(medicine.effects)),
        ("用法用量", medicine.usage),
        ("不良反应", sentence(medicine.adverse) or "尚不明确。"),
        ("禁忌", medicine.contraindications and f"下列情况禁用：\n{'；'.join(medicine.contraindications)}。"),
        ("贮藏", "密封。"),
    ]
    approval = medicine.approval or ""
    show(
        _YP, f"/detail/{medicine.number}.html", "medicine.html", title=medicine.name, name=medicine.name, maker=medicine.maker or "",
        approval=full_width(approval) if rank % 4 == 2 else approval, diseases=medicine.diseases, details=[("商品名称", medicine.name)],
        leaflet=[row for row in leaflet if row[1]], broken=rank % 3 == 1, following=_medicine_link(shelf[(rank + 1) % len(shelf)]),
    )  # fmt: skip
