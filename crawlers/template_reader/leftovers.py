"""What is left in the questions of a paper shows that their form was misunderstood: questions in, places of the doubtful out."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from crawlers.papers.questions.draft import Draft
from crawlers.template_reader.counters import masked

RECURS = 0.3
"""Share of the questions with a row, digits aside, that belongs to the form and not to a question."""
TAG_FIRST = re.compile(r"\s{0,9}[(\[【<〔（`]\s{0,9}(?P<said>[^()\[\]【】<>〔〕（）]{1,14}?)\s{0,9}[)\]】>〕）`]\s{0,9}[:.、：]?\s{0,9}")
TAG_LAST = re.compile(
    r"(?:(?<=[)）。？?_])\s{0,9}|\s)#?(?P<plain>单选题?|多选题?|判断题?)-?$|\s#(?P<hashed>[^\s#]{1,8}?)-?$"
    r"|\s{0,9}[(\[【<〔（`]\s{0,9}(?P<said>[^()\[\]【】<>〔〕（）`]{1,14}?)\s{0,9}[)\]】>〕）`]\s{0,9}$"
)
_LAST_SIGNS = re.compile(r"[^\u4e00-\u9fff]*$")
_BEHIND_BLANK = re.compile(r"\t(?P<cell>\S{1,12})$|[（(_]\s*[)）_][。.]?\s*(?P<words>\S{2,12})$")
_ODD = re.compile(r"[^\w\s()（）。.?？:：,，、“”\"'《》_!！;；%…—-]|[A-Za-z]{1,2}\d|[\[【][^\[\]【】]*[\]】]")
_MANY = 9


def with_odd_ends(stems: Sequence[str]) -> Iterable[int]:
    """Return the stems that end, or begin, with signs and digits which recur as no words do: what is left of a form nobody understood."""
    odd = set[int]()
    for is_reversed in (False, True):
        edges = [re.sub(r"\s+", "", re.sub(r"\d+", "#", _edge_of(stem, is_reversed))) for stem in stems]
        counts = Counter(one for one in edges if "#" in one or _ODD.search(one))
        odd |= {at for at, one in enumerate(edges) if counts[one] > max(2, RECURS * len(stems))}
    tags = [masked(match[0]) if (match := TAG_FIRST.match(stem)) else "" for stem in stems]
    counts = Counter(tags)
    odd |= {at for at, tag in enumerate(tags) if tag and counts[tag] > max(2, RECURS * len(stems))}
    behind = [masked(match["cell"] or match["words"]) if (match := _BEHIND_BLANK.search(stem)) else "" for stem in stems]
    counts = Counter(behind)
    return odd | {at for at, words in enumerate(behind) if words and counts[words] > max(2, 0.2 * len(stems))}


def with_tags_behind(options: Sequence[str]) -> Iterable[int]:
    """Return the questions whose last options end with a bracket that recurs, digits aside: `（2011年真题）`."""
    tags = [masked(match[0]) if (match := TAG_LAST.search(option)) else "" for option in options]
    counts = Counter(tags)
    return [at for at, tag in enumerate(tags) if tag and counts[tag] > max(2, RECURS * len(tags))]


def with_cells_behind(options: Sequence[Sequence[str]]) -> Iterable[int]:
    """Return the questions whose options end with a cell that recurs, digits aside: `甲\t31人`."""
    cells = [[masked(option.rpartition("\t")[2]) for option in own if "\t" in option] for own in options]
    counts = Counter(cell for own in cells for cell in own)
    return [at for at, own in enumerate(cells) if any(counts[cell] > max(2, RECURS * len(options)) for cell in own)]


def _edge_of(stem: str, is_reversed: bool) -> str:
    """Return what is behind the last Chinese character of a stem, or before the first."""
    match = _LAST_SIGNS.search(stem[::-1] if is_reversed else stem)
    found = match[0] if match else ""
    return found[::-1] if is_reversed else found


def are_all_one(drafts: Sequence[Draft]) -> bool:
    """Return whether many questions have one answer, as drawn letters have not, or all statements one verdict."""
    letters = {draft.answer for draft in drafts if draft.options}
    count = sum(bool(draft.options) for draft in drafts)
    return len(letters) == 1 and None not in letters and count > _MANY if count else len({draft.answer for draft in drafts}) == 1


def with_first_option_of_many(drafts: Sequence[Draft]) -> Iterable[int]:
    """Return the questions whose first option is that of many others: a label above the options, unless they are verdicts."""
    counts = Counter(draft.options[0] for draft in drafts if draft.options)
    return [at for at, draft in enumerate(drafts) if len(draft.options) > 2 and counts[draft.options[0]] > max(2, RECURS * len(drafts))]
