"""docs/cleaning.md tells every rule, with the example that the code runs."""

import re
from pathlib import Path

import pytest

from curation.clean.questions.options import OPTION_RULES
from curation.clean.questions.paper_marks import STEM_RULES
from curation.clean.questions.prose_marks import ANSWER_RULES
from curation.text.normalize import RULES
from curation.text.rules import Rule

NAMED_IN_CODE = re.compile(r'(?:rules|names)(?:\[|\.append\()"(\w+)"|"(answer_\w+|option_in_answer)"')


def cell(text: str) -> str:
    return "`" + text.replace("\n", "⏎") + "`"


@pytest.fixture(scope="module")
def told(root: Path) -> str:
    return (root / "docs/cleaning.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", (*RULES, *STEM_RULES, *ANSWER_RULES, *OPTION_RULES), ids=lambda rule: rule.name)
def test_a_rule_is_told_as_it_is(rule: Rule, told: str) -> None:
    assert f"| `{rule.name}` | {rule.why} | {cell(rule.before)} | {cell(rule.after)} |" in told


def test_no_other_rule_is_told_and_none_is_left_out(root: Path, told: str) -> None:
    named = {rule.name for rule in (*RULES, *STEM_RULES, *ANSWER_RULES, *OPTION_RULES)}
    for name in ("cleaned_questions", "options", "answer_keys"):
        found = NAMED_IN_CODE.findall((root / f"curation/clean/questions/{name}.py").read_text(encoding="utf-8"))
        named |= {one or other for one, other in found}
    named -= {"answer_missing", "answer_not_in_options"}
    assert set(re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE)) == named
