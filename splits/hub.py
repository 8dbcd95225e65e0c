"""A release -> a dataset on the Hugging Face Hub: one commit that replaces the previous release, tagged with the version.

The token is read from the environment (HF_TOKEN) and never printed. A new repository is private until you make it public on its page.
"""

import re
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any

from splits.release.__main__ import CHECKSUMS

_HEX_CHARS = 20  # the hash in an id from `content_id`
_HEX = re.compile(rb"[0-9a-f]{20,}")
_CHECKSUM = re.compile(r"([0-9a-f]{64})  ([\w.-]+(?:/[\w.-]+)*)")


def checksums(path: Path) -> dict[str, str]:
    """Return the files of a release, each with its SHA-256.

    Raises:
        ValueError: a line does not consist of a hash and a path within the folder.
    """
    files = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not (found := _CHECKSUM.fullmatch(line)) or ".." in found[2].split("/"):
            raise ValueError(f"{path}: found {line!r}; expected a SHA-256, two spaces, and a path within the folder")
        files[found[2]] = found[1]
    return files


def refuse_reserved(release: Path, files: Sequence[str], reserved: Set[str]) -> None:
    """Raise ValueError if a file contains the id of a reserved record."""
    ids = {part: one for one in reserved for part in _hex_parts(one.encode())}
    for name in files:
        for text in _texts(release / name):
            if named := sorted(ids[part] for part in ids.keys() & _hex_parts(text)):
                raise ValueError(
                    f"{release / name} mentions {named[0]}, which is reserved, so nothing was sent; build the release again: `dvc "
                    "repro release`"
                )


def _hex_parts(text: bytes) -> set[bytes]:
    """Return every substring that may be the hash of an id, even inside a longer word, so that adjoining text cannot hide one."""
    return {word[start : start + _HEX_CHARS] for word in _HEX.findall(text) for start in range(len(word) - _HEX_CHARS + 1)}


def _texts(path: Path) -> Iterator[bytes]:
    yield path.read_bytes()
    if path.suffix == ".parquet":  # the columns of Parquet are compressed
        import pyarrow.parquet as pq

        yield from (str(rows.to_pylist()).encode() for rows in pq.ParquetFile(path).iter_batches())


def plan(release: Path, files: Sequence[str], name: str, version: str) -> Iterator[str]:
    """Yield lines that describe what is sent.

    Raises:
        ValueError: the name is not a valid name of a repository.
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


def push(release: Path, files: Sequence[str], name: str, version: str, token: str) -> Iterator[str]:
    """Send a release as one commit. Yield the files of an earlier release that the commit deletes, whether the repository is public, and
    finally its URL.

    Raises:
        ValueError: the repository already has this version, or contains files that belong to no release.
        OSError: the Hub refused it, or cannot be reached.
    """
    import httpx2
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    hub = HfApi(token=token)
    try:
        hub.create_repo(name, repo_type="dataset", private=True, exist_ok=True)
        if any(tag.name == version for tag in hub.list_repo_refs(name, repo_type="dataset").tags):
            raise ValueError(
                f"{name} already has version {version}; raise `release.version` in params.yaml and build it again; if it is the "
                "same release, record it without --hub"
            )
        info = hub.dataset_info(name)
        there, released = set(hub.list_repo_files(name, revision=info.sha, repo_type="dataset")), set[str]()
        if CHECKSUMS in there:
            released = set(checksums(Path(hub.hf_hub_download(name, CHECKSUMS, revision=info.sha, repo_type="dataset"))))
        elif foreign := sorted(there - {".gitattributes", "README.md"}):
            raise ValueError(
                f"{name} contains {foreign[0]} but no {CHECKSUMS}, so it is not a release and nothing was sent; name another repository"
            )
        old = sorted(there & released - {*files})
        yield from (f"     deleted  {file}" for file in old)
        if not info.private:
            yield f"{name} is public"
        changes: list[Any] = [
            *(CommitOperationDelete(path_in_repo=file) for file in old),
            *(CommitOperationAdd(path_in_repo=file, path_or_fileobj=release / file) for file in files),
        ]
        message = f"Version {version}"
        commit = hub.create_commit(name, changes, commit_message=message, repo_type="dataset", parent_commit=info.sha)
        hub.create_tag(name, tag=version, revision=commit.oid, repo_type="dataset")
    except (httpx2.RequestError, httpx2.InvalidURL, RuntimeError) as error:  # RuntimeError: the upload of one file failed
        raise ConnectionError(f"{hub.endpoint}: {error}; version {version} is not recorded; run the command again") from None
    yield f"{hub.endpoint}/datasets/{name}/tree/{version}"
