"""Case analysis versus knowledge, and what a case question asks for: single rules, and agreement with labels given by reading."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.records.subjects import SourceWords
from curation.clean.classify.classes import CASE_TYPES, Unclassified, case_scores, case_type_of, category_of, classify, declared_type
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.source_context import context_of
from curation.vocab.reader import read_vocabulary
from tests.curation.records import CLEAN, item

CLIENT = "一般资料：求助者，女性，32岁，公司职员。案例介绍：三个月前与丈夫争吵，此后情绪低落。"
MATERIAL = "某研究者用量表调查了180名初中一年级学生，计算出每名学生在九个维度上的得分，并确定其家庭教养方式。"


@pytest.mark.parametrize(
    ("said", "shared_stem", "stem", "category"),
    [
        (("analyse",), None, "行为疗法包括（ ）。", "ca"),
        ((None, "CA"), None, "行为疗法包括（ ）。", "ca"),
        (("s1", None, "三、案例分析题"), None, "行为疗法包括（ ）。", "ca"),
        ((), CLIENT, "行为疗法包括（ ）。", "ca"),
        (("knowledge",), CLIENT, "行为疗法包括（ ）。", "ca"),
        ((), "患者，男，50岁，反复上腹痛。", "最可能的诊断是（ ）。", "ca"),
        (("QA_Analyse",), MATERIAL, "该研究的自变量是什么？", "ca"),
        ((), MATERIAL, "该实验设计属于（ ）。", "kg"),
        (("knowledge",), None, "该求助者的躯体症状包括（ ）。", "kg"),
        ((), None, "该求助者的躯体症状包括（ ）。", "ca"),
        ((), None, "在这段谈话中，咨询师使用了（ ）。", "ca"),
        ((), None, "求助者中心疗法的理论基础是（ ）。", "kg"),
        ((), None, "某学生活泼好动，该生的气质类型属于（ ）。", "kg"),
    ],
)
def test_category_comes_from_the_source_or_the_words(said: tuple, shared_stem: str | None, stem: str, category: str) -> None:
    assert category_of(said, shared_stem, stem) == category


@pytest.mark.parametrize(
    ("stem", "options", "kind"),
    [
        ("该求助者的躯体症状包括（ ）。", [], "diagnosis"),
        ("按照合理情绪疗法的ABC理论，该求助者的C包括（ ）。", [], "diagnosis"),
        ("为明确诊断，还需要了解的资料包括（ ）。", [], "diagnosis"),
        ("咨询师说“您的目标是什么，方案是什么”，使用的技术是（ ）。", [], "method"),
        ("厌恶疗法的基本步骤包括（ ）。", ["明确目标行为", "实施厌恶刺激"], "method"),
        ("在与该求助者商定咨询目标时，咨询目标的特征包括（ ）。", [], "treatment"),
        ("下一步的安排是（ ）。", [], "treatment"),
        ("下列说法正确的是", ["转诊至精神科", "布置家庭作业"], "treatment"),
        ("甲乙丙丁", [], "diagnosis"),
        ("", [], "diagnosis"),
        ("“这种技术是什么？”", [], "method"),
    ],
)
def test_words_of_the_asking_clause_decide_the_case_type_first(stem: str, options: list[str], kind: str) -> None:
    assert case_type_of(stem, options) == kind


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "hidden", "alone"),
    [("目的", "这些科目的分数", "他提问的目的"), ("应对", "确定反应对象", "他的应对方式"), ("体现", "说得具体现实", "这体现了他的性格")],
)
def test_word_inside_others_counts_only_on_its_own(word: str, hidden: str, alone: str) -> None:
    table = read_vocabulary("case_types")
    assert word in hidden and word in table["cut"]
    kind = next(kind for kind in CASE_TYPES if word in table[kind])
    assert case_scores(alone, [])[kind] >= table[kind][word]
    assert case_scores(hidden.replace(word, "甲乙"), []) == case_scores(hidden, [])


def test_table_of_words_is_valid() -> None:
    table = read_vocabulary("case_types")
    words = [word for kind in CASE_TYPES for word in table[kind]]
    assert len(words) == len(set(words)), "one word, one kind"
    assert set(table["cut"]) <= set(words)
    assert all(weight > 0 for kind in CASE_TYPES for weight in table[kind].values())


@given(st.lists(st.sampled_from(["咨询目标", "技术", "症状", "目的", "，", "“", "”", "。", "（ ）", "甲", "\ud800", "\x00"]), max_size=30))
def test_every_text_has_a_case_type_and_no_order_of_options_matters(parts: list[str]) -> None:
    text = "".join(parts)
    assert case_type_of(text, parts) in CASE_TYPES
    assert case_scores(text, parts) == case_scores(text, parts[::-1])


def labelled(root: Path, name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (root / f"tests/curation/clean/classify/labelled/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def classed(root: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each of our labelled questions with its classes; of its source's marks, only exam and heading are used."""
    for label in labelled(root, "own"):
        shared = label.get("shared_options", False), label.get("case")
        asked = label["stem"], label.get("options", []), label.get("answer")
        row = Unclassified(SourceWords(exam_raw=label["exam"]), "labelled", declared_type(label["section"]), *shared, *asked)
        yield label, classify(row)._asdict()


def test_our_labelled_questions_keep_their_classes(root: Path) -> None:
    """docs/classification.md quotes the counts of bench/classification.py over the same questions."""
    tables: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for label, found in classed(root):
        for task in ("question_type", "category", "case_type", "form"):
            if label.get(task):
                tables.setdefault((task, label["part"]), Counter())[label[task], found[task]] += 1
    for (task, part), table in tables.items():
        right = sum(table[pair] for pair in table if pair[0] == pair[1])
        assert right / sum(table.values()) >= (0.9 if task == "case_type" else 1.0), (task, part, table)
    assert sum(sum(table.values()) for (task, _), table in tables.items() if task == "category") >= 300


def test_labels_of_published_questions_contain_no_text(root: Path) -> None:
    for name in ("cpsyexam", "tcm"):
        rows = labelled(root, name)
        assert all(set(row) <= {"sha", "part", "category", "case_type", "form"} for row in rows)
        assert [row["sha"] for row in rows] == sorted({row["sha"] for row in rows})


def published(folder: Path) -> Iterator[tuple[str, QuestionItem]]:
    """Yield the published questions with the hashes of their texts; of their source's marks, only one or several answers."""
    for path in sorted(folder.glob("*.jsonl")):
        for number, record in enumerate(map(json.loads, path.read_text(encoding="utf-8").splitlines()), 1):
            options = [text.strip() for text in (record.get("options") or {}).values() if text and text.strip()]
            asked = {"stem_raw": record["question"], "options_raw": options or None, "answer_raw": record.get("answer")}
            one = item(f"{path.name}:{number}", type_raw=record["question_type"] if options else None, **asked)
            yield hashlib.sha256("\n".join([record["question"].strip(), *options]).encode()).hexdigest()[:20], one


@pytest.mark.slow
def test_classifies_published_questions_without_source_marks(root: Path, real_data: Path) -> None:
    """Lower bounds on the held-out half; bench/classification.py prints the tables, docs/classification.md quotes their shares."""
    labels = {row["sha"]: row for row in labelled(root, "cpsyexam") if row["part"] == "held_out"}
    items = {sha: one for sha, one in published(real_data / "cpsyexam") if sha in labels}
    assert len(items) == len(labels), "the labels are of another release of the set"
    readings = read_questions(list(items.values()), CLEAN, context_of(list(items.values())))
    table: Counter[tuple[str, str, str]] = Counter()
    for sha, reading in zip(items, readings, strict=True):
        if reading.question:
            table["category", labels[sha]["category"], reading.question.category] += 1
            kind = case_type_of(reading.question.stem, [option.text for option in reading.question.options])
            table["case_type", labels[sha].get("case_type", "kg"), kind] += 1
    categories, kinds = [
        sum(table[task, one, one] for one in ones) for task, ones in (("category", ("ca", "kg")), ("case_type", CASE_TYPES))
    ]
    assert categories / sum(count for (task, _, _), count in table.items() if task == "category") >= 0.94, table
    assert kinds / sum(count for (task, label, _), count in table.items() if task == "case_type" and label != "kg") >= 0.9, table
