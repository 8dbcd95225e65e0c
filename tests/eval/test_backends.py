"""Backends by name, and the baselines whose scores arithmetic foretells."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.backends import BACKENDS, open_backend
from eval.backends.baseline import STRATEGIES, allowed_answers
from eval.backends.contract import Asking, Reply, Settings
from eval.tasks import TASKS
from eval.tasks.request import Request
from records.model import Description
from records.run import Model
from records.provenance import Provenance
from records.question import Option, Question

SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]
PLAIN = Settings(max_new_tokens=8, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)


def request(kind: str, texts: tuple[str, ...] = ("甲", "乙乙乙", "丙", "丁丁"), number: int = 0) -> Request:
    if kind == "claim":
        words = [Option(letter=word, text=word) for word in ("正确", "错误")]
        return Request(
            item_id=f"claim-{number}/factual", messages=[{"role": "user", "content": "对吗"}], question_type="claim", options=words,
            answer="正确", answer_format="{answer}", solution="正确", pool="p", kin=frozenset(),
        )  # fmt: skip
    options = [Option(letter=letter, text=text) for letter, text in zip("ABCDEFGHIJ", texts, strict=False)]
    row = Question(id=f"q-{number}", exam="PCE", subject="甲", question_type=kind, stem="题", options=options, answer="B", provenance=SEEN)
    return TASKS["choice"]([row], [])[0]


def replies(strategy: str, requests: list[Request], settings: Settings = PLAIN, repeat: int = 0) -> list[str]:
    backend = open_backend(Description(model="m", backend="baseline", strategy=strategy), Path())
    askings = [Asking(request=one, repeat=repeat, prompt=backend.render(one.messages)) for one in requests]
    found: dict[int, Reply] = dict(backend.generate(askings, settings))
    return [found[place].text for place in range(len(requests))]


@pytest.mark.parametrize(("strategy", "kind", "expected"), [
    ("always_correct", "claim", "正确"),
    ("always_correct", "mcqa", "答案：A"),
    ("always_correct", "mrqa", "答案：ABCD"),
    ("negation_word", "claim", "正确"),
    ("longest_option", "claim", "正确"),
    ("longest_option", "mcqa", "答案：B"),
    ("longest_option", "mrqa", "答案：BD"),
])  # fmt: skip
def test_what_a_rule_replies(strategy: str, kind: str, expected: str) -> None:
    assert replies(strategy, [request(kind)]) == [expected]


def test_the_earlier_of_equal_options_is_the_longest() -> None:
    assert replies("longest_option", [request("mcqa", ("一", "二", "三"))]) == ["答案：A"]


@given(size=st.integers(2, 8))
def test_allowed_answers_are_all_sets_of_two_or_more(size: int) -> None:
    answers = allowed_answers(request("mrqa", tuple("甲乙丙丁戊己庚辛")[:size]))
    assert len(answers) == len(set(answers)) == 2**size - size - 1
    assert all(len(answer) >= 2 and list(answer) == sorted(answer) for answer in answers)


@pytest.mark.parametrize(("kind", "kinds"), [("claim", 2), ("mcqa", 4), ("mrqa", 11)])
def test_random_is_uniform(kind: str, kinds: int) -> None:
    """Each answer within four standard deviations of its share."""
    size = 3000
    counts = Counter(replies("random", [request(kind, number=number) for number in range(size)]))
    share = 1 / kinds
    assert len(counts) == kinds
    assert all(abs(count - size * share) < 4 * (size * share * (1 - share)) ** 0.5 for count in counts.values())


def test_random_follows_seed_item_and_repeat_alone() -> None:
    requests = [request("mcqa", number=number) for number in range(60)]
    first = replies("random", requests)
    assert replies("random", requests[::-1])[::-1] == first
    assert replies("random", requests, repeat=1) != first
    assert replies("random", requests, msgspec.structs.replace(PLAIN, seed=2)) != first
    assert replies("random", requests, msgspec.structs.replace(PLAIN, batch_size=1)) == first


@pytest.mark.parametrize(("name", "value"), [("temperature", 0.3), ("top_k", 5), ("top_p", 0.9), ("repetition_penalty", 1.05)])
def test_a_baseline_refuses_what_it_cannot_honour(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"a baseline has no {name}"):
        replies("random", [request("mcqa")], msgspec.structs.replace(PLAIN, **{name: value}))


def test_every_backend_of_params_is_known() -> None:
    assert set(msgspec.structs.fields(Model)[0].type.__args__) == set(BACKENDS)


@pytest.mark.parametrize(("description", "message"), [
    ({"backend": "baseline", "strategy": "rnadom"}, r"unknown strategy 'rnadom'; known: always_.*; did you mean random"),
    ({"backend": "baseline"}, r"unknown strategy ''; known: always_correct"),
    ({"backend": "llamafile"}, r"unknown backend 'llamafile'; known: baseline, huggingface, openai, vllm"),
    ({"backend": "openai"}, r"the backend 'openai' is not in this version yet; set `backend: huggingface`"),
    ({"backend": "vllm"}, r"the backend 'vllm' is not in this version yet"),
])  # fmt: skip
def test_what_cannot_be_opened_says_why(description: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"model m: {message}"):
        open_backend(Description(model="m", **description), Path())


def test_identities_differ() -> None:
    identities = {open_backend(Description(model="m", backend="baseline", strategy=name), Path()).identity for name in STRATEGIES}
    assert len(identities) == len(STRATEGIES)
