"""The blocks of params.yaml: their keys, meanings and allowed values."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr

Share = Annotated[float, Meta(ge=0, le=1)]
_MOST = 10**12  # larger than any data set; a larger number is a typing error
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Positive = Annotated[int, Meta(ge=1, le=_MOST)]
SLUG = "^[a-z0-9][a-z0-9_-]*$"
Slug = Annotated[str, Meta(pattern=SLUG)]


class Block(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One block of params.yaml."""


class Server(Block, frozen=True):
    """Address and limits of an OpenAI-compatible server: the field `server` of a model."""

    url: str = "https://api.openai.com/v1"
    key_variable: str = "OPENAI_API_KEY"
    """Environment variable that contains the key; the key itself is never in a file."""
    concurrency: Positive = 8
    """Concurrent calls."""
    calls_per_minute: Count = 0
    """0: no limit."""
    timeout: Annotated[float, Meta(gt=0)] = 120.0
    """Time limit for one call, in seconds."""
    tries: Positive = 5
    """Maximum number of calls per request, including the first; only transient errors are retried."""
    api: Literal["chat", "tokens", "text", "vllm"] = "chat"
    """chat: send messages to /chat/completions; the server applies its chat template. The others send prompts rendered here to
    /completions: tokens as token ids, text as text, vllm as token ids along with vLLM's own fields. The backend `vllm` always uses vllm."""
    tokenizer: str | None = None
    """For all APIs except chat: the model (hub name or folder) whose tokenizer renders the prompts; by default, the model given in
    `name`."""
    knows: list[Literal["seed", "top_k", "repetition_penalty"]] = field(default_factory=list)
    """Settings outside the common API that this server supports; a run that needs any other such setting fails."""
    arguments: list[str] = field(default_factory=list)
    """For the backend `vllm`: additional arguments to `vllm serve`, such as `--max-model-len 8192`, one word per element."""
    input_price: Annotated[float, Meta(ge=0)] = 0.0
    """Price per million tokens, in the currency of the bill."""
    output_price: Annotated[float, Meta(ge=0)] = 0.0

    def __post_init__(self) -> None:
        if self.tokenizer and self.api == "chat":
            raise ValueError("server.tokenizer is not used with server.api: chat; remove it, or set another api")


_NOT_READ = {
    "openai": ("arguments",),
    "vllm": ("url", "key_variable", "api", "tokenizer", "knows"),
    "huggingface": Server.__struct_fields__,
    "baseline": Server.__struct_fields__,
    "imported": Server.__struct_fields__,
}
"""Maps each backend to the fields of `server` that do not apply to it."""


class Model(Block, frozen=True):
    """One line under `models`."""

    backend: Literal["baseline", "huggingface", "imported", "openai", "vllm"]
    strategy: Literal["random", "always_correct", "longest_option", "negation_word", "four_errors", "echo", "empty", "overlap"] | None = (
        None
    )
    """Strategy of a baseline: a key of `eval.models.baseline.STRATEGIES`."""
    name: str | None = None
    """Model on the Hugging Face hub, a local folder in its format, or a server's name for it."""
    revision: str | None = None
    base: str | None = None
    """Base model of an adapter, if the adapter's own file does not name it or names a path on another machine."""
    template: dict[str, str | bool | int | float] = field(default_factory=dict)
    """Additional arguments for the model's chat template, such as `enable_thinking: false`."""
    chat_template: str | None = None
    """File with a chat template that replaces the model's own."""
    server: Server = Server()

    def __post_init__(self) -> None:
        for name in _NOT_READ[self.backend]:
            if getattr(self.server, name) not in (getattr(Server(), name), self.backend):  # `api: vllm` with `backend: vllm` is allowed
                raise ValueError(f"the backend {self.backend} has no server.{name}; remove it, or set `backend: openai` to use a server")


class Training(Block, frozen=True):
    """One line under `finetune`, keyed by the model: a small model trained from scratch on the train split."""

    layers: Positive = 2
    hidden: Positive = 128
    heads: Positive = 4
    vocab_size: Positive = 3000
    seed: int = 1
    max_text_tokens: Positive = 30_000
    """Maximum number of training tokens from texts; limits the training time on large data."""
    prompt_epochs: Count = 4
    """0 trains a base model on texts only, as a starting point for `tune` and `sweeps`."""
    per_task: Positive = 800
    """Maximum number of requests per task in an epoch."""
    batch_examples: Positive = 8
    batch_tokens: Positive = 512
    """A batch ends when it reaches either of the two limits."""
    learning_rate: Annotated[float, Meta(gt=0)] = 0.003


class RequestSettings(Block, frozen=True):
    """Settings for requests to a model."""

    model: Slug
    repeats: Positive = 1
    seed: int = 1
    max_new_tokens: Positive | None = None
    """None allows enough for an answer to the task, measured with the model's tokenizer."""
    temperature: Annotated[float, Meta(ge=0)] = 0.0
    """0 selects the most likely token; SdAK, section 4.2.3, samples at 0.3."""
    top_k: Count = 0
    """0: no limit."""
    top_p: Annotated[float, Meta(gt=0, le=1)] = 1.0
    repetition_penalty: Annotated[float, Meta(gt=0)] = 1.0
    batch_size: Positive = 16


TEST: Literal["test"] = "test"
REPLY_CHARS = 32
"""Default reply length in characters: enough for 答案：B or a verdict with the start of a reason."""


class Run(RequestSettings, frozen=True, kw_only=True):
    """One line under `runs`: a model on one task."""

    task: Literal["fourfold", "claim", "choice", "essay", "tcm", "tf", "blank"]
    prompt: str | None = None
    """Wording of the task, one of `eval.tasks.runs.TASKS[task].prompts`; by default the first."""
    prompts: tuple[str, ...] = ()
    """Several wordings instead of `prompt`; each item is sent once per wording."""
    orders: Annotated[int, Meta(ge=1, le=10)] = 1
    """Number of option orders in which each question is sent: the original, then shifted by one position, by two, …"""
    method: Literal["generation", "likelihood"] = "generation"
    """generation: parse the reply. likelihood: take the allowed answer that is most likely under the model."""
    shots: Count = 0
    split: Literal["test", "dev", "reserved"] = TEST
    """Split that the items are taken from. Runs on dev or reserved get replies, scores and metrics, but appear in no report, board or
    export."""
    stop: Literal["end", "verdict"] = "end"
    """end: let the model finish its reply. verdict: stop after the clause with the verdict on the claim; then `committed` does not see the
    rest either."""

    stop_strings: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(max_length=4)] = field(default_factory=tuple)
    """A reply ends before the first occurrence of any of these strings, such as a line break; without one, a base model would go on to the
    next question. Servers accept up to four."""

    def __post_init__(self) -> None:
        if self.prompts and (self.prompt or len({*self.prompts}) < max(2, len(self.prompts))):
            raise ValueError(f"prompts: found {list(self.prompts)}; expected several different ones, without `prompt`")
        if self.orders > 1 and self.task not in ("choice", "tcm"):
            raise ValueError(f"orders apply only to choice and tcm, found {self.task}; remove them from the run")
        if self.stop_strings and self.method != "generation":
            raise ValueError(f"stop_strings apply only to generation, found method: {self.method}; remove them from the run")
        if self.stop == "verdict" and (self.task not in ("claim", "fourfold") or self.method != "generation"):
            raise ValueError(
                f"stop: verdict applies only to claim and fourfold by generation, found {self.task} by {self.method}; remove it"
            )

    @property
    def reply_chars(self) -> int:
        """Default reply length in characters; a reply with an analysis needs more."""
        return 8 * REPLY_CHARS if self.task in ("tcm", "essay") else REPLY_CHARS


def runs_on_test(lines: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lines under `runs`, or the metrics of runs, for runs that use the test split."""
    return {name: line for name, line in lines.items() if (line or {}).get("split", TEST) == TEST}


class Judge(RequestSettings, frozen=True, kw_only=True):
    """One line under `judges`, keyed by the run it judges: a model that marks free-text answers."""

    max_new_tokens: Positive | None = 64
    prompt: Literal["judge", "judge_published"] = "judge"
    """judge: external texts are enclosed in delimiters that they cannot contain. judge_published: CPsyExam's prompt, to reproduce its
    figures."""


Rate = Annotated[float, Meta(gt=0)]
Amount = Annotated[float, Meta(ge=0, le=1e12)]
PRESETS: dict[str, dict[str, Any]] = {
    # CPsyExam, section 4.1, tunes ChatGLM3-6B.
    "cpsyexam": {"epochs": 4, "batch_examples": 128, "learning_rate": 1e-6},
    # SdAK, section 5.3, tunes Baichuan-7b. It gives five numbers for four settings (2, 5e-5, 128, 64, 2048): 64 is ignored here.
    "sdak": {"epochs": 2, "batch_examples": 128, "learning_rate": 5e-5, "max_tokens": 2048, "patience": 0},
}
_DEFAULTS = {"epochs": 3, "batch_examples": 0, "max_tokens": 2048, "patience": 3}
_RATES = {"lora": 1e-4, "full": 1e-5}  # from LLaMA-Factory's examples, for models of about 7 billion parameters


class Tuning(Block, frozen=True):
    """One line under `tune`, keyed by the resulting model: the model given in `name` is trained further on the train split."""

    method: Literal["full", "lora"] = "lora"
    preset: Literal["cpsyexam", "sdak"] | None = None
    """Settings published in a paper; other keys on this line override them."""
    data: dict[str, Amount] = field(default_factory=lambda: {"claims": 1, "knowledge": 1, "cases": 1, "tcm": 1, "words": 1})
    """Maps each kind to the amount to train on: values up to 1 are shares, larger ones numbers of items."""
    order: Literal["mixed", "listed"] = "mixed"
    """listed: one kind after another, in the order of `data`."""
    seed: int = 1
    rank: Positive = 16
    alpha: Positive = 32
    embeddings: Literal["kept", "learned"] = "kept"
    """Only for lora. learned: the embeddings and the output layer are fully trained and saved with the adapter."""
    epochs: Positive | None = None
    """By default the preset's value, or else 3."""
    learning_rate: Rate | None = None
    """By default the preset's value, or else 0.0001 for lora and 0.00001 for full."""
    batch_tokens: Positive | None = None
    """Maximum number of tokens per step. By default a hundredth of the training data, but at least 1,024 and at most 16,384."""
    batch_examples: Count | None = None
    """Conversations per step, in place of batch_tokens; if this is 0, or None without a preset, batch_tokens is used."""
    max_tokens: Positive | None = None
    """Maximum number of tokens in a row of packed conversations; longer ones are skipped. By default the preset's value, or else 2048."""
    warmup: Share = 0.03
    """Share of the steps over which the learning rate rises."""
    checks: Positive = 10
    """Number of times that the dev loss is measured and a checkpoint saved."""
    patience: Count | None = None
    """Training stops after this many checks without a lower dev loss; 0 disables early stopping. By default the preset's value, or else
    3."""
    activations: Literal["kept", "again"] = "kept"
    """again: recompute activations in the backward pass (gradient checkpointing), which saves memory and takes a third more time."""

    def __post_init__(self) -> None:
        for name, value in (_DEFAULTS | {"learning_rate": _RATES[self.method]} | PRESETS.get(self.preset or "", {})).items():
            if getattr(self, name) is None:
                force_setattr(self, name, value)
        if self.embeddings == "learned" and self.method == "full":
            raise ValueError("embeddings: learned applies only to method lora; full tuning always trains them; remove it")
        if not self.data or not any(self.data.values()):
            raise ValueError("data: nothing to train on; name a kind with an amount above 0, such as {claims: 1}")


class Sweep(Block, frozen=True):
    """One line under `sweeps`: a model is tuned on each kind and amount of data with each seed, and evaluated in each run."""

    model: Slug
    """A key of `models`: the model to tune."""
    kinds: list[str]
    amounts: list[Amount]
    """As in `data` of Tuning; 0 stands for the untuned model, or for the model tuned only on `always`."""
    seeds: list[int]
    runs: list[Slug]
    """Keys of `runs` to evaluate on each tuned model; the model named in the run is ignored."""
    always: dict[str, Amount] = field(default_factory=dict)
    """Data added to each kind, such as general conversations (SdAK, section 5.3)."""
    tune: dict[str, Any] = field(default_factory=dict)
    """Other keys of Tuning, the same for all models."""

    def __post_init__(self) -> None:
        for name in ("kinds", "amounts", "seeds", "runs"):
            if not getattr(self, name):
                raise ValueError(f"{name}: found []; expected at least one")
            if twice := [one for index, one in enumerate(getattr(self, name)) if one in getattr(self, name)[:index]]:
                raise ValueError(f"{name}: {twice[0]} is listed twice; remove one")
        if self.kinds and (both := sorted(set(self.kinds) & self.always.keys())):
            raise ValueError(f"{both[0]} is in `kinds` and in `always`; data that is always added has no amounts to compare")
        if unused := sorted(self.tune.keys() & {"data", "seed"}):
            raise ValueError(f"tune: {unused[0]} is varied by the sweep; remove it")


Contained = Annotated[float, Meta(gt=0, le=1)]
VERSION = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\Z"


class Quota(Block, frozen=True):
    """Number of questions of each type that one exam contributes to test, and again to reserved."""

    mcqa: Count = 0
    mrqa: Count = 0
    qa: Count = 0
    tf: Count = 0
    blank: Count = 0


class Split(Block, frozen=True):
    seed: int
    quota: Quota
    tcm_per_subject: Count
    """Number of TCM questions per subject and form in test, with as many again in reserved (TCMBench: at most 100)."""
    train_floor: Count
    """Minimum number of questions of each subject and type in train, needed for few-shot examples."""
    dev_share: Share
    """Share of the questions outside test and reserved that go to dev."""
    balance: Literal["fill", "strict"]
    """What to do if an exam cannot fill its quota: fill keeps the quotas of the others, strict lowers all of them to what every exam can
    fill."""
    claim_test_share: Share
    """Share of heads (diseases, medicines, …) whose claims go to test; 1.0 follows the paper."""
    claim_reserved_share: Share


class Leaks(Block, frozen=True):
    contained: Contained = 0.95
    """A text reveals a question if it contains at least this share of the question's n-grams."""
    contaminated: Literal["mark", "block"] = "mark"
    """What to do with questions that a reference contains: mark lists them, block also stops the pipeline."""


class SplitFlags(Split, frozen=True):
    """Flags of the stage `split`: its own block and the threshold of `leaks`, so that `split` can group the questions that the check would
    report."""

    contained: Contained = 0.95


NAME = r"^[^\W\d_]([\w ()（）·.+-]*[\w)）])?\Z"
"""Name of a data set: one line that needs no quotes in YAML and no escapes in Markdown."""


class Release(Block, frozen=True):
    version: Annotated[str, Meta(pattern=VERSION)]
    name: Annotated[str, Meta(pattern=NAME)] = "AtomExam"
    description: Annotated[str, Meta(pattern=r"^\w.*\Z")] | None = None
    """What the data set contains, as the beginning of a sentence; by default questions or facts, depending on the data."""
    licence: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9.-]*\Z")] | None = None
    """Licence of all records, as a Hugging Face Hub identifier; without one, the terms of each source apply."""
