"""Instruction files for supervised fine-tuning: questions and claims from train -> entries in the format of CPsyExam's published set.

An entry has `system`, `instruction`, `input` (empty) and `output`, and uses the prompts of the evaluation. Only train is used.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Option, Question, accepted_words, prompt_for
from atomexam.runtime.jsonl import replacing, to_line
from splits.ledger.units import TCM
from splits.release.columns import CLAIMS, IN_WORDS, TEMPLATES, config_of

FOLDER = "sft"
INDEX = "dataset_info.json"
TYPE_NAMES = {"mcqa": "单选", "mrqa": "多选", "qa": "问答"}
_TCM_PROMPTS = {"a1": "tcm_a", "a2": "tcm_a", "a3": "tcm_a3", "b1": "tcm_b1"}
_COLUMNS = {"prompt": "instruction", "query": "input", "response": "output", "system": "system"}
_NO_ANALYSIS = "略。"  # in Chinese answer keys, stands for a missing explanation

Entry = dict[str, str]


class Prompts:
    """Prompts from the evaluation; question types that have none use the templates in this package."""

    def __init__(self, folder: Path) -> None:
        names = ("choice", "choice_other", "claim", "tf", "blank", *_TCM_PROMPTS.values())
        paths = [folder / f"{name}.txt" for name in sorted(set(names))]
        paths += [TEMPLATES / FOLDER / f"{name}.txt" for name in ("qa", "qa_other")]
        self._texts = {path.stem: _without_source(path) for path in paths}

    def text(self, name: str) -> str:
        """Return a prompt without placeholders."""
        return self._texts[name]

    def fill(self, name: str, **words: str) -> str:
        return self._texts[name].format(**words)


class InstructionFiles:
    """Files for fine-tuning, one array of entries per config, written as records arrive."""

    def __init__(self, out: Path, prompts: Prompts, stack: ExitStack) -> None:
        """Open the files on a stack, which closes them; if it ends without an error, they are moved to their final paths."""
        self._out, self._prompts, self._stack = out, prompts, stack
        self._files: dict[str, Callable[[Entry], int]] = {}

    def add(self, record: Question | ClaimPair) -> None:
        config = CLAIMS if isinstance(record, ClaimPair) else config_of(record)
        if config not in self._files:
            self._files[config] = self._stack.enter_context(_array(self._out / FOLDER / f"{config}.json"))
        for entry in entries_of(record, self._prompts):
            self._files[config](entry)

    def configs(self) -> list[str]:
        return sorted(self._files)


@contextmanager
def _array(path: Path) -> Iterator[Callable[[Entry], int]]:
    """Yield a function that writes one entry to an array in a file."""
    with replacing(path) as part, open(part, "wb") as file:
        before = chain([b"[\n"], repeat(b",\n"))
        yield lambda entry: file.write(next(before) + to_line(entry).rstrip())
        file.write(b"\n]\n")


def entries_of(record: Question | ClaimPair, prompts: Prompts) -> list[Entry]:
    """Return the entries of a record: one for a question, two for a claim pair."""
    return _claim_entries(record, prompts) if isinstance(record, ClaimPair) else [_question_entry(record, prompts)]


def index(taught: Iterable[str]) -> dict[str, Any]:
    """Return dataset_info.json, which tells LLaMA-Factory what the files and their columns are."""
    return {f"atomexam_{config}": {"file_name": f"{config}.json", "columns": _COLUMNS} for config in taught}


def _question_entry(question: Question, prompts: Prompts) -> Entry:
    if question.exam == TCM and question.question_type == "mcqa":
        form = question.form or "a1"
        output = f"【解析】{question.explanation or _NO_ANALYSIS}<eoe>\n【答案】{question.answer}<eoa>"
        return _entry(prompts.text(_TCM_PROMPTS[form]), _tcm_text(question, form), output)
    if question.question_type in ("tf", "blank"):
        text = "\n".join(part for part in (question.shared_stem, question.stem) if part)
        verdict = next((option.text for option in question.options if option.letter == question.answer), "")
        output = verdict if question.question_type == "tf" else accepted_words(question.answer or "")[0]
        return _entry(prompts.fill(question.question_type, subject=question.subject), f"{text}\n答案：", output)
    name = prompt_for(question, "qa" if question.question_type in IN_WORDS else "choice")
    system = prompts.fill(name, subject=question.subject, question_type=TYPE_NAMES[question.question_type])
    texts = (question.shared_stem, question.stem, _options_text(question.options, ". "))
    return _entry(system, "\n".join(part for part in texts if part), f"答案：{question.answer}")


def _tcm_text(question: Question, form: str) -> str:
    options = _options_text(question.options, "．")
    if form == "b1":
        return f"（共用备选答案）\n{options}\n1)．{question.stem}"
    stem = f"1)．{question.stem}" if form == "a3" else question.stem
    return "\n".join(part for part in (question.shared_stem, stem, options) if part)


def _claim_entries(pair: ClaimPair, prompts: Prompts) -> list[Entry]:
    both = ((pair.factual, "正确"), (pair.non_factual, "错误"))
    return [_entry("", prompts.fill("claim", claim=claim), verdict) for claim, verdict in both]


def _entry(system: str, instruction: str, output: str) -> Entry:
    return {"system": system, "instruction": instruction, "input": "", "output": output}


def _options_text(options: Iterable[Option], mark: str) -> str:
    return "\n".join(f"{option.letter}{mark}{option.text}" for option in options)


def _without_source(path: Path) -> str:
    """Return a prompt without its first line, the comment that names its source."""
    source, _, text = path.read_text(encoding="utf-8").partition("\n")
    if not source.startswith("# "):
        raise ValueError(f"{path}:1: found {source[:40]!r}; expected a comment `# …` that names the prompt's source")
    return text.rstrip("\n")
