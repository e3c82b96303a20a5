package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestProgressByDoneAndTotal(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	for _, try := range []struct {
		done, total, percent int64
		state, tone, again   string
	}{
		{0, 1_000, 0, "0 %", ToneWaiting, "/again"},
		{999, 1_000, 99, "99 %", ToneWaiting, "/again"},
		{1_000, 1_000, 100, "terminado", ToneOK, ""},
		{1_001, 1_000, 100, "terminado", ToneOK, ""},
		{-1, 1_000, 0, "0 %", ToneWaiting, "/again"},
		{7, 0, 0, "en curso", ToneWaiting, "/again"},
	} {
		p := v.Progress("Recuento", try.done, try.total).PollFrom("/again")
		assert.Equal(t, try.percent, p.Percent(), try)
		assert.Equal(t, try.state, p.State(), try)
		assert.Equal(t, try.tone, p.Tone(), try)
		assert.Equal(t, try.again, p.PollAddress, try)
	}
	running := render(t, v, "progress", v.Progress(hostile, 12_345, 20_000).PollFrom("/again?a=1&b=2"))
	assert.Contains(t, running, `hx-get="/again?a=1&amp;b=2"`)
	assert.Contains(t, running, `max="100" value="61"`)
	assert.Contains(t, running, "12.345 de 20.000 · Puede salir de esta página")
	assert.NotContains(t, render(t, v, "progress", v.Progress("x", 1, 0)), "max=", "an unknown total has no percentage")

	failed := v.Progress("x", 1, 2).PollFrom("/again").Fail("Se cortó.")
	assert.Equal(t, []string{"", "falló", ToneTrouble, "1 de 2 · Se cortó."}, []string{failed.PollAddress, failed.State(), failed.Tone(), failed.Text()})
	assert.Empty(t, v.Progress("x", 1, 2).Fail("x").PollFrom("/again").PollAddress, "a failed job is not polled")
}
