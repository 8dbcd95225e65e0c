"""The test split of a version with all replies, and the change of each item since another: files of an item browser for the page."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from atomexam.records.claim import ClaimPair
from atomexam.records.prediction import Prediction, Score
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question
from eval.diff.version import DataVersion, Sighting, VersionClaim, VersionQuestion, VersionReply, VersionScore
from eval.report.items import Browser, digest_of, list_script, paired_replies
from eval.statistics.bootstrap import Figures
from eval.tasks.request import facets_of

SAME = "as before"
_AS_THEY_ARE = ("id", "stem", "group_id", "shared_stem", "answer", "explanation", "case_type", "form")
_OF_A_CLAIM = ("id", "factual", "non_factual", "head", "tail", "atomic_type", "fact_ids")


def item_files(a: DataVersion, b: DataVersion, since: Mapping[str, str], runs: Mapping[str, Figures]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the item browser of the second version, filtered also by the changes since the first.

    An additional file, `since.js`, has only the changes: the items of a report of the second version in the parent folder read it.

    Args:
        since: item -> its change; items without one are unchanged.
        runs: the results of `difference_of` for the runs in both versions.
    """
    ids = sorted(row.id for rows in (b.questions_of("test"), b.claims_of("test")) for row in rows)
    results = _results(runs)
    yield from browser_files(b, runs, {"since": {key: since.get(key, SAME) for key in ids}, "result_since": results})
    changed = [
        [name, [[key, became[key]] for key in ids if key in became]] for name, became in (("since", since), ("result_since", results))
    ]
    yield "since.js", list_script("since", [a.about, b.about, digest_of(ids), changed])


def browser_files(
    version: DataVersion, runs: Iterable[str], further: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the item browser of a version; `further` as in `Browser`."""
    questions = sorted(version.questions_of("test"), key=lambda row: row.id)
    claimed = sorted(version.claims_of("test"), key=lambda row: row.id)
    about = {run: {"model": version.model_of(run), "task": ""} for run in runs}
    replies = {run: paired_replies(_scores(version.scores(run)), _predictions(run, version.replies(run))) for run in runs}
    return Browser(about, further).files(map(_question, questions), map(_claim, claimed), replies)


def facets_of_version(version: DataVersion) -> dict[str, dict[str, str]]:
    """Return for each item of the test split its subject and atomic type as named on the items page."""
    facets = {row.id: facets_of(_question(row)) for row in version.questions_of("test")}
    return facets | {row.id: {"atomic_type": row.atomic_type} for row in version.claims_of("test") if row.atomic_type}


def _results(runs: Mapping[str, Figures]) -> dict[str, str]:
    """Return for each item with another result in both versions whether it is right more often or less."""
    ways: dict[str, set[str]] = {}
    for figures in runs.values():
        for key, one in figures.get("accuracy", {}).get("changed", {}).items():
            ways.setdefault(key, set()).add("newly right" if one["b"] > one["a"] else "newly wrong")
    return {key: turns.pop() if len(turns) == 1 else "newly right and newly wrong" for key, turns in ways.items()}


def _provenance(sightings: Iterable[Sighting]) -> list[Provenance]:
    return [Provenance(source=one.source, url=one.url, snapshot="", page_id="", position=one.position) for one in sightings]


def _question(row: VersionQuestion) -> Question:
    """Return a question of any version in the browser's form; fields unknown to an older version are empty."""
    known: dict[str, Any] = {name: getattr(row, name) for name in _AS_THEY_ARE}
    known |= {name: getattr(row, name) or "" for name in ("exam", "subject", "question_type", "category")}
    options = [Option(letter=option.letter, text=option.text) for option in row.options]
    return Question(options=options, provenance=_provenance(row.provenance), **known)


def _claim(row: VersionClaim) -> ClaimPair:
    known: dict[str, Any] = {name: getattr(row, name) for name in _OF_A_CLAIM}
    return ClaimPair(template_id="", provenance=_provenance(row.provenance), **known)


def _scores(rows: Iterable[VersionScore]) -> Iterator[Score]:
    for row in rows:
        read: dict[str, Any] = {name: getattr(row, name) for name in ("item_id", "repeat", "outcome", "answer", "correct")}
        yield Score(**read, committed=row.answer, committed_correct=row.correct)


def _predictions(run: str, rows: Iterable[VersionReply]) -> Iterator[Prediction]:
    for row in rows:
        read: dict[str, Any] = {name: getattr(row, name) for name in ("item_id", "repeat", "prompt_sha256", "reply", "finish_reason")}
        yield Prediction(run=run, tokens=0, **read)
