package tickets

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// QueueInsert adds to a batch the insertion of pending tickets.
func QueueInsert(b *pgx.Batch, list []*models.Ticket) {
	n := len(list)
	ids, entities, users, wallets, currencies := make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n)
	serials, codes, customers := make(storage.Texts, n), make(storage.Texts, n), make(storage.MaybeUUIDs, n)
	paths := make(storage.Integers, n)
	totals, prizes, wants := make(storage.Bigints, n), make(storage.Bigints, n), make(storage.Booleans, n)
	cancels, expires, created := make(storage.Timestamps, n), make(storage.Timestamps, n), make(storage.Timestamps, n)
	for i, t := range list {
		ids[i], entities[i], users[i], wallets[i], currencies[i] = t.ID, t.EntityID, t.UserID, t.WalletID, t.CurrencyID
		serials[i], codes[i], totals[i], prizes[i], wants[i] = t.SerialCode, t.ValidationCode, t.Total, t.PotentialPrize, t.WantsPaymentInfo
		if t.CustomerID != nil {
			customers[i] = *t.CustomerID
		}
		paths[i], cancels[i], expires[i], created[i] = t.PathID, t.CancelBefore, t.ExpiresAt, t.CreatedAt
	}
	b.Queue(`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, customer_id, status, total,
			potential_prize, wants_payment_info, cancel_before, expires_at, created_at, path_id)
		SELECT unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), unnest($4::uuid[]), unnest($5::uuid[]), unnest($6::uuid[]),
			unnest($7::uuid[]), unnest($8::uuid[]), 'pending', unnest($9::bigint[]), unnest($10::bigint[]), unnest($11::boolean[]),
			unnest($12::timestamptz[]), unnest($13::timestamptz[]), unnest($14::timestamptz[]), unnest($15::integer[])`,
		ids, serials, codes, entities, users, wallets, currencies, customers, totals, prizes, wants, cancels, expires, created, paths)
}

// Line is a bet line as it is sold. Rates is an array literal of the commission rates, in basis points from the operator's
// child down to the seller.
type Line struct {
	DrawID      uuid.UUID
	GameID      uuid.UUID
	BetType     string
	Selection   string
	Amount      int64
	Payout      int64
	Prize       int64 // prize of the line if it wins
	RuleVersion int
	Rates       string
}

// Lines gathers the lines of tickets for one statement.
type Lines struct {
	tickets, draws, games   storage.UUIDs
	numbers                 storage.Smallints
	versions                storage.Integers
	bets, selections, rates storage.Texts
	amounts, payouts        storage.Bigints
	prizes                  storage.Bigints
}

// NewLines returns Lines with room for n.
func NewLines(n int) *Lines {
	return &Lines{
		tickets: make(storage.UUIDs, 0, n), draws: make(storage.UUIDs, 0, n), games: make(storage.UUIDs, 0, n),
		numbers: make(storage.Smallints, 0, n), versions: make(storage.Integers, 0, n),
		bets: make(storage.Texts, 0, n), selections: make(storage.Texts, 0, n), rates: make(storage.Texts, 0, n),
		amounts: make(storage.Bigints, 0, n), payouts: make(storage.Bigints, 0, n), prizes: make(storage.Bigints, 0, n),
	}
}

// Add adds the line of a ticket with a number.
func (l *Lines) Add(ticket uuid.UUID, number int, line *Line) {
	l.tickets, l.draws, l.games = append(l.tickets, ticket), append(l.draws, line.DrawID), append(l.games, line.GameID)
	l.numbers, l.versions = append(l.numbers, int16(number)), append(l.versions, int32(line.RuleVersion))
	l.bets, l.selections, l.rates = append(l.bets, line.BetType), append(l.selections, line.Selection), append(l.rates, line.Rates)
	l.amounts, l.payouts, l.prizes = append(l.amounts, line.Amount), append(l.payouts, line.Payout), append(l.prizes, line.Prize)
}

// Queue adds to a batch the insertion of the lines.
func (l *Lines) Queue(b *pgx.Batch) {
	b.Queue(`INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		SELECT unnest($1::uuid[]), unnest($2::smallint[]), unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::text[]), unnest($6::text[]),
			unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::integer[]), unnest($11::text[])::integer[]`,
		l.tickets, l.numbers, l.draws, l.games, l.bets, l.selections, l.amounts, l.payouts, l.prizes, l.versions, l.rates)
}
