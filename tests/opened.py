"""A page of ours opened in a real browser."""

import re
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

DIFFERENCE = "/diff/items/changed.js"
"""Read by the report where `eval.diff --html` has written it; a browser complains of it where it has not."""
IMPACTS = ("moderate", "serious", "critical")


def accessibility_faults(page) -> list[tuple[str, str]]:
    """Return what axe-core finds on a page whose context bypasses the content policy: rule and element, from moderate impact upward."""
    found = Axe().run(page).response["violations"]
    return [(one["id"], node["html"][:200]) for one in found if one["impact"] in IMPACTS for node in one["nodes"]]


class Opened:
    """A page in a browser without network, and what it asked for and complained of."""

    def __init__(self, browser, reports: Path, name: str, further: Path | None = None, **settings) -> None:
        self.context = browser.new_context(offline=True, **settings)
        self.page = self.context.new_page()
        self.base = (reports / "items.html").as_uri().removesuffix("items.html")
        self.faults: list[str] = []
        self.page.on("console", lambda message: None if message.location["url"].endswith(DIFFERENCE) else self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        homes = (*(folder.as_uri() + "/" for folder in (reports, further or reports)), reports.parent.as_uri() + DIFFERENCE)
        self.page.on("request", lambda asked: None if asked.url.startswith(homes) else self.faults.append(asked.url))
        self.go(name)

    def go(self, name: str) -> None:
        self.page.goto("about:blank")
        self.page.goto(self.base + name)
        if name.startswith("items"):
            self.page.wait_for_selector("body[data-ready]")

    def shows(self, count: int) -> None:
        """Wait until so many items are listed."""
        expect(self.page.locator("#count")).to_have_text(re.compile(rf"^{count} "))

    @property
    def count(self) -> int:
        return int(self.page.locator("#count").inner_text().split()[0])

    def figures(self) -> dict[str, tuple[int, str]]:
        """Return what the page says of each run: asked, and accuracy."""
        rows = self.page.locator("#figures tr").evaluate_all(
            "rows => rows.slice(1).map(row => [...row.cells].map(cell => cell.textContent))"
        )
        return {name: (int(asked), accuracy) for name, asked, _, _, accuracy in rows}

    def close(self) -> None:
        self.context.close()
        assert self.faults == []
