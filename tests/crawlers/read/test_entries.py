"""Entries in the forms found in the wild: under headings and labels, in lists of title and text, as graphs, one fact per row."""

import json
import re
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from docx import Document
from openpyxl import Workbook

from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from crawlers.read.entries.lines import records_of_lines
from crawlers.read.files import FileResult, read_steps
from crawlers.read.proposed import proposed_layout
from crawlers.read.tables.records.entities import kind_words
from crawlers.read.vocabulary.remarks import is_remark
from curation.clean.__main__ import clean
from tests.crawlers.read.bodies import book_of

PLACE = Provenance(source="test", url="file:test", snapshot="2026-01-01", page_id="page-0", position="")


def result_of(name: str, body: bytes) -> FileResult:
    [result] = [step for step in read_steps(name, body, None, PLACE) if isinstance(step, FileResult)]
    return result


def entries_of(name: str, body: bytes) -> list[tuple[str | None, str | None, dict[str, str]]]:
    items = result_of(name, body).reading.items
    assert all(isinstance(item, EntityItem) for item in items), items
    return [
        (item.entity_type, item.name_raw, {each.label: each.value for each in item.values})
        for item in items
        if isinstance(item, EntityItem)
    ]


def facts_of(items: list[Item]) -> set[tuple[str, str, str]]:
    facts = clean([("test", items)], Clean(min_stem_chars=2, min_chinese_share=0.3)).facts
    return {(fact.relation, fact.head, fact.tail) for fact in facts}


HERBS = [("黄芪", "补气升阳、固表止汗"), ("当归", "补血活血、调经止痛"), ("茯苓", "利水渗湿、健脾")]
DISEASES = [("肺结核", ["咳嗽", "咯血", "盗汗"]), ("胃溃疡", ["上腹痛", "反酸"]), ("阑尾炎", ["恶心", "右下腹痛"])]
HERB_ENTRIES = [("medicine", name, effects.split("、")) for name, effects in HERBS]
DISEASE_ENTRIES = [("disease", name, symptoms) for name, symptoms in DISEASES]


def _word(style: bool) -> bytes:
    document = Document()
    for name, symptoms in DISEASES:
        document.add_heading(name, 1) if style else document.add_paragraph(name)
        if style:
            document.add_heading("症状", 2)
            for symptom in symptoms:
                document.add_paragraph(symptom, style="List Bullet")
            document.add_heading("治疗方法", 2)
            document.add_paragraph("药物治疗")
        else:
            table = document.add_table(rows=0, cols=2)
            for cells in (("症状", "、".join(symptoms)), ("治疗方法", "药物治疗")):
                for cell, text in zip(table.add_row().cells, cells, strict=True):
                    cell.text = text
    document.save(file := BytesIO())
    return file.getvalue()


def _merged() -> bytes:
    book = Workbook()
    book.active.append(["病名", "症状"])
    for name, symptoms in DISEASES:
        for at, symptom in enumerate(symptoms):
            book.active.append([None if at else name, symptom])
    book.save(file := BytesIO())
    return file.getvalue()


def _herbs(form: str, between: str = "\n") -> str:
    return between.join(form.format(name=name, effects=effects, at=at) for at, (name, effects) in enumerate(HERBS, 1))


def _diseases(form: str, between: str = "\n") -> str:
    return between.join(form.format(name=name, symptoms="、".join(some), at=at) for at, (name, some) in enumerate(DISEASES, 1))


def _graph() -> str:
    nodes = [*dict.fromkeys(each for edge in EDGES for each in edge)]
    links = [{"source": nodes.index(start), "target": nodes.index(end), "type": "edge", "relation": "HAS_SYMPTOM"} for start, end in EDGES]
    return json.dumps({"nodes": [{"id": at, "name": name} for at, name in enumerate(nodes)], "links": links})


def _exported() -> str:
    """Return a graph as Neo4j exports it: one node or relationship per line, relationships with the ids of their ends."""
    nodes = [*dict.fromkeys(each for edge in EDGES for each in edge)]
    lines = [{"type": "node", "id": str(at), "labels": ["X"], "properties": {"name": name}} for at, name in enumerate(nodes)]
    ends = [{side: {"id": str(nodes.index(name))} for side, name in zip(("start", "end"), edge, strict=True)} for edge in EDGES]
    return "\n".join(map(json.dumps, [*lines, *({"type": "relationship", "label": "HAS_SYMPTOM", **each} for each in ends)]))


def _paths() -> str:
    nodes = [*dict.fromkeys(each for edge in EDGES for each in edge)]
    ends = [[{"identity": nodes.index(name), "labels": ["X"], "properties": {"名称": name}} for name in edge] for edge in EDGES]
    return json.dumps([{"n": n, "r": {"start": n["identity"], "end": m["identity"], "type": "有症状"}, "m": m} for n, m in ends])


def _pages(form: str) -> str:
    about = {"id": 0, "url": "x", "title": "关于本站", "text": "本站内容仅供参考。\n联系：某某某"}
    texts = {name: form.format(name=name, symptoms="、".join(some)) for name, some in DISEASES}
    return json.dumps([about] + [{"id": 1, "url": "x", "title": name, "text": text} for name, text in texts.items()])


def _pairs(name: str, effects: str) -> dict[str, Any]:
    texts = {"药品名称": f"通用名称：{name}", "归经": "脾经", "功效": effects}
    return {"id": 1, "content": [{"title": title, "des": [text]} for title, text in texts.items()]}


EDGES = [(name, symptom) for name, symptoms in DISEASES for symptom in symptoms]
OF_HERBS: dict[str, str | bytes] = {
    "headings.md": "# 中药\n" + _herbs("## {at}. {name}\n- **功效**：{effects}\n- **性味**：甘，温"),
    "bold.md": _herbs("**{name}**\n\n功效：{effects}\n\n归经：脾经", "\n\n"),
    "table.md": "| 药材 | 功效 |\n|---|---|\n" + _herbs("| {name} | {effects} |"),
    "latin.txt": _herbs("{name}\nHuangqi\n本品为根。\n【性味】甘，温。\n【功效】{effects}\n【贮藏】置干燥处。"),
    "named.txt": _herbs("【中药名】{name}\n【归经】脾经\n【功效】{effects}", "\n\n"),
    "facts.csv": "实体,属性,值\n"
    + "\n".join(f"{name},功效,{each}\n{name},归经,脾经" for name, effects in HERBS for each in effects.split("、")),
    "pairs.json": json.dumps([_pairs(*herb) for herb in HERBS]),
    "sourced.txt": _herbs("{at}、{name}　《本经》\n功效：{effects}\n归经：脾经"),
    "titled.txt": _herbs("{name}说明书\n请仔细阅读说明书并按说明使用\n【药品名称】\n{name}\n【归经】脾经\n【功效】{effects}"),
    "warned.txt": _herbs(
        "核准日期：2011年\n{name}使用说明书\n警示语：慎用\n【通用名】{name}\n【归经】脾经\n【功效】{effects}", "\n-----\n"
    ),
    "several.txt": _herbs("通用名称：{name} 英文名称：Some Herb\n归经：脾经\n功效：{effects}"),
    "parted.txt": _herbs("第{at}类\n{name}\n归经：脾经\n功效：{effects}", "\n=====\n"),
    "underlined.txt": _herbs("{name}\n-----\n归经：脾经\n功效：{effects}"),
    "books.md": _herbs("## {name} Some Herb（《某书》）\n**归经**：脾经\n\n**功效**：{effects}\n"),
    "listed.html": _herbs("<h2>{name}</h2><dl><dt>归经</dt><dd>脾经</dd><dt>功效</dt><dd>{effects}</dd></dl><p><a>查看详情&gt;&gt;</a></p>")
    + "<footer><p>某路1号</p></footer>",
    "gaps.txt": "1．黄芪\n别名：绵芪\n用法：煎服，每次九至三十克。\n功效：补气升阳、固表止汗\n第二章　补血药\n2．当归\n"
    "用法：煎服，每次六至十二克。\n功效：补血活血、调经止痛\n"
    "3．茯苓\n别名：云苓、白茯苓、茯菟\n用法：煎服，每次十至十五克。\n功效：利水渗湿、健脾",
    "elements.xml": "<Store by='某某'>"
    + _herbs("<Herb no='{at}'><GenericName>{name}</GenericName><Efficacy>{effects}</Efficacy></Herb>")
    + "</Store>",
    "items.xml": "<Store>"
    + "".join(
        f"<Herb><Name>{name}</Name><Nature/><Effects><Item>{effects.replace('、', '</Item><Item>')}</Item></Effects></Herb>"
        for name, effects in HERBS
    )
    + "</Store>",
    "aliased.txt": _herbs("{name}\n功效：{effects}\n归经：脾经").replace("黄芪\n", "黄芪\n别名：\n绵芪\n", 1),
    "edited.md": _herbs("## {name}\n功效：{effects}\n归经：脾经").replace("\n## 当归", "\n编辑：\n\n## 当归"),
    "cited.txt": _herbs("{name}\n功效：{effects}\n归经：脾经").replace("\n当归", "\n参考文献：\n\n当归"),
    "bracketed.txt": _herbs("('{name}', '功效', '{effects}'),\n('{name}', '归经', '脾经'),"),
    "keys.json": json.dumps([{"herbName": name, "attributes": {"mainEfficacy": effects, "归经": "脾经"}} for name, effects in HERBS]),
}
OF_DISEASES: dict[str, str | bytes] = {
    "chapters.txt": "要点\n" + _diseases("第{at}节 {name}\n一、临床表现\n{symptoms}。\n二、治疗\n药物治疗。"),
    "headings.html": _diseases("<h2>{name}</h2><p><b>症状：</b>{symptoms}</p><p>治疗：药物治疗</p>") + "<p>版权所有</p>",
    "boxes.html": _diseases("<h3>{name}</h3><table><tr><th>症状</th><td>{symptoms}</td></tr><tr><th>病因</th><td>感染</td></tr></table>"),
    "headings.docx": _word(style=True),
    "tables.docx": _word(style=False),
    "merged.xlsx": _merged(),
    "rows.csv": "疾病,症状\n" + "\n".join(f"{name},{symptom}" for name, symptom in EDGES),
    "graph.json": _graph(),
    "exported.json": _exported(),
    "paths.json": _paths(),
    "ends.csv": "h,r,t\n" + "\n".join(f"{name},has_symptom,{symptom}" for name, symptom in EDGES),
    "facts.tsv": "entity\tattribute\tvalue\n" + "\n".join(f"{name}\t伴有症状\t{symptom}\n{name}\t科室\t内科" for name, symptom in EDGES),
    "nodes.csv": "_id,name,_start,_end,_type\n" + "\n".join(f",,{name},{symptom},HAS_SYMPTOM" for name, symptom in EDGES),
    "built.csv": "病种,典型临床表现信息,治疗方式说明\n" + _diseases("{name},{symptoms},药物治疗"),
    "values.md": _diseases("## {name}\n症状：{symptoms}").replace("肺结核\n", "肺结核\n治疗方法：\n- 异烟肼\n- 利福平\n"),
    "checked.csv": "作者,病名,症状,治疗方法\n" + _diseases("李明 审核,{name},{symptoms},药物治疗"),
    "numbered.csv": "科室,编号,病名,症状\n" + _diseases("李主任医师,共{at}种,{name},{symptoms}"),
    "sourced.json": json.dumps([{"来源": "出处：《内科学》", "病名": name, "症状": some} for name, some in DISEASES]),
    "fields.json": json.dumps(
        {
            "nodes": [{"id": at, "name": name, "症状": some[0]} for at, (name, some) in enumerate(DISEASES)],
            "edges": [{"source": at, "target": each, "relation": "症状"} for at, (_, some) in enumerate(DISEASES) for each in some[1:]],
            "categories": ["疾病", "症状", "药物"],
        }
    ),
    "bare.md": "| 病种 | 症状描述 |\n|---|---|\n" + _diseases("| {name} | {symptoms} |"),
    "drawn.txt": "手册\n简介：常见的病。\n" + _diseases("{name}\n症状：{symptoms}\n<!-- 审核：\n某某 -->\n======\n"),
    "pages.json": _pages("{name}是一种常见病。\n症状：{symptoms}。\n治疗：药物治疗"),
    "articles.json": _pages("{name}是一种常见病。\n\n【症状】\n{symptoms}\n\n【治疗】\n药物治疗"),
    "parts.json": _pages("{name}是常见的疾病，应及早就诊。\n症状：\n{symptoms}\n照护：休息\n治疗：\n药物治疗，或者手术治疗\n编辑：某某"),
}
FORMS = {name: (body, HERB_ENTRIES) for name, body in OF_HERBS.items()}
FORMS |= {name: (body, DISEASE_ENTRIES) for name, body in OF_DISEASES.items()}


@pytest.mark.parametrize("name", FORMS)
def test_entries_are_read_in_any_form(name: str) -> None:
    content, expected = FORMS[name]
    body = content if isinstance(content, bytes) else content.encode()
    result = result_of(name, body)
    assert result.account.difference == 0 and result.account.unread_share < 0.15
    found = [(kind, head, values.get("功效") or values.get("症状") or "") for kind, head, values in entries_of(name, body)]
    assert [(kind, head, re.split("[、\n]", text.strip("。"))) for kind, head, text in found] == expected


REMARKS = ("注：仅供参考", "审核者：某某", "数据来源：某书第3版", "合计", "以上内容仅供参考", "王明 主任医师")


@pytest.mark.parametrize("name", ["a.csv", "a.md", "a.txt"])
def test_text_below_entries_is_not_an_entry(name: str) -> None:
    if name == "a.csv":
        text = (
            "疾病名称,症状,科室\n" + _diseases("{name},{symptoms},内科\n", "") + "".join(f"{each},5,\n" for each in REMARKS) + "一、内科,,"
        )
    elif name == "a.md":
        text = (
            "# 一览\n| 疾病 | 症状 |\n|---|---|\n"
            + _diseases("| {name} | {symptoms} |\n", "")
            + "".join(f"| {each} | |\n" for each in REMARKS)
        )
    else:
        text = _diseases("{name}\n症状：{symptoms}") + "\n" + "\n".join([*REMARKS, "作者：", "李小红"])
    result = result_of(name, text.encode())
    found = [(item.name_raw, [each.value for each in item.values][:1]) for item in result.reading.items if isinstance(item, EntityItem)]
    assert found == [(name, ["、".join(symptoms)]) for name, symptoms in DISEASES] and not result.reading.misfits
    assert result.account.unread_share < 0.15


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ("菠菜粥,滋阴润燥\n鲫鱼汤,健脾利湿\n苦瓜煎蛋,清热解毒\n芹菜炒肉,平肝清热", "food"),
        ("桂枝汤,解肌发表\n逍遥散,疏肝解郁\n六味地黄丸,滋阴补肾\n四物汤,补血调血", "medicine"),
        ("黄芪,补气升阳\n当归,补血活血\n茯苓,利水渗湿\n山药,健脾补肺", "medicine"),
    ],
)
def test_distinguishes_foods_and_medicines_by_name(rows: str, kind: str) -> None:
    assert {entry[0] for entry in entries_of("list.csv", f"名称,功效\n{rows}".encode("gb18030"))} == {kind}


MIXED = [("food", "苦瓜"), ("food", "莲藕"), ("disease", "胃溃疡"), ("disease", "阑尾炎"), ("symptom", "胸闷"), ("symptom", "腹胀")]
NOTES = """---
author: 某某某
---
# 饮食

## 苦瓜

* **性味:** 苦，寒
* **功效:** 清热 / 明目
* **适合人群:** 上火者
* **参考价:** 某某元

## 莲藕

- **性味**：甘，平
- **功效**：健脾 / 生津

（待补充）

# 常见病

## 胃溃疡

- **症状**: 上腹痛；反酸
- **病因**: 感染
- **挂什么科**: 消化内科

## 阑尾炎

- **症状**: 右下腹痛；恶心
- **治疗**: 手术

# 症状

## 胸闷

- **常见原因**: 心肌缺血
- **就诊科室**: 心内科

## 腹胀

- **常见原因**: 消化不良
- **就诊科室**: 消化内科

# 更新

- 2024-01-01 新建
"""
FACTS = """实体,关系,值,标注人
胃溃疡,症状,反酸,某某
莲藕,功效,健脾,某某
葛根,主治,头痛,某某
胃溃疡,病因,感染,某某
苦瓜,适宜人群,上火者,某某
苦瓜,功效,清热,某某
葛根,功效,解肌退热,某某
莲藕,适宜人群,体虚者,某某
阑尾炎,症状,恶心,某某
阑尾炎,治疗方法,手术,某某
"""


def _typed_graph() -> str:
    nodes = [
        {"id": "a1", "label": "Disease", "name": "胃溃疡", "properties": {"cause": "感染", "alias": ["消化性溃疡"], "editor": "某某"}},
        {"id": "a2", "label": "Symptom", "name": "反酸", "properties": {}},
        {"id": "a3", "label": "Symptom", "name": "上腹痛", "properties": {}},
        {"id": "a4", "label": "Disease", "name": "阑尾炎", "properties": {"cause": "", "prevent": "注意卫生"}},
        {
            "id": "a5",
            "label": "Drug",
            "name": "雷尼替丁片",
            "properties": {"适应症": "用于胃溃疡。", "不良反应": "恶心、皮疹", "厂家": "某厂"},
        },
        {"id": "a6", "label": "Drug", "name": "铝碳酸镁片", "properties": {"适应症": "用于胃炎。", "不良反应": "便秘"}},
    ]
    edges = [("a4", "a3", "HAS_SYMPTOM"), ("a1", "a2", "HAS_SYMPTOM"), ("a1", "a3", "HAS_SYMPTOM"), ("a1", "a5", "COMMON_DRUG")]
    links = [{"source": start, "target": end, "type": kind, "props": {}, "id": kind} for start, end, kind in edges]
    return json.dumps({"meta": {"author": "某某", "count": 6}, "nodes": nodes, "edges": links})


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("notes.md", NOTES, MIXED),
        ("facts.csv", FACTS, [MIXED[2], MIXED[1], ("medicine", "葛根"), MIXED[0], MIXED[3]]),
        ("graph.json", _typed_graph(), [MIXED[3], MIXED[2], ("medicine", "雷尼替丁片"), ("medicine", "铝碳酸镁片")]),
    ],
)
def test_distinguishes_entries_of_several_kinds(name: str, text: str, expected: list[tuple[str, str]]) -> None:
    result = result_of(name, text.encode())
    items = [item for item in result.reading.items if isinstance(item, EntityItem)]
    assert sorted((item.entity_type, item.name_raw) for item in items) == sorted(expected)
    said = [each for item in items for each in item.values if each.label != "参考价"]
    assert not any("某某" in each.value or "待补充" in each.value for each in said)
    assert result.account.difference == 0


def test_strips_the_number_of_a_value() -> None:
    said = {name: [{"id": 7, "name": symptoms[0]}, {"sign_id": 8, "sign": symptoms[1]}] for name, symptoms in DISEASES}
    text = json.dumps([{"name": name, "symptoms": values} for name, values in said.items()])
    assert [values["症状"] for _, _, values in entries_of("a.json", text.encode())] == ["、".join(symptoms[:2]) for _, symptoms in DISEASES]


def test_keeps_text_after_a_name() -> None:
    for text in (
        "{name} Some Herb（《某书》）\n功效：{effects}\n归经：脾经",
        "【药名】{name}（《某书》）\nSome Herb\n【功效】{effects}\n【归经】脾经",
    ):
        assert {(each["外文名"], each["出处"]) for _, _, each in entries_of("a.txt", _herbs(text).encode())} == {("Some Herb", "《某书》")}


def test_keeps_labels_of_other_meaning() -> None:
    labels = ["性状", "规格", "来源", "鉴别", "汉语拼音", "商品名", "性味归经"]
    text = _herbs("{name}\n功效：{effects}\n" + "\n".join(f"{label}：某某" for label in [*labels, "使用注意", "用量用法"]))
    assert [*entries_of("a.txt", text.encode())[0][2]] == ["功效", *labels, "注意事项", "用法用量"]
    books = [{"name": name, "功效": effects, "来源": "《某书》"} for name, effects in HERBS]
    assert {each["出处"] for _, _, each in entries_of("a.json", json.dumps(books).encode())} == {"《某书》"}


WITH_DIGITS = ["碳14呼气试验", "维生素B12", "EB病毒", "糖类抗原CA199", "α1-微球蛋白", "25-羟维生素D", "24小时尿蛋白", "糖类抗原15-3"]
WITH_DIGITS += ["1,25-二羟维生素D", "12导联心电图"]


@pytest.mark.parametrize(
    "form",
    [
        "## {}\n- 参考值：3.5-{}.5 U/L\n- 意义：某病",
        "{}\n参考值：3.5-{}.5 U/L\n意义：某病",
        "<h3>{}</h3><p>参考值：3-{} U/L</p><p>意义：某病</p>",
    ],
)
def test_names_may_have_digits(form: str) -> None:
    text = "\n".join(form.format(name, at) for at, name in enumerate(WITH_DIGITS, 10))
    assert [name for _, name, _ in entries_of("a.html" if "<" in form else "a.md", text.encode())] == WITH_DIGITS


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.txt", _herbs("{name}\n功效：{effects}\n专家：{name}每日九克\n药师：孕妇禁用"), {"功效", "专家", "药师"}),
        (
            "a.csv",
            "药名,功效,来源,注意事项\n" + _herbs("{name},{effects},来源：豆科,合计用量不可过大\n{name},益气,来源：豆科,说明：孕妇慎用"),
            {"功效", "来源", "注意事项"},
        ),
    ],
)
def test_a_label_or_a_value_like_a_remark_is_kept(name: str, text: str, expected: set[str]) -> None:
    result = result_of(name, text.encode())
    assert [{*values} for _, _, values in entries_of(name, text.encode())] == [expected] * len(HERBS)
    assert not result.account.furniture["remark"] and result.account.unread_share == 0


@pytest.mark.parametrize("opened", ["<!-- 某某", "<!-- 备注\n完 --> 禁忌：孕妇禁用"])
def test_a_comment_ends_where_it_is_closed(opened: str) -> None:
    text = _herbs("{name}\n功效：{effects}\n归经：脾经") + f"\n{opened}\n性味：甘，温"
    account = result_of("a.txt", text.encode()).account
    assert account.furniture["remark"] <= len("<!--备注完-->") and account.difference == account.unread_share == 0


@pytest.mark.parametrize(
    ("key", "means"),
    [
        ("检查表现", ""),
        ("并发症表现", ""),
        ("检查情况", ""),
        ("检查说明", "检查说明"),
        ("用药方法", "用法用量"),
        ("参考值名称", ""),
        ("症状表现", "症状"),
        ("治疗原则", "治疗方法"),
        ("所属科室名称", "就诊科室"),
    ],
)
def test_only_words_that_change_nothing_are_cut_from_a_key(key: str, means: str) -> None:
    assert {label for _, label, _ in kind_words(key)} == ({means} if means else set())


def test_a_row_without_a_name_is_lost_where_others_have_one() -> None:
    rows = "疾病,科室\n肺结核,呼吸内科\n,普外科\n阑尾炎,普外科\n胃溃疡,消化内科"
    result = result_of("a.csv", rows.encode())
    assert [item.values[0].value for item in result.reading.items if isinstance(item, EntityItem)] == ["呼吸内科", "普外科", "消化内科"]
    assert result.reading.misfits == 1


def test_empty_rows_and_notes_of_a_sheet_lack_no_name() -> None:
    rows = [["药名", "功效", "归经"], *([name, effects, "脾经"] for name, effects in HERBS), [], [], ["注：摘自教材"]]
    assert [name for _, name, _ in entries_of("a.xlsx", book_of(rows))] == [name for name, _ in HERBS]


@pytest.mark.parametrize("name", ["小计综合征", "合计用量"])
def test_a_name_that_begins_like_a_sum_is_none(name: str) -> None:
    assert not is_remark(name) and is_remark("合计：3") and is_remark("共计 12 例")


def test_a_label_that_recurs_thousands_of_times_takes_linear_time() -> None:
    start = process_time()
    records_of_lines([*_herbs("{name}\n功效：{effects}").split("\n"), *["备注："] * 4_000])
    assert process_time() - start < 1


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("(R)-氨氯地平{at},功效,降压(强)", "(R)-氨氯地平{at}", "降压(强)"),
        ("((R)-氨氯地平{at},功效,降压),", "(R)-氨氯地平{at}", "降压"),
        ("((氨氯地平{at},功效,降压)", "((氨氯地平{at}", "降压)"),
    ],
)
def test_removes_brackets_only_around_a_whole_line(line: str, name: str, value: str) -> None:
    lines = "\n".join(line.format(at=at) for at in range(6))
    found = {(entry, values["功效"]) for _, entry, values in entries_of("a.txt", lines.encode())}
    assert found == {(name.format(at=at), value) for at in range(6)}


def test_a_lost_entry_is_unread() -> None:
    lost = "## 某某。某某\n- PQR-XYZ\n- 功效：只此一处\n\n"
    text = lost + _herbs("## {name}\n- 功效：{effects}\n- 归经：\n\n", "\n")
    result = result_of("a.md", text.encode())
    assert [one.text for one in result.account.unread] == ["## 某某。某某", "- PQR-XYZ", "- 功效：只此一处"]
    assert len(result.reading.items) == len(HERBS) and result.account.difference == 0


def test_examinations_are_not_medicines() -> None:
    form = "  - name: {}\n    description: 常用的检查。\n    indications: [糖尿病]\n    reference_range: [{}]\n    contraindications: 孕妇"
    spans = (("血糖测定", "成年男性3.9～6.1mmol/L"), ("喉镜检查", "未见异常"), ("尿酸测定", "新生儿208～428μmol/L"))
    text = "\n".join(form.format(*each) for each in spans)
    assert {kind for kind, _, _ in entries_of("list.yaml", f"items:\n{text}".encode())} == {"examination"}


@pytest.mark.parametrize(
    "rows",
    [
        "某医院参考值一览,,,,,\n项目名称,性别,年龄,参考值,单位,审核人\n血红蛋白,男,成人,130-175,g/L,某某\n,女,成人,115-150,g/L,\n"
        ",不分,新生儿,170-200,g/L,\n血沉,女,成人,0-20,mm/h,某某\n,女,>50岁,0-30,mm/h,\n注：仅供参考,,,,,",
        "检验项目,参考值（男）,参考值（女）,单位\n血红蛋白,130-175,115-150,g/L\n血沉,0-15,0-20,mm/h\n血尿酸,208-428,155-357,μmol/L",
        "检验项目,人群,参考值,单位\n血红蛋白,男性,130-175,g/L\n血红蛋白,女性,115-150,g/L\n血沉,男性,0-15,mm/h\n血沉,女性,0-20,mm/h",
    ],
)
def test_ranges_keep_their_groups(rows: str) -> None:
    items = result_of("list.csv", rows.encode()).reading.items
    ranges = {("examination_range", "血红蛋白（男性）", "130-175g/L"), ("examination_range", "血沉（女性）", "0-20mm/h")}
    facts = {(relation, re.sub("成人|成年", "", head), tail) for relation, head, tail in facts_of(items)}
    assert ranges <= facts and ("examination_range", "血沉", "0-30mm/h") not in facts


def test_ranges_that_are_not_references_have_no_group() -> None:
    levels = [{"level": "正常", "min": 3.9, "max": 6.1}, {"level": "糖尿病", "min": 7, "max": 30}]
    rows = [{"检验项目": name, "参考值": levels, "单位": "mmol/L"} for name in ("空腹血糖", "餐后血糖", "随机血糖")]
    with suppress(ValueError):
        assert "7" not in str(facts_of(result_of("a.json", json.dumps(rows, ensure_ascii=False).encode()).reading.items))


def test_each_list_of_a_document_has_its_own_kind() -> None:
    ills = [{"name": name, "symptom": "咳嗽、发热", "department": "内科"} for name in ("肺炎", "感冒", "支气管炎", "哮喘")]
    drugs = [
        {"name": name, "indications": "用于感冒引起的发热", "adverse_reactions": "恶心"} for name in ("布洛芬片", "阿司匹林片", "氨溴索片")
    ]
    items = result_of("a.json", json.dumps({"diseases": ills, "drugs": drugs}, ensure_ascii=False).encode()).reading.items
    assert [item.entity_type for item in items] == ["disease"] * 4 + ["medicine"] * 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.txt", "会议记录\n时间：周一\n地点：会议室\n内容：讨论预算"),
        ("prices.csv", "名称,价格\n苹果,5\n香蕉,3\n梨,4"),
        ("post.md", "# 我的检查\n## 检查\n做了血常规。\n## 感想\n还好。"),
        ("patients.csv", "姓名,症状,检查,用药\n王明,头痛、发热,血常规,布洛芬\n李小红,咳嗽、咳痰,胸片,氨溴索\n张伟,腹泻,便常规,蒙脱石散"),
        ("doctors.csv", "医生,科室,擅长,治疗\n王明,内科,高血压,药物治疗\n李小红,外科,阑尾炎,手术治疗\n张伟,儿科,肺炎,药物治疗"),
        ("staff.json", '[{"title": "内科", "text": "张医生"}, {"title": "外科", "text": "李医生"}]'),
    ],
)
def test_texts_without_descriptions_give_no_entries(name: str, text: str) -> None:
    with suppress(ValueError):
        assert not result_of(name, text.encode()).reading.items


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_a_layout_of_entries_is_proposed_by_their_values(name: str) -> None:
    rows = [{"xm": herb, "zl": effects} for herb, effects in HERBS]
    text = "药名,某列\n" + _herbs("{name},{effects}") if name == "a.csv" else json.dumps(rows)
    proposed = proposed_layout(name, text.encode())
    assert "confirmed: no" in proposed and re.search(r'type: "medicine"[^~]*(?:"某列"|zl): "功效"', proposed)


@pytest.fixture
def cases(real_data: Path) -> Path:
    folder = real_data.parent / "cases"
    if not folder.is_dir():
        pytest.skip("no cases beside the checkout, so none of them was tested")
    return folder


def test_cases_of_entries(cases: Path) -> None:
    def read(case: str, name: str) -> Any:
        [folder] = cases.glob(f"{case}-*")
        return entries_of(name, (folder / name).read_bytes())

    assert [(kind, name) for kind, name, _ in read("05", "foods_gbk.csv")][:2] == [("food", "菠菜粥"), ("food", "鲫鱼汤")]
    for name, count in (("u3.csv", 1), ("u4.csv", 3), ("u5.csv", 8)):
        assert [len(values["症状"].split("、")) for _, _, values in read("06", name)] == [count] * 8
    assert [name for _, name, _ in read("18", "22_leaflet.txt")] == ["示例西林胶囊", "示例洛尔片"]
    assert [name for _, name, _ in read("18", "23_pharm.txt")] == ["一枝黄花", "丁香"]
    assert [name for _, name, _ in read("18", "24_disease.md") + read("18", "25_dl.html")] == ["示例性胃病", "慢性胃炎"]


def test_names_of_people_give_no_facts(cases: Path) -> None:
    [path] = cases.glob("07-*/*.json")
    assert {relation for relation, _, _ in facts_of(result_of(path.name, path.read_bytes()).reading.items)} == {
        "disease_examination",
        "disease_department",
    }


def test_terms_with_explanations_are_open_ended_questions(cases: Path) -> None:
    [path] = cases.glob("19-*/*.xlsx")
    items = [item for item in result_of(path.name, path.read_bytes()).reading.items if isinstance(item, QuestionItem)]
    assert [(item.stem_raw, item.answer_raw) for item in items][::11] == [
        ("适应", "细胞对有害刺激产生的非损伤性应答反应"),
        ("水肿", "组织间隙液体过多"),
    ]


def test_real_files_of_entries(real_data: Path) -> None:
    found = {}
    for name in ("boke/疾病.csv", "leaflets/top1.js", "mzc/糖尿病.md"):
        entries = entries_of(Path(name).name, (real_data / "third" / name).read_bytes())
        found[name] = (len(entries), {entry[0] for entry in entries})
    assert found == {"boke/疾病.csv": (115, {"disease"}), "leaflets/top1.js": (1, {"medicine"}), "mzc/糖尿病.md": (1, {"disease"})}
