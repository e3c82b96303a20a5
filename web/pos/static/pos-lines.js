// Lines of a ticket on draws that are on sale, and the comparison of a sold ticket with the one that is composed.
import {gameOf, onSale, rule} from "./pos-desk.js";
import {picked, shapes} from "./pos-entry.js";
import {units} from "./pos-format.js";
import {payoutOf} from "./pos-ticket.js";

const signOf = (game, code) => ((game.signs || []).find(sign => sign.code === code) || {name: ""}).name;

// nameIn is the name of what a bet is on, as the game of the draw calls it.
export function nameIn(game, bet, codes) {
  if (shapes[bet].grid) return codes.map(code => game.elements.find(e => e.code === code).name).join(", ");
  return signOf(game, codes[1]);
}

// lineOn is a line of a ticket on a draw.
export function lineOn(draw, bet, codes, name, stake) {
  const game = gameOf(draw), type = rule(game, bet);
  return {draw: draw.id, gameId: draw.game_id, time: draw.draw_time, stop: draw.sale_stop_at, game: game.name, digits: game.digits, bet, codes, name, amount: stake, payout: payoutOf(type, codes), window: type.draws > 1};
}

// targets pairs the lines of each draw of a ticket with a draw on sale: the same one, or in their order the next ones of its game or of a given one.
export function targets(ticket, game) {
  const open = onSale(Object.keys(shapes));
  return ticket.items.flatMap(group => {
    const used = new Set(group.draws.map(drawn => drawn.draw_id));
    return group.draws.map(drawn => {
      const same = !game && open.find(one => one.id === drawn.draw_id), draw = same || open.find(one => one.game_id === (game || group.game.id) && !used.has(one.id));
      if (draw) used.add(draw.id);
      return [draw, drawn.lines];
    });
  });
}

// isTwin reports whether a sold ticket has the lines of a draft.
export function isTwin(ticket, draft, digits) {
  return ofDraft(draft) === sorted(ticket.items.flatMap(group => group.draws.flatMap(drawn => drawn.lines.map(line => [drawn.draw_id, line.bet_type, picked(line), units(line.amount, digits)]))));
}

const ofDraft = draft => sorted(draft.lines.map(line => [line.draw, line.bet, line.codes, line.amount]));

const sorted = lines => lines.map(([draw, bet, codes, stake]) => [draw, bet, codes.slice().sort().join(","), stake].join(" ")).sort().join("; ");
