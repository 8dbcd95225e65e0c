"""Toy tokenizers with chat templates built as those of known families are: what begins and ends a turn, and what stands before a reply."""

from typing import Any, NamedTuple

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

_CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_LLAMA3 = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n{{ m.content | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
# An empty thought stands before the last reply alone; the second kind also begins one in the prompt.
_QWEN3 = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.role == 'assistant' and loop.last %}<think>\n\n</think>\n\n{% endif %}{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_QWEN3_ALWAYS = _QWEN3.replace("<|im_start|>assistant\n{% endif %}", "<|im_start|>assistant\n<think>\n{% endif %}")
_GEMMA = (
    "{{ bos_token }}{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}{% for m in messages %}"
    "<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n{{ m.content | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
_MISTRAL = (
    "{{ bos_token }}{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}{% for m in messages %}"
    "{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% else %} {{ m.content }}{{ eos_token }}{% endif %}{% endfor %}"
)

# What a reply is said on stands before its words and not in the prompt; the last one ends otherwise than those before it.
_HARMONY = (
    "{% for m in messages %}<|start|>{{ m.role }}{% if m.role == 'assistant' %}<|channel|>final{% endif %}<|message|>{{ m.content }}"
    "{{ '<|return|>' if m.role == 'assistant' and loop.last else '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant{% endif %}"
)


class Family(NamedTuple):
    """What makes the template of a family."""

    template: str | None
    specials: tuple[str, ...]
    bos: str | None
    eos: str
    lead: str
    """What stands before a reply's words in what is learned."""
    end: str
    learns_all: bool = True
    """Each reply of a conversation, not the last alone."""


FAMILIES = {
    "chatml": Family(_CHATML, ("<|im_start|>", "<|im_end|>"), None, "<|im_end|>", "", "<|im_end|>"),
    "llama3": Family(
        _LLAMA3, ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"), "<|begin_of_text|>", "<|end_of_text|>", "", "<|eot_id|>"
    ),
    "qwen3": Family(_QWEN3, ("<|im_start|>", "<|im_end|>"), None, "<|im_end|>", "", "<|im_end|>"),
    "qwen3_always": Family(_QWEN3_ALWAYS, ("<|im_start|>", "<|im_end|>"), None, "<|im_end|>", "\n</think>\n\n", "<|im_end|>", False),
    "gemma": Family(_GEMMA, ("<start_of_turn>", "<end_of_turn>"), "<bos>", "<eos>", "", "<end_of_turn>"),
    "mistral": Family(_MISTRAL, ("[INST]", "[/INST]"), "<s>", "</s>", " ", "</s>"),
    "harmony": Family(
        _HARMONY,
        ("<|start|>", "<|channel|>", "<|message|>", "<|end|>"),
        None,
        "<|return|>",
        "<|channel|>final<|message|>",
        "<|return|>",
        False,
    ),
    "base": Family(None, (), "<s>", "</s>", "", "</s>", False),
}


def tokenizer_of(name: str) -> Any:
    """Return a tokenizer of bytes with the control tokens and the template of a family."""
    family = FAMILIES[name]
    alphabet = {letter: place for place, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    core = Tokenizer(models.BPE(vocab=alphabet, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token=family.eos,
        bos_token=family.bos,
        additional_special_tokens=list(family.specials),
        clean_up_tokenization_spaces=False,
    )
    made.chat_template = family.template
    return made
