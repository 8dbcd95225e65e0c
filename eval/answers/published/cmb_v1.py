"""CMB's rules for choices, which SdAK's repository carries too: letters keep their order and repeats; single choice takes the first."""

from collections.abc import Mapping
from functools import partial

from eval.answers.published.contract import ChoiceCount, RuleSet, letters_after_phrase

_LETTERS = "ABCDEFG"


def read(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return letters as they were found, or None; options are not looked at."""
    del options
    letters = letters_after_phrase(reply, _LETTERS)
    return (letters if kind == "mrqa" else letters[:1]) or None


RULES = RuleSet(
    source="FreedomIntelligence/CMB 0cc16a22, src/utils.py: match_choice, extract_ans",
    kinds=frozenset({"mcqa", "mrqa"}),
    read=read,
    count=partial(ChoiceCount, read),
)
