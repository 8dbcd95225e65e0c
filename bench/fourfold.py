"""Make a table of the fourfold sets of entity files: facts, rows and reasons by atomic type, and the best model without knowledge.

    python bench/fourfold.py diseases.json medicines.csv foods.xlsx

The stages from `clean` to `leaks` run in a temporary folder with each file as a separate source; docs/claims.md has the last table.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data/items").mkdir(parents=True)
        names = [f"file_{number}" for number in range(len(args.files))]
        for name, file in zip(names, args.files, strict=True):
            _run(folder, "crawlers.read", file.resolve(), out=folder / f"data/items/{name}.jsonl")
        params = json.dumps({"sources": {}, "imports": {name: {"path": "none"} for name in names}})
        (folder / "params.yaml").write_text(params, encoding="utf-8")
        settings = {
            "clean": "--min_stem_chars 2 --min_chinese_share 0.3",
            "near_duplicates": "--ngram_chars 3 --threshold 0.8 --case_threshold 0.65",
            "claims": "--per_type 1000 --template paper --seed 1",
        }  # fmt: skip
        for stage, flags in settings.items():
            _run(folder, f"curation.{stage}", *flags.split())
        (folder / "splits").mkdir()
        (folder / "splits/assignments.jsonl").touch()
        quota = "--quota.mcqa 1 --quota.mrqa 1 --quota.qa 1 --tcm_per_subject 1 --train_floor 1 --balance fill"
        shares = "--seed 1 --dev_share 0.1 --claim_test_share 0.2 --claim_reserved_share 0.1"
        _run(folder, "splits.split", *quota.split(), *shares.split())
        _run(folder, "splits.leaks", "--contained", "0.95", check=False)  # fails if wording reveals answers; the table shows where
        print(_table(folder))


def _run(folder: Path, module: str, *words: object, out: Path | None = None, check: bool = True) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)], cwd=folder, env=environment, stdout=subprocess.PIPE, check=check
    )  # fmt: skip
    if out:
        out.write_bytes(done.stdout)


def _table(folder: Path) -> str:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in (folder / "data/claims/fourfold_rejected.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        counts[row["record"]["relation"]][row["reason"]] += 1
    made = json.loads((folder / "metrics/claims.json").read_text(encoding="utf-8"))["fourfold"]["by_type"]
    best = json.loads((folder / "metrics/leaks.json").read_text(encoding="utf-8"))["without_knowledge"].get("best_by_type", {})
    lines = [
        "| atomic type | facts | rows | in test | best without knowledge: sentences, facts | without a row |",
        "|---|---:|---:|---:|---|---|",
    ]
    for kind, rows in made.items():
        reasons = ", ".join(f"`{reason}` {number}" for reason, number in counts[kind].most_common())
        line = best.get(kind)
        shares = f"{100 * line['sentences']:.1f} %, {100 * line['facts']:.1f} % (`{line['model']}`)" if line else "–"
        lines.append(f"| {kind} | {rows + counts[kind].total()} | {rows} | {line['rows'] if line else 0} | {shares} | {reasons} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
