"""Claim pairs and what models say of them, for tests of error analysis and review."""

import json
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

import openpyxl

from atomexam.records.annotation import Label, ReplyPair
from atomexam.records.blocks import Run
from atomexam.records.claim import ClaimPair, claim_id
from atomexam.records.prediction import Prediction, Score
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import read_jsonl, write_json, write_jsonl
from eval.answers.readers import read_reply
from eval.errors.__main__ import main as errors
from eval.errors.patterns import Pair
from eval.review import main as review

SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]
SOUND = ("正确，教科书上就是这样写的。", "错误，教科书上正好相反。")
"""Two right verdicts with reasons."""

Said = tuple[str, str]
"""Replies to the factual and to the non-factual claim."""


def claim(number: int) -> ClaimPair:
    factual, denied = f"病{number}的常用药物包括药物{number}", f"病{number}的常用药物不包括药物{number}"
    words = {"head": f"病{number}", "tail": f"药物{number}", "factual": factual, "non_factual": denied}
    identity = claim_id(factual, denied)
    return ClaimPair(id=identity, atomic_type="disease_medicine", template_id="toy", fact_ids=["f"], provenance=SEEN, **words)


def pair(said: Said, number: int = 1, finish_reason: str = "stop") -> Pair:
    """Return a pair of replies as the stage sees it."""
    replies = dict(zip(("factual", "non_factual"), said, strict=True))
    read = {side: read_reply("claim", reply, {}, finish_reason)[:2] for side, reply in replies.items()}
    outcomes, answers = {side: one[0] for side, one in read.items()}, {side: one[1] for side, one in read.items()}
    return Pair(claim(number), replies, outcomes, answers)


class Folder:
    """Predictions and scores of runs in a folder of their own, the stage and the import run in it."""

    def __init__(self, folder: Path, runs: Mapping[str, list[Said]]) -> None:
        self.folder = folder
        self._runs: dict[str, Run] = {}
        most = max(map(len, runs.values()))
        write_jsonl(folder / "splits/test/claims.jsonl", [claim(number) for number in range(most)], key=lambda one: one.id)
        for run, said in runs.items():
            self.run(run, said)
        (folder / "labels.jsonl").touch()

    def run(self, name: str, said: list[Said], finish_reason: str = "stop") -> None:
        predictions, scores = [], []
        for number, one in enumerate(said):
            for side, reply in zip(("factual", "non_factual"), one, strict=True):
                item = f"{claim(number).id}/{side}"
                outcome, answer, _ = read_reply("claim", reply, {}, finish_reason)
                values = {"prompt_sha256": "", "finish_reason": finish_reason, "tokens": 1}
                predictions.append(Prediction(item_id=item, run=name, repeat=0, reply=reply, **values))
                scores.append(Score(item_id=item, repeat=0, outcome=outcome, answer=answer, correct=False))
        self._runs[name] = Run(model="said", task="claim")
        write_json(self.folder / "models/said/runs.json", self._runs)
        write_jsonl(self.folder / f"predictions/said/{name}.jsonl", predictions, key=lambda one: one.item_id)
        write_jsonl(self.folder / f"scores/{name}.jsonl", scores, key=lambda one: one.item_id)

    def errors(self, *flags: str) -> dict:
        """Run the stage; return its metrics."""
        names = {"predictions": "predictions", "scores": "scores", "splits": "splits", "models": "models"}
        names |= {"labels": "labels.jsonl", "out": "errors"}
        paths = [word for name, place in names.items() for word in (f"--{name}", str(self.folder / place))]
        with chdir(self.folder):  # where no params.yaml names other runs
            errors([*flags, *paths, "--metrics", str(self.folder / "errors.json")])
        return json.loads((self.folder / "errors.json").read_text(encoding="utf-8"))

    def queue(self, run: str) -> list[ReplyPair]:
        return list(read_jsonl(self.folder / f"errors/{run}.jsonl", ReplyPair))

    def fill(self, run: str, annotator: str, labels: Mapping[str, str], comment: str = "") -> Path:
        """Return a copy of a run's sheet with labels by claim filled in, saved as a person would."""
        book = openpyxl.load_workbook(self.folder / f"errors/{run}.xlsx")
        page = book.worksheets[0]
        columns = {cell.value: cell.column for cell in page[1]}
        for row in range(2, page.max_row + 1):
            if label := labels.get(page.cell(row, columns["factual"]).value):
                page.cell(row, columns["label"]).value = label
                page.cell(row, columns["comment"]).value = comment or None
        path = self.folder / f"{annotator}.xlsx"
        book.save(path)
        return path

    def review(self, *arguments: str | Path) -> None:
        places = ["--errors", self.folder / "errors", "--labels", self.folder / "labels.jsonl"]
        review([str(word) for word in (*arguments, *places)])

    def labels(self) -> list[Label]:
        return list(read_jsonl(self.folder / "labels.jsonl", Label))
