"""A question set in files -> its defects: audit.json, audit.md, index.html, and lines.csv with every affected line.

    python -m curation.audit data/release
    python -m curation.audit sets/CPsyExam --format cpsyexam --out reports/cpsyexam
    python -m curation.audit data/splits --out reports/ours --max cross_split_share=0 --max defects_share=0.01
    python -m curation.audit my_set.csv --reference ceval/ --reference-format ceval --out reports/my_set

PATH is a file, folder or pattern, in any format supported by `python -m crawlers.read`, or JSON lines of items or questions from the
pipeline. Exit status: 0; 1 if a figure exceeds its --max; 2 for wrong input. docs/audit.md lists the figures.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from atomexam.records.checks import convert
from atomexam.records.params import PARAMS_FILE, Clean, NearDuplicates, read_params
from atomexam.runtime.jsonl import folder_lock, replacing, write_json
from atomexam.runtime.stage import parser_of
from atomexam.text.columns import harmless_lines
from curation.audit.findings import FIGURES, exceeded, findings_of, read_limits, withheld
from curation.audit.report import as_csv, lines_of, markdown, mend_first, page, summary
from curation.audit.sets import FIELDS, SplitOf, audited_questions, file_summary, read_set, read_split_of

CLEAN = Clean(min_stem_chars=2, min_chinese_share=0.3)
NEAR_DUPLICATES = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.65)
"""Defaults if there is no params.yaml; audit.json records the values used."""
ALL_SPLITS = SplitOf()
_EXCEEDED, _WRONG_INPUT = 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    limits, split_of = read_limits(arguments.max), read_split_of(arguments.split_of)
    if arguments.out.exists() and not arguments.out.is_dir():
        raise ValueError(f"--out {arguments.out}: expected a folder, found a file")
    for reference in arguments.reference:
        if any(_overlap(Path(reference).resolve(), Path(path).resolve()) for path in arguments.paths):
            raise ValueError(f"--reference {reference}: it is the audited set, or a part of it; expected another set, or another version")
    formats = arguments.reference_format
    if formats and len(formats) not in (1, len(arguments.reference)):
        raise ValueError(
            f"--reference-format: found {len(formats)} for {len(arguments.reference)} --reference; give one for all, or one for each"
        )
    each = [formats[index if len(formats) > 1 else 0] if formats else None for index in range(len(arguments.reference))]
    references = list(zip(arguments.reference, each, strict=True))
    findings, lines = audited(arguments.paths, arguments.format, references, split_of, arguments.layouts)
    over = exceeded(findings["figures"], limits)
    about = {"set": {"name": arguments.name or _named(arguments.paths), "version": arguments.set_version, "date": arguments.date}}
    _write(arguments.out, about | findings | {"exceeded": over}, lines)
    return _EXCEEDED if over else 0


def audited(
    paths: Sequence[str],
    format_name: str | None,
    references: Sequence[tuple[str, str | None]] = (),
    split_of: SplitOf = ALL_SPLITS,
    layouts: Path | None = None,
) -> tuple[dict[str, Any], str]:
    """Return the contents of audit.json except the set's name, and the affected lines as CSV.

    Args:
        references: path and format of each benchmark whose questions must not be in the set.
    """
    known = read_params() if Path(PARAMS_FILE).exists() else {}
    clean = convert(known.get("clean") or to_builtins(CLEAN), Clean, f"{PARAMS_FILE}: clean")
    twins = convert(known.get("near_duplicates") or to_builtins(NEAR_DUPLICATES), NearDuplicates, f"{PARAMS_FILE}: near_duplicates")
    read = read_set(paths, format_name, (split_of.field,) if split_of.field else FIELDS, layouts)
    rows = audited_questions(read, split_of, clean)
    others = [row for path, name in references for row in audited_questions(read_set([path], name, layouts=layouts), SplitOf(), clean)]
    findings = findings_of(rows, others if references else None, twins, read.problems)
    lines = lines_of(rows, findings, withheld(findings["files"]))
    findings["mend_first"] = mend_first(lines, len(rows))
    about = {"settings": to_builtins(clean) | to_builtins(twins), "read": [file_summary(file) for file in read.files.values()]}
    return about | findings, as_csv(lines)


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _named(paths: Sequence[str]) -> str:
    """Return the default name of a set: that of its only file or folder, else that of the first one's parent folder."""
    path = Path(paths[0])
    return path.name if len(paths) == 1 else path.parent.name or path.name


def _write(folder: Path, findings: dict[str, Any], lines: str) -> None:
    with folder_lock(folder) as out:
        write_json(out / "audit.json", findings)
        for name, text in (("audit.md", markdown(findings)), ("index.html", page(findings)), ("lines.csv", f"\ufeff{lines}")):
            with replacing(out / name) as part:
                part.write_text(text, encoding="utf-8", newline="")
    print(summary(findings), end="")
    print(f"report     {folder / 'index.html'}")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    figures = "\n".join(f"  {name:30}{words}" for name, words in FIGURES.items())
    parser = parser_of(__doc__, epilog=f"figures for --max:\n{figures}")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="the files of the set; docs/importing.md lists the formats")
    parser.add_argument("--format", metavar="NAME", help="one format for all files; `python -m crawlers.read --help` lists them")
    parser.add_argument("--layouts", type=Path, metavar="FILE", help="YAML with layouts of your own; docs/importing.md has an example")
    parser.add_argument("--out", type=Path, default=Path("audit"), metavar="FOLDER", help="folder for the reports; default: audit")
    parser.add_argument("--name", metavar="WORDS", help="the set's name on the page; default: its file or folder")
    parser.add_argument("--set-version", metavar="WORDS", help="the set's version on the page")
    parser.add_argument("--date", metavar="WORDS", help="the set's date on the page")
    parser.add_argument(
        "--split-of", action="append", default=[], metavar="SPEC", help="PATTERN=SPLIT for files, or a FIELD of the records"
    )
    parser.add_argument("--reference", action="append", default=[], metavar="PATH", help="a benchmark that the set must not contain")
    parser.add_argument("--reference-format", action="append", default=[], metavar="NAME", help="its format, once for all or for each")
    parser.add_argument(
        "--max",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="exit with 1 if a figure is larger; a share is a fraction: defects_share=0.01 allows one question in a hundred",
    )
    return parser.parse_args(argv)


def run() -> None:
    """Run main; on invalid input, exit with one line on stderr."""
    try:
        sys.exit(main())
    except (ValueError, OSError) as error:
        print(f"error: {harmless_lines(str(error))}", file=sys.stderr)
        sys.exit(_WRONG_INPUT)


if __name__ == "__main__":
    run()
