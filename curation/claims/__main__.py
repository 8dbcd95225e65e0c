"""Stage `claims`: facts -> claim pairs (a fact affirmed and denied) and fourfold sets, which also affirm and deny a falsehood.

The sentences of a pair differ only in the negation, and one of them is true (SdAK, section 3.2). Facts without a valid pair or
fourfold row are written to the rejected files.
`curation/chosen.jsonl`, which is kept in git, records the facts that have a claim, so that new facts never change the earlier selection.
"""

import sys
from collections.abc import Iterable, Sequence
from itertools import chain

from atomexam.records.claim import Passage
from atomexam.records.fact import Fact
from atomexam.records.params import Claims
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary, rejected_counts
from curation.claims.claim_context import ChosenFact, ClaimContext, read_claim_context
from curation.claims.claim_pairs import RejectedFact, contaminated_rows, make_claims, measure, reviews_of, without_pairs
from curation.claims.contradictions import resolve
from curation.claims.fourfold import FourfoldSet, RejectedFourfold, make_fourfold, measure_fourfold
from curation.claims.tail_objections import KnownFacts
from curation.claims.templates import fourfold_templates


def main(argv: list[str] | None = None) -> None:
    paths = {
        "facts": "data/unique/facts.jsonl",
        "aliases": "data/clean/aliases.jsonl",
        "references": "data/clean/reference_facts.jsonl",
        "passages": "data/clean/passages.jsonl",
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
        settled = resolve(facts, known.synonyms, known.decisions)
        claims, rejected = make_claims(facts, args.params, known, settled)
        fourfold = fourfold_of(facts, rejected, args.params, known, read_optional(args.passages, Passage))
        if args.params.design == "fourfold":
            claims, rejected = without_pairs(facts, rejected)
        contamination = list(contaminated_rows(facts, claims, rejected, args.params, known))
        reviews = reviews_of(settled, args.params, known)
        write_jsonl(out / "claims.jsonl", claims, key=lambda claim: claim.id)
        write_jsonl(out / "rejected.jsonl", rejected, key=lambda row: row.fact.id, row=RejectedFact.row)
        write_jsonl(out / "fourfold.jsonl", fourfold.rows, key=lambda row: row.id)
        write_jsonl(out / "fourfold_rejected.jsonl", fourfold.rejected, key=lambda row: row.fact.id, row=RejectedFourfold.row)
        write_jsonl(out / "contaminated.jsonl", contamination, key=lambda row: (row.fact_id, row.reference, row.url))
        write_jsonl(out / "review.jsonl", reviews, key=lambda row: (row.id, row.asked))
        metrics = measure(facts, claims, rejected, contamination, len(reviews)) | {"fourfold": measure_fourfold(fourfold)}
        write_json(args.metrics, metrics)
        # Written last, by rename: if a run is killed before this, the next one chooses the same facts.
        false = {row.fact_ids[0]: row.false_fact_ids[0] for row in fourfold.rows if row.false_fact_ids}
        types = {claim.fact_ids[0]: claim.atomic_type for claim in claims}
        rows = [ChosenFact(atomic_type=types[key], fact_id=key, false_fact_id=false.get(key)) for key in types]
        rows += [
            ChosenFact(atomic_type=row.atomic_type, fact_id=key, false_fact_id=false[key], claim=False)
            for row in fourfold.rows
            if (key := row.fact_ids[0]) in false and key not in types
        ]
        if left := known.chosen.difference(fact.id for fact in facts):
            undone = f"to bring them back, restore the data and `git checkout {args.chosen}`"
            print(
                f"{args.chosen}: dropped {number_of(len(left), 'chosen fact')} that the data no longer contain; {undone}", file=sys.stderr
            )
        write_jsonl(args.chosen, rows, key=lambda row: (row.atomic_type, row.fact_id))
    sizes = f"{number_of(len(claims), 'claim')} on {number_of(metrics['heads'], 'head')}, {len(fourfold.rows):,} fourfold"
    made = f"{len(facts):,} facts -> {sizes}"
    print_summary("claims", f"{made}; {rejected_counts(metrics['rejected_by_reason'])}")


def fourfold_of(
    facts: Sequence[Fact], rejected: Iterable[RejectedFact], params: Claims, known: ClaimContext, passages: Iterable[Passage]
) -> FourfoldSet:
    """Return the fourfold set of the facts that have a claim or could have one; empty for the design `paper`."""
    if params.design == "paper":
        return FourfoldSet([], [], {})
    unsound = {row.fact.id for row in rejected if row.reason != "over_cap"}
    stated = chain(facts, (fact for same in known.references.values() for fact in same))
    everything = KnownFacts(stated, passages, known.synonyms, known.supported)
    sound = [fact for fact in facts if fact.id not in unsound]
    return make_fourfold(sound, everything, fourfold_templates(params.template), params, known.exchanged)


if __name__ == "__main__":
    run_stage(main, acyclic=True)
