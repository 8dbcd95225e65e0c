"use strict";
// Text from outside gets onto the page as text alone: by textContent, and with signs that cannot be seen written out.
(function () {
  const AtomExam = (window.AtomExam = window.AtomExam || {});
  const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g;
  const NUMBER = /^[+-]?\d+([.,]\d+)*( ?%)?$/;

  function codePoint(sign) {
    return "⟨U+" + sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩";
  }

  /** Return a text in which marks of direction, NUL and their like can be seen and do nothing. */
  AtomExam.visible = function (text) {
    return String(text).replace(/\r\n/g, "\n").replace(UNSEEN, codePoint);
  };

  /** Return an element; attributes and texts are never read as HTML. */
  AtomExam.element = function (tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    for (const child of children) made.append(child instanceof Node ? child : document.createTextNode(AtomExam.visible(child)));
    return made;
  };

  /** Return a share in percent as the other pages have it: from eight digits, and a half rounded to the even side. */
  AtomExam.percent = function (share) {
    const percent = 100 * (Math.round(1e8 * share) / 1e8);
    return (percent % 1 === 0.25 ? percent - 0.01 : percent).toFixed(1) + " %";
  };

  /** Return a text as it is searched: one width, one case. */
  AtomExam.folded = function (text) {
    return text.normalize("NFKC").toLowerCase();
  };

  /** Return a cell of CSV that no spreadsheet takes for a formula: such a text gets an apostrophe, a number stays one. */
  AtomExam.csvCell = function (value) {
    const text = String(value);
    const risky = /^[\s\u0000]*[=+\-@＝＋－＠\t\r]/.test(text) && !NUMBER.test(text);
    return '"' + (risky ? "'" + text : text).replace(/"/g, '""') + '"';
  };

  /** Let the reader save rows as CSV that Excel opens as UTF-8. */
  AtomExam.saveCsv = function (name, rows) {
    const text = "\ufeff" + rows.map((row) => row.map(AtomExam.csvCell).join(",")).join("\r\n") + "\r\n";
    const link = AtomExam.element("a", { download: name });
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
})();
