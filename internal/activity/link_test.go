package activity_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/models/migrations"
)

// 16 writers and 3 linking tasks at once make one chain, and a rollback leaves no gap.
func TestManyWritersMakeOneChain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var writing, linking sync.WaitGroup
	var linked atomic.Int64
	over := make(chan struct{})
	for range 3 {
		linking.Go(func() {
			for open := true; open; {
				select {
				case <-over:
					open = false // and a last time
				default:
				}
				n, err := b.s.Link(t.Context())
				assert.NoError(t, err)
				linked.Add(int64(n))
			}
		})
	}
	for i := range 16 {
		writing.Go(func() {
			for n := range 10 {
				_ = b.PG.Gorm.Transaction(func(tx *gorm.DB) error {
					err := activity.RecordTx(t.Context(), tx, activity.Entry{Action: activity.UsersCreate, EntityID: b.root})
					if err != nil {
						return err
					}
					if (i+n)%5 == 0 {
						return gorm.ErrInvalidTransaction
					}
					return nil
				})
			}
		})
	}
	writing.Wait()
	close(over)
	linking.Wait()
	assert.EqualValues(t, 128, linked.Load())
	proof, err := b.s.Verify(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [4]int64{128, 0, 0, 0}, [4]int64{proof.Entries, proof.Broken, proof.Unlinked, proof.Late})
}

// An entry whose transaction commits after later ones is linked after them, and none is left out.
func TestAnEntryThatCommitsLateIsLinkedLate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	late, err := b.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = late.Rollback(context.WithoutCancel(t.Context())) }()
	require.NoError(t, activity.RecordPgxTx(t.Context(), late, activity.Entry{
		Action: activity.UsersCreate, EntityID: b.root, Target: "late",
	}))
	for range 3 {
		b.record(t, t.Context(), activity.Entry{Action: activity.UsersCreate, EntityID: b.root, Target: "early"})
	}
	b.link(t, 3)
	require.NoError(t, late.Commit(t.Context()))
	b.link(t, 1)
	list, _, err := b.s.List(t.Context(), b.rootUser, &activity.Filter{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []int64{4, 3, 2, 1}, []int64{list[0].Seq, list[1].Seq, list[2].Seq, list[3].Seq})
	require.Equal(t, "late", list[0].Target)
	proof, err := b.s.Verify(t.Context())
	require.NoError(t, err)
	require.Zero(t, proof.Broken)
}

// A chain that was linked by its writers stays valid, and goes on; so does one whose linking is taken back.
func TestAChainLinkedByWritersIsContinued(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.migrate(t, false)
	for range 5 {
		b.record(t, t.Context(), activity.Entry{Action: activity.UsersCreate, EntityID: b.root})
	}
	b.migrate(t, true)
	before, err := b.s.Verify(t.Context())
	require.NoError(t, err)
	require.Equal(t, [3]int64{5, 0, 0}, [3]int64{before.Entries, before.Broken, before.Unlinked})
	b.record(t, t.Context(), activity.Entry{Action: activity.UsersCreate, EntityID: b.root})
	b.link(t, 1)
	b.record(t, t.Context(), activity.Entry{Action: activity.UsersCreate, EntityID: b.root})
	b.migrate(t, false)
	b.migrate(t, true)
	after, err := b.s.Verify(t.Context())
	require.NoError(t, err)
	require.Equal(t, [3]int64{7, 0, 0}, [3]int64{after.Entries, after.Broken, after.Unlinked})
}

// migrate applies the migration that has entries linked behind their writers, or takes it back.
func (b *bundle) migrate(t testing.TB, up bool) {
	t.Helper()
	raw, err := migrations.FS.ReadFile("0016_activity_linked_behind.sql")
	require.NoError(t, err)
	upSQL, downSQL, _ := strings.Cut(string(raw), "-- +goose Down")
	if !up {
		upSQL = downSQL
	}
	_, err = b.PG.Pool.Exec(t.Context(), upSQL)
	require.NoError(t, err)
}

// An entry that is not linked for ten minutes is late, which is not a broken chain.
func TestALateLinkIsReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.record(t, t.Context(), activity.Entry{Action: activity.UsersCreate, EntityID: b.root})
	proof, err := b.s.Verify(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]int64{1, 0}, [2]int64{proof.Unlinked, proof.Late})
	require.Contains(t, proof.String(), "1 not linked yet")
	require.NoError(t, b.exec(t, `ALTER TABLE activity_logs DISABLE TRIGGER USER; UPDATE activity_logs SET at = at - interval '11 minutes'; ALTER TABLE activity_logs ENABLE TRIGGER USER`))
	proof, err = b.s.Verify(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]int64{0, 1}, [2]int64{proof.Broken, proof.Late})
}

// A writer does not wait for another one whose transaction is open, nor for the task.
func TestWritersOfTheActivityLogDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, hold := range []string{"", `SELECT FROM activity_chain FOR UPDATE`} {
		open, err := b.PG.Pool.Begin(t.Context())
		require.NoError(t, err)
		require.NoError(t, activity.RecordPgxTx(t.Context(), open, activity.Entry{
			Action: activity.UsersCreate, EntityID: b.root,
		}))
		if hold != "" {
			_, err = open.Exec(t.Context(), hold)
			require.NoError(t, err)
		}
		require.NoError(t, b.PG.InTx(t.Context(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SET LOCAL lock_timeout = '1s'`); err != nil {
				return err
			}
			return activity.RecordPgxTx(t.Context(), tx, activity.Entry{Action: activity.UsersCreate, EntityID: b.root})
		}))
		require.NoError(t, open.Rollback(t.Context()))
	}
}

// BenchmarkAuditedWrites measures transactions of 5 ms that record an entry first, 64 at once: linked by their writers, as
// before migration 16, and linked behind them.
func BenchmarkAuditedWrites(b *testing.B) {
	for _, behind := range []bool{false, true} {
		b.Run(fmt.Sprintf("behind=%t", behind), func(b *testing.B) {
			env := testkit.New(b)
			t := &bundle{Env: env, s: activity.New(env.PG, clock.System{})}
			if !behind {
				t.migrate(b, false)
			}
			var mu sync.Mutex
			var took []time.Duration
			b.ResetTimer()
			for range b.N {
				var all sync.WaitGroup
				for range 64 {
					all.Go(func() {
						began := time.Now()
						err := t.PG.InTx(b.Context(), func(tx pgx.Tx) error {
							err := activity.RecordPgxTx(b.Context(), tx, activity.Entry{Action: activity.UsersCreate, EntityID: uuid.Nil})
							if err != nil {
								return err
							}
							_, err = tx.Exec(b.Context(), `SELECT pg_sleep(0.005)`)
							return err
						})
						mu.Lock()
						defer mu.Unlock()
						took = append(took, time.Since(began))
						assert.NoError(b, err)
					})
				}
				all.Wait()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		})
	}
}
