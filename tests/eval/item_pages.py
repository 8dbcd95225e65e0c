"""A small version of the data with replies and figures, as stages would write them, for tests of the pages that show items."""

import json
import random
from pathlib import Path

import msgspec

from atomexam.records.annotation import Decision, Review, Statement
from atomexam.records.blocks import Run
from atomexam.records.claim import ClaimPair, Evidence, Passage
from atomexam.records.cluster import Cluster
from atomexam.records.prediction import Prediction
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import write_json, write_jsonl
from eval.report.__main__ import main
from eval.score.__main__ import score_replies
from eval.score.metrics import FIGURES, read_scores
from eval.tasks.runs import RequestBuilder

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u2028\x00\u202e倒\u202c"
RESERVED = "保留题里独有的一句话是什么"
RUNS = {
    "first": Run(model="one", task="choice"),
    "second": Run(model="two", task="choice"),
    "claims": Run(model="one", task="claim", repeats=2),
    "third": Run(model="three", task="claim"),
}
_REPLIES = {"choice": ["答案：A", "答案：B", "答案：C", "没有把握", ""], "claim": ["正确", "错误", "不知道"]}


def seen(number: int) -> list[Provenance]:
    url = f"https://exam.example/{number}"
    return [Provenance(source="toy", url=url, snapshot="2026-01-01", page_id=f"page-{number:020x}", position=f"q{number}")]


def question(number: int, stem: str = "") -> Question:
    options = [Option(letter=letter, text=f"第{number}题的{letter}项") for letter in "ABCD"]
    return Question(
        id=f"q-{number:020x}",
        exam=("PCE", "SSE")[number % 2],
        subject=("心理学", "=cmd|' /C calc'!A0")[number % 3 == 0],
        question_type="mcqa",
        stem=stem or f"第{number}题的题干（ ）。",
        options=options,
        answer="ABC"[number % 3],
        provenance=seen(number),
    )


def claim(number: int, head: str = "") -> ClaimPair:
    head = head or f"病{number}"
    return ClaimPair(
        id=f"claim-{number:020x}",
        atomic_type=("disease_symptom", "disease_cause")[number % 2],
        head=head,
        tail="发热",
        factual=f"{head}的症状包括发热",
        non_factual=f"{head}的症状不包括发热",
        template_id="paper/disease_symptom/0",
        fact_ids=[f"fact-{number:020x}"],
        provenance=seen(number),
    )


def rejected(number: int, reason: str, record: dict, detail: str | None = None) -> Rejected:
    kind = "fact" if "head" in record else "question"
    where = msgspec.to_builtins(seen(number))
    return Rejected(id=f"{kind[0]}-{number:020x}", kind=kind, reason=reason, detail=detail, record=record | {"provenance": where})


def cluster(number: int, *members: str, kept: bool = True) -> Cluster:
    centre = members[0]
    similarity = [1.0, *[0.9] * (len(members) - 1)]
    return Cluster(
        cluster_id=f"cluster-{number:020x}",
        kept=centre if kept else None,
        medoid=centre,
        members=list(members),
        similarity=similarity,
        rows=len(members) + 1,
    )


def review(number: int, asked: str, kind: str = "question") -> Review:
    key = f"q-{number:020x}"
    sides = [Statement(decision=Decision(id=key, right=[right]), rows=1, sources=["toy"], urls=[HOSTILE]) for right in ("甲", HOSTILE)]
    return Review(id=key, kind=kind, asked=asked, options=["甲", HOSTILE], statements=sides)


def evidence(number: int, passage: int, rank: int = 1) -> Evidence:
    where = {"source": "toy", "url": HOSTILE, "rank": rank, "score": 2.5}
    return Evidence(claim_id=f"claim-{number:020x}", passage=f"passage-{passage:020x}", start=2, end=5, **where)


PASSAGES = ["前面有发热后面", f"题：{RESERVED}？", HOSTILE]
EVIDENCE = [evidence(0, 0), evidence(0, 2, 2), evidence(1, 1), evidence(3, 2), evidence(9_001, 0)]
MEMBERS = [
    rejected(number, "near_duplicate", msgspec.to_builtins(question(number, stem)), f"q-{kept:020x}")
    for number, kept, stem in (
        (50, 2, "第2题的另外题干（ ）。"),
        (51, 9_000, "与保留题很像的一题"),
        (52, 53, HOSTILE),
        (53, 53, "没有留下的一题"),
    )
]
CLUSTERS = [
    cluster(1, f"q-{2:020x}", f"q-{50:020x}"),
    cluster(2, f"q-{9_000:020x}", f"q-{51:020x}"),
    cluster(3, f"q-{53:020x}", f"q-{52:020x}", kept=False),
    cluster(4, f"q-{4:020x}"),
]
REVIEWS = [review(60, HOSTILE), review(61, f"题：{RESERVED}"), review(62, "保留的病 disease_symptom 头痛", "fact")]


def write_data(root: Path, questions: int = 40, claims: int = 12) -> Path:
    """Write splits, replies, scores, rejected records and the figures of runs below a folder."""
    lines = {name: {"model": run.model, "task": run.task, "repeats": run.repeats} for name, run in RUNS.items()}
    (root / "params.yaml").write_text(json.dumps({"runs": lines}))
    drawn = random.Random(1)
    splits = root / "data/splits"
    tests = [question(number, HOSTILE if number == 1 else "") for number in range(questions)]
    write_jsonl(splits / "test/questions.jsonl", tests, key=lambda row: row.id)
    write_jsonl(splits / "test/claims.jsonl", [claim(number) for number in range(claims)], key=lambda row: row.id)
    write_jsonl(splits / "reserved/questions.jsonl", [question(9_000, RESERVED)], key=lambda row: row.id)
    write_jsonl(splits / "reserved/claims.jsonl", [claim(9_001, "保留的病")], key=lambda row: row.id)
    builder = RequestBuilder(splits)
    for name, run in RUNS.items():
        requests = builder.zero_shot(run.task, run.task)
        said = [
            Prediction(
                item_id=request.item_id, run=name, repeat=repeat, prompt_sha256="0", reply=reply, finish_reason="stop", tokens=len(reply)
            )
            for request in requests
            for repeat in range(run.repeats)
            for reply in [drawn.choice(_REPLIES[run.task])]
        ]  # fmt: skip
        scores = score_replies(said, requests)
        write_jsonl(root / f"data/predictions/{run.model}/{name}.jsonl", said, key=lambda row: (row.item_id, row.repeat))
        write_jsonl(root / f"data/scores/{name}.jsonl", scores, key=lambda row: (row.item_id, row.repeat))
        about = {"model": run.model, "task": run.task, "prompt": run.task, "method": run.method, "shots": 0, "repeats": run.repeats}
        write_json(root / f"metrics/runs/{name}.json", about | FIGURES[run.task](read_scores(scores, requests)))
    fact = {"relation": "disease_symptom", "head": HOSTILE, "tail": "咳嗽", "polarity": True}
    rows = [rejected(number, "stem_broken", {"stem_raw": f"坏题{number}", "options_raw": ["A. 甲"]}) for number in range(12)]
    rows += [rejected(20, "stem_broken", {"stem_raw": f"12．{RESERVED}？"}), rejected(21, "value_empty", fact)]
    write_jsonl(root / "data/clean/rejected.jsonl", rows, key=lambda row: row.id)
    copies = [
        rejected(30, "near_duplicate", {"stem": "换了说法", "options": []}, f"q-{9_000:020x}"),
        rejected(31, "identical", fact | {"head": "保留的病"}),
        rejected(32, "identical", fact | {"head": "发热", "tail": "保留的病"}),
    ]
    write_jsonl(root / "data/unique/rejected.jsonl", [*copies, *MEMBERS], key=lambda row: row.id)
    for kind, kept in (("question", [*tests, question(9_000, RESERVED)]), ("fact", [])):
        merged = [{"id": row.id, "provenance": row.record["provenance"]} for row in (*copies, *MEMBERS) if row.kind == kind]
        write_jsonl(root / f"data/clean/{kind}s.jsonl", [*kept, *merged], key=str)
    write_jsonl(root / "data/unique/questions.jsonl", [*tests, question(9_000, RESERVED)], key=lambda row: row.id)
    write_jsonl(root / "data/unique/clusters.jsonl", CLUSTERS, key=lambda row: row.cluster_id)
    write_jsonl(root / "data/unique/review.jsonl", REVIEWS, key=lambda row: row.id)
    write_jsonl(root / "data/claims/review.jsonl", [], key=str)
    write_jsonl(root / "data/claims/rejected.jsonl", [], key=str)
    write_jsonl(
        root / "data/claims/claims.jsonl", [*(claim(number) for number in range(claims)), claim(9_001, "保留的病")], key=lambda row: row.id
    )
    write_jsonl(root / "data/evidence.jsonl", EVIDENCE, key=lambda row: (row.claim_id, row.rank))
    texts = [Passage(id=f"passage-{number:020x}", text=text, source="toy", url=HOSTILE) for number, text in enumerate(PASSAGES)]
    write_jsonl(root / "data/annotation/passages.jsonl", texts, key=lambda row: row.id)
    answers = {answer: {"claims": 1, "share": 1 / 3, "low": 0.06, "high": 0.79} for answer in ("support", "neutral", "refute")}
    agreed = {"krippendorff": {"alpha": 0.5}, "fleiss": {"kappa": None, "undefined": "too few"}}
    judged = {"verdicts": 3, "annotators": 2, "table": {"total": {"claims": 3, **answers}, "by_type": {"disease_cause": {"claims": 0}}}}
    write_json(root / "metrics/verification.json", judged | {"agreement": agreed})
    return root


def build(root: Path) -> Path:
    """Write the pages and return their folder; `root` is the current folder, and has figures of the other stages."""
    main([])
    return root / "reports"
