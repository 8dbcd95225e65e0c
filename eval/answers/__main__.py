"""Parse replies: print the answer that each reply commits to, or why it has none.

`python -m eval.answers FILE.jsonl` reads rows {id, task: claim|mcqa|mrqa|tcm|qa|blank, response, options} and prints them
with outcome, answer and committed (the answer according to the complete reply). Example:
{"id": 1, "task": "mcqa", "response": "选B", "options": {"A": "甲", "B": "乙"}}
"""

import sys
from collections import Counter
from typing import Any

import msgspec

from atomexam.records.checks import one_of
from atomexam.runtime.jsonl import read_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from eval.answers.choice import read_tcm_group
from eval.answers.committed import read_committed_group
from eval.answers.published import ERROR, RULE_SETS, RuleSet
from eval.answers.readers import read_reply
from eval.answers.reply_text import split_reasoning

_PROGRESS_EVERY = 100_000
_TEXTS = {str, type(None)}
_CHOICES = ("mcqa", "mrqa")


def read_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with outcome, answer and committed.

    For a case group (options given as a list), answer and committed are lists in question order; a list of length one is a single question.

    Raises:
        ValueError: the response is not text, the task is unknown, a choice question has no options, or the options are neither {A: text}
            nor [{letter, text}].
    """
    if not isinstance(row["response"], str):
        raise ValueError(f"response {row['response']!r} is not text; give a failed call's response as an empty string")
    options = by_letter(row.get("options") or {})
    if not options and row["task"] in _CHOICES:
        wanted = "expected `options`, {A: text} or [{letter, text}]"
        raise ValueError(f"task {row['task']}: no options, so letters in a reply have no meaning; {wanted}")
    if isinstance(options, list):
        one_of(row["task"], ["tcm"], "task of a case group", "answers")
        options = options[0] if len(options) == 1 else options
    if isinstance(options, list):
        text, cut = split_reasoning(row["response"])
        answers = read_tcm_group(text, options)
        outcome = "answered" if any(answers) else "truncated" if cut else "unparsed"
        return {**row, "outcome": outcome, "answer": answers, "committed": read_committed_group(text, options, answers)}
    outcome, answer, committed = read_reply(row["task"], row["response"], options, row.get("finish_reason", "stop"))
    return {**row, "outcome": outcome, "answer": answer, "committed": committed}


def by_letter(options: Any) -> Any:
    """Return a mapping from option letters to texts; for a case group, return a list of such mappings."""
    if isinstance(options, dict) and _TEXTS.issuperset(map(type, options.values())):
        return options
    if isinstance(options, list) and all(isinstance(option, dict) and option.keys() >= {"letter", "text"} for option in options):
        return {option["letter"]: option["text"] for option in options}
    if isinstance(options, list) and (group := [by_letter(each) for each in options]) and all(isinstance(each, dict) for each in group):
        return group
    raise ValueError(f"options {str(options)[:60]} are neither {{A: text}} nor [{{letter, text}}]")


def read_row_by_rules(row: dict[str, Any], rules: RuleSet) -> dict[str, Any]:
    """Return a row with the decision of a published rule set; outcome and answer are None for question types that it does not support.

    In a case group, each question gets the decision on the complete reply, since the released code sends one question at a time.
    """
    options = by_letter(row.get("options") or {})
    kind = "a1" if row["task"] == "tcm" else row["task"]
    if kind not in rules.kinds:
        return {**row, "outcome": None, "answer": None}
    if isinstance(options, list) and len(options) == 1:
        options = options[0]
    if isinstance(options, list):
        decisions: Any = [rules.read(row["response"], each, "a3") for each in options]
        return {**row, "outcome": "answered" if any(decisions) else "unparsed", "answer": decisions}
    decision = rules.read(row["response"], options, kind)
    return {**row, "outcome": "unparsed" if decision is None else decision if decision == ERROR else "answered", "answer": decision}


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("file", help="JSON Lines")
    parser.add_argument("--rules", help=f"parse like the released code of a benchmark: {', '.join(RULE_SETS)}")
    arguments = parser.parse_args(argv)
    rules = RULE_SETS[one_of(arguments.rules, RULE_SETS, "rule set", "--rules")] if arguments.rules else None
    outcomes: Counter[str | None] = Counter()
    for number, row in enumerate(read_jsonl(arguments.file, dict, "give a JSON Lines file, one object per line"), 1):
        if missing := {"task", "response"} - row.keys():
            raise ValueError(f"{arguments.file}:{number}: missing {', '.join(sorted(missing))}; expected id, task, response, options")
        try:
            done = read_row(row)
            done = read_row_by_rules(row, rules) if rules else done
        except ValueError as error:
            raise ValueError(f"{arguments.file}:{number}: {error}") from None
        sys.stdout.buffer.write(msgspec.json.encode(done) + b"\n")
        outcomes[done["outcome"]] += 1
        if number % _PROGRESS_EVERY == 0:
            print(f"{number} replies read", file=sys.stderr)
    counts = ", ".join(f"{count} {outcome or 'not supported by these rules'}" for outcome, count in sorted(outcomes.items(), key=str))
    print(f"{sum(outcomes.values())} replies: {counts}", file=sys.stderr)


if __name__ == "__main__":
    run_stage(main)
