"""CPU time, wall time and peak memory of `crawlers.read`, with all its processes, on generated question banks, one file per kind.

    python bench/read.py --count 100000
    python bench/read.py --count 100000 --kinds bank.txt --folder banks          keep the files in that folder

The files are the same in each run. `bank` has columns and keys with known names; those of `unnamed` must be recognized by their contents.
"""

import argparse
import json
import os
import random
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openpyxl import Workbook

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.engine import ROOT, Taken

KINDS = ["bank.xlsx", "bank.json", "bank.txt", "unnamed.xlsx", "unnamed.json", "unnamed.txt"]
NAMES = {"bank": ["题干", "A", "B", "C", "D", "答案", "解析"], "unnamed": ["tm", "xa", "xb", "xc", "xd", "da", "jx"]}
ORGANS = ["心脏", "肝脏", "肺部", "肾脏", "脾脏", "胃部", "胆囊", "膀胱", "大脑", "小肠", "皮肤", "骨骼", "血管", "神经", "肌肉", "甲状腺"]
LESIONS = ["炎症", "肿瘤", "损伤", "畸形", "出血", "梗死", "结核", "囊肿", "脓肿", "溃疡", "萎缩", "肥大", "水肿", "穿孔", "硬化", "坏死"]
"""With the organs, these form enough different options that a column of them is not mistaken for a category."""
ASKS = ["下列器官中最先受到影响的是（ ）", "其病变部位首先考虑下列哪一项（ ）", "主要累及的部位是（ ）", "下列说法中正确的是（ ）"]
SIGNS = ["发热", "头痛", "水肿", "黄疸", "咳嗽", "心悸", "乏力", "皮疹", "呕吐", "眩晕"]


def questions(count: int, seed: int = 1) -> Iterator[list[str]]:
    """Yield the stem, four options, answer and explanation of each question."""
    draw = random.Random(f"{seed}/read")
    for number in range(1, count + 1):
        first, second = draw.sample(SIGNS, 2)
        age, days = draw.randrange(18, 90), draw.randrange(1, 60)
        stem = f"病例{number}：患者{age}岁，{first}伴{second}{days}天，既往体健，{draw.choice(ASKS)}"
        options = [f"{organ}{draw.choice(LESIONS)}" for organ in draw.sample(ORGANS, 4)]
        letter = draw.choice("ABCD")
        yield [
            stem,
            *options,
            letter,
            f"{first}与{second}同时出现，多见于{options['ABCD'.index(letter)]}，详见教材第{draw.randrange(1, 900)}页。",
        ]


def write(path: Path, count: int) -> None:
    """Write a bank in the format given by its file name."""
    names = NAMES[path.stem]
    if path.suffix == ".xlsx":
        book = Workbook(write_only=True)
        sheet = book.create_sheet("题库")
        sheet.append(names)
        for row in questions(count):
            sheet.append(row)
        book.save(path)
        return
    with open(path, "w", encoding="utf-8") as file:
        if path.suffix == ".json":
            rows: Iterator[Any] = ({**dict(zip(names, row, strict=True)), "id": number} for number, row in enumerate(questions(count), 1))
            file.write("[" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "]")
        elif path.stem == "unnamed":  # one row per line
            file.writelines("\t".join(row) + "\n" for row in questions(count))
        else:
            for number, (stem, *options, answer, why) in enumerate(questions(count), 1):
                shown = "\n".join(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))
                file.write(f"{number}. {stem}\n{shown}\n答案：{answer}\n解析：{why}\n\n")


def measure(path: Path) -> None:
    """Read a file, and print a row with its time and memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = Taken([sys.executable, "-c", READ, path.name], path.parent)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    read, size = path.with_name("items.jsonl").read_bytes().count(b"\n"), path.stat().st_size / 1e6
    print(f"| {path.name} | {size:.1f} | {read:,} | {cpu:.1f} | {taken.seconds:.1f} | {taken.all_mb:,.0f} |", flush=True)


READ = """
import sys
from crawlers.read.__main__ import run
sys.stdout = open("items.jsonl", "w")
sys.argv[0] = "crawlers.read"
run()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--folder", type=Path, help="keep the files here; those that lie there are read again")
    args = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    print("| file | MB | questions read | CPU s | wall s | MB of memory |\n|---|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = args.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for kind in args.kinds:
            path = folder / kind
            if not path.exists():
                write(path, args.count)
            measure(path)


if __name__ == "__main__":
    main()
