package simulators_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/platform/clock"
)

// lottery returns a system in Caracas at 10:30 local time, on a clock of the test's.
func lottery(t *testing.T, seed uint64) (*simulators.Lottery, *clock.Fake, string) {
	t.Helper()
	now := clock.NewFake(time.Date(2026, 3, 1, 14, 30, 0, 0, time.UTC))
	l := simulators.NewLottery(simulators.LotteryConfig{
		Seed: seed, Location: time.FixedZone("VET", -4*60*60), Clock: now,
		Games: []simulators.LotteryGame{{Code: "LA", Times: []string{"09:00", "10:00", "11:00"}, Elements: []string{"0", "00", "1", "2", "3", "4", "5"}}},
	})
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	return l, now, server.URL
}

// results returns value by external id.
func results(t *testing.T, url, query string) map[string]string {
	t.Helper()
	status, _, body := call(t, url, "GET", "/results"+query, "")
	require.Equal(t, http.StatusOK, status, body)
	var answer struct {
		Results []struct {
			ExternalID string `json:"external_id"`
			Value      string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	values := map[string]string{}
	for _, r := range answer.Results {
		values[r.ExternalID] = r.Value
	}
	return values
}

func TestResultsAreThoseOfPastDrawsAndStayTheSame(t *testing.T) {
	t.Parallel()
	_, now, url := lottery(t, 7)
	first := results(t, url, "?game=LA&date=2026-03-01")
	assert.Len(t, first, 2)
	assert.Contains(t, first, "LA-20260301-1000")
	now.Advance(30 * time.Minute)
	later := results(t, url, "") // today, all games
	assert.Len(t, later, 3)
	for id, value := range first {
		assert.Equal(t, value, later[id])
	}
	_, _, again := lottery(t, 7)
	assert.Equal(t, first, results(t, again, ""))
	assert.Empty(t, results(t, url, "?date=2026-03-02"))
	_, _, other := lottery(t, 8)
	assert.NotEqual(t, results(t, url, "?date=2026-02-01"), results(t, other, "?date=2026-02-01"))
	status, _, _ := call(t, url, "GET", "/results?date=yesterday", "")
	assert.Equal(t, http.StatusBadRequest, status)
}

func TestClosingIsRepeatable(t *testing.T) {
	t.Parallel()
	_, now, url := lottery(t, 7)
	_, _, first := call(t, url, "POST", "/draws/LA-20260301-1100/close", "")
	assert.Contains(t, first, `"status":"closed"`)
	now.Advance(time.Minute)
	status, _, second := call(t, url, "POST", "/draws/LA-20260301-1100/close", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, first, second)
	for _, id := range []string{"LA-20260301-1130", "XX-20260301-1100", "nonsense"} {
		status, _, _ := call(t, url, "POST", "/draws/"+id+"/close", "")
		assert.Equal(t, http.StatusNotFound, status, id)
	}
	_, _, draws := call(t, url, "GET", "/draws?game=LA&date=2026-03-01", "")
	assert.Contains(t, draws, `"status":"drawn"`)
	assert.Contains(t, draws, `"status":"closed"`)
}

func TestLotteryFaults(t *testing.T) {
	t.Parallel()
	l, _, url := lottery(t, 7)
	right := results(t, url, "")
	fault := func(mode string, delay time.Duration) {
		require.True(t, l.SetFault(simulators.Fault{Mode: mode, Times: 1, DelayMS: int(delay.Milliseconds())}))
	}

	fault(simulators.LotteryWrong, 0)
	wrong := results(t, url, "")
	require.Len(t, wrong, len(right))
	for id := range right {
		assert.NotEqual(t, right[id], wrong[id])
	}
	fault(simulators.LotteryLate, 2*time.Minute)
	assert.Len(t, results(t, url, ""), 2, "the last draw was half an hour ago")
	fault(simulators.LotterySilent, 0)
	status, _, _ := call(t, url, "POST", "/draws/LA-20260301-1100/close", "")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	fault(simulators.LotterySlow, 300*time.Millisecond)
	began := time.Now()
	assert.Equal(t, right, results(t, url, ""))
	assert.GreaterOrEqual(t, time.Since(began), 300*time.Millisecond)
	assert.False(t, l.SetFault(simulators.Fault{Mode: "nonsense"}))
	assert.False(t, l.SetFault(simulators.Fault{Mode: simulators.LotteryWrong, Source: "nobody"}))
}

func TestTheMirrorRepeatsResultsUntilAFaultContradicts(t *testing.T) {
	t.Parallel()
	l, _, url := lottery(t, 7)
	right := results(t, url, "")
	assert.Equal(t, right, results(t, url+"/mirror", ""))

	require.True(t, l.SetFault(simulators.Fault{Mode: simulators.LotteryContradictory}))
	other := results(t, url+"/mirror", "")
	for id := range right {
		assert.NotEqual(t, right[id], other[id])
	}
	assert.Equal(t, right, results(t, url, ""))

	require.True(t, l.SetFault(simulators.Fault{Mode: simulators.LotteryWrong, Times: 1, Source: simulators.SourceMirror}))
	assert.Equal(t, right, results(t, url, ""), "a fault of the other is not used up")
	assert.Equal(t, other, results(t, url+"/mirror", ""))
	assert.Equal(t, right, results(t, url+"/mirror", ""))
}

func TestADerivedGamesResultsComeFromItsBaseGame(t *testing.T) {
	t.Parallel()
	triples := make([]string, 1_000)
	for i := range triples {
		triples[i] = fmt.Sprintf("%03d", i)
	}
	times := []string{"08:00", "09:00", "10:00"}
	l := simulators.NewLottery(simulators.LotteryConfig{
		Seed: 7, Location: time.FixedZone("VET", -4*60*60), Clock: clock.NewFake(time.Date(2026, 3, 1, 14, 30, 0, 0, time.UTC)),
		Games: []simulators.LotteryGame{
			{Code: "TRIO", Times: times, Elements: triples, Signs: []string{"Aries", "Tauro"}, Flags: []simulators.Chance{{Code: "MEGA", OneIn: 1}}, Wildcards: []simulators.Chance{{Code: "C1", OneIn: 1}}},
			{Code: "LAST", Times: append(times, "10:15"), Elements: []string{"77"}, LastTwoOf: "TRIO"},
		},
	})
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	for _, mode := range []string{"ok", simulators.LotteryWrong} {
		require.True(t, l.SetFault(simulators.Fault{Mode: mode}))
		values := results(t, server.URL, "")
		require.Len(t, values, 7)
		for _, at := range []string{"0800", "0900", "1000"} {
			assert.Equal(t, values["TRIO-20260301-"+at][1:], values["LAST-20260301-"+at], mode)
		}
		assert.Equal(t, "77", values["LAST-20260301-1015"])
	}
	_, _, body := call(t, server.URL, "GET", "/results?game=TRIO", "")
	assert.Contains(t, body, `"flags":["MEGA"],"wildcard":"C1"`)
	assert.Contains(t, body, `"sign":"`)
}
