"""From a score to the item, its claim or question, its fact, its page and the bytes in the archive, and back.

python -m eval.trace WHAT      WHAT: id of a claim, question, fact, page, case or cluster; item id of a score; an address; or some text
"""

import argparse
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from atomexam.runtime.stage import command, run_stage
from eval.trace.chains import Chain, trace
from eval.trace.lookup import Hit, find

_SHOWN = 50


def as_text(chain: Chain) -> str:
    """Return a chain for the terminal, indented."""
    return "\n".join(_lines(chain, ""))


def _lines(value: Any, indent: str) -> Iterator[str]:
    for key, inner in value.items():
        if isinstance(inner, list) and inner:
            yield f"{indent}{key}:"
            for entry in inner[:_SHOWN]:
                yield from _entry(entry, indent + "  ")
            if len(inner) > _SHOWN:
                yield f"{indent}  … and {len(inner) - _SHOWN} more (`--json` has all)"
        elif isinstance(inner, dict):
            yield f"{indent}{key}:"
            yield from _lines(inner, indent + "  ")
        else:
            yield f"{indent}{key}: {_clean('none' if inner in (None, []) else inner)}"


def _entry(entry: Any, indent: str) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield f"{indent}- {_clean(entry)}"
        return
    for place, line in enumerate(_lines(entry, "")):
        yield f"{indent}{'- ' if place == 0 else '  '}{line}"


def _clean(value: Any) -> str:
    """Return crawled text as one line that cannot command a terminal."""
    words = " ".join(str(value).split())
    return "".join(char if unicodedata.category(char)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for char in words)


def _listed(query: str, hits: list[Hit]) -> str:
    shown = [f"  {hit.kind:8} {hit.id}  {hit.place}  {_clean(hit.text)[:_SHOWN]}" for hit in hits[:_SHOWN]]
    more = [f"  … and {len(hits) - _SHOWN} more; give a longer text"] if len(hits) > _SHOWN else []
    return "\n".join([f"{len(hits)} records have {_clean(query)!r}; name one of them:", *shown, *more])


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog=command(), description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", metavar="WHAT")
    parser.add_argument("--data", type=Path, default=Path("data"), help="default: data")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args: Any = parser.parse_args(argv)
    if not (args.data / "splits").is_dir():
        raise FileNotFoundError(f"{args.data / 'splits'}: no such folder; `dvc repro` builds it, `dvc checkout` brings it back")
    if not args.what.strip():
        raise ValueError("nothing to look for; give an id, an address or a piece of text")
    hits = find(args.data, args.what)
    if not hits:
        raise ValueError(f"{args.what!r}: no claim, question, fact or page under {args.data} has this id, address or text")
    found: Any = trace(args.data, hits[0]) if len(hits) == 1 else [hit._asdict() for hit in hits]
    if args.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n")
    else:
        sys.stdout.write((as_text(found) if len(hits) == 1 else _listed(args.what, hits)) + "\n")


if __name__ == "__main__":
    run_stage(main)
