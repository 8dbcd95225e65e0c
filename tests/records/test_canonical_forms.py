"""The quick way to a canonical form is the form by its definition."""

import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from records.identity import canonical, canonical_all

SIGNS = "09AZaz甲乙０Ａ -.:/~–−%‰，。；、（）“”‘’《》【】？！…·：\n\t\x00\u200b\u3000\u0301İ각ㄱ②½\ue000_^$<"


def by_definition(text: str) -> str:
    """NFKC, lower case, no blanks, no punctuation but that of numbers, folded until nothing changes."""
    signed = re.sub(r"(?<![^\W_])-(?=\d)", "−", unicodedata.normalize("NFKC", text).lower())
    written = re.sub(r"(?<=\d)[\u2010-\u2015~](?=\d)", "-", "".join(c for c in signed if unicodedata.category(c)[0] not in "ZC"))
    inside = {match.start() for match in re.finditer(r"(?<=\d)[./:-](?=\d)", written)}
    kept = "".join(c for i, c in enumerate(written) if i in inside or c in "%‰" or unicodedata.category(c)[0] != "P")
    return kept if kept == text else by_definition(kept)


@given(st.text(st.sampled_from(SIGNS) | st.characters(exclude_categories=("Cs",)), max_size=120))
@settings(max_examples=600, deadline=None)
def test_the_quick_canonical_form_is_the_canonical_form(text: str) -> None:
    assert canonical(text) == by_definition(text)


@given(st.lists(st.text(alphabet="甲乙Aa1\u212a\x1f ，。0-", max_size=6), max_size=6))
def test_many_texts_have_the_forms_that_each_has(texts: list[str]) -> None:
    assert canonical_all(texts) == [canonical(text) for text in texts]
