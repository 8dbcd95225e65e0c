"""Entries in files whose suffix says little: a record a line named .json, and literals of JavaScript; what is neither stays refused."""

import json

import pytest

from atomexam.records.item import EntityItem
from tests.crawlers.read.bodies import result_of

_DISEASES = [
    {"name": name, "desc": f"{name}是一种疾病。", "symptom": signs, "cure_way": ["药物治疗"], "cure_department": ["内科"], "get_prob": "1%"}
    for name, signs in (("胃炎", ["腹痛", "恶心"]), ("肺炎", ["咳嗽", "发热"]), ("肝炎", ["黄疸", "乏力"]))
]
_REFERENCES = """/* sheet */
module.exports = {
  name: '生化1',
  references: [
    { short_name: 'TP', name: '总蛋白', reference: '65-85', unit: 'g/L' },
    { short_name: 'ALB', name: '白蛋白', reference: '40-55', unit: 'g/L' },
    { short_name: 'G', name: '球蛋白', reference: '20-40', unit: 'g/L' },
    { short_name: 'UREA', name: '尿素', reference: '2.9-8.2', unit: 'mmol/L' },
  ]
};
"""


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_record_a_line_is_read_by_any_name(end: str) -> None:
    lines = "\n".join(json.dumps(one, ensure_ascii=False) for one in _DISEASES) + end
    result, named = result_of("a.json", lines), result_of("a.jsonl", lines)
    assert [item.name_raw for item in result.reading.items if isinstance(item, EntityItem)] == ["胃炎", "肺炎", "肝炎"]
    assert result == named and result.account.unread_characters == 0


def test_a_broken_line_among_records_is_rejected() -> None:
    lines = [json.dumps(one, ensure_ascii=False) for one in _DISEASES]
    result = result_of("a.json", "\n".join([*lines, '{"name": "断', ""]))
    assert len(result.reading.items) == 4 and result.reading.faults[0].startswith("line 4: record_unreadable")


def test_reference_ranges_in_literals_are_read() -> None:
    result = result_of("bio.js", _REFERENCES)
    items = [item for item in result.reading.items if isinstance(item, EntityItem)]
    assert [(item.name_raw, item.alias_raw, item.values[0].value) for item in items][::3] == [
        ("总蛋白", "TP", "65-85g/L"),
        ("尿素", "UREA", "2.9-8.2mmol/L"),
    ]
    assert [one.text for one in result.account.unread] == ["生化1"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.js",
            "const a = [{name: '纱布', unit: '包', price: 3}, {name: '棉签', unit: '袋', price: 2}, {name: '针', unit: '支', price: 1}];",
        ),
        ("a.js", "function reference(name) { return name + 1; }\nvar unit = [1, 2, 3];"),
        ("log.json", '{"time": "08:00", "level": "info"}\n{"time": "08:01", "level": "warn"}\n{"time": "08:02", "level": "info"}\n'),
        ("a.json", '{"name": "胃炎",\n{"name": "肺炎"}\n'),
    ],
)
def test_what_holds_no_entries_stays_refused(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"neither questions nor named entries|no fields of a question|expected JSON|Expecting"):
        result_of(name, text)
