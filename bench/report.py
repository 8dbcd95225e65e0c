"""The item browser with many items, offline: seconds until items are visible, all are loaded, and filters respond; bytes.

python bench/report.py --items 50000 --runs 6
"""

import argparse
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from playwright.sync_api import Page, sync_playwright

from atomexam.records.prediction import Prediction, Score
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question
from eval.report.items import Browser, RepliesByItem, ScoredReply
from eval.report.pages import write_items

WORDS = "心理咨询师在会谈中对求助者的情绪症状作出判断并选择适当的干预方法与评估量表以确定治疗目标"
TURNS = 5
ASKED = {
    "a run's wrong replies": "run=run-0&verdict=wrong",
    "A right and B wrong": "run=run-0&other=run-1&relation=better",
    "A alone right": "run=run-0&other=every+other+run&relation=better",
    "an exam": "exam=PCE",
    "two words": "q=咨询 4321",
    "a word that nothing has": "q=xyz",
    "everything again": "",
}
TIMED = """hash => { const started = performance.now(); location.replace("#" + hash); dispatchEvent(new HashChangeEvent("hashchange"));
  document.body.offsetHeight; return performance.now() - started }"""


def questions(count: int) -> Iterator[Question]:
    drawn = random.Random(1)
    for number in range(count):
        options = [Option(letter=letter, text=_text(drawn, 12)) for letter in "ABCDE"]
        url = f"https://exam.example/paper/{number // 50}.html"
        seen = Provenance(source="toy", url=url, snapshot="2026-01-01", page_id=f"page-{number // 50:020x}", position=f"q{number}")
        yield Question(
            id=f"q-{number:020x}", exam=drawn.choice(["PCE", "TQE", "GEE", "SSE"]), subject=f"科目{drawn.randrange(40)}",
            question_type="mcqa", stem=f"{_text(drawn, 60)}{number}（ ）。",
            options=options, answer=drawn.choice("ABCDE"), provenance=[seen],
        )  # fmt: skip


def _text(drawn: random.Random, chars: int) -> str:
    return "".join(drawn.choices(WORDS, k=chars))


def replies(run: str, count: int, chars: int) -> RepliesByItem:
    drawn = random.Random(run)
    for number in range(count):
        item, answer = f"q-{number:020x}", drawn.choice("ABCDE")
        right = drawn.random() < 0.5
        score = Score(item_id=item, repeat=0, outcome="answered", answer=answer, correct=right, committed=answer, committed_correct=right)
        words = f"{_text(drawn, chars)}答案：{answer}"
        prediction = Prediction(item_id=item, run=run, repeat=0, prompt_sha256="", reply=words, finish_reason="stop", tokens=1)
        yield item, [ScoredReply(score, prediction)]


def write(folder: Path, count: int, runs: int, chars: int) -> int:
    """Write the page and its files; return their size in bytes."""
    names = [f"run-{number}" for number in range(runs)]
    browser = Browser({name: {"model": name, "task": "choice"} for name in names})
    write_items(folder, browser.files(questions(count), (), {name: replies(name, count, chars) for name in names}))
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(page: Page, folder: Path) -> None:
    seen, whole = [], []
    for _ in range(TURNS):
        page.goto("about:blank")
        started = time.perf_counter()
        page.goto((folder / "items.html").as_uri(), wait_until="commit")
        page.wait_for_selector(".row")
        seen.append(time.perf_counter() - started)
        page.wait_for_selector("body[data-ready]", timeout=120_000)
        whole.append(time.perf_counter() - started)
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"first paint {painted:.0f} ms, first items {statistics.median(seen):.2f} s, all items {statistics.median(whole):.2f} s")
    for name, asked in ASKED.items():
        taken = [(page.evaluate(TIMED, asked), page.evaluate(TIMED, "exam=NONE"))[0] for _ in range(TURNS)]
        print(f"  {name:26s} {statistics.median(taken):6.0f} ms, at worst {max(taken):.0f} ms")
    started = time.perf_counter()
    page.evaluate(TIMED, "")
    page.locator(".row").nth(3).click()
    page.wait_for_selector("#item section")
    print(f"an item opened after {1000 * (time.perf_counter() - started):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--chars", type=int, default=0, help="characters of a reply before its answer")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        started = time.perf_counter()
        size = write(folder, args.items, args.runs, args.chars)
        files = list((folder / "items").iterdir())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        taken = time.perf_counter() - started
        print(f"{args.items} items x {args.runs} runs: {size / 1e6:.1f} MB in {len(files)} files, written in {taken:.1f} s, {peak:.0f} MiB")
        listed = sum(path.stat().st_size for path in files if path.name.startswith("list"))
        print(f"loaded with the page: {listed / 1e6:.1f} MB; the rest is loaded when items are opened")
        executable = shutil.which("chromium") or shutil.which("google-chrome")
        running = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        measure(running.new_context(offline=True, viewport={"width": 1400, "height": 900}).new_page(), folder)
        running.close()


if __name__ == "__main__":
    main()
