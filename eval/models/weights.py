"""Where a named model lies, and what identifies its weights."""

import hashlib
import os
from pathlib import Path

from huggingface_hub import constants, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError

from atomexam.records.model import Description

_FILES = ["*.json", "*.jinja", "*.model", "*.safetensors", "*.txt"]


def locate(description: Description, folder: Path) -> Path:
    """Return the folder of a model: its own, a local path, a kept download, or a new one where the hub may be asked.

    Raises:
        ValueError: the model cannot be had; the message says what was looked for and what to do.
    """
    name = description.name
    if name is None:
        return folder
    if Path(name).is_dir():
        return Path(name)
    if kept := _kept(name, description.revision):
        return kept
    try:
        return Path(snapshot_download(name, revision=description.revision, allow_patterns=_FILES))
    except (OSError, HfHubHTTPError, HFValidationError) as error:
        reason = str(error).splitlines()[0]
    cache = os.path.relpath(constants.HF_HUB_CACHE, Path.home())
    asked = "HF_HUB_OFFLINE is set, so the hub was not asked" if constants.HF_HUB_OFFLINE else f"the hub gave nothing ({reason})"
    raise ValueError(
        f"model {description.model}: {name}, revision {description.revision or 'main'}, cannot be had: no folder of that name, "
        f"nothing kept in ~/{cache}, and {asked}; "
        f"fetch it once with `HF_HUB_OFFLINE=0 hf download {name}`, or set `name` of this model in params.yaml to a local folder"
    )


def kept_revision(name: str, revision: str) -> str | None:
    """Return the commit of a model on the hub that is kept on this machine, None where there is none. The hub is not asked."""
    kept = _kept(name, revision)
    return kept.name if kept else None


def _kept(name: str, revision: str | None) -> Path | None:
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=_FILES, local_files_only=True))
    except (OSError, HfHubHTTPError, HFValidationError):
        return None


def content_hash(path: Path) -> str:
    """Return a hash over the files that decide what a model says."""
    digest = hashlib.sha256()
    for file in sorted(file for pattern in _FILES for file in path.glob(pattern) if file.name != "model.json"):
        with open(file, "rb") as content:
            digest.update(f"{file.name}:{hashlib.file_digest(content, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
