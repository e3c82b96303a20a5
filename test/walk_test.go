package test

import (
	"bytes"
	"image/png"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

// The README's walk: from login to the receipt's picture and the message in the gateway's outbox.
func TestSellATicketEndToEnd(t *testing.T) {
	t.Parallel()
	p := newEmptyPlatform(t)
	var out bytes.Buffer
	p.out = &out
	t.Logf("ready after %s", p.start())
	token := p.login("taquilla@banca.test")

	draw := p.openDraw(token)
	sold := p.sell(token, draw, "walk-1")
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	require.Equal(t, "35.50", sold.data()["total"])
	path := sold.header.Get("Location")

	again := p.sell(token, draw, "walk-1")
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, sold.data(), again.data())

	require.Equal(t, 384, p.receiptPicture(token, path))
	valid := p.publicPicture(token, path)
	require.Eventually(t, func() bool { return len(p.outbox("584141234567")) == 1 }, testkit.WaitTimeout, 50*time.Millisecond)
	require.Contains(t, p.outbox("584141234567")[0]["caption"], sold.data()["serial_code"])

	serial, _ := sold.data()["serial_code"].(string)
	public := p.get("/t/"+serial, "")
	require.Equal(t, map[string]any{"serial_code": serial, "status": "pending"}, public.data())

	cancelled := p.post(path+"/cancel", token, nil, "walk-2")
	require.Equal(t, "cancelled", cancelled.data()["status"], string(cancelled.raw))
	void := p.get(path+"/receipt", token).raw
	require.NotEqual(t, valid, void)
	require.Eventually(t, func() bool { return bytes.Equal(void, p.publicPicture(token, path)) }, testkit.WaitTimeout, 50*time.Millisecond, "everyone sees it")
	require.Eventually(t, func() bool { return len(p.outbox("584141234567")) == 2 }, testkit.WaitTimeout, 50*time.Millisecond, "and the buyer is told once")
	require.Contains(t, p.outbox("584141234567")[0]["caption"], "ANULADO")
	wallets := p.get("/wallets", token).list()
	require.NotEmpty(t, wallets)
	for _, w := range wallets {
		require.Equal(t, "0.00", w["balance"], "a cancelled sale leaves no trace in balances")
	}
	require.NoError(t, p.interrupt())
	require.Regexp(t, `(?s)^== starting Postgres.*== migrating.*== writing the seed.*== starting the api.*banca is ready.*`+p.addr, out.String(), "the start reports its phases")
}

func TestAKilledPlatformRestartsWithItsData(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.start()
	token := p.login("taquilla@banca.test")
	sold := p.sell(token, p.openDraw(token), "kill-1")
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	p.kill()

	p.start()
	token = p.login("taquilla@banca.test")
	again := p.sell(token, p.openDraw(token), "kill-1")
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"), string(again.raw))
	require.Equal(t, sold.data()["id"], again.data()["id"])
	require.Equal(t, 384, p.receiptPicture(token, sold.header.Get("Location")), "the receipt's task survived the kill")
	require.NoError(t, p.interrupt())
}

// openDraw returns the id of the last open draw of lotto-activo, which stays open whenever the test runs.
func (p *platform) openDraw(token string) string {
	p.t.Helper()
	for _, g := range p.get("/games", token).list() {
		if g["short_code"] == "lotto-activo" {
			id, _ := g["id"].(string)
			draws := p.get("/draws?status=open&page_size=200&game_id="+id, token).list()
			require.NotEmpty(p.t, draws)
			draw, _ := draws[len(draws)-1]["id"].(string)
			return draw
		}
	}
	require.Fail(p.t, "lotto-activo is not seeded")
	return ""
}

func (p *platform) sell(token, draw, key string) answer {
	return p.post("/sales/tickets", token, map[string]any{
		"currency": "VES", "customer": map[string]string{"name": "María Ñáñez", "phone": "0414-123.45.67"},
		"items": []map[string]any{
			{"draw_id": draw, "bet_type": "straight", "selection": "5", "amount": "10.00"},
			{"draw_id": draw, "bet_type": "straight", "selection": "00", "amount": 25.5},
		},
	}, key)
}

// receiptPicture waits for image_url, fetches the picture without any login and returns its width.
func (p *platform) receiptPicture(token, path string) int {
	p.t.Helper()
	address := ""
	require.Eventually(p.t, func() bool {
		address, _ = p.get(path, token).data()["image_url"].(string)
		return address != ""
	}, 3*testkit.WaitTimeout, 50*time.Millisecond) // a task of a killed worker is taken back after its lease, once a minute
	a := p.get(address, "")
	require.Equal(p.t, http.StatusOK, a.status)
	picture, err := png.Decode(bytes.NewReader(a.raw))
	require.NoError(p.t, err)
	return picture.Bounds().Dx()
}

// publicPicture fetches what image_url shows now.
func (p *platform) publicPicture(token, path string) []byte {
	address, _ := p.get(path, token).data()["image_url"].(string)
	return p.get(address, "").raw
}

// outbox lists the messages that the simulated gateway delivered to a number.
func (p *platform) outbox(number string) []map[string]any {
	a := p.get("http://"+p.gateway+"/outbox?number="+number, "")
	return answer{body: map[string]any{"data": decodeList(a.raw)}}.list()
}
