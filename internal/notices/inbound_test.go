package notices_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/messaging/channel"
	"banca/internal/notices"
	"banca/internal/setup/seed"
)

func micro(n int64) time.Time { return time.UnixMicro(n) }

const wisher = "+584141234500"

// write lets a customer write to a connection of an entity.
func (b *bundle) write(t *testing.T, connection, entity uuid.UUID, id, text string) {
	t.Helper()
	require.NoError(t, b.Inbound(t.Context(), notices.Received{ChannelID: connection, EntityID: entity, Texts: []channel.Inbound{{ID: id, From: wisher, Text: text, At: b.Clock.Now()}}}))
}

// out reports whether the customer gets no messages of an entity.
func (b *bundle) out(t *testing.T, code string) bool {
	t.Helper()
	chain, err := b.Org.Chain(t.Context(), fixture.EntityID(code))
	require.NoError(t, err)
	var out []bool
	batch := &pgx.Batch{}
	to := customers.Recipient{EntityID: fixture.EntityID(code), Path: chain.Path(), Phone: wisher}
	customers.QueueOptedOut(batch, []customers.Recipient{to}, &out)
	require.NoError(t, b.PG.Pool.SendBatch(t.Context(), batch).Close())
	return out[0]
}

func TestWordsOfOptOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agency, connection := fixture.EntityID(seed.CodeAgency), uuid.New()
	b.sell(t, wisher, "5", b.day[0])
	for i, c := range []struct {
		text string
		out  bool
	}{
		{"hola", false}, {"quiero la baja", false}, {"Baja.", true}, {"gracias", true}, {"alta", false}, {"STOP", true}, {"¡START!", false}, {" ALTO\n", true}, {strings.Repeat("alta ", 2), true},
	} {
		b.write(t, connection, agency, "id-"+string(rune('a'+i)), c.text)
		require.Equal(t, c.out, b.out(t, seed.CodeTicketPoint), c.text)
	}
	require.True(t, b.out(t, seed.CodeTicketPoint2), "another ticket point of the agency, which does not know the customer")
	require.False(t, b.out(t, seed.CodeOtherPoint), "of another agency")
	require.EqualValues(t, 3, b.messages(t, "opt_out"))
	require.EqualValues(t, 2, b.messages(t, "opt_in"))
	require.EqualValues(t, 5, b.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'customers' AND action IN ('opt_out', 'opt_in')`))
	require.Contains(t, b.Text(t, `SELECT body FROM message_logs WHERE kind = 'opt_out' ORDER BY id LIMIT 1`), "Responda ALTA")
}

// A webhook that is repeated, also after the customer changed the mind, changes nothing.
func TestARepeatedWordIsIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agency, connection := fixture.EntityID(seed.CodeAgency), uuid.New()
	b.sell(t, wisher, "5", b.day[0])
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() {
			assert.NoError(t, b.Inbound(t.Context(), notices.Received{ChannelID: connection, EntityID: agency, Texts: []channel.Inbound{{ID: "1", From: wisher, Text: "BAJA", At: b.Clock.Now()}}}))
		})
	}
	running.Wait()
	require.EqualValues(t, 1, b.messages(t, "opt_out"))
	b.write(t, connection, agency, "2", "ALTA")
	b.write(t, connection, agency, "1", "BAJA")
	require.False(t, b.out(t, seed.CodeTicketPoint))
	b.write(t, uuid.New(), agency, "1", "BAJA")
	require.True(t, b.out(t, seed.CodeTicketPoint), "the same id of another connection")
	b.write(t, connection, agency, "", "ALTA")
	require.True(t, b.out(t, seed.CodeTicketPoint), "a text without an id cannot be told from its repetition")
}

// An opt-out goes with the customer, wherever the ticket point moves.
func TestAnOptOutOfAMovedEntity(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, wisher, "5", b.day[0])
	b.write(t, uuid.New(), fixture.EntityID(seed.CodeAgency), "1", "BAJA")
	other := b.Text(t, `SELECT path FROM entities WHERE code = $1`, seed.CodeOtherAgency)
	b.Exec(t, `UPDATE entities SET path = $2 || id::text || '/', parent_id = $3 WHERE code = $1`, seed.CodeTicketPoint, other, fixture.EntityID(seed.CodeOtherAgency))
	b.Org.Forget()
	require.True(t, b.out(t, seed.CodeTicketPoint))
	require.False(t, b.out(t, seed.CodeOtherPoint))
}

// A wish counts from the time at which it was written: an older one changes nothing, and a future one counts from now.
func TestWishesAreOfTheTimeOfTheProvider(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agency, connection, now := fixture.EntityID(seed.CodeAgency), uuid.New(), b.Clock.Now()
	b.sell(t, wisher, "5", b.day[0])
	id := 0
	write := func(text string, at time.Time) bool {
		id++
		require.NoError(t, b.Inbound(t.Context(), notices.Received{ChannelID: connection, EntityID: agency, Texts: []channel.Inbound{{ID: strconv.Itoa(id), From: wisher, Text: text, At: at}}}))
		return b.out(t, seed.CodeTicketPoint)
	}
	require.True(t, write("BAJA", now.Add(-time.Hour)))
	require.True(t, write("ALTA", now.Add(-2*time.Hour)), "written before")
	require.False(t, write("ALTA", now.Add(-time.Minute)))
	require.False(t, write("BAJA", now.Add(-time.Hour)))
	require.False(t, write("BAJA", now.Add(-30*24*time.Hour)), "older than the notes of inbound messages")
	require.True(t, write("BAJA", now.Add(1000*time.Hour)), "of now")
	b.Clock.Advance(time.Second)
	require.False(t, write("ALTA", b.Clock.Now()))
	require.True(t, write("BAJA", time.Time{}), "nobody says when")
	require.True(t, write("ALTA", time.Time{}), "a return may be a repeated one")
	b.Exec(t, `UPDATE customers SET opt_out_at = NULL, opt_out_scope = NULL, consent_at = $1`, b.Clock.Now().Add(time.Minute))
	b.Clock.Advance(time.Second)
	require.False(t, write("BAJA", b.Clock.Now()), "a user changed it since")
}

// Who is no customer yet gets no messages either, also as a customer later, until a user or the person says otherwise.
func TestAnOptOutOfATelephoneWithoutACustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agency, connection := fixture.EntityID(seed.CodeAgency), uuid.New()
	b.write(t, connection, agency, "0", "ALTA")
	require.Zero(t, b.messages(t, "opt_in"), "it gets messages")
	for i, text := range []string{"BAJA", "STOP", "ALTA", "BAJA"} {
		b.Clock.Advance(time.Second)
		b.write(t, connection, agency, strconv.Itoa(i+1), text)
		require.Equal(t, text != "ALTA", b.out(t, seed.CodeTicketPoint), text)
	}
	require.False(t, b.out(t, seed.CodeOtherPoint))
	require.EqualValues(t, 2, b.messages(t, "opt_out"))
	require.EqualValues(t, 1, b.messages(t, "opt_in"))
	require.EqualValues(t, 3, b.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'customers' AND action IN ('opt_out', 'opt_in')`))
	b.sell(t, wisher, "5", b.day[0])
	require.True(t, b.out(t, seed.CodeTicketPoint), "a customer since")
	people := customers.New(b.PG)
	list, _, err := people.List(t.Context(), fixture.As(fixture.Cashier), &customers.Filter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.False(t, list[0].OptOutAt.IsZero(), "the page shows it")
	no := false
	_, err = people.Update(t.Context(), fixture.As(fixture.Cashier), list[0].ID, customers.Person{Name: list[0].Name, Phone: list[0].Phone, OptedOut: &no})
	require.NoError(t, err)
	require.False(t, b.out(t, seed.CodeTicketPoint))
	require.True(t, b.out(t, seed.CodeTicketPoint2), "of the other ticket points it wants none")
	require.NoError(t, people.Delete(t.Context(), fixture.As(fixture.Cashier), list[0].ID))
	require.True(t, b.out(t, seed.CodeTicketPoint), "the wish outlives the customer")
}
