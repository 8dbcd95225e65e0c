"""Accuracy of the classifier against human labels, and its speed.

    python bench/classification.py                                  our own questions, tests/curation/clean/classify/labelled/own.jsonl
    python bench/classification.py --items FILE.jsonl ...           also published ones, whose labels are stored by the hash of their texts;
                                                                    `python -m crawlers.read PATH... > FILE.jsonl` writes such files
    python bench/classification.py --count 300000 --items ...       also the time for this many rows made from these questions

docs/classification.md describes how the labels were made. Unless a table states otherwise, the source's own marks are hidden.
"""

import argparse
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from atomexam.records.item import Item, QuestionItem
from atomexam.records.params import Clean
from atomexam.records.subjects import SourceWords
from atomexam.runtime.jsonl import read_jsonl
from curation.clean.classify.classes import Classes, Unclassified, category_of, classify, declared_type
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.source_context import context_of

LABELLED = Path(__file__).parent.parent / "tests/curation/clean/classify/labelled"
_LETTER = re.compile(r"^\s*[A-J]\s*[.．、]")
Tables = dict[tuple[str, str], Counter[tuple[str, str]]]
"""(Task, part) -> count of each (label, class)."""


def row_of(exam: str | None = None, **known: Any) -> Unclassified:
    words = SourceWords(exam_raw=exam, type_raw=known.pop("type_raw", None))
    empty: dict[str, Any] = {name: None for name in Unclassified._fields} | {"source": "labelled", "shared_options": False, "options": []}
    return Unclassified(**empty | known | {"words": words})


def labelled(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LABELLED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def own_tables() -> Tables:
    tables: Tables = {}
    for label in labelled("own"):
        texts = {"stem": label["stem"], "options": label.get("options", []), "answer": label.get("answer")}
        shared = {"shared_stem": label.get("case"), "shared_options": label.get("shared_options", False)}
        blind = classify(row_of(label["exam"], **texts, **shared))
        told = classify(row_of(label["exam"], **texts, **shared, declared=declared_type(label["section"])))
        count(tables, "question type, from the heading", label["part"], label["question_type"], told.question_type)
        compare(tables, label, blind, texts)
    return tables


def published_tables(items: Sequence[QuestionItem]) -> Tables:
    tables: Tables = {}
    labels = {row["sha"]: row for name in ("cpsyexam", "tcm") for row in labelled(name)}
    for item, reading in zip(items, read_questions(items, Clean(min_stem_chars=2, min_chinese_share=0.3), context_of(items)), strict=True):
        label, question = labels.pop(sha(item), None), reading.question
        if label is None or question is None:
            continue
        texts = {"stem": question.stem, "options": [option.text for option in question.options], "answer": question.answer}
        shared = {"shared_stem": question.shared_stem, "shared_options": bool(item.shared_options_raw)}
        blind = classify(row_of("TCM" if "form" in label else None, **texts, **shared))
        compare(tables, label, blind, texts)
        if "category" in label:
            count(tables, "category, with the source's marks", label["part"], label["category"], question.category)
    return tables


def compare(tables: Tables, label: dict[str, Any], found: Classes, texts: dict[str, Any]) -> None:
    if label.get("category"):
        count(tables, "category", label["part"], label["category"], found.category)
    if label.get("case_type"):
        as_case = classify(row_of(type_raw="analyse", **texts))
        count(tables, "case type", label["part"], label["case_type"], str(as_case.case_type))
    if label.get("form"):
        count(tables, "form", label["part"], label["form"], str(found.form))


def count(tables: Tables, task: str, part: str, label: str, found: str) -> None:
    tables.setdefault((task, part), Counter())[label, found] += 1


def sha(item: QuestionItem) -> str:
    """Return the hash that identifies the label of a published question: of its texts, without the letters of options."""
    texts = [(item.stem_raw or "").strip(), *(_LETTER.sub("", option).strip() for option in item.options_raw or [])]
    return hashlib.sha256("\n".join(filter(None, texts)).encode()).hexdigest()[:20]


def agreement(items: Sequence[QuestionItem]) -> Counter[tuple[str, str, str]]:
    """Count (source's category, class, with or without the source's marks) over all items that have a category in the source."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for item, reading in zip(items, read_questions(items, Clean(min_stem_chars=2, min_chinese_share=0.3), context_of(items)), strict=True):
        mark = f"{item.section_raw or ''} {item.type_raw or ''}".lower()
        if reading.question and ("analyse" in mark or "knowledge" in mark):
            filed = "ca" if "analyse" in mark else "kg"
            counts[filed, reading.question.category, "with marks"] += 1
            counts[filed, category_of((), reading.question.shared_stem, reading.question.stem), "without"] += 1
    return counts


def show(title: str, tables: Tables) -> None:
    print(f"\n## {title}")
    for (task, part), table in sorted(tables.items()):
        names = sorted({name for pair in table for name in pair})
        right, whole = sum(table[name, name] for name in names), sum(table.values())
        print(f"\n{task}, {part}: {right} of {whole} right ({right / whole:.1%})\n\n| label | {' | '.join(names)} |")
        print("|---|" + "---:|" * len(names))
        for label in names:
            print(f"| {label} | " + " | ".join(str(table[label, name]) for name in names) + " |")


def show_time(items: Sequence[QuestionItem], rows: int) -> None:
    kept = [reading.question for reading in read_questions(items, Clean(min_stem_chars=2, min_chinese_share=0.3), context_of(items))]
    questions = [(item, question) for item, question in zip(items, kept, strict=True) if question]
    for name, pool in (("as they come", questions), ("case analysis alone", [pair for pair in questions if pair[1].category == "ca"])):
        if pool:
            batch = [numbered(*pool[number % len(pool)], number) for number in range(rows)]
            start = time.process_time()
            found = [*map(classify, batch)]
            cases = sum(row.category == "ca" for row in found)
            print(f"\n{rows} rows, {name}: {time.process_time() - start:.2f} s CPU, {cases} of them case analysis")


def numbered(item: QuestionItem, question: Any, number: int) -> Unclassified:
    """Return a row that is in no cache: its stem contains a number."""
    return Unclassified(
        SourceWords(item.exam_raw, item.subject_raw, item.paper_raw, item.section_raw, item.type_raw), "labelled",
        declared_type(item.type_raw, item.section_raw), bool(item.shared_options_raw), question.shared_stem,
        f"{question.stem[:-3]}{number}{question.stem[-3:]}", [option.text for option in question.options], question.answer,
    )  # fmt: skip


def read(paths: Iterable[str]) -> list[QuestionItem]:
    return [item for path in paths for item in read_jsonl(Path(path), Item) if isinstance(item, QuestionItem)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", nargs="*", default=[], help="JSONL of `python -m crawlers.read`")
    parser.add_argument("--count", type=int, default=0)
    args = parser.parse_args()
    show("Our own questions", own_tables())
    if items := read(args.items):
        show("Published questions", published_tables(items))
        print("\n## Filed by the source as, and our category\n")
        for (filed, found, how), number in sorted(agreement(items).items(), key=lambda entry: (entry[0][2], entry[0])):
            print(f"{how}: filed {filed}, class {found}: {number}")
        if args.count:
            show_time(items, args.count)


if __name__ == "__main__":
    main()
