"""Stage `claims`: facts -> claim pairs, each a fact stated and denied; facts without a sound pair go to rejected.

A pair differs by the negation alone, and one of its sentences is true (SdAK, section 3.2).
`curation/chosen.jsonl` is in git and records which facts have a claim, so that new facts never change the earlier selection.
"""

import logging
from collections.abc import Sequence

from atomexam.records.fact import Fact
from atomexam.records.params import Claims
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary, rejected_counts
from curation.claims.claim_context import ChosenFact, ClaimContext, read_claim_context
from curation.claims.claim_pairs import RejectedFact, contaminated_rows, make_claims, measure, reviews_of
from curation.claims.settled_contradictions import resolve


def main(argv: list[str] | None = None) -> None:
    paths = {
        "facts": "data/unique/facts.jsonl",
        "aliases": "data/clean/aliases.jsonl",
        "references": "data/clean/reference_facts.jsonl",
        "verdicts": "curation/verdicts.jsonl",
        "decisions": "curation/decisions.jsonl",
        "chosen": "curation/chosen.jsonl",
        "out": "data/claims",
        "metrics": "metrics/claims.json",
    }
    args = read_arguments(argv, __doc__, "claims", Claims, paths)
    with folder_lock(args.out) as out:
        facts = list(read_jsonl(args.facts, Fact))
        known = read_claim_context(args.chosen, args.verdicts, args.references, args.aliases, args.decisions)
        _warn_of_unused_decisions(known, facts)
        settled = resolve(facts, known.synonyms, known.decisions)
        claims, rejected = make_claims(facts, args.params, known, settled)
        contamination = list(contaminated_rows(facts, claims, rejected, args.params, known))
        reviews = reviews_of(settled, args.params, known)
        write_jsonl(out / "claims.jsonl", claims, key=lambda claim: claim.id)
        write_jsonl(out / "rejected.jsonl", rejected, key=lambda row: row.fact.id, row=RejectedFact.row)
        write_jsonl(out / "contaminated.jsonl", contamination, key=lambda row: (row.fact_id, row.reference, row.url))
        write_jsonl(out / "review.jsonl", reviews, key=lambda row: (row.id, row.asked))
        write_json(args.metrics, metrics := measure(facts, claims, rejected, contamination, len(reviews)))
        # Last, by rename: after a run killed earlier, the next one chooses the same facts.
        rows = [ChosenFact(atomic_type=claim.atomic_type, fact_id=claim.fact_ids[0]) for claim in claims]
        write_jsonl(args.chosen, rows, key=lambda row: (row.atomic_type, row.fact_id), on_disk=True)
    made = f"{len(facts):,} facts -> {number_of(len(claims), 'claim')} on {number_of(metrics['heads'], 'head')}"
    print_summary("claims", f"{made}; {rejected_counts(metrics['rejected_by_reason'])}")


def _warn_of_unused_decisions(known: ClaimContext, facts: Sequence[Fact]) -> None:
    """Warn of decisions on facts that are not in the input: they left the data, or the id is mistyped."""
    on_facts = {key for key, decision in known.decisions.items() if decision.polarity is not None}
    if on_facts and (idle := sorted(on_facts.difference(fact.id for fact in facts))):
        names = ", ".join(idle)
        logging.getLogger("claims").warning("decisions on facts that are not in the data: %s; delete these lines or correct the ids", names)


if __name__ == "__main__":
    run_stage(main, acyclic=True)
