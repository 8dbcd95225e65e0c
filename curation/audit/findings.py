"""Rows of a set, and of references -> the contents of audit.json. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from atomexam.records.params import NearDuplicates
from curation.audit import balance
from curation.audit.audited_questions import AuditedQuestion
from curation.audit.cross_split import share
from curation.audit.defects import defects, reasons_of, repairs_of, withheld
from curation.audit.duplicates import Duplicates, duplicates_in
from curation.audit.guessing import letters, longest
from curation.clean.questions.with_all_reasons import is_comparable
from curation.near_duplicates.contamination import matched_pairs

_STEM_CHARS = 200


def findings_of(rows: Sequence[AuditedQuestion], references: Sequence[AuditedQuestion] | None, params: NearDuplicates) -> dict[str, Any]:
    """Return all findings on a set; without references, none on contamination."""
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
    }
    return {"figures": _figures(rows, references, twins, findings)} | findings


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
        "longest_option_excess": round(long["share"] - long["by_chance"], 6) if long["questions"] else None,
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
    return {"id": row.question.id, "file": row.file, "position": row.position, "split": row.split, "stem": row.question.stem[:_STEM_CHARS]}
