"""Files of replies made elsewhere -> replies to items of the test split: lm-evaluation-harness, OpenCompass, and plain rows.

lm-evaluation-harness: `samples_TASK_DATE.jsonl` of --log_samples. OpenCompass: `predictions/MODEL/TABLE.json`. Plain: rows {id, reply}.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from atomexam.records.checks import one_of
from atomexam.records.claim import PAIR
from atomexam.runtime.jsonl import read_jsonl
from eval.tasks.request import Request

_LABEL = "label: "  # OpenCompass's prefix of an answer whose perplexity it gives
_PART = re.compile(r"_\d+$")  # OpenCompass splits a large table into TABLE_0.json, TABLE_1.json, …


class ImportedReply(NamedTuple):
    """One reply from a file."""

    item_id: str
    repeat: int
    reply: str | None
    """None if the call failed, or an answer was chosen by likelihood."""
    likelihoods: dict[str, float]
    """By answer, if one was chosen by likelihood."""
    gold: str | None = None
    """The right answer according to the file, if it has one."""


Tables = Mapping[str, Sequence[Mapping[str, str]]]
"""The tables of a release for OpenCompass, by name."""


def read_replies(path: Path, requests: Mapping[str, Request], tables: Tables) -> tuple[str, list[ImportedReply]]:
    """Return the name of a file's format, and its replies.

    Raises:
        ValueError: it has none of the formats, or a row is invalid; the message names file and row.
    """
    if path.suffix == ".json":
        return "OpenCompass", list(_opencompass(path, tables))
    rows = list(read_jsonl(path, dict, "name a file of JSON objects, one a line, or the .json of OpenCompass"))
    if rows and "doc" in rows[0]:
        return "lm-evaluation-harness", list(_rows(path, rows, lambda row: _harness(row, requests)))
    return "plain rows", list(_rows(path, rows, _plain))


def request_of(item: str, requests: Mapping[str, Request]) -> Request:
    """Return the request of an item.

    Raises:
        ValueError: no task includes it.
    """
    if item not in requests:
        raise ValueError(f"item {item}: no task of this test split includes it; use the evaluated version of the data")
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
    """Return the replies of one sample: the texts, or the likelihoods of the answers in order."""
    doc = row["doc"]
    item = f"{doc['id']}/{tuple(PAIR)[doc['gold']]}" if "claim" in doc else doc["id"]
    gold = None if "claim" in doc else doc.get("answer")
    responses = row["resps"]
    if isinstance(responses[0][0], str):
        return [ImportedReply(item, repeat, reply, {}, gold) for repeat, reply in enumerate(responses[0])]
    answers = [option.letter for option in request_of(item, requests).options]
    likelihoods = [float(pair[0]) for (pair, *_) in responses]
    if len(answers) != len(likelihoods):
        raise ValueError(
            f"{item} has {len(answers)} options, the sample {len(likelihoods)} likelihoods; it belongs to another version of the data"
        )
    return [ImportedReply(item, 0, None, dict(zip(answers, likelihoods, strict=True)), gold)]


def _opencompass(path: Path, tables: Tables) -> Iterator[ImportedReply]:
    """Yield the replies of a file of predictions; rows are matched by prompt, since each part of a table is numbered from 0."""
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
    """Return a prompt as text: OpenCompass stores text, or a list of turns."""
    return prompt if isinstance(prompt, str) else "\n".join(turn["prompt"] for turn in prompt)


def _test_row(prompt: str, table: Sequence[Mapping[str, str]], index: int) -> Mapping[str, str]:
    """Return the row of a prompt: the one at its index, else the last one whose text it contains."""
    if index < len(table) and prompt.rfind(table[index]["question"]) >= 0:
        candidates = [table[index]]
    else:
        candidates = [row for row in table if row["question"] in prompt]
    if not candidates:
        raise ValueError(f"the prompt {prompt[-40:]!r} contains no question of the table; it belongs to another version of the data")
    return max(candidates, key=lambda row: prompt.rfind(row["question"]))
