"""Parse and score external replies like the project's own, compare them with its runs, and write an item browser for both.

python -m eval.imported NAME FILE...    FILE: output of --log_samples of lm-evaluation-harness, predictions of OpenCompass, or rows {id,
reply}

Writes to OUT/NAME/: replies, scores and metrics of each task in the files, and items.html. Nothing in data/ or metrics/ changes.

lm-evaluation-harness: `samples_TASK_DATE.jsonl`. OpenCompass: `predictions/MODEL/TABLE.json`, and the OpenCompass tables of a release.
Replies are matched by id, so rows may be in any order.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from atomexam.records.blocks import SLUG, Run
from atomexam.records.checks import convert, one_of
from atomexam.records.claim import PAIR
from atomexam.records.params import PARAMS_FILE, read_params
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.runtime.stage_summary import NOUNS
from eval.compare import as_text, compare
from eval.report.items import Browser, paired_replies, read_paired
from eval.report.pages import write_items
from eval.score.__main__ import score_replies
from eval.score.metrics import FIGURES, read_scores
from eval.statistics.bootstrap import Figures
from eval.statistics.paired_tests import METRICS, committed_right, missing_of, scored_id, tally, with_holm
from eval.tasks.contract import read_claims, read_split
from eval.tasks.request import Request
from eval.tasks.runs import TASKS, RequestBuilder

_LABEL = "label: "  # OpenCompass's prefix of an answer with a perplexity
_PART = re.compile(r"_\d+$")  # OpenCompass splits a large table into TABLE_0.json, TABLE_1.json, …


class ImportedReply(NamedTuple):
    """One reply from a file."""

    item_id: str
    repeat: int
    reply: str | None
    """None if the call failed or the answer was chosen by likelihood."""
    likelihoods: dict[str, float]
    """Maps each answer to its log-likelihood, if the answer was chosen by likelihood."""
    gold: str | None = None
    """The correct answer according to the file, if it gives one."""


Tables = Mapping[str, Sequence[Mapping[str, str]]]
"""Maps a name to a table of a release for OpenCompass."""


def read_replies(path: Path, requests: Mapping[str, Request], tables: Tables) -> tuple[str, list[ImportedReply]]:
    """Return the name of a file's format and the replies in the file.

    Raises:
        ValueError: the file has none of the known formats, or a row is invalid; the message gives the file and the row.
    """
    if path.suffix == ".json":
        return "OpenCompass", list(_opencompass(path, tables))
    rows = list(read_jsonl(path, dict, "give a JSON Lines file, one object per line, or OpenCompass's .json"))
    if rows and "doc" in rows[0]:
        return "lm-evaluation-harness", list(_rows(path, rows, lambda row: _harness(row, requests)))
    return "plain rows", list(_rows(path, rows, _plain))


def request_of(item: str, requests: Mapping[str, Request]) -> Request:
    """Return the request of an item.

    Raises:
        ValueError: no task includes it.
    """
    if item not in requests:
        raise ValueError(f"item {item}: no task of this test split includes it; use the version of the data that was evaluated")
    return requests[item]


def _rows(path: Path, rows: list[dict[str, Any]], read: Callable[[dict[str, Any]], list[ImportedReply]]) -> Iterator[ImportedReply]:
    for number, row in enumerate(rows, 1):
        try:
            yield from read(row)
        except (KeyError, TypeError, IndexError) as error:
            wanted = "expected {id, reply}, or a sample of lm-evaluation-harness"
            raise ValueError(f"{path}:{number}: {type(error).__name__} {error}; {wanted}") from None
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None


def _plain(row: dict[str, Any]) -> list[ImportedReply]:
    reply = row["reply"] if "reply" in row else row["response"]
    repeat = row.get("repeat", 0)
    if not isinstance(row["id"], str) or not isinstance(repeat, int) or not (reply is None or isinstance(reply, str)):
        raise ValueError(f"id {row['id']!r}, repeat {repeat!r}, reply {str(reply)[:40]!r}: expected text, a number, and text or null")
    return [ImportedReply(row["id"], repeat, reply, {})]


def _harness(row: dict[str, Any], requests: Mapping[str, Request]) -> list[ImportedReply]:
    """Return the replies in one sample: texts, or the likelihoods of the answers in order."""
    doc = row["doc"]
    item = f"{doc['id']}/{doc.get('side') or tuple(PAIR)[doc['gold']]}" if "claim" in doc else doc["id"]
    gold = None if "claim" in doc else doc.get("answer")
    if gold and item in requests and requests[item].question_type == "tf":  # the file has a letter, the request a word
        gold = next(option["text"] for option in doc["options"] if option["letter"] == gold)
    responses = row["resps"]
    if isinstance(responses[0][0], str):
        return [ImportedReply(item, repeat, reply, {}, gold) for repeat, reply in enumerate(responses[0])]
    answers = [option.letter for option in request_of(item, requests).options]
    likelihoods = [float(pair[0]) for (pair, *_) in responses]
    if len(answers) != len(likelihoods):
        raise ValueError(
            f"{item} has {len(answers)} options, but the sample has {len(likelihoods)} likelihoods; it belongs to another "
            "version of the data"
        )
    return [ImportedReply(item, 0, None, dict(zip(answers, likelihoods, strict=True)), gold)]


def _opencompass(path: Path, tables: Tables) -> Iterator[ImportedReply]:
    """Yield the replies in a predictions file; rows are matched by prompt, since the numbering restarts at 0 in each part of a table."""
    table = tables[one_of(_PART.sub("", path.stem), tables, "table", "data/release/opencompass (--tables)")]
    try:
        predictions = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, Any]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: {error}; expected the predictions of OpenCompass") from None
    for key, row in predictions.items():
        labels = {name.removeprefix(_LABEL): value for name, value in row.items() if name.startswith(_LABEL)}
        try:
            prompt = _text(next(iter(labels.values()))["prompt"] if labels else row["origin_prompt"])
            tested = _test_row(prompt, table, int(key))
            if labels:
                likelihoods = {label: -float(value["PPL"]) for label, value in labels.items()}
                yield ImportedReply(tested["id"], 0, None, likelihoods, tested["answer"])
            else:
                replies = row["prediction"] if isinstance(row["prediction"], list) else [row["prediction"]]
                yield from (ImportedReply(tested["id"], repeat, str(reply), {}, tested["answer"]) for repeat, reply in enumerate(replies))
        except (KeyError, TypeError) as error:
            raise ValueError(
                f"{path}: row {key}: {type(error).__name__} {error}; expected origin_prompt and prediction, or labels"
            ) from None
        except ValueError as error:
            raise ValueError(f"{path}: row {key}: {error}") from None


def _text(prompt: Any) -> str:
    """Return a prompt as text; OpenCompass stores text or a list of turns."""
    return prompt if isinstance(prompt, str) else "\n".join(turn["prompt"] for turn in prompt)


def _test_row(prompt: str, table: Sequence[Mapping[str, str]], index: int) -> Mapping[str, str]:
    """Return the table row of a prompt: the row at its index, or else the last row whose text the prompt contains."""
    if index < len(table) and prompt.rfind(table[index]["question"]) >= 0:
        candidates = [table[index]]
    else:
        candidates = [row for row in table if row["question"] in prompt]
    if not candidates:
        raise ValueError(f"the prompt {prompt[-40:]!r} contains no question of the table; it belongs to another version of the data")
    return max(candidates, key=lambda row: prompt.rfind(row["question"]))


_EXTERNAL = "elsewhere"  # instead of the hash of an unknown prompt
_MAX_LISTED = 3


def predictions(name: str, imported: Iterable[ImportedReply], requests: Mapping[str, Request]) -> list[Prediction]:
    """Return replies as sorted predictions of a run.

    Raises:
        ValueError: a reply belongs to no test item or is given twice, or its correct answer differs from the split's.
    """
    by_key: dict[tuple[str, int], Prediction] = {}
    for one in imported:
        request = request_of(one.item_id, requests)
        if one.gold is not None and request.answer is not None and one.gold != request.answer:
            raise ValueError(
                f"{one.item_id}: the key is {one.gold} in the file but {request.answer} in the test split; use the version that "
                "was evaluated"
            )
        if (one.item_id, one.repeat) in by_key:
            raise ValueError(f"{one.item_id}: given twice; if a model replied several times, number the rows by `repeat`: 0, 1, …")
        reply = request.reply(max(one.likelihoods, key=one.likelihoods.__getitem__)) if one.likelihoods else one.reply
        by_key[one.item_id, one.repeat] = Prediction(
            item_id=one.item_id,
            run=name,
            repeat=one.repeat,
            prompt_sha256=_EXTERNAL,
            reply=reply or "",
            finish_reason="error" if reply is None else "stop",
            tokens=len(reply or ""),
            error="no reply in the file" if reply is None else None,
            likelihoods=one.likelihoods or None,
        )
    return [by_key[one_key] for one_key in sorted(by_key)]


def scored(replies: Sequence[Prediction], requests: Sequence[Request]) -> tuple[list[Score], list[Request]]:
    """Return the scores, and the requests to which the replies belong.

    Raises:
        ValueError: only one side of a claim pair has a reply, or an item is missing in a repeat.
    """
    answered = {reply.item_id for reply in replies}
    answered_requests = [request for request in requests if request.item_id in answered]
    units = {request.unit for request in answered_requests if request.question_type == "claim"}
    if halves := sorted(request.item_id for request in requests if request.unit in units and request.item_id not in answered):
        raise ValueError(f"{len(halves)} claim pairs have a reply to only one of their claims; missing: {', '.join(halves[:_MAX_LISTED])}")
    counts = Counter(reply.item_id for reply in replies)
    if uneven := sorted(item for item, count in counts.items() if count != max(counts.values())):
        raise ValueError(f"{len(uneven)} items have fewer repeats than others, such as {', '.join(uneven[:_MAX_LISTED])}")
    return score_replies(replies, answered_requests), answered_requests


def compared_with_ours(
    name: str, task: str, scores: Sequence[Score], folder: Path, ours: Mapping[str, Any], groups: Mapping[str, str]
) -> tuple[list[Figures], list[str]]:
    """Return the comparisons of an imported run with the project's runs of its task on shared items, and notes about missing replies."""
    runs = {name: Run(model=name, task=task)} if task != "essay" else {}  # type: ignore[arg-type]
    all_scores = {name: list(scores)}
    for other, run in ours.items():
        if runs and run.get("task") == task and (folder / f"{other}.jsonl").exists():
            runs[other] = convert(run, Run, f"{PARAMS_FILE}: runs.{other}")
            all_scores[other] = list(read_jsonl(folder / f"{other}.jsonl", Score))
    tallies = {run: tally(all_scores[run], METRICS["accuracy"]) for run in runs}
    committed = {run: tally(all_scores[run], committed_right) for run in runs}
    pairs = [compare({name: runs[name], other: runs[other]}, tallies, groups, {}, committed) for other in runs if other != name]
    notes = [note for run in runs for note in missing_of(run, all_scores[run])]
    return with_holm([row | {"differ_in": [_EXTERNAL]} for rows in pairs for row in rows]), notes  # their prompts are unknown


def summary(task: str, figures: Figures, total: int) -> str:
    """Return the main figures of a task on one line."""
    noun = NOUNS.get(task, "questions")
    parts = [f"{task}: {figures[noun]} of {total} {noun} of the test split"]
    for figure in ("following_rate", "accuracy", "committed_accuracy"):
        if figures.get(figure) is not None:
            bounds = figures.get(f"{figure}_interval")
            interval = f" ({100 * bounds[0]:.1f} … {100 * bounds[1]:.1f})" if bounds else ""
            parts.append(f"{figure.replace('_', ' ')} {100 * figures[figure]:.1f} %{interval}")
    counts = [f"{count} {outcome}" for outcome, count in figures["outcomes"].items() if count and outcome != "answered"]
    return "; ".join([*parts, *([", ".join(counts)] if counts else [])])


def read_tables(folder: Path) -> Tables:
    """Return the tables of a release for OpenCompass; empty if the folder does not exist."""
    return {path.stem: list(read_jsonl(path, dict)) for path in sorted(folder.glob("*.jsonl"))}


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("name", metavar="NAME", help="name of the run: lower-case letters, digits, - and _")
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    paths = {"splits": "data/splits", "scores": "data/scores", "predictions": "data/predictions", "tables": "data/release/opencompass"}
    for flag, default in (paths | {"out": "imported"}).items():
        parser.add_argument(f"--{flag}", type=Path, default=Path(default), metavar="PATH", help=f"default: {default}")
    args: Any = parser.parse_args(argv)
    ours: dict[str, Any] = (read_params().get("runs") or {}) if Path(PARAMS_FILE).exists() else {}
    if not re.fullmatch(SLUG, args.name) or args.name in ours:
        raise ValueError(f"NAME {args.name!r}: expected lower-case letters, digits, - and _, and not the name of a run: {', '.join(ours)}")
    questions, claims = read_split(args.splits / "test")
    fourfold = list(read_claims(TASKS["fourfold"], args.splits / "test"))
    builder = RequestBuilder(args.splits)
    by_task = {task: builder.zero_shot(task, TASKS[task].prompts[0]) for task in TASKS}
    requests = {request.item_id: request for task_requests in by_task.values() for request in task_requests}
    tables = read_tables(args.tables)
    replies_read: list[ImportedReply] = []
    for path in args.files:
        kind, replies = read_replies(path, requests, tables)
        print(f"{path}: {kind}, {len(replies)} replies", file=sys.stderr)
        replies_read += replies
    all_predictions = predictions(args.name, replies_read, requests)
    groups = {question.id: question.group_id for question in questions if question.group_id}
    all_scores: list[Score] = []
    of_tasks: dict[str, Figures] = {}
    lines: list[str] = []
    for task, task_requests in by_task.items():
        items = {request.item_id for request in task_requests}
        if replies_of := [reply for reply in all_predictions if reply.item_id in items]:
            scores, answered = scored(replies_of, task_requests)
            figures = FIGURES[task](read_scores(scores, answered))
            rows, notes = compared_with_ours(args.name, task, scores, args.scores, ours, groups)
            lines.append(summary(task, figures, len({request.unit if task in NOUNS else request.item_id for request in task_requests})))
            lines += [as_text(rows) if rows else "  no run of this project to compare with", *notes]
            of_tasks[task] = {"task": task, **figures, "beside": rows}
            all_scores += scores
    all_scores.sort(key=_sort_key)
    with folder_lock(args.out / args.name) as out:  # after everything that may fail, since `make repro` tracks the folder even if empty
        for task, figures in of_tasks.items():
            write_json(out / f"{task}.json", figures)
        write_jsonl(out / "replies.jsonl", all_predictions, key=_sort_key)
        write_jsonl(out / "scores.jsonl", all_scores, key=_sort_key)
        own_runs = {run: about for run, about in ours.items() if about.get("task") in of_tasks and (args.scores / f"{run}.jsonl").exists()}
        by_run = {args.name: paired_replies(all_scores, all_predictions)}
        scored_items = {scored_id(score.item_id) for score in all_scores}
        for run, about in own_runs.items():
            by_run[run] = (row for row in read_paired(args.scores, args.predictions, run, about["model"]) if row[0] in scored_items)
        browser = Browser({args.name: {"model": _EXTERNAL, "task": ", ".join(of_tasks)}} | own_runs)
        scored_questions = [question for question in questions if question.id in scored_items]
        scored_claims = sorted((claim for claim in [*claims, *fourfold] if claim.id in scored_items), key=lambda claim: claim.id)
        write_items(out, browser.files(scored_questions, scored_claims, by_run), folder="none")
    print(f"{out / 'items.html'} has all replies", file=sys.stderr)
    print("\n".join(lines))  # last, since the reader of a pipe may have exited


def _sort_key(row: Prediction | Score) -> tuple[str, int]:
    return row.item_id, row.repeat


if __name__ == "__main__":
    run_stage(main)
