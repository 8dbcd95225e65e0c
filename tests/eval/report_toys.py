"""Small metrics of all stages, for the tests of the report."""

from eval.report.__main__ import (
    StageMetrics,
)

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


COUNTS = {"in": 10, "out": 8, "rejected": 2}


DATA = {
    "clean": {"questions": COUNTS, "facts": COUNTS, "passages": 4, "rejected_by_reason": {"answer_missing": 2}},
    "near_duplicates": {"questions": COUNTS, "facts": COUNTS, "clusters": 1, "rejected_by_reason": {}},
    "claims": {"facts": COUNTS, "claims_by_type": {"disease_symptom": 8}, "rejected_by_reason": {"over_cap": 2}},
    "evidence": {"claims": 8},
    "validation": {"questions": {"rows": 8, "expectations": 3, "failed": 0}},
    "split": {"questions": {"train": 4, "dev": 1, "test": 2, "reserved": 1}, "claims": {"train": 4, "dev": 1, "test": 2, "reserved": 1}},
}


OUTCOMES = {"answered": 2, "unparsed": 0, "truncated": 1, "failed": 0}


ABOUT = {"model": "tiny", "shots": 0, "repeats": 1, "outcomes": OUTCOMES, "method": "generation", "prompt": "choice"}


HALF = {"questions": 2, "following_rate": 1.0, "accuracy": 0.5, "accuracy_interval": [0.1, 0.9]}


RUNS = {
    "tiny-claims": {
        **ABOUT, "task": "claim", "pairs": 2, "following_rate": 1.0, "accuracy": 0.5, "accuracy_std": 0.1, "repeats": 2,
        "accuracy_interval": [0.0126, 0.9874], "accuracy_interval_by_head": [0.01, 0.99],
        "accuracy_at_least": 0.5, "accuracy_at_most": 0.75,
        "by_type": {"disease_symptom": {"pairs": 2, "following_rate": 1.0, "accuracy": 0.5, "accuracy_interval": [0.0126, 0.9874]}},
        "published": {"sdak_v1": {"following_rate": 1.0, "accuracy": 1.0}}, "usage": {"prompt_tokens": 40, "calls_failed": 0},
    },
    "tiny-choice": {
        **ABOUT, "task": "choice", **HALF, "avg": 0.5, "unscored": 1,
        "by_question_type": {"mcqa": HALF},
        "by_exam": {"PCE": HALF},
        "by_subject": {HOSTILE: HALF},
        "by_category_and_type": {"kg mcqa": HALF},
        "groups": {"groups": 1, "questions": 2, "accuracy": 0.0, "by_form": {"a3": {"groups": 1, "questions": 2, "accuracy": 0.0}}},
        "letters": {"mcqa": {"answered": {"A": 3}, "gold": {"A": 1, "B": 2}}},
    },
    "tiny-essay": {**ABOUT, "task": "essay", "questions": 2, "following_rate": 1.0},
}  # fmt: skip


JUDGES = {
    "tiny-essay": {"judge": HOSTILE, "replies": 2, "mark": 61.25, "mark_interval": [50.0, 70.0], "readings": {"unread": 0, "failed": 0}}
}


ERRORS = {
    "runs": {
        "tiny-claims": {
            "by_verdicts": {"pairs": 1, "sycophancy": {"pairs": 1, "share": 1.0}},
            "answer_reliability": {"right": 1, "without_reason": 1, "labelled": 0, "share": None, "low": None, "high": None},
        }
    }
}


COMPARISONS = [
    {
        "task": "choice", "figure": "accuracy", "a": "tiny-choice", "b": HOSTILE, "differ_in": ["model"], "only_a": 0, "only_b": 0,
        "of_a": 0.5,
        "of_b": 0.25, "shared": 20, "difference": 0.25, "interval": [0.05, 0.45], "better": 6, "worse": 1, "alike": 13,
        "mcnemar_p": 0.125, "bootstrap_p": 0.0004, "mcnemar_p_holm": 0.125, "bootstrap_p_holm": 0.0004, "differs": False, "family": 1,
    },
    {"task": "claim", "figure": "accuracy", "a": "x", "b": "y", "differ_in": ["prompt"], "only_a": 3, "only_b": 3, "shared": 0},
]  # fmt: skip


FOUND = StageMetrics(data=DATA, runs=RUNS, judges=JUDGES, errors=ERRORS, comparisons=COMPARISONS)


RUN = ABOUT | {
    "model": "m", "task": "fourfold", "facts": 100, "following_rate": 1.0, "accuracy": 0.3, "accuracy_interval": [0.2, 0.4],
    "true_side": 0.4, "false_side": 0.4, "sentence_accuracy": 0.6, "chance": 0.0625, "detection": {"d_prime": 0.5, "criterion": 0.0},
}  # fmt: skip


def run(task: str, accuracy: float, **parts) -> dict:
    return {"task": task, "model": "m", "accuracy": accuracy, **parts}
