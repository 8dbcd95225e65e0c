"""Python API for building prompts, parsing, scoring and comparing replies, and tracing records."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pandas as pd
from msgspec import to_builtins

from atomexam.frames import Table, frame_of, records_of, rows_of
from atomexam.records.blocks import TEST
from atomexam.records.checks import one_of
from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.prediction import FinishReason, Prediction, Score
from atomexam.records.question import Question
from eval.answers.__main__ import read_row, read_row_by_rules
from eval.answers.published import RULE_SETS
from eval.imported import scored
from eval.score.metrics import FIGURES, read_scores
from eval.statistics.bootstrap import Figures
from eval.statistics.paired_tests import METRICS, mean, paired, tally
from eval.tasks.request import Request
from eval.tasks.runs import TASKS, wording
from eval.trace.lookup import find
from eval.trace.lookup import trace as chain_of

_RECORDS = {"questions": Question, "claims": ClaimPair, "fourfold": Fourfold}
_UNKNOWN_PROMPT = "elsewhere"  # instead of the hash of a prompt


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One input row of `score`."""

    item_id: str
    reply: str | None
    """None if the call to the model failed."""
    repeat: int = 0
    finish_reason: FinishReason = "stop"


class Scores(NamedTuple):
    """The result of `score`."""

    table: pd.DataFrame
    """One row per reply: item_id, repeat, outcome, answer, correct, committed, committed_correct."""
    figures: Figures
    """following_rate, accuracy, their intervals and breakdowns, as in metrics/runs (docs/evaluation.md)."""


def prompts(items: Table, task: str, prompt: str | None = None) -> pd.DataFrame:
    """Return the prompts for items, sorted by item_id: item_id, messages (list of {role, content}), answer (the correct one), options.

    `score` matches replies by item_id, so store it with each reply; prompts are not in the order of `items`.

    Args:
        items: questions, claim pairs or fourfold rows, depending on the task.
        task: choice, claim, fourfold, tcm, tf, blank or essay.
        prompt: name of a wording; by default the task's first.

    Raises:
        ValueError: a row is not such a record, or the task or wording does not exist.

    Example:
        >>> atomexam.prompts(test.questions, "choice")["messages"][0]
    """
    return pd.DataFrame(
        [
            {
                "item_id": request.item_id,
                "messages": to_builtins(request.messages),
                "answer": request.answer,
                "options": to_builtins(request.options),
            }
            for request in _requests(items, task, prompt)
        ],
        columns=["item_id", "messages", "answer", "options"],
    )


def parse_replies(replies: Table, rules: str | None = None) -> pd.DataFrame:
    """Return replies with `outcome`, `answer` and `committed`, the answer according to the complete reply (docs/replies.md).

    Args:
        replies: rows with `task` (claim, mcqa, mrqa, tcm, qa, blank), `response` and, for choice questions, `options`, {A: text} or
            [{letter, text}]; other columns are kept, but a column named `answer` must be renamed first.
        rules: parse like the released code of a benchmark; outcome is None for question types that it does not support.

    Raises:
        ValueError: a row lacks task or response, or has an invalid value; the message identifies the row.

    Example:
        >>> atomexam.parse_replies([{"task": "mcqa", "response": "答案是B", "options": {"A": "甲", "B": "乙"}}])["answer"]
    """
    if rules:
        one_of(rules, RULE_SETS, "rule set", "rules")
    rows = []
    for number, row in enumerate(rows_of(replies, None, "replies")):
        if missing := {"task", "response"} - row.keys():
            raise ValueError(f"replies, row {number}: missing {', '.join(sorted(missing))}; expected task, response, options")
        if "answer" in row:
            raise ValueError(f"replies, row {number}: the parsed answer would replace its `answer`; rename that column")
        try:
            parsed = read_row(row)
            rows.append(read_row_by_rules(parsed, RULE_SETS[rules]) if rules else parsed)
        except ValueError as error:
            raise ValueError(f"replies, row {number}: {error}") from None
    return pd.DataFrame(rows)


def score(replies: Table, items: Table, task: str) -> Scores:
    """Return `table`, with the answer of each reply and whether it is correct, and `figures`, the metrics with their intervals.

    Args:
        replies: rows with `item_id` (as in `prompts`), `reply` (None: the call failed) and, if several, `repeat` (0, 1, …);
            `finish_reason` is `length` for a reply that was cut off. Items without a reply do not count.
        items: as for `prompts`.
        task: as for `prompts`.

    Raises:
        ValueError: a reply belongs to no item, only some replies to a pair or fact are given, or the numbers of repeats differ.

    Example:
        >>> atomexam.score(replies, test.questions, "choice").figures["accuracy"]
    """
    requests = _requests(items, task, None)
    known = {one.item_id for one in requests}
    predictions = []
    for one in records_of(replies, Reply, "replies"):
        if one.item_id not in known:
            raise ValueError(f"replies: {one.item_id!r} is not an item of the task {task}; `prompts` lists them")
        predictions.append(
            Prediction(
                item_id=one.item_id,
                run=task,
                repeat=one.repeat,
                prompt_sha256=_UNKNOWN_PROMPT,
                reply=one.reply or "",
                finish_reason="error" if one.reply is None else one.finish_reason,
                tokens=len(one.reply or ""),
            )
        )
    scores, answered = scored(predictions, requests)
    return Scores(frame_of(scores, Score), FIGURES[task](read_scores(scores, answered)))


def compare(a: Scores | Table, b: Scores | Table, groups: Mapping[str, str] | None = None, metric: str = "accuracy") -> Figures:
    """Return whether two sets of scores differ on their shared items.

    Args:
        a: the result of `score`, its `table`, or rows of data/scores.
        b: scores of another model or prompt.
        groups: maps a question to its case or group of shared options, whose questions are resampled together; None if it has none.
        metric: accuracy or following_rate.

    Returns:
        shared, of_a, of_b, difference (a - b) with its 95 % interval, better and worse (items), mcnemar_p, bootstrap_p.

    Raises:
        ValueError: a row is not a score, or the metric does not exist.

    Example:
        >>> atomexam.compare(first, second)["mcnemar_p"]
    """
    counts = METRICS[one_of(metric, METRICS, "metric", "compare")]
    tables = {name: one.table if isinstance(one, Scores) else one for name, one in (("a", a), ("b", b))}
    ours, theirs = (tally(records_of(table, Score, name), counts) for name, table in tables.items())
    shared = ours.keys() & theirs.keys()
    units = {item: group for item, group in dict({} if groups is None else groups).items() if not pd.isna(group)}
    means = {name: mean(each[key] for key in shared) for name, each in (("of_a", ours), ("of_b", theirs))}
    return {name: None if share is None else float(share) for name, share in means.items()} | paired(ours, theirs, units, "a/b")


def runs(folder: str | Path = "metrics/runs", split: str | None = TEST) -> pd.DataFrame:
    """Return the metrics of the pipeline's runs: one row per run, one column per metric that is not a breakdown, and `split`.

    Args:
        split: test, dev or reserved; None for the runs on all splits, which cover different items.

    Raises:
        FileNotFoundError: no run on that split has been scored.

    Example:
        >>> atomexam.runs().sort_values("accuracy")[["model", "task", "accuracy"]]
    """
    read = {path.stem: {"split": TEST} | msgspec.json.decode(path.read_bytes()) for path in sorted(Path(folder).glob("*.json"))}
    figures = {
        name: {key: value for key, value in row.items() if not isinstance(value, dict)}
        for name, row in read.items()
        if split in (None, row["split"])
    }
    if not figures:
        raise FileNotFoundError(f"{folder}: no metrics of runs{f' on {split}' if split else ''}; `dvc repro score` writes them")
    return pd.DataFrame.from_dict(figures, orient="index")


def trace(what: str, data: str | Path = "data") -> list[dict[str, Any]]:
    """Return the chain of a record from its scores to the bytes of its pages; if several records match, return one row per record.

    Args:
        what: id of a claim, question, fact or page, item id of a score, an address, or some text.

    Raises:
        FileNotFoundError: the folder contains no pipeline results.
        ValueError: nothing matches.

    Example:
        >>> atomexam.trace(scores["item_id"][0])
    """
    data = Path(data)
    if not (data / "splits").is_dir():
        raise FileNotFoundError(f"{data / 'splits'}: no such folder; `dvc repro` builds it, `dvc checkout` restores it")
    hits = find(data, what) if what.strip() else []
    if not hits:
        raise ValueError(f"{what!r}: no claim, question, fact or page under {data} has this id, address or text")
    return [chain_of(data, hits[0])] if len(hits) == 1 else [hit._asdict() for hit in hits]


def _requests(items: Table, task: str, prompt: str | None) -> list[Request]:
    of = TASKS[one_of(task, TASKS, "task", "tasks")].of
    records = records_of(items, _RECORDS[of], of)
    questions, claims = (records, []) if of == "questions" else ([], records)
    return TASKS[task].requests(questions, claims, wording(task, prompt))
