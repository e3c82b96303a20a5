package bank

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
	"banca/storage"
)

// answererCommand makes the test binary a process that answers notifications and writes a line for each answer.
const answererCommand = "answer-until-killed"

const killPayments = 60

// A process killed with SIGKILL at any moment, between commit and answer too: every notification is sent
// again, as the bank does, and gets the same answer; nothing is credited twice.
func TestKilledBetweenCommitAndAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range killPayments {
		b.expect(t, func(n *NewRequest) {
			n.Reference, n.Bank, n.Amount = killReference(i), "0134", "1.00"
			n.ClientID = fmt.Sprintf("V%d", 20_000_000+i)
		})
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for range 4 {
		child := exec.CommandContext(t.Context(), self, answererCommand, b.Env.PostgresURL)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		for left := 1 + rand.IntN(20); left > 0 && lines.Scan(); left-- {
			require.Equal(t, "true", lines.Text())
		}
		require.NoError(t, child.Process.Kill())
		_ = child.Wait()
	}
	for i := range killPayments {
		require.True(t, b.notify(t, "Referencia", killReference(i), "Monto", "1.00"))
	}
	require.Equal(t, killPayments, b.count(t, "bank_payments", "state = 'credited'"))
	require.Equal(t, killPayments, b.count(t, "transactions", "type = 'deposit'"))
	require.EqualValues(t, killPayments*100, b.point(t))
	b.requireSound(t)
}

func killReference(i int) string { return fmt.Sprintf("%08d", i) }

// runAnswerer is the process: it answers the notifications in many goroutines, over and over.
func runAnswerer(args []string) int {
	pg, err := storage.OpenPostgres(context.Background(), storage.PostgresOptions{URL: args[0]})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	clk := clock.NewFake(morning())
	s := newService(pg, clk, slog.New(slog.DiscardHandler), options())
	go s.Run(context.Background())
	for worker := range 8 {
		go func() {
			for i := worker; ; i += 8 {
				reply := s.Answer(context.Background(), call(PhaseNotification, notifyBody("Referencia", killReference(i%killPayments), "Monto", "1.00")))
				_, _ = io.WriteString(os.Stdout, fmt.Sprintln(string(reply.Body) == `{"abono":true}`))
			}
		}()
	}
	select {}
}
