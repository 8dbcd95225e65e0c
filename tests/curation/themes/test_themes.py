"""From queries to atomic types, as in SdAK, section 3.1: sampled, coded, merged, counted."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

import curation.themes.__main__ as themes
from atomexam.runtime.jsonl import read_jsonl
from atomexam.runtime.sheets import read_sheet, write_sheet
from curation.themes.coding import (
    Coded,
    Query,
    Theme,
    propose,
    query_id,
    read_codebook,
    read_coding_sheet,
    read_queries,
    sample_queries,
    tabulate,
)

VOCAB = Path(themes.__file__).parents[1] / "vocab"
INTENTS = {"病情诊断": "Diagnosis", "病因分析": "Cause", "其他": None}
COLUMNS = ["id", "intent", "query", "proposed", "because", "confirm", "code", "comment"]
BOOK = {
    "symptom": Theme("Disease-Symptom"),
    "early": Theme("Disease-Symptom"),
    "cause": Theme("Disease-Cause"),
    "price": Theme("price", "cost"),
}


def query(text: str, intent: str = "Cause") -> Query:
    return Query(query_id(intent, text), intent, text)


def coded(text: str, code: str, coder: str = "one", intent: str = "Cause") -> Coded:
    return Coded(query_id(intent, text), intent, text, coder, [code])


def sheet(path: Path, **cells: str) -> Path:
    text = cells.pop("query", "痛风的原因")
    filled = {"id": query("痛风的原因").id, "intent": "Cause", "query": text, "proposed": "cause"} | cells
    write_sheet(path, COLUMNS, [[filled.get(name, "") for name in COLUMNS]])
    return path


@pytest.mark.parametrize("lines", [False, True])
def test_reads_each_query_once_and_skips_other_intents(lines: bool, tmp_path: Path) -> None:
    rows = [("痛风的原因", "病因分析"), ("痛风的原因 ", "病因分析"), ("痛风的原因", "病情诊断"), ("你好", "其他"), ("？？", "病因分析")]
    records = [{"id": f"s{place}", "query": text, "label": label} for place, (text, label) in enumerate(rows)]
    path = tmp_path / "queries.json"
    path.write_text("\n".join(map(json.dumps, records)) if lines else json.dumps(records))
    assert [(one.intent, one.text) for one in read_queries(path, INTENTS)] == [("Cause", "痛风的原因"), ("Diagnosis", "痛风的原因")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('[{"query": "甲", "label": "天气"}]', "unknown intents 天气; known: 病情诊断"),
        ('[{"query": "甲", "label": "天气"}]', r"add them to `intents` in curation/vocab/themes\.yaml, or in a copy that --keywords names"),
        ('[{"query": 1, "label": "其他"}]', "expected the layout of KUAKE-QIC"),
        ("[]", r"q\.json: no records; expected the layout of KUAKE-QIC"),
        ("", "no records"),
        ("甲\t其他", "expected the layout of KUAKE-QIC"),
    ],
)
def test_rejects_another_layout(content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text(content)
    with pytest.raises(ValueError, match=told):
        read_queries(tmp_path / "q.json", INTENTS)


@settings(max_examples=50, deadline=None)
@given(
    texts=st.sets(st.text("甲乙丙丁戊", min_size=1, max_size=4), min_size=1),
    more=st.sets(st.text("己庚辛", min_size=1, max_size=3)),
    seed=st.integers(0, 9),
)
def test_sampling_depends_only_on_the_query(texts: set[str], more: set[str], seed: int) -> None:
    few = sample_queries([query(text) for text in sorted(texts)], 3, seed, ["Cause"])
    assert few == sample_queries([query(text) for text in sorted(texts, reverse=True)], 3, seed, ["Cause"])
    assert len(few) == min(3, len(texts))
    later = sample_queries([query(text) for text in texts | more], 3, seed, ["Cause"])
    assert [one for one in later if one.text in texts] == [one for one in few if one in later]  # in one order


def test_proposal_names_the_keyword_and_depends_on_the_intent() -> None:
    codes = {"symptom": {"any": ["症状"], "Cause": ["痛"]}, "cause": {"any": ["原因"]}}
    assert [tuple(one) for one in propose(query("头痛的原因"), codes)] == [("cause", "原因"), ("symptom", "痛")]
    assert [one.code for one in propose(query("头痛的原因", "Diagnosis"), codes)] == ["cause"]
    assert propose(query("你好"), codes) == []


def test_every_proposed_code_is_in_the_codebook() -> None:
    yaml = YAML(typ="safe", pure=True)
    table, book = yaml.load(VOCAB / "themes.yaml"), read_codebook(yaml.load(VOCAB / "codebook.yaml"), "codebook.yaml")
    assert set(table["codes"]) <= set(book)
    names = {name for name in table["intents"].values() if name}
    assert all(set(keywords) <= names | {"any"} for keywords in table["codes"].values())
    assert len({theme.type for theme in book.values() if not theme.dropped}) == 17


def test_filled_sheet_gives_codes(tmp_path: Path) -> None:
    assert read_coding_sheet(sheet(tmp_path / "a.xlsx"), "one") == []
    assert read_coding_sheet(sheet(tmp_path / "a.xlsx", confirm="Yes"), "one")[0].codes == ["cause"]
    assert read_coding_sheet(sheet(tmp_path / "a.xlsx", confirm="yes", code="early；symptom; "), "one")[0].codes == ["early", "symptom"]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"query": "痛风的症状", "code": "cause"}, r"a\.xlsx:2: intent, query or id was changed"),
        ({"confirm": "no"}, "confirm is 'no'; expected yes or nothing"),
        ({"confirm": "yes", "proposed": ""}, "confirmed, but no code was proposed"),
    ],
)
def test_rejects_an_invalid_sheet(cells: dict[str, str], told: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=told):
        read_coding_sheet(sheet(tmp_path / "a.xlsx", **cells), "one")


def test_counts_of_types_match_a_count_by_hand() -> None:
    rows = (
        [coded(f"甲{n}", "cause") for n in range(12)]
        + [coded(f"乙{n}", "symptom" if n % 2 else "early") for n in range(6)]
        + [coded("丙", "price")]
    )
    table = tabulate(rows, BOOK, ["Cause"], 0.1)
    found = table["intents"]["Cause"]
    assert [(row["type"], row["count"], row["share"]) for row in found["types"]] == [
        ("Disease-Cause", 12, 0.6316),
        ("Disease-Symptom", 6, 0.3158),
    ]
    assert (found["queries"], found["others"], found["covered"]) == (19, 1, 0.9474)
    assert found["types"][0]["interval"] == [0.4104, 0.8085]  # Wilson: (p + z²/2n ± z√(p(1-p)/n + z²/4n²)) / (1 + z²/n)
    assert table["types"] == ["Disease-Cause", "Disease-Symptom"] and table["agreement"] is None
    assert tabulate(rows, BOOK, ["Cause"], 0)["intents"]["Cause"]["types"][-1]["dropped"] == "cost"


def test_majority_of_coders_decides_and_agreement_is_reported() -> None:
    rows = [coded("甲", "cause", coder) for coder in "abc"] + [
        coded("乙", "cause", "a"),
        coded("乙", "symptom", "b"),
        coded("乙", "early", "c"),
    ]
    rows += [coded("丙", "cause", "a"), coded("丙", "symptom", "b")]
    table = tabulate(rows, BOOK, ["Cause"], 0)
    found = table["intents"]["Cause"]
    assert Counter({row["type"]: row["count"] for row in found["types"]}) == {"Disease-Cause": 1, "Disease-Symptom": 1}
    assert found["others"] == 1  # undecided
    # by hand: o(cc)=3, o(cs)=o(sc)=2 (乙: 1, 丙: 1), o(ss)=1; n=8, n(c)=5, n(s)=3: 1 - 7 * 4 / (2 * 5 * 3)
    assert table["agreement"] == {"queries": 3, "alpha": 0.0667}
    assert tabulate(rows[:3], BOOK, ["Cause"], 0)["agreement"] == {"queries": 1, "alpha": None}


def test_reports_a_code_missing_from_the_codebook() -> None:
    with pytest.raises(ValueError, match=r"codes missing from the codebook: sympton \(2\); add them"):
        tabulate([coded("甲", "sympton"), coded("乙", "sympton")], BOOK, [], 0)


@pytest.mark.parametrize("book", [{}, ["甲"], {"cause": 3}, {"cause": {"drop": ""}}, {"cause": {"keep": "x"}}])
def test_rejects_an_invalid_codebook(book: object) -> None:
    with pytest.raises(ValueError, match=r"book\.yaml"):
        read_codebook(book, "book.yaml")


def test_all_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["=痛风的原因", "痛风怎么引起", "为什么头晕", "牛皮癣的原因|甲", "失眠<b>什么原因"]
    (tmp_path / "q.json").write_text(json.dumps([{"query": text, "label": "病因分析"} for text in texts]))
    themes.main(["draw", str(tmp_path / "q.json"), "--out", str(tmp_path / "one.xlsx")])
    assert "Cause                5, fewer than 200: all there are\n" in capsys.readouterr().out
    rows = [[row.cells[name] for name in COLUMNS] for row in read_sheet(tmp_path / "one.xlsx")]
    assert len(rows) == 5
    for name, codes in (("one", ["disease_cause"] * 5), ("two", ["disease_cause"] * 4 + ["disease_symptom"])):
        filled = [[*row[:6], code, ""] for row, code in zip(rows, codes, strict=True)]
        write_sheet(tmp_path / f"{name}.xlsx", COLUMNS, filled)
    themes.main(["codes", str(tmp_path / "one.xlsx"), str(tmp_path / "two.xlsx"), "--out", str(tmp_path / "codes.jsonl")])
    assert len(list(read_jsonl(tmp_path / "codes.jsonl", Coded))) == 10
    themes.main(["table", str(tmp_path / "codes.jsonl"), "--out", str(tmp_path / "out")])
    table = json.loads((tmp_path / "out/themes.json").read_text())
    assert [(row["type"], row["count"]) for row in table["intents"]["Cause"]["types"]] == [("Disease-Cause", 4)]
    assert table["agreement"]["queries"] == 5 and table["intents"]["Cause"]["others"] == 1
    assert (tmp_path / "out/themes.md").read_text() == capsys.readouterr().out.partition("coders\n")[2]
    with pytest.raises(ValueError, match="several sheets belong to the coder one"):
        themes.main(["codes", str(tmp_path / "one.xlsx"), str(tmp_path / "one.xlsx"), "--out", str(tmp_path / "codes.jsonl")])


def told_of(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Return what a user reads after a command that fails."""
    with pytest.raises((ValueError, OSError, SystemExit)) as found:
        themes.main(list(argv))
    return capsys.readouterr().err if found.type is SystemExit else str(found.value)


def test_errors_name_the_next_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert told_of(capsys, "draw", "q.json", "--out", "a.xlsx").startswith("q.json: no such file; name one in the layout of KUAKE-QIC")
    Path("q.json").write_text(json.dumps([{"query": "痛风的原因", "label": "病因分析"}]))
    assert "expected .xlsx" in told_of(capsys, "draw", "q.json", "--out", "a.csv")
    themes.main(["draw", "q.json", "--out", "a.xlsx"])
    assert "a coder may have filled it in; name another file" in told_of(capsys, "draw", "q.json", "--out", "a.xlsx")
    assert told_of(capsys, "codes", "b.xlsx", "--out", "c.jsonl") == "b.xlsx: no such file; name a filled table, .xlsx or .csv"
    assert told_of(capsys, "codes", "a.xlsx", "--out", "c.jsonl") == "a.xlsx: no query is coded; fill in `confirm` or `code` first"
    command = "`python -m curation.themes codes SHEETS --out c.jsonl` makes it"
    assert told_of(capsys, "table", "c.jsonl", "--out", "t") == f"c.jsonl: no such file; {command}"
    Path("c.jsonl").write_text("{}\n")
    assert (told := told_of(capsys, "table", "c.jsonl", "--out", "t")).startswith("c.jsonl:1: ") and told.endswith(command)
    assert "no such file; name an existing one" in told_of(capsys, "table", "c.jsonl", "--out", "t", "--codebook", "b.yaml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a: b", "expected `intents` and `codes`, as in curation/vocab/themes.yaml, found a"),
        ("[1]", "expected `intents` and `codes`"),
        ("intents: {病因分析: [a]}\ncodes: {}", r"k\.yaml: intents: Expected `str"),
        ("a: [", r"k\.yaml: not YAML \(.*line 1.*correct the line"),
        ("[" * 3000, r"k\.yaml: not YAML \(nested too deeply\); correct the line"),
    ],
)
def test_rejects_invalid_keywords(content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "k.yaml").write_text(content)
    with pytest.raises(ValueError, match=told):
        themes.main(["draw", "q.json", "--out", str(tmp_path / "a.xlsx"), "--keywords", str(tmp_path / "k.yaml")])


def test_drops_an_apostrophe_before_a_code(tmp_path: Path) -> None:
    [one] = read_coding_sheet(sheet(tmp_path / "a.xlsx", code="'cause", comment="'=1+1"), "one")
    assert (one.codes, one.comment) == (["cause"], "=1+1")
    assert read_coding_sheet(sheet(tmp_path / "b.xlsx", confirm="'yes"), "one")[0].codes == ["cause"]


def test_queries_of_the_published_set(real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    themes.main(["draw", str(real_data / "kuake_qic/sample_2000.json"), "--out", str(tmp_path / "a.xlsx")])
    told = capsys.readouterr().out
    assert [line.split()[0] for line in told.splitlines()[:-1]] == [
        name for name in YAML(typ="safe").load(VOCAB / "themes.yaml")["intents"].values() if name
    ]
    assert "Method             200\n" in told
