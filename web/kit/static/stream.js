// A page with a line of its state keeps its elements with data-live up to date from one stream of events. Texts change where they are and flash.
// What would move the content of an element waits while the pointer or the focus is in it; its texts change meanwhile.
const line = document.querySelector("[data-stream]");
const silence = 16000, again = 8000; // milliseconds
let source, heard = 0, at = line?.dataset.at;
const waiting = new Map(); // new content of elements that are being read, and when it arrived, by id

function say(text, lost) {
  line.classList.toggle("lost", lost);
  if (line.firstElementChild.textContent !== text) line.firstElementChild.textContent = text;
}

function lose() {
  source?.close();
  source = null;
  say(line.dataset.lost.replace("%s", at), true);
}

function open() {
  if (source || document.hidden) return;
  heard = performance.now();
  source = new EventSource(line.dataset.stream);
  source.addEventListener("parts", event => {
    const news = JSON.parse(event.data);
    heard = performance.now();
    at = news.at;
    say(line.dataset.fresh.replace("%s", at), false);
    for (const [id, text] of Object.entries(news.parts)) waiting.set(id, {text, arrived: heard});
    renew();
  });
  source.addEventListener("error", () => {
    if (source?.readyState === EventSource.CLOSED) lose();
  });
}

function renew() {
  for (const [id, {text, arrived}] of waiting) {
    const part = document.getElementById(id), fresh = document.createElement("template");
    fresh.innerHTML = text;
    const next = fresh.content.firstElementChild, passed = performance.now() - arrived;
    for (const left of fresh.content.querySelectorAll("[data-left]")) left.dataset.left = Math.max(0, Math.round(left.dataset.left - passed));
    if (!part || !next || patch(part, next)) waiting.delete(id);
  }
}

// The key of an element is its id, or the address that its row leads to: elements with different keys are different objects.
function key(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  return node.id || (node.matches("tr, li") ? node.querySelector("a")?.getAttribute("href") ?? "" : "");
}

function alike(a, b) { return a.nodeType === b.nodeType && a.nodeName === b.nodeName && key(a) === key(b); }

// A link or a button that is being read keeps its place whatever is in it.
function beingRead(element) { return element.matches(":hover, :focus-within") && !element.matches("a, button"); }

// patch makes an element like the next one. It reports whether nothing is left to do.
function patch(now, next) {
  if (now.nodeType !== Node.ELEMENT_NODE) {
    if (now.data !== next.data) {
      if (now.nodeType === Node.TEXT_NODE && next.data.trim()) flash(now.parentElement);
      now.data = next.data;
    }
    return true;
  }
  if (now.matches("details[open], form:focus-within, dialog")) return true; // a form that is being filled in
  const counts = now.dataset?.left && next.dataset.left;
  for (const {name, value} of Array.from(next.attributes)) {
    if (now.getAttribute(name) !== value && !(counts && name === "class")) now.setAttribute(name, value);
  }
  for (const {name} of Array.from(now.attributes)) if (!next.hasAttribute(name)) now.removeAttribute(name);
  if (counts) {
    now.dispatchEvent(new Event("recount", {bubbles: true}));
    return true;
  }
  const old = Array.from(now.childNodes), children = Array.from(next.childNodes);
  if (old.length === children.length && old.every((child, i) => alike(child, children[i]))) {
    return old.map((child, i) => patch(child, children[i])).every(Boolean);
  }
  if (beingRead(now)) {
    const known = new Map(children.filter(key).map(child => [key(child), child]));
    for (const child of old) if (known.has(key(child))) patch(child, known.get(key(child)));
    return false;
  }
  now.replaceChildren(...children);
  htmx.process(now);
  return true;
}

function flash(element) {
  if (!element) return;
  element.classList.remove("changed");
  void element.getBoundingClientRect(); // so that the animation begins again
  element.classList.add("changed");
}

if (line) {
  setInterval(() => {
    if (source && performance.now() - heard > silence) lose();
    if (waiting.size) renew();
  }, 1000);
  setInterval(open, again);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return open();
    source?.close();
    source = null;
  });
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", event => {
    if (event.persisted) source = null;
    open();
  });
}
