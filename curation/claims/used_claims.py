"""The facts that have a claim -> whether another one would repeat or deny one of them."""

from atomexam.records.fact import Fact
from curation.claims.contradictions import Key, key_of
from curation.claims.synonyms import Synonyms
from curation.claims.templates import Wordings, sentences_of, wording_of


class Taken:
    """The facts that have a claim, by what they say: none says what another says or denies."""

    def __init__(self, templates: Wordings, synonyms: Synonyms) -> None:
        self.facts: list[Fact] = []
        self._templates, self._synonyms = templates, synonyms
        self._said: dict[Key | str, str] = {}

    def twin(self, fact: Fact) -> str | None:
        """Return the id of a taken fact that says the same, or has one of the same sentences."""
        return next((self._said[key] for key in self._keys(fact) if key in self._said), None)

    def accept(self, fact: Fact) -> bool:
        keys = self._keys(fact)
        if any(key in self._said for key in keys):
            return False
        self._said |= dict.fromkeys(keys, fact.id)
        self.facts.append(fact)
        return True

    def _keys(self, fact: Fact) -> tuple[Key | str, ...]:
        wordings = self._templates[fact.relation]
        return key_of(fact, self._synonyms), *sentences_of(fact, wordings[wording_of(fact, wordings)])
