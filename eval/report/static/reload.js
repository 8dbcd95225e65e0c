"use strict";
// On a page that is served: read it again once stage `report` has written it anew. The state is in the address, so it stays.
(function () {
  const AtomExam = (window.AtomExam = window.AtomExam || {});
  const EVERY_MS = 2000;
  let opened = null;

  AtomExam.written = function (when) {
    if (when === "") return; // the stage runs
    if (opened !== null && opened !== when) window.location.reload();
    opened = when;
  };

  function ask() {
    const script = document.createElement("script");
    script.src = "app/written.js?" + Date.now();
    script.onload = script.onerror = () => script.remove();
    document.head.append(script);
  }

  ask();
  window.setInterval(ask, EVERY_MS);
})();
