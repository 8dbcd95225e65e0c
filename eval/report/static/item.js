"use strict";
// One item, opened: what it asks, what is right, what each run replied and how that was read, and where it was seen.
(function () {
  const AtomExam = window.AtomExam;
  const { data, element } = AtomExam;
  const WORDINGS = "wordings"; // of about: the cluster, where the page of clusters shows it
  const LABELS = {
    2: ["factual, correct answer 正确", "non-factual, correct answer 错误"],
    4: ["true, affirmed: 正确", "true, denied: 错误", "false, affirmed: 错误", "false, denied: 正确"],
  };
  const ADDRESS = /^https?:\/\//;

  const words = (tag, text) => element(tag, { lang: "zh", dir: "auto" }, text);

  function asked(item) {
    const made = element("section", { "aria-label": "Item" });
    if (item.shared) made.append(element("h3", {}, "Case"), words("p", item.shared));
    if (item.sentences.length > 1) {
      const pairs = element("dl");
      item.sentences.forEach((sentence, place) =>
        pairs.append(element("dt", {}, LABELS[item.sentences.length][place]), words("dd", sentence)),
      );
      made.append(pairs);
    } else made.append(words("p", item.sentences[0]));
    if (item.options.length) {
      const list = element("ul", { class: "options" });
      for (const { letter, text } of item.options) {
        const right = (item.gold || "").includes(letter);
        const line = element("li", right ? { class: "gold" } : {}, element("b", {}, letter), " ", element("bdi", { lang: "zh" }, text));
        if (right) line.append(element("span", { class: "tag" }, " ✓ correct"));
        list.append(line);
      }
      made.append(list);
    } else if (item.sentences.length === 1) made.append(element("h3", {}, "Correct answer"), words("p", item.gold || "not published by the source"));
    return made;
  }

  function reading(reply) {
    const strict = reply.answer === null ? reply.outcome : reply.answer;
    return reply.committed === reply.answer ? strict : `${strict}; overall ${reply.committed === null ? "nothing" : reply.committed}`;
  }

  /** Return letters as the model saw them, whose options were shifted by some places. */
  function seenAs(answer, shift, count) {
    if (!shift || !/^[A-Z]+$/.test(answer)) return answer;
    return Array.from(answer, (letter) => String.fromCharCode(65 + ((letter.charCodeAt(0) - 65 + shift) % count))).sort().join("");
  }

  /** Return a reply with the place marked where the answer that was read stands: the first after 答案, else the last; not within a word. */
  function marked(reply, count) {
    const said = reply.words === null ? "not stored" : reply.words;
    const made = words("pre", "");
    const answer = reply.answer === null ? "" : seenAs(reply.answer, reply.prompt && reply.prompt.shift, count);
    const isPart = answer && reply.words !== null && answer !== said;
    const edges = /^[A-Z]+$/.test(answer) ? ["(?<![A-Za-z])", "(?![A-Za-z])"] : ["", ""];
    const places = isPart ? Array.from(said.matchAll(new RegExp(edges.join(answer.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")), "gu")), ({ index }) => index) : [];
    const named = said.lastIndexOf("答案");
    const from = (named < 0 ? undefined : places.find((place) => place >= named)) ?? places.at(-1) ?? -1;
    if (from < 0) made.append(AtomExam.visible(said));
    else made.append(AtomExam.visible(said.slice(0, from)), element("mark", {}, answer), AtomExam.visible(said.slice(from + answer.length)));
    return made;
  }

  /** Return the messages of a request, folded; of a later question of a case those after the reply before it. */
  function sent({ follows, messages }) {
    const made = element("details", { class: "sent" }, element("summary", {}, `Prompt as sent, ${messages.length} message${messages.length === 1 ? "" : "s"}`));
    if (follows) made.append(element("p", {}, "After the reply to ", itemLink(follows)));
    for (const { role, content } of messages) made.append(element("div", {}, element("b", {}, role), words("pre", content)));
    return made;
  }

  const itemLink = (id) => element("a", { href: AtomExam.filters.write({ ...AtomExam.filters.read(location.hash), item: id }) }, id);

  function replies(rows, count) {
    const table = element("table", { class: "replies" });
    const head = element("tr");
    for (const name of ["run", "parsed answer", "result", "reply"]) head.append(element("th", { scope: "col" }, name));
    table.append(head);
    const isBaseline = new Map(data.runs.map((run) => [run.name, run.isBaseline]));
    for (const reply of rows.sort((a, b) => isBaseline.get(a.run) - isBaseline.get(b.run))) {
      const about = [reply.run, reply.side, reply.repeat ? `repeat ${reply.repeat}` : "", reply.prompt?.shift ? `options shifted by ${reply.prompt.shift}; the parsed letter is the published one` : ""].filter(Boolean).join(", ");
      const worth = reply.correct === null ? reply.mark || "not scored" : reply.correct ? "✓ right" : reply.outcome === "answered" ? "✗ wrong" : "✗ wrong, no answer";
      const cell = element("td", {}, marked(reply, count));
      if (reply.chars) {
        const file = `data/predictions/${data.runs.find((run) => run.name === reply.run).model}/${reply.run}.jsonl`;
        cell.append(element("p", { class: "note" }, `The first ${data.mostChars} of ${reply.chars} characters; all are in ${file}.`));
      }
      if (reply.prompt) cell.append(sent(reply.prompt));
      const isLong = reply.answer !== null && reply.answer === reply.words && reply.answer.length > 20;
      table.append(element("tr", {}, element("td", {}, about), words("td", isLong ? "the complete reply" : reading(reply)), element("td", {}, worth), cell));
    }
    return element("section", { "aria-label": "Replies" }, element("h3", {}, "Replies"), element("div", { class: "wide", tabindex: "0" }, table));
  }

  function provenance(seen, id) {
    const made = element("section", { "aria-label": "Provenance" }, element("h3", {}, "Source"));
    const list = element("ul", { class: "seen" });
    for (const place of seen) {
      const url = ADDRESS.test(place.url)
        ? element("a", { href: place.url, rel: "noopener noreferrer external", target: "_blank" }, place.url)
        : element("span", {}, place.url);
      const rest = `${place.source}, snapshot ${place.snapshot}, position ${place.position}`;
      list.append(element("li", {}, rest, element("br"), url, element("br"), element("code", {}, place.page)));
    }
    const command = "python -m eval.trace " + id;
    made.append(list, element("p", { class: "note" }, "Its versions, and the archived page: ", element("code", {}, command)));
    return made;
  }

  /** Return an opened item as an element. */
  AtomExam.itemView = async function (at) {
    const item = data.item(at);
    const { seen, about, twins, replies: rows } = await data.detail(at);
    const made = element("article", {}, element("h2", { tabindex: "-1" }, item.id));
    made.append(element("p", { class: "note" }, element("bdi", {}, item.facets.map(({ name, value }) => `${name.replace(/_/g, " ")}: ${value}`).join(" · "))));
    made.append(asked(item), replies(rows, item.options.length), provenance(seen, item.id));
    if (twins.length) {
      const list = element("ul", { class: "twins" });
      for (const id of twins) {
        const place = data.place.get(id);
        list.append(element("li", {}, itemLink(id), " ", element("bdi", { lang: "zh" }, place === undefined ? "" : data.item(place).sentences[0].slice(0, 80))));
      }
      made.append(element("h3", {}, item.facets.some(({ name, value }) => name === "question_type" && /claim|fourfold/.test(value)) ? "Same fact" : "Same case or group"), list);
    }
    for (const [name, value] of about) if (name !== WORDINGS) made.append(element("h3", {}, name), words("p", value));
    const further = [
      ["clusters.html", "Other wordings of this question, and how they differ", new Map(about).get(WORDINGS)],
      ["evidence.html", "Evidence for claims of this type", new Map(item.facets.map(({ name, value }) => [name, value])).get("atomic_type")],
    ].filter(([page, , place]) => place && document.querySelector(`nav a[href="${page}"]`)); // beside a difference there is none
    for (const [page, title, place] of further) made.append(element("p", {}, element("a", { href: `${page}#${encodeURIComponent(place)}` }, title)));
    return made;
  };
})();
