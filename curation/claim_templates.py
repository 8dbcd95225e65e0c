"""Claim templates: sentences with {head} and {tail}, read from `curation/templates/claims.yaml`."""

import re
from pathlib import Path

from msgspec import Struct
from ruamel.yaml import YAML

from records.checks import convert, one_of
from records.fact import RELATIONS

_FILE = Path(__file__).parent / "templates" / "claims.yaml"


class Template(Struct, frozen=True, forbid_unknown_fields=True):
    """One wording of a claim pair."""

    factual: str
    non_factual: str

    def fill(self, head: str, tail: str) -> tuple[str, str]:
        """Return the sentence that says the fact and the one that denies it. Head and tail are text, never format strings."""
        values = {"{head}": head, "{tail}": tail}
        factual, non_factual = (re.sub(r"\{head\}|\{tail\}", lambda m: values[m[0]], part) for part in (self.factual, self.non_factual))
        return factual, non_factual


def read_templates(name: str) -> dict[str, list[Template]]:
    """Return a template set: atomic type -> wordings, the set's own first.

    Raises:
        ValueError: no such set, or the set does not cover all 17 atomic types.
    """
    sets = YAML(typ="safe", pure=True).load(_FILE)
    one_of(name, sets, "template set", str(_FILE.name))
    templates = convert(sets[name], dict[str, list[Template]], f"{_FILE.name}: {name}")
    if missing := sorted(set(RELATIONS) ^ set(templates)):
        raise ValueError(f"{_FILE.name}: {name}: missing or unknown atomic types: {', '.join(missing)}")
    return templates
