"""The description of a model for the stages that use it: `model.json` in the model's folder."""

from msgspec import Struct, field

from atomexam.records.blocks import Server


class Description(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Description of a model; `plan` writes it, or `finetune` for the models that it trains."""

    model: str
    """Key of the model in params.yaml."""
    backend: str
    """Key of `eval.backends.BACKENDS`."""
    strategy: str | None = None
    """Strategy of a baseline."""
    name: str | None = None
    """Model on the Hugging Face hub, a local folder, or a server's name for it; None if the weights are in the folder of model.json."""
    revision: str | None = None
    base: str | None = None
    """Base model of an adapter; None if the adapter's own file names it, or the model is not an adapter."""
    weights: str | None = None
    """Hash of the files in the folder when they were written; None if not recorded."""
    template: dict[str, str | bool | int | float] = field(default_factory=dict)
    """Additional arguments for the model's chat template, such as `enable_thinking: false`."""
    chat_template: str | None = None
    """File with a chat template that replaces the model's own; None keeps the model's own."""
    server: Server | None = None
    """Server for the backends `openai` and `vllm`; None for the others."""
