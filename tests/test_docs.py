"""The docs say what the code says: generated blocks, stages, parameters, fields, reasons, commands and links."""

import inspect
import json
import re
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct
from ruamel.yaml import YAML

from atomexam.records import (
    annotation,
    claim,
    cluster,
    fact,
    item,
    judgement,
    model,
    params,
    prediction,
    provenance,
    question,
    rejected_record,
)
from atomexam.records import blocks as param_blocks
from atomexam.records.fact import RELATIONS
from atomexam.records.reasons import REASONS
from atomexam.runtime import sheets
from crawlers.html import readable
from crawlers.read.containers.documents import pdf
from crawlers.read.containers.files import notations
from crawlers.web import broken_pages
from crawlers.web import settings as crawl_settings
from curation.claims import templates
from curation.clean.facts import prose, tails
from scripts.readme import PICTURE, SUMMARY, blocks, example_block, figures_block, filled, picture, readers, reason_blocks, without_detours
from scripts.show import figures_of, overview
from splits.leaks import knowledge_free, overlap
from splits.split import shots

ROOT = Path(__file__).parent.parent
DOCS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PIPELINE = YAML(typ="safe").load(ROOT / "dvc.yaml")
PARAMS = YAML(typ="safe").load(ROOT / "params.yaml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_LINK = re.compile(r"\]\((?!\w+://|mailto:)([^)\s]+)\)")
_PATH = re.compile(r"`((?:atomexam|crawlers|curation|splits|eval|tests|docs|bench|scripts|plots|imports)/[^`\s]*)`")
_PLACEHOLDER = re.compile(r"[*{<]|\b[A-Z]{3,}\b(?!\.md)|smallexam|my_\w+")
PAST = ("CHANGELOG.md",)  # names files of former versions, as decisions do
CURRENT = [path for path in DOCS if path.name not in PAST and "decisions" not in path.parts]
MADE = {"imports/search"}  # folders that people make
_ABSOLUTE = re.compile(r"(?<![\w.:/*}-])(?:~|/(?:bin|etc|home|mnt|opt|private|root|srv|tmp|usr|var|work|Users|Volumes))/\w|\b[A-Z]:\\")


def structs_of(*modules: object) -> list[type[Struct]]:
    """Return the record shapes that modules define."""
    return [
        shape
        for module in modules
        for shape in vars(module).values()
        if isinstance(shape, type) and issubclass(shape, Struct) and shape.__module__ == module.__name__
    ]


RECORDS = structs_of(fact, claim, cluster, item, judgement, annotation, model, prediction, provenance, question, rejected_record)
# Names that say what their fields hold.
PLAIN = """alias atomic_type claim_id comment end exam explanation explanation_raw fact_ids factual factual_reply finish_reason head item_id
label name_raw non_factual non_factual_reply pair_id pattern position prompt_sha256 prompt_tokens provenance question_id question_type
relation repeat reply revision run source stem_raw subject tail text title tokens url value verdict"""
DOCUMENTED_ELSEWHERE = ("Block", "ExtractFlags", "Judge", "RequestSettings", "SplitFlags")  # whose keys stand in the table of another block
BLOCKS = [shape for shape in structs_of(params, param_blocks) if shape.__name__ not in DOCUMENTED_ELSEWHERE]


def table(document: str, section: str) -> dict[str, str]:
    """Return the names in the first column of a section's table, one or several a row, each with the second column."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    found = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"docs/{document} has no section {section}"
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \|", found[1], re.MULTILINE)
    return {name: value for names, value in rows for name in re.findall(r"\w+", names)}


def summaries() -> list[str]:
    """Return metrics/summary.json as it lies here and as it was committed: a checkout with data of its own need not rewrite README."""
    here = [(ROOT / SUMMARY).read_text(encoding="utf-8")] if (ROOT / SUMMARY).exists() else []
    committed = subprocess.run(["git", "show", f"HEAD:{SUMMARY}"], cwd=ROOT, capture_output=True, text=True)
    return here + ([committed.stdout] if committed.returncode == 0 else [])


def test_the_graph_in_readme_is_current() -> None:
    assert filled(README, {"graph": blocks(PIPELINE, None)["graph"]}) == README, "run `make readme`"


def test_the_figures_in_readme_are_current() -> None:
    known = [blocks(PIPELINE, json.loads(text))["figures"] for text in summaries()] or [blocks(PIPELINE, None)["figures"]]
    assert any(filled(README, {"figures": figures}) == README for figures in known), "run `make readme`"


def test_the_example_of_a_diff_begins_at_the_figures() -> None:
    told = dict(re.findall(r"metrics/summary.json +splits\.(\w+)\.claims +(\d+) ", README))
    assert told, "README has no example of a diff: run `make readme`"
    known = [json.loads(text)["splits"] for text in summaries()]
    assert any(all(splits[name]["claims"] == int(claims) for name, claims in told.items()) for splits in known), "run `make readme`"


@pytest.mark.parametrize("page", ["README.md", "docs/first-steps.md", "docs/items.md", "docs/adding-a-source.md", "scripts/show.py"])
def test_what_to_type_after_a_change_fills_the_report(page: str) -> None:
    """Without --html the report still says how it would say what changed."""
    assert set(re.findall(r"python -m eval\.diff [\w.-]+( --html)?", (ROOT / page).read_text(encoding="utf-8"))) == {" --html"}


def test_example_matches_dvc_metrics_diff() -> None:
    assert example_block({"test": 5, "dev": 2, "train": 9}, {"test": 8, "dev": 2, "train": 6}).splitlines() == [
        "    Path                  Metric               v1  workspace  Change",
        "    metrics/summary.json  splits.test.claims   5   8          3",
        "    metrics/summary.json  splits.train.claims  9   6          -3",
    ]


def test_the_picture_of_the_terminal_is_current() -> None:
    if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "metrics"], cwd=ROOT).returncode:
        pytest.skip("figures of its own")
    shown = (ROOT / PICTURE).read_text(encoding="utf-8")
    assert shown == picture(["$ make show", *figures_of(ROOT)]), "run `make readme`"
    assert picture(["a <b>"]).count("&lt;b&gt;") == 1


def test_reports_missing_block() -> None:
    with pytest.raises(ValueError, match="found no block 'graph'"):
        filled("# no marks", {"graph": ""})


def test_edges_come_from_paths_and_detours_go() -> None:
    stages = {
        "make": {"outs": ["data/a"]},
        "each": {"foreach": "${runs}", "do": {"deps": ["data/a/x.jsonl"], "outs": [{"data/b/${key}.json": {"cache": False}}]}},
        "end": {"deps": ["data/a", "data/b"], "outs": []},
    }
    graph = readers({"stages": stages})
    assert graph == {"make": set(), "each": {"make"}, "end": {"make", "each"}}
    assert without_detours(graph)["end"] == {"each"}


def test_missing_figure_is_a_dash() -> None:
    summary = {
        "data": {"claims_rejected": 1234},
        "splits": {"test": {"questions": 2, "claims": 3}},
        "runs": {"one": {"pairs": 0, "following_rate": None, "accuracy": 0.125}},
    }
    table = figures_block(summary)
    assert "| claims rejected | 1,234 |" in table
    assert "| `one` | 0 | – | 12.5 % |" in table


def test_without_claims_no_rule_of_wording_is_shown() -> None:
    counts = dict.fromkeys(("items", "questions", "clusters", "facts", "claims", "passages"), 1)
    counts |= {f"{name}_rejected": 0 for name in ("questions", "facts", "claims")}
    summary = {"data": counts, "splits": {"test": {"questions": 1, "claims": 0}}, "wording_rule": {"rule": "negation", "accuracy": None}}
    assert [line.split()[0] for line in overview(summary, {}, {})] == ["data", "splits"]


def test_hides_zero_counts() -> None:
    counts = dict.fromkeys(("items", "questions", "clusters"), 1) | dict.fromkeys(("facts", "claims", "passages"), 0)
    counts |= {"questions_rejected": 0, "facts_rejected": 0, "claims_rejected": 2}
    lines = overview({"data": counts, "splits": {"test": {"questions": 1, "claims": 0}}}, {}, {})
    assert lines == ["data    1 items, 1 questions (0 rejected), 1 clusters, 0 claims (2 rejected)", "splits  test  1 question"]


@pytest.mark.parametrize("stage", PIPELINE["stages"])
def test_a_stage_is_written_about(stage: str) -> None:
    assert re.search(rf"^\| `{stage}(?:@\w+)?` \|", (ROOT / "docs/pipeline.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("shape", RECORDS, ids=lambda shape: shape.__name__)
def test_a_record_is_written_about(shape: type[Struct]) -> None:
    lines = (ROOT / "docs/records.md").read_text(encoding="utf-8").splitlines()
    line = next((line for line in lines if re.search(rf"\b{shape.__name__}\b", line)), "")
    assert f"../{shape.__module__.replace('.', '/')}.py)" in line


@pytest.mark.parametrize("shape", RECORDS, ids=lambda shape: shape.__name__)
def test_a_field_of_a_record_has_a_sentence_or_a_plain_name(shape: type[Struct]) -> None:
    bare = re.findall(r'^    (\w+): .*\n(?!    """)', inspect.getsource(shape), re.MULTILINE)
    assert set(bare) <= set(PLAIN.split())


@pytest.mark.parametrize("shape", BLOCKS, ids=lambda shape: shape.__name__)
def test_the_keys_of_params_are_written_about(shape: type[Struct]) -> None:
    assert sorted(table("parameters.md", shape.__name__)) == sorted(shape.__struct_fields__)


@pytest.mark.parametrize("shape", BLOCKS, ids=lambda shape: shape.__name__)
def test_the_defaults_of_params_are_right(shape: type[Struct]) -> None:
    told = {key: value.partition(" (")[0].strip("`") for key, value in table("parameters.md", shape.__name__).items()}
    for field in msgspec.structs.fields(shape):
        if isinstance(field.default, Struct):
            assert told[field.name] == "see below", field.name
        elif field.default is not msgspec.NODEFAULT:
            assert told[field.name] == ("none" if field.default is None else str(field.default)), field.name


def test_shipped_values_are_those_of_params_yaml() -> None:
    """A column `shipped`, and `(shipped: VALUE)` beside a default, say what params.yaml has."""
    sections = re.split(r"^## ", (ROOT / "docs/parameters.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    params = YAML(typ="safe").load(ROOT / "params.yaml")
    blocks = {"NearDuplicates": "near_duplicates", "EvidenceParams": "evidence", "Params": None}
    checked = 0
    for section in sections:
        name = section.partition("\n")[0]
        block = {
            "Quota": params["split"]["quota"],
            "Source": next(iter(params["sources"].values())),
            "Training": params["finetune"]["tiny"],
        }.get(name)
        block = params if name == "Params" else block or params.get(blocks.get(name, name.lower()), {})
        shipped = dict(re.findall(r"^\| `(\w+)` \| [^|(]*\(shipped: `?([^)`]+)`?\)", section, re.MULTILINE))
        if "| key | shipped |" in section:
            shipped |= {key: value for key, value in re.findall(r"^\| `(\w+)` \| `?([\w.]+)`? \|", section, re.MULTILINE)}
        for key, value in shipped.items():
            assert str(block[key]) == value, f"docs/parameters.md, {name}: {key} is {block[key]} in params.yaml"
            checked += 1
    assert checked > 25


def test_the_tables_of_reasons_are_those_of_the_code() -> None:
    text = (ROOT / "docs/reasons.md").read_text(encoding="utf-8")
    assert filled(text, reason_blocks()) == text, "run `make readme`"


def test_every_reason_in_the_code_is_a_known_one() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "curation").rglob("*.py"))]
    used = {reason for text in texts for reason in re.findall(r"""reason\s*=\s*"(\w+)\"""", text)}
    assert {"value_empty", "tail_not_atomic", "entity_empty"} <= used <= set(REASONS)


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    for target in _LINK.findall(path.read_text(encoding="utf-8")):
        place, _, anchor = target.partition("#")
        goal = (path.parent / place).resolve() if place else path
        assert goal.exists(), f"{path.name}: {target}"
        if anchor and goal.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", goal.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}, f"{path.name}: {target}"


@pytest.mark.parametrize("path", CURRENT, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_paths_in_docs_exist(path: Path) -> None:
    """Paths between backquotes that begin with a folder of ours. Outputs, placeholders (CAPITALS, `*`) and made-up names apart."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    named = {name.rstrip("/") for name in _PATH.findall(text) if not _PLACEHOLDER.search(name)}
    assert sorted(name for name in named if name not in MADE and not (ROOT / name).exists()) == []


def test_what_happens_where_is_true() -> None:
    named = re.findall(r"`([a-z_/]+)\.py`, `(\w+)`", (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8"))
    assert len(named) > 10
    for module, name in named:
        assert hasattr(import_module(module.replace("/", ".")), name), f"{module}.py has no {name}"


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_path_of_a_machine_stands_in_docs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not _ABSOLUTE.findall(text) and "shared/real" not in text


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_in_docs_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for module in re.findall(r"python -m ([a-z_]+(?:\.[a-z_]+)+)", text):
        home = ROOT / Path(*module.split("."))
        assert home.with_suffix(".py").exists() or (home / "__main__.py").exists(), f"{path.name}: python -m {module}"
    for script in re.findall(r"python ((?:bench|scripts)/\w+\.py)", text) if path in CURRENT else ():
        assert (ROOT / script).exists(), f"{path.name}: python {script}"
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets


def test_every_decision_is_in_the_index() -> None:
    index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
    numbered = sorted(path.name for path in (ROOT / "docs/decisions").glob("[0-9]*.md"))
    assert [name[:4] for name in numbered] == [f"{number:04d}" for number in range(1, len(numbered) + 1)]
    assert [name for name in numbered if f"({name})" not in index] == []


def number_of(text: str) -> float:
    """Return the number that digits or a word say."""
    words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "thirty"]
    return [*range(2, 11), 20, 30][words.index(text.lower())] if text.lower() in words else float(text.replace(",", ""))


TEXTS = {path.relative_to(ROOT).as_posix(): " ".join(path.read_text(encoding="utf-8").split()) for path in DOCS}
LIVE = crawl_settings.live()
STAGE_RUNS = [len(PARAMS[stage["foreach"][2:-1]]) if "foreach" in stage else 1 for stage in PIPELINE["stages"].values()]
QUOTED = [  # page, the phrase around a number, and the number in the code; `*`: any page, where it need not stand
    ("*", r"(\d+) (?:atomic )?types\b", len(RELATIONS)),
    ("*", r"(\d+) (?:relations|kinds of facts)\b", len(RELATIONS)),
    ("*", r"(?:replicas of|Spiders of) (\w+) sites", len(PARAMS["sources"])),
    ("docs/claims.md", r"trains (\w+) models without medical knowledge", len(knowledge_free.MODELS)),
    ("docs/claims.md", r"more than (\d+) % of the sentences", 100 * knowledge_free.MAX_SENTENCES),
    ("docs/claims.md", r"or (\d+) % of the facts", 100 * knowledge_free.MAX_FACTS),
    ("docs/pipeline.md", r"has (\d+) stages", len(PIPELINE["stages"])),
    ("docs/pipeline.md", r"(\d+) runs of them", sum(STAGE_RUNS)),
    ("*", r"([\d.]+) of all 3-grams", overlap.MIN_SIMILARITY),
    ("docs/splits.md", r"up to (\w+) examples", shots.LISTED_SHOTS),
    ("docs/splits.md", r"of its (\d+)-grams", overlap.NGRAM_CHARS),
    ("*", r"(\d+) to 400 characters", prose.MIN_CHARS),
    ("*", r"40 to (\d+) characters", prose.MAX_CHARS),
    ("docs/reasons.md", r"a value of more than (\d+) characters", tails.MAX_TAIL_CHARS),
    ("docs/reasons.md", r"more than (\d+) characters \| `tails.yaml`", templates.MAX_TAIL_CHARS),
    ("docs/security.md", r"page \| (\d+) MiB", crawl_settings.DOWNLOAD_MAXSIZE / 2**20),
    ("docs/security.md", r"headers, (\d+) seconds", crawl_settings.DOWNLOAD_TIMEOUT),
    ("docs/security.md", r"seconds, (\w+) redirects", crawl_settings.REDIRECT_MAX_TIMES),
    ("docs/security.md", r"sheet \| ([\d,]+) rows", sheets.MAX_ROWS),
    ("docs/security.md", r"`Crawl-delay` is obeyed up to (\w+) minutes", LIVE["CRAWL_DELAY_MAX"] / 60),
    ("docs/security.md", r"`Retry-After` is obeyed up to (\w+) minutes", crawl_settings.RETRY_AFTER_MAX / 60),
    ("docs/security.md", r"after (\w+) consecutive requests", LIVE["GIVE_UP_AFTER"]),
    ("docs/sources.md", r"more than ([\d,]+) tags", readable.MAX_TAGS),
    ("docs/sources.md", r"(\w+) new ones stop", broken_pages.MOST_BROKEN),
    ("docs/importing.md", r"([\d,]+) pages", pdf.MAX_PAGES),
    ("*", r"([\d,]+) tags and attributes", notations.MAX_XML_NODES),
    ("CONTRIBUTING.md", r"at most (\d+) characters", PROJECT["tool"]["ruff"]["line-length"]),
]


@pytest.mark.parametrize(("page", "phrase", "value"), QUOTED)
def test_a_number_in_docs_is_the_one_of_the_code(page: str, phrase: str, value: float) -> None:
    texts = TEXTS if page == "*" else {page: TEXTS[page]}
    said = {(name, number_of(number)) for name, text in texts.items() for number in re.findall(phrase, text)}
    assert said, f"{page} no longer says: {phrase}"
    assert {(name, number) for name, number in said if number != pytest.approx(value)} == set()


def test_pages_agree_on_what_was_measured() -> None:
    """A figure that no file holds stands in one page with its command; these stand in two."""
    clones = re.findall(r"`make repro` \| (\d+) min (\d+) s", TEXTS["docs/benchmarks.md"])
    minutes = [round(int(minute) + int(second) / 60) for minute, second in clones]
    assert (stated := re.search(r"\[(\w+) to (\w+) minutes", TEXTS["README.md"]))
    assert [number_of(one) for one in stated.groups()] == [min(minutes), max(minutes)]
    unseen = re.findall(r"348 questions \| (\d+) \||with the fallback (\d+)", " ".join(TEXTS.values()))
    assert len(unseen) == 2 and len({one or other for one, other in unseen}) == 1
    assert len(set(re.findall(r"600, 200(?: and|,) 25", " ".join(TEXTS.values()) + (ROOT / "params.yaml").read_text()))) > 1
    assert {version for one in TEXTS.values() for version in re.findall(r"3\.11\.\d+ to [\d.]*\d", one)} == {"3.11.5 to 3.14"}
    assert PROJECT["project"]["requires-python"] == ">=3.11.5,<3.15"


def test_the_docs_are_short() -> None:
    """Words have a letter or digit: bars and signs of tables are none. A page that grows has another that shrinks."""
    assert sum(len(re.findall(r"\S*\w\S*", TEXTS[name])) for name in TEXTS if name not in PAST) <= 32_000
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()) <= 40


def test_the_rule_of_wording_is_quoted_rightly() -> None:
    known = [json.loads(one)["runs"]["negation-claims"]["accuracy"] for one in summaries()]
    for page in ("docs/claims.md", "docs/decisions/0029-four-sentences-a-fact.md"):
        said = re.search(r"(?:answers|gets) (\w+) of six", TEXTS[page])
        assert said and number_of(said[1]) in [round(6 * accuracy) for accuracy in known], page


@pytest.mark.parametrize(
    ("page", "sections"),
    [("security", ("Hostile text", "No code from outside", "Packages", "Network", "Keys")), ("pipeline", ("Guarantees",))],
)
def test_each_promise_names_a_test_that_exists(page: str, sections: tuple[str, ...]) -> None:
    tests = set(
        re.findall(r"^\s*(?:async )?def (test_\w+)", "\n".join(path.read_text("utf-8") for path in ROOT.glob("tests/**/*.py")), re.M)
    )
    text = (ROOT / f"docs/{page}.md").read_text("utf-8")
    assert set(re.findall(r"`(test_\w+)`", text)) <= tests
    for name in sections:
        section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        promises = [one for one in re.split(r"\n\n|\n(?=- )|\n(?=\| )", section.strip()) if not re.search(r":$|^\|(?:---| what )", one)]
        assert [one for one in promises if "`test_" not in one and " not verified" not in one] == []
