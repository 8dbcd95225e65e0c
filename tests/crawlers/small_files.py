"""Small files of every format that an importer reads, built here: name -> bytes."""

import csv
import io
import json
import re
import zipfile
from typing import Any

import opencc
import pyarrow as pa
import pyarrow.parquet as pq
from docx import Document
from openpyxl import Workbook

PAPER = (
    "心理学模拟试卷\n一、单项选择题\n1．感觉是（ ）的反映。\nA．甲 B．乙\nC．丙 D．丁\n"
    "答案：A\n2．知觉的特征是（ ）。\nA．选择性\nB．整体性\n【答案】AB\n"
    "解析：见书。\n（3-4题共用题干）患者，男，45岁，失眠三个月。\n"
    "3．诊断是（ ）。A.焦虑 B.抑郁\n4．治疗用（ ）。A.针灸 B.休息\n二、判断题\n5．气质有好坏之分。（×）\n"
    "三、简答题\n6．什么是记忆？\n参考答案\n3-4 AB\n6．记忆是经验的反映。\n"
)
_QUESTION = {"question": "感觉是（ ）", "answer": "A"}
_OPTIONS = {"A": "甲", "B": "乙", "C": "丙", "D": "丁"}
_PARTS = [
    {"sub_question": "1).诊断是\nA:甲\nB:乙", "answer": "A", "analysis": "略"},
    {"sub_question": "2).治疗是\nA:丙\nB:丁", "answer": "B"},
]
_CASE = [{"question": "诊断？", "answer": "感冒"}, {"question": "治疗？", "solution": "休息"}]
_LABELLED = [{"label": "A", "text": "甲"}, {"label": "B", "text": "乙"}]
RECORDS: dict[str, Any] = {
    "cpsyexam": [{"subject_name": "心理学", "question_type": "single", "question": "感觉是", "options": _OPTIONS, "answer": "AB", "id": 1}],
    "tcmbench": {
        "type": "CVR",
        "example": [
            {"index": 0, "share_content": "患者，男。", "question": _PARTS},
            {"question": "感觉是\nA:甲\nB:乙", "answer": ["B"], "analysis": "略"},
        ],
    },
    "cmb": [
        {"id": "1", "exam_type": "医师考试", "exam_subject": "内科", "question_type": "多项选择题", "option": _OPTIONS, **_QUESTION},
        {"title": "病例", "description": "患者，女。", "QA_pairs": _CASE},
    ],
    "ceval": [{"id": 0, **_QUESTION, **_OPTIONS, "explanation": "略"}],
    "cmmlu": [{"column 1": 0, "Question": "感觉是", **_OPTIONS, "Answer": "A"}],
    "adoremai": {
        "sections": [
            {
                "chapter": "绪论",
                "questions": [{"index": 1, "type": "single", "content": "感觉是", "options": _LABELLED, "answer": "A"}],
            }
        ]
    },
    "zjzx": {"questions": [{"no": 1, "paper": "卷一", "type": "单选", "question": "感觉是", "options": ["A.甲", "B.乙"], "answer": "A"}]},
    "doublebean": {
        "single": [{"question": "感觉是", "options": ["甲", "乙"], "correct": 1}],
        "judge": [{"question": "对吗", "options": [], "correct": 0}],
    },
    "diseases_39net": [{"name": "感冒", "别名": "伤风", "典型症状": ["咳嗽", "发热"], "临床检查": "血常规", "挂号的科室": "内科"}],
    "diseases_120ask": {
        "分类名称": "内科",
        "疾病类别": [{"疾病名称": "感冒", "url": "https://toy/1", "科室": "内科", "症状": "咳嗽、发热"}],
    },
    "triples": [{"head": "感冒", "relation": "症状", "tail": "咳嗽"}],
    "diseases_xywy": [
        {"name": "感冒", "alias": "伤风", "department": "呼吸内科 内科", "symptom": "咳嗽 发热[详细]"}
        | {"complication": "肺炎", "checklist": "血常规"}
    ],
    "diseases_kg": [
        {"_id": {"$oid": "5"}, "name": "感冒", "symptom": ["咳嗽"], "cure_department": ["内科"], "desc": "常见病。", "cause": "病毒。"}
    ],
    "medicines": [
        {
            "name": "某某片",
            "别名": "某片",
            "适应证": "感冒",
            "用法用量": "口服，一次1片。",
            "注意事项": ["忌烟", "忌酒"],
            "药品类型": "中药",
        }
    ],
    "examinations": [
        {"name": "肝功能", "another_name": "肝检", "has_item": ["转氨酶"], "desc": "查肝。", "low/negative": "低", "high/positive": "高"}
    ],
    "table": [{"题干": "感觉是", "选项A": "甲", "选项B": "乙", "答案": "A", "解析": "略", "章节": "一"}],
}
"""Records of each layout; those of `table` are told by their keys."""
EXCHANGED = {
    "moodle_xml": """<?xml version="1.0" encoding="UTF-8"?>
<quiz>
<question type="category"><category><text>$course$/top/心理学/感觉</text></category></question>
<question type="description"><questiontext format="html"><text>请读下文。</text></questiontext></question>
<question type="multichoice"><name><text>一</text></name>
<questiontext format="html"><text><![CDATA[<p>12×10<sup>9</sup>/L 是（ ）。<img src="a.png"></p>]]></text></questiontext>
<generalfeedback format="html"><text>见书。</text></generalfeedback><single>true</single>
<answer fraction="0"><text>甲</text><feedback><text>不对</text></feedback></answer>
<answer fraction="100"><text>&lt;b&gt;乙&lt;/b&gt;</text></answer>
</question>
<question type="multichoice"><questiontext format="plain_text"><text>a &lt; b 是（ ）。</text></questiontext>
<single>false</single>
<answer fraction="50"><text>甲</text></answer><answer fraction="-100"><text>乙</text></answer>
<answer fraction="50"><text>丙</text></answer></question>
<question type="truefalse"><questiontext format="html"><text>气质有好坏之分。</text></questiontext>
<answer fraction="0"><text>true</text></answer><answer fraction="100"><text>false</text></answer></question>
<question type="shortanswer"><questiontext format="html"><text>____是记忆。</text></questiontext>
<answer fraction="100"><text>甲</text></answer><answer fraction="100"><text>乙</text></answer></question>
<question type="essay"><questiontext format="html"><text>什么是记忆？</text></questiontext>
<graderinfo format="html"><text>经验的反映。</text></graderinfo></question>
</quiz>
"""
}
"""Files of question banks in XML, by their formats."""
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]+Z")
_ROWS = [["心理学试题", "", "", "", "", ""], ["题型", "题干", "A", "B", "答案", "解析"], ["一、单选", "", "", "", "", ""]] + [
    ["单选", f"感觉{number}是（ ）。", f"甲{number}", '乙,"', "A", "见书\n第一章"] for number in range(4)
]


def small_files() -> dict[str, bytes]:
    """Return the files; a file of a layout is named by it."""
    files = {f"{charset}.txt": PAPER.encode(charset) for charset in ("utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le")}
    files["big5.txt"] = opencc.OpenCC("s2t").convert(PAPER).encode("big5hkscs")
    html = "".join(f"<p>{line}<img src=a.png></p>" if "图" in line else f"<p>{line}</p>" for line in PAPER.split("\n"))
    files["page.html"] = f'<html><head><meta charset="gbk"></head><body><div hidden>藏</div>{html}</body></html>'.encode("gbk")
    files["paper.md"] = PAPER.replace("一、", "## 一、").replace("A．", "- A．").encode()
    files |= {
        "paper.docx": _docx(),
        "paper.pdf": _pdf(),
        "book.xlsx": _xlsx(),
        "rows.csv": _csv(",", "gb18030"),
        "turns.jsonl": json.dumps({"instruction": "感觉是\nA．甲\nB．乙", "output": "答案：A"}, ensure_ascii=False).encode(),
        "rows.tsv": _csv("\t", "utf-8"),
    }
    files |= {f"{name}.xml": text.encode() for name, text in EXCHANGED.items()}
    for layout, records in RECORDS.items():
        files[f"{layout}.json"] = json.dumps(records, ensure_ascii=False, indent=1).encode()
        lines = records if isinstance(records, list) else [records]
        if layout == "cpsyexam":
            files[f"{layout}.parquet"] = _parquet(records)
        files[f"{layout}.jsonl"] = "\n".join(json.dumps(record) for record in lines * 2).encode()
    return files


def _parquet(records: list[dict[str, Any]]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records * 2), file, row_group_size=1)
    return file.getvalue()


def _docx() -> bytes:
    document = Document()
    for line in PAPER.splitlines():
        document.add_paragraph(line, style="List Number" if line.startswith("6") else "Heading 1" if line.startswith("一") else None)
    table = document.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 0).text = "7．想象是（ ）。", "A.甲", "B.乙"
    out = io.BytesIO()
    document.save(out)
    return _timeless(out.getvalue())


def _timeless(body: bytes) -> bytes:
    """Return a document with no time of its making, so that its bytes are always the same."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(body)) as whole, zipfile.ZipFile(out, "w") as copy:
        for entry in whole.infolist():
            part = _TIME.sub(b"2026-01-01T00:00:00Z", whole.read(entry))
            copy.writestr(zipfile.ZipInfo(entry.filename), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _xlsx() -> bytes:
    book = Workbook()
    for row in _ROWS:
        book.active.append(row)
    book.active.merge_cells("A4:A6")
    other = book.create_sheet("二")
    for row in ([1.0, None, True], ["题干", "答案", "选项"], ["感觉是", "B", "A.甲 B.乙"]):
        other.append(row)
    out = io.BytesIO()
    book.save(out)
    return _timeless(out.getvalue())


def _csv(delimiter: str, charset: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(_ROWS)
    return out.getvalue().encode(charset)


def _pdf() -> bytes:
    """Return a PDF of one page whose signs are named by a table in it, as Word does; nothing is packed, so that it can be spoiled."""
    text = "".join(f"0 -16 Td <{line.encode('utf-16-be').hex()}> Tj\n" for line in PAPER.splitlines())
    shown = f"BT /F1 11 Tf 60 800 Td\n{text}ET"
    codes = "begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> endbfrange"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(shown)}>>stream\n{shown}\nendstream",
        "<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>",
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000"
        "/FontDescriptor<</Type/FontDescriptor/FontName/Song/Flags 4/Ascent 880/Descent -120>>>>",
        f"<</Length {len(codes) + 3}>>stream\n1 {codes}\nendstream",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, written in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{written}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF"
    return body + end.encode()
