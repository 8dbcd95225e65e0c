"""Task files: lm-evaluation-harness runs them from any folder, and scores equal an independent log-likelihood."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from msgspec import structs
from ruamel.yaml import YAML

from eval import imported
from eval.answers.blank import fills, read_blank
from eval.finetune.training_data import END_OF_TEXT, byte_pairs
from eval.predict import main as predict
from eval.score.__main__ import main as score
from tests.splits.conftest import release_in, split_in

CHOICES = ("atomexam_kg_mcqa", "atomexam_kg_tf", "atomexam_tcm_mcqa")
LETTERS = {"mcqa": "ABCDE", "tf": "AB"}
WORDS = ("atomexam_kg_tf_5shot", "atomexam_qa_blank", "atomexam_qa_blank_5shot")
CLAIM_PROMPT = "下列说法是否正确，如果正确，请先回复“正确”，然后给出原因。如果错误，请先回复“错误”，然后给出原因。\n\n{claim}\n回答："


@pytest.fixture(scope="module")
def release(tmp_path_factory, pool, claims) -> Path:
    """A release in which each letter is correct somewhere; do not write to it; its splits are in `run` next to it."""
    varied = [
        structs.replace(question, answer=letters[number % len(letters)]) if (letters := LETTERS.get(question.question_type)) else question
        for number, question in enumerate(pool)
    ]
    root = tmp_path_factory.mktemp("harness")
    return release_in(root)(split_in(root)(varied, claims, quota__tf="2", quota__mcqa="12", quota__blank="2"))


def random_model(release: Path, folder: Path) -> None:
    """Save a Qwen2 with random weights and a byte-pair tokenizer in the layout of a Hub model."""
    import torch
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    lines = [line for path in sorted(release.glob("opencompass/*.jsonl")) for line in path.open(encoding="utf-8")]
    pairs = byte_pairs([f"{json.loads(line)['question']}\n" for line in lines], 700)  # some tokens end in a line break, as Qwen's do
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pairs, eos_token=END_OF_TEXT, pad_token=END_OF_TEXT)
    torch.manual_seed(1)
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
        max_position_embeddings=1024, eos_token_id=tokenizer.eos_token_id, initializer_range=0.5,
    )  # fmt: skip
    Qwen2ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def own_likelihoods(folder: Path, asked: list[tuple[str, list[str]]]) -> list[list[float]]:
    """Return the log-likelihood of each continuation: the sum over its tokens, one prompt at a time, without batches or caches."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)  # with such a small model, several threads mostly wait for each other
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    found = []
    for prompt, continuations in asked:
        found.append([])
        start = len(tokenizer(prompt)["input_ids"])
        for continuation in continuations:
            ids = torch.tensor([tokenizer(prompt + continuation)["input_ids"]])
            with torch.no_grad():
                told = model(ids).logits[0, :-1].double().log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
            found[-1].append(float(told[start - 1 :].sum()))
    return found


def table(release: Path, config: str, kind: str) -> list[dict]:
    (path,) = (release / config).glob(f"test-{kind}-*.parquet")
    return pq.read_table(path).to_pylist()


def choice_prompt(row: dict, examples: str = "") -> str:
    case = f"{row['shared_stem']}\n" if row["shared_stem"] else ""
    if row["question_type"] == "tf":
        lead = f"以下是中国关于{row['subject']}考试的判断题，请判断其说法是否正确，只回答“正确”或“错误”。\n\n"
        return lead + examples + case + row["stem"] + "\n答案："
    lead = f"以下是中国关于{row['subject']}考试的单项选择题，请选出其中的正确答案。\n\n"
    return lead + examples + case + row["stem"] + "\n" + "".join(f"{o['letter']}. {o['text']}\n" for o in row["options"]) + "答案："


def own_choices(model: Path, rows: list[dict], examples: Sequence[str] = ()) -> tuple[dict[str, list[float]], float]:
    """Return the log-likelihood of each letter of each question, and the accuracy."""
    prompts = [choice_prompt(row, shown) for row, shown in zip(rows, examples or [""] * len(rows), strict=True)]
    named = ["text" if row["question_type"] == "tf" else "letter" for row in rows]
    asked = [(prompt, [option[name] for option in row["options"]]) for prompt, row, name in zip(prompts, rows, named, strict=True)]
    likelihoods = own_likelihoods(model, asked)
    chosen = [row["options"][found.index(max(found))]["letter"] for row, found in zip(rows, likelihoods, strict=True)]
    right = sum(letter == row["answer"] for letter, row in zip(chosen, rows, strict=True))
    return {row["id"]: found for row, found in zip(rows, likelihoods, strict=True)}, right / len(rows)


def own_claim_accuracy(model: Path, pairs: list[dict]) -> tuple[float, float]:
    sides = [
        (pair["id"], CLAIM_PROMPT.format(claim=pair[side]), gold) for pair in pairs for side, gold in (("factual", 0), ("non_factual", 1))
    ]
    likelihoods = own_likelihoods(model, [(prompt, ["正确", "错误"]) for _, prompt, _ in sides])
    right = defaultdict(list)
    for (pair, _, gold), (true, false) in zip(sides, likelihoods, strict=True):
        right[pair].append((0 if true >= false else 1) == gold)
    return sum(map(sum, right.values())) / len(sides), sum(map(all, right.values())) / len(right)


def scored_by_stages(model: Path, splits: Path, out: Path, task: str, prompt: str, shots: int = 0) -> dict[str, Any]:
    """Return the figures of the model from the stages `predict` and `score`."""
    described = {"model": "tiny", "backend": "huggingface", "strategy": None, "name": None, "revision": None, "server": None}
    (model / "model.json").write_text(json.dumps(described), encoding="utf-8")
    run = {"model": model.name, "task": task, "method": "likelihood", "prompt": prompt, "shots": shots}
    (model / "runs.json").write_text(json.dumps({"run": run}), encoding="utf-8")
    shared = {"splits": splits, "models": model.parent}
    asked = {"runs": model / "runs.json", "out": out / "predictions" / model.name}
    scored = {"runs": model.parent, "predictions": out / "predictions", "out": out / "marks", "metrics": out / "metrics"}
    scored |= {"headlines": out / "scores.json"}
    for stage, words, paths in ((predict, [model.name], asked), (score, [], scored)):
        stage([*words, *(str(word) for flag, value in (shared | paths).items() for word in (f"--{flag}", value))])
    return json.loads((out / "metrics" / "run.json").read_text(encoding="utf-8"))


def marks(scores: Path) -> dict[str, bool]:
    """Return whether each item was answered correctly, by its id."""
    return {row["item_id"]: row["correct"] for row in map(json.loads, scores.open(encoding="utf-8"))}


@pytest.mark.slow
def test_harness_scores_equal_our_likelihood(release: Path, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    model, out = tmp_path / "models/tiny", tmp_path / "scores"
    random_model(release, model)
    before = sorted(path for path in release.rglob("*") if "__pycache__" not in path.parts)
    tasks = ",".join((*CHOICES, "atomexam_ca_mcqa", "atomexam_claims", "atomexam_kg_mrqa", "atomexam_kg_mcqa_5shot", *WORDS))
    ran = subprocess.run(
        [sys.executable, "-m", "lm_eval", "run", "--model", "hf", "--model_args", f"pretrained={model},dtype=float32", "--device", "cpu",
         "--include_path", str(release / "harness"), "--tasks", tasks,
         "--batch_size", "4", "--log_samples", "--output_path", str(out)],
        cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-3000:]
    (told,) = out.rglob("results_*.json")
    results = json.loads(told.read_text(encoding="utf-8"))["results"]
    shown = tables_module(release).load("kg", "mcqa", examples=5)["test"]["examples"]
    for task in (*CHOICES, "atomexam_kg_mcqa_5shot"):
        likelihoods, accuracy = own_choices(model, table(release, *task.split("_")[1:3]), shown if task.endswith("shot") else ())
        assert results[task]["acc,none"] == pytest.approx(accuracy)
        (samples,) = out.rglob(f"samples_{task}_2*.jsonl")
        told = {
            row["doc"]["id"]: [float(found) for found, _ in row["filtered_resps"]]
            for row in map(json.loads, samples.open(encoding="utf-8"))
        }
        assert told == {key: pytest.approx(found, abs=1e-3) for key, found in likelihoods.items()}
    scored = scored_by_stages(model, release.parent / "run/splits", tmp_path, "choice", "choice_short")["by_category_and_type"]
    for category in ("kg", "ca"):
        assert scored[f"{category} mcqa"]["accuracy"] == pytest.approx(results[f"atomexam_{category}_mcqa"]["acc,none"], abs=1e-4)
    choices = marks(tmp_path / "marks/run.jsonl")
    for shots, task in ((0, "atomexam_kg_tf"), (5, "atomexam_kg_tf_5shot")):
        scored = scored_by_stages(model, release.parent / "run/splits", tmp_path, "tf", "tf", shots)
        assert scored["accuracy"] == pytest.approx(results[task]["acc,none"], abs=1e-4)
    assert all(0 <= results[task]["exact_match,none"] <= 1 for task in WORDS[1:])
    accuracy, both = own_claim_accuracy(model, table(release, "claims", "pairs"))
    assert (results["atomexam_claims"]["acc,none"], results["atomexam_claims"]["pair_acc,none"]) == (
        pytest.approx(accuracy),
        pytest.approx(both),
    )
    scored = scored_by_stages(model, release.parent / "run/splits", tmp_path, "choice", "choice_short", 5)["by_category_and_type"]
    assert scored["kg mcqa"]["accuracy"] == pytest.approx(results["atomexam_kg_mcqa_5shot"]["acc,none"], abs=1e-4)
    scored = scored_by_stages(model, release.parent / "run/splits", tmp_path, "claim", "claim_short")
    assert scored["accuracy"] == pytest.approx(results["atomexam_claims"]["pair_acc,none"], abs=1e-4)
    sides = [scored["by_side"][side]["accuracy"] for side in ("factual", "non_factual")]
    assert sum(sides) / 2 == pytest.approx(results["atomexam_claims"]["acc,none"], abs=1e-4)
    samples = [
        next(out.rglob(f"samples_{task}_2*.jsonl")) for task in (*CHOICES, "atomexam_ca_mcqa", "atomexam_claims", "atomexam_kg_mrqa")
    ]
    # Without any of the data here.
    own = {"splits": release.parent / "run/splits", "out": "imported", "scores": "none", "predictions": "none"}
    imported.main(["theirs", *map(str, samples), *(word for flag, name in own.items() for word in (f"--{flag}", str(tmp_path / name)))])
    theirs = {
        task: json.loads((tmp_path / f"imported/theirs/{task}.json").read_text(encoding="utf-8")) for task in ("choice", "claim", "tf")
    }
    assert theirs["tf"]["accuracy"] == pytest.approx(results["atomexam_kg_tf"]["acc,none"], abs=1e-4)
    assert theirs["claim"]["accuracy"] == pytest.approx(results["atomexam_claims"]["pair_acc,none"], abs=1e-4)
    brought = marks(tmp_path / "imported/theirs/scores.jsonl")
    assert {item: right for item, right in brought.items() if item.startswith("claim-")} == marks(tmp_path / "marks/run.jsonl")
    single = {row["id"] for category in ("kg", "ca") for row in table(release, category, "mcqa")}
    assert {item: brought[item] for item in single} == {item: choices[item] for item in single}
    for category in ("kg", "ca"):
        found = theirs["choice"]["by_category_and_type"][f"{category} mcqa"]["accuracy"]
        assert found == pytest.approx(results[f"atomexam_{category}_mcqa"]["acc,none"], abs=1e-4)
    assert 0 < results["atomexam_kg_mcqa"]["acc,none"] < 1 and 0 < accuracy < 1
    assert 0 <= results["atomexam_kg_mrqa"]["exact_match,none"] <= 1
    assert sorted(path for path in release.rglob("*") if "__pycache__" not in path.parts) == before


def test_every_task_with_test_records_has_a_file_and_is_in_the_group(release: Path) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.constructor.add_constructor("!function", lambda loader, node: node.value)
    tasks = {path.stem: yaml.load(path.read_text(encoding="utf-8")) for path in release.glob("harness/*.yaml")}
    grouped = [*tasks.pop("atomexam")["task"], *(shot := tasks.pop("atomexam_5shot")["task"])]
    assert sorted(grouped) == sorted(tasks) and {name.removesuffix("_5shot") for name in shot} <= set(tasks) - {"atomexam_claims"}
    kinds = {path.stem.split("-")[1] for path in release.glob("*/test-*.parquet")}
    assert kinds == {"mcqa", "mrqa", "tf", "pairs", "qa", "blank"}
    assert {"atomexam_qa_blank", "atomexam_qa_blank_5shot"} <= set(tasks)
    assert {*CHOICES, "atomexam_ca_mcqa", "atomexam_ca_mrqa", "atomexam_claims"} <= set(tasks)
    assert all(task["task"] == name and task["metadata"]["version"] == "0.1.0" for name, task in tasks.items())


def tables_module(release: Path):
    spec = importlib.util.spec_from_file_location("tables", release / "harness/atomexam_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rejects_two_versions_in_one_folder(release: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(release, tmp_path / "release"))
    (folder / "kg/test-mcqa-0123456789ab.parquet").touch()
    with pytest.raises(ValueError, match=r"test-mcqa-0123456789ab\.parquet.*two versions in one folder"):
        tables_module(folder).load("kg", "mcqa")


@pytest.mark.slow
def test_examples_are_of_the_subject_and_never_evaluated(release: Path) -> None:
    shots = [json.loads(line) for line in (release / "shots.jsonl").open(encoding="utf-8")]
    loaded = tables_module(release).load("kg", "mcqa", examples=5)
    taught = {row["id"]: row for path in release.glob("*/[!t]*-mcqa-*.parquet") for row in pq.read_table(path).to_pylist()}
    taught |= {row["id"]: row for path in release.glob("*/train-mcqa-*.parquet") for row in pq.read_table(path).to_pylist()}
    for row in loaded["test"]:
        mine = [shot for shot in shots if (shot["exam"], shot["subject"], shot["question_type"]) == (row["exam"], row["subject"], "mcqa")]
        first = sorted(mine, key=lambda shot: shot["place"])[:5]
        assert row["examples"].count("答案：") == len(first) > 0
        assert all(f"{taught[shot['question_id']]['stem']}\n" in row["examples"] for shot in first)
        assert row["stem"] not in row["examples"]
    assert set(tables_module(release).load("kg", "mcqa")["test"]["examples"]) == {""}


@pytest.mark.parametrize("mark", ["\u2028", "\u0085", "\r", "{{ 7 * 7 }}"])
def test_reads_examples_for_any_subject_name(split_files, release_of, question, mark: str) -> None:
    release = release_of(split_files([question(n, subject=f"甲{mark}乙") for n in range(20)]))
    rows = tables_module(release).load("kg", "mcqa", examples=5)["test"]
    assert [row["examples"].count("答案：") for row in rows] == [5] * len(rows) != []


@pytest.mark.parametrize(("stem", "key", "reply", "right"), [
    ("称为（ ）。", "移情", "移情。", True), ("称为（ ）。", "移情", "答案：移 情", True), ("称为（ ）。", "移情", "反移情", False),
    ("（ ）智商和（ ）智商", "言语|||语言；操作", "语言、操作", True), ("（ ）智商和（ ）智商", "言语|||语言；操作", "操作、言语", False),
    ("（ ）智商和（ ）智商", "言语|||语言；操作", "言语", False), ("由（ ）产生", "淋巴细胞（或B淋巴细胞）", "b淋巴细胞", True),
    ("称为（ ）。", "移情", "", False),
])  # fmt: skip
def test_scores_blanks_like_our_scorer(release: Path, stem: str, key: str, reply: str, right: bool) -> None:
    doc = {"question_type": "blank", "stem": stem, "answer": key}
    assert tables_module(release).score_blanks(doc, [reply])["exact_match"] == right
    assert fills(read_blank(reply) or "", stem, key) == right
    assert tables_module(release).score_blanks(doc, [tables_module(release).words_of(doc)])["exact_match"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "letters"),
    [
        ("AC", "AC"),
        ("CA", "AC"),
        ("A、C", "AC"),
        ("答案：ＢＤ。", "BD"),
        ("答案是A和C", "AC"),
        ("A，C，A", "AC"),
        ("正确选项为：[B, D]", "BD"),
        ("A. 甲", "A"),
        ("我选AC", ""),
        ("", ""),
        ("K", ""),
        ("ac", "AC"),
    ],
)
def test_reads_letters_at_the_beginning_of_a_reply(release: Path, reply: str, letters: str) -> None:
    module = tables_module(release)
    assert module.read_letters(reply) == letters
    assert module.score_letters({"answer": "AC"}, [reply])["exact_match"] == float(letters == "AC")
