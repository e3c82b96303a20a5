// Ctrl K, and / outside of a field, lead to the search. A click elsewhere and Escape close the menus.
document.addEventListener("keydown", event => {
  const writes = event.target.closest?.("input, textarea, select, [contenteditable]");
  const find = document.getElementById("find");
  if (find && (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) || event.key === "/" && !writes)) {
    event.preventDefault();
    find.focus();
    find.select();
    find.click(); // shows what it knows
  } else if (event.key === "Escape") {
    const menu = event.target.closest?.("details.menu[open]");
    if (menu && !event.target.closest(":modal")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  }
});

document.addEventListener("click", event => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("click", event => {
  if (!event.target.closest("[data-back]") || history.length < 2) return;
  event.preventDefault();
  history.back();
});

// A confirmation opens as a dialog. Escape closes it, and the focus returns to what opened it. The event of its end comes after
// its end: a dialog that was opened again meanwhile stays.
function closed(event) {
  const dialog = event.target, details = dialog.parentElement;
  if (dialog.matches(":modal")) return;
  details.open = false;
  dialog.setAttribute("open", "");
  details.querySelector(":scope > summary").focus();
}

document.addEventListener("click", event => {
  const summary = event.target.closest("details.confirm > summary");
  const details = summary?.parentElement;
  const dialog = details?.querySelector(":scope > dialog");
  if (!dialog || details.open && dialog.open) return;
  event.preventDefault();
  details.open = true;
  dialog.removeAttribute("open");
  dialog.addEventListener("close", closed);
  dialog.showModal();
  dialog.querySelector("input:not([type=hidden], [readonly]), select, textarea, .dismiss").focus();
});

// The address of the page asks for this confirmation.
document.querySelector("#asked:not([open]) > summary")?.click();

// A box with data-all checks all boxes of its form with that name.
for (const all of document.querySelectorAll("[data-all]")) {
  all.closest("div").hidden = false;
  all.addEventListener("change", () => {
    for (const box of all.form.querySelectorAll(`[name="${all.dataset.all}"]`)) box.checked = all.checked;
  });
}

// A copy button puts its text on the clipboard. Pages that are not served over https have no clipboard of their own.
async function copy(button) {
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "sr";
    button.after(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    button.focus();
    return copied;
  }
}

document.addEventListener("click", async event => {
  const button = event.target.closest("button[data-copy]");
  if (!button || button.dataset.text) return;
  button.dataset.text = button.textContent;
  const said = await copy(button) ? button.dataset.done : button.dataset.failed;
  button.textContent = said;
  button.nextElementSibling.textContent = said;
  setTimeout(() => {
    button.textContent = button.dataset.text;
    button.nextElementSibling.textContent = "";
    delete button.dataset.text;
  }, 2000);
});

// A countdown begins with what was left when the server wrote the page. The greater of two measures of the time since
// then counts: one goes on while the machine sleeps, the other is not changed with its clock.
const started = new WeakMap();
const second = 1000, minute = 60 * second, hour = 60 * minute;

function leftText(left, narrow) {
  const two = n => String(n).padStart(2, "0");
  const whole = Math.ceil(left / second) * second;
  if (whole >= hour) return Math.floor(whole / hour) + " h" + (narrow ? "" : " " + two(Math.floor(whole % hour / minute)));
  if (whole >= 10 * minute) return Math.ceil(whole / minute) + " min"; // "13:00" would be a time
  return Math.floor(whole / minute) + ":" + two(whole % minute / second);
}

function count(element) {
  let start = started.get(element);
  if (!start) {
    const answered = document.readyState === "complete" ? performance.now() : performance.getEntriesByType("navigation")[0]?.responseStart ?? 0;
    start = {steady: answered, clock: Date.now() - (performance.now() - answered)};
    started.set(element, start);
  }
  const passed = Math.max(performance.now() - start.steady, Date.now() - start.clock);
  const left = Number(element.dataset.left) - passed;
  const tone = left <= 0 ? "off" : left < 2 * minute ? "trouble" : left < 10 * minute ? "waiting" : "off";
  const text = left <= 0 ? element.dataset.over : leftText(left, element.closest(".slot"));
  if (element.textContent !== text) element.textContent = text;
  if (!element.classList.contains(tone)) {
    element.classList.remove("off", "waiting", "trouble");
    element.classList.add(tone);
  }
}

function countAll() { document.querySelectorAll("[data-left]").forEach(count); }

// What was left was written again.
document.addEventListener("recount", event => {
  started.delete(event.target);
  count(event.target);
});

setInterval(countAll, second / 4);
document.addEventListener("htmx:load", countAll);
countAll();

// What is asked for again and again keeps its place when an answer is an error. The line above a live list says since
// when its answers are missing; an answer with the same text changes nothing, so that it is not read aloud again.
function lose(line) {
  const state = line.querySelector("[data-lost]");
  if (state && state.textContent !== state.dataset.lost) state.textContent = state.dataset.lost;
  line.classList.add("lost");
}

document.addEventListener("htmx:beforeSwap", event => {
  const line = event.detail.target, live = line.classList.contains("live");
  if (!line.matches("[hx-trigger^='every']")) return;
  if (event.detail.xhr.status !== 200) {
    event.detail.shouldSwap = false;
    if (live) lose(line);
    return;
  }
  if (!live) return;
  line.classList.remove("lost");
  const answer = document.createElement("template");
  answer.innerHTML = event.detail.xhr.response;
  const fresh = answer.content.querySelector("[data-lost]"), shown = line.querySelector("[data-lost]");
  if (fresh && shown && fresh.textContent === shown.textContent) {
    shown.dataset.lost = fresh.dataset.lost;
    event.detail.shouldSwap = false;
  }
});

for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, event => {
    if (event.target.classList.contains("live")) lose(event.target);
  });
}

// A form that counts cash is summed while it is typed: counts times their unit, and amounts as the server reads them. data-cash
// is the expected cash without the opening cash, or a balance, from which data-less takes the typed amount off. All sums are minor units.
function unitsOf(text, digits) {
  const plain = text.trim().replace(/\s/g, "");
  const comma = plain.lastIndexOf(","), point = plain.lastIndexOf(".");
  let mark = Math.max(comma, point);
  if (comma < 0 && /^[1-9]\d{0,2}(\.\d{3})+$/.test(plain)) mark = -1;
  const whole = (mark < 0 ? plain : plain.slice(0, mark)).replace(/[.,]/g, "");
  const fraction = mark < 0 ? "" : plain.slice(mark + 1);
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(fraction) || fraction.length > digits) return 0;
  return Number(whole + fraction.padEnd(digits, "0"));
}

function moneyText(units, digits, signed) {
  const spanish = document.documentElement.lang === "es";
  const text = String(Math.abs(units)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(\d{3})+$)/g, spanish ? "." : ",");
  const sign = units < 0 ? "−" : signed && units > 0 ? "+" : "";
  return sign + whole + (digits ? (spanish ? "," : ".") + text.slice(-digits) : "");
}

function sumCash(form) {
  const digits = Number(form.dataset.digits), sums = {counted: 0, opening: 0};
  for (const input of form.querySelectorAll("[data-unit]")) {
    if (/^\d+$/.test(input.value.trim())) sums.counted += Number(input.value) * Number(input.dataset.unit);
  }
  for (const input of form.querySelectorAll("[data-amount]")) sums[input.dataset.amount] += unitsOf(input.value, digits);
  sums.expected = Number(form.dataset.cash) + ("less" in form.dataset ? -1 : 1) * sums.opening;
  sums.variance = sums.counted - sums.expected;
  const counts = Array.from(form.querySelectorAll("[data-unit], [data-amount=counted]")).some(input => input.value.trim());
  for (const output of form.querySelectorAll("[data-sum]")) {
    const signed = output.dataset.sum === "variance";
    output.textContent = signed && !counts ? "—" : moneyText(sums[output.dataset.sum], digits, signed);
  }
}

function sumAll() {
  for (const form of document.querySelectorAll("form[data-cash]")) {
    form.querySelector(".unscripted")?.remove();
    sumCash(form);
  }
}

document.addEventListener("input", event => {
  const form = event.target.closest("form[data-cash]");
  if (form) sumCash(form);
});
document.addEventListener("htmx:load", sumAll);
sumAll();

// A button with data-show shows the password that is typed into its field, until it is pressed again or the form is sent.
function reveal(button, shown) {
  const field = document.getElementById(button.getAttribute("aria-controls"));
  field.spellcheck = false;
  field.type = shown ? "text" : "password";
  button.textContent = shown ? button.dataset.hide : button.dataset.show;
}

document.addEventListener("click", event => {
  const button = event.target.closest("button[data-show]");
  if (button) reveal(button, button.textContent === button.dataset.show);
});
document.addEventListener("submit", event => {
  for (const button of event.target.querySelectorAll("button[data-show]")) reveal(button, false);
});

// A button with data-insert puts its text where the field data-into is being written.
document.addEventListener("click", event => {
  const button = event.target.closest("button[data-insert]");
  const field = button && document.getElementById(button.dataset.into);
  if (!field || field.readOnly) return;
  field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, "end");
  field.focus();
  field.dispatchEvent(new Event("input", {bubbles: true}));
});

// A form with hx-post is sent by the script and its answer replaces a part of the page. If a form that a person sent is refused, or the password is
// asked for, it is sent again as a form that loads its page: nothing was changed, and the page keeps what was typed. A preview that is refused is left out.
document.addEventListener("htmx:beforeSwap", event => {
  const {xhr, requestConfig} = event.detail, form = requestConfig.elt, by = requestConfig.triggeringEvent;
  if (!form.matches("form[hx-post]") || xhr.status < 400) return;
  event.detail.shouldSwap = false;
  if (xhr.status >= 500 || by?.type !== "submit") return;
  const pressed = by.submitter;
  if (pressed?.name) form.append(Object.assign(document.createElement("input"), {type: "hidden", name: pressed.name, value: pressed.value}));
  form.submit();
});

// A table that fits its page has no scroll of its own, so that its head stays in sight while the page is scrolled.
const fitting = new ResizeObserver(entries => {
  for (const {target} of entries) target.classList.toggle("fits", target.firstElementChild.offsetWidth <= target.clientWidth);
});

function fitAll() { document.querySelectorAll(".table").forEach(table => fitting.observe(table)); }
document.addEventListener("htmx:load", fitAll);
fitAll();

// The chosen one of views in a row that is wider than a phone is in sight.
for (const chosen of document.querySelectorAll("main :is(.tabs, .chips) > [aria-current]")) {
  const row = chosen.parentElement, margin = 40;
  row.scrollLeft += chosen.getBoundingClientRect().left - row.getBoundingClientRect().left - margin;
}
