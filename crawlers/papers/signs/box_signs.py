"""Boxes and circles to tick, as papers print them."""

TICKED = "☑☒■●◼◉"
EMPTY = "☐□○◻◯"
