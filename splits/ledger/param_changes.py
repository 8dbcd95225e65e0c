"""What the parameters of `split` ask for that those of the last version did not: memory and parameters in, answers out. Pure.

A question leaves train only where more is asked for than before: a larger quota or share, a lower floor, `fill` after `strict`. Any
other change, of the seed too, moves nothing that is here, for what was trained on is a poor test.
"""

from collections.abc import Mapping
from typing import Any

from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import Memory, settings_of
from splits.ledger.kept_together import Cell, is_tcm

_BALANCE = {"strict": 0, "fill": 1}
_SIZES = ("tcm_per_subject", "train_floor", "balance")


class Asked:
    """The parameters of now beside those of the last version, or of the two that branches made."""

    def __init__(self, params: Params, memory: Memory) -> None:
        self._now = _numbers(settings_of(params))
        self._before = [_numbers(version.settings) for version in memory.last()]

    def resized(self) -> bool:
        """Tell whether test and reserved of the questions are to have another size: some leave, and what was retired may return."""
        names = [name for name in self._now if name.startswith("quota.") or name in _SIZES]
        return bool(self._before) and all(any(self._was(name, one) != self._now[name] for name in names) for one in self._before)

    def more_of(self, cell: Cell) -> bool:
        """Tell whether test and reserved may take questions of a cell from train."""
        if self.grew("balance") or self.shrank("train_floor"):
            return True
        return self.grew("tcm_per_subject" if is_tcm(cell) else f"quota.{cell.question_type}")

    def grew(self, name: str) -> bool:
        """Tell whether a number is larger than it was on any branch."""
        return bool(self._before) and all(self._now[name] > self._was(name, one) for one in self._before)

    def shrank(self, name: str) -> bool:
        return bool(self._before) and all(self._now[name] < self._was(name, one) for one in self._before)

    def _was(self, name: str, settings: Mapping[str, float]) -> float:
        return settings.get(name, self._now[name])  # a parameter that is younger than the version


def _numbers(settings: Mapping[str, Any]) -> dict[str, float]:
    """Return the parameters by their names, those of the quota as `quota.mcqa`."""
    flat = {name: value for name, value in settings.items() if name != "quota"}
    flat |= {f"quota.{name}": value for name, value in settings.get("quota", {}).items()}
    return flat | {"balance": _BALANCE.get(settings.get("balance", ""), 0)}
