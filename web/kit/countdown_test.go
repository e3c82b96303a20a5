package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestCountdownStartsAtTheServersClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 19, 42, 0, 0, time.UTC)
	v := spanish(t, now)
	for name, try := range map[string]struct {
		at   time.Time
		text string
		left int64
	}{
		"soon":         {now.Add(12*time.Minute + 31*time.Second), "7:54 pm", 751_000},
		"a moment":     {now.Add(time.Microsecond), "7:42 pm", 1},
		"tomorrow":     {now.Add(20 * time.Hour), "22/11/2026 3:42 pm", 72_000_000},
		"at the bound": {now.Add(24 * time.Hour), "22/11/2026 7:42 pm", 86_400_000},
		"too far away": {now.Add(24*time.Hour + 1), "22/11/2026 7:42 pm", 0},
		"now":          {now, "cerrado", 0},
		"over":         {now.Add(-time.Hour), "cerrado", 0},
		"no instant":   {time.Time{}, "—", 0},
	} {
		c := v.Countdown(try.at)
		assert.Equal(t, try.text, c.Text, name)
		assert.Equal(t, try.left, c.Remaining, name)
	}
	assert.Contains(t, render(t, v, "countdown", v.Countdown(now.Add(time.Minute))), `role="timer" data-left="60000" data-over="cerrado">7:43 pm</time>`)
	assert.NotContains(t, render(t, v, "countdown", v.Countdown(now)), "data-left", "a passed instant is not counted down")
	assert.Equal(t, `<time class="state off countdown">—</time>`, render(t, v, "countdown", v.Countdown(time.Time{})))
	assert.Equal(t, "12:05 am", v.Clock(time.Date(2026, 11, 21, 0, 5, 0, 0, time.UTC)))
	assert.Empty(t, v.Clock(time.Time{}))
}
