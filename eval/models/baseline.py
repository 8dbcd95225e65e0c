"""Backend `baseline`: replies by a rule, whose metrics can be computed by hand."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from msgspec import Struct

from atomexam.records.checks import one_of
from atomexam.records.model import Description
from atomexam.text.canonical import canonical
from atomexam.text.ngrams import bigrams
from eval.models.contract import ModelQuery, Reply, Settings
from eval.tasks.claim import NEGATIONS
from eval.tasks.prompt import Message, plain_text
from eval.tasks.request import Request, allowed_answers

_CHOICES = frozenset({"claim", "tf", "mcqa", "mrqa"})
_ALL = _CHOICES | {"qa", "blank", "mark"}


class Strategy(Struct, frozen=True):
    """One rule."""

    reply: Callable[[Request, Random], str]
    serves: frozenset[str]
    """Question types that the rule can reply to."""


def random_answer(request: Request, draw: Random) -> str:
    """Pick one of the allowed answers uniformly at random: for mrqa a set of two or more letters, as a judge a mark."""
    if request.question_type == "mark":
        return request.reply(str(draw.randint(0, 100)))
    return request.reply(draw.choice(allowed_answers(request)))


def always_correct(request: Request, draw: Random) -> str:
    """Agree with everything: 正确 to a claim, otherwise the first option, for mrqa all options."""
    letters = [option.letter for option in request.options]
    return request.reply("".join(letters) if request.question_type == "mrqa" else letters[0])


def longest_option(request: Request, draw: Random) -> str:
    """Pick the option with the longest text, for mrqa the two longest; the earlier one in a tie."""
    by_length = sorted(request.options, key=lambda option: -len(option.text))
    chosen = by_length[: 2 if request.question_type == "mrqa" else 1]
    return request.reply("".join(sorted(option.letter for option in chosen)))


def negation_word(request: Request, draw: Random) -> str:
    """Judge a claim 错误 if it contains a negation word, otherwise 正确: shows what the wording alone reveals."""
    return request.reply("错误" if any(word in (request.claim or "") for word in NEGATIONS) else "正确")


_AFFIRMED = {"不包括": "包括", "不具有": "具有", "不可": "可", "异常": "正常", "忌吃": "宜吃"}


def four_errors(request: Request, draw: Random) -> str:
    """Make one of SdAK's four errors at random: no verdict, assent, rejecting a claim as imprecise, reading a negation as its opposite."""
    claim = request.claim or ""
    for negation, plain in _AFFIRMED.items():
        claim = claim.replace(negation, plain)
    refused = "这需要结合患者的具体情况，请咨询专业医生。"
    return draw.choice([refused, "正确", "错误。这种说法不够严谨，因人而异。", f"正确。{claim}。"])


def echo(request: Request, draw: Random) -> str:
    """Repeat the request verbatim, ignoring the answer format."""
    return request.messages[-1]["content"]


def empty(request: Request, draw: Random) -> str:
    """Reply with an empty text."""
    return ""


def overlap(request: Request, draw: Random) -> str:
    """Mark an answer by the F1 of its character bigrams against the reference answer."""
    if request.compared is None:
        raise ValueError(f"{request.item_id} requests a mark without two answers to compare; this is a bug in its task")
    return request.reply(str(round(100 * bigram_f1(*request.compared))))


def bigram_f1(one: str, other: str) -> float:
    """Return the F1 of two texts' character bigrams, without spaces and punctuation; a single character counts as a bigram."""
    left, right = _bigrams(one), _bigrams(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def _bigrams(text: str) -> frozenset[str]:
    return bigrams(canonical(text))


STRATEGIES: dict[str, Strategy] = {
    "random": Strategy(random_answer, _CHOICES | {"mark"}),
    "always_correct": Strategy(always_correct, _CHOICES),
    "longest_option": Strategy(longest_option, _CHOICES),
    "negation_word": Strategy(negation_word, frozenset({"claim", "tf"})),
    "four_errors": Strategy(four_errors, frozenset({"claim"})),
    "echo": Strategy(echo, _ALL),
    "empty": Strategy(empty, _ALL),
    "overlap": Strategy(overlap, frozenset({"mark"})),
}

_UNUSED = {"temperature": 0.0, "top_k": 0, "top_p": 1.0, "repetition_penalty": 1.0, "stop": "end", "stop_strings": ()}
_NAMES = {
    "claim": "claims", "tf": "true or false", "mcqa": "single choices", "mrqa": "multiple choices", "qa": "questions in words",
    "blank": "blanks", "mark": "marks",
}  # fmt: skip


class Baseline:
    """A model that follows one rule."""

    def __init__(self, description: Description) -> None:
        where = f"model {description.model}"
        self._name = one_of(description.strategy or "", STRATEGIES, "strategy", where)
        self._strategy = STRATEGIES[self._name]
        self.identity = f"baseline/2/{self._name}"

    def render(self, messages: Sequence[Message]) -> str:
        """Return the conversation as plain text."""
        return plain_text(messages)

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield the rule's reply to each query.

        Raises:
            ValueError: the rule cannot reply to a question type, or the settings require sampling; raised before the first reply.
        """
        for name, value in _UNUSED.items():
            if getattr(settings, name) != value:
                raise ValueError(
                    f"a baseline does not support {name} (found {getattr(settings, name)}); remove it from the run in params.yaml"
                )
        for kind in sorted({query.request.question_type for query in queries} - self._strategy.serves):
            able = ", ".join(name for name, strategy in STRATEGIES.items() if kind in strategy.serves)
            raise ValueError(f"the strategy {self._name!r} cannot reply to {_NAMES[kind]}; strategies that can: {able}")
        return self._replies(queries, settings)

    def _replies(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        for index, query in enumerate(queries):
            draw = Random(f"{settings.seed}/{query.request.item_id}/{query.repeat}")
            text = self._strategy.reply(query.request, draw)
            yield index, Reply(text=text, finish_reason="stop", tokens=len(text), prompt_tokens=len(query.prompt))

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Raise ValueError, because a rule has no likelihoods."""
        raise ValueError("a baseline has no likelihoods; remove `method: likelihood` from its run in params.yaml")
