"""Questions found by content: the same questions under random names read back equal or are refused; no others are read."""

import io
import json
import random
from typing import Any

import pytest
from msgspec import structs
from openpyxl import Workbook

from atomexam.records.item import QuestionItem
from crawlers.read.containers.files.notations import statement_rows
from crawlers.read.containers.files.programs import literals_of
from crawlers.read.containers.files.reading import Lost
from crawlers.read.files import FileResult, account_of, read_steps
from crawlers.read.formats import guess_format, read_file
from crawlers.read.layouts.layout_files import shipped_layouts
from crawlers.read.tables.any_rows import document_of
from crawlers.read.tables.columns import TableLayout, layout_of_keys
from crawlers.read.tables.records import by_content as questions_by_content
from crawlers.read.tables.records.items import RecordReader
from crawlers.read.tables.roles.solver import roles_of
from crawlers.read.tables.roles.values import bare, listed, plain
from tests.crawlers.read.bodies import SEEN, book_of, read

_PARTS = ["心脏", "肝脏", "肺部", "肾脏", "脾脏", "胃部", "胆囊", "膀胱", "大脑", "小肠", "皮肤", "骨骼", "血管", "神经", "肌肉", "甲状腺"]
_ENDS = ["下列器官中最先受到影响的是（ ）", "患者的病变部位首先考虑是哪一项？", "主要累及的部位是", "下列说法中正确的是（　）"]


def _gold(rng: random.Random, count: int = 24) -> list[tuple[str, list[str], int]]:
    return [(f"第{n}例患者入院，{rng.choice(_ENDS)}", rng.sample(_PARTS, 4), rng.randrange(4)) for n in range(1, count + 1)]


def _name(rng: random.Random, taken: set[str]) -> str:
    while (name := "".join(rng.choices("bghkmpwxyz", k=6))) in taken:
        pass
    taken.add(name)
    return name


def _answer(rng_form: str, options: list[str], right: int) -> Any:
    return {"letter": "ABCD"[right], "zero": right, "one": right + 1, "text": options[right]}[rng_form]


def _shape(rng: random.Random, gold: list[tuple[str, list[str], int]], form: str, kind: str) -> tuple[str, bytes]:
    taken: set[str] = set()
    q, o, a, e, number = (_name(rng, taken) for _ in range(5))
    records = []
    for n, (stem, options, right) in enumerate(gold, 1):
        held: Any = {
            "list": options,
            "object": dict(zip("ABCD", options, strict=True)),
            "text": " ".join(f"{letter}.{text}" for letter, text in zip("ABCD", options, strict=True)),
            "json": json.dumps(options, ensure_ascii=False),
            "pairs": [{"tt": letter, "vv": text} for letter, text in zip("ABCD", options, strict=True)],
        }.get(kind)
        spread = {o: held} if held is not None else {f"{o}{letter}": text for letter, text in zip("ABCD", options, strict=True)}
        records.append({number: 1000 + n, q: stem, **spread, a: _answer(form, options, right), e: "见教材。"})
    if kind == "sheet":
        return "f.xlsx", book_of([record.values() for record in records])
    text = json.dumps(records, ensure_ascii=False)
    wrapped = rng.choice(["plain", "deep", "lines", "literal"])
    if wrapped == "deep":
        text = json.dumps({"ok": True, "xx": {"yy": records}}, ensure_ascii=False)
    elif wrapped == "lines":
        text = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    elif wrapped == "literal":
        return "f.ts", f"// bank\nexport const zz: Foo[] = {text};\nfunction go() {{ return 1 }}\n".encode()
    return "f.json", text.encode()


@pytest.mark.parametrize("kind", ["list", "object", "text", "json", "pairs", "columns", "sheet"])
@pytest.mark.parametrize("form", ["letter", "zero", "one", "text"])
def test_reads_questions_under_random_names(kind: str, form: str) -> None:
    rng = random.Random(f"{kind} {form}")
    gold = _gold(rng)
    name, body = _shape(rng, gold, form, kind)
    items = [item for item in read(name, body).items if isinstance(item, QuestionItem)]
    assert len(items) == len(gold)
    for item, (stem, options, right) in zip(items, gold, strict=True):
        assert item.stem_raw == stem
        assert [plain(bare(option)) for option in item.options_raw or []] == [plain(option) for option in options]
        assert item.answer_raw == "ABCD"[right]


def test_reads_literals_without_running_code() -> None:
    source = "var a = [{q: 'x\\'y', n: -1, t: true, u: undefined, z: 'p' + \"q\"},]; b.push({k: go()}); let c = {d: `e`};"
    found = literals_of("f.js", source)
    assert found["a"] == [{"q": "x'y", "n": -1, "t": True, "u": None, "z": "pq"}]
    assert found["c"] == {"d": "e"}
    assert "b" not in found


def test_statements_give_their_rows() -> None:
    dump = (
        "CREATE TABLE `q` (`id` int, `t` text, PRIMARY KEY (`id`));\n"
        "INSERT INTO `q` VALUES (1, '甲''乙;'), (2, NULL);\nUPDATE q SET t='丙' WHERE id=3"
    )
    assert statement_rows("a.sql", dump) == {"q": [{"id": 1, "t": "甲'乙;"}, {"id": 2, "t": None}, {"t": "丙", "id": 3}]}
    more = "INSERT INTO q (id, t) VALUES (1, NOW()), (2, CONCAT('a', 'b')) ON CONFLICT (id, t) DO NOTHING; INSERT INTO q SELECT (1);"
    assert statement_rows("a.sql", more) == {"q": [{"id": 1, "t": "NOW"}, {"id": 2, "t": "CONCAT"}]}
    copied = "COPY t (a, b) FROM stdin;\n1\tx\\ty\n2\t\\N\n\\.\n"
    assert statement_rows("a.sql", copied) == {"t": [{"a": 1, "b": "x\ty"}, {"a": 2, "b": None}]}


@pytest.mark.parametrize(
    "dump",
    [
        "INSERT INTO t (a, b) VALUES (1, 2), (3, 4, 5);",
        "CREATE TABLE t (a int, b int); INSERT INTO t VALUES (1);",
        "COPY t (a, b) FROM stdin;\n1\t2\nbroken\n\\.\n",
    ],
)
def test_refuses_a_dump_with_a_row_of_wrong_length(dump: str) -> None:
    with pytest.raises(ValueError, match=r"a\.sql: a row of t has \d values for 2 columns"):
        statement_rows("a.sql", dump)


_MIXED = [(1, "甲是", "子", "B"), (3, "乙是丙。", None, "1"), (3, "丙是丁。", None, "0")]
_COMMENTED = "CREATE TABLE q (id int, type tinyint COMMENT '1单选 3判断', stem text, a text, {column} varchar(9) COMMENT '{comment}');\n"
_NOTED = "CREATE TABLE q (id int, type int, stem text, a text, {column} text);\nCOMMENT ON COLUMN public.q.{column} IS '{comment}';\n"


def _dump(created: str, column: str, comment: str, last: str = "A") -> list[object]:
    rows = [*_MIXED, (1, "丁是", "丑", last)]
    values = ", ".join(f"({n}, {t}, '{stem}', '{a or ''}', '{answer}')" for n, (t, stem, a, answer) in enumerate(rows, 1))
    dump = document_of("q.sql", f"{created.format(column=column, comment=comment)}INSERT INTO q VALUES {values};")
    return [row[column] for row in dump["q"]]


@pytest.mark.parametrize("created", [_COMMENTED, _NOTED])
@pytest.mark.parametrize("comment", ["判断题：1对0错", "1=正确, 0=错误", "答案(0错1对)", "判断题: 0代表错 1代表对"])
def test_column_comments_explain_codes(created: str, comment: str) -> None:
    assert _dump(created, "answer", comment) == ["B", "正确", "错误", "A"]


@pytest.mark.parametrize(
    ("column", "comment", "last"),
    [
        ("answer", "判断题：1对0错", "3"),  # here options are numbered
        ("answer", "标准答案", "A"),
        ("answer", "考生作答：1对0错", "A"),
        ("user_answer", "1对0错", "A"),
        ("answer", "1单选 2多选", "A"),
        ("answer", "判断题：A对B错", "A"),
    ],
)
def test_other_comments_change_no_codes(column: str, comment: str, last: str) -> None:
    assert _dump(_COMMENTED, column, comment, last) == ["B", "1", "0", last]


def _chapter(number: int, first: bool, stem: str, options: str) -> list[dict[str, Any]]:
    """Return five questions whose first option is always right, or not."""
    return [
        {
            stem: f"第{number}章第{n}问，下列说法正确的是",
            options: [f"说法{number}{n}{at}" for at in range(4)],
            "k": 0 if first else (n + at_most) % 4,
        }
        for at_most, n in enumerate(range(5))
    ]


def _marked(rows: list[dict[str, Any]], options: str) -> list[dict[str, Any]]:
    return [
        {
            **{key: value for key, value in row.items() if key != "k"},
            options: [{"t": text, **({"ok": True} if at == row["k"] else {})} for at, text in enumerate(row[options])],
        }
        for row in rows
    ]


@pytest.mark.parametrize(("stem", "options"), [("题目", "选项"), ("ask", "picks"), ("wt", "xx")])
@pytest.mark.parametrize("suffix", ["json", "yaml", "js"])
def test_reads_a_chapter_like_its_siblings(stem: str, options: str, suffix: str) -> None:
    chapters = {f"第{n}章": _marked(_chapter(n, n == 1, stem, options), options) for n in range(1, 4)}
    text = json.dumps({"名称": "测验", "单元": chapters}, ensure_ascii=False)
    body = (f"export const bank = {text};" if suffix == "js" else text).encode()
    name = f"a.{suffix}"
    reading = read_file(name, body, guess_format(name, body), SEEN)
    assert [item.answer_raw for item in reading.items if isinstance(item, QuestionItem)][:5] == ["A"] * 5
    assert len(reading.items) == 15 and not reading.skipped


def _cases(case: str, below: str, single: bool) -> str:
    def one(n: int) -> dict[str, Any]:
        options = {letter: f"{'肺胃肝肾'[(n + at) % 4]}第{n}号病变" for at, letter in enumerate("ABCD")}
        return {"question": f"根据第{n}次检查的结果，首先考虑的诊断是（ ）", "options": options, "answer": "ABCD"[n * n % 3]}

    cases = [{"kind": "案例", case: f"患者{n}，男，40岁，咳嗽三天。", below: [one(3 * n + at) for at in range(3)]} for n in range(3)]
    return json.dumps([*([one(20 + n) for n in range(4)] if single else []), *cases], ensure_ascii=False)


@pytest.mark.parametrize(("case", "below"), [("material", "children"), ("病例", "小题"), ("passage", "items")])
@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_questions_below_a_case_are_read_with_it(case: str, below: str, single: bool, suffix: str) -> None:
    name, body = f"a.{suffix}", _cases(case, below, single).encode()
    reading = read_file(name, body, guess_format(name, body), SEEN)
    found = [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt]
    expected = [None] * 4 * single + [f"患者{n}，男，40岁，咳嗽三天。" for n in range(3) for _ in range(3)]
    assert [item.case_raw for item in found] == expected
    assert not reading.faults


def test_an_announced_case_applies_to_the_stated_number_of_questions() -> None:
    rng, taken = random.Random(3), set()
    names = [_name(rng, taken) for _ in range(6)]
    gold = _gold(rng)
    rows = [dict(zip(names, [stem, *options, "ABCD"[right]], strict=True)) for stem, options, right in gold]
    case = "患者，女，29岁。因头痛26天入院，既往体健，无手术史。"
    rows.insert(5, {name: "" for name in names} | {names[0]: f"（6～7题共用题干）{case}"})
    reading = read("a.json", json.dumps(rows, ensure_ascii=False).encode())
    assert [item.case_raw for item in reading.items if isinstance(item, QuestionItem)] == [None] * 5 + [case] * 2 + [None] * (len(gold) - 7)


def test_a_case_ends_at_the_next_note() -> None:
    rng, taken = random.Random(3), set()
    names = [_name(rng, taken) for _ in range(6)]
    rows = [dict(zip(names, [stem, *options, "ABCD"[right]], strict=True)) for stem, options, right in _gold(rng)]
    for place, note in ((8, "（9～10题共用备选答案）"), (5, "（共用题干）患者，女，29岁。因头痛26天入院，既往体健。")):
        rows.insert(place, {name: "" for name in names} | {names[0]: note})
    cases = [
        item.case_raw for item in read("a.json", json.dumps(rows, ensure_ascii=False).encode()).items if isinstance(item, QuestionItem)
    ]
    assert [bool(case) for case in cases] == [False] * 5 + [True] * 3 + [False] * 16


def test_two_options_per_line_are_not_read_as_one() -> None:
    said = "\n".join(f"{sign}第{number}种情形在群落的分层里与光和食物有关" for number, sign in enumerate("①②③④⑤⑥"))
    stem = f"5.分层是群落的现象。下列关于群落分层的叙述，正确的是（）\n{said}\nA.①③④⑤ B.②④⑤⑥\nC.①②③⑥ D.③④⑤⑥"
    shape = layout_of_keys(["题干", "正确答案"])
    assert shape is not None
    [item] = RecordReader(shape).items({"题干": stem, "正确答案": "B"}, SEEN)
    assert isinstance(item, Lost) or len(item.options_raw) == 4, item


def test_a_shipped_layout_gives_way_but_a_users_layout_does_not() -> None:
    rng = random.Random(1)
    rows = [
        {"index": number, "year": "2010", "category": "新课标",
         "question": "\n".join([stem, *(f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=True))]),
         "answer": ["ABCD"[right]], "analysis": f"因为是{options[right]}。", "score": 6}
        for number, (stem, options, right) in enumerate(_gold(rng))
    ]  # fmt: skip
    body = json.dumps({"keywords": "2010_MCQs", "example": rows}, ensure_ascii=False).encode()
    assert guess_format("a.json", body) == "table"
    assert len(read_file("a.json", body, "table", SEEN).items) == len(rows)
    own = shipped_layouts() | {"tcmbench": structs.replace(shipped_layouts()["tcmbench"], unread=["score"])}
    assert guess_format("a.json", body, own) == "tcmbench"
    reading = read_file("a.json", body, "tcmbench", SEEN, known=own)
    assert len(reading.faults) == reading.record_count


@pytest.mark.parametrize("text", ["{[]: 1}", "{1: 2", "[" * 30_000 + "]" * 30_000, "[1, __import__('os')]", "{{}: {}}"])
def test_a_cell_without_a_list_stays_text(text: str) -> None:
    assert listed(text) == text


def test_answers_for_gaps_are_not_options() -> None:
    ask = [{"q": f"第{n}例的血压是___，心率是___。", "a": [str(100 + n), str(60 + n)]} for n in range(5)]
    reading = questions_by_content.read_by_content("a.json", json.dumps({"fills": ask}).encode(), SEEN)
    assert reading is not None
    items = [item for item in reading.items if isinstance(item, QuestionItem)]
    assert [(item.options_raw, item.answer_raw) for item in items] == [(None, f"{100 + n}、{60 + n}") for n in range(5)]


def test_the_questions_are_never_among_the_options() -> None:
    rows = [
        {"kind": "single", "stem": f"第{n}例首选的处理是（ ）", "A": f"休息{n}天", "B": f"饮水{n}升", "answer": 1 + n % 3} for n in range(9)
    ]
    found = roles_of([row | {"kind": f"single {n}"} for n, row in enumerate(rows)])
    assert found is None or "stem" not in found.options


def test_an_explanation_that_repeats_an_option_is_not_an_option() -> None:
    gold = _gold(random.Random(5))
    rows = [[stem, *options, "ABCD"[right], f"见教材第{n}页，应记住{options[right]}。"] for n, (stem, options, right) in enumerate(gold, 1)]
    for order in ([0, 1, 2, 3, 4, 5, 6], [5, 0, 1, 2, 3, 4, 6]):  # the second has the explanation next to the options
        body = "\n".join(",".join(row[place] for place in order) for row in rows).encode()
        reading = read("bank.csv", body)
        assert [(len(item.options_raw or []), item.answer_raw) for item in reading.items] == [(4, "ABCD"[right]) for _, _, right in gold]


def test_counts_option_letters_and_answers_in_words_as_read() -> None:
    gold = _gold(random.Random(8))
    pairs = [
        {
            "ask": stem,
            "more": {"from": [{"key": letter, "val": text} for letter, text in zip("ABCD", options, strict=True)], "ok": "ABCD"[right]},
        }
        for stem, options, right in gold
    ]
    words = [{"ask": stem, **dict(zip("wxyz", options, strict=True)), "mine": options[right]} for stem, options, right in gold]
    for records in (pairs, words):
        body = json.dumps({"data": records}, ensure_ascii=False).encode()
        reading = read("bank.json", body)
        assert [item.answer_raw for item in reading.items] == ["ABCD"[right] for _, _, right in gold]
        account = account_of("bank.json", body, guess_format("bank.json", body), reading)
        assert account.unread == []


def test_counts_unneeded_columns_of_a_layout_as_read() -> None:
    gold = _gold(random.Random(9))
    rows = [[stem, *options, "ABCD"[right], f"第{n}次修订"] for n, (stem, options, right) in enumerate(gold, 1)]
    body = "\n".join(",".join(row) for row in [["ask", *"wxyz", "ok", "note"], *rows]).encode()
    [(table, roles)] = questions_by_content.inferred_tables("bank.csv", body)
    shape = TableLayout(under=list(table.way), stem=roles.stem, options=roles.options, answer=roles.answer, form=roles.form)
    for unread, lines in ([], len(rows)), (["note"], 0):
        reading = questions_by_content.read_by_layout("bank.csv", body, [shape], SEEN, unread)
        assert reading.record_count == len(rows) and len(account_of("bank.csv", body, "bank", reading).unread) == lines


@pytest.mark.parametrize(
    "beside", [{"题干": "知觉的特性是（ ）", "选项": ["甲", "乙"], "答案": "A"}, {"name": "下列哪项正确（ ）", "x": "甲"}, {}]
)
def test_reads_or_reports_records_without_lists_of_questions(beside: dict[str, Any]) -> None:
    asked = [{"stem": f"第{n}项特性是（ ）", "opts": [f"甲{n}", f"乙{n}", f"丙{n}"], "k": "ABC"[n % 3]} for n in range(9)]
    records = [{"name": "感觉", "list": asked[:4]}, {"name": "知觉", "list": asked[4:]}, *([beside] if beside else [])]
    reading = read("a.json", json.dumps({"parts": records}, ensure_ascii=False).encode())
    assert sum(isinstance(item, QuestionItem) for item in reading.items) >= 9
    assert bool(reading.skipped) == (bool(beside) and len(reading.items) == 9)


def test_a_heading_among_rows_read_by_content_is_not_a_question() -> None:
    def row(stem: str, part: str, answer: str) -> list[str]:
        return [stem.format(part), f"{part}是甲", f"{part}是乙", f"{part}是丙", answer]

    rows: list[list[str]] = [["甲列", "乙列", "丙列", "丁列", "戊列"], ["一、单选题"]]
    rows += [row("下列关于{}的叙述正确的是（ ）", part, "ABC"[n % 3]) for n, part in enumerate(_PARTS[:6])]
    rows += [["二、多选题"], *(row("以下与{}有关的是（ ）", part, ("AB", "BC")[n % 2]) for n, part in enumerate(_PARTS[6:]))]
    book = Workbook()
    for cells in rows:
        book.active.append(cells)
    file = io.BytesIO()
    book.save(file)
    [result] = [step for step in read_steps("a.xlsx", file.getvalue(), None, SEEN) if isinstance(step, FileResult)]
    assert result.account.difference == 0
    assert [item.section_raw for item in result.reading.items if isinstance(item, QuestionItem)] == ["一、单选题"] * 6 + ["二、多选题"] * 10
