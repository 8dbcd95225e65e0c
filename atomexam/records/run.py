"""The blocks of params.yaml for evaluation: models, the training of some, the runs on them, and the judges of runs."""

from typing import Annotated, Literal

from msgspec import Meta, field

from atomexam.records.blocks import Block, Count, Positive, Slug


class Server(Block, frozen=True):
    """Address and limits of an OpenAI-compatible server: `server` of a model."""

    url: str = "https://api.openai.com/v1"
    key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; the key itself is in no file."""
    concurrency: Positive = 8
    """Concurrent calls."""
    calls_per_minute: Count = 0
    """0: no limit."""
    timeout: Annotated[float, Meta(gt=0)] = 120.0
    """Seconds for one call."""
    tries: Positive = 5
    """Maximum number of calls for one request, including the first; only errors that may pass are retried."""
    api: Literal["chat", "tokens", "text", "vllm"] = "chat"
    """chat: messages to /chat/completions, into the server's own chat template. Others: prompts rendered here, to /completions: tokens as
    token ids, text as text, vllm as token ids with vLLM's own fields. The backend `vllm` always takes that."""
    tokenizer: str | None = None
    """Of all APIs but chat: the model on the hub, or its folder, whose tokenizer makes the prompts; None takes the model's `name`."""
    knows: list[Literal["seed", "top_k", "repetition_penalty"]] = field(default_factory=list)
    """Settings outside the common API that this server supports; a run that needs another is an error."""
    arguments: list[str] = field(default_factory=list)
    """For the backend `vllm`: additional arguments of `vllm serve`, such as `--max-model-len 8192`, one word an element."""
    input_price: Annotated[float, Meta(ge=0)] = 0.0
    """For a million tokens, in the currency of the bill."""
    output_price: Annotated[float, Meta(ge=0)] = 0.0

    def __post_init__(self) -> None:
        if self.tokenizer and self.api == "chat":
            raise ValueError("server.tokenizer is not read by server.api: chat; take it out, or name another api beside it")


_NOT_READ = {
    "openai": ("arguments",),
    "vllm": ("url", "key_variable", "api", "tokenizer", "knows"),
    "huggingface": Server.__struct_fields__,
    "baseline": Server.__struct_fields__,
}
"""Fields of `server` that a backend does not have."""


class Model(Block, frozen=True):
    """One line under `models`."""

    backend: Literal["baseline", "huggingface", "openai", "vllm"]
    strategy: Literal["random", "always_correct", "longest_option", "negation_word", "four_errors", "echo", "empty", "overlap"] | None = (
        None
    )
    """Strategy of a baseline: a key of `eval.models.baseline.STRATEGIES`."""
    name: str | None = None
    """Model on the Hugging Face hub, a local folder in its format, or a server's name for it."""
    revision: str | None = None
    base: str | None = None
    """Base model of an adapter, if the adapter's own file does not name it or names a path of another machine."""
    template: dict[str, str | bool | int | float] = field(default_factory=dict)
    """Arguments of its chat template besides the messages, such as `enable_thinking: false`."""
    chat_template: str | None = None
    """File of a chat template that replaces the model's own."""
    server: Server = Server()

    def __post_init__(self) -> None:
        for name in _NOT_READ[self.backend]:
            if getattr(self.server, name) not in (getattr(Server(), name), self.backend):  # `api: vllm` beside `backend: vllm` is true
                raise ValueError(f"the backend {self.backend} has no server.{name}; take it out, or set `backend: openai` to ask a server")


class Training(Block, frozen=True):
    """One line under `finetune`, keyed by the model: a small model trained from scratch on the train split."""

    layers: Positive = 2
    hidden: Positive = 128
    heads: Positive = 4
    vocab_size: Positive = 3000
    seed: int = 1
    max_text_tokens: Positive = 30_000
    """Maximum number of training tokens of text; limits the time for large data."""
    prompt_epochs: Count = 4
    """0 keeps a base model trained on texts alone, for `tune` and `sweeps` to start from."""
    per_task: Positive = 800
    """Maximum number of requests of one task in an epoch."""
    batch_examples: Positive = 8
    batch_tokens: Positive = 512
    """A batch ends at whichever of the two limits it reaches first."""
    learning_rate: Annotated[float, Meta(gt=0)] = 0.003


class RequestSettings(Block, frozen=True):
    """Settings of the requests to a model."""

    model: Slug
    repeats: Positive = 1
    seed: int = 1
    max_new_tokens: Positive = 32
    temperature: Annotated[float, Meta(ge=0)] = 0.0
    """0 takes the most likely token; SdAK, section 4.2.3, samples at 0.3."""
    top_k: Count = 0
    """0: no limit."""
    top_p: Annotated[float, Meta(gt=0, le=1)] = 1.0
    repetition_penalty: Annotated[float, Meta(gt=0)] = 1.0
    batch_size: Positive = 16


class Run(RequestSettings, frozen=True, kw_only=True):
    """One line under `runs`: a model on one task."""

    task: Literal["fourfold", "claim", "choice", "essay", "tcm"]
    prompt: str | None = None
    """Wording of the task, one of `eval.tasks.runs.TASKS[task].prompts`; None uses the first."""
    method: Literal["generation", "likelihood"] = "generation"
    """generation: the reply is parsed. likelihood: the allowed answer with the highest likelihood under the model."""
    shots: Count = 0
    stop: Literal["end", "verdict"] = "end"
    """end: a reply continues to its own end. verdict: it stops after the clause with its verdict on a claim. The rest is then unknown to
    `committed`, too."""

    stop_strings: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(max_length=4)] = field(default_factory=tuple)
    """A reply ends before the first complete match of any of these, such as a line break: a base model continues with the next question.
    Servers accept four."""

    def __post_init__(self) -> None:
        if self.stop_strings and self.method != "generation":
            raise ValueError(f"stop_strings are for generation, found method: {self.method}; remove them from the run")
        if self.stop == "verdict" and (self.task not in ("claim", "fourfold") or self.method != "generation"):
            raise ValueError(
                f"stop: verdict is for claim and fourfold by generation, found {self.task} by {self.method}; remove it from the run"
            )


class Judge(RequestSettings, frozen=True, kw_only=True):
    """One line under `judges`, keyed by the run it judges: a model that marks answers in words."""

    max_new_tokens: Positive = 64
    prompt: Literal["judge", "judge_published"] = "judge"
    """judge: foreign texts are between delimiters that they cannot contain. judge_published: CPsyExam's prompt, to reproduce its
    figures."""
