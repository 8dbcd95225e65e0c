"""Records, splits and predictions -> tables for validation: one column per field; columns named with a final ? combine several fields.

A missing record is a row with missing values.
"""

import hashlib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from atomexam.records.claim import PAIR, SENTENCES, ClaimPair, Fourfold, claim_id
from atomexam.records.cluster import Cluster
from atomexam.records.fact import Fact, fact_id
from atomexam.records.prediction import Prediction
from atomexam.records.provenance import content_id
from atomexam.records.question import SPLITS, Question, question_id
from atomexam.runtime.jsonl import read_json, read_jsonl, read_optional, to_line
from atomexam.text.canonical import canonical
from atomexam.text.option_letters import are_in_turn

_DIRT = re.compile(
    r"[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f\u200b\ufeff]"
    r"|</?(?:a|b|br|div|em|font|form|h\d|i|iframe|img|input|li|link|meta|p|script|span|strong|style|su[bp]|t[dhr]|table|u|ul)(?=[\s/>])[^<>]*>",
    re.I,
)
_ENTITY = re.compile(r"&(?:#\w{1,8}|[A-Za-z]\w{1,31});")
_CHOICE = ("mcqa", "mrqa", "tf")

R = TypeVar("R")
Columns = dict[str, list[Any]]
Makers = Mapping[str, Callable[[R], Any]]
"""Column name -> its value for a record."""


class InputPaths(NamedTuple):
    """Paths to the records."""

    questions: Path
    facts: Path
    claims: Path
    """`fourfold.jsonl` is next to it."""
    clusters: Path
    splits: Path
    """Folder with one folder per split."""
    predictions: tuple[Path, ...]
    """One file per run."""

    @property
    def fourfold(self) -> Path:
        return self.claims.with_name("fourfold.jsonl")


def columns_of(records: Iterable[R], makers: Makers[R]) -> Columns:
    """Return a table with one row per record; even without records it has all its columns."""
    columns: Columns = {name: [] for name in makers}
    filling = [(columns[name].append, make) for name, make in makers.items()]
    for record in records:
        for append, make in filling:
            append(make(record))
    return columns


def questions_table(inputs: InputPaths) -> Columns:
    """Return a row per unique question."""
    questions = list(read_jsonl(inputs.questions, Question))
    members = (member for cluster in read_jsonl(inputs.clusters, Cluster) for member in cluster.members)
    heads = {content_id("cluster", one) for one in [*members, *(question.id for question in questions)]}
    makers: Makers[Question] = {
        "id": lambda q: q.id,
        "id_of_content": lambda q: question_id(q.shared_stem, q.stem, [option.text for option in q.options]),
        "exam": lambda q: q.exam or None,
        "subject": lambda q: q.subject or None,
        "question_type": lambda q: q.question_type,
        "category": lambda q: q.category,
        "shared_stem": lambda q: q.shared_stem,
        "stem": lambda q: q.stem,
        "answer": lambda q: q.answer or None,
        "letters": lambda q: "".join(option.letter for option in q.options),
        "choice_stem": lambda q: q.stem if q.options else None,
        "shortest_option": lambda q: min((option.text for option in q.options), key=len, default=None),
        "longest_option": lambda q: max((option.text for option in q.options), key=len, default=None),
        "cluster_id": lambda q: q.cluster_id,
        "group_id": lambda q: q.group_id,
        "choice_letters": lambda q: (q.answer or "") if q.question_type in _CHOICE else "",
        "cluster_of_a_member?": lambda q: q.cluster_id in heads,
        "answer_fits_type?": answer_fits,
        "options_distinct?": lambda q: len({option.text for option in q.options}) == len(q.options),
        "letters_in_order?": lambda q: are_in_turn(option.letter for option in q.options),
        "case_has_group?": lambda q: q.shared_stem is None or q.group_id is not None,
        "text_clean?": lambda q: is_clean(q.shared_stem or "", q.stem, q.answer or "", *(option.text for option in q.options)),
        "seen_somewhere?": lambda q: bool(q.provenance),
    }
    return columns_of(questions, makers)


def facts_table(inputs: InputPaths) -> Columns:
    """Return a row per unique fact."""
    makers: Makers[Fact] = {
        "id": lambda f: f.id,
        "id_of_content": lambda f: fact_id(f.relation, f.head, f.tail),
        "relation": lambda f: f.relation,
        "head": lambda f: f.head,
        "tail": lambda f: f.tail,
        "text_clean?": lambda f: is_clean(f.head, f.tail),
        "seen_somewhere?": lambda f: bool(f.provenance),
    }
    return columns_of(read_jsonl(inputs.facts, Fact), makers)


def claims_table(inputs: InputPaths) -> Columns:
    """Return a row per claim pair. `said` affirms its tail and `denied` denies it, whichever of the two is factual."""
    facts = {fact.id: ((fact.relation, fact.head, fact.tail), fact.polarity) for fact in read_jsonl(inputs.facts, Fact)}
    claims = list(read_jsonl(inputs.claims, ClaimPair))
    untrue = {claim.non_factual for claim in claims}

    def by_polarity(claim: ClaimPair) -> tuple[str, str]:
        known = [facts[key][1] for key in claim.fact_ids if key in facts]
        return (claim.factual, claim.non_factual) if all(known) else (claim.non_factual, claim.factual)

    def has_facts(claim: ClaimPair) -> bool:
        stated = {facts.get(key) for key in claim.fact_ids}
        return len(stated) == 1 and all(fact and fact[0] == (claim.atomic_type, claim.head, claim.tail) for fact in stated)

    makers: Makers[ClaimPair] = {
        "id": lambda c: c.id,
        "id_of_content": lambda c: claim_id(c.factual, c.non_factual),
        "atomic_type": lambda c: c.atomic_type,
        "head": lambda c: c.head,
        "tail": lambda c: c.tail,
        "factual": lambda c: c.factual,
        "non_factual": lambda c: c.non_factual,
        "said": lambda c: by_polarity(c)[0],
        "denied": lambda c: by_polarity(c)[1],
        "denied_by_no_other?": lambda c: c.factual not in untrue,
        "names_head_and_tail?": lambda c: all(part in sentence for part in (c.head, c.tail) for sentence in (c.factual, c.non_factual)),
        "has_facts?": has_facts,
        "text_clean?": lambda c: is_clean(c.factual, c.non_factual),
        "seen_somewhere?": lambda c: bool(c.provenance),
    }
    return columns_of(claims, makers)


def fourfold_table(inputs: InputPaths) -> Columns:
    """Return a row per row of the fourfold set; for types that exchange tails, with how often each tail is true and false."""
    facts = {fact.id: fact for fact in read_jsonl(inputs.facts, Fact)}
    rows = list(read_optional(inputs.fourfold, Fourfold))
    known = {(fact.relation, canonical(fact.head), canonical(fact.tail)) for fact in facts.values() if fact.polarity}
    true = Counter((row.atomic_type, row.tail) for row in rows)
    false = Counter((row.atomic_type, row.false_tail) for row in rows)

    def has_facts(row: Fourfold) -> bool:
        return all(
            (fact := facts.get(key)) and (fact.relation, fact.head, fact.tail) == (row.atomic_type, row.head, row.tail) and fact.polarity
            for key in row.fact_ids
        )

    makers: Makers[Fourfold] = {
        "id": lambda r: r.id,
        "id_of_content": lambda r: content_id("fourfold", r.true_affirmed, r.true_denied, r.false_affirmed, r.false_denied),
        "atomic_type": lambda r: r.atomic_type,
        "true_affirmed": lambda r: r.true_affirmed,
        "true_denied": lambda r: r.true_denied,
        "false_affirmed": lambda r: r.false_affirmed,
        "false_denied": lambda r: r.false_denied,
        "has_facts?": has_facts,
        "false_is_no_fact?": lambda r: (r.atomic_type, canonical(r.false_head), canonical(r.false_tail)) not in known,
        "times_true": lambda r: true[r.atomic_type, r.tail] if r.atomic_type != "examination_range" else 1,
        "times_false": lambda r: false[r.atomic_type, r.tail] if r.atomic_type != "examination_range" else 1,
        "text_clean?": lambda r: is_clean(r.true_affirmed, r.false_affirmed),
        "seen_somewhere?": lambda r: bool(r.provenance),
    }
    return columns_of(rows, makers)


def clusters_table(inputs: InputPaths) -> Columns:
    """Return a row per near-duplicate cluster, named after its centre; connected clusters share a cluster_id."""
    clusters = list(read_jsonl(inputs.clusters, Cluster))
    homes = {question.id: question.cluster_id for question in read_jsonl(inputs.questions, Question)}
    standing = Counter(member for cluster in clusters for member in cluster.members)
    heads = {content_id("cluster", member) for member in [*standing, *homes]}
    makers: Makers[Cluster] = {
        "id": lambda c: c.members[0] if c.members else c.cluster_id,
        "cluster_id": lambda c: c.cluster_id,
        "kept": lambda c: c.kept,
        "medoid": lambda c: c.medoid,
        "rows": lambda c: c.rows,
        "cluster_of_a_member?": lambda c: c.cluster_id in heads,
        "kept_is_the_question?": lambda c: [one for one in c.members if one in homes] == ([c.kept] if c.kept else []),
        "kept_knows_its_cluster?": lambda c: c.kept is None or homes.get(c.kept) == c.cluster_id,
        "medoid_is_a_member?": lambda c: c.medoid in c.members,
        "members_stand_once?": lambda c: all(standing[member] == 1 for member in c.members),
        "rows_cover_members?": lambda c: c.rows >= max(2, len(c.members)),
        "similarity_of_each?": lambda c: len(c.similarity) == len(c.members) and all(0 < one <= 1 for one in c.similarity),
    }
    return columns_of(clusters, makers)


def answer_fits(question: Question) -> bool:
    """Return whether an answer has the form that its question's type requires: one letter, several sorted letters, or words."""
    answer = question.answer or ""
    if question.question_type in _CHOICE:
        letters = "".join(sorted(set(answer)))
        return answer == letters and (len(answer) >= 2 if question.question_type == "mrqa" else len(answer) == 1)
    return bool(answer.strip()) and not question.options


def is_clean(*texts: str) -> bool:
    """Return whether texts are free of lost characters, control characters, entities and markup."""
    return not any(_DIRT.search(text) or any(unescape(entity) != entity for entity in _ENTITY.findall(text)) for text in texts)


RETIRED = "retired"
"""Folder of the records that are in no split because they, or a record tied to them, were once in test or reserved. The rest of their
clusters may be in a split."""


class _SplitRecord(NamedTuple):
    """One record of a split, or of no split."""

    id: str
    split: str | None
    cluster_id: str | None
    group_id: str | None
    head: str | None
    print: bytes


class _Repeats(Struct, frozen=True):
    """How often a run sends each variant of a question; further fields are ignored."""

    repeats: int


class _RunReply(NamedTuple):
    """One reply of a run, or a missing one."""

    run: str
    file: str
    item_id: str
    repeat: int | None
    reply: Prediction | None
    variant: int = 0
    """Number of the variant (wording and order of options) that was sent; 0 in most runs."""


def splits_table(inputs: InputPaths) -> Columns:
    """Return a row per question or claim of a split, and a row without a split for each that is in no split."""
    known = {one.id: one.print for one in _split_records(inputs.questions, inputs.claims, inputs.fourfold, None)}
    folders: dict[str, Path] = {split: inputs.splits / split for split in SPLITS}
    if (inputs.splits / RETIRED).exists():
        folders[RETIRED] = inputs.splits / RETIRED
    rows = [
        row
        for split, folder in folders.items()
        for row in _split_records(folder / "questions.jsonl", folder / "claims.jsonl", folder / "fourfold.jsonl", split)
    ]
    lacking = sorted(known.keys() - {row.id for row in rows})
    makers: Makers[_SplitRecord] = {
        "id": lambda d: d.id,
        "split": lambda d: d.split,
        "cluster_id": lambda d: d.cluster_id if d.split != RETIRED else None,
        "group_id": lambda d: d.group_id if d.split != RETIRED else None,
        "head": lambda d: d.head,
        "as_it_came?": lambda d: d.split is None or known.get(d.id) == d.print,
    }
    return columns_of([*rows, *(_SplitRecord(key, None, None, None, None, b"") for key in lacking)], makers)


def _split_records(questions: Path, claims: Path, fourfold: Path, split: str | None) -> Iterator[_SplitRecord]:
    for question in read_jsonl(questions, Question):
        yield _SplitRecord(question.id, split, question.cluster_id, question.group_id, None, _print(question))
    for claim in read_jsonl(claims, ClaimPair):
        yield _SplitRecord(claim.id, split, None, None, claim.head, _print(claim))
    for row in read_optional(fourfold, Fourfold):
        yield _SplitRecord(row.id, split, None, None, row.head if split != RETIRED else None, _print(row))


def _print(record: Question | ClaimPair | Fourfold) -> bytes:
    return hashlib.blake2b(to_line(record), digest_size=16).digest()


def predictions_table(inputs: InputPaths) -> Columns:
    """Return a row per reply, and a row without a reply for each sentence that a run of claims or fourfold rows left unanswered."""
    test = inputs.splits / "test"
    claims = {f"{claim.id}/{side}" for claim in read_jsonl(test / "claims.jsonl", ClaimPair) for side in PAIR}
    fourfold = {f"{row.id}/{side}" for row in read_optional(test / "fourfold.jsonl", Fourfold) for side in SENTENCES}
    items = claims | fourfold | {question.id for question in read_jsonl(test / "questions.jsonl", Question)}
    rows = list(
        chain.from_iterable(_run_replies(path, (claims, fourfold)) for path in sorted(inputs.predictions, key=lambda path: path.stem))
    )
    replies_per_item = Counter((row.run, row.item_id) for row in rows)
    often: dict[str, int] = defaultdict(int)
    for (run, _), times in replies_per_item.items():
        often[run] = max(often[run], times)
    makers: Makers[_RunReply] = {
        "id": lambda a: f"{a.run}/{a.item_id}" if a.repeat is None else f"{a.run}/{a.item_id}/{a.repeat}",
        "run": lambda a: a.run,
        "file": lambda a: a.file,
        # The prompt after another reply differs in each repeat; its own text is compared with that of the first repeat of its case.
        "item_asked_alone": lambda a: None if a.reply and a.reply.follows else f"{a.run}/{a.item_id}/{a.variant}",
        "prompt_sha256": lambda a: a.reply and a.reply.prompt_sha256,
        "reply": lambda a: (a.reply and a.reply.reply) or None,
        "finish_reason": lambda a: a.reply and a.reply.finish_reason,
        "failed_with_cause?": lambda a: not a.reply or (a.reply.finish_reason == "error") == bool(a.reply.error),
        "tokens": lambda a: a.reply.tokens if a.reply else 0,
        "item_in_test?": lambda a: a.item_id in items,
        "asked_as_often_as_others?": lambda a: replies_per_item[a.run, a.item_id] == often[a.run] and 0 <= (a.repeat or 0) < often[a.run],
    }
    return columns_of(rows, makers)


def _run_replies(path: Path, sets: Iterable[Set[str]]) -> Iterator[_RunReply]:
    answered = set()
    planned = path.with_name("runs.json")
    runs: dict[str, _Repeats] = read_json(planned, dict[str, _Repeats], "`dvc repro predict` writes it") if planned.exists() else {}
    repeats = runs[path.stem].repeats if path.stem in runs else sys.maxsize
    for reply in read_jsonl(path, Prediction):
        answered.add(reply.item_id)
        yield _RunReply(reply.run, path.stem, reply.item_id, reply.repeat, reply, reply.repeat // repeats)
    for sentences in sets:
        if not sentences.isdisjoint(answered):
            yield from (_RunReply(path.stem, path.stem, item, None, None) for item in sorted(sentences - answered))
