"""The step before the atomic types (SdAK, section 3.1): samples queries for coding, reads the codes back and merges them into types.

    python -m curation.themes draw queries.json --out themes/coding.xlsx
    python -m curation.themes codes themes/first.xlsx themes/second.xlsx --out themes/codes.jsonl
    python -m curation.themes table themes/codes.jsonl --out themes/

A coder fills in `confirm` (yes, if the proposed code is correct) or `code`. docs/themes.md shows all steps.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from atomexam.records.checks import convert
from atomexam.runtime.jsonl import read_jsonl, replacing, write_json, write_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from curation.themes.coding import Coded, read_codebook, read_coding_sheet, read_queries, sample_queries, tabulate, write_coding_sheet
from curation.vocab.reader import read_yaml

_VOCAB = Path(__file__).parents[1] / "vocab"
_PER_INTENT, _SEED = 200, 1  # SdAK: 200
_MIN_SHARE = 0.05  # minimum share of an intent; rarer types are counted together


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    {"draw": _draw, "codes": _codes, "table": _table}[arguments.command](arguments)


def _draw(arguments: argparse.Namespace) -> None:
    if arguments.out.exists():
        raise ValueError(f"{arguments.out}: already exists, and a coder may have filled it in; name another file, or move it away")
    table = _keywords(arguments.keywords)
    order = [name for name in table["intents"].values() if name]
    queries = read_queries(arguments.queries, table["intents"])
    sample = sample_queries(queries, _PER_INTENT, _SEED, order)
    proposed = write_coding_sheet(arguments.out, sample, table["codes"])
    by_intent = Counter(query.intent for query in sample)
    for intent in order:
        short = f", fewer than {_PER_INTENT}: all there are" if by_intent[intent] < _PER_INTENT else ""
        print(f"{intent:16}{by_intent[intent]:6}{short}")
    print(f"{arguments.out}: {len(sample)} queries, with a code proposed for {proposed} of them")


def _codes(arguments: argparse.Namespace) -> None:
    coders = [path.stem for path in arguments.sheets]
    if twice := sorted({name for name in coders if coders.count(name) > 1}):
        raise ValueError(f"several sheets belong to the coder {', '.join(twice)}; name each file after its coder")
    coded = [one for path, coder in zip(arguments.sheets, coders, strict=True) for one in read_coding_sheet(path, coder)]
    if not coded:
        raise ValueError(f"{', '.join(map(str, arguments.sheets))}: no query is coded; fill in `confirm` or `code` first")
    write_jsonl(arguments.out, coded, key=lambda one: (one.query_id, one.coder))
    print(f"{arguments.out}: {len(coded)} codings of {len({one.query_id for one in coded})} queries by {len(coders)} coders")


def _table(arguments: argparse.Namespace) -> None:
    codebook = read_codebook(read_yaml(arguments.codebook), str(arguments.codebook))
    order = [name for name in _keywords(arguments.keywords)["intents"].values() if name]
    coded = list(read_jsonl(arguments.codes, Coded, f"`python -m curation.themes codes SHEETS --out {arguments.codes}` makes it"))
    order += sorted({one.intent for one in coded} - set(order))
    table = tabulate(coded, codebook, order, _MIN_SHARE)
    write_json(arguments.out / "themes.json", table)
    with replacing(arguments.out / "themes.md") as part:
        part.write_text(_markdown(table), encoding="utf-8", newline="\n")
    print(_markdown(table), end="")


def _keywords(path: Path) -> dict[str, Any]:
    """Return the intents and codes of a file.

    Raises:
        ValueError: its keys are not those of the file that ships with the project.
    """
    table = read_yaml(path)
    kinds = {"intents": dict[str, str | None], "codes": dict[str, dict[str, list[str]]]}
    if not isinstance(table, dict) or set(table) != set(kinds):
        raise ValueError(f"{path}: expected `intents` and `codes`, as in curation/vocab/themes.yaml, found {_excerpt(table)}")
    return {name: convert(table[name], kind, f"{path}: {name}") for name, kind in kinds.items()}


def _excerpt(table: Any) -> str:
    return ", ".join(map(str, table)) if isinstance(table, dict) else f"{table!r:.80}"


def _markdown(table: dict[str, Any]) -> str:
    lines = ["| intent | atomic type | queries | share | 95 % interval |", "|---|---|---:|---:|---|"]
    for intent, shares in table["intents"].items():
        for row in shares["types"]:
            low, high = (f"{100 * bound:.0f}" for bound in row["interval"])
            remark = f" (dropped: {row['dropped']})" if "dropped" in row else ""
            lines.append(
                f"| {_cell(intent)} | {_cell(row['type'] + remark)} | {row['count']} | {100 * row['share']:.0f} % | {low} to {high} % |"
            )
        lines.append(f"| {_cell(intent)} | all others | {shares['others']} | {100 - 100 * shares['covered']:.0f} % | |")
    agreed = table["agreement"]
    lines += ["", f"{table['queries']} queries, {table['coders']} coders."]
    if agreed:
        alpha = "not defined, since all codes are one" if agreed["alpha"] is None else agreed["alpha"]
        lines.append(f"Krippendorff's alpha over {agreed['queries']} queries coded twice or more: {alpha}.")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    keywords_help = "intents and keywords; curation/vocab/themes.yaml by default"
    keywords: dict[str, Any] = {"type": Path, "default": _VOCAB / "themes.yaml", "help": keywords_help}
    one = commands.add_parser("draw", help="sample queries of each intent for coding, with codes proposed by keywords")
    one.add_argument("queries", type=Path, help="JSON or JSONL records of `query` and `label`, as in KUAKE-QIC")
    one.add_argument("--out", type=Path, required=True, help="the coding sheet, .xlsx")
    one.add_argument("--keywords", **keywords)
    two = commands.add_parser("codes", help="read codes from filled sheets")
    two.add_argument("sheets", type=Path, nargs="+", help="filled sheets, .xlsx or .csv, one per coder")
    two.add_argument("--out", type=Path, required=True, help="the codes, .jsonl")
    three = commands.add_parser("table", help="make the table of intents, types and shares from codes")
    three.add_argument("codes", type=Path, help="what `codes` wrote")
    three.add_argument(
        "--codebook", type=Path, default=_VOCAB / "codebook.yaml", help="code -> type; curation/vocab/codebook.yaml by default"
    )
    three.add_argument("--out", type=Path, required=True, help="folder for themes.json and themes.md")
    three.add_argument("--keywords", **keywords)
    return parser.parse_args(argv)


if __name__ == "__main__":
    run_stage(main)
