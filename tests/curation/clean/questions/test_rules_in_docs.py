"""--help lists the rules of single texts, with the example that the code runs; docs/cleaning.md lists the other rules."""

import re
from pathlib import Path

import pytest

from curation.clean.__main__ import main
from curation.clean.wording.exam_text import TEXT_RULES
from curation.text.normalize import words_of

NAMED_IN_CODE = re.compile(r'(?:rules|names)(?:\[|\.append\()"(\w+)"|"(answer_\w+|option_in_answer)"')


def test_the_help_tells_each_rule(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for rule in TEXT_RULES.values():
        why, before, after = words_of(rule)
        line = f"  {rule.name:20}{why}: {before} -> {after}".replace("\n", "⏎")
        assert f"\n{line}\n" in shown


def test_the_page_lists_each_other_rule(root: Path) -> None:
    named: set[str] = set()
    for name in ("questions/cleaned_questions", "wording/options", "wording/answer_keys"):
        found = NAMED_IN_CODE.findall((root / f"curation/clean/{name}.py").read_text(encoding="utf-8"))
        named |= {one or other for one, other in found}
    named -= {"answer_missing", "answer_not_in_options", *TEXT_RULES}
    listed = re.findall(r"^\| `(\w+)` \|", (root / "docs/cleaning.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(listed) == named
