package test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/demo"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
)

// afternoon returns a zone in which it is about four in the afternoon: some draws of the day are over and others on sale.
func afternoon(t *testing.T) *time.Location {
	t.Helper()
	const wanted, west, day = 16, -12, 24
	east := wanted - time.Now().UTC().Hour()
	if east < west {
		east += day
	}
	zone, err := time.LoadLocation(fmt.Sprintf("Etc/GMT%+d", -east)) // these names count to the west
	require.NoError(t, err)
	return zone
}

// demonstrate runs a demonstration in the afternoon until the test ends, and returns its address.
func demonstrate(t *testing.T) string {
	t.Helper()
	cfg, err := config.Load()
	require.NoError(t, err)
	cfg.HTTP.Addr, cfg.DataDir, cfg.Business.Zone = freeAddr(t), testkit.Dir(t), afternoon(t)
	cfg.HTTP.PublicURL = "http://" + cfg.HTTP.Addr
	o := demo.Defaults()
	o.Every, o.Pace = 24*time.Hour, 8
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- demo.Run(ctx, &cfg, slog.New(slog.DiscardHandler), t.Output(), o) }()
	t.Cleanup(func() { stop(); assert.NoError(t, <-ended) })
	require.Eventually(t, func() bool {
		res, err := http.Get(cfg.HTTP.PublicURL + "/readyz")
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	}, 10*testkit.WaitTimeout, time.Second)
	return cfg.HTTP.PublicURL
}

// TestPicturesOfTheManual writes the pictures of docs/panel.md, of a demonstration, to var/pictures.
func TestPicturesOfTheManual(t *testing.T) {
	wanted := browser.NeedPictures(t)
	if !wanted.Wants("manual") {
		t.Skip("no picture of the manual is asked for")
	}
	server := demonstrate(t)
	time.Sleep(20 * time.Second) // of sales, messages and payments
	tab := browser.Open(t)
	tab.Scheme("light")
	tab.Screen()
	tab.Visit(server + "/admin/login?lang=es")
	tab.Follow(".demo li a")
	tab.Follow("main form button")
	save := func(name string) { wanted.Save(tab, "manual-"+name, "es", "light") }
	for name, path := range map[string]string{
		"start": "/admin", "board": "/admin/draws/board", "agency": "/admin/organisation/agency",
		"payouts": "/admin/games/" + seed.ID("game", "lotto-activo").String() + "/payouts",
	} {
		tab.Visit(server + path)
		save(name)
	}
	tab.Visit(server + "/admin/tickets?status=paid")
	tab.Follow(`main td a[href^="/admin/tickets/"]`)
	save("ticket")
}
