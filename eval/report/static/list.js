"use strict";
// A list of any length, of which only the rows in sight are elements. Arrows, Home, End, Page keys move; Enter opens.
(function () {
  const AtomExam = window.AtomExam;
  const { data, element } = AtomExam;
  const ROW = 56; // pixels, as in items.css
  const SPARE_ROWS = 8;
  const SHOWN_CHARS = 160; // more does not fit into a row

  /** Return the sign, and the word, for what a run made of an item; never by colour alone. */
  AtomExam.mark = function (verdict) {
    if (verdict === null) return ["", "not asked"];
    if (verdict.outcome !== "answered" && verdict.right === 0) return ["?", verdict.outcome];
    if (!verdict.scored) return ["·", "not scored"];
    if (verdict.right === verdict.scored) return ["✓", "right"];
    return verdict.right ? ["◐", "right in some repeats"] : ["✗", "wrong"];
  };

  AtomExam.makeList = function (box, { chosen, opened, runs }) {
    const inner = element("div", { role: "presentation", class: "inner" });
    box.append(inner);
    let places = [];
    let current = -1;
    let drawn = [-1, -1];

    function row(index) {
      const item = data.item(places[index]);
      const about = item.facets.map(({ value }) => value).join(" · ");
      const made = element("div", { role: "option", id: "row-" + index, class: "row", "aria-setsize": places.length, "aria-posinset": index + 1 });
      made.setAttribute("aria-selected", String(index === current));
      made.style.top = index * ROW + "px";
      const marks = element("span", { class: "marks" });
      for (const run of runs()) {
        const verdict = data.verdict(places[index], run, "");
        const [sign, word] = AtomExam.mark(verdict);
        marks.append(element("span", { class: "mark " + word.split(" ")[0], title: data.runs[run].name + ": " + word }, sign));
      }
      const stem = element("bdi", { class: "stem", lang: "zh" }, item.sentences[0].slice(0, SHOWN_CHARS));
      made.append(marks, stem, element("span", { class: "about" }, element("bdi", {}, about)));
      made.addEventListener("click", () => {
        select(index);
        opened();
      });
      return made;
    }

    function draw(again) {
      const first = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE_ROWS);
      const last = Math.min(places.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + SPARE_ROWS);
      if (!again && drawn[0] === first && drawn[1] === last) return;
      drawn = [first, last];
      inner.replaceChildren(...Array.from({ length: last - first }, (_, offset) => row(first + offset)));
      if (current >= first && current < last) box.setAttribute("aria-activedescendant", "row-" + current);
      else box.removeAttribute("aria-activedescendant");
    }

    function select(index) {
      if (!places.length) return;
      current = Math.max(0, Math.min(places.length - 1, index));
      const top = current * ROW;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
      draw(true);
      chosen(places[current]);
    }

    const moves = {
      ArrowDown: () => current + 1,
      ArrowUp: () => current - 1,
      j: () => current + 1,
      k: () => current - 1,
      Home: () => 0,
      End: () => places.length - 1,
      PageDown: () => current + Math.floor(box.clientHeight / ROW),
      PageUp: () => current - Math.floor(box.clientHeight / ROW),
    };

    box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (moves[event.key]) {
        event.preventDefault();
        select(moves[event.key]());
      } else if (event.key === "Enter" && current >= 0) opened();
    });
    box.addEventListener("scroll", () => draw(false));
    new ResizeObserver(() => draw(false)).observe(box);

    return {
      /** Show other items; the one that is open stays the current one. With `still` the list does not move. */
      show(found, at, still) {
        places = found;
        current = at === undefined ? -1 : places.indexOf(at);
        inner.style.height = places.length * ROW + "px";
        if (!still) box.scrollTop = current < 0 ? 0 : Math.max(0, current * ROW - box.clientHeight / 2);
        draw(true);
      },
      /** Mark an item as the current one, where it is in the list. */
      mark(at) {
        current = at === undefined ? -1 : places.indexOf(at);
        draw(true);
      },
    };
  };
})();
