"""Items, outputs of `clean`, and facts -> a row per source and per file: shares with bounds, injections, unmapped labels."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from atomexam.records.claim import Passage
from atomexam.records.fact import Fact
from atomexam.records.item import Item, QuestionItem
from atomexam.records.profile import CUT, MANY_OPTIONS, SIGNS, is_verdict, key_of, kind_of, options_of, signs_of
from atomexam.records.question import UNKNOWN_EXAM, UNKNOWN_SUBJECT, Question
from atomexam.runtime.jsonl import read_jsonl, read_optional
from atomexam.runtime.paste_lines import RELATIONS_HEAD, SUBJECTS_HEAD, label_line, subject_line
from atomexam.text.injections import attempts
from curation.vocab.reader import read_vocabulary
from curation.vocab.subjects import named_for

Record = Question | Fact | Passage
_EXCERPT_CHARS = 120


def injections(questions: Path, facts: Path, passages: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for each record with text aimed at a model; a missing file gives no rows."""
    shapes: dict[Path, type[Record]] = {questions: Question, facts: Fact, passages: Passage}
    for path, shape in shapes.items():
        records: Iterable[Record] = read_optional(path, shape)
        for record in records:
            texts = _texts(record)
            if ways := attempts("\n".join(texts)):
                excerpt = next((text for text in texts if attempts(text)), texts[0])
                yield {"id": record.id, "sources": _sources(record), "ways": ways, "excerpt": excerpt[:_EXCERPT_CHARS]}


def counts_by_source(rows: Iterable[Mapping[str, Any]], sources: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the number of records that contain injections, by source and kind, including zeros."""
    counts: dict[str, Counter[str]] = {source: Counter(records=0) for source in sorted(sources)}
    for row in rows:
        for source in row["sources"]:
            counts.setdefault(source, Counter()).update(["records", *row["ways"]])
    return {source: dict(sorted(count.items(), key=lambda pair: (pair[0] != "records", pair[0]))) for source, count in counts.items()}


def _texts(record: Record) -> list[str]:
    if isinstance(record, Fact):
        return [record.head, record.tail]
    if isinstance(record, Passage):
        return [record.section or "", record.text]
    texts = [
        record.subject,
        record.shared_stem,
        record.stem,
        *(option.text for option in record.options),
        record.answer,
        record.explanation,
    ]
    return [text for text in texts if text]


def _sources(record: Record) -> list[str]:
    return [record.source] if isinstance(record, Passage) else sorted({origin.source for origin in record.provenance})


_MOST = 20
"""Maximum number of lines per source; if there are more, a single line for the whole source comes first."""
_SAME = 3
"""Minimum number of categories in a source, all with the same exam and subject, for a single line for the source to replace theirs."""


def lines_of(to_map: Iterable[Mapping[str, Any]], rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the vocabulary lines to paste, under the name of the file they belong to; nothing if none are missing.

    Args:
        to_map: `categories_to_map` of the metrics of `clean`.
        rows: the source profiles.
    """
    by_source: dict[str, list[Mapping[str, Any]]] = {}
    for category in to_map:
        by_source.setdefault(category["source"], []).append(category)
    subjects = [line for source in sorted(by_source) for line in _subject_lines(source, by_source[source])]
    labels = [line for row in rows for line in _label_lines(row)]
    return [
        *([SUBJECTS_HEAD, *subjects] if subjects else []),
        *([RELATIONS_HEAD, *labels] if labels else []),
    ]


def _subject_lines(source: str, categories: list[Mapping[str, Any]]) -> list[str]:
    named = {(one["exam"], one["subject"]) for one in categories}
    is_one = len(named) == 1
    exam, subject = next(iter(named)) if is_one else (UNKNOWN_EXAM, UNKNOWN_SUBJECT)
    whole = subject_line(source, None, exam, subject, sum(one["questions"] for one in categories))
    if is_one and len(categories) >= _SAME:
        return [whole]
    ordered = sorted(categories, key=lambda one: (-one["questions"], one["said"] or "", one["exam"], one["subject"]))
    lines = [whole] if len(ordered) > _MOST else []
    more = len(ordered) - _MOST
    covered = [f"  # and {more} more categories of {source}, which the line for the whole source covers"] if more > 0 else []
    own = [subject_line(source, one["said"], one["exam"], one["subject"], one["questions"]) for one in ordered[:_MOST]]
    return [*lines, *own, *covered]


def _label_lines(row: Mapping[str, Any]) -> list[str]:
    unknown = row["unknown_labels"]
    relations = read_vocabulary("relations") if unknown else {}
    lines = [
        label_line(
            relations, one["entity_type"], one["label"], f"{row['id']}: {one['values']} values, on {one['share']:.0%} of its entries"
        )
        for one in unknown[:_MOST]
    ]
    return [*lines, *([f"  # and {len(unknown) - _MOST} more labels of {row['id']}"] if len(unknown) > _MOST else [])]


MIN_ROWS = 20
_FILE = "file:"
_SIGNS_OF_BREADCRUMBS = (">", "＞", "›", "»")
_MIN_PART_CHARS = 2  # minimum length of a tail that is part of another tail
_MIN_JOINED_CHARS = 5  # four characters may be one term: 清热解毒
_REPORTED_ELSEWHERE = ("no_exam", "exam_unknown", "subject_unknown")  # reported together with lines to paste
_FAR = 0.3
"""Minimum difference from the other sources' median for a share to be an outlier."""
_MIN_OTHERS = 3
_SHARES_OF_ACCEPTED = (*SIGNS, "verdict_over_options", "letters_as_words", "exam_unknown", "subject_unknown", "named_after_source",
                   "breadcrumb_as_name")  # fmt: skip
_OF_KEYS = frozenset({"key_out_of_order", "several_letters_for_single", "key_beyond_options"})
_NEVER = ("named_after_source", "breadcrumb_as_name")
"""Shares that must be zero, even if there are only a few questions."""
_SHARES_OF_FACTS = ("tails_run_together", "names_cut")


class CleanOutcome(NamedTuple):
    """The result of `clean` for an item."""

    question_type: str
    exam: str
    subject: str
    answer: str | None


class CleanFiles(NamedTuple):
    """Outputs of `clean` that a profile is computed from."""

    items: Path
    """Folder of the items, one file per source."""
    questions: Path
    facts: Path
    metrics: Path
    """Counts of `clean`: the sources, and the categories and labels missing from the tables."""


def counts_of(inputs: CleanFiles) -> dict[str, Any]:
    """Return the metrics of `clean`, which list the sources that it read, except references."""
    if not inputs.metrics.exists():
        raise FileNotFoundError(f"{inputs.metrics}: no such file; `dvc repro clean` builds it")
    return json.loads(inputs.metrics.read_text(encoding="utf-8"))


def profile_rows(inputs: CleanFiles) -> list[dict[str, Any]]:
    """Return the profile of each source and file, sorted by name."""
    counted = counts_of(inputs)
    questions = _questions_table(inputs, sorted(counted["by_source"]))
    facts = _facts_table(read_jsonl(inputs.facts, Fact))
    rows = [row for by in ("source", "file") for row in _rows_by(by, questions, facts)]
    for row in rows:
        row["unknown_labels"] = _unknown_labels(row["id"], counted)
    _compare([row for row in rows if row["id"] in counted["by_source"]])
    return sorted(rows, key=lambda row: row["id"])


def columns_of_rows(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as a table for Great Expectations that has all columns even if there are no rows."""
    names = ["id", "questions", "kept", "rejected", "commonest_letter", *_SHARES_OF_ACCEPTED, "facts", *_SHARES_OF_FACTS,
             "unknown_labels_everywhere", "far_from_others"]  # fmt: skip
    complete = [row | {"unknown_labels_everywhere": _everywhere(row), "far_from_others": len(row.get("unlike", {}))} for row in rows]
    return {name: [row.get(name) for row in complete] for name in names}


def _everywhere(row: Mapping[str, Any]) -> int:
    return sum(one["share"] >= 0.9 for one in row["unknown_labels"])


def _questions_table(inputs: CleanFiles, sources: Iterable[str]) -> pd.DataFrame:
    accepted: dict[tuple[str, ...], CleanOutcome] = {}
    for question in read_jsonl(inputs.questions, Question):
        for origin in question.provenance:
            accepted[origin.source, origin.page_id, origin.position] = CleanOutcome(
                question.question_type, question.exam, question.subject, question.answer
            )
    return pd.DataFrame(row for source in sources for row in _question_rows(inputs.items / f"{source}.jsonl", accepted))


def _question_rows(path: Path, accepted: Mapping[tuple[str, ...], CleanOutcome]) -> Iterator[dict[str, Any]]:
    for item in read_jsonl(path, Item):
        if isinstance(item, QuestionItem):
            origin = item.provenance
            yield _question_row(item, accepted.get((origin.source, origin.page_id, origin.position)))


def _question_row(item: QuestionItem, outcome: CleanOutcome | None) -> dict[str, Any]:
    source, options, key = item.provenance.source, options_of(item), key_of(item)
    kind, exam, subject, answer = outcome or CleanOutcome("", "", "", None)
    signs = set(signs_of(item))
    if answer != "".join(sorted(set(key))):  # a joined key is no fault if it was divided among its questions
        signs -= _OF_KEYS
    named = {exam.casefold(), subject.casefold()}
    confirmed = named_for(source) | {name.casefold() for name in (item.exam, item.subject) if name}
    return {
        "source": source,
        "file": f"{source} {item.url.removeprefix(_FILE)}" if item.url.startswith(_FILE) else None,
        "doubt": item.doubt,
        "kept": outcome is not None,
        "kind": kind_of(item),
        "type": kind or None,
        "options": len(options),
        "letter": key if len(key) == 1 and len(options) >= MANY_OPTIONS else None,
        "stem_chars": len(item.stem_raw or ""),
        "exam": exam or None,
        "subject": subject or None,
        **{name: name in signs for name in SIGNS},
        "verdict_over_options": kind == "tf" and len(options) >= MANY_OPTIONS,
        "letters_as_words": kind == "qa" and (is_verdict(item.answer_raw) or bool(key)),
        "exam_unknown": exam == UNKNOWN_EXAM,
        "subject_unknown": subject == UNKNOWN_SUBJECT,
        "named_after_source": source.casefold() in named - confirmed,
        "breadcrumb_as_name": any(sign in name for sign in _SIGNS_OF_BREADCRUMBS for name in named),
    }


def _facts_table(facts: Iterable[Fact]) -> pd.DataFrame:
    rows = [
        {"source": source, "relation": fact.relation, "tail": fact.tail, "names_cut": bool(CUT.search(fact.head) or CUT.search(fact.tail))}
        for fact in facts
        for source in sorted({origin.source for origin in fact.provenance})
    ]
    table = pd.DataFrame(rows, columns=["source", "relation", "tail", "names_cut"])
    joined = {relation: _run_together(set(tails)) for relation, tails in table.groupby("relation")["tail"]}
    table["tails_run_together"] = [tail in joined[relation] for relation, tail in zip(table["relation"], table["tail"], strict=True)]
    return table


def _run_together(tails: set[str]) -> set[str]:
    """Return the tails that consist of two or more other tails: 皮肤科传染科 of 皮肤科 and 传染科."""
    most = max(map(len, tails), default=0)
    return {tail for tail in tails if len(tail) >= _MIN_JOINED_CHARS and _is_joined(tail, tails, most)}


def _is_joined(tail: str, tails: set[str], most: int) -> bool:
    reached = {0}
    for end in range(_MIN_PART_CHARS, len(tail) + 1):
        for start in range(max(0, end - most), end - _MIN_PART_CHARS + 1):
            if start in reached and end - start < len(tail) and tail[start:end] in tails:
                reached.add(end)
                break
    return len(tail) in reached


def _rows_by(by: str, questions: pd.DataFrame, facts: pd.DataFrame) -> Iterator[dict[str, Any]]:
    by_name: dict[str, Any] = {str(name): rows for name, rows in questions.groupby(by)} if len(questions) else {}
    stated: dict[str, Any] = {str(name): rows for name, rows in facts.groupby("source")} if by == "source" else {}
    files: Counter[str] = Counter(name.split(" ", 1)[0] for name in by_name) if by == "file" else Counter()
    for name in sorted(by_name.keys() | stated.keys()):
        if by == "file" and files[name.split(" ", 1)[0]] == 1:
            continue  # the only file is the whole source
        yield {"id": name} | _of_questions(by_name.get(name)) | _of_facts(stated.get(name))


def _of_questions(rows: pd.DataFrame | None) -> dict[str, Any]:
    if rows is None:
        return {"questions": 0}
    accepted = rows[rows["kept"]]
    letters = rows["letter"].dropna()
    return {
        "questions": len(rows),
        "kept": len(accepted),
        "rejected": _share(~rows["kept"]),
        "doubts": _counts(rows["doubt"]),
        "kinds": _counts(rows["kind"]),
        "types": _counts(accepted["type"]),
        "options": _counts(rows["options"]),
        "letters": _counts(letters),
        "commonest_letter": round(float(letters.value_counts(normalize=True).max()), 8) if len(letters) >= MIN_ROWS else None,
        "stem_chars": {str(at): int(rows["stem_chars"].quantile(at)) for at in (0.5, 0.95, 1.0)},
        "exams": _counts(accepted["exam"]),
        "subjects": _counts(accepted["subject"]),
        **{name: _share(accepted[name], 1 if name in _NEVER else MIN_ROWS) for name in _SHARES_OF_ACCEPTED},
    }


def _of_facts(rows: pd.DataFrame | None) -> dict[str, Any]:
    if rows is None:
        return {}
    together = [_share(own["tails_run_together"]) for _, own in rows.groupby("relation")]
    return {
        "facts": len(rows),
        "relations": _counts(rows["relation"]),
        "tails_run_together": max((share for share in together if share is not None), default=None),
        "names_cut": _share(rows["names_cut"]),
    }


def _share(column: pd.Series, least: int = MIN_ROWS) -> float | None:
    return round(float(column.mean()), 8) if len(column) >= least else None


def _counts(column: pd.Series) -> dict[str, int]:
    """Return the values of a column with their counts, most frequent first."""
    counts = Counter(str(value) for value in column.dropna())
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _unknown_labels(source: str, counted: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a source's labels that no table lists, each with the share of entries that have it."""
    entries = counted["by_source"].get(source, {}).get("entities_in", 0)
    named = [(key.split("/", 2), count) for key, count in counted["labels_unmapped"].items() if key.startswith(f"{source}/")]
    return [
        {"entity_type": kind, "label": label, "values": count, "share": round(min(1.0, count / entries), 8) if entries else 0.0}
        for (_, kind, label), count in sorted(named, key=lambda pair: (-pair[1], pair[0]))
    ]


def _compare(rows: list[dict[str, Any]]) -> None:
    """Add to each source the shares for which it is an outlier: share -> the source's own value and the median of the other sources."""
    table = pd.DataFrame(rows)
    shares = [name for name in (*_SHARES_OF_ACCEPTED, *_SHARES_OF_FACTS) if name in table and name not in _REPORTED_ELSEWHERE]
    unlike: dict[int, dict[str, list[float]]] = defaultdict(dict)
    for name in shares:
        column = pd.to_numeric(table[name])
        for source in column.dropna().index:
            others = column.drop(source).dropna()
            if len(others) >= _MIN_OTHERS and abs(column[source] - others.median()) > _FAR:
                unlike[source][name] = [float(column[source]), round(float(others.median()), 8)]
    for source, row in enumerate(rows):
        row["unlike"] = unlike[source]
