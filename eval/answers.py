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
from records.checks import one_of
from records.jsonl import read_jsonl
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
    """Return a row with outcome and answer; a case group (a list of options) gets a list of answers, aligned by number.

    Raises:
        ValueError: the response is no text, the task is unknown, or the options are neither {A: text} nor [{letter, text}].
    """
    if not isinstance(row["response"], str):
        raise ValueError(f"response {row['response']!r} is no text; give a failed call's response as an empty one")
    options = by_letter(row.get("options") or {})
    if isinstance(options, list):
        one_of(row["task"], ["tcm"], "task of a case group", "answers")
        text = without_reasoning(row["response"])
        answers = read_tcm_group(text, options) if text is not None else [None] * len(options)
        outcome = "truncated" if text is None else "answered" if any(answers) else "unparsed"
        return {**row, "outcome": outcome, "answer": answers}
    outcome, answer = read_answer(row["task"], row["response"], options)
    return {**row, "outcome": outcome, "answer": answer}


def by_letter(options: Any) -> Any:
    """Return options as letter -> text, those of a case group as a list of such."""
    if isinstance(options, dict) and all(isinstance(text, str | None) for text in options.values()):
        return options
    if isinstance(options, list) and all(isinstance(option, dict) and option.keys() >= {"letter", "text"} for option in options):
        return {option["letter"]: option["text"] for option in options}
    if isinstance(options, list) and (group := [by_letter(each) for each in options]) and all(isinstance(each, dict) for each in group):
        return group
    raise ValueError(f"options {str(options)[:60]} are neither {{A: text}} nor [{{letter, text}}]")


def main(argv: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if argv is None else argv
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if arguments[:1] in (["-h"], ["--help"]) else 2)
    for number, row in enumerate(read_jsonl(arguments[0], dict), 1):
        if missing := {"task", "response"} - row.keys():
            raise ValueError(f"{arguments[0]}:{number}: missing {', '.join(sorted(missing))}; expected id, task, response, options")
        try:
            print(msgspec.json.encode(read_row(row)).decode())
        except ValueError as error:
            raise ValueError(f"{arguments[0]}:{number}: {error}") from None


if __name__ == "__main__":
    run_stage(main)
