package prizes_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/models"
)

// modelTicket is the expected state of a ticket: on an animal, worth 300.00 while that is the result.
type modelTicket struct {
	*sales.Ticket
	animal     string
	paid       int64 // by the payment that stands
	difference bool  // an open one
	off        bool  // the difference to the prize due was written off
	collected  bool  // the payment was collected as a receivable, and nothing was paid since
}

// TestPaymentsAgreeWithAModel pays, takes back, corrects, settles and writes off at random and compares tickets and
// wallet with a model after every step.
func TestPaymentsAgreeWithAModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		b := setup(t)
		random := rand.New(rand.NewPCG(seed, 11))
		d := b.open(t)[0]
		animals := []string{"5", "6", "7"}
		tickets := make([]*modelTicket, 6)
		for i := range tickets {
			tickets[i] = &modelTicket{animal: animals[i%len(animals)]}
			tickets[i].Ticket = b.sell(t, tickets[i].animal, d)
		}
		drawn := "5"
		result := b.settle(t, d, drawn)
		base := b.balance(t, tickets[0].Ticket)
		for step := range 60 {
			m := tickets[random.IntN(len(tickets))]
			switch random.IntN(7) {
			case 0, 1, 2:
				m.pay(t, b, drawn)
			case 3:
				m.cancel(t, b)
			case 4:
				if m.difference {
					m.settle(t, b, drawn)
				}
			case 5:
				if m.difference {
					_, err := b.WriteOff(t.Context(), b.by, b.difference(t, m.Ticket).ID, "lost")
					require.NoError(t, err)
					m.difference, m.off = false, true
				}
			case 6:
				result, drawn = correctTo(t, b, result, drawn, animals[random.IntN(len(animals))], tickets)
			}
			var balance int64
			for _, m := range tickets {
				balance += m.paid
				require.Equal(t, m.want(drawn), b.status(t, m.Ticket), "step %d", step)
			}
			require.Equal(t, base+balance, b.balance(t, m.Ticket), "step %d", step)
		}
		b.requireSound(t)
	}
}

func (m *modelTicket) due(drawn string) int64 {
	if m.animal == drawn {
		return 30000
	}
	return 0
}

func (m *modelTicket) want(drawn string) string {
	switch {
	case m.paid > 0:
		return models.TicketPaid
	case m.due(drawn) > 0:
		return models.TicketWon
	default:
		return models.TicketLost
	}
}

func (m *modelTicket) pay(t *testing.T, b *bundle, drawn string) {
	t.Helper()
	_, err := b.Pay(t.Context(), b.by, b.ask(m.Ticket, ""))
	switch m.want(drawn) {
	case models.TicketPaid:
		require.ErrorIs(t, err, prizes.ErrAlreadyPaid)
	case models.TicketWon:
		if m.difference {
			require.ErrorIs(t, err, prizes.ErrCollected)
			return
		}
		require.NoError(t, err)
		m.paid, m.collected = m.due(drawn), false
	default:
		require.ErrorIs(t, err, prizes.ErrNotWon)
	}
}

func (m *modelTicket) cancel(t *testing.T, b *bundle) {
	t.Helper()
	_, err := b.Cancel(t.Context(), b.by, b.unask(m.Ticket, ""))
	if m.paid == 0 {
		require.ErrorIs(t, err, prizes.ErrNotPaid)
		return
	}
	require.NoError(t, err)
	m.paid, m.difference, m.off = 0, false, false
}

func (m *modelTicket) settle(t *testing.T, b *bundle, drawn string) {
	t.Helper()
	_, err := b.Resolve(t.Context(), b.by, b.difference(t, m.Ticket).ID)
	require.NoError(t, err)
	m.paid, m.difference = m.due(drawn), false
	m.collected = m.paid == 0
}

// correctTo corrects the result, which the same result again is not.
func correctTo(
	t *testing.T, b *bundle, result *draws.Result, drawn, animal string, tickets []*modelTicket,
) (*draws.Result, string) {
	t.Helper()
	if animal == drawn {
		_, _, err := b.draws.Correct(t.Context(), fixture.As(fixture.Typist), result.ID, result.Outcome, "misread", true)
		require.ErrorIs(t, err, draws.ErrResultUnchanged)
		return result, drawn
	}
	result = b.correct(t, result, animal)
	touched := []string{drawn, animal} // a ticket on neither is as it was
	for _, m := range tickets {
		if m.paid == 0 && m.collected {
			m.difference = m.due(animal) > 0 && !m.off
			continue
		}
		if m.paid == 0 || !slices.Contains(touched, m.animal) {
			continue
		}
		differs := m.paid != m.due(animal)
		m.difference = differs
		m.off = m.off && differs
	}
	return result, animal
}
