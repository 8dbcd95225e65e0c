"""Task files of a release for other tools: lm-evaluation-harness (`harness/`) and OpenCompass (`opencompass/`)."""

from collections.abc import Iterable, Mapping
from typing import Any

from atomexam.records.claim import PAIR, SENTENCES, ClaimPair, Fourfold
from atomexam.records.question import Question
from splits.release.columns import CLAIMS, FOURFOLD, RELEASED, TEMPLATES, Record, Tables, canary, config_of, configs_and_types, environment

HARNESS = "harness"
EXAMPLES = 5  # as many as in CPsyExam
CODE = "atomexam_tables.py"
TEMPLATE_OF = {"mcqa": "single", "tf": "truth", "mrqa": "multiple", "blank": "blank"}
"""Question types that can be scored without a judge -> template for the type."""


def tasks(tables: Tables) -> list[dict[str, Any]]:
    """Return the contents of the task files; tables without test records are omitted."""
    described = []
    for config, kind in configs_and_types(tables):
        is_claims = config in (CLAIMS, FOURFOLD)
        template = "claim" if is_claims else TEMPLATE_OF.get(kind)
        if template and tables.get((config, kind, "test")):
            name = f"atomexam_{config}" if is_claims else f"atomexam_{config}_{kind}"
            shots_from = RELEASED["train"] if tables.get((config, kind, "train")) else None
            common = {"template": template, "config": config, "kind": kind, "shots_from": shots_from}
            described.append({"name": name, "group": "atomexam", "examples": 0, **common})
            if shots_from and not is_claims:
                described.append({"name": f"{name}_{EXAMPLES}shot", "group": f"atomexam_{EXAMPLES}shot", "examples": EXAMPLES, **common})
    return described


def render_harness(tables: Tables, version: str) -> dict[str, str]:
    """Return file name -> content: a file per task, one for the task group, and the code that reads the tables next to them."""
    files = {}
    for task in tasks(tables):
        template = environment(escape=False).get_template(f"{HARNESS}/{task['template']}.yaml.jinja")
        files[f"{task['name']}.yaml"] = template.render(task, version=version, canary=canary())
    group = environment(escape=False).get_template(f"{HARNESS}/group.yaml.jinja")
    for name in sorted({task["group"] for task in tasks(tables)}):
        names = [task["name"] for task in tasks(tables) if task["group"] == name]
        files[f"{name}.yaml"] = group.render(name=name, tasks=names, version=version, canary=canary())
    if files:
        files[CODE] = f"# {canary()}\n" + (TEMPLATES / HARNESS / CODE).read_text(encoding="utf-8")
    return files


OPENCOMPASS = "opencompass"
TYPE_WORDS = {"mcqa": "单项选择题", "tf": "判断题"}
_CLAIM = "下列说法是否正确，如果正确，请先回复“正确”，然后给出原因。如果错误，请先回复“错误”，然后给出原因。\n\n{claim}"

Row = dict[str, str]


def flatten(records: Iterable[Record], canary: str) -> dict[str, list[Row]]:
    """Return table name -> rows."""
    tables: dict[str, list[Row]] = {}
    for record in records:
        if not isinstance(record, Question):
            name = "atomexam_claims" if isinstance(record, ClaimPair) else "atomexam_fourfold"
            tables.setdefault(name, []).extend(side | {"canary": canary} for side in _sides(record))
        elif record.question_type in TYPE_WORDS:
            tables.setdefault(f"atomexam_{config_of(record)}_{record.question_type}", []).append(_row(record) | {"canary": canary})
    return tables


def meta(name: str, rows: Iterable[Row]) -> Mapping[str, Any]:
    """Return the description of a table: for each answer the dialogue whose likelihood is compared."""
    is_claims = name in ("atomexam_claims", "atomexam_fourfold")
    answers = ["正确", "错误"] if is_claims or name.endswith("_tf") else sorted({letter for row in rows for letter in row["letters"]})
    lead = "" if is_claims else "答案："
    rounds = {
        answer: {"round": [{"role": "HUMAN", "prompt": "{question}\n"}, {"role": "BOT", "prompt": f"{lead}{answer}"}]} for answer in answers
    }  # fmt: skip
    return {
        "abbr": name, "data_type": "mcq", "infer_method": "ppl", "input_columns": ["question"], "output_column": "answer",
        "options": answers, "template": rounds,
    }  # fmt: skip


def _row(question: Question) -> Row:
    is_tf = question.question_type == "tf"
    asked = "请判断其说法是否正确，只回答“正确”或“错误”" if is_tf else "请选出其中的正确答案"
    lead = f"以下是中国关于{question.subject}考试的{TYPE_WORDS[question.question_type]}，{asked}。\n"
    options = "" if is_tf else "\n".join(f"{option.letter}. {option.text}" for option in question.options)
    parts = (lead, question.shared_stem, question.stem, options)
    letters = "".join(option.letter for option in question.options)
    texts = {option.letter: option.text for option in question.options}
    answer = texts.get(question.answer or "") if is_tf else question.answer
    return {"id": question.id, "question": "\n".join(part for part in parts if part), "letters": letters, "answer": answer or ""}


def _sides(record: ClaimPair | Fourfold) -> list[Row]:
    sides = PAIR if isinstance(record, ClaimPair) else SENTENCES
    return [
        {"id": f"{record.id}/{side}", "question": _CLAIM.format(claim=getattr(record, side)), "answer": answer}
        for side, answer in sides.items()
    ]
