"""Findings on a set -> an HTML page, Markdown, and a summary for the terminal. All text of the set is untrusted and escaped.

The page is self-contained: no scripts, no links.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from atomexam.pages.templates import templates
from atomexam.records.question import Question
from curation.audit.duplicates import share
from curation.audit.findings import FIGURES, FileSplits, reasons_of, repairs_of
from curation.audit.releases import PROBLEMS, item_of
from curation.audit.sets import AuditedQuestion

_MAX_CHARS = 160
_ROWS = 30
"""Maximum number of rows in a Markdown table; audit.json has all rows."""
_PAGE_ROWS = 3_000
"""Maximum number of rows in a table on the page; browsers still open a page of this size quickly."""
_MARKS = re.compile(r"([\\`*_\[\]<>|&#~!$])")
_LINKED = re.compile(r"(?i)(?<=https)(?=:)|(?<=http)(?=:)|(?<=ftp)(?=:)|(?<=www)(?=\.)|(?<=@)|(?<=mailto)(?=:)|(?<=xmpp)(?=:)")
_JOINER = "\u2060"
"""Invisible character that breaks URLs and mentions, so that text pasted into a pull request creates no links and notifies nobody."""
Report = Mapping[str, Any]


def page(report: Report) -> str:
    """Return the report as HTML."""
    return _rendered("audit.html", report, autoescape=True)


def markdown(report: Report) -> str:
    """Return the report as Markdown."""
    return _rendered("audit.md", report, autoescape=False)


def summary(report: Report) -> str:
    """Return the figures as lines of text, marking those that exceed their limit."""
    over = {row["figure"]: row["most"] for row in report["exceeded"]}
    lines = [f"questions  {report['figures']['questions']}"]
    splits = Counter[str]()
    for one in report["files"]:
        splits[one["split"] or "none"] += one["questions"]
    named = ", ".join(f"{displayable(split)} {count}" for split, count in sorted(splits.items()))
    formats = ", ".join(sorted({one["format"] for one in report["read"]}))
    lines += [f"formats    {formats}", f"splits     {named}"]
    if list(splits) == ["none"]:
        lines.append("           no file name or field names them; set them with --split-of to see leaks between splits")
    for name in FIGURES:
        limit = f"  exceeds {over[name]:g}" if name in over else ""
        lines.append(f"{name:30}{_number(name, report['figures'][name]):>9}{limit}")
    return "".join(f"{line}\n" for line in lines)


def displayable(value: Any, most: int = _MAX_CHARS) -> str:
    """Return a text on one line, truncated, with invisible and bidirectional control characters as code points."""
    text = str(value)
    cut = text if len(text) <= most else f"{text[:most]}…"
    return "".join(_visible(character) for character in cut)


def _marked(value: Any, most: int = _MAX_CHARS) -> str:
    """Return a text escaped for Markdown, without links."""
    return _LINKED.sub(_JOINER, _MARKS.sub(r"\\\1", displayable(value, most)))


def _visible(character: str) -> str:
    if character in "\n\r\t":
        return " "
    return f"[U+{ord(character):04X}]" if unicodedata.category(character)[0] == "C" else character


def _number(name: str, value: float | int | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{100 * value:.2f} %"


def _rendered(template: str, report: Report, autoescape: bool) -> str:
    environment = templates(Path(__file__).parent, {})
    environment.autoescape = autoescape
    environment.filters |= {
        "displayable": displayable if autoescape else _marked,
        "percent": lambda share: "–" if share is None else f"{100 * share:.2f} %",
        "sum_of": lambda counts: sum(counts.values()),
        "chance": lambda p: "–" if p is None else "< 0.0001" if p < 0.0001 else f"{p:.4f}",
    }
    splits = sorted({split for table in report["classes"].values() for counts in table.values() for split in counts})
    over = {row["figure"] for row in report["exceeded"]}
    known = {
        "report": report,
        "names": FIGURES,
        "rows": _ROWS if not autoescape else _PAGE_ROWS,
        "number": _number,
        "verdict": _verdict,
        "splits": splits,
        "over": over,
    }
    return environment.get_template(template).render(known)


def _verdict(verdict: str, biased: str, even: str) -> str:
    """Return a sentence about the result of a significance test."""
    if verdict == "too_few":
        return "Too few questions to tell."
    return f"{biased}: chance alone does that in fewer than 1 of 100 sets." if verdict == "biased" else f"{even}: chance alone may do that."


_TODO = {
    "conflicting_key": (
        "equal questions have different answers, so at least one key is wrong",
        "find the correct key; correct or drop the other",
    ),
    "release": ("", "correct the file, or rebuild the release"),
    "twin_in_train": ("train has it too: a model trained on it has seen the question", "drop it from train, or replace it here"),
    "twin_in_other_split": ("another split has it too", "keep it in one split"),
    "contaminated": ("a reference benchmark has it too", "drop it, or report figures without it"),
    "rejected": ("", "correct it, or drop it: it cannot be used as it is"),
    "duplicate": ("the same split has it already", "keep one of them"),
    "repaired": ("", "correct the file; until then every user repairs it differently"),
    "near_identical_options": ("two options are equal, or differ in one character", "read it: many are intended"),
}
"""Maps each kind of problem to why it matters (empty if the defect itself says so) and what to do; most serious first."""
_KINDS = tuple(_TODO)
_COLUMNS = ("file", "position", "split", "problem", "why", "detail", "what_to_do", "question", "id")
_MAX_POSITIONS = 3
_STEM_CHARS = 120


class RepairLine(NamedTuple):
    """One repair of one question."""

    row: AuditedQuestion
    kind: str
    problem: str
    """Name of the defect if the kind has several, else the kind."""
    why: str
    detail: str


def lines_of(rows: Sequence[AuditedQuestion], findings: Mapping[str, Any], withholding: FileSplits) -> list[RepairLine]:
    """Return the repairs, with the most serious kind first and in file order within a kind."""
    row_at = {(row.file, row.position): row for row in rows}
    order = {id(row): index for index, row in enumerate(rows)}
    every = [
        *_conflicts(findings, row_at),
        *_twins(findings, row_at),
        *_contaminated(findings, row_at),
        *_defects(rows, findings, withholding),
    ]
    for pair in findings["near_identical_options"]:
        row = row_at[pair["file"], pair["position"]]
        every.append(
            RepairLine(row, "near_identical_options", "near_identical_options", _why("near_identical_options"), " / ".join(pair["options"]))
        )
    every += [
        RepairLine(_beside(one), "release", one["problem"], PROBLEMS[one["problem"]], one["detail"]) for one in findings["release_problems"]
    ]
    return sorted(every, key=lambda line: (_KINDS.index(line.kind), order.get(id(line.row), -1), line.problem))


def _beside(one: Mapping[str, str]) -> AuditedQuestion:
    """Report a file without questions, in the form used for a question with problems."""
    item = item_of({}, one["file"], one["position"])
    question = Question(id=one["id"], exam="", subject="", question_type="qa", stem="", provenance=[item.provenance])
    return AuditedQuestion(question, one["file"], one["position"], None, (), (), item, one["id"])


def _why(kind: str) -> str:
    return _TODO[kind][0]


def _conflicts(findings: Mapping[str, Any], row_at: Mapping[tuple[str, str], AuditedQuestion]) -> Iterator[RepairLine]:
    for one in findings["conflicting_keys"]:
        right_at = {position: key["right"] for key in one["keys"] for position in key["places"]}
        for row in one["rows"]:
            own = right_at.get(f"{row['file']} {row['position']}")
            if own is not None:
                others = [f"{key['right']} ({_listed(key['places'])})" for key in one["keys"] if key["right"] != own]
                yield RepairLine(row_at[row["file"], row["position"]], "conflicting_key", "conflicting_key", _why("conflicting_key"),
                           f"right here: {own}; elsewhere: {'; '.join(others)}")  # fmt: skip


def _twins(findings: Mapping[str, Any], row_at: Mapping[tuple[str, str], AuditedQuestion]) -> Iterator[RepairLine]:
    """Yield the questions outside train that are also in another split, and repetitions within a split."""
    for one in findings["clusters"]:
        first: dict[str | None, dict[str, Any]] = {}
        for row in one["rows"]:
            if (before := first.setdefault(row["split"], row)) is not row:
                position = f"{before['file']} {before['position']}"
                yield RepairLine(row_at[row["file"], row["position"]], "duplicate", "duplicate", _why("duplicate"), f"as {position}")
            others = [other for other in one["rows"] if other["split"] != row["split"] and other["split"]]
            if others and row["split"] not in (None, "train"):
                in_train = [other for other in others if other["split"] == "train"]
                kind = "twin_in_train" if in_train else "twin_in_other_split"
                positions = [f"{other['file']} {other['position']}" for other in in_train or others]
                yield RepairLine(row_at[row["file"], row["position"]], kind, kind, _why(kind), f"as {_listed(positions)}")


def _contaminated(findings: Mapping[str, Any], row_at: Mapping[tuple[str, str], AuditedQuestion]) -> Iterator[RepairLine]:
    for one in findings["contaminated"]:
        there = one["reference"]
        words = f"{one['kind']} in {there['file']} {there['position']}{', with another key' if one['conflict'] else ''}"
        yield RepairLine(row_at[one["file"], one["position"]], "contaminated", "contaminated", _why("contaminated"), words)


def _defects(rows: Iterable[AuditedQuestion], findings: Mapping[str, Any], withholding: FileSplits) -> Iterator[RepairLine]:
    means = {name: defect["means"] for name, defect in findings["defects"].items()}
    for row in rows:
        for kind, names in (("rejected", reasons_of(row, withholding)), ("repaired", repairs_of(row))):
            for name in names:
                yield RepairLine(row, kind, name, means.get(name, ""), "")


def _listed(positions: Sequence[str]) -> str:
    return ", ".join(positions[:_MAX_POSITIONS]) + (
        f" and {len(positions) - _MAX_POSITIONS} more" if len(positions) > _MAX_POSITIONS else ""
    )


def mend_first(lines: Sequence[RepairLine], questions: int) -> list[dict[str, Any]]:
    """Return each problem with its count, share of all questions, why it matters and what to do, most serious first."""
    counts = Counter((line.kind, line.problem, line.why) for line in lines)
    order = sorted(counts, key=lambda key: (_KINDS.index(key[0]), -counts[key], key[1]))
    return [
        {"problem": problem, "kind": kind, "lines": counts[kind, problem, why], "share": share(counts[kind, problem, why], questions)}
        | {"why": why, "what_to_do": _TODO[kind][1]}
        for kind, problem, why in order
    ]


def as_csv(lines: Iterable[RepairLine]) -> str:
    """Return the lines as CSV, in which no cell looks like a formula and invisible characters are shown as code points."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for line in lines:
        row, todo = line.row, _TODO[line.kind][1]
        question = " ".join(filter(None, (row.question.shared_stem, row.question.stem)))
        cells = (row.file, row.position, row.split or "", line.problem, line.why, line.detail, todo, question, row.id)
        writer.writerow([_cell(value, _STEM_CHARS if name == "question" else 400) for name, value in zip(_COLUMNS, cells, strict=True)])
    return out.getvalue()


def _cell(value: str, most: int) -> str:
    text = displayable(value, most)
    return f"'{text}" if text.lstrip()[:1] in tuple("=+-@＝＋－＠") and text.strip() else text
