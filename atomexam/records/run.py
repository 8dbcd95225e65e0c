"""The blocks of params.yaml that evaluation reads: models, how some are trained, the runs that ask them, and the judges of runs."""

from typing import Annotated, Literal

from msgspec import Meta, field

from atomexam.records.blocks import Block, Count, Positive, Slug


class Server(Block, frozen=True):
    """Where an OpenAI-compatible server is and how it may be asked: `server` of a model."""

    url: str = "https://api.openai.com/v1"
    key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; the key itself stands in no file."""
    concurrency: Positive = 8
    """Calls under way at a time."""
    calls_per_minute: Count = 0
    """0: no limit."""
    timeout: Annotated[float, Meta(gt=0)] = 120.0
    """Seconds for one call."""
    tries: Positive = 5
    """Calls for one request, counting the first, where trying again may help."""
    api: Literal["chat", "tokens", "text", "vllm"] = "chat"
    """chat: messages to /chat/completions, into the server's own chat template. Others: prompts rendered here, to /completions: tokens as
    token ids, text as text, vllm as token ids with vLLM's own fields. The backend `vllm` always takes that."""
    tokenizer: str | None = None
    """Of all APIs but chat: the model on the hub, or its folder, whose tokenizer makes the prompts; None takes the model's `name`."""
    knows: list[Literal["seed", "top_k", "repetition_penalty"]] = field(default_factory=list)
    """Settings outside the common API that this server honours; a run that needs another is an error."""
    arguments: list[str] = field(default_factory=list)
    """Of the backend `vllm`: what `vllm serve` is started with besides, such as `--max-model-len 8192`, each word its own."""
    input_price: Annotated[float, Meta(ge=0)] = 0.0
    """For a million tokens, in the currency of the bill."""
    output_price: Annotated[float, Meta(ge=0)] = 0.0


class Model(Block, frozen=True):
    """One line under `models`."""

    backend: Literal["baseline", "huggingface", "openai", "vllm"]
    strategy: Literal["random", "always_correct", "longest_option", "negation_word", "four_errors", "echo", "empty", "overlap"] | None = (
        None
    )
    """What a baseline does: a key of `eval.models.baseline.STRATEGIES`."""
    name: str | None = None
    """Model on the Hugging Face hub, a local folder in its format, or what a server calls it."""
    revision: str | None = None
    base: str | None = None
    """Model under an adapter, where the adapter's own file does not name it or names a place of another machine."""
    template: dict[str, str | bool | int | float] = field(default_factory=dict)
    """What its chat template is given besides the messages, such as `enable_thinking: false`."""
    chat_template: str | None = None
    """File of a chat template that stands for its own."""
    server: Server = Server()


class Training(Block, frozen=True):
    """One line under `finetune`, named like a model: a small one trained from scratch on the train split."""

    layers: Positive = 2
    hidden: Positive = 128
    heads: Positive = 4
    vocab_size: Positive = 3000
    seed: int = 1
    max_text_tokens: Positive = 30_000
    """Most tokens of text that are read, so that much data costs no more time than little."""
    prompt_epochs: Count = 4
    """0 leaves a base model that has read texts alone, for `tune` and `sweeps` to teach."""
    per_task: Positive = 800
    """Most requests of one task in an epoch."""
    batch_lessons: Positive = 8
    batch_tokens: Positive = 512
    """A batch ends at whichever of the two it reaches first."""
    learning_rate: Annotated[float, Meta(gt=0)] = 0.003


class RequestSettings(Block, frozen=True):
    """How a model is asked."""

    model: Slug
    repeats: Positive = 1
    seed: int = 1
    max_new_tokens: Positive = 32
    temperature: Annotated[float, Meta(ge=0)] = 0.0
    """0 takes the likeliest token; SdAK, section 4.2.3, samples at 0.3."""
    top_k: Count = 0
    """0: no limit."""
    top_p: Annotated[float, Meta(gt=0, le=1)] = 1.0
    repetition_penalty: Annotated[float, Meta(gt=0)] = 1.0
    batch_size: Positive = 16


class Run(RequestSettings, frozen=True, kw_only=True):
    """One line under `runs`: a model asked one task."""

    task: Literal["claim", "choice", "essay", "tcm"]
    prompt: str | None = None
    """Wording of the task, one of `eval.tasks.TASKS[task].prompts`; None takes the first."""
    method: Literal["generation", "likelihood"] = "generation"
    """generation: the reply is read. likelihood: of all allowed answers the one that the model finds likeliest."""
    shots: Count = 0
    stop: Literal["end", "verdict"] = "end"
    """end: a reply goes on to its own end. verdict: to the end of the clause that has its verdict on a claim; what it would say after
    that is not known, so `committed` sees no more either."""

    stop_strings: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(max_length=4)] = field(default_factory=tuple)
    """A reply ends before whichever of these is whole first, such as a line break: a base model goes on with the next question. Servers
    take four."""

    def __post_init__(self) -> None:
        if self.stop_strings and self.method != "generation":
            raise ValueError(f"stop_strings are for generation, found method: {self.method}; take them out of the run")
        if self.stop == "verdict" and (self.task != "claim" or self.method != "generation"):
            raise ValueError(
                f"stop: verdict is for the task claim by generation, found {self.task} by {self.method}; take it out of the run"
            )


class Judge(RequestSettings, frozen=True, kw_only=True):
    """One line under `judges`, named like the run it judges: a model that gives marks to answers in words."""

    max_new_tokens: Positive = 64
    prompt: Literal["judge", "judge_published"] = "judge"
    """judge: the texts of others stand between marks that they cannot hold. judge_published: as CPsyExam asked, to repeat its figures."""
