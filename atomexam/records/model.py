"""How a model is described to those who ask it: `model.json` in the model's folder."""

from msgspec import Struct, field

from atomexam.records.run import Server


class Description(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model as `plan` describes it, and `finetune` the ones that it trains."""

    model: str
    """Key of the model in params.yaml."""
    backend: str
    """Key of `eval.models.BACKENDS`."""
    strategy: str | None = None
    """What a baseline does."""
    name: str | None = None
    """Model on the Hugging Face hub, a local folder, or what a server calls it; None for a model whose weights lie beside model.json."""
    revision: str | None = None
    base: str | None = None
    """Model under an adapter; None where the adapter's own file says it, or for a model that is none."""
    weights: str | None = None
    """Hash of the files beside model.json as they were made; None where nobody said it."""
    template: dict[str, str | bool | int | float] = field(default_factory=dict)
    """What its chat template is given besides the messages, such as `enable_thinking: false`."""
    chat_template: str | None = None
    """File of a chat template that stands for its own; None takes its own."""
    server: Server | None = None
    """Where the backends `openai` and `vllm` ask; None for others."""
