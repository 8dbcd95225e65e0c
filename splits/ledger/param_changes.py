"""How the parameters of `split` differ from those of the last version. Pure.

A question leaves train only if the parameters require more than before: a larger quota or share, a lower floor, `fill` after `strict`.
No other change, not even of the seed, moves a known question, because a question that was trained on is a poor test.
"""

from collections.abc import Mapping
from typing import Any

from atomexam.records.split_blocks import Split as Params
from splits.ledger.assignments import AssignmentLedger, settings_of
from splits.ledger.units import Stratum, is_tcm

_BALANCE = {"strict": 0, "fill": 1}
_SIZES = ("tcm_per_subject", "train_floor", "balance")


class ParamChanges:
    """The current parameters compared with those of the last version, or of two from branches."""

    def __init__(self, params: Params, ledger: AssignmentLedger) -> None:
        self._now = _numbers(settings_of(params))
        self._before = [_numbers(version.settings) for version in ledger.last()]

    def resized(self) -> bool:
        """Return whether test and reserved change in size: some questions leave, and retired ones may return."""
        names = [name for name in self._now if name.startswith("quota.") or name in _SIZES]
        return bool(self._before) and all(any(self._was(name, one) != self._now[name] for name in names) for one in self._before)

    def more_of(self, stratum: Stratum) -> bool:
        """Return whether test and reserved may take questions of a stratum from train."""
        if self.grew("balance") or self.shrank("train_floor"):
            return True
        return self.grew("tcm_per_subject" if is_tcm(stratum) else f"quota.{stratum.question_type}")

    def grew(self, name: str) -> bool:
        """Return whether a number is larger than on every branch before."""
        return bool(self._before) and all(self._now[name] > self._was(name, one) for one in self._before)

    def shrank(self, name: str) -> bool:
        return bool(self._before) and all(self._now[name] < self._was(name, one) for one in self._before)

    def _was(self, name: str, settings: Mapping[str, float]) -> float:
        return settings.get(name, self._now[name])  # a parameter newer than the version


def _numbers(settings: Mapping[str, Any]) -> dict[str, float]:
    """Return the parameters by name, those of the quota as `quota.mcqa`."""
    flat = {name: value for name, value in settings.items() if name != "quota"}
    flat |= {f"quota.{name}": value for name, value in settings.get("quota", {}).items()}
    return flat | {"balance": _BALANCE.get(settings.get("balance", ""), 0)}
