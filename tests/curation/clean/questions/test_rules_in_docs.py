"""docs/cleaning.md names every rule; --help says what each does, with the example that the code runs."""

import re
from pathlib import Path

import pytest

from curation.clean.__main__ import main
from curation.clean.questions.exam_text import TEXT_RULES

NAMED_IN_CODE = re.compile(r'(?:rules|names)(?:\[|\.append\()"(\w+)"|"(answer_\w+|option_in_answer)"')


def test_the_help_tells_each_rule(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for rule in TEXT_RULES.values():
        line = f"  {rule.name:20}{rule.why}: {rule.before} -> {rule.after}".replace("\n", "⏎")
        assert f"\n{line}\n" in shown


def test_no_other_rule_is_told_and_none_is_left_out(root: Path) -> None:
    named = set(TEXT_RULES)
    for name in ("cleaned_questions", "options", "answer_keys"):
        found = NAMED_IN_CODE.findall((root / f"curation/clean/questions/{name}.py").read_text(encoding="utf-8"))
        named |= {one or other for one, other in found}
    named -= {"answer_missing", "answer_not_in_options"}
    told = (root / "docs/cleaning.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE) + re.findall(r"`(\w+)`", told.partition("| texts |")[2].partition("\n\n")[0])
    assert set(listed) == named
