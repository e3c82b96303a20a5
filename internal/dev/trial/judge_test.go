package trial

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// made returns thirty samples of a figure, with a hundred sales between two of them.
func made(name string, value func(i int) float64) []sample {
	list := make([]sample, 30)
	for i := range list {
		list[i] = sample{figSales: float64(100 * i), name: value(i)}
	}
	return list
}

// What grows after the first third is named, and what only filled itself in it is not.
func TestWhatGrowsIsNamed(t *testing.T) {
	t.Parallel()
	gauge, sum := figure{name: "x", part: .1, plus: 5}, figure{name: "x", perSale: true, part: .1, plus: .1}
	for name, c := range map[string]struct {
		figure figure
		value  func(i int) float64
		grew   bool
	}{
		"flat":                    {gauge, func(int) float64 { return 100 }, false},
		"filled at the start":     {gauge, func(i int) float64 { return min(float64(i), 9) * 100 }, false},
		"a leak":                  {gauge, func(i int) float64 { return 100 + 3*float64(i) }, true},
		"within the tolerance":    {gauge, func(i int) float64 { return 100 + float64(i) }, false},
		"one jump":                {gauge, func(i int) float64 { return map[bool]float64{true: 9000, false: 100}[i == 25] }, false},
		"less":                    {gauge, func(i int) float64 { return 100 - float64(i) }, false},
		"as much a sale":          {sum, func(i int) float64 { return 500 * float64(i) }, false},
		"more and more a sale":    {sum, func(i int) float64 { return 5 * float64(i*i) }, true},
		"nothing, then something": {sum, func(i int) float64 { return 30 * max(float64(i-20), 0) }, true},
	} {
		v := judge(made("x", c.value), []figure{c.figure})
		require.Len(t, v, 1)
		assert.False(t, v[0].unknown, name)
		assert.Equal(t, c.grew, v[0].grew, "%s: %+v", name, v[0])
	}
	v := judge(made("x", func(i int) float64 { return 500 * float64(i) }), []figure{sum})[0]
	assert.InDelta(t, 5, v.middle, 1e-9)
	assert.InDelta(t, 5, v.end, 1e-9)
	assert.InDelta(t, 5.6, v.most, 1e-9)
}

// What was not read often enough is no success.
func TestWhatIsNotMeasuredIsNotFlat(t *testing.T) {
	t.Parallel()
	samples := made("x", func(int) float64 { return 1 })
	for _, s := range samples[22:] {
		delete(s, "x")
	}
	v := judge(samples, []figure{{name: "x"}})
	assert.Equal(t, "NOT MEASURED", v[0].word())
	s := &platform{}
	var out bytes.Buffer
	err := s.report(samples, &SoakOptions{Options: Options{Out: &out}, Length: time.Hour})
	require.ErrorIs(t, err, errNotMeasured)
	assert.Contains(t, out.String(), "NOT MEASURED")
	require.ErrorIs(t, s.report(samples[:5], &SoakOptions{}), errNotMeasured)
}

// A table that keeps what was sold is judged by its growth for a sale, any other by its size.
func TestTablesGrowOnlyWithSales(t *testing.T) {
	t.Parallel()
	samples := made("table tickets KiB", func(i int) float64 { return 5000 * float64(i) })
	for i, s := range samples {
		s["indexes outbox KiB"] = 900 * float64(i)
	}
	list := sizeFigures(samples)
	require.Len(t, list, 2)
	v := judge(samples, list)
	assert.Equal(t, []string{"indexes outbox KiB", "table tickets KiB"}, []string{v[0].name, v[1].name})
	assert.True(t, v[0].grew)
	assert.False(t, v[1].grew)
	var out bytes.Buffer
	printVerdicts(&out, v, list)
	assert.Contains(t, out.String(), "GREW")
	assert.Contains(t, out.String(), "table tickets KiB a sale")
}

func TestMetricsAreRead(t *testing.T) {
	t.Parallel()
	m, err := parseMetrics(strings.NewReader("# HELP x y\nbanca_queue_lag_seconds{queue=\"a b\"} 1.5\nbanca_queue_lag_seconds{queue=\"c\"} 0.5\ngo_goroutines 42\n\nodd\n"))
	require.NoError(t, err)
	assert.InDelta(t, 1.5, m.most("banca_queue_lag_seconds"), 0)
	assert.InDelta(t, 42, m.most("go_goroutines"), 0)
	assert.Zero(t, m.most("go"))
}

// Sales are due at their rate, however late they are asked for, and what is much too late is not made up for.
func TestSalesAreDueAtTheirRate(t *testing.T) {
	t.Parallel()
	p := &pacer{}
	_, ok := p.due()
	require.False(t, ok, "no rate")
	p.set(1000)
	first, ok := p.due()
	require.True(t, ok)
	second, ok := p.due()
	require.True(t, ok)
	assert.Equal(t, time.Millisecond, second.Sub(first))
	p.next = time.Now().Add(-time.Hour)
	at, ok := p.due()
	require.True(t, ok)
	assert.WithinDuration(t, time.Now().Add(-behindAtMost), at, time.Minute)
	p.done(3*time.Millisecond, true)
	p.done(time.Millisecond, false)
	assert.Equal(t, 1, p.total())
	took := p.window()
	assert.Equal(t, []time.Duration{time.Millisecond, 3 * time.Millisecond}, took)
	assert.Equal(t, 3*time.Millisecond, quantile(took, .99))
	assert.Zero(t, quantile(p.window(), .5))
}

func TestARateIsBorneIfItsTasksAreDoneAsFast(t *testing.T) {
	t.Parallel()
	good := step{rate: 100, done: 99, p99: 100 * time.Millisecond, waiting: 200}
	assert.True(t, good.borne())
	for _, bad := range []step{{100, 90, time.Millisecond, 0}, {100, 100, 2 * time.Second, 0}, {100, 100, time.Millisecond, 500}} {
		assert.False(t, bad.borne(), "%+v", bad)
	}
}
