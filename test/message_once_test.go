package test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/platform/clock"
	"banca/models"
)

const (
	onceSales   = 120
	onceSellers = 6
	onceKills   = 3
	onceFaults  = 250 * time.Millisecond // between two faults of the gateway
	onceSettled = 4 * time.Minute        // until every message has its outcome: a lease is 45 s, a sweep every minute
	onceKey     = "key-of-the-gateway-of-the-test"
)

// The whole platform is killed three times while it sells and sends, and the gateway fails in every way after which a message may have arrived or not. At
// the gateway, which no kill reaches, no receipt arrived twice; what is said to be sent arrived; and after a person sent again what did not arrive, everything
// arrived exactly once.
func TestEveryReceiptIsSentOnce(t *testing.T) {
	t.Parallel()
	seed := uint64(clock.System{}.Now().UnixNano())
	t.Logf("seed %d", seed)
	gateway := simulators.NewGateway(simulators.GatewayConfig{APIKey: onceKey, Instance: "banca", Clock: clock.System{}})
	server := httptest.NewServer(gateway)
	t.Cleanup(server.Close)
	p := newPlatform(t)
	p.env = []string{
		"MESSAGING_URL=" + server.URL, "MESSAGING_API_KEY=" + onceKey, "MESSAGING_INSTANCE=banca", "MESSAGING_PER_MINUTE=100000", "RATE_LIMIT_REQUESTS=1000000",
	}
	p.start()
	token, admin := p.login("taquilla@banca.test"), p.login("admin@banca.test")
	draw := p.openDraw(token)

	stop := spoil(gateway, rand.New(rand.NewPCG(seed, 1)))
	p.sellThroughKills(token, draw)
	stop()
	messages := p.settled(admin)
	require.Len(t, messages, onceSales, "one message for each ticket")
	statuses := map[string]int{}
	for number, m := range messages {
		arrived, status := len(gateway.Outbox(number)), m["status"]
		statuses[fmt.Sprintf("%s, arrived %d", status, arrived)]++
		switch status {
		case models.MessageUnknown, models.MessageFailed:
			assert.LessOrEqual(t, arrived, 1, "%v", m)
			if arrived == 0 { // the person looked
				path := fmt.Sprintf("/messaging/logs/%s/resend", m["id"])
				require.Equal(t, http.StatusOK, p.post(path, admin, nil, "again-"+number).status)
			}
		default:
			assert.Equal(t, 1, arrived, "%v", m)
		}
	}
	t.Log(statuses)
	p.settled(admin)
	for number := range messages {
		assert.Len(t, gateway.Outbox(number), 1, number)
	}
	require.NoError(t, p.interrupt())
}

// spoil sets one fault of the gateway after the other until stop is called.
func spoil(gateway *simulators.Gateway, rng *rand.Rand) (stop func()) {
	modes := []string{
		simulators.GatewayRetryable, simulators.GatewayRateLimited, simulators.GatewayErrorIn200, simulators.GatewayContent, simulators.GatewayBadProxy,
		simulators.GatewayGarbage, simulators.GatewayHalf, simulators.GatewayDropAfterWrite, simulators.GatewayDoubled, simulators.GatewayOversized,
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(onceFaults)
		defer tick.Stop()
		for {
			select {
			case <-end:
				gateway.SetFault(simulators.Fault{Mode: simulators.ModelsOK})
				return
			case <-tick.C:
				gateway.SetFault(simulators.Fault{Mode: modes[rng.IntN(len(modes))], Times: 1 + rng.IntN(3)})
			}
		}
	}()
	return func() { close(end); <-ended }
}

// sellThroughKills sells to a buyer for each ticket, and kills and starts the platform meanwhile. Sellers repeat with the same key.
func (p *platform) sellThroughKills(token, draw string) {
	var next atomic.Int64
	var sellers sync.WaitGroup
	for range onceSellers {
		sellers.Go(func() {
			for i := next.Add(1); i <= onceSales; i = next.Add(1) {
				p.insist(func() answer {
					return p.post("/sales/tickets", token, map[string]any{
						"currency": "VES", "customer": map[string]string{"name": "Cliente", "phone": fmt.Sprintf("0414%07d", 6_000_000+i)},
						"items": []map[string]any{{"draw_id": draw, "bet_type": "straight", "selection": "7", "amount": "1.00"}},
					}, fmt.Sprintf("once-%d", i))
				}, http.StatusCreated)
			}
		})
	}
	for kill := range int64(onceKills) {
		for next.Load() < onceSales*(kill+1)/(onceKills+1) {
			time.Sleep(time.Millisecond)
		}
		p.kill()
		p.start()
	}
	sellers.Wait()
}

// settled waits until no receipt is queued or being sent, and returns the messages by their recipients.
func (p *platform) settled(token string) map[string]map[string]any {
	p.t.Helper()
	messages, left := map[string]map[string]any{}, ""
	defer func() { p.t.Log("last looked at", left) }()
	require.Eventually(p.t, func() bool {
		clear(messages)
		for cursor := ""; ; {
			a := p.get("/messaging/logs?kind=receipt&page_size=200&cursor="+cursor, token)
			left = fmt.Sprint(a.status, len(a.list()))
			for _, m := range a.list() {
				number, _ := m["recipient"].(string)
				if messages[number[1:]] != nil {
					return assert.Fail(p.t, "two messages", "%v", m)
				}
				if m["status"] == models.MessageQueued || m["status"] == models.MessageSending {
					left = fmt.Sprint(m)
					return false
				}
				messages[number[1:]] = m
			}
			meta, _ := a.body["meta"].(map[string]any)
			if cursor, _ = meta["next_cursor"].(string); cursor == "" {
				return len(messages) == onceSales
			}
		}
	}, onceSettled, time.Second)
	return messages
}
