package messaging_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging/channel"
	"banca/models"
)

func report(provider, status string) channel.Status {
	return channel.Status{ProviderID: provider, Status: status, At: time.Now()}
}

// TestReportsMoveAMessageForwardOnly sends the reports of messages twice, in random order, at once.
func TestReportsMoveAMessageForwardOnly(t *testing.T) {
	t.Parallel()
	b := setup(t, with(func(_ context.Context, m channel.Message) (channel.Receipt, error) {
		return channel.Receipt{ProviderID: "p-" + m.ID.String()}, nil
	}))
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		id := b.queue(t)
		require.NoError(t, b.Send(t.Context(), id))
		provider := "p-" + id.String()
		reports := []channel.Status{report(provider, "sent"), report(provider, "delivered"), report(provider, "read")}
		reports = append(reports, reports...)
		rng.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
		var calls sync.WaitGroup
		for _, r := range reports {
			calls.Go(func() { assert.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{r})) })
		}
		calls.Wait()
		m := b.get(t, id)
		assert.Equal(t, models.MessageRead, m.Status)
		assert.Len(t, m.Reports, 3, "each once")
	}
}

func TestALateFailureIsTheMessages(t *testing.T) {
	t.Parallel()
	b := setup(t, with(func(_ context.Context, m channel.Message) (channel.Receipt, error) {
		return channel.Receipt{ProviderID: "p-" + m.ID.String()}, nil
	}))
	id := b.queue(t)
	require.NoError(t, b.Send(t.Context(), id))
	failed := report("p-"+id.String(), "failed")
	failed.Error = &channel.Error{Kind: channel.BadRecipient, Text: "no such account"}
	require.NoError(t, b.Reported(t.Context(), uuid.New(), []channel.Status{failed}))
	assert.Equal(t, models.MessageSent, b.get(t, id).Status, "the report of another channel")
	require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{failed}))
	m := b.get(t, id)
	assert.Equal(t, models.MessageFailed, m.Status)
	assert.Equal(t, "RECIPIENT", value(m.ErrorCode))
	require.NoError(t, b.Resend(t.Context(), testkit.Within(b.path), id))
	require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{failed}))
	assert.Equal(t, models.MessageQueued, b.get(t, id).Status, "the old failure is not that of the new attempt")
}

// TestReportsBeforeTheAnswer: the webhook is faster than the answer, or the answer never comes.
func TestReportsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		ours bool // the report names our message
		want string
	}{
		"answered":                       {nil, false, models.MessageDelivered},
		"answered, with our id":          {nil, true, models.MessageDelivered},
		"unknown, with our id":           {&channel.Error{Kind: channel.UnknownOutcome, Text: "x"}, true, models.MessageDelivered},
		"unknown, without our id":        {&channel.Error{Kind: channel.UnknownOutcome, Text: "x"}, false, models.MessageUnknown},
		"refused for now, but delivered": {&channel.Error{Kind: channel.ChannelDown, Text: "x"}, true, models.MessageDelivered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bundle
			b = setup(t, with(func(ctx context.Context, m channel.Message) (channel.Receipt, error) {
				r := report("p", "delivered")
				if c.ours {
					r.MessageID = m.ID
				}
				assert.NoError(t, b.Reported(ctx, uuid.Nil, []channel.Status{r}))
				return channel.Receipt{ProviderID: map[bool]string{true: "p"}[c.err == nil]}, c.err
			}))
			id := b.queue(t)
			require.NoError(t, b.Send(t.Context(), id))
			assert.Equal(t, c.want, b.get(t, id).Status)
		})
	}
}

// TestReportsOfUnknownMessagesChangeNothing: of messages that another program sent through the same account.
func TestReportsOfUnknownMessagesChangeNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.queue(t)
	for i := range 5 {
		r := report("stranger-"+strconv.Itoa(i), "failed")
		r.MessageID = uuid.New()
		require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{r}))
	}
	assert.Equal(t, models.MessageQueued, b.get(t, id).Status)
}
