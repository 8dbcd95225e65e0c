"""From a score to its item, claim or question, fact, page and the bytes in the archive, and back.

python -m eval.trace WHAT      WHAT: id of a claim, question, fact, page, case or cluster; item id of a score; an address; or some text
python -m eval.trace --kin RUN      accuracy of a run on items with and without related items in train
"""

import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from atomexam.records.checks import one_of
from atomexam.records.params import PARAMS_FILE
from atomexam.records.prediction import Score
from atomexam.runtime.jsonl import read_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from eval.trace.lookup import Chain, Hit, find, trace
from eval.trace.related_items import accuracy_by_relation, items_learned, read_items

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
    """Return crawled text as one line without control characters."""
    words = " ".join(str(value).split())
    return "".join(char if unicodedata.category(char)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for char in words)


def _listed(query: str, hits: list[Hit]) -> str:
    listed = [f"  {hit.kind:8} {hit.id}  {hit.context}  {_clean(hit.text)[:_MAX_LISTED]}" for hit in hits[:_MAX_LISTED]]
    more = [f"  … and {len(hits) - _MAX_LISTED} more; give a longer text"] if len(hits) > _MAX_LISTED else []
    return "\n".join([f"{len(hits)} records have {_clean(query)!r}; name one of them:", *listed, *more])


def _by_relation(data: Path, run: str) -> dict[str, Any]:
    """Return the accuracy of a run on items with and without related items in train.

    Raises:
        ValueError: no run of this name has scores.
    """
    path = data / "scores" / f"{run}.jsonl"
    one_of(run, sorted(file.stem for file in path.parent.glob("*.jsonl")), "run", f"{path.parent} (`dvc repro score` writes it)")
    test_items = {item.id: item for item in read_items(data, "test")}
    scores = list(read_jsonl(path, Score))
    items = [test_items[key] for key in sorted({score.item_id.partition("/")[0] for score in scores} & test_items.keys())]
    model = next((file.parent.name for file in sorted((data / "predictions").glob(f"*/{run}.jsonl"))), "")
    learned, known_by = items_learned(data, model)
    train = [item for item in read_items(data, "train") if learned is None or item.id in learned]
    return {"run": run, "train": known_by, "groups": accuracy_by_relation(scores, items, train)}


def _related_table(figures: dict[str, Any]) -> str:
    lines = [f"{figures['run']}: {figures['train']}", "", f"{'':40}{'related in train':>20}{'without':>18}   difference"]
    for row in figures["groups"]:
        cells = [f"{part['accuracy']:.3f} of {part['items']}" if part["items"] else "–" for part in (row["with_kin"], row["without"])]
        gap = "{:+.3f} ({:+.3f} … {:+.3f})".format(row["difference"], *row["interval"]) if "difference" in row else ""
        lines.append(f"{_clean(row['group']):40}{cells[0]:>20}{cells[1]:>18}   {gap}".rstrip())
    note = "Items with and without related ones may also differ in other ways; a sweep over that type measures the effect of related items."
    return "\n".join([*lines, "", note]) + "\n"


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("what", metavar="WHAT", nargs="?", default="")
    parser.add_argument("--kin", metavar="RUN", help="accuracy of a run on items with and without related items in train")
    parser.add_argument("--data", type=Path, default=Path("data"), help="default: data")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args: Any = parser.parse_args(argv)
    if not (args.data / "splits").is_dir():
        if args.data == Path("data") and not Path(PARAMS_FILE).exists():
            raise FileNotFoundError(f"no {PARAMS_FILE} in this folder; run the command in the repository's folder")
        raise FileNotFoundError(f"{args.data / 'splits'}: no such folder; `dvc repro` builds it, `dvc checkout` restores it")
    if args.kin:
        figures = _by_relation(args.data, args.kin)
        as_json = msgspec.json.format(msgspec.json.encode(figures), indent=2).decode() + "\n"
        sys.stdout.write(as_json if args.json else _related_table(figures))
        return
    if not args.what.strip():
        raise ValueError("nothing to look for; give an id, an address or a piece of text")
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
