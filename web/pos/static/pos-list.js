// Lista: bets as buyers write them. The server reads them by a grammar; what it does not understand is red, and is not added.
import {Lost, call, now} from "./pos-api.js";
import {desk} from "./pos-desk.js";
import {main, open, saying} from "./pos-dialog.js";
import {picked, shapes} from "./pos-entry.js";
import {count, say, units, when} from "./pos-format.js";
import {amount, el} from "./pos-view.js";

// milliseconds without a key until a text is read
const quiet = 150;

// isList reports whether a pasted text is more than what the field of numbers takes.
export const isList = text => /[a-z\n]/i.test(text.trim()) || text.trim().length > 20;

// list asks for a text. chosen are the draws of bets that name no game; add is given the understood lines as {draw, bet, codes, name, amount}, and returns
// why it cannot take them, "" if it has.
export function list(text, chosen, add) {
  const field = el("textarea", {name: "list", rows: "9", spellcheck: "false", autocapitalize: "off", "aria-label": say("list"), placeholder: say("list.example")});
  const rows = el("div.parsed", {role: "status"}), sum = el("p.parsed-sum"), button = main(say("list.add"));
  let parsed = null, asked = 0, timer = 0;
  const renew = async () => {
    clearTimeout(timer);
    parsed = null;
    const turn = asked += 1;
    try {
      const answer = await parse(field.value, chosen);
      // a later letter was typed meanwhile
      if (turn === asked) show(rows, sum, parsed = answer);
    } catch (e) {
      saying(e);
    }
  };
  field.value = text;
  field.addEventListener("input", () => {
    parsed = null;
    asked += 1;
    clearTimeout(timer);
    timer = setTimeout(renew, quiet);
  });
  field.addEventListener("keydown", event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!event.repeat) field.form.requestSubmit();
  });
  open(say("list"), [el("div.list", {}, field, rows), sum], [button], async () => {
    if (!parsed) await renew();
    if (!parsed) throw new Lost("");
    const wrong = add(linesOf(parsed));
    if (wrong) throw new Error(wrong);
    const left = rest(parsed);
    field.value = left;
    await renew();
    return !left;
  });
  if (text) renew();
  else show(rows, sum, {parts: [], lines: 0, total: "0"});
}

// parse asks the server what a text means.
async function parse(text, chosen) {
  if (!text.trim()) return {parts: [], lines: 0, total: "0"};
  const {body} = await call("POST", "/sales/drafts/parse?currency=" + desk.catalogue.currency.code, {body: {text, draw_ids: chosen.slice(0, 200)}});
  return body.data;
}

const linesOf = parsed => parsed.parts.flatMap(part => part.items).map(item => ({
  draw: item.draw_id, bet: item.bet_type, codes: picked(item), name: item.name, amount: units(item.amount, desk.catalogue.currency.digits),
}));

// rest is what was not understood, with the headings above it.
function rest(parsed) {
  if (!parsed.parts.some(part => part.problem)) return "";
  return parsed.parts.filter(part => part.problem || !part.items.length).map(part => part.text).join("\n");
}

function show(rows, sum, parsed) {
  const wrong = parsed.parts.filter(part => part.problem).length;
  rows.replaceChildren(...parsed.parts.flatMap(rowsOf));
  sum.replaceChildren(el("strong", {}, count("lines", parsed.lines) + " · " + amount(units(parsed.total, desk.catalogue.currency.digits))),
    wrong ? el("span.bad", {}, " · " + count("list.wrong", wrong)) : "");
}

function rowsOf(part) {
  if (part.problem) return [el("div.row.no", {}, el("b", {}, "?"), el("span", {}, part.text), el("span.why", {}, part.problem.message))];
  return part.items.map(item => el("div.row", {}, el("b", {}, picked(item).join(" ")),
    el("span", {}, shapes[item.bet_type].grid ? item.name : "", item.bet_type === "straight" ? "" : el("small", {}, " " + say("bet." + item.bet_type))),
    el("span.faint", {}, item.game + " " + when(item.draw_time, now())), el("span.number", {}, amount(units(item.amount, desk.catalogue.currency.digits)))));
}
