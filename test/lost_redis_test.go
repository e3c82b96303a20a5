package test

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/testkit"
	"banca/storage"
)

const (
	lostSales    = 600 // with its cancellations fewer than the gateway remembers
	lostSellers  = 8
	lostCancels  = 20              // every how many sales one is cancelled
	recoveredIn  = 2 * time.Minute // from the loss until all receipts and messages exist
	sellAtMost   = 60 * time.Second
	pauseOnFails = 50 * time.Millisecond
)

// soldTicket is a sale of TestNothingIsLostWithRedis.
type soldTicket struct {
	path      string
	number    string // of the buyer
	cancelled bool
}

// Redis loses all data during 600 sales, among them tasks that have not run yet. Every receipt, void mark and
// message exists two minutes later, and none twice.
//
// It is not parallel: the bound is not for a machine that the package's other tests keep busy.
func TestNothingIsLostWithRedis(t *testing.T) {
	server := testkit.StartRedis(t)
	client, err := storage.OpenRedis(t.Context(), server.URL())
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	p := newPlatform(t)
	p.env = []string{"REDIS_URL=" + server.URL(), "RATE_LIMIT_REQUESTS=1000000"}
	p.start()
	token := p.login("taquilla@banca.test")
	supervisor := p.login("admin@banca.test") // a ticket point cancels a few tickets a day only
	draw := p.openDraw(token)

	var flushed atomic.Pointer[time.Time]
	sold := p.sellMany(token, supervisor, draw, func(n int64) {
		if n == lostSales/2 {
			require.NoError(t, client.FlushAll(t.Context()).Err())
			now := time.Now()
			flushed.Store(&now)
		}
	})
	require.NotNil(t, flushed.Load())
	missing, unchecked := "", sold
	complete := func() bool {
		unchecked, missing = p.incomplete(token, unchecked)
		return missing == ""
	}
	assert.Eventually(t, complete, time.Until(flushed.Load().Add(recoveredIn)), 500*time.Millisecond)
	assert.Empty(t, missing)
	t.Logf("complete %s after the loss", time.Since(*flushed.Load()).Round(time.Second))

	messages := map[string]int{}
	for _, m := range p.outbox("") {
		number, _ := m["number"].(string)
		messages[number]++
	}
	for _, s := range sold {
		if s.cancelled {
			assert.LessOrEqual(t, messages[s.number], 2, "the receipt and the cancellation: %s", s.path)
			continue
		}
		assert.Equal(t, 1, messages[s.number], "messages of %s to %s", s.path, s.number)
	}
	require.NoError(t, p.interrupt())
}

// sellMany sells from several tills concurrently, each ticket to a buyer of its own, and cancels some. progress is
// called with the number of tickets sold so far. A refusal with Retry-After is repeated with the same key.
func (p *platform) sellMany(token, supervisor, draw string, progress func(n int64)) []soldTicket {
	sold := make([]soldTicket, lostSales)
	var count atomic.Int64
	var sellers sync.WaitGroup
	for seller := range lostSellers {
		sellers.Go(func() {
			for i := seller; i < lostSales; i += lostSellers {
				number := fmt.Sprintf("0414%07d", 5_000_000+i)
				key := fmt.Sprintf("lost-%d", i)
				a := p.insist(func() answer {
					return p.post("/sales/tickets", token, map[string]any{
						"currency": "VES", "customer": map[string]string{"name": "Cliente", "phone": number},
						"items": []map[string]any{{"draw_id": draw, "bet_type": "straight", "selection": "5", "amount": "1.00"}},
					}, key)
				}, http.StatusCreated)
				sold[i] = soldTicket{path: a.header.Get("Location"), number: "58" + number[1:]}
				progress(count.Add(1))
				if i%lostCancels == 0 {
					p.insist(func() answer { return p.post(sold[i].path+"/cancel", supervisor, nil, key+"-cancel") }, http.StatusOK)
					sold[i].cancelled = true
				}
			}
		})
	}
	sellers.Wait()
	return sold
}

// insist repeats a request until it is answered with status, while the refusals are passing ones or there is no answer.
func (p *platform) insist(do func() answer, status int) answer {
	for end := time.Now().Add(sellAtMost); ; {
		a := do()
		if a.status == status {
			return a
		}
		if a.status != 0 && a.status != http.StatusServiceUnavailable || time.Now().After(end) {
			assert.Equal(p.t, status, a.status, string(a.raw))
			return a
		}
		time.Sleep(pauseOnFails)
	}
}

// incomplete returns the tickets from the first one whose picture, void mark or message is missing, and names it; nil and
// "" if none is.
func (p *platform) incomplete(token string, sold []soldTicket) (left []soldTicket, missing string) {
	delivered := map[any]bool{}
	for _, m := range p.outbox("") {
		delivered[m["number"]] = true
	}
	for i, s := range sold {
		address, _ := p.get(s.path, token).data()["image_url"].(string)
		switch {
		case address == "":
			return sold[i:], "no picture: " + s.path
		case !s.cancelled && !delivered[s.number]:
			return sold[i:], "no message: " + s.path
		case s.cancelled && !bytes.Equal(p.get(s.path+"/receipt", token).raw, p.get(address, "").raw):
			return sold[i:], "no void mark: " + s.path
		}
	}
	return nil, ""
}
