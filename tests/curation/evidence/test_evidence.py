"""Passages that mention claims."""

from pathlib import Path

import msgspec
import pytest

from atomexam.records.claim import Evidence, Passage, passage_id
from atomexam.records.fact import Fact, fact_id
from atomexam.records.params import Claims
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from curation.claims.claim_pairs import make_claims
from curation.engine import engines
from curation.evidence import ranking
from curation.evidence.__main__ import evidence_of, main
from curation.evidence.ranking import best_sentence, passages_of_search, ranked, results_in


def fact(relation: str, head: str, tail: str, *sources: str) -> Fact:
    seen = [Provenance(source=s, url=f"https://{s}/1", snapshot="2026-11-20", page_id="page-1", position="p") for s in sources]
    return Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=True, provenance=seen)


def passage(source: str, text: str) -> Passage:
    url = f"https://{source}/{len(text)}"
    return Passage(id=passage_id(url, text), text=text, source=source, url=url, section=None)


CLAIMS, _ = make_claims(
    [fact("disease_symptom", "胰尾癌", "腹痛", "ask120"), fact("disease_cause", "病毒性肠炎", "诺瓦克病毒", "ask120", "xiaohe")],
    Claims(per_type=9, template="paper", seed=1),
)
PASSAGES = [
    passage("ask120", "胰尾癌的病人常说腹痛，夜里更重。"),
    passage("xiaohe", "胰尾癌早期多无感觉，腹痛出现时往往已晚。"),
    passage("xiaohe", "腹痛的原因很多，要看部位。"),
    passage("xiaohe", "病毒性肠炎多由诺瓦克病毒引起。"),
    passage("ask120", "＝1+1 苹果富含果胶。"),
]


def found(most: int = 10) -> dict[str, list[Evidence]]:
    rows: dict[str, list[Evidence]] = {}
    for row in map(evidence_of, ranked(CLAIMS, PASSAGES, most)):
        rows.setdefault(row.claim_id, []).append(row)
    return rows


def by_tail(tail: str) -> str:
    return next(claim.id for claim in CLAIMS if claim.tail == tail)


@pytest.mark.slow
def test_passage_about_the_claim_comes_first() -> None:
    texts = {p.id: p.text for p in PASSAGES}
    rows = found()[by_tail("腹痛")]
    assert texts[rows[0].passage] == "胰尾癌早期多无感觉，腹痛出现时往往已晚。"
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)


@pytest.mark.slow
def test_claim_of_one_source_gets_only_passages_of_others() -> None:
    assert {row.source for row in found()[by_tail("腹痛")]} == {"xiaohe"}
    assert {row.source for row in found()[by_tail("诺瓦克病毒")]} == {"xiaohe"}


@pytest.mark.slow
def test_passage_without_a_shared_word_is_no_evidence() -> None:
    assert all(row.passage != PASSAGES[4].id for rows in found().values() for row in rows)


@pytest.mark.slow
def test_order_of_passages_does_not_matter() -> None:
    assert list(ranked(CLAIMS, PASSAGES, 10)) == list(ranked(CLAIMS, PASSAGES[::-1], 10))


@pytest.mark.slow
def test_no_more_than_requested() -> None:
    assert all(len(rows) == 1 for rows in found(1).values())


def test_nothing_to_search_gives_nothing() -> None:
    assert list(ranked(CLAIMS, [], 10)) == []
    assert list(ranked([], PASSAGES, 10)) == []


@pytest.mark.slow
def test_stage_writes_same_bytes_twice(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "c.jsonl", CLAIMS, key=lambda c: c.id)
    write_jsonl(tmp_path / "p.jsonl", PASSAGES, key=lambda p: p.id)
    argv = [f"--{name}={tmp_path / path}" for name, path in [("claims", "c.jsonl"), ("passages", "p.jsonl"), ("out", "e.jsonl")]]
    argv += [f"--annotation={tmp_path}/annotation", f"--metrics={tmp_path}/m.json"]
    main(argv)
    written = [tmp_path / "e.jsonl", *sorted((tmp_path / "annotation").iterdir())]
    first = [path.read_bytes() for path in written]
    main(argv)
    assert first == [path.read_bytes() for path in written]
    assert [path.name for path in written[1:]] == ["claims.xlsx", "label_studio.json", "label_studio.xml", "passages.jsonl"]
    rows = list(read_jsonl(tmp_path / "e.jsonl", Evidence))
    assert len(rows) == msgspec.json.decode((tmp_path / "m.json").read_bytes())["evidence"]
    named = {one.id: one for one in read_jsonl(tmp_path / "annotation/passages.jsonl", Passage)}
    assert {row.passage for row in rows} == set(named)
    assert all(0 <= row.start < row.end <= len(named[row.passage].text) for row in rows)


def test_annotators_get_no_reserved_claim(tmp_path: Path) -> None:
    reserved, others = CLAIMS[:1], CLAIMS[1:]
    for name, rows in (("claims", CLAIMS), ("passages", []), ("reserved", reserved)):
        write_jsonl(tmp_path / name, rows, key=lambda one: one.id)
    main([f"--{name}={tmp_path / name}" for name in ("claims", "passages", "reserved", "out", "annotation", "metrics")])
    tasks = msgspec.json.decode((tmp_path / "annotation/label_studio.json").read_bytes())
    assert {task["data"]["claim_id"] for task in tasks} == {one.id for one in others}


@pytest.mark.slow
def test_claim_of_several_sources_gets_no_passage_of_its_own_pages() -> None:
    own = [passage("ask120", "病毒性肠炎与诺瓦克病毒。"), passage("xiaohe", "诺瓦克病毒会引起病毒性肠炎吗？会。")]
    pages = [msgspec.structs.replace(own[0], url="https://ask120/1"), own[1]]
    shown = [one.passage.url for one in ranked(CLAIMS, pages, 10) if one.claim.id == by_tail("诺瓦克病毒")]
    assert shown == [own[1].url]


@pytest.mark.slow
def test_shows_equal_texts_once_and_fills_up_with_others() -> None:
    copies = [
        Passage(id=f"passage-{n:03}", text=f"胰尾癌，腹痛{'。' if n % 2 else '！'}", source=f"s{n}", url="https://a/1") for n in range(90)
    ]
    more = [Passage(id=f"passage-x{n}", text=f"腹痛的第{n}种原因是饮食不当", source="b", url="https://b/1") for n in range(5)]
    rows = [one for one in ranked(CLAIMS, copies + more, 4) if one.claim.tail == "腹痛"]
    assert [one.passage.id for one in rows] == ["passage-000", "passage-x0", "passage-x1", "passage-x2"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("头痛常见。胰尾癌者有腹痛，夜里更重！别的不详", "胰尾癌者有腹痛，夜里更重！"),
        ("  腹痛；胰尾癌。\n", "胰尾癌。"),
        ("全无关系", "全无关系"),
        ("一。\n  胰尾癌：\n腹痛。", "胰尾癌："),
    ],
)
def test_marks_the_best_matching_sentence(text: str, sentence: str) -> None:
    start, end = best_sentence(text, "胰尾癌", "腹痛", ["胰", "尾", "癌", "腹痛"])
    assert text[start:end] == sentence


def line(query: str, rank: int, **more: str) -> str:
    return msgspec.json.encode(
        {"query": query, "rank": rank, "url": "https://web.example/1", "text": "胰尾癌。腹痛<b>常见</b>。"} | more
    ).decode()


@pytest.mark.slow
def test_saved_results_keep_the_search_order(tmp_path: Path) -> None:
    claim = next(one for one in CLAIMS if one.tail == "腹痛")
    lines = [
        line(claim.factual, 3, text="三。"),
        line(claim.factual + "。", 1),
        line("别的", 1),
        line(claim.factual, 2, url="https://two.example/", extra="x"),
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    rows = list(passages_of_search(CLAIMS, results_in(tmp_path), 9))
    assert [(one.claim.id, one.passage.text, one.rank, one.score) for one in rows] == [
        (claim.id, "胰尾癌。腹痛常见。", 1, 1.0),
        (claim.id, "三。", 2, 0.3333),
    ]
    row = evidence_of(rows[0])
    assert rows[0].passage.text[row.start : row.end] == "胰尾癌。" and row.source == "web.example"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([line("a", 1, url="javascript:alert(1)")], r"a\.jsonl:1: url: expected an address"),
        ([line("a", 1), line("a", 1, text="另")], r"a\.jsonl:2: two results of rank 1"),
        ([line("a", 0)], r"a\.jsonl:1: .*rank"),
        (["{"], r"a\.jsonl:1: "),
    ],
)
def test_reports_an_invalid_search(lines: list[str], told: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    with pytest.raises(ValueError, match=told):
        results_in(tmp_path)


@pytest.mark.slow
def test_segmentation_is_the_same_in_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"胰尾癌第{n}例，腹痛。" for n in range(2_500)]
    alone = ranking.tokens_of(texts, ["胰尾癌", "第1例"])
    monkeypatch.setattr(engines, "cores", lambda: 2)
    monkeypatch.setattr(ranking, "_BATCH", 100)
    assert ranking.tokens_of(texts, ["胰尾癌", "第1例"]) == alone


@pytest.mark.slow
def test_scores_follow_the_bm25_formula() -> None:
    """Robertson's BM25 with Lucene's idf, computed independently over the same words."""
    import math

    texts = [f"{'腹痛' * (n % 3)}胰尾癌{'的病人' * (n % 5)}" for n in range(30)]
    every = [Passage(id=f"passage-{n:03}", text=text, source="b", url="https://b/1") for n, text in enumerate(texts)]
    cut = ranking.tokens_of(texts, ["胰尾癌", "腹痛"])
    names = list(cut.vocab)
    docs = [[names[one] for one in ids] for ids in cut.ids]
    mean = sum(map(len, docs)) / len(docs)

    def score(doc: list[str]) -> float:
        total = 0.0
        for word in ("胰尾癌", "腹痛"):
            has, tf = sum(word in one for one in docs), doc.count(word)
            total += math.log(1 + (len(docs) - has + 0.5) / (has + 0.5)) * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(doc) / mean))
        return total

    claim = next(one for one in CLAIMS if one.tail == "腹痛")
    for one in ranked([claim], every, 10):
        assert one.score == pytest.approx(score(docs[int(one.passage.id[-3:])]), abs=2e-4)
