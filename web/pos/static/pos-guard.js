// The guard of Enter: the second of two quick presses does not answer what the first one has brought into sight.

// milliseconds in which nobody has read it
const unread = 300;

const root = document.documentElement;
let last = "", timer = 0;

// guardEnter is called where a question or an outcome appears. If Enter was the last key, Enter does nothing for a moment; any other key ends that.
export function guardEnter() {
  if (last !== "Enter") return;
  root.dataset.held = "";
  clearTimeout(timer);
  timer = setTimeout(release, unread);
}

function release() {
  clearTimeout(timer);
  delete root.dataset.held;
}

// before every other listener; a press is an event of its own
let quick = false;
document.addEventListener("keydown", event => {
  quick = event.key === "Enter" && "held" in root.dataset;
  if (quick) return stop(event);
  last = event.key;
  release();
}, true);
document.addEventListener("keypress", event => quick && stop(event), true);

function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}
