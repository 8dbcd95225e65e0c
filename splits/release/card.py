"""The dataset card of a release, rendered from `splits/release/templates/README.md.jinja`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from atomexam.records.blocks import Release
from atomexam.records.leak import CHECKS
from splits.release.columns import CONFIGS, FOURFOLD, RELEASED, canary, configs_and_types, environment
from splits.release.tables import FILES, Contents
from splits.release.task_files import EXAMPLES, tasks

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"))
"""Size categories used by the Hugging Face Hub."""
SCORES = {
    "single": "`acc`: the letter with the highest likelihood",
    "truth": "`acc`: the more likely of 正确 and 错误",
    "blank": "`exact_match`: the answers for all blanks",
    "multiple": "`exact_match`: the set of letters at the start of the reply",
    "fourfold": "`fact_acc`: share of facts with all four sentences correct; `acc` of the sentences",
    "claims": "`pair_acc`: share of pairs with both correct, which measures grammar; `acc` of the claims",
}
HELD = {
    "kg": "knowledge questions: one correct option (`mcqa`), two or more (`mrqa`), true or false (`tf`)",
    "ca": "questions on a case (`shared_stem`); those of one case share a `group_id`",
    "qa": "free-text questions (`qa`) and fill-in-the-blank questions (`blank`)",
    "tcm": "questions of the Chinese medicine licensing exam, in the forms A1, A2, A3 (one case) and B1 (shared options)",
    "fourfold": "a true and a false tail of a head, each affirmed and negated: `true_affirmed` and `false_denied` are true",
    "claims": "pairs of claims that differ only by a negation: `factual` is true, `non_factual` is not",
}
"""Config -> description of its contents."""
_FACTS = ("fourfold", "claims")
_CHECKS_OF_FACTS = ("head", "claim", "inverse", "wording")
_TAGS = {"tcm": ["traditional-chinese-medicine"], "fourfold": ["medical", "fact-checking"], "claims": ["medical", "fact-checking"]}
CHANGES = ("added", "edited", "moved", "removed", "returned")


def render_card(contents: Contents, release: Release, changes: list[tuple[str, dict[str, int]]], leaks: Counter[str]) -> str:
    """Return README.md. Names of exams and subjects come from crawled pages and are escaped.

    Args:
        changes: (version, {change: number}) of each version, newest first.
        leaks: number of leaks by check.
    """
    splits, tables = list(RELEASED), contents.tables
    total = sum(tables.values())
    configs = [{"name": config, "splits": described} for config in CONFIGS if (described := _splits(contents, config))]
    names = [str(config["name"]) for config in configs]
    psychology = ["psychology"] if any("心理" in subject for (_, subject), _ in contents.subjects) else []
    has_facts = any(name in _FACTS for name in names)
    if not changes or changes[0][0] != release.version:
        changes = [(release.version, {}), *changes]
    return environment(escape=True).get_template("README.md.jinja").render(
        release=release,
        configs=configs,
        names=names,
        has_facts=has_facts,
        held=HELD,
        about=release.description or about(names),
        tags=sorted({"benchmark", "examination", *psychology, *(tag for name in names for tag in _TAGS.get(name, ()))}),
        size=next((word for limit, word in SIZES if total < limit), "n>10M"),
        released=list(RELEASED.values()),
        tables=[(config, kind, [tables.get((config, kind, split), 0) for split in splits]) for config, kind in configs_and_types(tables)],
        subjects=_by_split(contents.subjects, splits),
        claim_tables=[
            (name, _by_split(counts, splits))
            for name, counts in (("fourfold facts", contents.fourfold_types), ("claim pairs", contents.atomic_types))
        ],
        sources=sorted(contents.sources.items()),
        places=" or ".join(sorted({"files" if site == FILES else "pages" for _, site, _ in contents.sources}, reverse=True)) or "files",
        terms=terms_of(release),
        kinds=CHANGES,
        changes=[(name, [counts.get(kind, 0) for kind in CHANGES]) for name, counts in changes],
        checks=[(what, leaks[check]) for check, what in CHECKS.items() if has_facts or check not in _CHECKS_OF_FACTS],
        tasks=tasks(tables),
        examples=EXAMPLES,
        scores=SCORES,
        taught=sorted({config for config, _, split in tables if split == "train" and config != FOURFOLD}, key=CONFIGS.index),
        canary=canary(),
    )  # fmt: skip


def terms_of(release: Release) -> str:
    """Return a description of the terms of use of the records."""
    if release.licence:
        return f"All records: {release.licence}. `provenance` gives source and URL."
    return "Each record is under the terms of the source it came from; `provenance` gives source and URL."


def about(configs: Iterable[str]) -> str:
    """Return a description of a release with these configs."""
    kinds = {"facts" if config in _FACTS else "questions" for config in configs}
    words = {"questions": "Chinese exam questions", "facts": "atomic medical facts, affirmed and negated"}
    text = " and ".join(text for kind, text in words.items() if kind in kinds) or "no record"
    return text[0].upper() + text[1:]


def _splits(contents: Contents, config: str) -> list[dict[str, Any]]:
    """Return the splits of a config with their files and sizes. Skip splits without records: `datasets` refuses empty ones."""
    described = []
    for split, name in RELEASED.items():
        tables = [(config, kind, split) for one, kind in configs_and_types(contents.tables) if one == config]
        if files := [contents.files[table] for table in tables if table in contents.files]:
            size, num_bytes = sum(file.size for file in files), sum(file.num_bytes for file in files)
            rows = sum(contents.tables[table] for table in tables)
            described.append({"name": name, "files": files, "size": size, "num_bytes": num_bytes, "rows": rows})
    return described


def _by_split(counts: Counter, splits: list[str]) -> list[tuple[Any, list[int]]]:
    """Return counts by (key, split) as rows: the key, followed by its counts in the order of the splits."""
    return [(key, [counts[key, split] for split in splits]) for key in sorted({key for key, _ in counts})]
