"""Sampled claims for tests of verification: hostile passages, a claim that looks like a formula, one without evidence."""

import json
from pathlib import Path
from typing import Any

import openpyxl

from atomexam.records.annotation import Verdict
from atomexam.records.claim import ClaimPair, Evidence, Passage, claim_id
from atomexam.records.fact import RELATIONS
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from curation import verdicts
from curation.annotation.samples import SampledClaim, with_evidence, write_project, write_spreadsheet

HOSTILE = "<img src=x onerror=alert(1)>=1+1。</View>&amp;\"'{{7*7}} $claim 腹痛"


def claim(factual: str, atomic_type: str = "disease_symptom") -> ClaimPair:
    denied = "不" + factual
    return ClaimPair(
        id=claim_id(factual, denied),
        atomic_type=atomic_type,
        head="病",
        tail="症",
        factual=factual,
        non_factual=denied,
        template_id=f"paper/{atomic_type}/0",
        fact_ids=["fact-1"],
        provenance=[],
    )


CLAIMS = [
    claim("胰尾癌的常见症状包括腹痛"),
    claim("=1+1的常见症状包括<b>@SUM</b>"),
    claim("骨髓粒红比例的正常参考区间通常是1.5:1~3.5:1", "examination_range"),
    claim("没有资料的病不具有传染性", "disease_infectivity"),
]
PASSAGE = Passage(id="passage-1", text=f"先说别的。{HOSTILE}。再说别的。", source="xiaohe", url="https://a.example/1?a=1&b=<2>")


def drawn() -> list[SampledClaim]:
    start = PASSAGE.text.index(HOSTILE)
    rows = [
        Evidence(
            claim_id=one.id, passage="passage-1", source="xiaohe", url=PASSAGE.url, rank=1, score=1.0, start=start, end=start + len(HOSTILE)
        )
        for one in CLAIMS[:3]
    ]
    return with_evidence(CLAIMS, {row.claim_id: [row] for row in rows}, {"passage-1": PASSAGE})


def verdict(number: int, annotator: str, answer: str, comment: str = "") -> Verdict:
    return Verdict(
        claim_id=f"claim-{number:06}",
        annotator=annotator,
        verdict=answer,
        comment=comment,
        claim=f"第{number}病的症状包括热",
        atomic_type=RELATIONS[number % 17],
    )


def by_claim(*verdicts: Verdict) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = {}
    for one in sorted(verdicts, key=lambda one: (one.claim_id, one.annotator)):
        found.setdefault(one.claim_id, []).append(one)
    return found


def lay_out(folder: Path) -> Path:
    """Write claims, sheet and project as the stages do."""
    write_jsonl(folder / "claims.jsonl", CLAIMS, key=lambda one: one.id)
    write_project(folder, drawn())
    write_spreadsheet(folder, drawn())
    return folder


def tasks(project: Path) -> list[dict[str, Any]]:
    return json.loads((project / "label_studio.json").read_text(encoding="utf-8"))


def result(answer: str, comment: str = "") -> list[dict[str, Any]]:
    rows = [{"id": "a1", "from_name": "verdict", "to_name": "claim", "type": "choices", "value": {"choices": [answer]}}]
    if comment:
        rows.append({"id": "a2", "from_name": "comment", "to_name": "claim", "type": "textarea", "value": {"text": [comment]}})
    return rows


def exported(project: Path, answers: list[dict[Any, tuple[str, str]]]) -> Path:
    """Return an export of Label Studio (JSON): for each task the answers of annotators, with their `completed_by`."""
    rows = [
        {"id": 100 + number, **task}
        | {
            "annotations": [
                {"id": 1, "completed_by": json.loads(who), "result": result(*answer), "created_at": "2026-11-21T00:00:00Z"}
                for who, answer in given.items()
            ],
            "predictions": [],
        }
        for number, (task, given) in enumerate(zip(tasks(project), answers, strict=True))
    ]
    (project / "export.json").write_text(json.dumps(rows), encoding="utf-8")
    return project / "export.json"


def take(project: Path, *argv: object) -> list[Verdict]:
    verdicts.main([*map(str, argv), f"--claims={project / 'claims.jsonl'}", f"--verdicts={project / 'verdicts.jsonl'}"])
    return list(read_jsonl(project / "verdicts.jsonl", Verdict))


def filled(project: Path, name: str, answers: dict[str, tuple[str, str]]) -> Path:
    """Return the workbook with answers filled in, by claim id, as saved by another program."""
    book = openpyxl.load_workbook(project / "claims.xlsx")
    page = book.worksheets[0]
    columns = {cell.value: cell.column for cell in page[1]}
    for line in range(2, page.max_row + 1):
        if given := answers.get(page.cell(line, columns["claim_id"]).value):
            for column, text in zip(("verdict", "comment"), given, strict=True):
                cell = page.cell(line, columns[column])
                cell.value, cell.data_type = text, "s"  # the column has text format, in which a spreadsheet evaluates nothing
    book.save(project / name)
    return project / name
