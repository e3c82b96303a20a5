// What can be sold: the catalogue with the draws on sale, what is left under the limits, and the quota. It is asked for again and again, and kept for
// the time without a line.
import {Refused, now, read} from "./pos-api.js";
import {dayOf, money, units} from "./pos-format.js";
import * as store from "./pos-store.js";

// currency is the code of the one to sell in: that of the catalogue which was kept; empty for that of the installation.
export const desk = {catalogue: null, quota: null, draws: new Map(), games: new Map(), rooms: new Map(), unsold: new Set(), fresh: false, currency: ""};

// draws of one question
const keptKey = "catalogue", most = 50;

// recall shows what was kept, before the server has answered.
export async function recall() {
  const kept = await store.get("kept", keptKey);
  if (!kept || desk.catalogue) return;
  use(kept.catalogue);
  desk.currency = kept.catalogue.currency.code;
}

const asked = (path, first = "?", code = desk.currency) => path + (code ? first + "currency=" + encodeURIComponent(code) : "");

// sellIn sells in another currency from now on. Until the server answers everything stays as it is, also what is read meanwhile.
export async function sellIn(code) {
  const {data: catalogue} = await read(asked("/sales/catalogue", "?", code));
  desk.currency = code;
  desk.quota = null;
  keep(catalogue);
}

// otherCurrencies are the codes of those in which the ticket point can sell, too.
export const otherCurrencies = () => desk.catalogue ? desk.catalogue.currencies.filter(one => one.wallet && one.id !== desk.catalogue.currency.id).map(one => one.code).sort() : [];

function use(catalogue) {
  // what is left is of one currency; answers on the way are for the maps before
  if (desk.catalogue && desk.catalogue.currency.id !== catalogue.currency.id) Object.assign(desk, {rooms: new Map(), unsold: new Set()});
  desk.catalogue = catalogue;
  desk.games = new Map(catalogue.games.map(game => [game.id, game]));
  desk.draws = new Map(catalogue.draws.map(draw => [draw.id, draw]));
  // read once: it is compared several times a key
  for (const draw of catalogue.draws) draw.stop = Date.parse(draw.sale_stop_at);
}

function keep(catalogue) {
  use(catalogue);
  store.put("kept", {key: keptKey, catalogue}).catch(() => {});
}

// unitOf is the symbol of a currency; its code without one.
export const unitOf = code => (desk.catalogue.currencies.find(one => one.code === code) || {}).symbol || code;

// amountOf writes a decimal of the API, with the symbol of its currency where that is not the desk's. Such a decimal has the digits of its currency.
export function amountOf(decimal, code) {
  const text = String(decimal || "0"), {currency} = desk.catalogue, own = !code || code === currency.code;
  const digits = own ? currency.digits : (text.split(".")[1] || "").length;
  return money(units(text, digits), digits) + (own ? "" : " " + unitOf(code));
}

export const digitsOf = code => (desk.catalogue.currencies.find(one => one.code === code) || desk.catalogue.currency).digits;

// renew reads the catalogue. It reports whether it has changed.
export async function renew() {
  const {currency} = desk;
  let catalogue;
  try {
    ({data: catalogue} = await read(asked("/sales/catalogue")));
  } catch (e) {
    if (!(e instanceof Refused && e.code === "CURRENCY_NOT_FOUND" && currency)) throw e;
    desk.currency = "";
    return renew();
  }
  // another currency was chosen meanwhile
  if (currency !== desk.currency) return false;
  const changed = !desk.catalogue || desk.catalogue.version !== catalogue.version;
  if (changed) keep(catalogue);
  desk.fresh = true;
  return changed;
}

// the part of the quota of which less is little
const little = 0.2;

// renewQuota reads the quota. low marks that most of it is used: of the credit, or without one of what today began with.
export async function renewQuota() {
  const {currency} = desk, {data: quota} = await read(asked("/sales/quota")), left = Number(quota.available), sold = quota.sold_today ? Number(quota.sold_today.amount) : 0;
  if (currency === desk.currency) desk.quota = {...quota, low: quota.available !== null && left <= little * (Number(quota.credit_limit) || left + sold)};
}

export const gameOf = draw => desk.games.get(draw.game_id);
export const rule = (game, bet) => game.bet_types.find(type => type.type === bet);

// onSale are the draws that still take a bet, the next one first; some of them where among says which.
export function onSale(bets, among = () => true) {
  if (!desk.catalogue) return [];
  const at = now();
  return desk.catalogue.draws.filter(draw => draw.stop > at && among(draw) && desk.games.has(draw.game_id) && bets.some(bet => rule(gameOf(draw), bet)));
}

// nextOf is the next draw of the game of another one on the same day, of those that take a bet and that fit; undefined without one.
export function nextOf(draw, bet, fits = () => true) {
  const day = dayOf(draw.draw_time), time = Date.parse(draw.draw_time);
  return onSale([bet], other => other.game_id === draw.game_id && Date.parse(other.draw_time) > time && dayOf(other.draw_time) === day && fits(other))[0];
}

// isClosed reports whether the sale of the draw of a line has stopped.
export function isClosed(line) {
  const draw = desk.draws.get(line.draw);
  return Boolean(line.closed) || (draw ? draw.stop : desk.fresh ? 0 : Date.parse(line.stop)) <= now();
}

// close closes the draw of a line that the server has refused because of it, whose clock decides.
export function close(line) {
  const draw = desk.draws.get(line.draw);
  line.closed = true;
  if (draw) draw.stop = 0;
}

const roomKey = (draw, bet, codes) => [draw, bet, codes.join(",")].join(" ");

// roomOf is what is known to be left for a pick: {left, limit, sold, level}, or undefined where nothing bounds it or nothing is known.
export const roomOf = (draw, bet, codes) => desk.rooms.get(roomKey(draw, bet, codes));

// isUnsold reports whether a pick is known to be without a sale.
export const isUnsold = (draw, bet, codes) => desk.unsold.has(roomKey(draw, bet, codes));

// renewRooms reads what is left for all elements of draws, or for some selections.
export async function renewRooms(draws, bet, selections = []) {
  if (!draws.length) return;
  if (draws.length > most) await renewRooms(draws.slice(most), bet, selections);
  const query = new URLSearchParams({draw_id: draws.slice(0, most).join(","), bet_type: bet});
  for (const codes of selections) query.append("selection", codes.join(","));
  const {rooms, unsold, catalogue: {currency: {digits}}} = desk, {data} = await read(asked("/risk/available?" + query, "&"));
  for (const room of data) {
    const codes = Array.isArray(room.selection) ? room.selection : [room.selection], key = roomKey(room.draw_id || draws[0], bet, codes.map(String));
    if (room.unsold) unsold.add(key);
    else unsold.delete(key);
    if (room.available === null) rooms.delete(key);
    else {
      const limit = room.limit === null ? 0 : units(room.limit, digits), sold = room.sold === null ? 0 : units(room.sold, digits);
      rooms.set(key, {left: units(room.available, digits), share: limit > 0 ? Math.min(1, sold / limit) : 1, level: room.level});
    }
  }
}
