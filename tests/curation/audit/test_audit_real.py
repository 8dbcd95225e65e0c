"""The audit of a published set against independent counts, which share only the rule for when two questions are the same."""

import json
import re
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from curation.audit.__main__ import CLEAN, NEAR_DUPLICATES
from curation.audit.findings import findings_of
from curation.audit.sets import AuditedQuestion, SplitOf, audited_questions, read_set
from curation.near_duplicates.clusters import MIN_NGRAMS
from curation.near_duplicates.same_question import compared_question, relation

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("audit_real")]  # read once, by one process
N = NEAR_DUPLICATES.ngram_chars
_LOOSE = 0.4  # questions with one stem are compared below the threshold, too: which ones is up to the rule


@pytest.fixture(scope="module")
def rows(real_data: Path) -> list[AuditedQuestion]:
    return audited_questions(read_set([str(real_data / "cpsyexam")], "cpsyexam"), SplitOf(), CLEAN)


@pytest.fixture(scope="module")
def found(rows: list[AuditedQuestion]) -> dict[str, Any]:
    return findings_of(rows, None, NEAR_DUPLICATES)


@pytest.fixture(scope="module")
def records(real_data: Path) -> dict[str, list[dict]]:
    """The set as published, one record per line."""
    files = sorted((real_data / "cpsyexam").glob("*.jsonl"))
    return {file.name: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in files}


def letters_only(text: str) -> str:
    """Return a text with only letters, digits, and the signs of numbers and comparisons."""
    return re.sub(r"[^\w<>≤≥=+×÷±%‰./:-]|_", "", text.lower())


def grams(text: str) -> set[str]:
    return {text[at : at + N] for at in range(len(text) - N + 1)}


def test_reads_all_questions_of_the_files(found: dict[str, Any], records: dict[str, list[dict]]) -> None:
    assert {one["file"]: one["questions"] for one in found["files"]} == {file: len(lines) for file, lines in records.items()}
    published = Counter(line["published_split"] for lines in records.values() for line in lines if "published_split" in line)
    told = Counter()
    for one in found["files"]:
        told[one["split"]] += one["questions"]
    assert published and all(told[split] >= count for split, count in published.items())


def test_counts_letters_of_plain_keys(found: dict[str, Any], rows: list[AuditedQuestion], records: dict[str, list[dict]]) -> None:
    """Of keys with one letter in a record with four options, all except those of questions that were read differently."""
    plain = Counter()
    for file in ("train.jsonl", "dev.jsonl"):
        for line in records[file]:
            if sum(bool(text.strip()) for text in line["options"].values()) == 4 and re.fullmatch("[A-D]", line["answer"]):
                plain[line["answer"]] += 1
    [table] = [table for table in found["letters"]["tables"] if table["options"] == 4]
    assert (
        sum((plain - Counter(table["letters"])).values()) + sum((Counter(table["letters"]) - plain).values()) <= 0.01 * table["questions"]
    )
    even = table["questions"] / 4
    assert table["chi_square"] == pytest.approx(sum((count - even) ** 2 / even for count in table["letters"].values()), abs=1e-3)


def test_reports_all_multiple_response_questions_with_one_answer(found: dict[str, Any], records: dict[str, list[dict]]) -> None:
    one_letter = sum(
        line["question_type"] == "multi" and bool(re.fullmatch(r"\s*[A-J]\s*[,，、]?\s*", line.get("answer") or ""))
        for lines in records.values()
        for line in lines
    )
    told = sum(found["defects"][name]["count"] for name in ("type_and_answer_disagree", "section_type"))
    assert one_letter and abs(told - one_letter) <= 0.05 * one_letter


def test_finds_identical_questions_of_test_and_train(found: dict[str, Any], records: dict[str, list[dict]]) -> None:
    """Counted on the raw records: equal letters of stem and options. The audit finds them all, and those with blemishes, too."""

    def whole(line: dict) -> tuple[str, ...]:
        options = (line.get("options") or {}).values()
        return letters_only(line["question"]), *sorted(letters_only(text) for text in options if text.strip())

    held: dict[str, set] = defaultdict(set)
    for file, lines in records.items():
        held["train" if "train" in file else "test" if "test" in file else "dev"] |= {whole(line) for line in lines}
    tested = [whole(line) for file in ("test.jsonl", "qa_test.jsonl") for line in records[file]]
    equal = sum(line in held["train"] for line in tested)
    [across] = [one for one in found["twins_across_splits"] if (one["of"], one["in"]) == ("test", "train")]
    assert 0.9 * across["identical"] <= equal <= across["identical"] + across["near"]


def test_compares_answers_of_equal_questions_of_dev_and_train(found: dict[str, Any], records: dict[str, list[dict]]) -> None:
    """Counted on the raw records with options, which have keys in both. The audit may find more, as many as it has more twins."""

    def asked(line: dict) -> tuple[tuple[str, ...], frozenset[str] | None]:
        texts = {letter: letters_only(text) for letter, text in line["options"].items() if text.strip()}
        right = re.findall("[A-J]", line.get("answer") or "") if re.fullmatch(r"[A-J ,，、]+", line.get("answer") or "") else []
        key = frozenset(texts[letter] for letter in right) if right and set(right) <= texts.keys() else None
        return (letters_only(line["question"]), *sorted(texts.values())), key

    known: dict[tuple, set] = defaultdict(set)
    for question, key in map(asked, records["train.jsonl"]):
        known[question].add(key)
    pairs = [(key, known[question]) for question, key in map(asked, records["dev.jsonl"]) if question in known]
    same = sum(key is not None and key in keys for key, keys in pairs)
    other = sum(key is not None and None not in keys and key not in keys for key, keys in pairs)
    [across] = [one for one in found["twins_across_splits"] if (one["of"], one["in"]) == ("dev", "train")]
    twins = across["identical"] + across["near"]
    assert same and other and twins == across["same_answer"] + across["answer_unknown"] + across["other_answer"]
    assert same <= across["same_answer"] <= same + twins - len(pairs)
    assert other <= across["other_answer"] <= other + twins - len(pairs)
    assert across["answer_share"] == pytest.approx((twins - across["other_answer"]) / across["questions"], abs=1e-6)


def test_twins_of_test_in_train_equal_brute_force(found: dict[str, Any], rows: list[AuditedQuestion]) -> None:
    questions = [(row, compared_question(row.question, N)) for row in rows if row.question.stem]
    case_of = _cases({one.case for _, one in questions if one.case})
    train = [one for row, one in questions if row.split == "train"]
    keys = Counter((one.stem, one.case, one.options) for one in train)
    cases = {case_of[one.case] for one in train if one.case}
    sets = [grams(one.text) for one in train]
    holders: dict[str, list[int]] = defaultdict(list)
    for place, own in enumerate(sets):
        for gram in own:
            holders[gram].append(place)
    counts = Counter()
    for row, one in questions:
        if row.split == "test":
            own = grams(one.text)
            shared = Counter(place for gram in own for place in holders.get(gram, ()))
            loose = [place for place, count in shared.items() if _near(count, own, sets[place], _LOOSE)]
            asking = [place for place in loose if relation(one, train[place], NEAR_DUPLICATES)]
            near = any(
                one.text == train[place].text or (min(len(own), len(sets[place])) >= MIN_NGRAMS and _near(shared[place], own, sets[place]))
                for place in asking
            )
            kind = "identical" if (one.stem, one.case, one.options) in keys else "near" if near else "maybe" if asking else None
            counts[kind or ("shared_case_only" if one.case and case_of[one.case] in cases else "none")] += 1
    [across] = [one for one in found["twins_across_splits"] if (one["of"], one["in"]) == ("test", "train")]
    assert across["identical"] == counts["identical"]
    assert counts["near"] <= across["near"] <= counts["near"] + counts["maybe"] <= 1.5 * counts["near"]
    assert counts["shared_case_only"] <= across["shared_case_only"] <= counts["shared_case_only"] + counts["maybe"]
    assert 0.1 < across["share"] < 0.125  # one in nine; it would be one in five if questions on a shared case counted as twins
    assert 0.17 < (across["identical"] + across["near"] + across["shared_case_only"]) / across["questions"] < 0.22


def _near(shared: int, own: set[str], other: set[str], threshold: float = NEAR_DUPLICATES.threshold) -> bool:
    return shared / (len(own) + len(other) - shared) >= threshold


def _cases(texts: set[str]) -> dict[str, int]:
    """Return the number of the group of each case: cases that are near each other, directly or through others."""
    listed = sorted(texts)
    sets, group = [grams(text) for text in listed], list(range(len(listed)))
    for a, b in combinations(range(len(listed)), 2):
        if _near(len(sets[a] & sets[b]), sets[a], sets[b], NEAR_DUPLICATES.case_threshold):
            group = [group[a] if number == group[b] else number for number in group]
    return dict(zip(listed, group, strict=True))


def test_conflicting_keys_include_all_equal_questions_with_other_letters(found: dict[str, Any], rows: list[AuditedQuestion]) -> None:
    keys: dict[tuple, set] = defaultdict(set)
    places: dict[tuple, set] = defaultdict(set)
    for row in rows:
        question = row.question
        texts = {option.letter: letters_only(option.text) for option in question.options}
        if texts and question.answer and set(question.answer) <= set(texts):
            asked = letters_only(question.shared_stem or ""), letters_only(question.stem), *sorted(texts.values())
            keys[asked].add(frozenset(texts[letter] for letter in question.answer))
            places[asked].add((row.file, row.position))
    told = [{(place["file"], place["position"]) for place in one["rows"]} for one in found["conflicting_keys"]]
    contradicting = [places[asked] for asked, right in keys.items() if len(right) > 1]
    assert contradicting and all(any(group <= rows_told for rows_told in told) for group in contradicting)
