"""Find records by id, address or text, and trace each from the scores of all runs back to the bytes of its pages."""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import to_builtins
from warcio.archiveiterator import ArchiveIterator

from atomexam.records.annotation import Verdict, majority
from atomexam.records.claim import PAIR, SENTENCES, ClaimPair, Fourfold, sentences_of
from atomexam.records.fact import Fact
from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Prediction, Score
from atomexam.records.provenance import page_id
from atomexam.records.question import SPLITS, Question
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.annotation_files import read_decisions, read_verdicts
from atomexam.runtime.archive_index import IndexRow, indexes, read_packed, unpacked
from eval.trace.related_items import Claim, learned_by, nearest, read_items

_CLAIMS: dict[str, tuple[str, type[Claim]]] = {"claim": ("claims.jsonl", ClaimPair), "fourfold": ("fourfold.jsonl", Fourfold)}
"""File and record type for each kind of claim."""
_DECISIONS, _VERDICTS, _PUBLISHED = map(Path, ("curation/decisions.jsonl", "curation/verdicts.jsonl", "splits/released.jsonl"))
"""Paths relative to the parent of the data folder."""
_ID = re.compile(r"[a-z]+-[0-9a-f]{8,}")
_MAX_DECOMPRESSED_BYTES = 1 << 26  # larger than any page; decompression stops there
_MAX_BYTES, _SIGNATURE_BYTES = 240, 8
_CHARSET = re.compile(rb"""charset=["']?([\w-]+)""")
T = TypeVar("T")


class Hit(NamedTuple):
    """A record that matches a query."""

    kind: str
    """`claim`, `fourfold`, `question`, `fact`, `page` or `rejected`."""
    id: str
    context: str
    """Split, source or reason."""
    text: str


class Release(msgspec.Struct, frozen=True):
    """The required fields of a line in the history of a release."""

    id: str
    version: str
    change: str
    split: str


def find(data: Path, query: str) -> list[Hit]:
    """Return the matches of a query: the record with this id, the pages at this address, or else all records that contain the text."""
    query = query.strip()
    name = query.partition("/")[0]  # each side of a claim is a separate item
    is_id = bool(_ID.fullmatch(name))
    if not is_id and (stored := pages_of(data / "pages", query)):
        return [Hit("page", page, "stored under this address", query) for page in stored]
    hits = list(dict.fromkeys(_hits(data, name if is_id else query)))
    if not is_id:
        return hits
    if own := [hit for hit in hits if hit.id == name and hit.kind != "rejected"]:
        return own
    page = find_page(data / "pages", name) if name.startswith("page-") else None
    return [Hit("page", name, page["source"], page["url"])] if page else [hit for hit in hits if hit.id == name] or hits


def _hits(data: Path, text: str) -> Iterator[Hit]:
    claims = set()
    for split in SPLITS:
        for kind in _CLAIMS:
            for claim in _claims_with(data, split, kind, [text]):
                claims.add(claim.id)
                yield Hit(kind, claim.id, split, sentences_of(claim)[0])
        for question in rows_with(data / "splits" / split / "questions.jsonl", [text], Question):
            yield Hit("question", question.id, split, question.stem)
    for fact in rows_with(data / "unique/facts.jsonl", [text], Fact):
        yield Hit("fact", fact.id, fact.relation, fact_text(fact))
    for stage, row in _rejections(data, text):
        yield Hit("rejected", row.id, row.reason, f"{row.kind} in {stage}/rejected.jsonl")
    verdicts = {row.claim_id: row for row in rows_with(data.parent / _VERDICTS, [text], Verdict) if row.claim_id not in claims}
    votes = read_verdicts(data.parent / _VERDICTS) if verdicts else {}
    for key, one in verdicts.items():
        if majority(vote.verdict for vote in votes[key]) == "refute" and not one.is_false_tail:  # a refuted claim is in no other file
            yield Hit("rejected", key, "refuted by annotators", one.claim)


def _rejections(data: Path, text: str) -> Iterator[tuple[str, Rejected]]:
    """Yield the rejected records whose line contains the text, each with the name of its stage's folder."""
    for stage in ("clean", "unique", "claims"):
        yield from ((stage, row) for row in rows_with(data / stage / "rejected.jsonl", [text], Rejected))


def fact_text(fact: Fact) -> str:
    """Return a fact as text."""
    return f"{fact.head} {'–' if fact.polarity else '≠'} {fact.tail}"


def rows_with(path: Path, texts: Sequence[str], shape: type[T]) -> Iterator[T]:
    """Yield the records of a file whose lines contain one of the texts; nothing if the file does not exist.

    Raises:
        ValueError: a matching line lacks expected fields.
    """
    if not path.exists():
        return
    wanted = [msgspec.json.encode(text)[1:-1] for text in texts]  # as encoded in JSON
    decoder = msgspec.json.Decoder(shape)
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if any(text in line for text in wanted):
                try:
                    yield decoder.decode(line)
                except msgspec.DecodeError as error:
                    raise ValueError(f"{path}:{number}: {error}; rebuild it with `dvc repro`") from None


def find_page(pages: Path, page: str) -> dict[str, Any] | None:
    """Return the location of a page, its date and its first bytes; None if the page is in no index."""
    of_page = ((index.parent, row) for index in indexes(pages) for row in rows_with(index, [page], IndexRow))
    matches = [(folder, row) for folder, row in of_page if row.page_id == page]
    if not matches:
        return None
    folder, row = matches[0]
    snapshots = sorted({row.of for _, row in matches})
    about = {"page": page, "source": folder.name, "url": row.url, "snapshots": snapshots, "status": row.status}
    return about | {"archive": f"{folder / row.file}, bytes {row.offset} to {row.offset + row.length}"} | _record(folder, row)


def pages_of(pages: Path, url: str) -> list[str]:
    """Return the ids of the pages stored under an address."""
    return sorted({row.page_id for index in indexes(pages) for row in rows_with(index, [url], IndexRow) if row.url == url})


def _record(folder: Path, row: IndexRow) -> dict[str, Any]:
    """Return the date and first bytes of an archived record, and whether its bytes still match the page id."""
    path = folder / row.file
    if not path.exists():
        return {"fetched": None, "fault": f"{path} is missing; `dvc checkout {folder}` restores it"}
    try:
        raw = unpacked(read_packed(path, row.offset, row.length), _MAX_DECOMPRESSED_BYTES)
        record = next(iter(ArchiveIterator(BytesIO(raw))))
        stored = record.raw_stream.read()
        body = next(iter(ArchiveIterator(BytesIO(raw)))).content_stream().read()  # the raw body may be compressed
    except (zlib.error, StopIteration, ValueError) as error:
        return {"fetched": None, "fault": f"the record cannot be read ({error}); `dvc checkout -f {folder}` restores it"}
    is_same = page_id(row.url, stored) == row.page_id
    return {
        "fetched": record.rec_headers.get_header("WARC-Date"),
        "bytes": len(stored),
        "begins": _begin(body),
        **({} if is_same else {"fault": "the bytes do not match the page id"}),
    }


def _begin(body: bytes) -> str:
    """Return the first bytes as text; for a binary file, such as a workbook, its signature in hexadecimal."""
    if b"\0" in body[:_MAX_BYTES]:
        return f"binary file, first bytes: {body[:_SIGNATURE_BYTES].hex(' ')}"
    declared = _CHARSET.search(body[:1024])
    try:
        return body[:_MAX_BYTES].decode(declared[1].decode() if declared else "utf-8", "ignore")
    except LookupError:
        return body[:_MAX_BYTES].decode("gb18030", "ignore")


Chain = dict[str, Any]
_REPLY_CHARS = 80


def trace(data: Path, hit: Hit) -> Chain:
    """Return where a record comes from and what was derived from it."""
    return {"claim": _claim, "fourfold": _claim, "question": _question, "fact": _fact, "page": _page, "rejected": _rejected}[hit.kind](
        data, hit
    )


def _claim(data: Path, hit: Hit) -> Chain:
    claim = _one(_claims_with(data, hit.context, hit.kind, [hit.id]), hit.id)
    verdicts = SENTENCES if isinstance(claim, Fourfold) else PAIR
    facts = _facts_of(data, claim.fact_ids)
    return {
        hit.kind: claim.id,
        "split": hit.context,
        **{f"{name.replace('_', ' ')} ({verdict})": getattr(claim, name) for name, verdict in verdicts.items()},
        "atomic type": claim.atomic_type,
        **_versions(data, claim.id),
        **({"template": claim.template_id} if isinstance(claim, ClaimPair) else {}),
        "scores": _scores(data, [claim.id]),
        **_near(data, hit, claim),
        "facts": facts,
        **({"facts of the false tail": _facts_of(data, claim.false_fact_ids)} if isinstance(claim, Fourfold) else {}),
        **({} if facts else {"pages": _pages(data, claim)}),
    }


def _facts_of(data: Path, ids: Sequence[str]) -> list[Chain]:
    facts = [fact for fact in rows_with(data / "unique/facts.jsonl", ids, Fact) if fact.id in ids] if ids else []
    return [{"fact": fact.id, "says": fact_text(fact), "relation": fact.relation, "pages": _pages(data, fact)} for fact in facts]


def _question(data: Path, hit: Hit) -> Chain:
    question = _one(rows_with(data / "splits" / hit.context / "questions.jsonl", [hit.id], Question), hit.id)
    fields = ("exam", "subject", "question_type", "form", "category", "case_type", "group_id", "cluster_id", "shared_stem", "stem")
    return {
        "question": question.id,
        "split": hit.context,
        **{name.replace("_", " "): value for name in fields if (value := getattr(question, name))},
        "options": [f"{option.letter}. {option.text}" for option in question.options],
        "answer": question.answer or "hidden",
        **_decided(data, question.id),
        **_versions(data, question.id),
        "scores": _scores(data, [question.id]),
        **_near(data, hit, question),
        "pages": _pages(data, question),
    }


def _near(data: Path, hit: Hit, item: Claim | Question) -> Chain:
    """Return the nearest training items; none if the item itself is in train."""
    return {} if hit.context == "train" else {"nearest in train": nearest(item, read_items(data, "train"), learned_by(data))}


def _fact(data: Path, hit: Hit) -> Chain:
    fact = _one(rows_with(data / "unique/facts.jsonl", [hit.id], Fact), hit.id)
    claims = _claims_of(data, [fact.id])
    return {
        "fact": fact.id,
        "says": fact_text(fact),
        "relation": fact.relation,
        **_decided(data, fact.id),
        "claims": [_line(split, claim.id, sentences_of(claim)[0]) for split, claim in claims],
        **({} if claims else {"no claim": _reasons(data, fact.id)}),
        "scores": _scores(data, [claim.id for _, claim in claims]),
        "pages": _pages(data, fact),
    }


def _page(data: Path, hit: Hit) -> Chain:
    facts = [fact for fact in rows_with(data / "unique/facts.jsonl", [hit.id], Fact) if _is_from(fact, hit.id)]
    claims = _claims_of(data, [fact.id for fact in facts])
    questions = [
        (split, question)
        for split in SPLITS
        for question in rows_with(data / "splits" / split / "questions.jsonl", [hit.id], Question)
        if _is_from(question, hit.id)
    ]
    return {
        **(find_page(data / "pages", hit.id) or {"page": hit.id}),
        "questions": [_line(split, question.id, question.stem) for split, question in questions],
        "facts": [_line(fact.relation, fact.id, fact_text(fact)) for fact in facts],
        "claims": [_line(split, claim.id, sentences_of(claim)[0]) for split, claim in claims],
        "rejected": _reasons(data, hit.id),
        "scores": _shares(data, [*(claim.id for _, claim in claims), *(question.id for _, question in questions)]),
    }


def _rejected(data: Path, hit: Hit) -> Chain:
    rows = [to_builtins(row) for _, row in _rejections(data, hit.id) if row.id == hit.id]
    verdicts = [to_builtins(row) for row in rows_with(data.parent / _VERDICTS, [hit.id], Verdict) if row.claim_id == hit.id]
    return {"rejected": hit.id, "records": rows, **({"verdicts": verdicts} if verdicts else {}), **_decided(data, hit.id)}


def _versions(data: Path, item: str) -> Chain:
    """Return what happened to an item in each release, including the current one."""
    rows = [row for row in rows_with(data / "release/history.jsonl", [item], Release) if row.id == item]
    ledger = data.parent / _PUBLISHED
    published = set(rows_with(ledger, [item], Release)) if ledger.exists() else set()
    states = [f"{row.version} {row.change}, {row.split}{'' if row in published else ' (not published)'}" for row in rows]
    return {"versions": states} if rows else {}


def _decided(data: Path, item: str) -> Chain:
    """Return what people decided about a record, or about a record that was merged into it."""
    merged = (row.id for row in rows_with(data / "unique/rejected.jsonl", [item], Rejected) if row.detail == item)
    decisions = read_decisions(data.parent / _DECISIONS)
    one = next((decisions[key] for key in [item, *merged] if key in decisions), None)
    return {"decided by people": {"file": str(_DECISIONS)} | to_builtins(one)} if one else {}


def _pages(data: Path, record: Claim | Question | Fact) -> list[Chain]:
    """Return each place where a record was seen, with the location of the page in the archive."""
    lost = f"it is in no index under {data / 'pages'}; `dvc checkout {data / 'pages'}` restores the archive"
    return [
        {"position": one.position, "snapshot": one.snapshot}
        | (find_page(data / "pages", one.page_id) or {"page": one.page_id, "url": one.url, "fault": lost})
        for one in record.provenance
    ]


def _claims_of(data: Path, facts: Sequence[str]) -> list[tuple[str, Claim]]:
    """Return the claims and fourfold rows that state one of the facts, with their splits."""
    wanted = set(facts)
    claims = ((split, claim) for split in SPLITS for kind in _CLAIMS for claim in _claims_with(data, split, kind, facts))
    return [(split, claim) for split, claim in claims if wanted & set(claim.fact_ids)]


def _claims_with(data: Path, split: str, kind: str, texts: Sequence[str]) -> Iterator[Claim]:
    """Yield the claims of one kind in a split whose lines contain one of the texts; nothing if there are no texts."""
    name, shape = _CLAIMS[kind]
    return rows_with(data / "splits" / split / name, texts, shape) if texts else iter(())


def _scores(data: Path, items: Sequence[str]) -> list[str]:
    """Return each run's replies to the items and their scores, one per line."""
    lines = []
    for path in sorted((data / "scores").glob("*.jsonl")) if items else ():
        scores = list(rows_with(path, items, Score))
        files = sorted((data / "predictions").glob(f"*/{path.name}"))  # in the folder of the run's model
        replies = {(row.item_id, row.repeat): row for file in files for row in rows_with(file, items, Prediction)}
        for score in scores:
            reply = replies.get((score.item_id, score.repeat))
            reply_text = reply.error or reply.reply if reply else "reply not stored"
            result = "not scored" if score.correct is None else "right" if score.correct else "wrong"
            side = score.item_id.partition("/")[2]
            where = f"{path.stem} #{score.repeat}" + (f" {side}" if side else "")
            item = f" {score.item_id.partition('/')[0]}" if len(items) > 1 else ""
            answer = score.answer if len(score.answer or "") < _REPLY_CHARS else None  # an answer in words is the reply itself
            summary = " ".join(word for word in (score.outcome, answer, result) if word)
            lines.append(f"{where}{item}: {summary} | {reply_text[:_REPLY_CHARS]}")
    for path in sorted((data / "judgements").glob("*.jsonl")):  # marks of answers in words
        for row in rows_with(path, items, Judgement):
            lines.append(f"{path.stem} #{row.repeat}: mark {'unread' if row.mark is None else row.mark} ({row.order}) | {row.reply}")
    return lines


def _shares(data: Path, items: Sequence[str]) -> list[str]:
    """Return, for each run, how many replies to the items are correct."""
    lines = []
    for path in sorted((data / "scores").glob("*.jsonl")) if items else ():
        known = [score.correct for score in rows_with(path, items, Score) if score.correct is not None]
        lines += [f"{path.stem}: {sum(known)} of {len(known)} replies correct"] if known else []
    return lines


def _reasons(data: Path, text: str) -> list[str]:
    return [_line(f"{stage}: {row.reason}", row.id, row.detail or "") for stage, row in _rejections(data, text)]


def _is_from(record: Question | Fact, page: str) -> bool:
    return any(one.page_id == page for one in record.provenance)


def _line(prefix: str, key: str, text: str) -> str:
    return f"{key} ({prefix}) {text}"


def _one(rows: Iterable[Any], key: str) -> Any:
    return next(row for row in rows if row.id == key)
