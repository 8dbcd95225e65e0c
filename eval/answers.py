"""Reading answers: what a reply commits to, or why there is no answer to be read.

`python -m eval.answers FILE.jsonl` reads rows {id, task: claim|mcqa|mrqa|tcm, response, options} and prints them with outcome and answer.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from eval.choice_reading import read_several, read_single
from eval.claim_reading import read_claim
from eval.reply_text import without_reasoning
from eval.tcm_reading import read_tcm, read_tcm_group
from records.jsonl import read_jsonl
from records.params import one_of
from records.prediction import FinishReason, Outcome
from records.stage import run_stage

Options = Mapping[str, str]
READERS: dict[str, Callable[[str, Options], str | None]] = {
    "claim": lambda reply, options: read_claim(reply),
    "mcqa": read_single,
    "mrqa": read_several,
    "tcm": read_tcm,
}


def read_answer(task: str, reply: str, options: Options, finish_reason: FinishReason = "stop") -> tuple[Outcome, str | None]:
    """Return the outcome of a reply and its answer, None unless answered.

    A reply whose reasoning never ends is truncated, and so is one that was cut at its limit before an answer.
    """
    if finish_reason == "error":
        return "failed", None
    text = without_reasoning(reply)
    if text is None:
        return "truncated", None
    answer = READERS[one_of(task, READERS, "task", "answers")](text, options)
    if answer is not None:
        return "answered", answer
    return ("truncated" if finish_reason == "length" else "unparsed"), None


def read_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with outcome and answer; a case group (a list of options) gets a list of answers, aligned by number."""
    options = row.get("options") or {}
    if isinstance(options, list):
        text = without_reasoning(row["response"])
        answers = read_tcm_group(text, options) if text is not None else [None] * len(options)
        outcome = "truncated" if text is None else "answered" if any(answers) else "unparsed"
        return {**row, "outcome": outcome, "answer": answers}
    outcome, answer = read_answer(row["task"], row["response"], options)
    return {**row, "outcome": outcome, "answer": answer}


def main(argv: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if argv is None else argv
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if arguments[:1] in (["-h"], ["--help"]) else 2)
    for number, row in enumerate(read_jsonl(arguments[0], dict), 1):
        if missing := {"task", "response"} - row.keys():
            raise ValueError(f"{arguments[0]}:{number}: missing {', '.join(sorted(missing))}; expected id, task, response, options")
        print(msgspec.json.encode(read_row(row)).decode())


if __name__ == "__main__":
    run_stage(main)
