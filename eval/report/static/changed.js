"use strict";
// What moved since another version, if `eval.diff --html` has written it to the folder beside this one; else the page says how.
(function () {
  const AtomExam = window.AtomExam;
  const { element, percent } = AtomExam;
  const MOST = 4;
  const SAID = [
    ["Significant change", "differs"],
    ["Significant change, but retrained, which adds noise of its own", "retrained"],
    ["No significant change, or too few items", "unsure"],
    ["Changed, not tested", "untested"],
  ];
  const box = document.getElementById("changed");
  const points = (share) => (share < 0 ? "−" : "+") + Math.abs(100 * share).toFixed(1);

  function figures(title, rows) {
    const words = rows.slice(0, MOST).map(([run, figure, before, now, change]) => {
      const name = figure === "accuracy" ? run : `${run} ${figure.replace(/_/g, " ")}`;
      return `${name} ${percent(before)} → ${percent(now)} (${points(change)})`;
    });
    if (rows.length > MOST) words.push(`${rows.length - MOST} more`);
    return rows.length ? [element("b", {}, `${title}: `), words.join(", ") + ". "] : [];
  }

  const take = {
    changed([from, counts, rows, params, all]) {
      const known = JSON.parse(box.dataset.accuracies);
      const isOf = ([run, figure, , now]) => figure !== "accuracy" || Math.abs((known[run] ?? NaN) - now) < 1.5e-8;
      if (!rows.every(isOf)) {
        const command = "python -m eval.diff " + from.split(" ")[0] + " --html";
        return box.replaceChildren("The comparison in folder diff is of other figures than these; ", element("code", {}, command), " updates it.");
      }
      const moved = rows.filter(([, , , , change]) => change).sort((a, b) => Math.abs(b[4]) - Math.abs(a[4]));
      const items = counts.filter(([, , total]) => total).map(([kind, became, total]) => `${total} ${kind}${total === 1 ? "" : "s"} ${became}`);
      return box.replaceChildren(
        ...SAID.flatMap(([title, said]) => figures(title, moved.filter((row) => row[5] === said))),
        ...(moved.length ? [] : ["No figure changed. "]),
        `Items: ${items.join(", ") || "unchanged"}. `,
        ...(params.length ? [element("b", {}, "Parameters: "), params.slice(0, MOST).join("; ")] : []),
        ...(params.length > MOST ? [`; ${params.length - MOST} more: `, element("code", {}, all)] : []),
        params.length ? ". " : "",
        element("a", { href: "../diff/index.html" }, `All changes since ${from}`),
      );
    },
  };

  /** Called by the file of the difference. */
  AtomExam.take = (what, value) => take[what](value);
  document.head.append(element("script", { src: "../diff/items/changed.js" }));
})();
