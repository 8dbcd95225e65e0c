"""Seconds and memory of `python -m curation.validate` on tables built by script: a run over all six, each of as many rows as named.

python bench/validate.py --rows 300000
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from atomexam.records.cluster import Cluster
from atomexam.records.fact import RELATIONS, Fact, fact_id
from atomexam.records.identity import content_id
from atomexam.records.params import Claims
from atomexam.records.prediction import Prediction
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, question_id
from atomexam.runtime.jsonl import write_jsonl
from curation.claims.claim_pairs import make_claims

_TEXT = "有机体长期处于强烈压力之下适应资源被耗尽容易生病的时期是警觉阶段抵抗衰竭恢复记忆思维情绪意志人格能力气质性格动机需要"
_SPLITS = ("train", "dev", "test", "reserved")


def wording(number: int, length: int) -> str:
    """Return a text that no other number has."""
    return f"{number}" + "".join(_TEXT[(number * 7 + place * (number % 13 + 1)) % len(_TEXT)] for place in range(length))


def questions(rows: int) -> Iterator[Question]:
    for number in range(rows):
        options = [wording(number * 4 + place, 8) for place in range(4)]
        key = question_id(None, wording(number, 45), options)
        listed = [Option(letter=letter, text=text) for letter, text in zip("ABCD", options, strict=True)]
        yield Question(id=key, exam="PCE", subject="甲", question_type="mcqa", stem=wording(number, 45), options=listed,
                       answer="ABCD"[number % 4], cluster_id=content_id("cluster", key), provenance=[_seen(number)])  # fmt: skip


def facts(rows: int) -> Iterator[Fact]:
    for number in range(rows):
        relation, head, tail = RELATIONS[number % len(RELATIONS)], wording(number // 10, 4), wording(number, 6)
        tail += {"disease_department": "科", "disease_infectivity": "性"}.get(relation, "")  # as claims want it
        yield Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=number % 9 > 0,
                   provenance=[_seen(number)])  # fmt: skip


def _seen(number: int) -> Provenance:
    return Provenance(source="s", url=f"https://example.com/{number}", snapshot="2026-11-20", page_id=f"page-{number:020}", position="q1")


def build(folder: Path, rows: int) -> None:
    """Write the files of all six tables."""
    asked, stated = list(questions(rows)), list(facts(rows))
    claims, _ = make_claims(stated, Claims(per_type=rows, template="paper", seed=1))
    write_jsonl(folder / "questions.jsonl", asked, key=lambda one: one.id)
    write_jsonl(folder / "facts.jsonl", stated, key=lambda one: one.id)
    write_jsonl(folder / "claims.jsonl", claims, key=lambda one: one.id)
    clusters = [
        Cluster(cluster_id=one.cluster_id or "", kept=one.id, medoid=one.id, members=[one.id], similarity=[1.0], rows=2) for one in asked
    ]
    write_jsonl(folder / "clusters.jsonl", clusters, key=lambda one: one.cluster_id)
    homes = {head: _SPLITS[place % 4] for place, head in enumerate(sorted({one.head for one in claims}))}
    for place, split in enumerate(_SPLITS):
        write_jsonl(folder / f"splits/{split}/questions.jsonl", asked[place::4], key=lambda one: one.id)
        write_jsonl(folder / f"splits/{split}/claims.jsonl", (one for one in claims if homes[one.head] == split), key=lambda one: one.id)
    replies = [
        Prediction(item_id=one.id, run="pick", repeat=repeat, prompt_sha256="0" * 64, reply="A", finish_reason="stop", tokens=1)
        for one in asked[2::4]
        for repeat in range(4)
    ]
    write_jsonl(folder / "predictions/MODEL/pick.jsonl", replies, key=lambda one: (one.item_id, one.repeat))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder, rows)
        files = [f"--{table}={folder}/{table}.jsonl" for table in ("questions", "facts", "claims", "clusters")]
        folders = [f"--{table}={folder}/{table}" for table in ("splits", "predictions")]
        for what in (["questions", "facts", "claims", "clusters"], ["splits", "predictions"]):
            start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            out = ["--runs", "pick", f"--out={folder}/out", f"--metrics={folder}/m.json", "--what", *what]
            subprocess.run([sys.executable, "-m", "curation.validate", *files, *folders, *out], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            took = f"{time.perf_counter() - start:.1f} s, {cpu:.1f} s CPU, at most {after.ru_maxrss / 1024:.0f} MB"
            print(f"{' '.join(what)}: {rows:,} rows each: {took}")


if __name__ == "__main__":
    main()
