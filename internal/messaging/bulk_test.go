package messaging_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/models"
)

func (b *bundle) caller(entity uuid.UUID, path string) caller.Caller {
	by := testkit.Within(path)
	by.EntityID, by.UserID, by.Name = entity, uuid.New(), "Ana"
	return by
}

// failMany inserts failed messages of an entity, and returns their ids.
func (b *bundle) failMany(t *testing.T, entity uuid.UUID, n int, status, code string) (ids []uuid.UUID) {
	t.Helper()
	for range n {
		ids = append(ids, uuid.Must(uuid.NewV7()))
	}
	batch := &pgx.Batch{}
	for _, id := range ids {
		batch.Queue(`INSERT INTO message_logs (id, entity_id, recipient, body, status, error_code, attempts) VALUES ($1, $2, $3, 'x', $4, $5, 1)`, id, entity, customer, status, code)
	}
	require.NoError(t, b.PG.Pool.SendBatch(t.Context(), batch).Close())
	return ids
}

// TestManyMessagesAreSentAgainOnce: in batches, by workers that run the same task at once, each message one time.
func TestManyMessagesAreSentAgainOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	child, childPath := b.addEntity(t, b.path)
	stranger, _ := b.addEntity(t, "/")
	by := b.caller(b.entity, b.path)
	const failed = 1_100
	b.failMany(t, b.entity, failed-100, models.MessageFailed, "CHANNEL")
	b.failMany(t, child, 100, models.MessageFailed, "RECIPIENT")
	b.failMany(t, child, 7, models.MessageUnknown, "UNKNOWN_OUTCOME")
	b.failMany(t, stranger, 5, models.MessageFailed, "CHANNEL")
	b.failMany(t, child, 5, models.MessageDelivered, "")

	f := messaging.Filter{Status: models.MessageFailed}
	estimate, err := b.EstimateResend(t.Context(), by, f)
	require.NoError(t, err)
	assert.Equal(t, &messaging.Estimate{Total: failed, Codes: []messaging.CodeCount{{"CHANNEL", failed - 100}, {"RECIPIENT", 100}}}, estimate)
	assert.Zero(t, b.sendTasks(t), "a dry run")

	var first *messaging.Resend
	var calls sync.WaitGroup
	ids := make([]uuid.UUID, 50)
	for i := range ids {
		calls.Go(func() {
			r, _, err := b.ResendMany(t.Context(), by, f, "one key")
			if assert.NoError(t, err) {
				ids[i] = r.ID
			}
		})
	}
	calls.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	late := b.failMany(t, child, 3, models.MessageFailed, "LATER")
	for range 4 {
		calls.Go(func() { assert.NoError(t, b.RunResend(t.Context(), ids[0])) })
	}
	calls.Wait()
	again, replayed, err := b.ResendMany(t.Context(), by, f, "one key")
	require.NoError(t, err, "there is nothing left to send again, but this was asked before")
	assert.True(t, replayed)
	assert.Equal(t, ids[0], again.ID)
	first, err = b.GetResend(t.Context(), by, ids[0])
	require.NoError(t, err)
	assert.NotNil(t, first.FinishedAt)
	assert.EqualValues(t, failed, first.Done)
	assert.EqualValues(t, failed, first.Total)
	assert.Equal(t, f, first.Filter)
	assert.Equal(t, failed, b.sendTasks(t))
	assert.Equal(t, failed, b.count(t, `status = 'queued' AND retry_count = 1`))
	assert.Equal(t, 7, b.count(t, `status = 'unknown'`), "only if the filter names it")
	assert.Equal(t, 5, b.count(t, `status = 'failed' AND entity_id = $1`, stranger))
	assert.Equal(t, models.MessageFailed, b.get(t, late[0]).Status, "it failed after the resend was asked for")

	_, err = b.GetResend(t.Context(), b.caller(child, childPath), ids[0])
	require.ErrorIs(t, err, messaging.ErrResendNotFound)
}

func (b *bundle) count(t *testing.T, condition string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM message_logs WHERE `+condition, args...).Scan(&n))
	return n
}

// TestAResendThatWasKilledGoesOn cuts the task off after a batch.
func TestAResendThatWasKilledGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.caller(b.entity, b.path)
	b.failMany(t, b.entity, 1_300, models.MessageUnknown, "UNKNOWN_OUTCOME")
	r, _, err := b.ResendMany(t.Context(), by, messaging.Filter{Status: models.MessageUnknown}, "")
	require.NoError(t, err)
	b.exec(t, `CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.done > 500 THEN RAISE 'killed'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER stop BEFORE UPDATE ON message_resends FOR EACH ROW EXECUTE FUNCTION stop()`)
	require.Error(t, b.RunResend(t.Context(), r.ID))
	assert.Equal(t, 500, b.count(t, `status = 'queued'`))
	b.exec(t, `DROP TRIGGER stop ON message_resends`)
	require.NoError(t, b.RunResend(t.Context(), r.ID))
	assert.Equal(t, 1_300, b.count(t, `status = 'queued' AND retry_count = 1`))
	assert.Equal(t, 1_300, b.sendTasks(t))
}

// TestAResendFollowsTheTree: what counts is where an entity is when its batch runs, not where it was when the resend
// was asked for.
func TestAResendFollowsTheTree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stays, _ := b.addEntity(t, b.path)
	leaves, _ := b.addEntity(t, b.path)
	comes, _ := b.addEntity(t, "/")
	for _, entity := range []uuid.UUID{stays, leaves, comes} {
		b.failMany(t, entity, 3, models.MessageFailed, "RECIPIENT")
	}
	by := b.caller(b.entity, b.path)
	r, _, err := b.ResendMany(t.Context(), by, messaging.Filter{Status: models.MessageFailed}, "")
	require.NoError(t, err)
	require.EqualValues(t, 6, r.Total)

	// The whole branch moves below another entity, without the entity that leaves it.
	_, above := b.addEntity(t, "/")
	b.exec(t, `UPDATE entities SET path = $2 || path WHERE path LIKE $1 || '%' AND id <> $3`, b.path, above[:len(above)-1], leaves)
	b.exec(t, `UPDATE entities SET path = '/' || id || '/' WHERE id = $1`, leaves)
	b.exec(t, `UPDATE entities SET path = $2 || $3 || id || '/' WHERE id = $1`, comes, above[:len(above)-1], b.path)
	require.NoError(t, b.RunResend(t.Context(), r.ID))

	r, err = b.GetResend(t.Context(), by, r.ID)
	require.NoError(t, err)
	assert.NotNil(t, r.FinishedAt)
	assert.EqualValues(t, 6, r.Done)
	assert.Equal(t, 3, b.count(t, `status = 'queued' AND entity_id = $1`, stays))
	assert.Equal(t, 3, b.count(t, `status = 'queued' AND entity_id = $1`, comes), "it belongs to the caller's branch now")
	assert.Equal(t, 3, b.count(t, `status = 'failed' AND entity_id = $1`, leaves), "it is another branch's")

	list, err := b.Resends(t.Context(), by, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, *r, list[0])
}

func TestOnlyFailedAndUnknownMessagesAreSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.caller(b.entity, b.path)
	for _, status := range []string{"", models.MessageSent, models.MessageQueued, "x"} {
		_, err := b.EstimateResend(t.Context(), by, messaging.Filter{Status: status})
		require.ErrorIs(t, err, messaging.ErrNotBulk)
		_, _, err = b.ResendMany(t.Context(), by, messaging.Filter{Status: status}, "")
		require.ErrorIs(t, err, messaging.ErrNotBulk)
	}
	_, _, err := b.ResendMany(t.Context(), by, messaging.Filter{Status: models.MessageFailed}, "")
	require.ErrorIs(t, err, messaging.ErrNothing)
	stranger, _ := b.addEntity(t, "/")
	_, err = b.EstimateResend(t.Context(), by, messaging.Filter{Status: models.MessageFailed, EntityID: stranger})
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	e, err := b.EstimateResend(t.Context(), caller.Caller{}, messaging.Filter{Status: models.MessageFailed})
	require.NoError(t, err)
	assert.Zero(t, e.Total, "without a scope")
}

func TestAListIsFiltered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	child, _ := b.addEntity(t, b.path)
	old := b.failMany(t, b.entity, 1, models.MessageFailed, "RECIPIENT")[0]
	b.exec(t, "UPDATE message_logs SET id = $2, created_at = now() - interval '2 days' WHERE id = $1", old, uuid.MustParse("019a0000-0000-7000-8000-000000000001"))
	b.failMany(t, child, 1, models.MessageFailed, "CHANNEL")
	b.queue(t)
	by := b.caller(b.entity, b.path)
	for name, c := range map[string]struct {
		f    messaging.Filter
		want int
	}{
		"all":              {messaging.Filter{}, 3},
		"below an entity":  {messaging.Filter{EntityID: child}, 1},
		"code":             {messaging.Filter{ErrorCode: "CHANNEL"}, 1},
		"kind":             {messaging.Filter{Kind: models.MessageReceipt}, 3},
		"recipient":        {messaging.Filter{Recipient: customer}, 3},
		"other recipient":  {messaging.Filter{Recipient: "+58"}, 0},
		"since an hour":    {messaging.Filter{From: time.Now().Add(-time.Hour)}, 2},
		"until an hour":    {messaging.Filter{To: time.Now().Add(-time.Hour)}, 1},
		"until tomorrow":   {messaging.Filter{To: time.Now().Add(24 * time.Hour)}, 3},
		"hostile":          {messaging.Filter{ErrorCode: "' OR 1=1 --"}, 0},
		"before the epoch": {messaging.Filter{From: time.Unix(-1_000_000, 0)}, 3},
	} {
		list, err := b.List(t.Context(), by, c.f, messaging.Page{})
		require.NoError(t, err, name)
		assert.Len(t, list, c.want, name)
	}
}

// What fails after a resend was asked for was not counted, and its unknown outcome was seen by no person.
func TestAResendLeavesWhatFailsLater(t *testing.T) {
	t.Parallel()
	b := setup(t, with(func(context.Context, channel.Message) (channel.Receipt, error) {
		return channel.Receipt{}, &channel.Error{Kind: channel.UnknownOutcome, Text: "x"}
	}))
	earlier, later := b.queue(t), b.queue(t)
	require.NoError(t, b.Send(t.Context(), earlier))
	by := b.caller(b.entity, b.path)
	r, _, err := b.ResendMany(t.Context(), by, messaging.Filter{Status: models.MessageUnknown}, "")
	require.NoError(t, err)
	require.NoError(t, b.Send(t.Context(), later))
	require.NoError(t, b.RunResend(t.Context(), r.ID))
	r, err = b.GetResend(t.Context(), by, r.ID)
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 1}, []int64{r.Total, r.Done})
	assert.Equal(t, models.MessageQueued, b.get(t, earlier).Status)
	assert.Equal(t, models.MessageUnknown, b.get(t, later).Status)
}
