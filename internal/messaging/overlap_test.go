package messaging_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
	"banca/models"
)

// A report arrives at the moment at which the answer to the attempt is stored, in either order: it is applied.
func TestAReportBesideTheAnswerIsApplied(t *testing.T) {
	t.Parallel()
	const messages, workers = 200, 6
	for name, ours := range map[string]bool{"by our id": true, "by the provider's id": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bundle
			var reports sync.WaitGroup
			b = setup(t, with(func(_ context.Context, m channel.Message) (channel.Receipt, error) {
				r := channel.Status{ProviderID: "p-" + m.ID.String(), Status: models.MessageDelivered, At: time.Now()}
				if ours {
					r.MessageID = m.ID
				}
				reports.Go(func() {
					time.Sleep(time.Duration(rand.IntN(4_000)) * time.Microsecond)
					assert.NoError(t, b.Reported(context.WithoutCancel(t.Context()), uuid.Nil, []channel.Status{r}))
				})
				return channel.Receipt{ProviderID: "p-" + m.ID.String()}, nil
			}))
			ids := make([]uuid.UUID, messages)
			for i := range ids {
				ids[i] = b.queue(t)
			}
			var sends sync.WaitGroup
			for w := range workers {
				sends.Go(func() {
					for i := w; i < messages; i += workers {
						assert.NoError(t, b.Send(t.Context(), ids[i]))
					}
				})
			}
			sends.Wait()
			reports.Wait()
			statuses := map[string]int{}
			for _, id := range ids {
				statuses[b.get(t, id).Status]++
			}
			require.Equal(t, map[string]int{models.MessageDelivered: messages}, statuses)
		})
	}
}
