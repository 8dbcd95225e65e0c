"""Known facts of encyclopedia entries -> records: separators, cut values, arrays, nested objects, labels, encodings; and back."""

import csv
import io
import json
from collections.abc import Collection, Sequence
from functools import cache
from random import Random
from typing import Any

import opencc
from msgspec import Struct

from atomexam.records.item import EntityItem
from atomexam.records.provenance import Provenance, page_id
from crawlers.importers.formats import read_file
from curation.clean.facts.entries import ParsedEntry, read_entities
from tests.layouts.law import Outcome, plain

SEPARATORS = ("、", "，", "；", " ", "  ", "\n", ", ", ";", "/", "|", "\u3000", "array", "numbered", "ringed", "repr", "nested", "and")
CUTS = ("", "", "", "…", "...", "……", "[详细]", "…[详细]", "等", "。")
CHARSETS = ("utf-8", "utf-8-sig", "gb18030", "utf-16", "big5hkscs")
SHAPES = ("zh", "kg", "csv", "tsv", "triples", "triples_csv", "medicine")
_NAMES = (
    "流行性感冒",
    "慢性胃炎",
    "肺结核",
    "获得性免疫缺陷综合征",
    "带状疱疹",
    "支气管哮喘",
    "缺铁性贫血",
    "急性阑尾炎",
    "偏头痛",
    "骨关节炎",
)
_MEDICINES = ("阿莫西林胶囊", "布洛芬缓释片", "维生素B12片", "盐酸左氧氟沙星片", "复方甘草片")
_TAILS = {
    "disease_symptom": (
        "头痛",
        "持续发热",
        "咽喉肿痛",
        "皮疹",
        "肌肉酸痛",
        "夜间盗汗",
        "视力模糊",
        "心律失常",
        "下肢水肿",
        "反复呕吐",
        "T波改变",
        "胸部闷胀",
    ),
    "disease_department": ("皮肤科", "传染科", "内科", "呼吸内科", "骨科", "儿科", "神经内科", "中医科"),
    "disease_examination": (
        "血常规",
        "颅脑MRI检查",
        "胸部CT检查",
        "肝功能检查",
        "颅脑超声检查",
        "尿常规",
        "心电图",
        "C反应蛋白",
        "HBsAg检测",
    ),
    "disease_complication": ("脑膜炎", "肺炎", "心力衰竭", "败血症", "中耳炎", "肾功能衰竭", "缺铁性贫血"),
    "disease_method": ("药物治疗", "手术治疗", "物理治疗", "心理治疗", "康复训练", "支持治疗"),
    "disease_medicine": ("维生素B12片", "维生素B1片", "阿奇霉素分散片", "布洛芬缓释胶囊", "氨苄西林胶囊", "复方甘草片", "0.9%氯化钠注射液"),
    "western_medicine_side_effect": ("恶心", "呕吐", "皮疹", "头晕", "腹泻", "肝功能异常"),
}
_LABELS = {
    "disease_symptom": ("典型症状", "常见症状", "症状", "symptom"),
    "disease_department": ("挂号的科室", "就诊科室", "科室", "cure_department"),
    "disease_examination": ("临床检查", "检查项目", "需做检查", "check"),
    "disease_complication": ("并发症", "引发疾病", "并发症", "acompany"),
    "disease_method": ("治疗方法", "治疗方式", "治疗方法", "cure_way"),
    "disease_medicine": ("常用药物", "常用药品", "常用药物", "common_drug"),
    "western_medicine_side_effect": ("不良反应",) * 4,
}


@cache
def _traditional() -> opencc.OpenCC:
    """Return the converter, which reads its dictionaries once."""
    return opencc.OpenCC("s2t")


class Known(Struct, frozen=True):
    """One fact as it must be read."""

    head: str
    relation: str
    tail: str


class Form(Struct, frozen=True, kw_only=True):
    """How entries are written."""

    shape: str
    separator: str
    cut: str
    charset: str
    label: int
    decorated: bool
    """Labels stand in 【】 or have a colon."""
    cut_name: bool


class Records(Struct, frozen=True):
    """Known facts, and one file that holds them."""

    facts: tuple[Known, ...]
    cut: frozenset[Known]
    """Facts whose tail is cut in the file: none of them has to be read, and their whole tail may be restored."""
    name: str
    body: bytes
    format_name: str
    features: dict[str, Any]
    text: str

    def outcomes(self) -> list[Outcome]:
        """Return what became of each fact, and of each that was read and never written."""
        seen = Provenance(
            source="layouts", url=f"file:{self.name}", snapshot="2026-01-01", page_id=page_id(self.name, self.body), position=""
        )
        try:
            reading = read_file(self.name, self.body, self.format_name, seen)
        except ValueError as error:
            return [Outcome("refused", str(error)[:80])] * len(self.facts)
        items = [item for item in reading.items if isinstance(item, EntityItem)]
        lost = "".join(item.stem_raw or "" for item in reading.items if not isinstance(item, EntityItem))
        return _judged(self.facts, self.cut, read_entities(items), lost)


def form(rng: Random) -> Form:
    """Draw how entries are written."""
    shape = rng.choice(SHAPES)
    return Form(
        shape=shape,
        separator=rng.choice(SEPARATORS),
        cut=rng.choice(CUTS),
        charset=rng.choice(CHARSETS),
        label=rng.randrange(3),
        decorated=rng.random() < 0.2,
        cut_name=rng.random() < 0.05,
    )


def records_case(rng: Random) -> Records:
    """Return entries as a file of records."""
    how = form(rng)
    facts: list[Known] = []
    cut: set[Known] = set()
    entries: list[tuple[str, dict[str, Any]]] = []
    relations = ["western_medicine_side_effect"] if how.shape == "medicine" else [name for name in _TAILS if not name.startswith("western")]
    for name in rng.sample(_MEDICINES if how.shape == "medicine" else _NAMES, rng.choice((1, 2, 3))):
        shown = name[:-2] + "..." if how.cut_name else name
        labelled: dict[str, Any] = {}
        for relation in sorted(rng.sample(relations, min(len(relations), rng.choice((2, 3, 1))))):
            tails = rng.sample(_TAILS[relation], rng.choice((3, 2, 1, 4)))
            value, whole = _value(tails, how)
            labelled[_label(relation, how)] = value
            facts += [] if how.cut_name else [Known(name, relation, tail) for tail in whole]
            cut |= {Known(name, relation, tail) for tail in tails if tail not in whole}
        entries.append((shown, labelled))
    name, format_name, text = _file(entries, how)
    if how.charset == "big5hkscs":
        text = _traditional().convert(text)
    body = text.encode(how.charset, "replace")
    features = {"shape": how.shape, "separator": how.separator, "cut": how.cut, "charset": how.charset, "decorated": how.decorated}
    return Records(tuple(facts), frozenset(cut), name, body, format_name, features | {"cut_name": how.cut_name}, text)


def _value(tails: list[str], how: Form) -> tuple[Any, list[str]]:
    """Return a value as it is written, and the tails that are whole in it."""
    separator = how.separator
    cut = how.cut if len(tails) > 1 else ""
    whole = tails
    if "…" in cut or "." in cut or cut == "[详细]":
        whole = tails[:-1]
        tails = [*whole, tails[-1][: max(2, len(tails[-1]) - 2)]]
    if separator in ("array", "nested", "repr"):
        texts = [*tails[:-1], tails[-1] + ("" if cut in ("等", "。") else cut)]
        return ({"常见": texts} if separator == "nested" else str(texts) if separator == "repr" else texts), whole
    if separator == "numbered":
        text = " ".join(f"{number}、{tail}" for number, tail in enumerate(tails, 1))
    elif separator == "ringed":
        text = "".join(f"{chr(0x2460 + place)}{tail}" for place, tail in enumerate(tails))
    elif separator == "and":
        text = "、".join(tails[:-1]) + ("和" if len(tails) > 1 else "") + tails[-1]
    else:
        text = separator.join(tails)
    return text + cut, whole


def _label(relation: str, how: Form) -> str:
    label = _LABELS[relation][3 if how.shape == "kg" else how.label]
    if how.shape == "zh" and "疾病" not in label:
        label = _LABELS[relation][0]
    return f"【{label}】" if how.decorated and how.shape == "triples" else label


def _file(entries: Sequence[tuple[str, dict[str, Any]]], how: Form) -> tuple[str, str, str]:
    """Return name, format and text of a file."""
    if how.shape in ("triples", "triples_csv"):
        rows = [(name, label, _flat(value)) for name, labelled in entries for label, value in labelled.items()]
        if how.shape == "triples_csv":
            return "file.csv", "triples", _csv([("head", "relation", "tail"), *rows], ",")
        lines = [json.dumps(dict(zip(("head", "relation", "tail"), row, strict=True)), ensure_ascii=False) for row in rows]
        return "file.jsonl", "triples", "\n".join(lines)
    if how.shape in ("csv", "tsv"):
        labels = list(dict.fromkeys(label for _, labelled in entries for label in labelled))
        rows = [(name, *(_flat(labelled.get(label, "")) for label in labels)) for name, labelled in entries]
        separator = "," if how.shape == "csv" else "\t"
        return f"file.{how.shape}", "diseases_39net", _csv([("name", *labels), *rows], separator)
    extra = {"药品类型": "西药", "适应证": "用于感染"} if how.shape == "medicine" else {}
    records = [{"name": name, **extra, **labelled} for name, labelled in entries]
    text = json.dumps(records, ensure_ascii=False, indent=1)
    return "file.json", {"kg": "diseases_kg", "medicine": "medicines"}.get(how.shape, "diseases_39net"), text


def _flat(value: Any) -> str:
    return str(value) if isinstance(value, list | dict) else value


def _csv(rows: Sequence[Sequence[str]], separator: str) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=separator).writerows(rows)
    return file.getvalue()


def _judged(facts: Sequence[Known], cut: Collection[Known], readings: Sequence[ParsedEntry], lost: str) -> list[Outcome]:
    got = {(fact.head, fact.relation, plain(fact.tail)) for reading in readings for fact in reading.facts}
    refused = plain("".join([lost, *(json.dumps(one.record, ensure_ascii=False) for reading in readings for one in reading.rejected)]))
    kept = plain("".join(passage.text for reading in readings for passage in reading.passages))
    unmapped = any(reading.unmapped for reading in readings)
    outcomes = []
    for fact in facts:
        if (fact.head, fact.relation, plain(fact.tail)) in got:
            outcomes.append(Outcome("equal"))
        elif plain(fact.tail) in refused:
            outcomes.append(Outcome("rejected"))
        elif plain(fact.tail) in kept or unmapped:
            outcomes.append(Outcome("unread", "unmapped" if unmapped else "passage"))
        else:
            outcomes.append(Outcome("silent", "missing", str(fact)))
    known = {(fact.head, fact.relation, plain(fact.tail)) for fact in (*facts, *cut)}
    return outcomes + [Outcome("silent", "invented", f"{head} {relation} {tail}") for head, relation, tail in sorted(got - known)]
