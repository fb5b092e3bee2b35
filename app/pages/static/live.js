// Keeps the page of a run up to date: every event of the run lets the page's own address be
// fetched again, at most once a second, and what the server rendered takes the place of the old.
// What a reader has opened, and where the keyboard is, stays.
"use strict";

(() => {
  const main = document.querySelector("main[data-events]");
  if (!main || !window.EventSource) return;
  let timer = null;

  async function refresh() {
    timer = null;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("main[data-events]");
    if (!fresh) return location.reload(); // the session is over, or the run is gone
    const open = [...main.querySelectorAll("details[open][id]")].map((each) => each.id);
    const at = main.contains(document.activeElement) ? document.activeElement.id : "";
    main.replaceChildren(...fresh.childNodes);
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    if (at) document.getElementById(at)?.focus({ preventScroll: true });
  }

  function soon() {
    if (timer === null) timer = setTimeout(() => refresh().catch(() => {}), 1000);
  }

  const events = new EventSource(main.dataset.events);
  events.onmessage = soon;
  events.addEventListener("end", () => {
    events.close();
    soon();
  });
})();
