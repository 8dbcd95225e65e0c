"""The change between two versions: its parts sum up to the last digit, and both versions come out of a real DVC repository."""

import json
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.yaml_values import yaml_values
from eval.diff.__main__ import CAUSES, as_text, causes_of, difference_of, divide, main, traits_of
from eval.diff.page import points_of, rounded_parts
from eval.diff.version import DataVersion, VersionReply, VersionScore, tags
from eval.statistics.bootstrap import DIGITS
from eval.statistics.paired_tests import Tally

tallies = st.dictionaries(
    st.sampled_from("abcdefghijkl"), st.integers(1, 3).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1
).map(lambda drawn: {key: Tally(*pair) for key, pair in drawn.items()})


@pytest.mark.slow
@given(tallies, tallies, st.dictionaries(st.sampled_from("abcdefghijkl"), st.sampled_from(CAUSES)))
def test_parts_sum_exactly_even_rounded(before, after, drawn) -> None:
    causes = {key: drawn.get(key, "reply") for key in before.keys() & after.keys() if before[key] != after[key]}
    parts = divide(before, after, causes)
    start, end = (sum(each.share for each in side.values()) / len(side) for side in (before, after))
    assert sum(part.effect for part in parts) == end - start
    for digits in (4, DIGITS):
        rounded = rounded_parts(end - start, [part.effect for part in parts], digits)
        assert f"{sum(rounded):.{digits}f}".lstrip("-") == f"{float(end - start):.{digits}f}".lstrip("-")  # -0.0000 is 0.0000
        assert all(abs(one - part.effect) * 10**digits < 1.001 for one, part in zip(rounded, parts, strict=True))
        assert all(not one for one, part in zip(rounded, parts, strict=True) if not part.effect)


def test_parts_match_hand_calculation() -> None:
    """Four questions, two right. One right is removed (1/3 are left), one turns right (2/3), one right is added (3/4)."""
    before = {key: Tally(mark, 1) for key, mark in zip("abcd", (1, 1, 0, 0), strict=True)}
    after = {key: Tally(mark, 1) for key, mark in zip("bcde", (1, 1, 0, 1), strict=True)}
    effects = {part.name: (part.items, part.effect) for part in divide(before, after, {"c": "prompt"})}
    assert effects["removed"] == (1, Fraction(1, 3) - Fraction(1, 2))
    assert effects["prompt"] == (1, Fraction(1, 3))
    assert effects["added"] == (1, Fraction(3, 4) - Fraction(2, 3))
    assert sum(effect for _, effect in effects.values()) == Fraction(1, 4)


def test_a_change_is_rounded_once() -> None:
    """50.0049 % - 46.1551 % are 3.8498 points; the rounded rates differ by 3.84."""
    change = Fraction(461_551, 1_000_000) - Fraction(500_049, 1_000_000)
    assert rounded_parts(change, [change, Fraction(0)], 4) == [-0.0385, 0]


@pytest.mark.parametrize("of", [343, 667, 4000])
def test_single_part_equals_the_change(of: int) -> None:
    for count in range(1, of):
        figure = {"change": round(count / of, DIGITS), "parts": {"reply": {"effect": round(count / of, DIGITS)}, "key": {"effect": 0.0}}}
        for decimals in (1, 2):
            assert f"{points_of(figure, decimals)['reply']:+.{decimals}f}" == f"{100 * figure['change']:+.{decimals}f}"


def test_without_shared_items_the_change_is_added() -> None:
    parts = divide({"a": Tally(0, 1), "b": Tally(1, 1)}, {"c": Tally(1, 1)}, {})
    assert {part.name: (part.items, part.effect) for part in parts if part.items} == {"removed": (2, 0), "added": (1, Fraction(1, 2))}


def test_newly_cut_reply_counts_as_another_reply() -> None:
    def traits(finish_reason: str, outcome: str) -> dict:
        scores = [VersionScore(item_id="c-1/factual", repeat=0, outcome=outcome)]
        return traits_of(
            scores, [VersionReply(item_id="c-1/factual", repeat=0, prompt_sha256="0", reply="这道题", finish_reason=finish_reason)], {}
        )

    assert causes_of(traits("stop", "unparsed"), traits("length", "truncated")) == {"c-1": "reply"}
    assert causes_of(traits("stop", "unparsed"), traits("length", "truncated"), other_weights=True) == {"c-1": "weights"}
    assert causes_of(traits("stop", "unparsed"), traits("stop", "truncated")) == {"c-1": "reading"}


MAKE = """
import hashlib, json, pathlib
wanted = json.loads(pathlib.Path("params.yaml").read_text(encoding="utf-8"))
questions = wanted["questions"]

def write(path, rows):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text("".join(json.dumps(row, ensure_ascii=False) + "\\n" for row in rows), encoding="utf-8")

def score(key, one):
    letter = one["reply"].upper() if wanted["reader"] == "lenient" else one["reply"]
    answer = letter if letter.isupper() else None
    outcome = "answered" if answer else "unparsed"
    return {"item_id": key, "repeat": 0, "outcome": outcome, "answer": answer, "correct": letter == one["answer"], "of_later": 1}

def prediction(key, one, run):
    prompt = hashlib.sha256(one["stem"].encode()).hexdigest()
    return {"item_id": key, "run": run, "repeat": 0, "prompt_sha256": prompt, "reply": one["reply"], "finish_reason": "stop", "tokens": 1}

write("data/splits/test/questions.jsonl", [{"id": key, "group_id": None, **one} for key, one in questions.items()])
for split in ("train", "dev", "reserved"):
    rows = [{"id": f"{split}-{key}", **one} for key, one in questions.items() if key in ("q-gone", "q-new")]
    write(f"data/splits/{split}/questions.jsonl", rows)
    write(f"data/splits/{split}/claims.jsonl", [])
write("data/splits/test/claims.jsonl", [])
for run, line in wanted["runs"].items():
    folder = "/".join(["data/predictions", *line.values()])
    write(f"{folder}/{run}.jsonl", [prediction(key, one, run) for key, one in questions.items()])
    write(f"data/scores/{run}.jsonl", [score(key, one) for key, one in questions.items()])
"""
JUDGE = """
    write(f"data/judgements/{run}.jsonl", [
        {"item_id": key, "repeat": 0, "order": order, "draw": 0, "mark": one.get("mark", 50), "reply": "…"}
        for key, one in questions.items() for order in ("standard_first", "given_first")])
"""
STAGE = {
    "cmd": f"{sys.executable} make.py",
    "deps": ["make.py", "params.yaml"],
    "outs": ["data/splits", "data/predictions", "data/scores", "data/judgements"],
}


def question(reply: str, answer: str = "A", stem: str = "题") -> dict:
    return {"reply": reply, "answer": answer, "stem": stem}


FIRST = {
    "q-same": question("A"), "q-gone": question("A"), "q-key": question("A", "B"), "q-prompt": question("C"), "q-reply": question("A"),
    "q-reading": question("a"),
}  # fmt: skip
SECOND = {
    "q-same": question("A") | {"mark": 80}, "q-key": question("A"), "q-prompt": question("A", stem="新题"), "q-reply": question("D"),
    "q-reading": question("a"), "q-new": question("B"),
}  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real DVC repository of two commits: data, replies and scores are outputs in its cache, as in the pipeline."""
    folder = tmp_path_factory.mktemp("repository")

    def run(*words: str) -> None:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + done.stdout

    dvc = str(Path(sys.executable).with_name("dvc"))
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    run("git", "init", "-q")
    run(dvc, "init", "-q")
    run(dvc, "config", "core.analytics", "false")
    (folder / "make.py").write_text(MAKE + JUDGE, encoding="utf-8")
    (folder / "dvc.yaml").write_text(json.dumps({"stages": {"make": STAGE}}), encoding="utf-8")
    versions = {
        # v1: before there was a folder a model.
        "v1": {"reader": "strict", "runs": {"kept": {}, "old": {}}, "judges": {"kept": {}}, "questions": FIRST},
        "v2": {"reader": "lenient", "runs": {"kept": {"model": "m"}, "new": {"model": "m"}}, "judges": {"kept": {}}, "questions": SECOND},
    }
    for name, params in versions.items():
        (folder / "params.yaml").write_text(json.dumps(params, ensure_ascii=False), encoding="utf-8")
        run(dvc, "repro", "-q")
        run(*git, "add", "-A")
        run(*git, "commit", "-q", "-m", name)
        run("git", "tag", name)
    return folder


@pytest.mark.slow
def test_version_shows_commit_and_day(repository: Path) -> None:
    told = subprocess.run(
        ["git", "log", "-1", "--date=format:%Y-%m-%d", "--format=%h %cd", "v1"], cwd=repository, capture_output=True, text=True
    )
    commit, day = told.stdout.split()
    said = DataVersion("v1", repository).about
    assert said.startswith("v1 (") and said.endswith(f", {day})") and said[4 : -len(day) - 3].startswith(commit)
    assert DataVersion("workspace", repository).about == "workspace"
    assert tags(repository) == ["v1", "v2"]


@pytest.mark.slow
def test_diff_of_two_commits_by_cause(repository: Path) -> None:
    found = difference_of(DataVersion("v1", repository), DataVersion("v2", repository))
    assert (found["only_a"], found["only_b"]) == (["old"], ["new"])
    accuracy = found["runs"]["kept"]["accuracy"]
    assert (accuracy["a"], accuracy["b"]) == (0.5, 0.66666667)  # same, gone and reply of six; same, key, prompt and reading of six
    items = {name: part["items"] for name, part in accuracy["parts"].items()}
    assert items == {"removed": 1, "key": 1, "repeats": 0, "prompt": 1, "weights": 0, "reply": 1, "reading": 1, "mark": 0, "added": 1}
    assert round(sum(part["effect"] for part in accuracy["parts"].values()), DIGITS) == accuracy["change"]
    assert {key: one["cause"] for key, one in accuracy["changed"].items()} == {
        "q-key": "key", "q-prompt": "prompt", "q-reply": "reply", "q-reading": "reading",
    }  # fmt: skip
    test = accuracy["paired"]
    assert (test["shared"], test["better"], test["worse"], test["differs"]) == (5, 3, 1, False)
    mark = found["runs"]["kept"]["mark"]  # 50 for all that was answered, then 80 for one
    assert {name: (part["items"], part["effect"]) for name, part in mark["parts"].items() if part["effect"]} == {
        "removed": (1, -0.01666667), "reading": (1, 0.1), "mark": (1, 0.06), "added": (1, -0.01),
    }  # fmt: skip
    following = found["runs"]["kept"]["following_rate"]
    assert (following["a"], following["b"]) == (0.83333333, 1.0)


def lying(folder: Path, rows: dict[str, list[dict]]) -> DataVersion:
    """Return a version of files as they lie in a folder, of one run that is judged."""
    for path, lines in rows.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (folder / "params.yaml").write_text("runs: {run: {}}\njudges: {run: {}}\n", encoding="utf-8")
    return DataVersion("workspace", folder)


def rows_of(keys: dict[str, str | None], right: list[bool | None], outcome: str = "answered", mark: float = 50.0) -> dict[str, list[dict]]:
    ids = [f"q-{number:02}" for number in range(len(right))]
    scores = [{"item_id": one, "repeat": 0, "outcome": outcome, "correct": mark_} for one, mark_ in zip(ids, right, strict=True)]
    reply = {"repeat": 0, "prompt_sha256": "0", "reply": "", "finish_reason": "stop"}
    return {
        "data/splits/test/questions.jsonl": [{"id": one, "group_id": f"g{int(one[2:]) // 5}", "answer": keys.get(one, "A")} for one in ids],
        "data/splits/test/claims.jsonl": [],
        "data/scores/run.jsonl": scores,
        "data/predictions/run.jsonl": [{"item_id": one} | reply for one in ids],
        "data/judgements/run.jsonl": [{"item_id": ids[0], "repeat": 0, "order": "given_first", "draw": 0, "mark": mark}],
    }


def test_cases_are_resampled_as_units(tmp_path: Path) -> None:
    """Eight cases of five, six won and two lost whole: forty questions look certain, as eight cases do not."""
    right = [True] * 30 + [False] * 10
    a, b = (lying(tmp_path / name, rows_of({}, marks)) for name, marks in (("a", [not mark for mark in right]), ("b", right)))
    test = difference_of(a, b)["runs"]["run"]["accuracy"]["paired"]
    assert test["mcnemar_p"] < 0.01 and test["bootstrap_p"] > 0.05 and not test["differs"]


def test_answer_without_reference_has_no_mark(tmp_path: Path) -> None:
    """One of two questions without a reply has no standard answer: it is not worth 0, though the other is."""
    keys = {"q-00": "…", "q-01": None}
    before, after = rows_of(keys, [None, None], "unparsed"), rows_of(keys, [None, None], "unparsed")
    after["data/scores/run.jsonl"][0]["outcome"] = "answered"
    found = difference_of(lying(tmp_path / "a", before), lying(tmp_path / "b", after))["runs"]["run"]["mark"]
    assert (found["a"], found["b"], found["paired"]["shared"]) == (0.0, 0.5, 1)


def test_params_and_lock_are_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock of 40 stages takes a second to parse: 20 runs took minutes."""
    rows = rows_of({"q-00": "A"}, [True])
    versions = lying(tmp_path / "a", rows), lying(tmp_path / "b", rows)
    parsed = []
    monkeypatch.setattr("eval.diff.version.yaml_values", lambda text, where: parsed.append(where) or yaml_values(text, where))
    for folder in "ab":
        (tmp_path / folder / "dvc.lock").write_text("stages: {}\n", encoding="utf-8")
    difference_of(*versions)
    assert len(parsed) == 4


def test_lists_changed_keys_once_and_only_moved_figures(tmp_path: Path) -> None:
    """Twelve decided keys: accuracy moved, the following rate did not. Text of pages gives a terminal no orders."""
    ids = [f"q-{number:02}" for number in range(12)]
    before, after = rows_of({}, [True] * 12), rows_of(dict.fromkeys(ids, "B"), [False] * 12)
    for rows in (before, after):
        rows["data/splits/test/questions.jsonl"][0]["stem"] = "下列\x1b[31m哪项\n" + "正确" * 40
    found = difference_of(lying(tmp_path / "a", before), lying(tmp_path / "b", after))
    text = as_text(found, items=False)
    assert "\ndifferent key: 12 questions\n  q-00  A -> B  下列 [31m哪项 正确" in text and "\x1b" not in text
    assert "  q-09  A -> B\n  … 2 more: --items\n" in text and "q-10" not in text
    assert "in test:" not in text
    assert "run accuracy  100.00 % -> 0.00 % (-100.00 points)" in text and "run following rate" not in text
    assert "\n  q-11  A -> B\n" in as_text(found, items=True)


def test_all_parameters_that_changed_are_named_or_counted(tmp_path: Path) -> None:
    first, second = (lying(tmp_path / name, rows_of({}, [True])) for name in "ab")
    assert difference_of(first, second)["params"] == []
    (tmp_path / "b/params.yaml").write_text(
        "runs: {run: {}}\njudges: {run: {}}\nsplit: {seed: 2}\nsites: live\nclean: {min: [1, 2]}\nmodels: {m: {a: {b: 1}}}\nx: 1\n", "utf-8"
    )
    (tmp_path / "a/params.yaml").write_text("runs: {run: {}}\njudges: {run: {}}\nsplit: {seed: 1, quota: {a: 1}}\nmodels: {}\n", "utf-8")
    found = difference_of(DataVersion("workspace", tmp_path / "a"), DataVersion("workspace", tmp_path / "b"))
    changed = ["split.seed 1 -> 2", "split.quota {…} -> -", "models.m - -> {…}", "sites - -> live", "clean - -> {…}", "x - -> 1"]
    assert found["params"] == changed
    assert "\nparams: split.seed 1 -> 2; " in (text := as_text(found | {"a": "v1"}, items=False))
    assert "; 2 more: `dvc params diff v1`\n" in text


@pytest.mark.slow
def test_workspace_is_a_version_and_unmoved_runs_share_a_line(repository: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(repository)
    main(["v2"])
    assert capsys.readouterr().out == "v2 -> workspace\n\nno figure moved in 2 runs: kept, new\n"
    main(["v1", "v2", "--items"])
    told = capsys.readouterr().out
    assert "\nall splits: 4 questions added, 4 questions removed, 2 questions edited\n" in told
    assert "\nquestions in test: 6 -> 6 (1 added, 1 removed; edited items count as both)\n" in told and "claims in test" not in told
    assert "kept accuracy  50.00 % -> 66.67 % (+16.67 points)" in told
    assert "q-prompt  0.00 -> 1.00  prompt" in told
    main(["v1", "v2", "--json"])
    assert json.loads(capsys.readouterr().out)["runs"]["kept"]["accuracy"]["change"] == 0.16666667


@pytest.mark.slow
def test_unreadable_version_gives_the_next_command(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nope: not a version of this repository"):
        DataVersion("nope", repository)
    with pytest.raises(FileNotFoundError, match="v1 has no such file"):
        DataVersion("v1", repository).scores("never")
    with pytest.raises(FileNotFoundError, match="not in the workspace; `dvc repro`"):
        DataVersion("workspace", repository).scores("never")
    with pytest.raises(FileNotFoundError, match=r"no params.yaml in this folder; run the command from the repository's root"):
        DataVersion("workspace", tmp_path).model_of("kept")
    emptied = tmp_path / "emptied"
    shutil.copytree(repository, emptied)
    shutil.rmtree(emptied / ".dvc" / "cache")
    advice = r"`dvc fetch --all-tags` fetches it if it was pushed, else `git checkout v1 && dvc repro`"
    with pytest.raises(FileNotFoundError, match=rf"data/scores/kept.jsonl of v1 is not in DVC's cache .*{advice}"):
        DataVersion("v1", emptied).scores("kept")
