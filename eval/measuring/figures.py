"""What figures are: plain values by name, as they stand in metrics/, rates rounded alike."""

from typing import Any

Figures = dict[str, Any]
DIGITS = 4
