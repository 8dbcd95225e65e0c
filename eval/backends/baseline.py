"""Backend `baseline`: replies made by a rule, with scores that arithmetic foretells."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from random import Random

from eval.backends.contract import Asking, Reply, Settings
from eval.prompt import Message, plain_text
from eval.tasks.request import Request
from records.checks import one_of
from records.model import Description

_NEGATIONS = ("不", "异常", "忌")  # of the templates in SdAK's Table 2


def random_answer(request: Request, draw: Random) -> str:
    """Return one of the allowed answers, each as likely: for mrqa one of the sets of two letters or more."""
    return draw.choice(allowed_answers(request))


def always_correct(request: Request, draw: Random) -> str:
    """Agree with whatever is said: 正确 to a claim, the first option, and for mrqa all of them."""
    letters = [option.letter for option in request.options]
    return "".join(letters) if request.question_type == "mrqa" else letters[0]


def longest_option(request: Request, draw: Random) -> str:
    """Return the option with the longest text, for mrqa the two longest; the earlier one where they are equal."""
    by_length = sorted(request.options, key=lambda option: -len(option.text))
    chosen = by_length[: 2 if request.question_type == "mrqa" else 1]
    return "".join(sorted(option.letter for option in chosen))


def negation_word(request: Request, draw: Random) -> str:
    """Call a claim 错误 where it holds a word of negation, else 正确: what the wording alone gives away. The first option elsewhere."""
    if request.question_type != "claim":
        return request.options[0].letter
    claim = request.messages[-1]["content"].splitlines()[-1]  # the prompt stands on the lines before
    return "错误" if any(word in claim for word in _NEGATIONS) else "正确"


STRATEGIES: dict[str, Callable[[Request, Random], str]] = {
    "random": random_answer,
    "always_correct": always_correct,
    "longest_option": longest_option,
    "negation_word": negation_word,
}

_UNUSED = {"temperature": 0.0, "top_k": 0, "top_p": 1.0, "repetition_penalty": 1.0}


class Baseline:
    """A model of one rule."""

    def __init__(self, description: Description) -> None:
        where = f"model {description.model}"
        self._strategy = STRATEGIES[one_of(description.strategy or "", STRATEGIES, "strategy", where)]
        self.identity = f"baseline/1/{description.strategy}"

    def render(self, messages: Sequence[Message]) -> str:
        """Return the conversation as plain text; no baseline reads it, but its hash shows a change of wording."""
        return plain_text(messages)

    def generate(self, askings: Sequence[Asking], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield a reply in the asked format to each asking."""
        for name, value in _UNUSED.items():
            if getattr(settings, name) != value:
                raise ValueError(f"a baseline has no {name} (found {getattr(settings, name)}); take it out of the run in params.yaml")
        for place, asking in enumerate(askings):
            draw = Random(f"{settings.seed}/{asking.request.item_id}/{asking.repeat}")
            text = asking.request.reply(self._strategy(asking.request, draw))
            yield place, Reply(text=text, finish_reason="stop", tokens=len(text))


def allowed_answers(request: Request) -> list[str]:
    """Return every answer of the asked kind."""
    letters = [option.letter for option in request.options]
    if request.question_type != "mrqa":
        return letters
    return ["".join(chosen) for size in range(2, len(letters) + 1) for chosen in combinations(letters, size)]
