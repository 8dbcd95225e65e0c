"use strict";
// What is asked of the list, as it stands in the address, and the items that fit.
(function () {
  const AtomExam = window.AtomExam;
  const { data } = AtomExam;
  const filters = (AtomExam.filters = {});

  filters.VERDICTS = {
    right: ({ right, scored }) => scored > 0 && right === scored,
    wrong: ({ right, scored }) => scored > 0 && right === 0,
    "right in some repeats": ({ right, scored }) => right > 0 && right < scored,
    "not scored": ({ scored }) => scored === 0,
    answered: ({ outcome }) => outcome === "answered",
    unparsed: ({ outcome }) => outcome === "unparsed",
    truncated: ({ outcome }) => outcome === "truncated",
    failed: ({ outcome }) => outcome === "failed",
  };
  for (const one of ["right", "sycophancy", "contrary", "reversed", "not_follow", "failed"])
    filters.VERDICTS[one.replace("_", " ") + " in the first repeat"] = ({ pattern }) => pattern === one;

  filters.RELATIONS = {
    better: (ours, theirs) => ours > theirs,
    worse: (ours, theirs) => ours < theirs,
    differs: (ours, theirs) => ours !== theirs,
    "both right": (ours, theirs) => ours === 1 && theirs === 1,
    "both wrong": (ours, theirs) => ours === 0 && theirs === 0,
  };

  /** Stands for a run's name where a run is set against all others that were asked the same. */
  filters.EVERY = "every other run";

  const OWN = ["q", "run", "verdict", "other", "relation", "side", "runs", "item"];
  /** Facets of a difference, which may be read late or never. */
  filters.SINCE = ["since", "result_since"];

  /** Return the keys of the address: our own, and the facets. */
  filters.keys = () => [...new Set([...OWN, ...data.facets.map(({ name }) => name), ...filters.SINCE])];

  filters.read = function (hash) {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const state = {};
    for (const key of filters.keys()) if (given.get(key)) state[key] = given.get(key);
    return state;
  };

  filters.write = function (state) {
    const kept = filters.keys().filter((key) => state[key]);
    return "#" + new URLSearchParams(kept.map((key) => [key, state[key]])).toString();
  };

  /** Return tests of an item's place, the cheapest first; one for each thing that the state asks. */
  function testsOf(state) {
    const tests = [];
    data.facets.forEach(({ name, values }, place) => {
      if (!state[name]) return;
      const wanted = values.indexOf(state[name]);
      tests.push((at) => wanted >= 0 && data.facetOf(at, place) === wanted);
    });
    const known = new Set(data.facets.map(({ name }) => name));
    if (filters.SINCE.some((name) => state[name] && !known.has(name))) tests.unshift(() => false);
    const number = (name) => data.runs.findIndex((run) => run.name === name);
    const [run, other] = [number(state.run), number(state.other)];
    const holds = filters.VERDICTS[state.verdict];
    if (state.run) {
      tests.push((at) => {
        const verdict = run < 0 ? null : data.verdict(at, run, state.side);
        return verdict !== null && (!holds || holds(verdict));
      });
    } else if (holds) {
      tests.push((at) => data.runs.some((_, place) => ((verdict) => verdict !== null && holds(verdict))(data.verdict(at, place, state.side))));
    }
    if (state.side) tests.push((at) => data.runs.some((_, place) => data.verdict(at, place, state.side) !== null));
    if (state.run && state.other) {
      const relates = filters.RELATIONS[state.relation] || (() => true);
      const scored = (at, place) => ((verdict) => (verdict && verdict.scored ? verdict : null))(place < 0 ? null : data.verdict(at, place, state.side));
      const others = state.other === filters.EVERY ? data.runs.map((_, place) => place).filter((place) => place !== run) : [other];
      tests.push((at) => {
        const ours = scored(at, run);
        const theirs = others.map((place) => scored(at, place)).filter(Boolean);
        return ours !== null && theirs.length > 0 && theirs.every(({ share }) => relates(ours.share, share));
      });
    }
    const words = AtomExam.folded(state.q || "").split(/\s+/).filter(Boolean);
    if (words.length) tests.push((at) => words.every((word) => data.searched[at].includes(word)));
    return tests;
  }

  /** Return the places of the items that fit. */
  filters.matching = function (state) {
    const tests = testsOf(state);
    const found = [];
    for (let at = 0; at < data.rows.length; at += 1) if (data.rows[at] && tests.every((test) => test(at))) found.push(at);
    return found;
  };

  /** Return for each run how many of some items it was asked, and its accuracy on those that have a known answer. */
  filters.figures = function (places, side) {
    return data.runs.map(({ name }, run) => {
      let [asked, scored, sum] = [0, 0, 0];
      for (const at of places) {
        const verdict = data.verdict(at, run, side);
        if (verdict === null) continue;
        asked += 1;
        if (verdict.scored) {
          scored += 1;
          sum += verdict.share;
        }
      }
      return { name, asked, scored, right: sum, accuracy: scored ? sum / scored : null };
    });
  };
})();
