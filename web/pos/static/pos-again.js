// The dialogs that sell again what was sold before: to a customer, at this till, or a pinned favourite.
import {now, read} from "./pos-api.js";
import {amountOf, desk} from "./pos-desk.js";
import {close, field, main, open} from "./pos-dialog.js";
import {picked} from "./pos-entry.js";
import {say, typedAmount, when} from "./pos-format.js";
import * as store from "./pos-store.js";
import {button, el, key} from "./pos-view.js";

// tickets of a customer, of the till and favourites that a dialog shows
const ofCustomer = 3, ofTill = 4, mostPinned = 5;

// customers with an id that were chosen on this page, the last one first
let recent = [];

// listed are rows of tickets, each chosen by a digit, by Enter or by a finger.
function listed(tickets, choose, beside = () => []) {
  return tickets.map((ticket, i) => {
    const row = el("button", {type: "button", "data-digit": i + 1}, key(String(i + 1)), " ", el("span", {}, textOf(ticket)), " ", el("b.number", {}, amountOf(ticket.total, ticket.currency)));
    row.addEventListener("click", () => choose(ticket));
    return el("div.again", {}, row, ...beside(ticket));
  });
}

// textOf names a ticket by its time, its first numbers and its games.
function textOf(ticket) {
  const lines = ticket.items.flatMap(group => group.draws.flatMap(drawn => drawn.lines)), some = lines.slice(0, 4).map(line => picked(line).join(" ") + (line.name ? " " + line.name : ""));
  const games = [...new Set(ticket.items.map(group => group.game.name))];
  return [when(ticket.created_at, now()), some.join(", ") + (lines.length > some.length ? " +" + (lines.length - some.length) : ""), games.join(", ")].join(" · ");
}

// byDigits presses the row of a digit, unless it is typed into a field.
function byDigits(box) {
  box.addEventListener("keydown", event => {
    const row = !event.target.matches("input, select") && /^[1-9]$/.test(event.key) && box.querySelector('[data-digit="' + event.key + '"]'), step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (row) row.click();
    else if (step && !event.target.matches("select")) {
      const all = [...box.querySelectorAll("input, .again > button:first-child, .found > button")];
      (all[all.indexOf(event.target) + step] || event.target).focus();
    } else return;
    event.preventDefault();
  });
}

// customer asks for the buyer of a draft. Of a known one it shows the last tickets; again repeats one.
export function customer(draft, changed, again) {
  const found = el("div.found", {role: "group", "aria-label": say("customer.found")}), before = el("div.found", {role: "group", "aria-label": say("customer.before")}), buyer = draft.customer || {name: "", phone: ""};
  const search = field(say("customer.phone"), "phone", {inputmode: "tel", value: buyer.phone}), name = field(say("customer.name"), "name", {value: buyer.name});
  const document = field(say("customer.document"), "id_document", {value: buyer.id_document || ""});
  const box = el("div.buyer", {}, search, found, before, name, document), fields = [[search, "phone"], [name, "name"], [document, "id_document"]];
  let asked = 0, id = buyer.id;
  const show = choices => {
    const held = found.contains(document.activeElement);
    found.replaceChildren(...choices);
    if (held) search.querySelector("input").focus();
  };
  const choiceOf = one => {
    const choice = el("button", {type: "button"}, one.name, " ", el("span.faint", {}, one.phone));
    choice.addEventListener("click", () => {
      id = one.id;
      for (const [label, of] of fields) label.querySelector("input").value = one[of] || "";
      offer([]);
      tickets();
    });
    return choice;
  };
  const offer = list => {
    const ids = list.map(one => one.id).join();
    // the same answer to a longer text keeps the choice that has the focus
    if (found.dataset.of === ids) return;
    found.dataset.of = ids;
    show(list.map(choiceOf));
  };
  // tickets shows what the customer bought last, and goes there: one key repeats it.
  const tickets = async () => {
    const turn = id, {data} = await read("/sales/customers/" + id + "/tickets?page_size=" + ofCustomer).catch(() => ({data: []}));
    if (turn !== id || !before.isConnected) return;
    before.replaceChildren(...(data.length ? [el("h3", {}, say("customer.before")), ...listed(data, ticket => {
      take(new FormData(box.closest("form")));
      close();
      again(ticket);
    })] : []));
    // the cashier has gone on to another field meanwhile
    if (box.contains(document.activeElement) && document.activeElement !== search.querySelector("input") && !found.contains(document.activeElement)) return;
    if (data.length) before.querySelector("button").focus();
    else name.querySelector("input").focus();
  };
  const take = data => {
    if (!data.get("phone").trim() || !id && !data.get("name").trim()) throw new Error(say("customer.wrong"));
    draft.customer = {id, name: data.get("name").trim(), phone: data.get("phone").trim(), id_document: data.get("id_document").trim(), bank: data.get("bank") === "on"};
    if (id) recent = [draft.customer, ...recent.filter(one => one.id !== id)].slice(0, ofCustomer);
    changed();
  };
  search.addEventListener("input", async event => {
    const text = event.target.value.trim(), turn = ++asked;
    id = undefined;
    before.replaceChildren();
    if (text.length < 3) return offer(text ? [] : recent);
    const {data} = await read("/sales/customers?page_size=5&search=" + encodeURIComponent(text)).catch(() => ({data: []}));
    // a later letter was typed meanwhile
    if (turn === asked) offer(data);
  });
  const without = button("", say("customer.none"));
  without.addEventListener("click", () => {
    draft.customer = null;
    changed();
    close();
  });
  const bank = el("label.check", {}, el("input", {type: "checkbox", name: "bank", ...(buyer.bank && {checked: true})}), " ", say("customer.bank"));
  byDigits(box);
  open(say("customer"), [box, bank], [main(say("done")), without], take);
  if (id) tickets();
  else offer(recent);
}

const pinnedKey = () => "pinned " + desk.catalogue.entity.id;

// repeats shows the last tickets of the till and its favourites. again repeats one, on another game or with one stake for all where that is filled in.
export async function repeats(mine, again) {
  const pinned = (await store.get("kept", pinnedKey()).catch(() => null) || {tickets: []}).tickets, rows = el("div.found", {role: "group", "aria-label": say("again")});
  const games = el("select", {name: "game"}, el("option", {value: ""}, say("again.same")), ...desk.catalogue.games.map(game => el("option", {value: game.id}, game.name)));
  const stake = field(say("again.stake"), "stake", {inputmode: "decimal"}), {digits} = desk.catalogue.currency;
  const choose = ticket => {
    const text = stake.querySelector("input").value.trim(), amount = typedAmount(text, digits);
    if (text && !amount) return stake.querySelector("input").focus();
    close();
    again(ticket, {game: games.value, stake: amount});
  };
  const pin = async (ticket, on) => {
    const rest = pinned.filter(other => other.id !== ticket.id);
    pinned.splice(0, mostPinned, ...(on ? [ticket, ...rest].slice(0, mostPinned) : rest));
    await store.put("kept", {key: pinnedKey(), tickets: pinned});
    show();
  };
  const show = () => {
    const all = [...pinned, ...mine.filter(ticket => !pinned.some(other => other.id === ticket.id)).slice(0, ofTill)];
    rows.replaceChildren(...listed(all, choose, ticket => {
      const on = pinned.some(other => other.id === ticket.id), star = el("button", {type: "button", "aria-pressed": String(on), title: say("again.pin")}, say("again.pin"));
      star.addEventListener("click", () => pin(ticket, !on));
      return [star];
    }));
  };
  show();
  const box = el("div.buyer", {}, rows, el("label", {}, say("again.game"), games), stake);
  byDigits(box);
  open(say("again"), [box], [], null);
  (rows.querySelector("button") || games).focus();
}
