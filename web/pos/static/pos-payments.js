// The dialog that says how a ticket is paid where that is not exact cash: means, other currencies, and the change.
import {amountOf, desk, unitOf} from "./pos-desk.js";
import {main, open} from "./pos-dialog.js";
import {decimal, money, say, typedAmount} from "./pos-format.js";
import {el} from "./pos-view.js";

// means are the rows of the dialog: {name, means, currency}. Another currency counts at its rate of the day.
function means() {
  const {currency, currencies, rules} = desk.catalogue, others = currencies.filter(one => one.id !== currency.id && one.rate);
  return [
    ...(rules.mobile_payments ? [{name: "mobile", means: "mobile", currency, label: say("means.mobile")}] : []), {name: "card", means: "card", currency, label: say("means.card")},
    ...others.map(other => ({name: "cash_" + other.code, means: "cash", currency: other, label: say("means.cash", unitOf(other.code))})),
    {name: "cash", means: "cash", currency, label: say("means.cash", unitOf(currency.code))},
  ];
}

// perUnit is the value of one unit of a currency in that of the ticket.
function perUnit(other) {
  const {currency} = desk.catalogue;
  if (other.id === currency.id) return 1;
  const rate = Number(other.rate.rate);
  return other.rate.base === currency.code ? 1 / rate : rate;
}

// worth is the value of minor units of a currency in minor units of the ticket's.
const worth = (units, other) => other.id === desk.catalogue.currency.id ? units : Math.round(units / 10 ** other.digits * perUnit(other) * 10 ** desk.catalogue.currency.digits);

// inUnits is the reverse of worth; up rounds up, so that nothing is missing.
const inUnits = (value, other, up) => other.id === desk.catalogue.currency.id ? value : (up ? Math.ceil : Math.floor)(value / 10 ** desk.catalogue.currency.digits / perUnit(other) * 10 ** other.digits - (up ? 1e-9 : -1e-9));

// changeIn gives change in a currency: of another one whole units, and the rest in that of the ticket.
function changeIn(value, other) {
  const {currency} = desk.catalogue, own = {currency: currency.code, digits: currency.digits};
  if (other.id === currency.id) return [{...own, units: value}];
  const unit = 10 ** other.digits, whole = Math.floor(inUnits(value, other, false) / unit) * unit, rest = value - worth(whole, other);
  return [{currency: other.code, digits: other.digits, units: whole}, {...own, units: rest}].filter(part => part.units > 0);
}

// textOf writes change, such as "15,00 $ + 22,00".
export const textOf = change => change.map(part => amountOf(part.amount, part.currency)).join(" + ");

// payments asks how a total, in minor units, is paid. take is given {payments, change} as the API takes them, or null and
// what is handed over, for cash of the ticket's currency.
export function payments(total, before, take) {
  const rows = means(), {digits} = desk.catalogue.currency, sum = el("p.draws-sum", {role: "status"}), cash = rows.filter(row => row.means === "cash");
  const back = el("select", {name: "change"}, ...cash.reverse().map(row => el("option", {value: row.currency.code}, row.label))), backLabel = el("label", {hidden: true}, say("means.change"), back);
  for (const row of rows) {
    const kept = before?.payments.find(one => one.means === row.means && one.currency === row.currency.code);
    row.input = el("input", {name: row.name, inputmode: "decimal", autocomplete: "off", value: kept ? money(Math.round(Number(kept.amount) * 10 ** row.currency.digits), row.currency.digits) : ""});
    row.reference = row.means === "cash" ? null : el("input", {name: row.name + "_reference", inputmode: "numeric", autocomplete: "off", maxlength: "36", value: kept && kept.reference || "", placeholder: say("means.reference"), "aria-label": row.label + ": " + say("means.reference")});
    row.rest = el("button", {type: "button", tabindex: "-1"}, say("means.rest"));
    row.rest.addEventListener("click", () => {
      row.input.value = "";
      const left = missing();
      if (left > 0) row.input.value = money(inUnits(left, row.currency, true), row.currency.digits);
      show();
      (row.reference || row.input).focus();
    });
  }
  const unitsOf = row => typedAmount(row.input.value.trim(), row.currency.digits);
  const missing = () => total - rows.reduce((all, row) => all + worth(unitsOf(row), row.currency), 0);
  // half of the last minor unit of another currency is less than can be paid, and less than change: as the server compares
  const slack = () => {
    const others = rows.filter(row => unitsOf(row) && row.currency.id !== desk.catalogue.currency.id), unit = Math.max(0, ...others.map(row => worth(1, row.currency)));
    return Math.floor((unit + 1) / 2) + Math.floor(others.length / 2);
  };
  const change = () => {
    const over = -missing();
    return over > slack() ? changeIn(over, cash.find(row => row.currency.code === back.value).currency) : [];
  };
  const parts = () => change().map(part => ({currency: part.currency, amount: decimal(part.units, part.digits)}));
  const show = () => {
    const left = missing(), given = parts();
    backLabel.hidden = !given.length || cash.length < 2;
    sum.textContent = left > slack() ? say("means.missing", money(left, digits)) : given.length ? say("means.back", textOf(given)) : say("means.exact", money(total, digits));
  };
  const box = el("div.payments", {}, ...rows.map(row => el("div.means", {}, el("label", {}, row.label, row.input), row.reference || el("span"), row.rest)), backLabel, sum);
  box.addEventListener("input", show);
  open(say("means.how", money(total, digits)), [box], [main(say("sell"))], () => {
    const wrong = rows.find(row => row.input.value.trim() && !unitsOf(row)), left = missing(), given = rows.filter(unitsOf);
    if (wrong) throw new Error(say("wrong.amount"));
    if (left > slack()) { // the sum says what is missing
      (rows.find(row => !row.input.value) || rows[0]).input.focus();
      return false;
    }
    const list = given.map(row => ({means: row.means, currency: row.currency.code, amount: decimal(unitsOf(row), row.currency.digits), ...(row.reference && row.reference.value.trim() && {reference: row.reference.value.trim()})}));
    if (list.length === 1 && given[0].means === "cash" && given[0].currency.id === desk.catalogue.currency.id) take(null, unitsOf(given[0]));
    else take({payments: list, change: parts()});
  });
  show();
  rows[0].input.focus();
}
