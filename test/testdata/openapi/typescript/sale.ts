// Sells a ticket with the client that openapi-typescript and openapi-fetch make of the document, and prints its serial
// code. Arguments: the address of the API, a user and the password.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

declare const process: { argv: string[]; exitCode: number };

type Problem = components['schemas']['Problem'];

// known returns what a call answered, or throws the problem.
function known<T>(what: string, answer: { data?: T; error?: Problem; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${what}: ${answer.response.status} ${answer.error?.code}: ${answer.error?.detail}`);
  }
  return answer.data;
}

async function sell(address: string, identifier: string, password: string): Promise<string> {
  const api = createClient<paths>({ baseUrl: address });
  const session = known('login', await api.POST('/auth/login', { body: { identifier, password } })).data;
  api.use({
    onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${session.access_token}`);
      return request;
    },
  });

  const games = known('games', await api.GET('/games', { params: { query: { page_size: 200 } } }));
  const game = games.data.find((g) => g.short_code === 'lotto-activo');
  if (!game) {
    throw new Error(`lotto-activo is not among ${games.meta.total} games`);
  }
  const draws = known('draws', await api.GET('/draws', { params: { query: { status: 'open', game_id: game.id, page_size: 200 } } }));
  const draw = draws.data.at(-1);
  if (!draw) {
    throw new Error('no draw is open');
  }

  const items: components['schemas']['LineInput'][] = [
    { draw_id: draw.id, bet_type: 'straight', selection: '5', amount: '10.00' },
    { draw_id: draw.id, bet_type: 'straight', selection: ['00'], amount: 25.5 },
  ];
  const sold = known('sale', await api.POST('/sales/tickets', {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { currency: 'VES', customer: { name: 'María Ñáñez', phone: '0414-1234567' }, items },
  })).data;

  const ticket = known('ticket', await api.GET('/sales/tickets/{id}', { params: { path: { id: sold.id } } })).data;
  const lines = ticket.items.flatMap((g) => g.draws).flatMap((d) => d.lines);
  if (ticket.status !== 'pending' || ticket.total !== '35.50' || lines.length !== 2 || ticket.serial_code !== sold.serial_code) {
    throw new Error(`not the ticket that was sold: ${JSON.stringify(ticket)}`);
  }

  const refused = await api.GET('/sales/tickets/{id}', { params: { path: { id: game.id } } });
  if (refused.response.status !== 404 || refused.error?.code !== 'TICKET_NOT_FOUND') {
    throw new Error(`an unknown ticket is ${refused.response.status} ${refused.error?.code}`);
  }
  return ticket.serial_code;
}

const [address, identifier, password] = process.argv.slice(2);
if (!address || !identifier || !password) {
  throw new Error('usage: sale.js address user password');
}
sell(address, identifier, password).then(
  (serial) => console.log(serial),
  (err: unknown) => {
    console.error(err);
    process.exitCode = 1;
  },
);
