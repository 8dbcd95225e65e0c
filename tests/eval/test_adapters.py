"""Adapters made elsewhere that are no models here: each ends with a message, none with other replies than its maker's."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import IA3Config, LoraConfig, PromptTuningConfig, get_peft_model
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from atomexam.records.model import Description
from eval.models import open_backend
from eval.models.adapters import adapted

SHAPE = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 2, "vocab_size": 64}


def base(layers: int = 1) -> Any:
    torch.manual_seed(1)
    return LlamaForCausalLM(LlamaConfig(**SHAPE, num_hidden_layers=layers))


def lora(folder: Path, **settings: Any) -> Path:
    get_peft_model(base(), LoraConfig(target_modules=["q_proj"], task_type="CAUSAL_LM")).save_pretrained(folder)
    told = json.loads((folder / "adapter_config.json").read_bytes())
    (folder / "adapter_config.json").write_text(json.dumps(told | settings))
    return folder


@pytest.mark.parametrize(("settings", "told"), [
    ({"megatron_config": {"a": 1}, "megatron_core": "megatron.core"}, "megatron"),
    ({"megatron_config": {"a": 1}, "megatron_core": "antigravity"}, "megatron"),
    ({"target_modules": "["}, "unterminated character set"),
    ({"task_type": "SEQ_CLS"}, "is for the task SEQ_CLS; expected CAUSAL_LM"),
    ({"peft_type": "NOPE"}, "NOPE"),
    ({"r": 10**9}, "memory"),
], ids=str)  # fmt: skip
def test_settings_that_do_not_fit_are_named(settings: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=told):
        adapted(base(), lora(tmp_path, **settings))


def test_an_adapter_that_changes_no_weights_cannot_be_merged(tmp_path: Path) -> None:
    get_peft_model(base(), PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4)).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="PROMPT_TUNING cannot be merged into a model's weights"):
        adapted(base(), tmp_path)


@pytest.mark.parametrize(("of", "over"), [(1, 2), (2, 1)])
def test_an_adapter_of_another_kind_over_a_base_of_other_depth_is_no_model(of: int, over: int, tmp_path: Path) -> None:
    config = IA3Config(task_type="CAUSAL_LM", target_modules=["q_proj"], feedforward_modules=[])
    get_peft_model(base(of), config).save_pretrained(tmp_path)
    assert adapted(base(of), tmp_path)
    with pytest.raises(ValueError, match=r"the adapter does not fit LlamaForCausalLM .*layers\.1\."):
        adapted(base(over), tmp_path)


@pytest.mark.parametrize("is_whole", [False, True])
def test_an_adapter_over_an_adapter_is_refused(is_whole: bool, toy_models: Path, tmp_path: Path) -> None:
    """The library would open what the lower one names, and no hash of that would stand in the model's identity."""
    below, above = tmp_path / "below", tmp_path / "above"
    config = LoraConfig(target_modules=["q_proj"], task_type="CAUSAL_LM")
    for folder, under in ((below, toy_models / "toy"), (above, below)):
        get_peft_model(AutoModelForCausalLM.from_pretrained(toy_models / "toy"), config).save_pretrained(folder)
        told = json.loads((folder / "adapter_config.json").read_bytes())
        (folder / "adapter_config.json").write_text(json.dumps(told | {"base_model_name_or_path": str(under)}))
    if is_whole:
        for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
            shutil.copy(toy_models / "toy" / name, below)
    with pytest.raises(ValueError, match=r"adapter_config.json names .*below, which is an adapter itself"):
        open_backend(Description(model="m", backend="huggingface", name=str(above)), above)
