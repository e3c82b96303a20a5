// A ticket that is being composed. A draft is plain data, so that it can be stored: {key, lines, customer, received, paid, payments}, where
// payments are as the API takes them, and missing for exact cash. Amounts are minor units.
import {shapes} from "./pos-entry.js";
import {decimal, units} from "./pos-format.js";

// newKey returns an Idempotency-Key.
export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = bytes[6] & 15 | 64;
  bytes[8] = bytes[8] & 63 | 128;
  return Array.from(bytes, (byte, i) => ([4, 6, 8, 10].includes(i) ? "-" : "") + byte.toString(16).padStart(2, "0")).join("");
}

// newDraft returns an empty ticket. Its key is the Idempotency-Key of its sale.
export function newDraft() { return {key: newKey(), lines: [], customer: null, received: 0, since: Date.now()}; }

// renewKey gives a draft another key. It is for a draft that was refused: the same key with other lines is another request.
export function renewKey(draft) { draft.key = newKey(); }

export const lineKey = line => [line.draw, line.bet, line.codes.join(",")].join(" ");

// add adds a line, or its amount to an equal line, which it returns.
export function add(draft, line) {
  const equal = draft.lines.find(other => lineKey(other) === lineKey(line));
  if (!equal) draft.lines.push(line);
  else {
    equal.amount += line.amount;
    delete equal.refused;
  }
  return equal || line;
}

export function remove(draft, line) { draft.lines = draft.lines.filter(other => other !== line); }

export const total = draft => draft.lines.reduce((sum, line) => sum + line.amount, 0);

// payoutOf is what a pick pays for each unit, in hundredths.
export function payoutOf(rule, codes) {
  return units((rule.element_payouts || {})[codes[0]] || rule.payout, 2);
}

export const prize = line => Math.floor(line.amount * line.payout / 100);

// wins reports whether a line wins with a number, of which "?" is a digit that does not matter, and a sign.
function wins(line, number, sign) {
  const [code, mark] = line.codes, {match, digits, sign: signed} = shapes[line.bet] || {};
  if (signed && mark !== sign) return false;
  const like = (text, part) => text.length === part.length && Array.from(text).every((digit, i) => digit === part[i]);
  switch (match) {
  case "last": return like(code, number.slice(-digits));
  case "first": return like(code, number.slice(0, digits));
  case "neighbours": return neighbours(code, digits).includes(number);
  default: return like(code, number);
  }
}

// neighbours are the numbers below and above; the numbers form a ring.
function neighbours(code, digits) {
  const ring = 10 ** digits;
  return [-1, 1].map(step => String((Number(code) + step + ring) % ring).padStart(digits, "0"));
}

// best is the most that a ticket can win: for each draw the outcome that pays most. Bets over several draws are added.
export function best(draft) {
  const draws = new Map();
  for (const line of draft.lines) draws.set(line.draw, [...(draws.get(line.draw) || []), line]);
  let sum = 0;
  for (const lines of draws.values()) {
    const single = lines.filter(line => !line.window);
    sum += lines.filter(line => line.window).reduce((all, line) => all + prize(line), 0);
    sum += Math.max(0, ...single.map(line => outcomes(line).map(([number, sign]) =>
      single.filter(other => wins(other, number, sign)).reduce((all, other) => all + prize(other), 0))).flat());
  }
  return sum;
}

// outcomes are results that a line wins with.
function outcomes(line) {
  const [code, sign] = line.codes, {match, digits} = shapes[line.bet] || {};
  const rest = "?".repeat(Math.max(0, (line.digits || 0) - digits) || 0);
  switch (match) {
  case "last": return [[rest + code, sign]];
  case "first": return [[code + rest, sign]];
  case "neighbours": return neighbours(code, digits).map(number => [number, sign]);
  default: return [[code, sign]];
  }
}

// bodyOf is the request that sells a draft.
export function bodyOf(draft, currency, partial) {
  const body = {currency: currency.code, items: draft.lines.map(line => ({
    draw_id: line.draw, bet_type: line.bet, selection: line.codes.length > 1 ? line.codes : line.codes[0], amount: decimal(line.amount, currency.digits),
  }))};
  if (partial) body.accept_partial = true;
  if (draft.payments) Object.assign(body, draft.payments);
  const buyer = draft.customer;
  if (buyer) {
    if (buyer.id) body.customer_id = buyer.id;
    else body.customer = {name: buyer.name, phone: buyer.phone, ...(buyer.id_document && {id_document: buyer.id_document})};
    if (buyer.bank) body.wants_payment_info = true;
  }
  return body;
}
