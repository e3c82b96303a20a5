package notices_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/setup/seed"
	"banca/tasks"
)

// correct corrects the result of a draw and returns the task that was written.
func (b *bundle) correct(t *testing.T, draw *catalog.Draw, value string) tasks.NoticeDraw {
	t.Helper()
	b.Clock.Advance(1e6)
	id := uuid.MustParse(b.Text(t, `SELECT result_id::text FROM draws WHERE id = $1`, draw.ID))
	entered, _, err := b.draws.Correct(t.Context(), fixture.As(fixture.Typist), id, catalog.Outcome{Value: value}, "read wrongly", false)
	require.NoError(t, err)
	_, _, err = b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, &catalog.Outcome{Value: value})
	require.NoError(t, err)
	payload := b.Text(t, `SELECT payload::text FROM outbox WHERE kind = 'notice.draw' AND payload ->> 'draw_id' = $1 ORDER BY (payload ->> 'decided_at')::bigint DESC LIMIT 1`, draw.ID.String())
	task, err := tasks.Decode[tasks.NoticeDraw]([]byte(payload))
	require.NoError(t, err)
	return task
}

// tellOften runs tasks fifty times at once.
func (b *bundle) tellOften(t *testing.T, list ...tasks.NoticeDraw) {
	t.Helper()
	var running sync.WaitGroup
	for i := range 50 {
		running.Go(func() { assert.NoError(t, b.sync(t, list[i%len(list)])) })
	}
	running.Wait()
}

func (b *bundle) decideDay(t *testing.T) []tasks.NoticeDraw {
	t.Helper()
	return []tasks.NoticeDraw{b.settle(t, b.day[0]), b.settle(t, b.day[1])}
}

func (b *bundle) sent(t *testing.T) {
	t.Helper()
	b.Exec(t, `UPDATE message_logs SET status = 'sent' WHERE status = 'queued'`)
}

// A buyer who was told of a prize is told each correction of it once, also after the prize is gone and there again.
func TestACorrectionOfATicketIsToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, "04141234500", "5", b.day...)
	b.sell(t, "04141234501", "5", b.day[1])
	first := b.decideDay(t)
	b.tellOften(t, first...)
	require.EqualValues(t, 2, b.messages(t, "prize"))
	b.sent(t)
	second := b.correct(t, b.day[1], "18")
	b.tellOften(t, append(first, second)...)
	require.EqualValues(t, 2, b.messages(t, "prize"))
	require.EqualValues(t, 1, b.messages(t, "prize_corrected"))
	require.EqualValues(t, 1, b.messages(t, "prize_withdrawn"))
	text := b.Text(t, `SELECT body FROM message_logs WHERE kind = 'prize_corrected'`)
	require.Contains(t, text, " ganó Bs 300,00, porque se corrigió un resultado.\nEl mensaje anterior decía Bs 600,00.")
	text = b.Text(t, `SELECT body FROM message_logs WHERE kind = 'prize_withdrawn'`)
	require.Contains(t, text, " ya no tiene el premio de Bs 300,00.")
	require.EqualValues(t, 2, b.messages(t, "results"))
	require.EqualValues(t, 2, b.messages(t, "results_corrected"), "one for each who knows the others")
	text = b.Text(t, `SELECT body FROM message_logs WHERE kind = 'results_corrected' LIMIT 1`)
	require.Contains(t, text, "Corrección de los resultados del ")
	require.Contains(t, text, " 18 ")
	b.sent(t)
	third := b.correct(t, b.day[1], "5")
	b.tellOften(t, append(first, second, third)...)
	require.EqualValues(t, 3, b.messages(t, "prize_corrected"), "the prize that is gone is there again, too")
	require.EqualValues(t, 1, b.messages(t, "prize_withdrawn"))
	require.EqualValues(t, 4, b.messages(t, "results_corrected"))
}

// What waits is replaced: a buyer who was told nothing yet gets one message.
func TestACorrectionReplacesWhatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, "04141234500", "5", b.day...)
	b.sell(t, "04141234501", "5", b.day[1])
	first := b.decideDay(t)
	b.tellOften(t, first...)
	second := b.correct(t, b.day[1], "18")
	b.tellOften(t, append(first, second)...)
	waiting := func(kind string) int64 {
		return b.Number(t, `SELECT count(*) FROM message_logs WHERE kind = $1 AND status = 'queued'`, kind)
	}
	require.EqualValues(t, 1, waiting("prize"))
	require.EqualValues(t, 2, waiting("results"))
	require.EqualValues(t, 4, b.Number(t, `SELECT count(*) FROM message_logs WHERE status = 'failed' AND error_code = 'REPLACED'`))
	require.Zero(t, b.messages(t, "prize_corrected")+b.messages(t, "prize_withdrawn")+b.messages(t, "results_corrected"))
	require.Contains(t, b.Text(t, `SELECT body FROM message_logs WHERE kind = 'prize' AND status = 'queued'`), "Bs 300,00")
	b.sent(t)
	third := b.correct(t, b.day[1], "5")
	require.NoError(t, b.sync(t, third))
	require.EqualValues(t, 1, waiting("prize_corrected"))
	fourth := b.correct(t, b.day[1], "18")
	b.tellOften(t, second, third, fourth)
	require.Zero(t, b.Number(t, `SELECT count(*) FROM message_logs WHERE status = 'queued'`), "what the buyers know is right again")
}

// The ticket point settles the difference of a paid prize with the buyer.
func TestACorrectionOfAPaidTicketSaysNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, "04141234500", "5", b.day[1])
	b.tellOften(t, b.decideDay(t)...)
	b.sent(t)
	b.Exec(t, `UPDATE tickets SET status = 'paid'`)
	for _, value := range []string{"18", "5"} {
		b.tellOften(t, b.correct(t, b.day[1], value))
	}
	require.Zero(t, b.messages(t, "prize_corrected")+b.messages(t, "prize_withdrawn"))
	require.EqualValues(t, 1, b.messages(t, "prize"))
}

// A buyer of two ticket points gets the results of a day once.
func TestResultsAreToldOnceForEachTelephone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sell(t, "04141234500", "18", b.day[0])
	other := b.sell(t, "04141234501", "18", b.day[0])
	b.Exec(t, `UPDATE tickets SET entity_id = $2 WHERE id = $1`, other.ID, fixture.EntityID(seed.CodeTicketPoint2))
	b.Exec(t, `UPDATE customers SET entity_id = $2, phone = '+584141234500' WHERE phone = $1`, "+584141234501", fixture.EntityID(seed.CodeTicketPoint2))
	b.tellOften(t, b.decideDay(t)...)
	require.EqualValues(t, 1, b.messages(t, "results"))
	require.Equal(t, seed.CodeTicketPoint, b.Text(t, `SELECT e.code FROM message_logs m JOIN entities e ON e.id = m.entity_id WHERE m.kind = 'results'`), "of the first ticket")
}
