"""A record -> its chain, from the scores of all runs back to the bytes of the pages, and in the other direction."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from atomexam.records.claim import ClaimPair
from atomexam.records.fact import Fact
from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Prediction, Score
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from eval.trace.lookup import SPLITS, Hit, fact_text, find_page, rows_with
from eval.trace.related_items import learned_by, nearest, read_train

Chain = dict[str, Any]
_REPLY_CHARS = 80


def trace(data: Path, hit: Hit) -> Chain:
    """Return the origins of a record and what was derived from it."""
    return {"claim": _claim, "question": _question, "fact": _fact, "page": _page, "rejected": _rejected}[hit.kind](data, hit)


def _claim(data: Path, hit: Hit) -> Chain:
    pair = _one(rows_with(data / "splits" / hit.context / "claims.jsonl", [hit.id], ClaimPair), hit.id)
    facts = [fact for fact in rows_with(data / "unique/facts.jsonl", pair.fact_ids, Fact) if fact.id in pair.fact_ids]
    return {
        "claim": pair.id,
        "split": hit.context,
        "factual": pair.factual,
        "non-factual": pair.non_factual,
        "atomic type": pair.atomic_type,
        "template": pair.template_id,
        "scores": _scores(data, [pair.id]),
        **_near(data, hit, pair),
        "facts": [{"fact": fact.id, "says": fact_text(fact), "relation": fact.relation, "pages": _pages(data, fact)} for fact in facts],
        **({} if facts else {"pages": _pages(data, pair)}),
    }


def _question(data: Path, hit: Hit) -> Chain:
    question = _one(rows_with(data / "splits" / hit.context / "questions.jsonl", [hit.id], Question), hit.id)
    fields = ("exam", "subject", "question_type", "form", "category", "case_type", "group_id", "cluster_id", "shared_stem", "stem")
    return {
        "question": question.id,
        "split": hit.context,
        **{name.replace("_", " "): value for name in fields if (value := getattr(question, name))},
        "options": [f"{option.letter}. {option.text}" for option in question.options],
        "answer": question.answer or "hidden",
        "scores": _scores(data, [question.id]),
        **_near(data, hit, question),
        "pages": _pages(data, question),
    }


def _near(data: Path, hit: Hit, item: ClaimPair | Question) -> Chain:
    """Return the nearest items of train, unless the item itself is in train."""
    return {} if hit.context == "train" else {"nearest in train": nearest(item, read_train(data), learned_by(data))}


def _fact(data: Path, hit: Hit) -> Chain:
    fact = _one(rows_with(data / "unique/facts.jsonl", [hit.id], Fact), hit.id)
    claims = _claims_of(data, [fact.id])
    return {
        "fact": fact.id,
        "says": fact_text(fact),
        "relation": fact.relation,
        "claims": [_line(split, pair.id, pair.factual) for split, pair in claims],
        **({} if claims else {"no claim": _reasons(data, fact.id)}),
        "scores": _scores(data, [pair.id for _, pair in claims]),
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
        "claims": [_line(split, pair.id, pair.factual) for split, pair in claims],
        "rejected": _reasons(data, hit.id),
        "scores": _shares(data, [*(pair.id for _, pair in claims), *(question.id for _, question in questions)]),
    }


def _rejected(data: Path, hit: Hit) -> Chain:
    rows = [row for stage in ("clean", "unique", "claims") for row in rows_with(data / stage / "rejected.jsonl", [hit.id], Rejected)]
    return {"rejected": hit.id, "records": [to_builtins(row) for row in rows if row.id == hit.id]}


def _pages(data: Path, record: ClaimPair | Question | Fact) -> list[Chain]:
    """Return each sighting of a record, with the page's record in the archive."""
    return [_sighting(data, one) for one in record.provenance]


def _sighting(data: Path, provenance: Provenance) -> Chain:
    page = find_page(data / "pages", provenance.page_id)
    fault = f"no index under {data / 'pages'} names it; `dvc checkout {data / 'pages'}` restores the archive"
    about = {"position": provenance.position, "snapshot": provenance.snapshot}
    return about | (page or {"page": provenance.page_id, "url": provenance.url, "fault": fault})


def _claims_of(data: Path, facts: Sequence[str]) -> list[tuple[str, ClaimPair]]:
    wanted = set(facts)
    rows = ((split, pair) for split in SPLITS for pair in _read_claims(data, split, facts))
    return [(split, pair) for split, pair in rows if wanted & set(pair.fact_ids)]


def _read_claims(data: Path, split: str, facts: Sequence[str]) -> Iterable[ClaimPair]:
    return rows_with(data / "splits" / split / "claims.jsonl", facts, ClaimPair) if facts else ()


def _scores(data: Path, items: Sequence[str]) -> list[str]:
    """Return each run's replies to the items with their scores, one per line."""
    lines = []
    for path in sorted((data / "scores").glob("*.jsonl")) if items else ():
        scores = list(rows_with(path, items, Score))
        files = sorted((data / "predictions").glob(f"*/{path.name}"))  # in the folder of the run's model
        replies = {(row.item_id, row.repeat): row for file in files for row in rows_with(file, items, Prediction)}
        for score in scores:
            reply = replies.get((score.item_id, score.repeat))
            reply_text = reply.error or reply.reply if reply else "reply not stored"
            worth = "not scored" if score.correct is None else "right" if score.correct else "wrong"
            side = score.item_id.partition("/")[2]
            where = f"{path.stem} #{score.repeat}" + (f" {side}" if side else "")
            item = f" {score.item_id.partition('/')[0]}" if len(items) > 1 else ""
            answer = score.answer if len(score.answer or "") < _REPLY_CHARS else None  # in words, it is the reply
            summary = " ".join(word for word in (score.outcome, answer, worth) if word)
            lines.append(f"{where}{item}: {summary} | {reply_text[:_REPLY_CHARS]}")
    return lines + _marks(data, items)


def _marks(data: Path, items: Sequence[str]) -> list[str]:
    """Return the judges' marks of answers in words."""
    rows = ((path.stem, row) for path in sorted((data / "judgements").glob("*.jsonl")) for row in rows_with(path, items, Judgement))
    return [f"{run} #{row.repeat}: mark {'unread' if row.mark is None else row.mark} ({row.order}) | {row.reply}" for run, row in rows]


def _shares(data: Path, items: Sequence[str]) -> list[str]:
    """Return for each run the number of right replies to the items."""
    lines = []
    for path in sorted((data / "scores").glob("*.jsonl")) if items else ():
        known = [score.correct for score in rows_with(path, items, Score) if score.correct is not None]
        lines += [f"{path.stem}: {sum(known)} of {len(known)} replies right"] if known else []
    return lines


def _reasons(data: Path, text: str) -> list[str]:
    rows = [(stage, row) for stage in ("clean", "unique", "claims") for row in rows_with(data / stage / "rejected.jsonl", [text], Rejected)]
    return [_line(f"{stage}: {row.reason}", row.id, row.detail or "") for stage, row in rows]


def _is_from(record: Question | Fact, page: str) -> bool:
    return any(one.page_id == page for one in record.provenance)


def _line(prefix: str, key: str, text: str) -> str:
    return f"{key} ({prefix}) {text}"


def _one(rows: Iterable[Any], key: str) -> Any:
    return next(row for row in rows if row.id == key)
