"""The content of a disease's pages on the replica of tag.120ask.com, flaws included."""

from typing import Any

from crawlers.embedded.content import Disease
from crawlers.embedded.rendering import full_width

CAPTIONS = {
    "gaishu": "概述", "bingyin": "病因", "zhengzhuang": "症状", "jiancha": "检查", "jianbie": "鉴别", "bingfa": "并发症", "yufang": "预防",
    "zhiliao": "治疗", "yinshi": "饮食", "shiliao": "食疗",
}  # fmt: skip
"""The sub-pages that the home page of every disease links to, whether or not they exist."""

Row = tuple[str, str, str | None]
"""Label, value, and the URL of the `[详细]` link if the value ends with one."""
Paragraph = tuple[str, str]
"""Bold label, if any, and text."""


def home(disease: Disease) -> str:
    return f"/jibing/{disease.slug}/"


def is_boxless(rank: int) -> bool:
    """Return whether a disease has no summary boxes; if so, its articles contain their text."""
    return rank % 16 == 9


def layout(rank: int) -> str | None:
    """Return the old layout of a disease's pages, which has no summary boxes; None for the layout used since 2019."""
    return {25: "2016", 41: "2014"}.get(rank % 48)


def is_cut(disease: Disease, rank: int) -> bool:
    """Return whether the box is cut off in the middle of its last symptom."""
    return rank % 8 == 3 and len(disease.symptoms) > 2


def intro(disease: Disease, rank: int) -> str:
    """Return the summary for the home page, truncated if it is long; without boxes, it has one more sentence."""
    summary = disease.summary or disease.name
    if is_boxless(rank):
        first, stop, _ = disease.texts.get("symptom", "").partition("。")
        return summary + first + stop
    return summary if len(summary) < 50 else summary[:40] + "…"


def boxes(disease: Disease, rank: int) -> tuple[list[Row], list[Row]]:
    """Return the rows of the left and the middle box."""
    if is_boxless(rank):
        return [], []
    plain = str if rank % 2 == 0 else full_width
    symptoms = plain("、".join(disease.symptoms))
    if is_cut(disease, rank):
        symptoms = symptoms[: len(symptoms) - len(disease.symptoms[-1]) + 1] + "…"
    infectivity = {True: "有传染性", False: "无传染性", None: ""} if rank % 3 == 0 else {True: "是", False: "否", None: ""}
    left = [
        ("挂什么科：", "、".join(disease.departments), None),
        ("哪些症状：", symptoms, f"{home(disease)}zhengzhuang/" if is_cut(disease, rank) else None),
        ("好发人群：", disease.population or "", None),
        ("需做检查：" if rank % 2 else "需作检查：", plain("、".join(disease.examinations)), None),
        ("引发疾病：", plain("、".join(disease.complications)), None),
        ("治疗方法：", plain("、".join(disease.treatments)), f"{home(disease)}zhiliao/" if rank % 8 == 5 else None),
    ]
    center = [
        ("常用药物：", plain("、".join(disease.medicines)), None),
        ("治疗费用：", "以医院收费为准", None),
        ("是否传染：", infectivity[disease.infectious], None),
    ]
    return [row for row in left if row[1]], [row for row in center if row[1]]


def articles(disease: Disease, rank: int) -> dict[str, list[Paragraph]]:
    """Return the paragraphs of each prose sub-page that exists."""
    texts = {subject: disease.texts.get(subject, "") for subject in ("cause", "symptom", "treatment", "prevention", "diet")}
    boxless = is_boxless(rank)
    infectivity = {True: "有传染性", False: "无传染性", None: ""}[disease.infectious]
    complications = f"并发症：{sentence(disease.complications)}" if disease.complications and (boxless or rank % 5 != 2) else ""
    by_article = {
        "gaishu": [("", (disease.summary or "") if boxless or intro(disease, rank).endswith("…") else "")],
        "bingyin": [("", texts["cause"]), ("常见病因：", sentence(disease.causes))],
        "zhengzhuang": [("", texts["symptom"]), ("典型症状：", sentence(disease.symptoms) if boxless or is_cut(disease, rank) else "")],
        "jiancha": [("检查项目：", sentence(disease.examinations) if boxless else "")],
        "bingfa": [("", complications)],
        "yufang": [("", texts["prevention"]), ("预防措施：", numbered(disease.prevention))],
        "zhiliao": [("", texts["treatment"])],
        "yinshi": [("", texts["diet"])],
    }
    if boxless:
        by_article["gaishu"] += [("就诊科室：", "、".join(disease.departments)), ("传染性：", infectivity)]
        by_article["zhiliao"] += [("治疗方法：", sentence(disease.treatments)), ("常用药物：", sentence(disease.medicines))]
    filled = {slug: [(label, text) for label, text in paragraphs if text] for slug, paragraphs in by_article.items()}
    return {slug: paragraphs for slug, paragraphs in filled.items() if paragraphs}


def diet_rows(disease: Disease) -> list[dict[str, Any]]:
    """Return what to eat and what to avoid, for the sub-page on food."""
    good = {"label": "宜：", "head": "宜吃食物", "advice": "建议适量食用", "foods": disease.foods_good}
    avoid = {"label": "忌：", "head": "忌吃食物", "advice": "建议不吃", "foods": disease.foods_avoid}
    return [good, avoid] if disease.foods_good or disease.foods_avoid else []


def sentence(items: list[str]) -> str:
    return "、".join(items) + "。" if items else ""


def numbered(items: list[str]) -> str:
    return "；\n".join(f"{number}.{item}" for number, item in enumerate(items, 1)) + "。" if items else ""
