"""Stage `evidence`: claims and passages -> the passages that speak of each claim, and the sheets for human verification.

Passages are ranked by BM25 over words. A claim seen in one source only is checked against the others (SdAK, section 3.3,
retrieves from the web; here the other crawled sources stand in for it).
"""

import csv
import hashlib
import io
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator

from curation.words import segmenter
from records.claim import ClaimPair
from records.evidence import Evidence, Passage
from records.jsonl import folder_lock, read_jsonl, replacing, write_json, write_jsonl
from records.params import EvidenceParams
from records.stage import read_arguments, run_stage

_FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run what begins so
_SHEET_COLUMNS = ("claim_id", "atomic_type", "claim", "label", "comment", "evidence", "source")


def rank_passages(claims: list[ClaimPair], passages: list[Passage], most: int) -> Iterator[Evidence]:
    """Yield the `most` best passages of each claim; passages that share no word with it are none.

    A claim known from a single source gets passages of other sources alone: its own page is no evidence.
    """
    import bm25s
    import numpy as np

    logging.getLogger("bm25s").setLevel(logging.WARNING)
    if not passages or not claims:
        return
    words = segmenter(text for claim in claims for text in (claim.head, claim.tail))
    index = bm25s.BM25()
    index.index([words(passage.text) or [""] for passage in passages], show_progress=False)
    sources = np.array([passage.source for passage in passages])
    for claim in claims:
        query = sorted({*words(claim.head), *words(claim.tail)} & index.vocab_dict.keys())
        if not query:
            continue
        scores = np.round(index.get_scores(query).astype(np.float64), 4)
        seen_in = {place.source for place in claim.provenance}
        if len(seen_in) == 1:
            scores[sources == next(iter(seen_in))] = 0
        best = np.flatnonzero(scores)
        best = sorted(best, key=lambda i: (-scores[i], passages[i].id))[:most]
        for rank, i in enumerate(best, 1):
            passage = passages[i]
            yield Evidence(claim_id=claim.id, passage=passage.id, source=passage.source, url=passage.url, rank=rank, score=float(scores[i]))


def draw(claims: Iterable[ClaimPair], per_type: int, seed: int) -> list[ClaimPair]:
    """Return the claims of each atomic type to be verified by people; a claim's lot hangs on its id and the seed alone."""
    by_type = defaultdict(list)
    for claim in claims:
        by_type[claim.atomic_type].append((hashlib.sha256(f"{seed}/{claim.id}".encode()).hexdigest(), claim))
    return [claim for kind in sorted(by_type) for _, claim in sorted(by_type[kind], key=lambda pair: pair[0])[:per_type]]


def safe_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA_MARKS) else text


def sheet(claims: list[ClaimPair], evidence: dict[str, list[Evidence]], texts: dict[str, str]) -> str:
    """Return the sheet for human verification as CSV: a row a passage; `label` takes support, neutral or refute."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_SHEET_COLUMNS)
    for claim in claims:
        for row in evidence.get(claim.id) or [None]:
            found = (texts[row.passage], row.url) if row else ("", "")
            cells = (claim.id, claim.atomic_type, claim.factual, "", "", *found)
            writer.writerow([safe_cell(cell) for cell in cells])
    return out.getvalue()


def main(argv: list[str] | None = None) -> None:
    paths = {
        "claims": "data/claims/claims.jsonl",
        "passages": "data/clean/passages.jsonl",
        "out": "data/evidence.jsonl",
        "annotation": "data/annotation",
        "metrics": "metrics/evidence.json",
    }
    args = read_arguments(argv, __doc__, "evidence", EvidenceParams, paths)
    claims = list(read_jsonl(args.claims, ClaimPair))
    passages = list(read_jsonl(args.passages, Passage))
    found = defaultdict(list)
    for row in rank_passages(claims, passages, args.params.passages_per_claim):
        found[row.claim_id].append(row)
    drawn = draw(claims, args.params.annotate_per_type, args.params.seed)
    texts = {passage.id: passage.text for passage in passages}
    with folder_lock(args.annotation) as folder:
        for stale in folder.iterdir():
            stale.unlink()
        with replacing(folder / "claims.csv") as part:
            part.write_text(sheet(drawn, found, texts), encoding="utf-8-sig")  # with its mark, Excel reads it as UTF-8
        write_jsonl(args.out, [row for rows in found.values() for row in rows], key=lambda row: (row.claim_id, row.rank))
        counts = {
            "claims": len(claims),
            "claims_with_evidence": len(found),
            "passages": len(passages),
            "evidence": sum(map(len, found.values())),
            "to_annotate": len(drawn),
        }
        write_json(args.metrics, counts)


if __name__ == "__main__":
    run_stage(main)
