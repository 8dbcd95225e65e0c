"""The content of entries on the replica of xiaohe.cn: card, and modules of prose and lists."""

from collections.abc import Callable
from typing import Any
from zlib import crc32

from crawlers.embedded.content import Disease, Entry, Examination, Food, Medicine, Symptom
from crawlers.embedded.rendering import full_width

Prose = Callable[..., Any]
"""Rich text consisting of paragraphs and captioned lists, as HTML or as an editor's blocks."""
Detail = dict[str, Any]

_DISCLAIMER = "小荷医典内容仅供科普参考，不能作为诊断和治疗的依据，如有不适请及时就医，请遵医嘱。"
_HINT = "【提示】以上内容不能代替面诊。"


def entry_id(entry: Entry | Symptom) -> str:
    """Return the number in the entry's URL; the replica derives it from the entry's number or pinyin."""
    return str(entry.number) if isinstance(entry, Entry) and entry.number is not None else f"7000{crc32(entry.slug.encode()):010d}"


def blocks(paragraphs: list[str | None], *lists: tuple[str, list[str]]) -> list[dict[str, Any]]:
    """Return rich text as an editor's blocks."""
    made = [_block("paragraph", text) for text in paragraphs if text]
    for caption, items in lists:
        if items:
            made += [_block("heading-three", caption)] if caption else []
            made.append({"type": "bulleted-list", "children": [_block("list-item", item) for item in items]})
    return made


def _block(kind: str, text: str) -> dict[str, Any]:
    return {"type": kind, "children": [{"text": text}]}


def disease_detail(disease: Disease, rank: int, rich: Prose) -> Detail:
    texts = disease.texts
    card = [
        # The site names only the department, without its parent.
        ("就诊科室", [name.rpartition("-")[2] for name in disease.departments]),
        ("常见症状", disease.symptoms),
        ("好发人群", disease.population),
        ("检查项目", disease.examinations),
        ("治疗方式", disease.treatments),
        ("常用药物", disease.medicines),
        ("并发症", disease.complications),
        ("传染性", {True: "具有传染性", False: "不具有传染性", None: ""}[disease.infectious]),
        ("宜吃食物", disease.foods_good),
        ("忌吃食物", disease.foods_avoid),
    ]
    diet = {"title": "饮食", "content": rich([texts.get("diet")])}
    prevention = {"title": "预防", "content": rich([texts.get("prevention"), _DISCLAIMER], ("预防措施", disease.prevention))}
    daily = [{"title": "日常", "content": "", "children": [diet, prevention]}] if rank % 3 == 0 else [diet, prevention]
    modules = [
        {"title": "病因", "content": rich([texts.get("cause")], ("常见病因", disease.causes))},
        {"title": "症状", "content": rich([texts.get("symptom")])},
        {"title": "治疗", "content": rich([texts.get("treatment"), _HINT if rank % 4 == 0 else None])},
        *daily,
    ]
    return _detail(disease, card, modules)


def examination_detail(examination: Examination, rank: int, rich: Prose) -> Detail:
    ranges = [f"{row.who}：{row.value}" if row.who else row.value for row in examination.ranges]
    card = [("检查类别", examination.class_name), *(("参考区间", value_range) for value_range in ranges)]
    findings = [("适用于", examination.used_for), ("升高见于", examination.high), ("降低见于", examination.low)]
    modules = [
        {"title": "临床意义", "content": rich([], *findings)},
        {"title": "注意事项", "content": rich([examination.notes, _DISCLAIMER])},
    ]
    return _detail(examination, card, modules)


def medicine_detail(medicine: Medicine, rank: int, rich: Prose) -> Detail:
    western = medicine.kind == "western"
    card = [("药品类型", "西药" if western else "中成药"), ("批准文号", medicine.approval), ("生产厂家", medicine.maker)]
    modules = [
        {"title": "适应症" if western else "功能主治", "content": rich([], ("", medicine.effects))},
        {"title": "用法用量", "content": rich([medicine.usage])},
        {"title": "不良反应", "content": rich([] if medicine.adverse else ["尚不明确。"], ("", medicine.adverse))},
        {"title": "用药禁忌", "content": rich([], ("", medicine.contraindications))},
        {"title": "注意事项", "content": rich([_HINT, _DISCLAIMER])},
    ]
    return _detail(medicine, card, modules)


def food_detail(food: Food, rank: int, rich: Prose) -> Detail:
    effects = [full_width(effect) for effect in food.effects] if rank % 7 == 0 else food.effects
    modules = [
        {"title": "功效与作用", "content": rich([], ("", effects))},
        {"title": "宜忌人群", "content": rich([_DISCLAIMER], ("适宜人群", food.good_for), ("慎食人群", food.avoid_for))},
    ]
    return _detail(food, [], modules)


def symptom_detail(symptom: Symptom, rank: int, rich: Prose) -> Detail:
    modules = [{"title": title, "content": rich([text])} for title, text in symptom.modules.items()]
    return _detail(Entry(slug=symptom.slug, name=symptom.name), [], modules)


def _detail(entry: Entry, card: list[tuple[str, Any]], modules: list[dict[str, Any]]) -> Detail:
    return {
        "id": entry_id(entry),
        "name": entry.name,
        "alias": entry.alias,
        "summary": entry.summary or "",
        "card": [{"label": label, "value": value} for label, value in card if value],
        "modules": [module for module in modules if module["content"] or module.get("children")],
    }
