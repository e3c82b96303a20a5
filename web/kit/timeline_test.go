package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATimeline(t *testing.T) {
	t.Parallel()
	v := &View{zone: time.UTC, Language: Spanish}
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	line := v.Timeline().Add("good", "Sold", at).WithText("").WithText("Ana").WithText("por teléfono").To("/t").AddIf("bad", "Cancelled", time.Time{}).Add("", "Expires", time.Time{})
	require.Len(t, line.Events, 2, "what did not happen is no event")
	assert.Equal(t, TimelineEvent{Class: "good", Title: "Sold", Link: "/t", At: v.Time(at), Text: "Ana · por teléfono", at: at}, line.Events[0])
	assert.Equal(t, Moment{}, line.Events[1].At)
	sorted := v.Timeline().Add("", "second", at).Add("", "third", at.Add(time.Millisecond)).Add("", "also third", at.Add(time.Millisecond)).Add("", "first", at.Add(-time.Hour)).Sorted()
	titles := make([]string, len(sorted.Events))
	for i := range sorted.Events {
		titles[i] = sorted.Events[i].Title
	}
	assert.Equal(t, []string{"first", "second", "third", "also third"}, titles)
}

func TestPluralForms(t *testing.T) {
	t.Parallel()
	v := &View{words: map[string]string{"call.one": "%d llamada de %s", "call.other": "%d llamadas de %s"}}
	for n, want := range map[int64]string{0: "0 llamadas de hoy", 1: "1 llamada de hoy", 2: "2 llamadas de hoy"} {
		assert.Equal(t, want, v.N("call", n, "hoy"))
		assert.Equal(t, want, v.N("call", int(n), "hoy"))
	}
}
