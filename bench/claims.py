"""CPU time, wall time and memory of the stage `claims` on generated facts.

    python bench/claims.py --facts 1000000

Heads, tails and polarities are unevenly distributed, as in encyclopedias; a tenth of the heads have an alias. The first run starts
without earlier choices, the second with those of the first; both must write the same bytes.
"""

import argparse
import hashlib
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from atomexam.records.fact import RELATIONS, Alias, Fact, fact_id
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import write_jsonl

_SIGNS = "肺肝胃肾心脑眼耳鼻喉皮骨胰胆膀宫巢腺管肠血炎癌瘤肿溃疡石积萎缩硬化增生脓梗死损伤畸形染肥大纤维"
_ENDS = {"disease_infectivity": "传染性", "disease_department": "科", "food_effect": "止痛"}


def build(count: int, seed: int = 1) -> Iterator[Fact]:
    """Yield facts of all types, about twelve per head; a few tails are common, most are rare."""
    draw = random.Random(f"{seed}/claims")
    for number in range(count):
        relation = RELATIONS[number % len(RELATIONS)]
        head = _name(draw.randrange(count // 12), 4)
        end = _ENDS.get(relation, "")
        tail = end if relation == "disease_infectivity" else _name(int(draw.paretovariate(0.6)) % 60_000, 3) + end
        polarity = relation not in ("disease_infectivity", "disease_food") or draw.random() < 0.3
        seen = [
            Provenance(source="s", url=f"https://example.com/{number}", snapshot="2026-11-20", page_id=f"page-{number:020}", position="q1")
        ]
        yield Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=polarity, provenance=seen)


def _name(number: int, length: int) -> str:
    digest = hashlib.md5(f"{length}/{number}".encode(), usedforsecurity=False).digest()
    return "".join(_SIGNS[byte % len(_SIGNS)] for byte in digest[:length]) + f"{number:x}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=1_000_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        facts = list({fact.id: fact for fact in build(args.facts)}.values())  # each fact occurs once, as after near_duplicates
        write_jsonl(folder / "facts.jsonl", facts, key=lambda fact: (fact.id, fact.polarity))
        heads = sorted({fact.head for fact in facts})[::10]
        aliases = [Alias(name=head, alias=f"{head}病", entity_type="disease", provenance=facts[0].provenance[0]) for head in heads]
        write_jsonl(folder / "aliases.jsonl", aliases, key=lambda row: row.name)
        del facts, aliases
        rows = [_run(folder), _run(folder)]
    print("both runs wrote the same bytes" if rows[0] == rows[1] else "THE RUNS WROTE DIFFERENT BYTES")


def _run(folder: Path) -> list[str]:
    inputs = [f"--{name}={folder / name}.jsonl" for name in ("facts", "aliases", "chosen", "references", "verdicts", "decisions")]
    given = [*inputs, "--per_type=1000", "--template=paper", "--seed=1", f"--out={folder}/out", f"--metrics={folder}/m.json"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "curation.claims", *given], check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"CPU {cpu:.1f} s, wall {wall:.1f} s, peak memory of a run {after.ru_maxrss / 1024:.0f} MB")
    print((folder / "m.json").read_text(encoding="utf-8").split('"rejected_by_reason"')[1])
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted([*(folder / "out").iterdir(), folder / "chosen.jsonl"])]


if __name__ == "__main__":
    main()
