"""Find the folder of a model, and identify its weights."""

import hashlib
import os
import shlex
from pathlib import Path
from typing import Any

from huggingface_hub import constants

from atomexam.records.model import Description
from atomexam.runtime.jsonl import read_json

MODEL_FILE = "model.json"  # written by training stages next to the weights
ADAPTER = "adapter_config.json"  # written by peft, and tools built on it, next to an adapter's weights
TOKENIZER_FILES = ("*.json", "*.jinja", "*.model", "*.txt")
"""Files that contain a tokenizer and the model's configuration."""
FILES = (*TOKENIZER_FILES, "*.safetensors")


def locate(description: Description, folder: Path, files: tuple[str, ...] = FILES) -> Path:
    """Return the folder of a model: its own folder, a local path, a cached download, or a new download if the Hub may be used.

    Args:
        files: patterns of the required files.

    Raises:
        ValueError: the model is not available; the message says where it was looked for and what to do.
    """
    name = description.name
    if name is None:
        return folder
    if name.endswith(".gguf"):
        out = Path("imports/models", Path(name).stem)
        raise ValueError(
            f"model {description.model}: {name} has weights in GGUF; convert them once to the transformers format: `pip install -e "
            f"'.[example]' && python -m eval.models.example {out} --gguf {name}`, and set `name: {out}` of this model in params.yaml"
        )
    if Path(name).is_dir():
        if not any((Path(name) / known).is_file() for known in ("config.json", ADAPTER)):
            raise ValueError(f"model {description.model}: {name} has no config.json; expected a transformers model or an adapter")
        return Path(name)
    if cached := _cached(name, description.revision, files):
        return cached
    try:
        return _snapshot(name, description.revision, files)
    except ValueError as error:
        reason = str(error)
    if _is_path(name):
        above = Path(name).parent
        siblings = ", ".join(sorted(path.name for path in above.glob("*/"))) if above.is_dir() else ""
        wanted = f"no such folder; expected one with config.json, tokenizer and *.safetensors; in {above}: {siblings or 'no folder'}"
        raise ValueError(
            f"model {description.model}: {name}: {wanted}; put it there, or correct models.{description.model}.name in params.yaml"
        )
    alone = "" if files == FILES else "".join(f" --include {shlex.quote(pattern)}" for pattern in files)
    cache = os.path.relpath(constants.HF_HUB_CACHE, Path.home())
    hub_message = (
        "HF_HUB_OFFLINE is set, so the hub was not contacted" if constants.HF_HUB_OFFLINE else f"the hub did not deliver it ({reason})"
    )
    raise ValueError(
        f"model {description.model}: {name}, revision {description.revision or 'main'}, is not available: no folder of that name, "
        f"nothing in ~/{cache}, and {hub_message}; "
        f"download it once with `HF_HUB_OFFLINE=0 hf download {name}{alone}`, or set `name` of this model in params.yaml to a local folder"
    )


def _is_path(name: str) -> bool:
    """Return whether a name is meant as a folder although that folder does not exist; the name of a Hub model consists of only owner and
    name."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or Path(name).parts[0] in ("imports", "data", "models")


def base_of(description: Description, folder: Path) -> Description | None:
    """Return the base model of the adapter in a folder, or None if the folder contains no adapter.

    Raises:
        ValueError: the base model is unknown, or is a folder that does not exist.
    """
    path = folder / ADAPTER
    if not path.exists():
        return None
    adapter = read_json(path, dict[str, Any], "expected the file that peft writes for an adapter")
    name = description.base or adapter.get("base_model_name_or_path")
    remedy = f"set it in params.yaml: models.{description.model}: base: NAME"
    if not isinstance(name, str) or not name:
        raise ValueError(f"{path} does not give the adapter's base model; {remedy}")
    if Path(name).is_absolute() and not Path(name).is_dir():
        raise ValueError(f"{path} gives {name}, a folder that does not exist on this machine; {remedy}")
    revision = None if description.base else adapter.get("revision")
    return Description(model=description.model, backend=description.backend, name=name, revision=revision)


def identity_of(description: Description, folder: Path) -> str:
    """Return the identity of the weights in a folder: their hash and, for an adapter, also the hash of its base model.

    Raises:
        ValueError: a file is truncated, or the base model of an adapter is unavailable or is itself an adapter.
    """
    base = base_of(description, folder)
    if base is None:
        return content_hash(folder)
    below = locate(base, folder)
    if (below / ADAPTER).exists():  # the library would load that adapter's base, which no hash covers
        raise ValueError(
            f"{folder / ADAPTER} gives {base.name} as base, which is an adapter itself; "
            "merge that one into its base first (peft's merge_and_unload)"
        )
    return f"{content_hash(below)}+{content_hash(folder)}"


def stored_revision(name: str, revision: str, files: tuple[str, ...] = FILES) -> str | None:
    """Return the commit of a Hub model whose files are in the local cache, or None; the Hub is not contacted."""
    cached = _cached(name, revision, files)
    return cached.name if cached else None


def _cached(name: str, revision: str | None, files: tuple[str, ...] = FILES) -> Path | None:
    try:
        return _snapshot(name, revision, files, is_local=True)
    except ValueError:
        return None


def _snapshot(name: str, revision: str | None, files: tuple[str, ...], is_local: bool = False) -> Path:
    """Return the folder of a Hub model; raise ValueError if the model is unavailable."""
    from huggingface_hub import snapshot_download  # imported here, since it takes half a second of CPU time with its HTTP client
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=list(files), local_files_only=is_local))
    except (OSError, HfHubHTTPError, HFValidationError) as error:
        raise ValueError(str(error).partition("\n")[0]) from None


def read_chat_template(description: Description) -> str:
    """Return the chat template that replaces a model's own.

    Raises:
        ValueError: the file does not exist.
    """
    path = Path(description.chat_template or "")
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(
            f"model {description.model}: {path} cannot be read ({error.strerror}); set `chat_template` of this model in params.yaml to a "
            "Jinja file, or remove it"
        ) from None


def content_hash(path: Path) -> str:
    """Return a hash over the files that determine a model's replies.

    Raises:
        ValueError: the files do not match the hash in model.json next to them, for example because a power failure truncated a file.
    """
    actual, expected, model_file = _hash(path, FILES), None, path / MODEL_FILE
    if model_file.exists():
        remedy = f"expected the description of a model. It was truncated or changed: rm -r {path} && make repro"
        expected = read_json(model_file, Description, remedy).weights
    if expected not in (None, actual):
        raise ValueError(
            f"{path}: the files do not match their description: found hash {actual[:12]}, expected {str(expected)[:12]} ({MODEL_FILE}); "
            f"a file was truncated or changed. Rebuild the model with rm -r {path} && make repro, or copy its files again"
        )
    return actual


def tokenizer_hash(path: Path) -> str:
    """Return a hash over the files that determine a model's prompts, not including its weights."""
    return _hash(path, TOKENIZER_FILES)


def _hash(path: Path, patterns: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for file in sorted(file for pattern in patterns for file in path.glob(pattern) if file.name != MODEL_FILE):
        with open(file, "rb") as content:
            digest.update(f"{file.name}:{hashlib.file_digest(content, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
