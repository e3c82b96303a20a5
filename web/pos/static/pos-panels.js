// The dialogs of the counter. Each is opened by a key, says in one line what went wrong, and keeps what was typed.
import {call, read} from "./pos-api.js";
import {amountOf, desk} from "./pos-desk.js";
import {close, field, main, open, saying} from "./pos-dialog.js";
import {clock, say} from "./pos-format.js";
import * as store from "./pos-store.js";
import {newKey} from "./pos-ticket.js";
import {at, button, el, key} from "./pos-view.js";

// ---- help

// keys are what the help explains: first the four ways to type, which a phone has, too; then the keys.
const keys = ["digits", "several", "names", "random", "list", "plus", "F4", "F5", "minus", "End", "F12", "means", "F2", "dollar", "F3", "F6", "F7", "results", "F8", "F9", "F10", "F11", "Esc"];

export function help() {
  // the box has the focus: above the keys it keeps their first line in sight
  open(say("help"), [el("label.check", {}, el("input", {type: "checkbox", name: "sounds", ...(sounds && {checked: true})}), " ", say("sounds")),
    el("table.keys", {}, el("tbody", {}, ...keys.map(name => el("tr", {}, el("th", {scope: "row"}, key(say("help." + name + ".key"))), el("td", {}, say("help." + name)))))),
    el("a", {href: "/docs/guide/counter", target: "_blank"}, say("help.guide")), el("br"), el("a", {href: "/vender/help", target: "_blank"}, say("help.page"))], [main(say("done")), button("printer", say("till"))], data => {
    sounds = data.get("sounds") === "on";
    store.put("kept", {key: "sounds", on: sounds});
  });
}

// ---- draws

export function following(choose) {
  open(say("following"), [field(say("following.count"), "count", {inputmode: "numeric", value: "3", pattern: "[0-9]{1,2}", required: true})], [main(say("done"))],
    data => choose(Math.max(1, Number(data.get("count")))));
}

// ---- questions

export function cancel(one, refresh) {
  if (!one) return;
  const operation = newKey();
  sure(say("cancel.title", one.serial_code), say("cancel.ask", one.shown), say("cancel.do"), async () => {
    await call("POST", "/sales/tickets/" + one.id + "/cancel", {key: operation});
    refresh();
  });
}

// sure asks before something that cannot be taken back.
export function sure(title, text, name, act) { open(title, [el("p", {}, text)], [el("button.grave", {type: "submit"}, name, " ", key(say("key.delete")))], act); }

// barred says that the user of the session cannot sell, and what can be done instead: the panel, or another user.
export function barred(text, leave) {
  const other = el("button", {type: "button"}, say("barred.leave"));
  other.addEventListener("click", () => leave().then(close, saying));
  open(say("barred"), [el("p", {}, text), el("p", {}, say("barred.text"))], [main(say("barred.panel")), other], () => location.assign("/admin"));
}

let polling = null;

// requests shows the customers who pay by bank, and follows them while it is open.
export async function requests() {
  const list = el("div");
  const show = async () => {
    const {data} = await read("/bank/payment-requests?page_size=30&origin=ticket&entityId=" + desk.catalogue.entity.id);
    list.replaceChildren(...data.map(one => el("p.line", {}, el("span.state." + ({open: "wait", paid: "ok"}[one.status] || "off"), {}, say("request." + one.status)), el("span", {}, clock(one.created_at), " ", one.client_phone || ""),
      el("b.number", {}, amountOf(one.amount, one.currency)))), ...(data.length ? [] : [el("p", {}, say("request.none"))]));
  };
  await show();
  open(say("request"), [list], [], null);
  clearInterval(polling);
  polling = setInterval(() => at("panel").open && list.isConnected ? show().catch(() => {}) : clearInterval(polling), 5000);
}

// ---- sounds

let sounds = true;
store.get("kept", "sounds").then(kept => {
  if (kept) sounds = kept.on;
}, () => {});

let speaker = null;

// milliseconds until the outcome is drawn: the first tone takes a browser a fifth of a second
const drawn = 50;

// sound tells sold from refused by a tone.
export function sound(kind) {
  if (sounds && window.AudioContext) setTimeout(() => play(kind), drawn);
}

// play plays one high tone, or two low ones.
function play(kind) {
  try {
    speaker = speaker || new AudioContext();
    const tones = kind === "sold" ? [[880, 0]] : [[220, 0], [220, 0.18]];
    for (const [pitch, after] of tones) {
      const tone = speaker.createOscillator(), volume = speaker.createGain();
      tone.frequency.value = pitch;
      volume.gain.value = 0.08;
      tone.connect(volume).connect(speaker.destination);
      tone.start(speaker.currentTime + after);
      tone.stop(speaker.currentTime + after + 0.12);
    }
  } catch { /* a browser without sound */ }
}
