// The page of the till: its name, its printer with the paper and the drawer, and the state of the printer in the head.
import {pause, who} from "./pos-api.js";
import {amountOf, desk} from "./pos-desk.js";
import {field, main, open, saying} from "./pos-dialog.js";
import {say} from "./pos-format.js";
import {today} from "./pos-close.js";
import {print} from "./pos-print.js";
import {choose, keepTill, printer, reachable, till, watch} from "./pos-printers.js";
import {at, el, setText} from "./pos-view.js";

const tones = {ready: "ok", failed: "bad", gone: "bad"};

// show writes the name of the till and the state of the printer.
function show() {
  setText("till", till.name);
  for (const element of document.querySelectorAll("#printer, #panel .printer")) {
    element.className = "printer state " + (tones[printer.state] || "off");
    element.textContent = say(printer.state ? "printer." + printer.state : "printer");
  }
  for (const way of document.querySelectorAll("[data-way]")) way.setAttribute("aria-pressed", String(way.dataset.way === printer.by));
}

watch(show);

const check = (name, text, checked) => el("label.check", {}, el("input", {type: "checkbox", name, ...(checked && {checked: true})}), " ", text);
const radio = (name, value, text, checked) => el("label.check", {}, el("input", {type: "radio", name, value, ...(checked && {checked: true})}), " ", text);

// settings asks for what the till has.
export function settings() {
  const papers = el("fieldset.choice", {}, el("legend", {}, say("till.paper")), radio("paper", "58", "58 mm", till.paper !== "80"), radio("paper", "80", "80 mm", till.paper === "80"));
  const ways = el("fieldset.choice", {}, el("legend", {}, say("printer")), ...[...reachable(), "browser"].map(way));
  const test = el("button", {type: "button"}, say("printer.test"));
  test.addEventListener("click", () => save().then(() => print("/vender/test-page", {own: true, cash: true})).catch(saying));
  open(say("till"), [field(say("till.name"), "name", {maxlength: "30", value: till.name}), ways, ...(reachable().length ? [] : [el("p", {}, say("printer.none"))]), el("p.printer", {role: "status"}), papers,
    check("drawer", say("till.drawer"), till.drawer), check("dots", say("till.dots"), till.dots)], [main(say("save")), test], save);
  show();
}

// way is a button that chooses a way to the printer.
function way(name) {
  const one = el("button", {type: "button", "data-way": name}, say("printer.by." + name));
  one.addEventListener("click", () => choose(name).catch(saying));
  return one;
}

function save() {
  const data = new FormData(at("panel-form"));
  return keepTill({name: data.get("name").trim(), paper: data.get("paper"), drawer: data.get("drawer") === "on", dots: data.get("dots") === "on"});
}

// milliseconds between two looks at the day, and until the first one
const dayEvery = 60000, atFirst = 2000;

// followDay writes what was sold since the last close, while somebody sells.
async function followDay() {
  for (;;) {
    const ready = Boolean(who() && desk.catalogue) && !document.hidden;
    if (ready) await today().then(showSince, () => {});
    await pause(ready ? dayEvery : atFirst);
  }
}

function showSince(day) {
  const known = day && !day.blind;
  at("since").parentElement.hidden = !known;
  if (known) setText("since", amountOf(day.sales));
}

followDay();
