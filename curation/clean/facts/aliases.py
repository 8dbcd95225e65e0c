"""Other names of an entry -> one alias each."""

import re

import msgspec

from atomexam.records.alias import Alias
from atomexam.records.item import EntityItem
from atomexam.text.canonical import canonical
from curation.clean.facts.fact_values import tails, tidy
from curation.clean.facts.separators import ALIASES, NO_COLUMNS, Columns, column_for

_LABEL = re.compile(r"^[\s【\[]*(?:别名|又名|别称|俗称|也称|其他名称|其它名称|商品名称?)[\s】\]：:]*$")
_BRACKETS = re.compile(r"^\s*[（(]?\s*(?:别名|又名|又称)?\s*[:：]?(.*?)[）)]?\s*$")
"""（别名：甲，乙） stands for its list."""
_EDGES = re.compile(r"^(?:又称|亦称|俗称|简称|旧称|又名|别名|也称|也叫|[:：])+|(?:等|等等)$")


def aliases_of(item: EntityItem, name: str, entity_type: str, columns: Columns = NO_COLUMNS) -> list[Alias]:
    """Return the aliases that an entry's labels give, none of which is the name itself."""
    told = [(item.alias_raw, "alias", ALIASES)] if item.alias_raw else []
    told += [(value.value, value.position, value.label) for value in item.values if _LABEL.match(value.label)]
    found: dict[str, Alias] = {}
    for text, position, label in told:
        pieces = tails(_BRACKETS.sub(r"\1", text), "list", column=column_for(item, label, columns))
        for number, piece in enumerate(pieces, 1):
            alias = tidy(_EDGES.sub("", piece.text))
            if piece.reason is None and canonical(alias) and canonical(alias) != canonical(name):
                provenance = msgspec.structs.replace(item.provenance, position=f"{item.provenance.position}:{position}:{number}")
                found.setdefault(canonical(alias), Alias(name=name, alias=alias, entity_type=entity_type, provenance=provenance))
    return list(found.values())
