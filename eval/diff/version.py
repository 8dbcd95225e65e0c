"""One version of data and results: a git revision read from DVC's cache, or the files in the workspace."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import field

from atomexam.records.blocks import runs_on_test
from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.judgement import Judgement
from atomexam.records.params import PARAMS_FILE
from atomexam.records.prediction import Prediction, Score
from atomexam.records.provenance import Provenance
from atomexam.records.question import SPLITS, Option, Question
from atomexam.text.columns import cut
from atomexam.text.yaml_values import yaml_values
from eval.statistics.paired_tests import QuestionKey

WORKSPACE = "workspace"
_SHORT = 10  # characters of a commit; one in 10^12 others has the same prefix
_VALUE_COLUMNS = 30
T = TypeVar("T")


class VersionScore(Score, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A score from any version. In this and the following records, unknown fields are ignored, and fields that a version lacks are
    empty."""

    outcome: str  # type: ignore[assignment]
    answer: str | None = None
    correct: bool | None = None


class VersionReply(Prediction, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A reply from any version."""

    run: str = ""
    finish_reason: str  # type: ignore[assignment]
    tokens: int = 0


class VersionJudgement(Judgement, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A judgement from any version."""

    order: str  # type: ignore[assignment]
    mark: float | None = None
    reply: str = ""
    finish_reason: str = ""  # type: ignore[assignment]
    tokens: int = 0
    prompt_tokens: int = 0
    prompt_sha256: str = ""


class Sighting(Provenance, frozen=True, kw_only=True, forbid_unknown_fields=False, order=True):
    """A place where a record was seen, from any version."""

    snapshot: str = ""
    page_id: str = ""
    position: str = ""


class VersionOption(Option, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """An option of a question from any version."""


class VersionQuestion(Question, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A question from any version."""

    options: list[VersionOption] = field(default_factory=list)  # type: ignore[assignment]
    exam: str = ""
    subject: str = ""
    question_type: str = ""  # type: ignore[assignment]
    category: str = ""  # type: ignore[assignment]
    case_type: str | None = None  # type: ignore[assignment]
    form: str | None = None  # type: ignore[assignment]
    provenance: list[Sighting] = field(default_factory=list)  # type: ignore[assignment]


class VersionClaim(ClaimPair, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A claim pair from any version."""

    head: str = ""
    tail: str = ""
    atomic_type: str = ""  # type: ignore[assignment]
    template_id: str = ""
    fact_ids: list[str] = field(default_factory=list)
    provenance: list[Sighting] = field(default_factory=list)  # type: ignore[assignment]


class VersionFourfold(Fourfold, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A fourfold row from any version."""

    head: str = ""
    tail: str = ""
    false_head: str = ""
    false_tail: str = ""
    atomic_type: str = ""  # type: ignore[assignment]
    fact_ids: list[str] = field(default_factory=list)
    false_fact_ids: list[str] = field(default_factory=list)
    provenance: list[Sighting] = field(default_factory=list)  # type: ignore[assignment]


class DataVersion:
    """Reads the files of one version."""

    def __init__(self, name: str, repository: Path = Path()) -> None:
        self.name = name
        self._read, self._has, self.about = (*_workspace(repository), name) if name == WORKSPACE else _revision(repository, name)
        """Display name of the version; for a revision, it includes the commit and its date."""
        self._trees: dict[str, dict[str, Any]] = {}

    def runs(self) -> dict[str, Any]:
        """Return the version's runs on test by name, according to its params.yaml."""
        return runs_on_test(self.settings("runs"))

    def judgements(self, run: str) -> list[VersionJudgement]:
        """Return the judgements of a run's essay answers; empty if there are none."""
        return self._rows(f"data/judgements/{run}.jsonl", VersionJudgement) if run in self.settings("judges") else []

    def settings(self, block: str) -> dict[str, Any]:
        """Return a block of the version's params.yaml; empty if it is missing."""
        return self._tree(PARAMS_FILE).get(block) or {}

    def params_changed(self, since: "DataVersion") -> list[str]:
        """Return a description of each parameter that differs from another version."""
        return [*_changes(since._tree(PARAMS_FILE), self._tree(PARAMS_FILE))]

    def scores(self, run: str) -> list[VersionScore]:
        """Return a run's scores."""
        return self._rows(f"data/scores/{run}.jsonl", VersionScore)

    def replies(self, run: str) -> list[VersionReply]:
        """Return a run's replies from its model's folder or, in older versions, from a file of its own."""
        model = (self.settings("runs")[run] or {}).get("model")
        try:
            return self._rows(f"data/predictions/{model}/{run}.jsonl", VersionReply)
        except FileNotFoundError as missing:
            try:
                return self._rows(f"data/predictions/{run}.jsonl", VersionReply)
            except FileNotFoundError:
                raise missing from None

    def questions(self) -> list[QuestionKey]:
        """Return the questions of the test split."""
        return self._rows("data/splits/test/questions.jsonl", QuestionKey)

    def has_splits(self) -> bool:
        """Return whether the version contains all splits."""
        return all(self._has(f"data/splits/{split}/questions.jsonl") for split in SPLITS)

    def questions_of(self, split: str) -> list[VersionQuestion]:
        """Return the questions of a split."""
        return self._rows(f"data/splits/{split}/questions.jsonl", VersionQuestion)

    def claims_of(self, split: str) -> list[VersionClaim]:
        """Return the claim pairs of a split."""
        return self._rows(f"data/splits/{split}/claims.jsonl", VersionClaim)

    def fourfold_of(self, split: str) -> list[VersionFourfold]:
        """Return the fourfold rows of a split; empty if the version has none."""
        path = f"data/splits/{split}/fourfold.jsonl"
        return self._rows(path, VersionFourfold) if self._has(path) else []

    def model_of(self, run: str) -> str | None:
        """Return the model of a run."""
        return (self.settings("runs").get(run) or {}).get("model")

    def task_of(self, run: str) -> str | None:
        """Return the task of a run."""
        return (self.settings("runs").get(run) or {}).get("task")

    def weights_of(self, run: str) -> str | None:
        """Return the hash of a run's model in dvc.lock; None if no stage trains that model."""
        path = f"data/models/{self.model_of(run)}"
        try:
            stages = self._tree("dvc.lock").get("stages") or {}
        except FileNotFoundError:
            return None
        return next((out.get("md5") for stage in stages.values() for out in stage.get("outs") or [] if out.get("path") == path), None)

    def _tree(self, path: str) -> dict[str, Any]:
        if path not in self._trees:  # a lock file of 40 stages takes a second to parse, and each run needs it
            values: Any = yaml_values(self._read(path), f"{self.name}: {path}")
            self._trees[path] = values or {}
        return self._trees[path]

    def _rows(self, path: str, shape: type[T]) -> list[T]:
        decoder, rows = msgspec.json.Decoder(shape), []
        for number, line in enumerate(self._read(path).splitlines(), 1):
            try:
                rows.append(decoder.decode(line))
            except msgspec.DecodeError as error:
                raise ValueError(f"{path}:{number} of {self.name}: {error}; this version cannot be compared") from None
        return rows


def _changes(before: Any, after: Any, key: str = "") -> Iterator[str]:
    """Yield each difference, such as `split.seed 1 -> 2`; a block that exists in only one version is one entry."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {**before, **after}:
            yield from _changes(before.get(name), after.get(name), f"{key}.{name}".lstrip("."))
    elif before != after:
        texts = ("-" if value is None else "{…}" if isinstance(value, dict) else str(value) for value in (before, after))
        yield " ".join([cut(key, 2 * _VALUE_COLUMNS), " -> ".join(cut(value, _VALUE_COLUMNS) for value in texts)])


RETRAINED = "retrained"


def training_of(a: DataVersion, b: DataVersion, run: str) -> tuple[str, bool]:
    """Return a text that says whether a run uses the same weights in two versions, and whether the weights certainly differ."""
    before, after = a.model_of(run), b.model_of(run)
    weights = a.weights_of(run), b.weights_of(run)
    if None in (before, after):
        return "unknown", False
    if before != after:
        return f"another: {before} before", True
    if None in weights:
        return "same by name", False
    return ("same", False) if weights[0] == weights[1] else (RETRAINED, True)


def tags(repository: Path = Path()) -> list[str]:
    """Return the tags of a repository, oldest commit first."""
    from dvc.repo import Repo
    from dvc.scm import SCM

    git = SCM(Repo.find_root(str(repository)))
    return sorted(git.list_tags(), key=lambda tag: (git.resolve_commit(git.resolve_rev(tag)).commit_time, tag))


def _workspace(repository: Path) -> tuple[Callable[[str], bytes], Callable[[str], bool]]:
    """Return two functions: one reads a file, and one checks whether it exists."""

    def read(path: str) -> bytes:
        if not (repository / path).exists():
            if path == PARAMS_FILE:
                raise FileNotFoundError(f"no {path} in this folder; run the command from the repository's root")
            raise FileNotFoundError(f"{path}: not in the workspace; `dvc repro` builds it, `dvc checkout` restores it from the cache")
        return (repository / path).read_bytes()

    return read, lambda path: (repository / path).exists()


def _revision(repository: Path, name: str) -> tuple[Callable[[str], bytes], Callable[[str], bool], str]:
    """Return functions that read a file of a revision (from git or DVC's cache) and check whether it exists, and the revision's display
    name.

    Raises:
        ValueError: there is no such revision.
    """
    from dvc.api import DVCFileSystem
    from dvc.exceptions import DvcException
    from dvc.repo import Repo
    from dvc.scm import SCM, SCMError, resolve_rev
    from dvc_data.index import DataIndexDirError

    try:
        root = Repo.find_root(str(repository))
        git = SCM(root)
        commit = resolve_rev(git, name)
        day = git.resolve_commit(commit).commit_datetime.date()
    except (DvcException, SCMError) as error:
        known = f"give a commit, branch or tag, or `{WORKSPACE}`"
        raise ValueError(f"{name}: not a version of this repository ({error}); {known}") from None
    files: Any = DVCFileSystem(repo=root, rev=commit)

    def read(path: str) -> bytes:
        scope = "tags" if name in git.list_tags() else "commits"  # `dvc pull` only fetches the checked-out version
        advice = f"`dvc fetch --all-{scope}` fetches it if it was pushed, else `git checkout {name} && dvc repro` builds it again"
        try:
            return files.read_bytes(path)
        except DataIndexDirError as error:
            raise FileNotFoundError(f"{path} of {name} is not in DVC's cache ({error}); {advice}") from None
        except (OSError, DvcException) as error:
            if files.exists(path):
                raise FileNotFoundError(f"{path} of {name} is not in DVC's cache ({error}); {advice}") from None
            raise FileNotFoundError(f"{path}: {name} has no such file; was the run scored and committed there?") from None

    short = commit[:_SHORT]
    return read, files.exists, f"{short}, {day}" if name == commit else f"{name} ({short}, {day})"
