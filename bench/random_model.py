"""Generated claims and questions, and models of random weights drawn on their device; nothing is downloaded or loaded."""

import json
from pathlib import Path
from random import Random
from typing import Any

CHARACTERS = "白黄青参术苓草芍归芎地桂麻杏石甘连翘银花柴胡半夏陈皮枳实厚朴大附子干姜细辛五味防风荆芥"
# As in bench/predict.py; a vocabulary of 0 stands for the tokenizer's.
SHAPES = {"tiny": (2, 64, 128, 4, 2, 3000), "learner": (4, 256, 1024, 4, 4, 0), "tiny learner": (2, 64, 256, 4, 4, 0)}


def device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def claim_requests(count: int, seed: int = 1) -> list[Any]:
    """Return this many generated claims as requests, half of them denied."""
    from atomexam.records.claim import ClaimPair, claim_id
    from eval.tasks.runs import TASKS

    draw = Random(f"{seed}/claims")
    pairs = []
    for _ in range(-(-count // 2)):
        drug, disease = (f"{''.join(draw.choices(CHARACTERS, k=draw.randint(2, 5)))}{end}" for end in ("汤", "证"))
        lead = draw.choice(
            ["", "一般来说，", "根据教科书的记载和临床上的常见做法，", f"对于{''.join(draw.choices(CHARACTERS, k=9))}的患者，"]
        )
        said, denied = f"{lead}{drug}可以用于治疗{disease}。", f"{lead}{drug}不可以用于治疗{disease}。"
        pairs.append(
            ClaimPair(
                id=claim_id(said, denied), atomic_type="chinese_medicine_effect", head=drug, tail=disease, factual=said,
                non_factual=denied, template_id="bench", fact_ids=[], provenance=[],
            )
        )  # fmt: skip
    return TASKS["claim"].requests([], pairs, "claim")[:count]


def choice_requests(count: int, shots: int) -> list[Any]:
    """Return this many generated single-choice questions of four subjects as requests with examples."""
    from atomexam.records.question import Option, Question, question_id
    from eval.tasks.runs import TASKS
    from eval.tasks.shots import from_pools, pools_of

    draw = Random("1/choices")
    questions = []
    for number in range(count + 4 * shots):
        texts = ["".join(draw.choices(CHARACTERS, k=draw.randint(3, 12))) for _ in range(4)]
        stem = f"下列哪一项最符合{''.join(draw.choices(CHARACTERS, k=draw.randint(8, 40)))}的表现（ ）"
        questions.append(
            Question(
                id=question_id(None, stem, texts), exam="PCE", subject=f"方剂学{'一二三四'[number % 4]}", question_type="mcqa", stem=stem,
                options=[Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=True)],
                answer=draw.choice("ABCD"), provenance=[],
            )
        )  # fmt: skip
    task = TASKS["choice"]
    pools = pools_of(task.requests(questions[: 4 * shots], [], task.prompts[0]))
    return from_pools(task.requests(questions[4 * shots :], [], task.prompts[0]), pools, shots)


def make_tokenizer(size: int) -> Any:
    """Return a tokenizer of the generated texts with a vocabulary of at least `size`, so that each token of a model has a text."""
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    from eval.finetune import training_data
    from eval.finetune.__main__ import chat_template

    texts = training_data.conversation_texts([*claim_requests(2000), *choice_requests(200, 0)])
    content = json.loads(training_data.byte_pairs(texts, 1500).to_str())
    vocabulary = content["model"]["vocab"]
    vocabulary |= {token["content"]: token["id"] for token in content["added_tokens"]}
    vocabulary |= {f"x{number}": number for number in range(max(vocabulary.values()) + 1, size)}
    made = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(content)),
        eos_token=training_data.END_OF_TURN,
        pad_token=training_data.END_OF_TEXT,
        clean_up_tokenization_spaces=False,
    )
    made.chat_template = chat_template()
    return made


def write_config(shape: str, dtype: str, folder: Path) -> Any:
    """Write the configuration and tokenizer of a Qwen2 without weights; return the tokenizer."""
    from transformers import Qwen2Config

    from bench import predict as benchmark

    layers, hidden, intermediate, heads, key_values, vocabulary = (SHAPES | benchmark.SHAPES)[shape]
    tokenizer = make_tokenizer(vocabulary)
    config = Qwen2Config(
        vocab_size=vocabulary or len(tokenizer),
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=key_values,
        max_position_embeddings=131072,
        initializer_range=0.02 if vocabulary else hidden**-0.5,  # docs/decisions/0016-first-weights-by-width.md
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        dtype=dtype,
        architectures=["Qwen2ForCausalLM"],
    )
    config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return tokenizer


class RandomWeights:
    """Replacement for AutoModelForCausalLM that draws weights on their device instead of loading them."""

    @staticmethod
    def from_pretrained(path: Path, dtype: Any, **_: Any) -> Any:
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM

        torch.manual_seed(1)
        with torch.device(device()):
            return AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(path), dtype=dtype)


def random_backend(shape: str, folder: Path) -> Any:
    """Return the backend `huggingface` with a model of random weights."""
    from atomexam.records.model import Description
    from eval.backends import open_backend
    from eval.models.local import huggingface

    write_config(shape, "bfloat16", folder)
    huggingface.AutoModelForCausalLM = RandomWeights
    return open_backend(Description(model="bench", backend="huggingface", name=str(folder)), folder)
