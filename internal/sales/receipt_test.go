package sales_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/messaging"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
	"banca/internal/receipts"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/storage"
)

// shop is the store of pictures with something happening around the first upload.
type shop struct {
	*storage.Objects
	once          sync.Once
	before, after func()
}

func (s *shop) Put(ctx context.Context, key, contentType string, body []byte) (address string, err error) {
	first := false
	s.once.Do(func() { first = true })
	if first && s.before != nil {
		s.before()
	}
	address, err = s.Objects.Put(ctx, key, contentType, body)
	if first && s.after != nil {
		s.after()
	}
	return address, err
}

// buy sells a ticket to a buyer with a telephone, of a service that sends real messages.
func (b *bundle) buy(t testing.TB) uuid.UUID {
	t.Helper()
	b.Messages = messaging.New(messaging.Deps{Pool: b.PG.Pool, Org: b.Org, Clock: b.Clock, Log: b.Env.Log})
	req := b.request(b.draw(t, "lotto-activo", 0), "5", "10.00")
	req.Customer = &sales.NewCustomer{Name: "Ana", Phone: "04141234567"}
	sold, err := b.Sell(t.Context(), req)
	require.NoError(t, err)
	return sold.Ticket.ID
}

// viewer is an administrator of the operator.
func viewer() caller.Caller { return testkit.Operator(fixture.RootID, auth.PrizesPay) }

// requirePicture requires the public picture to show the ticket's current state, and the numbers of its messages.
func (b *bundle) requirePicture(t testing.TB, id uuid.UUID, sold, cancelled int) {
	t.Helper()
	address := b.text(t, `SELECT image_url FROM tickets WHERE id = $1`, id)
	require.Regexp(t, "receipts/"+id.String()+"-[0-9a-f]{32}[.]png$", address, "an address that the ticket's id does not tell")
	stored, _, err := b.Env.Objects.Get(t.Context(), address[strings.LastIndex(address, "receipts/"):])
	require.NoError(t, err)
	now, _, err := b.Receipt(t.Context(), viewer(), id, receipts.FormatPNG)
	require.NoError(t, err)
	require.Equal(t, now, stored)
	for kind, want := range map[string]int{models.MessageReceipt: sold, models.MessageCancellation: cancelled} {
		require.EqualValues(t, want, b.Number(t, `SELECT count(*) FROM message_logs WHERE ticket_id = $1 AND kind = $2`, id, kind), kind)
	}
	require.EqualValues(t, sold+cancelled, b.Number(t, `SELECT count(*) FROM outbox o JOIN message_logs m ON m.id::text = o.payload->>'message_id'
		WHERE o.kind = 'message.send' AND m.ticket_id = $1`, id))
}

func TestThePictureOfACancelledTicket(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.buy(t)
	require.NoError(t, b.RenderReceipt(t.Context(), id))
	b.requirePicture(t, id, 1, 0)
	b.Exec(t, `UPDATE message_logs SET status = 'sent' WHERE ticket_id = $1`, id)

	woken := 0
	b.Wake = func() { woken++ }
	_, err := b.Cancel(t.Context(), b.cancel(id))
	require.NoError(t, err)
	require.Equal(t, 1, woken)
	require.EqualValues(t, 2, b.Number(t, `SELECT count(DISTINCT id) FROM outbox WHERE kind = 'receipt.render' AND payload->>'ticket_id' = $1::text`, id),
		"the sale's task and another one")
	for range 2 { // a task may come twice
		require.NoError(t, b.RenderReceipt(t.Context(), id))
		b.requirePicture(t, id, 1, 1)
	}
}

// A buyer whose receipt is still queued, or failed, is told nothing of a receipt that is void.
func TestACancellationWithoutAReceipt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for status, want := range map[string]int64{
		models.MessageQueued: 0, models.MessageFailed: 0, models.MessageSending: 1, models.MessageUnknown: 1, models.MessageDelivered: 1,
	} {
		id := b.buy(t)
		require.NoError(t, b.RenderReceipt(t.Context(), id))
		b.Exec(t, `UPDATE message_logs SET status = $2, lease_until = CASE $2 WHEN 'sending' THEN now() + interval '1 hour' END WHERE ticket_id = $1`, id, status)
		_, err := b.Cancel(t.Context(), b.cancel(id))
		require.NoError(t, err)
		for range 2 {
			require.NoError(t, b.RenderReceipt(t.Context(), id))
			require.Equal(t, want, b.Number(t, `SELECT count(*) FROM message_logs WHERE ticket_id = $1 AND kind = 'cancellation'`, id), status)
		}
		require.Zero(t, b.Number(t, `SELECT count(*) FROM message_logs WHERE ticket_id = $1 AND kind = 'receipt' AND status = 'queued'`, id), status)
	}
}

// The run of a sale is late, and its cancellation overtakes it at any point, with or without its own run.
func TestThePictureShowsTheCancellationInAnyOrderOfTasks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, tt := range []struct {
		name            string
		uploaded, drawn bool // when the cancellation comes, and whether its run comes with it
	}{
		{"cancelled before the upload", false, false},
		{"cancelled after the upload", true, false},
		{"drawn void before the upload", false, true},
		{"drawn void after the upload", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := b.another(t)
			id := b.buy(t)
			overtake := func() {
				_, err := b.Cancel(t.Context(), b.cancel(id))
				require.NoError(t, err)
				if tt.drawn {
					require.NoError(t, b.RenderReceipt(t.Context(), id))
				}
			}
			s := &shop{Objects: b.Env.Objects, before: overtake}
			if tt.uploaded {
				s.before, s.after = nil, overtake
			}
			b.Objects = s
			require.NoError(t, b.RenderReceipt(t.Context(), id))
			b.requirePicture(t, id, 0, 0)
		})
	}
}

// A sign is the second code of its bet, without a name: 123-LEO, and not 123-LEO LEO.
// Where pictures wait until somebody asks, a sale to a customer stores its own, and another stores it after the first read of
// the ticket: image_url is the same.
func TestAPictureWaitsForTheFirstRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := testkit.Operator(fixture.RootID, auth.EntitiesWrite)
	point := fixture.EntityID(seed.CodeTicketPoint)
	asked := func(id uuid.UUID) int64 {
		return b.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'receipt.render' AND payload->>'ticket_id' = $1::text`, id)
	}
	read := func(id uuid.UUID) *sales.Ticket {
		ticket, err := b.GetPictured(t.Context(), viewer(), id)
		require.NoError(t, err)
		return ticket
	}
	sell := func() uuid.UUID {
		sold, err := b.Sell(t.Context(), b.request(b.draw(t, "lotto-activo", 0), "5", "10.00"))
		require.NoError(t, err)
		return sold.Ticket.ID
	}
	atSale := sell()
	require.EqualValues(t, 1, asked(atSale))
	read(atSale)
	require.EqualValues(t, 1, asked(atSale), "the task of the sale is enough")

	_, _, err := b.Org.Update(t.Context(), by, point, &org.Change{Groups: org.Groups{org.GroupPrint: {"picture_at_sale": []byte("false")}}})
	require.NoError(t, err)
	require.EqualValues(t, 1, asked(b.buy(t)), "the receipt is sent to the buyer")
	waiting, expired := sell(), sell()
	require.Zero(t, asked(waiting))
	require.Empty(t, read(waiting).ImageURL)
	read(waiting)
	require.EqualValues(t, 1, asked(waiting), "however often it is read")
	require.NoError(t, b.RenderReceipt(t.Context(), waiting))
	require.Contains(t, read(waiting).ImageURL, "receipts/"+waiting.String())
	b.Exec(t, `DELETE FROM outbox`)
	_, err = b.GetPictured(t.Context(), testkit.Operator(fixture.RootID, auth.SalesRead), waiting) // without image_url
	require.NoError(t, err)
	require.Zero(t, asked(waiting), "the picture is there")

	ticket, err := b.Get(t.Context(), viewer(), expired)
	require.NoError(t, err)
	b.Clock.Advance(ticket.ExpiresAt.Sub(b.Clock.Now()))
	read(expired)
	require.Zero(t, asked(expired), "its prize is over")
}

func TestASignIsPrintedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "triple-zulia", 0)
	ticket := b.sell(t, fixture.Line(draw, "triple_sign", "1.00", "123", "LEO"), fixture.Line(draw, "terminal_sign", "2.00", "42", "ARI"), fixture.Line(draw, "triple", "3.00", "777"))
	paper, _, err := b.Receipt(t.Context(), viewer(), ticket.ID, receipts.FormatESCPOS)
	require.NoError(t, err)
	for _, once := range []string{"123-LEO", "42-ARI", "LEO", "ARI", "777"} {
		require.Equal(t, 1, bytes.Count(paper, []byte(once)), "%s on\n%q", once, paper)
	}
}

// news records the events of a service.
type news struct{ events []realtime.Event }

func (n *news) Publish(_ context.Context, _ realtime.Audience, e realtime.Event) {
	n.events = append(n.events, e)
}

// Every device of the ticket point reads the events, also one of a user without the permission to see the validation
// code.
func TestTicketEventsHaveNoImageURL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	told := &news{}
	b.Events = told
	id := b.buy(t)
	require.NoError(t, b.RenderReceipt(t.Context(), id))
	_, err := b.Cancel(t.Context(), b.cancel(id))
	require.NoError(t, err)
	require.NoError(t, b.RenderReceipt(t.Context(), id))
	address := b.text(t, `SELECT image_url FROM tickets WHERE id = $1`, id)
	require.Len(t, told.events, 3, "picture, cancellation, picture of the cancelled ticket")
	for i, status := range []string{models.TicketPending, models.TicketCancelled, models.TicketCancelled} {
		raw, err := json.Marshal(told.events[i].Data)
		require.NoError(t, err)
		require.NotContains(t, string(raw), address)
		require.JSONEq(t, `{"ticket_id":"`+id.String()+`","status":"`+status+`"}`, string(raw))
	}
}
