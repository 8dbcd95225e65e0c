"""The tasks by name: a task is a function from questions and claim pairs to requests, sorted by item id."""

from eval.tasks import choice, claim, tcm

TASKS = {"claim": claim.requests, "choice": choice.requests, "tcm": tcm.requests}
