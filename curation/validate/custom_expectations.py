"""Expectations that Great Expectations lacks: answers among the options, exact negation, undivided groups.

To add one, write a rule for two columns, a class for it and a line in OWN. The module loads Great Expectations: import it late.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import pandas as pd
from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.expectations.expectation import ColumnPairMapExpectation
from great_expectations.expectations.metrics.map_metric_provider import ColumnPairMapMetricProvider, column_pair_condition_partial

_DOMAIN = ("batch_id", "table", "column_A", "column_B", "row_condition", "condition_parser", "ignore_row_if")


def answers_in_options(answers: pd.Series, options: pd.Series) -> list[bool]:
    """Return for each row whether every letter of the answer is one of the options' letters."""
    return [set(_text(answer)) <= set(_text(letters)) for answer, letters in zip(answers, options, strict=True)]


def differs_by_negation(affirmed: pd.Series, denied: pd.Series, negations: list[list[str]]) -> list[bool]:
    """Return for each row whether the second sentence is the first with exactly one word replaced by its negation."""
    allowed = [tuple(pair) for pair in negations]
    return [_is_denial(_text(one), _text(other), allowed) for one, other in zip(affirmed, denied, strict=True)]


def groups_whole(groups: pd.Series, homes: pd.Series) -> list[bool]:
    """Return for each row whether all rows of its group have the same value in `homes`; every row of a divided group fails."""
    homes_of: dict[Any, set] = defaultdict(set)
    for group, home in zip(groups, homes, strict=True):
        homes_of[group].add(home)
    return [len(homes_of[group]) == 1 for group in groups]


def _is_denial(affirmed: str, denied: str, negations: list[tuple[str, ...]]) -> bool:
    """Return whether replacing one word by another at some position turns one sentence into the other."""
    start = 0
    while start < min(len(affirmed), len(denied)) and affirmed[start] == denied[start]:
        start += 1
    for before, after in negations:
        # A word that begins or ends like its neighbours may start before the position where the sentences diverge.
        if len(denied) - len(affirmed) == len(after) - len(before):
            for index in range(start, max(-1, start - max(len(before), len(after)) - 1), -1):
                if (
                    affirmed.startswith(before, index)
                    and affirmed[:index] + after + affirmed[index + len(before) :] == denied
                    and affirmed != denied
                ):
                    return True
    return False


def _text(value: Any) -> str:
    """Return the text in a cell; pandas uses NaN for missing values."""
    return value if isinstance(value, str) else ""


def _measured_by(name: str, rule: Callable[..., list[bool]], arguments: tuple[str, ...] = ()) -> str:
    """Register a rule for two columns with Great Expectations under a name, and return the name; `arguments` are the rule's own."""

    class _Provider(ColumnPairMapMetricProvider):
        condition_metric_name = f"column_pair_values.{name}"
        condition_domain_keys = _DOMAIN
        condition_value_keys = arguments

        @column_pair_condition_partial(engine=PandasExecutionEngine)
        def _pandas(cls, column_A: pd.Series, column_B: pd.Series, **values: Any) -> pd.Series:
            return pd.Series(rule(column_A, column_B, **{key: values[key] for key in arguments}), index=column_A.index, dtype=bool)

    return _Provider.condition_metric_name


class ExpectAnswerInOptions(ColumnPairMapExpectation):
    """Every letter of the answer (column_A) is one of the options' letters (column_B)."""

    map_metric: ClassVar[str] = _measured_by("answer_in_options", answers_in_options)
    domain_keys: ClassVar[tuple[str, ...]] = _DOMAIN
    ignore_row_if: Literal["neither"] = "neither"


class ExpectExactNegation(ColumnPairMapExpectation):
    """The denial (column_B) is the statement (column_A) with exactly one word negated; `negations` lists the words with their negations."""

    map_metric: ClassVar[str] = _measured_by("exact_negation", differs_by_negation, ("negations",))
    domain_keys: ClassVar[tuple[str, ...]] = _DOMAIN
    success_keys: ClassVar[tuple[str, ...]] = ("negations", "mostly")
    negations: list[list[str]]
    ignore_row_if: Literal["neither"] = "neither"


class ExpectGroupsWhole(ColumnPairMapExpectation):
    """Rows of the same group (column_A) have the same value in column_B, such as a split; rows that lack either value are ignored."""

    map_metric: ClassVar[str] = _measured_by("groups_whole", groups_whole)
    domain_keys: ClassVar[tuple[str, ...]] = _DOMAIN
    ignore_row_if: Literal["either_value_is_missing"] = "either_value_is_missing"


OWN = {shape.__name__: shape for shape in (ExpectAnswerInOptions, ExpectExactNegation, ExpectGroupsWhole)}
