"""The schema of params.yaml: every key, its meaning and its allowed values.

`python -m atomexam.records.params` validates the file and reports errors with the known keys.
"""

import re
import sys
from collections.abc import Mapping
from datetime import date
from glob import has_magic
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, get_origin

from msgspec import Meta, field
from msgspec.structs import fields, force_setattr

from atomexam.records.blocks import (
    TEST,
    Block,
    Count,
    Judge,
    Leaks,
    Model,
    Positive,
    Release,
    Run,
    Share,
    Slug,
    Split,
    Sweep,
    Training,
    Tuning,
)
from atomexam.records.checks import convert, one_of
from atomexam.text.yaml_values import yaml_values

PARAMS_FILE = "params.yaml"
_NOT_IMPORTED = frozenset(("data", "reports", "metrics", "plots", ".git", ".dvc", ".venv"))  # written by programs
_SPIDERS = Path("crawlers/sources")
_TEMPLATES = Path("curation/claims/claims.yaml")


class Source(Block, frozen=True):
    """One line under `sources`: a site to crawl."""

    snapshot: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")] = "2026-01-01"
    """Nominal date of the crawl; a new date starts a new crawl."""
    max_pages: Count = 100_000
    mode: Literal["embedded", "live"] | None = None
    """Mode of this source; None uses the value of `sites`."""
    letters: list[str] | None = None
    """Scope: letters of the index (ask120). None includes all."""
    departments: list[str] | None = None
    """Scope: departments, as named in the site's URLs (ask120: nk, xxgnk)."""
    lists: list[str | int] | None = None
    """Scope: paper lists, sections, columns or kinds, as named in the site's URLs."""
    delay: Annotated[float, Meta(ge=0)] | None = None
    """Seconds between two requests to the live site; None uses crawlers/web/settings.py."""
    concurrency: Annotated[int, Meta(ge=1, le=16)] | None = None
    """Concurrent requests to the live site; None uses crawlers/web/settings.py."""
    max_unread_page_share: Share | None = None
    """As in Extract, but for this source only; None uses the value in `extract`."""
    max_kind_loss: Share | None = None
    exam: str | None = None
    """Exam of all questions of this source, overriding the pages; None uses what the pages state."""
    subject: str | None = None
    private: bool = False
    """Whether the site is on your own network; if so, a live crawl may contact hosts with non-public addresses, on any port."""

    def __post_init__(self) -> None:
        _require_day(self.snapshot)
        for scope in ("letters", "departments", "lists"):
            if getattr(self, scope) == []:
                raise ValueError(f"{scope}: found []; expected at least one name; omit `{scope}` to read all")
        if self.lists is not None:  # `lists: [408]` is also a name
            force_setattr(self, "lists", [str(name) for name in self.lists])


class Import(Block, frozen=True):
    """One line under `imports`: your own files."""

    path: str
    """A file or folder, relative to the repository; DVC tracks it."""
    format: str | None = None
    """A key of `crawlers.read.formats` or of crawlers/read/layouts/layouts.yaml. None detects it from each file's name and
    content."""
    role: Literal["data", "reference"] = "data"
    """reference: a benchmark whose questions must not be in the data; it is imported only for comparison and never becomes part of the
    data."""
    snapshot: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")] = "2026-01-01"
    """Nominal date of the files; part of each record's provenance."""
    max_misfit_share: Share | None = None
    """As in Extract, but for these files only; None uses the value in `extract`."""
    max_unread_share: Share | None = None
    exam: str | None = None
    """Examination and subject of all questions in the files, overriding the files; None uses what the files state."""
    subject: str | None = None
    keep_splits: bool = False
    """Keep the splits that the file names give (train, dev or val, test), in addition to the quotas."""

    def __post_init__(self) -> None:
        _require_day(self.snapshot)
        if has_magic(self.path) and not Path(self.path).exists():
            raise ValueError(
                f"path {self.path!r} is a pattern, but DVC tracks only a file or a folder; move the files to a folder and set `path` to it"
            )


def _require_day(snapshot: str) -> None:
    try:
        date.fromisoformat(snapshot)
    except ValueError:
        raise ValueError(f"snapshot {snapshot!r} is not a calendar date; expected a date such as 2026-11-20") from None


class Extract(Block, frozen=True):
    max_misfit_share: Share
    """Maximum share of its source's pages that the spider may fail to recognize; above it, the stage fails."""
    max_unread_share: Share = 0.05
    """Maximum share of the characters in a file that may be outside items, known boilerplate and rejected questions."""
    max_unread_page_share: Share = 0.4
    """The same limit for the visible text of all pages of a site together."""
    max_kind_loss: Share = 0.3
    """Maximum share of the pages, items or filled fields of one kind of page that may be missing since the last snapshot; above it, the
    stage fails."""


class ExtractFlags(Source, frozen=True):
    """The flags of `extract`: the line of its source, and its own block."""

    max_misfit_share: Share | None = None
    """As in Extract; None uses params.yaml."""
    max_unread_share: Share | None = None
    """Affects only files, not sites; it is declared because DVC unpacks the complete block into flags."""


class Clean(Block, frozen=True):
    min_stem_chars: Count
    """A stem with fewer letters and digits is rejected as too short."""
    min_chinese_share: Share
    """Minimum share of Chinese characters among the letters of the stem and options; below it, a question is rejected."""
    corroboration: Literal["peers", "organs", "none"] = "peers"
    """Evidence that a fact needs beyond its wording: related entries that agree, only a head that can have the tail, or none."""


class NearDuplicates(Block, frozen=True):
    ngram_chars: Positive
    threshold: Annotated[float, Meta(gt=0, le=1)]
    """Minimum Jaccard similarity between the character n-gram sets of two near-duplicate questions, excluding their cases."""
    case_threshold: Annotated[float, Meta(gt=0, le=1)]
    """The same limit for shared cases, which are compared separately."""
    contaminated: Literal["mark", "drop"] = "mark"
    """What to do with questions that a reference also contains: mark lists them in contaminated.jsonl, drop also rejects them."""


class Claims(Block, frozen=True):
    per_type: Positive
    """Maximum number of claim pairs of one atomic type (SdAK, section 3.2: 1,000)."""
    template: str
    """Template set in `curation/claims/claims.yaml`."""
    seed: int
    contaminated: Literal["mark", "drop"] = "mark"
    """What to do with facts that a reference also states: mark lists them in contaminated.jsonl, drop also rejects them."""
    neutral: Literal["keep", "drop"] = "keep"
    """Whether to keep claims that annotators neither supported nor refuted."""
    design: Literal["paper", "fourfold", "both"] = "both"
    """paper: pairs of a fact and its denial (SdAK); fourfold: a true and a false tail, each affirmed and denied."""


class EvidenceParams(Block, frozen=True):
    passages_per_claim: Positive
    annotate_per_type: Count
    """Number of claims of each type sampled for human verification (SdAK, section 3.3: 50)."""
    seed: int
    retriever: Literal["passages", "saved"] = "passages"
    """Source of evidence: the passages of the crawled pages, or web search results saved under imports/search."""


class Errors(Block, frozen=True):
    drawn: Count = 100
    """Number of pairs per run sampled for error labels, with as many right pairs for labels on their reasons (SdAK, section 5.1: 100)."""
    seed: int = 1
    judge: Judge | None = None
    """Model that proposes errors for the sampled pairs in place of the rules."""


class Params(Block, frozen=True, kw_only=True):
    """The complete file."""

    sites: Literal["embedded", "live"]
    engine: Literal["local", "ray"] = "local"
    """Where `clean` and `near_duplicates` run: on this machine or on a Ray cluster, with the same results."""
    sources: dict[Slug, Source]
    imports: dict[Slug, Import] = field(default_factory=dict)
    extract: Extract
    clean: Clean
    near_duplicates: NearDuplicates
    claims: Claims
    evidence: EvidenceParams
    split: Split
    leaks: Leaks = Leaks()
    release: Release
    models: dict[Slug, Model]
    finetune: dict[Slug, Training] = field(default_factory=dict)
    """Keyed by the model to train."""
    tune: dict[Slug, Tuning] = field(default_factory=dict)
    """Keyed by the resulting model."""
    sweeps: dict[Slug, Sweep] = field(default_factory=dict)
    runs: dict[Slug, Run]
    judges: dict[Slug, Judge] = field(default_factory=dict)
    """Keyed by the run whose replies are judged."""
    errors: Errors = field(default_factory=Errors)


def read_params(path: str | Path = PARAMS_FILE) -> dict[str, Any]:
    """Return params.yaml as plain values, checking only that blocks have keys and values.

    Raises:
        ValueError: the file is not YAML, or a block has no keys; the message has the location.
    """
    advice = f"correct the line it names: `git diff {path}` shows what was changed"
    values = yaml_values(Path(path).read_bytes(), str(path), advice) or {}
    if not isinstance(values, dict):
        raise ValueError(f"{path}: expected keys and values, found {type(values).__name__}; {advice}")
    for block in fields(Params):
        value = values.get(block.name)
        lines = value.items() if isinstance(value, dict) and get_origin(block.type) is dict else ()
        blocks = {block.name: value} if get_origin(block.type) is not Literal else {}
        for name, one in (blocks | {f"{block.name}.{key}": line for key, line in lines}).items():
            if one is not None and not isinstance(one, dict):
                raise ValueError(f"{path}: {name}: found {type(one).__name__}; expected keys and values (docs/parameters.md)")
    return values


def is_whole(values: Mapping[str, Any]) -> bool:
    """Return whether params have all blocks of the pipeline; a reduced pipeline lacks some."""
    return all(part.name in values for part in fields(Params) if part.required)


def check(values: Any, where: str = PARAMS_FILE) -> Params:
    """Return params after checking keys, values and references, such as the model named in each run.

    Raises:
        ValueError: a check failed; the message has the fault and its location.
    """
    params: Params = convert(values, Params, where)
    for name in params.finetune:
        model = params.models[one_of(name, params.models, "model", f"{where}: finetune")]
        if model.backend != "huggingface" or model.name:
            actual = f"found backend {model.backend}, name {model.name}"
            raise ValueError(f"{where}: finetune.{name} trains a new model of the backend huggingface; models.{name}: {actual}")
    for name in params.tune:
        model = params.models[one_of(name, params.models, "model", f"{where}: tune")]
        if model.backend != "huggingface" or not model.name:
            actual = f"found backend {model.backend}, name {model.name}"
            wanted = "expected the backend huggingface and, as `name`, what is tuned: a folder, a model of the hub or of `finetune`"
            raise ValueError(f"{where}: tune.{name}: models.{name}: {wanted}; {actual}")
        if model.name in params.tune:
            raise ValueError(
                f"{where}: models.{name}: {model.name} is itself a tuned model; tune {params.models[model.name].name}, its base"
            )
    on_test = {name: run for name, run in params.runs.items() if run.split == TEST}
    for name, sweep in params.sweeps.items():
        convert(sweep.tune, Tuning, f"{where}: sweeps.{name}.tune")
        swept = params.models[one_of(sweep.model, params.models, "model", f"{where}: sweeps.{name}")]
        if swept.backend != "huggingface" or sweep.model in params.tune:
            raise ValueError(f"{where}: sweeps.{name}: {sweep.model} cannot be tuned; expected an untuned model of the backend huggingface")
        for run_name in sweep.runs:
            one_of(run_name, on_test, "run on test", f"{where}: sweeps.{name}.runs")
    for name, model in params.models.items():
        if model.backend == "huggingface" and not model.name and name not in params.finetune:
            raise ValueError(f"{where}: models.{name}: no `name`, and no line under `finetune` that trains it; add one of the two")
    for name, run in params.runs.items():
        one_of(run.model, params.models, "model", f"{where}: runs.{name}")
    essays = [name for name, run in on_test.items() if run.task == "essay"]
    for name, judge in params.judges.items():
        one_of(name, essays, "run of task essay on test", f"{where}: judges")
        one_of(judge.model, params.models, "model", f"{where}: judges.{name}")
    for name, line in params.imports.items():
        parts = PurePosixPath(line.path).parts
        if line.path.startswith("/") or ".." in parts or not parts or parts[0] in _NOT_IMPORTED:
            wanted = f"expected a path in the repository and outside {', '.join(sorted(_NOT_IMPORTED))}, such as imports/{name}"
            raise ValueError(f"{where}: imports.{name}.path: found {line.path}; {wanted}")
    if both := sorted(params.sources.keys() & params.imports.keys()):
        raise ValueError(f"{where}: {both[0]} is a line of `sources` and of `imports`; both name data/items/{both[0]}.jsonl: rename one")
    return params


def check_named(params: Params, root: Path = Path(), where: str = PARAMS_FILE) -> None:
    """Check that the repository contains the spiders and templates that params.yaml names.

    Own files and models are not checked: without them, every stage that does not read them can still run.

    Raises:
        ValueError: something is missing; the message has the line that names it, and the remedy.
    """
    known = sorted(path.parent.name for path in (root / _SPIDERS).glob("*/spider.py"))
    for name in params.sources:
        if known and name not in known:
            new = f"`python -m crawlers.new {name} URL --kind exam-blocks` writes a new one; your own files belong under `imports`"
            try:
                one_of(name, known, "source", f"{where}: sources")
            except ValueError as error:
                raise ValueError(f"{error}; {new}") from None
    if (root / _TEMPLATES).exists():
        templates = re.findall(
            r"^([^\s#:]+):", (root / _TEMPLATES).read_text(encoding="utf-8"), re.MULTILINE
        )  # parsing the YAML would take ten times as long
        one_of(params.claims.template, templates, "template set", f"{where}: claims.template")


def main() -> Params:
    """Return the validated params.yaml; exit with a message if it is invalid."""
    try:
        if not Path(PARAMS_FILE).exists():
            raise ValueError(f"no {PARAMS_FILE} in this folder; run the command in the repository's folder")
        params = check(read_params())
        check_named(params)
        return params
    except ValueError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
