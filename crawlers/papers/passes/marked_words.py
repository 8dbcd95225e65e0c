"""An answer shown by the emphasis of one of the words or letters that a line offers, `正确 / **错误**`, `答案：A **B** C D` -> in words.

Which emphasis marks answers is known only from the complete paper: one kind, on exactly one of the words in nearly every such line, and not
on the same one in all.
"""

import re
from collections import Counter
from collections.abc import Sequence

from atomexam.text.verdicts import VERDICT, verdict_of
from crawlers.papers.signs.answer_marks import flat

Kinds = Sequence[frozenset[str]]
"""The emphasis of each sign of a line."""
_BETWEEN = r"[\s/|、,;]{1,30}"
_PAIR = re.compile(rf"(?P<open>[(\[]?)\s{{0,9}}(?P<first>{VERDICT}){_BETWEEN}(?P<last>{VERDICT})\s{{0,9}}[)\]]?[。.]?\s{{0,9}}$")
_LETTERS = re.compile(
    r"(?P<name>^\s{0,9}(?:(?:正确|参考)?答案|答|选择)\s?:\s{0,9}|^\s{0,9})(?P<letters>A(?:[\s/|、,]{1,9}[B-J]){1,9})\s{0,9}$"
)
_WORD = re.compile(rf"{VERDICT}|[A-J]")
_FEWEST, _SHARE = 3, 0.8


def with_marked_words(lines: Sequence[str], kinds: Sequence[Kinds]) -> list[str]:
    """Return the lines of a paper with the word or letter that is marked in place of all that are offered."""
    offers = {at: offer for at, line in enumerate(lines) if (offer := _offer(line)) and len(kinds[at]) == len(line)}
    marked = {at: _marked(flat(lines[at]), offer, kinds[at]) for at, offer in offers.items()}
    counts = Counter(kind for words in marked.values() for kind in words)
    kind, count = counts.most_common(1)[0] if counts else ("", 0)
    answers = {at: words[kind] for at, words in marked.items() if kind in words}
    rivals = [other for other, times in counts.items() if other != kind and times * 2 > count]
    if rivals or count < max(_FEWEST, _SHARE * len(offers)) or len(set(answers.values())) == 1:
        return list(lines)
    done: list[str] = []
    for at, line in enumerate(lines):
        if at not in answers:
            done.append(line)
            continue
        stem = line[: offers[at].start()].rstrip()
        done += [*([stem] if stem else []), f"答案：{answers[at]}"]
    return done


def _offer(line: str) -> re.Match[str] | None:
    if letters := _LETTERS.search(flat(line)):
        return letters
    pair = _PAIR.search(flat(line))
    return pair if pair and verdict_of(pair["first"]) != verdict_of(pair["last"]) else None


def _marked(line: str, offer: re.Match[str], kinds: Kinds) -> dict[str, str]:
    """Return the one word that each kind of emphasis marks of those that a line offers."""
    words: dict[str, list[str]] = {}
    start = offer.start("letters") if offer.re is _LETTERS else offer.start()
    for word in _WORD.finditer(line, start, offer.end()):
        for kind in frozenset.intersection(*kinds[word.start() : word.end()]):
            words.setdefault(kind, []).append(word[0])
    return {kind: own[0] for kind, own in words.items() if len(own) == 1 and kind}
