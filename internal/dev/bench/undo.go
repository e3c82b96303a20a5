package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
)

// undone is the number of cancellations and of statements that are measured.
const undone = 200

// undo measures what looks for the reversals of transactions: cancellations, the statement of a wallet, and the refund of a draw, on tables whose first
// part is gone.
func (s *benchTestbed) undo(ctx context.Context, api *child, out io.Writer) error {
	if err := s.addReaders(ctx); err != nil {
		return err
	}
	token, err := api.login(ctx, reportUserRoot)
	if err != nil {
		return err
	}
	open, err := s.ticketDraws(ctx, 0)
	if err != nil {
		return err
	}
	rows, err := s.pg.Pool.Query(ctx, `SELECT t.id, t.wallet_id FROM tickets t WHERE t.status = 'pending' AND t.id IN (SELECT ticket_id FROM ticket_items WHERE draw_id = $1) ORDER BY t.id DESC LIMIT $2`,
		open[0], undone)
	if err != nil {
		return err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Ticket, Wallet uuid.UUID }])
	if err != nil {
		return err
	}
	cancels, statements := &result{}, &result{}
	for _, sold := range list {
		for r, request := range map[*result][2]string{
			cancels: {http.MethodPost, "/sales/tickets/" + sold.Ticket.String() + "/cancel"}, statements: {http.MethodGet, "/wallets/" + sold.Wallet.String() + "/transactions"},
		} {
			if err := s.timed(ctx, api, request, token, r); err != nil {
				return err
			}
		}
	}
	for name, r := range map[string]*result{"cancellations": cancels, "statements": statements} {
		_, _ = fmt.Fprintf(out, "  %d %s: p50 %s, p99 %s ms\n", len(r.latencies), name, millis(r.quantile(.5)), millis(r.quantile(.99)))
	}
	return s.refundOne(ctx, open, out)
}

// timed makes a call that must succeed.
func (s *benchTestbed) timed(ctx context.Context, api *child, request [2]string, token string, r *result) error {
	duration, err := took(func() error {
		res, err := api.call(ctx, request[0], request[1], token, []byte("{}"))
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s %s: status %d", request[0], request[1], res.StatusCode)
		}
		return nil
	})
	r.latencies = append(r.latencies, duration)
	return err
}

// refundOne suspends a draw on which half of the lines of all tickets are, and refunds it.
func (s *benchTestbed) refundOne(ctx context.Context, open [2]uuid.UUID, out io.Writer) error {
	e, err := s.openEngine(ctx, open)
	if err != nil {
		return err
	}
	defer e.stop()
	service := draws.New(draws.Deps{
		PG: s.pg, Catalog: catalog.New(s.pg, clock.System{}, catalog.Options{Zone: time.UTC}), Cache: noCache{}, Refunds: e.sales, Clock: clock.System{}, Log: s.log,
		Events: realtime.Discard{},
	})
	if err := service.Suspend(ctx, caller.Caller{UserID: uuid.New()}, open[0], "bench"); err != nil {
		return err
	}
	refunding, err := took(func() error { return service.Refund(ctx, open[0]) })
	if err != nil {
		return err
	}
	var refunds int64
	if err := s.pg.Pool.QueryRow(ctx, `SELECT count(*) FROM draw_refunds WHERE draw_id = $1`, open[0]).Scan(&refunds); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "  %d tickets are refunded in %.1f s, %.2f ms each\n", refunds, refunding.Seconds(), milliseconds(refunding)/float64(max(1, refunds)))
	return err
}
