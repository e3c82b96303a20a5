package messaging_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/models"
)

// The receipts of a deleted customer have no recipient, and one that is not sent yet fails.
func TestTheRecipientOfADeletedCustomerIsErased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	ticket, buyer := uuid.New(), uuid.New()
	_, err := b.PG.Pool.Exec(ctx, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, customer_id, status, total,
		potential_prize, cancel_before, expires_at, created_at) VALUES ($1, 'S', 'V', $2, $1, $1, $1, $3, 'pending', 1, 1, $4, $4, $4)`, ticket, b.entity, buyer, time.Now())
	require.NoError(t, err)
	var ids [2]uuid.UUID
	for i, of := range []uuid.UUID{ticket, uuid.New()} {
		ids[i], _ = b.queueFor(t, b.entity, of)
	}
	require.NoError(t, pgx.BeginFunc(ctx, b.PG.Pool, func(tx pgx.Tx) error { return b.ForgetTx(ctx, tx, []uuid.UUID{buyer}) }))
	require.NoError(t, b.Send(ctx, ids[0]), "nothing is left to send")
	list, err := b.List(ctx, testkit.Within(b.path), messaging.Filter{}, messaging.Page{})
	require.NoError(t, err)
	require.Len(t, list, 2)
	for _, m := range list {
		if m.ID == ids[0] {
			require.Equal(t, []string{"", models.MessageFailed}, []string{m.Recipient, m.Status})
		} else {
			require.Equal(t, []string{customer, models.MessageQueued}, []string{m.Recipient, m.Status})
		}
	}
}

// Nothing of a deleted customer is left in texts, recipients or filters.
func TestADeletedCustomerIsForgottenEverywhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	below, _ := b.addEntity(t, b.path)
	ticket, buyer := uuid.New(), uuid.New()
	b.exec(t, `INSERT INTO customers (id, entity_id, name, search_name, phone) VALUES ($1, $2, 'María Pérez', 'maria perez', $3)`, buyer, below, customer)
	b.exec(t, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, customer_id, cancel_before, status, total,
		potential_prize, expires_at, created_at) VALUES ($1, 'S', 'V', $2, $1, $1, $1, $3, now(), 'pending', 1, 1, now(), now())`, ticket, below, buyer)
	text := &channel.Template{Name: "x", Language: "es", Body: []string{"María Pérez"}}
	_, err := b.queueMessage(t, &messaging.Outgoing{EntityID: below, TicketID: ticket, About: ticket, Kind: models.MessagePrize, Recipient: customer, Body: "María Pérez\nganó", Template: text})
	require.NoError(t, err)
	other, _ := b.addEntity(t, "/")
	for _, kind := range []string{models.MessageOptOut, models.MessageOptIn, messaging.KindTest} {
		for _, entity := range []uuid.UUID{b.entity, below, other} {
			_, err = b.queueMessage(t, &messaging.Outgoing{EntityID: entity, Kind: kind, Recipient: customer, Body: "x"})
			require.NoError(t, err)
		}
	}
	b.exec(t, `UPDATE message_logs SET status = 'failed'`)
	by := testkit.Within(b.path)
	by.EntityID = b.entity
	r, _, err := b.ResendMany(ctx, by, messaging.Filter{Status: models.MessageFailed, Recipient: customer}, "")
	require.NoError(t, err)
	require.NoError(t, pgx.BeginFunc(ctx, b.PG.Pool, func(tx pgx.Tx) error { return b.ForgetTx(ctx, tx, []uuid.UUID{buyer}) }))
	var rows string
	require.NoError(t, b.PG.Pool.QueryRow(ctx, `SELECT (SELECT string_agg(m::text, ' ') FROM message_logs m WHERE entity_id <> $1) || (SELECT string_agg(r::text, ' ') FROM message_resends r)
		|| (SELECT string_agg(a::text, ' ') FROM activity_logs a)`, other).Scan(&rows))
	require.NotContains(t, rows, "María")
	require.NotContains(t, rows, customer)
	require.NoError(t, b.RunResend(ctx, r.ID))
	r, err = b.GetResend(ctx, by, r.ID)
	require.NoError(t, err)
	require.Equal(t, []any{"+58********67", int64(0)}, []any{r.Filter.Recipient, r.Done})
	require.Equal(t, 3, b.count(t, `recipient IS NOT NULL`), "of another branch, which may know the number")
}

func TestAWaitingMessageOfADeletedCustomerFails(t *testing.T) {
	t.Parallel()
	a := down(channel.ChannelDown)
	b := setup(t, a.use)
	ctx := t.Context()
	ticket, buyer := uuid.New(), uuid.New()
	b.exec(t, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, customer_id, cancel_before, status, total,
		potential_prize, expires_at, created_at) VALUES ($1, 'S', 'V', $2, $1, $1, $1, $3, now(), 'pending', 1, 1, now(), now())`, ticket, b.entity, buyer)
	id, _ := b.queueFor(t, b.entity, ticket)
	require.NoError(t, b.Send(ctx, id))
	require.True(t, b.get(t, id).Waiting)
	require.NoError(t, pgx.BeginFunc(ctx, b.PG.Pool, func(tx pgx.Tx) error { return b.ForgetTx(ctx, tx, []uuid.UUID{buyer}) }))
	m := b.get(t, id)
	require.Equal(t, models.MessageFailed, m.Status)
	require.Empty(t, m.Recipient)
}

// A message about a ticket that is in the archive is known by the telephone of its buyer.
func TestMessagesAboutArchivedTicketsAreForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	buyer := uuid.New()
	b.exec(t, `INSERT INTO customers (id, entity_id, name, search_name, phone) VALUES ($1, $2, 'María', 'maria', $3)`, buyer, b.entity, customer)
	id, _ := b.queueFor(t, b.entity, uuid.Must(uuid.NewV7()))
	b.exec(t, `INSERT INTO month_archives (label, least_id, before_id, ends, state, manifest, sha256, rows, bytes, frozen_at, written_at)
		VALUES ('before_202601', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', now(), 'archived', '', '', 0, 0, now(), now())`)
	require.NoError(t, pgx.BeginFunc(ctx, b.PG.Pool, func(tx pgx.Tx) error { return b.ForgetTx(ctx, tx, []uuid.UUID{buyer}) }))
	var left int
	require.NoError(t, b.PG.Pool.QueryRow(ctx, `SELECT count(*) FROM message_logs WHERE id = $1 AND recipient IS NOT NULL`, id).Scan(&left))
	require.Zero(t, left)
}
