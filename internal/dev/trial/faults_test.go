package trial

import (
	"context"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheSameSeedMakesTheSamePlan(t *testing.T) {
	t.Parallel()
	o := ChaosOptions{Options: Options{Seed: 3}, Faults: 50, Gap: defaultGap}
	first := plan(&o)
	require.Len(t, first, 50)
	assert.Equal(t, first, plan(&o))
	other := o
	other.Seed++
	assert.NotEqual(t, first, plan(&other))
	o.Only = []string{faultKill}
	for _, f := range plan(&o) {
		assert.Equal(t, faultKill, f.kind)
	}
	o.Only = []string{"flood"}
	assert.ErrorContains(t, o.complete(), `there is no fault "flood"`)
}

// What is lost, doubled, changed or unexplained is named.
func TestDifferencesAreNamed(t *testing.T) {
	t.Parallel()
	expected := map[string]*operation{
		"same": {Kind: opSale, amount: 100}, "lost": {Kind: opSale, amount: 100}, "twice": {Kind: opSale, amount: 100}, "other": {Kind: opSale, amount: 100},
	}
	stored := []row{{ID: "same", Amount: 100}, {ID: "twice", Amount: 100}, {ID: "twice", Amount: 100}, {ID: "other", Amount: 200}, {ID: "new", Amount: 100}}
	found := match("ticket", stored, expected)
	require.Len(t, found, 4)
	for i, part := range []string{"ticket twice exists 2 times", "ticket other has the amount 200", "ticket new of 100 exists and no operation", "ticket lost is lost"} {
		assert.Contains(t, found[i], part)
	}
	assert.Empty(t, match("ticket", stored[:1], map[string]*operation{"same": expected["same"]}))
}

func TestTwoKeysOfOneTicketAreADifference(t *testing.T) {
	t.Parallel()
	j := &journal{}
	for _, key := range []string{"one", "two"} {
		j.begin(&operation{Kind: opSale, Key: key, certain: true, Status: 201, Data: map[string]any{"id": "t"}})
	}
	_, found := done(&load{client: &clients{journal: j}}, opSale, func(o *operation) string { return o.text("id") })
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "two keys have one sale t")
}

func TestLostAndUnknownKeysAreDifferences(t *testing.T) {
	t.Parallel()
	sold := &operation{Kind: opSale, Key: "one", certain: true, Status: 201}
	refused := &operation{Kind: opDeposit, Key: "two", certain: true, Status: 422}
	known := map[string]*operation{"a": sold, "b": sold, "c": refused}
	assert.Empty(t, matchKeys([]row{{ID: "b"}}, known), "of one of the scopes")
	for stored, part := range map[string]string{"c": "no done operation explains it", "d": "no done operation explains it"} {
		found := matchKeys([]row{{ID: "a"}, {ID: stored}}, known)
		require.Len(t, found, 1)
		assert.Contains(t, found[0], part)
	}
	found := matchKeys(nil, known)
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "the key of a done operation is lost")
}

// The load may end before the first attempt of an operation, which is made then when it is resolved.
func TestAnOperationIsInTheJournalOnce(t *testing.T) {
	t.Parallel()
	c := &clients{journal: &journal{}}
	o := &operation{Kind: opSale, Key: "k"}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c.do(ended, o)
	c.do(ended, o)
	assert.Len(t, c.journal.all(""), 1)
}

// A proxy forwards, refuses while it is cut off, and leads elsewhere.
func TestProxy(t *testing.T) {
	t.Parallel()
	serve := func(text string) endpoint {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, text)
			}
		}()
		return endpoint{"tcp", l.Addr().String()}
	}
	p, err := listenProxy(t.Context(), "test", serve("one"))
	require.NoError(t, err)
	t.Cleanup(p.close)
	read := func() string {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.address())
		if err != nil {
			return ""
		}
		defer func() { _ = c.Close() }()
		buffer := make([]byte, 3)
		n, _ := io.ReadFull(c, buffer)
		return string(buffer[:n])
	}
	require.Equal(t, "one", read())
	p.set(cutOff, 0)
	require.Empty(t, read())
	p.set(passing, 0)
	p.lead(serve("two"))
	require.Equal(t, "two", read())
}
