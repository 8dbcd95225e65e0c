"""A release -> a dataset of the Hugging Face Hub: one commit that has its files alone, and the version as a tag.

The key is read from the environment (HF_TOKEN) and never printed. A new repository is private until you make it public on its page.
"""

import re
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any

from splits.release.__main__ import CHECKSUMS

_ID = re.compile(rb"[a-z]+-[0-9a-f]{8,}")


def files_of(release: Path) -> list[str]:
    """Return the files that belong to a release, which are those of its checksums; anything else in the folder stays here."""
    listed = (release / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    return sorted([CHECKSUMS, *(line.split("  ", 1)[1] for line in listed)])


def refuse_reserved(release: Path, files: Sequence[str], reserved: Set[str]) -> None:
    """Raise ValueError if a file names a reserved record."""
    for name in files:
        if named := sorted(reserved & _ids_in(release / name)):
            raise ValueError(f"{release / name} names {named[0]}, which is reserved; nothing was sent; build it again: `dvc repro release`")


def _ids_in(path: Path) -> set[str]:
    if path.suffix != ".parquet":
        return {one.decode() for one in _ID.findall(path.read_bytes())}
    import pyarrow.parquet as pq

    return set(pq.read_table(path, columns=["id"])["id"].to_pylist())


def plan(release: Path, files: Sequence[str], name: str, version: str) -> Iterator[str]:
    """Yield the lines that say what is sent.

    Raises:
        ValueError: the name is none of a repository.
    """
    from huggingface_hub import constants
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(name)
    except HFValidationError as error:
        raise ValueError(f"--hub {name}: {error}") from None
    if "/" not in name:
        raise ValueError(f"--hub {name}: expected OWNER/NAME, such as my-lab/{name}")
    sizes = [(release / file).stat().st_size for file in files]
    yield f"{release} -> {constants.ENDPOINT}/datasets/{name}, revision {version}"
    yield from (f"{size:12,}  {file}" for file, size in zip(files, sizes, strict=True))
    yield f"{sum(sizes):12,}  bytes in {len(files)} files"


def push(release: Path, files: Sequence[str], name: str, version: str, token: str) -> str:
    """Send a release; return its address. What an earlier release had and this one has not is deleted in the same commit.

    Raises:
        ValueError: the repository has this version already.
        OSError: the Hub refused it, or cannot be reached.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    hub = HfApi(token=token)
    hub.create_repo(name, repo_type="dataset", private=True, exist_ok=True)
    if any(tag.name == version for tag in hub.list_repo_refs(name, repo_type="dataset").tags):
        raise ValueError(f"{name} has version {version} already; raise `release.version` in params.yaml and build it")
    old = set(hub.list_repo_files(name, repo_type="dataset")) - {*files, ".gitattributes"}
    changes: list[Any] = [
        *(CommitOperationDelete(path_in_repo=file) for file in sorted(old)),
        *(CommitOperationAdd(path_in_repo=file, path_or_fileobj=release / file) for file in files),
    ]
    commit = hub.create_commit(name, changes, commit_message=f"Version {version}", repo_type="dataset")
    hub.create_tag(name, tag=version, revision=commit.oid, repo_type="dataset")
    return f"{hub.endpoint}/datasets/{name}/tree/{version}"
