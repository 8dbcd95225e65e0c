"""Published rule sets: the decisions of the released code, which was run once on our replies and once on the published ones.

`published_decisions.jsonl` holds what the released functions decided on each reply of `replies.jsonl`, run at the commits that the rule
sets name: facts, not their code. TCMBench's stand by the form that the question is taken for. `error`: the code broke off.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from atomexam.records.prediction import Prediction
from atomexam.records.question import Option
from eval.answers.published import RULE_SETS, refutes, supports
from eval.tasks.request import Request
from eval.tasks.runs import TASKS
from tests.eval.conftest import toy_request

HERE = Path(__file__).parent
RULES_OF = {
    "claim": ["sdak_v1"],
    "mcqa": ["cpsyexam_v1", "cpsyexam_api_v1", "cpsyexam_local_v1", "cmb_v1"],
    "mrqa": ["cpsyexam_v1", "cpsyexam_api_v1", "cpsyexam_local_v1", "cmb_v1"],
    "tcm": ["tcmbench_v2"],
}
SUMS = {  # of the released code's decisions on shared/real/model_replies.jsonl, one line each, by id
    "cmb_v1": "1cb51acb4c9003285e8c216ba1dfcaa8f2361b0a11c967ca3aabe87bd00d62ae",
    "cpsyexam_api_v1": "5681f86fb97c4c7b66530a9dd087be8a9636f155979788c9d99cd22bf1d8e5f2",
    "cpsyexam_local_v1": "2bf12231b5efc17d42f495e2a6cba78900da7eb8bdb83d87d24826594abce1d2",
    "cpsyexam_v1": "33f7a6a26f6add4f11ccf9eabfdcea3d815ac3a59dae945114881a2920e8d5c6",
    "sdak_v1": "4814b1f305f565ca19264efb18aea29388426be6bf977da7d5e99a15ba40fc82",
    "tcmbench_v2": "987e331c5184786fbbf6dae7de5a44f365a8d8cc8ab23269a1d9f6990a8d9695",
}


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def decisions(rows: Iterable[dict]) -> Iterator[tuple[str, str, str, str | None]]:
    """Yield id, rule set, kind and decision; the released code asks the questions of a group one by one, so groups are left out."""
    for row in rows:
        if not isinstance(row["options"], list):
            for name in RULES_OF[row["task"]]:
                for kind in ["a1", "a3", "b1"] if row["task"] == "tcm" else [row["task"]]:
                    yield row["id"], name, kind, RULE_SETS[name].read(row["response"], row["options"] or {}, kind)


def test_our_replies_get_the_decisions_of_the_released_code() -> None:
    expected = {row.pop("id"): row for row in rows_of(HERE / "published_decisions.jsonl")}
    found: dict[str, dict] = {}
    for item, name, kind, decision in decisions(rows_of(HERE / "replies.jsonl")):
        found.setdefault(item, {})[f"{name}/{kind}" if name == "tcmbench_v2" else name] = decision
    assert found == expected


@pytest.mark.parametrize("name", sorted(RULE_SETS))
def test_the_published_replies_get_the_decisions_of_the_released_code(name: str, real_data: Path) -> None:
    rows = sorted(rows_of(real_data / "model_replies.jsonl"), key=lambda row: row["id"])
    lines = [f"{item} {kind} {decision}" for item, rules, kind, decision in decisions(rows) if rules == name]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == SUMS[name]


def test_every_rule_set_of_a_task_is_known_and_names_its_source() -> None:
    assert {name for task in TASKS.values() for name in task.published} <= set(RULE_SETS)
    assert all(".py: " in rules.source for rules in RULE_SETS.values())


def claim(number: int, answer: str) -> Request:
    about = {"messages": [], "question_type": "claim", "reader": "claim", "solution": answer, "answer": answer, "unit": str(number)}
    return toy_request(f"{number}/{answer}", answers=("正确", "错误"), **about)


def reply(request: Request, text: str, repeat: int = 0) -> Prediction:
    return Prediction(item_id=request.item_id, run="r", repeat=repeat, prompt_sha256="0", reply=text, finish_reason="stop", tokens=1)


def figures_of(name: str, replies: list[Prediction], requests: list[Request]) -> dict:
    asked = {request.item_id: request for request in requests}
    return RULE_SETS[name].figures([(row, asked[row.item_id]) for row in replies])


def test_under_sdaks_rules_one_constant_sentence_is_right_on_every_pair() -> None:
    sentence = "错误，正确的说法需要结合临床判断。"
    requests = [claim(number, answer) for number in range(5) for answer in ("正确", "错误")]
    figures = figures_of("sdak_v1", [reply(request, sentence) for request in requests], requests)
    assert figures == {"following_rate": 1.0, "accuracy": 1.0, "both": 10}
    assert supports(sentence)
    assert refutes(sentence)


def test_under_sdaks_rules_a_pair_needs_both_sides() -> None:
    requests = [claim(number, answer) for number in range(4) for answer in ("正确", "错误")]
    # bold is two characters: only 正确 may stand behind them
    said = ["正确", "错误", "正确", "正确", "说不好", "错误", "**正确**", "**错误**"]
    figures = figures_of("sdak_v1", [reply(*pair) for pair in zip(requests, said, strict=True)], requests)
    assert figures == {"following_rate": 0.5, "accuracy": 0.25, "both": 0}


def test_under_sdaks_rules_each_repeat_has_pairs_of_its_own() -> None:
    requests = [claim(0, answer) for answer in ("正确", "错误")]
    replies = [reply(one, said, repeat) for repeat, said in enumerate(("正确", "错误")) for one in requests]
    rights = [reply(one, one.answer or "", 2) for one in requests]
    figures = figures_of("sdak_v1", [*replies, *rights], requests)
    assert figures == {"following_rate": 1.0, "accuracy": 0.33333333, "both": 0}


def choice(number: int, answer: str | None, kind: str = "mcqa", **facets: str) -> Request:
    options = [Option(letter=letter, text=f"选{letter}") for letter in "ABCD"]
    about = {"messages": [], "question_type": kind, "reader": kind, "answer_format": "答案：{answer}", "options": options}
    return toy_request(f"q-{number}", answer=answer, unit="u", facets=facets, **about)


def test_under_cpsyexams_rules_a_decision_is_right_as_the_very_string() -> None:
    requests = [choice(0, "ACD", "mrqa"), choice(1, "ACD", "mrqa"), choice(2, "B"), choice(3, "B"), choice(4, None)]
    said = ["答案：DCA", "答案：ACD", "答案：B", "", "答案：A"]
    figures = figures_of("cpsyexam_v1", [reply(*pair) for pair in zip(requests, said, strict=True)], requests)
    assert figures == {"following_rate": 0.75, "accuracy": 0.5, "errors": 1}  # an empty reply breaks the released code


def test_the_later_code_counts_among_the_read_only() -> None:
    requests = [choice(number, "A") for number in range(3)]
    replies = [reply(requests[0], "A"), reply(requests[1], "不知道"), reply(requests[2], "说不好")]
    figures = figures_of("cpsyexam_api_v1", replies, requests)
    assert (figures["accuracy"], figures["accuracy_of_the_read"]) == (0.33333333, 1.0)


def test_the_leaderboard_is_the_mean_of_subjects_and_of_both_kinds() -> None:
    """A subject of one question weighs as much as one of three, what was not read is left out, and a kind without any is 0."""
    single = [choice(number, "A", subject="PCE 甲" if number < 3 else "PCE 乙") for number in range(4)]
    several = [choice(number, "AC", "mrqa", subject="PCE 甲") for number in (4, 5)]
    said = ["A", "B", "不知道", "A", "AC", "AB"]
    replies = [reply(*pair) for pair in zip([*single, *several], said, strict=True)]
    figures = figures_of("cpsyexam_api_v1", replies, [*single, *several])
    names = ("leaderboard_mcqa", "leaderboard_mrqa", "leaderboard_avg")
    assert [figures[name] for name in names] == [0.75, 0.5, 0.625]
    assert (figures["accuracy"], figures["accuracy_of_the_read"]) == (0.5, 0.6)
    one_kind = figures_of("cpsyexam_api_v1", replies[:4], single)
    assert [one_kind[name] for name in names] == [0.75, 0.0, 0.375]
    assert "leaderboard_avg" not in figures_of("cpsyexam_v1", replies, single + several)
