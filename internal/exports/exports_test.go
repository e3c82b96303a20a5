package exports_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/exports"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/sheet"
)

func TestAnExportIsWrittenAndDownloaded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, format := range []sheet.Format{sheet.CSV, sheet.XLSX} {
		r := request("")
		r.Format = format
		e, _, err := b.Create(t.Context(), b.by, r)
		require.NoError(t, err)
		require.Equal(t, []any{exports.StatePending, int64(2_500), int64(0)}, []any{e.State, e.Total, e.Rows})
		_, err = b.Link(t.Context(), e)
		require.ErrorIs(t, err, exports.ErrNotReady)
		require.NoError(t, b.Run(t.Context(), e.ID))
		e = b.get(t, e.ID)
		require.Equal(t, []any{exports.StateDone, int64(2_500), int64(2_500)}, []any{e.State, e.Rows, e.Total})
		require.WithinDuration(t, time.Now().Add(time.Hour), e.ExpiresAt, time.Minute)
		status, header, body := b.download(t, e)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, `attachment; filename=lines-2026-11-20-es.`+string(format), header.Get("Content-Disposition"))
		require.Equal(t, format.ContentType(), header.Get("Content-Type"))
		require.Len(t, body, int(e.Bytes))
		if format == sheet.CSV {
			require.Len(t, strings.Split(strings.TrimSpace(body), "\n"), 2_501)
		}
		require.NoError(t, b.Run(t.Context(), e.ID), "a repetition of the task changes nothing")
		require.Equal(t, e, b.get(t, e.ID))
	}
	list, total, err := b.List(t.Context(), b.by, 1, 0)
	require.NoError(t, err)
	require.EqualValues(t, 2, total)
	require.Equal(t, "xlsx", list[0].Format, "newest first")
	require.EqualValues(t, 2, b.number(t, `SELECT count(*) FROM activity_logs WHERE module = 'exports'`))
	require.EqualValues(t, 2, b.number(t, `SELECT count(*) FROM outbox WHERE kind = 'export.run'`))
}

func TestRequestsAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	refused := func(want error, change func(r *exports.Request)) {
		t.Helper()
		r := request("k")
		change(r)
		_, _, err := b.Create(t.Context(), b.by, r)
		require.ErrorIs(t, err, want)
	}
	refused(exports.ErrReportUnknown, func(r *exports.Request) { r.Report = "users" })
	refused(exports.ErrFilter, func(r *exports.Request) { r.Format = "pdf" })
	refused(exports.ErrFilter, func(r *exports.Request) { r.Filter.Currency = "" })
	refused(exports.ErrFilter, func(r *exports.Request) { r.Filter.WalletID = uuid.NewString() })
	refused(idempotency.ErrInvalidKey, func(r *exports.Request) { r.IdempotencyKey = "\n" })
	b.table = func(caller.Caller) error { return org.ErrEntityNotFound }
	refused(org.ErrEntityNotFound, func(*exports.Request) {})
	b.table, b.rows = nil, exports.MaxRows+1
	refused(sheet.ErrTooLarge, func(*exports.Request) {})
	b.rows = 1
	by := b.by
	by.Permissions = caller.PermissionSet{}
	_, _, err := b.Create(t.Context(), by, request("k"))
	require.ErrorIs(t, err, auth.ErrForbidden)
	require.Zero(t, b.number(t, `SELECT count(*) FROM report_exports`)+b.number(t, `SELECT count(*) FROM outbox`)+b.number(t, `SELECT count(*) FROM idempotency_keys`))
	r := request("k")
	r.Filter.From, r.Filter.To = "", ""
	e, _, err := b.Create(t.Context(), b.by, r)
	require.NoError(t, err)
	require.Equal(t, time.Now().UTC().Format(time.DateOnly), e.Filter.To, "today is the day of the request")
}

// Fifty requests with one key make one export; with fifty keys they make as many as a user may have.
func TestFiftyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const n = 50
	ids, errs := make([]uuid.UUID, n), make([]error, n)
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			e, _, err := b.Create(t.Context(), b.by, request("one"))
			if errs[i] = err; err == nil {
				ids[i] = e.ID
			}
		})
	}
	running.Wait()
	for i := range n {
		require.NoError(t, errs[i])
		require.Equal(t, ids[0], ids[i])
	}
	other := request("one")
	other.Format = sheet.XLSX
	_, _, err := b.Create(t.Context(), b.by, other)
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	for i := range n {
		running.Go(func() { _, _, errs[i] = b.Create(t.Context(), b.by, request(strconv.Itoa(i))) })
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			require.ErrorIs(t, err, exports.ErrLimit)
		}
	}
	require.EqualValues(t, 5, b.number(t, `SELECT count(*) FROM report_exports`))
	require.EqualValues(t, 5, b.number(t, `SELECT count(*) FROM outbox WHERE kind = 'export.run'`))
}

// A worker that dies in the middle leaves no file; the next run begins again and leaves one whole file.
func TestARunThatDiedIsRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.create(t)
	ctx, kill := context.WithCancel(t.Context())
	b.before = func(ctx context.Context, row int) error {
		if row == 2_000 {
			kill()
		}
		return ctx.Err()
	}
	require.Error(t, b.Run(ctx, e.ID))
	require.Equal(t, exports.StateRunning, b.get(t, e.ID).State)
	require.Empty(t, b.keys(t))
	b.before = nil
	require.NoError(t, b.Run(t.Context(), e.ID))
	e = b.get(t, e.ID)
	require.EqualValues(t, 2_500, e.Rows)
	require.Equal(t, []string{"exports/" + e.ID.String() + "/2.csv"}, b.keys(t))
}

// A run that only seemed dead neither replaces nor damages the file of the newer one.
func TestASlowRunLosesToTheNewerOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.create(t)
	reached, goOn := make(chan struct{}), make(chan struct{})
	var held atomic.Bool
	b.before = func(_ context.Context, row int) error {
		if row == 2_499 && held.CompareAndSwap(false, true) {
			close(reached)
			<-goOn
		}
		return nil
	}
	slow := make(chan error, 1)
	go func() { slow <- b.Run(t.Context(), e.ID) }()
	<-reached
	require.NoError(t, b.Run(t.Context(), e.ID))
	done := b.get(t, e.ID)
	close(goOn)
	require.NoError(t, <-slow)
	require.Equal(t, done, b.get(t, e.ID))
	require.Equal(t, []string{"exports/" + e.ID.String() + "/2.csv"}, b.keys(t))
	status, _, body := b.download(t, done)
	require.Equal(t, http.StatusOK, status)
	require.Len(t, body, int(done.Bytes))
}

func TestTemporaryErrorsAreRepeatedAndThenGivenUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.create(t)
	b.before = func(_ context.Context, row int) error {
		if row == 1_000 {
			return errDown
		}
		return nil
	}
	for range 5 {
		require.ErrorIs(t, b.Run(t.Context(), e.ID), errDown)
	}
	require.NoError(t, b.Run(t.Context(), e.ID))
	e = b.get(t, e.ID)
	require.Equal(t, []any{exports.StateFailed, exports.ErrFailed.Code}, []any{e.State, e.ErrorCode})
	require.Empty(t, b.keys(t))

	e = b.create(t)
	b.before, b.rows = nil, exports.MaxRows+1
	require.NoError(t, b.Run(t.Context(), e.ID), "no repetition helps")
	e = b.get(t, e.ID)
	require.Equal(t, []any{exports.StateFailed, sheet.ErrTooLarge.Code}, []any{e.State, e.ErrorCode})
}

// Run and download check the creator's current rights.
func TestTheRightsOfNowCount(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"suspended":       `UPDATE users SET status = 'inactive' WHERE id = $1`,
		"moved":           `UPDATE users SET entity_id = (SELECT id FROM entities WHERE code = 'OTHER') WHERE id = $1`,
		"denied the page": `INSERT INTO user_permissions (user_id, permission, granted) VALUES ($1, 'reports:read', false)`,
		"deleted":         `DELETE FROM users WHERE id = $1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.exec(t, `INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1::uuid, 'OPERATOR', 'O', 'OTHER', '/' || $1::text || '/')`, uuid.Must(uuid.NewV7()))
			e := b.create(t)
			b.exec(t, change, b.by.UserID)
			require.NoError(t, b.Run(t.Context(), e.ID))
			e = b.get(t, e.ID) // as the caller was before
			require.Equal(t, []any{exports.StateFailed, auth.ErrForbidden.Code}, []any{e.State, e.ErrorCode})
			require.Empty(t, b.keys(t))
		})
	}
	b := setup(t)
	e := b.create(t)
	require.NoError(t, b.Run(t.Context(), e.ID))
	denied, moved := b.by, b.by
	denied.Permissions = caller.PermissionSet{}
	moved.EntityID = uuid.New()
	for _, by := range []caller.Caller{b.user(t), testkit.Operator(b.entity), denied, moved} {
		_, err := b.Get(t.Context(), by, e.ID)
		require.ErrorIs(t, err, exports.ErrNotFound)
		list, total, err := b.List(t.Context(), by, 10, 0)
		require.NoError(t, err)
		require.Empty(t, list)
		require.Zero(t, total)
	}
}

func TestFilesExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.create(t)
	require.NoError(t, b.Run(t.Context(), e.ID))
	e = b.get(t, e.ID)
	link, err := b.Link(t.Context(), e)
	require.NoError(t, err)
	n, err := b.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	b.exec(t, `UPDATE report_exports SET expires_at = clock_timestamp()`)
	e = b.get(t, e.ID)
	require.Equal(t, exports.StateExpired, e.State, "also before the sweep")
	_, err = b.Link(t.Context(), e)
	require.ErrorIs(t, err, exports.ErrNotReady)
	for want := 1; want >= 0; want-- {
		n, err = b.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	require.Empty(t, b.keys(t))
	status, _, _ := read(t, link.URL)
	require.Equal(t, http.StatusNotFound, status, "a link of before leads to nothing")
	b.exec(t, `UPDATE report_exports SET updated_at = updated_at - interval '31 days'`)
	_, err = b.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, b.number(t, `SELECT count(*) FROM report_exports`))

	e = b.create(t)
	b.exec(t, `UPDATE report_exports SET updated_at = updated_at - interval '7 hours'`)
	_, err = b.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, exports.StateFailed, b.get(t, e.ID).State, "its task was lost")
}

// At most two exports run at the same time; another one waits without using up its attempts.
func TestExportsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second, third := b.create(t), b.create(t), b.create(t)
	b.exec(t, `UPDATE report_exports SET state = 'running', attempt = 1, updated_at = clock_timestamp() WHERE id IN ($1, $2)`, first.ID, second.ID)
	before := b.number(t, `SELECT count(*) FROM outbox`)
	require.NoError(t, b.Run(t.Context(), third.ID))
	require.Equal(t, exports.StatePending, b.get(t, third.ID).State)
	require.Equal(t, before+1, b.number(t, `SELECT count(*) FROM outbox`))
	require.EqualValues(t, 1, b.number(t, `SELECT count(*) FROM outbox WHERE process_at > now()`))
	b.exec(t, `UPDATE report_exports SET updated_at = updated_at - interval '1 minute' WHERE id = $1`, first.ID)
	require.NoError(t, b.Run(t.Context(), third.ID))
	require.Equal(t, exports.StateDone, b.get(t, third.ID).State, "a run without progress does not count")
	require.NoError(t, b.Run(t.Context(), first.ID))
	require.Equal(t, exports.StateDone, b.get(t, first.ID).State)
}

// Runs that begin at once are no more than those one after the other.
func TestRunsThatBeginAtOnceWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []uuid.UUID
	for range 5 {
		ids = append(ids, b.create(t).ID)
	}
	var now, most atomic.Int64
	b.before = func(_ context.Context, row int) error {
		switch row {
		case 0:
			n := now.Add(1)
			for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); {
				seen = most.Load()
			}
			assert.Eventually(t, func() bool { return most.Load() >= 2 }, time.Minute, time.Millisecond)
			time.Sleep(300 * time.Millisecond) // while the others begin
		case b.rows - 1:
			now.Add(-1)
		}
		return nil
	}
	var running sync.WaitGroup
	for _, id := range ids {
		running.Go(func() { assert.NoError(t, b.Run(t.Context(), id)) })
	}
	running.Wait()
	require.EqualValues(t, 2, most.Load())
}

// What a failed export left in the store is deleted with its row at the latest.
func TestObjectsOfFailedExportsAreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.create(t)
	require.NoError(t, b.env.Private.PutFile(t.Context(), "exports/"+e.ID.String()+"/1.csv", "text/csv", strings.NewReader("left"), 4))
	b.exec(t, `UPDATE report_exports SET state = 'failed', error_code = 'EXPORT_FAILED', updated_at = updated_at - interval '31 days'`)
	_, err := b.Sweep(t.Context())
	require.NoError(t, err)
	require.Empty(t, b.keys(t))
	require.Zero(t, b.number(t, `SELECT count(*) FROM report_exports`))
}

// A run whose query or upload is silent for long counts as running, and ends if another run takes its place.
func TestASilentRunIsAlive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetBeat(10 * time.Millisecond)
	e := b.create(t)
	reached, released := make(chan struct{}), make(chan struct{})
	b.table = func(caller.Caller) error { close(reached); <-released; return nil }
	ended := make(chan error, 1)
	go func() { ended <- b.Run(t.Context(), e.ID) }()
	<-reached
	b.exec(t, `UPDATE report_exports SET updated_at = updated_at - interval '1 minute'`)
	require.Eventually(t, func() bool {
		return b.number(t, `SELECT count(*) FROM report_exports WHERE updated_at > clock_timestamp() - interval '30 seconds'`) == 1
	}, testkit.WaitTimeout, 10*time.Millisecond)
	close(released)
	require.NoError(t, <-ended)
	require.Equal(t, exports.StateDone, b.get(t, e.ID).State)
}
