"""Adapters over their bases: opened, refused, made elsewhere."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec import structs
from peft import IA3Config, LoraConfig, PromptTuningConfig, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from atomexam.records.blocks import Tuning
from atomexam.records.model import Description
from atomexam.runtime.jsonl import read_jsonl
from eval.backends import open_backend
from eval.models.local.huggingface import adapted
from eval.models.local.weights import content_hash, identity_of
from eval.plan import main as plan
from eval.plan import weights_of
from eval.predict import main as predict
from eval.tune import training
from tests.eval.tuning import SHAPE, tuned

pytestmark = pytest.mark.slow


def base(layers: int = 1) -> Any:
    torch.manual_seed(1)
    return LlamaForCausalLM(LlamaConfig(**SHAPE | {"num_hidden_layers": layers}))


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
def test_rejects_adapter_settings_that_do_not_fit(settings: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=told):
        adapted(base(), lora(tmp_path, **settings))


def test_rejects_adapter_without_weight_changes(tmp_path: Path) -> None:
    get_peft_model(base(), PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4)).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="PROMPT_TUNING cannot be merged into a model's weights"):
        adapted(base(), tmp_path)


ADAPTERS = [
    IA3Config(task_type="CAUSAL_LM", target_modules=["q_proj"], feedforward_modules=[]),
    LoraConfig(target_modules=["q_proj", "up_proj"], task_type="CAUSAL_LM"),
]


@pytest.mark.parametrize("config", ADAPTERS, ids=["ia3", "lora"])
@pytest.mark.parametrize(("of", "over"), [(1, 2), (2, 1)])
def test_rejects_adapter_for_another_depth(config: Any, of: int, over: int, tmp_path: Path) -> None:
    """peft takes what fits and says no more than a warning, or nothing: replies would be those of a model that nobody made."""
    get_peft_model(base(of), config).save_pretrained(tmp_path)
    assert adapted(base(of), tmp_path)
    with pytest.raises(ValueError, match=r"the adapter does not fit LlamaForCausalLM .*layers\.1\."):
        adapted(base(over), tmp_path)


@pytest.mark.parametrize("is_whole", [False, True])
def test_rejects_adapter_over_an_adapter(is_whole: bool, toy_models: Path, tmp_path: Path) -> None:
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
    with pytest.raises(ValueError, match=r"adapter_config.json gives .*below as base, which is an adapter itself"):
        open_backend(Description(model="m", backend="huggingface", name=str(above)), above)


def test_opens_adapter_over_its_base(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    figures = tuned(toy_models, toy_data, tmp_path / "m")
    described = Description(model="m", backend="huggingface", name=str(tmp_path / "m"))
    identity = identity_of(described, tmp_path / "m")
    assert figures["weights"] == identity == f"{content_hash(toy_models / 'toy')}+{content_hash(tmp_path / 'm')}"
    assert weights_of(described, tmp_path).count("files") == 2
    backend = open_backend(described, tmp_path / "m")
    assert identity in backend.identity
    merged = backend._model.state_dict()
    plain = AutoModelForCausalLM.from_pretrained(toy_models / "toy").state_dict()
    assert merged.keys() == plain.keys() and any(not torch.equal(merged[name], plain[name]) for name in plain)


@pytest.mark.parametrize("family", ["llama", "tied qwen2", "gpt2"])
def test_saves_and_opens_learned_embeddings(family: str, tmp_path: Path) -> None:
    """With an output layer of their own, sharing its weights, and sharing them under a name that peft does not know."""
    torch.manual_seed(1)
    base = {
        "llama": lambda: LlamaForCausalLM(LlamaConfig(**SHAPE)),
        "tied qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**SHAPE, num_key_value_heads=2, tie_word_embeddings=True)),
        "gpt2": lambda: GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=1, n_head=2, vocab_size=64, bos_token_id=0, eos_token_id=0)),
    }[family]()
    base.save_pretrained(tmp_path / "base")
    about = Description(model="m", backend="huggingface", name=str(tmp_path / "base"))
    model = training.open_base(tmp_path / "base", Tuning(rank=2, embeddings="learned"), about)
    ids = torch.arange(10)[None]
    learner = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=0.05)
    for _ in range(2):
        model(input_ids=ids, labels=ids).loss.backward()
        learner.step()
    said = model.eval()(input_ids=ids).logits
    model.save_pretrained(tmp_path / "m")
    opened = adapted(AutoModelForCausalLM.from_pretrained(tmp_path / "base"), tmp_path / "m").eval()
    assert torch.allclose(opened(input_ids=ids).logits, said, atol=1e-5)
    layers = opened.get_input_embeddings().weight, opened.get_output_embeddings().weight
    before = base.get_input_embeddings().weight, base.get_output_embeddings().weight
    assert all(not torch.allclose(now, then) for now, then in zip(layers, before, strict=True))
    assert (layers[0] is layers[1]) is (family == "tied qwen2")


def test_external_adapter_takes_its_base_from_params(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    """peft alone, without our tokenizer and files, on a machine where the base lay elsewhere."""
    model = AutoModelForCausalLM.from_pretrained(toy_models / "toy")
    get_peft_model(model, LoraConfig(target_modules=["q_proj"], task_type="CAUSAL_LM")).save_pretrained(tmp_path / "theirs")
    settings = json.loads((tmp_path / "theirs" / "adapter_config.json").read_bytes())
    (tmp_path / "theirs" / "adapter_config.json").write_text(json.dumps(settings | {"base_model_name_or_path": "/nowhere/base"}))
    theirs = Description(model="m", backend="huggingface", name=str(tmp_path / "theirs"))
    with pytest.raises(ValueError, match=r"gives /nowhere/base, a folder that does not exist on this machine; .*models\.m: base: NAME"):
        open_backend(theirs, tmp_path / "theirs")
    backend = open_backend(structs.replace(theirs, base=str(toy_models / "toy")), tmp_path / "theirs")
    (tmp_path / "bin").mkdir()
    shutil.copy(tmp_path / "theirs" / "adapter_config.json", tmp_path / "bin")
    (tmp_path / "bin" / "adapter_model.bin").write_bytes(b"x")
    with pytest.raises(ValueError, match=r"has no adapter_model.safetensors"):
        _ = open_backend(structs.replace(theirs, name=str(tmp_path / "bin"), base=str(toy_models / "toy")), tmp_path / "bin")._model
    assert backend._model is not None and "正确" in backend.render([{"role": "user", "content": "正确"}])


@pytest.mark.parametrize("learns", ["lora", "embeddings too"])
def test_llama_factory_adapter_needs_one_params_line(
    learns: str, toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its base named in its own settings, its tokenizer and the trainer's files beside it; the stages as DVC calls them."""
    monkeypatch.chdir(tmp_path)
    base, theirs = Path("imports/models/base"), Path("imports/models/theirs")
    shutil.copytree(toy_models / "toy", base)
    torch.manual_seed(1)
    whole = ["embed_tokens", "lm_head"] if learns == "embeddings too" else None  # as its `additional_target` says it
    config = LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", modules_to_save=whole, task_type="CAUSAL_LM", use_rslora=True)
    adapter = get_peft_model(AutoModelForCausalLM.from_pretrained(base), config)
    for name, weights in adapter.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weights)
    adapter.save_pretrained(theirs)
    AutoTokenizer.from_pretrained(base).save_pretrained(theirs)
    for name, content in {"all_results.json": "{}", "trainer_log.jsonl": "{}\n", "training_args.bin": "", "README.md": "---\n"}.items():
        (theirs / name).write_text(content)
    assert json.loads((theirs / "adapter_config.json").read_bytes())["base_model_name_or_path"] == str(base)
    lines = {name: {"backend": "huggingface", "name": f"imports/models/{name}"} for name in ("base", "theirs")}
    runs = {f"{name}-claims": {"model": name, "task": "claim", "max_new_tokens": 4} for name in lines}
    Path("params.yaml").write_text(json.dumps({"models": lines, "runs": runs}))
    plan(["--models", "models", "--out", "plan"])
    said = {}
    for name in lines:
        paths = ["--splits", str(toy_data / "splits"), "--models", "plan", "--out", f"predictions/{name}"]
        predict([name, "--runs", f"plan/{name}/runs.json", *paths])
        said[name] = [row["reply"] for row in read_jsonl(Path(f"predictions/{name}/{name}-claims.jsonl"), dict)]
    assert len(said["theirs"]) == len(said["base"]) == 24 and said["theirs"] != said["base"]
