// What a mark of a chart stands for is shown beside it: under the pointer, and with the keyboard, by arrows in the chart that has the focus.
const tip = Object.assign(document.createElement("div"), {className: "tip", hidden: true});
tip.setAttribute("role", "status");
document.body.append(tip);
let marked = null;

function place() {
  const at = marked.getBoundingClientRect(), own = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(at.left + at.width / 2 - own.width / 2, innerWidth - own.width - 4)) + "px";
  tip.style.top = Math.max(4, at.top - own.height - 6) + "px";
}

function say(mark) {
  marked?.classList.remove("on");
  marked = mark;
  tip.hidden = !mark;
  if (!mark) return;
  const title = mark.querySelector("title");
  if (title) {
    mark.dataset.says = title.textContent.replace(/\s+/g, " ").trim();
    title.remove(); // the browser would show it, too
  }
  mark.classList.add("on");
  tip.textContent = mark.dataset.says;
  place();
}

document.addEventListener("pointerover", event => {
  const mark = event.target.closest?.(".chart .mark");
  const read = document.activeElement.matches(".chart [role=img]"); // by the keyboard: a page that scrolls moves under the pointer
  if (mark !== marked && (mark || !read)) say(mark);
});
document.addEventListener("scroll", () => { if (marked) place(); }, {capture: true, passive: true});
document.addEventListener("focusout", event => { if (event.target.matches?.(".chart [role=img]")) say(null); });
document.addEventListener("keydown", event => {
  if (event.key === "Escape") say(null);
  const chart = event.target.closest?.(".chart [role=img]");
  const turn = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity}[event.key];
  if (!chart || !turn) return;
  event.preventDefault();
  const marks = Array.from(chart.querySelectorAll(".mark")), at = marks.indexOf(marked);
  if (marks.length) say(marks[at < 0 && Math.abs(turn) === 1 ? 0 : Math.max(0, Math.min(at + turn, marks.length - 1))]);
});
