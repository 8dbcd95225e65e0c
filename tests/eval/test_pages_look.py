"""How the pages look and who can use them: names, contrast, headings, landmarks, order of focus, print; pictures for the docs.

`PICTURES=docs/pictures python -m pytest tests/eval/test_pages_look.py -k pictures` takes the pictures of reports/, as `dvc repro` made it.
"""

import os
from pathlib import Path

import pytest

from tests.eval.item_pages import build, claim, write_data
from tests.eval.test_report import JUDGES, RUNS, write
from tests.opened import Opened, accessibility_faults

PAGES = ("index.html", "items.html", "rejected.html", "clusters.html", "evidence.html")
FAULTS = """() => {
  const faults = [];
  const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
  const told = (what, one) => faults.push(what + ": " + one.outerHTML.slice(0, 120));
  if (document.querySelectorAll("main").length !== 1) faults.push("not one main");
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  if (!document.documentElement.lang) faults.push("no language");
  let level = 0;
  for (const heading of all("h1, h2, h3, h4")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) told("skips a level", heading);
    level = own;
  }
  for (const one of all("nav, [role=region], [role=search], [role=listbox], [role=img]"))
    if (!one.getAttribute("aria-label")) told("no name", one);
  for (const one of all("a, button, select, input"))
    if (!(one.textContent.trim() || one.labels?.length || one.getAttribute("aria-label"))) told("no name", one);
  for (const one of all("th")) if (!one.textContent.trim()) told("empty heading of a column", one);
  for (const one of all("[tabindex]")) if (Number(one.getAttribute("tabindex")) > 0) told("an order of its own", one);
  for (const one of all(".wide"))
    if (one.scrollWidth > one.clientWidth + 1 && !one.hasAttribute("tabindex")) told("cannot be scrolled by keys", one);
  for (const one of all("svg text")) {
    const [svg, size] = [one.ownerSVGElement, parseFloat(getComputedStyle(one).fontSize)];
    if ((size * svg.getBoundingClientRect().width) / svg.viewBox.baseVal.width < 11) told("small letters", one);
  }
  for (const one of document.querySelectorAll("figure .track, svg.flow"))
    if (!one.getClientRects().length) told("a picture that is not shown", one);
  for (const one of all("#list")) if (one.clientHeight > innerHeight) told("a list taller than the screen", one);
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  if (new Set(ids).size !== ids.length) faults.push("an id twice");
  for (const link of all("a[href^='#']"))
    if (!document.getElementById(decodeURIComponent(link.hash.slice(1)))) told("leads nowhere", link);

  const numbers = (colour) => {
    const found = colour.match(/[\\d.]+/g).map(Number);
    const scale = colour.startsWith("color(") ? 255 : 1;
    return [...found.slice(0, 3).map((part) => part * scale), found.length > 3 ? found[3] : 1];
  };
  const behind = (one) => {
    for (let box = one; box; box = box.parentElement) {
      const colour = numbers(getComputedStyle(box).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return [255, 255, 255, 1];
  };
  const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const light = (colour) => {
    const [red, green, blue] = colour.slice(0, 3).map((part) => linear(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  for (const one of all("body *")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) || one.closest("svg")) continue;
    const [ink, paper] = [light(numbers(getComputedStyle(one).color)), light(behind(one))];
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) told("contrast " + contrast.toFixed(2), one);
  }
  return faults;
}"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        write(root / "metrics")
        for name in {*RUNS, *JUDGES}:  # of runs whose replies are not here
            for folder in ("runs", "judge"):
                (root / f"metrics/{folder}/{name}.json").unlink(missing_ok=True)
        write_data(root)
        return build(root)


def shown(browser, reports: Path, name: str, **settings) -> Opened:
    """Open a page with all that is folded unfolded, and an item chosen."""
    opened = Opened(browser, reports, name + (f"#item={claim(0).id}" if name.startswith("items") else ""), **settings)
    opened.page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    if name.startswith("items"):
        opened.page.get_by_role("region", name="Provenance").wait_for()
    opened.page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    return opened


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_the_pages(browser, reports: Path, name: str, width: int, scheme: str) -> None:
    opened = shown(browser, reports, name, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert opened.page.evaluate(FAULTS) == []
    opened.close()


def test_a_fault_would_be_told(browser, reports: Path) -> None:
    opened = shown(browser, reports, "index.html")
    opened.page.evaluate(
        "document.querySelector('h1').after(Object.assign(document.createElement('h4'), { style: 'color: #999', textContent: 'x' }))"
    )
    told = [fault.partition(":")[0] for fault in opened.page.evaluate(FAULTS)]
    assert "skips a level" in told and any(fault.startswith("contrast") for fault in told)
    opened.close()


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_nothing_is_cut_and_nothing_to_press_is_printed(browser, reports: Path, name: str) -> None:
    opened = shown(browser, reports, name, viewport={"width": 794, "height": 1123}, color_scheme="dark")
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert opened.page.locator("button:not(.sort):visible, nav:visible, select:visible").count() == 0
    named = opened.page.locator("tr:first-child > th").evaluate_all("all => all.filter(one => !one.innerText.trim()).length")
    assert named == 0  # the names of columns are buttons on a screen
    cut = "all => all.filter(one => one.getClientRects().length && one.getBoundingClientRect().right > innerWidth + 1).length"
    assert opened.page.locator("p, h1, h2, h3, svg, .card, table.board").evaluate_all(cut) == 0
    assert opened.page.locator(".wide").evaluate_all("all => all.every(one => getComputedStyle(one).overflowX === 'visible')")
    opened.close()


def test_tab_leads_first_to_the_content_and_then_through_the_pages(browser, reports: Path) -> None:
    opened = Opened(browser, reports, "index.html")
    names = []
    for _ in range(4):
        opened.page.keyboard.press("Tab")
        names.append(opened.page.evaluate("document.activeElement.textContent"))
    assert names == ["Skip to content", "Report", "Items", "Rejections"]
    opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_fault(browser, reports: Path, name: str, scheme: str) -> None:
    opened = shown(browser, reports, name, bypass_csp=True, color_scheme=scheme)
    assert accessibility_faults(opened.page) == []
    opened.close()


@pytest.mark.slow
def test_axe_would_find_a_fault(browser, reports: Path) -> None:
    opened = shown(browser, reports, "index.html", bypass_csp=True)
    opened.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert [rule for rule, _ in accessibility_faults(opened.page)] == ["button-name"]
    opened.close()


@pytest.mark.slow
def test_pictures_of_the_pages(browser, reports: Path, root: Path, tmp_path: Path) -> None:
    """Of the toy data; with PICTURES=FOLDER of reports/, into that folder."""
    out = Path(os.environ["PICTURES"]) if "PICTURES" in os.environ else tmp_path
    folder = root / "reports" if "PICTURES" in os.environ else reports
    run = "tiny-claims" if "PICTURES" in os.environ else "claims"
    wanted = {"report": "index.html", "items": f"items.html#run={run}&verdict=wrong", "flow": "rejected.html", "evidence": "evidence.html"}
    for name, address in wanted.items():
        opened = Opened(browser, folder, address, viewport={"width": 1200, "height": 800})
        if name == "items":
            opened.page.locator(".row").first.click()
            opened.page.get_by_role("region", name="Provenance").wait_for()
        out.mkdir(parents=True, exist_ok=True)
        opened.page.screenshot(path=out / f"{name}.png")
        assert (out / f"{name}.png").stat().st_size > 10_000
        opened.close()
