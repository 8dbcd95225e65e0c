"""The blocks of params.yaml that train a model further: the method, the data, and sweeps over the data."""

from typing import Annotated, Any, Literal

from msgspec import Meta, field
from msgspec.structs import force_setattr

from atomexam.records.blocks import Block, Count, Positive, Share, Slug

Rate = Annotated[float, Meta(gt=0)]
Amount = Annotated[float, Meta(ge=0, le=1e12)]
PRESETS: dict[str, dict[str, Any]] = {
    # CPsyExam, section 4.1, tunes ChatGLM3-6B.
    "cpsyexam": {"epochs": 4, "batch_examples": 128, "learning_rate": 1e-6},
    # SdAK, section 5.3, tunes Baichuan-7b. It gives five numbers for four settings (2, 5e-5, 128, 64, 2048): 64 is left out here.
    "sdak": {"epochs": 2, "batch_examples": 128, "learning_rate": 5e-5, "max_tokens": 2048, "patience": 0},
}
_DEFAULTS = {"epochs": 3, "batch_examples": 0, "max_tokens": 2048, "patience": 3}
_RATES = {"lora": 1e-4, "full": 1e-5}  # from LLaMA-Factory's examples, for models of about 7 billion weights


class Tuning(Block, frozen=True):
    """One line under `tune`, keyed by the resulting model: the model in its `name` is trained further on the train split."""

    method: Literal["full", "lora"] = "lora"
    preset: Literal["cpsyexam", "sdak"] | None = None
    """Settings of a paper; keys of this line override them."""
    data: dict[str, Amount] = field(default_factory=lambda: {"claims": 1, "knowledge": 1, "cases": 1, "tcm": 1, "words": 1})
    """Kind -> amount to train on: up to 1 a share, above 1 a number of items."""
    order: Literal["mixed", "listed"] = "mixed"
    """listed: one kind after the other, in the order of `data`."""
    seed: int = 1
    rank: Positive = 16
    alpha: Positive = 32
    embeddings: Literal["kept", "learned"] = "kept"
    """For lora. learned: the embeddings and the output layer are fully trained and saved with the adapter."""
    epochs: Positive | None = None
    """None uses the preset's, or 3."""
    learning_rate: Rate | None = None
    """None uses the preset's, or 0.0001 for lora and 0.00001 for full."""
    batch_tokens: Positive = 16384
    """Maximum number of tokens of a step."""
    batch_examples: Count | None = None
    """Conversations of a step, instead of batch_tokens; 0, or None without a preset, uses batch_tokens."""
    max_tokens: Positive | None = None
    """Maximum number of tokens of a row of packed conversations; longer conversations are left out. None uses the preset's, or 2048."""
    warmup: Share = 0.03
    """Share of the steps over which the learning rate rises."""
    checks: Positive = 10
    """Number of times that the dev loss is measured and a checkpoint saved."""
    patience: Count | None = None
    """Checks without a lower dev loss after which training ends; 0: never. None uses the preset's, or 3."""
    activations: Literal["kept", "again"] = "kept"
    """again: recomputed for the backward pass (gradient checkpointing): less memory, a third more time."""

    def __post_init__(self) -> None:
        for name, value in (_DEFAULTS | {"learning_rate": _RATES[self.method]} | PRESETS.get(self.preset or "", {})).items():
            if getattr(self, name) is None:
                force_setattr(self, name, value)
        if self.embeddings == "learned" and self.method == "full":
            raise ValueError("embeddings: learned is for method lora; full tuning always trains them. Remove it")
        if not self.data or not any(self.data.values()):
            raise ValueError("data: nothing to train on; name a kind with an amount above 0, such as {claims: 1}")


class Sweep(Block, frozen=True):
    """One line under `sweeps`: a model tuned on each kind of data in each amount, with each seed, and evaluated by each run."""

    model: Slug
    """A key of `models`: the model to tune."""
    kinds: list[str]
    amounts: list[Amount]
    """As in `data` of Tuning; 0 is the untuned model, or the model tuned on `always` alone."""
    seeds: list[int]
    runs: list[Slug]
    """Keys of `runs`, evaluated on each tuned model, whatever model the run names."""
    always: dict[str, Amount] = field(default_factory=dict)
    """Data added to each kind, such as general conversations (SdAK, section 5.3)."""
    tune: dict[str, Any] = field(default_factory=dict)
    """Other keys of Tuning, the same for all."""

    def __post_init__(self) -> None:
        for name in ("kinds", "amounts", "seeds", "runs"):
            if not getattr(self, name):
                raise ValueError(f"{name}: [] found; expected at least one")
            if twice := [one for index, one in enumerate(getattr(self, name)) if one in getattr(self, name)[:index]]:
                raise ValueError(f"{name}: {twice[0]} is listed twice; remove one")
        if self.kinds and (both := sorted(set(self.kinds) & self.always.keys())):
            raise ValueError(f"{both[0]} is in `kinds` and in `always`; data that is always added has no amounts to compare")
        if unused := sorted(self.tune.keys() & {"data", "seed"}):
            raise ValueError(f"tune: {unused[0]} is varied by the sweep; remove it")
