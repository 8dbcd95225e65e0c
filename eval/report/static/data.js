"use strict";
// The items of the test split. A page opened from a disk may read no file, so each file is a script that hands over a list.
(function () {
  const AtomExam = window.AtomExam;
  const [ID, FACETS, CASE, SENTENCES, OPTIONS, GOLD, CODES] = [0, 1, 2, 3, 4, 5, 6];
  const PAIR = ["", "factual", "non_factual"];
  const FOURFOLD = ["", "true_affirmed", "true_denied", "false_affirmed", "false_denied"];
  const SIDES = [...PAIR, ...FOURFOLD.slice(1)];
  const NOT_ASKED = "-".charCodeAt(0);
  const FIRST_CODE = "0".charCodeAt(0);
  const AT_A_TIME = 4;
  const data = (AtomExam.data = { rows: [], searched: [], read: 0, place: new Map(), facets: [], runs: [], verdicts: [] });
  const waiting = new Map();
  const details = new Map();

  const take = {
    manifest([facets, runs, codes, sources, outcomes, [items, listed, detailed, mostChars, digest]]) {
      Object.assign(data, { sources, outcomes, items, listed, detailed, mostChars, digest });
      data.facets = facets.map(([name, values]) => ({ name, values }));
      data.runs = runs.map(([name, model, task, isBaseline, judge]) => ({ name, model, task, isBaseline, judge }));
      data.verdicts = codes.map(([right, scored, outcome, pattern]) => ({ right, scored, outcome, pattern, share: scored ? right / scored : null }));
    },
    list([part, cases, rows]) {
      rows.forEach((row, place) => {
        const at = part * data.listed + place;
        row[CASE] = row[CASE] < 0 ? null : cases[row[CASE]];
        data.rows[at] = row;
        data.searched[at] = AtomExam.folded([row[ID], row[CASE] || "", ...row[SENTENCES], ...row[OPTIONS]].join("\n"));
        data.place.set(row[ID], at);
      });
      data.read += rows.length;
    },
    detail([part, rows, texts, prompts]) {
      details.set(part, { rows, texts, prompts });
    },
    since([from, to, digest, facets]) {
      if (digest !== data.digest) throw new Error(`the comparison of ${from} and ${to} is of other items than these`);
      data.since = { from, to };
      for (const [name, pairs] of facets) {
        const values = [...new Set(pairs.map(([, value]) => value))];
        data.facets.push({ name, values, byItem: new Map(pairs.map(([id, value]) => [id, values.indexOf(value)])) });
      }
    },
    changed() {},
    packed([what, text]) {
      document.currentScript.unpacked = unpacked(text).then((value) => take[what](value));
    },
  };

  /** Return what a packed list holds: gzip of UTF-16, in base64. */
  async function unpacked(text) {
    if (!window.DecompressionStream) throw new Error("this browser cannot decompress the items; browsers since 2023 can");
    const signs = atob(text);
    const bytes = new Uint8Array(signs.length);
    for (let at = 0; at < signs.length; at += 1) bytes[at] = signs.charCodeAt(at); // Uint8Array.from calls a function for each
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(new TextDecoder("utf-16le").decode(await new Response(stream).arrayBuffer()));
  }

  /** Called by the files of data; what is wrong with one is said where it was asked for. */
  AtomExam.take = function (what, value) {
    try {
      take[what](value);
    } catch (error) {
      document.currentScript.wrong = error;
    }
  };

  function fetchPart(file) {
    if (!waiting.has(file)) {
      const came = new Promise((resolve, reject) => {
        const script = AtomExam.element("script", { src: file });
        script.addEventListener("load", () => (script.wrong ? reject(script.wrong) : resolve(script.unpacked)));
        script.addEventListener("error", () => {
          waiting.delete(file);
          reject(new Error(file + " could not be read; it must be next to this page"));
        });
        document.head.append(script);
      });
      waiting.set(file, came);
    }
    return waiting.get(file);
  }

  const numbered = (kind, part, digits) => `items/${kind}-${String(part).padStart(digits, "0")}.js`;

  /** Read the manifest, then the lists a few at a time; `progress` is called after each. */
  data.load = async function (progress) {
    await fetchPart("items/manifest.js");
    const parts = Math.ceil(data.items / data.listed);
    let next = 0;
    const reader = async () => {
      while (next < parts) {
        await fetchPart(numbered("list", next++, 4));
        progress();
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, reader));
    progress();
  };

  data.SENTENCES = SIDES.slice(1);

  /** Find out whether `eval.diff --html` has written a difference to the folder beside this one; it fails where it has not. */
  data.loadChanged = () => fetchPart("../diff/items/changed.js");

  /** Read what changed since another version. */
  data.loadSince = () => fetchPart("../diff/items/since.js");

  /** Return what is shown of an opened item. */
  data.detail = async function (at) {
    const part = Math.floor(at / data.detailed);
    if (!details.has(part)) await fetchPart(numbered("detail", part, 5));
    const { rows, texts, prompts } = details.get(part);
    const [seen, about, replies, twins] = rows[at % data.detailed];
    const promptOf = (number) => {
      if (number < 0) return null;
      const [follows, shift, ...parts] = prompts[number];
      const messages = [];
      for (let place = 0; place < parts.length; place += 2) messages.push({ role: parts[place], content: texts[parts[place + 1]] });
      return { follows, shift, messages };
    };
    return {
      seen: seen.map(([source, url, snapshot, page, position]) => ({ source: data.sources[source], url, snapshot, page, position })),
      about,
      twins,
      replies: replies.map(([run, repeat, side, outcome, correct, answer, committed, words, prompt, chars, mark]) => ({
        run: data.runs[run].name,
        mark: mark === undefined ? null : `mark ${mark} of 100, by ${data.runs[run].judge}`,
        repeat,
        side: SIDES[side],
        outcome: data.outcomes[outcome],
        correct,
        answer,
        committed: committed === 0 ? answer : committed,
        words: words === 0 ? answer : words,
        prompt: promptOf(prompt),
        chars,
      })),
    };
  };

  /** Return an item of the list by its place. */
  data.item = function (at) {
    const row = data.rows[at];
    const options = [];
    for (let place = 0; place < row[OPTIONS].length; place += 2) options.push({ letter: row[OPTIONS][place], text: row[OPTIONS][place + 1] });
    const facets = data.facets.map(({ name, values }, place) => ({ name, value: values[data.facetOf(at, place)] }));
    return { id: row[ID], shared: row[CASE], sentences: row[SENTENCES], options, gold: row[GOLD], facets: facets.filter(({ value }) => value !== undefined) };
  };

  /** Return the number that stands for an item's value of a facet; -1 for none. */
  data.facetOf = function (at, place) {
    const { byItem } = data.facets[place];
    return byItem ? (byItem.get(data.rows[at][ID]) ?? -1) : data.rows[at][FACETS][place];
  };

  /** Return what a run made of an item, or of one of its sentences; null where it was not asked. */
  data.verdict = function (at, run, side) {
    const codes = data.rows[at][CODES];
    const sides = codes.length / data.runs.length;
    const offset = (sides > PAIR.length ? FOURFOLD : PAIR).indexOf(side || "");
    const code = offset >= 0 && offset < sides ? codes.charCodeAt(run * sides + offset) : NOT_ASKED;
    return code === NOT_ASKED ? null : data.verdicts[code - FIRST_CODE];
  };
})();
