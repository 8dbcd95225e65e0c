"""Stage `evidence`: claims and passages -> ranked passages for each claim, and the sheets for human verification.

SdAK, section 3.3, retrieves evidence from the web. Instead, this stage ranks passages from the other crawled sources by BM25 over words,
or uses web search results saved under imports/search: docs/evidence.md.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from atomexam.records.claim import ClaimPair, Evidence, Passage
from atomexam.records.params import EvidenceParams
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary
from curation.annotation.samples import mixed_sample, read_false_tails, with_evidence, write_project, write_spreadsheet
from curation.evidence.ranking import RankedPassage, best_sentence, passages_of_search, ranked, results_in

Retriever = Callable[[Sequence[ClaimPair], int], Iterator[RankedPassage]]


def retriever(name: str, passages: Path, search: Path) -> Retriever:
    """Return the passage retriever for claims: `passages` searches the crawled passages, `saved` uses saved web search results."""
    if name == "saved":
        results = results_in(search)
        if not results:
            raise ValueError(f"{search}: no *.jsonl file with search results; add one (docs/evidence.md), or use retriever: passages")
        return lambda claims, most: passages_of_search(claims, results, most)
    every = list(read_jsonl(passages, Passage))
    return lambda claims, most: ranked(claims, every, most)


def evidence_of(ranked_passage: RankedPassage) -> Evidence:
    """Return a ranked passage as a record, with its best sentence."""
    passage, claim = ranked_passage.passage, ranked_passage.claim
    start, end = best_sentence(passage.text, claim.head, claim.tail, ranked_passage.words)
    return Evidence(
        claim_id=claim.id,
        passage=passage.id,
        source=passage.source,
        url=passage.url,
        rank=ranked_passage.rank,
        score=ranked_passage.score,
        start=start,
        end=end,
    )


def main(argv: list[str] | None = None) -> None:
    paths = {
        "claims": "data/claims/claims.jsonl",
        "passages": "data/clean/passages.jsonl",
        "reserved": "data/splits/reserved/claims.jsonl",
        "search": "imports/search",
        "out": "data/evidence.jsonl",
        "annotation": "data/annotation",
        "metrics": "metrics/evidence.json",
    }
    args = read_arguments(argv, __doc__, "evidence", EvidenceParams, paths)
    true = list(read_jsonl(args.claims, ClaimPair))
    false = list(read_false_tails(args.claims))
    claims = [*true, *false]
    find = retriever(args.params.retriever, args.passages, args.search)
    evidence: dict[str, list[Evidence]] = defaultdict(list)
    named: dict[str, Passage] = {}
    for one in find(claims, args.params.passages_per_claim):
        evidence[one.claim.id].append(evidence_of(one))
        named[one.passage.id] = one.passage
    reserved = {claim.id for claim in read_optional(args.reserved, ClaimPair)}  # kept out of the folder that annotators get
    reserved |= {one.id for one in read_false_tails(args.reserved)}
    sides = ([one for one in side if one.id not in reserved] for side in (true, false))
    sample = with_evidence(mixed_sample(sides, args.params.annotate_per_type, args.params.seed), evidence, named)
    with folder_lock(args.annotation) as folder:
        for stale in folder.iterdir():
            stale.unlink()
        write_spreadsheet(folder, sample)
        write_project(folder, sample)
        write_jsonl(folder / "passages.jsonl", named.values(), key=lambda passage: passage.id)
        write_jsonl(args.out, [row for rows in evidence.values() for row in rows], key=lambda row: (row.claim_id, row.rank))
        counts = {
            "claims": len(true),
            "claims_with_evidence": sum(one.id in evidence for one in true),
            "false_tails": len(false),
            "false_tails_with_evidence": sum(one.id in evidence for one in false),
            "passages_named": len(named),
            "evidence": sum(map(len, evidence.values())),
            "to_annotate": len(sample),
        }
        write_json(args.metrics, counts)
    found = f"{len(evidence):,} of {len(claims):,} true and false claims have a passage"
    print_summary("evidence", f"{found}; {len(sample):,} are sampled for verification: {args.annotation}")


if __name__ == "__main__":
    run_stage(main)
