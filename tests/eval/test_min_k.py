"""Min-k: a model that was trained on the texts of test is told from one that was not."""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from eval.min_k import by_rank, main, min_k, texts_of
from eval.statistics.paired_tests import mean


def test_a_text_is_as_likely_as_its_least_likely_fifth() -> None:
    assert min_k([-1, -9, -2, -7, -3, -4, -5, -6, -1, -1]) == -8
    assert min_k([-3]) == -3


def test_ranks_give_the_area_under_the_curve() -> None:
    """Of nine pairs six are won and one is equal."""
    test, reserved = by_rank({"a": 5.0, "b": 4.0, "c": 1.0}, {"d": 4.0, "e": 2.0, "f": 0.0})
    assert mean(test.values()) - mean(reserved.values()) == Fraction(13, 18) - Fraction(1, 2)


def test_texts_are_those_of_releases(toy_data: Path) -> None:
    folder = toy_data / "splits/test"
    assert "第3000题问的是（ ）。\nA. 甲3000\nB. 乙乙3000\nC. 丙3000\nD. 丁3000" in texts_of("choice", folder).values()
    assert "病3000的症状包括痛3000" in texts_of("claim", folder).values()


@pytest.mark.slow
def test_a_model_that_was_trained_on_test_is_found(
    toy_data: Path, toy_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other was trained on train alone."""
    model = AutoModelForCausalLM.from_pretrained(toy_models / "toy", dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(toy_models / "toy")
    shutil.copytree(toy_models / "toy", tmp_path / "seen")
    (tmp_path / "seen/model.json").write_text('{"model": "seen", "backend": "huggingface"}')
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    rows = [tokenizer(text, return_tensors="pt")["input_ids"] for text in texts_of("choice", toy_data / "splits/test").values()]
    for _ in range(15):
        for row in rows:
            model(input_ids=row, labels=row).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    model.save_pretrained(tmp_path / "seen")
    flags = [f"--splits={toy_data / 'splits'}", f"--assignments={tmp_path / 'none'}"]
    verdicts = []
    for models, name in ((tmp_path, "seen"), (toy_models, "toy")):
        main([name, f"--models={models}", *flags])
        row = capsys.readouterr().out.splitlines()[1]
        verdicts.append((row.partition(" ")[0], row.rpartition("  ")[2]))
    assert verdicts == [("seen", "yes"), ("toy", "not found")]
    with pytest.raises(ValueError, match="random has the backend baseline; likelihoods of texts need the weights"):
        main(["random", f"--models={toy_models}", *flags])
