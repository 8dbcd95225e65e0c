"""All six embedded sites crawled, read, cleaned and merged: every planted defect is found under its reason, every duplicate in its cluster.

Nothing else is rejected, and what is kept says what was written.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import opencc
import pytest

from atomexam.records.cluster import Cluster
from atomexam.records.fact import Fact
from atomexam.records.params import read_params
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import read_jsonl
from atomexam.text.canonical import canonical
from crawlers.embedded.content import Content, Paper, PaperSection, Q, load_content
from crawlers.embedded.sites.ask120 import surgeries

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("planted")]

SITES = ("ask120", "xiaohe", "examcoo", "studyez", "hxter", "mxqe")
_SIMPLIFIED = opencc.OpenCC("t2s")

Asked = tuple[Paper, PaperSection, Q]
Said = tuple[str, str, frozenset[str]]
"""Case, stem and right answers of a question, all canonical."""


class Built:
    """What the stages wrote."""

    def __init__(self, folder: Path) -> None:
        self.rejected = list(read_jsonl(folder / "clean/rejected.jsonl", Rejected))
        self.merged = list(read_jsonl(folder / "unique/rejected.jsonl", Rejected))
        self.questions = list(read_jsonl(folder / "unique/questions.jsonl", Question))
        self.facts = list(read_jsonl(folder / "unique/facts.jsonl", Fact))
        self.clusters = list(read_jsonl(folder / "unique/clusters.jsonl", Cluster))


@pytest.fixture(scope="module")
def content() -> Content:
    return load_content()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Built:
    folder = tmp_path_factory.mktemp("planted")
    params = read_params(root / "params.yaml")
    params["sources"] = {name: params["sources"][name] for name in SITES}  # and none that a user has added
    (folder / "params.yaml").write_text(json.dumps(params), encoding="utf-8")

    def run(module: str, *arguments: str) -> None:
        place = os.environ | {"PYTHONPATH": str(root)}
        command = [sys.executable, "-m", module, *arguments]
        done = subprocess.run(command, cwd=folder, env=place, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{module} {' '.join(arguments)}:\n{done.stderr}"

    def items_of(source: str) -> None:
        run("crawlers.crawl", source, "--sites", "embedded", "--out", f"pages/{source}")
        run("crawlers.extract", source, "--pages", f"pages/{source}", "--out", f"items/{source}.jsonl")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(items_of, SITES))
    run("curation.clean", "--items", "items", "--out", "clean", "--metrics", "clean.json")
    paths = ("--questions", "clean/questions.jsonl", "--facts", "clean/facts.jsonl", "--out", "unique", "--metrics", "unique.json")
    run("curation.near_duplicates", *paths)
    return Built(folder)


def plain(text: str | None) -> str:
    return canonical(_SIMPLIFIED.convert(re.sub(r"^12．", "", text or "")))


def asked(content: Content) -> Iterator[Asked]:
    for paper in content.papers:
        for section in paper.sections:
            for q in section.questions:
                yield paper, section, q


def kind_of(q: Q) -> str:
    return q.planted.kind if q.planted else "sound"


def written(section: PaperSection, q: Q) -> Said:
    """Return what a question says, however it is written."""
    options = dict(zip("ABCDEFGH", q.options or section.shared_options, strict=False))
    right = [options.get(letter, "") for letter in q.answer or ""] if options else [q.answer or ""]
    return plain(section.case), plain(q.stem), frozenset(map(plain, right))


def read(question: Question) -> Said:
    """Return what a question says in the end."""
    texts = {option.letter: option.text for option in question.options}
    right = [texts[letter] for letter in question.answer or ""] if texts else [question.answer or ""]
    return plain(question.shared_stem), plain(question.stem), frozenset(map(plain, right))


def test_enough_is_planted(content: Content) -> None:
    kinds = Counter(planted.kind for planted in content.planted)
    assert kinds["defect"] >= 38 and kinds["duplicate"] >= 30 and kinds["conflict"] == 6 and kinds["near_miss"] == 8
    assert kinds["contradiction"] == 6 and kinds["value"] >= 5
    exam_sites = {planted.site for planted in content.planted if planted.kind in ("defect", "duplicate")}
    assert exam_sites == set(SITES) - {"ask120", "xiaohe"}
    assert {planted.plant.edit for planted in content.planted if planted.kind == "duplicate"} == {
        "identical", "punctuation", "full_width", "traditional", "number_prefix", "options_reordered", "one_word",
    }  # fmt: skip


def test_defects_are_rejected_under_their_reasons_and_nothing_else_is(built: Built, content: Content) -> None:
    expected = Counter((planted.site, planted.expect, plain(planted.text)) for planted in content.planted if planted.kind == "defect")
    found = Counter(
        (row.record["provenance"]["source"], row.reason, plain(re.sub(r"^\d+[、．.]", "", row.record["stem_raw"] or "")))
        for row in built.rejected
        if row.kind == "question"
    )
    assert found == expected


def test_duplicates_are_in_the_cluster_of_their_original(built: Built, content: Content) -> None:
    originals = {(paper.id, q.stem): (paper.site, written(section, q)) for paper, section, q in asked(content)}
    seen = {said: [] for said in map(read, built.questions)}
    for question in built.questions:
        seen[read(question)].append(question)
    expected = Counter()
    for planted in content.planted:
        if planted.kind != "duplicate":
            continue
        site, said = originals[planted.plant.of.paper, planted.plant.of.stem]
        kept = seen.get(said) or seen[originals[planted.paper, planted.text][1]]
        assert len(kept) == 1, planted
        assert sorted(place.source for place in kept[0].provenance) == sorted([site, planted.site]), planted
        expected[planted.expect, kept[0].id] += 1
    found = Counter((row.reason, row.detail) for row in built.merged if row.kind == "question" and row.reason != "conflicting_answers")
    assert found == expected
    members = {cluster.cluster_id: cluster for cluster in built.clusters if cluster.kept}
    assert sorted(cluster.kept for cluster in members.values()) == sorted(expected_id for _, expected_id in expected)
    assert all(question.cluster_id in members for question in built.questions if len(question.provenance) > 1)


def test_conflicting_answers_go_with_all_their_rows(built: Built, content: Content) -> None:
    expected = Counter((planted.site, plain(planted.text)) for planted in content.planted if planted.kind == "conflict")
    found = Counter(
        (place["source"], plain(row.record["stem"]))
        for row in built.merged
        if row.reason == "conflicting_answers"
        for place in row.record["provenance"]
    )
    assert found == expected


def test_near_misses_stay_apart(built: Built, content: Content) -> None:
    by_said = {read(question): question for question in built.questions}
    kept: dict[tuple[int, str, str | None], Question] = {}
    pairs = []
    for paper, section, q in asked(content):
        if kind_of(q) == "near_miss":
            question = kept[paper.id, q.stem, section.case] = by_said[written(section, q)]
            if q.planted.of:
                pairs.append((question, q.planted.of))
    assert len(pairs) == 4
    for question, of in pairs:
        other = kept[of.paper, of.stem, of.case]
        assert question.id != other.id and question.cluster_id != other.cluster_id


def test_what_is_kept_says_what_was_written(built: Built, content: Content) -> None:
    originals = {(one.plant.of.paper, one.plant.of.stem) for one in content.planted if one.kind == "duplicate"}
    sound = {written(section, q): (paper, section, q) for paper, section, q in asked(content) if kind_of(q) in ("sound", "near_miss")}
    twins = {written(section, q) for _, section, q in asked(content) if q.planted and q.planted.edit == "one_word"}
    # Two questions stand in an article that the API of mxqe alone has, and not in the content.
    questions = [one for one in built.questions if "//api.mxqe." not in one.provenance[0].url]
    found = Counter(map(read, questions))
    assert set(found.values()) == {1} and set(found) <= set(sound) | twins
    assert len(set(found) - set(sound)) == len(set(sound) - set(found)) <= len(twins)
    for question in questions:
        paper, section, q = sound.get(read(question), (None, None, None))
        if paper is None or (paper.id, q.stem) in originals:  # kept in the words or at the place of its duplicate
            continue
        assert (question.exam, question.subject, question.question_type) == (paper.exam, paper.subject, q.type), q.stem
        assert question.form == q.form and question.category == ("ca" if section.case and paper.exam != "TCM" else "kg"), q.stem
        assert bool(question.group_id) == bool(section.case or section.shared_options), q.stem


def test_questions_of_one_case_share_a_group(built: Built, content: Content) -> None:
    groups = defaultdict(set)
    for question in built.questions:
        if question.shared_stem:
            groups[plain(question.shared_stem)].add(question.group_id)
    cases = {plain(section.case) for _, section, _ in asked(content) if section.case}
    assert set(groups) == cases and all(len(ids) == 1 for ids in groups.values())


def test_bad_values_are_rejected_under_their_reasons(built: Built, content: Content) -> None:
    def shown(row: Rejected) -> tuple[Any, ...]:
        record = row.record
        return record["provenance"][0]["source"], row.reason, record["head"], record["relation"], record["tail"]

    expected = Counter(
        (planted.site, planted.expect, planted.text, planted.fact.relation, planted.fact.tail)
        for planted in content.planted
        if planted.kind == "value"
    )
    # ask120 cuts some lists within a word; what is left of that word is no symptom.
    # Its leaflets say indications in prose; what a strict reader doubts of it is no planted value.
    found = Counter(shown(row) for row in built.rejected if row.kind == "fact" and row.detail != "cut off by the source")
    leaflets = Counter(
        {row: count for row, count in found.items() if row[:2] == ("ask120", "prose_unsure") and row[3].startswith("western_")}
    )
    assert found - leaflets == expected
    # The home of a surgery says its department and anaesthesia, of which no claim is made; its parts are pages of their own.
    entities = Counter((row.reason, row.record["name_raw"]) for row in built.rejected if row.kind == "entity")
    assert entities == Counter(("entity_empty", surgery.name) for surgery in surgeries())


def test_contradictions_go_with_both_sides(built: Built, content: Content) -> None:
    planted = {(one.site, one.text, one.fact.tail == "有传染性") for one in content.planted if one.kind == "contradiction"}
    rows = [row.record for row in built.merged if row.reason == "conflicting_polarity"]
    assert {(row["provenance"][0]["source"], row["head"], row["polarity"]) for row in rows} == planted
    assert len(rows) == len(planted) and {row["relation"] for row in rows} == {"disease_infectivity"}
    names = {one.text for one in content.planted if one.kind == "contradiction"}
    kept = {fact.head for fact in built.facts if fact.head in names}
    assert kept == names  # all else that their pages say stays
    assert not [fact for fact in built.facts if fact.head in names and fact.relation == "disease_infectivity"]


def test_facts_of_both_encyclopedias_are_one(built: Built, content: Content) -> None:
    for disease in content.diseases:
        if disease.planted or set(disease.sites) != {"ask120", "xiaohe"} or disease.infectious is None:
            continue
        (fact,) = (one for one in built.facts if one.head == disease.name and one.relation == "disease_infectivity")
        assert fact.polarity == disease.infectious and {place.source for place in fact.provenance} == {"ask120", "xiaohe"}
