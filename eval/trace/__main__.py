"""Trace a score to its item, claim or question, fact, page and archived bytes, and in the opposite direction.

python -m eval.trace WHAT      WHAT: id of a claim, question, fact, page, case or cluster; item id of a score; an address; or some text
"""

import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from atomexam.records.params import PARAMS_FILE
from atomexam.runtime.stage import parser_of, run_stage
from eval.trace.lookup import Chain, Hit, find, trace

_MAX_LISTED = 50


def as_text(chain: Chain) -> str:
    """Return a chain as indented text."""
    return "\n".join(_lines(chain, ""))


def _lines(value: Any, indent: str) -> Iterator[str]:
    for key, inner in value.items():
        if isinstance(inner, list) and inner:
            yield f"{indent}{key}:"
            for entry in inner[:_MAX_LISTED]:
                yield from _entry(entry, indent + "  ")
            if len(inner) > _MAX_LISTED:
                yield f"{indent}  … and {len(inner) - _MAX_LISTED} more (`--json` has all)"
        elif isinstance(inner, dict):
            yield f"{indent}{key}:"
            yield from _lines(inner, indent + "  ")
        else:
            yield f"{indent}{key}: {_clean('none' if inner in (None, []) else inner)}"


def _entry(entry: Any, indent: str) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield f"{indent}- {_clean(entry)}"
        return
    for index, line in enumerate(_lines(entry, "")):
        yield f"{indent}{'- ' if index == 0 else '  '}{line}"


def _clean(value: Any) -> str:
    """Return crawled text on one line, without control characters."""
    line = " ".join(str(value).split())
    return "".join(char if unicodedata.category(char)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for char in line)


def _listed(query: str, hits: list[Hit]) -> str:
    listed = [f"  {hit.kind:8} {hit.id}  {hit.context}  {_clean(hit.text)[:_MAX_LISTED]}" for hit in hits[:_MAX_LISTED]]
    more = [f"  … and {len(hits) - _MAX_LISTED} more; give a longer text"] if len(hits) > _MAX_LISTED else []
    return "\n".join([f"{len(hits)} records match {_clean(query)!r}; give the id of one:", *listed, *more])


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("what", metavar="WHAT")
    parser.add_argument("--data", type=Path, default=Path("data"), help="default: data")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args: Any = parser.parse_args(argv)
    if not (args.data / "splits").is_dir():
        if args.data == Path("data") and not Path(PARAMS_FILE).exists():
            raise FileNotFoundError(f"no {PARAMS_FILE} in this folder; run the command from the repository's root")
        raise FileNotFoundError(f"{args.data / 'splits'}: no such folder; `dvc repro` builds it, `dvc checkout` restores it")
    if not args.what.strip():
        raise ValueError("no search text given; give an id, an address or some text")
    hits = find(args.data, args.what)
    if not hits:
        raise ValueError(f"{args.what!r}: no claim, question, fact or page under {args.data} has this id, address or text")
    traced: Any = trace(args.data, hits[0]) if len(hits) == 1 else [hit._asdict() for hit in hits]
    if args.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(traced), indent=2).decode() + "\n")
    else:
        sys.stdout.write((as_text(traced) if len(hits) == 1 else _listed(args.what, hits)) + "\n")


if __name__ == "__main__":
    run_stage(main)
