"""Adapters in peft's layout: their weights merged into those of their base. One that does not fit, or cannot be merged, is no model."""

import re
import warnings
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

_MAX_MESSAGE_CHARS = 300  # characters of a library's message, which may list all weights


def adapted(model: Any, folder: Path) -> Any:
    """Return a model with an adapter's weights merged into its own.

    Raises:
        ValueError: peft is missing, or the adapter is not in safetensors or does not fit the model.
    """
    try:
        from peft import PeftModel, get_peft_model_state_dict
    except ImportError:
        raise ValueError(f"{folder} is an adapter, and peft is not installed; `pip install -e '.[tune]'`") from None
    if not (folder / "adapter_model.safetensors").exists():
        raise ValueError(f"{folder} has no adapter_model.safetensors; of other formats loading may run code")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")  # of its own names, as peft uses them
            made = PeftModel.from_pretrained(model, folder)
        about = made.peft_config[made.active_adapter]
        if not hasattr(made.base_model, "merge_and_unload"):
            raise ValueError(f"{about.peft_type.value} cannot be merged into a model's weights")
        if about.task_type not in (None, "CAUSAL_LM"):
            raise ValueError(f"it is for the task {about.task_type}; expected CAUSAL_LM")
        # Of an adapter for a deeper or shallower model peft uses what fits, and reports nothing.
        with safe_open(folder / "adapter_model.safetensors", "pt") as file:
            differ = set(file.keys()) ^ get_peft_model_state_dict(made, save_embedding_layers=False).keys()
        if left := sorted(name for name in differ if "lora_" in name or about.peft_type != "LORA"):
            raise ValueError(f"{left[0]} and {len(left) - 1} others are in one of them alone")
        return made.merge_and_unload()
    except (RuntimeError, OSError, ValueError, KeyError, TypeError, AttributeError, ImportError, re.error, SafetensorError) as error:
        first = str(error).splitlines()[0][:_MAX_MESSAGE_CHARS]
        raise ValueError(f"{folder}: the adapter does not fit {type(model).__name__} of {model.name_or_path}: {first}") from None
