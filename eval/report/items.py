"""Write the files of the item browser from test split, scores and replies: a searchable list, and the details of each item.

The page is opened from disk, where browsers let no script read files, so each file is a script that passes a list. Only lists are used, so
that external text is always a value, never a key.
"""

from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from heapq import merge
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

import msgspec

from atomexam.records.blocks import Run
from atomexam.records.claim import PAIR, SENTENCES, ClaimPair, Fourfold
from atomexam.records.prediction import Outcome, Prediction, Score
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from eval.errors.patterns import pattern_of_verdicts
from eval.statistics.paired_tests import scored_id
from eval.tasks.request import Request, facets_of
from eval.tasks.runs import RequestBuilder

FACETS = ("question_type", "exam", "subject", "category", "case_type", "form", "atomic_type")
"""Filters of the list: the facets by which run metrics are broken down."""
SIDES = ("", *PAIR, *SENTENCES)
"""The complete item (""), the sides of a claim pair, and the sentences of a fourfold row."""
EvalItem = Question | ClaimPair | Fourfold
PACKED_FROM = 500_000
"""Minimum bytes for compressing a file; a shorter one stays readable."""
MAX_REPLY_CHARS = 4_000
"""Longer replies are cut; data/predictions has the complete text."""
MAX_RELATED_ITEMS = 20
_OUTCOMES = get_args(Outcome)
_LIST_ROWS, _DETAIL_ROWS = 4_000, 200
_DIGEST_CHARS = 16
_FIRST_CODE = 48  # "0": each result of a run on an item is one character, printable for all that occur
_ESCAPED = {b"<": b"\\u003c", "\u2028".encode(): b"\\u2028", "\u2029".encode(): b"\\u2029"}


class ScoredReply(NamedTuple):
    """One run's reply to one item in one repeat, and its score."""

    score: Score
    prediction: Prediction | None
    """None if the reply was not stored."""


RepliesByItem = Iterable[tuple[str, list[ScoredReply]]]
"""Each item with its replies, both sides of a claim pair together, sorted by id."""


class ItemResult(NamedTuple):
    """A run's result on an item, over its repeats."""

    right: int
    scored: int
    """Replies that can be scored; 0 if the answer is hidden or in words."""
    outcome: str
    """The worst outcome of its replies."""
    pattern: str = ""
    """For a claim pair, the pattern of its verdicts in the first repeat, as in the error table."""


def paired_replies(scores: Iterable[Score], predictions: Iterable[Prediction]) -> Iterator[tuple[str, list[ScoredReply]]]:
    """Yield the replies of one run by item; both inputs must be sorted by item and repeat, as stages write them."""
    by_key = iter(predictions)
    prediction = next(by_key, None)
    for item, group in groupby(scores, lambda score: scored_id(score.item_id)):
        replies = []
        for score in group:
            key = (score.item_id, score.repeat)
            while prediction and (prediction.item_id, prediction.repeat) < key:
                prediction = next(by_key, None)
            replies.append(ScoredReply(score, prediction if prediction and (prediction.item_id, prediction.repeat) == key else None))
        yield item, replies


def read_paired(scores: Path, predictions: Path, run: str, model: str) -> Iterator[tuple[str, list[ScoredReply]]]:
    """Yield the replies of one run by item, from the files of `score` and `predict`."""
    read = read_jsonl(scores / f"{run}.jsonl", Score, "`dvc repro score` builds it")
    return paired_replies(read, read_jsonl(predictions / model / f"{run}.jsonl", Prediction, f"`dvc repro predict@{model}` builds it"))


def requests_of(splits: Path, runs: Mapping[str, Run]) -> Callable[[str, str, int], Request | None]:
    """Return a function that finds a run's request for an item or sentence in a repeat; it returns None for an unknown run."""
    builder = RequestBuilder(splits)
    known = {name: [{one.item_id: one for one in variant} for variant in builder.with_shots(run)] for name, run in runs.items()}
    return lambda run, item, repeat: known[run][repeat // runs[run].repeats].get(item) if run in runs else None


def related_items_of(items: Iterable[EvalItem]) -> dict[str, list[str]]:
    """Return, for each item, others of its case, its group of shared options, or one of its facts; at most `MAX_RELATED_ITEMS`."""
    items_by_key, keys_by_item = defaultdict(list), {}
    for item in items:
        keys = ([item.group_id] if item.group_id else []) if isinstance(item, Question) else item.fact_ids
        for key in keys:
            items_by_key[key].append(item.id)
        keys_by_item[item.id] = keys
    near = {item: {other for key in keys for other in items_by_key[key]} - {item} for item, keys in keys_by_item.items() if keys}
    return {item: sorted(others)[:MAX_RELATED_ITEMS] for item, others in near.items() if others}


def sides_of(item: EvalItem) -> dict[str, str]:
    """Return the sentences of a claim pair or fourfold row by name; none for a question."""
    names = PAIR if isinstance(item, ClaimPair) else SENTENCES if isinstance(item, Fourfold) else {}
    return {name: getattr(item, name) for name in names}


def item_results(replies: list[ScoredReply], names: Collection[str]) -> dict[str, ItemResult]:
    """Return a run's result on an item and on each of its sentences; the item is correct if all its sentences are."""
    if not names:
        return {"": _item_result([[reply.score] for reply in replies])}
    by_repeat: dict[int, list[Score]] = {}
    for reply in replies:
        by_repeat.setdefault(reply.score.repeat, []).append(reply.score)
    sides = {side: [[reply.score] for reply in replies if reply.score.item_id.endswith(f"/{side}")] for side in names}
    whole = _item_result([*by_repeat.values()])
    if "factual" in names:
        whole = whole._replace(pattern=_pattern(by_repeat[min(by_repeat)]))
    return {"": whole, **{side: _item_result(replies) for side, replies in sides.items()}}


def _item_result(repeats: list[list[Score]]) -> ItemResult:
    scored = [scores for scores in repeats if all(score.correct is not None for score in scores)]
    worst = max((_OUTCOMES.index(score.outcome) for scores in repeats for score in scores), default=0)
    return ItemResult(sum(all(score.correct for score in scores) for scores in scored), len(scored), _OUTCOMES[worst])


def _pattern(scores: Sequence[Score]) -> str:
    answers = {score.item_id.partition("/")[2]: score.answer for score in scores}
    return pattern_of_verdicts([score.outcome for score in scores], *(answers[side] for side in PAIR))


class ValueNumbers:
    """Values numbered in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def __call__(self, value: Any) -> int:
        """Return the number of a value; -1 for None."""
        return -1 if value is None else self.numbers.setdefault(value, len(self.numbers))

    @property
    def values(self) -> list[Any]:
        """The values, each at the index of its number."""
        return list(self.numbers)


def digest_of(ids: Iterable[str]) -> str:
    """Return a digest of sorted item ids, by which a diff page recognizes that two versions have the same items."""
    return sha256("\n".join(ids).encode()).hexdigest()[:_DIGEST_CHARS]


class Browser:
    """Builds the files of the item browser, one item at a time."""

    def __init__(
        self,
        runs: Mapping[str, Mapping[str, Any]],
        further: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        clusters: Container[str | None] = (),
        baselines: Container[str] = (),
        related_items: Mapping[str, Sequence[str]] = MappingProxyType({}),
        requests: Callable[[str, str, int], Request | None] = lambda run, item, repeat: None,
        judged: Mapping[str, tuple[str, Mapping[tuple[str, int], float]]] = MappingProxyType({}),
    ) -> None:
        """Set up the browser.

        Args:
            further: additional facets: name -> item -> value.
            clusters: clusters shown on their page; their questions link to it.
            baselines: models whose runs are shown last.
            related_items: item -> related items.
            requests: run, item or sentence, and repeat -> what was sent, if known.
            judged: run -> its judge in words, and item and repeat -> the mark of an answer in words.
        """
        self.runs, self.further, self.clusters, self.baselines, self.related_items = runs, further, clusters, baselines, related_items
        self._requests, self._names, self._judged = requests, list(runs), [judged.get(run, ("", {})) for run in runs]
        self._texts, self._prompts = ValueNumbers(), ValueNumbers()
        self.facets = {name: ValueNumbers() for name in (*FACETS, *further)}
        self.sources, self.codes = ValueNumbers(), ValueNumbers()
        self.items = 0
        self.unasked: Counter[str] = Counter()
        """Number of questions that no run asks, by type."""
        self._ids: list[str] = []

    def files(
        self, questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], replies: Mapping[str, RepliesByItem]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the name and content of each file; records and each run's replies must be sorted by id.

        Raises:
            ValueError: a run has a reply to an item outside the test split.
        """
        lines = [iter(replies[run]) for run in self.runs]
        heads = [next(line, None) for line in lines]
        rows: list[Any] = []
        details: list[Any] = []
        both: tuple[Iterable[EvalItem], ...] = (claims, questions)
        for item in merge(*both, key=lambda item: item.id):
            replies_by_run: dict[int, list[ScoredReply]] = {}
            for run_index, head in enumerate(heads):
                if head and head[0] < item.id:
                    run = list(self.runs)[run_index]
                    raise ValueError(
                        f"run {run} has a reply to {head[0]}, which is not in the test split; rebuild it with `dvc repro score`"
                    )
                if head and head[0] == item.id:
                    replies_by_run[run_index] = head[1]
                    heads[run_index] = next(lines[run_index], None)
            if isinstance(item, Question) and not replies_by_run:
                self.unasked[item.question_type] += 1
            rows.append(self._row(item, replies_by_run))
            details.append(self._detail(item, replies_by_run))
            self.items += 1
            self._ids.append(item.id)
            if len(rows) == _LIST_ROWS:
                yield self._list(rows)
                rows = []
            if len(details) == _DETAIL_ROWS:
                yield self._details(details)
                details = []
        if unmatched := next((head[0] for head in heads if head), None):
            raise ValueError(f"a run has a reply to {unmatched}, which is not in the test split; rebuild it with `dvc repro score`")
        if rows:
            yield self._list(rows)
        if details:
            yield self._details(details)
        yield "manifest.js", list_script("manifest", self._manifest())

    def _list(self, rows: list[Any]) -> tuple[str, bytes]:
        part = (self.items - 1) // _LIST_ROWS
        cases = ValueNumbers()
        for row in rows:
            row[2] = cases(row[2])
        return f"list-{part:04}.js", list_script("list", [part, cases.values, rows])

    def _details(self, details: list[Any]) -> tuple[str, bytes]:
        part = (self.items - 1) // _DETAIL_ROWS
        script = list_script("detail", [part, details, self._texts.values, self._prompts.values])
        self._texts, self._prompts = ValueNumbers(), ValueNumbers()
        return f"detail-{part:05}.js", script

    def _manifest(self) -> list[Any]:
        facets = [[name, numbered.values] for name, numbered in self.facets.items()]
        judges = [judge for judge, _ in self._judged]
        about = zip(self.runs.items(), judges, strict=True)
        runs = [[name, run["model"], run["task"], int(run["model"] in self.baselines), judge] for (name, run), judge in about]
        sizes = [self.items, _LIST_ROWS, _DETAIL_ROWS, MAX_REPLY_CHARS, digest_of(self._ids)]
        return [facets, runs, [list(code) for code in self.codes.values], self.sources.values, list(_OUTCOMES), sizes]

    def _row(self, item: EvalItem, replies_by_run: Mapping[int, list[ScoredReply]]) -> list[Any]:
        """Return the list entry of an item: id, facets, case, sentences, options, correct answer, results of runs."""
        sides = sides_of(item)
        results = {run_index: item_results(replies, sides) for run_index, replies in replies_by_run.items()}
        if not isinstance(item, Question):
            facets = {"question_type": "claim" if isinstance(item, ClaimPair) else "fourfold", "atomic_type": item.atomic_type}
            codes = "".join(self._code(results.get(index, {}).get(side)) for index in range(len(self.runs)) for side in ("", *sides))
            return [item.id, self._facets(item.id, facets), None, list(sides.values()), [], None, codes]
        options = [text for option in item.options for text in (option.letter, option.text)]
        codes = "".join(self._code(results.get(run_index, {}).get("")) for run_index in range(len(self.runs)))
        return [item.id, self._facets(item.id, facets_of(item)), item.shared_stem, [item.stem], options, item.answer, codes]

    def _facets(self, item: str, facets: Mapping[str, str]) -> list[int]:
        known = {name: facets.get(name) for name in FACETS} | {name: values.get(item) for name, values in self.further.items()}
        return [numbered(known[name]) for name, numbered in self.facets.items()]

    def _code(self, result: ItemResult | None) -> str:
        return "-" if result is None else chr(_FIRST_CODE + self.codes(result))

    def _detail(self, item: EvalItem, replies_by_run: Mapping[int, list[ScoredReply]]) -> list[Any]:
        """Return the details of an item: where it was seen, its group and cluster, replies, and related items."""
        about: list[list[str | None]]
        if isinstance(item, ClaimPair):
            about = [["head", item.head], ["tail", item.tail], ["template", item.template_id], ["facts", ", ".join(item.fact_ids)]]
        elif isinstance(item, Fourfold):
            about = [["head", item.head], ["tail", item.tail], ["false head", item.false_head], ["false tail", item.false_tail]]
            about += [["facts", ", ".join(item.fact_ids)], ["facts of the false tail", ", ".join(item.false_fact_ids)]]
        else:
            cluster = item.cluster_id if item.cluster_id in self.clusters else None
            about = [["explanation", item.explanation], ["cluster", item.cluster_id], ["wordings", cluster], ["group", item.group_id]]
        ordered = [(run_index, reply) for run_index in sorted(replies_by_run) for reply in replies_by_run[run_index]]
        replies = [_reply(at, self._prompt(at, reply.score), reply, self._judged[at][1]) for at, reply in ordered]
        provenance = [[self.sources(one.source), one.url, one.snapshot, one.page_id, one.position] for one in item.provenance]
        return [provenance, [pair for pair in about if pair[1]], replies, list(self.related_items.get(item.id, ()))]

    def _prompt(self, run: int, score: Score) -> int:
        """Return the index, within the file, of the messages sent for a reply; -1 if unknown."""
        request = self._requests(self._names[run], score.item_id, score.repeat)
        if request is None:
            return -1
        messages = ((message["role"], self._texts(message["content"])) for message in request.messages)
        return self._prompts((request.follows, request.shift, *(part for message in messages for part in message)))


def _reply(run: int, prompt: int, reply: ScoredReply, marks: Mapping[tuple[str, int], float]) -> list[Any]:
    """Return one reply: run, repeat, side, outcome, correct or not, answer, committed answer, text, prompt, length if cut, mark.

    A committed answer or text equal to the answer is stored as 0.
    """
    score, prediction = reply
    side = SIDES.index(score.item_id.partition("/")[2])
    text = None if prediction is None else prediction.error if prediction.error else prediction.reply
    row: list[Any] = [run, score.repeat, side, _OUTCOMES.index(score.outcome), None if score.correct is None else int(score.correct)]
    cut = [len(text)] if text and len(text) > MAX_REPLY_CHARS else []
    text = text[:MAX_REPLY_CHARS] if text else text
    answer = score.answer[:MAX_REPLY_CHARS] if score.answer else score.answer
    committed = score.committed[:MAX_REPLY_CHARS] if score.committed else score.committed
    mark = marks.get((score.item_id, score.repeat))
    last = cut if mark is None else [*(cut or [0]), round(mark, 1)]
    return [*row, answer, 0 if committed == answer else committed, 0 if text == answer and text else text, prompt, *last]


def list_script(what: str, value: list[Any]) -> bytes:
    """Return a script that passes a list to the page, escaping anything that would end the script or a line; a long list is compressed.

    It is compressed as gzip of UTF-16, in which Chinese compresses better than in UTF-8, and embedded as base64. pyarrow bundles zlib, so
    the bytes depend on the lock file, not on the machine.
    """
    text = msgspec.json.encode(value)
    if len(text) >= PACKED_FROM:
        import pyarrow

        packed = pyarrow.Codec("gzip", compression_level=9).compress(text.decode().encode("utf-16-le"), asbytes=True)
        return b'AtomExam.take("packed",["%s","%s"]);\n' % (what.encode(), b64encode(packed))
    for char, escape in _ESCAPED.items():
        text = text.replace(char, escape)
    return b'AtomExam.take("%s",%s);\n' % (what.encode(), text)
