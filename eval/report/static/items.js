"use strict";
// The item browser: controls, list and opened item follow the address; each change of a control is a change of the address.
(function () {
  const AtomExam = window.AtomExam;
  const { data, element, filters } = AtomExam;
  const MOST_MARKS = matchMedia("(max-width: 800px)").matches ? 3 : 8;
  const REDRAW_MS = 300; // while items still come in
  const byId = (id) => document.getElementById(id);
  const controls = new Map();
  let state = {};
  let places = [];
  let shown = null;
  let list = null;
  const isAlone = "alone" in document.body.dataset; // without a report, whose folder may have a difference beside it

  const at = () => data.place.get(state.item);
  const number = (name) => data.runs.findIndex((run) => run.name === name);

  /** Change the address; with `step` the browser's way back leads to what was before. */
  function go(changes, step) {
    const hash = filters.write({ ...state, ...changes });
    if (hash === filters.write(state)) return;
    if (step) location.hash = hash;
    else location.replace(hash);
    follow(false);
  }

  function choice(key, label, values) {
    const select = element("select", { id: "f-" + key }, element("option", { value: "" }, "any"));
    for (const value of values) select.append(element("option", { value }, value));
    select.addEventListener("change", () => go({ [key]: select.value }, true));
    controls.set(key, select);
    byId("filters").append(element("label", { for: "f-" + key }, element("span", {}, label), select));
  }

  function choiceOf({ name, values }) {
    const label = name.replace(/_/g, " ") + (data.since ? " " + data.since.from : "");
    choice(name, label, [...values].sort((a, b) => a.localeCompare(b, "zh")));
  }

  /** Add the filters of what changed since another version; where there is no difference beside the page, say how one is made. */
  async function readSince() {
    const before = data.facets.length;
    const said = byId("since-said");
    byId("since").hidden = true;
    try {
      await data.loadSince();
      data.facets.slice(before).forEach(choiceOf);
      const { from, to } = data.since;
      said.replaceChildren(element("a", { href: "../diff/index.html" }, `What changed from ${from} to ${to}`));
    } catch (error) {
      const why = error.message.includes("could not be read") ? "Not compared with another version yet" : error.message;
      said.textContent = `${why}. \`python -m eval.diff TAG --html\` makes a comparison; TAG is a git tag, or HEAD for the last commit. Then reload this page.`;
    }
    follow(true);
  }

  function makeControls() {
    const names = data.runs.map(({ name }) => name);
    choice("run", "run", names);
    makeColumns();
    choice("verdict", "outcome", Object.keys(filters.VERDICTS));
    choice("relation", "compared with other run", Object.keys(filters.RELATIONS));
    choice("other", "other run", [filters.EVERY, ...names]);
    choice("side", "sentence", data.SENTENCES);
    for (const facet of data.facets) choiceOf(facet);
    const search = byId("search");
    controls.set("q", search);
    search.addEventListener("input", () => go({ q: search.value }, false));
    byId("reset").addEventListener("click", () => go(Object.fromEntries(filters.keys().map((key) => [key, ""])), true));
    byId("save").addEventListener("click", save);
    byId("back").addEventListener("click", close);
    byId("since").addEventListener("click", readSince);
    if (!isAlone) data.loadChanged().then(() => (byId("since").hidden = asksSince()), () => {});
  }

  const asksSince = () => !isAlone && filters.SINCE.some((name) => filters.read(location.hash)[name]);

  /** Return the columns of the list: the runs that the reader chose, else those of the filters, else own models', one of each in turn. */
  function runsShown() {
    const named = state.runs ? state.runs.split(",") : state.other === filters.EVERY ? [] : [state.run, state.other];
    const chosen = named.filter(Boolean).map(number).filter((run) => run >= 0);
    if (chosen.length) return chosen.slice(0, MOST_MARKS);
    const made = {};
    const turns = data.runs.map(({ model, isBaseline }, run) => [isBaseline, (made[model] = (made[model] || 0) + 1), run]);
    return turns.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).slice(0, MOST_MARKS).map(([, , run]) => run);
  }

  function makeColumns() {
    const box = byId("columns");
    data.runs.forEach(({ name }, run) => {
      const check = element("input", { type: "checkbox", id: "c-" + run, value: String(run) });
      check.addEventListener("change", () => {
        const rest = runsShown().filter((other) => other !== run);
        go({ runs: (check.checked ? [...rest.slice(0, MOST_MARKS - 1), run] : rest).map((one) => data.runs[one].name).join(",") }, true);
      });
      box.append(element("label", { for: "c-" + run }, check, " ", element("bdi", {}, name)));
    });
  }

  function drawColumns() {
    const columns = runsShown();
    for (const check of byId("columns").querySelectorAll("input")) check.checked = columns.includes(Number(check.value));
    byId("columns-shown").textContent = `${columns.length} of ${data.runs.length} runs`;
    byId("heads").replaceChildren(...columns.map((run) => element("span", { title: data.runs[run].name }, data.runs[run].name)));
  }

  function drawFigures() {
    const rows = filters.figures(places, state.side).filter(({ asked }) => asked);
    const table = element("table", {});
    const head = element("tr");
    for (const name of ["run", "items", "scored", "correct", "accuracy"]) head.append(element("th", { scope: "col" }, name));
    table.append(head);
    for (const { name, asked, scored, right, accuracy } of rows) {
      const cells = [name, asked, scored, Number(right.toFixed(2)), accuracy === null ? "–" : AtomExam.percent(accuracy)];
      table.append(element("tr", {}, ...cells.map((cell) => element("td", {}, String(cell)))));
    }
    byId("figures").replaceChildren(element("div", { class: "wide" }, table));
  }

  function drawList(grown) {
    places = filters.matching(state);
    drawColumns();
    list.show(places, at(), grown);
    const words = data.read < data.items ? `, ${data.read} of ${data.items} loaded` : "";
    byId("count").textContent = `${places.length} of ${data.items} items${words}`;
    drawFigures();
  }

  async function drawItem(focus) {
    const wanted = state.item;
    document.body.classList.toggle("opened", Boolean(wanted));
    if (!wanted) return byId("item").replaceChildren(element("p", { class: "note" }, "Select an item."));
    if (at() === undefined) {
      if (data.read < data.items) return undefined;
      return byId("item").replaceChildren(element("p", {}, `${wanted}: no such item in the test split of this version.`));
    }
    const view = await AtomExam.itemView(at());
    if (state.item !== wanted) return undefined;
    byId("item").replaceChildren(view);
    byId("item").scrollTop = 0;
    if (focus) view.querySelector("h2").focus();
    return undefined;
  }

  /** Bring the page to what the address says; `grown` where it says what it said, and there are more items. */
  function follow(grown) {
    const before = shown;
    state = filters.read(location.hash);
    shown = filters.write({ ...state, item: "" });
    for (const [key, control] of controls) if (control.value !== (state[key] || "")) control.value = state[key] || "";
    if (shown !== before || grown) drawList(grown);
    else list.mark(at());
    drawItem(false).catch(fail);
  }

  function close() {
    go({ item: "" }, true);
    byId("list").focus();
  }

  function save() {
    const asked = data.runs.filter((_, run) => places.some((place) => data.verdict(place, run, "") !== null));
    const rows = [["id", ...data.facets.map(({ name }) => name), "case", "text", "other sentences", "options", "answer", ...asked.map(({ name }) => name)]];
    for (const place of places) {
      const item = data.item(place);
      const facets = new Map(item.facets.map(({ name, value }) => [name, value]));
      const options = item.options.map(({ letter, text }) => `${letter}. ${text}`).join("\n");
      const made = asked.map(({ name }) => AtomExam.mark(data.verdict(place, number(name), ""))[1]);
      const about = data.facets.map(({ name }) => facets.get(name) || "");
      rows.push([item.id, ...about, item.shared || "", item.sentences[0], item.sentences.slice(1).join("\n"), options, item.gold || "", ...made]);
    }
    AtomExam.saveCsv("items.csv", rows);
  }

  function fail(error) {
    byId("count").textContent = "error: " + error.message;
  }

  function keys(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && state.item) close();
    else if (event.key === "Escape" && typing) byId("list").focus();
    else if (typing) return;
    else if (event.key === "/") byId("search").focus();
    else if ((event.key === "j" || event.key === "k") && event.target !== byId("list")) {
      byId("list").focus();
      byId("list").dispatchEvent(new KeyboardEvent("keydown", { key: event.key }));
    } else return;
    event.preventDefault();
  }

  function begin() {
    makeControls();
    list = AtomExam.makeList(byId("list"), {
      chosen: (place) => go({ item: data.rows[place][0] }, false),
      opened: () => drawItem(true).catch(fail),
      runs: runsShown,
    });
    addEventListener("hashchange", () => filters.write(filters.read(location.hash)) !== filters.write(state) && follow(false));
    addEventListener("keydown", keys);
  }

  let drawn = 0;
  data
    .load(() => {
      if (!list) begin();
      if (data.read < data.items && performance.now() - drawn < REDRAW_MS) return;
      follow(true);
      drawn = performance.now();
    })
    .then(() => asksSince() && readSince())
    .then(() => document.body.setAttribute("data-ready", ""))
    .catch(fail);
})();
