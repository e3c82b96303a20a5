package notices_test

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/logdriver"
	"banca/internal/messaging/templates"
	"banca/internal/notices"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
	"banca/internal/receipts"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
	"banca/tasks"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// bundle is a seeded operator that sells, settles and tells, for one test.
type bundle struct {
	*fixture.Operator
	*notices.Service
	sales *sales.Service
	draws *draws.Service
	day   []*catalog.Draw // the draws of the first day

	mu       sync.Mutex
	pictures map[string][]byte // by key
}

// Put implements notices.Objects.
func (b *bundle) Put(_ context.Context, key, _ string, content []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pictures == nil {
		b.pictures = map[string][]byte{}
	}
	b.pictures[key] = content
	return "https://objects.example/" + key, nil
}

// sentPicture checks that the message of a kind has the picture that was uploaded.
func (b *bundle) sentPicture(t *testing.T, kind string) {
	t.Helper()
	require.Len(t, b.pictures, 1)
	for key, content := range b.pictures {
		require.Regexp(t, `^receipts/`+kind+`-[0-9a-f-]{36}-[0-9a-f]{32}\.png$`, key)
		require.Equal(t, "https://objects.example/"+key, b.Text(t, `SELECT image_url FROM message_logs WHERE kind = $1`, kind))
		_, err := png.Decode(bytes.NewReader(content))
		require.NoError(t, err)
	}
}

// seeded is the database that the tests begin with: one game whose day has two draws left, and every message switched
// on.
var seeded = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo"},
	Change: []string{
		`UPDATE wallets SET credit_limit = 100000000`, `DELETE FROM risk_limits`,
		`UPDATE entities SET messaging_settings = '{"prizes": true, "results": true, "closes": true, "settlements": true}' WHERE parent_id IS NULL`,
		`UPDATE entities SET contact_info = '{"phone": "0414-7654321"}' WHERE code = 'TAQ-001'`,
	},
	DrawDays: 2,
}.Template()

var point = fixture.EntityID(seed.CodeTicketPoint) //nolint:gochecknoglobals // a constant

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Operator: fixture.New(t, seeded)}
	b.Operator = b.Process(b.Clock)
	b.sales, _ = b.StartSales(t)
	b.draws = draws.New(draws.Deps{PG: b.PG, Catalog: b.Catalog, Cache: b.Risk, Refunds: b.sales, Clock: b.Clock, Log: b.Env.Log, Events: realtime.Discard{}})
	renderer, err := receipts.New()
	require.NoError(t, err)
	messages := messaging.New(messaging.Deps{
		Pool: b.PG.Pool, Org: b.Org, Routes: messaging.NewStaticRoute(channel.Channel{Driver: "log"}), Drivers: channel.ByName(logdriver.New(b.Env.Log)),
		Clock: clock.System{}, Log: b.Env.Log,
	})
	b.Service = notices.New(notices.Deps{
		PG: b.PG, Org: b.Org, Ledger: b.Ledger, Messages: messages, Texts: templates.New(b.PG, b.Org), Clock: b.Clock, Zone: fixture.Caracas, Wake: func() {},
		Log: b.Env.Log, Objects: b, PictureSecret: []byte("secret"), PublicURL: "https://banca.example", Closes: closes.New(closes.Deps{PG: b.PG, Org: b.Org, Ledger: b.Ledger, Sales: b.Risk, Renderer: renderer, Clock: b.Clock, Zone: fixture.Caracas}),
		Weekly: weekly.New(weekly.Deps{PG: b.PG, Org: b.Org, Ledger: b.Ledger, Renderer: renderer, Clock: b.Clock, Zone: fixture.Caracas}),
	})
	open := b.OpenDraws(t, "lotto-activo")
	b.day = open[:2]
	last := b.day[1].Time
	b.Exec(t, `DELETE FROM draws WHERE id <> ALL($1)`, []uuid.UUID{open[0].ID, open[1].ID})
	require.False(t, last.IsZero())
	return b
}

// sell sells a winning and a losing line on each draw to a customer.
func (b *bundle) sell(t *testing.T, phone, selection string, list ...*catalog.Draw) *sales.Ticket {
	t.Helper()
	req := fixture.Ticket()
	req.Customer = &sales.NewCustomer{Name: "Ana *M* {premio}", Phone: phone}
	for _, d := range list {
		req.Items = append(req.Items, fixture.Line(d, catalog.BetStraight, "10.00", selection))
	}
	sold, err := b.sales.Sell(t.Context(), fixture.As(fixture.Cashier), req)
	require.NoError(t, err)
	return &sold.Ticket
}

// settle gives a draw the result 5, settles it, and returns the task that was written.
func (b *bundle) settle(t *testing.T, draw *catalog.Draw) tasks.NoticeDraw {
	t.Helper()
	b.Clock.Advance(draw.Time.Sub(b.Clock.Now()))
	_, err := b.draws.CloseDue(t.Context())
	require.NoError(t, err)
	entered, err := b.draws.Enter(t.Context(), fixture.As(fixture.Typist), draw.ID, catalog.Outcome{Value: "5"})
	require.NoError(t, err)
	_, _, err = b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
	require.NoError(t, err)
	_, err = b.draws.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
	payload := b.Text(t, `SELECT payload::text FROM outbox WHERE kind = 'notice.draw' AND payload ->> 'draw_id' = $1`, draw.ID.String())
	task, err := tasks.Decode[tasks.NoticeDraw]([]byte(payload))
	require.NoError(t, err)
	return task
}

func (b *bundle) sync(t *testing.T, task tasks.NoticeDraw) error {
	t.Helper()
	return b.Draw(t.Context(), task.DrawID, micro(task.DecidedAt))
}

func (b *bundle) messages(t *testing.T, kind string) int64 {
	t.Helper()
	return b.Number(t, `SELECT count(*) FROM message_logs WHERE kind = $1`, kind)
}

// Fifty runs of the tasks of both draws tell each winner and each player once.
func TestWinnersAndPlayersAreToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 7 {
		b.sell(t, "0414123450"+strconv.Itoa(i%5), "5", b.day...)
	}
	b.sell(t, "04141234509", "18", b.day[1])
	first := b.settle(t, b.day[0])
	require.NoError(t, b.sync(t, first))
	require.Zero(t, b.messages(t, "prize"), "the tickets wait for the other draw")
	require.Zero(t, b.messages(t, "results"))
	second := b.settle(t, b.day[1])
	var running sync.WaitGroup
	for i := range 50 {
		running.Go(func() { assert.NoError(t, b.sync(t, []tasks.NoticeDraw{first, second}[i%2])) })
	}
	running.Wait()
	require.EqualValues(t, 7, b.messages(t, "prize"), "one for each ticket")
	require.EqualValues(t, 6, b.messages(t, "results"), "one for each customer")
	require.EqualValues(t, 13, b.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'message.send'`))
	text := b.Text(t, `SELECT body FROM message_logs WHERE kind = 'prize' LIMIT 1`)
	require.Contains(t, text, "Ana M {premio}\n¡Su ticket ")
	require.Contains(t, text, " ganó Bs 600,00!")
	text = b.Text(t, `SELECT body FROM message_logs WHERE kind = 'results' LIMIT 1`)
	require.Contains(t, text, "Lotto Activo\n")
	require.Contains(t, text, " 5 ")
}

// Where no entity wants the messages, or the seller does not, there are none.
func TestMessagesThatNobodyWants(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{`{}`, `{"enabled": false, "prizes": true, "results": true}`} {
		b := setup(t)
		b.Exec(t, `UPDATE entities SET messaging_settings = $1::jsonb WHERE parent_id IS NULL`, settings)
		b.Org.Forget()
		b.sell(t, "04141234500", "5", b.day[0])
		require.NoError(t, b.sync(t, b.settle(t, b.day[0])))
		require.NoError(t, b.sync(t, b.settle(t, b.day[1])))
		require.Zero(t, b.messages(t, "prize")+b.messages(t, "results"))
	}
}

// A suspended draw is decided, too: the day is over with it.
func TestTheResultsOfADayWithASuspendedDraw(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, "04141234500", "18", b.day[0])
	require.NoError(t, b.sync(t, b.settle(t, b.day[0])))
	require.Zero(t, b.messages(t, "results"))
	require.NoError(t, b.draws.Suspend(t.Context(), fixture.As(fixture.Verifier), b.day[1].ID, "sin transmisión"))
	require.NoError(t, b.draws.Refund(t.Context(), b.day[1].ID))
	require.EqualValues(t, 2, b.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'notice.draw'`))
	require.NoError(t, b.Draw(t.Context(), b.day[1].ID, b.Clock.Now()))
	require.EqualValues(t, 1, b.messages(t, "results"))
	require.NoError(t, b.Draw(t.Context(), uuid.New(), b.Clock.Now()), "a draw that was deleted")
}

func TestTheContactIsToldOfACloseOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, "04141234500", "5", b.day[0])
	c, _, err := b.Closes.Open(t.Context(), fixture.As(fixture.Cashier), &closes.OpenRequest{EntityID: point, Currency: "VES"})
	require.NoError(t, err)
	require.ErrorIs(t, b.Close(t.Context(), c.ID), closes.ErrNotFound, "it is open")
	_, _, err = b.Closes.Close(t.Context(), fixture.As(fixture.Cashier), &closes.CloseRequest{ID: c.ID, Cash: closes.Cash{Other: "9.00"}})
	require.NoError(t, err)
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'notice.close' AND payload ->> 'close_id' = $1`, c.ID.String()))
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() { assert.NoError(t, b.Close(t.Context(), c.ID)) })
	}
	running.Wait()
	require.Equal(t, "+584147654321", b.Text(t, `SELECT recipient FROM message_logs WHERE kind = 'daily_close'`))
	text := b.Text(t, `SELECT body FROM message_logs WHERE kind = 'daily_close'`)
	require.Contains(t, text, "Ventas: Bs 10,00")
	require.Contains(t, text, "Efectivo: Bs 9,00\nDiferencia: Bs -1,00")
	b.sentPicture(t, "daily_close")
	b.Exec(t, `UPDATE entities SET contact_info = '{}'`)
	b.Org.Forget()
	require.NoError(t, b.Close(t.Context(), c.ID), "nobody to tell")
}

func TestTheContactIsToldOfASettlementOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, ves := uuid.Must(uuid.NewV7()), seed.ID("currency", "VES")
	b.Exec(t, `INSERT INTO weekly_drafts (week, currency_id, drafted_at) VALUES ('2026-01-05', $1, now())`, ves)
	b.Exec(t, `INSERT INTO weekly_settlements (id, week, entity_id, parent_id, currency_id, sales, prizes, commissions, commissions_above, payments, result, rate, mode, carried, carry_out,
			participation, own_share, adjustments, previous, moved, due, drafted_at) VALUES ($1, '2026-01-05', $2, $2, $3, 10000, 2000, 1000, 0, 1000, 7000, 0, 'CARRY', 0, 0, 0, 0, 0, 500, 0, 6000, now())`, id, point, ves)
	require.ErrorIs(t, b.Settlement(t.Context(), id), weekly.ErrNotFound, "it is a draft")
	b.Exec(t, `UPDATE weekly_settlements SET confirmed_at = now(), confirmed_by = $2 WHERE id = $1`, id, uuid.New())
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() { assert.NoError(t, b.Settlement(t.Context(), id)) })
	}
	running.Wait()
	text := b.Text(t, `SELECT body FROM message_logs WHERE kind = 'settlement'`)
	require.Contains(t, text, "Cuadre del 05/01/2026 al 11/01/2026")
	require.Contains(t, text, "Semana: Bs 70,00\nSaldo anterior: Bs 5,00\nPagos: Bs -10,00\nSaldo: Bs 65,00")
	b.sentPicture(t, "settlement")
}
