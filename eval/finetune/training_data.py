"""Training data for models trained from scratch: plain texts, and the evaluation's conversations with correct replies."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from statistics import mean
from typing import Any, NamedTuple

from msgspec import structs
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from atomexam.records.claim import ClaimPair, Passage
from atomexam.records.question import Question
from atomexam.text.option_letters import LETTERS
from eval.tasks.prompt import render, token_ids, without_control_tokens
from eval.tasks.request import Request, conversation, following
from eval.tasks.runs import TASKS

SPECIAL_TOKENS = END_OF_TEXT, _, END_OF_TURN = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
IGNORED = -100  # torch's cross entropy ignores these targets
_BLOCK_TOKENS = 256
_TURNS = (1, 2, 6)  # questions per conversation: alone, as in zero-shot, or after up to five shots
_SINGLE_TURN_TYPES = ("claim", "qa")
_TASKS_BY_READER = {"claim": "claim", "mcqa": "choice", "mrqa": "choice", "qa": "essay", "tcm": "tcm"}
# Option letters and the marks of answer formats are single tokens, so that a small model learns them from few examples.
_ATOMS = ("答案：", "【答案】", "【解析】", "<eoa>", "<eoe>", "<coas>", "<coe>", *LETTERS)
# Qwen2's pre-tokenizer; the library replaces any other with it when it loads a Qwen2 model.
_PIECES = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


class TrainingExample(NamedTuple):
    """Token ids, and the target id of each token, or -100 if it is not a target."""

    ids: list[int]
    targets: list[int]


def curve(losses: Sequence[float], digits: int) -> list[float]:
    """Average a loss curve to at most twenty points."""
    size = -(-len(losses) // 20) or 1
    return [round(mean(losses[start : start + size]), digits) for start in range(0, len(losses), size)]


def plain_texts(passages: Iterable[Passage], claims: Iterable[ClaimPair]) -> list[str]:
    """Return the true texts, which are passages and factual claims, sorted."""
    return sorted({passage.text for passage in passages} | {pair.factual for pair in claims})


def known_requests(questions: Sequence[Question], claims: Sequence[ClaimPair]) -> list[Request]:
    """Return the requests of the trained tasks that have known answers, in all wordings; the solution is the shortest reply in the required
    format.

    A request that follows another one includes the earlier question and its correct reply.
    """
    solved_requests = []
    for task in map(TASKS.__getitem__, dict.fromkeys(_TASKS_BY_READER.values())):
        for prompt in task.prompts:
            requests = {request.item_id: request for request in task.requests(questions, claims, prompt) if request.answer is not None}
            solved = {item: structs.replace(one, solution=one.reply(one.answer or "")) for item, one in requests.items()}
            solved_requests += [_with_history(request, solved) for request in solved.values() if _reached(request, solved)]
    return solved_requests


def _reached(request: Request, solved: Mapping[str, Request]) -> bool:
    """Return whether all requests before this one in its conversation have a known answer."""
    return request.follows is None or (request.follows in solved and _reached(solved[request.follows], solved))


def _with_history(request: Request, solved: Mapping[str, Request]) -> Request:
    if request.follows is None:
        return request
    before = _with_history(solved[request.follows], solved)
    return structs.replace(following(request, before, before.solution or ""), follows=None)


def epoch_requests(requests: Sequence[Request], per_task: int, seed: int, epoch: int) -> list[Request]:
    """Return at most `per_task` items of each task; successive epochs cycle through a task's shuffled items.

    An item uses one wording per cycle and the next wording in the next cycle, so several wordings take no more time than one.
    """
    by_task: dict[str, dict[str, list[Request]]] = {}
    for request in requests:
        by_task.setdefault(_TASKS_BY_READER[request.reader], {}).setdefault(request.item_id, []).append(request)
    chosen: list[Request] = []
    for task in sorted(by_task):
        items = list(by_task[task].values())
        Random(f"{seed}/{task}").shuffle(items)
        size = min(per_task, len(items))
        for number in range(epoch * size, (epoch + 1) * size):
            around, index = divmod(number, len(items))
            chosen.append(items[index][(around + index) % len(items[index])])
    return chosen


def conversations(requests: Sequence[Request], seed: int, epoch: int) -> list[list[Request]]:
    """Return an epoch's requests in order, with choice questions of one pool and wording grouped into conversations of 1, 2 or 6."""
    draw = Random(f"{seed}/conversations/{epoch}")
    pools: dict[tuple[str, str], list[Request]] = {}
    for request in requests:
        pools.setdefault((request.pool, request.answer_format), []).append(request)
    chunks = []
    for pool in sorted(pools):
        members = draw.sample(pools[pool], len(pools[pool]))
        while members:
            size = 1 if members[0].question_type in _SINGLE_TURN_TYPES else draw.choice(_TURNS)
            chunks.append(members[:size])
            members = members[size:]
    draw.shuffle(chunks)
    return chunks


def text_examples(tokenizer: Any, texts: Sequence[str], most_tokens: int, seed: int) -> list[TrainingExample]:
    """Return the texts, each followed by the end-of-text token, in shuffled blocks of at most `most_tokens` in total."""
    stream: list[int] = []
    # Text that spells a control token is still tokenized as text.
    for ids in tokenizer(list(texts), add_special_tokens=False, split_special_tokens=True)["input_ids"] if texts else []:
        stream += [*ids, tokenizer.convert_tokens_to_ids(END_OF_TEXT)]
    blocks = [stream[start : start + _BLOCK_TOKENS] for start in range(0, len(stream), _BLOCK_TOKENS)]
    Random(f"{seed}/blocks").shuffle(blocks)
    return [TrainingExample(block, block) for block in blocks[: most_tokens // _BLOCK_TOKENS]]


def prompt_example(tokenizer: Any, chunk: Sequence[Request]) -> TrainingExample:
    """Return a conversation as in evaluation, each reply tokenized separately from its prompt; only the replies are targets."""
    ids: list[int] = []
    targets: list[int] = []
    rendered = ""
    for index, request in enumerate(chunk):
        prompt = render(tokenizer, conversation(chunk[: index + 1]))
        reply = f"{without_control_tokens(tokenizer, request.solution or '', 'assistant')}{END_OF_TURN}"
        prompt_ids, reply_ids = token_ids(tokenizer, [prompt.removeprefix(rendered), reply])
        ids += prompt_ids + reply_ids
        targets += [IGNORED] * len(prompt_ids) + reply_ids
        rendered = prompt + reply
    return TrainingExample(ids, targets)


def batches_of(examples: Sequence[TrainingExample], max_examples: int, most_tokens: int) -> list[list[TrainingExample]]:
    """Group examples of similar length into batches; an example longer than a batch gets a batch of its own."""
    batches: list[list[TrainingExample]] = []
    for example in sorted(examples, key=lambda example: len(example.ids)):
        size = len(batches[-1]) + 1 if batches else 1
        if batches and size <= max_examples and len(example.ids) * size <= most_tokens:
            batches[-1].append(example)
        else:
            batches.append([example])
    return batches


def conversation_texts(requests: Sequence[Request]) -> list[str]:
    """Return the texts that the tokenizer is trained on: contents, solutions and role names of the conversations."""
    texts = []
    for request in requests:
        texts += [request.solution or "", *(text for message in request.messages for text in message.values())]
    return texts


def byte_pairs(texts: Sequence[str], vocab_size: int) -> Tokenizer:
    """Train a byte-level BPE tokenizer on texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(_PIECES), behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([AddedToken(atom, normalized=False) for atom in _ATOMS])
    return tokenizer
