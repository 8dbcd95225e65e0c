"""Published rule sets by name: how the code released with each benchmark parses a reply, so that old figures can be reproduced.

Each reimplements the released code, faults included; `tests/eval/test_rules.py` compares its decisions with that code's.
"""

from eval.answers.published import cmb_v1, cpsyexam_api_v1, cpsyexam_local_v1, cpsyexam_v1, sdak_v1, tcmbench_v2
from eval.answers.published.contract import RuleSet

RULE_SETS: dict[str, RuleSet] = {
    "cmb_v1": cmb_v1.RULES,
    "cpsyexam_api_v1": cpsyexam_api_v1.RULES,
    "cpsyexam_local_v1": cpsyexam_local_v1.RULES,
    "cpsyexam_v1": cpsyexam_v1.RULES,
    "sdak_v1": sdak_v1.RULES,
    "tcmbench_v2": tcmbench_v2.RULES,
}
