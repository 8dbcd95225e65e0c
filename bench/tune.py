"""Memory and time of tuning, by formula and by the shapes of a model without weights; nothing is loaded or computed.

    python bench/tune.py                                       Qwen2.5-7B, rows of 2,048 tokens, on one GPU and on eight
    python bench/tune.py --shape 0.5b --tokens 4096 --gpus 4

A model on torch's meta device has shapes and no numbers: its forward pass tells which tensors are kept for the backward pass, those of
attention's tokens by tokens apart, which GPUs do not keep. Weights, gradients and AdamW's two moments are counted by the formula. Time is
the arithmetic (a forward pass takes 2 operations a weight and token, a backward pass 4, without those of frozen weights 2, checkpointing
one more forward pass) at a share of the GPU's peak that you give.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import torch
from peft import LoraConfig, get_peft_model
from transformers import Qwen2Config, Qwen2ForCausalLM

from bench.predict import SHAPES

_GB = 10**9


def model_of(shape: str, rank: int | None, embeddings: str, checkpointing: bool) -> torch.nn.Module:
    """Return a model without weights, with an adapter where there is a rank, beside which the embeddings may be learned."""
    layers, hidden, intermediate, heads, key_values, vocabulary = SHAPES[shape]
    sizes = {"num_hidden_layers": layers, "hidden_size": hidden, "intermediate_size": intermediate, "vocab_size": vocabulary}
    config = Qwen2Config(num_attention_heads=heads, num_key_value_heads=key_values, use_cache=False, **sizes)
    with torch.device("meta"):
        model = Qwen2ForCausalLM(config).to(torch.bfloat16)
        if rank:
            whole = ["model.embed_tokens", "lm_head"] if embeddings == "learned" else None
            adapter = LoraConfig(r=rank, target_modules="all-linear", modules_to_save=whole, task_type="CAUSAL_LM")
            model = get_peft_model(model, adapter)
    if checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
        model.enable_input_require_grads()
    return model.train()


def kept_bytes(model: torch.nn.Module, tokens: int) -> int:
    """Return the bytes that one row keeps for its backward pass, weights apart, and the loss of its tokens in 32 bits."""
    weights = {id(one) for one in model.parameters()} | {one.untyped_storage()._cdata for one in model.parameters()}
    kept: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.untyped_storage()._cdata not in weights and tensor.shape[-2:] != (tokens, tokens):
            kept.setdefault(tensor.untyped_storage()._cdata, tensor)
        return tensor

    ids = torch.zeros((1, tokens), dtype=torch.long, device="meta")
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        logits = model(input_ids=ids, attention_mask={"full_attention": None}).logits
    return sum(one.untyped_storage().nbytes() for one in kept.values()) + logits.numel() * (logits.element_size() + 2 * 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", default="7b", choices=SHAPES)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=2048, help="of a row: max_tokens")
    parser.add_argument("--gpus", type=int, default=8, help="over which weights, gradients and moments are cut (FSDP)")
    parser.add_argument("--peak", type=float, default=989e12, help="operations a second of one GPU in bf16; that of an H100")
    parser.add_argument("--used", type=float, default=0.4, help="share of the peak that is reached")
    args = parser.parse_args()
    print("method  embeddings  checkpointing  weights  trained    GB state  GB kept a row  GB one GPU  GB each of several  tokens/s a GPU")
    for method, embeddings in (("lora", "kept"), ("lora", "learned"), ("full", "learned")):
        for checkpointing in (False, True):
            model = model_of(args.shape, args.rank if method == "lora" else None, embeddings, checkpointing)
            weights = sum(one.numel() for one in model.parameters())
            trained = sum(one.numel() for one in model.parameters() if one.requires_grad)
            # All in 16 bits for the row at work; what is learned also in 32, with its gradient and two moments.
            state = 2 * weights + 16 * trained
            kept = kept_bytes(model, args.tokens)
            passes = 2 + (2 if method == "lora" else 4) + (2 if checkpointing else 0)
            speed = args.used * args.peak / (passes * weights)
            shown = f"{method:6}  {embeddings:10}  {'yes' if checkpointing else 'no':13}  {weights / 1e9:6.2f}B  {trained / 1e6:6.0f}M"
            each = state / args.gpus + kept
            print(f"{shown}  {state / _GB:9.1f}  {kept / _GB:13.1f}  {(state + kept) / _GB:10.1f}  {each / _GB:18.1f}  {speed:14,.0f}")


if __name__ == "__main__":
    main()
