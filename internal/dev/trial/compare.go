package trial

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/idempotency"
)

// comparison returns how Postgres differs from the journal in one respect.
type comparison func(ctx context.Context, c *pgx.Conn, l *load) ([]string, error)

func comparisons() []comparison {
	return []comparison{compareTickets, compareKeys, compareWallets, comparePayments, comparePrizes, compareMessages, compareMarks, compareDecisions, compareExports, compareRest}
}

// done returns the operations of a kind that were done, by what id says. Two with one id are a difference.
func done(l *load, kind string, id func(*operation) string) (map[string]*operation, []string) {
	list, differences := map[string]*operation{}, []string(nil)
	for _, o := range l.client.journal.all(kind) {
		if !o.good() {
			continue
		}
		if other := list[id(o)]; other != nil && other.Key != o.Key {
			differences = append(differences, fmt.Sprintf("two keys have one %s %s: %s and %s", kind, id(o), other, o))
		}
		list[id(o)] = o
	}
	return list, differences
}

// row is what a comparison reads of a table.
type row struct {
	ID     string
	Amount int64
	State  string
}

func read(ctx context.Context, c *pgx.Conn, sql string, args ...any) ([]row, error) {
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return list, nil
}

// match finds what exists without an operation, is missing, or has another amount.
func match(what string, stored []row, expected map[string]*operation) (differences []string) {
	seen := map[string]int{}
	for _, r := range stored {
		seen[r.ID]++
		o := expected[r.ID]
		switch {
		case o == nil:
			differences = append(differences, fmt.Sprintf("%s %s of %d exists and no operation explains it", what, r.ID, r.Amount))
		case seen[r.ID] > 1:
			differences = append(differences, fmt.Sprintf("%s %s exists %d times: %s", what, r.ID, seen[r.ID], o))
		case r.Amount != o.amount:
			differences = append(differences, fmt.Sprintf("%s %s has the amount %d, its operation %d: %s", what, r.ID, r.Amount, o.amount, o))
		}
	}
	for id, o := range expected {
		if seen[id] == 0 {
			differences = append(differences, fmt.Sprintf("%s %s is lost: %s", what, id, o))
		}
	}
	return differences
}

const ofPoints = ` JOIN entities e ON e.id = %s.entity_id WHERE e.code LIKE 'TRIAL-%%'`

// compareTickets: every sale that was answered 201 is one ticket of its amount, and every ticket such a sale; cancelled exactly
// if a cancellation was answered.
func compareTickets(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	stored, err := read(ctx, c, `SELECT t.id::text, t.total, t.status FROM tickets t`+fmt.Sprintf(ofPoints, "t"))
	if err != nil {
		return nil, err
	}
	sold, found := done(l, opSale, func(o *operation) string { return o.text("id") })
	cancelled, more := done(l, opCancel, func(o *operation) string { return o.of.text("id") })
	found = append(append(found, more...), match("ticket", stored, sold)...)
	for _, r := range stored {
		if (r.State == "cancelled") != (cancelled[r.ID] != nil) {
			found = append(found, fmt.Sprintf("ticket %s is %s, its cancellation: %v", r.ID, r.State, cancelled[r.ID]))
		}
	}
	return found, nil
}

// compareKeys: the key of every done operation that moved money is stored, and no other than those of done operations is.
func compareKeys(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	stored, err := read(ctx, c, `SELECT id::text, 0::bigint, status::text FROM idempotency_keys`)
	if err != nil {
		return nil, err
	}
	known := map[string]*operation{}
	scopes := []uuid.UUID{rootID()}
	for _, p := range l.platform.points {
		scopes = append(scopes, uuid.MustParse(p.id))
	}
	for _, o := range l.client.journal.all("") {
		for _, scope := range scopes {
			if key, err := idempotency.KeyOf(scope, o.Key); err == nil {
				known[key.String()] = o
			}
		}
	}
	return matchKeys(stored, known), nil
}

// matchKeys finds keys that no done operation explains, and operations that moved money and whose key is not stored, so that a repeat would do them again.
func matchKeys(stored []row, known map[string]*operation) (found []string) {
	kept := map[*operation]bool{}
	for _, r := range stored {
		o := known[r.ID]
		if o == nil || !o.good() {
			found = append(found, fmt.Sprintf("key %s is stored and no done operation explains it: %v", r.ID, o))
		}
		kept[o] = true
	}
	for _, o := range known {
		if o.good() && slices.Contains([]string{opSale, opDeposit, opWithdraw, opPay}, o.Kind) && !kept[o] {
			kept[o] = true // it has an id in each scope
			found = append(found, fmt.Sprintf("the key of a done operation is lost: %s", o))
		}
	}
	return found
}

// compareWallets: the balance of every ticket point is what the journal makes it. A ticket point keeps a tenth of a stake.
func compareWallets(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	expected := make([]int64, len(l.platform.points))
	notified := map[string]bool{}
	for _, o := range l.client.journal.all("") {
		if !o.good() {
			continue
		}
		switch o.Kind {
		case opSale:
			expected[o.point] -= o.amount / 10 * 9
		case opCancel:
			expected[o.point] += o.amount / 10 * 9
		case opDeposit, opPay:
			expected[o.point] += o.amount
		case opWithdraw:
			expected[o.point] -= o.amount
		case opNotify:
			if o.Data["abono"] == true && !notified[o.Key] {
				expected[o.point] += o.amount
				notified[o.Key] = true
			}
		}
	}
	var found []string
	for i, p := range l.platform.points {
		var balance int64
		if err := c.QueryRow(ctx, `SELECT balance FROM wallet_balances WHERE id = $1`, p.wallet).Scan(&balance); err != nil {
			return nil, err
		}
		if balance != expected[i] {
			found = append(found, fmt.Sprintf("wallet of point %d has %d, by the journal %d", i, balance, expected[i]))
		}
	}
	return found, nil
}

// comparePayments: deposits, withdrawals, payment requests and bank notifications exist once.
func comparePayments(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	byKey := func(o *operation) string { return o.Key }
	moved, found := done(l, opDeposit, byKey)
	withdrawn, more := done(l, opWithdraw, byKey)
	found = append(found, more...)
	maps.Copy(moved, withdrawn)
	stored, err := read(ctx, c, `SELECT reference, abs(amount), '' FROM wallet_movements`)
	if err != nil {
		return nil, err
	}
	found = append(found, match("movement", stored, moved)...)

	requests, more := done(l, opRequest, func(o *operation) string { return o.text("id") })
	found = append(found, more...)
	if stored, err = read(ctx, c, `SELECT r.id::text, r.amount, r.status FROM payment_requests r`+fmt.Sprintf(ofPoints, "r")); err != nil {
		return nil, err
	}
	found = append(found, match("payment request", stored, requests)...)

	notified, more := done(l, opNotify, byKey)
	found = append(found, more...)
	if stored, err = read(ctx, c, `SELECT p.reference, p.amount, p.state FROM bank_payments p`); err != nil {
		return nil, err
	}
	found = append(found, match("bank payment", stored, notified)...)
	for _, r := range stored {
		if o := notified[r.ID]; o != nil && (r.State != "credited" || o.Data["abono"] != true) {
			found = append(found, fmt.Sprintf("bank payment %s is %s and was answered %v", r.ID, r.State, o.Data))
		}
	}
	return found, nil
}

// comparePrizes: every payment of a prize that was answered exists once, and no other.
func comparePrizes(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	stored, err := read(ctx, c, `SELECT ticket_id::text, amount, '' FROM paid_prizes WHERE cancelled_at IS NULL`)
	if err != nil {
		return nil, err
	}
	paid, found := done(l, opPay, func(o *operation) string { return o.of.text("id") })
	return append(found, match("paid prize", stored, paid)...), nil
}

// compareMessages: every ticket sold to a customer has one receipt message, unless it was cancelled before; what is said to be sent arrived once, and what
// nobody knows or what failed is listed with that status for an operator and arrived at most once.
func compareMessages(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	rows, err := c.Query(ctx, `SELECT coalesce(ticket_id::text, ''), kind, recipient, status FROM message_logs`)
	if err != nil {
		return nil, err
	}
	var ticket, kind, recipient, status string
	receipts, sent, atMost := map[string]int{}, map[string]int{}, map[string]int{}
	_, err = pgx.ForEachRow(rows, []any{&ticket, &kind, &recipient, &status}, func() error {
		if kind == "receipt" {
			receipts[ticket]++
		}
		if slices.Contains([]string{"sent", "delivered", "read"}, status) {
			sent[recipient]++
		}
		atMost[recipient]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	cancelled, found := done(l, opCancel, func(o *operation) string { return o.of.text("id") })
	for _, o := range l.client.journal.all(opSale) {
		body, _ := o.Body.(map[string]any)
		if _, to := body["customer"]; o.good() && to && cancelled[o.text("id")] == nil && receipts[o.text("id")] != 1 {
			found = append(found, fmt.Sprintf("ticket %s has %d receipt messages: %s", o.text("id"), receipts[o.text("id")], o))
		}
	}
	for number, most := range atMost {
		if n := l.platform.sent.count(number); n > most || n < sent[number] {
			found = append(found, fmt.Sprintf("%s got %d messages; %d are said to be sent, %d were asked for", number, n, sent[number], most))
		}
	}
	return found, nil
}

// marksAtMost is how many pictures are compared, because each is drawn again for it.
const marksAtMost = 40

// compareMarks: the public picture of a cancelled ticket shows that it is cancelled, as the receipt that is drawn now does.
func compareMarks(ctx context.Context, c *pgx.Conn, l *load) (found []string, err error) {
	rows, err := c.Query(ctx, `SELECT id::text, image_url FROM tickets WHERE status = 'cancelled' AND image_url IS NOT NULL ORDER BY id DESC LIMIT $1`, marksAtMost)
	if err != nil {
		return nil, err
	}
	var id, address string
	_, err = pgx.ForEachRow(rows, []any{&id, &address}, func() error {
		now := l.client.send(ctx, l.client.authorization(ctx, l.platform.admin), http.MethodGet, "/sales/tickets/"+id+"/receipt", nil)
		kept, err := fetch(ctx, address)
		if err != nil || now.status != http.StatusOK || !bytes.Equal(now.raw, kept) {
			found = append(found, fmt.Sprintf("the picture of the cancelled ticket %s is not its receipt: status %d, %d and %d bytes, %v", id, now.status, len(now.raw), len(kept), err))
		}
		return nil
	})
	return found, err
}

// fetch reads a public object.
func fetch(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := (&http.Client{Timeout: attemptWithin}).Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	return io.ReadAll(io.LimitReader(res.Body, maxAnswer))
}

// compareDecisions: the last verified result of each round is the last that the journal has, and its tickets are decided by it.
func compareDecisions(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	var found []string
	for i, r := range l.rounds {
		if r.missed {
			found = append(found, fmt.Sprintf("round %d (draw %s) was not decided within %s", i, r.draw, decideWithin))
		}
		if len(r.values) == 0 {
			continue
		}
		verified, err := read(ctx, c, `SELECT value, 0::bigint, status FROM results WHERE draw_id = $1 AND status = 'verified'`, r.draw)
		if err != nil {
			return nil, err
		}
		last := r.values[len(r.values)-1]
		if len(verified) != 1 || verified[0].ID != last {
			found = append(found, fmt.Sprintf("round %d (draw %s): verified are %v, by the journal %s", i, r.draw, verified, last))
		}
		states, err := read(ctx, c, `SELECT DISTINCT t.id::text, t.total, t.status FROM tickets t JOIN ticket_lines i ON i.ticket_id = t.id WHERE i.draw_id = $1`, r.draw)
		if err != nil {
			return nil, err
		}
		found = append(found, r.compare(states, last)...)
	}
	return found, nil
}

// compare finds tickets of the round that the value does not explain. A paid ticket stays paid after a correction.
func (r *round) compare(states []row, value string) (found []string) {
	byID := map[string]*operation{}
	for _, o := range r.sold {
		byID[o.text("id")] = o
	}
	for _, s := range states {
		o := byID[s.ID]
		if o == nil || s.State == "cancelled" || s.State == "paid" {
			continue
		}
		if won := o.stakeOn(value) > 0; won != (s.State == "won") {
			found = append(found, fmt.Sprintf("ticket %s is %s although the result is %s: %s", s.ID, s.State, value, o))
		}
	}
	return found
}

// compareExports: every export that was answered exists once and was written, unless a fault outlasted its attempts.
func compareExports(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	stored, err := read(ctx, c, `SELECT id::text, 0::bigint, state FROM report_exports`)
	if err != nil {
		return nil, err
	}
	asked, found := done(l, opExport, func(o *operation) string { return o.text("id") })
	return append(found, match("export", stored, asked)...), nil
}

// compareRest: no task was given up, and each day is closed once.
func compareRest(ctx context.Context, c *pgx.Conn, l *load) ([]string, error) {
	var found []string
	dead, err := read(ctx, c, `SELECT kind, count(*), '' FROM outbox_dead GROUP BY kind`)
	if err != nil {
		return nil, err
	}
	for _, d := range dead {
		found = append(found, fmt.Sprintf("%d tasks %s were given up", d.Amount, d.ID))
	}
	closed, more := done(l, opClose, func(o *operation) string { return o.of.text("id") })
	found = append(found, more...)
	for id, o := range closed {
		stored, err := read(ctx, c, `SELECT id::text, 0::bigint, status FROM daily_closes WHERE id = $1`, id)
		if err != nil {
			return nil, err
		}
		if len(stored) != 1 || stored[0].State != "closed" {
			found = append(found, fmt.Sprintf("close %s is %v: %s", id, stored, o))
		}
	}
	return found, nil
}
