package sales_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/clock"
	"banca/internal/setup/seed"
	"banca/models"
)

// sellerCommand makes the test binary a process that sells and writes a line for each acknowledged sale.
const sellerCommand = "sell-until-killed"

// A process killed with SIGKILL at any moment leaves every acknowledged sale whole, and counts that the
// sweep makes exact.
func TestSigkillLosesNoAcknowledgedSale(t *testing.T) {
	t.Parallel()
	b := setup(t)
	self, err := os.Executable()
	require.NoError(t, err)
	var serials []string
	for round := range 5 {
		child := exec.CommandContext(t.Context(), self, sellerCommand, b.Env.PostgresURL, b.Env.RedisURL, itoa(b.Clock.Now().Unix()))
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		left := 1 + rand.IntN(120)
		for lines.Scan() {
			serials = append(serials, lines.Text())
			if left--; left == 0 {
				require.NoError(t, child.Process.Kill()) // its output so far is still read
			}
		}
		require.Error(t, child.Wait(), "it is killed, it does not end")
		require.LessOrEqual(t, left, 0, "round %d: it did not sell", round)
		b.Clock.Advance(31 * time.Second)
		b.sweep(t)
		require.Zero(t, b.notes(t))
		b.requireSerials(t, serials)
		b.requireSound(t)
	}
	require.GreaterOrEqual(t, b.sold(t), int64(len(serials)))
	b.sell(t, straight(b.draw(t, "lotto-activo", 0), "5", "1.00"))
	b.requireSound(t)
}

// runSeller is the child process: it sells in many goroutines until it is killed.
func runSeller(args []string) int {
	ctx := context.Background()
	unix, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return 2
	}
	b, err := openSeller(ctx, args[0], args[1], clock.NewFake(time.Unix(unix, 0)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	go b.Run(ctx)
	draws, _, err := b.Catalog.Draws(ctx, catalog.DrawFilter{Status: models.DrawOpen, GameID: seed.ID("game", "lotto-activo"), Limit: 3})
	if err != nil {
		return 2
	}
	var out sync.Mutex
	points := [3]string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint}
	for worker := range 20 {
		go func() {
			for {
				sold, err := b.Sell(ctx, at(fixture.Ticket(straight(draws[0], "5", "1.00"), straight(draws[1+worker%2], "7", "1.00")), points[worker%3]))
				if err == nil {
					out.Lock()
					_, _ = io.WriteString(os.Stdout, sold.Ticket.SerialCode+"\n")
					out.Unlock()
				}
			}
		}()
	}
	select {}
}

func openSeller(ctx context.Context, postgres, redis string, clk *clock.Fake) (*bundle, error) {
	operator, err := fixture.Connect(ctx, postgres, redis, clk)
	if err != nil {
		return nil, err
	}
	service, err := operator.NewSales()
	return &bundle{Operator: operator, Service: service}, err
}
