"""A word that is added to a list of words.yaml is known wherever that list is used."""

import importlib.util
from types import ModuleType

import pytest

from crawlers.read.vocabulary import headings, labels, numbers, words


def _anew(module: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str, word: str) -> ModuleType:
    """Return a copy of a module whose patterns are built with one word more in a list."""
    lists = {**words._lists(), name: [*words._lists()[name], word]}
    monkeypatch.setattr(words, "_lists", lambda: lists)
    spec = importlib.util.spec_from_file_location("anew", module.__file__ or "")
    assert spec and spec.loader
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


@pytest.mark.parametrize(
    ("name", "word", "line", "parts"),
    [
        ("answer", "谜底", "谜底：B", (("answer", "B"),)),
        ("answer", "谜底", "D. 丁 参考谜底：B", (("text", "D. 丁"), ("answer", "B"))),
        ("answer", "谜底", "【谜底】B 【解析】因为", (("answer", "B"), ("explanation", "因为"))),
        ("answer_with_colon", "定论", "定论：对", (("answer", "对"),)),
        ("answer_in_english", "Solution", "Solution: B", (("answer", "B"),)),
        ("explanation", "说理", "说理：因为甲", (("explanation", "因为甲"),)),
        ("explanation_in_brackets", "Hint", "[Hint] because", (("explanation", "because"),)),
        ("remark", "热度", "热度：3", (("remark", "3"),)),
        ("stem", "设问", "【设问】感觉是", (("text", "感觉是"),)),
    ],
)
def test_a_label_is_added_by_a_word(
    monkeypatch: pytest.MonkeyPatch, name: str, word: str, line: str, parts: tuple[tuple[str, str], ...]
) -> None:
    assert labels.parts_of(line) != parts
    assert _anew(labels, monkeypatch, name, word).parts_of(line) == parts


def test_a_type_and_a_word_that_counts_are_added_by_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    assert headings.kind_of("六、连线题") == "" and not headings.is_heading("连线题")
    assert _anew(headings, monkeypatch, "shared", "连线").kind_of("六、连线题") == "shared"
    assert _anew(headings, monkeypatch, "heading", "连线题").is_heading("连线题(每题2分)")
    assert numbers.number_of("考点3:感觉") is None
    number = _anew(numbers, monkeypatch, "counts", "考点").number_of("考点3:感觉")
    assert (number.value, number.style) == (3, "titled")
