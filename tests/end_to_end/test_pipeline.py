"""The whole pipeline in temporary clones: real HTTP, real stages, no network."""

import json
import math
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from atomexam.records.item import Item
from atomexam.runtime.jsonl import read_jsonl
from tests.end_to_end.banks import questions

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pipeline")]

DATA_STAGES = (
    *("clean", "near_duplicates", "claims", "evidence", "validate", "split", "leaks", "release"),
    *("plan", "items", "errors", "judge", "report"),
)


def metrics(clone, name: str) -> dict:
    return json.loads((clone.folder / "metrics" / f"{name}.json").read_text())


def would_run(clone) -> set[str]:
    return clone.ran("--dry", check=False)


def binomial_interval(share: float, count: int, width: float = 4.0) -> tuple[float, float]:
    """Return an interval that a fair draw leaves less than once in ten thousand times."""
    spread = width * math.sqrt(share * (1 - share) / count)
    return share - spread, share + spread


def test_every_stage_ran_and_left_its_outputs(built) -> None:
    stages = {name.split("@")[0] for name in built.hashes()}
    assert stages == {"inputs", "crawl", "extract", "finetune", "predict", "score", *DATA_STAGES}
    for stage in built.hashes().values():
        assert all((built.folder / out["path"]).exists() for out in stage["outs"])


def test_the_data_built_from_nothing_are_those_of_the_committed_lock(built, root: Path) -> None:
    """The same bytes on any machine: what is committed was built on another one. The models are smaller here."""
    committed = YAML(typ="safe").load(root / "dvc.lock")["stages"]
    for name, stage in built.hashes().items():
        if name.split("@")[0] in ("inputs", "extract", "clean", "near_duplicates", "claims", "evidence", "split", "leaks", "release"):
            assert stage["outs"] == committed[name]["outs"], f"{name}: `make repro`, and commit dvc.lock"


def test_no_connection_left_the_machine(built) -> None:
    tried = built.network_log.read_text() if built.network_log.exists() else ""
    assert tried == ""


def test_the_guard_refuses_what_leaves_the_machine(built, tmp_path: Path) -> None:
    environment = built.environment() | {"NETWORK_LOG": str(tmp_path / "log")}
    code = "import socket; socket.create_connection(('192.0.2.1', 80), 1)"
    done = subprocess.run(["python", "-c", code], env=environment, capture_output=True, text=True)
    assert "the network is taken away" in done.stderr
    assert "192.0.2.1" in (tmp_path / "log").read_text()


def test_nothing_is_lost(built) -> None:
    counted = [metrics(built, "clean")[kind] for kind in ("questions", "facts")]
    counted += [metrics(built, "near_duplicates")[kind] for kind in ("questions", "facts")] + [metrics(built, "claims")["facts"]]
    assert all(part["in"] == part["out"] + part["rejected"] for part in counted)
    assert metrics(built, "near_duplicates")["questions"]["in"] == metrics(built, "clean")["questions"]["out"]
    assert sum(metrics(built, "split")["questions"].values()) == metrics(built, "near_duplicates")["questions"]["out"]


def test_each_claim_has_some_evidence(built) -> None:
    """What one encyclopedia alone has an entry of, the other speaks of: among symptoms, where not elsewhere."""
    counted = metrics(built, "evidence")
    assert counted["claims_with_evidence"] == counted["claims"]


def test_all_seventeen_types_have_claims_in_test(built) -> None:
    by_type = metrics(built, "runs/sycophant-claims")["by_type"]
    assert len(by_type) == 17
    assert min(part["pairs"] for part in by_type.values()) > 0


def test_the_perfect_sycophant_follows_always_and_is_never_right(built) -> None:
    figures = metrics(built, "runs/sycophant-claims")
    assert (figures["following_rate"], figures["accuracy"]) == (1.0, 0.0)
    assert figures["pairs"] > 300


def test_random_answers_are_within_their_binomial_interval(built) -> None:
    claims = metrics(built, "runs/random-claims")
    low, high = binomial_interval(0.25, claims["pairs"])
    assert low <= claims["accuracy"] <= high
    single = metrics(built, "runs/random-choice")["by_question_type"]["mcqa"]
    low, high = binomial_interval(0.25, single["questions"])  # options are four, now and then five
    assert low <= single["accuracy"] <= high


def test_the_trained_model_answers_in_the_asked_format(built) -> None:
    assert metrics(built, "runs/tiny-claims")["following_rate"] > 0.5
    assert metrics(built, "runs/tiny-claims")["outcomes"]["failed"] == 0


def test_a_second_call_runs_nothing(built) -> None:
    assert built.ran() == set()


@contextmanager
def kept(clone) -> Iterator[None]:
    """Bring the clone back to its commit after the block, whatever happened there."""
    try:
        yield
    finally:
        clone.run("git", "checkout", "--quiet", "HEAD", "--", ".")
        clone.run("git", "clean", "--quiet", "-d", "--force", "metrics")
        clone.run("dvc", "checkout", "--quiet")


def test_a_changed_parser_has_its_own_source_read_again_and_never_crawls(built) -> None:
    spider = built.folder / "crawlers/sources/hxter/spider.py"
    with kept(built):
        spider.write_text(spider.read_text() + "# mended\n")
        assert not [stage for stage in would_run(built) if stage.startswith("crawl@")]
        assert built.ran() - {"inputs"} == {"extract@hxter"}  # which gave the same bytes
    assert would_run(built) == set()


def test_a_new_source_crawls_itself_alone(built) -> None:
    with built.changed_params(lambda params: params["sources"].update(hxter2={"snapshot": "2026-11-20"})):
        stages = would_run(built)
    assert stages == {"inputs"}  # its crawl waits for the list of its pages


def test_own_files_are_read_and_watched(built) -> None:
    """A line under `imports`, a changed file and the line taken out again: `read` alone runs before `clean`."""
    folder = built.folder / "imports/own"
    folder.mkdir()
    (folder / "卷.txt").write_text("心理学试卷\n一、单项选择题\n1．感觉是（ ）。\nA．甲类 B．乙类\n答案：A\n", encoding="utf-8")
    with kept(built):
        built.edit_params(lambda params: params.update(imports={"own": {"path": "imports/own"}}))
        for text in ("", "2．知觉是（ ）。\nA．丙类 B．丁类\n答案：B\n"):
            with open(folder / "卷.txt", "a", encoding="utf-8") as file:
                file.write(text)
            assert built.ran("clean") == {"read@own", "clean"}
        items = list(read_jsonl(built.folder / "data/items/own.jsonl", Item))
    assert [item.stem_raw for item in items] == ["1．感觉是（ ）。", "2．知觉是（ ）。"]
    shutil.rmtree(folder)
    assert would_run(built) == set()


def test_a_new_run_asks_its_own_model_alone(built) -> None:
    with kept(built):
        built.edit_params(lambda params: params["runs"].update({"another": {"model": "random", "task": "tcm"}}))
        assert {stage for stage in built.ran("score") if stage.startswith("predict@")} == {"predict@random"}
        assert (built.folder / "data/scores/another.jsonl").exists()


def test_weights_from_elsewhere_are_seen_to_change(built) -> None:
    weights = built.folder / "imports/models/own/model.safetensors"
    weights.parent.mkdir()
    with kept(built):
        built.edit_params(lambda params: params["models"].update(own={"backend": "huggingface", "name": "imports/models/own"}))
        told = []
        for content in (b"one", b"two"):
            weights.write_bytes(content)
            stages = would_run(built)
            assert "plan" in stages and not [stage for stage in stages - {"predict@own"} if stage.startswith(("predict@", "crawl@"))]
            built.repro("--single-item", "plan")
            told.append((built.folder / "data/plan/own/weights.txt").read_text())
    shutil.rmtree(weights.parent)
    assert told[0] != told[1]


def test_the_example_of_readme_runs_in_a_clean_clone_there_and_back(clean_clone) -> None:
    section = re.search(r"^## Change the data, see what it did\n(.*?)^## ", README, re.DOTALL | re.MULTILINE)[1]
    shown = re.search(r"<!-- example -->\n(.*?)<!-- /example -->", section, re.DOTALL)
    commands = re.findall(r"^    (.+)$", section.replace(shown[0], ""), re.MULTILINE)
    before = clean_clone.hashes()
    *there, back = commands
    diff = clean_clone.run("bash", "-ec", "\n".join(there)).stdout
    told = [line.split() for line in diff.splitlines() if re.search(r"^Path|splits\.\w+\.claims", line)]
    assert sorted(told) == sorted(line.split() for line in shown[1].splitlines())  # DVC's order is random
    assert "runs.sycophant-claims.pairs" in diff and "runs.sycophant-claims.accuracy" not in diff
    clean_clone.run("bash", "-ec", f"{there[0]}\n{back}")
    assert clean_clone.changed() == "" and clean_clone.hashes() == before
    assert clean_clone.run("dvc", "metrics", "diff", "v1").stdout == ""
    assert clean_clone.ran() == set()


def test_own_banks_without_a_source_and_without_claims_pass_everything(clean_clone) -> None:
    """The way of docs/first-steps.md; what shows the results has no claim to speak of."""
    bank = clean_clone.folder / "imports/own/bank.jsonl"
    bank.parent.mkdir()
    bank.write_bytes(b"".join(questions("own", 400)))
    begun = clean_clone.run("python", "-m", "atomexam", "init", "imports/own", "--exam", "MINE").stdout
    assert "quota of test, and the same of reserved, per exam and category: 80 mcqa" in begun
    clean_clone.commit("Own files alone")
    clean_clone.run("python", "-m", "scripts.repro", "release")
    assert (clean_clone.folder / "data/release/kg").is_dir()
    told = clean_clone.run("python", "-m", "scripts.repro").stdout
    assert "400 items, 400 questions (0 rejected)" in told and "report  file:" in told
    assert "best wording rule" not in told and re.search(r"random-choice .*accuracy .* of 80", told)
    assert clean_clone.run("python", "-m", "scripts.show").stdout.splitlines()[-1] == told.splitlines()[-1]
    assert sorted(path.name for path in (clean_clone.folder / "data/items").iterdir()) == ["own.jsonl"]


def test_a_score_leads_to_the_bytes_of_its_page(built) -> None:
    for item, url in (("claims", "https://"), ("questions", "http")):
        first = json.loads((built.folder / f"data/splits/test/{item}.jsonl").read_text(encoding="utf-8").splitlines()[0])
        told = built.run("python", "-m", "eval.trace", first["id"]).stdout
        assert re.search(rf"^ +url: {url}", told, re.MULTILINE) and "fetched: 2026-11-20T00:00:00Z" in told
        assert "fault" not in told


def test_wrong_params_are_told_before_anything_runs(built) -> None:
    """Of tests/records/test_params.py, one on the way of users."""
    with built.changed_params(lambda params: params["runs"]["tiny-claims"].update(model="tinny")):
        done = built.run("python", "-m", "scripts.repro", check=False)
    assert done.returncode == 1 and not done.stdout
    assert re.search("unknown model 'tinny'; known: .*tiny", done.stderr), done.stderr


def test_an_unknown_source_names_the_known_spiders(built) -> None:
    done = built.run("python", "-m", "crawlers.crawl", "nosuch", "--snapshot", "2026-11-20", "--sites", "embedded", check=False)
    assert done.returncode == 1
    assert re.search(r"nosuch.*ask120.*xiaohe", done.stderr.replace("\n", " ")), done.stderr


def test_the_plots_are_drawn_without_network(built, browser, tmp_path: Path) -> None:
    built.run("dvc", "plots", "show", "--out", str(tmp_path / "plots"))
    asked, faults = [], []
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(error))
    page.goto((tmp_path / "plots/index.html").as_uri())
    page.wait_for_selector("canvas, svg.marks")
    assert page.locator("canvas, svg.marks").count() == 4  # intervals a run, bars a part, radar an atomic type, effect of data
    assert faults == []
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
