"""Tuning a model further: the same bytes every time, also after a kill; nothing held is learned; adapters are opened over their base."""

import itertools
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec import structs
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MambaConfig, MambaForCausalLM

from atomexam.records.blocks import PRESETS, Tuning
from atomexam.records.checks import convert
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Option, Question
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from eval.backends import open_backend
from eval.models.local.weights import content_hash
from eval.plan import main as plan
from eval.tune import __main__ as stage
from eval.tune import training
from eval.tune.__main__ import main, tune
from eval.tune.held_out import HeldOut
from eval.tune.training import supports_packing
from eval.tune.training_set import TrainingSet, dev_examples, kinds_in, read_dialogues
from tests.eval.tuning import ALONE, QUICK, ROOT, SHAPE, base_of, digests, places_of, tuned

pytestmark = pytest.mark.slow


def copied(toy_data: Path, folder: Path) -> Path:
    return Path(shutil.copytree(toy_data, folder / "data"))


@pytest.mark.parametrize(("method", "embeddings"), [("lora", "kept"), ("full", "kept")])
def test_two_tunings_give_the_same_bytes(method: str, embeddings: str, toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    how = {"method": method, "embeddings": embeddings}
    first = tuned(toy_models, toy_data, tmp_path / "a", **how)
    (tmp_path / "b.part").mkdir()
    (tmp_path / "b.part" / "half").write_bytes(b"of a killed run")
    (tmp_path / "b.kept" / "checkpoint-1").mkdir(parents=True)  # of another training
    assert tuned(toy_models, toy_data, tmp_path / "b", **how) == first
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == ["a", "b"]
    assert ("adapter_model.safetensors" in digests(tmp_path / "a")) is (method == "lora")
    assert first["trained_parameters"] < first["parameters"] if method == "lora" else first["trained_parameters"] == first["parameters"]
    assert first["packed"] and first["dev_loss"] and len(first["dev"]) == len({step for step, _ in first["dev"]}) >= 3


@pytest.mark.parametrize("method", ["lora", "full"])
def test_packing_and_checkpointing_change_no_loss(
    method: str, toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of several conversations, one row a conversation, and activations computed again: the same steps of the same examples."""
    settings = {"method": method, "learning_rate": 0.01, "batch_tokens": 600}
    packed = tuned(toy_models, toy_data, tmp_path / "packed", **settings)
    again = tuned(toy_models, toy_data, tmp_path / "again", activations="again", **settings)
    monkeypatch.setattr(training, "supports_packing", lambda model: False)
    alone = tuned(toy_models, toy_data, tmp_path / "alone", **settings)
    assert packed["packed"] and not alone["packed"] and packed["steps"] == alone["steps"] > 1
    assert alone["loss"] == pytest.approx(packed["loss"], abs=2e-4)
    assert again["loss"] == pytest.approx(packed["loss"], abs=2e-4)


def test_what_was_made_of_the_same_is_kept(toy_models: Path, toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    first = tuned(toy_models, toy_data, tmp_path / "a")
    made = (tmp_path / "a" / "adapter_model.safetensors").stat().st_mtime_ns
    assert tuned(toy_models, toy_data, tmp_path / "a") == first
    assert (tmp_path / "a" / "adapter_model.safetensors").stat().st_mtime_ns == made
    assert "reused" in capsys.readouterr().err
    whole = digests(tmp_path / "a")
    os.truncate(tmp_path / "a" / "adapter_model.safetensors", 100)  # by a loss of power
    assert tuned(toy_models, toy_data, tmp_path / "a") == first
    assert digests(tmp_path / "a") == whole
    assert tuned(toy_models, toy_data, tmp_path / "a", seed=2)["weights"] != first["weights"]


LAUNCHERS = {
    "torchrun": ["torch.distributed.run", "--nproc-per-node", "2", "--standalone"],
    # multi_gpu starts several processes without a GPU, too; with --cpu the launcher starts one
    "accelerate": ["accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"],
}


@pytest.fixture(scope="module")
def alone(toy_models: Path, toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Figures of a tuning in one process."""
    return tuned(toy_models, toy_data, tmp_path_factory.mktemp("alone") / "one", batch_tokens=3000)


@pytest.mark.parametrize("launched", LAUNCHERS)
def test_two_processes_have_the_same_loss_curve(launched: str, alone: dict, toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    words = [str(toy_models), str(toy_data), str(tmp_path / "two"), json.dumps({"batch_tokens": 3000})]
    script = tmp_path / "tuning.py"
    script.write_text(f"{ALONE}\nimport os; print('one of', os.environ['WORLD_SIZE'], file=sys.stderr)\n")
    launcher = [sys.executable, "-m", *LAUNCHERS[launched], str(script), *words]
    done = subprocess.run(launcher, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr.count("one of 2") == 2
    together = json.loads((tmp_path / "two" / "made.jsonl").read_bytes())["figures"]
    assert together["loss"] == pytest.approx(alone["loss"], abs=2e-3)
    assert together["dev_loss"] == pytest.approx(alone["dev_loss"], abs=2e-3)


def test_nothing_held_is_learned(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    """Looked for in the tokens themselves: questions that stand in passages and conversations of people's own, and claims in train."""
    data = copied(toy_data, tmp_path)
    test = data / "splits" / "test"
    question = next(row for row in read_jsonl(test / "questions.jsonl", Question) if row.options)
    pair = next(iter(read_jsonl(test / "claims.jsonl", ClaimPair)))
    (data / "dialogues").mkdir()
    asked = "\n".join([question.stem, *(option.text for option in question.options)])
    rows = [
        {"instruction": asked, "output": "A"},
        {"instruction": "你好", "input": "", "output": f"据说{pair.non_factual}。"},
        {"conversations": [{"from": "human", "value": "你好"}, {"from": "gpt", "value": "您好"}]},
        {"instruction": question.stem[:3], "output": "不明白"},
    ]
    (data / "dialogues" / "distilled.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    with open(data / "passages.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "q", "text": f"{pair.head}者，{pair.tail}。", "source": "toy", "url": "https://example.com"}) + "\n")
    kinds = {"claims": 1, "distilled": 1, "passages": 1, "knowledge": 1, "tcm": 1, "words": 1}
    tokenizer = AutoTokenizer.from_pretrained(toy_models / "toy")
    training_set = TrainingSet(tokenizer, Tuning(**QUICK | {"data": kinds, "max_tokens": 4000}), places_of(data), "here")
    read = [tokenizer.decode(example.ids) for example in training_set.examples()]
    assert training_set.items["distilled"] == 2 and training_set.left_out["distilled"]["held"] == 2
    assert training_set.left_out["passages"]["held"] == 1 and training_set.items["passages"] == 40
    assert not [text for text in read if pair.factual in text or pair.non_factual in text or question.stem in text]
    assert any("您好" in text for text in read)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Every conversation or text that a model is given while it trains, in turn, taken at its door and cut where positions begin anew."""
    found: list[list[int]] = []
    opened = training.open_base

    def open_watched(*args: Any) -> Any:
        def watch(module: Any, args: Any, inputs: dict[str, Any]) -> None:
            if module.training:
                for ids, places in zip(inputs["input_ids"].tolist(), inputs["position_ids"].tolist(), strict=True):
                    starts = [*(number for number, place in enumerate(places) if place == 0), len(ids)]
                    found.extend(ids[start:end] for start, end in itertools.pairwise(starts))

        model = opened(*args)
        model.register_forward_pre_hook(watch, with_kwargs=True)
        return model

    monkeypatch.setattr(training, "open_base", open_watched)
    return found


def test_what_the_model_is_given_holds_nothing_of_test_or_reserved(
    toy_models: Path, toy_data: Path, tmp_path: Path, given: list[list[int]]
) -> None:
    """Looked for by other means than those that choose: in the text of all that the model reads, every held claim, name and question."""
    data = copied(toy_data, tmp_path)
    held_out = [tuple(read_jsonl(data / "splits" / name / "claims.jsonl", ClaimPair)) for name in ("test", "reserved")]
    questions = [row for name in ("test", "reserved") for row in read_jsonl(data / "splits" / name / "questions.jsonl", Question)]
    pairs = [pair for claims in held_out for pair in claims]
    (data / "dialogues").mkdir()
    rows = [{"instruction": f"{pair.factual}吗？", "output": "是的。"} for pair in pairs] + [{"instruction": "你好", "output": "您好"}]
    (data / "dialogues" / "own.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    with open(data / "passages.jsonl", "a", encoding="utf-8") as file:
        for pair in pairs:
            text = f"{pair.head}的病人多有{pair.tail}。"
            file.write(json.dumps({"id": f"p{pair.id}", "text": text, "source": "toy", "url": "https://example.com"}) + "\n")
    kinds = {"claims": 1, "knowledge": 1, "tcm": 1, "words": 1, "passages": 1, "own": 1}
    tuned(toy_models, data, tmp_path / "m", data=kinds, max_tokens=4000, batch_tokens=4000, activations="again")
    tokenizer = AutoTokenizer.from_pretrained(toy_models / "toy")
    read = [tokenizer.decode(ids) for ids in given]
    assert len(read) > 50 and any("您好" in text for text in read) and any("多见于老人" in text for text in read)
    names = [name for pair in pairs for name in (pair.head, pair.factual, pair.non_factual)] + [row.stem for row in questions]
    assert not [(name, text) for name in names for text in read if name in text]
    learned = {row["item_id"] for row in read_jsonl(tmp_path / "m" / "learned.jsonl", dict)}
    kin = {key for pair in pairs for key in (pair.id, f"{pair.id}/factual")} | {key for row in questions for key in (row.id, row.group_id)}
    assert not learned & kin


def test_what_was_learned_is_what_the_kept_weights_have_read(
    toy_models: Path, toy_data: Path, tmp_path: Path, given: list[list[int]]
) -> None:
    """Not what was planned: training ends early, and the weights of an earlier step are kept."""
    settings = {"learning_rate": 3.0, "warmup": 0.0, "checks": 30, "patience": 1, "epochs": 3, "data": {"claims": 1, "words": 1}}
    figures = tuned(toy_models, toy_data, tmp_path / "m", **settings)
    assert figures["best_step"] < figures["steps"] < figures["planned_steps"]
    learned = list(read_jsonl(tmp_path / "m" / "learned.jsonl", dict))
    assert sum(row["tokens"] for row in learned) == figures["tokens"] < sum(map(len, given))
    assert sum(row["times"] for row in learned) == sum(kind["lessons"] for kind in figures["data"].values()) < len(given)


def test_a_row_that_was_not_chosen_stops_the_training(
    toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should a library deal out rows in another way than it was given them."""
    made = training._tensors
    monkeypatch.setattr(training, "_tensors", lambda rows: made([{name: list(reversed(row[name])) for name in row} for row in rows]))
    with pytest.raises(RuntimeError, match=r"step 1 has a row of \d+ tokens that was not planned for it"):
        tuned(toy_models, toy_data, tmp_path / "m")


def test_the_shortest_names_are_looked_for_too(tmp_path: Path) -> None:
    """A disease may be one character long, and a stem three: 痔 had passages with its causes learned."""
    options = [Option(letter="A", text="反映"), Option(letter="B", text="活动")]
    question = Question(id="q-1", exam="PCE", subject="甲", question_type="mcqa", stem="心理是", options=options, answer="A", provenance=[])
    words = {"head": "痔", "tail": "久坐", "factual": "痔的病因包括久坐", "non_factual": "痔的病因不包括久坐"}
    pair = ClaimPair(id="claim-1", atomic_type="disease_cause", template_id="t/0", fact_ids=[], provenance=[], **words)
    for name in ("test", "reserved"):
        write_jsonl(tmp_path / name / "questions.jsonl", [question], key=lambda row: row.id)
        write_jsonl(tmp_path / name / "claims.jsonl", [pair], key=lambda row: row.id)
    held_out = HeldOut(tmp_path)
    assert held_out.mentions_fact_in("长期便秘和久坐会加重痔的发作。") and not held_out.mentions_fact_in("久坐会使静脉回流受阻。")
    assert held_out.is_contained_in("心理是（ ）。A. 反映 B. 活动") and not held_out.is_contained_in("心理是反映")


def test_conversations_are_read_in_both_layouts(tmp_path: Path) -> None:
    turns = [{"from": "system", "value": "s"}, {"from": "human", "value": "问"}, {"from": "gpt", "value": "答"}]
    rows = [
        {"conversations": turns},
        {"messages": [{"role": "user", "content": "问"}, {"role": "assistant", "content": "答"}, {"role": "user", "content": "无人答"}]},
        {"system": "s", "instruction": "问", "input": "", "output": "答"},
        {"instruction": "问", "input": "细节", "output": "答", "history": [["早", "好"]]},
    ]
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.json").write_text(json.dumps(rows), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "README.md").touch()
    assert {kind: len(files) for kind, files in kinds_in(tmp_path).items()} == {"a": 1, "b": 1}
    read = list(read_dialogues(tmp_path / "a" / "one.json"))
    said = ["".join(turn["content"] for turn in messages) for _, messages in read]
    assert said == ["s问答", "问答", "早好问\n细节答"]  # the third says what the first does
    assert [messages for _, messages in read_dialogues(tmp_path / "b.jsonl")] == [messages for _, messages in read]
    for name in ("a/one.json", "b.jsonl"):  # as Windows writes them
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + (tmp_path / name).read_bytes())
        assert [messages for _, messages in read_dialogues(tmp_path / name)] == [messages for _, messages in read]


@pytest.mark.parametrize(("text", "told"), [
    ('[{"question": "x"}]', r"row 1: found question; expected `conversations`"),
    ("[3]", "row 1: found 3; expected"),
    ('[{"conversations": [{"from": "gpt", "value": "x"}]}]', "row 1: found turns of gpt; expected alternating user and assistant"),
    ('[{"conversations": [{"from": "human", "value": "x"}, {"from": "tool", "value": "x"}]}]', "row 1: found turns of human, tool"),
    ('[{"instruction": "x", "output": 3}]', "row 1: found turns of user, assistant; expected"),
    ('[{"instruction": 3, "input": 4, "output": "x"}]', "row 1: found turns of user, assistant; expected .* none empty"),
    ('[{"instruction": "x", "output": "y", "history": 3}]', "row 1: history 3; expected pairs of question and reply"),
    ('[{"instruction": "x", "output": "y", "history": [["z"]]}]', r"row 1: history \[\['z'\]\]; expected pairs"),
    ('[{"conversations": []}]', "row 1: found turns of nobody"),
    ("{", "expected a JSON list of conversations, or one per line"),
])  # fmt: skip
def test_a_wrong_conversation_is_named(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=told):
        list(read_dialogues(tmp_path / "a.json"))


def test_train_that_is_kin_to_test_stops_the_training(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    data = copied(toy_data, tmp_path)
    claims = [next(iter(read_jsonl(data / "splits" / name / "claims.jsonl", ClaimPair))) for name in ("train", "test")]
    crossing = structs.replace(claims[0], head=claims[1].head)
    write_jsonl(data / "splits" / "train" / "claims.jsonl", [crossing], key=lambda row: row.id)
    with pytest.raises(ValueError, match="is related to test or reserved through 病"):
        tuned(toy_models, data, tmp_path / "m")


def test_more_holds_what_less_does_and_the_seed_draws(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_models / "toy")

    def items(amount: float, seed: int = 1) -> set[str]:
        training_set = TrainingSet(tokenizer, Tuning(**QUICK | {"data": {"claims": amount}, "seed": seed}), places_of(toy_data), "here")
        return {example.item_id for example in training_set.examples()}

    assert len(items(0.25)) == 6 and items(0.25) < items(0.5) < items(1) and len(items(5)) == 10
    for chosen in (items(0.25), items(5)):  # whole pairs: one side tells what the other says
        assert {item.partition("/")[2] for item in chosen} == {"factual", "non_factual"}
        assert all(count == 2 for count in Counter(item.partition("/")[0] for item in chosen).values())
    assert items(0.5) != items(0.5, 2)
    assert len(items(0.001)) == 2  # a little is not nothing: in a sweep it would be the model as it is


def test_checks_read_no_more_of_dev_than_the_training_has(toy_models: Path, toy_data: Path) -> None:
    tokenizer, tuning = AutoTokenizer.from_pretrained(toy_models / "toy"), Tuning(**QUICK | {"checks": 2})
    sizes = [
        {example.item_id: len(example.ids) for example in dev_examples(tokenizer, tuning, toy_data / "splits", tokens)}
        for tokens in (1, 400, 10**6)
    ]
    assert list(map(len, sizes)) == sorted(map(len, sizes)) and sizes[0].keys() < sizes[1].keys() < sizes[2].keys()
    assert 2 * sum(sizes[1].values()) <= 400
    for one in sizes:  # whole pairs: the share of each verdict stays
        assert one and all(count == 2 for count in Counter(item.partition("/")[0] for item in one).values())


def test_a_long_training_says_how_long(
    toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    tuned(toy_models, toy_data, tmp_path / "short")
    assert "tokens/s" not in capsys.readouterr().err
    seconds = itertools.count(0, 30)
    monkeypatch.setattr(training.time, "monotonic", lambda: next(seconds))
    figures = tuned(toy_models, toy_data, tmp_path / "long")
    told = re.search(
        r"tuning: ([\d,]+) tokens in (\d+) steps, checks of [\d,]+, \d+ tokens/s: about [\d,]+ minutes", capsys.readouterr().err
    )
    assert told and int(told[2]) == figures["planned_steps"] and int(told[1].replace(",", "")) < figures["tokens"]


def test_more_than_there_is_is_said(toy_models: Path, toy_data: Path, capsys: pytest.CaptureFixture) -> None:
    """A curve over amounts would go on with models that are one."""
    tokenizer = AutoTokenizer.from_pretrained(toy_models / "toy")
    TrainingSet(tokenizer, Tuning(**QUICK | {"data": {"claims": 20000, "words": 1, "cases": 0.5}}), places_of(toy_data), "tune.m")
    told = capsys.readouterr().err
    assert "tune.m.data.claims: 20,000 requested, only 12 may be learned" in told
    assert "tune.m.data.cases: no item may be learned" in told and "words" not in told


@pytest.mark.parametrize("amount", [float("inf"), float("nan"), -1, 1e400])
def test_an_amount_is_a_number(amount: float) -> None:
    with pytest.raises(ValueError, match="Expected `float`"):
        convert({"data": {"claims": amount}}, Tuning, "params.yaml: tune.m")


def test_a_type_beside_claims_is_no_part_of_them(toy_models: Path, toy_data: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_models / "toy")

    def items(**data: float) -> dict[str, int]:
        return TrainingSet(tokenizer, Tuning(**QUICK | {"data": data}), places_of(toy_data), "here").items

    assert items(claims=1) == {"claims": 24}
    assert items(claims=1, disease_symptom=0, words=1) == {"claims": 0, "disease_symptom": 0, "words": 1}
    assert items(claims=1, disease_symptom=0.5, disease_cause=0) == {"claims": 0, "disease_symptom": 12, "disease_cause": 0}


def test_kinds_come_in_turn_where_they_are_listed(toy_models: Path, toy_data: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_models / "toy")
    settings = Tuning(**QUICK | {"data": {"words": 1, "disease_symptom": 0.5, "passages": 3}, "order": "listed", "max_tokens": 2000})
    kinds = [example.kind for example in TrainingSet(tokenizer, settings, places_of(toy_data), "here").examples()]
    assert list(dict.fromkeys(kinds)) == ["words", "disease_symptom", "passages"] == sorted(set(kinds), key=kinds.index)
    assert kinds == sorted(kinds, key=["words", "disease_symptom", "passages"].index)


def test_models_that_mix_what_stands_in_a_row_are_found_out(toy_models: Path) -> None:
    torch.manual_seed(1)
    assert supports_packing(LlamaForCausalLM(LlamaConfig(**SHAPE)).eval())
    assert supports_packing(GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=1, n_head=2, vocab_size=64)).eval())
    state = MambaConfig(hidden_size=32, num_hidden_layers=1, vocab_size=64, state_size=4)
    assert not supports_packing(MambaForCausalLM(state).eval())


def test_presets_are_the_settings_of_the_papers() -> None:
    assert sorted(PRESETS) == ["cpsyexam", "sdak"]
    paper = Tuning(preset="cpsyexam", method="full")
    assert (paper.epochs, paper.batch_examples, paper.learning_rate) == (4, 128, 1e-6)
    assert (Tuning().learning_rate, Tuning(method="full").learning_rate) == (1e-4, 1e-5)
    paper = Tuning(preset="sdak", epochs=1)
    assert (paper.epochs, paper.batch_examples, paper.learning_rate, paper.max_tokens) == (1, 128, 5e-5, 2048)


@pytest.mark.parametrize(("change", "message"), [
    ({"data": {"claim": 1}}, r"here\.data .*: unknown kind of data 'claim'; known: .*did you mean claims"),
    ({"data": {"cases": 1}}, "no item of cases in train fits into 400 tokens"),
    ({"max_tokens": 3}, r"no item of claims in train fits into 3 tokens \(claims: 24 items, 24 long\)"),
])  # fmt: skip
def test_wrong_data_are_named(change: dict, message: str, toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message.replace("here", "params.yaml: tune.m")):
        tuned(toy_models, toy_data, tmp_path / "m", **change)


def test_the_stage_tunes_what_finetune_made(
    toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Called as DVC calls it, with the block unpacked into flags; `plan` then knows the weights."""
    monkeypatch.chdir(tmp_path)
    for name in ("splits", "passages.jsonl"):
        Path(name).symlink_to(toy_data / name)
    shutil.copytree(toy_models / "toy", "models/toy")
    lines = {"sft": {"backend": "huggingface", "name": "toy"}, "toy": {"backend": "huggingface"}}
    blocks = {"models": lines, "finetune": {"toy": {}}, "tune": {"sft": {"rank": 3}}, "runs": {}}
    Path("params.yaml").write_text(json.dumps(blocks))
    flags = "--data.claims 0.5 --data.words 1 --epochs 1 --learning_rate 0.001 --max_tokens 400"
    paths = "--splits splits --passages passages.jsonl --dialogues none --models models --out models/sft --metrics sft.json"
    main(["sft", *flags.split(), *paths.split()])
    figures = json.loads(Path("sft.json").read_bytes())
    closing = f"tune sft: {figures['trained_parameters']:,} of {figures['parameters']:,} parameters, {figures['best_step']} of "
    assert capsys.readouterr().err.splitlines()[-1].startswith(closing)
    assert figures["data"]["claims"]["items"] == 12 and figures["method"] == "lora"
    assert json.loads(Path("models/sft/adapter_config.json").read_bytes())["r"] == 3
    plan(["--models", "models", "--out", "plan"])
    base, adapter = content_hash(Path("models/toy")), content_hash(Path("models/sft"))
    assert Path("plan/sft/weights.txt").read_text() == f"files {adapter} over files {base}\n"
    assert figures["weights"] == f"{base}+{adapter}"


def test_what_cannot_be_tuned_is_named(toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty has no config.json; expected a transformers model"):
        tune(structs.replace(base_of(toy_models), name=str(tmp_path / "empty")), Tuning(**QUICK), places_of(toy_data), tmp_path / "m")
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(ValueError, match=r"needs peft, which is not installed; `pip install -e '.\[tune\]'`, or set `method: full`"):
        tuned(toy_models, toy_data, tmp_path / "m")
    with pytest.raises(ValueError, match="embeddings: learned applies only to method lora"):
        Tuning(method="full", embeddings="learned")
    with pytest.raises(ValueError, match="nothing to train on; name a kind with an amount above 0"):
        Tuning(data={"claims": 0})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="unknown model 'm'"):
        main(["m", "--rank", "2"])


def test_another_dev_set_chooses_anew(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    """The weights of the lowest dev loss are kept: what is kept of an older dev set is what no new training would give."""
    data = copied(toy_data, tmp_path)
    first = tuned(toy_models, data, tmp_path / "m")
    claims = list(read_jsonl(data / "splits" / "dev" / "claims.jsonl", ClaimPair))
    write_jsonl(data / "splits" / "dev" / "claims.jsonl", claims[:3], key=lambda row: row.id)
    assert tuned(toy_models, data, tmp_path / "m")["dev"] != first["dev"]
    assert tuned(toy_models, data, tmp_path / "m") == tuned(toy_models, data, tmp_path / "anew")


def test_a_type_that_is_taken_out_chooses_no_weights(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    figures = tuned(toy_models, toy_data, tmp_path / "m", data={"words": 1, "disease_symptom": 0}, max_tokens=2000)
    assert figures["dev"] == tuned(toy_models, toy_data, tmp_path / "n", data={"words": 1}, max_tokens=2000)["dev"]


def test_it_is_tuned_in_the_template_in_which_it_is_asked(toy_models: Path, toy_data: Path, tmp_path: Path, given: list[list[int]]) -> None:
    """With the keys `template` and `chat_template` of its line under `models`."""
    file = tmp_path / "own.jinja"
    file.write_text(
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}<|im_end|>{% endfor %}"
        "{% if add_generation_prompt %}<assistant>{% if quick %}快：{% endif %}{% endif %}"
    )
    about = structs.replace(base_of(toy_models), chat_template=str(file), template={"quick": True})
    tune(about, Tuning(**QUICK), places_of(toy_data), tmp_path / "m")
    backend = open_backend(structs.replace(about, name=str(tmp_path / "m")), tmp_path / "m")
    tokenizer = AutoTokenizer.from_pretrained(toy_models / "toy")
    read = [tokenizer.decode(ids) for ids in given]
    first = next(read_jsonl(toy_data / "splits" / "train" / "claims.jsonl", ClaimPair)).factual
    shown = next(text for text in read if first in text)
    assert shown.startswith("<user>") and shown.endswith("<assistant>快：正确<|im_end|>")
    assert backend.render([{"role": "user", "content": "问"}]) == "<user>问<|im_end|><assistant>快："


def test_a_model_that_is_kept_has_the_counts_of_today(
    toy_models: Path, toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """Of data that change nothing of what is learned: else metrics would not be those of a fresh clone."""
    data = copied(toy_data, tmp_path)
    (data / "dialogues").mkdir()
    pair = next(iter(read_jsonl(data / "splits" / "test" / "claims.jsonl", ClaimPair)))
    rows = [{"instruction": "你好", "output": "您好"}, {"instruction": pair.factual, "output": "是的。"}]
    for size in (1, 2):
        (data / "dialogues" / "own.json").write_text(json.dumps(rows[:size]), encoding="utf-8")
        told = tuned(toy_models, data, tmp_path / "m", data={"own": 1})
    assert "reused" in capsys.readouterr().err and told["data"]["own"]["left_out_held"] == 1
    assert told == tuned(toy_models, data, tmp_path / "anew", data={"own": 1})
    assert digests(tmp_path / "m") == digests(tmp_path / "anew")


SETTINGS: dict[str, Any] = {"epochs": 3, "batch_tokens": 600, "checks": 30, "patience": 3, "data": {"claims": 1, "words": 1}}
# The dev loss rises from the first step on, so that training ends early and an early checkpoint is kept.
STOPPED_EARLY = SETTINGS | {"learning_rate": 3.0, "warmup": 0.0, "patience": 2}


class Killed(BaseException):
    """Nothing catches it, as a signal."""


def left_by(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def killed_after(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next training end right after it has written so many checkpoints."""
    saved = training._OrderedTrainer._save_checkpoint
    count = iter(range(1, 1000))

    def save(self: Any, *args: Any) -> None:
        saved(self, *args)
        if next(count) == number:
            raise Killed

    monkeypatch.setattr(training._OrderedTrainer, "_save_checkpoint", save)


@pytest.fixture(scope="module")
def uncut(toy_models: Path, toy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, str]]:
    """Figures and digests of the training that stops early and that nothing cuts short."""
    folder = tmp_path_factory.mktemp("uncut") / "whole"
    return tuned(toy_models, toy_data, folder, **STOPPED_EARLY), digests(folder)


def test_killed_after_any_checkpoint_a_training_that_stops_early_ends_the_same(
    uncut: tuple[dict[str, Any], dict[str, str]], toy_models: Path, toy_data: Path, tmp_path: Path
) -> None:
    whole, written = uncut
    assert whole["best_step"] < whole["steps"] < whole["planned_steps"]
    for number in range(1, whole["steps"] + 1):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
            killed_after(number, patch)
            tuned(toy_models, toy_data, tmp_path / f"killed-{number}", **STOPPED_EARLY)
        assert tuned(toy_models, toy_data, tmp_path / f"killed-{number}", **STOPPED_EARLY) == whole, number
        assert digests(tmp_path / f"killed-{number}") == written


def test_a_checkpoint_with_a_torn_file_is_not_gone_on_from(toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    """After a loss of power a file may be shorter, or empty, though one that was written later is whole."""
    whole = tuned(toy_models, toy_data, tmp_path / "whole", **SETTINGS)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        killed_after(4, patch)
        tuned(toy_models, toy_data, tmp_path / "killed", **SETTINGS)
    torn = {"optimizer.pt": 50, "scheduler.pt": 0, "rng_state.pth": 50, "adapter_model.safetensors": 0, "trainer_state.json": 50}
    for name, size in torn.items():
        shutil.copytree(tmp_path / "killed.kept", tmp_path / f"{name}.kept")
        with open(tmp_path / f"{name}.kept" / "checkpoint-4" / name, "r+b") as file:
            file.truncate(size)
        assert tuned(toy_models, toy_data, tmp_path / name, **SETTINGS) == whole
        assert digests(tmp_path / name) == digests(tmp_path / "whole")


@pytest.mark.parametrize("moment", ["_save", "_learned", "content_hash", "replace_folder"])
def test_killed_after_the_last_step_it_ends_the_same(
    moment: str, uncut: tuple[dict[str, Any], dict[str, str]], toy_models: Path, toy_data: Path, tmp_path: Path
) -> None:
    whole, written = uncut

    def killed(*args: Any) -> Iterator[Any]:
        raise Killed

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        patch.setattr(training if moment == "_save" else stage, moment, killed)
        tuned(toy_models, toy_data, tmp_path / "killed", **STOPPED_EARLY)
    assert tuned(toy_models, toy_data, tmp_path / "killed", **STOPPED_EARLY) == whole
    assert digests(tmp_path / "killed") == written


def test_killed_after_the_model_took_its_place_nothing_is_left_beside_it(
    toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkpoints of a large model take gigabytes."""
    replaced = stage.replace_folder

    def killed(made: Path, folder: Path) -> None:
        replaced(made, folder)
        raise Killed

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        patch.setattr(stage, "replace_folder", killed)
        tuned(toy_models, toy_data, tmp_path / "m", **SETTINGS)
    tuned(toy_models, toy_data, tmp_path / "m", **SETTINGS)
    assert left_by(tmp_path) == ["m"]


@pytest.mark.parametrize(("method", "embeddings"), [("lora", "learned"), ("full", "kept")])
def test_killed_at_any_moment_it_ends_with_the_same_bytes(
    method: str, embeddings: str, toy_models: Path, toy_data: Path, tmp_path: Path
) -> None:
    settings = {"method": method, "embeddings": embeddings, "epochs": 6, "checks": 40, "patience": 4, "data": {"claims": 1, "knowledge": 1}}
    # Each in a process of its own: MKL reads its settings once, so in this one what earlier tests did decides the last bits. They are forks
    # of one that has imported everything and computed nothing.
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["eval.tune.training", "peft", "tests.eval.tuning"])

    def begun(out: str) -> BaseProcess:
        process = forks.Process(target=tuned, args=(toy_models, toy_data, tmp_path / out), kwargs=settings)
        process.start()
        return process

    draw, resumed, kept = random.Random(5), 0, tmp_path / "killed.kept"
    for _ in range(3):
        before = set(kept.glob("checkpoint-*"))
        running = begun("killed")
        start = time.monotonic()
        while running.is_alive() and not set(kept.glob("checkpoint-*")) - before and time.monotonic() - start < 60:
            time.sleep(0.01)
        time.sleep(draw.random() * 0.4)
        running.kill()
        running.join()
        if running.exitcode == -signal.SIGKILL:
            resumed += bool(list(kept.glob("checkpoint-*")))
    assert resumed >= 1
    for out in ("whole", "killed"):
        ended = begun(out)
        ended.join()
        assert ended.exitcode == 0
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")
