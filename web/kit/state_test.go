package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTonesOfStates(t *testing.T) {
	t.Parallel()
	tones, err := tonesOf([]Area{{Tones: Tones{ToneOK: {"draw.open"}}}, {}, {Tones: Tones{ToneTrouble: {"payment.open"}}}})
	require.NoError(t, err)
	v := &View{tones: tones}
	assert.Equal(t, []string{ToneOK, ToneTrouble, ToneTrouble, ToneOff}, []string{
		v.State("draw", "open").Tone, v.State("payment", "open").Tone, v.State("alert", "open").Tone, v.State("draw", "unknown").Tone,
	})
	_, err = tonesOf([]Area{{Tones: Tones{ToneOK: {"draw.open"}}}, {Tones: Tones{ToneOff: {"draw.open"}}}})
	assert.ErrorContains(t, err, "draw.open has two tones")
}
