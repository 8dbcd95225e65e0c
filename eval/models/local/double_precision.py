"""Models that compute in float64 throughout, so that processors that add in another order say the same.

In: a model of the library; out: the same model, whose sums differ in the last digits of float64 alone. Two of its parts compute in
float32 whatever the weights are: the norms and the rotary positions.
"""

from typing import Any

import torch


def in_float64(model: Any) -> Any:
    """Return a Qwen2, or a model built like it, with weights, norms and rotary positions in float64."""
    model = model.double()
    for holder in list(model.modules()):
        for name, part in list(holder.named_children()):
            if type(part).__name__.endswith("RMSNorm") and hasattr(part, "variance_epsilon"):
                norm = torch.nn.RMSNorm(part.weight.shape, eps=part.variance_epsilon, dtype=torch.float64)
                norm.weight = part.weight
                setattr(holder, name, norm)
            elif hasattr(part, "inv_freq") and getattr(part, "rope_type", None) == "default":
                setattr(holder, name, _Rotary(part.config))
    return model


class _Rotary(torch.nn.Module):
    """Cosines and sines of positions, each of shape (batch, tokens, head_dim)."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        shares = torch.arange(0, size, 2, dtype=torch.float64) / size
        self.register_buffer("inv_freq", config.rope_parameters["rope_theta"] ** -shares, persistent=False)

    @torch.no_grad()
    def forward(self, x: torch.Tensor, position_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        angles = position_ids[..., None].double() * self.inv_freq
        angles = torch.cat([angles, angles], dim=-1)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)
