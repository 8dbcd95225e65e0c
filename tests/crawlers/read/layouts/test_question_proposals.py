"""Proposed question layouts: written next to the file, used from then on, never replaced, and named by the error that needs one."""

import json
import re
from pathlib import Path
from time import thread_time
from typing import Any

import pytest

from atomexam.records.params import Import
from atomexam.runtime.budgets import Budget
from crawlers.read import files
from crawlers.read.__main__ import main
from crawlers.read.account.characters import folded
from crawlers.read.layouts.layout_files import FileLayout, PaperLayout
from crawlers.read.layouts.line_proposals import layouts_of_lines
from crawlers.read.proposed import _compared, _Proposal, _result, proposed_layout
from crawlers.read_imports import store_files

_STEMS = [f"第{n}次测量时应当先看哪一项（ ）" for n in range(1, 13)]


def _bank(path: Path, **columns: Any) -> Path:
    records = [{"q": stem, "o": ["甲", "乙", "丙", "丁"][n % 2 :] + ["戊"] * (n % 2), "k": "ABCD"[n % 4]} for n, stem in enumerate(_STEMS)]
    records = [record | {key: value(n) for key, value in columns.items()} for n, record in enumerate(records)]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"data": {"rows": records}}, ensure_ascii=False), encoding="utf-8")
    return path


def _answers(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [json.loads(line)["answer_raw"] for line in capsys.readouterr().out.splitlines()]


def test_a_proposal_is_used_and_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank = _bank(tmp_path / "bank.json", mine=lambda n: "DCBA"[n % 4])
    place = tmp_path / "bank.layout.yaml"
    assert main([str(bank)]) == 1  # two columns fit as answers
    assert "--propose" in capsys.readouterr().err
    assert main([str(bank), "--propose"]) == 0
    proposed = place.read_text(encoding="utf-8")
    assert "confidence" in proposed and "# doubtful: " in proposed and proposed.count(" => ") == 10
    capsys.readouterr()
    assert main([str(bank)]) == 1  # nobody has confirmed it
    said = capsys.readouterr()
    assert not said.out and re.search(
        r"bank\.layout\.yaml: line 3: bank has `confirmed: no`.* remove line 3 .*crawlers\.read .*bank\.json", said.err
    )
    with pytest.raises(ValueError, match="line 3: bank has `confirmed: no`"):
        main([str(bank), "--layouts", str(place), "--format", "bank"])
    [line] = [line for line in proposed.splitlines(keepends=True) if "confirmed: no" in line]
    place.write_text(proposed.replace(line, "  confirmed: yes\n"))
    assert main([str(bank)]) == 0
    first = _answers(capsys)
    proposed = proposed.replace(line, "")
    place.write_text(
        proposed.replace('answer: "k"', 'answer: "mine"') if first[0] == "A" else proposed.replace('answer: "mine"', 'answer: "k"')
    )
    assert main([str(bank)]) == 0
    assert [{"A", "D"} if n % 4 in (0, 3) else {"B", "C"} for n in range(12)] == [
        set(pair) for pair in zip(first, _answers(capsys), strict=True)
    ]
    mended = place.read_text(encoding="utf-8")
    assert main([str(bank), "--propose"]) == 1 and place.read_text(encoding="utf-8") == mended


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("bank:\n  tables:\n    - {under: [data, rows, '*'], stem: zz}\n", "names column 'zz'; found 'k', 'o', 'q'"),
        ("bank:\n  tables:\n    - {under: [rows], stem: q}\n", "found rows under no keys ("),
        ("bank:\n  tables:\n    - {under: [data, rows, '*'], stem: q, options: [o], answer: k, form: numbers}\n", "form 'numbers'"),
        ("bank:\n  tables:\n    - {stem: [q]}\n", "Expected `str`, got `array`"),
        ("bank:\n  confirmed: maybe\n  tables:\n    - {stem: q}\n", "confirmed"),
        ("bank: {}\n", "expected one of `questions`, `tables`, `entity` and `paper`"),
        ("", "bank.layout.yaml"),
    ],
)
def test_a_wrong_layout_reports_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str, said: str) -> None:
    bank = _bank(tmp_path / "bank.json")
    (tmp_path / "bank.layout.yaml").write_text(layout, encoding="utf-8")
    assert main([str(bank)]) == 1
    assert said in capsys.readouterr().err


def test_an_import_stops_at_a_layout_that_nobody_confirmed(tmp_path: Path) -> None:
    bank = _bank(tmp_path / "own/bank.json", mine=lambda n: "DCBA"[n % 4])
    assert main([str(bank), "--propose"]) == 0
    (tmp_path / "pages").mkdir()
    with pytest.raises(ValueError, match=r"line 3: bank has `confirmed: no`.*crawlers\.read .*bank\.json"):
        store_files("mine", Import(path=str(tmp_path / "own")), tmp_path / "pages")
    with pytest.raises(ValueError, match=r"DVC tracks only .*bank\.json, not its layout bank\.layout\.yaml; .*imports/mine"):
        store_files("mine", Import(path=str(bank)), tmp_path / "pages")


def test_a_large_file_is_proposed_within_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files, "_HEAVY_BYTES", 10)
    asked: list[Budget] = []
    monkeypatch.setattr(files, "read_guarded", lambda read, name, body, advice, budget, *given: asked.append(budget) or iter(["x: {}"]))
    assert main([str(_bank(tmp_path / "bank.json")), "--propose"]) == 0
    assert len(asked) == 1 and asked[0].bytes < Budget().bytes


_CASE = (
    "求助者，女性，35岁，企业高级管理人员。一次工作失误给公司造成经济损失，她觉得老板已经不再信任自己，提心吊胆，身心疲惫，主动前来咨询。"
)


def _bank_with_cases(path: Path, key: str = "material") -> Path:
    questions = [{"question": stem, "options": [*"甲乙丙丁戊"[n % 2 :][:4]], "answer": "ABCD"[n % 4]} for n, stem in enumerate(_STEMS)]
    cases = [{key: f"案例{n}：{_CASE}", "children": questions[n * 3 : n * 3 + 3]} for n in (2, 3)]
    path.write_text(json.dumps([*questions[:6], *cases], ensure_ascii=False), encoding="utf-8")
    return path


def _layout(*tables: str) -> str:
    return "bank:\n  tables:\n" + "".join(f"    - {{{table}, stem: question, options: [options], answer: answer}}\n" for table in tables)


_PARENT, _CHILD = "under: ['*']", "under: ['*', children, '*'], others: {案例: ^material}"


@pytest.mark.parametrize(
    ("tables", "questions", "unread"), [((_PARENT, _CHILD), 12, 0), ((_CHILD, _PARENT), 12, 0), ((_CHILD,), 6, 6)], ids=str
)
def test_questions_below_a_listed_table_keep_the_case_their_layout_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tables: tuple[str, ...], questions: int, unread: int
) -> None:
    bank = _bank_with_cases(tmp_path / "bank.json")
    (tmp_path / "bank.layout.yaml").write_text(_layout(*tables), encoding="utf-8")
    assert main([str(bank), "--report", str(tmp_path / "report.jsonl")]) == 0
    items = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(items) == questions
    assert [item["case_raw"] for item in items if ":children:" in item["provenance"]["position"]] == [
        f"案例{n}：{_CASE}" for n in (2, 2, 2, 3, 3, 3)
    ]
    [row] = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text(encoding="utf-8").splitlines()]
    counts, letters = row["characters"], unread  # an answer that names an option is not counted again
    texts = [*_STEMS, *("甲乙丙丁" * 12), *(f"案例{n}：{_CASE}" for n in (2, 3))]
    assert counts["characters"] == sum(len(folded(text)) for text in texts) + letters
    assert counts["questions_unread"] == unread and bool(counts["unread"]) == bool(unread)


def test_a_proposal_includes_the_case_above_its_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named, other = _bank_with_cases(tmp_path / "named.json"), _bank_with_cases(tmp_path / "other.json", "words")
    assert main([str(named), str(other), "--propose"]) == 0
    assert '"案例": "^material"' in (tmp_path / "named.layout.yaml").read_text(encoding="utf-8")
    unsure = (tmp_path / "other.layout.yaml").read_text(encoding="utf-8")
    assert "confirmed: no" in unsure and "'^words' above the questions may be a case" in unsure
    capsys.readouterr()
    assert main([str(named)]) == 0
    cases = [json.loads(line)["case_raw"] for line in capsys.readouterr().out.splitlines()]
    assert cases == [None] * 6 + [f"案例{n}：{_CASE}" for n in (2, 2, 2, 3, 3, 3)]


@pytest.mark.parametrize(
    ("name", "body"), [("paper.docx", b"PK\x03\x04\x00\xff"), ("paper.pdf", b"%PDF-1.7\n\xb5\x00"), ("paper.txt", b" \n")]
)
def test_no_layout_is_proposed_for_a_damaged_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body)
    assert main([str(tmp_path / name), "--propose"]) == 1
    assert f"error: {name}: " in capsys.readouterr().err and not (tmp_path / "paper.layout.yaml").exists()


def test_a_refusal_names_a_helpful_proposal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank = tmp_path / "bank.csv"
    kinds = "甲乙丙丁戊己"
    rows = [[stem, *(kinds[(n + step) % 6] for step in range(4)), kinds[n % 6], "ABCD"[n % 4]] for n, stem in enumerate(_STEMS)]
    bank.write_text("\n".join(["f1,f2,f3,f4,f5,f6,f7", *map(",".join, rows)]), encoding="utf-8")
    assert main([str(bank)]) == 1
    assert "--propose writes a layout" in capsys.readouterr().err
    assert main([str(bank), "--propose"]) == 0


def test_values_above_questions_by_name_are_counted_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = json.loads(_bank_with_cases(tmp_path / "bank.json").read_text(encoding="utf-8"))[:6]
    (tmp_path / "bank.json").write_text(
        json.dumps({"about": "本校题库", "bank": {f"q{n}": record for n, record in enumerate(records)}}, ensure_ascii=False),
        encoding="utf-8",
    )
    (tmp_path / "bank.layout.yaml").write_text(_layout("under: [bank, '*']"), encoding="utf-8")
    assert main([str(tmp_path / "bank.json"), "--report", str(tmp_path / "report.jsonl")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6
    counts = json.loads((tmp_path / "report.jsonl").read_text(encoding="utf-8"))["characters"]
    assert counts["characters"] == sum(len(folded(stem)) + 4 for stem in _STEMS[:6]) + len("本校题库")


_QUESTIONS = "".join(
    f"<li>{stem}<ol type='A'><li>甲</li><li>乙</li><li>丙</li></ol><p>答案：{'ABC'[n % 3]}</p></li>" for n, stem in enumerate(_STEMS)
)
_STATEMENTS = "".join(f"<li>第{n}次测量总是在前一次之后进行。<p>答案：正确</p></li>" for n in range(8))


def test_a_proposal_reads_at_least_as_much_as_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "wiki.html"
    page.write_text(f"<html><h2>选择题</h2><ol>{_QUESTIONS}</ol><h2>判断题</h2><ol>{_STATEMENTS}</ol></html>", encoding="utf-8")
    assert main([str(page)]) == 0
    usual = capsys.readouterr().out.splitlines()
    assert main([str(page), "--propose"]) == 0
    proposed = (tmp_path / "wiki.layout.yaml").read_text(encoding="utf-8")
    assert "confirmed: no" not in proposed and f"by this layout: {len(usual)} questions" in proposed


def test_a_proposal_that_reads_less_must_be_confirmed() -> None:
    page = f"<html><ol>{_QUESTIONS}</ol><h2>判断题</h2><ol>{_STATEMENTS}</ol></html>".encode()
    layout = FileLayout(paper=PaperLayout(question="{stem}\n{letter}. {option}\n答案：{}"))
    compared = _compared("wiki.html", page, _Proposal(layout, True), _result("wiki.html", page))
    assert compared.waits and any("read differently without this layout" in note for note in compared.notes)


def test_a_proposal_with_rejected_rows_or_rows_without_an_answer_waits(tmp_path: Path) -> None:
    bank = _bank(tmp_path / "bank.json", k=lambda n: "ABCD"[n % 4] if n else "")
    assert main([str(bank), "--propose"]) == 0
    proposed = (tmp_path / "bank.layout.yaml").read_text(encoding="utf-8")
    assert "confirmed: no" in proposed and f"# without an answer: {_STEMS[0]}" in proposed
    assert _STEMS[-1] in proposed  # examples from the end, too


def test_columns_known_by_their_names_alone_are_proposed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank = tmp_path / "bank.csv"
    rows = [f"{stem},赞成,弃权,{'AB'[n % 2]},安全" for n, stem in enumerate(_STEMS)]
    bank.write_text("\n".join(["试题题目,A,B,试题答案,所属科目", *rows]), encoding="utf-8")
    assert main([str(bank)]) == 1 and "--propose writes a layout" in capsys.readouterr().err
    assert main([str(bank), "--propose"]) == 0
    proposed = (tmp_path / "bank.layout.yaml").read_text(encoding="utf-8")
    assert "confirmed: no" in proposed and 'stem: "试题题目"' in proposed and 'answer: "试题答案"' in proposed
    (tmp_path / "bank.layout.yaml").write_text(proposed.replace("confirmed: no", "confirmed: yes"), encoding="utf-8")
    capsys.readouterr()
    assert main([str(bank)]) == 0 and _answers(capsys) == ["A", "B"] * 6


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "save it as .docx"),
        ("a.js", b"const a = 1;", "found neither questions nor named entries in its data"),
        ("a.bin", bytes(range(256)), "no format reads files"),
    ],
)
def test_reports_why_a_file_gets_no_proposal(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, body: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(body)
    assert main([str(tmp_path / name), "--propose"]) == 1
    assert said in capsys.readouterr().err


def test_reports_how_a_file_is_read_without_a_proposal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = '<answer fraction="100"><text>甲</text></answer><answer fraction="0"><text>乙</text></answer>'
    questions = "".join(
        f'<question type="multichoice"><questiontext format="html"><text>{stem}</text></questiontext>{answers}</question>'
        for stem in _STEMS
    )
    (tmp_path / "bank.xml").write_text(f"<quiz>{questions}</quiz>", encoding="utf-8")
    assert main([str(tmp_path / "bank.xml"), "--propose"]) == 1
    assert "none is needed for its 12 questions" in capsys.readouterr().err
    (tmp_path / "bank.xml").write_text(f"<quiz>{questions.replace('100', '0', 1)}</quiz>", encoding="utf-8")
    assert main([str(tmp_path / "bank.xml"), "--propose"]) == 0
    written = (tmp_path / "bank.layout.yaml").read_text(encoding="utf-8")
    assert "none is needed" not in written and "12 questions, 1 without an answer" in written and "confirmed: no" in written


def test_a_skeleton_shows_what_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"prompt": {"words": stem}, "parts": [{"t": "甲"}, {"t": "乙"}], "ok": True} for stem in _STEMS]
    (tmp_path / "bank.json").write_text(json.dumps({"course": "x", "units": [{"rows": rows}]}, ensure_ascii=False), encoding="utf-8")
    assert main([str(tmp_path / "bank.json"), "--propose"]) == 0
    written = (tmp_path / "bank.layout.yaml").read_text(encoding="utf-8")
    assert '- under: ["units", "*", "rows", "*"]' in written and 'stem: "prompt.words"' in written and "ok" in written
    good = "".join(f"{n}. 第{n}次应先看（ ）\nA. 甲{n}\nB. 乙\nC. 丙\n答案：B\n" for n in range(1, 9))
    (tmp_path / "paper.txt").write_text(f"{good}9. 第九次应先看（ ）\nA. 甲\nB. 乙\nD. 丙\n答案：B\n", encoding="utf-8")
    assert main([str(tmp_path / "paper.txt"), "--propose"]) == 0
    written = (tmp_path / "paper.layout.yaml").read_text(encoding="utf-8")
    assert "confirmed: no" in written and "# rejected: line 41: number 9: options_unreadable" in written


def test_no_layout_of_questions_is_proposed_for_entries() -> None:
    rows = [{"name": f"病{n}", "症状": ["腹痛", "呕吐"], "就诊科室": "内科", "常用药品": "甲药"} for n in range(8)]
    with_entries = json.dumps(rows, ensure_ascii=False).encode()
    assert "entity:" in proposed_layout("a.json", with_entries) and "tables:" not in proposed_layout("a.json", with_entries)
    triples = "".join(f"病{n} {label} 内容{n}\n" for n in range(30) for label in ("症状", "科室", "药品")).encode()
    with pytest.raises(ValueError, match="entries are read as triples without a layout; no layout of questions"):
        proposed_layout("a.txt", triples)


@pytest.mark.parametrize("line", ["{n}. 第{n}次测量先看（ ）答案：B", "第{n}次测量时先看（ ）A.甲 B.乙 C.丙"])
def test_a_proposal_with_answers_or_options_in_its_stems_is_never_confirmed(line: str) -> None:
    layout = FileLayout(paper=PaperLayout(question="{stem}。"))
    body = "".join(f"{line.format(n=n)}。\n\n" for n in range(1, 9)).encode()
    compared = _compared("a.txt", body, _Proposal(layout, True), _result("a.txt", body))
    assert compared.waits and any("options or an answer in its stem" in note for note in compared.notes)


@pytest.mark.parametrize("line", ["a" * 20_000, "（" * 20_000, "1、" + "（" * 20_000, "|||" * 5_000, "甲" * 20_000 + "!"])
def test_searches_layouts_of_hostile_lines_quickly(line: str) -> None:
    start = thread_time()
    for lines in ([line] * 9, [f"{n}. {line}" for n in range(9)]):
        list(layouts_of_lines(lines))
    assert thread_time() - start < 4
