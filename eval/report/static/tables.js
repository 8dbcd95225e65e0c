"use strict";
// Tables that are sorted by a click on a column's name, and saved as CSV. Without scripts they stand as they are.
(function () {
  const AtomExam = window.AtomExam;
  const LEAST_ROWS = 2;

  /** Return what a cell is sorted by: the number that it begins with, or its words; none comes last either way. */
  function keyOf(cell) {
    const text = cell ? cell.textContent.trim() : "";
    if (text === "" || text === "–") return null;
    const number = /^([<>] ?)?([+-−]?\d[\d,]*(\.\d+)?)/.exec(text);
    return number ? Number(number[2].replace(/,/g, "").replace("−", "-")) : text;
  }

  function compare(a, b) {
    if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b, "zh");
    return typeof a === "number" ? -1 : 1;
  }

  function sort(table, column, heading) {
    const falling = heading.getAttribute("aria-sort") === "ascending";
    const rows = Array.from(table.rows).slice(1);
    const keys = new Map(rows.map((row) => [row, keyOf(row.cells[column])]));
    rows.sort((a, b) => {
      const [left, right] = [keys.get(a), keys.get(b)];
      if (left === null || right === null) return (left === null) - (right === null);
      return falling ? compare(right, left) : compare(left, right);
    });
    for (const other of table.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
    for (const row of rows) row.parentNode.append(row);
  }

  function makeSortable(table) {
    Array.from(table.rows[0].cells).forEach((heading, column) => {
      if (heading.classList.contains("b")) return; // a bar is not sorted by
      const button = AtomExam.element("button", { type: "button", class: "sort" });
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, column, heading));
      heading.append(button);
    });
  }

  function addSaving(table, name) {
    const button = AtomExam.element("button", { type: "button", class: "save" }, "CSV");
    button.setAttribute("aria-label", "Save this table as CSV: " + name);
    button.addEventListener("click", () => {
      const cells = (row) => Array.from(row.cells, (cell) => cell.textContent.trim().replace(/\s+/g, " "));
      AtomExam.saveCsv(name.replace(/[^\w-]+/g, "_") + ".csv", Array.from(table.rows, cells));
    });
    (table.closest(".wide") || table).after(button);
  }

  /** Return the words of the nearest heading before a table, for the file's name. */
  function nameOf(table) {
    const told = Array.from(document.querySelectorAll("h2, h3, summary")).filter(
      (heading) => heading.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    return told.length ? told[told.length - 1].textContent.trim() : document.title;
  }

  /** A table wider than its place can be scrolled by the keyboard, too. */
  function reachable(box) {
    const isCut = box.scrollWidth > box.clientWidth + 1;
    if (isCut) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }

  /** On a narrow screen a row's cells stand below each other, each after the name of its column. */
  for (const table of document.querySelectorAll("table.rows:has(th)"))
    for (const row of Array.from(table.rows).slice(1))
      Array.from(row.cells).slice(1).forEach((cell, at) => {
        cell.dataset.name ??= table.rows[0].cells[at + 1].textContent;
      });

  const watched = new ResizeObserver((entries) => entries.forEach(({ target }) => reachable(target)));
  for (const box of document.querySelectorAll(".wide")) watched.observe(box);

  for (const table of document.querySelectorAll("table")) {
    if (table.rows.length <= LEAST_ROWS || table.rows[0].querySelector("td") || table.querySelector("[rowspan]")) continue;
    makeSortable(table);
    addSaving(table, nameOf(table));
  }
})();
