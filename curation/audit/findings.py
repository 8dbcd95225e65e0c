"""Rows of a set and of references -> format defects, contents of audit.json, figures and exceeded limits. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from atomexam.records.params import NearDuplicates
from atomexam.records.reasons import OF_QUESTIONS
from curation.audit import balance
from curation.audit.balance import letters, longest
from curation.audit.duplicates import DIGITS, Duplicates, duplicates_in, share
from curation.audit.releases import ReleaseProblem
from curation.audit.sets import AuditedQuestion
from curation.clean.questions.cleaned_questions import is_comparable
from curation.clean.wording.exam_text import TEXT_RULES
from curation.near_duplicates.contamination import matched_pairs
from curation.vocab.reader import rule_words

_NO_ANSWER = "answer_missing"
_UNIFIED = frozenset({"blank", "signs", "characters", "spaces", "lines", "case_split", "option_edges"})
"""Rules that unify equivalent spellings."""
_EXAMPLES = 20
_MEANINGS = {name: rule_words(rule.name).why for name, rule in TEXT_RULES.items()} | {
    "answer_letters": "An answer is not written as sorted letters.",
    "answer_with_text": "An answer repeats the text of its option.",
    "answer_as_text": "An answer is the text of an option instead of its letter.",
    "option_in_answer": "The last option is in the answer field.",
    "option_place": "The letters of the options show that one is missing.",
    "answer_in_blank": "The answer is in the blank of the stem.",
    "section_type": "Questions with one answer are filed under multiple response.",
    "number": "The number of the question is in the stem.",
    "repeated_case": "A case with a field of its own is repeated in the stem.",
    "case_split": "A case shared by several questions is repeated in each stem.",
}
_HEAD_CHARS, _TAIL_CHARS = 60, 120
_MAX_OPTIONS = 10
FileSplits = frozenset[tuple[str, str | None]]
_KINDS = ("rejected", "repaired", "unified")


def withheld(files: Sequence[Mapping[str, Any]]) -> FileSplits:
    """Return the files and splits that have no answers at all; a withheld key is not a defect of their questions."""
    return frozenset((one["file"], one["split"]) for one in files if one["withheld"])


def reasons_of(row: AuditedQuestion, withholding: FileSplits) -> tuple[str, ...]:
    """Return why `clean` rejects a question."""
    return tuple(reason for reason in row.reasons if reason != _NO_ANSWER or (row.file, row.split) not in withholding)


def repairs_of(row: AuditedQuestion) -> tuple[str, ...]:
    """Return the rules that repair something in a question; unifying spellings does not count as a repair."""
    return tuple(rule for rule in row.rules if rule not in _UNIFIED)


def defects(rows: Sequence[AuditedQuestion], withholding: FileSplits) -> dict[str, dict[str, Any]]:
    """Return each rejected, repaired or unified defect with its meaning, count, share of the questions and examples."""
    rows_by_defect: dict[tuple[str, str], list[AuditedQuestion]] = defaultdict(list)
    for row in rows:
        for reason in reasons_of(row, withholding):
            rows_by_defect["rejected", reason].append(row)
        for rule in row.rules:
            rows_by_defect["unified" if rule in _UNIFIED else "repaired", rule].append(row)
    order = sorted(rows_by_defect, key=lambda key: (_KINDS.index(key[0]), -len(rows_by_defect[key]), key[1]))
    return {
        name: {
            "kind": kind,
            "means": OF_QUESTIONS[name].meaning if kind == "rejected" else _MEANINGS.get(name, ""),
            "count": len(rows_by_defect[kind, name]),
            "share": share(len(rows_by_defect[kind, name]), len(rows)),
            "examples": [_example(row) for row in rows_by_defect[kind, name][:_EXAMPLES]],
        }
        for kind, name in order
    }


def _example(row: AuditedQuestion) -> dict[str, Any]:
    options = row.item.options_raw or row.item.shared_options_raw or []
    return {
        "file": row.file,
        "position": row.position,
        "case": _both_ends(row.item.case_raw or ""),
        "stem": _both_ends(row.item.stem_raw or ""),
        "options": [_both_ends(option) for option in options[:_MAX_OPTIONS]],
        "answer": None if row.item.answer_raw is None else _both_ends(row.item.answer_raw),
    }


def _both_ends(text: str) -> str:
    """Cut out the middle of a long text, because defects occur at the ends of stems."""
    return text if len(text) <= _HEAD_CHARS + _TAIL_CHARS else f"{text[:_HEAD_CHARS]} … {text[-_TAIL_CHARS:]}"


FIGURES = {
    "clusters": "clusters of questions that ask the same thing",
    "cross_split_clusters": "clusters with questions of several splits",
    "conflicting_keys": "clusters and pairs whose answers differ",
    "contaminated": "questions that a reference also contains",
    "defects": "questions that `clean` rejects",
    "duplicates_share": "questions beyond the first of each cluster",
    "identical_share": "identical questions among these",
    "near_share": "near-duplicates among these",
    "cross_split_share": "questions outside train with a twin in another split, of all outside train",
    "test_in_train_share": "test questions with a twin in train, of all test questions",
    "test_answers_in_train_share": "test questions with a twin in train whose answer is or may be the same, of all test questions",
    "conflicting_share": "questions in clusters and pairs whose answers differ",
    "contaminated_share": "questions that a reference also contains",
    "defects_share": "questions that `clean` rejects",
    "repairs_share": "questions in which `clean` repairs something",
    "missing_keys_share": "questions without an answer in files that have answers",
    "near_identical_options_share": "questions with two options that are equal, or differ by one character",
    "length_outliers_share": "stems far shorter or longer than the others",
    "letter_deviation": "largest deviation of a letter's share of the correct options from uniform",
    "longest_option_excess": "how much more often than by chance the longest option is correct",
    "release_problems": "files and lines of a release that contradict its tables",
}
"""Maps each figure that can be limited to what it counts; a share is relative to all questions unless stated otherwise."""


class Limit(NamedTuple):
    """A limit set by the user."""

    name: str
    most: float


def read_limits(values: Sequence[str]) -> list[Limit]:
    """Read the values of --max, `NAME=NUMBER`.

    Raises:
        ValueError: a name is unknown, or its value is not a number.
    """
    limits = []
    for value in values:
        name, _, number = value.partition("=")
        if name not in FIGURES:
            raise ValueError(f"--max {value}: unknown figure {name!r}; known: {', '.join(FIGURES)}")
        try:
            limits.append(Limit(name, float(number)))
        except ValueError:
            limits.append(Limit(name, float("nan")))
        if not limits[-1].most >= 0:
            raise ValueError(f"--max {value}: expected NAME=NUMBER with a number of at least 0, such as {name}=0.01")
    return limits


def exceeded(figures: Mapping[str, float | int | None], limits: Sequence[Limit]) -> list[dict[str, Any]]:
    """Return the limits that are exceeded.

    Raises:
        ValueError: a figure with a limit cannot be measured for this set.
    """
    unknown = [limit.name for limit in limits if figures[limit.name] is None]
    if unknown:
        raise ValueError(f"--max {unknown[0]}: cannot be measured for this set: {_missing(unknown[0])}")
    return [
        {"figure": limit.name, "found": actual, "most": limit.most}
        for limit in limits
        if (actual := figures[limit.name]) is not None and actual > limit.most
    ]


def _missing(name: str) -> str:
    if name.startswith("contaminated"):
        return "no --reference was given"
    if name == "release_problems":
        return "it is neither a release nor a folder of the Hub"
    if name in ("cross_split_share", "test_in_train_share", "test_answers_in_train_share", "cross_split_clusters"):
        return "it lacks two splits, such as test and train; name them with --split-of, such as --split-of 'part1*=train'"
    return "the set has no question that this figure counts"


_STEM_CHARS = 200


def findings_of(
    rows: Sequence[AuditedQuestion],
    references: Sequence[AuditedQuestion] | None,
    params: NearDuplicates,
    problems: Sequence[ReleaseProblem] | None = None,
) -> dict[str, Any]:
    """Return all findings on a set; without references, none on contamination.

    Args:
        problems: of a release; None if the set is not a release.
    """
    twins = duplicates_in(rows, params)
    files = balance.files(rows)
    findings = {
        "files": files,
        "twins_across_splits": twins.leaks.across,
        "clusters": twins.clusters,
        "cross_split_clusters": [one for one in twins.clusters if len(one["splits"]) > 1],
        "conflicting_keys": twins.conflicts,
        "contaminated": _contaminated(rows, references or [], params),
        "defects": defects(rows, withheld(files)),
        "classes": balance.classes(rows),
        "letters": letters(rows),
        "longest_option": longest(rows),
        "lengths": balance.lengths(rows),
        "near_identical_options": balance.near_identical_options(rows),
        "release_problems": [one._asdict() for one in problems or ()],
    }
    figures = _figures(rows, references, twins, findings) | {"release_problems": None if problems is None else len(problems)}
    return {"figures": figures} | findings


def _figures(
    rows: Sequence[AuditedQuestion], references: Sequence[AuditedQuestion] | None, twins: Duplicates, findings: Mapping[str, Any]
) -> dict[str, Any]:
    splits = {row.split for row in rows} - {None}
    outside = sum(row.split not in (None, "train") for row in rows)
    withholding = withheld(findings["files"])
    defective = sum(bool(reasons_of(row, withholding)) for row in rows)
    long = findings["longest_option"]
    keyed = [row for row in rows if row.item.doubt is None and (row.file, row.split) not in withholding]
    alike = {(pair["file"], pair["position"]) for pair in findings["near_identical_options"]}
    conflicting = {(row["file"], row["position"]) for one in findings["conflicting_keys"] for row in one["rows"]}
    hit = {(one["file"], one["position"]) for one in findings["contaminated"]}
    stems = findings["lengths"]["stems"]
    from_train = next((one for one in twins.leaks.across if (one["of"], one["in"]) == ("test", "train")), {})
    return {
        "questions": len(rows),
        "clusters": len(twins.clusters),
        "cross_split_clusters": len(findings["cross_split_clusters"]) if len(splits) > 1 else None,
        "conflicting_keys": len(findings["conflicting_keys"]),
        "contaminated": None if references is None else len(hit),
        "defects": defective,
        "duplicates_share": share(twins.identical + twins.near, len(rows)),
        "identical_share": share(twins.identical, len(rows)),
        "near_share": share(twins.near, len(rows)),
        "cross_split_share": share(len(twins.leaks.leaking), outside) if len(splits) > 1 else None,
        "test_in_train_share": from_train.get("share"),
        "test_answers_in_train_share": from_train.get("answer_share"),
        "conflicting_share": share(len(conflicting), len(rows)),
        "contaminated_share": None if references is None else share(len(hit), len(rows)),
        "defects_share": share(defective, len(rows)),
        "repairs_share": share(sum(bool(repairs_of(row)) for row in rows), len(rows)),
        "missing_keys_share": share(sum(row.question.answer is None for row in keyed), len(keyed)),
        "near_identical_options_share": share(len(alike), len(rows)),
        "length_outliers_share": share(stems["outliers"], stems["texts"]),
        "letter_deviation": findings["letters"]["largest_deviation"],
        "longest_option_excess": round(long["share"] - long["by_chance"], DIGITS) if long["questions"] else None,
    }


def _contaminated(rows: Sequence[AuditedQuestion], references: Sequence[AuditedQuestion], params: NearDuplicates) -> list[dict[str, Any]]:
    """Return each row that a reference contains, with every position in the reference."""
    hits = []
    rows, references = ([row for row in side if is_comparable(row.question)] for side in (rows, references))
    for hit in matched_pairs([row.question for row in rows], [row.question for row in references], params):
        row, other = rows[hit.ours], references[hit.theirs]
        hits.append(_summary(row) | {
            "reference": _summary(other),
            "similarity": hit.similarity,
            "kind": "identical" if hit.identical else "near",
            "conflict": hit.conflict,
        })  # fmt: skip
    return hits


def _summary(row: AuditedQuestion) -> dict[str, Any]:
    return {"id": row.id, "file": row.file, "position": row.position, "split": row.split, "stem": row.question.stem[:_STEM_CHARS]}
