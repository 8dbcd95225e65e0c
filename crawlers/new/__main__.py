"""Create a source from a name and an address: a folder with spider and stub pages, and a line in params.yaml. It can be crawled at once.

python -m crawlers.new smallexam https://www.smallexam.example/papers/ --kind exam

The stub pages represent the site until real pages replace them; docs/adding-a-source.md continues from here. Existing files are never
overwritten. If the command is killed, running it again writes what is missing.
"""

import argparse
from datetime import date
from pathlib import Path
from typing import Any

from atomexam.records.params import PARAMS_FILE, read_params
from atomexam.runtime.jsonl import replacing
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.text.columns import aligned
from crawlers.new.params_line import newest_snapshot, with_source
from crawlers.new.stubs import KINDS, NewSource, new_source, texts_of

_MAX_PAGES = 5000


def main(argv: list[str] | None = None) -> None:
    arguments = _arguments(argv)
    source = new_source(arguments.name, arguments.url, arguments.kind, arguments.private)
    for report in write_source(source, arguments.snapshot):
        print(report)
    print("next, in this folder:")
    for line in aligned(_next(source)):
        print(f"  {line}")


def write_source(source: NewSource, snapshot: str | None = None) -> list[str]:
    """Write the missing files below the working folder, and return a line for each file.

    Raises:
        ValueError: a file of the source exists with different content; in this case nothing is written.
    """
    params = Path(PARAMS_FILE)
    if not params.exists():
        raise ValueError(f"no {PARAMS_FILE} in this folder; run the command in the folder of the repository")
    read_params(params)
    before = params.read_bytes().decode("utf-8")
    values: dict[str, Any] = {"snapshot": snapshot or newest_snapshot(before) or "2026-01-01", "max_pages": _MAX_PAGES}
    values |= {"private": True} if source.is_private else {}
    texts = texts_of(source)
    _refuse_others(source, texts)
    after = with_source(before, source.name, values)
    if after == before and not source.spider_file.exists():  # the line is written last, so another source owns it
        raise ValueError(f"{PARAMS_FILE}: sources.{source.name} already exists but has no spider; choose another name, or remove the line")
    reports = []
    for path, text in texts.items():
        reports.append(f"{'exists' if path.exists() else 'written':<9} {path}")
        if not path.exists():
            with replacing(path) as part:
                part.write_bytes(text.encode())
    reports.append(f"{'exists' if after == before else 'written':<9} {PARAMS_FILE}: sources.{source.name}")
    if after != before:  # last, because a line without its spider would stop the pipeline
        with replacing(params) as part:  # atomically: the user's lines may exist nowhere else
            part.write_bytes(after.encode())
    return reports


def _next(source: NewSource) -> list[tuple[str, str]]:
    check = f"python -m crawlers.check {source.name}"
    return [
        (check, "shows what the spider reads from the stub pages"),
        (f"{check} --live", f"shows what it reads from a few pages of {source.host}"),
        ("docs/adding-a-source.md", "describes the next steps, up to items in the pipeline"),
    ]


def _refuse_others(source: NewSource, texts: dict[Path, str]) -> None:
    """Raise ValueError if the source's folder contains other files."""
    present = [path for path in sorted(source.folder.rglob("*")) if path.is_file() and path.suffix not in (".part", ".pyc")]
    for path in present:
        if path not in texts or path.read_bytes() != texts[path].encode():
            raise ValueError(f"{path} already exists with other contents; choose a name other than {source.name}, or remove the file")


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("name", metavar="NAME", help="key in params.yaml, and name of the source's folder: small letters, digits and _")
    parser.add_argument("url", metavar="URL", help="address of a list of papers or entries")
    parser.add_argument("--kind", required=True, choices=KINDS, help="papers as running text, or with a container per question; or entries")
    parser.add_argument("--private", action="store_true", help="the site is in your own network and may be crawled")
    parser.add_argument("--snapshot", type=_day, metavar="DATE", help="date of the snapshot; default: the newest in params.yaml")
    return parser.parse_args(argv)


def _day(text: str) -> str:
    try:
        is_day = date.fromisoformat(text).isoformat() == text  # fromisoformat also reads 20261120
    except ValueError:
        is_day = False
    if not is_day:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; expected a date such as 2026-11-20")
    return text


if __name__ == "__main__":
    run_stage(main)
