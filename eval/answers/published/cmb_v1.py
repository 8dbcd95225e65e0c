"""CMB's rules for choices, also in SdAK's repository: letters keep order and repeats; single choice takes the first."""

from collections.abc import Mapping
from functools import partial

from eval.answers.published.contract import ChoiceCount, RuleSet, letters_after_phrase

_LETTERS = "ABCDEFG"


def read(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the matched letters, or None; options are ignored."""
    del options
    letters = letters_after_phrase(reply, _LETTERS)
    return (letters if kind == "mrqa" else letters[:1]) or None


RULES = RuleSet(
    source="FreedomIntelligence/CMB 0cc16a22, src/utils.py: match_choice, extract_ans",
    kinds=frozenset({"mcqa", "mrqa"}),
    read=read,
    count=partial(ChoiceCount, read),
)
