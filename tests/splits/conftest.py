"""Toy questions and claims for the tests of split and release."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from atomexam.records.claim import ClaimPair, Fourfold, claim_id
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, question_id
from atomexam.runtime.jsonl import to_line

SEEN = [Provenance(source="studyez", url="http://www.studyez.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]
FLAGS = {
    "seed": "1", "quota.mcqa": "4", "quota.mrqa": "2", "quota.qa": "1", "quota.tf": "0", "quota.blank": "0", "tcm_per_subject": "2",
    "train_floor": "2", "dev_share": "0.1", "balance": "fill", "claim_test_share": "0.3", "claim_reserved_share": "0.1",
}  # fmt: skip
PATHS = {
    "questions": "questions.jsonl", "claims": "claims.jsonl", "clusters": "clusters.jsonl", "assignments": "assignments.jsonl",
    "out": "splits", "metrics": "split.json",
}  # fmt: skip


@pytest.fixture(scope="session")
def question() -> Callable[..., Question]:
    """Make a question from only the fields that matter."""

    def make(number: int, exam: str = "PCE", subject: str = "心理诊断", kind: str = "mcqa", answer: str = "A", **fields) -> Question:
        own = (
            "".join(chr(0x4E00 + 40 * number + place) for place in range(20)) if kind in ("tf", "blank") else ""
        )  # no options that distinguish it
        stem = f"{exam}{subject}{kind}{fields.get('category')}{fields.get('form')}{own}第{number}题（ ）。"
        texts = [f"{stem.removesuffix('题（ ）。')}之{letter}" for letter in "ABCDE"]  # no two questions have the same correct answer
        texts = [] if kind in ("qa", "blank") else ["正确", "错误"] if kind == "tf" else texts
        options = [Option(letter=letter, text=text) for letter, text in zip("ABCDE", texts, strict=False)]
        fields.setdefault("provenance", SEEN)
        return Question(
            id=question_id(None, stem, [option.text for option in options]), exam=exam, subject=subject, question_type=kind, stem=stem,
            options=options, answer=answer, **fields,
        )  # fmt: skip

    return make


@pytest.fixture(scope="session")
def claim() -> Callable[..., ClaimPair]:
    def make(head: str, tail: str, atomic_type: str = "disease_symptom") -> ClaimPair:
        factual, non_factual = f"{head}的症状有{tail}。", f"{head}的症状没有{tail}。"
        return ClaimPair(
            id=claim_id(factual, non_factual), atomic_type=atomic_type, head=head, tail=tail, factual=factual, non_factual=non_factual,
            template_id="paper", fact_ids=["fact-1"], provenance=SEEN,
        )  # fmt: skip

    return make


@pytest.fixture(scope="session")
def pool(question: Callable[..., Question]) -> list[Question]:
    """Two exams with cases, all question types, and TCM questions with case groups and shared options."""
    found = [question(n, exam, subject) for exam in ("PCE", "TQE") for subject in ("甲", "乙", "丙") for n in range(12)]
    found += [question(n, "PCE", subject, "mrqa", "AC") for subject in ("甲", "乙") for n in range(8)]
    found += [question(n, "TQE", "甲", "mrqa", "BD") for n in range(4)]
    for kind, answer in (("qa", "因为……"), ("tf", "A"), ("blank", "感觉")):
        found += [question(n, "PCE", "甲", kind, answer) for n in range(6)]
    for case in range(8):
        shared = {"category": "ca", "case_type": "diagnosis", "group_id": f"group-{case}", "shared_stem": f"案例{case}"}
        asked = enumerate((("mcqa", "A"), ("mcqa", "B"), ("mrqa", "AB")))
        found += [question(10 * case + n, "PCE", "案例", kind, answer, **shared) for n, (kind, answer) in asked]
    for form in ("a1", "a2", "a3", "b1"):
        for n in range(15):
            group = f"group-{form}-{n // 3}" if form in ("a3", "b1") else None
            found.append(question(n, "TCM", "方剂学", "mcqa", "ABCDE"[n % 5], form=form, group_id=group))
    return found


@pytest.fixture(scope="session")
def claims(claim: Callable[..., ClaimPair]) -> list[ClaimPair]:
    found = [claim(f"病{n}", tail) for n in range(30) for tail in ("发热", "咳嗽")]
    return found + [claim(f"食物{n}", "补钙", "food_effect") for n in range(10)]


@pytest.fixture
def release_of(tmp_path: Path) -> Callable[..., Path]:
    """Run the release stage on a folder with `splits/`, with a separate ledger; return the release."""
    return release_in(tmp_path)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, pool: list[Question], claims: list[ClaimPair]) -> Path:
    """A folder with `run/splits` and `release`, built once; do not write to it."""
    root = tmp_path_factory.mktemp("built")
    release_in(root)(split_in(root)(pool, claims, quota__tf="1"))
    return root


@pytest.fixture
def release(built: Path, tmp_path: Path) -> Path:
    """A release, with its splits in `run` next to it."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return tmp_path / "release"


@pytest.fixture
def split_files(tmp_path: Path) -> Callable[..., Path]:
    """Run the stage on records in the given order; return the folder with `splits/` and `split.json`."""
    return split_in(tmp_path)


def release_in(root: Path) -> Callable[..., Path]:
    def run(folder: Path, name: str = "release", version: str = "0.1.0", flags: Sequence[str] = ()) -> Path:
        from splits.release.__main__ import main
        from tests.splits.toys import check_leaks

        check_leaks(folder, "--contaminated", "mark")
        ledger = root / "released.jsonl"
        ledger.touch()
        out = root / name
        inputs = {"splits": folder / "splits", "leaks": folder / "leaks", "ledger": ledger, "proofs": root / "proofs", "out": out}
        main([word for flag, path in inputs.items() for word in (f"--{flag}", str(path))] + ["--version", version, *flags])
        return out

    return run


def split_in(root: Path) -> Callable[..., Path]:
    def run(
        questions: Iterable[Question],
        claims: Iterable[ClaimPair] = (),
        name: str = "run",
        assignments: str = "",
        fourfold: Iterable[Fourfold] = (),
        **flags: str,
    ) -> Path:
        from splits.split.__main__ import main

        folder = root / name
        folder.mkdir(exist_ok=True)
        for kind, records in {"questions": questions, "claims": claims, "fourfold": fourfold}.items():
            (folder / f"{kind}.jsonl").write_bytes(b"".join(map(to_line, records)))
        (folder / (assignments or "assignments.jsonl")).touch()  # an empty ledger begins a new benchmark
        paths = PATHS | ({"assignments": assignments} if assignments else {})
        values = FLAGS | {key.replace("__", "."): value for key, value in flags.items()}
        main([word for flag, path in paths.items() for word in (f"--{flag}", str(folder / path))]
             + [word for key, value in values.items() for word in (f"--{key}", value)])  # fmt: skip
        return folder

    return run
